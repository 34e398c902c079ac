// SPDX-License-Identifier: Apache-2.0
// What a default run asks about, whatever the seed: corners of real systems that random requests
// hardly meet.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/oracle.h"
#include "conform/suites/suites.h"
#include "corpus/files.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/xla_differences.h"

namespace tileproof::conform {
namespace {

constexpr int kCases = 1000;

std::string text_under(const Json& request, absl::string_view key) {
  const auto* text = find_as<std::string>(request, key);
  return text == nullptr ? "" : *text;
}

// The cases of a suite that a run of this seed asks.
std::vector<Json> cases_of(const Suite& suite, uint64_t seed) {
  Cases cases(suite, seed, {});
  std::vector<Json> requests;
  for (int i = 0; i < kCases; ++i) requests.push_back(cases.next()->request);
  return requests;
}

// ---- Fixed requests ----

TEST(Fixed, EachLineIsAQuestion) {
  for (const Suite& suite : suites()) {
    const size_t lines =
        project_lines(absl::StrCat("corpus/requests/", suite.name, ".jsonl")).size();
    const std::vector<Json> requests = suite.fixed();
    EXPECT_EQ(requests.size(), lines) << suite.name;
    EXPECT_GT(lines, 0u) << suite.name;
    for (const Json& request : requests) {
      EXPECT_NE(operation_named(text_under(request, "op")), nullptr) << to_text(request);
    }
  }
}

TEST(Fixed, EachDifferenceOfXlaIsAsked) {
  const auto asks = [](absl::string_view suite, absl::string_view shape) {
    const std::vector<Json> requests = suite_named(suite)->fixed();
    return std::any_of(requests.begin(), requests.end(), [shape](const Json& request) {
      return text_under(request, "shape") == shape;
    });
  };
  for (const Difference& entry : differences()) {
    EXPECT_TRUE(asks("parse", entry.example)) << entry.example;
    if (entry.kind == Difference::Kind::kSize) {
      EXPECT_TRUE(asks("layout", entry.example)) << entry.example;
    }
  }
}

// ---- Corners ----

std::optional<Layout> layout_in(const Json& request) {
  const absl::StatusOr<Shape> shape = parse_shape(text_under(request, "shape"));
  return shape.ok() ? shape->layout : std::nullopt;
}

// An odd number of elements of 4 bits, packed or not.
bool is_odd_4_bits(const Json& request, bool packed) {
  const absl::StatusOr<Shape> shape = parse_shape(text_under(request, "shape"));
  if (!shape.ok() || !shape->layout || text_under(request, "op") != "layout.physical") return false;
  if (info(shape->element_type).bits != 4) return false;
  if ((shape->layout->element_size_in_bits == 4) != packed) return false;
  for (const Dimension& d : shape->dimensions) {
    if (d.size % 2 == 0) return false;
  }
  return shape->layout->tiles.empty();
}

// A reduction of two arrays or more.
bool reduces_several(const Json& request) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text_under(request, "hlo"));
  if (!module.ok()) return false;
  const HloComputation& entry = module->computations[module->entry];
  const HloInstruction& root = entry.instructions[entry.root];
  return root.opcode == HloOpcode::kReduce && root.operands.size() >= 4;
}

bool has_dimension_above(const Json& request, int64_t size) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text_under(request, "hlo"));
  if (!module.ok()) return false;
  for (const HloInstruction& one : module->computations[module->entry].instructions) {
    if (!one.shape) continue;
    for (const Dimension& d : one.shape->dimensions) {
      if (d.size > size) return true;
    }
  }
  return false;
}

struct Corner {
  const char* suite;
  const char* what;
  bool (*is)(const Json& request);
};

const Corner kCorners[] = {
    {"layout", "elements of more than 65,535 bits",
     [](const Json& r) {
       const auto layout = layout_in(r);
       return layout && layout->element_size_in_bits > 65'535;
     }},
    {"layout", "an odd number of packed elements of 4 bits",
     [](const Json& r) { return is_odd_4_bits(r, true); }},
    {"layout", "an odd number of elements of 4 bits, a byte each",
     [](const Json& r) { return is_odd_4_bits(r, false); }},
    {"layout", "a tile (*,1)",
     [](const Json& r) { return absl::StrContains(text_under(r, "shape"), "T(*,1)"); }},
    {"hlo", "a reduction of several arrays, from input to output",
     [](const Json& r) {
       return text_under(r, "direction") == "input_to_output" && reduces_several(r);
     }},
    {"hlo", "a dimension above 256", [](const Json& r) { return has_dimension_above(r, 256); }},
    {"hlo", "a dimension above 2^30",
     [](const Json& r) { return has_dimension_above(r, int64_t{1} << 30); }},
    {"compose", "a map that is empty with runtime variables alone",
     [](const Json& r) {
       return absl::StrContains(text_under(r, "second"), "(){rt0} -> ") &&
              absl::StrContains(text_under(r, "second"), "1 in [0, 0]");
     }},
    {"compose", "a name of both maps",
     [](const Json& r) {
       return absl::StrContains(text_under(r, "first"), "[elem]") &&
              absl::StrContains(text_under(r, "second"), "[elem]");
     }},
};

TEST(Asked, CornersOfEachSuiteByDefault) {
  for (const Suite& suite : suites()) {
    if (suite.by_default != ByDefault::kAsked) continue;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      const std::vector<Json> requests = cases_of(suite, seed);
      for (const Corner& corner : kCorners) {
        if (suite.name != corner.suite) continue;
        int count = 0;
        for (const Json& request : requests) count += corner.is(request) ? 1 : 0;
        EXPECT_GT(count, 0) << "seed " << seed << ": " << corner.suite << ", " << corner.what;
      }
    }
  }
}

TEST(Asked, EachOperationInASuiteByDefaultOrIfNamed) {
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    std::set<absl::string_view> open;
    for (const Operation& operation : operations()) open.insert(operation.name);
    for (const Suite& suite : suites()) {
      Cases cases(suite, seed, {});
      for (size_t left = suite.fixed().size(); left > 0; --left) cases.next();
      for (int i = 0; i < kCases / 5; ++i) {
        open.erase(text_under(cases.next()->request, "op"));
      }
    }
    // Only fixed requests ask for it.
    EXPECT_EQ(open, (std::set<absl::string_view>{"map.transactions"})) << "seed " << seed;
  }
}

// Programs of version 1 know no operation that extends it.
TEST(Asked, ExtensionsIfTheHelloNamesTheirOperations) {
  const auto has = [](const Limits& limits, absl::string_view name) {
    const std::vector<const Suite*> suites = default_suites(limits);
    return std::ranges::count(suites, name, &Suite::name) == 1;
  };
  EXPECT_TRUE(has({}, "layout"));
  EXPECT_FALSE(has({}, "facts"));
  Limits named;
  named.ops = {"layout.linearize", "layout.banks"};
  EXPECT_TRUE(has(named, "layout") && has(named, "facts"));
  EXPECT_FALSE(has(named, "threads") || has(named, "parse"));
}

// ---- Cost ----

// Our own answers must come before the time limit of 2 s even on a busy machine. Processor time; the
// slowest answer takes a tenth of this.
TEST(Asked, NothingThatTakesOurselvesLong) {
  for (const Suite& suite : suites()) {
    if (suite.by_default != ByDefault::kAsked) continue;
    double most = 0;
    std::string slowest;
    for (const Json& request : cases_of(suite, 3)) {
      const std::string op = text_under(request, "op");
      const std::clock_t start = std::clock();
      answer({Json(1), op, request}, Engine::kImpl);
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      if (seconds > most) slowest = to_text(request);
      most = std::max(most, seconds);
    }
    std::cout << suite.name << ": the slowest answer takes " << most << " s\n";
    EXPECT_LT(most, 0.7) << slowest;
  }
}

}  // namespace
}  // namespace tileproof::conform
