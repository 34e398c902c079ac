// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/lemma_table.h"

#include <map>

#include "impl/lemmas/lemmas.h"

namespace tileproof::lemmas {
namespace {

impl::Facts<Term> substitute(const impl::Facts<Term>& facts,
                             const std::map<std::string, Term>& values) {
  impl::Facts<Term> result;
  for (const impl::Fact<Term>& fact : facts) {
    result.push_back({interpret(fact.left, values, Term{}), fact.predicate,
                      interpret(fact.right, values, Term{})});
  }
  return result;
}

}  // namespace

impl::Claim<Term> instance(const StatedLemma& lemma, const std::vector<Term>& terms) {
  std::map<std::string, Term> values;
  for (size_t i = 0; i < lemma.variables.size(); ++i) values[lemma.variables[i]] = terms.at(i);
  impl::Claim<Term> claim;
  claim.kind = lemma.claim.kind;
  claim.hypotheses = substitute(lemma.claim.hypotheses, values);
  claim.before = substitute(lemma.claim.before, values);
  claim.after = substitute(lemma.claim.after, values);
  return claim;
}

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

}  // namespace tileproof::lemmas
