// SPDX-License-Identifier: Apache-2.0
#include "conform/shrink/canonical_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "conform/oracle/exact_layout.h"
#include "conform/oracle/fields.h"
#include "spec/lang/hlo/hlo_shapes.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

template <class Value>
std::vector<std::string> printed(const absl::StatusOr<Value>& value) {
  if (!value.ok()) return {};
  return {to_text(*value)};
}

// Drops the instructions that the root does not need. Parameters of the entry are numbered again;
// those of a called computation stay.
void drop_unused(HloComputation& computation, bool entry) {
  std::vector<char> needed(computation.instructions.size(), 0);
  needed[computation.root] = 1;
  for (auto i = static_cast<int32_t>(needed.size()) - 1; i >= 0; --i) {
    const HloInstruction& at = computation.instructions[i];
    if (!entry && at.opcode == HloOpcode::kParameter) needed[i] = 1;
    if (!needed[i]) continue;
    for (const HloOperand& operand : at.operands) needed[operand.instruction] = 1;
  }
  std::vector<int32_t> positions(needed.size(), -1);
  std::vector<HloInstruction> kept;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    positions[i] = static_cast<int32_t>(kept.size());
    kept.push_back(std::move(computation.instructions[i]));
    for (HloOperand& operand : kept.back().operands) {
      operand = {positions[operand.instruction], {}};
    }
  }
  computation.instructions = std::move(kept);
  computation.root = positions[computation.root];
  computation.signature.reset();
  std::vector<HloInstruction*> parameters;
  for (HloInstruction& at : computation.instructions) {
    if (at.opcode == HloOpcode::kParameter) parameters.push_back(&at);
  }
  std::ranges::sort(parameters, {}, &HloInstruction::parameter_number);
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i]->parameter_number = static_cast<int64_t>(i);
  }
}

// Drops the computations that are never called.
void drop_uncalled(HloModule& module) {
  std::vector<char> called(module.computations.size(), 0);
  called[module.entry] = 1;
  for (int32_t c = static_cast<int32_t>(module.computations.size()) - 1; c >= 0; --c) {
    if (!called[c]) continue;  // callees come before their callers
    for (const HloInstruction& at : module.computations[c].instructions) {
      for (const HloCall& call : at.calls) {
        if (call.computation >= 0) called[call.computation] = 1;
      }
    }
  }
  std::vector<HloComputation> kept;
  for (size_t c = 0; c < called.size(); ++c) {
    if (called[c]) kept.push_back(std::move(module.computations[c]));
  }
  module.computations = std::move(kept);
}

std::string short_text(HloModule module) {
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    drop_unused(module.computations[c], c == module.entry);
  }
  module.attributes.clear();
  module.sections.clear();
  module.has_header = false;
  drop_uncalled(module);
  if (module.computations.size() == 1) module.computations[0].name.clear();
  return to_text(module);
}

std::vector<std::string> forms_of(HloModule module) {
  std::vector<std::string> forms = {short_text(module)};
  for (HloComputation& computation : module.computations) {
    for (HloInstruction& at : computation.instructions) {
      absl::StatusOr<Shape> shape = inferred_shape(module, computation, at);
      if (shape.ok()) at.shape = SharedShape(*std::move(shape));
    }
  }
  std::string inferred = short_text(std::move(module));
  if (inferred != forms[0]) forms.push_back(std::move(inferred));
  return forms;
}

}  // namespace

std::vector<std::string> canonical_texts(absl::string_view key, const std::string& text) {
  switch (form_of(key)) {
    case Form::kShape: {
      absl::StatusOr<Shape> shape = parse_shape_of_any_size(text);
      const bool array = shape.ok() && shape->kind == Shape::Kind::kArray && shape->rank() > 0;
      if (array) shape->layout = layout_of(*shape);  // many programs want a layout
      return printed(shape);
    }
    case Form::kLayout:
      return printed(parse_any_layout(text));
    case Form::kMap:
      return printed(parse_map(text));
    case Form::kHlo: {
      absl::StatusOr<HloModule> module = parse_hlo_module(text);
      return module.ok() ? forms_of(*std::move(module)) : std::vector<std::string>();
    }
    case Form::kOther:
      break;
  }
  return key == "by" ? printed(parse_tiler(text)) : std::vector{text};
}

}  // namespace tileproof::conform
