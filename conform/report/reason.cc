// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/report/cause.h"
#include "spec/base/exact_int.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/explain_index.h"
#include "spec/layout/tiled_layout.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::conform {
namespace {

using Lines = std::vector<std::string>;
using Index = std::vector<int64_t>;

constexpr size_t kMaxLines = 40;  // of one explanation

std::string in_parentheses(const Index& index) {
  return absl::StrCat("(", absl::StrJoin(index, ", "), ")");
}
std::string in_brackets(const Index& dims) {
  return absl::StrCat("[", absl::StrJoin(dims, ", "), "]");
}

// ---- Layouts ----

// Steps that are shown as one: steps[first] to steps[last].
struct ShownStep {
  size_t first, last;
  std::string text;
};

// The steps that a reader wants to see: none that moves nothing, and one for all dimensions that are
// combined into the offset.
std::vector<ShownStep> shown_steps(const spec::TiledLayout& layout) {
  std::vector<ShownStep> shown;
  std::optional<size_t> combined;  // where in `shown`
  for (size_t i = 0; i < layout.steps.size(); ++i) {
    if (spec::moves_nothing(layout.steps[i])) continue;
    const bool combines =
        i >= layout.physical_position && std::holds_alternative<spec::Combine>(layout.steps[i]);
    if (combines && combined) {
      shown[*combined].last = i;
      continue;
    }
    if (combines) combined = shown.size();
    shown.push_back(
        {i, i, combines ? "combine all dimensions" : to_text(layout.steps[i], layout.dims[i + 1])});
  }
  return shown;
}

Lines sizes_reason(const spec::TiledLayout& layout) {
  Lines lines = {absl::StrCat("dimensions ", in_brackets(layout.logical()))};
  for (const ShownStep& step : shown_steps(layout)) {
    lines.push_back(absl::StrCat(step.text, ": ", in_brackets(layout.dims[step.last + 1])));
  }
  lines.push_back(absl::StrCat(layout.elements(), " elements, ", layout.bytes, " bytes"));
  return lines;
}

Lines offset_reason(const spec::TiledLayout& layout, Index index) {
  if (!spec::linearize(layout, index).ok()) return {};
  Lines lines = {
      absl::StrCat("index ", in_parentheses(index), " in ", in_brackets(layout.logical()))};
  for (const ShownStep& step : shown_steps(layout)) {
    for (size_t i = step.first; i <= step.last; ++i) {
      index = forward(layout.steps[i], layout.dims[i], std::move(index));
    }
    lines.push_back(absl::StrCat(step.text, ": ", in_parentheses(index), " in ",
                                 in_brackets(layout.dims[step.last + 1])));
  }
  lines.push_back(absl::StrCat("offset ", index.front()));
  return lines;
}

Lines index_reason(const spec::TiledLayout& layout, int64_t offset) {
  if (!spec::delinearize(layout, offset).ok()) return {};
  Lines lines = {absl::StrCat("offset ", offset, " of ", layout.elements(), " elements")};
  spec::Preimage<int64_t> preimage{{offset}, true};
  const std::vector<ShownStep> steps = shown_steps(layout);
  for (size_t k = steps.size(); k-- > 0;) {
    const ShownStep& step = steps[k];
    for (size_t i = step.last + 1; i-- > step.first;) {
      preimage =
          backward(layout.steps[i], layout.dims[i], std::move(preimage.index), preimage.exists);
    }
    if (!preimage.exists) {
      lines.push_back(absl::StrCat("before \"", step.text, "\": padding"));
      return lines;
    }
    lines.push_back(absl::StrCat("before \"", step.text, "\": ", in_parentheses(preimage.index),
                                 " in ", in_brackets(layout.dims[step.first])));
  }
  return lines;
}

Lines layout_reason(const std::string& op, const Json& request, const std::string& answer) {
  const auto* text = find_as<std::string>(request, "shape");
  const absl::StatusOr<Shape> shape = parse_shape(text == nullptr ? "" : *text);
  if (!shape.ok()) return {};
  const absl::StatusOr<spec::TiledLayout> layout = spec::tiled_layout(*shape);
  if (!layout.ok()) return {};
  if (op == "layout.physical") return sizes_reason(*layout);
  const absl::StatusOr<JsonText> given = read_json(answer);
  const Json right = right_answer(request);
  const Json* answered = given.ok() ? find(given->value, "result") : nullptr;
  const Json* expected = find(right, "result");
  const Json alone = first_wrong(request, answered == nullptr ? Json() : *answered,
                                 expected == nullptr ? Json() : *expected);
  if (const std::optional<Index> at = find_integers(alone, "index")) {
    return offset_reason(*layout, *at);
  }
  const auto* offset = find_as<int64_t>(alone, "offset");
  return offset == nullptr ? Lines() : index_reason(*layout, *offset);
}

// ---- Maps ----

std::string value_text(const spec::Exact& value) {
  const std::optional<int64_t> small = spec::to_int64(value);
  return small ? absl::StrCat(*small) : "a value of more than 64 bits";
}

// The operations of an expression in order, with their values: "-1 floordiv 2 = -1, -1 + 3 = 2".
std::string evaluation(const IndexingMap& map, NodeId root, const spec::Point& point) {
  const std::vector<NodeId> nodes = spec::nodes_under(map.nodes, absl::MakeConstSpan(&root, 1));
  const std::vector<spec::Exact> values =
      spec::evaluate_expressions<spec::Exact>(map.nodes, nodes, spec::ExactAtPoint{point});
  std::vector<std::string> text(map.nodes.size()), steps;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = map.nodes[nodes[i]];
    text[nodes[i]] = value_text(values[i]);
    if (is_leaf(node.op)) continue;
    steps.push_back(absl::StrCat(text[node.left], std::string(symbol_of(node.op)), text[node.right],
                                 " = ", text[nodes[i]]));
  }
  return steps.empty() ? text[root] : absl::StrJoin(steps, ", ");
}

void append_evaluation(const IndexingMap& map, const spec::Point& point, Lines& lines) {
  const absl::StatusOr<bool> inside = spec::in_domain(map, point);
  for (const Constraint& constraint : map.constraints) {
    lines.push_back(absl::StrCat("constraint: ", evaluation(map, constraint.expr, point), ", in [",
                                 constraint.interval.low, ", ", constraint.interval.high, "]?"));
  }
  if (inside.ok() && !*inside) {
    lines.push_back("outside of the domain: no result");
    return;
  }
  for (size_t i = 0; i < map.results.size(); ++i) {
    lines.push_back(absl::StrCat("result ", i, ": ", evaluation(map, map.results[i], point)));
  }
}

bool same_kinds(const IndexingMap& map, const spec::Point& point) {
  return map.dimensions.size() == point.dims.size() && map.ranges.size() == point.ranges.size() &&
         map.runtime.size() == point.runtime.size();
}

Lines evaluate_reason(const Json& request) {
  const absl::StatusOr<IndexingMap> map = map_under(request, "map");
  const absl::StatusOr<spec::Point> point = point_in(request);
  if (!map.ok() || !point.ok() || !same_kinds(*map, *point)) return {};
  Lines lines = {absl::StrCat("at ", to_text(*map, *point))};
  append_evaluation(*map, *point, lines);
  return lines;
}

// A point where the two maps differ, and the evaluation of the first map there.
Lines difference_reason(const absl::StatusOr<IndexingMap>& map,
                        const absl::StatusOr<IndexingMap>& other) {
  if (!map.ok() || !other.ok()) return {};
  verify::EqualOptions options;
  options.normal_forms = false;
  const absl::StatusOr<verify::MapEquality> equality = verify::equal(*map, *other, options);
  if (!equality.ok() || !equality->difference) return {};
  const spec::Point& at = equality->difference->at;
  Lines lines = {absl::StrCat("at ", to_text(*map, at))};
  append_evaluation(*map, at, lines);
  return lines;
}

absl::StatusOr<IndexingMap> answered_map(const std::string& answer, const IndexingMap& like) {
  const absl::StatusOr<JsonText> json = read_json(answer);
  const auto* text = json.ok() ? find_as<std::string>(json->value, "result") : nullptr;
  return parse_answer(text == nullptr ? "" : *text, like);
}

Lines map_reason(const std::string& op, const Json& request, const std::string& answer) {
  if (op == "map.evaluate") return evaluate_reason(request);
  if (op == "map.equal") {
    return difference_reason(map_under(request, "left"), map_under(request, "right"));
  }
  absl::StatusOr<IndexingMap> map = map_under(request, "map");
  if (op == "map.compose") {
    const absl::StatusOr<IndexingMap> first = map_under(request, "first");
    const absl::StatusOr<IndexingMap> second = map_under(request, "second");
    if (!first.ok() || !second.ok()) return {};
    map = spec::compose(*first, *second);
  }
  if (!map.ok()) return {};
  return difference_reason(map, answered_map(answer, *map));
}

}  // namespace

Json first_wrong(const Json& request, const Json& answer, const Json& right) {
  const auto* given = answer.as<Json::Array>();
  const auto* expected = right.as<Json::Array>();
  for (const auto& [one, many] : {std::pair("index", "indices"), {"offset", "offsets"}}) {
    const auto* items = find_as<Json::Array>(request, many);
    if (items == nullptr || expected == nullptr || expected->size() != items->size()) continue;
    size_t at = 0;
    while (given != nullptr && at < std::min(items->size(), given->size()) &&
           (*given)[at] == (*expected)[at])
      ++at;
    if (at == items->size()) break;
    Json alone = request;
    remove(alone, many);
    set(alone, one, (*items)[at]);
    return alone;
  }
  return request;
}

std::vector<std::string> reason(const Json& request, const std::string& answer) {
  const auto* name = find_as<std::string>(request, "op");
  if (name == nullptr) return {};
  std::vector<std::string> lines;
  if (name->rfind("layout.", 0) == 0) lines = layout_reason(*name, request, answer);
  if (name->rfind("map.", 0) == 0) lines = map_reason(*name, request, answer);
  if (lines.size() > kMaxLines) {
    const size_t more = lines.size() - kMaxLines;
    lines.resize(kMaxLines);
    lines.push_back(absl::StrCat("and ", more, " more lines"));
  }
  return lines;
}

}  // namespace tileproof::conform
