// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either becomes HLO modules or fails with a column. The modules print and read
// back as the same.
#include "fuzz/targets/line_mutations.h"
#include "fuzz/targets/text_input.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/stablehlo/stablehlo_text.h"

namespace tileproof {
namespace {

void check(absl::string_view text) {
  const auto modules = stablehlo::parse_modules(text);
  const auto found = [&](const std::string& what) { fail(absl::StrCat(what, " at '", text, "'")); };
  if (modules.ok()) return check_printed_again(*modules, found);
  if (modules.status().message().find("column ") == absl::string_view::npos) {
    found(absl::StrCat("an error that names no column: ", std::string(modules.status().message())));
  }
}

}  // namespace

const TextTarget kTarget = {check, mutated_lines, crossed_lines, /*bytes_of_16=*/8};

}  // namespace tileproof
