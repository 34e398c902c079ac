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
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check(tileproof::text_of(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return tileproof::mutate_text(data, size, max_size, seed, 8, tileproof::mutated_hlo);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  return tileproof::cross_text({left, left_size, right, right_size, out, max_size, seed},
                               tileproof::crossed_hlo);
}
