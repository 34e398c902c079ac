// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/narrow_map.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "impl/map/divisors/variable_divisors.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/variable_divisors.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/map/map_check.h"

namespace tileproof::cli {
namespace {

using verify::CheckedFact;
using verify::Verdict;

// Copies an expression to the end of another table.
NodeId copy_expression(const ExprTable& from, NodeId root, ExprTable& to) {
  std::vector<NodeId> copies(from.size(), -1);
  for (const NodeId id : spec::nodes_under(from, {root})) {
    Node node = from[id];
    if (!is_leaf(node.op)) {
      node.left = copies[node.left];
      node.right = copies[node.right];
    }
    copies[id] = static_cast<NodeId>(to.size());
    to.push_back(node);
  }
  return copies[root];
}

IndexingMap with_result(IndexingMap map, NodeId result) {
  map.results = {result};
  return map;
}

// Writes the given form of an expression, with each part in its simplest form within the width.
class PartByPart {
 public:
  PartByPart(const IndexingMap& given, const spec::IntegerWidth& width, ExprTable& to)
      : given_(given), width_(width), to_(to) {}

  absl::StatusOr<NodeId> write(NodeId id, bool is_subtracted = false) {
    const Node& node = given_.nodes[id];
    if (is_leaf(node.op)) return copy_expression(given_.nodes, id, to_);
    if (!is_subtracted) {
      const IndexingMap simple = TRY(impl::simplify(with_result(given_, id)));
      const CheckedFact checked = TRY(verify::check_width(simple, width_));
      if (checked.verdict == Verdict::kProven)
        return copy_expression(simple.nodes, simple.results[0], to_);
    }
    const Node& right = given_.nodes[node.right];
    const bool subtracts = node.op == Op::kAdd && right.op == Op::kMul &&
                           given_.nodes[right.right].op == Op::kConstant &&
                           given_.nodes[right.right].value < 0;
    const NodeId first = TRY(write(node.left));
    const NodeId second = TRY(write(node.right, subtracts));
    return add_operation(to_, node.op, first, second);
  }

 private:
  const IndexingMap& given_;
  const spec::IntegerWidth& width_;
  ExprTable& to_;
};

}  // namespace

absl::StatusOr<NarrowMap> simplified_within(const IndexingMap& map, const spec::IntegerWidth& width,
                                            const std::optional<impl::TileSizes>& keep) {
  if (has_variable_divisors(map)) return invalid("expected no variable that divides with --width");
  NarrowMap narrow{TRY(simplified(map, keep)), {}, {}};
  if (narrow.map.known_empty) return narrow;
  for (size_t i = 0; i < map.results.size(); ++i) {
    const IndexingMap simple = with_result(narrow.map, narrow.map.results[i]);
    const CheckedFact checked = TRY(verify::check_width(simple, width));
    if (checked.verdict == Verdict::kProven) continue;
    ExprTable& nodes = narrow.map.nodes;
    const NodeId rebuilt = TRY(PartByPart(map, width, nodes).write(map.results[i]));
    const CheckedFact again = TRY(verify::check_width(with_result(narrow.map, rebuilt), width));
    if (again.verdict == Verdict::kProven) {
      narrow.map.results[i] = rebuilt;
    } else if (checked.verdict == Verdict::kRefuted) {
      narrow.leaving.push_back(
          absl::StrCat("result ", i, ": ", verify::text_of_leaving(simple, checked)));
    } else {
      narrow.undecided.push_back(absl::StrCat("result ", i, ": ", checked.open));
    }
  }
  return narrow;
}

absl::StatusOr<std::optional<impl::TileSizes>> kept_tiles(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  if (*text == "tiles") return impl::TileSizes{.all = true};
  const absl::StatusOr<std::vector<int64_t>> sizes = parse_integers(*text);
  if (!sizes.ok() || sizes->empty() || *std::ranges::min_element(*sizes) < 2) {
    return invalid("--keep: expected tiles, or sizes of at least 2: 8,128, found '", *text, "'");
  }
  return impl::TileSizes{.sizes = *sizes};
}

absl::StatusOr<IndexingMap> simplified(const IndexingMap& map,
                                       const std::optional<impl::TileSizes>& keep) {
  if (!keep) return impl::simplify_with_variable_divisors(map);
  if (!has_variable_divisors(map)) return impl::simplify_keeping(map, *keep);
  return invalid("expected constants as divisors with --keep, found a variable");
}

}  // namespace tileproof::cli
