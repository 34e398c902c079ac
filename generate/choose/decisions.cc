// SPDX-License-Identifier: Apache-2.0
#include "generate/choose/decisions.h"

#include <numeric>

namespace tileproof {
namespace {

constexpr int kRowBits = 40;
constexpr int64_t kRows = int64_t{1} << kRowBits;

// Rows from one run to the next. Divisible by every sum of weights up to 12, so that the rows of a
// kind begin with a new c, too.
constexpr uint64_t kRun = Decisions::kPairs * 27'720;

// The state from which SplitMix64 (choose.cc) goes to `output`.
uint64_t state_before(uint64_t output) {
  uint64_t z = output;
  z ^= (z >> 31) ^ (z >> 62);
  z *= 0x319642b2d24d8ec3;  // the inverse modulo 2^64 of its second factor
  z ^= (z >> 27) ^ (z >> 54);
  z *= 0x96de1b173f119089;  // of its first factor
  z ^= (z >> 30) ^ (z >> 60);
  return z - 0x9e3779b97f4a7c15;
}

}  // namespace

Decisions::Decisions(Choose& choose) : row_(choose(kRows)) {}

int64_t Decisions::kind(std::initializer_list<int64_t> weights) {
  int64_t left = turn(std::accumulate(weights.begin(), weights.end(), int64_t{0})), kind = 0;
  for (const int64_t weight : weights) {
    if (left < weight) {
      row_ = row_ * weight + left;
      break;
    }
    left -= weight;
    ++kind;
  }
  return kind;
}

int64_t Decisions::turn(int64_t n) {
  const int64_t value = row_ % n;
  row_ /= n;
  return value;
}

int64_t Decisions::operator()(int64_t column, int64_t n) const {
  const int64_t a = row_ % kMost, b = row_ / kMost % kMost, c = row_ / kPairs % kMost;
  return (a + (b + c * column) * column) % kMost % n;
}

Decisions Decisions::part(int64_t i) const {
  constexpr int64_t kApart = 59;  // rows, so that parts differ in every coefficient
  return Decisions(row_ + i * kApart);
}

uint64_t seed_of_case(uint64_t run, uint64_t number, uint64_t hash) {
  const uint64_t row = (run * kRun + number) % kRows;
  return state_before(row | hash << kRowBits);
}

}  // namespace tileproof
