// SPDX-License-Identifier: Apache-2.0
// Limits, whole files, maps that were not parsed. corpus/readers/maps.txt has texts with what they are.

#include "spec/lang/map/map_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/bitwise.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/memref_text.h"
#include "spec/lang/map/mlir_text.h"

namespace tileproof {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  return map.ok() ? absl::StrCat("was read as ", to_text(*map))
                  : std::string(map.status().message());
}

// Parses the text and prints the map. The printed text must parse as the same map.
std::string printed(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) return std::string(map.status().message());
  const std::string canonical = to_text(*map);
  const absl::StatusOr<IndexingMap> again = parse_map(canonical);
  EXPECT_TRUE(again.ok() && *again == *map) << text;
  return canonical;
}

std::string with_result(absl::string_view expression) {
  return absl::StrCat("(d0, d1)[s0] -> (", expression,
                      "), domain: d0 in [0, 9], d1 in [0, 9], s0 in [0, 9]");
}

TEST(MapText, DropsNamesThatEqualTheDefault) {
  const absl::StatusOr<IndexingMap> map = parse_map(
      "(d0, d0_)[s1, s0]{r, rt1} -> (), domain: d0 in [0, 1], d0_ in [0, 1], s1 in [0, 1], "
      "s0 in [0, 1], r in [0, 1], rt1 in [0, 1]");
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ(map->dimensions[0].name, "");
  EXPECT_EQ(map->dimensions[1].name, "d0_");
  EXPECT_EQ(map->ranges[0].name, "s1");
  EXPECT_EQ(map->ranges[1].name, "s0");
  EXPECT_EQ(map->runtime[0].name, "r");
  EXPECT_EQ(map->runtime[1].name, "");
}

TEST(MapText, ParsesEveryMapOfTheDocumentsInBothForms) {
  const std::string content = project_text("corpus/maps/documents.txt");
  int entries = 0;
  for (absl::string_view entry : absl::StrSplit(content, "\n\n")) {
    std::vector<std::string> lines;
    for (absl::string_view line : absl::StrSplit(entry, '\n', absl::SkipEmpty())) {
      if (absl::StartsWith(line, "#")) continue;
      if (absl::ConsumePrefix(&line, "=> ")) {
        const std::string older = absl::StrJoin(lines, "\n");
        EXPECT_EQ(printed(older), line) << older;
        EXPECT_EQ(printed(line), line);
        ++entries;
      }
      lines.emplace_back(line);
    }
  }
  EXPECT_EQ(entries, 59);
}

TEST(MapText, PrintsEveryLongChainUnchanged) {
  const std::string content = project_text("corpus/maps/chains.txt");
  const absl::StatusOr<std::vector<IndexingMap>> maps = parse_maps(content);
  ASSERT_TRUE(maps.ok()) << maps.status();
  EXPECT_EQ(maps->size(), 150u);
  std::string again;
  for (const IndexingMap& map : *maps) absl::StrAppend(&again, to_text(map), "\n");
  EXPECT_THAT(content, ::testing::EndsWith(again));
}

// Collects every text of a map in the value, at any depth.
void collect_maps(const nlohmann::json& value, std::vector<std::string>& maps) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    if (absl::StartsWith(text, "(") && absl::StrContains(text, "->")) maps.push_back(text);
  } else if (value.is_structured()) {
    for (const nlohmann::json& part : value) collect_maps(part, maps);
  }
}

TEST(MapText, PrintsEveryMapOfXlasOwnCasesOnOneLine) {
  const std::string cases = project_text("../shared/data/xla_cases.jsonl");
  if (cases.empty()) GTEST_SKIP() << "no data beside the checkout";
  std::vector<std::string> maps;
  for (absl::string_view line : absl::StrSplit(cases, '\n', absl::SkipEmpty())) {
    collect_maps(nlohmann::json::parse(std::string(line)), maps);
  }
  EXPECT_GE(maps.size(), 92u);
  for (std::string& text : maps) {
    const std::string one_line = printed(text);
    // These texts differ from the printed ones only in white space and the last comma.
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    std::string squeezed = one_line;
    std::erase(squeezed, ' ');
    EXPECT_EQ(squeezed, absl::StripSuffix(text, ",")) << one_line;
  }
}

TEST(MapText, IgnoresExtraParentheses) {
  const std::string synthetic = project_text("../shared/data/maps_synth.txt");
  if (synthetic.empty()) GTEST_SKIP() << "no data beside the checkout";
  const absl::StatusOr<std::vector<IndexingMap>> maps = parse_maps(synthetic);
  ASSERT_TRUE(maps.ok()) << maps.status();
  EXPECT_EQ(*maps, *parse_maps(project_text("corpus/maps/chains.txt")));
}

// A runtime variable that has its default name once it has moved has no name.
TEST(MapText, RuntimeVariablesMayHaveTheirNameBeforeTheyMove) {
  EXPECT_EQ(parse_map("(d0)[rt0] -> (d0 + rt0)\ndomain:\nd0 in [0, 1]\nrt0 in [0, 3]\nhlo: x\n"
                      "(d0) -> (d0)\n")
                .value(),
            parse_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [0, 3]").value());
  EXPECT_EQ(no_points(*parse_map("(d0) -> (), domain: d0 in [0, 9]")).dimensions[0].bounds,
            (Interval{0, -1}));
}

TEST(MapText, ParsesOneMapPerLine) {
  const absl::StatusOr<std::vector<IndexingMap>> maps =
      parse_maps("// two maps\n\n() -> (5)\r\n(d0) -> (d0), domain: d0 in [0, 9]");
  ASSERT_TRUE(maps.ok()) << maps.status();
  EXPECT_EQ(maps->size(), 2u);
  EXPECT_EQ(parse_maps("() -> ()\n() -> (d0)").status().message(),
            "line 2, column 8: expected a variable of the map, found 'd0'");
}

TEST(MapText, KnownEmptyIsAMapWithoutPoints) {
  const absl::StatusOr<IndexingMap> asked =
      parse_map("(d0)[s]{rt0} -> (d0), domain: d0 in [0, 9], s in [0, 1], rt0 in [0, 2]");
  ASSERT_TRUE(asked.ok());
  const absl::StatusOr<IndexingMap> empty = parse_answer(" KNOWN EMPTY\n", *asked);
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_TRUE(empty->known_empty);
  EXPECT_EQ(empty->dimensions.size(), 1u);
  EXPECT_EQ(empty->ranges.size(), 1u);
  EXPECT_EQ(empty->runtime.size(), 1u);
  EXPECT_EQ(to_text(*empty), "KNOWN EMPTY");
  EXPECT_TRUE(validate(*empty).ok());
  EXPECT_EQ(*parse_answer(to_text(*asked), *asked), *asked);
  EXPECT_EQ(parse_map(" KNOWN EMPTY").value(), no_points(IndexingMap()));
  EXPECT_FALSE(parse_answer("KNOWN EMPTY 2", *asked).ok());
}

TEST(MapText, LimitsDepthAndLength) {
  const auto in_parentheses = [](size_t depth) {
    return absl::StrCat("() -> (", std::string(depth, '('), "5", std::string(depth, ')'), ")");
  };
  const auto sum = [](size_t terms) {
    std::string text = "() -> (1";
    for (size_t i = 1; i < terms; ++i) text += "+1";
    return text + ")";
  };
  EXPECT_EQ(printed(in_parentheses(kMaxNesting)), "() -> (5)");
  EXPECT_THAT(error_of(in_parentheses(kMaxNesting + 1)), HasSubstr("nested at most 1000"));
  EXPECT_THAT(error_of(in_parentheses(1'000'000)), HasSubstr("nested at most 1000"));
  std::string beside = "() -> ((1)";
  for (int i = 0; i < 999; ++i) beside += "+(1)";
  EXPECT_TRUE(parse_map(beside + "+(1))").ok());
  const auto negated = [](size_t times) {
    return parse_map("(d0) -> (" + std::string(times, '-') + "d0), domain: d0 in [0, 9]").ok();
  };
  EXPECT_TRUE(negated(kMaxNesting));
  EXPECT_FALSE(negated(kMaxNesting + 1));
  EXPECT_TRUE(parse_map(std::string(kMaxTextBytes - 8, ' ') + "() -> ()").ok());
  EXPECT_TRUE(parse_map(sum(kMaxNesting + 1)).ok());
  EXPECT_THAT(error_of(sum(kMaxNesting + 2)), HasSubstr("nested at most 1000"));
  EXPECT_THAT(error_of("() -> (" + std::string(5'000'000, '-') + "1)"),
              HasSubstr("nested at most 1000"));
  EXPECT_EQ(error_of(std::string(kMaxTextBytes + 1, ' ')),
            "column 1: expected a text of at most 16 MiB");
}

TEST(MapText, PrintingAndParsingKeepsEveryTreeOfUpToThreeOperations) {
  IndexingMap map;
  map.dimensions = {{{0, 9}, ""}};
  std::vector<NodeId> small = {add_variable(map.nodes, Op::kDimension, 0)};
  for (int64_t value : {int64_t{0}, int64_t{1}, int64_t{3}, int64_t{-1}, int64_t{-4}, INT64_MIN}) {
    small.push_back(add_constant(map.nodes, value));
  }
  constexpr Op kOperations[] = {Op::kAdd, Op::kMul, Op::kFloorDiv, Op::kCeilDiv, Op::kMod};
  const std::vector<NodeId> leaves = small;
  for (Op op : kOperations) {
    for (NodeId a : leaves) {
      for (NodeId b : leaves) small.push_back(add_operation(map.nodes, op, a, b));
    }
  }
  map.results = {add_operation(map.nodes, Op::kAdd, 0, 0)};
  int64_t read = 0, refused = 0, number = 0;
  for (Op op : kOperations) {
    for (NodeId a : small) {
      if (!is_tried(number++)) continue;
      for (NodeId b : small) {
        map.nodes.back() = Node{.op = op, .left = a, .right = b};
        const std::string text = to_text(map);
        const absl::StatusOr<IndexingMap> again = parse_map(text);
        if (!again.ok()) {
          ASSERT_THAT(std::string(again.status().message()), HasSubstr("to divide by")) << text;
          ++refused;
          continue;
        }
        const bool same =
            same_expression(map.nodes, map.results[0], again->nodes, again->results[0]);
        ASSERT_TRUE(same) << text;
        ++read;
      }
    }
  }
  // Another program counted the trees whose divisors are nonzero constants.
  if (read + refused == 5 * 252 * 252) {
    EXPECT_EQ(read, 151'830);
  }
  EXPECT_GT(read, 25'000);
  std::cout << read << " trees read, " << refused << " with an invalid divisor\n";
}

TEST(MapText, PrintingAndParsingKeepsDeepTreesOfAnyShape) {
  for (const char* link : {"-", "2 * ", "1 + ", "1 - ", "1 mod 2 + "}) {
    std::string text = "d0 + d1";
    for (int depth = 2; depth < kMaxNesting; depth += 3) text = absl::StrCat(link, "(", text, ")");
    text = with_result(text);
    EXPECT_TRUE(printed(text) == text) << link;  // EXPECT_EQ would print a text too long to read
  }
}

TEST(MapText, ParsesAMillionShortExpressions) {
  std::string text = "() -> (0";
  while (text.size() + 10 < kMaxTextBytes) text += ", -1 mod 7";
  text += ")";
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(to_text(*map), text);
}

TEST(MapText, ValidatesMapsThatWereNotParsedLikeText) {
  IndexingMap map;
  map.dimensions = {{{0, 9}, ""}, {{0, 9}, "x"}};
  const NodeId d0 = add_variable(map.nodes, Op::kDimension, 0);
  const NodeId two = add_constant(map.nodes, 2);
  map.results = {add_operation(map.nodes, Op::kMod, d0, two)};
  EXPECT_TRUE(validate(map).ok()) << validate(map);

  const auto broken = [&map](auto change) {
    IndexingMap other = map;
    change(other);
    return std::string(validate(other).message());
  };
  EXPECT_EQ(broken([](IndexingMap& m) { m.dimensions[1].name = "x y"; }),
            "column 8: expected ')' or ',' after a variable, found 'y'");
  EXPECT_EQ(broken([](IndexingMap& m) { m.dimensions[1].name = "d0"; }),
            "column 6: expected a name that no other variable has, found 'd0'");
  EXPECT_EQ(broken([](IndexingMap& m) { m.dimensions[1].name = "d1"; }),
            "expected a default name to be stored as the empty name");
  EXPECT_EQ(broken([](IndexingMap& m) { m.nodes[1].value = 0; }),
            "column 20: expected a constant other than 0 to divide by");
  EXPECT_EQ(broken([](IndexingMap& m) { m.nodes[0].value = 2; }),
            "node 0: expected a variable of the map, found d2");
  EXPECT_EQ(broken([](IndexingMap& m) { m.nodes[2].left = 2; }),
            "node 2: expected its operands before it in the table");
  EXPECT_EQ(broken([](IndexingMap& m) { m.nodes[2].right = 2; }),
            "node 2: expected its operands before it in the table");
  EXPECT_EQ(broken([](IndexingMap& m) { m.nodes[2].left = -1; }),
            "node 2: expected its operands before it in the table");
  EXPECT_EQ(broken([](IndexingMap& m) { m.nodes[2].right = -1; }),
            "node 2: expected its operands before it in the table");
  EXPECT_THAT(broken([](IndexingMap& m) { m.nodes[0].value = -1; }),
              StartsWith("node 0: expected a variable of the map, found"));
  EXPECT_EQ(broken([](IndexingMap& m) { m.results[0] = 0; }), "");
  EXPECT_EQ(broken([](IndexingMap& m) { m.results[0] = add_operation(m.nodes, Op::kAdd, 1, 0); }),
            "");
  EXPECT_EQ(broken([](IndexingMap& m) { m.results[0] = 3; }),
            "expected results and constraints to be nodes of the map");
  EXPECT_EQ(broken([](IndexingMap& m) {
              m.constraints.push_back({-1, {0, 1}});
            }),
            "expected results and constraints to be nodes of the map");
  // Thirty doublings: few nodes, but gigabytes of text.
  EXPECT_EQ(broken([](IndexingMap& m) {
              for (int i = 0; i < 30; ++i) {
                m.results[0] = add_operation(m.nodes, Op::kAdd, m.results[0], m.results[0]);
              }
            }),
            "expected expressions of at most 16777216 nodes");
  // Deeper than the parser reads.
  EXPECT_THAT(broken([](IndexingMap& m) {
                for (int i = 0; i < 1000; ++i)
                  m.results[0] = add_operation(m.nodes, Op::kAdd, m.results[0], 1);
              }),
              HasSubstr("nested at most 1000"));
  EXPECT_EQ(broken([](IndexingMap& m) {
              for (int i = 0; i < 999; ++i)
                m.results[0] = add_operation(m.nodes, Op::kAdd, m.results[0], 1);
            }),
            "");
}

TEST(IndexingMap, EqualityComparesTreesNotTables) {
  IndexingMap shared, spread;
  shared.dimensions = spread.dimensions = {{{0, 9}, ""}};
  NodeId a = add_variable(shared.nodes, Op::kDimension, 0);
  for (int i = 0; i < 200; ++i) a = add_operation(shared.nodes, Op::kAdd, a, a);
  shared.results = {a};
  NodeId b = add_variable(spread.nodes, Op::kDimension, 0);
  for (int i = 0; i < 200; ++i) {
    add_constant(spread.nodes, i);
    b = add_operation(spread.nodes, Op::kAdd, b, b);
  }
  spread.results = {b};
  EXPECT_EQ(shared, spread);
  EXPECT_TRUE(same_expression(shared.nodes, a, spread.nodes, b));
  EXPECT_EQ(tree_size(shared.nodes, a), INT64_MAX);
  EXPECT_EQ(tree_depth(shared.nodes, a), 200);
  EXPECT_EQ(tree_size(shared.nodes, 2), 7);
  spread.nodes[0].op = Op::kRange;
  EXPECT_FALSE(shared == spread);
}

TEST(IndexingMap, EachNodeOfAnExpressionIsCompared) {
  const auto expression = [](const std::string& text) {
    return *parse_map(absl::StrCat("(d0, d1) -> (", text, "), domain: d0 in [0, 9], d1 in [0, 9]"));
  };
  const std::vector<std::string> texts = {"d0 * 2 + (d1 mod 3) * 4",      "d0 * 2 + (d1 mod 3) * 5",
                                          "d1 * 2 + (d1 mod 3) * 4",      "d0 * 2 + (d1 mod 2) * 4",
                                          "d0 * 2 + (d1 floordiv 3) * 4", "d0 * 2"};
  // Sums of more terms are compared in another way.
  for (const std::string& more : {std::string(), [] {
                                    std::string sum;
                                    for (int i = 0; i < 60; ++i)
                                      absl::StrAppend(&sum, " + d0 mod ", i + 2);
                                    return sum;
                                  }()}) {
    for (const std::string& x : texts) {
      for (const std::string& y : texts) {
        const IndexingMap a = expression(x + more), b = expression(y + more);
        EXPECT_EQ(same_expression(a.nodes, a.results[0], b.nodes, b.results[0]), x == y) << x << y;
      }
    }
  }
}

TEST(IndexingMap, EqualityComparesEachPart) {
  const std::vector<IndexingMap> maps = {
      *parse_map("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 9], s0 in [0, 9], rt0 in [0, 9]"),
      *parse_map("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 8], s0 in [0, 9], rt0 in [0, 9]"),
      *parse_map("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 9], s0 in [0, 8], rt0 in [0, 9]"),
      *parse_map("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 9], s0 in [0, 9], rt0 in [0, 8]"),
      *parse_map("(d0)[s0]{rt0} -> (s0), domain: d0 in [0, 9], s0 in [0, 9], rt0 in [0, 9]"),
      *parse_map("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 9], s0 in [0, 9], rt0 in [0, 9], d0 in "
                 "[0, 5]"),
      *parse_map("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 9], s0 in [0, 9], rt0 in [0, 9], d0 in "
                 "[0, 4]"),
      *parse_map("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 9], s0 in [0, 9], rt0 in [0, 9], s0 in "
                 "[0, 5]")};
  for (size_t i = 0; i < maps.size(); ++i) {
    for (size_t k = 0; k < maps.size(); ++k) EXPECT_EQ(maps[i] == maps[k], i == k) << i << " " << k;
  }
}

// An operand without an interval leaves the operation without one.
TEST(Interval, OfOperationsOnSumsThatDoNotFit) {
  IndexingMap map;
  map.dimensions = {{{0, INT64_MAX}, ""}};
  const NodeId d0 = add_variable(map.nodes, Op::kDimension, 0);
  const NodeId sum = add_operation(map.nodes, Op::kAdd, d0, d0);
  EXPECT_EQ(interval_of(map, add_operation(map.nodes, Op::kMul, sum, d0)), std::nullopt);
  EXPECT_EQ(interval_of(map, add_operation(map.nodes, Op::kMul, d0, sum)), std::nullopt);
}

TEST(MemRef, HasItsTextAndItsType) {
  const absl::StatusOr<MemRef> memref = parse_memref("  memref< 4xvector<2x8xf32>,   1>");
  ASSERT_TRUE(memref.ok()) << memref.status();
  EXPECT_EQ(to_text(*memref), "memref< 4xvector<2x8xf32>, 1>");
  EXPECT_EQ(memref->element_type, "vector<2x8xf32>");
  EXPECT_EQ(parse_memref(std::string(kMaxTextBytes + 1, ' ')).status().message(),
            "column 1: expected a text of at most 16 MiB");
}

// What ends in space, or in a comment behind a tab.
TEST(Mlir, ReadsToTheEndsOfTheText) {
  for (const char* text :
       {"affine_map<(d0) -> (d0)> // ", "//\tCHECK: affine_map<(d0) -> (d0)>\n"}) {
    const absl::StatusOr<std::vector<MlirItem>> items = find_mlir(text);
    ASSERT_TRUE(items.ok()) << items.status();
    EXPECT_EQ(items->size(), 1) << text;
  }
}

TEST(Mlir, IsPrintedAgain) {
  const IndexingMap map = *parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]");
  EXPECT_EQ(*to_mlir(map, MlirKind::kAffineMap), "affine_map<(d0)[s0] -> (d0 + s0)>");
  EXPECT_EQ(*to_mlir(map, MlirKind::kIndexingMap),
            "#xla.indexing_map<\"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]\">");
  EXPECT_EQ(*parse_map(*to_mlir(map, MlirKind::kIndexingMap)), map);
  EXPECT_FALSE(is_unbounded(map));
  const IndexingMap constrained =
      *parse_map("(d0) -> (d0), domain: d0 in [0, 3], d0 mod 2 in [0, 0]");
  EXPECT_FALSE(to_mlir(constrained, MlirKind::kAffineMap).ok());
  for (const char* other : {"(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 1]"}) {
    EXPECT_FALSE(to_mlir(*parse_map(other), MlirKind::kAffineMap).ok());
  }
  EXPECT_FALSE(to_mlir(no_points(map), MlirKind::kAffineMap).ok());
  EXPECT_FALSE(
      is_unbounded(*parse_map("(d0) -> (d0), domain: d0 in [-9223372036854775808, "
                              "9223372036854775807], d0 mod 2 in [0, 0]")));
  EXPECT_FALSE(is_unbounded(no_points(*parse_map("() -> ()"))));
  EXPECT_EQ(*to_mlir(*parse_map("() -> (5)"), MlirKind::kAffineMap), "affine_map<() -> (5)>");
}

// What operations on bits mean. corpus/readers/maps.txt has how they are written, and errors.

// The value of a map's only result, by the meaning of its operations.
int64_t value_at(const IndexingMap& map, const std::vector<int64_t>& point) {
  std::vector<int64_t> values;
  for (const Node& node : map.nodes) {
    values.push_back(node.op == Op::kConstant ? node.value
                     : is_leaf(node.op)
                         ? point[node.value]
                         : value_of(node.op, values[node.left], values[node.right]).value());
  }
  return values[map.results[0]];
}

// Whether `x OP y` is what C++ says for all x of [low, high] and all y of [low, high].
void expect_meaning(const std::string& text, int64_t low, int64_t high,
                    const std::function<int64_t(int64_t, int64_t)>& meaning) {
  const auto map = parse_map(absl::StrCat("(x, y) -> (", text, "), domain: x in [", low, ", ", high,
                                          "], y in [", low, ", ", high, "]"));
  ASSERT_TRUE(map.ok()) << text << ": " << map.status();
  EXPECT_EQ(*parse_map(to_text(*map)), *map);
  for (int64_t x = low; x <= high; ++x) {
    for (int64_t y = low; y <= high; ++y) {
      ASSERT_EQ(value_at(*map, {x, y}), meaning(x, y)) << text << " at " << x << ", " << y;
    }
  }
}

TEST(Bitwise, OperationsOnBitsAreThoseOfIntegers) {
  for (const int64_t high : {0, 1, 5, 8, 15}) {
    expect_meaning("x xor y", 0, high, std::bit_xor<>());
    expect_meaning("x ^ y", 0, high, std::bit_xor<>());
    expect_meaning("x & y", 0, high, std::bit_and<>());
    expect_meaning("x | y", 0, high, std::bit_or<>());
  }
  for (const int64_t number : {0, 1, 2, 6, 9, 15, 22}) {
    const std::string c = absl::StrCat(number);
    expect_meaning("x xor " + c, 0, 15, [=](int64_t x, int64_t) { return x ^ number; });
    expect_meaning(c + " & x", 0, 15, [=](int64_t x, int64_t) { return x & number; });
    expect_meaning("x | " + c, 0, 15, [=](int64_t x, int64_t) { return x | number; });
  }
}

TEST(Bitwise, MinimaAndMaximaAreThoseOfIntegers) {
  for (const auto& [low, high] :
       std::vector<std::pair<int64_t, int64_t>>{{-5, 6}, {0, 0}, {-3, -1}}) {
    expect_meaning("min(x, y)", low, high, [](int64_t x, int64_t y) { return std::min(x, y); });
    expect_meaning("max(x, y)", low, high, [](int64_t x, int64_t y) { return std::max(x, y); });
    expect_meaning("min(max(x, 0), 4)", low, high,
                   [](int64_t x, int64_t) { return std::clamp<int64_t>(x, 0, 4); });
  }
}

TEST(Bitwise, PrecedenceIsThatOfPython) {
  expect_meaning("x | y ^ x & y << 1", 0, 7,
                 [](int64_t x, int64_t y) { return x | (y ^ (x & (y << 1))); });
  expect_meaning("(x xor (x >> 2)) % 4 + y", 0, 15,
                 [](int64_t x, int64_t y) { return (x ^ (x >> 2)) % 4 + y; });
  expect_meaning("x - (y & 6) * 2", 0, 15, [](int64_t x, int64_t y) { return x - (y & 6) * 2; });
}

}  // namespace
}  // namespace tileproof
