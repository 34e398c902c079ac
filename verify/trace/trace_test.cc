// SPDX-License-Identifier: Apache-2.0
// The checker accepts every trace of the simplifier, and a tampered trace only if it is still true.
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/files.h"
#include "generate/map/generate_map.h"
#include "gtest/gtest.h"
#include "impl/map/simplify.h"
#include "nlohmann/json.hpp"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/trace/trace_check.h"

namespace tileproof {
namespace {

using trace::Checked;

// "" if the checker accepts the map's trace, and it proves that simplify's result is equal.
std::string judged(const IndexingMap& map) {
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(map);
  if (!simplified.ok() || !traced.ok()) return absl::StrCat(to_text(map), ": not simplified");
  if (!(traced->map == *simplified)) return absl::StrCat(to_text(map), ": the trace changes it");
  const absl::StatusOr<Checked> checked = trace::check_trace(traced->trace);
  if (!checked.ok()) return absl::StrCat(to_text(map), ": ", checked.status().message());
  if (checked->before == map && checked->after == *simplified) return "";
  return absl::StrCat(to_text(map), ": the trace is of other maps");
}

// Every line of the text that is a map.
std::vector<IndexingMap> maps_in(const std::string& text) {
  std::vector<IndexingMap> maps;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::ConsumePrefix(&line, "=> ");
    const absl::StatusOr<IndexingMap> map = parse_map(line);
    if (map.ok()) maps.push_back(*map);
  }
  return maps;
}

void expect_accepted(const std::vector<IndexingMap>& maps, size_t at_least, const char* name) {
  EXPECT_GE(maps.size(), at_least) << name;
  for (const IndexingMap& map : maps) EXPECT_EQ(judged(map), "");
  std::cout << maps.size() << " maps of " << name << "\n";
}

TEST(Trace, ShowsEachStepWithItsLemmaAndInstance) {
  const auto map =
      parse_map("(d0)[s0] -> ((s0 * 6 + 9) floordiv 18), domain: d0 in [0, 3], s0 in [0, 99]");
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(*map);
  ASSERT_TRUE(traced.ok());
  EXPECT_EQ(traced->trace,
            "map (d0)[s0] -> ((s0 * 6 + 9) floordiv 18), domain: d0 in [0, 3], s0 in [0, 99]\n"
            "let f1 = (s0 + 1) floordiv 3\n"
            "let f2 = (s0 * 6 + 9) floordiv 18\n"
            "1: f2 = f1 by drop-small-part(A = s0 + 1, B = 3, g = 6, c = 3, m = 0)\n"
            "2: result 0 is f1 using 1\n"
            "3: new result 0 is f1\n"
            "becomes (d0)[s0] -> ((s0 + 1) floordiv 3), domain: d0 in [0, 3], s0 in [0, 99]\n");
}

TEST(Trace, AResultMayUseASumOfFacts) {
  const auto map = parse_map("(d0) -> (d0 mod 4 + d0), domain: d0 in [0, 9], d0 mod 4 in [1, 1]");
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(*map);
  ASSERT_TRUE(traced.ok());
  const std::string sum = "d0 * 2 - f1 * 4 = d0 + 1 by sum(1) given ";
  const auto with = [&](const std::string& before, const std::string& after) {
    EXPECT_NE(traced->trace.find(before), std::string::npos) << traced->trace;
    return trace::check_trace(absl::StrReplaceAll(traced->trace, {{before, after}})).ok();
  };
  EXPECT_TRUE(trace::check_trace(traced->trace).ok());
  EXPECT_FALSE(with(sum, "d0 * 2 - f1 * 4 = d0 + 2 by sum(1) given "));
  EXPECT_FALSE(with("result 0 is d0 + 1 given", "result 0 is d0 + 2 given"));
  EXPECT_FALSE(with("constraint 0 is d0 - f1 * 4 in [1, 1]",
                    "constraint 0 is d0 - f1 * 4 in [1, 1] given 1"));
}

TEST(Trace, EveryMapOfTheCorpusIsAccepted) {
  for (const auto& [name, count] : {std::pair{"documents.txt", size_t{59}},
                                    {"chains.txt", size_t{100}},
                                    {"regressions.txt", size_t{20}}}) {
    expect_accepted(maps_in(project_text(absl::StrCat("corpus/maps/", name))), count, name);
  }
}

TEST(Trace, EveryMapOfTheSharedDataIsAccepted) {
  const std::vector<std::string> cases = project_lines("../shared/data/xla_cases.jsonl");
  if (cases.empty()) GTEST_SKIP() << "no ../shared/data";
  std::vector<IndexingMap> maps;
  for (const std::string& line : cases) {
    const auto json = nlohmann::json::parse(line);
    for (const char* key : {"input", "first", "second"}) {
      if (!json.contains(key)) continue;
      const absl::StatusOr<IndexingMap> map = parse_map(json[key].get<std::string>());
      if (map.ok()) maps.push_back(*map);
    }
  }
  expect_accepted(maps, 20, "xla_cases.jsonl");
  expect_accepted(maps_in(project_text("../shared/data/maps_synth.txt")), 100, "maps_synth.txt");
}

IndexingMap random_map(uint64_t seed, int kind) {
  Choose choose(Choose::Random{seed});
  if (kind == 0) return generate_map(choose);
  if (kind == 1) return generate_map(choose, {.constraints = 6, .depth = 3});
  if (kind == 2) return generate_map(choose, {.extremes = true});
  return generate_chain(choose).map;
}

// A log may be incomplete: the checker then rejects it (corpus/maps/incomplete_logs.txt). That is
// rare.
TEST(Trace, RandomMapsAreAccepted) {
  int64_t maps = 0, refused = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    for (int kind = 0; kind < (seed % 4 == 0 ? 4 : 3); ++kind) {
      const std::string wrong = judged(random_map(seed, kind));
      if (!wrong.empty()) std::cout << wrong << "\n";
      ++maps;
      refused += !wrong.empty();
    }
  }
  EXPECT_LE(refused, maps / 2000);
  std::cout << maps << " random maps, " << refused << " traces not accepted\n";
}

// Maps of related expressions use most lemmas. A few of their logs are incomplete
// (corpus/maps/incomplete_logs.txt).
TEST(Trace, RandomMapsOfRelatedExpressionsAreNearlyAllAccepted) {
  constexpr int kMaps = 2000;
  int refused = 0;
  for (uint64_t seed = 0; seed < kMaps; ++seed) {
    Choose choose(Choose::Random{seed});
    const std::string wrong = judged(generate_related(choose));
    refused += !wrong.empty();
    EXPECT_LE(refused, kMaps / 1000) << wrong;
  }
  std::cout << kMaps << " maps, " << refused << " traces not accepted\n";
}

// ---- Tampering --------------------------------------------------------------------------------

std::vector<std::string> lines_of(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

// Copies of the line, each with one number altered. The number of a name (d0, f12) counts as one.
std::vector<std::string> with_other_numbers(const std::string& line) {
  std::vector<std::string> altered;
  for (size_t i = 0; i < line.size();) {
    size_t end = i;
    while (end < line.size() && absl::ascii_isdigit(line[end])) ++end;
    if (end == i || end - i > 15) {
      i = std::max(end, i + 1);
      continue;
    }
    const int64_t value = std::stoll(line.substr(i, end - i));
    for (int64_t other : {value + 1, value - 1, value * 2 + 3, int64_t{0}}) {
      if (other == value) continue;
      altered.push_back(absl::StrCat(line.substr(0, i), other, line.substr(end)));
    }
    i = end;
  }
  return altered;
}

// Copies of the line, each with one sign, keyword or name altered.
std::vector<std::string> with_other_signs(const std::string& line) {
  std::vector<std::string> altered;
  for (const auto& [from, to] : {std::pair{" + ", " - "},
                                 {" - ", " + "},
                                 {"= -", "= "},
                                 {"[-", "["},
                                 {"from", "given"},
                                 {"given", "from"},
                                 {"using", "given"},
                                 {"= d0", "= d0 + d0"},
                                 {"floordiv", "mod"},
                                 {"d0", "s0"}}) {
    for (size_t at = line.find(from); at != std::string::npos; at = line.find(from, at + 1)) {
      altered.push_back(line.substr(0, at) + to + line.substr(at + std::strlen(from)));
    }
  }
  return altered;
}

// Copies of the line, each with another reason or another lemma of the same number of letters.
std::vector<std::string> with_other_lemmas(const std::string& line) {
  std::vector<std::string> altered;
  const size_t by = line.find(" by "), open = line.find('(', by), close = line.find(')', by);
  if (by == std::string::npos) return altered;
  for (const char* reason : {"known", "rewriting"}) {
    const size_t end = close == std::string::npos ? line.find(' ', by + 4) : close + 1;
    altered.push_back(
        absl::StrCat(line.substr(0, by + 4), reason, end < line.size() ? line.substr(end) : ""));
  }
  if (open == std::string::npos || close == std::string::npos) return altered;
  const std::vector<std::string> values =
      absl::StrSplit(line.substr(open + 1, close - open - 1), ", ");
  for (const lemmas::StatedLemma& lemma : lemmas::all_lemmas()) {
    if (lemma.variables.size() != values.size()) continue;
    std::vector<std::string> renamed;
    for (size_t i = 0; i < values.size(); ++i) {
      renamed.push_back(absl::StrCat(
          lemma.variables[i], values[i].substr(std::min(values[i].find(" = "), values[i].size()))));
    }
    altered.push_back(absl::StrCat(line.substr(0, by + 4), lemma.name, "(",
                                   absl::StrJoin(renamed, ", "), line.substr(close)));
  }
  return altered;
}

// Removes one step, renumbers the steps after it and removes references to it.
std::string without_step(const std::vector<std::string>& lines, size_t position) {
  std::string text;
  const int dropped = std::stoi(lines[position]);
  bool inside = true;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i == position) continue;
    if (i > position && absl::StartsWith(lines[i], "becomes")) inside = false;
    if (i < position || !inside || !absl::ascii_isdigit(lines[i][0])) {
      absl::StrAppend(&text, lines[i], "\n");
      continue;
    }
    const size_t colon = lines[i].find(':');
    absl::StrAppend(&text, std::stoi(lines[i]) - 1);
    const size_t tail = std::min({lines[i].find(" from ", colon), lines[i].find(" given ", colon),
                                  lines[i].find(" using ", colon), lines[i].size()});
    absl::StrAppend(&text, lines[i].substr(colon, tail - colon));
    std::string word;
    for (absl::string_view part : absl::StrSplit(lines[i].substr(tail), ' ', absl::SkipEmpty())) {
      if (!absl::ascii_isdigit(part[0])) {
        word = absl::StrCat(" ", part);
        continue;
      }
      const int number = std::stoi(std::string(part));
      if (number == dropped) continue;
      absl::StrAppend(&text, word, " ", number > dropped ? number - 1 : number);
      word.clear();
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

std::vector<std::string> tampered(const std::string& trace) {
  const std::vector<std::string> lines = lines_of(trace);
  std::vector<std::string> altered;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> others = with_other_numbers(lines[i]);
    for (const auto& more : {with_other_signs(lines[i]), with_other_lemmas(lines[i])}) {
      others.insert(others.end(), more.begin(), more.end());
    }
    for (const std::string& other : others) {
      if (other == lines[i]) continue;
      std::vector<std::string> copy = lines;
      copy[i] = other;
      altered.push_back(absl::StrJoin(copy, "\n"));
    }
    if (absl::ascii_isdigit(lines[i][0])) altered.push_back(without_step(lines, i));
  }
  return altered;
}

// ---- An accepted trace is true ----------------------------------------------------------------

using Wide = trace::Wide;

// Values of all unknowns of a section at a point.
Wide value_of(const trace::Polynomial& polynomial, const std::vector<Wide>& values) {
  Wide sum = 0;
  for (const auto& [unknowns, factor] : polynomial.terms) {
    Wide part = factor;
    for (int number : unknowns) part *= values[number];
    sum += part;
  }
  return sum;
}

std::vector<Wide> values_at(const trace::Table& table, const spec::Point& point) {
  std::vector<Wide> values;
  for (const auto* list : {&point.dims, &point.ranges, &point.runtime}) {
    values.insert(values.end(), list->begin(), list->end());
  }
  for (size_t i = values.size(); i < table.unknowns.size(); ++i) {
    const trace::Unknown& floor = table.unknowns[i];
    values.push_back(trace::floor_divide(value_of(floor.inside, values), floor.divisor));
  }
  return values;
}

// The first fact of the section that is false at the point, or "".
std::string false_fact(const trace::StatedFacts& stated, const spec::Point& point) {
  const std::vector<Wide> values = values_at(stated.table, point);
  for (const trace::StatedFact& fact : stated.facts) {
    const Wide value = value_of(fact.fact.polynomial, values);
    if ((fact.fact.low && value < *fact.fact.low) || (fact.fact.high && value > *fact.fact.high)) {
      return absl::StrCat("line ", fact.line, " is false");
    }
  }
  return "";
}

// A point at which the two maps differ by the reference, or that only one of them accepts.
std::string difference(const IndexingMap& before, const IndexingMap& after, int64_t most) {
  std::string wrong;
  for (const IndexingMap* box : {&before, &after}) {
    const absl::Status all = spec::for_each_box_point(*box, most, [&](const spec::Point& point) {
      const auto a = spec::evaluate(before, point), b = spec::evaluate(after, point);
      if (a.ok() && b.ok() && *a != *b) wrong = "different at " + spec::to_text(before, point);
      return wrong.empty();
    });
    if (!all.ok()) return "too many points to try";
  }
  return wrong;
}

// A false statement of an accepted trace, by the reference; "" if there is none.
std::string falsehood(const std::string& text, const Checked& checked) {
  constexpr int64_t kMost = 100'000;
  std::string wrong = difference(checked.before, checked.after, kMost);
  const auto sections = trace::parse_trace(text);
  for (const trace::Section& section : *sections) {
    const auto stated = trace::stated_facts(section);
    if (!wrong.empty()) break;
    // No status: those of more points are not tried.
    (void)spec::for_each_box_point(section.before, kMost, [&](const spec::Point& point) {
      const auto result = spec::evaluate(section.before, point);
      if (result.ok() && result->has_value()) wrong = false_fact(*stated, point);
      return wrong.empty();
    });
  }
  return wrong;
}

struct Counts {
  int64_t traces = 0, altered = 0, rejected = 0, harmless = 0;
};

void expect_tampering_is_found(const IndexingMap& map, Counts& counts) {
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(map);
  ASSERT_TRUE(traced.ok());
  const absl::StatusOr<Checked> original = trace::check_trace(traced->trace);
  ASSERT_TRUE(original.ok()) << original.status();
  EXPECT_EQ(falsehood(traced->trace, *original), "") << to_text(map);
  ++counts.traces;
  std::set<std::string> seen;
  for (const std::string& text : tampered(traced->trace)) {
    if (!seen.insert(text).second) continue;
    ++counts.altered;
    const absl::StatusOr<Checked> checked = trace::check_trace(text);
    if (!checked.ok()) {
      ++counts.rejected;
      continue;
    }
    ++counts.harmless;
    EXPECT_EQ(falsehood(text, *checked), "") << text;
  }
}

TEST(Trace, AnAcceptedTraceIsTrueHoweverItWasTamperedWith) {
  Counts counts;
  for (const char* text : {
           "(d0)[s0] -> ((s0 * 6 + 9) floordiv 18, (-d0) mod 2, d0 mod 6 mod 3), "
           "domain: d0 in [0, 30], s0 in [0, 99]",
           "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 30], s0 in [0, 99], d0 mod 6 in [3, 3], "
           "d0 mod 4 in [1, 1], d0 * 6 + s0 in [3, 101]",
           "(d0)[s0] -> (d0), domain: d0 in [0, 99], s0 in [0, 9], (d0 floordiv 2) mod 4 in [1, "
           "1], "
           "(d0 * 3 + s0 * 6) mod 12 in [3, 3]",
           "(d0) -> (d0), domain: d0 in [-7, 20], d0 mod 12 in [2, 9], d0 mod 4 in [3, 3]",
           "(d0) -> (), domain: d0 in [0, 99], d0 mod 4 in [1, 1], d0 mod 6 in [2, 2]",
           "(d0)[s0] -> (d0 * s0 mod 5), domain: d0 in [0, 9], s0 in [-2, 9], "
           "d0 * 6 + s0 in [0, 47]",
       }) {
    expect_tampering_is_found(*parse_map(text), counts);
  }
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Choose choose(Choose::Random{seed});
    const IndexingMap map = seed % 3 == 0 ? generate_chain(choose, {.steps = 2, .points = 500}).map
                                          : generate_map(choose, {.points = 500});
    const auto traced = impl::simplify_with_trace(map);
    if (traced->trace.size() < 2500) expect_tampering_is_found(map, counts);
  }
  std::cout << counts.traces << " traces, altered " << counts.altered << " times: rejected "
            << counts.rejected << ", still true " << counts.harmless << "\n";
  EXPECT_GT(counts.altered, 1000);
}

// Damaged traces are a property, texts-trace.
TEST(Trace, NoTextCrashesTheChecker) {
  const std::string map = "map (d0) -> (d0), domain: d0 in [0, 3]\n";
  for (const std::string& text :
       {std::string(), std::string("map"), map, map + "becomes", map + "let f1 = (d0) floordiv 0\n",
        map + "let f1 = (d1) floordiv 2\n", map + "1: d0 in [0, 3]\n",
        map + "1: d0 in [0, 3] by known from 1\n",
        map + "1: d0 * d0 * 99999999999999999999 in [0, 3] by sum()\n",
        map + "1: d0 = d0 by pull-multiple(x = d0)\n", map + "1: never by known\n",
        map + "1: constraint 0 is d0 in [0, 1]\n", map + "1: new result 7 is d0\n",
        map + "becomes KNOWN EMPTY\n", map + "becomes (d0) -> (d0), domain: d0 in [0, 2]\n",
        map + "becomes (d0) -> (d0), domain: d0 in [0, 3]\n"}) {
    EXPECT_FALSE(trace::check_trace(text).ok()) << text;
  }
  EXPECT_TRUE(trace::check_trace(map + "1: new result 0 is result 0\n"
                                       "becomes (d0) -> (d0), domain: d0 in [0, 3]\n")
                  .ok());
}

}  // namespace
}  // namespace tileproof
