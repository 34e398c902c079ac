// Does a reshape, transpose or bitcast from one layout to another move any byte?
//
//     reshape     for every index o of the result, and i the index with the same row-major number
//     transpose   for every index o of the result, and i with i[dimensions[d]] = o[d]
//
//                     linearize(in, i) = linearize(out, o)              then it is free
//
//     bitcast     every element of the one lies where the other has an element, both ways: a
//                 bitcast never moves a byte, but may give names to padding
//
//     f32[16,128]{1,0:T(8,128)} to f32[2,8,128]{2,1,0:T(8,128)} as a reshape: free
//     f32[4,8]{1,0} to f32[8,4]{0,1} with dimensions {1,0}: free; to f32[8,4]{1,0}: not
//
// Both sides are written as indexing maps, o to offset, by running the steps of the definition
// (spec/layout/layout_steps.h, spec/hlo/access_function_movement.h) on expressions; whether the maps are equal is decided by
// verify/prove/map/map_equal.h, and rests on what that says. A moved element is found again by the reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/layout/shape.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::verify {

struct Move {
  enum class Kind : uint8_t { kReshape, kTranspose, kBitcast };
  Kind kind = Kind::kReshape;
  std::vector<int64_t> dimensions;  // of kTranspose: dimension d of the result is this one
};

struct IsBitcastProof {
  Verdict verdict = Verdict::kUndecided;  // proven: nothing moves
  Basis basis = Basis::kNothing;
  std::string counterexample;  // where refuted: an element that moves, and from where to where
  std::string open;            // where undecided
};

// Errors: what spec::tiled_layout refuses; sizes that do not fit the operation.
absl::StatusOr<IsBitcastProof> prove_is_bitcast(const Shape& in, const Shape& out, const Move& move,
                                                const EqualOptions& options = {});

}  // namespace tileproof::verify
