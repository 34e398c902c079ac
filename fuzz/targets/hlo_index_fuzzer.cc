// SPDX-License-Identifier: Apache-2.0
// Fuzz target: indexing maps of one operation, which the bytes choose
// (generate/hlo/generate_hlo.h).
#include "fuzz/targets/hlo_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check_generated(tileproof::hlo_of_choices({data, size}, /*computation=*/false));
  return 0;
}
