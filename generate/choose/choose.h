// One source of choices for every generator.
//
// A generator describes what can be: a function of a Choose that asks `choose(n)` for a number in
// [0, n) wherever there is a freedom. Who answers decides what the same description is used for:
//
//     Odometer   every sequence of answers, once each: exhaustive runs over a bounded family
//     Random     a seed: property tests, the judge
//     Bytes      the fuzzer's input: coverage decides
//     Replay     a recorded list: shrinking (make the list shorter and smaller), and pasting a
//     failure back
//
// A generator should put the simplest thing at 0: then an exhausted Bytes or Replay, which answers
// 0, ends with something small, and a smaller list means a simpler value. `made()` is the list that
// replays the run.
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
  void advance();  // to the next sequence; the generator must have made its choices in between
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

  // A number in [0, n), n >= 1. Where only one answer is possible nobody is asked.
  int64_t operator()(int64_t n);

  // A number in [low, high], as low + choose(high - low + 1). The difference must fit int64.
  int64_t between(int64_t low, int64_t high) { return low + (*this)(high - low + 1); }

  // True `times` times in `of`; false is the simple answer.
  bool chance(int64_t times, int64_t of) { return (*this)(of) >= of - times; }

  // One of the list, the first the simplest.
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

}  // namespace tileproof
