// SPDX-License-Identifier: Apache-2.0
// The rules of zoo.tsv and held_out.tsv are read, match what they say, and each is false.
#include "conform/zoo/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/judge/judge.h"
#include "conform/oracle/oracle.h"
#include "conform/zoo/zoo.h"
#include "corpus/answers_testing.h"
#include "generate/choose/choose.h"
#include "gtest/gtest.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

// ---- Reading and matching ----

// The map after a rule; "unchanged" if it does not match.
std::string after(absl::string_view question) {
  const auto [text, rule] = parts_of<2>(question, "\nby ");
  const StatedRules rules = *parse_rules(rule);
  IndexingMap map = *parse_map(text);
  return apply(rules, map) ? to_text(map) : "unchanged";
}

std::string error_of(absl::string_view text) {
  return std::string(parse_rules(text).status().message());
}

TEST(Rules, Answers) {
  expect_answers("answers/zoo_rules.txt", {{"after", after}, {"error", error_of}});
  EXPECT_EQ(error_of("x mod m -> x if m > "),  // a row has no space at its end
            "column 21: expected a formula, found end of input");
}

TEST(Rules, OfOneOfTwoMaps) {
  EXPECT_EQ(parse_rules("second: each x in [l, u] -> true")->front().of, "second");
  EXPECT_EQ(parse_rules("x mod m -> x")->front().of, "");
}

TEST(Rules, Arithmetic) {
  const StatedRules rules = *parse_rules("a mod b -> rem(a, b) if b > 0");
  EXPECT_EQ(apply(rules, Op::kMod, -7, 4), -3);
  EXPECT_EQ(apply(rules, Op::kMod, -7, -4), std::nullopt);
  EXPECT_EQ(apply(rules, Op::kAdd, -7, 4), std::nullopt);
}

// ---- Every rule is false ----

// Random values for the letters of a rule. Most are small; some are at the ends of a width.
class Instance {
 public:
  explicit Instance(Choose& choose) : choose_(choose) {
    for (int64_t& value : numbers_) value = number();
    for (int64_t d = 0; d < 6; ++d) {
      const int64_t low = choose_.chance(1, 8) ? special() : choose_.between(-9, 9);
      const int64_t widths[] = {choose_.between(0, 12), choose_.between(0, 12), 2000, 1'500'000,
                                int64_t{1} << 33};
      const int64_t width = widths[choose_(5)];
      const std::string name = d == 4 ? "s0" : d == 5 ? "rt0" : absl::StrCat("d", d);
      variables_.push_back(absl::StrCat(name, " in [", low, ", ",
                                        low > INT64_MAX - width ? INT64_MAX : low + width, "]"));
    }
  }

  std::string text(const Formula& f) const {
    if (is_number(f)) return absl::StrCat("(", value(f), ")");
    if (f.head == "Y" && numbers_[25] % 2 == 0) return absl::StrCat("(", numbers_[24], ")");
    if (f.head == "R") return "rt0";
    if (f.head == "S" || f.head == "z") return "s0";
    if (f.parts.empty()) return absl::StrCat("d", absl::string_view("vwxyYD").find(f.head) % 4);
    return absl::StrCat("(", text(f.parts[0]), " ", f.head, " ", text(f.parts[1]), ")");
  }

  // A map that has what a rule matches.
  std::string map(const StatedRule& rule) const {
    std::vector<std::string> domain = variables_;
    for (const Bounded& given : rule.given) {
      const std::string of = text(given.expr), fact = absl::StrCat(of, " in [", value(given.low),
                                                                   ", ", value(given.high), "]");
      const auto same = std::ranges::find_if(domain, [&](const std::string& line) {
        return rule.of_bounds && absl::StartsWith(line, of + " ");
      });
      if (same == domain.end()) {
        domain.push_back(fact);
      } else {
        *same = fact;
      }
    }
    return absl::StrCat("(d0, d1, d2, d3)[s0]{rt0} -> (",
                        rule.given.empty() ? text(rule.from) : "d0",
                        "), domain: ", absl::StrJoin(domain, ", "));
  }

  Json simplify(const StatedRule& rule) const {
    return conform::json_object({{"op", "map.simplify"}, {"map", map(rule)}});
  }

  // At a point that is often near the ends of the domain.
  Json evaluate_map(const StatedRule& rule) const {
    const auto at = [this](size_t i) { return numbers_[i] % 12; };
    return conform::json_object({{"op", "map.evaluate"},
                                 {"map", map(rule)},
                                 {"dims", std::vector<int64_t>{at(0), at(1), at(2), at(3)}},
                                 {"ranges", std::vector<int64_t>{at(4)}},
                                 {"runtime", std::vector<int64_t>{at(5)}}});
  }

  // An operation that a rule matches, as a question about map.evaluate.
  Json evaluate(const StatedRule& rule) const {
    const std::vector<int64_t> at = {value(rule.from.parts[0])};
    const std::string map =
        absl::StrCat("(d0) -> (d0 ", rule.from.head, " ", text(rule.from.parts[1]),
                     "), domain: d0 in [-9223372036854775808, 9223372036854775807]");
    return conform::json_object({{"op", "map.evaluate"}, {"map", map}, {"dims", at}});
  }

 private:
  static bool is_number(const Formula& f) {
    if (f.parts.empty()) return f.head.empty() || (f.head[0] >= 'a' && f.head[0] <= 'u');
    return (f.head == "+" || f.head == "*") && is_number(f.parts[0]) && is_number(f.parts[1]);
  }

  int64_t value(const Formula& f) const {
    if (f.head.empty()) return f.value;
    if (f.parts.empty()) return numbers_[f.head[0] - 'a'];
    const auto a = static_cast<uint64_t>(value(f.parts[0])),
               b = static_cast<uint64_t>(value(f.parts[1]));
    return static_cast<int64_t>(f.head == "+" ? a + b : a * b);
  }

  int64_t special() {
    constexpr int64_t kSpecial[] = {
        100,       65'539,     int64_t{1} << 31, (int64_t{1} << 32) + 3, int64_t{1} << 62,
        INT64_MAX, -INT64_MAX, INT64_MIN};
    return kSpecial[choose_(std::size(kSpecial))];
  }
  int64_t number() { return choose_.chance(1, 10) ? special() : choose_.between(-8, 12); }

  Choose& choose_;
  int64_t numbers_[26];
  std::vector<std::string> variables_;
};

// Returns whether the judge finds a wrong answer to a random question that a rule is about.
bool is_refuted(const Entry& entry) {
  const StatedRules rules = *parse_rules(entry.rule);
  for (uint64_t seed = 0; seed < 100'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const Instance instance(choose);
    const StatedRule& rule = rules[seed % rules.size()];
    const bool points = entry.operation == "map.evaluate";
    const Json request = !points              ? instance.simplify(rule)
                         : rule.given.empty() ? instance.evaluate(rule)
                                              : instance.evaluate_map(rule);
    if (fails(verdict_on(entry, request))) return true;
  }
  return false;
}

TEST(Rules, EachIsFalse) {
  int64_t stated = 0;
  for (const auto& list : {entries(), held_out()}) {
    for (const Entry& entry : list) {
      if (entry.rule.empty()) continue;
      ++stated;
      ASSERT_TRUE(parse_rules(entry.rule).ok())
          << entry.id << ": " << parse_rules(entry.rule).status();
      const bool of_two = !parse_rules(entry.rule)->front().of.empty();  // the campaign shows it
      EXPECT_TRUE(of_two || is_refuted(entry)) << entry.id << ": " << entry.rule;
    }
  }
  EXPECT_GE(stated, 110);
}

}  // namespace
}  // namespace tileproof::zoo
