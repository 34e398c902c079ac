// SPDX-License-Identifier: Apache-2.0
// A closed form in the form that is executed: floors of inputs, then sums of floors.
//
// Each output, and each checked value, is one row: a sum of weighted floors of inputs,
//
//     w1 * (x_i floordiv c1) + w2 * (x_j floordiv c2) + ..
//
// A floor is a shift if c is a power of two, else a multiplication and a shift
// (impl/layout/divisor.h). So both stages are loops over arrays. For f32[512,1024]{1,0:T(8,128)},
// from index to offset:
//
//     floors  x0 >> 0, x0 >> 3, x1 >> 0, x1 >> 7      row  128, 7168, 1, 896
//
// A layout has a flat form unless a tile cuts through digits (a later `*`, or tiles that do not
// divide each other): then a floor reads a sum. Sums wrap modulo 2^64, as in closed_form.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "impl/layout/closed_form.h"

namespace tileproof::impl {

class FlatForm {
 public:
  // Nothing if a floor of the form reads anything but an input, or if there are more than
  // kMostFloors different floors.
  static std::optional<FlatForm> of(const ClosedForm& form);
  static constexpr size_t kMostFloors = 48;

  // The form that is executed, made from the numbers that are read. Proofs ask about it.
  ClosedForm closed_form() const;

  // Output 0. `inputs` holds as many numbers as the form has inputs.
  int64_t output(const int64_t* inputs) const {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < rows_[1]; ++k)
      sum += terms_[k].weight * value(floors_[terms_[k].floor], inputs);
    return static_cast<int64_t>(sum);
  }

  // Like evaluate of impl/layout/closed_form.h.
  bool evaluate(const int64_t* inputs, absl::Span<int64_t> results) const {
    std::array<uint64_t, kMostFloors> values;
    for (size_t k = 0; k < floors_.size(); ++k) values[k] = value(floors_[k], inputs);
    for (size_t i = 0; i < bounds_.size(); ++i) {
      if (row(results.size() + i, values) >= bounds_[i]) return false;
    }
    for (size_t i = 0; i < results.size(); ++i) results[i] = static_cast<int64_t>(row(i, values));
    return true;
  }

  // The terms of output 0 that read this input, at the value x. The output is the sum over all
  // inputs, so tables of parts give the offsets of a whole box.
  int64_t part(int32_t input, int64_t x) const;

 private:
  struct Quotient {
    uint64_t multiplier;  // 0: a power of two
    int32_t input;
    int32_t shift;    // with a multiplier: after its 63 bits
    int64_t divisor;  // not read by `value`
  };
  struct Term {
    uint64_t weight;
    uint32_t floor;
  };

  __extension__ using Wide = unsigned __int128;

  static uint64_t quotient(const Quotient& floor, uint64_t x) {
    if (floor.multiplier == 0) return x >> floor.shift;
    return static_cast<uint64_t>((Wide{x} * floor.multiplier) >> 63 >> floor.shift);
  }
  static uint64_t value(const Quotient& floor, const int64_t* inputs) {
    return quotient(floor, static_cast<uint64_t>(inputs[floor.input]));
  }
  uint64_t row(size_t i, const std::array<uint64_t, kMostFloors>& values) const {
    uint64_t sum = 0;
    for (uint32_t k = rows_[i]; k < rows_[i + 1]; ++k)
      sum += terms_[k].weight * values[terms_[k].floor];
    return sum;
  }

  int32_t inputs_ = 0;
  std::vector<Quotient> floors_;
  std::vector<Term> terms_;
  std::vector<uint32_t> rows_;    // first terms of outputs, then of checked values, then the end
  std::vector<uint64_t> bounds_;  // of checked values
};

}  // namespace tileproof::impl
