// SPDX-License-Identifier: Apache-2.0
// Shared by the fuzz targets of shapes: an input is the text of a shape.
#pragma once

#include <string>

#include "fuzz/targets/text_input.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {

inline std::string mutated_shape(Choose& choose, absl::string_view text) {
  if (choose.chance(1, 16)) return random_shape_text(choose);
  absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok() || shape->kind != Shape::Kind::kArray)
    return to_text(random_shape(choose, int64_t{1} << 20));
  const int64_t changes = choose.between(1, 4);
  for (int64_t i = 0; i < changes; ++i) mutate_shape(choose, *shape);
  return to_text(*shape);
}

}  // namespace tileproof
