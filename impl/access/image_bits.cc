// SPDX-License-Identifier: Apache-2.0
#include "impl/access/image_bits.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "impl/map/linear_bits.h"

namespace tileproof::impl {
namespace {

constexpr size_t kMostPieces = 4'096;
constexpr size_t kMostMixed = 16;  // words of several bits, whose exclusive ors are enumerated

// { base xor some of the words }
std::optional<NumberSet> spanned(uint64_t base, const std::vector<uint64_t>& words) {
  std::vector<uint64_t> basis;  // the highest bit of each is in no other
  for (uint64_t word : words) {
    for (const uint64_t other : basis) word = std::min(word, word ^ other);
    if (word == 0) continue;
    for (uint64_t& other : basis) other = std::min(other, other ^ word);
    basis.push_back(word);
  }
  uint64_t free = 0;  // bits that a word has alone
  std::vector<uint64_t> mixed;
  for (const uint64_t word : basis) {
    base = std::min(base, base ^ word);
    if (std::has_single_bit(word)) {
      free |= word;
    } else {
      mixed.push_back(word);
    }
  }
  if (mixed.size() > kMostMixed) return std::nullopt;
  std::vector<int64_t> numbers = {static_cast<int64_t>(base)};
  for (const uint64_t word : mixed) {
    const size_t count = numbers.size();
    for (size_t i = 0; i < count; ++i) numbers.push_back(numbers[i] ^ static_cast<int64_t>(word));
  }
  std::optional<NumberSet> set = NumberSet::of(std::move(numbers));
  while (free != 0 && set) {
    const int low = std::countr_zero(free);
    const int length = std::countr_one(free >> low);
    const auto run = NumberSet::interval({0, (int64_t{1} << length) - 1});
    const auto scaled = run ? run->times(int64_t{1} << low) : std::nullopt;
    set = scaled ? sum(*set, *scaled) : std::nullopt;
    free &= ~(((uint64_t{1} << length) - 1) << low);
  }
  return set;
}

// The numbers from `base` on whose lowest bits are free.
struct Piece {
  uint64_t base;
  int free;
};

std::vector<Piece> pieces_of(int64_t high) {
  std::vector<Piece> pieces;
  const auto count = static_cast<uint64_t>(high) + 1;
  for (int bit = 62; bit >= 0; --bit) {
    if ((count >> bit & 1) != 0) pieces.push_back({count >> bit >> 1 << bit << 1, bit});
  }
  return pieces;
}

// Results that share bits of variables, as one word, the last result lowest.
struct Group {
  BitSum reads = 0;
  std::vector<int32_t> results;  // rising
  std::vector<BitSum> bits;
};

const Variable& variable_at(const IndexingMap& map, size_t v) {
  const size_t dimensions = map.dimensions.size();
  return v < dimensions ? map.dimensions[v] : map.ranges[v - dimensions];
}

// Bits of a variable whose number of values is no power of two depend on each other.
std::vector<BitSum> tied_bits(const IndexingMap& map, const LinearBits& linear) {
  std::vector<BitSum> tied;
  int first = 0;
  for (size_t v = 0; v < linear.variables.size(); first += linear.variables[v++]) {
    const auto count = static_cast<uint64_t>(variable_at(map, v).bounds.high) + 1;
    if (std::has_single_bit(count)) continue;
    tied.push_back(((BitSum{1} << linear.variables[v]) - 1) << first);
  }
  return tied;
}

std::vector<Group> groups_of(const IndexingMap& map, const LinearBits& linear) {
  const std::vector<BitSum> tied = tied_bits(map, linear);
  std::vector<Group> groups;
  for (size_t r = 0; r < linear.results.size(); ++r) {
    Group group;
    for (const BitSum sum : linear.results[r]) group.reads |= sum & ~(BitSum{1} << kOne);
    for (const BitSum bits : tied) {
      if ((group.reads & bits) != 0) group.reads |= bits;
    }
    for (auto other = groups.begin(); other != groups.end();) {
      if ((other->reads & group.reads) == 0) {
        ++other;
        continue;
      }
      group.reads |= other->reads;
      group.results.insert(group.results.end(), other->results.begin(), other->results.end());
      other = groups.erase(other);
    }
    group.results.push_back(static_cast<int32_t>(r));
    std::ranges::sort(group.results);
    groups.push_back(std::move(group));
  }
  return groups;
}

// Puts the bits of the results beside each other; false if their row-major number is no such word.
bool join_bits(const LinearBits& linear, absl::Span<const int64_t> sizes, Group& group) {
  for (size_t k = group.results.size(); k-- > 0;) {
    const int32_t result = group.results[k];
    const std::vector<BitSum>& bits = linear.results[result];
    group.bits.insert(group.bits.end(), bits.begin(), bits.end());
    if (k == 0) break;
    const auto size = static_cast<uint64_t>(sizes[result]);
    if (!std::has_single_bit(size) || std::countr_zero(size) < std::ssize(bits)) return false;
    group.bits.resize(group.bits.size() + std::countr_zero(size) - bits.size());
  }
  return group.bits.size() < kOne;
}

// The word that the group gets from a bit of the variables, or from 1.
uint64_t word_of(const Group& group, int bit) {
  uint64_t word = 0;
  for (size_t i = 0; i < group.bits.size(); ++i) word |= (group.bits[i] >> bit & 1) << i;
  return word;
}

std::optional<NumberSet> numbers_of(const IndexingMap& map, const LinearBits& linear,
                                    const Group& group) {
  struct Choice {
    uint64_t base;
    std::vector<uint64_t> free;
  };
  std::vector<Choice> choices = {{word_of(group, kOne), {}}};
  int first = 0;
  for (size_t v = 0; v < linear.variables.size(); ++v) {
    const int bits = linear.variables[v];
    std::vector<uint64_t> words;
    for (int i = 0; i < bits; ++i) words.push_back(word_of(group, first + i));
    first += bits;
    if (std::ranges::all_of(words, [](uint64_t word) { return word == 0; })) continue;
    std::vector<Choice> next;
    for (const Piece& piece : pieces_of(variable_at(map, v).bounds.high)) {
      for (Choice choice : choices) {
        for (int i = 0; i < bits; ++i) {
          if (i < piece.free) {
            choice.free.push_back(words[i]);
          } else if ((piece.base >> i & 1) != 0) {
            choice.base ^= words[i];
          }
        }
        next.push_back(std::move(choice));
      }
    }
    if (next.size() > kMostPieces) return std::nullopt;
    choices = std::move(next);
  }
  std::vector<NumberSet> sets;
  for (const Choice& choice : choices) {
    std::optional<NumberSet> set = spanned(choice.base, choice.free);
    if (!set) return std::nullopt;
    sets.push_back(*std::move(set));
  }
  return united(sets);
}

}  // namespace

std::optional<Image> image_of_bits(const IndexingMap& map, absl::Span<const int64_t> sizes) {
  const std::optional<LinearBits> linear = linear_bits_of(map);
  if (!linear) return std::nullopt;
  Image image;
  for (Group& group : groups_of(map, *linear)) {
    if (!join_bits(*linear, sizes, group)) return std::nullopt;
    std::optional<NumberSet> numbers = numbers_of(map, *linear, group);
    if (!numbers) return std::nullopt;
    image.blocks.push_back({std::move(group.results), *std::move(numbers)});
  }
  return image;
}

}  // namespace tileproof::impl
