// SPDX-License-Identifier: Apache-2.0
// Forms as a question to the solver: bit-vectors, and functions that nothing is known of.
//
//     p + q and q + p of s8: is (distinct (bvadd p q) (bvadd q p)) satisfiable?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/prove/values/forms.h"

namespace tileproof::verify {

// SMT-LIB, and what its model says of a point.
struct FormQuestion {
  std::string text;
  // The integers and predicates of parameters, and their names in the text.
  std::vector<std::pair<FormId, std::string>> elements;
};

// A text that is satisfiable if the forms of some pair can be different. Floating-point numbers are
// members of a set without structure, and operations on them are functions that nothing is known of.
// So what is proven of them is true of any rounding. Nothing if there are more than `most` forms.
std::optional<FormQuestion> question_of(const Forms& forms,
                                        const std::vector<std::pair<FormId, FormId>>& pairs,
                                        int64_t most);

}  // namespace tileproof::verify
