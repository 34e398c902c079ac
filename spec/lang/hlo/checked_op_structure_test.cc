// SPDX-License-Identifier: Apache-2.0
// Collectives, tuples, calls, asynchronous operations, and operations without structure: what
// checked_op resolves and what it refuses. (The others are in checked_op_test.cc.)
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/checked_op_testing.h"

namespace tileproof {
namespace {

using ::testing::ElementsAre;

std::vector<std::pair<int32_t, int32_t>> sources(const op::Forward& forward) {
  std::vector<std::pair<int32_t, int32_t>> list;
  for (const auto& from : forward.from) {
    list.emplace_back(from ? from->operand : -1, from ? from->leaf : -1);
  }
  return list;
}

using Pairs = std::vector<std::pair<int32_t, int32_t>>;

TEST(CheckedOp, Collectives) {
  const auto g = valid<op::AllGather>("g = f32[8] all-gather(f32[2] x), dimensions={0}");
  ASSERT_EQ(g.parts.size(), 1);
  EXPECT_THAT(g.parts[0].operand, ElementsAre(2));
  EXPECT_THAT(g.parts[0].result, ElementsAre(8));
  EXPECT_EQ(
      valid<op::ReduceScatter>("r = f32[2] reduce-scatter(f32[8] x), dimensions={0}").parts.size(),
      1);
  EXPECT_EQ(
      valid<op::AllReduce>("r = (f32[2], f32[3]) all-reduce(f32[2] x, f32[3] y)").parts[1].from,
      (OperandLeaf{1, 0}));
  EXPECT_EQ(valid<op::AllReduce>("r = (f32[2], f32[2]) all-reduce-start(f32[2] x)").parts[1].from,
            (OperandLeaf{0, 0}));
  EXPECT_EQ(valid<op::CollectivePermute>("p = f32[8] collective-permute(f32[8] x)").parts.size(),
            1);
  const auto a = valid<op::ArrayAllToAll>(
      "a = f32[8] all-to-all(f32[8] x), dimensions={0}, replica_groups={{0,1},{2,3}}");
  EXPECT_EQ(a.chunks, 2);
  EXPECT_EQ(valid<op::ArrayAllToAll>("a = f32[8] all-to-all(f32[8] x), dimensions={0}, "
                                     "replica_groups=mesh['x'=4,'y'=2], device_ids=([8]) {'x'}, "
                                     "channel_id=1")
                .chunks,
            4);
  EXPECT_EQ(valid<op::AllReduce>("r = f32[2] collective-reduce(f32[2] x), replica_groups={{0,1}}")
                .parts.size(),
            1);
  EXPECT_EQ(valid<op::Opaque>("b = f32[2] collective-broadcast(f32[2] x, s32[] root), "
                              "replica_groups={{0,1}}, has_dynamic_root=true")
                .reason,
            "collective-broadcast with a root that an operand chooses");
  EXPECT_EQ(valid<op::TupleAllToAll>("a = (f32[8], f32[8]) all-to-all(f32[8] x, f32[8] y)")
                .operands.size(),
            2);
}

TEST(CheckedOp, Tuples) {
  EXPECT_EQ(sources(valid<op::Forward>("t = (f32[2], s32[]) tuple(f32[2] x, s32[] i)")),
            (Pairs{{0, 0}, {1, 0}}));
  EXPECT_EQ(sources(valid<op::Forward>("e = s32[] get-tuple-element(((f32[2], f32[3]), s32[]) t), "
                                       "index=1")),
            (Pairs{{0, 2}}));
  EXPECT_EQ(sources(valid<op::Forward>("c = (f32[2], s32[]) copy((f32[2], s32[]) t)")),
            (Pairs{{0, 0}, {0, 1}}));
  EXPECT_EQ(sources(valid<op::Forward>("d = f32[2] add-dependency(f32[2] x, token[] t)")),
            (Pairs{{0, 0}}));
  EXPECT_EQ(sources(valid<op::Forward>("s = (f32[2], f32[2], u32[]) copy-start(f32[2] x)")),
            (Pairs{{0, 0}, {0, 0}, {-1, -1}}));
  EXPECT_EQ(sources(valid<op::Forward>("d = f32[2] copy-done((f32[2], f32[2], u32[]) s)")),
            (Pairs{{0, 0}}));
  EXPECT_EQ(sources(valid<op::Forward>("s = (f32[2], f32[2]) copy-start(f32[2] x)")),
            (Pairs{{0, 0}, {0, 0}}));
  EXPECT_EQ(sources(valid<op::Forward>("d = f32[2] copy-done((f32[2], f32[2]) s)")),
            (Pairs{{0, 0}}));
  EXPECT_EQ(sources(valid<op::Forward>("d = f32[2] copy-done((f32[2], (f32[2], f32[2])) s)")),
            (Pairs{{0, 0}}));
  EXPECT_EQ(sources(valid<op::Forward>("d = f32[8] all-gather-done((f32[2], f32[8]) s)")),
            (Pairs{{0, 1}}));
  EXPECT_EQ(sources(valid<op::Forward>("d = f32[2] all-reduce-done((f32[2], f32[2]) s)")),
            (Pairs{{0, 1}}));
  EXPECT_EQ(sources(valid<op::Forward>("d = f32[2] negate-done(((f32[2]), f32[2], u32[]) s)")),
            (Pairs{{0, 1}}));
}

constexpr absl::string_view kBody = "body { x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }\n";

TEST(CheckedOp, Calls) {
  EXPECT_EQ(valid<op::Call>(absl::StrCat(kBody,
                                         "ENTRY e { x = f32[4] parameter(0) ROOT f = f32[4] "
                                         "fusion(x), kind=kLoop, calls=body }"))
                .computation,
            0);
  const auto opaque = valid<op::Opaque>("f = f32[4] fusion(f32[4] x), kind=kLoop, calls=elsewhere");
  EXPECT_EQ(opaque.kind, op::Opaque::Kind::kNotInText);
  EXPECT_EQ(opaque.reason, "fusion of a computation that is not in the text");
}

// Computations for loops and branches, by what they take and give.
constexpr absl::string_view kCalled =
    "keep { x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }\n"
    "test { x = f32[4] parameter(0) ROOT c = pred[] constant(true) }\n"
    "longer { x = f32[3] parameter(0) z = f32[] constant(0) ROOT p = f32[4] pad(x, z), "
    "padding=0_1 }\n";

TEST(CheckedOp, LoopsHaveOneStateAndAPredicate) {
  const auto loop = [](absl::string_view attributes) {
    return root_of(absl::StrCat(kCalled,
                                "ENTRY e { x = f32[4] parameter(0) ROOT w = f32[4] while(x)",
                                attributes, " }"))
        .op;
  };
  const auto known = loop(", condition=test, body=keep");
  ASSERT_TRUE(known.ok()) << known.status();
  ASSERT_TRUE(std::holds_alternative<op::While>(known->operation));
  EXPECT_EQ(std::get<op::While>(known->operation).condition, 1);
  EXPECT_EQ(std::get<op::While>(known->operation).body, 0);
  for (const char* attributes :
       {", body=keep", ", condition=test", ", condition=elsewhere, body=keep",
        ", condition=test, body=elsewhere"}) {
    const auto op = loop(attributes);
    ASSERT_TRUE(op.ok()) << op.status();
    const auto* opaque = std::get_if<op::Opaque>(&op->operation);
    ASSERT_NE(opaque, nullptr) << attributes;
    EXPECT_EQ(opaque->kind, op::Opaque::Kind::kNotInText);
    EXPECT_EQ(opaque->reason, "while of a computation that is not in the text");
  }
}

TEST(CheckedOp, EachBranchTakesItsOperandAndGivesTheResult) {
  const auto conditional = [](absl::string_view operands, absl::string_view attributes) {
    return root_of(absl::StrCat(kCalled,
                                "pair { t = (f32[4], f32[4]) parameter(0) ROOT e = f32[4] "
                                "get-tuple-element(t), index=0 }\n"
                                "ENTRY e { p = pred[] parameter(0) x = f32[4] parameter(1) y = "
                                "f32[3] parameter(2) t = (f32[4], f32[4]) parameter(3) i = s32[] "
                                "parameter(4) ROOT c = f32[4] conditional(",
                                operands, ")", attributes, " }"))
        .op;
  };
  const auto branches = [&](absl::string_view operands, absl::string_view attributes) {
    const auto op = conditional(operands, attributes);
    EXPECT_TRUE(op.ok()) << op.status();
    const auto* known = op.ok() ? std::get_if<op::Conditional>(&op->operation) : nullptr;
    return known == nullptr ? std::vector<int32_t>{} : known->branches;
  };
  EXPECT_THAT(branches("p, x, y", ", true_computation=keep, false_computation=longer"),
              ElementsAre(0, 2));
  EXPECT_THAT(branches("i, x, y, x", ", branch_computations={keep, longer, keep}"),
              ElementsAre(0, 2, 0));
  EXPECT_THAT(branches("i, t", ", branch_computations={pair}"), ElementsAre(3));
  for (const char* attributes : {"", ", true_computation=elsewhere, false_computation=keep"}) {
    const auto op = conditional("p, x, x", attributes);
    ASSERT_TRUE(op.ok()) << op.status();
    const auto* opaque = std::get_if<op::Opaque>(&op->operation);
    ASSERT_NE(opaque, nullptr) << attributes;
    EXPECT_EQ(opaque->kind, op::Opaque::Kind::kNotInText);
  }
}

TEST(CheckedOp, Starts) {
  const auto named = valid<op::Start>(absl::StrCat(
      kBody,
      "ENTRY e { x = f32[4] parameter(0) ROOT s = ((f32[4]), f32[4], u32[]) async-start(x), "
      "calls=body }"));
  EXPECT_THAT(named.operands, ElementsAre(OperandLeaf{0, 0}));
  ASSERT_NE(named.operation, nullptr);
  EXPECT_EQ(named.operation->result.size(), 1);
  EXPECT_EQ(std::get<op::Call>(named.operation->operation).computation, 0);
  const auto wrapped = valid<op::Start>("s = ((f32[4]), f32[4], u32[]) negate-start(f32[4] x)");
  EXPECT_EQ(wrapped.operation->opcode, HloOpcode::kNegate);
  EXPECT_TRUE(std::holds_alternative<op::Elementwise>(wrapped.operation->operation));
  const auto gather =
      valid<op::Start>("s = (f32[2], f32[8]) all-gather-start(f32[2] x), dimensions={0}");
  EXPECT_TRUE(std::holds_alternative<op::AllGather>(gather.operation->operation));
  EXPECT_EQ(gather.operation->opcode, HloOpcode::kAllGather);
  const auto opaque = valid<op::Start>("s = ((f32[8,8]), f32[8,8]) cholesky-start(f32[8,8] x)");
  EXPECT_EQ(std::get<op::Opaque>(opaque.operation->operation).reason,
            "cholesky: an operation on whole arrays");
  const auto joined = valid<op::Start>(
      "s = ((f32[2], f32[3]), f32[5]) concatenate-start(f32[2] x, f32[3] y), dimensions={0}");
  EXPECT_THAT(std::get<op::Concatenate>(joined.operation->operation).result, ElementsAre(5));
  const auto empty = valid<op::Start>("s = ((f32[4]), (), u32[]) async-start(f32[4] x), calls=f");
  ASSERT_NE(empty.operation, nullptr);
}

TEST(CheckedOp, OperationsWithoutStructure) {
  valid<op::Source>("c = s32[2] constant({1, 2})");
  valid<op::Source>("i = s32[4] iota(), iota_dimension=0");
  valid<op::Token>("t = token[] after-all()");
  valid<op::GetDimensionSize>("n = s32[] get-dimension-size(f32[<=8] x), dimensions={0}");
  valid<op::Rng>("r = f32[8] rng(f32[] a, f32[] b), distribution=rng_uniform");
  valid<op::Source>("p = u32[] partition-id()");
  valid<op::Source>("s = u64[2] rng-get-and-update-state(), delta=1");
  valid<op::Source>("i = (f32[2], token[]) infeed(token[] t)");
  valid<op::Token>("o = token[] outfeed(f32[2] x, token[] t)");
  const auto call = [](const char* text) { return valid<op::CustomCall>(text); };
  EXPECT_EQ(call("c = f32[8] custom-call(f32[8] x), custom_call_target=\"f\"").target, "f");
  EXPECT_EQ(call("c = f32[8] custom-call(f32[8] x)").target, "");
  EXPECT_TRUE(call("c = f32[8] custom-call(f32[8] x)").is_like_operand);
  EXPECT_FALSE(call("c = f32[4] custom-call(f32[8] x)").is_like_operand);
  EXPECT_FALSE(call("c = s32[8] custom-call(f32[8] x)").is_like_operand);
  EXPECT_FALSE(call("c = (f32[8]) custom-call(f32[8] x, f32[8] y)").is_like_operand);
  EXPECT_EQ(valid<op::Opaque>("c = f32[8] frobnicate(f32[8] x)").reason,
            "frobnicate: an unknown operation");
  EXPECT_EQ(valid<op::Opaque>("t = f32[8] transpse(f32[8] x)").reason,
            "transpse: an unknown operation; did you mean 'transpose'?");
  EXPECT_EQ(valid<op::Opaque>("c = f32[8,8] cholesky(f32[8,8] x)").reason,
            "cholesky: an operation on whole arrays");
  EXPECT_EQ(valid<op::Opaque>("a = f32[8] all-to-all(f32[8] x), dimensions={0}").kind,
            op::Opaque::Kind::kReplicasUnknown);
  EXPECT_EQ(valid<op::Opaque>("p = f32[8] collective-permute(f32[8] x), slice_sizes={{1}}").kind,
            op::Opaque::Kind::kSlicesInPlace);
}

}  // namespace
}  // namespace tileproof
