// SPDX-License-Identifier: Apache-2.0
// Fuzz target: every law of the layout algebra holds for operands that the bytes choose. A finding
// prints the operands, which can be pasted after `tileproof algebra`.
#include "absl/strings/str_cat.h"
#include "fuzz/targets/text_input.h"
#include "verify/compare/algebra_laws.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tileproof;
  Choose choose(Choose::Bytes{{data, size}});
  const verify::AlgebraCase operands = verify::random_algebra_case(choose);
  for (const verify::Law& law : verify::algebra_laws()) {
    const auto outcome = law.check(operands);
    if (!outcome.ok()) fail(absl::StrCat(law.name, " at ", outcome.status().message()));
  }
  return 0;
}
