// Fuzz target: a text is read as HLO modules, or refused with a place; what is read prints, and
// reads back as itself.
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
    fail(absl::StrCat("printed and not read back, ", again.status().message()), text);
  }
  if (*again != *modules) fail("printed and read back as another", text);
  if (to_text(*again) != printed) fail("printed in two ways", text);
}

}  // namespace

const TextTarget kTarget = {check, mutated_hlo, crossed_hlo, /*bytes_of_16=*/8};

}  // namespace tileproof
