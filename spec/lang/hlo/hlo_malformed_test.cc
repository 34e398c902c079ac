// SPDX-License-Identifier: Apache-2.0
// Texts that are not HLO: the errors help, and no text crashes the parser or takes long.
#include <algorithm>
#include <ctime>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::string error_of(absl::string_view text) {
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  return modules.ok() ? absl::StrCat("was read as ", to_text(*modules))
                      : std::string(modules.status().message());
}

TEST(HloMalformed, OneModuleIsAskedForAndTwoAreGiven) {
  const absl::string_view two =
      "HloModule a e { p = f32[] parameter(0) } HloModule b e { p = f32[] "
      "parameter(0) }";
  EXPECT_EQ(parse_hlo_modules(two)->size(), 2);
  EXPECT_EQ(parse_hlo_module(two).status().message(), "column 1: expected one HLO module, found 2");
}

std::string repeated(absl::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) absl::StrAppend(&result, text);
  return result;
}

TEST(HloMalformed, DeepNestingIsReadOrRefusedButNeverCrashes) {
  const auto operations = [](int depth) {
    return absl::StrCat("r = f32[] ", repeated("abs(", depth), "f32[] x", repeated(")", depth));
  };
  const auto computations = [](int depth) {
    return absl::StrCat("e { ", repeated("r = f32[] call(), to_apply={ ", depth),
                        "c = f32[] constant(0) ", repeated("}", depth), " }");
  };
  const auto value = [](int depth) {
    return absl::StrCat("e { c = f32[] constant(0), a=", repeated("{", depth), repeated("}", depth),
                        " }");
  };
  const auto shape = [](int depth) {
    return absl::StrCat("e { p = ", repeated("(", depth), repeated(")", depth), " parameter(0) }");
  };
  const auto literal = [](int depth) {
    return absl::StrCat("e { c = constant(", repeated("(", depth - 1), repeated(")", depth - 1),
                        ") }");
  };
  for (const auto& [name, make] :
       {std::make_pair("operations", +operations), std::make_pair("computations", +computations),
        std::make_pair("value", +value), std::make_pair("shape", +shape),
        std::make_pair("literal", +literal)}) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(make(kMaxNesting));
    ASSERT_TRUE(module.ok()) << name << ": " << module.status();
    EXPECT_TRUE(*parse_hlo_module(to_text(*module)) == *module) << name;
    EXPECT_THAT(error_of(make(kMaxNesting + 3)), HasSubstr("nesting of at most 1000")) << name;
    EXPECT_THAT(error_of(make(300'000)), HasSubstr("nesting of at most 1000")) << name;
  }
}

TEST(HloMalformed, ATextBeyondTheLimitIsRefusedAtOnce) {
  EXPECT_EQ(error_of(std::string(kMaxHloBytes + 1, ' ')),
            "column 1: expected an HLO text of at most 256 MiB");
}

// Texts of a size in proportion to n. A parser with a quadratic part would be slow on one of them.
std::vector<std::pair<const char*, std::string>> slow_texts(int n) {
  const auto numbered = [](absl::string_view before, absl::string_view after, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) absl::StrAppend(&text, before, i, after);
    return text;
  };
  const std::string parameter = "HloModule m e { p = f32[] parameter(0) ";
  return {
      {"attributes", absl::StrCat(parameter, numbered(", a", "=1", n), "}")},
      {"operands", absl::StrCat(parameter, "r = tuple(p", repeated(",p", n), ")}")},
      {"nested operands", absl::StrCat(parameter, "r = tuple(p", repeated(", abs(p)", n), ")}")},
      {"taken names",
       absl::StrCat(parameter, numbered("abs.", " = f32[] abs(f32[] abs(p)) ", n), "}")},
      {"computations", numbered("c", "{ p = f32[] parameter(0) }\n", n)},
      {"inline computations",
       absl::StrCat(parameter, "r = call(p), branch_computations={{ c = f32[] constant(0) }",
                    repeated(",{ c = f32[] constant(0) }", n), "}}")},
      {"parts of a tuple",
       absl::StrCat("e { p = (f32[]", repeated(",f32[]", n), ") parameter(0) }")},
      {"comments", absl::StrCat(repeated("// -\n", n), parameter, "}", repeated("/**/", n))},
      {"separators", repeated("e { p = f32[] parameter(0) }\n// -----\n", n)},
      {"section", absl::StrCat("HloModule m\nFileNames\n", numbered("", " \"a\"\n", n), "e { }")},
      {"open strings", repeated("\"", n)},
      {"open braces", absl::StrCat(parameter, ", a=", repeated("{ ", n))},
      {"open comments", repeated("/*", n)},
      {"open shapes", absl::StrCat("e { p = ", repeated("(f32[", n))},
      {"bare instructions", repeated("abs(f32[] x)\n", n)},
  };
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// CPU time of this process, so that other processes do not count.
double seconds_to_read_and_print(const std::string& text, const char* name) {
  const double start = cpu_seconds();
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  EXPECT_TRUE(!modules.ok() || *parse_hlo_modules(to_text(*modules)) == *modules) << name;
  return cpu_seconds() - start;
}

TEST(HloMalformed, TimeIsLinearEvenInTextsMadeToBeSlow) {
  const int length = std::min(100'000, cases<int>(400'000));
  const auto small = slow_texts(length / 8), large = slow_texts(length);
  for (size_t i = 0; i < small.size(); ++i) {
    const char* name = small[i].first;
    const double one = seconds_to_read_and_print(small[i].second, name);
    const double eight = seconds_to_read_and_print(large[i].second, name);
    // The text is 8 times as long. A quadratic parser would take 64 times as long.
    EXPECT_LT(eight, 30 * std::max(one, 0.02))
        << name << ", " << large[i].second.size() << " bytes";
  }
}

// Small texts that together use every part of the grammar.
const std::vector<std::string>& samples() {
  static const auto* const texts = new std::vector<std::string>{
      "HloModule m, is_scheduled=true, "
      "entry_computation_layout={(f32[8]{0})->f32[]}\n\nFileNames\n1 "
      "\"a.py\"\n\n%sum (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] "
      "parameter(1)\n  ROOT %c = f32[] add(f32[] %a, f32[] %b), metadata={op_name=\"x\" "
      "stack_frame_id=1}\n}\n\nENTRY %main (x: f32[8]) -> f32[] {\n  %x = f32[8]{0:T(128)} "
      "parameter(0)\n  %z = f32[] constant({ /*i0=0*/ 1, -nan(0x7f) })\n  ROOT %r = f32[] "
      "reduce(f32[8]{0:T(128)} %x, f32[] %z), dimensions={0}, to_apply=%sum\n}, "
      "execution_thread=\"host\"\n",
      "bc0 = f32[10,20,30] broadcast(f32[20] p0), dimensions={1}\nr = tuple(bc0, f32[], "
      "abs(f32[2]))",
      "e { x = (f32[], /*index=1*/b(s32[<=2])) parameter(0)\n y = call(x), to_apply={ p = f32[] "
      "parameter(0) }, a=[2,4]<=[8]T(1,0)\n z = s32[] conditional(y), branch_computations={{ c = "
      "s32[] constant(1) }, { ROOT d = s32[] constant(2) }}, literal=s32[2]{0} {1, 2}, "
      "padding=\n}\n"
      "// -----\nHloModule n:\nENTRY f { t = token[] after-all() // end\n}"};
  return *texts;
}

// A text that is read must be printed and read back. Other texts must give an error of one line
// that names a place.
void expect_sane(const std::string& text, int64_t& read) {
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  if (!modules.ok()) {
    const std::string message(modules.status().message());
    ASSERT_THAT(message, MatchesRegex("(line [0-9]+, )?column [0-9]+: expected [^\n]*")) << text;
    return;
  }
  ++read;
  const absl::StatusOr<std::vector<HloModule>> again = parse_hlo_modules(to_text(*modules));
  ASSERT_TRUE(again.ok()) << text << "\nprinted as\n"
                          << to_text(*modules) << "\n"
                          << again.status();
  ASSERT_TRUE(*again == *modules) << text << "\nprinted as\n" << to_text(*modules);
}

// At each place: the text ends, loses a byte, gets pieces of a text, also in place of the byte.
TEST(HloMalformed, EveryChangeOfATextIsReadOrRefused) {
  std::vector<std::string> pieces = absl::StrSplit(
      "{ } ( ) [ ] \" , = % /* */ // \\ ROOT ENTRY HloModule f32[2]{0} 0 - <= T( b( x to_apply= "
      "abs( "
      "constant( parameter( -done( calls={ ? \xff",
      ' ');
  pieces.insert(pieces.end(), {"\n", "\n// -----\n", std::string(1, '\0')});
  std::mt19937_64 random(20240607);
  int64_t texts = 0, read = 0;
  for (const std::string& text : samples()) {
    for (size_t at = 0; at < text.size(); ++at) {
      const std::string before = text.substr(0, at), after = text.substr(at + 1);
      std::vector<std::string> changed = {before, before + after};
      for (int i = 0; i < 6; ++i) {
        const std::string& piece = pieces[random() % pieces.size()];
        changed.insert(changed.end(), {before + piece + text.substr(at), before + piece + after});
      }
      for (const std::string& one : changed) expect_sane(one, read);
      texts += std::ssize(changed);
      if (HasFatalFailure()) return;
    }
  }
  std::cout << texts << " texts, " << read << " read\n";
  EXPECT_GT(read, 700);
  EXPECT_LT(read, texts);
}

}  // namespace
}  // namespace tileproof
