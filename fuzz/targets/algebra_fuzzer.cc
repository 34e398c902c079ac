// SPDX-License-Identifier: Apache-2.0
// Fuzz target: every law of the layout algebra holds for operands that the bytes choose. A finding
// prints the operands, which can be pasted after `tileproof algebra`.
#include "fuzz/targets/text_input.h"
#include "fuzz/targets/text_mutations.h"
#include "verify/compare/algebra_laws.h"

namespace tileproof {
namespace {

std::string check(absl::string_view bytes, verify::CaseCounts& tally) {
  Choose choose(Choose::Bytes{bytes_of(bytes)});
  return verify::broken_law(verify::random_algebra_case(choose), tally);
}

}  // namespace

const TextTarget kTarget = {check, mutated_choices, /*bytes_of_16=*/8};

}  // namespace tileproof
