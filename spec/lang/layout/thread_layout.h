// SPDX-License-Identifier: Apache-2.0
// Layouts of threads, as values: which element of a tensor each register of each thread holds.
//
//     tensor<16x32xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8],
//                                     warpsPerCTA = [4, 1], order = [1, 0]}>>
//
// Such a layout is a function from a place, (register, lane, warp, block), to an index. It need not
// be one-to-one: several places may hold one element. spec/layout/thread_layout.h defines it.
//
// The sizes of Triton are powers of two. Without a tensor, `#ttg.blocked<..>` has the shape of the
// tile that its threads hold without repeating. spec/lang/layout/thread_notations.h has the layouts of
// CuTe, of Mosaic GPU, and TileLang's fragments, which are read as bases. Source: Triton's TritonGPUAttrDefs.td.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/layout/nested.h"

namespace tileproof {

// The coordinates of a place, in this order.
inline constexpr std::array<absl::string_view, 4> kPlaceNames = {"register", "lane", "warp",
                                                                 "block"};
using Place = std::array<int64_t, 4>;

// What bits 0, 1, .. of a coordinate add to an index, by exclusive or in each dimension.
using Bases = std::vector<Dims>;

// #ttg.linear: the exclusive or of the bases of the bits that are set.
struct LinearEncoding {
  std::array<Bases, 4> bases;
};

// #ttg.blocked. `order` lists the dimensions, the one that changes fastest first.
struct BlockedEncoding {
  Dims size_per_thread, threads_per_warp, warps_per_cta, order;
  Bases block;  // in parts of the tensor: each block holds one
};

// #ttg.nvidia_mma: version 2 (mma.sync) or 3 (wgmma).
struct MmaEncoding {
  int64_t version = 2;
  Dims warps_per_cta, instruction;  // instruction: m, n behind the batch dimensions
  Bases block;
};

// #ttg.amd_mfma and #ttg.amd_wmma: tiles of an instruction's result, beside each other.
struct AmdEncoding {
  Dims tile;           // sizes of one: rows and columns, last
  int64_t lanes = 64;  // of a warp
  int64_t rows = 4;    // that a lane holds below each other
  bool is_transposed = false;
  Bases registers, warps;  // the tiles that their bits add
  Bases block;
  // Of amd_wmma: k of an instruction, and how many parts of it the lanes hold. Of amd_mfma 0, as registers
  // hold all of k, and all columns, before further tiles.
  int64_t depth = 0, parts = 0;
};

struct ThreadEncoding;

// #ttg.slice: the parent's layout of a tensor with one more dimension, of which it drops the index.
struct SliceEncoding {
  int64_t dimension = 0;
  std::shared_ptr<const ThreadEncoding> parent;
};

// #ttg.dot_op: operand 0 (A) or 1 (B) of the matrix product whose result has the parent's layout.
struct DotEncoding {
  int64_t operand = 0, k_width = 1;
  std::shared_ptr<const ThreadEncoding> parent;  // blocked, or of a matrix product
};

// `tv:`, of CuTe: a layout of two modes, (thread, value), whose offset numbers the element.
struct ThreadValueEncoding {
  NestedLayout layout;
};

// A dimension, counted from the end: -1 is the last one. Or copies, if there are any.
struct ThreadDimension {
  int64_t number = 0;
  int64_t copies = 0;
};

// `TiledLayout`, of Mosaic GPU: each tile divides the last dimensions of what the tile before it left.
struct TiledEncoding {
  std::vector<Dims> tiles;
  std::vector<ThreadDimension> warps, lanes;  // major to minor
  int64_t vector = -1;                        // the dimension that a register holds as a vector
};

struct ThreadEncoding {
  std::variant<LinearEncoding, BlockedEncoding, MmaEncoding, AmdEncoding, SliceEncoding,
               DotEncoding, ThreadValueEncoding, TiledEncoding>
      kind;
};

struct ThreadLayout {
  std::string text;  // as written, in one line
  Dims dims;
  std::string element_type;  // empty without a tensor
  ThreadEncoding encoding;
};

// The dimensions of the tensors that an encoding of Triton is for.
int64_t rank(const ThreadEncoding& encoding);

// Whether the text is a layout of threads, in any notation.
bool has_thread_layout(absl::string_view text);

// Parses the whole text. Errors: a parameter that is missing, unknown, or not supported.
absl::StatusOr<ThreadLayout> parse_thread_layout(absl::string_view text);

inline std::string to_text(const ThreadLayout& layout) { return layout.text; }

}  // namespace tileproof
