// SPDX-License-Identifier: Apache-2.0
#include "impl/map/linear_bits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include "impl/map/atom_sum.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/interval.h"

namespace tileproof::impl {
namespace {

constexpr size_t kMostTerms = 512;    // of a sum
constexpr size_t kMostNodes = 4'096;  // of a map
constexpr int kWidth = kOne;          // bits of a number

constexpr BitSum kTrue = BitSum{1} << kOne;
constexpr BitSum kOpaque = BitSum{1} << 63;  // a bit that is no such sum

using Word = std::array<BitSum, kWidth>;

std::optional<int> log2_of(int64_t number) {
  if (number < 1 || !std::has_single_bit(static_cast<uint64_t>(number))) return std::nullopt;
  return std::countr_zero(static_cast<uint64_t>(number));
}

BitSum added(BitSum a, BitSum b, BitSum c) {
  return ((a | b | c) & kOpaque) != 0 ? kOpaque : a ^ b ^ c;
}

// Whether at least two of three bits are set.
BitSum majority(BitSum a, BitSum b, BitSum c) {
  for (int turn = 0; turn < 3; ++turn) {
    if (a == b && a != kOpaque) return a;
    if ((a ^ b) == kTrue) return c;
    std::swap(a, b);
    std::swap(b, c);
  }
  return kOpaque;
}

int64_t opaque_bits(const Word& word) { return std::ranges::count(word, kOpaque); }

// a + b or a - b; nothing if that may leave the width.
std::optional<Word> combined(const Word& a, const Word& b, bool subtracts) {
  Word result;
  BitSum carry = 0;
  for (int i = 0; i < kWidth; ++i) {
    const BitSum first = subtracts && a[i] != kOpaque ? a[i] ^ kTrue : a[i];
    result[i] = added(a[i], b[i], carry);
    carry = majority(first, b[i], carry);
  }
  if (carry != 0) return std::nullopt;
  return result;
}

// The word moved up, or down where `by` is negative; nothing if a bit leaves the width.
std::optional<Word> moved(const Word& word, int by) {
  Word result = {};
  for (int i = 0; i < kWidth; ++i) {
    if (word[i] == 0 || i + by < 0) continue;
    if (i + by >= kWidth) return std::nullopt;
    result[i + by] = word[i];
  }
  return result;
}

class BitReader {
 public:
  BitReader(const IndexingMap& map, const std::vector<int>& bits) : map_(map) {
    int next = 0;
    for (const int count : bits) {
      Word word = {};
      for (int i = 0; i < count; ++i) word[i] = BitSum{1} << next++;
      variables_.push_back(word);
    }
  }

  std::optional<Word> read(NodeId id) {
    const auto known = known_.find(id);
    if (known != known_.end()) return known->second;
    return known_[id] = word_of(map_.nodes[id], id);
  }

 private:
  struct Summand {
    Word word;
    bool is_negative;
  };

  std::optional<Word> word_of(const Node& node, NodeId id) {
    switch (node.op) {
      case Op::kConstant:
        return number(node.value);
      case Op::kDimension:
        return variables_[node.value];
      case Op::kRange:
        return variables_[std::ssize(map_.dimensions) + node.value];
      case Op::kFloorDiv:
      case Op::kMod:
        return part_of(node);
      case Op::kAdd:
      case Op::kMul:
        return sum_of(id);
      default:
        return std::nullopt;
    }
  }

  static std::optional<Word> number(int64_t value) {
    if (value < 0 || value >> kWidth != 0) return std::nullopt;
    Word word = {};
    for (int i = 0; i < kWidth; ++i) word[i] = (value >> i & 1) != 0 ? kTrue : 0;
    return word;
  }

  std::optional<Word> part_of(const Node& node) {
    const Node& by = map_.nodes[node.right];
    const std::optional<int> bits = by.op == Op::kConstant ? log2_of(by.value) : std::nullopt;
    std::optional<Word> word = bits ? read(node.left) : std::nullopt;
    if (!word) return std::nullopt;
    if (node.op == Op::kFloorDiv) return moved(*word, -*bits);
    std::fill(word->begin() + *bits, word->end(), 0);
    return word;
  }

  // The multiples of a word by powers of two.
  static bool add_summands(const Word& word, int64_t factor, std::vector<Summand>& summands) {
    const uint64_t size =
        factor < 0 ? -static_cast<uint64_t>(factor) : static_cast<uint64_t>(factor);
    for (uint64_t left = size; left != 0; left &= left - 1) {
      const std::optional<Word> multiple = moved(word, std::countr_zero(left));
      if (!multiple || summands.size() > kMostTerms) return false;
      summands.push_back({*multiple, factor < 0});
    }
    return true;
  }

  // Terms cancel in some order: x - (bit 3 of x) * 8 + (bit 6 of x) * 8. So each step takes one that
  // leaves no bit opaque, if there is one.
  std::optional<Word> sum_of(NodeId id) {
    std::vector<Summand> left;
    const std::optional<AtomSum> written =
        tree_size(map_.nodes, id) > kMaxSumTree ? std::nullopt : sum_as_written(map_.nodes, id);
    if (!written || !add_summands(*number(1), written->constant, left)) return std::nullopt;
    for (const auto& [atom, factor] : written->factors) {
      const std::optional<Word> word = atom == id ? std::nullopt : read(atom);
      if (!word || !add_summands(*word, factor, left)) return std::nullopt;
    }
    Word sum = {};
    while (!left.empty()) {
      std::optional<Word> next;
      size_t taken = left.size();
      for (size_t i = 0; i < left.size() && taken == left.size(); ++i) {
        next = combined(sum, left[i].word, left[i].is_negative);
        if (next && opaque_bits(*next) <= opaque_bits(sum)) taken = i;
      }
      for (size_t i = 0; i < left.size() && taken == left.size(); ++i) {
        if (left[i].is_negative) continue;
        next = combined(sum, left[i].word, false);
        if (next) taken = i;
      }
      if (taken == left.size()) return std::nullopt;
      sum = *next;
      left.erase(left.begin() + static_cast<int64_t>(taken));
    }
    return sum;
  }

  const IndexingMap& map_;
  std::vector<Word> variables_;
  std::map<NodeId, std::optional<Word>> known_;
};

// ---- The inverse ----

// A sum of bits of variables, and the bits of results whose exclusive or it is.
struct Row {
  BitSum sum;
  uint64_t from;
};

// One row for each bit of the variables, which it alone has, then rows without any.
std::optional<std::vector<Row>> eliminated(const LinearBits& bits) {
  std::vector<Row> rows;
  for (const std::vector<BitSum>& result : bits.results) {
    for (const BitSum sum : result) {
      if (rows.size() == 64) return std::nullopt;
      rows.push_back({sum, uint64_t{1} << rows.size()});
    }
  }
  int count = 0;
  for (const int variable : bits.variables) count += variable;
  if (count > std::ssize(rows)) return std::nullopt;
  for (int v = 0; v < count; ++v) {
    const auto has_bit = [v](const Row& row) { return (row.sum >> v & 1) != 0; };
    const auto pivot = std::find_if(rows.begin() + v, rows.end(), has_bit);
    if (pivot == rows.end()) return std::nullopt;
    std::iter_swap(rows.begin() + v, pivot);
    for (Row& row : rows) {
      if (&row == &rows[v] || !has_bit(row)) continue;
      row.sum ^= rows[v].sum;
      row.from ^= rows[v].from;
    }
  }
  return rows;
}

// Writes bits of results as expressions over the dimensions of the inverse.
class BitWriter {
 public:
  BitWriter(const LinearBits& bits, ExprTable& nodes) : nodes_(nodes) {
    for (size_t r = 0; r < bits.results.size(); ++r) {
      for (size_t i = 0; i < bits.results[r].size(); ++i) {
        places_.push_back({static_cast<int64_t>(r), static_cast<int>(i)});
      }
    }
  }

  // (y floordiv 8 + y floordiv 64) mod 2
  NodeId exclusive_or(const Row& row) {
    std::optional<NodeId> sum;
    for (uint64_t from = row.from; from != 0; from &= from - 1)
      add(sum, down(std::countr_zero(from)));
    if ((row.sum & kTrue) != 0) add(sum, add_constant(nodes_, 1));
    return by(Op::kMod, *sum, 2);
  }

  // The number whose bits these are, from the lowest on.
  NodeId number(const std::vector<Row>& rows) {
    std::optional<NodeId> sum;
    for (size_t i = 0, end = 0; i < rows.size(); i = end) {
      end = i + 1;
      while (end < rows.size() && is_run(rows[end - 1], rows[end])) ++end;
      const auto length = static_cast<int>(end - i);
      NodeId part = -1;
      if (is_bit(rows[i])) {
        const int place = std::countr_zero(rows[i].from);
        part = down(place);
        const size_t behind = static_cast<size_t>(place) + length;
        const bool is_top =
            behind == places_.size() || places_[behind].result != places_[place].result;
        if (!is_top) part = by(Op::kMod, part, int64_t{1} << length);
      } else {
        part = exclusive_or(rows[i]);
      }
      add(sum, i == 0 ? part : by(Op::kMul, part, int64_t{1} << i));
    }
    return sum ? *sum : add_constant(nodes_, 0);
  }

 private:
  struct BitPlace {
    int64_t result;
    int bit;
  };

  static bool is_bit(const Row& row) {
    return std::has_single_bit(row.from) && (row.sum & kTrue) == 0;
  }
  bool is_run(const Row& row, const Row& next) const {
    return is_bit(row) && is_bit(next) && next.from == row.from << 1 &&
           places_[std::countr_zero(row.from)].result ==
               places_[std::countr_zero(next.from)].result;
  }

  NodeId by(Op op, NodeId x, int64_t number) {
    return add_operation(nodes_, op, x, add_constant(nodes_, number));
  }
  NodeId down(int place) {
    const auto [result, bit] = places_[place];
    const NodeId y = add_variable(nodes_, Op::kDimension, result);
    return bit == 0 ? y : by(Op::kFloorDiv, y, int64_t{1} << bit);
  }
  void add(std::optional<NodeId>& sum, NodeId term) {
    sum = sum ? add_operation(nodes_, Op::kAdd, *sum, term) : term;
  }

  ExprTable& nodes_;
  std::vector<BitPlace> places_;
};

}  // namespace

std::optional<LinearBits> linear_bits_of(const IndexingMap& map) {
  if (!map.runtime.empty() || !map.constraints.empty() || map.known_empty) return std::nullopt;
  if (map.nodes.size() > kMostNodes) return std::nullopt;
  LinearBits bits;
  int count = 0;
  for (const Op kind : {Op::kDimension, Op::kRange}) {
    for (const Variable& variable : variables_of(map, kind)) {
      if (variable.bounds.low != 0 || variable.bounds.high < 0) return std::nullopt;
      bits.variables.push_back(
          static_cast<int>(std::bit_width(static_cast<uint64_t>(variable.bounds.high))));
      count += bits.variables.back();
    }
  }
  if (count > kOne) return std::nullopt;
  BitReader reader(map, bits.variables);
  for (const NodeId result : map.results) {
    const std::optional<Word> word = reader.read(result);
    if (!word || opaque_bits(*word) > 0) return std::nullopt;
    auto end = word->end();
    while (end != word->begin() && *(end - 1) == 0) --end;
    bits.results.emplace_back(word->begin(), end);
  }
  return bits;
}

std::optional<IndexingMap> invert_bits(const IndexingMap& map) {
  const std::optional<LinearBits> bits = linear_bits_of(map);
  const auto rows = bits ? eliminated(*bits) : std::nullopt;
  if (!rows) return std::nullopt;
  IndexingMap inverse;
  for (size_t r = 0; r < map.results.size(); ++r) {
    const absl::StatusOr<Interval> bounds = range_of(map, map.results[r]);
    if (!bounds.ok()) return std::nullopt;
    const int64_t most = (int64_t{1} << bits->results[r].size()) - 1;
    inverse.dimensions.push_back({{0, std::min(bounds->high, most)}, ""});
  }
  BitWriter writer(*bits, inverse.nodes);
  auto next = rows->begin();
  for (size_t v = 0; v < bits->variables.size(); ++v) {
    const auto begin = std::exchange(next, next + bits->variables[v]);
    const NodeId number = writer.number({begin, next});
    const size_t dimensions = map.dimensions.size();
    const int64_t last =
        (v < dimensions ? map.dimensions[v] : map.ranges[v - dimensions]).bounds.high;
    const std::optional<Interval> values = interval_of(inverse, number);
    if (!values || values->high > last) inverse.constraints.push_back({number, {0, last}});
    if (v < dimensions) inverse.results.push_back(number);
  }
  for (; next != rows->end(); ++next) {
    if (next->from == 0) continue;
    const int64_t bit = next->sum == kTrue ? 1 : 0;
    inverse.constraints.push_back({writer.exclusive_or({0, next->from}), {bit, bit}});
  }
  return inverse;
}

}  // namespace tileproof::impl
