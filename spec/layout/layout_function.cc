// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/layout_function.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/layout/blocked_layout.h"
#include "spec/layout/nested_layout.h"

namespace tileproof::spec {
namespace {

absl::StatusOr<NestedModes> nested_modes(const NestedLayout& layout) {
  NestedModes result{layout, {}, {}};
  for (int64_t d = 0; d < rank(layout.shape); ++d) {
    const NestedLayout part = mode(layout, d);
    result.modes.push_back(modes_of(part.shape));
    result.strides.push_back(leaves(part.stride));
  }
  return result;
}

// Returns the size of a compact layout with its padding: the maximum of stride times extent.
std::optional<int64_t> positions(const NestedLayout& layout) {
  const std::vector<int64_t> extents = leaves(layout.shape);
  const std::vector<int64_t> strides = leaves(layout.stride);
  int64_t most = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0) return 0;
    const std::optional<int64_t> product = checked_mul(extents[i], strides[i]);
    if (!product) return std::nullopt;
    most = std::max(most, *product);
  }
  return most;
}

struct Meaning {
  absl::StatusOr<LayoutFunction> operator()(const Shape& shape) const {
    TiledLayout steps = TRY(tiled_layout(shape));
    const Layout layout = layout_of(shape);
    const int64_t bits = layout.element_size_in_bits;
    LayoutFunction result{shape, steps.logical(), {}, {}, steps.elements(), layout.memory_space};
    result.element_bits = bits != 0 ? bits : 8 * byte_width(shape.element_type);
    result.meaning = std::move(steps);
    return result;
  }

  absl::StatusOr<LayoutFunction> operator()(const BlockedShape& shape) const {
    TiledLayout steps = TRY(blocked_layout(shape));
    LayoutFunction result{shape, steps.logical(), {}, {}, steps.elements(), {}};
    result.element_bits = 8 * byte_width(shape.element_type);
    result.meaning = std::move(steps);
    return result;
  }

  absl::StatusOr<LayoutFunction> operator()(const NestedLayout& layout) const {
    TRY(validate(layout));
    TRY(cosize(layout));
    NestedModes modes = TRY(nested_modes(layout));
    LayoutFunction result{layout, {}, {}, {}, {}, {}};
    for (const Modes& one : modes.modes) {
      if (!one.size) return absl::OutOfRangeError("a mode's size does not fit 64 signed bits");
      result.dims.push_back(*one.size);
    }
    result.meaning = std::move(modes);
    return result;
  }

  absl::StatusOr<LayoutFunction> operator()(const TaggedShape& tagged) const {
    const NestedLayout made = TRY(make_layout(tagged));
    LayoutFunction result = TRY((*this)(made));
    result.layout = tagged;
    result.dims = tagged.dims;
    result.elements = positions(made);
    result.element_bits = tla_bits(tagged.element_type);
    return result;
  }

  absl::StatusOr<LayoutFunction> operator()(const SwizzledLayout& swizzled) const {
    TRY(validate(swizzled));
    LayoutFunction result = TRY((*this)(swizzled.layout));
    const std::vector<int64_t> strides = leaves(swizzled.layout.stride);
    if (std::any_of(strides.begin(), strides.end(), [](int64_t d) { return d < 0; })) {
      return absl::InvalidArgumentError("expected strides of at least 0 in a swizzled layout");
    }
    const int64_t positions = TRY(cosize(swizzled.layout));
    const int64_t bytes = std::max<int64_t>(swizzled.pointer_bits.value_or(0) / 8, 1);
    if (!checked_add(positions, swizzled.start) || !checked_mul(positions, bytes)) {
      return absl::OutOfRangeError("expected offsets that fit 64 bits");
    }
    result.layout = swizzled;
    result.element_bits = swizzled.pointer_bits;
    result.meaning = SwizzledModes{swizzled, std::get<NestedModes>(std::move(result.meaning))};
    return result;
  }

  absl::StatusOr<LayoutFunction> operator()(const MemRef& memref) const {
    return LayoutFunction{memref, memref.dims, memref, memref.element_bits, {}, {}};
  }
};

// Returns whether a mode of these extents fits an array of d elements, padded or not.
bool is_padded(const std::vector<int64_t>& extents, int64_t d) {
  if (extents.empty()) return d == 1;
  int64_t inner = 1;
  for (size_t i = 0; i + 1 < extents.size(); ++i) {
    const std::optional<int64_t> product = checked_mul(inner, extents[i]);
    if (!product) return false;
    inner = *product;
  }
  if (inner == 0) return d == 0;
  return d / inner + (d % inner != 0 ? 1 : 0) == extents.back();
}

// The modes of a layout that has no array of its own; else null.
const NestedLayout* nested_of(const LayoutFunction& function) {
  if (const auto* swizzled = std::get_if<SwizzledLayout>(&function.layout)) {
    return &swizzled->layout;
  }
  return std::get_if<NestedLayout>(&function.layout);
}

bool stands_for(const NestedLayout& layout, const Dims& dims) {
  if (rank(layout.shape) != std::ssize(dims)) return false;
  for (int64_t d = 0; d < std::ssize(dims); ++d) {
    if (!is_padded(leaves(mode(layout, d).shape), dims[d])) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<LayoutFunction> layout_function(const AnyLayout& layout) {
  return std::visit(Meaning{}, layout);
}

absl::Status share_shape(LayoutFunction& left, LayoutFunction& right) {
  if (left.dims == right.dims) return absl::OkStatus();
  // What takes the shape of an array: a nested layout that of all others, a swizzled one that of
  // arrays.
  const auto takes = [](LayoutFunction& taker, const LayoutFunction& other) {
    const NestedLayout* own = nested_of(taker);
    const bool is_plain = std::holds_alternative<NestedLayout>(taker.layout);
    const bool other_is_plain = std::holds_alternative<NestedLayout>(other.layout);
    const bool may =
        own != nullptr && (nested_of(other) == nullptr || (is_plain && !other_is_plain));
    if (!may || !stands_for(*own, other.dims)) return false;
    taker.dims = other.dims;
    return true;
  };
  if (takes(left, right) || takes(right, left)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the logical shapes differ: [",
                                                 absl::StrJoin(left.dims, ","), "] and [",
                                                 absl::StrJoin(right.dims, ","), "]"));
}

std::vector<std::string> notes(const LayoutFunction& left, const LayoutFunction& right) {
  std::vector<std::string> notes;
  if (left.elements && right.elements && left.elements != right.elements) {
    notes.push_back(absl::StrCat("the allocations differ: ", *left.elements, " and ",
                                 *right.elements, " elements"));
  }
  if (left.memory_space && right.memory_space && left.memory_space != right.memory_space) {
    notes.push_back(absl::StrCat("the memory spaces differ: ", *left.memory_space, " and ",
                                 *right.memory_space));
  }
  return notes;
}

absl::StatusOr<int64_t> offset_at(const LayoutFunction& function,
                                  const std::vector<int64_t>& index) {
  if (const auto* steps = std::get_if<TiledLayout>(&function.meaning))
    return linearize(*steps, index);
  TRY(expect_index(function.dims, index));
  if (std::holds_alternative<NestedModes>(function.meaning)) {
    const NestedLayout& layout = std::get<NestedModes>(function.meaning).layout;
    return offset(layout, layout.shape.is_tuple ? make_flat(index) : make_integer(index.front()));
  }
  return offset_of(function, index);
}

}  // namespace tileproof::spec
