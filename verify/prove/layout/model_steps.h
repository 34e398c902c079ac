// SPDX-License-Identifier: Apache-2.0
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
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/layout/layout_steps.h"

namespace tileproof::verify {

struct ModelStep {
  enum class Kind { kPrepend, kCombine, kPad, kSplit, kSwap } kind;
  int64_t at = 0;      // the first dimension that the step changes
  int64_t number = 0;  // kPad: the multiple; kSplit: the tile
};

std::vector<ModelStep> model_steps(const std::vector<spec::Step>& steps);

// "Skip (Pad 2)"; "[Skip (Pad 2); Combine]".
std::string to_coq(const ModelStep& step);
std::string to_coq(const std::vector<ModelStep>& steps);

}  // namespace tileproof::verify
