// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/known_pieces.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {
namespace {

constexpr Interval kNegative{INT64_MIN, -1}, kNotPositive{INT64_MIN, 0};
constexpr Interval kPositive{1, INT64_MAX}, kNotNegative{0, INT64_MAX};

std::optional<int64_t> constant_of(const IndexingMap& map, NodeId value) {
  const Node& node = map.nodes[value];
  return node.op == Op::kConstant ? std::optional(node.value) : std::nullopt;
}

// a + factor * b
NodeId sum(IndexingMap& map, NodeId a, NodeId b, int64_t factor) {
  const auto x = constant_of(map, a), y = constant_of(map, b);
  const auto grown = y ? checked_mul(*y, factor) : std::nullopt;
  const auto both = x && grown ? checked_add(*x, *grown) : std::nullopt;
  if (both) return add_constant(map.nodes, *both);
  if (factor != 1) {
    b = add_operation(map.nodes, Op::kMul, b, add_constant(map.nodes, factor));
  }
  return add_operation(map.nodes, Op::kAdd, a, b);
}

NodeId product(IndexingMap& map, NodeId a, int64_t factor) {
  return sum(map, add_constant(map.nodes, 0), a, factor);
}

bool is_inside(const Interval& inner, const Interval& outer) {
  return outer.low <= inner.low && inner.high <= outer.high;
}

// Adds the condition that the expression, whose values are in `range`, is in the interval. Returns
// false if it never is.
bool require(IndexingMap& map, NodeId expression, const Interval& range, const Interval& interval) {
  if (range.high < interval.low || interval.high < range.low) return false;
  if (!is_inside(range, interval)) map.constraints.push_back({expression, interval});
  return true;
}

// Where both conditions hold; nothing if they contradict each other. The nodes of `b` move by
// `shift`.
struct Both {
  IndexingMap map;
  NodeId shift = 0;
};
std::optional<Both> both_of(const IndexingMap& a, const IndexingMap& b) {
  Both result{a, static_cast<NodeId>(a.nodes.size())};
  for (size_t d = 0; d < a.dimensions.size(); ++d) {
    Interval& bounds = result.map.dimensions[d].bounds;
    const Interval& other = b.dimensions[d].bounds;
    bounds = {std::max(bounds.low, other.low), std::min(bounds.high, other.high)};
    if (bounds.low > bounds.high) return std::nullopt;
  }
  for (Node node : b.nodes) {
    if (!is_leaf(node.op)) {
      node.left += result.shift;
      node.right += result.shift;
    }
    result.map.nodes.push_back(node);
  }
  for (const Constraint& c : b.constraints) {
    const bool is_known = std::ranges::any_of(a.constraints, [&](const Constraint& known) {
      return known.interval == c.interval && same_expression(a.nodes, known.expr, b.nodes, c.expr);
    });
    if (is_known) continue;
    const NodeId expression = c.expr + result.shift;
    const absl::StatusOr<Interval> range = range_of(result.map, expression);
    if (!range.ok()) {
      result.map.constraints.push_back({expression, c.interval});
    } else if (!require(result.map, expression, *range, c.interval)) {
      return std::nullopt;
    }
  }
  return result;
}

// Whether two pieces say the same where the conditions of both hold.
bool say_the_same(const KnownPiece& a, const KnownPiece& b) {
  if (!a.value || !b.value) return !a.value && !b.value && a.is_cut == b.is_cut;
  const auto x = constant_of(a.map, *a.value);
  return x && x == constant_of(b.map, *b.value);
}

// Calls `combine` with the values of each two pieces whose conditions hold together.
using Combine = absl::FunctionRef<void(IndexingMap map, NodeId a, NodeId b, KnownPieces& into)>;
KnownPieces each_two(const PieceAlgebra& algebra, const KnownPieces& a, const KnownPieces& b,
                     Combine combine) {
  KnownPieces result;
  for (const KnownPiece& x : a) {
    for (const KnownPiece& y : b) {
      std::optional<Both> joint = both_of(x.map, y.map);
      if (!joint) continue;
      if (x.value && y.value) {
        combine(std::move(joint->map), *x.value, *y.value + joint->shift, result);
      } else {
        const bool is_free = (!x.value && !x.is_cut) || (!y.value && !y.is_cut);
        algebra.add(result, {std::move(joint->map), std::nullopt, !is_free});
      }
      if (result.size() > kMostPieces) return result;
    }
  }
  return result;
}

// The intervals of `a - b` for which a comparison is true, and for which it is false.
struct Sides {
  std::vector<Interval> yes, no;
};
Sides sides_of(const std::string& direction) {
  if (direction == "LT") return {{kNegative}, {kNotNegative}};
  if (direction == "LE") return {{kNotPositive}, {kPositive}};
  if (direction == "GT") return {{kPositive}, {kNotPositive}};
  if (direction == "GE") return {{kNotNegative}, {kNegative}};
  const Sides equal{{{0, 0}}, {kNegative, kPositive}};
  return direction == "EQ" ? equal : Sides{equal.no, equal.yes};
}

std::optional<NodeId> arithmetic_of(HloOpcode opcode, IndexingMap& map, NodeId a, NodeId b) {
  if (opcode == HloOpcode::kAdd) return sum(map, a, b, 1);
  if (opcode == HloOpcode::kSubtract) return sum(map, a, b, -1);
  if (opcode == HloOpcode::kMultiply && constant_of(map, a)) std::swap(a, b);
  const auto number = constant_of(map, b);
  if (!number) return std::nullopt;
  if (opcode == HloOpcode::kMultiply) return product(map, a, *number);
  if (*number <= 0) return std::nullopt;
  const bool divides = opcode == HloOpcode::kDivide;
  if (const auto x = constant_of(map, a)) {
    return add_constant(map.nodes, divides ? *x / *number : *x % *number);
  }
  return add_operation(map.nodes, divides ? Op::kFloorDiv : Op::kMod, a, b);
}

// ---- Constants ----

// Elements side by side in the last dimension, in consecutive rows: row `rows.low + r` has the
// values value + r * of_row + k * of_column from column from + r * from_moves to column
// to + r * to_moves. So a triangle is one block.
struct Block {
  std::vector<Interval> outer;  // of the dimensions before the last two
  Interval rows = {0, 0};
  int64_t from = 0, to = 0, value = 0, of_column = 0;
  int64_t from_moves = 0, to_moves = 0, of_row = 0;

  bool operator==(const Block&) const = default;
};

// So many elements in a row, or rows, may grow by the same number. Fewer are told one by one.
constexpr int64_t kLeastGrowing = 4;

// The elements of a row that are alike, or that grow by the same number.
std::vector<Block> runs_of(std::span<const int64_t> row, Interval columns, int64_t number) {
  std::vector<Block> runs;
  for (int64_t first = columns.low, last = 0; first <= columns.high; first = last + 1) {
    const auto end_of = [&](int64_t step) {
      int64_t end = first;
      while (end < columns.high && checked_sub(row[end + 1], row[end]) == step) ++end;
      return end;
    };
    int64_t step = 0;
    last = end_of(0);
    const auto growth = last == first && first < columns.high
                            ? checked_sub(row[first + 1], row[first])
                            : std::nullopt;
    if (growth && end_of(*growth) >= first + kLeastGrowing - 1) {
      step = *growth;
      last = end_of(step);
    }
    runs.push_back({{}, {number, number}, first, last, row[first], step});
  }
  return runs;
}

// Adds the run, which is in the row behind the block, if it goes on as the block does. A block of one
// row goes on with any run of its values that differs at one end, or with the same run of other
// values.
bool extend(Block& block, const Block& run, bool as_before) {
  const int64_t rows = run.rows.low - block.rows.low;
  if (block.rows.high != run.rows.low - 1 || block.of_column != run.of_column) return false;
  if (as_before) {
    const auto moved = [rows](int64_t first, int64_t moves) {
      const auto all = checked_mul(moves, rows);
      return all ? checked_add(first, *all) : std::nullopt;
    };
    if (run.from != moved(block.from, block.from_moves) ||
        run.to != moved(block.to, block.to_moves) ||
        run.value != moved(block.value, block.of_row)) {
      return false;
    }
  } else {
    const auto growth = checked_sub(run.value, block.value);
    const int64_t from = run.from - block.from, to = run.to - block.to;
    const bool is_moved = growth == 0 && block.of_column == 0 && (from == 0 || to == 0);
    if (rows != 1 || !growth || (!is_moved && (from != 0 || to != 0))) return false;
    block.from_moves = from;
    block.to_moves = to;
    block.of_row = *growth;
  }
  block.rows.high = run.rows.low;
  return true;
}

// The elements whose indices are in the box. Stops when there are too many blocks.
class Blocks {
 public:
  Blocks(const std::vector<int64_t>& elements, const Dims& sizes, const std::vector<Interval>& box)
      : elements_(elements), sizes_(sizes), box_(box) {}

  std::vector<Block> from(size_t dimension, int64_t before) const {
    if (dimension + 2 >= sizes_.size()) return rows_of(before);
    std::vector<Block> all, last;
    for (int64_t i = box_[dimension].low; i <= box_[dimension].high; ++i) {
      std::vector<Block> here = from(dimension + 1, before * sizes_[dimension] + i);
      if (i > box_[dimension].low && here == last) {
        for (size_t k = all.size() - here.size(); k < all.size(); ++k)
          all[k].outer[dimension].high = i;
        continue;
      }
      last = here;
      for (Block& block : here) block.outer[dimension] = {i, i};
      all.insert(all.end(), here.begin(), here.end());
      if (all.size() > kMostPieces) break;
    }
    return all;
  }

 private:
  std::vector<Block> rows_of(int64_t before) const {
    const size_t rank = sizes_.size();
    const bool has_rows = rank > 1;
    const Interval rows = has_rows ? box_[rank - 2] : Interval{0, 0};
    const Interval columns = rank > 0 ? box_[rank - 1] : Interval{0, 0};
    const int64_t width = rank > 0 ? sizes_[rank - 1] : 1;
    std::vector<Block> blocks;
    for (int64_t r = rows.low; r <= rows.high && blocks.size() <= kMostPieces; ++r) {
      const int64_t number = has_rows ? before * sizes_[rank - 2] + r : before;
      const std::span<const int64_t> row(elements_.data() + number * width, width);
      for (Block& run : runs_of(row, columns, r)) {
        run.outer.resize(rank > 2 ? rank - 2 : 0);
        const auto takes = [&run](bool as_before) {
          return [&run, as_before](Block& block) { return extend(block, run, as_before); };
        };
        if (std::ranges::any_of(blocks, takes(true)) || std::ranges::any_of(blocks, takes(false))) {
          continue;
        }
        blocks.push_back(std::move(run));
      }
    }
    return with_single_rows(blocks);
  }

  // Fewer than four rows that are not alike are as many blocks.
  static std::vector<Block> with_single_rows(const std::vector<Block>& blocks) {
    std::vector<Block> all;
    for (const Block& block : blocks) {
      const bool is_moved = block.from_moves != 0 || block.to_moves != 0 || block.of_row != 0;
      const int64_t rows = block.rows.high - block.rows.low + 1;
      if (!is_moved || rows >= kLeastGrowing) {
        all.push_back(block);
        continue;
      }
      for (int64_t r = 0; r < rows; ++r) {
        Block one{block.outer, {block.rows.low + r, block.rows.low + r}};
        one.from = block.from + r * block.from_moves;
        one.to = block.to + r * block.to_moves;
        one.value = block.value + r * block.of_row;
        one.of_column = block.of_column;
        all.push_back(std::move(one));
      }
    }
    return all;
  }

  const std::vector<int64_t>& elements_;
  const Dims& sizes_;
  const std::vector<Interval>& box_;
};

// c + x * slope
NodeId line(IndexingMap& map, int64_t c, NodeId x, int64_t slope) {
  const NodeId constant = add_constant(map.nodes, c);
  return slope == 0 ? constant : sum(map, constant, x, slope);
}

// The piece at the index that the results of `at` are; nothing if it is none of the block's. A cut
// piece if a number is too large.
std::optional<KnownPiece> piece_of(const Block& block, const IndexingMap& at,
                                   const std::vector<Interval>& box) {
  KnownPiece piece{at};
  IndexingMap& map = piece.map;
  const std::vector<NodeId> index = std::exchange(map.results, {});
  for (size_t d = 0; d < block.outer.size(); ++d) {
    if (!require(map, index[d], box[d], block.outer[d])) return std::nullopt;
  }
  if (index.empty()) {
    piece.value = add_constant(map.nodes, block.value);
    return piece;
  }
  const NodeId column = index.back();
  NodeId row = add_constant(map.nodes, block.rows.low);
  if (index.size() > 1) {
    row = index[index.size() - 2];
    if (!require(map, row, box[box.size() - 2], block.rows)) return std::nullopt;
  }
  const NodeId r = sum(map, row, add_constant(map.nodes, block.rows.low), -1);
  const auto bound = [&](int64_t first, int64_t moves, const Interval& interval) {
    const NodeId gap = sum(map, column, line(map, first, r, moves), -1);
    const absl::StatusOr<Interval> range = range_of(map, gap);
    if (!range.ok()) piece.is_cut = true;
    return !range.ok() || require(map, gap, *range, interval);
  };
  const bool is_box = block.from_moves == 0 && block.to_moves == 0;
  if (is_box && !require(map, column, box.back(), {block.from, block.to})) return std::nullopt;
  if (!is_box && (!bound(block.from, block.from_moves, kNotNegative) ||
                  !bound(block.to, block.to_moves, kNotPositive))) {
    return std::nullopt;
  }
  if (piece.is_cut) return piece;
  NodeId value = line(map, block.value, r, block.of_row);
  if (block.of_column != 0) {
    const NodeId from = line(map, block.from, r, block.from_moves);
    value = sum(map, value, sum(map, column, from, -1), block.of_column);
  }
  piece.value = value;
  return piece;
}

}  // namespace

bool is_free(const KnownPieces& pieces) {
  return std::ranges::none_of(pieces,
                              [](const KnownPiece& one) { return one.value || one.is_cut; });
}

bool PieceAlgebra::is_always(const IndexingMap& map) const {
  for (size_t d = 0; d < output_.size(); ++d) {
    if (map.dimensions[d].bounds != Interval{0, output_[d] - 1}) return false;
  }
  return map.constraints.empty();
}

void PieceAlgebra::add(KnownPieces& pieces, KnownPiece piece) const {
  const auto covers = [&](const KnownPiece& known) {
    return say_the_same(known, piece) && is_always(known.map);
  };
  if (std::ranges::any_of(pieces, covers)) return;
  if (is_always(piece.map)) {
    std::erase_if(pieces, [&](const KnownPiece& known) { return say_the_same(known, piece); });
  }
  pieces.push_back(std::move(piece));
}

// Adds the value where the expression is in the interval.
void PieceAlgebra::add_where(KnownPieces& pieces, IndexingMap map, NodeId expression,
                             Interval interval, std::optional<NodeId> value) const {
  const absl::StatusOr<Interval> range = range_of(map, expression);
  if (!range.ok()) {
    add(pieces, {std::move(map), std::nullopt, true});
  } else if (require(map, expression, *range, interval)) {
    add(pieces, {std::move(map), value});
  }
}

KnownPieces PieceAlgebra::number(int64_t value) const {
  IndexingMap map;
  for (const int64_t size : output_) map.dimensions.push_back({{0, size - 1}, ""});
  const NodeId node = add_constant(map.nodes, value);
  return {{std::move(map), node}};
}

KnownPieces PieceAlgebra::arithmetic(HloOpcode opcode, const KnownPieces& a,
                                     const KnownPieces& b) const {
  return each_two(*this, a, b, [&](IndexingMap map, NodeId x, NodeId y, KnownPieces& into) {
    const auto value = arithmetic_of(opcode, map, x, y);
    add(into, {std::move(map), value});
  });
}

KnownPieces PieceAlgebra::negated(const KnownPieces& a) const {
  KnownPieces pieces = a;
  for (KnownPiece& one : pieces) {
    if (one.value) one.value = product(one.map, *one.value, -1);
  }
  return pieces;
}

KnownPieces PieceAlgebra::nearest(bool smaller, const KnownPieces& a, const KnownPieces& b) const {
  return each_two(*this, a, b, [&](const IndexingMap& both, NodeId x, NodeId y, KnownPieces& into) {
    IndexingMap map = both;
    const NodeId gap = sum(map, x, y, -1);
    add_where(into, map, gap, smaller ? kNegative : kNotNegative, x);
    add_where(into, map, gap, smaller ? kNotNegative : kNegative, y);
  });
}

KnownPieces PieceAlgebra::clamped(const KnownPieces& a, const Interval& interval) const {
  KnownPieces pieces;
  for (const KnownPiece& one : a) {
    if (!one.value) {
      add(pieces, one);
      continue;
    }
    IndexingMap map = one.map;
    const NodeId low = add_constant(map.nodes, interval.low);
    const NodeId high = add_constant(map.nodes, interval.high);
    add_where(pieces, map, *one.value, interval, one.value);
    if (interval.high < INT64_MAX) {
      add_where(pieces, map, *one.value, {interval.high + 1, INT64_MAX}, high);
    }
    if (interval.low > INT64_MIN) {
      add_where(pieces, map, *one.value, {INT64_MIN, interval.low - 1}, low);
    }
  }
  return pieces;
}

KnownPieces PieceAlgebra::compared(const std::string& direction, const KnownPieces& a,
                                   const KnownPieces& b) const {
  const Sides sides = sides_of(direction);
  return each_two(*this, a, b, [&](const IndexingMap& both, NodeId x, NodeId y, KnownPieces& into) {
    IndexingMap map = both;
    const NodeId gap = sum(map, x, y, -1);
    const NodeId yes = add_constant(map.nodes, 1), no = add_constant(map.nodes, 0);
    for (const Interval& side : sides.yes) add_where(into, map, gap, side, yes);
    for (const Interval& side : sides.no) add_where(into, map, gap, side, no);
  });
}

// ---- Predicates ----

KnownPredicate predicate_of(const KnownPieces& pieces) {
  KnownPredicate result;
  for (const KnownPiece& one : pieces) {
    const auto value = one.value ? constant_of(one.map, *one.value) : std::nullopt;
    if (one.is_cut) result.cut.push_back(one.map);
    if (!one.is_cut && value != 0) result.yes.push_back(one.map);
    if (!one.is_cut && value != 1) result.no.push_back(one.map);
  }
  return result;
}

KnownPieces PieceAlgebra::pieces_of(const KnownPredicate& predicate) const {
  KnownPieces pieces;
  for (const bool is_yes : {true, false}) {
    for (IndexingMap map : is_yes ? predicate.yes : predicate.no) {
      const NodeId value = add_constant(map.nodes, is_yes ? 1 : 0);
      add(pieces, {std::move(map), value});
    }
  }
  for (const IndexingMap& map : predicate.cut) add(pieces, {map, std::nullopt, true});
  return pieces;
}

Alternatives PieceAlgebra::both(const Alternatives& a, const Alternatives& b) const {
  Alternatives result;
  for (const IndexingMap& x : a) {
    for (const IndexingMap& y : b) {
      if (auto one = both_of(x, y)) result.push_back(std::move(one->map));
      if (result.size() > kMostPieces) return result;
    }
  }
  return result;
}

Alternatives PieceAlgebra::either(Alternatives a, const Alternatives& b) const {
  a.insert(a.end(), b.begin(), b.end());
  for (const IndexingMap& one : a) {
    if (is_always(one)) return {one};
  }
  return a;
}

KnownPieces PieceAlgebra::inverted(const KnownPieces& a) const {
  KnownPredicate predicate = predicate_of(a);
  std::swap(predicate.yes, predicate.no);
  return pieces_of(predicate);
}

KnownPieces PieceAlgebra::logical(HloOpcode opcode, const KnownPieces& first,
                                  const KnownPieces& second) const {
  KnownPredicate a = predicate_of(first), b = predicate_of(second);
  if (opcode == HloOpcode::kXor) {
    return pieces_of({either(both(a.yes, b.no), both(a.no, b.yes)),
                      either(both(a.yes, b.yes), both(a.no, b.no)), either(a.cut, b.cut)});
  }
  const bool is_or = opcode == HloOpcode::kOr;  // not (not a and not b)
  if (is_or) {
    std::swap(a.yes, a.no);
    std::swap(b.yes, b.no);
  }
  KnownPredicate result{both(a.yes, b.yes), either(a.no, b.no),
                        either(both(a.cut, either(b.yes, b.cut)), both(a.yes, b.cut))};
  if (is_or) std::swap(result.yes, result.no);
  return pieces_of(result);
}

KnownPieces PieceAlgebra::selected(const KnownPieces& predicate, const KnownPieces& a,
                                   const KnownPieces& b) const {
  const KnownPredicate chosen = predicate_of(predicate);
  KnownPieces pieces;
  for (const bool is_yes : {true, false}) {
    for (const KnownPiece& one : is_yes ? a : b) {
      for (const IndexingMap& where : is_yes ? chosen.yes : chosen.no) {
        auto joint = both_of(one.map, where);
        if (joint) add(pieces, {std::move(joint->map), one.value, one.is_cut});
      }
    }
  }
  for (const IndexingMap& where : chosen.cut) add(pieces, {where, std::nullopt, true});
  return pieces;
}

KnownPieces PieceAlgebra::listed(const std::vector<int64_t>& elements, const Dims& sizes,
                                 const IndexingMap& at) const {
  constexpr int64_t kMostListed = 65536;
  const auto cut = [&at] {
    KnownPiece piece{at, std::nullopt, true};
    piece.map.results.clear();
    return KnownPieces{std::move(piece)};
  };
  if (std::ranges::adjacent_find(elements, std::not_equal_to<>()) == elements.end()) {
    KnownPieces pieces = cut();
    pieces[0] = {std::move(pieces[0].map)};
    pieces[0].value = add_constant(pieces[0].map.nodes, elements.front());
    return pieces;
  }
  std::vector<Interval> box;
  int64_t count = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const absl::StatusOr<Interval> range = range_of(at, at.results[d]);
    if (!range.ok()) return cut();
    box.push_back({std::max<int64_t>(range->low, 0), std::min(range->high, sizes[d] - 1)});
    count = std::min(kMostListed + 1, count) *
            std::max<int64_t>(box.back().high - box.back().low + 1, 0);
  }
  if (count > kMostListed) return cut();
  KnownPieces pieces;
  for (const Block& block : Blocks(elements, sizes, box).from(0, 0)) {
    if (auto piece = piece_of(block, at, box)) add(pieces, *std::move(piece));
    if (pieces.size() > kMostPieces) break;
  }
  return pieces;
}

}  // namespace tileproof::impl
