// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/false_lemmas.h"

#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

const std::vector<StatedLemma>& all_false_lemmas() {
  static const auto* const table = [] {
    auto* lemmas = new std::vector<StatedLemma>;
    for_each_false_lemma(
        [&](const auto& lemma) { lemmas->push_back(stated(lemma, "known-wrong rule")); });
    return lemmas;
  }();
  return *table;
}

}  // namespace tileproof::lemmas
