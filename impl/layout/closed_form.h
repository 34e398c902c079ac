// SPDX-License-Identifier: Apache-2.0
// A closed form: a short straight-line program of floors and sums.
//
// Values are numbered: first the inputs, then the result of each operation. An operation reads
// earlier values:
//
//     floor  v = u floordiv c           c >= 1
//     sum    v = w1*u1 + w2*u2 + ..
//
// Outputs name values. If a check `v < bound` fails, there is no answer (an offset in padding has
// no index). For f32[3,5]{1,0:T(2,2)}, from index (v0, v1) to offset:
//
//     v2 = v0 floordiv 2    v3 = v1 floordiv 2    v4 = 2*v0 + 8*v2 + v1 + 2*v3
//     (2, 3) -> 17
//
// All values of a valid input are in [0, 2^63). Sums are evaluated modulo 2^64, which is exact for
// a result in that range, whatever the order and the signs of the weights.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "impl/layout/divisor.h"

namespace tileproof::impl {

using ValueId = int32_t;

struct Floor {
  ValueId operand;
  Divisor divisor;
};

struct Sum {
  struct Term {
    ValueId value;
    int64_t weight;
  };
  std::vector<Term> terms;
};

struct Check {
  ValueId value;
  int64_t bound;
};

struct ClosedForm {
  int32_t inputs = 0;
  std::vector<std::variant<Floor, Sum>> operations;
  std::vector<Check> checks;
  std::vector<ValueId> outputs;
};

// Writes the outputs to `results`, which holds outputs.size() numbers. Returns false if a check
// fails. The inputs must be in the domain that the form was made for.
bool evaluate(const ClosedForm& form, absl::Span<const int64_t> inputs,
              absl::Span<int64_t> results);

}  // namespace tileproof::impl
