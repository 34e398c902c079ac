// SPDX-License-Identifier: Apache-2.0
// Collectives, tuples, calls, asynchronous operations, and operations without structure: what
// checked_op resolves and what it refuses. (The others are in checked_op_test.cc.)
#include <array>
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
using ::testing::Optional;

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
    "shorter { x = f32[4] parameter(0) ROOT s = f32[3] slice(x), slice={[0:3]} }\n"
    "longer { x = f32[3] parameter(0) z = f32[] constant(0) ROOT p = f32[4] pad(x, z), "
    "padding=0_1 }\n"
    "both { x = f32[4] parameter(0) y = f32[4] parameter(1) ROOT a = f32[4] add(x, y) }\n"
    "takes_unknown { x = parameter(0) ROOT c = f32[4] custom-call(x) }\n"
    "gives_unknown { x = f32[4] parameter(0) ROOT c = custom-call(x) }\n"
    "takes_any { x = f32[?] parameter(0) ROOT c = f32[4] custom-call(x) }\n"
    "gives_any { x = f32[4] parameter(0) ROOT c = f32[?] custom-call(x) }\n";

TEST(CheckedOp, LoopsHaveOneStateAndAPredicate) {
  const auto loop = [](absl::string_view result, absl::string_view operands,
                       absl::string_view attributes) {
    return root_of(absl::StrCat(kCalled,
                                "ENTRY e { x = f32[4] parameter(0) y = f32[3] parameter(1) "
                                "ROOT w = ",
                                result, " while(", operands, ")", attributes, " }"))
        .op;
  };
  const auto known = loop("f32[4]", "x", ", condition=test, body=keep");
  ASSERT_TRUE(known.ok()) << known.status();
  ASSERT_TRUE(std::holds_alternative<op::While>(known->operation));
  EXPECT_EQ(std::get<op::While>(known->operation).condition, 1);
  EXPECT_EQ(std::get<op::While>(known->operation).body, 0);
  for (const char* attributes :
       {", body=keep", ", condition=test", ", condition=elsewhere, body=keep",
        ", condition=test, body=elsewhere"}) {
    const auto op = loop("f32[4]", "x", attributes);
    ASSERT_TRUE(op.ok()) << op.status();
    const auto* opaque = std::get_if<op::Opaque>(&op->operation);
    ASSERT_NE(opaque, nullptr) << attributes;
    EXPECT_EQ(opaque->kind, op::Opaque::Kind::kNotInText);
    EXPECT_EQ(opaque->reason, "while of a computation that is not in the text");
  }
  for (const auto& [result, operands, attributes, error] : std::vector<std::array<const char*, 4>>{
           {"f32[4]", "x, x", ", condition=test, body=keep", "1 operand, found 2"},
           {"f32[4]", "y", ", condition=test, body=keep", "a result of dimensions [3], found [4]"},
           {"f32[3]", "y", ", condition=test, body=keep",
            "the parameter of test of dimensions [3], found [4]"},
           {"f32[4]", "x", ", condition=keep, body=keep",
            "the root of keep of dimensions [], found [4]"},
           {"f32[4]", "x", ", condition=both, body=keep", "1 parameter of both, found 2"},
           {"f32[4]", "x", ", condition=test, body=test",
            "the root of test of dimensions [4], found []"},
           {"f32[4]", "x", ", condition=test, body=both", "1 parameter of both, found 2"},
           {"f32[4]", "x", ", condition=test, body=shorter",
            "the root of shorter of dimensions [4], found [3]"},
           {"f32[4]", "x", ", condition=test, body=longer",
            "the parameter of longer of dimensions [4], found [3]"},
           {"f32[4]", "x", ", condition=test, body=takes_unknown",
            "a shape of the parameter of takes_unknown"},
           {"f32[4]", "x", ", condition=test, body=gives_unknown",
            "a shape of the root of gives_unknown"},
           {"f32[4]", "x", ", condition=test, body=takes_any",
            "takes_any: expected dimensions of known size, found ?"},
           {"f32[4]", "x", ", condition=test, body=gives_any",
            "gives_any: expected dimensions of known size, found ?"}}) {
    EXPECT_THAT(std::string(loop(result, operands, attributes).status().message()),
                testing::EndsWith(error))
        << result << operands << attributes;
  }
}

TEST(CheckedOp, WhatEndsALoopIsPred) {
  const auto op =
      root_of(
          "body { x = s32[] parameter(0) ROOT n = s32[] negate(x) }\n"
          "cond { ROOT x = s32[] parameter(0) }\n"
          "ENTRY e { x = s32[] parameter(0) ROOT w = s32[] while(x), condition=cond, body=body }")
          .op;
  EXPECT_EQ(op.status().message(), "w: expected pred[] as the root of cond, found s32[]");
}

TEST(CheckedOp, WhatChoosesABranchIsPredOfTwoOrS32) {
  const auto conditional = [](absl::string_view type, int branches) {
    std::string operands = "i", names;
    for (int k = 0; k < branches; ++k) {
      absl::StrAppend(&operands, ", x");
      absl::StrAppend(&names, k == 0 ? "" : ", ", "keep");
    }
    return root_of(
               absl::StrCat("keep { ROOT x = f32[4] parameter(0) }\nENTRY e { i = ", type,
                            "[] parameter(0) x = f32[4] parameter(1) ROOT c = f32[4] conditional(",
                            operands, "), branch_computations={", names, "} }"))
        .op;
  };
  for (const auto& [type, branches] :
       std::vector<std::pair<const char*, int>>{{"pred", 2}, {"s32", 1}, {"s32", 2}, {"s32", 3}}) {
    EXPECT_TRUE(conditional(type, branches).ok()) << type << ", " << branches;
  }
  EXPECT_EQ(conditional("pred", 3).status().message(), "c: expected s32 as operand 0, found pred");
  EXPECT_EQ(conditional("f32", 2).status().message(),
            "c: expected pred or s32 as operand 0, found f32");
  EXPECT_EQ(conditional("s64", 1).status().message(), "c: expected s32 as operand 0, found s64");
}

// Computations on scalars, by what they take and give.
TEST(CheckedOp, WhatCombinesElementsTakesAndGivesScalars) {
  constexpr absl::string_view kScalar =
      "one { ROOT a = f32[] parameter(0) }\n"
      "two { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }\n"
      "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), "
      "direction=LT }\n"
      "rows { a = f32[2] parameter(0) b = f32[] parameter(1) ROOT c = f32[] negate(b) }\n"
      "pair { a = f32[] parameter(0) b = f32[] parameter(1) ROOT t = (f32[], f32[]) tuple(a, b) }\n"
      "unknown { a = parameter(0) ROOT b = f32[] parameter(1) }\n";
  const auto error_of = [&](absl::string_view root) {
    return std::string(root_of(absl::StrCat(kScalar,
                                            "ENTRY e { x = f32[4] parameter(0) z = f32[] "
                                            "parameter(1) i = s32[1] parameter(2) ROOT r = ",
                                            root, " }"))
                           .op.status()
                           .message());
  };
  struct Case {
    const char* before;  // the name of the computation follows
    const char* fits;
    const char* takes_and_gives;
  };
  for (const Case& c : {
           Case{"f32[] reduce(x, z), dimensions={0}, to_apply=", "two", "2 scalars and to give 1"},
           Case{"f32[4] reduce-window(x, z), window={size=1}, to_apply=", "two",
                "2 scalars and to give 1"},
           Case{"f32[4] sort(x), dimensions={0}, to_apply=", "less", "2 scalars and to give 1"},
           Case{"f32[4] map(x), dimensions={0}, to_apply=", "one", "1 scalar and to give 1"},
           Case{"f32[4] scatter(x, i, z), update_window_dims={}, inserted_window_dims={0}, "
                "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=",
                "two", "2 scalars and to give 1"},
           Case{"f32[4] select-and-scatter(x, x, z), window={size=1}, scatter=two, select=", "less",
                "2 scalars and to give 1"},
           Case{"f32[4] select-and-scatter(x, x, z), window={size=1}, select=less, scatter=", "two",
                "2 scalars and to give 1"},
       }) {
    const auto with = [&](absl::string_view called) {
      return error_of(absl::StrCat(c.before, called));
    };
    EXPECT_EQ(with(c.fits), "") << c.before;
    EXPECT_EQ(with("elsewhere"), "") << c.before;
    EXPECT_EQ(with("rows"), absl::StrCat("r: expected rows to take ", c.takes_and_gives,
                                         ", found [2],[] and []"));
    EXPECT_EQ(with("pair"), absl::StrCat("r: expected pair to take ", c.takes_and_gives,
                                         ", found [],[] and [],[]"));
    EXPECT_EQ(with("unknown"), "r: expected shapes in unknown");
  }
  // XLA's verifier does not look at what a collective applies.
  EXPECT_EQ(error_of("f32[4] all-reduce(x), to_apply=rows"), "");
  EXPECT_EQ(error_of("f32[4] sort(x), dimensions={0}, to_apply=two"),
            "r: expected pred[] as the root of two, found f32[]");
  EXPECT_EQ(error_of("f32[4] select-and-scatter(x, x, z), window={size=1}, select=two"),
            "r: expected pred[] as the root of two, found f32[]");
  EXPECT_EQ(error_of("f32[] reduce(x, z), dimensions={0}, to_apply=one"),
            "r: expected one to take 2 scalars and to give 1, found [] and []");
  EXPECT_EQ(error_of("(f32[], f32[]) reduce(x, x, z, z), dimensions={0}, to_apply=two"),
            "r: expected two to take 4 scalars and to give 2, found [],[] and []");
}

TEST(CheckedOp, EachBranchTakesItsOperandAndGivesTheResult) {
  const auto conditional = [](absl::string_view operands, absl::string_view attributes) {
    return root_of(absl::StrCat(kCalled,
                                "pair { t = (f32[4], f32[4]) parameter(0) ROOT e = f32[4] "
                                "get-tuple-element(t), index=0 }\n"
                                "ENTRY e { p = pred[] parameter(0) x = f32[4] parameter(1) y = "
                                "f32[3] parameter(2) "
                                "t = (f32[4], f32[4]) parameter(3) q = pred[2] parameter(4) i = "
                                "s32[] parameter(5) "
                                "u = (pred[], pred[]) parameter(6) ROOT c = f32[4] conditional(",
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
              ElementsAre(0, 3));
  EXPECT_THAT(branches("i, x, y, x", ", branch_computations={keep, longer, keep}"),
              ElementsAre(0, 3, 0));
  EXPECT_THAT(branches("i, t", ", branch_computations={pair}"), ElementsAre(9));
  for (const char* attributes : {"", ", true_computation=elsewhere, false_computation=keep"}) {
    const auto op = conditional("p, x, x", attributes);
    ASSERT_TRUE(op.ok()) << op.status();
    const auto* opaque = std::get_if<op::Opaque>(&op->operation);
    ASSERT_NE(opaque, nullptr) << attributes;
    EXPECT_EQ(opaque->kind, op::Opaque::Kind::kNotInText);
  }
  constexpr const char* kTwice = ", true_computation=keep, false_computation=keep";
  for (const auto& [operands, attributes, error] : std::vector<std::array<const char*, 3>>{
           {"p, x", kTwice, "c: expected 3 operands, one and one for each branch, found 2"},
           {"p, x, x, x", kTwice, "c: expected 3 operands, one and one for each branch, found 4"},
           {"p, x, x", ", true_computation=keep",
            "c: expected 2 operands, one and one for each branch, found 3"},
           {"q, x, x", kTwice, "c: expected operand 0 of dimensions [], found [2]"},
           {"u, x, x", kTwice, "c: expected operand 0 to be an array, found a tuple"},
           {"p, y, x", kTwice, "c: expected the parameter of keep of dimensions [3], found [4]"},
           {"p, x, y", kTwice, "c: expected the parameter of keep of dimensions [3], found [4]"},
           {"p, x, x", ", true_computation=shorter, false_computation=keep",
            "c: expected the root of shorter of dimensions [4], found [3]"},
           {"p, x, x", ", true_computation=keep, false_computation=shorter",
            "c: expected the root of shorter of dimensions [4], found [3]"}}) {
    EXPECT_EQ(conditional(operands, attributes).status().message(), error)
        << operands << attributes;
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
