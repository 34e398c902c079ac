// SPDX-License-Identifier: Apache-2.0
#include "impl/map/tile_digits/simplify_keeping.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "impl/map/extraction/render_expr.h"
#include "impl/map/simplify.h"
#include "impl/map/tile_digits/digit_table.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/mlir_text.h"

namespace tileproof::impl {
namespace {

// A sum on its way to digits.
class Digits {
 public:
  Digits(Expressions& expressions, const DigitTable& table)
      : expressions_(expressions), table_(table) {}

  // Adds the atom: its digits if it has any, else the atom itself.
  void add(NodeId atom, int64_t factor) {
    const DigitPart part = expressions_.part_of(atom);
    const std::vector<TileDigit> digits = table_.digits_of(part);
    if (digits.empty()) return add_to(open_, atom, factor);
    for (const TileDigit& digit : digits) {
      const std::optional<int64_t> times = checked_mul(factor, digit.low / part.low);
      const std::optional<AtomSum> simple = expressions_.sum_of(digit.simple);
      fits_ = fits_ && times && simple && add_constant(simple->constant, *times);
      if (!fits_) return;
      for (const auto& [part_of_digit, inner] : simple->factors) {
        const std::optional<int64_t> scaled = checked_mul(inner, *times);
        const bool same = expressions_.part_of(part_of_digit).whole == part.whole;
        fits_ = fits_ && scaled;
        if (fits_) add_to(same ? done_ : open_, part_of_digit, *scaled);
        of_digits_.insert(part_of_digit);
      }
    }
  }
  void add(const AtomSum& sum) { fits_ = fits_ && add_multiple(open_, sum, 1); }

  // Takes the parts of each whole, and its multiples, apart.
  void split() {
    for (const NodeId whole : wholes()) {
      if (!fits_) return;
      const AtomSum before = std::exchange(open_, {.constant = open_.constant});
      for (const auto& [atom, factor] : before.factors) {
        if (atom != whole && expressions_.part_of(atom).whole == whole) {
          add(atom, factor);
        } else {
          add_to(open_, atom, factor);
        }
      }
      take_multiple(whole);
    }
  }

  // The expression. Nothing if a number left 64 bits.
  std::optional<NodeId> written() const {
    AtomSum result = done_;
    if (!fits_ || !add_multiple(result, {.constant = open_.constant}, 1)) return std::nullopt;
    for (const auto& [atom, factor] : open_.factors) {
      const std::optional<NodeId> copy = dividend_with_digits(atom);
      if (!copy || !add_multiple(result, {.factors = {{*copy, 1}}}, factor)) return std::nullopt;
    }
    return expressions_.write(result);
  }

 private:
  // Sums before their variables.
  std::vector<NodeId> wholes() const {
    std::vector<std::pair<int64_t, NodeId>> order;
    for (const auto& [whole, digits] : table_.all()) {
      order.push_back({-tree_size(expressions_.map().nodes, whole), whole});
    }
    std::ranges::sort(order);
    std::vector<NodeId> result;
    for (const auto& [size, whole] : order) result.push_back(whole);
    return result;
  }

  // How often the open sum contains the sum of a whole; 0 if atoms of it would be left.
  int64_t times_in_open(const AtomSum& sum) const {
    int64_t times = 0;
    for (const auto& [atom, factor] : sum.factors) {
      const auto found = open_.factors.find(atom);
      if (found == open_.factors.end()) return 0;
      if (times == 0)
        times = factor == -1 ? checked_mul(found->second, -1).value_or(0) : found->second / factor;
      if (times == 0 || checked_mul(factor, times) != found->second) return 0;
    }
    return sum.constant == 0 || checked_mul(sum.constant, times) == open_.constant ? times : 0;
  }

  void take_multiple(NodeId whole) {
    const std::optional<AtomSum> sum = expressions_.sum_of(whole);
    if (!sum || sum->factors.empty()) return;
    const NodeId first = sum->factors.begin()->first;
    const bool is_scaled = sum->factors.size() == 1 && first != whole;  // d0 * 2, d0 + 3
    if (is_scaled && !table_.digits_of(expressions_.part_of(first)).empty()) return;
    const int64_t times = times_in_open(*sum);
    if (times == 0) return;
    const std::optional<int64_t> minus = checked_mul(times, -1);
    fits_ = fits_ && minus && add_multiple(open_, *sum, *minus);
    add(whole, times);
  }

  // What other sizes divide may contain the whole, too.
  std::optional<NodeId> dividend_with_digits(NodeId atom) const {
    const Node node = expressions_[atom];
    const bool divides = node.op == Op::kFloorDiv || node.op == Op::kMod;
    if (!divides || of_digits_.contains(atom)) return atom;
    if (table_.all().contains(expressions_.part_of(atom).whole)) return atom;
    const std::optional<AtomSum> sum = expressions_.sum_of(node.left);
    if (!sum) return std::nullopt;
    Digits dividend(expressions_, table_);
    dividend.add(*sum);
    dividend.split();
    const std::optional<NodeId> left = dividend.written();
    if (!left) return std::nullopt;
    return expressions_.operation(node.op, *left, node.right);
  }

  void add_to(AtomSum& sum, NodeId atom, int64_t factor) {
    fits_ = fits_ && add_multiple(sum, {.factors = {{atom, 1}}}, factor);
  }
  bool add_constant(int64_t constant, int64_t times) {
    return add_multiple(open_, {.constant = constant}, times);
  }

  Expressions& expressions_;
  const DigitTable& table_;
  AtomSum open_, done_;
  std::set<NodeId> of_digits_;  // atoms of simplified digits
  bool fits_ = true;
};

// The result with its digits. Nothing if it has none, or if numbers leave 64 bits.
absl::StatusOr<std::optional<NodeId>> kept(Expressions& expressions, NodeId root,
                                           const TileSizes& sizes) {
  const DigitTable table = TRY(DigitTable::find(expressions, root, [&](int64_t number) {
    return sizes.all || std::ranges::find(sizes.sizes, number) != sizes.sizes.end();
  }));
  const std::optional<AtomSum> given = expressions.sum_of(root);
  if (table.empty() || !given) return std::optional<NodeId>();
  Digits digits(expressions, table);
  AtomSum rest{.constant = given->constant};
  for (const auto& [atom, factor] : given->factors) {
    const NodeId same = table.rewritten(atom);
    if (!is_leaf(expressions[atom].op) && !table.digits_of(expressions.part_of(same)).empty()) {
      digits.add(same, factor);
    } else if (!add_multiple(rest, {.factors = {{atom, 1}}}, factor)) {
      return std::optional<NodeId>();
    }
  }
  const std::vector<NodeId> simple = TRY(expressions.simplified({expressions.write(rest)}));
  const std::optional<AtomSum> others = expressions.sum_of(simple[0]);
  if (!others) return std::optional<NodeId>();
  digits.add(*others);
  digits.split();
  const std::optional<NodeId> result = digits.written();
  return result && table.occurs_in(expressions, *result) ? result : std::nullopt;
}

// Returns whether no number of the computation leaves 64 bits. An affine_map has no bounds to say so.
bool is_narrow(const IndexingMap& map, NodeId root) {
  return interval_of(map, root) || is_unbounded(map);
}

}  // namespace

absl::StatusOr<IndexingMap> simplify_keeping(const IndexingMap& map, const TileSizes& sizes) {
  IndexingMap result = TRY(simplify(map));
  if (result.known_empty) return result;
  Expressions expressions(result);
  const std::vector<NodeId> given = expressions.add_all(map.nodes);
  for (size_t i = 0; i < map.results.size(); ++i) {
    const NodeId root = given[map.results[i]];
    if (tree_size(expressions.map().nodes, root) > kMaxSumTree) continue;
    const std::optional<NodeId> digits = TRY(kept(expressions, root, sizes));
    if (!digits || !is_narrow(expressions.map(), *digits)) continue;
    result.results[i] = copy_tree(expressions.map().nodes, *digits, result.nodes);
  }
  return result;
}

}  // namespace tileproof::impl
