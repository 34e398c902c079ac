// A small change to a shape: what a fuzzer does to a layout instead of flipping its bits.
#pragma once

#include "generate/choose/choose.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {

// Changes one thing of an array shape: a dimension's size, its kind or place, a tile, a star, the
// tail, the width. The result is nearly always valid; a tile may come to end in `*`, which is not.
void mutate_shape(Choose& choose, Shape& shape);

}  // namespace tileproof
