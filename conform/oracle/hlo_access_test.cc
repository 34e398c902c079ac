// SPDX-License-Identifier: Apache-2.0
// Our answers to hlo.utilization, hlo.tile and map.transactions.
#include "conform/oracle/hlo_access.h"

#include <string>
#include <vector>

#include "conform/judge/judge.h"
#include "conform/suites/makers.h"
#include "conform/suites/suites.h"
#include "generate/choose/choose.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

// The closed forms pass the judge, and the reference can answer every request of the suite.
TEST(HloAccess, OurAnswersPass) {
  std::vector<Json> requests = suite_named("uses")->fixed();
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choose choose(Choose::Random{seed});
    requests.push_back(make_access_request(choose, {}));
  }
  int64_t passed = 0;
  for (const Json& request : requests) {
    const std::string line = to_text(with_id(1, request));
    const Judgment judgment = judge(request, *read_answer(answer_line(line, Engine::kImpl)));
    EXPECT_TRUE(judgment.verdict == Verdict::kPass || judgment.verdict == Verdict::kUnsupported)
        << line << "\n"
        << judgment.right;
    passed += judgment.verdict == Verdict::kPass;
  }
  EXPECT_GT(passed * 10, std::ssize(requests) * 8);
}

}  // namespace
}  // namespace tileproof::conform
