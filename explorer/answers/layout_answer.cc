// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "explorer/answers/panels.h"
#include "impl/layout/digit_layout.h"
#include "picture/drawn_layout.h"
#include "picture/layout_svg.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/explain_index.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/layout/layout_convert.h"

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

}  // namespace tileproof::explorer
