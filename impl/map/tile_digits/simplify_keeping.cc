// SPDX-License-Identifier: Apache-2.0
#include "impl/map/tile_digits/simplify_keeping.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "impl/map/atom_sum.h"
#include "impl/map/extraction/render_expr.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/mlir_text.h"

namespace tileproof::impl {
namespace {

// The digits of the expressions that one result divides by kept sizes.
//
// The places of x are the numbers between its digits. With places 8 and 32:
//
//     x = x mod 8 + 8 * ((x floordiv 8) mod 4) + 32 * (x floordiv 32)
//     (x mod 32) floordiv 8           part [8, 32) of x: one digit
//     x floordiv 8                    part [8, ..) of x: two digits, times 1 and 4

// (whole floordiv low) mod (high / low); no mod if high is 0.
struct DigitPart {
  NodeId whole = -1;
  int64_t low = 1;
  int64_t high = 0;
};

// Expressions over the variables and the domain of a map. Equal trees are one node.
class Expressions {
 public:
  explicit Expressions(const IndexingMap& domain);

  NodeId add(const Node& node);
  NodeId constant(int64_t value) { return add({.op = Op::kConstant, .value = value}); }
  NodeId operation(Op op, NodeId left, NodeId right) {
    return add({.op = op, .left = left, .right = right});
  }
  std::vector<NodeId> add_all(const ExprTable& nodes);  // the ids of these nodes

  const Node& operator[](NodeId id) const { return map_.nodes[id]; }
  const IndexingMap& map() const { return map_; }
  int64_t constant_or_0(NodeId id) const;  // of a positive constant; else 0

  std::optional<AtomSum> sum_of(NodeId root) const { return sum_as_written(map_.nodes, root); }
  NodeId write(const AtomSum& sum);  // the largest factors first

  absl::StatusOr<std::vector<NodeId>> simplified(const std::vector<NodeId>& roots);
  DigitPart part_of(NodeId id) const;

 private:
  IndexingMap map_;
  absl::flat_hash_map<Node, NodeId> known_;
};

// A digit with its part and what simplify makes of it.
struct TileDigit {
  int64_t low = 1, high = 0;
  NodeId simple = -1;
};

class DigitTable {
 public:
  // Finds the kept parts among the divisions below `root`.
  static absl::StatusOr<DigitTable> find(Expressions& expressions, NodeId root,
                                         absl::FunctionRef<bool(int64_t)> is_kept);

  bool empty() const { return digits_.empty(); }
  // A kept division below the root, with its dividend simplified; else the division itself.
  NodeId rewritten(NodeId id) const;
  // The digits of the part, the lowest first; none if it does not consist of whole digits.
  std::vector<TileDigit> digits_of(const DigitPart& part) const;
  bool occurs_in(const Expressions& expressions, NodeId root) const;  // any digit, below the root
  const std::map<NodeId, std::vector<TileDigit>>& all() const { return digits_; }

 private:
  std::map<NodeId, std::vector<TileDigit>> digits_;  // by their whole
  std::map<NodeId, NodeId> rewritten_;
};

Expressions::Expressions(const IndexingMap& domain) {
  map_.dimensions = domain.dimensions;
  map_.ranges = domain.ranges;
  map_.runtime = domain.runtime;
  const std::vector<NodeId> ids = add_all(domain.nodes);
  for (const Constraint& constraint : domain.constraints) {
    map_.constraints.push_back({ids[constraint.expr], constraint.interval});
  }
}

NodeId Expressions::add(const Node& node) {
  const auto [found, is_new] = known_.try_emplace(node, static_cast<NodeId>(map_.nodes.size()));
  if (is_new) map_.nodes.push_back(node);
  return found->second;
}

std::vector<NodeId> Expressions::add_all(const ExprTable& nodes) {
  std::vector<NodeId> ids;
  ids.reserve(nodes.size());
  for (Node node : nodes) {
    if (!is_leaf(node.op)) {
      node.left = ids[node.left];
      node.right = ids[node.right];
    }
    ids.push_back(add(node));
  }
  return ids;
}

int64_t Expressions::constant_or_0(NodeId id) const {
  return std::max<int64_t>(folded(map_.nodes, id).value_or(0), 0);
}

NodeId Expressions::write(const AtomSum& sum) {
  struct Line {
    int64_t factor;
    std::string text;
    NodeId atom;
  };
  std::vector<Line> lines;
  for (const auto& [atom, factor] : sum.factors) {
    lines.push_back({factor, "", atom});
    append_expression(lines.back().text, map_, atom);
  }
  // Of two factors with one absolute value, the positive one is first: no number is negated here.
  const auto order = [](const Line& line) {
    return std::tuple(line.factor > 0 ? -line.factor : line.factor, line.factor < 0, line.text);
  };
  std::ranges::sort(lines, {}, order);
  NodeId written = -1;
  const auto plus = [&](NodeId term) {
    written = written < 0 ? term : operation(Op::kAdd, written, term);
  };
  for (const Line& line : lines) {
    plus(line.factor == 1 ? line.atom : operation(Op::kMul, line.atom, constant(line.factor)));
  }
  if (sum.constant != 0 || written < 0) plus(constant(sum.constant));
  return written;
}

absl::StatusOr<std::vector<NodeId>> Expressions::simplified(const std::vector<NodeId>& roots) {
  IndexingMap asked = map_;
  asked.results = roots;
  const IndexingMap simple = TRY(simplify(asked));
  if (simple.known_empty) return roots;  // any expression is right
  const std::vector<NodeId> ids = add_all(simple.nodes);
  std::vector<NodeId> results;
  for (const NodeId root : simple.results) results.push_back(ids[root]);
  return results;
}

DigitPart Expressions::part_of(NodeId id) const {
  const Node& node = map_.nodes[id];
  const DigitPart all{id};
  if (node.op != Op::kFloorDiv && node.op != Op::kMod) return all;
  const int64_t divisor = constant_or_0(node.right);
  if (divisor < 2) return all;
  const DigitPart part = part_of(node.left);
  const std::optional<int64_t> place = checked_mul(part.low, divisor);
  if (!place || (part.high != 0 && part.high % *place != 0)) return all;
  if (node.op == Op::kMod) return {part.whole, part.low, *place};
  return part.high == *place ? all : DigitPart{part.whole, *place, part.high};
}

std::vector<NodeId> divisions_below(const Expressions& expressions, std::vector<NodeId> open) {
  std::set<NodeId> seen(open.begin(), open.end());
  std::vector<NodeId> found;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const Node& node = expressions[id];
    if (is_leaf(node.op)) continue;
    if (node.op == Op::kFloorDiv || node.op == Op::kMod) found.push_back(id);
    for (const NodeId operand : {node.left, node.right}) {
      if (seen.insert(operand).second) open.push_back(operand);
    }
  }
  return found;
}

using Places = std::map<NodeId, std::set<int64_t>>;  // by whole

// Adds the places of the kept divisions below these nodes. Returns whether there were new ones.
bool add_places(const Expressions& expressions, const std::vector<NodeId>& roots,
                absl::FunctionRef<bool(int64_t)> is_kept, Places& places) {
  bool added = false;
  for (const NodeId id : divisions_below(expressions, roots)) {
    const DigitPart part = expressions.part_of(id);
    if (part.whole == id) continue;
    const Node& node = expressions[id];
    const int64_t place = node.op == Op::kMod ? part.high : part.low;
    if (!is_kept(place) && !is_kept(expressions.constant_or_0(node.right))) continue;
    if (part.low > 1) added |= places[part.whole].insert(part.low).second;
    if (part.high > 1) added |= places[part.whole].insert(part.high).second;
  }
  return added;
}

// The digits between the places, of which each divides the next.
std::vector<TileDigit> digits_between(const std::set<int64_t>& places) {
  std::vector<TileDigit> digits;
  int64_t low = 1;
  for (const int64_t place : places) {
    if (place % low != 0) continue;
    digits.push_back({low, place});
    low = place;
  }
  digits.push_back({low, 0});
  return digits;
}

NodeId expression_of(Expressions& expressions, NodeId whole, const TileDigit& digit) {
  NodeId made = whole;
  if (digit.low > 1) {
    made = expressions.operation(Op::kFloorDiv, made, expressions.constant(digit.low));
  }
  if (digit.high == 0) return made;
  return expressions.operation(Op::kMod, made, expressions.constant(digit.high / digit.low));
}

absl::StatusOr<DigitTable> DigitTable::find(Expressions& expressions, NodeId root,
                                            absl::FunctionRef<bool(int64_t)> is_kept) {
  constexpr int kRounds = 3;  // a simplified digit may be divided by kept sizes
  DigitTable table;
  const std::vector<NodeId> divisions = divisions_below(expressions, {root});
  std::vector<NodeId> dividends, roots;
  for (const NodeId id : divisions) dividends.push_back(expressions[id].left);
  const std::vector<NodeId> simple = TRY(expressions.simplified(dividends));
  for (size_t i = 0; i < divisions.size(); ++i) {
    const Node node = expressions[divisions[i]];
    roots.push_back(expressions.operation(node.op, simple[i], node.right));
    table.rewritten_[divisions[i]] = roots.back();
  }
  Places places;
  for (int round = 0; round < kRounds && add_places(expressions, roots, is_kept, places); ++round) {
    table.digits_.clear();
    roots.clear();
    for (const auto& [whole, of_whole] : places) {
      std::vector<TileDigit>& digits = table.digits_[whole] = digits_between(of_whole);
      for (const TileDigit& digit : digits)
        roots.push_back(expression_of(expressions, whole, digit));
    }
    roots = TRY(expressions.simplified(roots));
    auto next = roots.begin();
    for (auto& [whole, digits] : table.digits_) {
      for (TileDigit& digit : digits) digit.simple = *next++;
    }
  }
  return table;
}

NodeId DigitTable::rewritten(NodeId id) const {
  const auto found = rewritten_.find(id);
  return found == rewritten_.end() ? id : found->second;
}

std::vector<TileDigit> DigitTable::digits_of(const DigitPart& part) const {
  const auto found = digits_.find(part.whole);
  if (found == digits_.end()) return {};
  const std::vector<TileDigit>& all = found->second;
  const auto first = std::ranges::find(all, part.low, &TileDigit::low);
  const auto last = std::ranges::find(all, part.high, &TileDigit::high);
  if (first == all.end() || last == all.end() || last < first) return {};
  return {first, last + 1};
}

bool DigitTable::occurs_in(const Expressions& expressions, NodeId root) const {
  return std::ranges::any_of(divisions_below(expressions, {root}), [&](NodeId id) {
    return digits_.contains(expressions.part_of(id).whole);
  });
}

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
