// SPDX-License-Identifier: Apache-2.0
#include "impl/map/normal_form/linear.h"

#include <algorithm>
#include <numeric>

namespace tileproof::impl {
namespace {

uint32_t hash_of(const Linear& form, int64_t number) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15u;
  uint64_t hash =
      (static_cast<uint64_t>(form.constant) ^ static_cast<uint64_t>(number) * 31) * kOdd;
  for (const Term& term : form) {
    hash = (hash ^ (hash >> 29) ^ static_cast<uint64_t>(term.factor) * 961 ^
            static_cast<uint64_t>(term.atom)) *
           kOdd;
  }
  return static_cast<uint32_t>(hash >> 32);
}

}  // namespace

int64_t content(const Linear& form) {
  // The absolute value of INT64_MIN does not fit 64 bits. 2^62 divides it as well.
  constexpr int64_t kDivisor = int64_t{1} << 62;
  int64_t result = 0;
  for (const Term& term : form) {
    result = std::gcd(result, term.factor == INT64_MIN ? kDivisor : term.factor);
    if (result == 1) break;
  }
  return result;
}

void TermArena::grow(int32_t count) {
  constexpr int32_t kChunk = 4096;
  while (used_ < chunks_.size() && chunks_[used_].size < count) ++used_;
  if (used_ == chunks_.size()) {
    const int32_t size = std::max(count, kChunk);
    chunks_.push_back({std::make_unique<Term[]>(size), size});
  }
  next_ = chunks_[used_].terms.get();
  end_ = next_ + chunks_[used_].size;
  ++used_;
}

void TermArena::clear() {
  used_ = 0;
  next_ = end_ = nullptr;
}

FormKey::FormKey(const Linear& of, int64_t and_number)
    : form(of), number(and_number), hash(hash_of(of, and_number)) {}

int32_t FormIndex::find(const FormKey& key) const {
  if (entries_.empty()) return -1;
  const size_t mask = slots_.size() - 1;
  for (size_t i = key.hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.epoch != epoch_) return -1;
    if (slot.hash != key.hash) continue;
    const Entry& entry = entries_[slot.entry];
    if (entry.key.number == key.number && entry.key.form == key.form) return entry.value;
  }
}

void FormIndex::position(const Slot& slot) {
  const size_t mask = slots_.size() - 1;
  size_t i = slot.hash & mask;
  while (slots_[i].epoch == epoch_) i = (i + 1) & mask;
  slots_[i] = slot;
}

void FormIndex::insert(const FormKey& key, int32_t value) {
  if (2 * (entries_.size() + 1) > slots_.size()) {
    std::vector<Slot> old(std::max<size_t>(64, slots_.size() * 2));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.epoch == epoch_) position(slot);
    }
  }
  position({epoch_, key.hash, static_cast<int32_t>(entries_.size())});
  entries_.push_back({key, value});
}

void FormIndex::clear() {
  ++epoch_;
  entries_.clear();
}

}  // namespace tileproof::impl
