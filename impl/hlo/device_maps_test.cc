// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/device_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

HloModule on(int64_t devices, const std::string& operands, const std::string& root) {
  return module_of(absl::StrCat("HloModule m, num_partitions=", devices,
                                "\na { x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = "
                                "f32[] add(x, y) }\nENTRY e {\n",
                                operands, "\nROOT r = ", root, "\n}\n"));
}
constexpr char kPair[] = "p = f32[2] parameter(0)";

absl::StatusOr<Indexing> maps_of_root(const HloModule& module, int32_t leaf = 0,
                                      std::optional<int64_t> device = std::nullopt) {
  return device_maps(module, module.entry, module.computations[module.entry].root, leaf, device);
}

// "k: MAP" of each map to operand k.
std::vector<std::string> texts(const HloModule& module, int32_t leaf = 0,
                               std::optional<int64_t> device = std::nullopt) {
  const absl::StatusOr<Indexing> maps = maps_of_root(module, leaf, device);
  if (!maps.ok()) return {std::string(maps.status().message())};
  std::vector<std::string> all;
  for (size_t k = 0; k < maps->size(); ++k) {
    for (const LeafMaps& list : (*maps)[k]) {
      for (const IndexedMap& one : list.maps)
        all.push_back(absl::StrCat(k, ": ", to_text(one.map)));
    }
  }
  return all;
}

TEST(DeviceMaps, AnAllGatherTakesChunksFromItsGroup) {
  const HloModule module =
      on(4, kPair,
         "f32[8] all-gather(p), dimensions={0}, replica_groups={{0,1,2,3}}, channel_id=1, "
         "use_global_device_ids=true");
  EXPECT_THAT(
      texts(module),
      ElementsAre("0: (v, d0) -> (d0 floordiv 2, d0 mod 2), domain: v in [0, 3], d0 in [0, 7]"));
  EXPECT_THAT(texts(module, 0, 3),
              ElementsAre("0: (d0) -> (d0 floordiv 2, d0 mod 2), domain: d0 in [0, 7]"));
}

TEST(DeviceMaps, GroupsOfADistanceAreDigits) {
  EXPECT_THAT(texts(on(4, kPair,
                       "f32[4] all-gather(p), dimensions={0}, channel_id=1, "
                       "replica_groups=[2,2]<=[2,2]T(1,0), use_global_device_ids=true")),
              ElementsAre("0: (v, d0) -> ((d0 floordiv 2) * 2 + v mod 2, d0 mod 2), "
                          "domain: v in [0, 3], d0 in [0, 3]"));
}

TEST(DeviceMaps, AReductionCountsTheDevices) {
  EXPECT_THAT(
      texts(on(2, kPair,
               "f32[1] reduce-scatter(p), dimensions={0}, to_apply=a, "
               "replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true")),
      ElementsAre("0: (v, d0)[s0] -> (s0, v), domain: v in [0, 1], d0 in [0, 0], s0 in [0, 1]"));
}

TEST(DeviceMaps, ARingIsAllDevicesButOne) {
  const std::string ring = "{{0,1},{1,2},{2,0}}", two_rings = "{{0,1},{1,0},{2,3},{3,2}}";
  EXPECT_THAT(texts(on(3, kPair,
                       "f32[2] collective-permute(p), channel_id=1, source_target_pairs=" + ring)),
              ElementsAre("0: (v, d0) -> (v - 1, d0), domain: v in [1, 2], d0 in [0, 1]",
                          "0: (v, d0) -> (2, d0), domain: v in [0, 0], d0 in [0, 1]"));
  EXPECT_THAT(
      texts(on(4, kPair,
               "f32[2] collective-permute(p), channel_id=1, source_target_pairs=" + two_rings)),
      ElementsAre("0: (v, d0) -> ((v mod 2) * -2 + v + 1, d0), domain: v in [0, 3], d0 in "
                  "[0, 1]"));
}

TEST(DeviceMaps, WhoReceivesNothingIsInNoDomain) {
  EXPECT_THAT(
      texts(on(4, kPair,
               "f32[2] collective-permute(p), channel_id=1, "
               "source_target_pairs={{0,1},{2,3}}")),
      ElementsAre("0: (v, d0) -> (v - 1, d0), domain: v in [1, 3], d0 in [0, 1], v mod 2 in "
                  "[1, 1]"));
  EXPECT_THAT(texts(on(3, kPair,
                       "f32[2] collective-broadcast(p), channel_id=1, "
                       "replica_groups={{2,0}}")),
              ElementsAre("0: (v, d0) -> (2, d0), domain: v in [2, 2], d0 in [0, 1]",
                          "0: (v, d0) -> (2, d0), domain: v in [0, 0], d0 in [0, 1]"));
}

TEST(DeviceMaps, IrregularGroupsHaveAMapForEachPair) {
  EXPECT_THAT(texts(on(4, kPair,
                       "f32[4] all-gather(p), dimensions={0}, channel_id=1, "
                       "replica_groups={{0,3},{1,2}}, use_global_device_ids=true"),
                    0, 2),
              ElementsAre("0: (d0) -> (1, d0), domain: d0 in [0, 1]",
                          "0: (d0) -> (2, d0 - 2), domain: d0 in [2, 3]"));
}

TEST(DeviceMaps, EachPartOfATupleIsAnOperandForEachPlace) {
  EXPECT_THAT(texts(on(2, "p = f32[2] parameter(0)\nq = f32[2] parameter(1)",
                       "(f32[2], f32[2]) all-to-all(p, q), channel_id=1, replica_groups={{0,1}}"),
                    1),
              ElementsAre("0: (v, d0) -> (1, d0), domain: v in [0, 0], d0 in [0, 1]",
                          "1: (v, d0) -> (1, d0), domain: v in [1, 1], d0 in [0, 1]"));
}

TEST(DeviceMaps, ErrorsSayWhatDoesNotFit) {
  const auto error = [](const HloModule& module, std::optional<int64_t> device = std::nullopt) {
    return std::string(maps_of_root(module, 0, device).status().message());
  };
  const std::string all = ", to_apply=a, channel_id=1, use_global_device_ids=true, replica_groups=";
  EXPECT_THAT(error(on(3, kPair, "f32[2] all-reduce(p)" + all + "{{0,1}}")),
              HasSubstr("expected device 2 in a group"));
  EXPECT_THAT(error(on(3, kPair,
                       "f32[4] all-gather(p), dimensions={0}, channel_id=1, "
                       "replica_groups={{0,1,2}}, use_global_device_ids=true")),
              HasSubstr("3 devices"));
  EXPECT_THAT(error(on(3, kPair, "f32[2] negate(p)")), HasSubstr("negate has no maps"));
  EXPECT_THAT(error(on(3, kPair, "f32[2] negate(p)"), 3), HasSubstr("expected a device in [0, 2]"));
  EXPECT_THAT(error(on(int64_t{1} << 40, kPair, "f32[2] all-reduce(p)" + all + "{}")),
              HasSubstr("more than 1048576 devices"));
  EXPECT_THAT(texts(on(2, "p = f32[0] parameter(0)", "f32[0] all-reduce(p)" + all + "{{0,1}}")),
              IsEmpty());
}

}  // namespace
}  // namespace tileproof::impl
