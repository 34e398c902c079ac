// SPDX-License-Identifier: Apache-2.0
// Fuzz target: conversions of a layout of any system to all systems. If the array is small, every
// answer agrees with enumeration; only a conversion to xla may be undecided. The bytes choose the
// layout. A finding names a pair for `tileproof equiv`, or a layout for `tileproof layout --as`.
#include "fuzz/targets/text_input.h"
#include "fuzz/targets/text_mutations.h"
#include "generate/layout/generate_blocked.h"
#include "verify/prove/layout/convert_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kMaxIndices = 500;

std::string check(absl::string_view bytes, verify::CaseCounts& tally) {
  verify::ProofSession session;
  session.milliseconds_per_question = 200;
  return std::string(
      verify::compare_conversions(layout_of_choices(bytes_of(bytes)), kMaxIndices, session, tally)
          .message());
}

}  // namespace

const TextTarget kTarget = {check, mutated_choices, /*bytes_of_16=*/8};

}  // namespace tileproof
