// SPDX-License-Identifier: Apache-2.0
#include "generate/choose/choose.h"

#include <numeric>

namespace tileproof {
namespace {

constexpr size_t kUsual = 32;  // choices to reserve; enough for a small value

int64_t next(Odometer* odometer, int64_t n) { return odometer->next(n); }

// SplitMix64: short, and the same on every machine, unlike the distributions of std.
int64_t next(Choose::Random& random, int64_t n) {
  uint64_t z = (random.state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return static_cast<int64_t>(z % static_cast<uint64_t>(n));
}

// Reads as many bytes as n needs; 0 after the last byte.
int64_t next(Choose::Bytes& bytes, int64_t n) {
  uint64_t value = 0;
  for (uint64_t most = static_cast<uint64_t>(n) - 1; most > 0 && !bytes.left.empty(); most >>= 8) {
    value = (value << 8) | bytes.left.front();
    bytes.left.remove_prefix(1);
  }
  return static_cast<int64_t>(value % static_cast<uint64_t>(n));
}

int64_t next(Choose::Replay& replay, int64_t n) {
  if (replay.position == replay.list.size()) return 0;
  const uint64_t value = static_cast<uint64_t>(replay.list[replay.position++]);
  return static_cast<int64_t>(value % static_cast<uint64_t>(n));
}

}  // namespace

void Odometer::advance() {
  wheels_.resize(position_);  // forget choices of a longer earlier sequence
  position_ = 0;
  while (!wheels_.empty()) {
    Wheel& last = wheels_.back();
    if (++last.value < last.size) return;
    wheels_.pop_back();
  }
  done_ = true;
}

int64_t Odometer::next(int64_t n) {
  if (position_ == wheels_.size()) wheels_.push_back({0, n});
  wheels_[position_].size = n;
  return wheels_[position_++].value;
}

int64_t Choose::operator()(int64_t n) {
  if (n <= 1) return 0;
  const int64_t value = std::visit([n](auto& driver) { return next(driver, n); }, driver_);
  if (made_.empty()) made_.reserve(kUsual);
  made_.push_back(value);
  return value;
}

std::vector<int64_t> some_of(Choose& choose, int64_t below, int64_t count) {
  std::vector<int64_t> left(static_cast<size_t>(below)), result;
  std::iota(left.begin(), left.end(), int64_t{0});
  for (int64_t i = 0; i < count; ++i) {
    const auto taken = left.begin() + choose(std::ssize(left));
    result.push_back(*taken);
    left.erase(taken);
  }
  return result;
}

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
