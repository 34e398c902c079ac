// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/lemma_table.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "impl/lemmas/lemmas.h"

namespace tileproof::lemmas {
StatedLemma stated(std::string name, std::string says, std::vector<std::string> variables,
                   impl::Claim<Term> claim) {
  const auto at = [variables, claim](const std::vector<Integer>& point) {
    std::map<std::string, Integer> values;
    for (size_t i = 0; i < variables.size(); ++i) values[variables[i]] = point.at(i);
    return interpret(claim, values, Integer{});
  };
  return {std::move(name), std::move(says), "", std::move(variables), std::move(claim), at};
}

std::vector<Integer> defined(const std::vector<int64_t>& values) {
  std::vector<Integer> point;
  for (const int64_t value : values) point.push_back({value});
  return point;
}

impl::Claim<Term> instance(const StatedLemma& lemma, const std::vector<Term>& terms) {
  std::map<std::string, Term> values;
  for (size_t i = 0; i < lemma.variables.size(); ++i) values[lemma.variables[i]] = terms.at(i);
  return interpret(lemma.claim, values, Term{});
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

std::string lemma_page() {
  std::string page = absl::StrCat(
      "# The lemmas\n\nThe ", all_lemmas().size(),
      " facts about integers that the simplifier, the proofs and the tilings use, as "
      "`impl/lemmas/lemmas*.h` states them.\nEach is proven for all integers (`tileproof prove "
      "lemmas`), the tests re-check its certificate in\n`verify/lemmas/certificates` without a "
      "solver, and it is tried at every point of a box. `floordiv` rounds down;\n`x mod c` is `x - "
      "c * (x floordiv c)`.\n\n`tileproof prove lemmas --list` writes this page.\n");
  std::string subject;
  for (const StatedLemma& lemma : all_lemmas()) {
    if (lemma.subject != subject) {
      subject = lemma.subject;
      absl::StrAppend(&page, "\n## ", subject, "\n\n");
    }
    absl::StrAppend(&page, "* **", lemma.name, "**: ", lemma.says, "\n\n      ",
                    to_text(lemma.claim), "\n\n");
  }
  page.pop_back();
  return page;
}

}  // namespace tileproof::lemmas
