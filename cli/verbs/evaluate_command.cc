// SPDX-License-Identifier: Apache-2.0
// tileproof evaluate: the results of a map, or the offset of a layout, at given points.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "cli/verbs/layout_index.h"
#include "explorer/answers/panels.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/explain_index.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::cli {
namespace {

// One value for each variable of a kind. Where none are given, each may have one value alone.
absl::StatusOr<std::vector<int64_t>> values_for(const IndexingMap& map, Op kind, const char* option,
                                                const std::string& text) {
  std::vector<int64_t> values = TRY(prefixed(option, parse_integers(text)));
  const auto& variables = variables_of(map, kind);
  const bool has_choice = std::ranges::any_of(
      variables, [](const Variable& one) { return one.bounds.low != one.bounds.high; });
  if (values.empty() && !has_choice) {
    for (const Variable& one : variables) values.push_back(one.bounds.low);
  }
  const size_t wanted = variables.size();
  if (values.size() == wanted) return values;
  std::vector<std::string> names;
  for (size_t i = 0; i < wanted; ++i) names.push_back(name_of(map, kind, static_cast<int64_t>(i)));
  return invalid(option, ": expected ", wanted, wanted == 1 ? " value" : " values",
                 wanted == 0 ? "" : absl::StrCat(", for ", absl::StrJoin(names, ", ")), ", found ",
                 values.size());
}

struct Question {
  IndexingMap map;
  std::vector<spec::Point> points;
};

absl::StatusOr<Question> question_of(const Command& given) {
  const std::string text = TRY(read_argument(given.text("MAP")));
  AnyMap map = TRY(parse_any_divided_map(text));
  Question question{std::move(map.map), {}};
  std::vector<std::string> at = given.list("--at");
  if (at.empty()) at.emplace_back();  // a map without dimensions
  for (const std::string& dims : at) {
    spec::Point& point = question.points.emplace_back();
    point.dims = TRY(values_for(question.map, Op::kDimension, "--at", dims));
    point.ranges = TRY(values_for(question.map, Op::kRange, "--ranges", given.text("--ranges")));
    point.runtime =
        TRY(values_for(question.map, Op::kRuntime, "--runtime", given.text("--runtime")));
  }
  return question;
}

}  // namespace

absl::StatusOr<Answer> evaluate_command(const Command& given) {
  const Question question = TRY(question_of(given));
  Answer answer;
  for (const spec::Point& point : question.points) {
    const Results results = spec::evaluate(question.map, point);
    answer.json.push_back(
        json_object({{"at", point_json(point)}, {"results", results_json(results)}}));
    if (results.ok()) {
      absl::StrAppend(&answer.text, results_text(results), "\n");
    } else {
      answer.status = complain_in_text("evaluate", results.status());
    }
  }
  return answer;
}

// tileproof explain: where a layout puts an element, step by step.

namespace {

using Numbers = std::vector<int64_t>;
using spec::Explanation;
using spec::LayoutFunction;

std::string to_text(const Explanation& e, std::optional<int64_t> bits) {
  std::string text = absl::StrCat("element ", dims_text(e.index), "\n");
  const auto line = [&text](const auto&... parts) { absl::StrAppend(&text, "  ", parts..., "\n"); };
  for (const spec::ExplainedStep& place : e.steps) {
    if (!place.moves) continue;
    line(place.step, ", now ", dims_text(place.dims), ": at ", dims_text(place.index));
  }
  for (const spec::ExplainedMode& d : e.modes) {
    line("mode ", d.mode, ": ", e.index[d.mode], " has the digits (", absl::StrJoin(d.digits, ","),
         ") of (", absl::StrJoin(d.extents, ","), "), strides (", absl::StrJoin(d.strides, ","),
         ")");
  }
  if (e.unswizzled) line("before swizzle  ", *e.unswizzled);
  if (!e.physical.empty()) line("physical index  ", dims_text(e.physical));
  if (!e.position.empty()) {
    line("tile            ", dims_text(e.tile), " of ", dims_text(e.tiles), ", position ",
         dims_text(e.position), " of ", dims_text(e.tile_dims), " in it");
  }
  line("offset          ", e.offset, " elements");
  if (e.bit) {
    line("byte            ", *e.bit / 8, ", bit ", *e.bit % 8, " of it; ", *bits, " bits from bit ",
         *e.bit);
  }
  return text;
}

}  // namespace

absl::StatusOr<Answer> explain_command(const Command& given) {
  const std::string text = TRY(read_argument(given.text("LAYOUT")));
  const AnyLayout layout = TRY(about("", parse_any_layout(text), text));
  const LayoutFunction function = TRY(spec::layout_function(layout));
  const auto &indices = given.list("--index"), &offsets = given.list("--offset");
  if (indices.empty() && offsets.empty()) {
    return invalid("expected --index or --offset");
  }
  const std::optional<int64_t> bits =
      given.has("--bits") ? given.number_if("--bits") : function.element_bits;
  Json::Array elements;
  std::string said = to_text(layout) + "\n";
  const auto add = [&](Numbers index) {
    const Explanation element = explain_index(function, std::move(index), bits);
    elements.push_back(explorer::explanation_json(element));
    said += to_text(element, bits);
  };
  for (const std::string& index : indices) add(TRY(layout_index(function, index)));
  for (const std::string& one : offsets) {
    Cursor cursor(one);
    const int64_t offset = TRY(cursor.take_integer("an offset"));
    TRY(cursor.expect_end());
    std::optional<Numbers> index = TRY(element_at(function, offset));
    if (index) {
      add(*std::move(index));
    } else {
      elements.push_back(json_object({{"offset", offset}, {"index", Json()}}));
      absl::StrAppend(&said, "offset ", offset, " holds padding\n");
    }
  }
  return Answer{
      {json_object({{"layout", to_text(layout)}, {"elements", Json(std::move(elements))}})},
      std::move(said)};
}

}  // namespace tileproof::cli
