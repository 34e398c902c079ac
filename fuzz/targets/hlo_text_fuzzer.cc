// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either parses as HLO modules or fails with a column. The printed modules
// parse as the same modules.
#include "fuzz/targets/hlo_inputs.h"
#include "verify/compare/text_compare.h"

namespace tileproof {
namespace {

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  const auto parse = [](absl::string_view t) { return parse_hlo_modules(t); };
  return about(verify::read_back_difference(parse(text), parse, tally), text);
}

}  // namespace

const TextTarget kTarget = {check, mutated_hlo, /*bytes_of_16=*/8};

}  // namespace tileproof
