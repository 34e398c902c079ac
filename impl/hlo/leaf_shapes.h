// SPDX-License-Identifier: Apache-2.0
// Leaves of a shape by number, without a list of them: a loop may carry hundreds.
//
//     (f32[2], (s32[], f32[3]))      3 leaves; leaf 1 is s32[]
#pragma once

#include <cstdint>

#include "spec/lang/layout/shape.h"

namespace tileproof::impl {

inline int32_t leaf_count(const Shape& shape) {
  if (shape.kind == Shape::Kind::kArray) return 1;
  int32_t count = 0;
  for (const Shape& part : shape.parts) count += leaf_count(part);
  return count;
}

// Null if there is no such leaf. Counts `leaf` down by the leaves before it.
inline const Shape* find_leaf(const Shape& shape, int32_t& leaf) {
  if (shape.kind == Shape::Kind::kArray) return leaf-- == 0 ? &shape : nullptr;
  for (const Shape& part : shape.parts) {
    if (const Shape* found = find_leaf(part, leaf)) return found;
  }
  return nullptr;
}

// The array that is the leaf, or null.
inline const Shape* leaf_of(const Shape& shape, int32_t leaf) { return find_leaf(shape, leaf); }

}  // namespace tileproof::impl
