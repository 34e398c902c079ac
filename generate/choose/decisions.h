// SPDX-License-Identifier: Apache-2.0
// Decisions: choices whose pairs all occur.
//
// An implementation decides by few properties of its input: the sign of a divisor, whether one
// constant divides another, whether an index is the last one. A mistake for one pair of them shows
// only in a case that has the pair, and random choices leave out some pairs. So a generator gives
// each decision a column, and takes its value from the case's row:
//
//     Decisions decide(choose);  // a generator's first choice
//     const int64_t sign = decide.pick<int64_t>(kSign, {1, -1});
//
// Row a + 13 * b + 169 * c has the value a + b * j + c * j^2 modulo 13 in column j. Two rows with
// one c agree in at most one column, so 169 rows have each pair of values of each two columns once,
// and 2,197 rows have each triple. Source: Bush, Orthogonal arrays of index unity, 1952.
//
// The driver of the choices decides which rows there are. Random rows have most pairs; a run of the
// judge numbers its cases (seed_of_case), and so has all.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "generate/choose/choose.h"

namespace tileproof {

class Decisions {
 public:
  static constexpr int64_t kMost = 13;              // columns, and values of a column
  static constexpr int64_t kPairs = kMost * kMost;  // rows that have every pair

  // Takes the row from the first choice that is left.
  explicit Decisions(Choose& choose);

  // The kind of a case; kind i for weights[i] of as many rows as the sum of the weights. The rows of
  // a kind are numbered anew, so that they have every pair, too.
  int64_t kind(std::initializer_list<int64_t> weights);

  // A number in [0, n) that n cases in a row take in turn. The rows of each are numbered anew.
  int64_t turn(int64_t n);

  // A number in [0, n), n <= kMost.
  int64_t operator()(int64_t column, int64_t n) const;

  template <class T>
  T pick(int64_t column, std::initializer_list<T> list) const {
    return list.begin()[(*this)(column, static_cast<int64_t>(list.size()))];
  }

  // The decisions of another row: for part i of a case that has several.
  Decisions part(int64_t i) const;

 private:
  explicit Decisions(int64_t row) : row_(row) {}

  int64_t row_;
};

// Returns the seed for Choose::Random of case `number` of a run: its first choice is the row of the
// case, and `hash` determines all others. Rows of other seeds `run` have other triples.
uint64_t seed_of_case(uint64_t run, uint64_t number, uint64_t hash);

}  // namespace tileproof
