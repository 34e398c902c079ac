// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/device_maps_proof.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/hlo/device_maps.h"
#include "impl/hlo/indexing_testing.h"

namespace tileproof::verify {
namespace {

using Kind = InstructionVerdict::Kind;

HloModule on(int64_t devices, const std::string& operand, const std::string& root) {
  return impl::module_of(
      absl::StrCat("HloModule m, num_partitions=", devices,
                   "\na { x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = "
                   "f32[] add(x, y) }\nENTRY e {\np = ",
                   operand, " parameter(0)\nROOT r = ", root, "\n}\n"));
}

InstructionVerdict verdict_of(const HloModule& module, const impl::Indexing& maps) {
  VerifySession session;
  return verify_device_maps(module, module.entry, module.computations[module.entry].root, 0,
                            std::nullopt, maps, session);
}

impl::Indexing maps_of(const HloModule& module) {
  return impl::device_maps(module, module.entry, module.computations[module.entry].root, 0).value();
}

// One of each kind, on 512 devices.
std::vector<HloModule> collectives() {
  const std::string groups =
      ", channel_id=1, use_global_device_ids=true, replica_groups=[32,16]<=[16,32]T(1,0)";
  std::string ring;
  for (int v = 0; v < 512; ++v) {
    absl::StrAppend(&ring, v == 0 ? "" : ",", "{", v, ",", v / 16 * 16 + (v + 1) % 16, "}");
  }
  return {
      on(512, "f32[64,3]", "f32[1024,3] all-gather(p), dimensions={0}" + groups),
      on(512, "f32[1024,3]", "f32[64,3] reduce-scatter(p), dimensions={0}, to_apply=a" + groups),
      on(512, "f32[64,3]", "f32[64,3] all-reduce(p), to_apply=a" + groups),
      on(512, "f32[1024,3]",
         "f32[1024,3] all-to-all(p), dimensions={0}, channel_id=1, replica_groups=[32,16]<=[512]"),
      on(512, "f32[64,3]",
         absl::StrCat("f32[64,3] collective-permute(p), channel_id=1, source_target_pairs={", ring,
                      "}"))};
}

TEST(DeviceMapsProof, RightMapsAreProvenOnManyDevices) {
  for (const HloModule& module : collectives()) {
    const InstructionVerdict verdict = verdict_of(module, maps_of(module));
    EXPECT_EQ(verdict.kind, Kind::kProven) << to_text(verdict.kind) << " " << verdict.detail << "\n"
                                           << to_text(module);
  }
}

// The maps of a module about another one are wrong.
TEST(DeviceMapsProof, MapsOfOtherGroupsAreNotProven) {
  const std::vector<std::pair<std::string, std::string>> roots = {
      {"f32[4] all-gather(p), dimensions={0}, channel_id=1, use_global_device_ids=true, "
       "replica_groups={{0,1},{2,3}}",
       "f32[4] all-gather(p), dimensions={0}, channel_id=1, use_global_device_ids=true, "
       "replica_groups={{0,2},{1,3}}"},
      {"f32[2] collective-permute(p), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3}}",
       "f32[2] collective-permute(p), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}"},
  };
  for (const auto& [left, right] : roots) {
    const HloModule a = on(4, "f32[2]", left), b = on(4, "f32[2]", right);
    EXPECT_EQ(verdict_of(a, maps_of(b)).kind, Kind::kRefuted) << left;
    EXPECT_EQ(verdict_of(b, maps_of(a)).kind, Kind::kRefuted) << right;
  }
}

TEST(DeviceMapsProof, GroupsOfNoFormAreUndecided) {
  const HloModule module = on(4, "f32[2]",
                              "f32[4] all-gather(p), dimensions={0}, channel_id=1, "
                              "use_global_device_ids=true, replica_groups={{0,3},{1,2}}");
  const InstructionVerdict verdict = verdict_of(module, maps_of(module));
  EXPECT_EQ(verdict.kind, Kind::kUndecided);
  EXPECT_EQ(verdict.detail, "groups of no form that is known");
}

}  // namespace
}  // namespace tileproof::verify
