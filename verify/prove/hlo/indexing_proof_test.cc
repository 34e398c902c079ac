// SPDX-License-Identifier: Apache-2.0
// Proves right maps.
#include "verify/prove/hlo/indexing_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "corpus/paths.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_corpus_testing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/prove/hlo/indexing_proof_key.h"
#include "verify/prove/hlo/indexing_proof_testing.h"

namespace tileproof::verify {
namespace {

using Kind = InstructionVerdict::Kind;
using ::testing::AnyOf;
using ::testing::HasSubstr;

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

TEST_P(IndexingProof, ProvesLargeOperations) {
  for (const char* text : kLarge) {
    const InstructionVerdict verdict = verdict_of(text, GetParam());
    EXPECT_EQ(verdict.kind, Kind::kProven) << text << "\n  " << verdict.detail;
    EXPECT_GT(verdict.maps, 0) << text;
  }
}

// A causal mask that is computed once, and passed to a function that selects: as jnp.where does.
TEST_P(IndexingProof, ProvesPredicatesThatCallsPass) {
  const InstructionVerdict mask = verdict_of(R"(
    where { q = pred[512,512] parameter(0)
            a = f32[512,512] parameter(1)
            b = f32[] parameter(2)
            c = f32[512,512] broadcast(b), dimensions={}
            ROOT s = f32[512,512] select(q, a, c) }
    tril { a = f32[512,512] parameter(0)
           b = f32[] parameter(1)
           i = s32[512,512] iota(), iota_dimension=0
           j = s32[512,512] iota(), iota_dimension=1
           p = pred[512,512] compare(i, j), direction=GE
           n = pred[512,512] not(p)
           t = f32[512,512] call(p, a, b), to_apply=where
           ROOT u = f32[512,512] call(n, t, b), to_apply=where }
    ENTRY main { x = f32[512,512] parameter(0)
                 v = f32[] parameter(1)
                 ROOT f = f32[512,512] fusion(x, v), kind=kLoop, calls=tril })",
                                             GetParam());
  EXPECT_EQ(mask.kind, Kind::kProven) << mask.detail;
  EXPECT_EQ(mask.maps, 1);  // x flows nowhere: u has v below the diagonal, and t has it above
}

// A layer reads its row of the weights; then a loop of any number of iterations adds it.
TEST_P(IndexingProof, ASupersetKeepsTheRowThatWasRead) {
  const InstructionVerdict layer = verdict_of(R"(
    body { s = (f32[64], f32[64]) parameter(0)
           x = f32[64] get-tuple-element(s), index=0
           w = f32[64] get-tuple-element(s), index=1
           y = f32[64] add(x, w)
           z = f32[64] reverse(y), dimensions={0}
           ROOT t = (f32[64], f32[64]) tuple(z, w) }
    condition { s = (f32[64], f32[64]) parameter(0)
                x = f32[64] get-tuple-element(s), index=0
                first = f32[1] slice(x), slice={[0:1]}
                a = f32[] reshape(first)
                zero = f32[] constant(0)
                ROOT c = pred[] compare(a, zero), direction=LT }
    layer { x = f32[64] parameter(0)
            weights = f32[48,64] parameter(1)
            i = s32[] parameter(2)
            zero = s32[] constant(0)
            row = f32[1,64] dynamic-slice(weights, i, zero), dynamic_slice_sizes={1,64}
            w = f32[64] reshape(row)
            t = (f32[64], f32[64]) tuple(x, w)
            l = (f32[64], f32[64]) while(t), condition=condition, body=body
            y = f32[64] get-tuple-element(l), index=0
            ROOT r = f32[64] multiply(y, w) }
    ENTRY main { x = f32[64] parameter(0)
                 weights = f32[48,64] parameter(1)
                 i = s32[] parameter(2)
                 ROOT c = f32[64] call(x, weights, i), to_apply=layer })",
                                              GetParam());
  EXPECT_EQ(layer.kind, Kind::kConservative) << layer.detail;
}

TEST_P(IndexingProof, ProvesFusions) {
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

// The maps of the update have no runtime variable if the clamps agree: its elements flow for every
// value of the offset.
TEST_P(IndexingProof, ProvesWhatIsReadWhereItWasWritten) {
  const std::vector<std::pair<std::string, std::string>> read = {
      {"f32[5,3]", "dynamic-slice(d, i, j), dynamic_slice_sizes={5,3}"},
      {"f32[2,3]", "dynamic-slice(d, i, j), dynamic_slice_sizes={2,3}"},
      {"f32[7,7]", "dynamic-slice(d, i, j), dynamic_slice_sizes={7,7}"},
      {"f32[5,3]", "dynamic-slice(e, i, j), dynamic_slice_sizes={5,3}"},
      {"f32[8,9]", "dynamic-update-slice(x, s, i, j)"},
      {"f32[4,2]", "dynamic-slice(s, i, j), dynamic_slice_sizes={4,2}"},
  };
  for (const auto& [shape, root] : read) {
    const InstructionVerdict verdict =
        verdict_of(absl::StrCat(R"(
      fused { x = f32[8,9] parameter(0)
              i = s32[] parameter(1)
              j = s32[] parameter(2)
              u = f32[5,3] parameter(3)
              v = f32[5,2] parameter(4)
              d = f32[8,9] dynamic-update-slice(x, u, i, j)
              e = f32[8,9] dynamic-update-slice(d, v, i, j)
              s = f32[5,3] dynamic-slice(d, i, j), dynamic_slice_sizes={5,3}
              ROOT r = )",
                                shape, " ", root, R"( }
      ENTRY main { x = f32[8,9] parameter(0)
                   i = s32[] parameter(1)
                   j = s32[] parameter(2)
                   u = f32[5,3] parameter(3)
                   v = f32[5,2] parameter(4)
                   ROOT f = )",
                                shape, " fusion(x, i, j, u, v), kind=kLoop, calls=fused }"),
                   GetParam());
    EXPECT_EQ(verdict.kind, Kind::kProven) << root << "\n" << verdict.detail;
  }
}

// Contracted and batched dimensions have one size; some are equal and others free, so there are
// many choices for the range variables.
TEST_P(IndexingProof, ProvesAttentionAtOffsets) {
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

TEST_P(IndexingProof, ProvesMapsThatUseValuesOfIotasAndConstants) {
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

TEST_P(IndexingProof, ProvesMapsOfIotasThatCountModuloTheSizeOfTheirType) {
  for (const char* type : {"u4", "s4", "u8", "s8", "s32"}) {
    std::string text = R"(
      fused { p = f32[300] parameter(0)
              i = TYPE[300] iota(), iota_dimension=0
              r = TYPE[300] reverse(i), dimensions={0}
              ROOT g = f32[300] gather(p, r), offset_dims={}, collapsed_slice_dims={0},
                start_index_map={0}, index_vector_dim=1, slice_sizes={1} }
      ENTRY main { p = f32[300] parameter(0)
                   ROOT f = f32[300] fusion(p), kind=kLoop, calls=fused })";
    text = absl::StrReplaceAll(text, {{"TYPE", type}});
    const InstructionVerdict verdict = verdict_of(text, GetParam());
    EXPECT_EQ(verdict.kind, Kind::kProven) << type << ": " << verdict.detail;
  }
}

TEST_P(IndexingProof, ProvesMapsThatFollowValuesThroughCalls) {
  const InstructionVerdict verdict = verdict_of(R"(
    inner { a = s32[] parameter(0)
            k = s32[] constant(3)
            ROOT t = (s32[], s32[], s32[]) tuple(k, a, a) }
    fused { p = f32[9,9,9] parameter(0)
            i = s32[] parameter(1)
            c = (s32[], s32[], s32[]) call(i), to_apply=inner
            x = s32[] get-tuple-element(c), index=0
            y = s32[] get-tuple-element(c), index=1
            z = s32[] get-tuple-element(c), index=2
            ROOT r = f32[2,2,2] dynamic-slice(p, x, y, z), dynamic_slice_sizes={2,2,2} }
    ENTRY main { p = f32[9,9,9] parameter(0)
                 i = s32[] parameter(1)
                 ROOT f = f32[2,2,2] fusion(p, i), kind=kLoop, calls=fused })",
                                                GetParam());
  EXPECT_EQ(verdict.kind, Kind::kProven) << verdict.detail;
}

TEST_P(IndexingProof, ProvesThatAnnotationsReturnTheirOperand) {
  for (const char* target :
       {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "xla.sdy.FuncResultSharding",
        "xla.sdy.GlobalToLocalShape", "xla.sdy.LocalToGlobalShape", "ShardBarrierFrom",
        "ShardBarrierTo", "annotate_device_placement", "MoveToHost", "MoveToDevice",
        "LayoutConstraint", "Pin", "Unpin"}) {
    const std::string attribute = absl::StrCat(", custom_call_target=\"", target, "\"");
    for (const char* call : {"f32[90,900]{0,1} custom-call(f32[90,900] a)",
                             "(f32[90,900], s32[]) custom-call((f32[90,900], s32[]) a)"}) {
      const auto verdict = verdict_of(absl::StrCat("r = ", call, attribute), GetParam());
      EXPECT_EQ(verdict.kind, Kind::kProven) << target << ": " << verdict.detail;
    }
    const auto divided = verdict_of(
        absl::StrCat("r = f32[30,900] custom-call(f32[90,900] a)", attribute), GetParam());
    EXPECT_EQ(divided.kind, Kind::kConservative) << target;
  }
}

TEST_P(IndexingProof, OtherVerdictsNameTheReason) {
  const InstructionVerdict opaque =
      verdict_of("r = f32[90,90] custom-call(f32[80] a), custom_call_target=\"magic\"", GetParam());
  EXPECT_EQ(opaque.kind, Kind::kConservative);
  EXPECT_THAT(opaque.detail, HasSubstr("magic"));
  EXPECT_EQ(verdict_of("r = f32[90,90] iota(), iota_dimension=0", GetParam()).kind,
            Kind::kNoDataflow);
  const InstructionVerdict refused = verdict_of(
      "r = f32[90,91] transpose(f32[90,91] a), "
      "dimensions={1,0}",
      GetParam());
  EXPECT_EQ(refused.kind, Kind::kRefused);
  EXPECT_THAT(refused.detail, HasSubstr("r: expected"));
  EXPECT_EQ(verdict_of("r = (f32[2], f32[3]) tuple(f32[2] a, f32[2] b)", GetParam()).kind,
            Kind::kRefused);
  const InstructionVerdict beyond = verdict_of(
      "r = f32[4] pad(f32[4] p, f32[] v), "
      "padding=-9223372036854775807_9223372036854775807",
      GetParam());
  EXPECT_EQ(beyond.kind, Kind::kUndecided);
  EXPECT_THAT(beyond.detail, HasSubstr("numbers to 2^56"));
}

TEST_P(IndexingProof, ProvesEqualQuestionsOnce) {
  const HloModule module = module_of(
      "m { a = f32[300,400] parameter(0)\n"
      "    b = f32[400,300] transpose(a), dimensions={1,0}\n"
      "    ROOT c = f32[400,300] transpose(a), dimensions={1,0}, metadata={op_name=\"other\"} }");
  VerifySession session;
  const auto verdicts = verify_module(module, session, GetParam());
  ASSERT_EQ(verdicts.size(), 3);
  EXPECT_EQ(to_text(module, verdicts[1]), "b: proven");
  EXPECT_EQ(to_text(module, verdicts[2]), "c: proven");
  EXPECT_EQ(session.known.size(), 2);  // of the parameter, and of both
}

// ---- Random small modules, by proof alone ----

// Proves every instruction of the module without enumeration. The caller counts the undecided ones.
void expect_proven(const GeneratedHlo& hlo, Direction direction, Tally& tally) {
  const HloModule module = module_of(hlo.text);
  VerifySession session;
  session.options.enumerated = 0;
  for (const InstructionVerdict& verdict : verify_module(module, session, direction)) {
    ++tally.asked;
    ++tally.proof[std::string(to_text(verdict.kind))];
    EXPECT_THAT(verdict.kind,
                AnyOf(Kind::kProven, Kind::kConservative, Kind::kNoDataflow, Kind::kUndecided))
        << hlo.text << "\n"
        << to_text(module, verdict);
  }
}

// The text of the root: what the cache of proofs knows of the instruction.
std::string key_of(absl::string_view text) {
  const HloModule module = module_of(text);
  const HloComputation& entry = module.computations[module.entry];
  return instruction_text(module, entry, entry.instructions[entry.root]);
}

TEST(InstructionText, HasEachPartThatAffectsDataflow) {
  const absl::string_view plain[] = {
      "r = f32[4,4] transpose(f32[4,4] x), dimensions={0,1}",
      "r = f32[4,4] reverse(f32[4,4] x), dimensions={0,1}",         // opcode
      "r = f32[4,4] transpose(f32[4,4] x), dimensions={1,0}",       // attribute
      "r = f32[4,4]{0,1} transpose(f32[4,4] x), dimensions={0,1}",  // layout
      "r = f32[4,4] transpose(f32[4,4]{0,1} x), dimensions={0,1}",  // of an operand
      "r = f32[4,5] transpose(f32[4,5] x), dimensions={0,1}",       // sizes
      "r = f32[2] slice(f32[8] x), slice={[0:2]}",                  //
      "r = f32[2] slice(f32[9] x), slice={[0:2]}",                  // sizes of an operand
      "r = s32[2] constant({0, 1})",                                //
      "r = s32[2] constant({1, 0})",                                // literal
  };
  const absl::string_view f =
      "f { a = f32[4] parameter(0)  b = f32[4] parameter(1)  s = f32[4] subtract(a, b)\n"
      "    n = f32[4] negate(a)  ROOT r = f32[4] add(s, n) }\n"
      "ENTRY e { x = f32[4] parameter(0)  y = f32[4] parameter(1)\n"
      "          ROOT c = f32[4] call(x, y), to_apply=f }";
  const absl::string_view loop =
      "b { t = (s32[], f32[9]) parameter(0)  i = s32[] get-tuple-element(t), index=0\n"
      "    x = f32[9] get-tuple-element(t), index=1  k = s32[] constant(1)\n"
      "    n = s32[] add(i, k)  y = f32[9] reverse(x), dimensions={0}\n"
      "    ROOT r = (s32[], f32[9]) tuple(n, y) }\n"
      "c { t = (s32[], f32[9]) parameter(0)  i = s32[] get-tuple-element(t), index=0\n"
      "    k = s32[] constant(9)  ROOT r = pred[] compare(i, k), direction=LT }\n"
      "ENTRY e { x = f32[9] parameter(0)  z = s32[] constant(0)  t = (s32[], f32[9]) tuple(z, x)\n"
      "          ROOT w = (s32[], f32[9]) while(t), condition=c, body=b }";
  std::vector<std::string> texts(std::begin(plain), std::end(plain));
  const auto changed = [&texts](absl::string_view text, absl::string_view from, const char* to) {
    texts.push_back(absl::StrReplaceAll(text, {{from, to}}));
    EXPECT_NE(texts.back(), text) << from;
  };
  texts.emplace_back(f);
  changed(f, "subtract(a, b)", "subtract(b, a)");  // operands inside
  changed(f, "ROOT r = f32[4] add(s, n)", "r = f32[4] add(s, n)  ROOT z = f32[4] copy(n)");  // root
  changed(f, "negate(a)  ROOT r", "reverse(a), dimensions={0}  ROOT r");
  changed(f, "a = f32[4] parameter(0)  b = f32[4] parameter(1)",
          "a = f32[4] parameter(1)  b = f32[4] parameter(0)");
  changed(f, "call(x, y)", "call(x, x)");  // one operand twice
  texts.emplace_back(loop);
  changed(loop, "z = s32[] constant(0)", "z = s32[] constant(1)");  // where the loop begins
  changed(loop, "constant(9)", "constant(8)");                      // and ends
  std::map<std::string, std::string> seen;
  for (const std::string& text : texts) {
    const auto [other, is_new] = seen.try_emplace(key_of(text), text);
    EXPECT_TRUE(is_new) << text << "\nhas the key of\n" << other->second;
  }
  EXPECT_EQ(key_of("r = f32[4] negate(f32[4] x)"),
            key_of("n = f32[4] negate(f32[4] y), metadata={op_name=\"n\"}"));
}

TEST_P(IndexingProof, ProvesRandomOperations) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    Choose choose(Choose::Random{seed});
    expect_proven(generate_operation(choose), GetParam(), tally);
  }
  std::cout << text_of(tally) << "\n";
  EXPECT_GT(tally.proof["proven"], 450);
  EXPECT_EQ(tally.proof["undecided"], 0);
}

TEST_P(IndexingProof, ProvesRandomComputations) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Choose choose(Choose::Random{seed});
    expect_proven(generate_computation(choose), GetParam(), tally);
  }
  std::cout << text_of(tally) << "\n";
  EXPECT_GT(tally.proof["proven"], 1000);
  EXPECT_LE(tally.proof["undecided"] * 1000, tally.asked);
}

// What was once analyzed wrongly. What is refused there has no maps to prove.
TEST_P(IndexingProof, ProvesOrRefusesEveryRegression) {
  const absl::StatusOr<std::vector<HloModule>> modules =
      parse_hlo_modules(content_of(project_path("corpus/hlo/regressions.hlo")));
  ASSERT_TRUE(modules.ok()) << modules.status();
  std::map<Kind, int64_t> kinds;
  for (const HloModule& module : *modules) {
    VerifySession session;
    for (const InstructionVerdict& verdict : verify_module(module, session, GetParam())) {
      ++kinds[verdict.kind];
      EXPECT_NE(verdict.kind, Kind::kRefuted) << to_text(module, verdict) << "\n"
                                              << to_text(module);
      EXPECT_NE(verdict.kind, Kind::kUndecided) << to_text(module, verdict) << "\n"
                                                << to_text(module);
    }
  }
  EXPECT_GT(kinds[Kind::kProven], 300);
}

// ---- Real modules ----

// By day one module in five, and another one for each direction.
TEST_P(IndexingProof, ProvesEveryMapOfTheCorpus) {
  VerifySession session;
  std::map<Kind, int64_t> kinds;
  int64_t number = GetParam() == Direction::kInputToOutput ? 2 : 0, modules = 0, instructions = 0;
  const std::vector<std::filesystem::path> files = hlo_files(hlo_corpus());
  EXPECT_EQ(files.size(), 133);
  for (const std::filesystem::path& path : files) {
    if (!is_tried(number++, 5)) continue;
    const HloModule module = module_of(content_of(path));
    ++modules;
    instructions += instruction_count(module);
    for (const InstructionVerdict& verdict : verify_module(module, session, GetParam())) {
      ++kinds[verdict.kind];
      EXPECT_THAT(verdict.kind, AnyOf(Kind::kProven, Kind::kConservative, Kind::kNoDataflow))
          << path << ": " << to_text(module, verdict);
    }
  }
  int64_t counted = 0;
  std::cout << modules << " modules, " << instructions << " instructions:";
  for (const auto& [kind, count] : kinds) {
    counted += count;
    std::cout << " " << to_text(kind) << " " << count;
  }
  std::cout << "; " << session.questions << " questions\n";
  EXPECT_EQ(counted, instructions);
  EXPECT_GT(modules, 25);
  EXPECT_GT(kinds[Kind::kProven], instructions / 2);
}

}  // namespace
}  // namespace tileproof::verify
