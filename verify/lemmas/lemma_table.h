// SPDX-License-Identifier: Apache-2.0
// All lemmas as a table: each declaration of impl/lemmas/lemmas.h as formulas and as a function on
// integers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "impl/lemmas/lemma.h"
#include "verify/lemmas/lemma_numbers.h"

namespace tileproof::lemmas {

struct StatedLemma {
  std::string name;
  std::string says;     // in prose
  std::string subject;  // "rewriting", "range", "constraint", "tiling", ..
  std::vector<std::string> variables;
  impl::Claim<Term> claim;  // over these variables
  // The claim at a point with one value for each variable, which may be undefined.
  std::function<impl::Claim<Integer>(const std::vector<Integer>&)> at;
};

template <size_t count, class Statement>
StatedLemma stated(const impl::Lemma<count, Statement>& lemma, absl::string_view subject) {
  StatedLemma result;
  result.name = std::string(lemma.name);
  result.says = std::string(lemma.says);
  result.subject = std::string(subject);
  std::array<Term, count> terms;
  for (size_t i = 0; i < count; ++i) {
    result.variables.emplace_back(lemma.variables[i]);
    terms[i] = variable(result.variables.back());
  }
  result.claim = lemma.at(terms);
  result.at = [lemma](const std::vector<Integer>& point) {
    std::array<Integer, count> values;
    for (size_t i = 0; i < count; ++i) values[i] = point.at(i);
    return lemma.at(values);
  };
  return result;
}

// A lemma that is no declaration: this claim over these variables.
StatedLemma stated(std::string name, std::string says, std::vector<std::string> variables,
                   impl::Claim<Term> claim);

// A point whose values are all defined.
std::vector<Integer> defined(const std::vector<int64_t>& values);

// Substitutes terms for the lemma's variables. Needs one term for each variable.
impl::Claim<Term> instance(const StatedLemma& lemma, const std::vector<Term>& terms);

// In the order of the manual; names are unique.
const std::vector<StatedLemma>& all_lemmas();
// Finds a true lemma by name; null if there is none.
const StatedLemma* find_lemma(absl::string_view name);

// The page of the manual that lists all lemmas (docs/lemmas.md). Markdown: one section for each subject,
// one entry for each lemma with its prose and its statement.
std::string lemma_page();

}  // namespace tileproof::lemmas
