// SPDX-License-Identifier: Apache-2.0
// Fuzz target: indexing maps of one operation, which the bytes choose
// (generate/hlo/generate_hlo.h).
#include "fuzz/targets/hlo_inputs.h"
#include "fuzz/targets/text_mutations.h"

namespace tileproof {
namespace {

std::string check(absl::string_view bytes, verify::CaseCounts& tally) {
  return generated_difference(hlo_of_choices(bytes_of(bytes), /*computation=*/false), tally);
}

}  // namespace

const TextTarget kTarget = {check, mutated_choices, /*bytes_of_16=*/8};

}  // namespace tileproof
