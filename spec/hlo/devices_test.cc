// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/answers_testing.h"
#include "spec/hlo/definition_devices.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kAdd[] =
    "a { x = s32[] parameter(0)\ny = s32[] parameter(1)\nROOT s = s32[] add(x, y) }\n";

absl::StatusOr<std::vector<std::string>> texts_of(const std::string& header,
                                                  const std::string& text, const Devices& devices,
                                                  int64_t leaf = 0) {
  const auto module = parse_hlo_module(absl::StrCat("HloModule m", header, "\n", kAdd, text));
  if (!module.ok()) return module.status();
  Devices all = devices;
  all.counts = *device_counts(*module);
  Terms terms;
  const auto results = terms_on(*module, all, terms);
  if (!results.ok()) return results.status();
  std::vector<std::string> found;
  for (const ElementTerms& one : (*results)[leaf]) {
    found.push_back(absl::StrJoin(one.terms, " ", [&](std::string* out, TermId term) {
      absl::StrAppend(out, terms.text(term));
    }));
  }
  return found;
}

// Parameter 0 is cut over all devices.
Devices cut(int64_t size, int64_t devices) {
  Sharding sharding = replicated(devices);
  sharding.parts = {devices};
  for (int64_t v = 0; v < devices; ++v) sharding.part_of[v] = v;
  return {.parameters = {{{0, 0}, {{size}, sharding}}}};
}

// What the root gives on each of the devices, for p = s32[2], which is cut over them.
absl::StatusOr<std::vector<std::string>> on_devices(absl::string_view lines, int64_t devices = 2,
                                                    int64_t leaf = 0) {
  return texts_of(absl::StrCat(", num_partitions=", devices),
                  absl::StrCat("ENTRY e { p = s32[2] parameter(0)\n", lines, "\n}"),
                  cut(2 * devices, devices), leaf);
}

// Each table has a row for each of two devices.
std::string ragged(absl::string_view text) {
  const auto [updates, first, sizes, to, received] = parts_of<5>(text);
  std::string lines =
      "z = s32[] constant(0)\ni = u32[] partition-id()\nv = s32[] convert(i)\n"
      "y = s32[4] constant({7, 7, 7, 7})\n";
  int64_t k = 2;
  const int64_t size = 2 * numbers_of(updates)[0];
  for (const std::string& table : {first, sizes, to, received}) {
    absl::StrAppend(&lines, "t", k, " = s32[2,", size, "] constant({", table, "})\nd", k,
                    " = s32[1,", size, "] dynamic-slice(t", k, ", v, z), dynamic_slice_sizes={1,",
                    size, "}\nn", k, " = s32[", size, "] reshape(d", k, ")\n");
    ++k;
  }
  return lines +
         "ROOT r = s32[4] ragged-all-to-all(p, y, n2, n3, n4, n5), channel_id=1, "
         "replica_groups={{0,1}}";
}

std::string texts(const absl::StatusOr<std::vector<std::string>>& found) {
  return found.ok() ? absl::StrJoin(*found, "\n") : std::string(found.status().message());
}

std::string on_each(absl::string_view text) {
  const auto [head, lines] = parts_of<2>(text, "\n");
  const std::vector<int64_t> numbers = numbers_of(head);  // of devices, and the leaf
  return texts(on_devices(lines, numbers[0], numbers.size() > 1 ? numbers[1] : 0));
}

TEST(Devices, Answers) {
  expect_answers(
      "answers/devices.txt",
      {{"on", on_each}, {"ragged", [](auto text) { return texts(on_devices(ragged(text))); }}});
}

TEST(Devices, WhatPadsAPartIsUnknownAndSoIsAParameterThatIsNotPlaced) {
  const std::string text = "ENTRY e { ROOT p = s32[2] parameter(0) }";
  EXPECT_THAT(*texts_of(", num_partitions=2", text, cut(3, 2)),
              ElementsAre("p0[0] p0[1]", "p0[2] p0 of device 1[1]"));
  EXPECT_THAT(
      *texts_of(", num_partitions=2", text, {}),
      ElementsAre("p0 of device 0[0] p0 of device 0[1]", "p0 of device 1[0] p0 of device 1[1]"));
}

TEST(Devices, EachKnowsTheNumberOfItsReplica) {
  EXPECT_THAT(*texts_of(", replica_count=2, num_partitions=2",
                        "ENTRY e { ROOT r = u32[] replica-id() }", {}),
              ElementsAre("0:u32", "0:u32", "1:u32", "1:u32"));
}

constexpr char kOne[] = ", channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true";

// The loop runs as often as `limit`, and permutes.
std::string loop(const std::string& limit) {
  return absl::StrCat(
      "c { s = (s32[], s32[2], s32[]) parameter(0)\ni = s32[] get-tuple-element(s), index=0\n"
      "n = s32[] get-tuple-element(s), index=2\nROOT t = pred[] compare(i, n), direction=LT }\n"
      "b { s = (s32[], s32[2], s32[]) parameter(0)\ni = s32[] get-tuple-element(s), index=0\n"
      "x = s32[2] get-tuple-element(s), index=1\nn = s32[] get-tuple-element(s), index=2\n"
      "o = s32[] constant(1)\nj = s32[] add(i, o)\n"
      "y = s32[2] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}\n"
      "ROOT r = (s32[], s32[2], s32[]) tuple(j, y, n) }\n"
      "ENTRY e { p = s32[2] parameter(0)\nz = s32[] constant(0)\n",
      limit,
      "\ns = (s32[], s32[2], s32[]) tuple(z, p, n)\n"
      "w = (s32[], s32[2], s32[]) while(s), condition=c, body=b\n"
      "ROOT r = s32[2] get-tuple-element(w), index=1 }");
}

TEST(Devices, ALoopRunsInStep) {
  EXPECT_THAT(*texts_of(", num_partitions=2", loop("n = s32[] constant(3)"), cut(4, 2)),
              ElementsAre("p0[2] p0[3]", "p0[0] p0[1]"));
}

TEST(Devices, WhoHasLeftALoopSendsNothing) {
  const auto found =
      *texts_of(", num_partitions=2",
                loop("u = u32[] partition-id()\nv = s32[] convert(u)\none = s32[] constant(1)\n"
                     "n = s32[] add(v, one)"),
                cut(4, 2));
  EXPECT_EQ(found[0], "p0[2] p0[3]");
  EXPECT_THAT(found[1], HasSubstr("collective-permute"));
}

TEST(Devices, ABranchIsTakenByThoseThatChooseIt) {
  const std::string branches =
      absl::StrCat("f { x = s32[2] parameter(0)\nROOT r = s32[2] all-reduce(x), to_apply=a", kOne,
                   " }\ng { ROOT x = s32[2] parameter(0) }\n"
                   "ENTRY e { p = s32[2] parameter(0)\nu = u32[] partition-id()\n"
                   "i = s32[] convert(u)\n");
  const auto split = *texts_of(
      ", num_partitions=2",
      branches + "ROOT r = s32[2] conditional(i, p, p), branch_computations={f, g} }", cut(4, 2));
  EXPECT_THAT(split[0], HasSubstr("all-reduce"));  // device 1 is not there
  EXPECT_EQ(split[1], "p0[2] p0[3]");
  const auto together =
      *texts_of(", num_partitions=2",
                branches +
                    "z = s32[] constant(0)\n"
                    "ROOT r = s32[2] conditional(z, p, p), branch_computations={f, g} }",
                cut(4, 2));
  EXPECT_THAT(together[0], StartsWith("bag add s32 of s32(p0[0], p0[2])"));
}

TEST(Devices, WhatIsNotDefinedDependsOnAllDevicesAndTheDevice) {
  const auto found = *on_devices(
      "z = s32[] constant(0)\nROOT r = s32[2] collective-broadcast(p, z), channel_id=1, "
      "replica_groups={{0,1}}, has_dynamic_root=true");
  EXPECT_NE(found[0], found[1]);
  EXPECT_THAT(found[0], HasSubstr("p0[2]"));
}

TEST(Devices, RandomNumbersOfTwoDevicesAreNotTheSame) {
  const auto module = parse_hlo_module(
      "HloModule m, num_partitions=2\nENTRY e { a = f32[] constant(0)\nb = f32[] constant(1)\n"
      "ROOT r = f32[] rng(a, b), distribution=rng_uniform }");
  Terms terms;
  const auto found = *terms_on(*module, {.counts = {1, 2}}, terms);
  EXPECT_NE(found[0][0].terms, found[0][1].terms);
}

TEST(Devices, TooManyAreTooLargeToEnumerate) {
  EXPECT_THAT(std::string(texts_of(", num_partitions=4294967296",
                                   "ENTRY e { ROOT p = s32[] parameter(0) }", {})
                              .status()
                              .message()),
              HasSubstr("too large to enumerate"));
}

// A sum over so many devices, another one on each of them, is too much; it is said, and not tried. One sum
// for all is not.
TEST(Devices, AnExchangeOfManyDevicesIsCounted) {
  const auto message = [](const std::string& root) {
    const auto module = parse_hlo_module(absl::StrCat(
        "HloModule m, num_partitions=4096\n", kAdd,
        "ENTRY e { p = s32[4096] iota(), iota_dimension=0\nq = s32[] parameter(0)\nROOT r = ", root,
        ", to_apply=a, channel_id=1, replica_groups={}, use_global_device_ids=true }"));
    Terms terms;
    const auto found = terms_on(*module, {.counts = {1, 4096}}, terms, {.work = 100'000});
    return std::string(found.status().message());
  };
  EXPECT_THAT(message("s32[1] reduce-scatter(p), dimensions={0}"),
              HasSubstr("too large to enumerate"));
  EXPECT_EQ(message("s32[] all-reduce(q)"), "");
}

// What the devices of a mesh, "x"=2 and "y"=2, have of p = s32[4] that is cut by `in` and put together by
// `out`, along `axes` alone.
std::vector<std::string> manual(const std::string& in, const std::string& out,
                                const std::string& axes, int64_t part, int64_t result) {
  const auto call = [&](const std::string& target, const std::string& name,
                        const std::string& cut) {
    return absl::StrCat("custom_call_target=\"xla.sdy.", target,
                        "\", frontend_attributes={xla.sdy.", name,
                        "=\"#sdy.sharding_per_value<[<@mesh, [{", cut,
                        "}]>]>\",xla.sdy.manual_axes=\"#sdy<manual_axes{", axes, "}>\"}");
  };
  const auto found = texts_of(
      ", frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=2, \"y\"=2]>}}, "
      "num_partitions=4",
      absl::StrCat("ENTRY e { p = s32[4] parameter(0)\nl = s32[", part, "] custom-call(p), ",
                   call("GlobalToLocalShape", "in_shardings", in), "\nROOT g = s32[", result,
                   "] custom-call(l), ", call("LocalToGlobalShape", "out_shardings", out), " }"),
      {.parameters = {{{0, 0}, {{4}, replicated(4)}}}});
  EXPECT_TRUE(found.ok()) << found.status();
  return found.ok() ? *found : std::vector<std::string>();
}

constexpr char kX[] = "\\\"x\\\"", kY[] = "\\\"y\\\"";

TEST(Devices, AManualComputationCutsAndPutsTogether) {
  const std::string both = absl::StrCat(kX, ", ", kY), all = "p0[0] p0[1] p0[2] p0[3]";
  EXPECT_THAT(manual(both, both, both, 1, 4), ElementsAre(all, all, all, all));
  const std::string other = "p0[0] p0[2] p0[1] p0[3]";
  EXPECT_THAT(manual(both, absl::StrCat(kY, ", ", kX), both, 1, 4),
              ElementsAre(other, other, other, other));
}

// Device 2 * x + y: part x of p, then those of the devices that differ in y alone.
TEST(Devices, PartsComeFromDevicesWithTheSameCoordinatesInOtherAxes) {
  const std::string first = "p0[0] p0[1] p0[0] p0[1]", last = "p0[2] p0[3] p0[2] p0[3]";
  EXPECT_THAT(manual(kX, kY, absl::StrCat(kX, ", ", kY), 2, 4),
              ElementsAre(first, first, last, last));
}

TEST(Devices, AxesThatAreNotManualDoNotCut) {
  const std::string all = "p0[0] p0[1] p0[2] p0[3]";
  EXPECT_THAT(manual(absl::StrCat(kX, ", ", kY), absl::StrCat(kX, ", ", kY), kX, 2, 4),
              ElementsAre(all, all, all, all));
}

TEST(Devices, AnElementIsInOnePart) {
  const Sharding both = *read_sharding("{devices=[2,2]<=[2,2]T(1,0)}", 4);
  const auto element = element_of_part<int64_t>(both, {3, 4}, {2, 1});
  EXPECT_EQ(element.part, 2);
  EXPECT_THAT(element.local, ElementsAre(0, 1));
  EXPECT_THAT(index_of_part<int64_t>(both, {3, 4}, 2, {0, 1}), ElementsAre(2, 1));
  EXPECT_THAT(index_of_part<int64_t>(both, {3, 4}, 3, {1, 1}), ElementsAre(3, 3));  // padding
}

}  // namespace
}  // namespace tileproof::spec
