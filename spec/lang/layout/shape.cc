// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/shape.h"

#include <algorithm>
#include <utility>

namespace tileproof {

Shape make_array(ElementType type, const std::vector<int64_t>& dimensions,
                 std::optional<Layout> layout) {
  Shape shape;
  shape.element_type = type;
  shape.dimensions.reserve(dimensions.size());
  for (int64_t size : dimensions) shape.dimensions.push_back({Dimension::Kind::kFixed, size});
  shape.layout = std::move(layout);
  return shape;
}

Layout default_layout(int64_t rank) {
  Layout layout;
  for (int64_t d = rank - 1; d >= 0; --d) layout.minor_to_major.push_back(d);
  return layout;
}

Layout layout_of(const Shape& array) {
  return array.layout ? *array.layout : default_layout(array.rank());
}

namespace {

// `5` and `<=5` are the same size; `?` is any.
bool compatible(const Dimension& a, const Dimension& b) {
  constexpr Dimension::Kind kUnbounded = Dimension::Kind::kUnbounded;
  return a.size == b.size || a.kind == kUnbounded || b.kind == kUnbounded;
}

}  // namespace

bool compatible(const Shape& a, const Shape& b) {
  if (a.kind != b.kind || a.parts.size() != b.parts.size()) return false;
  if (a.kind == Shape::Kind::kArray) {
    return a.element_type == b.element_type &&
           std::equal(a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(),
                      b.dimensions.end(),
                      [](const Dimension& d, const Dimension& e) { return compatible(d, e); });
  }
  for (size_t i = 0; i < a.parts.size(); ++i) {
    if (!compatible(a.parts[i], b.parts[i])) return false;
  }
  return true;
}

}  // namespace tileproof
