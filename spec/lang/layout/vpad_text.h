// SPDX-License-Identifier: Apache-2.0
// Mosaic's layouts of TPU vector registers, as memrefs.
//
//     vector<16x256xbf16, #tpu.vpad<"16,{0,0},(16,128)">>
//         width in bits, offsets of rows and columns, tile, and -1 or -2 if a dimension of size 1 is
//         inserted as the last or the last but one
//
// A register has 8 sublanes of 128 lanes of 32 bits. The last two dimensions, behind their offsets, are cut
// into tiles, of which as many as fit lie in one register, one after the other along the columns.
// Elements of less than 32 bits are packed: rows that follow each other share a lane. The offset of an element
// counts elements of registers that follow each other, row-major, as XLA's tiles do:
//
//     "32,{0,0},(8,128)" of 16x256 is f32[16,256]{1,0:T(8,128)}
//
// A replicated offset, `*`, means that all rows, or columns, hold the same; here it counts as 0.
// Source: JAX, mosaic/dialect/tpu/layout.h.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/memref_text.h"

namespace tileproof {

bool looks_like_vpad(absl::string_view text);

// Parses the whole text. Errors: an offset outside of the first tile, or register; a tile that does not
// divide a register; a width that is not that of the elements.
absl::StatusOr<MemRef> parse_vpad(absl::string_view text);

}  // namespace tileproof
