// SPDX-License-Identifier: Apache-2.0
// The buffers of an HLO module: the bytes that they take, and how many of them are padding.
//
//     f32[16,4]{1,0:T(8,128)}     8192 bytes, of which 256 hold elements: 96.9% are padding
//                                 least: f32[16,4]{0,1:T(8,128)} with 4096 bytes
//
// A buffer is an array in the result of an instruction that stores one: not of those that only name
// other buffers (tuple, get-tuple-element, bitcast, call, while, conditional, the start of an
// asynchronous operation), not of parameters of called computations, and not of what is inside a
// fusion or a computation that is applied to single elements.
//
// The least bytes are those of the best order of the dimensions, with the tiles of the layout and
// with those of the format `tpu` (spec/layout/named_format.h). Without tiles nothing is padded, so
// that is no candidate. An order counts by the dimensions that the tiles touch; if these have more
// than 5,040 orders, the tiles of the layout are not tried.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/text.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::cli {

// The arrays of a shape, from left to right.
std::vector<const Shape*> arrays_of(const Shape& shape);

struct Buffer {
  std::string computation, instruction;
  int32_t leaf = 0;      // number of the array in the result
  bool is_part = false;  // the result has several arrays
  const Shape* shape = nullptr;
};

// Returns the buffers of a module, in the order of the text. The module must outlive them.
std::vector<Buffer> buffers_of(const HloModule& module);

// A buffer of the report that XLA prints when memory runs out:
//
//     1. Size: 32.00G
//        Shape: f32[8192,8192,128]{2,1,0:T(8,128)}
//        Unpadded size: 1.00G
//        XLA label: fusion.1 = ..
struct ReportedBuffer {
  std::string name;  // of the label; "buffer 1" without one
  Shape shape;
  std::string size;  // "32.00G"
};

// The buffers of a report, in its order; none if the text is no report.
std::vector<ReportedBuffer> buffers_of_report(absl::string_view text);

// The bytes of an array.
struct Bytes {
  int64_t used = 0;       // by its elements
  int64_t allocated = 0;  // with padding

  int64_t padding() const { return allocated - used; }
};

// Errors: no array with elements, a dimension of unknown size, sizes beyond int64.
absl::StatusOr<Bytes> bytes_of(const Shape& array);

// The layout of the array with the fewest bytes, if it has fewer than the array's own. The first in
// the order of the permutations, the array's own tiles before those of `tpu`.
struct Smaller {
  Shape shape;
  int64_t allocated = 0;
  bool tpu = false;  // the tiles are those of the format
};
std::optional<Smaller> smaller_layout(const Shape& array);

// `layout FILE.hlo`: every layout of a module, with its number of arrays, bytes and padding.

absl::StatusOr<Answer> list_layouts(const std::string& file);

}  // namespace tileproof::cli
