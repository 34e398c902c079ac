// SPDX-License-Identifier: Apache-2.0
// Fuzz target: conversions of a layout of any system to all systems. If the array is small, every
// answer agrees with enumeration; only a conversion to xla may be undecided. The bytes choose the
// layout. A finding names a pair for `tileproof equiv`, or a layout for `tileproof layout --as`.
#include "fuzz/targets/text_input.h"
#include "generate/layout/generate_blocked.h"
#include "verify/prove/layout/convert_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kMaxIndices = 500;

void check(const AnyLayout& layout) {
  verify::ProofSession session;
  session.milliseconds_per_question = 200;
  verify::CaseCounts tally;
  const absl::Status compared = verify::compare_conversions(layout, kMaxIndices, session, tally);
  if (!compared.ok()) fail(compared.message());
}

}  // namespace
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check(tileproof::layout_of_choices({data, size}));
  return 0;
}
