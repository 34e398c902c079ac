// Fuzz target: modules that hardly make sense, made of such that do by small changes. Whatever they
// ask, the analysis answers or refuses, as the reference does, and where it answers they agree.
#include "fuzz/targets/hlo_check.h"

namespace tileproof {
namespace {

void check(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return;
  check_counts(*module, text);
  check_root(*module, text, {seed_of(text), 8});
}

}  // namespace
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check(tileproof::text_of(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return tileproof::mutate_text(data, size, max_size, seed, 1, tileproof::mutated_hlo);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  return tileproof::cross_text({left, left_size, right, right_size, out, max_size, seed},
                               tileproof::crossed_hlo);
}
