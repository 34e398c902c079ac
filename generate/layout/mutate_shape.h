// SPDX-License-Identifier: Apache-2.0
// A small change to a shape. A fuzzer mutates layouts this way, instead of flipping bits.
#pragma once

#include "generate/choose/choose.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {

// Makes one change to an array shape: the size, kind or position of a dimension, a tile, a star,
// the tail, the width. The result is nearly always valid; but a tile may end in `*`, which is
// invalid.
void mutate_shape(Choose& choose, Shape& shape);

}  // namespace tileproof
