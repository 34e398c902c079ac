#include "spec/lang/shape.h"

#include <utility>

namespace tileproof {

Shape make_array(ElementType type, const std::vector<int64_t>& dimensions,
                 std::optional<Layout> layout) {
  Shape shape;
  shape.element_type = type;
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

}  // namespace tileproof
