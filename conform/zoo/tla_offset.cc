// SPDX-License-Identifier: Apache-2.0
// tla.offset and tla.make: wrong offsets and strides of nested layouts.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/oracle/tla_ops.h"
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
void row_major_assumed(const Json& request, conform::Answer& answer) {
  const std::optional<Fractal> f = fractal(request);
  if (f && is_result(answer)) answer.result = wrapped(f->at[0], f->inner_stride[0], f->at[1], 1);
}

// Multiplies coordinates by the stride inside the fractal, even beyond the fractal.
void affine_across_fractals(const Json& request, conform::Answer& answer) {
  const std::optional<Fractal> f = fractal(request);
  if (!f || !is_result(answer)) return;
  answer.result = wrapped(f->at[0], f->inner_stride[0], f->at[1], f->inner_stride[1]);
}

// True for zZ, or for nN with its modes exchanged: the fractals have the order of their elements.
bool is_zz(const Fractal& f, size_t z) {
  const size_t n = 1 - z;
  return f.inner_stride[n] == 1 && f.inner_stride[z] == f.inner[n] &&
         f.outer_stride[n] == f.inner[0] * f.inner[1] &&
         f.outer_stride[z] == f.outer[n] * f.outer_stride[n];
}

// Returns the offset of the fractal and forgets the position inside it.
void place_in_fractal_dropped(const Json& request, conform::Answer& answer) {
  const std::optional<Fractal> f = fractal(request);
  if (!f || !is_result(answer) || (!is_zz(*f, 0) && !is_zz(*f, 1))) return;
  answer.result = wrapped(f->at[0] / f->inner[0], f->outer_stride[0], f->at[1] / f->inner[1],
                          f->outer_stride[1]);
}

// A coordinate past the end of the last mode starts again at 0.
void last_mode_wraps(const Json& request, conform::Answer& answer) {
  const absl::StatusOr<NestedLayout> layout = conform::nested_under(request);
  const auto* coord = find_as<Json::Array>(request, "coord");
  if (!is_result(answer) || !layout.ok() || coord == nullptr || !layout->shape.is_tuple) return;
  if (coord->size() != layout->shape.elements.size()) return;
  Json::Array inside = *coord;
  for (size_t i = 0; i < inside.size(); ++i) {
    const IntTuple& mode = layout->shape.elements[i];
    const int64_t* at = inside[i].as<int64_t>();
    if (at == nullptr || mode.is_tuple || mode.value < 1 || *at < mode.value) continue;
    inside[i] = *at % mode.value;
  }
  answer_as_if(request, answer, "coord", std::move(inside));
}

// A nested mode with an integer coordinate counts from its last part.
void last_part_first(const Json& request, conform::Answer& answer) {
  absl::StatusOr<NestedLayout> layout = conform::nested_under(request);
  const Json* coord = find(request, "coord");
  if (!is_result(answer) || !layout.ok() || coord == nullptr || coord->as<int64_t>() == nullptr)
    return;
  if (!layout->shape.is_tuple) return;
  std::reverse(layout->shape.elements.begin(), layout->shape.elements.end());
  std::reverse(layout->stride.elements.begin(), layout->stride.elements.end());
  answer_as_if(request, answer, "layout", to_text(*layout));
}

// ---- tla.make ----

// Stores each stride of the result in a narrower integer.
template <class Narrow>
void narrow_strides(const Json&, conform::Answer& answer) {
  const auto* text = answer.result.as<std::string>();
  const absl::StatusOr<NestedLayout> layout = parse_nested_layout(text == nullptr ? "" : *text);
  if (!is_result(answer) || !layout.ok()) return;
  std::vector<int64_t> strides = leaves(layout->stride);
  for (int64_t& stride : strides) stride = static_cast<Narrow>(stride);
  answer.result = to_text(NestedLayout{layout->shape, with_leaves(layout->stride, strides)});
}

// A fractal of 64-bit elements has the width of one of 32 bits.
void wide_elements_as_narrow(const Json& request, conform::Answer& answer) {
  const Json* bits = find(request, "element_bits");
  if (is_result(answer) && bits != nullptr && *bits == Json(64))
    answer_as_if(request, answer, "element_bits", 32);
}

// The rows of a tagged matrix have 16 bits.
void rows_in_16_bits(const Json& request, conform::Answer& answer) {
  const Json* rows = find(request, "rows");
  const int64_t* count = rows == nullptr ? nullptr : rows->as<int64_t>();
  if (is_result(answer) && count != nullptr && *count >= 1 << 16)
    answer_as_if(request, answer, "rows", *count & 0xffff);
}

const Variant kTlaVariants[] = {
    {"CAT-01", Any(row_major_assumed)},
    {"CAT-09", Any(narrow_strides<uint16_t>)},
    {"OPEN-33", Any(place_in_fractal_dropped)},
    {"FACT-TLA-SLICE", Any(affine_across_fractals)},
    {"FACT-TLA-WRAP", Any(narrow_strides<int32_t>)},
    {"LIKE-TRI-02", Any(last_mode_wraps)},
    {"LIKE-FACT-TLA-WEIGHT", Any(wide_elements_as_narrow)},
    {"SECOND-PARTS", Any(last_part_first)},
    {"SECOND-ROWS-16", Any(rows_in_16_bits)},
};

}  // namespace

absl::Span<const Variant> tla_variants() { return kTlaVariants; }

}  // namespace tileproof::zoo
