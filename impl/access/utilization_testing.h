// SPDX-License-Identifier: Apache-2.0
// Helpers for the tests of utilization.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "impl/access/utilization.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/compare/utilization_compare.h"

namespace tileproof::verify {

inline std::string text_of(const impl::ElementsRead& read) {
  if (!read.uncounted.empty()) return absl::StrCat("not counted: ", read.uncounted);
  return read.least == read.most
             ? absl::StrCat(read.least, " of ", read.elements)
             : absl::StrCat(read.least, " to ", read.most, " of ", read.elements);
}

// For the root of the entry computation, and operand 0 or another one.
inline std::string read_by(absl::string_view hlo, size_t operand = 0) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
  if (!module.ok()) return std::string(module.status().message());
  const int32_t root = module->computations[module->entry].root;
  impl::IndexingAnalysis analysis(*module);
  const auto found = impl::utilization(analysis, *module, module->entry, root);
  if (!found.ok()) return std::string(found.status().message());
  CaseCounts tally;
  EXPECT_EQ(utilization_difference(*module, module->entry, root, 1, tally), "") << hlo;
  return text_of((*found)[operand][0]);
}

}  // namespace tileproof::verify
