// SPDX-License-Identifier: Apache-2.0
// Refutes wrong maps with a counterexample.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/map/mutate_map.h"
#include "impl/hlo/indexing.h"
#include "spec/hlo/access_relation.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/hlo/definitions.h"
#include "verify/prove/hlo/disjunct.h"
#include "verify/prove/hlo/indexing_proof.h"
#include "verify/prove/hlo/indexing_proof_testing.h"

namespace tileproof::verify {
namespace {

using Kind = InstructionVerdict::Kind;
using ::testing::AnyOf;
using ::testing::HasSubstr;

struct Asked {
  HloModule module;
  int32_t root = 0;
  impl::Indexing maps;
  Direction direction = Direction::kOutputToInput;
};

// Returns the maps of the root's first leaf from the analysis.
Asked asked_of(absl::string_view text, Direction direction = Direction::kOutputToInput) {
  Asked asked{module_of(text), 0, {}, direction};
  asked.root = asked.module.computations[asked.module.entry].root;
  impl::IndexingAnalysis analysis(asked.module);
  auto maps = analysis.reads(asked.module.entry, asked.root);
  EXPECT_TRUE(maps.ok()) << maps.status();
  if (!maps.ok()) return asked;
  asked.maps = *std::move(maps);
  if (direction == Direction::kOutputToInput) return asked;
  int32_t input = 0;
  for (auto& leaves : asked.maps) {
    for (impl::LeafMaps& list : leaves) {
      auto outputs = analysis.reached(asked.module.entry, asked.root, input++);
      EXPECT_TRUE(outputs.ok()) << outputs.status();
      if (outputs.ok()) list = std::move((*outputs)[0]);
    }
  }
  return asked;
}

InstructionVerdict verdict_of(const Asked& asked, VerifySession& session) {
  return verify_maps(asked.module, asked.module.entry, asked.root, 0, asked.maps, session,
                     asked.direction);
}

NodeId plus(IndexingMap& map, NodeId node, int64_t more) {
  return add_operation(map.nodes, Op::kAdd, node, add_constant(map.nodes, more));
}

struct Mistake {
  const char* name;
  std::function<bool(impl::Indexing&)> make;  // returns false if it does not apply
};

// Returns the first non-empty list of maps.
impl::LeafMaps* first_list(impl::Indexing& maps) {
  for (auto& leaves : maps) {
    for (impl::LeafMaps& list : leaves) {
      if (!list.maps.empty()) return &list;
    }
  }
  return nullptr;
}

bool change_map(impl::Indexing& maps, const std::function<bool(IndexingMap&)>& change) {
  impl::LeafMaps* list = first_list(maps);
  return list != nullptr && change(list->maps.front().map);
}

std::vector<Mistake> mistakes() {
  const auto on_map = [](std::function<bool(IndexingMap&)> change) {
    return [change = std::move(change)](impl::Indexing& maps) { return change_map(maps, change); };
  };
  return {
      {"off by one", on_map([](IndexingMap& map) {
         if (map.results.empty()) return false;
         map.results[0] = plus(map, map.results[0], 1);
         return true;
       })},
      {"first element of a range missing", on_map([](IndexingMap& map) {
         if (map.ranges.empty()) return false;
         ++map.ranges[0].bounds.low;
         return true;
       })},
      {"one extra range element", on_map([](IndexingMap& map) {
         if (map.ranges.empty()) return false;
         ++map.ranges[0].bounds.high;
         return true;
       })},
      {"last result element missing", on_map([](IndexingMap& map) {
         // Constraints may exclude that element already.
         if (!map.constraints.empty()) return false;
         --map.dimensions[0].bounds.high;
         return true;
       })},
      {"constraint dropped", on_map([](IndexingMap& map) {
         if (map.constraints.empty()) return false;
         map.constraints.pop_back();
         return true;
       })},
      {"constraint too narrow", on_map([](IndexingMap& map) {
         if (map.constraints.empty()) return false;
         Interval& interval = map.constraints.back().interval;
         if (interval.low == interval.high) return false;
         ++interval.low;
         return true;
       })},
      {"swapped dimensions", on_map([](IndexingMap& map) {
         if (map.results.size() < 2) return false;
         std::swap(map.results[0], map.results[1]);
         return true;
       })},
      {"wrong operand",
       [](impl::Indexing& maps) {
         if (maps.size() < 2) return false;
         impl::Indexing other = maps;
         std::swap(maps[0], maps[1]);
         const auto text = [](const impl::Indexing& all) {
           std::string whole;
           for (const auto& leaves : all) {
             for (const auto& list : leaves) {
               for (const auto& map : list.maps) absl::StrAppend(&whole, to_text(map.map), ";");
               absl::StrAppend(&whole, "|");
             }
           }
           return whole;
         };
         return text(other) != text(maps);
       }},
      {"map missing",
       [](impl::Indexing& maps) {
         first_list(maps)->maps.pop_back();
         return true;
       }},
  };
}

TEST_P(IndexingProof, RefutesMistakesWithACounterexample) {
  std::map<std::string, int64_t> found;
  for (const char* text : kLarge) {
    for (const Mistake& mistake : mistakes()) {
      Asked asked = asked_of(text, GetParam());
      if (!mistake.make(asked.maps)) continue;
      VerifySession session;
      const InstructionVerdict verdict = verdict_of(asked, session);
      EXPECT_EQ(verdict.kind, Kind::kRefuted)
          << mistake.name << ": " << text << "\n  " << verdict.detail;
      if (verdict.kind == Kind::kRefuted) {
        ++found[mistake.name];
        EXPECT_THAT(verdict.detail, AnyOf(HasSubstr("flows, but no map has it"),
                                          HasSubstr("in a map, but does not flow")));
      }
    }
  }
  for (const Mistake& mistake : mistakes()) EXPECT_GT(found[mistake.name], 0) << mistake.name;
}

TEST_P(IndexingProof, TheCounterexampleIsTheWrongPair) {
  const bool inverse = GetParam() == Direction::kInputToOutput;
  Asked asked = asked_of("r = f32[600] slice(f32[5000] a), slice={[100:700]}", GetParam());
  IndexingMap& map = asked.maps[0][0].maps[0].map;
  map.dimensions[0].bounds.high = inverse ? 698 : 598;
  VerifySession session;
  EXPECT_EQ(verdict_of(asked, session).detail,
            "result element (599), operand 0 element (699): flows, but no map has it");
  session.options.enumerated = 0;  // by proof, too
  EXPECT_EQ(verdict_of(asked, session).detail,
            "result element (599), operand 0 element (699): flows, but no map has it");
}

TEST_P(IndexingProof, RefutesOffsetsOfTheWrongDimensionWithTheirValues) {
  Asked asked = asked_of(kLarge[12], GetParam());
  auto& runtime = asked.maps[0][0].maps[0].runtime;
  std::swap(runtime[0].position, runtime[1].position);
  VerifySession session;
  const InstructionVerdict verdict = verdict_of(asked, session);
  EXPECT_EQ(verdict.kind, Kind::kRefuted) << verdict.detail;
  EXPECT_THAT(verdict.detail,
              AnyOf(HasSubstr("where i element () is"), HasSubstr("where j element () is")));
}

// Each value of k decides for one s0, but no s0 is right for all values.
TEST(IndexingRefuted, ElementsThatOnlyTheMapsReadAreNotOneElement) {
  const HloModule module = module_of(
      "ENTRY e { x = f32[1] parameter(0)\n"
      "          k = s32[2] parameter(1)\n"
      "          ROOT r = f32[1] copy(x) }");
  impl::IndexedMap map;
  map.map = *parse_map(
      "(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 0], s0 in [0, 1], rt0 in [0, 1], "
      "s0 + rt0 in [1, 1]");
  map.runtime = {
      {{{}, 1, 0}, *parse_map("(d0)[s0] -> (s0), domain: d0 in [0, 0], s0 in [0, 1]"), {0, 1}}};
  VerifySession session;
  const impl::Indexing maps = {{{.maps = {map}, .inexact = false, .reason = ""}}};
  const InstructionVerdict verdict = verify_maps(module, module.entry, 2, 0, maps, session);
  EXPECT_EQ(verdict.kind, Kind::kRefuted) << verdict.detail;
  EXPECT_THAT(verdict.detail, HasSubstr("flows, but no map has it"));
}

// The bounds of a runtime variable are what its value is clamped to, and never a condition.
TEST(IndexingRefuted, ABoundThatLeavesOutAValueClampsItToAnother) {
  Asked asked =
      asked_of("r = f32[1,2] dynamic-update-slice(f32[1,2] p, f32[1,1] u, s32[] i, s32[] j)");
  VerifySession session;
  EXPECT_EQ(verdict_of(asked, session).kind, Kind::kProven);
  impl::IndexedMap& left = asked.maps[0][0].maps[0];
  ASSERT_EQ(left.map.constraints.size(), 1);
  left.map = *parse_map(
      "(d0, d1){rt0, rt1} -> (0, 0), domain: d0 in [0, 0], d1 in [0, 0], rt0 in [0, 0], "
      "rt1 in [1, 1]");
  const InstructionVerdict verdict = verdict_of(asked, session);
  EXPECT_EQ(verdict.kind, Kind::kRefuted);
  EXPECT_THAT(verdict.detail, HasSubstr("where j element () is 0: in a map, but does not flow"));
}

TEST(IndexingRefuted, APairThatFlowsForSomeValuesOnlyIsInNoMapWithoutThem) {
  const Asked asked =
      asked_of("r = f32[2] dynamic-slice(f32[8] x, s32[] i), dynamic_slice_sizes={2}");
  for (const int64_t offset : {0, 3, 6}) {
    Asked more = asked;
    const std::string map = absl::StrCat("(d0) -> (d0 + ", offset, "), domain: d0 in [0, 1]");
    more.maps[0][0].maps.push_back({*parse_map(map), {}});
    VerifySession session;
    const InstructionVerdict verdict = verdict_of(more, session);
    EXPECT_EQ(verdict.kind, Kind::kRefuted) << offset << ": " << verdict.detail;
    EXPECT_THAT(verdict.detail, HasSubstr("where i element () is"));
  }
}

TEST_P(IndexingProof, ProvesADeclaredSuperset) {
  Asked asked = asked_of(kLarge[1], GetParam());
  impl::LeafMaps& list = asked.maps[0][0];
  list.maps.push_back(list.maps[0]);
  list.maps[1].map.results[0] = list.maps[0].map.results[1];
  VerifySession session;
  EXPECT_EQ(verdict_of(asked, session).kind, Kind::kRefuted);
  list.inexact = true;
  list.reason = "a test";
  const InstructionVerdict superset = verdict_of(asked, session);
  EXPECT_EQ(superset.kind, Kind::kConservative);
  EXPECT_EQ(superset.detail, "a test");
  list.maps.erase(list.maps.begin());
  EXPECT_EQ(verdict_of(asked, session).kind, Kind::kRefuted);
  asked.maps.clear();
  EXPECT_EQ(verdict_of(asked, session).kind, Kind::kRefuted);
}

// ---- Proof against enumeration, on random small modules ----

// One random change to a map; it may still be right. Both methods must agree.
TEST_P(IndexingProof, ProofAndEnumerationAgreeAboutChangedMaps) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Choose choose(Choose::Random{seed});
    const GeneratedHlo hlo = generate_operation(choose);
    Asked asked = asked_of(hlo.text, GetParam());
    impl::LeafMaps* list = first_list(asked.maps);
    if (list == nullptr || list->inexact) continue;
    IndexingMap& changed = list->maps[choose(std::ssize(list->maps))].map;
    mutate_meaning(choose, changed);
    VerifySession by_enumeration, by_proof;
    by_enumeration.options.enumerated = 2'000'000;
    by_proof.options.enumerated = 0;
    const InstructionVerdict all = verdict_of(asked, by_enumeration);
    const InstructionVerdict proof = verdict_of(asked, by_proof);
    ++tally.asked;
    ++tally.proof[std::string(to_text(proof.kind))];
    if (proof.kind == Kind::kUndecided || all.kind == Kind::kUndecided) continue;
    EXPECT_EQ(proof.kind, all.kind)
        << hlo.text << "\n"
        << to_text(changed) << "\n  proof: " << to_text(asked.module, proof)
        << "\n  enumeration: " << to_text(asked.module, all);
  }
  std::cout << text_of(tally) << "\n";
  EXPECT_GT(tally.proof["refuted"], tally.asked / 3);
  EXPECT_LT(tally.proof["undecided"], tally.asked / 20);
}

// Enumeration has no answer if values are read. Here the elements get fixed values and every point
// is evaluated. A map that differs there must not be proven.
struct Reached {
  const Asked& asked;
  SourceResolver resolver;
  uint64_t seed;

  int64_t value(const RuntimeRead<int64_t>& read) const {
    const ResolvedSource<int64_t> source = resolver.resolve_source(read);
    std::string text =
        absl::StrCat(seed, " ", source.position.instruction, "#", source.position.leaf);
    for (const int64_t i : source.index) absl::StrAppend(&text, ",", i);
    const auto any = static_cast<int64_t>(std::hash<std::string>()(text) % 9) - 2;
    return std::clamp(source.known.value_or(any), read.low, std::max(read.low, read.high));
  }

  std::set<std::vector<int64_t>> of(const Disjunct& disjunct, const std::vector<int64_t>& o) const {
    std::set<std::vector<int64_t>> found;
    std::vector<int64_t> s;
    for (const Interval& range : disjunct.ranges()) {
      if (range.low > range.high) return found;
      s.push_back(range.low);
    }
    do {
      auto walked =
          disjunct.walk(o, s, [&](const RuntimeRead<int64_t>& read) { return value(read); });
      if (walked.in_domain) found.insert(std::move(walked.index));
    } while (next_point(disjunct.ranges(), s));
    return found;
  }

  // Returns whether the first operand's maps differ from the definition at any element of the
  // result.
  bool differs() const {
    const HloModule& module = asked.module;
    impl::IndexingAnalysis analysis(module);
    const auto definition = Definitions(module, analysis).of(module.entry, asked.root, 0);
    const HloInstruction& root = module.computations[module.entry].instructions[asked.root];
    spec::Dims dims = (*leaves_of(*root.shape))[0].dims;
    const HloOperand& operand = root.operands[0];
    const HloInstruction& first =
        module.computations[module.entry].instructions[operand.instruction];
    const spec::Dims input = (*leaves_of(*first.shape))[0].dims;
    std::vector<int64_t> o(dims.size(), 0);
    if (std::ranges::count(dims, 0) > 0) return false;
    do {
      std::set<std::vector<int64_t>> paths, maps;
      for (const DataflowPath& path : *definition) {
        if (path.operand == 0 && path.leaf == 0) paths.merge(of(Disjunct(path), o));
      }
      for (const impl::IndexedMap& map : asked.maps[0][0].maps) {
        maps.merge(
            of(asked.direction == Direction::kOutputToInput ? Disjunct(map) : Disjunct(map, input),
               o));
      }
      if (paths != maps) return true;
    } while (next_index(dims, o));
    return false;
  }
};

TEST_P(IndexingProof, NeverProvesAChangedMapWithOffsetsThatDiffers) {
  Tally tally;
  int64_t differ = 0;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Choose choose(Choose::Random{seed});
    const GeneratedHlo hlo = generate_operation(choose, {.elements = 60});
    const bool has_offsets =
        hlo.kind.starts_with("dynamic") || hlo.kind == "gather" || hlo.kind == "scatter";
    if (!has_offsets) continue;
    Asked asked = asked_of(hlo.text, GetParam());
    if (asked.maps.empty() || asked.maps[0].empty()) continue;
    impl::LeafMaps& list = asked.maps[0][0];
    if (list.maps.empty() || list.inexact) continue;
    IndexingMap& changed = list.maps[choose(std::ssize(list.maps))].map;
    if (choose.chance(3, 4)) mutate_meaning(choose, changed);
    VerifySession session;
    const InstructionVerdict verdict = verdict_of(asked, session);
    ++tally.asked;
    ++tally.proof[std::string(to_text(verdict.kind))];
    for (uint64_t values = 0; values < 4; ++values) {
      const SourceResolver resolver(asked.module, asked.module.entry);
      if (!Reached{asked, resolver, values}.differs()) continue;
      ++differ;
      EXPECT_THAT(verdict.kind, AnyOf(Kind::kRefuted, Kind::kUndecided))
          << hlo.text << "\n"
          << to_text(changed) << "\n"
          << to_text(asked.module, verdict);
      break;
    }
  }
  std::cout << text_of(tally) << "; " << differ << " with a difference at the tried values\n";
  EXPECT_GT(differ, 50);
  EXPECT_GT(tally.proof["refuted"], differ / 2);
}

}  // namespace
}  // namespace tileproof::verify
