// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/remembered/relation_memo.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

const Dims kSizes = {64};

AccessRelation relation(const std::string& map) {
  AccessRelation made;
  made.map = *parse_map(map);
  made.rank = static_cast<int32_t>(made.map.results.size());
  return made;
}

AccessRelationPtr finished(AccessRelation of) { return finish(std::move(of), kSizes, kSizes); }
AccessRelation halves() { return relation("(d0) -> (d0 floordiv 2), domain: d0 in [0, 63]"); }
AccessRelation parities() { return relation("(d0) -> (d0 mod 2), domain: d0 in [0, 63]"); }

AccessRelationPtr composed(const AccessRelation& first, const AccessRelation& second) {
  return compose(finished(first), finished(second), kSizes, kSizes, kSizes);
}

TEST(RelationMemo, EqualCompositionsAreMadeOnce) {
  EXPECT_EQ(composed(halves(), parities()), composed(halves(), parities()));
  EXPECT_NE(composed(halves(), parities()), composed(parities(), halves()));
}

// Each change of a part or of a size is another composition.
TEST(RelationMemo, OtherCompositionsAreMadeAnew) {
  const AccessRelationPtr known = composed(halves(), parities());
  AccessRelation inexact = halves();
  inexact.inexact = true;
  inexact.reason = "one reason";
  const AccessRelationPtr superset = composed(inexact, parities());
  EXPECT_NE(superset, known);
  EXPECT_TRUE(superset->inexact);
  inexact.reason = "another one";
  EXPECT_EQ(composed(inexact, parities())->reason, "another one");
  AccessRelation named = halves();
  named.map.dimensions[0].name = "row";
  EXPECT_EQ(composed(named, parities())->map.dimensions[0].name, "row");
  AccessRelation narrow = halves();
  narrow.map.dimensions[0].bounds.high = 31;
  EXPECT_EQ(composed(narrow, parities())->map.dimensions[0].bounds.high, 31);
  AccessRelation bounded = halves();
  bounded.map.constraints.push_back({bounded.map.results[0], {3, 4}});
  EXPECT_FALSE(composed(bounded, parities())->map == known->map);
  // An array between the two that the second relation does not cover is a constraint.
  const AccessRelationPtr covered =
      compose(finished(halves()), finished(parities()), kSizes, {32}, kSizes);
  EXPECT_NE(covered, known);
}

AccessRelation shifted(int32_t instruction, int64_t last = 32) {
  AccessRelation made =
      relation("(d0){rt0} -> (d0 + rt0, 0), domain: d0 in [0, 31], rt0 in [0, 32]");
  made.rank = 1;
  made.map.runtime[0].bounds.high = last;
  made.runtime = {{{{}, instruction}, 1, {0, last}}};
  return made;
}

TEST(RelationMemo, SourcesOfRuntimeVariablesAreCompared) {
  EXPECT_EQ(composed(shifted(4), halves()), composed(shifted(4), halves()));
  EXPECT_EQ(composed(shifted(4), halves())->runtime[0].position.instruction, 4);
  EXPECT_EQ(composed(shifted(5), halves())->runtime[0].position.instruction, 5);
  EXPECT_EQ(composed(shifted(4, 30), halves())->runtime[0].feasible.high, 30);
}

// Two offsets from one array are one variable, two from different arrays are two.
TEST(RelationMemo, OtherSourcesTakeTheirPlaces) {
  const auto sources = [](int32_t first, int32_t second) {
    std::vector<int32_t> found;
    const AccessRelationPtr both = composed(shifted(first), shifted(second, 16));
    for (const RuntimeValue& value : both->runtime) found.push_back(value.position.instruction);
    return found;
  };
  EXPECT_EQ(sources(4, 5), (std::vector<int32_t>{4, 5}));
  EXPECT_EQ(sources(7, 6), (std::vector<int32_t>{7, 6}));
  const auto pair = [](int32_t first, int32_t second) {
    return composed(shifted(first), shifted(second))->runtime.size();
  };
  EXPECT_EQ(pair(4, 5), 2);
  EXPECT_EQ(pair(8, 8), 1);
  EXPECT_EQ(pair(9, 9), 1);
  EXPECT_EQ(pair(9, 8), 2);
}

TEST(RelationMemo, OnlyOtherSourcesAreNotMadeAnew) {
  int made = 0;
  const auto compose_two = [&made](int32_t first, int32_t second) {
    const auto make = [&made] {
      ++made;
      return finished(shifted(0));
    };
    const AccessRelationPtr a = finished(shifted(first)), b = finished(shifted(second));
    remembered_composition(a, b, {3}, {4}, {5}, make);
  };
  compose_two(0, 1);
  compose_two(0, 2);
  EXPECT_EQ(made, 1);
  compose_two(0, 0);
  EXPECT_EQ(made, 2);
}

TEST(RelationMemo, UnusedNodesMakeNoDifference) {
  AccessRelation spread = halves();
  spread.map.nodes.clear();
  add_constant(spread.map.nodes, 9);  // unused
  const NodeId d0 = add_variable(spread.map.nodes, Op::kDimension, 0);
  const NodeId two = add_constant(spread.map.nodes, 2);
  spread.map.results = {add_operation(spread.map.nodes, Op::kFloorDiv, d0, two)};
  EXPECT_EQ(finished(spread)->map.nodes, finished(halves())->map.nodes);
  EXPECT_EQ(composed(spread, parities()), composed(halves(), parities()));
}

TEST(RelationMemo, IdentitiesAndUniversesAreMadeOnce) {
  EXPECT_EQ(identity_relation({2, 3}), identity_relation({2, 3}));
  EXPECT_EQ(universe_relation({2, 3}, {4}), universe_relation({2, 3}, {4}));
  EXPECT_TRUE(identity_relation({2, 3})->identity);
  EXPECT_TRUE(universe_relation({2, 3}, {2, 3})->universe);
  EXPECT_FALSE(universe_relation({2, 3}, {2, 3})->identity);
  EXPECT_EQ(universe_relation({2, 3}, {5})->map.ranges[0].bounds.high, 4);
  EXPECT_EQ(universe_relation({2, 7}, {5})->map.dimensions[1].bounds.high, 6);
}

// A read of a map with so many nodes: whether it was made anew.
bool is_made_anew(size_t nodes, const Dims& sizes) {
  bool made = false;
  AccessRelation large = halves();
  large.map.nodes.resize(nodes);
  large.fingerprint = fingerprint_of(large);
  remembered_one(MadeOf::kLoopRead, std::make_shared<const AccessRelation>(large), sizes, sizes,
                 [&]() -> AccessRelationPtr {
                   made = true;
                   return nullptr;
                 });
  return made;
}

TEST(RelationMemo, AllIsForgottenBeforeItTakesTooMuchMemory) {
  constexpr size_t kHalf = size_t{1} << 18;
  EXPECT_TRUE(is_made_anew(kHalf, {1}));
  EXPECT_FALSE(is_made_anew(kHalf, {1}));
  EXPECT_TRUE(is_made_anew(kHalf, {2}));
  EXPECT_TRUE(is_made_anew(kHalf, {1}));
  EXPECT_TRUE(is_made_anew(8, {3}));
  EXPECT_TRUE(is_made_anew(8, {4}));
  EXPECT_FALSE(is_made_anew(kHalf, {1}));
  EXPECT_FALSE(is_made_anew(8, {3}));
}

TEST(RelationMemo, EqualReadsOfLoopsAreMadeOnce) {
  int made = 0;
  const auto read = [&made](const AccessRelation& of, const Dims& output, const Dims& operand) {
    AccessRelation marked = of;
    marked.fingerprint = fingerprint_of(of);
    return remembered_one(MadeOf::kLoopRead, std::make_shared<const AccessRelation>(marked), output,
                          operand, [&]() -> AccessRelationPtr {
                            ++made;
                            return finished(of);
                          });
  };
  const AccessRelationPtr first = read(halves(), {64}, {32});
  EXPECT_EQ(read(halves(), {64}, {32}), first);
  EXPECT_EQ(made, 1);
  read(halves(), {64}, {64});
  EXPECT_EQ(made, 2);
  read(halves(), {64, 1}, {64});
  EXPECT_EQ(made, 3);
  AccessRelation onto = halves();
  onto.onto = true;
  read(onto, {64, 1}, {64});
  EXPECT_EQ(made, 4);
  AccessRelation written = halves();
  written.written = std::make_shared<const IndexingMap>(written.map);
  read(written, {64, 1}, {64});
  EXPECT_EQ(made, 5);
  written.written = std::make_shared<const IndexingMap>(written.map);  // an equal map
  read(written, {64, 1}, {64});
  EXPECT_EQ(made, 5);
  AccessRelation backwards = halves();
  backwards.backwards = written.written;
  read(backwards, {64, 1}, {64});
  EXPECT_EQ(made, 6);
  read(parities(), {64, 1}, {64});
  EXPECT_EQ(made, 7);
}

TEST(RelationMemo, InversesAreApartFromReads) {
  const AccessRelationPtr of = finished(halves());
  const auto make = [] { return finished(parities()); };
  const AccessRelationPtr inverse = remembered_one(MadeOf::kInverse, of, {64}, {32}, make);
  EXPECT_NE(remembered_one(MadeOf::kLoopRead, of, {64}, {32}, make), inverse);
  EXPECT_EQ(remembered_one(MadeOf::kInverse, finished(halves()), {64}, {32}, make), inverse);
}

}  // namespace
}  // namespace tileproof::impl
