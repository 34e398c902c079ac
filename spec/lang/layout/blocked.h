// SPDX-License-Identifier: Apache-2.0
// Blocked formats of oneDNN, as values.
//
//     nChw16c on [2,32,5,5]      n, C/16, h, w, then 16c: channels are split into blocks of 16
//     OIhw8i16o2i                O/16, I/16, h, w, then a block of 16 x 16 laid out as 8i, 16o, 2i
//     acdb                       dimensions 0, 2, 3, 1, major to minor; no blocks
//
// The letters before the first number are the dimensions, major to minor. An upper-case letter
// marks a dimension that is split into blocks. The blocks follow, outermost first. The letters
// `a`, `b`, .. are dimensions 0, 1, ... The names of tensor dimensions are numbered as in oneDNN:
// n c d h w, g o i d h w, t n c, l d n c, l d i g o.
//
// spec/layout/blocked_layout.h defines the meaning, spec/lang/layout/blocked_text.h the text.
// Source: oneDNN, "Understanding Memory Formats"; the names are those of its format tags.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "spec/lang/base/element_type.h"

namespace tileproof {

struct BlockedFormat {
  struct Block {
    int64_t dimension;
    int64_t size;  // at least 1
    bool operator==(const Block&) const = default;
  };
  std::string letters;         // names of the logical dimensions: "abcd", "nchw", "goihw"
  std::vector<int64_t> outer;  // logical dimensions, major to minor
  std::vector<Block> blocks;   // outermost first

  bool operator==(const BlockedFormat&) const = default;

  int64_t rank() const { return static_cast<int64_t>(outer.size()); }
};

// `dnnl:nChw16c:f32[2,32,5,5]`: the format on an array.
struct BlockedShape {
  BlockedFormat format;
  ElementType element_type = ElementType::kF32;
  std::vector<int64_t> dims;  // logical; their number is the rank of the format

  bool operator==(const BlockedShape&) const = default;
};

// The format with the letters a, b, .. and these outer dimensions and blocks.
BlockedFormat plain_format(std::vector<int64_t> outer, std::vector<BlockedFormat::Block> blocks);

absl::Status validate(const BlockedFormat& format);
absl::Status validate(const BlockedShape& shape);

}  // namespace tileproof
