// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/tiling_induction.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::lemmas {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TilingInduction, EveryListOfStepsIsABijection) {
  const auto lemmas = prove_tilings_by_induction();
  ASSERT_TRUE(lemmas.ok()) << lemmas.status();
  EXPECT_THAT(*lemmas, ElementsAre("combine-in-bounds", "digit-quotient", "digit-remainder",
                                   "indexed-size", "leading-one", "split-in-bounds", "split-undone",
                                   "uncombine-in-bounds", "unsplit-in-bounds"));
}

// Every assumption and every instance is needed, and nothing else is shown.
TEST(TilingInduction, NoClaimHoldsWithLess) {
  for (const TilingClaim& claim : tiling_claims()) {
    for (size_t k = 0; k < claim.given.size(); ++k) {
      TilingClaim less = claim;
      less.given.erase(less.given.begin() + static_cast<ptrdiff_t>(k));
      EXPECT_FALSE(check_tiling_claim(less).ok()) << claim.name << " without assumption " << k;
    }
    for (size_t k = 0; k < claim.by.size(); ++k) {
      TilingClaim less = claim;
      less.by.erase(less.by.begin() + static_cast<ptrdiff_t>(k));
      EXPECT_FALSE(check_tiling_claim(less).ok()) << claim.name << " without " << claim.by[k].lemma;
    }
    TilingClaim more = claim;
    more.shows.push_back(variable("e") == variable("n"));
    EXPECT_THAT(std::string(check_tiling_claim(more).message()), HasSubstr("not known: e = n"));
  }
}

TEST(TilingInduction, RefusesAnInstanceThatIsNone) {
  const Term e = variable("e");
  EXPECT_THAT(std::string(check_tiling_claim({"", {}, {{"split-undone", {e}}}, {}}).message()),
              HasSubstr("no lemma split-undone"));
  EXPECT_THAT(std::string(check_tiling_claim({"", {}, {{"split-undone", {e, e}}}, {}}).message()),
              HasSubstr("split-undone: not known: 0 < e"));
}

}  // namespace
}  // namespace tileproof::lemmas
