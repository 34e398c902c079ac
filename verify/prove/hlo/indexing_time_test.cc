// SPDX-License-Identifier: Apache-2.0
// The time limit ends every stage of a proof, not the solver alone.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

#include "corpus/paths.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/prove/hlo/definitions.h"
#include "verify/prove/hlo/indexing_proof.h"
#include "verify/prove/hlo/indexing_proof_testing.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {
namespace {

HloModule slow_call() {
  std::ifstream file(project_path("corpus/hlo/slow_call.hlo"));
  return module_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

// A call with 6 pairs of leaves, one of which takes 8 seconds on a machine of 2024 without a limit.
TEST_P(IndexingProof, RearrangingSumsEndsInTime) {
  const HloModule module = slow_call();
  ASSERT_GE(module.entry, 0);
  VerifySession session;
  session.options.milliseconds = 50;
  impl::IndexingAnalysis analysis(module);
  ModuleVerifier verifier(analysis, session, GetParam());
  const auto start = ThreadCpuClock::now();
  const InstructionVerdict verdict =
      verifier.of(module.entry, module.computations[module.entry].root);
  EXPECT_EQ(verdict.kind, InstructionVerdict::Kind::kUndecided) << to_text(module, verdict);
  EXPECT_LT(ThreadCpuClock::now() - start, std::chrono::seconds(3));
}

TEST(Definitions, LinesEndInTime) {
  const HloModule module = slow_call();
  ASSERT_GE(module.entry, 0);
  impl::IndexingAnalysis analysis(module);
  Definitions definitions(module, analysis);
  definitions.set_deadline(ThreadCpuClock::now());
  const auto late = definitions.of(module.entry, module.computations[module.entry].root, 0);
  EXPECT_NE(late.status().message().find("take too long"), absl::string_view::npos);
}

}  // namespace
}  // namespace tileproof::verify
