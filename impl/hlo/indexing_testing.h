// For tests of the indexing analysis: a module of a text, and the computation that reductions
// apply.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::impl {

// Stands before an entry that has to_apply=m.
inline constexpr char kMaximum[] =
    "m {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b)\n}\n";

// A text that is no module fails the test; the answer is empty then.
inline HloModule module_of(absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : HloModule{};
}

}  // namespace tileproof::impl
