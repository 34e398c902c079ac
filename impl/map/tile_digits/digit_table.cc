// SPDX-License-Identifier: Apache-2.0
#include "impl/map/tile_digits/digit_table.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "impl/map/normal_form/normalize.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr_text.h"

namespace tileproof::impl {

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

namespace {

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

}  // namespace

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

}  // namespace tileproof::impl
