// SPDX-License-Identifier: Apache-2.0
// Which terms have one form, with which laws; and that no point tells terms of one form apart.
#include "verify/prove/values/forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/prove/smt/ask_solver.h"
#include "verify/prove/values/form_question.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kWork = 1'000'000;

// The body of an entry with parameters p, q and r of a type, and predicates s and t. The last line is
// the result.
std::vector<spec::TermId> terms_in(const std::string& type, const std::vector<std::string>& lines,
                                   spec::Terms& terms) {
  std::string text = "ENTRY e {\n";
  for (size_t k = 0; k < 3; ++k) {
    absl::StrAppend(&text, std::string(1, "pqr"[k]), " = ", type, "[2] parameter(", k, ")\n");
  }
  absl::StrAppend(&text, "s = pred[2] parameter(3)\nt = pred[2] parameter(4)\n");
  for (size_t k = 0; k < lines.size(); ++k) {
    absl::StrAppend(&text, k + 1 == lines.size() ? "ROOT " : "", lines[k], "\n");
  }
  const absl::StatusOr<HloModule> module = parse_hlo_module(text + "}\n");
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  if (!module.ok()) return {};
  const int32_t root = module->computations[module->entry].root;
  const auto found = spec::terms_of(*module, module->entry, root, 0, terms);
  EXPECT_TRUE(found.ok()) << found.status() << "\n" << text;
  return found.ok() ? found->terms : std::vector<spec::TermId>();
}

using Lines = std::vector<std::string>;

struct Pair {
  std::string type;
  Lines left, right;
  Laws laws = {};
};

std::string text_of(const Pair& pair) {
  return absl::StrCat(pair.type, ": ", absl::StrJoin(pair.left, "; "), "  |  ",
                      absl::StrJoin(pair.right, "; "));
}

bool have_one_form(const Pair& pair, const Laws& laws) {
  spec::Terms terms;
  const auto left = terms_in(pair.type, pair.left, terms);
  const auto right = terms_in(pair.type, pair.right, terms);
  if (left.empty() || left.size() != right.size()) return false;
  Forms forms(terms, laws, kWork);
  for (size_t e = 0; e < left.size(); ++e) {
    if (forms.of(left[e]) != forms.of(right[e])) return false;
  }
  return true;
}

// Whether the solver proves it, as a question about the forms.
bool is_proven(const Pair& pair) {
  spec::Terms terms;
  const auto left = terms_in(pair.type, pair.left, terms);
  const auto right = terms_in(pair.type, pair.right, terms);
  Forms forms(terms, pair.laws, kWork);
  std::vector<std::pair<FormId, FormId>> pairs;
  for (size_t e = 0; e < left.size(); ++e)
    pairs.emplace_back(forms.of(left[e]), forms.of(right[e]));
  const auto question = question_of(forms, pairs, kWork);
  return question && ask_solver(question->text, {}, {}).verdict == Verdict::kProven;
}

bool are_told_apart(const Pair& pair) {
  spec::Terms terms;
  const auto left = terms_in(pair.type, pair.left, terms);
  const auto right = terms_in(pair.type, pair.right, terms);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Point point(terms, {seed});
    for (size_t e = 0; e < left.size(); ++e) {
      if (are_apart(point.of(left[e]), point.of(right[e]))) return true;
    }
  }
  return false;
}

std::string constant(const std::string& name, const std::string& type, const std::string& value) {
  return absl::StrCat(name, " = ", type, "[2] constant({", value, ", ", value, "})");
}

std::string op(const std::string& type, const std::string& what) {
  return absl::StrCat(" = ", type, "[2] ", what);
}

std::vector<Pair> integer_pairs() {
  std::vector<Pair> pairs;
  for (const std::string type : {"s32", "u8", "s64", "u64", "s4"}) {
    const auto is = [&](const std::string& what) { return op(type, what); };
    const auto c = [&](const std::string& value) { return constant("c", type, value); };
    pairs.insert(
        pairs.end(),
        {{type, {"a" + is("subtract(p, q)"), "b" + is("add(a, q)")}, {"b" + is("copy(p)")}},
         {type,
          {"a" + is("add(p, q)"), "b" + is("multiply(a, r)")},
          {"a" + is("multiply(r, q)"), "b" + is("multiply(r, p)"), "d" + is("add(a, b)")}},
         {type, {"a" + is("negate(p)"), "b" + is("negate(a)")}, {"b" + is("copy(p)")}},
         {type, {"a" + is("not(p)")}, {c("1"), "a" + is("add(p, c)"), "b" + is("negate(a)")}},
         {type, {c("2"), "a" + is("multiply(p, c)")}, {"a" + is("add(p, p)")}},
         {type, {c("1"), "a" + is("shift-left(p, c)")}, {"a" + is("add(p, p)")}},
         {type, {"a" + is("xor(p, q)"), "b" + is("xor(q, a)")}, {"b" + is("copy(p)")}},
         {type,
          {"a" + is("maximum(p, q)"), "b" + is("maximum(a, r)")},
          {"a" + is("maximum(r, q)"), "b" + is("maximum(p, a)")}},
         {type,
          {"a" + is("select(s, p, q)"), "b" + is("add(a, r)")},
          {"a" + is("add(p, r)"), "b" + is("add(q, r)"), "d" + is("select(s, a, b)")}},
         {type,
          {"n" + op("pred", "not(s)"), "a" + is("select(n, p, q)")},
          {"a" + is("select(s, q, p)")}},
         {type,
          {"a" + op("pred", "compare(p, q), direction=GT")},
          {"a" + op("pred", "compare(p, q), direction=LE"), "b" + op("pred", "not(a)")}},
         {type,
          {c("3"), "a" + is("divide(p, c)"), "b" + is("multiply(a, c)"),
           "d" + is("remainder(p, c)"), "e" + is("add(b, d)")},
          {"b" + is("copy(p)")}},
         {type,
          {"a" + op("pred", "and(s, t)"), "b" + op("pred", "not(a)")},
          {"a" + op("pred", "not(s)"), "b" + op("pred", "not(t)"), "c" + op("pred", "or(a, b)")}}});
  }
  pairs.push_back({"u32",
                   {constant("c", "u32", "3"), "a = u32[2] divide(p, c)", constant("d", "u32", "5"),
                    "b = u32[2] divide(a, d)"},
                   {constant("c", "u32", "15"), "a = u32[2] divide(p, c)"}});
  pairs.push_back(
      {"u8", {"a = u16[2] convert(p)", "b = s32[2] convert(a)"}, {"b = s32[2] convert(p)"}});
  const std::string mask = constant("c", "u64", "9223372036854775807");  // 2^63 - 1
  pairs.push_back({"u64",
                   {mask, "a = u64[2] and(p, c)", "b = u64[2] and(a, c)"},
                   {mask, "a = u64[2] and(p, c)"}});
  pairs.push_back({"u8",
                   {"a = s32[2] convert(p)", constant("c", "s32", "0"), "b = s32[2] maximum(a, c)"},
                   {"a = s32[2] convert(p)"}});
  return pairs;
}

std::vector<Pair> float_pairs() {
  const auto is = [](const std::string& what) { return op("f32", what); };
  const auto c = [](const std::string& value) { return constant("c", "f32", value); };
  return {{"f32", {"a" + is("subtract(p, q)")}, {"a" + is("negate(q)"), "b" + is("add(a, p)")}},
          {"f32", {c("2"), "a" + is("multiply(p, c)")}, {"a" + is("add(p, p)")}},
          {"f32", {c("8"), "a" + is("divide(p, c)")}, {c("0.125"), "a" + is("multiply(c, p)")}},
          {"f32",
           {"a" + is("negate(p)"), "b" + is("multiply(a, q)")},
           {"a" + is("multiply(p, q)"), "b" + is("negate(a)")}},
          {"f32",
           {"a" + is("maximum(p, q)"), "b" + is("maximum(a, r)")},
           {"a" + is("maximum(r, q)"), "b" + is("maximum(p, a)")}},
          {"bf16", {"a = f32[2] convert(p)", "b = bf16[2] convert(a)"}, {"b = bf16[2] copy(p)"}},
          {"f16", {"a = f32[2] convert(p)", "b = s8[2] convert(a)"}, {"b = s8[2] convert(p)"}},
          {"f32",
           {"a = f64[2] convert(p)", "n = f64[2] negate(a)", "b = s32[2] convert(n)"},
           {"n = f32[2] negate(p)", "b = s32[2] convert(n)"}},
          {"bf16",
           {"a = bf16[2] add(p, q)"},
           {"a = f32[2] convert(p)", "b = f32[2] convert(q)", "d = f32[2] add(a, b)",
            "e = bf16[2] convert(d)"}},
          {"f32",
           {"a" + is("divide(p, q)")},
           {c("1"), "a" + is("divide(c, q)"), "b" + is("multiply(p, a)")},
           {ValueLaw::kReciprocal}},
          {"f32", {c("0"), "a" + is("add(p, c)")}, {"a" + is("copy(p)")}, {ValueLaw::kZero}},
          {"f32",
           {"a" + is("logistic(p)")},
           {c("1"), "n" + is("negate(p)"), "e" + is("exponential(n)"), "d" + is("add(c, e)"),
            "b" + is("divide(c, d)")},
           {ValueLaw::kExpansion}},
          {"f32",
           {"a = bf16[2] convert(p)", "b = f32[2] convert(a)"},
           {"b = f32[2] copy(p)"},
           {ValueLaw::kExcessPrecision}},
          {"bf16",
           {"a = bf16[2] tanh(p)"},
           {"a = f32[2] convert(p)", "b = f32[2] tanh(a)", "c = bf16[2] convert(b)"},
           {ValueLaw::kExcessPrecision}},
          {"f32",
           {"a = pred[2] compare(p, q), direction=LT", "b" + is("select(a, q, p)")},
           {"b" + is("maximum(p, q)")},
           {ValueLaw::kComparison}},
          {"f32",
           {"a" + is("negate(p)"), "b" + is("negate(q)"), "c = pred[2] compare(a, b), direction=LT",
            "d" + is("select(c, a, b)")},
           {"c = pred[2] compare(q, p), direction=LT", "d" + is("select(c, p, q)"),
            "e" + is("negate(d)")}},
          {"f32",
           {"a = pred[2] compare(p, q), direction=LT, type=TOTALORDER"},
           {"a = s32[2] bitcast-convert(p)", "b = s32[2] bitcast-convert(q)",
            constant("z", "s32", "0"), constant("m", "s32", "2147483647"),
            "c = pred[2] compare(a, z), direction=LT", "d = pred[2] compare(b, z), direction=LT",
            "e = s32[2] xor(a, m)", "f = s32[2] xor(b, m)", "g = s32[2] select(c, e, a)",
            "h = s32[2] select(d, f, b)", "i = pred[2] compare(g, h), direction=LT"}},
          {"f32",
           {"a" + is("subtract(p, p)"), "b" + is("add(a, q)")},
           {"b" + is("copy(q)")},
           {ValueLaw::kReal}},
          {"f32",
           {"a" + is("add(p, q)"), "b" + is("multiply(a, r)"), "d" + is("divide(b, q)")},
           {"a" + is("multiply(p, r)"), "b" + is("divide(a, q)"), "d" + is("add(r, b)")},
           {ValueLaw::kReal}},
          {"f32",
           {c("2"), "a" + is("multiply(p, c)"), "b" + is("divide(q, a)"), "d = f32[2] convert(s)",
            "e" + is("multiply(b, d)"), "f" + is("multiply(e, d)")},
           {c("0.5"), c("0").replace(0, 1, "z"), "a" + is("multiply(q, c)"),
            "b" + is("divide(a, p)"), "e" + is("select(s, b, z)")},
           {ValueLaw::kReal}}};
}

// The offset o is q[0], of an integer type; u is what an update at this offset writes.
const Lines kOffset = {"o = s32[1] slice(q), slice={[0:1]}", "i = s32[] reshape(o)",
                       "u = s32[1] slice(r), slice={[0:1]}"};

Lines with_offset(const Lines& more) {
  Lines all = kOffset;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// select(k == c, w, p), for k in 0, 1
Lines masked(const std::string& clamped) {
  return with_offset({"z = s32[] constant(0)", "l = s32[] constant(1)", clamped,
                      "b = s32[2] broadcast(c), dimensions={}",
                      "k = s32[2] iota(), iota_dimension=0",
                      "e = pred[2] compare(k, b), direction=EQ", "v = s32[] reshape(u)",
                      "w = s32[2] broadcast(v), dimensions={}", "d = s32[2] select(e, w, p)"});
}

std::vector<Pair> offset_pairs() {
  return {{"s32", with_offset({"d = s32[2] dynamic-update-slice(p, u, i)"}),
           masked("c = s32[] clamp(z, i, l)")},
          {"s32",
           with_offset({"a = s32[1] dynamic-slice(p, i), dynamic_slice_sizes={1}",
                        "b = s32[1] add(a, u)", "d = s32[2] dynamic-update-slice(p, b, i)"}),
           with_offset({"g = s32[2] constant({0, 0})", "a = s32[2] dynamic-update-slice(g, u, i)",
                        "d = s32[2] add(p, a)"})},
          {"s32",
           with_offset({"a = s32[1] dynamic-slice(p, i), dynamic_slice_sizes={1}",
                        "b = s32[2] dynamic-update-slice(p, a, i)"}),
           {"b = s32[2] copy(p)"}}};
}

std::vector<Pair> other_offset_pairs() {
  const Lines update = with_offset({"d = s32[2] dynamic-update-slice(p, u, i)"});
  return {{"s32", update, masked("c = s32[] copy(i)")},
          {"s32", update, masked("c = s32[] minimum(i, l)")},
          {"s32", update, masked("c = s32[] maximum(i, z)")},
          {"s32", update, masked("c = s32[] clamp(z, i, z)")},
          {"s32",
           with_offset({"a = s32[1] dynamic-slice(p, i), dynamic_slice_sizes={1}",
                        "b = s32[1] add(a, u)", "d = s32[2] dynamic-update-slice(p, b, i)"}),
           with_offset({"a = s32[1] dynamic-slice(r, i), dynamic_slice_sizes={1}",
                        "b = s32[1] add(a, u)", "d = s32[2] dynamic-update-slice(p, b, i)"})}};
}

TEST(Forms, EqualExpressionsHaveOneFormAndNoPointTellsThemApart) {
  std::vector<Pair> pairs = integer_pairs();
  for (const Pair& pair : float_pairs()) pairs.push_back(pair);
  for (const Pair& pair : offset_pairs()) pairs.push_back(pair);
  for (const Pair& pair : pairs) {
    EXPECT_TRUE(have_one_form(pair, pair.laws)) << text_of(pair);
    EXPECT_FALSE(are_told_apart(pair)) << text_of(pair);
  }
}

TEST(Forms, ALawThatIsNotAllowedIsNotApplied) {
  for (const Pair& pair : float_pairs()) {
    EXPECT_TRUE(pair.laws.empty() || !have_one_form(pair, {})) << text_of(pair);
  }
}

TEST(Forms, OtherExpressionsAreToldApart) {
  const auto is = [](const std::string& what) { return op("s32", what); };
  const auto f = [](const std::string& what) { return op("f32", what); };
  std::vector<Pair> pairs = {
      {"s32", {"a" + is("subtract(p, q)")}, {"a" + is("subtract(q, p)")}},
      {"s32", {"a" + is("maximum(p, q)")}, {"a" + is("minimum(p, q)")}},
      {"s32", {"a" + is("select(s, p, q)")}, {"a" + is("select(s, q, p)")}},
      {"s32",
       {constant("c", "s32", "2"), "a" + is("divide(p, c)")},
       {constant("c", "s32", "1"), "a" + is("shift-right-arithmetic(p, c)")}},
      {"s32", {"a = u32[2] convert(p)", "b = s64[2] convert(a)"}, {"b = s64[2] convert(p)"}},
      {"u8", {"a = s8[2] convert(p)", "b = s32[2] convert(a)"}, {"b = s32[2] convert(p)"}},
      {"s32",
       {"a" + op("pred", "compare(p, q), direction=LT")},
       {"a" + op("pred", "compare(p, q), direction=LE")}},
      {"f32", {"a" + f("divide(p, q)")}, {"a" + f("divide(q, p)")}},
      {"f32", {"a" + f("tanh(p)")}, {"a" + f("logistic(p)")}},
      {"f32", {"a" + f("floor(p)")}, {"a" + f("ceil(p)")}},
      {"f32",
       {"a = pred[2] compare(p, q), direction=LT", "b" + f("select(a, p, q)")},
       {"b" + f("maximum(p, q)")}},
      {"f32",
       {"a = pred[2] compare(p, q), direction=LT", "n = pred[2] and(a, s)",
        "b" + f("select(n, q, p)")},
       {"b" + f("maximum(p, q)")}},
      {"f32", {"a" + f("multiply(p, p)"), "b" + f("divide(a, q)")}, {"b" + f("divide(p, q)")}},
      {"f32",
       {"a = f32[2] convert(s)", "b = f32[2] convert(t)", "d" + f("multiply(a, b)")},
       {"d = f32[2] convert(s)"}},
      {"bf16", {"a = f16[2] convert(p)", "b = bf16[2] convert(a)"}, {"b = bf16[2] copy(p)"}}};
  for (const Pair& pair : other_offset_pairs()) pairs.push_back(pair);
  const Laws all(std::begin(kLaws), std::end(kLaws));
  for (const Pair& pair : pairs) {
    EXPECT_FALSE(have_one_form(pair, all)) << text_of(pair);
    EXPECT_TRUE(are_told_apart(pair)) << text_of(pair);
  }
}

// 200 is 127 as s8, and as u8 it has the bits of -56. What it is beyond the range is the backend's.
TEST(Forms, AFloatAsASignedIntegerIsNotTheBitsOfAnUnsignedOne) {
  const Pair pair{
      "f32", {"a = u8[2] convert(p)", "b = s8[2] convert(a)"}, {"b = s8[2] convert(p)"}};
  EXPECT_FALSE(have_one_form(pair, {})) << text_of(pair);
  EXPECT_FALSE(is_proven(pair)) << text_of(pair);
}

TEST(Forms, AFloatThatIsRoundedIsAnotherInteger) {
  const Pair pair{
      "f32", {"a = bf16[2] convert(p)", "b = s32[2] convert(a)"}, {"b = s32[2] convert(p)"}};
  EXPECT_FALSE(have_one_form(pair, {})) << text_of(pair);
}

TEST(Forms, TheSolverProvesWhatFormsDoNotShow) {
  const auto is = [](const std::string& what) { return op("u8", what); };
  const Pair halves{
      "u8",
      {"a" + is("and(p, q)"), "b" + is("xor(p, q)"), "c" + is("add(a, a)"), "d" + is("add(b, c)")},
      {"a" + is("add(p, q)")}};
  EXPECT_FALSE(have_one_form(halves, {}));
  EXPECT_TRUE(is_proven(halves));
  const Pair wrong{"u8", {"a" + is("or(p, q)")}, {"a" + is("add(p, q)")}};
  EXPECT_FALSE(is_proven(wrong));
}

}  // namespace
}  // namespace tileproof::verify
