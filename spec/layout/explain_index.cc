// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/explain_index.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "spec/layout/layout_steps.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec {
namespace {

// Which dimensions after a step are inside a tile.
std::vector<bool> inside_after(const Step& step, std::vector<bool> inside) {
  if (std::holds_alternative<Prepend>(step)) inside.insert(inside.begin(), false);
  if (const auto* combine = std::get_if<Combine>(&step)) {
    // Before a star, dimensions outside of tiles come first: if one of both is inside, the right is.
    inside.erase(std::next(inside.begin(), combine->at));
  }
  if (const auto* split = std::get_if<Split>(&step)) {
    inside.insert(inside.begin() + split->at + 1, true);
  }
  if (const auto* transpose = std::get_if<Transpose>(&step)) {
    std::vector<bool> moved;
    for (const int64_t from : transpose->from) moved.push_back(inside[from]);
    return moved;
  }
  return inside;
}

void explain_tiled(const TiledLayout& layout, Explanation& explanation) {
  Dims index = explanation.index;
  std::vector<bool> inside(index.size(), false);
  for (size_t i = 0; i < layout.steps.size(); ++i) {
    if (i == layout.physical_position) explanation.physical = index;
    index = forward(layout.steps[i], layout.dims[i], std::move(index));
    if (i < layout.physical_position) inside = inside_after(layout.steps[i], inside);
    explanation.steps.push_back({to_text(layout.steps[i], layout.dims[i + 1]),
                                 i < layout.physical_position && !moves_nothing(layout.steps[i]),
                                 layout.dims[i + 1], index});
  }
  if (layout.physical_position == layout.steps.size()) explanation.physical = index;
  explanation.offset = index.front();
  for (size_t d = 0; d < inside.size(); ++d) {
    (inside[d] ? explanation.position : explanation.tile).push_back(explanation.physical[d]);
    (inside[d] ? explanation.tile_dims : explanation.tiles).push_back(layout.physical()[d]);
  }
  if (explanation.position.empty()) explanation.tile.clear();
}

void explain_nested(const NestedModes& nested, Explanation& explanation) {
  for (size_t k = 0; k < explanation.index.size(); ++k) {
    ExplainedMode digits{static_cast<int64_t>(k),
                         leaves(nested.layout.shape.is_tuple ? nested.layout.shape.elements[k]
                                                             : nested.layout.shape),
                         {},
                         nested.strides[k]};
    spread_integer(nested.modes[k], explanation.index[k], digits.digits);
    for (size_t i = 0; i < digits.digits.size(); ++i) {
      explanation.offset += digits.digits[i] * digits.strides[i];
    }
    explanation.modes.push_back(std::move(digits));
  }
}

}  // namespace

bool moves_nothing(const Step& step) {
  const auto* transpose = std::get_if<Transpose>(&step);
  return transpose != nullptr && std::is_sorted(transpose->from.begin(), transpose->from.end());
}

Explanation explain_index(const LayoutFunction& function, Dims index, std::optional<int64_t> bits) {
  Explanation explanation;
  explanation.index = std::move(index);
  if (const auto* tiled = std::get_if<TiledLayout>(&function.meaning)) {
    explain_tiled(*tiled, explanation);
  } else if (const auto* nested = std::get_if<NestedModes>(&function.meaning)) {
    explain_nested(*nested, explanation);
  } else if (const auto* swizzled = std::get_if<SwizzledModes>(&function.meaning)) {
    explain_nested(swizzled->modes, explanation);
    explanation.unswizzled = explanation.offset + swizzled->layout.start;
    explanation.offset = swizzled_element(swizzled->layout, *explanation.unswizzled);
  } else {
    explanation.offset = offset_of(function, explanation.index);
  }
  int64_t bit;
  if (bits && !__builtin_mul_overflow(explanation.offset, *bits, &bit)) explanation.bit = bit;
  return explanation;
}

}  // namespace tileproof::spec
