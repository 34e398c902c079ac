// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either parses as HLO modules or fails with a column. The printed modules
// parse as the same modules.
#include "fuzz/targets/hlo_inputs.h"

namespace tileproof {
namespace {

void check(absl::string_view text) {
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  if (!modules.ok()) {
    if (modules.status().message().find("column ") == absl::string_view::npos) {
      fail(absl::StrCat("an error that names no column, ", modules.status().message()), text);
    }
    return;
  }
  const std::string printed = to_text(*modules);
  const absl::StatusOr<std::vector<HloModule>> again = parse_hlo_modules(printed);
  if (!again.ok()) {
    fail(absl::StrCat("the printed text does not parse, ", again.status().message()), text);
  }
  if (*again != *modules) fail("the printed text parses as another module", text);
  if (to_text(*again) != printed) fail("printed in two ways", text);
}

}  // namespace

const TextTarget kTarget = {check, mutated_hlo, crossed_hlo, /*bytes_of_16=*/8};

}  // namespace tileproof
