// SPDX-License-Identifier: Apache-2.0
// Fuzz target: linearize and delinearize. Reference and closed form agree on the layout of a shape:
// at every offset if there are few, otherwise at many.
#include <string>

#include "fuzz/targets/shape_inputs.h"
#include "verify/compare/layout_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kMaxPositions = 2000;
constexpr int64_t kPoints = 20;

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok()) return "";
  Choose choose(Choose::Random{seed_of(text)});
  return compared(verify::compare_whole(*shape, kMaxPositions, kPoints, choose, tally));
}

}  // namespace

const TextTarget kTarget = {check, mutated_shape, /*bytes_of_16=*/0};

}  // namespace tileproof
