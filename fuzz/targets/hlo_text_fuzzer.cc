// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either parses as HLO modules or fails with a column. The printed modules
// parse as the same modules.
#include "fuzz/targets/hlo_inputs.h"

namespace tileproof {
namespace {

void check(absl::string_view text) {
  const auto parse = [](absl::string_view t) { return parse_hlo_modules(t); };
  verify::CaseCounts tally;
  const std::string found = verify::read_back_difference(parse(text), parse, tally);
  if (!found.empty()) fail(found, text);
}

}  // namespace

const TextTarget kTarget = {check, mutated_hlo, crossed_hlo, /*bytes_of_16=*/8};

}  // namespace tileproof
