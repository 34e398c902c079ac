// SPDX-License-Identifier: Apache-2.0
// tla.offset and tla.make: wrong offsets and strides of nested layouts.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/oracle/fields.h"
#include "conform/zoo/variants.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

bool is_pair(const IntTuple& tuple) { return tuple.is_tuple && tuple.elements.size() == 2; }

// A layout of two modes with an inner and an outer part each, and a coordinate of two integers.
struct Fractal {
  int64_t inner[2], outer[2];  // extents
  int64_t inner_stride[2], outer_stride[2];
  int64_t at[2];
};

std::optional<Fractal> fractal(const Json& request) {
  const absl::StatusOr<NestedLayout> layout = conform::nested_under(request);
  const Json* given = find(request, "coord");
  const absl::StatusOr<IntTuple> coord =
      conform::int_tuple_in(given == nullptr ? Json() : *given, "coord");
  if (!layout.ok() || !coord.ok() || !is_pair(layout->shape) || !is_pair(*coord)) {
    return std::nullopt;
  }
  Fractal f;
  for (size_t i = 0; i < 2; ++i) {
    const IntTuple &shape = layout->shape.elements[i], &stride = layout->stride.elements[i];
    if (!is_pair(shape) || coord->elements[i].is_tuple) return std::nullopt;
    if (shape.elements[0].is_tuple || shape.elements[1].is_tuple) return std::nullopt;
    f.inner[i] = shape.elements[0].value;
    f.outer[i] = shape.elements[1].value;
    f.inner_stride[i] = stride.elements[0].value;
    f.outer_stride[i] = stride.elements[1].value;
    f.at[i] = coord->elements[i].value;
    if (f.inner[i] < 1) return std::nullopt;
  }
  return f;
}

int64_t wrapped(int64_t a, int64_t b, int64_t c, int64_t d) {
  return static_cast<int64_t>(uint64_t(a) * uint64_t(b) + uint64_t(c) * uint64_t(d));
}

// Treats the layout as row-major: the first mode has its inner stride, the second has stride 1.
void row_major_assumed(const Json& request, Json& result) {
  const std::optional<Fractal> f = fractal(request);
  if (f) result = wrapped(f->at[0], f->inner_stride[0], f->at[1], 1);
}

// Multiplies coordinates by the stride inside the fractal, even beyond the fractal.
void affine_across_fractals(const Json& request, Json& result) {
  const std::optional<Fractal> f = fractal(request);
  if (!f) return;
  result = wrapped(f->at[0], f->inner_stride[0], f->at[1], f->inner_stride[1]);
}

// True for zZ, or for nN with its modes exchanged: the fractals have the order of their elements.
bool is_zz(const Fractal& f, size_t z) {
  const size_t n = 1 - z;
  return f.inner_stride[n] == 1 && f.inner_stride[z] == f.inner[n] &&
         f.outer_stride[n] == f.inner[0] * f.inner[1] &&
         f.outer_stride[z] == f.outer[n] * f.outer_stride[n];
}

// Returns the offset of the fractal and forgets the position inside it.
void place_in_fractal_dropped(const Json& request, Json& result) {
  const std::optional<Fractal> f = fractal(request);
  if (!f || (!is_zz(*f, 0) && !is_zz(*f, 1))) return;
  result = wrapped(f->at[0] / f->inner[0], f->outer_stride[0], f->at[1] / f->inner[1],
                   f->outer_stride[1]);
}

// A coordinate past the end of the last mode starts again at 0.
bool last_mode_wraps(Json& request) {
  const absl::StatusOr<NestedLayout> layout = conform::nested_under(request);
  const auto* coord = find_as<Json::Array>(request, "coord");
  if (!layout.ok() || coord == nullptr || !layout->shape.is_tuple) return false;
  if (coord->size() != layout->shape.elements.size()) return false;
  Json::Array inside = *coord;
  for (size_t i = 0; i < inside.size(); ++i) {
    const IntTuple& mode = layout->shape.elements[i];
    const int64_t* at = inside[i].as<int64_t>();
    if (at == nullptr || mode.is_tuple || mode.value < 1 || *at < mode.value) continue;
    inside[i] = *at % mode.value;
  }
  set(request, "coord", std::move(inside));
  return true;
}

// A nested mode with an integer coordinate counts from its last part.
bool last_part_first(Json& request) {
  absl::StatusOr<NestedLayout> layout = conform::nested_under(request);
  if (!layout.ok() || find_as<int64_t>(request, "coord") == nullptr) return false;
  std::ranges::reverse(layout->shape.elements);
  std::ranges::reverse(layout->stride.elements);
  set(request, "layout", to_text(*layout));
  return true;
}

// ---- tla.make ----

// Stores each stride of the result in a narrower integer.
template <class Narrow>
void narrow_strides(const Json&, Json& result) {
  const auto* text = result.as<std::string>();
  const absl::StatusOr<NestedLayout> layout = parse_nested_layout(text == nullptr ? "" : *text);
  if (!layout.ok()) return;
  std::vector<int64_t> strides = leaves(layout->stride);
  for (int64_t& stride : strides) stride = static_cast<Narrow>(stride);
  result = to_text(NestedLayout{layout->shape, with_leaves(layout->stride, strides)});
}

// A fractal of 64-bit elements has the width of one of 32 bits.
bool wide_elements_as_narrow(Json& request) {
  const int64_t* bits = find_as<int64_t>(request, "element_bits");
  if (bits == nullptr || *bits != 64) return false;
  set(request, "element_bits", 32);
  return true;
}

// The rows of a tagged matrix have 16 bits.
bool rows_in_16_bits(Json& request) {
  const int64_t* rows = find_as<int64_t>(request, "rows");
  if (rows == nullptr || *rows < 1 << 16) return false;
  set(request, "rows", *rows & 0xffff);
  return true;
}

const Variant kTlaVariants[] = {
    {"CAT-01", OtherResult(row_major_assumed)},
    {"CAT-09", OtherResult(narrow_strides<uint16_t>)},
    {"OPEN-33", OtherResult(place_in_fractal_dropped)},
    {"FACT-TLA-SLICE", OtherResult(affine_across_fractals)},
    {"FACT-TLA-WRAP", OtherResult(narrow_strides<int32_t>)},
    {"LIKE-TRI-02", OtherRequest(last_mode_wraps)},
    {"LIKE-FACT-TLA-WEIGHT", OtherRequest(wide_elements_as_narrow)},
    {"SECOND-PARTS", OtherRequest(last_part_first)},
    {"SECOND-ROWS-16", OtherRequest(rows_in_16_bits)},
};

}  // namespace

absl::Span<const Variant> tla_variants() { return kTlaVariants; }

}  // namespace tileproof::zoo
