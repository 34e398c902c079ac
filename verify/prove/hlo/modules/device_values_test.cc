// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/device_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing_testing.h"
#include "verify/prove/hlo/modules/module_values.h"

namespace tileproof::verify {
namespace {

using impl::module_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kAdd[] =
    "a { x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT s = f32[] add(x, y) }\n";

std::string whole(const std::string& lines) {
  return absl::StrCat("HloModule w\n", kAdd, "ENTRY e {\n", lines, "\n}\n");
}
std::string on(int64_t partitions, const std::string& lines) {
  return absl::StrCat("HloModule p, num_partitions=", partitions, "\n", kAdd, "ENTRY e {\n", lines,
                      "\n}\n");
}

// An array of one dimension in `parts` parts, one on each device; 1: all on each of `devices`.
Sharding cut(int64_t parts, int64_t devices) {
  Sharding sharding = replicated(devices);
  sharding.parts = {parts};
  for (int64_t v = 0; v < devices && parts > 1; ++v) sharding.part_of[v] = v;
  return sharding;
}

Placements placed(int64_t devices, std::vector<Sharding> parameters, std::vector<Sharding> results,
                  bool is_padded = false) {
  const Placement placement{devices, std::move(parameters), std::move(results), is_padded};
  return {placement, placement};
}

std::vector<ValueEquality> compare(const std::string& left, const std::string& right,
                                   const Placements& placements = {}) {
  const auto results = same_values(module_of(left), module_of(right), {}, placements);
  EXPECT_TRUE(results.ok()) << results.status() << "\n" << left << "\n" << right;
  return results.ok() ? *results : std::vector<ValueEquality>(1);
}

Verdict verdict(const std::string& left, const std::string& right,
                const Placements& placements = {}) {
  return compare(left, right, placements).at(0).verdict;
}

std::string error(const std::string& left, const std::string& right,
                  const Placements& placements = {}) {
  const auto results = same_values(module_of(left), module_of(right), {}, placements);
  return results.ok() ? "no error" : std::string(results.status().message());
}

const std::string kNegated = whole("p = f32[8] parameter(0)\nROOT r = f32[8] negate(p)");
const std::string kNegatedParts = on(4, "p = f32[2] parameter(0)\nROOT r = f32[2] negate(p)");

TEST(DeviceValues, EachDeviceComputesItsPart) {
  EXPECT_EQ(verdict(kNegated, kNegatedParts, placed(4, {cut(4, 4)}, {cut(4, 4)})),
            Verdict::kProven);
  EXPECT_EQ(verdict(kNegatedParts, kNegated, placed(4, {cut(4, 4)}, {cut(4, 4)})),
            Verdict::kProven);
}

TEST(DeviceValues, ADifferenceNamesTheDeviceAndBothIndices) {
  Placements swapped = placed(4, {cut(4, 4)}, {cut(4, 4)});
  swapped.right->results[0].part_of = {0, 1, 3, 2};
  const auto results = compare(kNegated, kNegatedParts, swapped);
  EXPECT_EQ(results[0].verdict, Verdict::kRefuted);
  ASSERT_TRUE(results[0].device);
  EXPECT_EQ(results[0].device->device, 2);
  EXPECT_FALSE(results[0].device->is_of_left);
  EXPECT_THAT(results[0].at, ElementsAre(0));
  EXPECT_THAT(results[0].device->global, ElementsAre(6));
}

TEST(DeviceValues, AnAllReduceOfPartialSumsIsOneSum) {
  const std::string sum = whole(
      "p = f32[8] parameter(0)\nz = f32[] constant(0)\n"
      "ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=a");
  const auto parts = [](const std::string& groups) {
    return on(4, absl::StrCat("p = f32[2] parameter(0), sharding={devices=[4]<=[4]}\n"
                              "z = f32[] constant(0)\n"
                              "s = f32[] reduce(p, z), dimensions={0}, to_apply=a\n"
                              "ROOT r = f32[] all-reduce(s), channel_id=1, replica_groups=",
                              groups, ", use_global_device_ids=true, to_apply=a"));
  };
  const auto equal = compare(sum, parts("{{0,1,2,3}}"));
  EXPECT_EQ(equal[0].verdict, Verdict::kProven);
  EXPECT_THAT(equal[0].laws, ElementsAre(ValueLaw::kReductionOrder));
  EXPECT_EQ(verdict(sum, parts("{{0,1},{2,3}}")), Verdict::kRefuted);
}

// Without a channel, groups are of replicas: one group is of one device.
TEST(DeviceValues, TheMeaningOfGroupNumbersMatters) {
  const auto reduced = [](const std::string& attributes) {
    return on(2, "p = f32[2] parameter(0)\nROOT r = f32[2] all-reduce(p), to_apply=a" + attributes);
  };
  EXPECT_EQ(verdict(reduced(", channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true"),
                    reduced(", channel_id=1, replica_groups={{0}}")),
            Verdict::kProven);
  EXPECT_EQ(verdict(reduced(", channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true"),
                    reduced(", replica_groups={{0}}")),
            Verdict::kRefuted);
}

TEST(DeviceValues, APermuteThatLostASelfPairIsDifferent) {
  const auto permuted = [](const std::string& pairs) {
    return on(3,
              "p = f32[2] parameter(0)\nROOT r = f32[2] collective-permute(p), channel_id=1, "
              "source_target_pairs=" +
                  pairs);
  };
  const auto lost = compare(permuted("{{0,1},{1,0},{2,2}}"), permuted("{{0,1},{1,0}}"));
  EXPECT_EQ(lost[0].verdict, Verdict::kRefuted);
  EXPECT_EQ(lost[0].device->device, 2);
  EXPECT_EQ(verdict(permuted("{{0,1},{1,0},{2,2}}"), permuted("{{2,2},{1,0},{0,1}}")),
            Verdict::kProven);
}

TEST(DeviceValues, PaddingIsNotComparedAndIsNotZero) {
  const std::string negated = whole("p = f32[5] parameter(0)\nROOT r = f32[5] negate(p)");
  const Placements padded = placed(4, {cut(4, 4)}, {cut(4, 4)}, true);
  EXPECT_EQ(verdict(negated, kNegatedParts, padded), Verdict::kProven);
  EXPECT_THAT(error(negated, kNegatedParts, placed(4, {cut(4, 4)}, {cut(4, 4)})),
              HasSubstr("expected sizes that the parts divide"));
  const std::string sum = whole(
      "p = f32[5] parameter(0)\nz = f32[] constant(0)\n"
      "ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=a");
  const std::string of_padding =
      on(4,
         "p = f32[2] parameter(0), sharding={devices=[4]<=[4]}\nz = f32[] constant(0)\n"
         "s = f32[] reduce(p, z), dimensions={0}, to_apply=a\nROOT r = f32[] all-reduce(s), "
         "channel_id=1, replica_groups={}, use_global_device_ids=true, to_apply=a");
  EXPECT_EQ(verdict(sum, of_padding), Verdict::kRefuted);
}

TEST(DeviceValues, EveryCopyOfAPartIsCompared) {
  const std::string whole_copy = whole("p = f32[2] parameter(0)\nROOT r = f32[2] copy(p)");
  const std::string first_alone =
      on(2,
         "p = f32[2] parameter(0), sharding={replicated}\nROOT r = f32[2] "
         "collective-permute(p), channel_id=1, source_target_pairs={{0,0}}");
  const auto results = compare(whole_copy, first_alone);
  EXPECT_EQ(results[0].verdict, Verdict::kRefuted);
  EXPECT_EQ(results[0].device->device, 1);
}

TEST(DeviceValues, TheWholeTextMayHaveTheAnnotationsAndNameTheDevices) {
  const std::string annotated = on(4,
                                   "p = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
                                   "ROOT r = f32[8] negate(p), sharding={devices=[4]<=[4]}");
  EXPECT_EQ(verdict(annotated, kNegatedParts), Verdict::kProven);
  EXPECT_EQ(verdict(kNegatedParts, annotated), Verdict::kProven);
}

TEST(DeviceValues, TwoMeshesAreCompared) {
  const auto parts = [](int64_t devices, int64_t size) {
    return on(devices,
              absl::StrCat("p = f32[", size, "] parameter(0), sharding={devices=[", devices, "]<=[",
                           devices, "]}\nROOT r = f32[", size, "] negate(p), sharding={devices=[",
                           devices, "]<=[", devices, "]}"));
  };
  EXPECT_EQ(verdict(parts(2, 4), parts(4, 2)), Verdict::kProven);
  const std::string turned =
      on(4,
         "p = f32[2] parameter(0), sharding={devices=[4]<=[4]}\nn = f32[2] negate(p)\n"
         "ROOT r = f32[2] reverse(n), dimensions={0}, sharding={devices=[4]<=[4]}");
  EXPECT_EQ(verdict(parts(2, 4), turned), Verdict::kRefuted);
}

// Part k of one is on device 3 - k of the other.
TEST(DeviceValues, TwoShardingsOnTheSameDevicesAreCompared) {
  const auto parts = [](const std::string& of_parameter, const std::string& of_result) {
    const auto sharding = [](const std::string& order) {
      return order.empty() ? "" : absl::StrCat(", sharding={devices=[4]", order, "}");
    };
    return on(4, absl::StrCat("p = f32[2] parameter(0)", sharding(of_parameter),
                              "\nROOT r = f32[2] negate(p)", sharding(of_result)));
  };
  const std::string rising = parts("0,1,2,3", "0,1,2,3");
  EXPECT_EQ(verdict(rising, parts("3,2,1,0", "3,2,1,0")), Verdict::kProven);
  const auto results = compare(rising, parts("3,2,1,0", "0,2,1,3"));
  EXPECT_EQ(results[0].verdict, Verdict::kRefuted);
  ASSERT_TRUE(results[0].device);
  EXPECT_EQ(results[0].device->device, 0);
  EXPECT_THAT(results[0].device->global, ElementsAre(0));
  EXPECT_EQ(verdict(rising, parts("3,2,1,0", "")), Verdict::kUndecided);
  EXPECT_EQ(verdict(parts("0,1,2,3", ""), parts("", "0,1,2,3")), Verdict::kProven);
}

// Before partitioning, an annotation says how the whole array will be divided.
TEST(DeviceValues, AnnotationsInsideOfAWholeModuleDivideNothingYet) {
  const auto marked = [](const std::string& order) {
    return on(4, absl::StrCat("p = f32[8] parameter(0), sharding={devices=[4]", order,
                              "}\nc = f32[8] copy(p), sharding={devices=[4]", order,
                              "}\nROOT r = f32[8] negate(c)"));
  };
  EXPECT_EQ(verdict(marked("0,1,2,3"), marked("3,2,1,0")), Verdict::kProven);
}

// A program for Shardy whose body runs on each of four devices.
std::string manual(const std::string& pairs, const std::string& out = "{\\\"x\\\"}",
                   int64_t size = 8) {
  return absl::StrCat(
      "HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=4]>}}\n",
      "b { p = f32[2] parameter(0)\nROOT r = f32[2] collective-permute(p), channel_id=1, "
      "source_target_pairs=",
      pairs,
      " }\nENTRY e { p = f32[8] parameter(0)\nl = f32[2] custom-call(p), "
      "custom_call_target=\"xla.sdy.GlobalToLocalShape\", frontend_attributes={"
      "xla.sdy.in_shardings=\"#sdy.sharding_per_value<[<@mesh, [{\\\"x\\\"}]>]>\"}\n"
      "c = f32[2] call(l), to_apply=b\nROOT g = f32[",
      size,
      "] custom-call(c), custom_call_target=\"xla.sdy.LocalToGlobalShape\", frontend_attributes={"
      "xla.sdy.out_shardings=\"#sdy.sharding_per_value<[<@mesh, [",
      out, "]>]>\"} }");
}

TEST(DeviceValues, TheBodyOfAManualComputationRunsOnEachDevice) {
  const std::string turned = whole(
      "p = f32[8] parameter(0)\na = f32[2] slice(p), slice={[6:8]}\n"
      "b = f32[6] slice(p), slice={[0:6]}\nROOT r = f32[8] concatenate(a, b), dimensions={0}");
  const std::string ring = "{{0,1},{1,2},{2,3},{3,0}}", line = "{{0,1},{1,2},{2,3}}";
  EXPECT_EQ(verdict(turned, manual(ring)), Verdict::kProven);
  EXPECT_EQ(verdict(manual(ring), turned), Verdict::kProven);
  const auto cut_off = compare(turned, manual(line));
  EXPECT_EQ(cut_off[0].verdict, Verdict::kRefuted);
  EXPECT_THAT(cut_off[0].at, ElementsAre(0));
  EXPECT_EQ(verdict(manual(ring), manual("{{3,0},{2,3},{1,2},{0,1}}")), Verdict::kProven);
  EXPECT_EQ(verdict(manual(ring), manual(line)), Verdict::kRefuted);
}

// As later passes of XLA write it, with the sharding of arrays of this size.
TEST(DeviceValues, AManualComputationAsLaterPassesWriteIt) {
  const auto later = [](const std::string& pairs, const std::string& cut) {
    return on(4,
              "p = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
              "c = f32[8] copy(p), sharding={devices=[4]<=[4]}\n"
              "l = f32[2] custom-call(c), custom_call_target=\"SPMDFullToShardShape\", "
              "sharding={manual}\nm = f32[2] collective-permute(l), channel_id=1, "
              "source_target_pairs=" +
                  pairs +
                  ", sharding={manual}\nROOT g = f32[8] custom-call(m), "
                  "custom_call_target=\"SPMDShardToFullShape\", sharding=" +
                  cut);
  };
  const std::string ring = "{{0,1},{1,2},{2,3},{3,0}}", cut = "{devices=[4]<=[4]}";
  EXPECT_EQ(verdict(manual(ring), later(ring, cut)), Verdict::kProven);
  EXPECT_EQ(verdict(manual(ring), later(ring, "{devices=[4]3,2,1,0}")), Verdict::kRefuted);
  EXPECT_EQ(verdict(later(ring, cut), later("{{0,1},{1,2},{2,3}}", cut)), Verdict::kRefuted);
  EXPECT_THAT(error(kNegated, later(ring, "{replicated}")),
              HasSubstr("g: expected parts of [8], found [2]"));
}

// Both are whole: one names its mesh, and the annotations of the other would cut what is not cut yet.
TEST(DeviceValues, AModuleThatIsNotPartitionedYetIsWhole) {
  const std::string named =
      "HloModule w, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = "
      "#sdy.mesh<[\"x\"=4]>}}\nENTRY e { p = f32[8] parameter(0)\nROOT r = f32[8] negate(p) }";
  const auto marked = [](const std::string& opcode) {
    return on(4, "p = f32[8] parameter(0), sharding={devices=[4]<=[4]}\nROOT r = f32[8] " + opcode +
                     "(p), sharding={devices=[4]<=[4]}");
  };
  EXPECT_EQ(verdict(named, marked("negate")), Verdict::kProven);
  EXPECT_EQ(verdict(marked("negate"), kNegated), Verdict::kProven);
  EXPECT_EQ(verdict(named, marked("cosine")), Verdict::kRefuted);
}

// The body's result says how the result is divided.
TEST(DeviceValues, AManualComputationIsComparedWithAPartitionedModule) {
  const auto parts = [](const std::string& pairs) {
    return on(4,
              "p = f32[2] parameter(0), sharding={devices=[4]<=[4]}\nROOT r = f32[2] "
              "collective-permute(p), channel_id=1, source_target_pairs=" +
                  pairs);
  };
  const std::string ring = "{{0,1},{1,2},{2,3},{3,0}}";
  EXPECT_EQ(verdict(manual(ring), parts(ring)), Verdict::kProven);
  const auto lost = compare(manual(ring), parts("{{0,1},{1,2},{3,0}}"));
  EXPECT_EQ(lost[0].verdict, Verdict::kRefuted);
  EXPECT_EQ(lost[0].device->device, 3);
  EXPECT_THAT(lost[0].device->global, ElementsAre(6));
}

// Nothing makes the devices have the same: what each has is compared.
TEST(DeviceValues, CopiesThatAManualComputationHandsOutMayDiffer) {
  const std::string second =
      whole("p = f32[8] parameter(0)\nROOT r = f32[2] slice(p), slice={[2:4]}");
  const std::string own = manual("{{0,0},{1,1},{2,2},{3,3}}", "{}", 2);
  const auto results = compare(second, own);
  EXPECT_EQ(results[0].verdict, Verdict::kRefuted);
  EXPECT_EQ(results[0].device->device, 0);
  EXPECT_EQ(verdict(own, own), Verdict::kProven);
  const std::string kept = on(4, "ROOT p = f32[2] parameter(0), sharding={devices=[4]<=[4]}");
  EXPECT_EQ(verdict(own, kept, placed(4, {cut(4, 4)}, {cut(1, 4)})), Verdict::kProven);
}

// The parts do not make an array of 6.
TEST(DeviceValues, TheArraysOfAManualComputationMustFit) {
  const std::string six = whole("p = f32[8] parameter(0)\nROOT r = f32[6] slice(p), slice={[0:6]}");
  EXPECT_THAT(error(six, manual("{}", "{\\\"x\\\"}", 6)),
              HasSubstr("g: expected parts of [6], found [2]"));
  EXPECT_THAT(error(kNegated, manual("{}", "{\\\"y\\\"}")),
              HasSubstr("expected an axis of the mesh"));
}

TEST(DeviceValues, ACustomCallMayAskForTheDeviceAndTheirNumber) {
  const auto called = [](int64_t devices) {
    return on(devices,
              "p = f32[2] parameter(0), sharding={replicated}\n"
              "ROOT r = f32[2] custom-call(p), custom_call_target=\"foo\", "
              "sharding={replicated}");
  };
  EXPECT_EQ(verdict(called(2), called(4)), Verdict::kUndecided);
  const auto moved = [](bool first) {
    const std::string permute = ", channel_id=1, source_target_pairs={{0,1},{1,0}}\n";
    return on(2, "p = f32[2] parameter(0)\n" +
                     (first ? "c = f32[2] collective-permute(p)" + permute +
                                  "ROOT r = f32[2] custom-call(c), custom_call_target=\"foo\""
                            : "c = f32[2] custom-call(p), custom_call_target=\"foo\"\n"
                              "ROOT r = f32[2] collective-permute(c)" +
                                  permute));
  };
  EXPECT_EQ(verdict(moved(true), moved(false)), Verdict::kUndecided);
  EXPECT_EQ(verdict(moved(true), moved(true)), Verdict::kProven);
}

// Each device looks up the rows that it holds, and gives zero for others. One alone holds the row.
TEST(DeviceValues, ATableThatIsCutIsLookedUpOnOneDevice) {
  const std::string looked_up = whole(
      "t = f32[4] parameter(0)\ni = s32[] parameter(1)\n"
      "ROOT r = f32[1] dynamic-slice(t, i), dynamic_slice_sizes={1}");
  const auto cut_table = [](const std::string& last) {
    return on(2,
              "t = f32[2] parameter(0), sharding={devices=[2]<=[2]}\n"
              "i = s32[] parameter(1), sharding={replicated}\nz = s32[] constant(0)\n"
              "three = s32[] constant(3)\nc = s32[] clamp(z, i, three)\n"
              "u = u32[] partition-id()\nv = s32[] convert(u)\ntwo = s32[] constant(2)\n"
              "f = s32[] multiply(v, two)\no = s32[] subtract(c, f)\n"
              "low = pred[] compare(o, z), direction=GE\nlast = s32[] constant(" +
                  last +
                  ")\nhigh = pred[] compare(o, last), direction=LE\nq = pred[] and(low, high)\n"
                  "x = f32[1] dynamic-slice(t, o), dynamic_slice_sizes={1}\n"
                  "b = pred[1] broadcast(q), dimensions={}\nn = f32[] constant(0)\n"
                  "zeros = f32[1] broadcast(n), dimensions={}\ns = f32[1] select(b, x, zeros)\n"
                  "ROOT r = f32[1] all-reduce(s), channel_id=1, replica_groups={{0,1}}, "
                  "use_global_device_ids=true, to_apply=a");
  };
  EXPECT_EQ(verdict(looked_up, cut_table("1")), Verdict::kProven);
  EXPECT_EQ(verdict(looked_up, cut_table("2")), Verdict::kRefuted);
}

// On two devices; the numbers of both are the same.
std::string ragged(const std::string& first, const std::string& sizes, const std::string& to,
                   const std::string& received, const std::string& group = "{0,1}") {
  const auto number = [](const std::string& name, const std::string& text) {
    return text.empty() ? absl::StrCat(name, " = s32[2] parameter(1)\n")
                        : absl::StrCat(name, " = s32[2] constant(", text, ")\n");
  };
  const std::string unused = first.empty() ? "" : "q = s32[2] parameter(1)\n";
  return on(2, absl::StrCat("p = f32[2] parameter(0)\n", unused, "z = f32[] constant(0)\n",
                            "y = f32[4] broadcast(z), dimensions={}\n", number("i", first),
                            number("n", sizes), number("o", to), number("m", received),
                            "ROOT r = f32[4] ragged-all-to-all(p, y, i, n, o, m), channel_id=1, "
                            "replica_groups={",
                            group, "}"));
}

// Each row would be equal without a guard of the definition.
TEST(DeviceValues, ARaggedAllToAllIsWhatItSends) {
  const std::string zeros = "{0,0}", one = "{1,0}", both = "{1,1}", first = "{0,1}";
  // What device v would have if one of two rows that arrive at one place counts: row v of this device.
  const auto row_of = [](int64_t device) {
    return on(2,
              "p = f32[2] parameter(0)\nq = s32[2] parameter(1)\ng = f32[4] all-gather(p), "
              "channel_id=1, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true\n"
              "u = u32[] partition-id()\nb = u32[] constant(" +
                  std::to_string(2 * device) +
                  ")\ns = u32[] add(u, b)\nx = f32[1] dynamic-slice(g, s), "
                  "dynamic_slice_sizes={1}\nz = f32[] constant(0)\n"
                  "ROOT r = f32[4] pad(x, z), padding=0_3");
  };
  for (const int64_t device : {0, 1}) {
    EXPECT_EQ(verdict(ragged(first, both, zeros, both), row_of(device)), Verdict::kUndecided);
  }
  EXPECT_EQ(verdict(ragged(zeros, zeros, zeros, zeros), ragged(first, zeros, "{1,2}", zeros)),
            Verdict::kProven);
  EXPECT_EQ(verdict(ragged(zeros, one, "{4,0}", one), ragged(zeros, zeros, zeros, zeros)),
            Verdict::kUndecided);  // outside
  EXPECT_EQ(verdict(ragged(zeros, "{-1,0}", zeros, "{-1,0}"), ragged(zeros, zeros, zeros, zeros)),
            Verdict::kUndecided);
  EXPECT_EQ(verdict(ragged(zeros, zeros, zeros, both), ragged(zeros, zeros, zeros, zeros)),
            Verdict::kUndecided);
  EXPECT_EQ(verdict(ragged("", one, zeros, one), ragged(zeros, one, zeros, one)),
            Verdict::kUndecided);
  EXPECT_EQ(
      verdict(ragged(zeros, zeros, zeros, zeros, "{0},{1}"), ragged(zeros, zeros, zeros, zeros)),
      Verdict::kProven);
}

TEST(DeviceValues, ARaggedAllToAllOfEqualPartsIsAnAllToAll) {
  const auto sent = [](const std::string& first, const std::string& group) {
    return on(2, absl::StrCat("p = f32[2] parameter(0)\ny = f32[2] copy(p)\n"
                              "i = s32[2] constant(",
                              first,
                              ")\nn = s32[2] constant({1,1})\n"
                              "u = u32[] partition-id()\nb = u32[2] broadcast(u), dimensions={}\n"
                              "o = s32[2] convert(b)\n"
                              "ROOT r = f32[2] ragged-all-to-all(p, y, i, n, o, n), channel_id=1, "
                              "replica_groups={{",
                              group, "}}"));
  };
  const std::string exchanged =
      on(2,
         "p = f32[2] parameter(0)\nROOT r = f32[2] all-to-all(p), channel_id=1, "
         "replica_groups={{0,1}}, dimensions={0}");
  EXPECT_EQ(verdict(sent("{0,1}", "0,1"), exchanged), Verdict::kProven);
  const auto wrong = compare(exchanged, sent("{1,0}", "0,1"));
  EXPECT_EQ(wrong[0].verdict, Verdict::kRefuted);
  ASSERT_FALSE(wrong[0].path.right.empty());
  EXPECT_EQ(wrong[0].path.right.back().opcode, "ragged-all-to-all");
  EXPECT_EQ(verdict(sent("{0,1}", "1,0"), exchanged), Verdict::kRefuted);
}

TEST(DeviceValues, ThePathToADifferenceGoesFromDeviceToDevice) {
  const auto moved = [](const std::string& pairs) {
    return on(4,
              "p = f32[2] parameter(0), sharding={devices=[4]<=[4]}\nn = f32[2] negate(p)\n"
              "c = f32[2] collective-permute(n), channel_id=1, source_target_pairs={" +
                  pairs + "}\nROOT r = f32[2] cosine(c), sharding={devices=[4]<=[4]}");
  };
  const auto results = compare(moved("{0,1},{1,2},{2,3},{3,0}"), moved("{0,1},{1,3},{2,2},{3,0}"));
  const DifferencePath& path = results[0].path;
  ASSERT_EQ(path.right.size(), 2);
  EXPECT_EQ(path.right[1].instruction, "c");
  EXPECT_EQ(path.right[1].device, 2);
  ASSERT_EQ(path.right_reads.size(), 1);
  EXPECT_EQ(path.right_reads[0].instruction, "n");
  EXPECT_EQ(path.right_reads[0].device, 2);
  EXPECT_EQ(path.left.back().instruction, "c");
  EXPECT_EQ(path.left_reads.at(0).device, 1);
}

TEST(DeviceValues, WithoutAShardingNothingIsKnown) {
  const auto open = compare(kNegated, kNegatedParts);
  EXPECT_EQ(open[0].verdict, Verdict::kUndecided);
  EXPECT_THAT(open[0].detail, HasSubstr("RIGHT: expected the sharding of parameter 0, [2]"));
  const std::string four = on(4, "p = f32[2] parameter(0)\nROOT r = f32[2] negate(p)");
  const std::string two = on(2, "p = f32[2] parameter(0)\nROOT r = f32[2] negate(p)");
  EXPECT_EQ(verdict(four, two), Verdict::kUndecided);
}

// ---- Results of any size: one device stands for all ----

// x[n,n] times w, its contraction cut over the devices of a row of a mesh of 4 * 16.
std::string cut_product(int64_t n, const std::string& groups,
                        const std::string& of_w = "<=[4,16]T(1,0)") {
  return on(
      64, absl::StrCat("x = f32[", n / 4, ",", n / 16,
                       "] parameter(0), sharding={devices=[4,16]<=[64]}\nw = f32[", n / 16, ",", n,
                       "] parameter(1), sharding={devices=[16,1,4]", of_w,
                       " last_tile_dim_replicate}\nd = f32[", n / 4, ",", n,
                       "] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                       "ROOT r = f32[",
                       n / 4, ",", n, "] all-reduce(d), channel_id=1, replica_groups=", groups,
                       ", use_global_device_ids=true, to_apply=a, "
                       "sharding={devices=[4,1,16]<=[64] last_tile_dim_replicate}"));
}
std::string product(int64_t n) {
  const std::string square = absl::StrCat("f32[", n, ",", n, "] ");
  return whole(absl::StrCat("x = ", square, "parameter(0)\nw = ", square,
                            "parameter(1)\nROOT d = ", square,
                            "dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
}

TEST(DeviceValues, PartsOfAnySizeAreOneQuestion) {
  const auto equal = compare(product(4096), cut_product(4096, "[4,16]<=[64]"));
  EXPECT_EQ(equal[0].verdict, Verdict::kProven);
  EXPECT_THAT(equal[0].laws, ElementsAre(ValueLaw::kReductionOrder));
  const std::string small = product(32);
  EXPECT_EQ(verdict(small, cut_product(32, "[4,16]<=[64]")), Verdict::kProven);
  EXPECT_EQ(verdict(small, cut_product(32, "[8,8]<=[64]")), Verdict::kRefuted);
  EXPECT_EQ(verdict(small, cut_product(32, "[4,16]<=[16,4]T(1,0)")), Verdict::kRefuted);
  // Device k of a row has the rows of w that another one should have.
  EXPECT_EQ(verdict(small, cut_product(32, "[4,16]<=[64]", "<=[4,8,2]T(2,1,0)")),
            Verdict::kRefuted);
}

TEST(DeviceValues, ADifferenceOfLargeResultsNamesADevice) {
  const auto parts = [](const std::string& opcode, const std::string& order) {
    return on(4, absl::StrCat("p = f32[1048576] parameter(0), sharding={devices=[4]<=[4]}\n"
                              "ROOT r = f32[1048576] ",
                              opcode, "(p), sharding={devices=[4]", order, "}"));
  };
  const std::string large = whole("p = f32[4194304] parameter(0)\nROOT r = f32[4194304] negate(p)");
  EXPECT_EQ(verdict(large, parts("negate", "<=[4]")), Verdict::kProven);
  const auto wrong = compare(large, parts("cosine", "<=[4]"));
  EXPECT_EQ(wrong[0].verdict, Verdict::kRefuted);
  EXPECT_TRUE(wrong[0].device);
  EXPECT_EQ(verdict(large, parts("negate", "0,2,1,3")), Verdict::kRefuted);
}

// Each device starts from 1, so the sum is too large by the number of devices less one.
TEST(DeviceValues, WhatSumsStartFromIsCountedOnce) {
  const auto sum = [](int64_t size, const std::string& start) {
    return absl::StrCat("p = f32[", size,
                        "] parameter(0), sharding={devices=[4]<=[4]}\nz = f32[] constant(", start,
                        ")\ns = f32[] reduce(p, z), dimensions={0}, to_apply=a\n");
  };
  const auto from = [&](int64_t size, const std::string& start) {
    return whole(sum(size, start) + "ROOT r = f32[] copy(s)");
  };
  const auto parts = [&](int64_t size, const std::string& start) {
    return on(4, sum(size / 4, start) +
                     "ROOT r = f32[] all-reduce(s), channel_id=1, replica_groups={{0,1,2,3}}, "
                     "use_global_device_ids=true, to_apply=a");
  };
  EXPECT_EQ(verdict(from(4194304, "0"), parts(4194304, "0")), Verdict::kProven);
  EXPECT_EQ(verdict(from(8, "0"), parts(8, "0")), Verdict::kProven);
  EXPECT_EQ(verdict(from(8, "1"), parts(8, "1")), Verdict::kRefuted);
}

// Tables by the number of a device, and elements that wander.
TEST(DeviceValues, StartsRingsAndGathersOfAnySize) {
  const std::string turned = whole(
      "p = f32[4194304] parameter(0)\na = f32[1048576] slice(p), slice={[3145728:4194304]}\n"
      "b = f32[3145728] slice(p), slice={[0:3145728]}\n"
      "ROOT r = f32[4194304] concatenate(a, b), dimensions={0}");
  const auto ring = [](const std::string& pairs) {
    return on(4,
              "p = f32[1048576] parameter(0), sharding={devices=[4]<=[4]}\n"
              "ROOT r = f32[1048576] collective-permute(p), channel_id=1, source_target_pairs=" +
                  pairs + ", sharding={devices=[4]<=[4]}");
  };
  EXPECT_NE(verdict(turned, ring("{{0,1},{1,2},{2,3}}")), Verdict::kProven);
  EXPECT_NE(verdict(turned, ring("{{1,0},{2,1},{3,2},{0,3}}")), Verdict::kProven);
  EXPECT_EQ(verdict(ring("{{0,1},{1,2},{2,3},{3,0}}"), ring("{{3,0},{2,3},{1,2},{0,1}}")),
            Verdict::kProven);
  const std::string negated =
      whole("p = f32[4194304] parameter(0)\nROOT r = f32[4194304] negate(p)");
  const auto sliced = [](const std::string& table, const std::string& order) {
    return on(4, absl::StrCat("p = f32[1048576] parameter(0), sharding={devices=[4]<=[4]}\n"
                              "g = f32[4194304] all-gather(p), channel_id=1, replica_groups={",
                              order,
                              "}, dimensions={0}, use_global_device_ids=true\n"
                              "n = f32[4194304] negate(g)\nt = s32[4] constant({",
                              table,
                              "})\nu = u32[] partition-id()\no = s32[1] dynamic-slice(t, u), "
                              "dynamic_slice_sizes={1}\ns = s32[] reshape(o)\n"
                              "ROOT r = f32[1048576] dynamic-slice(n, s), "
                              "dynamic_slice_sizes={1048576}, sharding={devices=[4]<=[4]}"));
  };
  const std::string starts = "0, 1048576, 2097152, 3145728";
  EXPECT_EQ(verdict(negated, sliced(starts, "{0,1,2,3}")), Verdict::kProven);
  EXPECT_NE(verdict(negated, sliced(starts, "{0,2,1,3}")), Verdict::kProven);
  EXPECT_NE(verdict(negated, sliced("0, 1048576, 2097152, 3145727", "{0,1,2,3}")),
            Verdict::kProven);
}

// Device v has row v - 1, and device 0 zeros: not row 0, as for a start that is clamped.
TEST(DeviceValues, WhatIsSentIsOfADeviceThatExists) {
  const std::string parts =
      on(4,
         "p = f32[4,1048576] parameter(0), sharding={replicated}\nu = u32[] partition-id()\n"
         "k = u32[] constant(0)\ns = f32[1,1048576] dynamic-slice(p, u, k), "
         "dynamic_slice_sizes={1,1048576}\nROOT r = f32[1,1048576] collective-permute(s), "
         "channel_id=1, source_target_pairs={{0,1},{1,2},{2,3}}, sharding={devices=[4,1]<=[4]}");
  const auto rows = [](const std::string& first) {
    return whole(absl::StrCat("p = f32[4,1048576] parameter(0)\nz = f32[] constant(0)\n",
                              "b = f32[1,1048576] broadcast(z), dimensions={}\n",
                              "a = f32[1,1048576] slice(p), slice={[0:1],[0:1048576]}\n",
                              "c = f32[3,1048576] slice(p), slice={[0:3],[0:1048576]}\n",
                              "ROOT r = f32[4,1048576] concatenate(", first,
                              ", c), dimensions={0}"));
  };
  EXPECT_EQ(verdict(rows("b"), parts), Verdict::kProven);
  EXPECT_EQ(verdict(rows("a"), parts), Verdict::kRefuted);
}

// Two of four devices take the branch with the sum of all: nobody knows what they get, and whether it is the
// same.
TEST(DeviceValues, WhatIsNotKnownIsOfOneDeviceAlone) {
  const auto branched = [](const std::string& last) {
    return absl::StrCat(
        "HloModule p, num_partitions=4\n", kAdd,
        "y { x = f32[2] parameter(0)\nROOT s = f32[2] all-reduce(x), channel_id=1, "
        "replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=a }\n"
        "n { ROOT x = f32[2] parameter(0) }\nENTRY e {\n"
        "p = f32[2] parameter(0), sharding={replicated}\nu = u32[] partition-id()\n"
        "two = u32[] constant(2)\nc = pred[] compare(u, two), direction=LT\n"
        "r = f32[2] conditional(c, p, p), true_computation=y, false_computation=n\n",
        last, ", sharding={replicated} }\n");
  };
  EXPECT_EQ(verdict(branched("ROOT q = f32[2] copy(r)"),
                    branched("ROOT q = f32[2] collective-permute(r), channel_id=2, "
                             "source_target_pairs={{0,1},{1,0},{2,2},{3,3}}")),
            Verdict::kUndecided);
}

// How often they run is not known, so each is a function of what all devices start from, and of the own number.
TEST(DeviceValues, ALoopThatAsksForTheDeviceIsAnotherOnEachDevice) {
  const auto looped = [](const std::string& added, const std::string& start,
                         const std::string& last) {
    return absl::StrCat(
        "HloModule p, num_partitions=4\n", kAdd,
        "c { x = f32[4] parameter(0)\nf = f32[1] slice(x), slice={[0:1]}\ng = f32[] reshape(f)\n"
        "n = f32[] constant(9)\nROOT t = pred[] compare(g, n), direction=LT }\n"
        "b { x = f32[4] parameter(0)\n",
        added,
        "\no = f32[] constant(1)\nl = f32[4] broadcast(o), dimensions={}\nm = f32[4] add(d, l)\n"
        "ROOT y = f32[4] add(x, m) }\nENTRY e {\np = f32[4] parameter(0), "
        "sharding={replicated}\nq = f32[4] parameter(1), sharding={devices=[4]<=[4]}\n",
        start, "\nw = f32[4] while(s), condition=c, body=b\n", last, ", sharding={replicated} }\n");
  };
  const std::string number =
      "u = u32[] partition-id()\nv = f32[] convert(u)\nd = f32[4] broadcast(v), dimensions={}";
  const std::string sum =
      "d = f32[4] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, "
      "use_global_device_ids=true, to_apply=a";
  const std::string received =
      "d = f32[4] collective-permute(x), channel_id=1, source_target_pairs={{0,1}}";
  const std::string copied = "ROOT r = f32[4] copy(w)";
  const std::string turned =
      "ROOT r = f32[4] collective-permute(w), channel_id=2, "
      "source_target_pairs={{0,1},{1,2},{2,3},{3,0}}";
  for (const std::string& added : {number, received}) {
    EXPECT_NE(verdict(looped(added, "s = f32[4] copy(p)", copied),
                      looped(added, "s = f32[4] copy(p)", turned)),
              Verdict::kProven);
  }
  for (const std::string& added : {number, received, sum}) {
    EXPECT_EQ(verdict(looped(added, "s = f32[4] add(p, q)", copied),
                      looped(added, "s = f32[4] add(q, p)", copied)),
              Verdict::kProven);
  }
}

// One sum for all: each by itself would take more steps than there are.
TEST(DeviceValues, DevicesThatReceiveTheSameAreLookedAtOnce) {
  const std::string sum = whole(
      "p = f32[512,128] parameter(0)\nz = f32[] constant(0)\n"
      "ROOT r = f32[128] reduce(p, z), dimensions={0}, to_apply=a");
  const std::string parts =
      on(512,
         "p = f32[1,128] parameter(0), sharding={devices=[512,1]<=[512]}\nq = f32[128] reshape(p)\n"
         "ROOT r = f32[128] all-reduce(q), channel_id=1, replica_groups=[1,512]<=[512], "
         "use_global_device_ids=true, to_apply=a");
  EXPECT_EQ(verdict(sum, parts), Verdict::kProven);
}

TEST(DeviceValues, DevicesThatAreTooManyToListAreUndecided) {
  const std::string many =
      on(int64_t{1} << 40,
         "p = f32[8] parameter(0), sharding={replicated}\nROOT r = f32[8] negate(p)");
  EXPECT_EQ(verdict(kNegated, many), Verdict::kUndecided);
}

TEST(DeviceValues, APlacementMustFit) {
  EXPECT_THAT(error(kNegated, kNegated, placed(4, {cut(4, 4)}, {cut(4, 4)})),
              HasSubstr("expected a module on several devices"));
  EXPECT_THAT(error(kNegated, kNegatedParts, placed(2, {cut(2, 2)}, {cut(2, 2)})),
              HasSubstr("expected a placement on 4 devices, found one on 2"));
  EXPECT_THAT(error(kNegated, kNegatedParts, placed(4, {cut(1, 4)}, {cut(4, 4)})),
              HasSubstr("expected parameter 0 of dimensions [8] on each of 4 devices"));
  EXPECT_THAT(error(kNegated, kNegatedParts, placed(4, {}, {cut(4, 4)})),
              HasSubstr("expected 1 shardings"));
  EXPECT_THAT(error(kNegated, on(4, "p = s32[2] parameter(0)\nROOT r = s32[2] negate(p)"),
                    placed(4, {cut(4, 4)}, {cut(4, 4)})),
              HasSubstr("of type f32 as in LEFT, found s32"));
}

TEST(DeviceValues, AResultOfAnotherTypeOrSizeIsDifferent) {
  const std::string rounded =
      on(4, "p = f32[2] parameter(0), sharding={devices=[4]<=[4]}\nROOT r = bf16[2] convert(p)");
  const auto results = compare(kNegated, rounded, placed(4, {cut(4, 4)}, {cut(4, 4)}));
  EXPECT_EQ(results[0].verdict, Verdict::kRefuted);
  EXPECT_EQ(results[0].detail, "element types f32 and bf16");
}

TEST(DeviceValues, ReplicasHoldWhatPartitionsHold) {
  const std::string two_by_two =
      absl::StrCat("HloModule p, replica_count=2, num_partitions=2\n", kAdd,
                   "ENTRY e {\np = f32[4] parameter(0), sharding={devices=[2]<=[2]}\n"
                   "ROOT r = f32[4] negate(p), sharding={devices=[2]<=[2]}\n}\n");
  EXPECT_EQ(verdict(kNegated, two_by_two), Verdict::kProven);
}

// The limit of the loop is the number of the device: device 1 waits for a device that has left.
TEST(DeviceValues, ALoopThatADeviceLeavesIsNotTheSame) {
  const auto looped = [](const std::string& limit) {
    return absl::StrCat(
        "HloModule p, num_partitions=2\n"
        "c { s = (s32[], f32[2], s32[]) parameter(0)\ni = s32[] get-tuple-element(s), index=0\n"
        "n = s32[] get-tuple-element(s), index=2\nROOT t = pred[] compare(i, n), direction=LT }\n"
        "b { s = (s32[], f32[2], s32[]) parameter(0)\ni = s32[] get-tuple-element(s), index=0\n"
        "x = f32[2] get-tuple-element(s), index=1\nn = s32[] get-tuple-element(s), index=2\n"
        "o = s32[] constant(1)\nj = s32[] add(i, o)\n"
        "y = f32[2] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}\n"
        "ROOT r = (s32[], f32[2], s32[]) tuple(j, y, n) }\n"
        "ENTRY e { p = f32[2] parameter(0)\nz = s32[] constant(0)\n",
        limit,
        "\ns = (s32[], f32[2], s32[]) tuple(z, p, n)\n"
        "w = (s32[], f32[2], s32[]) while(s), condition=c, body=b\n"
        "ROOT r = f32[2] get-tuple-element(w), index=1 }");
  };
  const std::string own = looped("u = u32[] partition-id()\nn = s32[] convert(u)");
  const std::string copied = on(2, "ROOT p = f32[2] parameter(0)");
  const std::string swapped =
      on(2,
         "p = f32[2] parameter(0)\nROOT r = f32[2] collective-permute(p), channel_id=1, "
         "source_target_pairs={{0,1},{1,0}}");
  EXPECT_NE(verdict(own, copied), Verdict::kProven);
  EXPECT_NE(verdict(own, swapped), Verdict::kProven);
  EXPECT_EQ(verdict(looped("n = s32[] constant(1)"), swapped), Verdict::kProven);
  EXPECT_EQ(verdict(looped("n = s32[] constant(2)"), copied), Verdict::kProven);
}

}  // namespace
}  // namespace tileproof::verify
