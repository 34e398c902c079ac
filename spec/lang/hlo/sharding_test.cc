// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tileproof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Sharding read(const std::string& text, int64_t rank = 2, int64_t devices = 4) {
  const auto found = read_shardings(text, {rank}, devices);
  EXPECT_TRUE(found.ok()) << text << ": " << found.status();
  return found.ok() ? found->at(0) : Sharding();
}

std::string error(const std::string& text, int64_t rank = 2, int64_t devices = 4) {
  const auto found = read_shardings(text, {rank}, devices);
  return found.ok() ? "no error" : std::string(found.status().message());
}

TEST(Sharding, EverySpellingSaysWhichPartADeviceHolds) {
  const Sharding rows{{4, 1}, {0, 1, 2, 3}}, both{{2, 2}, {0, 2, 1, 3}}, half{{2, 1}, {0, 0, 1, 1}};
  EXPECT_EQ(read("{devices=[4,1]0,1,2,3}"), rows);
  EXPECT_EQ(read("{devices=[4,1]<=[4]}"), rows);
  EXPECT_EQ(read("{mesh['x'=4], [{'x'}, {}]}"), rows);
  EXPECT_EQ(read("{devices=[2,2]0,2,1,3}"), both);
  EXPECT_EQ(read("{devices=[2,2]<=[2,2]T(1,0)}"), both);
  EXPECT_EQ(read("{mesh['x'=2,'y'=2], [{'y'}, {'x'}]}"), both);
  EXPECT_EQ(read("{devices=[2,1,2]<=[4] last_tile_dim_replicate}"), half);
  EXPECT_EQ(read("{devices=[2,1,2]0,1,2,3 last_tile_dims={replicated}}"), half);
  EXPECT_EQ(read("{mesh['x'=2,'y'=2], [{'x', ?}, {}], replicated={'y'}}"), half);
  EXPECT_EQ(read("{mesh['x'=4], [{'x':(1)2}, {}]}"), half);
  EXPECT_EQ(read("{replicated}"), replicated(4));
  EXPECT_EQ(read("{maximal device=2}"), (Sharding{{}, {-1, -1, 0, -1}}));
}

TEST(Sharding, AnAxisThatIsWrittenFirstIsMajor) {
  EXPECT_THAT(read("{mesh['x'=2,'y'=2], [{'x','y'}, {}]}").part_of, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(read("{mesh['x'=2,'y'=2], [{'y','x'}, {}]}").part_of, ElementsAre(0, 2, 1, 3));
}

TEST(Sharding, NotesAreSkipped) {
  EXPECT_EQ(read("{replicated metadata={op_name=\"a}\" b={1}}}"), replicated(4));
  EXPECT_EQ(read("{devices=[4,1]<=[4] shard_as 1}"), read("{devices=[4,1]<=[4]}"));
}

TEST(Sharding, ATupleHasOneForEachArrayOrOneForAll) {
  EXPECT_THAT(*read_shardings("{{replicated}, {devices=[4]<=[4]}}", {2, 1}, 4),
              ElementsAre(replicated(4), Sharding{{4}, {0, 1, 2, 3}}));
  EXPECT_EQ(read_shardings("{replicated}", {2, 1}, 4)->size(), 2);
  EXPECT_EQ(read_shardings("{}", {}, 4)->size(), 0);
}

TEST(Sharding, ErrorsNameWhatWasExpected) {
  EXPECT_EQ(error("{manual}"),
            "column 2: expected a sharding that says which part each device holds, found 'manual'");
  EXPECT_EQ(error("{devices=[2,1]0,1}"), "column 10: expected parts for 4 devices");
  EXPECT_EQ(error("{devices=[4,1]0,1,2,2}"), "column 10: expected device 2 once");
  EXPECT_EQ(error("{devices=[4,1]0,1,2,4}"), "column 10: expected a device below 4");
  EXPECT_EQ(error("{devices=[4,1]0,1,2}"), "column 10: expected 4 devices");
  EXPECT_EQ(error("{devices=[4]<=[4]}"), "expected a sharding of 2 dimensions, found 1");
  EXPECT_EQ(error("{maximal device=4}"), "column 17: expected a device below 4");
  EXPECT_EQ(error("{{replicated}, {replicated}}"), "expected 1 shardings, found 2");
  EXPECT_THAT(error("{mesh['x'=4], [{}, {}], unreduced={'x'}}"),
              HasSubstr("expected 'replicated'"));
  EXPECT_THAT(error("{devices=[2,1,2]<=[4] last_tile_dims={manual}}"),
              HasSubstr("expected 'replicated'"));
  EXPECT_THAT(error("{mesh['x'=2], [{}, {}]}"), HasSubstr("expected a mesh of 4 devices"));
  EXPECT_THAT(error("{devices=[4294967296,4294967296]<=[4]}"), HasSubstr("expected parts for 4"));
}

TEST(Sharding, IsARelationFromADeviceAndALocalIndex) {
  const Sharding both = read("{devices=[2,2]<=[2,2]T(1,0)}");
  EXPECT_THAT(part_dims(both, {4, 6}), ElementsAre(2, 3));
  EXPECT_THAT(*global_index(both, {4, 6}, 1, {1, 2}), ElementsAre(3, 2));
  EXPECT_THAT(*global_index(both, {4, 6}, 2, {1, 2}), ElementsAre(1, 5));
}

TEST(Sharding, ASizeThatDoesNotDivideIsPaddedAtTheEnd) {
  const Sharding rows = read("{devices=[4]<=[4]}", 1);
  EXPECT_THAT(part_dims(rows, {5}), ElementsAre(2));
  EXPECT_THAT(*global_index(rows, {5}, 2, {0}), ElementsAre(4));
  EXPECT_FALSE(global_index(rows, {5}, 2, {1}));
  EXPECT_FALSE(global_index(rows, {5}, 3, {0}));
  EXPECT_FALSE(global_index(read("{maximal device=2}"), {1, 1}, 0, {0, 0}));
}

TEST(Sharding, TheTextOfShardyNamesMeshesAndAxes) {
  const auto meshes = read_meshes(
      R"({mesh = #sdy.mesh<["x"=4, "y"=2]>, "an other" = #sdy.mesh<["z"=4], device_ids=[3, 2, 1, 0]>})");
  ASSERT_TRUE(meshes.ok()) << meshes.status();
  const auto parts = [&](const std::string& text, int64_t devices) -> Sharding {
    const auto cuts = read_shardings_of_shardy(text, *meshes);
    EXPECT_TRUE(cuts.ok()) << cuts.status();
    if (!cuts.ok()) return {};
    const auto sharding = sharding_on(cuts->back().mesh, cuts->back().dimensions, devices);
    EXPECT_TRUE(sharding.ok()) << sharding.status();
    return sharding.ok() ? *sharding : Sharding();
  };
  EXPECT_EQ(parts(R"(#sdy.sharding<@mesh, [{}, {"y"}p1]>)", 8),
            (Sharding{{1, 2}, {0, 1, 0, 1, 0, 1, 0, 1}}));
  EXPECT_EQ(parts(R"(#sdy.sharding<@mesh, [{"x":(2)2, ?}], replicated={"y"}>)", 8),
            (Sharding{{2}, {0, 0, 1, 1, 0, 0, 1, 1}}));
  EXPECT_EQ(parts(R"(#sdy.sharding_per_value<[<@mesh, []>, <@"an other", [{"z"}]>]>)", 4),
            (Sharding{{4}, {3, 2, 1, 0}}));
  EXPECT_EQ(parts(R"(#sdy.sharding<mesh<["w"=2]>, [{"w"}]>)", 2), (Sharding{{2}, {0, 1}}));
  const auto error_of = [&](const std::string& text) {
    return std::string(read_shardings_of_shardy(text, *meshes).status().message());
  };
  EXPECT_THAT(error_of("#sdy.sharding<@none, [{}]>"), HasSubstr("expected a mesh of the module"));
  EXPECT_THAT(error_of(R"(#sdy.sharding<@mesh, [{}], unreduced={"x"}>)"),
              HasSubstr("expected 'replicated'"));
  EXPECT_THAT(error_of(R"(#sdy.sharding<@mesh, [{"x"}, {"x"}]>)"),
              HasSubstr("expected each part of an axis once"));
}

TEST(Sharding, AnElementIsInOnePartAndDevicesAtOnePlaceHoldAllParts) {
  const Sharding both = read("{devices=[2,2]<=[2,2]T(1,0)}");
  const PartElement element = element_of_part(both, {3, 4}, {2, 1});
  EXPECT_EQ(element.part, 2);
  EXPECT_THAT(element.local, ElementsAre(0, 1));
  const Mesh mesh{{{"x", 2}, {"y", 2}}};
  const auto blocks = blocks_on(mesh, {{{"y", 2}}}, 4);
  ASSERT_TRUE(blocks.ok());
  EXPECT_THAT(blocks->holders_for(2), ElementsAre(2, 3));
  EXPECT_THAT(blocks->holders_for(1), ElementsAre(0, 1));
}

}  // namespace
}  // namespace tileproof
