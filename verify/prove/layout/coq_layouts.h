// SPDX-License-Identifier: Apache-2.0
// Layouts for Coq: the reference's steps and answers, which Coq computes again.
//
// For each layout two theorems (verify/lemmas/tilings.v says what they are about):
//
//     (* f32[3,5]{1,0:T(2,2)} *)
//     Definition layout_0 : list step := [Pad 2; Skip (Pad 2); Split 2; ..].
//     Theorem layout_0_fits : forall n0 n1, all_fit layout_0 [n0; n1].
//     Theorem layout_0_answers :
//       sizes_after_all layout_0 [3; 5] = [24]
//       /\ forward_all layout_0 [3; 5] [2; 3] = [17]
//       /\ backward_all layout_0 [3; 5] [23] = None.
//
// The first is about the arrays of every size. With the theorems of tilings.v it follows that the
// layout is a bijection up to padding for all of them. The second shows that the model's steps do
// what the reference's do, at some indices and offsets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/lang/layout/shape.h"
#include "spec/layout/layout_steps.h"

namespace tileproof::verify {

// The steps of a layout as a list of the Coq model verify/lemmas/tilings.v.
//
// Coq shows that every list of the model's steps that fits an array is a bijection up to padding.
// This file ties that to the reference: it writes the reference's own steps
// (spec/layout/layout_steps.h) as such a list. The two differ in form only:
//
//     reference             model
//     dimension `at`        Skip, `at` times
//     Transpose             swaps of neighbors
//
// spec::layout_steps names no size of the array, so this is one list for the arrays of every size
// with these tiles.
//
//     f32[3,5]{1,0:T(2,2)}, f32[4,4]{1,0:T(2,2)}, ..
//     [Pad 2; Skip (Pad 2); Split 2; Skip (Skip (Split 2)); Skip Swap; Combine; Combine; ..]

struct ModelStep {
  enum class Kind { kPrepend, kCombine, kPad, kSplit, kSwap } kind;
  int64_t at = 0;      // the first dimension that the step changes
  int64_t number = 0;  // kPad: the multiple; kSplit: the tile
};

std::vector<ModelStep> model_steps(const std::vector<spec::Step>& steps);

// "Skip (Pad 2)"; "[Skip (Pad 2); Combine]".
std::string to_coq(const ModelStep& step);
std::string to_coq(const std::vector<ModelStep>& steps);

// The theorems of one layout; `name` is "layout_0". Errors: shapes that spec::tiled_layout refuses.
absl::StatusOr<std::string> coq_layout(const std::string& name, const Shape& shape);

// Writes layouts.v: layouts with `*`, with tiles inside tiles that divide or do not, with tails, of
// rank 0 to 5 and beyond 32 bits. Errors: the file cannot be written.
absl::Status write_coq_layouts(const std::string& directory);

}  // namespace tileproof::verify
