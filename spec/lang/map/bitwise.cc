// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/bitwise.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"

namespace tileproof {
namespace {

constexpr int64_t kLeast = int64_t{1} << 62;  // what is too large
constexpr int64_t kMostWritten = 1 << 20;     // of an expression

// Writes a map anew, node by node.
class BitwiseWriter {
 public:
  BitwiseWriter(IndexingMap& map, const Cursor& text) : text_(text), old_(std::move(map.nodes)) {
    map.nodes.clear();
    made_ = std::move(map);
  }

  absl::StatusOr<IndexingMap> write(const std::vector<Bitwise>& operations) {
    auto next = operations.begin();
    for (NodeId id = 0; id < std::ssize(old_); ++id) {
      Node node = old_[id];
      if (!is_leaf(node.op)) {
        node.left = new_[node.left];
        node.right = new_[node.right];
      }
      if (next != operations.end() && next->node == id) {
        new_.push_back(TRY(written(*next++, node.left, node.right)));
        made_.nodes[new_.back()].is_computed = true;
        values_[new_.back()] = values_of(*(next - 1), node.left, node.right);
        if (count_of(new_.back()) > kMostWritten) {
          return text_.error_at((next - 1)->position,
                                absl::StrCat("expected an operation that takes at most ",
                                             kMostWritten, " sums and quotients to write"));
        }
      } else {
        new_.push_back(append(node));
      }
    }
    for (NodeId& result : made_.results) result = new_[result];
    for (Constraint& constraint : made_.constraints) constraint.expr = new_[constraint.expr];
    return std::move(made_);
  }

 private:
  NodeId append(const Node& node) {
    made_.nodes.push_back(node);
    const int64_t count = is_leaf(node.op) ? 1 : 1 + counts_[node.left] + counts_[node.right];
    counts_.push_back(std::min(count, 2 * kMostWritten));
    values_.push_back(values_of(node));
    return static_cast<NodeId>(made_.nodes.size()) - 1;
  }
  int64_t count_of(NodeId id) const { return counts_[id]; }

  NodeId constant(int64_t value) {
    return append({.op = Op::kConstant, .is_computed = false, .value = value});
  }
  NodeId apply(Op op, NodeId left, int64_t right) { return apply(op, left, constant(right)); }
  NodeId apply(Op op, NodeId left, NodeId right) {
    return append({.op = op, .is_computed = false, .left = left, .right = right});
  }
  NodeId plus(NodeId a, NodeId b) { return apply(Op::kAdd, a, b); }
  NodeId minus(NodeId a, NodeId b) { return plus(a, apply(Op::kMul, b, int64_t{-1})); }

  // The sum of the parts; 0 without any.
  NodeId sum(const std::vector<NodeId>& parts) {
    if (parts.empty()) return constant(0);
    NodeId all = parts[0];
    for (size_t k = 1; k < parts.size(); ++k) all = plus(all, parts[k]);
    return all;
  }

  // Bits [low, high) of x, as a number from 0 on.
  NodeId bits(NodeId x, int low, int high) {
    if (low > 0) x = apply(Op::kFloorDiv, x, int64_t{1} << low);
    return apply(Op::kMod, x, int64_t{1} << (high - low));
  }
  NodeId shifted(NodeId x, int by) { return by == 0 ? x : apply(Op::kMul, x, int64_t{1} << by); }

  // What a node may be.
  std::optional<Interval> values_of(const Node& node) const {
    if (node.op == Op::kConstant) return Interval{node.value, node.value};
    if (is_leaf(node.op)) return variables_of(made_, node.op)[node.value].bounds;
    const auto x = values_[node.left], y = values_[node.right];
    return x && y ? interval_of(node.op, *x, *y) : std::nullopt;
  }

  // What an operation may give. The sums that write it show less.
  std::optional<Interval> values_of(const Bitwise& operation, NodeId left, NodeId right) const {
    const auto x = values_[left], y = values_[right];
    if (!x || !y) return std::nullopt;
    if (operation.op == BitwiseOp::kQuotient) return interval_of(Op::kFloorDiv, *x, *y);
    if (operation.op == BitwiseOp::kMin)
      return Interval{std::min(x->low, y->low), std::min(x->high, y->high)};
    if (operation.op == BitwiseOp::kMax)
      return Interval{std::max(x->low, y->low), std::max(x->high, y->high)};
    if (operation.op == BitwiseOp::kAnd) return Interval{0, std::min(x->high, y->high)};
    const auto most = static_cast<uint64_t>(std::max(x->high, y->high));
    return Interval{0, (int64_t{1} << std::bit_width(most)) - 1};
  }

  std::optional<int64_t> value_of_constant(NodeId id) const {
    const Interval all = values_[id].value_or(Interval{0, -1});
    return all.low == all.high ? std::optional(all.low) : std::nullopt;
  }

  // The number of bits of both operands, which are not negative.
  absl::StatusOr<int> width_of(const Bitwise& operation, NodeId left, NodeId right) {
    int64_t most = 0;
    for (const NodeId operand : {left, right}) {
      const std::optional<Interval> interval = values_[operand];
      if (!interval || interval->low < 0 || interval->high >= kLeast) {
        return text_.error_at(
            operation.position,
            absl::StrCat("expected operands from 0 to 2^62 - 1, as the bounds show, found ",
                         interval ? absl::StrCat("[", interval->low, ", ", interval->high, "]")
                                  : "more than 64 bits"));
      }
      most = std::max(most, interval->high);
    }
    return static_cast<int>(std::bit_width(static_cast<uint64_t>(most)));
  }

  // The operation of x and a number: runs of equal bits of the number. `of_0` and `of_1` say what
  // becomes of bits of x there: 0 nothing, 1 themselves, -1 the opposite.
  NodeId with_constant(NodeId x, int64_t number, int width, int of_0, int of_1) {
    std::vector<NodeId> parts;
    for (int low = 0, high = 0; low < width; low = high) {
      const auto bit = [&](int i) { return (number >> i) & 1; };
      for (high = low + 1; high < width && bit(high) == bit(low);) ++high;
      const int keeps = bit(low) == 1 ? of_1 : of_0;
      if (keeps == 0) continue;
      const NodeId run = bits(x, low, high);
      const int64_t ones = (int64_t{1} << (high - low)) - 1;
      parts.push_back(shifted(keeps > 0 ? run : minus(constant(ones), run), low));
    }
    return parts.empty() ? beside(constant(0), x) : sum(parts);
  }

  // The result of an operation that does not depend on an operand, which is computed all the same.
  NodeId beside(NodeId result, NodeId operand) {
    if (is_leaf(made_.nodes[operand].op)) return result;
    return plus(result, apply(Op::kMul, operand, int64_t{0}));
  }

  // The sum of what `of_bits` makes of bit i of both, for each i.
  template <class OfBits>
  NodeId bit_by_bit(NodeId x, NodeId y, int width, const OfBits& of_bits) {
    std::vector<NodeId> parts;
    for (int i = 0; i < width; ++i) {
      parts.push_back(shifted(of_bits(plus(bits(x, i, i + 1), bits(y, i, i + 1))), i));
    }
    return sum(parts);
  }

  NodeId both(NodeId x, NodeId y, int width) {
    if (const auto number = value_of_constant(y))
      return beside(with_constant(x, *number, width, 0, 1), y);
    if (const auto number = value_of_constant(x))
      return beside(with_constant(y, *number, width, 0, 1), x);
    return bit_by_bit(x, y, width,
                      [&](NodeId two) { return apply(Op::kFloorDiv, two, int64_t{2}); });
  }

  NodeId different(NodeId x, NodeId y, int width) {
    if (const auto number = value_of_constant(y))
      return beside(with_constant(x, *number, width, 1, -1), y);
    if (const auto number = value_of_constant(x))
      return beside(with_constant(y, *number, width, 1, -1), x);
    return bit_by_bit(x, y, width, [&](NodeId two) { return apply(Op::kMod, two, int64_t{2}); });
  }

  // The smaller one, or the greater one: x minus or plus a difference, where that is positive.
  absl::StatusOr<NodeId> extreme(const Bitwise& operation, NodeId x, NodeId y) {
    const bool is_min = operation.op == BitwiseOp::kMin;
    const NodeId difference = is_min ? minus(x, y) : minus(y, x);
    const std::optional<Interval> interval = values_[difference];
    if (!interval || interval->low < -kLeast || interval->high >= kLeast) {
      return text_.error_at(
          operation.position,
          "expected operands whose difference lies in [-2^62, 2^62), as the bounds show");
    }
    if (interval->high <= 0) return beside(x, y);
    if (interval->low >= 0) return beside(y, x);
    const int64_t most = std::max(-interval->low - 1, interval->high);
    const int width = static_cast<int>(std::bit_width(static_cast<uint64_t>(most)));
    const NodeId sign = apply(Op::kFloorDiv, difference, int64_t{1} << width);  // -1 or 0
    const NodeId positive = apply(Op::kMul, difference, apply(Op::kAdd, sign, int64_t{1}));
    return is_min ? minus(x, positive) : plus(x, positive);
  }

  absl::StatusOr<NodeId> quotient(const Bitwise& operation, NodeId x, NodeId y) {
    if (values_[x] && values_[y] && values_[x]->low >= 0 && values_[y]->low >= 1)
      return apply(Op::kFloorDiv, x, y);
    return text_.error_at(operation.position,
                          "expected no '/' of what may be negative, as the bounds show: C rounds "
                          "toward 0; '//' and floordiv round down");
  }

  absl::StatusOr<NodeId> written(const Bitwise& operation, NodeId x, NodeId y) {
    if (operation.op == BitwiseOp::kQuotient) return quotient(operation, x, y);
    if (operation.op == BitwiseOp::kMin || operation.op == BitwiseOp::kMax) {
      return extreme(operation, x, y);
    }
    const int width = TRY(width_of(operation, x, y));
    if (operation.op == BitwiseOp::kXor) return different(x, y, width);
    const NodeId common = both(x, y, width);
    return operation.op == BitwiseOp::kAnd ? common : minus(plus(x, y), common);
  }

  const Cursor& text_;
  ExprTable old_;
  IndexingMap made_;
  std::vector<NodeId> new_;                      // by old node
  std::vector<std::optional<Interval>> values_;  // of each node
  std::vector<int64_t> counts_;                  // of the tree of each node, up to a limit
};

}  // namespace

absl::Status write_bitwise(const std::vector<Bitwise>& operations, const Cursor& text,
                           IndexingMap& map) {
  if (operations.empty()) return absl::OkStatus();
  map = TRY(BitwiseWriter(map, text).write(operations));
  return absl::OkStatus();
}

}  // namespace tileproof
