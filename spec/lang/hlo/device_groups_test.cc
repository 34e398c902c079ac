// SPDX-License-Identifier: Apache-2.0
// What the numbers of groups mean. corpus/readers/hlo.txt has the spellings of groups.
#include "spec/lang/hlo/device_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

HloInstruction instruction(const std::string& text) {
  const auto module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  const HloComputation& entry = module->computations[module->entry];
  return entry.instructions[entry.root];
}

HloInstruction all_reduce(const std::string& attributes) {
  return instruction(absl::StrCat("a { x = f32[] parameter(0)\ny = f32[] parameter(1)\n",
                                  "ROOT s = f32[] add(x, y) }\nENTRY e { p = f32[2] parameter(0)\n",
                                  "ROOT r = f32[2] all-reduce(p), to_apply=a", attributes, "\n}"));
}

HloInstruction permute(const std::string& attributes) {
  return instruction(absl::StrCat("ENTRY e { p = f32[2] parameter(0)\n",
                                  "ROOT r = f32[2] collective-permute(p)", attributes, "\n}"));
}

// Two replicas of three partitions: replica 1 is devices 3, 4 and 5.
constexpr DeviceCounts kCounts{2, 3};

TEST(DeviceGroups, ChannelAndGlobalIdsSayWhatTheNumbersAre) {
  const auto groups = [](const std::string& attributes) {
    return *device_groups_of(all_reduce(attributes), kCounts);
  };
  EXPECT_EQ(groups(", replica_groups={{0,1}}"), (DeviceGroups{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(groups(", replica_groups={{0},{1}}, channel_id=1"),
            (DeviceGroups{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(groups(", replica_groups={{1,0}}, channel_id=1"), (DeviceGroups{{3, 4, 5, 0, 1, 2}}));
  EXPECT_EQ(groups(", replica_groups={{0,1,2,3,4,5}}, channel_id=1, use_global_device_ids=true"),
            (DeviceGroups{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(groups(", replica_groups={{0,2,1}}, channel_id=1, mode=cross_partition"),
            (DeviceGroups{{0, 2, 1}, {3, 5, 4}}));
  EXPECT_THAT(
      device_groups_of(all_reduce(", use_global_device_ids=true"), kCounts).status().message(),
      HasSubstr("expected a channel_id"));
}

TEST(DeviceGroups, PairsArePartitionsIfThereIsAChannel) {
  EXPECT_THAT(
      *device_pairs_of(permute(", channel_id=1, source_target_pairs={{0,1},{2,2}}"), kCounts),
      ElementsAre(Pair(0, 1), Pair(3, 4), Pair(2, 2), Pair(5, 5)));
  EXPECT_THAT(*device_pairs_of(permute(", source_target_pairs={{0,1}}"), kCounts),
              ElementsAre(Pair(0, 3), Pair(1, 4), Pair(2, 5)));
  EXPECT_THAT(device_pairs_of(permute(", channel_id=1, source_target_pairs={{0,1},{2,1}}"), kCounts)
                  .status()
                  .message(),
              HasSubstr("found 1 twice"));
}

TEST(DeviceGroups, TheModuleSaysHowManyDevicesThereAre) {
  const auto counts = [](const std::string& header) {
    const auto module =
        parse_hlo_module("HloModule m" + header + "\nENTRY e { ROOT p = f32[] parameter(0) }");
    return device_counts(*module);
  };
  EXPECT_EQ(*counts(""), (DeviceCounts{1, 1}));
  EXPECT_EQ(*counts(", replica_count=2, num_partitions=3"), kCounts);
  EXPECT_FALSE(counts(", num_partitions=0").ok());
  EXPECT_FALSE(counts(", replica_count=4294967296, num_partitions=4294967296").ok());
}

}  // namespace
}  // namespace tileproof
