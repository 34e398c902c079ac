#include "verify/indexing_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/choose.h"
#include "fuzz/gen_hlo.h"
#include "fuzz/mutate_map.h"
#include "spec/lang/hlo_text.h"
#include "spec/lang/map_text.h"

namespace tileproof::verify {
namespace {

using Kind = InstructionVerdict::Kind;
using ::testing::AnyOf;
using ::testing::HasSubstr;

HloModule module_of(absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : HloModule{};
}

using impl::Direction;

// Each test for both directions, where nothing else is said.
class IndexingProof : public testing::TestWithParam<Direction> {};

INSTANTIATE_TEST_SUITE_P(Directions, IndexingProof,
                         testing::Values(Direction::kOutputToInput, Direction::kInputToOutput),
                         [](const testing::TestParamInfo<Direction>& tested) {
                           return tested.param == Direction::kOutputToInput ? "OutputToInput"
                                                                            : "InputToOutput";
                         });

struct Asked {
  HloModule module;
  int32_t root = 0;
  impl::Indexing maps;
  Direction direction = Direction::kOutputToInput;
};

// The maps of the root's first leaf, as the analysis gives them.
Asked asked_of(absl::string_view text, Direction direction = Direction::kOutputToInput) {
  Asked asked{module_of(text), 0, {}, direction};
  asked.root = asked.module.computations[asked.module.entry].root;
  impl::IndexingAnalysis analysis(asked.module);
  auto maps = analysis.instruction(asked.module.entry, asked.root);
  EXPECT_TRUE(maps.ok()) << maps.status();
  if (!maps.ok()) return asked;
  asked.maps = *std::move(maps);
  if (direction == Direction::kOutputToInput) return asked;
  int32_t input = 0;
  for (auto& leaves : asked.maps) {
    for (impl::LeafMaps& list : leaves) {
      auto outputs = analysis.instruction_outputs(asked.module.entry, asked.root, input++);
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

InstructionVerdict verdict_of(absl::string_view text,
                              Direction direction = Direction::kOutputToInput) {
  VerifySession session;
  const HloModule module = module_of(text);
  const int32_t root = module.computations[module.entry].root;
  for (const InstructionVerdict& verdict : verify_module(module, session, direction)) {
    if (verdict.computation == module.entry && verdict.instruction == root) return verdict;
  }
  return {};
}

// Arrays too large to enumerate.
constexpr const char* kLarge[] = {
    "r = f32[1024,4096] add(f32[1024,4096] a, f32[1024,4096] b)",
    "r = f32[4096,1024] transpose(f32[1024,4096] a), dimensions={1,0}",
    "r = f32[64,32,128] reshape(f32[2048,128] a)",
    "r = f32[48,1000] reshape(f32[1600,30] a)",
    "r = f32[64,100]{1,0:T(8,128)} bitcast(f32[64,100]{0,1:T(8,128)} a)",
    "r = f32[99,600] slice(f32[512,2048] a), slice={[5:500:5], [100:700]}",
    "r = f32[600,2198] pad(f32[512,512] a, f32[] v), padding=-7_95x3_150_3",
    "r = f32[100,3000] concatenate(f32[100,1000] a, f32[100,500] b, f32[100,1500] c), "
    "dimensions={1}",
    "r = f32[300,400] reverse(f32[300,400] a), dimensions={1}",
    "r = f32[128,512,256] dot(f32[128,512,64] a, f32[128,64,256] b), lhs_batch_dims={0}, "
    "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
    "r = f32[8,112,112,64] convolution(f32[8,224,224,3] a, f32[7,7,3,64] k), "
    "window={size=7x7 stride=2x2 pad=3_3x3_3}, dim_labels=b01f_01io->b01f",
    "r = f32[8,30,30,64] convolution(f32[8,15,15,64] a, f32[4,4,1,64] k), "
    "window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f, "
    "feature_group_count=64",
    "r = f32[64,100] dynamic-slice(f32[512,1000] a, s32[] i, s32[] j), "
    "dynamic_slice_sizes={64,100}",
    "r = f32[512,1000] dynamic-update-slice(f32[512,1000] a, f32[64,100] u, s32[] i, s32[] j)",
    "r = f32[500,16,300] gather(f32[1000,300] a, s32[500] i), offset_dims={1,2}, "
    "collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={16,300}",
};

TEST_P(IndexingProof, LargeOperationsAreProven) {
  for (const char* text : kLarge) {
    const InstructionVerdict verdict = verdict_of(text, GetParam());
    EXPECT_EQ(verdict.kind, Kind::kProven) << text << "\n  " << verdict.detail;
    EXPECT_GT(verdict.maps, 0) << text;
  }
}

TEST_P(IndexingProof, FusionsAreProven) {
  const InstructionVerdict softmax = verdict_of(R"(
    max { a = f32[] parameter(0)
          b = f32[] parameter(1)
          ROOT m = f32[] maximum(a, b) }
    fused { p = f32[256,1024] parameter(0)
            z = f32[] constant(0)
            m = f32[256] reduce(p, z), dimensions={1}, to_apply=max
            b = f32[256,1024] broadcast(m), dimensions={0}
            d = f32[256,1024] subtract(p, b)
            e = f32[256,1024] exponential(d)
            s = f32[256] reduce(e, z), dimensions={1}, to_apply=max
            t = f32[256,1024] broadcast(s), dimensions={0}
            q = f32[256,1024] divide(e, t)
            r = f32[64,4,1024] reshape(q)
            ROOT w = f32[1024,64,4] transpose(r), dimensions={2,0,1} }
    ENTRY main { x = f32[256,1024] parameter(0)
                 ROOT f = f32[1024,64,4] fusion(x), kind=kLoop, calls=fused })",
                                                GetParam());
  EXPECT_EQ(softmax.kind, Kind::kProven) << softmax.detail;
  const InstructionVerdict looked_up = verdict_of(R"(
    fused { table = f32[5000,64] parameter(0)
            rows = s32[30,40] parameter(1)
            flat = s32[1200] bitcast(rows)
            g = f32[1200,64] gather(table, flat), offset_dims={1}, collapsed_slice_dims={0},
              start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}
            r = f32[30,40,64] reshape(g)
            zero = s32[] constant(0)
            seven = s32[] constant(7)
            ROOT s = f32[10,40,64] dynamic-slice(r, seven, zero, zero),
              dynamic_slice_sizes={10,40,64} }
    ENTRY main { t = f32[5000,64] parameter(0)
                 i = s32[30,40] parameter(1)
                 ROOT f = f32[10,40,64] fusion(t, i), kind=kLoop, calls=fused })",
                                                  GetParam());
  EXPECT_EQ(looked_up.kind, Kind::kProven) << looked_up.detail;
}

// An element flows through contracted and batched dimensions of one size, of which some are the
// same and others are any: many choices.
TEST_P(IndexingProof, AttentionAtOffsetsIsProven) {
  const InstructionVerdict attention = verdict_of(R"(
    add { a = f32[] parameter(0)
          b = f32[] parameter(1)
          ROOT c = f32[] add(a, b) }
    attention { p = f32[50,50,128] parameter(0)
                o = s32[3] parameter(1)
                w = f32[128,4,32] parameter(2)
                wo = f32[4,32,128] parameter(3)
                o0 = s32[1] slice(o), slice={[0:1]}
                o1 = s32[1] slice(o), slice={[1:2]}
                o2 = s32[1] slice(o), slice={[2:3]}
                a0 = s32[] reshape(o0)
                a1 = s32[] reshape(o1)
                a2 = s32[] reshape(o2)
                z = s32[] constant(0)
                zero = f32[] constant(0)
                x = f32[4,50,128] dynamic-slice(p, a1, z, z), dynamic_slice_sizes={4,50,128}
                y = f32[4,50,128] dynamic-slice(p, a2, z, z), dynamic_slice_sizes={4,50,128}
                q = f32[4,50,4,32] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
                k = f32[4,50,4,32] dot(y, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
                l = f32[4,4,50,50] dot(q, k), lhs_batch_dims={0,2}, rhs_batch_dims={0,2},
                    lhs_contracting_dims={3}, rhs_contracting_dims={3}
                s = f32[4,4,50] reduce(l, zero), dimensions={3}, to_apply=add
                b = f32[4,4,50,50] broadcast(s), dimensions={0,1,2}
                n = f32[4,4,50,50] divide(l, b)
                u = f32[4,4,50,32] dot(n, k), lhs_batch_dims={0,1}, rhs_batch_dims={0,2},
                    lhs_contracting_dims={3}, rhs_contracting_dims={1}
                r = f32[4,50,128] dot(u, wo), lhs_contracting_dims={1,3},
                    rhs_contracting_dims={0,1}
                ROOT t = f32[50,50,128] dynamic-update-slice(p, r, a0, z, z) }
    ENTRY main { p = f32[50,50,128] parameter(0)
                 o = s32[3] parameter(1)
                 w = f32[128,4,32] parameter(2)
                 wo = f32[4,32,128] parameter(3)
                 ROOT f = f32[50,50,128] fusion(p, o, w, wo), kind=kLoop, calls=attention })",
                                                  GetParam());
  EXPECT_EQ(attention.kind, Kind::kProven) << attention.detail;
}

TEST_P(IndexingProof, ValuesOfIotasAndConstantsAreProven) {
  const InstructionVerdict windows = verdict_of(R"(
    gathers { table = f32[600,300] parameter(0)
              counted = s32[800] iota(), iota_dimension=0
              few = s32[2,2] constant({ {-3, 500}, {7, 599} })
              flat = s32[4] reshape(few)
              rows = s32[804] concatenate(flat, counted), dimensions={0}
              ROOT g = f32[804,2,300] gather(table, rows), offset_dims={1,2},
                  collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1,
                  slice_sizes={2,300} }
    ENTRY main { p = f32[600,300] parameter(0)
                 ROOT f = f32[804,2,300] fusion(p), kind=kLoop, calls=gathers })",
                                                GetParam());
  EXPECT_EQ(windows.kind, Kind::kProven) << windows.detail;
  EXPECT_EQ(windows.maps, 6);
}

TEST_P(IndexingProof, OtherVerdictsSayWhy) {
  const InstructionVerdict opaque =
      verdict_of("r = f32[90,90] custom-call(f32[80] a), custom_call_target=\"magic\"", GetParam());
  EXPECT_EQ(opaque.kind, Kind::kConservative);
  EXPECT_THAT(opaque.detail, HasSubstr("magic"));
  EXPECT_EQ(verdict_of("r = f32[90,90] iota(), iota_dimension=0", GetParam()).kind, Kind::kNoFlow);
  const InstructionVerdict refused = verdict_of(
      "r = f32[90,91] transpose(f32[90,91] a), "
      "dimensions={1,0}",
      GetParam());
  EXPECT_EQ(refused.kind, Kind::kRefused);
  EXPECT_THAT(refused.detail, HasSubstr("r: expected"));
  EXPECT_EQ(verdict_of("r = (f32[2], f32[3]) tuple(f32[2] a, f32[2] b)", GetParam()).kind,
            Kind::kRefused);
}

TEST_P(IndexingProof, EqualQuestionsAreProvenOnce) {
  const HloModule module = module_of(
      "m { a = f32[300,400] parameter(0)\n"
      "    b = f32[400,300] transpose(a), dimensions={1,0}\n"
      "    ROOT c = f32[400,300] transpose(a), dimensions={1,0}, metadata={op_name=\"other\"} }");
  VerifySession session;
  const auto verdicts = verify_module(module, session, GetParam());
  ASSERT_EQ(verdicts.size(), 3);
  EXPECT_EQ(to_text(module, verdicts[1]), "b: proven");
  EXPECT_EQ(to_text(module, verdicts[2]), "c: proven");
  EXPECT_EQ(session.rearranged + session.solver, 2);  // two directions of one question
}

// ---- What is wrong is found ----

NodeId plus(IndexingMap& map, NodeId node, int64_t more) {
  return add_operation(map.nodes, Op::kAdd, node, add_constant(map.nodes, more));
}

struct Mistake {
  const char* name;
  std::function<bool(impl::Indexing&)> make;  // false: does not apply
};

// The first map of the first operand that has one.
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
      {"the first element of a range left out", on_map([](IndexingMap& map) {
         if (map.ranges.empty()) return false;
         ++map.ranges[0].bounds.low;
         return true;
       })},
      {"one range element too many", on_map([](IndexingMap& map) {
         if (map.ranges.empty()) return false;
         ++map.ranges[0].bounds.high;
         return true;
       })},
      {"the last result element left out", on_map([](IndexingMap& map) {
         // Where there are constraints they may exclude it anyway.
         if (!map.constraints.empty()) return false;
         --map.dimensions[0].bounds.high;
         return true;
       })},
      {"a constraint dropped", on_map([](IndexingMap& map) {
         if (map.constraints.empty()) return false;
         map.constraints.pop_back();
         return true;
       })},
      {"a constraint too narrow", on_map([](IndexingMap& map) {
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
      {"a map forgotten",
       [](impl::Indexing& maps) {
         first_list(maps)->maps.pop_back();
         return true;
       }},
  };
}

TEST_P(IndexingProof, MistakesAreRefutedWithAPair) {
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
                                          HasSubstr("in a map, but flows not")));
      }
    }
  }
  for (const Mistake& mistake : mistakes()) EXPECT_GT(found[mistake.name], 0) << mistake.name;
}

TEST_P(IndexingProof, ThePairIsTheOneThatIsWrong) {
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

TEST_P(IndexingProof, OffsetsOfAnotherDimensionAreRefutedWithTheirValues) {
  Asked asked = asked_of(kLarge[12], GetParam());
  auto& runtime = asked.maps[0][0].maps[0].runtime;
  std::swap(runtime[0].place, runtime[1].place);
  VerifySession session;
  const InstructionVerdict verdict = verdict_of(asked, session);
  EXPECT_EQ(verdict.kind, Kind::kRefuted) << verdict.detail;
  EXPECT_THAT(verdict.detail,
              AnyOf(HasSubstr("where i element () is"), HasSubstr("where j element () is")));
}

TEST_P(IndexingProof, ASupersetThatSaysSoIsProvenToBeOne) {
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

// ---- Proof and enumeration, on random small modules, right and wrong ----

struct Tally {
  int64_t asked = 0;
  std::map<std::string, int64_t> proof;
};

std::string text_of(const Tally& tally) {
  std::string text = absl::StrCat(tally.asked, " asked:");
  for (const auto& [kind, count] : tally.proof) absl::StrAppend(&text, " ", kind, " ", count);
  return text;
}

// Every instruction of the module, by proof alone; those left undecided are for the caller to
// count.
void expect_proven(const GeneratedHlo& hlo, Direction direction, Tally& tally) {
  const HloModule module = module_of(hlo.text);
  VerifySession session;
  session.options.enumerated = 0;
  for (const InstructionVerdict& verdict : verify_module(module, session, direction)) {
    ++tally.asked;
    ++tally.proof[std::string(to_text(verdict.kind))];
    EXPECT_THAT(verdict.kind,
                AnyOf(Kind::kProven, Kind::kConservative, Kind::kNoFlow, Kind::kUndecided))
        << hlo.text << "\n"
        << to_text(module, verdict);
  }
}

TEST_P(IndexingProof, RandomOperationsAreProven) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    Choose choose(Choose::Random{seed});
    expect_proven(generate_operation(choose), GetParam(), tally);
  }
  std::cout << text_of(tally) << "\n";
  EXPECT_GT(tally.proof["proven"], 450);
  EXPECT_EQ(tally.proof["undecided"], 0);
}

TEST_P(IndexingProof, RandomComputationsAreProven) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Choose choose(Choose::Random{seed});
    expect_proven(generate_computation(choose), GetParam(), tally);
  }
  std::cout << text_of(tally) << "\n";
  EXPECT_GT(tally.proof["proven"], 1000);
  EXPECT_LE(tally.proof["undecided"] * 1000, tally.asked);
}

// One of the maps is changed at random, and may still be right: both say so, or neither.
TEST_P(IndexingProof, AboutWrongMapsProofAndEnumerationAgree) {
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

// Where values are read, enumeration has none; so here the elements get values, and every point is
// walked. Nothing that differs there may be called proven.
struct Reached {
  const Asked& asked;
  Region region;
  uint64_t seed;

  int64_t value(const Read<int64_t>& read) const {
    const Origin<int64_t> origin = region.origin_of(read);
    std::string text = absl::StrCat(seed, " ", origin.place.instruction, "#", origin.place.leaf);
    for (const int64_t i : origin.index) absl::StrAppend(&text, ",", i);
    const auto any = static_cast<int64_t>(std::hash<std::string>()(text) % 9) - 2;
    return std::clamp(origin.known.value_or(any), read.low, std::max(read.low, read.high));
  }

  std::set<std::vector<int64_t>> of(const Branch& branch, const std::vector<int64_t>& o) const {
    std::set<std::vector<int64_t>> found;
    std::vector<int64_t> s;
    for (const Interval& range : branch.ranges()) {
      if (range.low > range.high) return found;
      s.push_back(range.low);
    }
    const auto next = [&] {
      for (size_t k = s.size(); k-- > 0;) {
        if (++s[k] <= branch.ranges()[k].high) return true;
        s[k] = branch.ranges()[k].low;
      }
      return false;
    };
    do {
      auto walked = branch.walk(o, s, [&](const Read<int64_t>& read) { return value(read); });
      if (walked.flows) found.insert(std::move(walked.index));
    } while (next());
    return found;
  }

  // Of the first operand's array, over all elements of the result.
  bool differs() const {
    const HloModule& module = asked.module;
    const auto definition = Definitions(module).of(module.entry, asked.root, 0);
    const HloInstruction& root = module.computations[module.entry].instructions[asked.root];
    spec::Dims dims = (*spec::leaves_of(*root.shape))[0].dims;
    const HloOperand& operand = root.operands[0];
    const HloInstruction& first =
        module.computations[module.entry].instructions[operand.instruction];
    const spec::Dims input = (*spec::leaves_of(*first.shape))[0].dims;
    std::vector<int64_t> o(dims.size(), 0);
    const auto next = [&] {
      for (size_t d = o.size(); d-- > 0;) {
        if (++o[d] < dims[d]) return true;
        o[d] = 0;
      }
      return false;
    };
    if (std::ranges::count(dims, 0) > 0) return false;
    do {
      std::set<std::vector<int64_t>> ways, maps;
      for (const Way& way : definition->ways) {
        if (way.operand == 0 && way.leaf == 0) ways.merge(of(Branch(way), o));
      }
      for (const impl::IndexedMap& map : asked.maps[0][0].maps) {
        maps.merge(
            of(asked.direction == Direction::kOutputToInput ? Branch(map) : Branch(map, input), o));
      }
      if (ways != maps) return true;
    } while (next());
    return false;
  }
};

TEST_P(IndexingProof, AboutWrongMapsWithOffsetsNothingIsProvenThatDiffers) {
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
      const Region region(asked.module, asked.module.entry);
      if (!Reached{asked, region, values}.differs()) continue;
      ++differ;
      EXPECT_THAT(verdict.kind, AnyOf(Kind::kRefuted, Kind::kUndecided))
          << hlo.text << "\n"
          << to_text(changed) << "\n"
          << to_text(asked.module, verdict);
      break;
    }
  }
  std::cout << text_of(tally) << "; " << differ << " seen to differ\n";
  EXPECT_GT(differ, 50);
  EXPECT_GT(tally.proof["refuted"], differ / 2);
}

// ---- Real modules ----

TEST_P(IndexingProof, EveryMapOfTheCorpusIsProven) {
  VerifySession session;
  std::map<Kind, int64_t> kinds;
  int64_t modules = 0, instructions = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TILEPROOF_HLO_CORPUS)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    const HloModule module = module_of(text.str());
    ++modules;
    instructions += instruction_count(module);
    for (const InstructionVerdict& verdict : verify_module(module, session, GetParam())) {
      ++kinds[verdict.kind];
      EXPECT_THAT(verdict.kind, AnyOf(Kind::kProven, Kind::kConservative, Kind::kNoFlow))
          << entry.path() << ": " << to_text(module, verdict);
    }
  }
  int64_t counted = 0;
  std::cout << modules << " modules, " << instructions << " instructions:";
  for (const auto& [kind, count] : kinds) {
    counted += count;
    std::cout << " " << to_text(kind) << " " << count;
  }
  std::cout << "; " << session.enumerated << " enumerated, " << session.rearranged
            << " rearranged, " << session.solver << " by the solver, " << session.questions
            << " questions\n";
  EXPECT_EQ(counted, instructions);
  EXPECT_EQ(modules, 84);
  EXPECT_GT(kinds[Kind::kProven], 14'000);
}

}  // namespace
}  // namespace tileproof::verify
