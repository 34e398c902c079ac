// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/module_equal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "impl/hlo/indexing_testing.h"

namespace tileproof::verify {
namespace {

using impl::module_of;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// "equal", "different: ..", .. of each result, or the error.
std::string compared(absl::string_view left, absl::string_view right) {
  VerifySession session;
  const auto results = same_accesses(module_of(left), module_of(right), session);
  if (!results.ok()) return absl::StrCat("error: ", results.status().message());
  std::string text;
  for (const ResultEquality& result : *results) {
    if (!text.empty()) text += "; ";
    text += result.verdict == Verdict::kProven    ? "equal"
            : result.verdict == Verdict::kRefuted ? absl::StrCat("different: ", result.detail)
                                                  : absl::StrCat("undecided: ", result.detail);
  }
  return text;
}

constexpr char kTwice[] = R"(ENTRY e {
  x = f32[200,300] parameter(0)
  t = f32[300,200] transpose(x), dimensions={1,0}
  ROOT r = f32[200,300] transpose(t), dimensions={1,0}
})";
constexpr char kOnce[] = R"(ENTRY e {
  x = f32[200,300] parameter(0)
  ROOT r = f32[200,300] negate(x)
})";
constexpr char kReversed[] = R"(ENTRY e {
  x = f32[200,300] parameter(0)
  ROOT r = f32[200,300] reverse(x), dimensions={1}
})";

TEST(SameAccesses, TheWayAndTheNamesDoNotMatter) {
  EXPECT_EQ(compared(kTwice, kOnce), "equal");
  EXPECT_EQ(compared(kOnce, kTwice), "equal");
  EXPECT_THAT(compared(kTwice, kReversed),
              MatchesRegex("different: result.0,(.*). reads x.0,.*. in LEFT, not in RIGHT; "
                           "RIGHT reads x.0,.*."));
  EXPECT_THAT(compared(kReversed, kOnce), StartsWith("different: result["));
}

TEST(SameAccesses, EachResultHasAVerdict) {
  const char* swapped = R"(ENTRY e {
    x = f32[4] parameter(0)
    y = f32[4] parameter(1)
    s = f32[4] add(x, y)
    ROOT r = (f32[4], f32[4]) tuple(s, y)
  })";
  const char* other = R"(ENTRY e {
    x = f32[4] parameter(0)
    y = f32[4] parameter(1)
    m = f32[4] multiply(y, x)
    ROOT r = (f32[4], f32[4]) tuple(m, x)
  })";
  const std::string text = compared(swapped, other);
  EXPECT_EQ(text,
            "equal; different: result[0] reads x[0] in RIGHT, not in LEFT; LEFT reads no element "
            "of x");
}

TEST(SameAccesses, ADifferenceNamesTheElementsOfBothSides) {
  const auto sum_of = [](absl::string_view name, absl::string_view value) {
    return absl::StrCat("add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n",
                        " ROOT s = f32[] add(a, b)\n}\nENTRY e {\n ", name,
                        " = f32[2,9] parameter(0)\n z = f32[] parameter(1)\n v = f32[2,5] slice(",
                        name, "), slice={", value, "}\n",
                        " ROOT r = f32[2] reduce(v, z), dimensions={1}, to_apply=add\n}");
  };
  EXPECT_EQ(compared(sum_of("x", "[0:2], [0:5]"), sum_of("y", "[0:2], [0:9:2]")),
            "different: result[0] reads x[0,1] in LEFT, not in RIGHT; RIGHT reads y[0,0], y[0,2], "
            "y[0,4] and 2 others");
}

// Two loops with one start and one body; each has a number of iterations of its own.
TEST(SameAccesses, LoopsAreToldApartByTheirConditions) {
  const auto loops = [](int first, int second) {
    const auto condition = [](int trips) {
      return absl::StrCat("until_", trips,
                          " { s = (s32[], f32[6], f32[6]) parameter(0)\n"
                          "  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(",
                          trips, ")\n  ROOT c = pred[] compare(i, n), direction=LT }\n");
    };
    return absl::StrCat(R"(body { s = (s32[], f32[6], f32[6]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      x = f32[6] get-tuple-element(s), index=1
      y = f32[6] get-tuple-element(s), index=2
      row = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
      z = f32[6] dynamic-update-slice(y, row, i)
      one = s32[] constant(1)
      k = s32[] add(i, one)
      ROOT r = (s32[], f32[6], f32[6]) tuple(k, x, z) }
    )",
                        condition(first), first == second ? "" : condition(second), R"(ENTRY e {
      x = f32[6] parameter(0)
      y = f32[6] parameter(1)
      i = s32[] constant(0)
      t = (s32[], f32[6], f32[6]) tuple(i, x, y)
      v = (s32[], f32[6], f32[6]) while(t), body=body, condition=until_)",
                        first, R"(
      w = (s32[], f32[6], f32[6]) while(t), body=body, condition=until_)",
                        second, R"(
      a = f32[6] get-tuple-element(v), index=2
      b = f32[6] get-tuple-element(w), index=2
      ROOT r = (f32[6], f32[6]) tuple(a, b) })");
  };
  EXPECT_EQ(compared(loops(2, 4), loops(2, 4)), "equal; equal");
  EXPECT_THAT(compared(loops(2, 4), loops(2, 2)),
              StartsWith("equal; different: result[2] reads x[2] in LEFT, not in RIGHT"));
  EXPECT_THAT(compared(loops(2, 2), loops(2, 4)),
              StartsWith("equal; different: result[2] reads x[2] in RIGHT, not in LEFT"));
}

TEST(SameAccesses, OffsetsAreValuesOfParameters) {
  const auto slice = [](absl::string_view i, absl::string_view j) {
    return absl::StrCat(
        "ENTRY e {\n x = f32[900,900] parameter(0)\n i = s32[] parameter(1)\n"
        " j = s32[] parameter(2)\n ROOT r = f32[90,90] dynamic-slice(x, ",
        i, ", ", j, "), dynamic_slice_sizes={90,90}\n}");
  };
  EXPECT_EQ(compared(slice("i", "j"), slice("i", "j")), "equal");
  EXPECT_THAT(compared(slice("i", "j"), slice("j", "i")), StartsWith("different: "));
}

// The offset is computed inside of the module.
std::string slice_at(absl::string_view offset) {
  return absl::StrCat(
      "ENTRY e {\n x = f32[900] parameter(0)\n p = s32[] parameter(1)\n q = s32[] parameter(2)\n",
      offset, " ROOT r = f32[90] dynamic-slice(x, i), dynamic_slice_sizes={90}\n}");
}

TEST(SameAccesses, OffsetsThatAreComputedAlikeAreEqual) {
  const std::string plain = slice_at("i = s32[] add(p, q)\n");
  EXPECT_EQ(compared(plain, plain), "equal");
  EXPECT_EQ(compared(plain, slice_at("a = s32[] add(p, q)\n b = s32[1] reshape(a)\n"
                                     " c = s32[1] copy(b)\n i = s32[] bitcast(c)\n")),
            "equal");
  const std::string fused = absl::StrCat(
      "f {\n a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT c = s32[] add(b, a)\n}\n",
      slice_at("i = s32[] fusion(q, p), kind=kLoop, calls=f\n"));
  EXPECT_EQ(compared(plain, fused), "equal");
  EXPECT_EQ(compared(fused, plain), "equal");
}

TEST(SameAccesses, NamesTheConstantAtWhichLoopsThatAreWrittenAlikeEnd) {
  const auto counted_to = [](int end) {
    return absl::StrCat(
        "b { s = (s32[]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
        "  one = s32[] constant(1)\n k = s32[] add(i, one)\n ROOT o = (s32[]) tuple(k) }\n"
        "c { s = (s32[]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
        "  n = s32[] constant(",
        end, ")\n ROOT c = pred[] compare(i, n), direction=LT }\n",
        slice_at("z = s32[] constant(0)\n t = (s32[]) tuple(z)\n w = (s32[]) while(t), "
                 "condition=c, body=b\n"
                 " i = s32[] get-tuple-element(w), index=0\n"));
  };
  EXPECT_EQ(compared(counted_to(2), counted_to(3)),
            "undecided: RIGHT computes an offset or index w = while(t), LEFT w = while(t), from "
            "n = 3 in RIGHT, n = 2 in LEFT; arithmetic is not compared");
}

TEST(SameAccesses, OffsetsThatAreComputedOtherwiseAreUndecided) {
  const std::string plain = slice_at("i = s32[] add(p, q)\n");
  for (const char* other : {"i = s32[] add(q, p)\n", "i = s32[] subtract(p, q)\n",
                            "a = s16[] convert(p)\n b = s16[] convert(q)\n"
                            " c = s16[] add(a, b)\n i = s32[] convert(c)\n"}) {
    EXPECT_THAT(compared(plain, slice_at(other)), StartsWith("undecided: ")) << other;
    EXPECT_THAT(compared(slice_at(other), plain), StartsWith("undecided: ")) << other;
  }
  EXPECT_EQ(compared(plain, slice_at("c = s32[] constant(1)\n i = s32[] add(p, c)\n")),
            "undecided: RIGHT computes an offset or index i = add(p, 1), LEFT i = add(p, q); "
            "arithmetic is not compared");
  EXPECT_EQ(compared(slice_at("i = s32[] copy(p)\n"), plain),
            "undecided: RIGHT computes an offset or index i = add(p, q), LEFT takes the parameter "
            "p; "
            "arithmetic is not compared");
  // The last operation is the same, one before it is not.
  const std::string before = "a = s32[] add(p, q)\n i = s32[] negate(a)\n";
  EXPECT_EQ(
      compared(slice_at(before), slice_at("a = s32[] subtract(p, q)\n i = s32[] negate(a)\n")),
      "undecided: RIGHT computes an offset or index i = negate(a), LEFT i = negate(a), from "
      "a = subtract(p, q) in RIGHT, a = add(p, q) in LEFT; arithmetic is not compared");
  EXPECT_EQ(compared(slice_at("a = pred[] compare(p, q), direction=LT\n"
                              " i = s32[] convert(a)\n"),
                     slice_at("a = pred[] compare(p, q), direction=GT\n"
                              " i = s32[] convert(a)\n")),
            "undecided: RIGHT computes an offset or index i = convert(a), LEFT i = convert(a), "
            "from a = compare(p, q), direction=GT in RIGHT, a = compare(p, q), direction=LT in "
            "LEFT; arithmetic is not compared");
  // One side has a value that its parameters do not determine.
  const std::string random = slice_at("i = s32[] rng(p, q), distribution=rng_uniform\n");
  EXPECT_THAT(compared(random, slice_at("a = s32[] rng(p, q), distribution=rng_uniform\n"
                                        " i = s32[] rng(p, a), distribution=rng_uniform\n")),
              StartsWith("undecided: "));
  EXPECT_EQ(compared(random, random), "equal");  // the same program
}

// Both were one value number once: the order of the elements in memory decides which one is first.
TEST(SameAccesses, ABitcastOfAnotherLayoutIsAnotherValue) {
  const auto gather = [](absl::string_view layout) {
    return absl::StrCat("ENTRY e {\n x = f32[90] parameter(0)\n p = s32[2,3]{1,0} parameter(1)\n",
                        " c = s32[2,3]", layout, " copy(p)\n b = s32[6]{0} bitcast(c)\n",
                        " n = s32[6]{0} negate(b)\n s = s32[1] slice(n), slice={[1:2]}\n",
                        " i = s32[] reshape(s)\n",
                        " ROOT r = f32[9] dynamic-slice(x, i), dynamic_slice_sizes={9}\n}");
  };
  EXPECT_EQ(compared(gather("{1,0}"), gather("{1,0}")), "equal");
  EXPECT_THAT(compared(gather("{1,0}"), gather("{0,1}")), StartsWith("undecided: "));
}

// `rest` uses x, f32[4,4], and y, s32[].
std::string square(absl::string_view rest) {
  return absl::StrCat("ENTRY e {\n x = f32[4,4] parameter(0)\n y = s32[] parameter(1)\n", rest,
                      "}");
}

TEST(SameAccesses, TheSameOpaqueOperationReadsTheSame) {
  const std::string foo = square("ROOT c = f32[4,4] custom-call(x), custom_call_target=\"foo\"\n");
  EXPECT_EQ(compared(foo, foo), "equal");
  EXPECT_EQ(compared(foo, square("k = f32[4,4] copy(x)\n d = f32[4,4] custom-call(k), "
                                 "custom_call_target=\"foo\"\n ROOT n = f32[4,4] negate(d)\n")),
            "equal");
  EXPECT_THAT(compared(foo, square("d = f32[4,4] custom-call(x), custom_call_target=\"foo\"\n "
                                   "ROOT n = f32[4,4] transpose(d), dimensions={1,0}\n")),
              StartsWith("undecided: LEFT: custom-call"));
  EXPECT_THAT(compared(foo, square("ROOT c = f32[4,4] custom-call(x), custom_call_target=\"fou\"")),
              StartsWith("undecided: "));
  EXPECT_THAT(compared(foo, square("ROOT c = f32[4,4] custom-call(x), custom_call_target=\"foo\", "
                                   "backend_config=\"transposed\"\n")),
              StartsWith("undecided: "));
  EXPECT_THAT(compared(foo, square("n = f32[4,4] negate(x)\n ROOT c = f32[4,4] custom-call(n), "
                                   "custom_call_target=\"foo\"\n")),
              StartsWith("undecided: "));
  const auto root = [](absl::string_view lower) {
    return square(absl::StrCat("c = f32[4,4] cholesky(x), lower=", lower,
                               "\n ROOT r = f32[4,4] reverse(c), dimensions={0}\n"));
  };
  EXPECT_EQ(compared(root("true"), root("true")), "equal");
}

// Two random offsets differ, one offset used twice does not: of equal operations in one module, only
// the first is matched.
TEST(SameAccesses, OneUnknownValueIsNotTwo) {
  const auto slices = [](absl::string_view second) {
    return square(absl::StrCat(
        " a = s32[] custom-call(y), custom_call_target=\"foo\"\n b = s32[] custom-call(y), "
        "custom_call_target=\"foo\"\n z = s32[] constant(0)\n"
        " s = f32[1,4] dynamic-slice(x, a, z), dynamic_slice_sizes={1,4}\n"
        " t = f32[1,4] dynamic-slice(x, ",
        second,
        ", z), dynamic_slice_sizes={1,4}\n"
        " ROOT r = (f32[1,4], f32[1,4], s32[]) tuple(s, t, b)\n"));
  };
  EXPECT_THAT(compared(slices("a"), slices("b")), testing::Not("equal; equal; equal"));
  EXPECT_EQ(compared(slices("b"), slices("b")), "equal; equal; equal");
}

TEST(SameAccesses, AnUndecidedResultNamesTheInstruction) {
  VerifySession session;
  const auto results = same_accesses(
      module_of(square("ROOT n = f32[4,4] negate(x)\n")),
      module_of(square("h = f32[4,4] custom-call(x), custom_call_target=\"foo\"\n ROOT r = "
                       "f32[4,4] negate(h)\n")),
      session);
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(results->front().instruction, "h");
  EXPECT_TRUE(results->front().is_of_right);
  EXPECT_FALSE(results->front().may_take_time);
}

TEST(SameAccesses, OnlyResultsThatDependOnOtherDevicesAreUndecided) {
  const auto with = [](absl::string_view operation) {
    return absl::StrCat(
        "ENTRY e {\n x = f32[4] parameter(0)\n y = f32[4] parameter(1)\n c = f32[4] ", operation,
        "\n u = (f32[4], f32[4]) tuple(x, y)\n"
        " t = ((f32[4], f32[4]), f32[4]) tuple(u, c)\n"
        " a = (f32[4], f32[4]) get-tuple-element(t), index=0\n"
        " b = f32[4] get-tuple-element(a), index=1\n d = f32[4] get-tuple-element(t), index=1\n"
        " e = f32[4] negate(d)\n ROOT r = (f32[4], f32[4]) tuple(b, e)\n}");
  };
  const std::string copied = with("copy(x)");
  const std::string permuted = with("collective-permute(x), source_target_pairs={{0,1},{1,0}}");
  EXPECT_EQ(compared(copied, permuted),
            "equal; undecided: RIGHT: collective-permute: devices are not compared");
  EXPECT_EQ(compared(permuted, copied),
            "equal; undecided: LEFT: collective-permute: devices are not compared");
  EXPECT_EQ(compared(permuted, permuted), "equal; equal");
}

TEST(SameAccesses, SupersetsAreUndecided) {
  const char* magic = R"(ENTRY e {
    x = f32[200,300] parameter(0)
    ROOT r = f32[200,300] custom-call(x), custom_call_target="magic"
  })";
  EXPECT_EQ(compared(kOnce, magic), "undecided: RIGHT: custom-call \"magic\": opaque");
  EXPECT_EQ(compared(magic, kOnce), "undecided: LEFT: custom-call \"magic\": opaque");
}

TEST(SameAccesses, OtherSizesAreAnError) {
  EXPECT_EQ(compared("ENTRY e {\n ROOT x = f32[4] parameter(0)\n}",
                     "ENTRY e {\n ROOT x = f32[5] parameter(0)\n}"),
            "error: expected parameter 0 of dimensions [4] as in LEFT, found [5]");
  EXPECT_EQ(compared("ENTRY e {\n ROOT x = f32[4] parameter(0)\n}",
                     "ENTRY e {\n x = f32[4] parameter(0)\n ROOT y = f32[4] parameter(1)\n}"),
            "error: expected 1 parameters as in LEFT, found 2");
  EXPECT_EQ(
      compared("ENTRY e {\n x = f32[4] parameter(0)\n ROOT r = (f32[4], f32[4]) tuple(x, x)\n}",
               "ENTRY e {\n ROOT x = f32[4] parameter(0)\n}"),
      "error: expected 2 results, [4] and [4] as in LEFT, found 1");
}

TEST(SameAccesses, ElementTypesMatter) {
  EXPECT_EQ(compared("ENTRY e {\n x = f32[4] parameter(0)\n ROOT r = f32[4] negate(x)\n}",
                     "ENTRY e {\n x = f32[4] parameter(0)\n ROOT r = bf16[4] convert(x)\n}"),
            "different: element types f32 and bf16");
  EXPECT_EQ(compared("ENTRY e {\n x = f32[4] parameter(0)\n ROOT r = f32[4] negate(x)\n}",
                     "ENTRY e {\n x = bf16[4] parameter(0)\n ROOT r = f32[4] convert(x)\n}"),
            "error: expected parameter 0 of type f32 as in LEFT, found bf16");
}

}  // namespace
}  // namespace tileproof::verify
