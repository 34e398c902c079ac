// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either becomes HLO modules or fails with a column. The modules print and read
// back as the same.
#include "fuzz/targets/text_input.h"
#include "fuzz/targets/text_mutations.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/stablehlo/stablehlo_text.h"
#include "verify/compare/text_compare.h"

namespace tileproof {
namespace {

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  const std::string found = verify::read_back_difference(
      stablehlo::parse_modules(text), [](absl::string_view t) { return parse_hlo_modules(t); },
      tally);
  return found.empty() ? "" : absl::StrCat(found, " at '", text, "'");
}

}  // namespace

const TextTarget kTarget = {check, mutated_lines, /*bytes_of_16=*/8};

}  // namespace tileproof
