// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/module_interface.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::verify {
namespace {

// The shapes of a whole program, `(f32[2], s32[]) -> f32[2]`.
struct ProgramShape {
  std::vector<Shape> parameters;
  Shape result;
};

// The value of entry_computation_layout: the shape of the program, in braces.
absl::StatusOr<ProgramShape> program_shape(absl::string_view text) {
  Cursor cursor(text);
  ProgramShape program;
  TRY(cursor.expect("{", "to open the layout of the program"));
  TRY(cursor.expect("(", "to open the parameters"));
  while (!cursor.take(")")) {
    if (!program.parameters.empty()) TRY(cursor.expect(",", "between parameters"));
    program.parameters.push_back(TRY(parse_shape(cursor)));
  }
  TRY(cursor.expect("->", "before the result"));
  program.result = TRY(parse_shape(cursor));
  return program;
}

// The shapes that the instructions of the entry computation say.
absl::StatusOr<ProgramShape> shape_of_entry(const HloModule& module) {
  const HloComputation& entry = module.computations[module.entry];
  std::map<int64_t, const Shape*> parameters;
  for (const HloInstruction& i : entry.instructions) {
    if (i.opcode != HloOpcode::kParameter || !i.shape) continue;
    parameters[i.parameter_number] = &*i.shape;
  }
  ProgramShape program;
  for (const auto& [number, shape] : parameters) program.parameters.push_back(*shape);
  const SharedShape& result = entry.instructions[entry.root].shape;
  if (!result) return absl::InvalidArgumentError("expected a result whose shape is written");
  program.result = *result;
  return program;
}

bool fit(const ProgramShape& a, const ProgramShape& b) {
  return std::ranges::equal(a.parameters, b.parameters, compatible) &&
         compatible(a.result, b.result);
}

absl::StatusOr<ProgramShape> shape_of(const HloModule& module) {
  ProgramShape of_entry = TRY(shape_of_entry(module));
  const std::string* header = find_attribute(module.attributes, "entry_computation_layout");
  if (header == nullptr) return of_entry;
  auto of_header = program_shape(*header);
  // XLA refuses a header that is about another program. What it says of layouts is void.
  return of_header.ok() && fit(*of_header, of_entry) ? *std::move(of_header) : std::move(of_entry);
}

// "{1,0}", as shapes have it.
std::string layout_text(const Shape& array) {
  Shape written = array;
  written.layout = layout_of(array);
  const std::string text = to_text(written);
  return text.substr(text.find(']') + 1);
}

absl::Status compare(const Shape& left, const Shape& right, LayoutDifference place,
                     std::vector<LayoutDifference>& differences) {
  const Leaves a = TRY(leaves_of(left)), b = TRY(leaves_of(right));
  for (size_t leaf = 0; leaf < std::min(a.size(), b.size()); ++leaf) {
    if (layout_of(*a[leaf].array) == layout_of(*b[leaf].array)) continue;
    place.leaf = static_cast<int64_t>(leaf);
    place.left = layout_text(*a[leaf].array);
    place.right = layout_text(*b[leaf].array);
    differences.push_back(place);
  }
  return absl::OkStatus();
}

}  // namespace

bool promises_layouts(const HloModule& module) {
  const std::string* scheduled = find_attribute(module.attributes, "is_scheduled");
  return scheduled != nullptr && *scheduled == "true";
}

absl::StatusOr<std::vector<LayoutDifference>> layout_differences(const HloModule& left,
                                                                 const HloModule& right) {
  const ProgramShape a = TRY(shape_of(left)), b = TRY(shape_of(right));
  std::vector<LayoutDifference> differences;
  for (size_t k = 0; k < std::min(a.parameters.size(), b.parameters.size()); ++k) {
    TRY(compare(a.parameters[k], b.parameters[k], {.parameter = static_cast<int64_t>(k)},
                differences));
  }
  TRY(compare(a.result, b.result, {.is_of_result = true}, differences));
  return differences;
}

}  // namespace tileproof::verify
