// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either parses as a shape with its layout or fails with a column. The printed
// text parses as the same shape.
#include "fuzz/targets/shape_inputs.h"
#include "verify/compare/text_compare.h"

namespace tileproof {
namespace {

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  return verify::read_back_difference(parse_shape(text), parse_shape, tally);
}

}  // namespace

const TextTarget kTarget = {check, mutated_shape, /*bytes_of_16=*/8};

}  // namespace tileproof
