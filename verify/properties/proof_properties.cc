// SPDX-License-Identifier: Apache-2.0
// Answers of provers against enumeration.
#include "absl/strings/str_cat.h"
#include "generate/hlo/generate_partitioned.h"
#include "generate/layout/generate_blocked.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/compare/grid_compare.h"
#include "verify/properties/property.h"
#include "verify/prove/hlo/modules/module_values.h"
#include "verify/prove/layout/convert_compare.h"
#include "verify/prove/layout/is_bitcast_compare.h"

namespace tileproof::verify {
namespace {

// The solver decides small questions in less time.
constexpr unsigned kMilliseconds = 1'000;

std::string check_conversions(Choose& choose, CaseCounts& tally) {
  const int64_t magnitude = int64_t{1} << choose.pick<int64_t>({4, 8, 10, 30, 40});
  ProofSession session;
  session.milliseconds_per_question = kMilliseconds;
  return std::string(
      compare_conversions(random_any_layout(choose, magnitude), 300, session, tally).message());
}

std::string check_partitioned(Choose& choose, CaseCounts& tally) {
  const PartitionedHlo made = generate_partitioned(choose);
  ++tally[made.fault.empty() ? "equal" : made.fault];
  const auto whole = parse_hlo_module(made.whole), parts = parse_hlo_module(made.parts);
  absl::Status problem = whole.ok() ? parts.status() : whole.status();
  std::string found;
  if (problem.ok()) {
    VerifySession session;
    const auto results = same_values(*whole, *parts, session, {});
    problem = results.status();
    const Verdict expected = made.fault.empty() ? Verdict::kProven : Verdict::kRefuted;
    if (results.ok() && (*results)[0].verdict == expected) return "";
    if (results.ok()) {
      const ValueEquality& first = (*results)[0];
      found = absl::StrCat("verdict ", static_cast<int>(first.verdict), ": ", first.detail,
                           " LEFT ", first.left, ", RIGHT ", first.right);
    }
  }
  return absl::StrCat(made.fault.empty() ? "equal by construction" : made.fault, ", found ", found,
                      problem.message(), "; ", made.whole, "; ", made.parts);
}

}  // namespace

std::vector<Property> proof_properties() {
  return {
      of_choices("moves", 1000, is_bitcast_difference, 12, {{"free", 0.06}, {"not free", 0.06}}),
      // It would mean little if the prover left the facts open.
      of_choices("grid", 600,
                 [](Choose& choose, CaseCounts& tally) {
                   return grid_difference(random_grid(choose), tally);
                 },
                 1, {{"facts that maps decide", 2}, {"facts that maps refute", 0.3}}),
      of_choices("conversions", 700, check_conversions, 1, {{"proven", 2}}),
      of_choices("partitioned", 400, check_partitioned, 1, {{"equal", 0.4}}),
  };
}

}  // namespace tileproof::verify
