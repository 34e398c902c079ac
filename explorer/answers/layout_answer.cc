// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "explorer/answers/panels.h"
#include "impl/layout/digit_layout.h"
#include "impl/map/simplify.h"
#include "picture/array_view.h"
#include "picture/layout_svg.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/explain_index.h"
#include "spec/layout/layout_function.h"
#include "spec/map/map_evaluation.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/prove/layout/layout_convert.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/map/map_equal.h"
#include "verify/trace/trace_check.h"
#include "verify/trace/trace_text.h"

namespace tileproof::explorer {
namespace {

using conform::json_object;

absl::StatusOr<AnyLayout> layout_in(const Json& question) {
  return parse_any_layout(TRY(text_in(question, "text")));
}

Json stage(absl::string_view step, const spec::Array& array) {
  return json_object({{"step", step}, {"dims", array.dims}, {"ids", array.ids}});
}

}  // namespace

Json explanation_json(const spec::Explanation& e) {
  Json json = json_object({{"index", e.index}, {"offset", e.offset}});
  Json::Array steps;
  for (const spec::ExplainedStep& step : e.steps) {
    steps.push_back(json_object(
        {{"step", step.step}, {"dims", step.dims}, {"index", step.index}, {"moves", step.moves}}));
  }
  for (const spec::ExplainedMode& d : e.modes) {
    steps.push_back(json_object(
        {{"mode", d.mode}, {"digits", d.digits}, {"extents", d.extents}, {"strides", d.strides}}));
  }
  set(json, "steps", Json(std::move(steps)));
  if (e.unswizzled) set(json, "unswizzled", *e.unswizzled);
  if (!e.physical.empty()) set(json, "physical", e.physical);
  if (!e.position.empty()) {
    set(json, "tile", e.tile);
    set(json, "position", e.position);
  }
  if (e.bit) {
    set(json, "byte", *e.bit / 8);
    set(json, "bit", *e.bit);
  }
  return json;
}

absl::StatusOr<Json> layout_answer(const Json& question, Memory&) {
  const AnyLayout layout = TRY(layout_in(question));
  const picture::DrawnLayout drawn = TRY(picture::drawn_layout(layout));
  picture::LayoutPicture look;
  const std::string coloring = TRY(text_or_none(question, "coloring"));
  if (!coloring.empty()) look.coloring = TRY(picture::parse_coloring(coloring));
  look.path = is(question, "path", true);
  look.indices = true;
  look.formula = impl::formula_of(layout);
  if (conform::find(question, "chosen") != nullptr)
    look.chosen = TRY(integers_in(question, "chosen"));
  Json json = json_object({{"layout", drawn.text}, {"dims", drawn.function.dims}});
  if (const auto elements = element_count(drawn.function.dims)) {
    set(json, "elements", *elements);
    set(json, "padding", drawn.slots - *elements);
  }
  set(json, "slots", drawn.slots);
  if (drawn.element_bits > 0) {
    set(json, "bits", drawn.element_bits);
    if (const auto bits = checked_mul(drawn.slots, drawn.element_bits)) {
      set(json, "bytes", *bits / 8 + (*bits % 8 != 0 ? 1 : 0));
    }
  }
  set(json, "svg", TRY(picture::layout_svg(layout, look)));
  return json;
}

absl::StatusOr<Json> element_answer(const Json& question, Memory&) {
  const spec::LayoutFunction function = TRY(spec::layout_function(TRY(layout_in(question))));
  spec::Dims index = TRY(integers_in(question, "index"));
  TRY(spec::offset_at(function, index));  // the index is in the array
  return explanation_json(spec::explain_index(function, std::move(index), function.element_bits));
}

absl::StatusOr<Json> steps_answer(const Json& question, Memory&) {
  const spec::LayoutFunction function = TRY(spec::layout_function(TRY(layout_in(question))));
  const auto* tiled = std::get_if<spec::TiledLayout>(&function.meaning);
  if (tiled == nullptr) {
    return absl::UnimplementedError("a nested layout has no steps: its digits have strides");
  }
  for (const Dims& dims : tiled->dims) {
    if (element_count(dims).value_or(INT64_MAX) > kMostAnimated) {
      return absl::ResourceExhaustedError(
          absl::StrCat("more than ", kMostAnimated, " positions to show"));
    }
  }
  spec::Array array = spec::counted_array(function.dims);
  Json::Array stages = {stage("the array", array)};
  for (size_t i = 0; i < tiled->steps.size(); ++i) {
    array = spec::array_after(tiled->steps[i], array);
    stages.push_back(stage(spec::to_text(tiled->steps[i], tiled->dims[i + 1]), array));
  }
  return json_object({{"stages", Json(std::move(stages))}});
}

absl::StatusOr<Json> convert_answer(const Json& question, Memory&) {
  const AnyLayout layout = TRY(layout_in(question));
  const std::string type = TRY(text_or_none(question, "type"));
  const ElementType element = element_type_named(type).value_or(ElementType::kF32);
  verify::ProofSession session;
  session.milliseconds_per_question = 1000;
  Json::Array systems;
  for (const char* name : {"xla", "tla", "cute", "dnnl"}) {
    const auto system = verify::layout_system_named(name);
    const verify::Converted made = TRY(verify::convert(layout, *system, element, session));
    Json json = json_object({{"system", name}});
    if (made.layout) {
      set(json, "text", to_text(*made.layout));
      set(json, "verdict", word_of(made.proof.verdict, "proven", "refuted"));
    } else {
      set(json, "verdict", made.ruled_out ? "ruled out" : "not found");
      set(json, "reason", made.reason);
    }
    Json::Array notes(made.notes.begin(), made.notes.end());
    set(json, "notes", Json(std::move(notes)));
    systems.push_back(std::move(json));
  }
  return json_object({{"systems", Json(std::move(systems))}});
}

namespace {

using conform::invalid;
using conform::prefixed;

constexpr int64_t kMilliseconds = 2000;  // of processor time

absl::StatusOr<Json> compare_layouts(const std::string& left, const std::string& right,
                                     const picture::LayoutPicture& look) {
  const AnyLayout first = TRY(prefixed("left", parse_any_layout(left)));
  const AnyLayout second = TRY(prefixed("right", parse_any_layout(right)));
  spec::LayoutFunction a = TRY(spec::layout_function(first));
  spec::LayoutFunction b = TRY(spec::layout_function(second));
  TRY(spec::share_shape(a, b));
  verify::ProofSession session;
  session.milliseconds_per_question = kMilliseconds;
  const verify::LayoutProof proof = verify::prove_equal(a, b, session);
  Json json =
      json_object({{"kind", "layout"}, {"verdict", word_of(proof.verdict, "equal", "different")}});
  if (proof.at) {
    const spec::Dims at = verify::least_difference(a, b, *proof.at, kMilliseconds);
    set(json, "at", at);
    set(json, "left", TRY(spec::offset_at(a, at)));
    set(json, "right", TRY(spec::offset_at(b, at)));
  }
  if (!proof.open.empty()) set(json, "open", proof.open);
  const std::vector<std::string> differences = spec::notes(a, b);
  set(json, "notes", Json(Json::Array(differences.begin(), differences.end())));
  const absl::StatusOr<std::string> svg = picture::compared_svg(first, second, look);
  if (svg.ok()) set(json, "svg", *svg);
  return json;
}

absl::StatusOr<Json> compare_maps(const std::string& left, const std::string& right) {
  const IndexingMap first = TRY(prefixed("left", parse_map(left)));
  const IndexingMap second = TRY(prefixed("right", parse_map(right)));
  verify::EqualOptions options;
  options.milliseconds = kMilliseconds;
  const verify::MapEquality found = TRY(verify::equal(first, second, options));
  Json json =
      json_object({{"kind", "map"}, {"verdict", word_of(found.verdict, "equal", "different")}});
  if (found.difference) {
    set(json, "at", point_json(found.difference->at));
    set(json, "point", spec::to_text(first, found.difference->at));
    set(json, "left", results_json(found.difference->left));
    set(json, "right", results_json(found.difference->right));
  }
  if (found.verdict == verify::Verdict::kProven) set(json, "by", verify::explain(found.basis));
  if (!found.open.empty()) set(json, "open", found.open);
  set(json, "notes", Json(Json::Array()));
  return json;
}

}  // namespace

Json point_json(const spec::Point& point) {
  return json_object({{"dims", point.dims}, {"ranges", point.ranges}, {"runtime", point.runtime}});
}

Json results_json(const Results& results) {
  if (!results.ok()) return json_object({{"error", results.status().message()}});
  return *results ? Json(**results) : Json();
}

absl::StatusOr<Json> compare_answer(const Json& question, Memory&) {
  const std::string left = TRY(text_in(question, "left"));
  const std::string right = TRY(text_in(question, "right"));
  const bool maps = absl::StrContains(left, "->");
  if (maps != absl::StrContains(right, "->")) {
    return invalid("expected two layouts or two maps, found one of each");
  }
  if (maps) return compare_maps(left, right);
  picture::LayoutPicture look;
  const std::string coloring = TRY(text_or_none(question, "coloring"));
  if (!coloring.empty()) look.coloring = TRY(picture::parse_coloring(coloring));
  return compare_layouts(left, right, look);
}

namespace {

struct NamedVariable {
  Op kind;
  size_t number;  // of its kind
  std::string name;
  Interval bounds;
};

std::vector<NamedVariable> variables_in(const IndexingMap& map) {
  std::vector<NamedVariable> all;
  for (const Op kind : kVariableKinds) {
    const std::vector<Variable>& list = variables_of(map, kind);
    for (size_t i = 0; i < list.size(); ++i) {
      all.push_back({kind, i, name_of(map, kind, static_cast<int64_t>(i)), list[i].bounds});
    }
  }
  return all;
}

const char* kind_name(Op kind) {
  if (kind == Op::kDimension) return "dimension";
  return kind == Op::kRange ? "range" : "runtime";
}

// "pull-multiple" of "pull-multiple(x = d0, y = d1, c = 8)"; "" of a reason that is no lemma.
std::string lemma_of(absl::string_view reason) {
  const std::string name(reason.substr(0, reason.find('(')));
  return lemmas::find_lemma(name) == nullptr ? "" : name;
}

Json to_json(const trace::Section& section) {
  Json::Array lets, steps;
  for (const trace::Let& let : section.lets) {
    lets.emplace_back(absl::StrCat(let.name, " = (", let.inside, ") floordiv ", let.divisor));
  }
  for (size_t i = 0; i < section.steps.size(); ++i) {
    const trace::Step& step = section.steps[i];
    Json json = json_object(
        {{"number", static_cast<int64_t>(i) + 1}, {"says", step.says}, {"by", step.by}});
    const std::string lemma = lemma_of(step.by);
    if (!lemma.empty()) set(json, "lemma", lemma);
    Json::Array used;
    for (const auto* list : {&step.from, &step.given, &step.rules}) {
      for (const int number : *list) used.emplace_back(int64_t{number} + 1);
    }
    set(json, "uses", Json(std::move(used)));
    steps.push_back(std::move(json));
  }
  Json json = json_object({{"before", to_text(section.before)}, {"after", to_text(section.after)}});
  set(json, "lets", Json(std::move(lets)));
  set(json, "steps", Json(std::move(steps)));
  return json;
}

// The values of an axis that are shown, from one of them on.
Interval shown(const Interval& bounds, int64_t from) {
  if (from > bounds.high) return {from, from - 1};
  const bool wide = static_cast<uint64_t>(bounds.high) - static_cast<uint64_t>(from) >=
                    static_cast<uint64_t>(kMostPlotted);
  return {from, wide ? from + kMostPlotted - 1 : bounds.high};
}

absl::StatusOr<const NamedVariable*> axis(const std::vector<NamedVariable>& variables,
                                          absl::string_view name) {
  for (const NamedVariable& variable : variables) {
    if (variable.name == name) return &variable;
  }
  return absl::InvalidArgumentError(absl::StrCat("no such variable: '", name, "'"));
}

}  // namespace

absl::StatusOr<Json> map_answer(const Json& question, Memory&) {
  const IndexingMap map = TRY(parse_map(TRY(text_in(question, "text"))));
  Json json = json_object({{"map", to_text(map)}});
  Json::Array variables;
  for (const NamedVariable& variable : variables_in(map)) {
    variables.push_back(json_object({{"name", variable.name},
                                     {"kind", kind_name(variable.kind)},
                                     {"low", variable.bounds.low},
                                     {"high", variable.bounds.high}}));
  }
  set(json, "variables", Json(std::move(variables)));
  set(json, "results", static_cast<int64_t>(map.results.size()));
  const impl::Traced traced = TRY(impl::simplify_with_trace(map));
  set(json, "simplified", to_text(traced.map));
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(traced.trace);
  set(json, "accepted", checked.ok());
  if (!checked.ok()) {
    set(json, "rejected",
        traced.trace.empty() ? "the map has too many steps to log" : checked.status().message());
    return json;
  }
  Json::Array sections;
  for (const trace::Section& section : TRY(trace::parse_trace(traced.trace))) {
    sections.push_back(to_json(section));
  }
  set(json, "sections", Json(std::move(sections)));
  return json;
}

absl::StatusOr<Json> plot_answer(const Json& question, Memory&) {
  const IndexingMap map = TRY(parse_map(TRY(text_in(question, "text"))));
  const std::vector<NamedVariable> variables = variables_in(map);
  const std::vector<int64_t> at = TRY(integers_in(question, "at"));
  if (at.size() != variables.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"at\": expected ", variables.size(), " values, found ", at.size()));
  }
  const int32_t result = TRY(number_in(question, "result"));
  if (result >= std::ssize(map.results)) return absl::InvalidArgumentError("no such result");
  const NamedVariable* x = TRY(axis(variables, TRY(text_in(question, "x"))));
  const std::string second = TRY(text_or_none(question, "y"));
  const NamedVariable* y = second.empty() ? nullptr : TRY(axis(variables, second));
  spec::Point point;
  for (size_t i = 0; i < at.size(); ++i) {
    spec::values_of(point, variables[i].kind).push_back(at[i]);
  }
  const auto from = [&](const NamedVariable& variable) {
    return spec::values_of(point, variable.kind)[variable.number];
  };
  const Interval columns = shown(x->bounds, from(*x));
  const Interval rows = y == nullptr ? Interval{0, 0} : shown(y->bounds, from(*y));
  Json::Array values;
  for (int64_t row = rows.low; row <= rows.high; ++row) {
    if (y != nullptr) spec::values_of(point, y->kind)[y->number] = row;
    Json::Array line;
    for (int64_t column = columns.low; column <= columns.high; ++column) {
      spec::values_of(point, x->kind)[x->number] = column;
      const auto found = spec::evaluate(map, point);
      line.push_back(found.ok() && *found ? Json((**found)[static_cast<size_t>(result)]) : Json());
    }
    values.emplace_back(std::move(line));
  }
  Json json = json_object({{"x", std::vector<int64_t>{columns.low, columns.high}},
                           {"y", std::vector<int64_t>{rows.low, rows.high}}});
  set(json, "values", Json(std::move(values)));
  return json;
}

absl::StatusOr<Json> lemma_answer(const Json& question, Memory&) {
  const std::string name = TRY(text_in(question, "name"));
  const lemmas::StatedLemma* lemma = lemmas::find_lemma(name);
  if (lemma == nullptr) return absl::NotFoundError(absl::StrCat("no such lemma: '", name, "'"));
  return json_object(
      {{"name", lemma->name},
       {"says", lemma->says},
       {"statement", to_text(lemma->claim)},
       {"subject", lemma->subject},
       {"variables", Json(Json::Array(lemma->variables.begin(), lemma->variables.end()))}});
}

}  // namespace tileproof::explorer
