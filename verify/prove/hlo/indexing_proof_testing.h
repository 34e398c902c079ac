// SPDX-License-Identifier: Apache-2.0
// Helpers shared by the tests that prove right maps and refute wrong ones.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_testing.h"

namespace tileproof::verify {

using impl::Direction;
using impl::module_of;

// Runs each test in both directions, unless the test says otherwise.
class IndexingProof : public testing::TestWithParam<Direction> {};

INSTANTIATE_TEST_SUITE_P(Directions, IndexingProof,
                         testing::Values(Direction::kOutputToInput, Direction::kInputToOutput),
                         [](const testing::TestParamInfo<Direction>& tested) {
                           return tested.param == Direction::kOutputToInput ? "OutputToInput"
                                                                            : "InputToOutput";
                         });

// Arrays too large to enumerate.
inline constexpr const char* kLarge[] = {
    "r = f32[1024,4096] add(f32[1024,4096] a, f32[1024,4096] b)",
    "r = f32[4096,1024] transpose(f32[1024,4096] a), dimensions={1,0}",
    "r = f32[64,32,128] reshape(f32[2048,128] a)",
    "r = f32[48,1000] reshape(f32[1600,30] a)",
    "r = f32[64,100]{1,0:T(8,128)} bitcast(f32[64,100]{0,1:T(8,128)} a)",
    "r = f32[99,600] slice(f32[512,2048] a), slice={[5:500:5], [100:700]}",
    "r = f32[600,2198] pad(f32[512,512] a, f32[] v), padding=-7_95x3_150_3",
    "r = f32[100,3000] concatenate(f32[100,1000] a, f32[100,500] b, f32[100,1500] c), "
    "dimensions={1}",
    "r = f32[300,400] reverse(f32[300,400] a), dimensions={1}",
    "r = f32[128,512,256] dot(f32[128,512,64] a, f32[128,64,256] b), lhs_batch_dims={0}, "
    "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
    "r = f32[8,112,112,64] convolution(f32[8,224,224,3] a, f32[7,7,3,64] k), "
    "window={size=7x7 stride=2x2 pad=3_3x3_3}, dim_labels=b01f_01io->b01f",
    "r = f32[8,30,30,64] convolution(f32[8,15,15,64] a, f32[4,4,1,64] k), "
    "window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f, "
    "feature_group_count=64",
    "r = f32[64,100] dynamic-slice(f32[512,1000] a, s32[] i, s32[] j), "
    "dynamic_slice_sizes={64,100}",
    "r = f32[512,1000] dynamic-update-slice(f32[512,1000] a, f32[64,100] u, s32[] i, s32[] j)",
    "r = f32[500,16,300] gather(f32[1000,300] a, s32[500] i), offset_dims={1,2}, "
    "collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={16,300}",
};

// The number of proofs, and of each verdict.
struct Tally {
  int64_t asked = 0;
  std::map<std::string, int64_t> proof;
};

inline std::string text_of(const Tally& tally) {
  std::string text = absl::StrCat(tally.asked, " questions:");
  for (const auto& [kind, count] : tally.proof) absl::StrAppend(&text, " ", kind, " ", count);
  return text;
}

}  // namespace tileproof::verify
