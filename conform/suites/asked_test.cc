// SPDX-License-Identifier: Apache-2.0
// What a default run asks about, whatever the seed: corners of real systems that random requests
// hardly meet.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/oracle.h"
#include "conform/suites/suites.h"
#include "corpus/paths.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/xla_differences.h"
#include "spec/lang/map/map_text.h"

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
    std::ifstream file(
        project_path(absl::StrCat("corpus/requests/", std::string(suite.name), ".jsonl")));
    size_t lines = 0;
    for (std::string line; std::getline(file, line);) lines += line[0] == '#' ? 0 : 1;
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

// ---- Expressions ----

// Compares two expressions. Variables match variables, a constant matches one of its sign. Collects
// the constants of both.
struct Match {
  const IndexingMap &a, &b;
  std::vector<int64_t> of_a = {}, of_b = {};

  bool same(NodeId x, NodeId y) {
    const Node &m = a.nodes[x], &n = b.nodes[y];
    if (is_variable(m.op)) return is_variable(n.op);
    if (m.op != n.op) return false;
    if (m.op != Op::kConstant) return same(m.left, n.left) && same(m.right, n.right);
    of_a.push_back(m.value);
    of_b.push_back(n.value);
    return (m.value < 0) == (n.value < 0) && (m.value == 0) == (n.value == 0);
  }

  // Whether the constants of both have the same order.
  bool same_order() const {
    for (size_t i = 0; i < of_a.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if ((of_a[i] <=> of_a[j]) != (of_b[i] <=> of_b[j])) return false;
      }
    }
    return true;
  }
};

// Whether some result or constraint of the request's map has this shape.
bool asks_about(const Json& request, const IndexingMap& shape) {
  const absl::StatusOr<IndexingMap> map = parse_map(text_under(request, "map"));
  if (!map.ok()) return false;
  const auto found = [&](NodeId wanted, NodeId given) {
    Match match{shape, *map};
    return match.same(wanted, given) && match.same_order();
  };
  for (NodeId result : map->results) {
    if (shape.constraints.empty() && found(shape.results[0], result)) return true;
  }
  for (const Constraint& constraint : map->constraints) {
    if (!shape.constraints.empty() && found(shape.constraints[0].expr, constraint.expr))
      return true;
  }
  return false;
}

TEST(Asked, ShapesThatRulesOfRealSimplifiersMatch) {
  const std::vector<Json> fixed = suite_named("simplify")->fixed();
  for (const char* text :
       {"(d0) -> (2 - (1 - d0) floordiv 3), domain: d0 in [0, 1]",
        "(d0) -> ((d0 + 5) floordiv 3 - (d0 + 1) floordiv 3), domain: d0 in [0, 1]",
        "(d0) -> ((d0 * 320 + 255) mod 256), domain: d0 in [0, 1]",
        "(d0) -> ((d0 mod -2) mod 2), domain: d0 in [0, 1]",
        "(d0, d1) -> (), domain: d0 in [0, 1], d1 in [0, 1], d0 * -4 + d1 in [0, 12]",
        "(d0)[s0] -> (), domain: d0 in [0, 9], s0 in [1, 3], d0 * 4 + s0 in [0, 8]",
        "(d0) -> (), domain: d0 in [0, 1], d0 floordiv -2 in [0, 0]"}) {
    const IndexingMap shape = *parse_map(text);
    bool asked = false;
    for (const Json& request : fixed) asked = asked || asks_about(request, shape);
    EXPECT_TRUE(asked) << text;
  }
}

TEST(Asked, TheConstraintOfSeveralVariablesAsItWasFound) {
  bool asked = false;
  for (const Json& request : suite_named("simplify")->fixed()) {
    const std::string map = text_under(request, "map");
    asked = asked || (absl::StrContains(map, "s0 in [1, 3]") &&
                      absl::StrContains(map, "d0 * 4 + s0 in [0, 8]"));
  }
  EXPECT_TRUE(asked);
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

bool is_about(const Json& request, const char* op) { return text_under(request, "op") == op; }

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
    {"algebra", "coalesce", [](const Json& r) { return is_about(r, "tla.coalesce"); }},
    {"algebra", "composition", [](const Json& r) { return is_about(r, "tla.composition"); }},
    {"algebra", "complement", [](const Json& r) { return is_about(r, "tla.complement"); }},
    {"algebra", "right inverse", [](const Json& r) { return is_about(r, "tla.right_inverse"); }},
    {"algebra", "left inverse", [](const Json& r) { return is_about(r, "tla.left_inverse"); }},
    {"algebra", "product", [](const Json& r) { return is_about(r, "tla.logical_product"); }},
    {"algebra", "logical divide", [](const Json& r) { return is_about(r, "tla.logical_divide"); }},
    {"algebra", "zipped divide", [](const Json& r) { return is_about(r, "tla.zipped_divide"); }},
    {"algebra", "tiled divide", [](const Json& r) { return is_about(r, "tla.tiled_divide"); }},
    {"uses", "utilization", [](const Json& r) { return is_about(r, "hlo.utilization"); }},
    {"uses", "tiles", [](const Json& r) { return is_about(r, "hlo.tile"); }},
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

// In octal these would be other numbers.
TEST(Asked, NumbersWithLeadingZerosInTheSuiteParse) {
  int shapes = 0, layouts = 0, maps = 0;
  for (const Json& request : suite_named("parse")->fixed()) {
    shapes += absl::StrContains(text_under(request, "shape"), "[012,") ? 1 : 0;
    layouts += absl::StrContains(text_under(request, "layout"), "(010,") ? 1 : 0;
    maps += absl::StrContains(text_under(request, "map"), " * 010") ? 1 : 0;
  }
  EXPECT_GT(shapes, 0);
  EXPECT_GT(layouts, 0);
  EXPECT_GT(maps, 0);
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
