// SPDX-License-Identifier: Apache-2.0
// Fuzz target: every law of the layout algebra holds for operands that the bytes choose. A finding
// prints the operands, which can be pasted after `tileproof algebra`.
#include "fuzz/targets/text_input.h"
#include "verify/compare/algebra_laws.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tileproof;
  Choose choose(Choose::Bytes{{data, size}});
  verify::CaseCounts tally;
  fail_if(verify::broken_law(verify::random_algebra_case(choose), tally));
  return 0;
}
