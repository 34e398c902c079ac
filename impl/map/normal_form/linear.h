// SPDX-License-Identifier: Apache-2.0
// Linear combinations: the data type of normal forms.
//
//     k + sum c_i * a_i        k constant, c_i != 0 factors, a_i distinct atoms
//
// impl/map/normal_form/normal_form.h defines atoms (variables, floors, products). Here an atom is a
// number and a rank. Terms are sorted, so equal combinations have equal terms.
//
//     d0 * 512 + d1 * 4 + 7        terms {0, 512} {1, 4}, constant 7
//
// A Linear does not own its terms: a TermArena does, until it is cleared. Functions that may create
// atoms take a Linear by value, because it may be part of an atom, which then moves.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

namespace tileproof::impl {

// Wide enough for the range of any combination whose terms each stay below 2^111
// (impl/map/normal_form/floors.h).
__extension__ typedef __int128 Wide;

// An atom: first its rank, which depends only on its structure, then its number, which is its order
// of creation. Terms are sorted by both, so no choice among the terms of a sum depends on earlier
// computations (unless two ranks of 32 bits are equal).
struct AtomId {
  AtomId() = default;
  constexpr AtomId(uint32_t rank, int32_t number)
      : position_(uint64_t{rank} << 32 | static_cast<uint32_t>(number)) {}

  constexpr operator int32_t() const { return static_cast<int32_t>(position_); }  // its number
  constexpr auto operator<=>(const AtomId&) const = default;

 private:
  uint64_t position_;
};

struct Term {
  AtomId atom;
  int64_t factor;

  bool operator==(const Term&) const = default;
};

struct Linear {
  const Term* terms = nullptr;
  int32_t count = 0;
  int64_t constant = 0;

  const Term* begin() const { return terms; }
  const Term* end() const { return terms + count; }
  bool is_constant() const { return count == 0; }

  friend bool operator==(const Linear& a, const Linear& b) {
    if (a.constant != b.constant || a.count != b.count) return false;
    return a.terms == b.terms || std::equal(a.begin(), a.end(), b.begin());
  }
};

// The factor of `atom`; 0 if it does not occur.
inline int64_t factor_of(const Linear& form, int32_t atom) {
  for (const Term& term : form) {
    if (term.atom == atom) return term.factor;
  }
  return 0;
}

// True if the first term has a negative factor.
inline bool starts_negative(const Linear& form) { return form.count > 0 && form.terms->factor < 0; }

// The greatest common divisor of all factors, without the constant; 0 for a constant.
int64_t content(const Linear& form);

// Memory for terms, cleared in constant time and reused.
class TermArena {
 public:
  // Room for `count` terms at the end. Unless they are kept, the next call returns the same room.
  Term* reserve(int32_t count) {
    if (end_ - next_ < count) grow(count);
    return next_;
  }
  void keep(int32_t count) { next_ += count; }
  void clear();

 private:
  void grow(int32_t count);

  struct Chunk {
    std::unique_ptr<Term[]> terms;
    int32_t size;
  };
  std::vector<Chunk> chunks_;
  size_t used_ = 0;  // chunks in use
  Term* next_ = nullptr;
  Term* end_ = nullptr;
};

// A key of a FormIndex, hashed once. Its terms must outlive the table.
struct FormKey {
  explicit FormKey(const Linear& of, int64_t and_number = 0);

  Linear form;
  int64_t number;
  uint32_t hash;
};

// A table from (combination, number) to a small number.
class FormIndex {
 public:
  // The number stored under the key; -1 if there is none.
  int32_t find(const FormKey& key) const;
  // Stores under a key that is not in the table yet.
  void insert(const FormKey& key, int32_t value);
  void clear();  // in constant time

 private:
  struct Entry {
    FormKey key;
    int32_t value;
  };
  struct Slot {
    uint64_t epoch = 0;
    uint32_t hash = 0;
    int32_t entry = 0;  // its index in entries_
  };
  void position(const Slot& slot);

  std::vector<Slot> slots_;  // their number is a power of two; slots of an older epoch are free
  std::vector<Entry> entries_;
  uint64_t epoch_ = 1;
};

}  // namespace tileproof::impl
