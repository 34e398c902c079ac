// SPDX-License-Identifier: Apache-2.0
// Decides whether a reshape, transpose or bitcast from one layout to another moves any byte.
//
//     reshape     for every index o of the result, and i the index with the same row-major number
//     transpose   for every index o of the result, and i with i[dimensions[d]] = o[d]
//
//                         linearize(in, i) = linearize(out, o)              then it is free
//
//     bitcast     every element of one side is at the offset of an element of the other, both ways:
//                 a bitcast never moves a byte, but it can turn padding into elements
//
//     f32[16,128]{1,0:T(8,128)} to f32[2,8,128]{2,1,0:T(8,128)} as a reshape: free
//     f32[4,8]{1,0} to f32[8,4]{0,1} with dimensions {1,0}: free; to f32[8,4]{1,0}: not
//     (8,64):(64,1) to (512):(1) as a reshape: free
//
// Both sides become indexing maps from o to the offset: the definitions (spec/layout/layout_function.h,
// spec/hlo/definition_movement.h) run on expressions.
// verify/prove/map/map_equal.h decides whether the maps are equal; the proof is as trustworthy as
// that. The reference confirms every element that moves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::verify {

struct Move {
  enum class Kind : uint8_t { kReshape, kTranspose, kBitcast };
  Kind kind = Kind::kReshape;
  std::vector<int64_t>
      dimensions;  // kTranspose: the operand's dimension for dimension d of the result
};

struct IsBitcastProof {
  Verdict verdict = Verdict::kUndecided;  // proven: nothing moves
  Basis basis = Basis::kNothing;
  std::string counterexample;  // refuted: an element, its old and new offset
  std::string open;            // undecided: the open question
};

// The layouts may be of any two systems. Elements of other widths are never free, if both widths are
// known. A bitcast of layouts that are not made of tiles is decided element by element, up to 2^20.
// Errors: sizes that do not fit the operation.
absl::StatusOr<IsBitcastProof> prove_is_bitcast(const spec::LayoutFunction& in,
                                                const spec::LayoutFunction& out, const Move& move,
                                                const EqualOptions& options = {});

}  // namespace tileproof::verify
