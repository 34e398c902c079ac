// SPDX-License-Identifier: Apache-2.0
#include "impl/map/proof_log/proof_log.h"

#include <gtest/gtest.h>

#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

TEST(ProofLog, CountsTheBytesOfLoggedCombinations) {
  ProofLog proof_log;
  proof_log.dimensions = 2;
  NormalFormContext context;
  context.proof_log = &proof_log;
  add_variable(context, {0, 9}, true);
  add_variable(context, {0, 9}, true);
  const Linear sum = plus(context, variable_form(context, 0), variable_form(context, 1), 3);
  const std::string text = text_of(context, sum);
  EXPECT_EQ(text, "d0 + d1 * 3");
  EXPECT_EQ(proof_log.logged, std::ssize(text));
}

TEST(ProofLog, HasNoTextIfItBecomesTooLong) {
  const IndexingMap map = *parse_map("(d0) -> (d0), domain: d0 in [0, 9]");
  ProofLog proof_log;
  begin_section(proof_log, map);
  end_section(proof_log, map, map);
  EXPECT_FALSE(proof_log.text.empty());
  begin_section(proof_log, map);
  proof_log.logged = ProofLog::kMaxLogged + 1;
  end_section(proof_log, map, map);
  EXPECT_EQ(proof_log.text, "");
}

}  // namespace
}  // namespace tileproof::impl
