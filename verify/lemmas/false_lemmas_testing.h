// SPDX-License-Identifier: Apache-2.0
// Known-wrong rules (corpus/lemmas/false.tsv): false lemmas that real simplifiers, layout libraries
// and their test suites relied on. Each must be refuted: Z3 finds a point, and plain evaluation
// confirms it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "corpus/files.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/lemmas/lemma_text.h"

namespace tileproof::lemmas {

inline const std::vector<StatedLemma>& all_false_lemmas() {
  static const auto* const all = [] {
    auto* lemmas = new std::vector<StatedLemma>;
    for (const std::string& line : project_lines("corpus/lemmas/false.tsv")) {
      const std::vector<std::string> cells = absl::StrSplit(line, '\t');
      const auto claim = parse_claim(cells.at(2));
      EXPECT_TRUE(claim.ok()) << line << ": " << claim.status();
      lemmas->push_back(stated(cells[0], cells.at(3), absl::StrSplit(cells[1], ' '), *claim));
    }
    return lemmas;
  }();
  return *all;
}

}  // namespace tileproof::lemmas
