// SPDX-License-Identifier: Apache-2.0
// A closed form: a short straight-line program of sums.
//
// Values are numbered: first the inputs, then the sums. A sum reads quotients of earlier values:
//
//     v = w1 * (u1 floordiv c1) + w2 * (u2 floordiv c2) + ..     c >= 1
//
// Outputs name values. If a check `v < bound` fails, there is no answer (an offset in padding has
// no index). For f32[3,5]{1,0:T(2,2)}, from index (v0, v1) to offset:
//
//     v2 = 2 * v0 + 8 * (v0 floordiv 2) + v1 + 2 * (v1 floordiv 2)
//     (2, 3) -> 17
//
// The offset of most layouts is one sum. If a tile cuts through digits (a later `*`, or tiles that
// do not divide each other), quotients read other sums.
//
// All values of a valid input are in [0, 2^63). Sums are evaluated modulo 2^64, which is exact for
// a result in that range, whatever the order and the signs of the weights.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "impl/layout/divisor.h"

namespace tileproof::impl {

using ValueId = int32_t;

struct Sum {
  // weight * (value floordiv divisor)
  struct Term {
    ValueId value;
    int64_t weight;
    Divisor divisor = Divisor(1);

    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms;

  bool operator==(const Sum&) const = default;
};

struct Check {
  ValueId value;
  int64_t bound;
};

struct ClosedForm {
  int32_t inputs = 0;
  std::vector<Sum> sums;
  std::vector<Check> checks;
  std::vector<ValueId> outputs;
};

// The value of a sum, which is appended unless it is an earlier value.
ValueId append(ClosedForm& form, Sum sum);

// The sum at these values, modulo 2^64.
inline int64_t evaluate(const Sum& sum, const int64_t* values) {
  uint64_t total = 0;
  for (const Sum::Term& term : sum.terms) {
    const uint64_t quotient = term.divisor.quotient(static_cast<uint64_t>(values[term.value]));
    total += static_cast<uint64_t>(term.weight) * quotient;
  }
  return static_cast<int64_t>(total);
}

// Writes the outputs to `results`, which holds outputs.size() numbers. Returns false if a check
// fails. The inputs must be in the domain that the form was made for.
bool evaluate(const ClosedForm& form, absl::Span<const int64_t> inputs,
              absl::Span<int64_t> results);

}  // namespace tileproof::impl
