// SPDX-License-Identifier: Apache-2.0
// For tests of the indexing analysis: the module of a text, and a computation for reductions.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::impl {

// Goes before an entry computation with to_apply=m.
inline constexpr char kMaximum[] =
    "m {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b)\n}\n";

// Fails the test and returns an empty module if the text is not a module.
inline HloModule module_of(absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : HloModule{};
}

}  // namespace tileproof::impl
