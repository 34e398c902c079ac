// SPDX-License-Identifier: Apache-2.0
// One source of choices for every generator.
//
// A generator is a function of a Choose. It describes a set of values: wherever it is free to
// choose, it asks `choose(n)` for a number in [0, n). The driver that answers decides what the
// generator is used for:
//
//     Odometer   every sequence of answers once: exhaustive runs over a bounded family
//     Random     answers from a seed: property tests, the judge
//     Bytes      answers from the fuzzer's input, which coverage guides
//     Replay     answers from a recorded list: for shrinking (a shorter list of smaller numbers),
//                and for pasting back a failure
//
// A generator should put the simplest choice at 0. Bytes and Replay answer 0 after their end, so
// the value then ends with something small, and a smaller list makes a simpler value. `made()`
// returns the list that replays the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

#include "absl/types/span.h"

namespace tileproof {

// Counts through all sequences of choices of a generator, the last choice fastest:
//
//     for (Odometer odometer; !odometer.done(); odometer.advance()) {
//       Choose choose(&odometer);
//       .. generate(choose) ..
//     }
class Odometer {
 public:
  bool done() const { return done_; }
  void advance();  // to the next sequence; call it after the generator
  int64_t next(int64_t n);

 private:
  struct Wheel {
    int64_t value, size;
  };
  std::vector<Wheel> wheels_;
  size_t position_ = 0;
  bool done_ = false;
};

class Choose {
 public:
  struct Random {
    uint64_t state;
  };
  struct Bytes {
    absl::Span<const uint8_t> left;
  };
  struct Replay {
    std::vector<int64_t> list;
    size_t position = 0;
  };

  explicit Choose(Odometer* odometer) : driver_(odometer) {}  // not owned
  explicit Choose(Random random) : driver_(random) {}
  explicit Choose(Bytes bytes) : driver_(bytes) {}
  explicit Choose(Replay replay) : driver_(std::move(replay)) {}

  // Returns a number in [0, n), n >= 1. Does not ask the driver if n = 1.
  int64_t operator()(int64_t n);

  // Returns a number in [low, high]: low + choose(high - low + 1). The difference must fit int64.
  int64_t between(int64_t low, int64_t high) { return low + (*this)(high - low + 1); }

  // Returns true `times` times in `of`; false is the simplest answer.
  bool chance(int64_t times, int64_t of) { return (*this)(of) >= of - times; }

  // Returns an element of the list; the first is the simplest.
  template <class T>
  T pick(const std::vector<T>& list) {
    return list[static_cast<size_t>((*this)(static_cast<int64_t>(list.size())))];
  }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[(*this)(static_cast<int64_t>(list.size()))];
  }

  const std::vector<int64_t>& made() const { return made_; }

 private:
  std::variant<Odometer*, Random, Bytes, Replay> driver_;
  std::vector<int64_t> made_;
};

// Returns `count` different numbers below `below`, in any order; the simplest is ascending.
std::vector<int64_t> some_of(Choose& choose, int64_t below, int64_t count);

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
