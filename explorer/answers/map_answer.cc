// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "explorer/answers/panels.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/trace/trace_check.h"
#include "verify/trace/trace_text.h"

namespace tileproof::explorer {
namespace {

using conform::json_object;

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
