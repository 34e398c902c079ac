#include "verify/lemma_table.h"

#include "impl/lemmas.h"

namespace tileproof::verify {

const std::vector<StatedLemma>& all_lemmas() {
  static const auto* const table = [] {
    auto* lemmas = new std::vector<StatedLemma>;
    impl::for_each_rewriting_lemma(
        [&](const auto& lemma) { lemmas->push_back(stated(lemma, "rewriting")); });
    impl::for_each_range_lemma(
        [&](const auto& lemma) { lemmas->push_back(stated(lemma, "range")); });
    impl::for_each_constraint_lemma(
        [&](const auto& lemma) { lemmas->push_back(stated(lemma, "constraint")); });
    impl::for_each_tiling_lemma(
        [&](const auto& lemma) { lemmas->push_back(stated(lemma, "tiling")); });
    return lemmas;
  }();
  return *table;
}

const StatedLemma* find_lemma(absl::string_view name) {
  for (const StatedLemma& lemma : all_lemmas()) {
    if (lemma.name == name) return &lemma;
  }
  return nullptr;
}

}  // namespace tileproof::verify
