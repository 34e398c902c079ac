// SPDX-License-Identifier: Apache-2.0
// The checker accepts every proof log of an equality, and no altered log of maps that differ.
#include "verify/prove/map/equality_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "corpus/files.h"
#include "generate/layout/generate_blocked.h"
#include "generate/map/generate_map.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/layout/layout_convert.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/map/map_equal.h"
#include "verify/trace/trace_check.h"

namespace tileproof::verify {
namespace {

std::optional<std::string> log_of(const char* left, const char* right) {
  return equality_log(*parse_map(left), *parse_map(right));
}

// "" if the checker accepts the log, and it is about these maps.
std::string judged(const std::string& log, const IndexingMap& left, const IndexingMap& right) {
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(log);
  if (!checked.ok()) return absl::StrCat(checked.status().message(), "\n", log);
  const bool same = (checked->before == left && checked->after == right) ||
                    (checked->before == right && checked->after == left);
  return same ? "" : absl::StrCat("the log is about other maps\n", log);
}

TEST(EqualityLog, ShowsEachStepWithItsLemmaAndInstance) {
  const char* left =
      "(d0, d1) -> ((d0 * 4 + d1 + 8) floordiv 8), domain: d0 in [0, 99], d1 in [0, 3]";
  const char* right = "(d0, d1) -> (d0 floordiv 2 + 1), domain: d0 in [0, 99], d1 in [0, 3]";
  const std::optional<std::string> log = log_of(left, right);
  ASSERT_TRUE(log);
  EXPECT_EQ(*log, absl::StrCat("map ", left, "\n",
                               "let f1 = (d0 * 4 + d1) floordiv 8\n"
                               "let f2 = (d0) floordiv 2\n"
                               "let f3 = (d0 * 4 + d1 + 8) floordiv 8\n"
                               "1: d1 in [0, 3] by known\n"
                               "2: f1 = f2 by drop-small-part(A = d0, B = d1, g = 4, c = 2, "
                               "m = 0) given 1\n"
                               "3: f3 = f2 + 1 by pull-multiple(x = 1, y = d0 * 4 + d1, c = 8) "
                               "using 2\n"
                               "4: result 0 is f2 + 1 using 3\n"
                               "5: new result 0 is f2 + 1\n"
                               "becomes ",
                               right, "\n"));
  EXPECT_EQ(judged(*log, *parse_map(left), *parse_map(right)), "");
}

struct Tally {
  int pairs = 0, logged = 0, rearranged_without_log = 0;
};

void compare(const IndexingMap& left, const IndexingMap& right, Tally& tally) {
  ++tally.pairs;
  const std::optional<std::string> log = equality_log(left, right);
  if (log) {
    ++tally.logged;
    EXPECT_EQ(judged(*log, left, right), "");
    return;
  }
  EqualOptions options;
  options.milliseconds = 100;
  options.enumerated = 0;
  options.normal_forms = false;
  const absl::StatusOr<MapEquality> equality = equal(left, right, options);
  if (equality.ok() && equality->basis == Basis::kRearranged) {
    ++tally.rearranged_without_log;
    std::cout << to_text(left) << "\n" << to_text(right) << "\n\n";
  }
}

TEST(EqualityLog, RandomMapsAndTheirNormalForms) {
  Tally tally;
  for (uint64_t seed = 0; seed < cases<uint64_t>(1200); ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = seed % 3 == 0   ? generate_map(choose)
                            : seed % 3 == 1 ? generate_related(choose)
                                            : generate_chain(choose).map;
    const absl::StatusOr<IndexingMap> simple = impl::simplify(map);
    if (!simple.ok()) continue;
    compare(map, *simple, tally);
  }
  std::cout << tally.pairs << " pairs, " << tally.logged << " logs accepted, "
            << tally.rearranged_without_log << " rearranged without a log\n";
  EXPECT_GT(tally.logged, tally.pairs / 2);
  EXPECT_LE(tally.rearranged_without_log, 1 + tally.pairs / 500);
}

// Checks the logs of equal layouts and counts them.
class LayoutLogs {
 public:
  void compare(const AnyLayout& left, const AnyLayout& right) {
    absl::StatusOr<spec::LayoutFunction> a = spec::layout_function(left),
                                         b = spec::layout_function(right);
    if (!a.ok() || !b.ok() || !spec::share_shape(*a, *b).ok()) return;
    if (std::ranges::count(a->dims, 0) > 0) return;
    const int64_t before = session_.identities;
    if (prove_equal(*a, *b, session_).verdict != Verdict::kProven) return;
    ++proven;
    const std::optional<std::string> log = equality_log(*a, *b);
    rearranged += session_.identities - before;
    EXPECT_EQ(log.has_value(), session_.identities > before)
        << to_text(left) << " " << to_text(right);
    if (!log) return;
    EXPECT_EQ(judged(*log, offset_map(*a), offset_map(*b)), "")
        << to_text(left) << " " << to_text(right);
    ++logged;
    steps += std::ranges::count(*log, '\n');
  }

  int64_t proven = 0, rearranged = 0, logged = 0, steps = 0;

 private:
  ProofSession session_;
};

void compare_conversions(const AnyLayout& layout, LayoutLogs& logs) {
  ProofSession session;
  session.milliseconds_per_question = 200;
  for (const LayoutSystem system :
       {LayoutSystem::kXla, LayoutSystem::kTla, LayoutSystem::kCute, LayoutSystem::kDnnl}) {
    const auto converted = convert(layout, system, ElementType::kF32, session);
    if (converted.ok() && converted->layout) logs.compare(layout, *converted->layout);
  }
}

TEST(EqualityLog, LayoutsOfTheCorpusAndTheirConversions) {
  LayoutLogs logs;
  for (const std::string& line : project_lines("corpus/layouts/conversions.txt")) {
    const absl::StatusOr<AnyLayout> layout = parse_any_layout(line);
    if (layout.ok()) compare_conversions(*layout, logs);
  }
  std::cout << logs.proven << " pairs proven equal, " << logs.logged << " logs accepted, "
            << logs.steps << " lines\n";
  EXPECT_GT(logs.logged, 30);
}

TEST(EqualityLog, RandomLayoutsAndTheirConversions) {
  LayoutLogs logs;
  for (uint64_t seed = 0; seed < long_cases<uint64_t>(400); ++seed) {
    Choose choose(Choose::Random{seed});
    compare_conversions(random_any_layout(choose, choose.pick<int64_t>({60, 400, 1 << 20})), logs);
  }
  std::cout << logs.proven << " pairs proven equal, " << logs.logged << " logs accepted, "
            << logs.steps << " lines\n";
  EXPECT_GT(logs.logged, long_cases(300));
}

bool accepted(const std::string& log) { return trace::check_trace(log).ok(); }

TEST(EqualityLog, AnAlteredStepIsRejected) {
  const std::string log =
      *log_of("(d0, d1) -> ((d0 * 4 + d1 + 8) floordiv 8), domain: d0 in [0, 99], d1 in [0, 3]",
              "(d0, d1) -> (d0 floordiv 2 + 1), domain: d0 in [0, 99], d1 in [0, 3]");
  ASSERT_TRUE(accepted(log));
  for (const auto& [before, after] : std::vector<std::pair<const char*, const char*>>{
           {"1: d1 in [0, 3] by known", "1: d1 in [0, 2] by known"},  // not a bound
           {"B = d1", "B = d1 + 1"},                                  // d1 + 1 may be 4
           {" given 1", ""},                                          // a hypothesis is missing
           {"m = 0", "m = 1"},                                        // another cell
           {"f1 = f2 by", "f1 = f2 + 1 by"},                          // another conclusion
           {"drop-small-part(", "pull-multiple("},                    // another lemma
           {"drop-small-part(", "drop-any-part("},                    // not a lemma
           {" using 2", ""},                                          // an equation is missing
           {"f3 = f2 + 1 by", "f3 = f2 by"},
           {"result 0 is f2 + 1 using 3", "result 0 is f2 using 3"},
           {"let f2 = (d0) floordiv 2", "let f2 = (d0) floordiv 3"},
           {"becomes (d0, d1) -> (d0 floordiv 2 + 1)", "becomes (d0, d1) -> (d0 floordiv 2)"}}) {
    const std::string altered = absl::StrReplaceAll(log, {{before, after}});
    ASSERT_NE(altered, log) << before;
    EXPECT_FALSE(accepted(altered)) << altered;
  }
}

// Changes one random digit of the log by one.
std::string with_another_number(const std::string& log, Choose& choose) {
  std::vector<size_t> digits;
  for (size_t i = 0; i < log.size(); ++i) {
    if (absl::ascii_isdigit(log[i])) digits.push_back(i);
  }
  if (digits.empty()) return log;
  std::string altered = log;
  char& digit = altered[digits[choose(std::ssize(digits))]];
  digit = static_cast<char>(digit == '9'                     ? '8'
                            : digit == '0' || choose(2) == 0 ? digit + 1
                                                             : digit - 1);
  return altered;
}

// An altered log may still be a proof: the altered fact may be unused, or the altered maps may be
// equal. The checker must not accept it if they differ.
TEST(EqualityLog, AnAlteredLogIsAcceptedOnlyForEqualMaps) {
  int altered = 0, still_accepted = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(4000); ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = seed % 2 == 0 ? generate_related(choose) : generate_chain(choose).map;
    const absl::StatusOr<IndexingMap> simple = impl::simplify(map);
    if (!simple.ok()) continue;
    const std::optional<std::string> log = equality_log(map, *simple);
    if (!log) continue;
    const std::string other = with_another_number(*log, choose);
    if (other == *log) continue;
    const absl::StatusOr<trace::Checked> checked = trace::check_trace(other);
    ++altered;
    if (!checked.ok()) continue;
    ++still_accepted;
    const absl::StatusOr<MapEquality> equality = equal(checked->before, checked->after);
    ASSERT_TRUE(equality.ok()) << equality.status();
    EXPECT_NE(equality->verdict, Verdict::kRefuted)
        << to_text(checked->before) << " " << to_text(checked->after);
  }
  std::cout << altered << " altered logs, " << still_accepted << " accepted\n";
  EXPECT_GT(altered, cases(1000));
  EXPECT_LT(still_accepted, altered / 4);
}

}  // namespace
}  // namespace tileproof::verify
