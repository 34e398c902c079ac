// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/plain_sums.h"

#include <gtest/gtest.h>

#include <string>

#include "generate/choose/choose.h"
#include "generate/map/generate_map.h"
#include "impl/map/cse.h"
#include "impl/map/domain/domain.h"
#include "impl/map/extraction/extraction.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// The first result of the map, if its extraction is known at once, as text; "" otherwise.
std::string plain_text(const std::string& text) {
  const absl::StatusOr<IndexingMap> read = parse_map(text);
  EXPECT_TRUE(read.ok()) << text;
  if (!read.ok()) return "";
  NormalFormContext context;
  CommonSubexpressions distinct;
  IndexingMap map;
  EXPECT_TRUE(distinct.read(*read, map).ok()) << text;
  Normalizer normalizer(context, map);
  const Domain domain = simplify_domain(context, normalizer, map);
  assume(context, domain.constraints);
  normalizer.reset();
  const Linear form = normalizer.form_of(map.results[0]);
  const std::optional<Linear> rendering = plain_rendering(context, form);
  if (!rendering) return "";
  begin_search(context);
  EXPECT_TRUE(extract(context, form).plain) << text;
  IndexingMap out = map;
  out.constraints.clear();
  const VariableCounts counts{std::ssize(map.dimensions), std::ssize(map.ranges)};
  out.results = {render(context, *rendering, counts, out.nodes)};
  const std::string whole = to_text(out);
  const size_t begin = whole.find("-> (") + 4;
  return whole.substr(begin, whole.find("), domain") - begin);
}

TEST(PlainSums, AreRecognized) {
  const std::string domain = "), domain: d0 in [0, 999], d1 in [0, 999], d2 in [0, 999]";
  for (const char* sum : {
           "d0 * 8 + d1 * 2 + d2 floordiv 8",
           "(d0 mod 8) * 2 + d1 floordiv 4",
           "(d0 floordiv 4) mod 8",
           "((d0 floordiv 4) mod 8) * 16 + d1 mod 16",
           "d2 * 8 + (d0 * 3 + d1) mod 8",
           "(d0 * 2 + d1 * 3) floordiv 7 + d2",
           "((d0 * 3 + d1) mod 8) * 7 + d2 floordiv 16",
       }) {
    EXPECT_EQ(plain_text("(d0, d1, d2) -> (" + std::string(sum) + domain), sum);
  }
}

TEST(PlainSums, AreNoSumsThatMayBecomeShorter) {
  const std::string domain = "), domain: d0 in [0, 999], d1 in [0, 999], d2 in [0, 999]";
  for (const char* sum : {
           "d0 mod 8 + 1",                      // a constant
           "d0 mod 8 - d1",                     // a sign
           "d0 * 2 - d0 mod 8",                 // a variable twice
           "d0 mod 8 + d0 floordiv 8",          // likewise
           "(d0 floordiv 4) mod 8 + d0 mod 4",  // likewise
           "((d0 * 7) mod 64) * 4",             // (d0 * 28) mod 256
           "(d0 mod 4) * 10 + d1 * 5",          // ((d0 * 2) mod 8 + d1) * 5
           "(d0 * d1) mod 8",                   // a product
           "(d0 floordiv 4 + d1 * 3) mod 8",    // a floor in a mod of a sum
           "d0 mod -8",                         // another dialect
       }) {
    EXPECT_EQ(plain_text("(d0, d1, d2) -> (" + std::string(sum) + domain), "") << sum;
  }
}

TEST(PlainSums, AreAboutVariablesWithoutAssumptions) {
  const std::string map =
      "(d0, d1, d2) -> (d0 mod 8 + d1 * 8), domain: d0 in [0, 999], d1 in [0, 999], d2 in [0, "
      "99], ";
  EXPECT_EQ(plain_text(map + "d2 mod 3 in [0, 1]"), "d1 * 8 + d0 mod 8");
  EXPECT_EQ(plain_text(map + "d1 + d2 in [7, 800]"), "");
  EXPECT_EQ(plain_text(map + "(d0 floordiv 3 + d2) mod 5 in [0, 1]"), "");
}

TEST(PlainSums, TheSearchFindsNoOtherRendering) {
  Workspace usual, general;
  general.try_simple(false);
  for (uint64_t seed = 0; seed < 4'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = seed % 2 == 0 ? generate_chain(choose).map : generate_digits(choose);
    const absl::StatusOr<IndexingMap> fast = simplify(map, usual), slow = simplify(map, general);
    ASSERT_TRUE(fast.ok() && slow.ok()) << to_text(map);
    ASSERT_EQ(to_text(*fast), to_text(*slow)) << to_text(map);
  }
}

}  // namespace
}  // namespace tileproof::impl
