// SPDX-License-Identifier: Apache-2.0
// Layout algebra: documented examples, refusals, layouts of any size, and every law on random
// operands. Random operands are a property, too (verify/properties).
#include "verify/compare/algebra_laws.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "corpus/files.h"
#include "generate/layout/generate_nested.h"
#include "impl/layout/layout_algebra.h"
#include "impl/layout/swizzled_layout.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/layout_algebra.h"
#include "spec/layout/swizzled_layout.h"

namespace tileproof::verify {
namespace {

NestedLayout layout_of(absl::string_view text) {
  const auto layout = parse_nested_layout(text);
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

std::string shown(const absl::StatusOr<NestedLayout>& answer) {
  if (answer.ok()) return to_text(*answer);
  return absl::IsFailedPrecondition(answer.status()) ? "refused" : answer.status().ToString();
}

// Returns the common answer; fails if the two differ.
std::string agreed(const absl::StatusOr<NestedLayout>& by_reference,
                   const absl::StatusOr<NestedLayout>& by_closed) {
  EXPECT_EQ(shown(by_reference), shown(by_closed));
  return shown(by_closed);
}

using Answer = absl::StatusOr<NestedLayout>;

// The answer of both, or of the closed form alone, to a question about one layout, ..
template <Answer (*reference)(const NestedLayout&), Answer (*closed)(const NestedLayout&)>
std::string of_one(absl::string_view text) {
  return agreed(reference(layout_of(text)), closed(layout_of(text)));
}
template <Answer (*closed)(const NestedLayout&)>
std::string of_one_closed(absl::string_view text) {
  return shown(closed(layout_of(text)));
}

// .. two layouts, ..
using OfTwo = Answer (*)(const NestedLayout&, const NestedLayout&);
template <OfTwo reference, OfTwo closed>
std::string of_two(absl::string_view text) {
  const auto [a, b] = parts_of<2>(text);
  return agreed(reference(layout_of(a), layout_of(b)), closed(layout_of(a), layout_of(b)));
}
std::string composed_closed(absl::string_view text) {
  const auto [a, b] = parts_of<2>(text);
  return shown(impl::composition(layout_of(a), layout_of(b)));
}

// .. or a layout and a number, a tiler or a slicer.
std::string complemented(absl::string_view text) {
  const auto [a, m] = parts_of<2>(text);
  const int64_t end = numbers_of(m).at(0);
  return agreed(spec::complement(layout_of(a), end), impl::complement(layout_of(a), end));
}
std::string complemented_closed(absl::string_view text) {
  const auto [a, m] = parts_of<2>(text);
  return shown(impl::complement(layout_of(a), numbers_of(m).at(0)));
}
std::string divided(absl::string_view text) {
  const auto [a, tiler] = parts_of<2>(text);
  return agreed(spec::logical_divide(layout_of(a), *parse_tiler(tiler)),
                impl::logical_divide(layout_of(a), *parse_tiler(tiler)));
}
std::string sliced(absl::string_view text) {
  const auto [a, slicer] = parts_of<2>(text);
  const auto by_reference = spec::slice(layout_of(a), *parse_slicer(slicer));
  const auto by_closed = impl::slice(layout_of(a), *parse_slicer(slicer));
  EXPECT_EQ(by_reference.ok(), by_closed.ok()) << text;
  if (!by_reference.ok() || !by_closed.ok()) return "error";
  EXPECT_EQ(*by_closed, *by_reference) << text;
  return to_text(*by_reference);
}

TEST(LayoutAlgebra, Answers) {
  expect_answers("answers/algebra.txt",
                 {{"coalesce", of_one<spec::coalesce, impl::coalesce>},
                  {"right_inverse", of_one<spec::right_inverse, impl::right_inverse>},
                  {"left_inverse", of_one<spec::left_inverse, impl::left_inverse>},
                  {"composition", of_two<spec::composition, impl::composition>},
                  {"logical_product", of_two<spec::logical_product, impl::logical_product>},
                  {"blocked_product", of_two<spec::blocked_product, impl::blocked_product>},
                  {"raked_product", of_two<spec::raked_product, impl::raked_product>},
                  {"complement", complemented},
                  {"logical_divide", divided},
                  {"slice", sliced},
                  {"closed_coalesce", of_one_closed<impl::coalesce>},
                  {"closed_right_inverse", of_one_closed<impl::right_inverse>},
                  {"closed_left_inverse", of_one_closed<impl::left_inverse>},
                  {"closed_composition", composed_closed},
                  {"closed_complement", complemented_closed}});
}

// Expects the same answer, or a refusal of the same kind by both. If the reference reaches a limit,
// the closed form need not answer.
template <typename Value>
void expect_alike(const absl::StatusOr<Value>& by_reference, const absl::StatusOr<Value>& by_closed,
                  const std::string& question) {
  if (absl::IsResourceExhausted(by_reference.status())) return;
  for (const absl::Status& status : {by_reference.status(), by_closed.status()}) {
    if (absl::IsOutOfRange(status)) return;
  }
  EXPECT_EQ(by_reference.status().code(), by_closed.status().code())
      << question << "\n"
      << by_reference.status() << "\n"
      << by_closed.status();
  EXPECT_TRUE(!by_reference.ok() || !by_closed.ok() || *by_reference == *by_closed) << question;
}

TEST(LayoutAlgebra, BothAnswerOrRefuseUnusualOperandsAlike) {
  const std::vector<std::string> texts = {"()",
                                          "0",
                                          "1",
                                          "8",
                                          "():()",
                                          "0:1",
                                          "1:0",
                                          "(2,0):(1,2)",
                                          "(2,()):(1,())",
                                          "4:-1",
                                          "(2,2):(1,-4)",
                                          "4:9223372036854775807",
                                          "(3,3):(4611686018427387904,1)",
                                          "2000000:1",
                                          "9223372036854775807:1",
                                          "(9223372036854775807,2):(1,0)",
                                          "5:3",
                                          "(2,2):(1,1)",
                                          "(4,2):(1,3)",
                                          "(3,(2,2)):(0,(1,6))",
                                          "(2,2):(2,1)",
                                          "-1:1"};
  std::vector<NestedLayout> layouts;
  for (const std::string& text : texts) {
    const auto layout = parse_nested_layout(text);
    if (layout.ok()) layouts.push_back(*layout);
  }
  NestedLayout uneven = layout_of("(2,2):(1,2)");  // the strides get another nesting than the shape
  uneven.stride = make_integer(1);
  layouts.push_back(uneven);
  ASSERT_GT(layouts.size(), 12u);
  for (const NestedLayout& a : layouts) {
    const std::string of_a = to_text(a);
    expect_alike(spec::coalesce(a), impl::coalesce(a), "coalesce " + of_a);
    expect_alike(spec::right_inverse(a), impl::right_inverse(a), "right-inverse " + of_a);
    expect_alike(spec::left_inverse(a), impl::left_inverse(a), "left-inverse " + of_a);
    for (const int64_t m : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{7}, INT64_MAX}) {
      expect_alike(spec::complement(a, m), impl::complement(a, m),
                   absl::StrCat("complement ", of_a, " ", m));
    }
    for (const char* text : {"_", "0", "(_,1)", "(1,(_,0))", "(_,_,_)", "()", "-1", "(7,_)",
                             "(_,9223372036854775807)"}) {
      const auto slicer = parse_slicer(text);
      if (slicer.ok()) {
        expect_alike(spec::slice(a, *slicer), impl::slice(a, *slicer),
                     "slice " + of_a + " " + text);
      }
    }
    for (const NestedLayout& b : layouts) {
      const std::string both = of_a + " " + to_text(b);
      expect_alike(spec::composition(a, b), impl::composition(a, b), "composition " + both);
      expect_alike(spec::logical_product(a, b), impl::logical_product(a, b), "product " + both);
      expect_alike(spec::blocked_product(a, b), impl::blocked_product(a, b), "blocked " + both);
      expect_alike(spec::raked_product(a, b), impl::raked_product(a, b), "raked " + both);
      for (const Tiler& tiler : {Tiler{false, {b}}, Tiler{true, {b}}, Tiler{true, {b, b}},
                                 Tiler{true, {b, b, b}}, Tiler{true, {}}}) {
        expect_alike(spec::logical_divide(a, tiler), impl::logical_divide(a, tiler),
                     "divide " + both);
        expect_alike(spec::zipped_divide(a, tiler), impl::zipped_divide(a, tiler),
                     "zipped " + both);
        expect_alike(spec::tiled_divide(a, tiler), impl::tiled_divide(a, tiler), "tiled " + both);
      }
    }
  }
}

TEST(LayoutAlgebra, BothRefuseSwizzlesOutOfRange) {
  for (const int64_t bits : {-1, 0, 1, 3, 40, 63}) {
    for (const int64_t base : {-1, 0, 4, 30, 63}) {
      for (const int64_t shift : {-63, -40, -3, 0, 3, 40, 63}) {
        for (const int64_t offset : {int64_t{-1}, int64_t{0}, int64_t{4711}, INT64_MAX}) {
          const Swizzle swizzle{bits, base, shift};
          expect_alike(spec::swizzled(swizzle, offset), impl::swizzled(swizzle, offset),
                       absl::StrCat(to_text(swizzle), " ", offset));
        }
      }
    }
  }
}

TEST(LayoutAlgebra, RefusalsNameTheReason) {
  EXPECT_EQ(impl::composition(layout_of("(5,4):(1,100)"), layout_of("6:1")).status().message(),
            "(5,4):(1,100) o 6:1: no layout has these offsets");
  EXPECT_EQ(impl::complement(layout_of("(2,3):(1,1)"), 12).status().message(),
            "the offsets of (2,3):(1,1) leave gaps that no layout fills: 2 does not divide the "
            "stride 1");
}

TEST(LayoutAlgebra, TheReferenceReachesALimit) {
  const NestedLayout large = layout_of("(1048576,1048576):(1048576,1)");
  EXPECT_TRUE(absl::IsResourceExhausted(spec::coalesce(large).status()));
}

// 1 + 3 * 2^62 exceeds 64 bits, and so does 2 * 2^62 past the modes.
TEST(LayoutAlgebra, BothReportOffsetsBeyond64Bits) {
  const NestedLayout a = layout_of("(3,4):(1,4611686018427387904)");
  for (const char* b : {"2:10", "4:2"}) {
    EXPECT_TRUE(absl::IsOutOfRange(spec::composition(a, layout_of(b)).status())) << b;
    EXPECT_TRUE(absl::IsOutOfRange(impl::composition(a, layout_of(b)).status())) << b;
  }
}

TEST(LayoutAlgebra, SwizzlesMatchTheExamples) {
  const Swizzle swizzle = *parse_swizzle("Sw<3,4,3>");  // for 128-byte rows: bits 7-9 onto bits 4-6
  EXPECT_EQ(*spec::swizzled(swizzle, 0x080), 0x090);
  EXPECT_EQ(*impl::swizzled(swizzle, 0x3f5), 0x385);
  EXPECT_EQ(*impl::swizzled(*parse_swizzle("Swizzle<2,0,-3>"), 3), 27);
  for (const char* wrong : {"Sw<3,4>", "Sw<3,4,2>", "Sw<-1,0,3>", "Sw<30,30,30>", "Sw 3,4,3", ""}) {
    EXPECT_FALSE(parse_swizzle(wrong).ok()) << wrong;
  }
}

TEST(LayoutAlgebra, RefusesMoreTilersThanModes) {
  const Tiler two = *parse_tiler("<2:1,2:1>");
  EXPECT_EQ(spec::logical_divide(layout_of("4:1"), two).status(),
            absl::InvalidArgumentError("expected at most 1 tilers, one for each mode, found 2"));
  EXPECT_EQ(impl::logical_divide(layout_of("4:1"), two).status(),
            absl::InvalidArgumentError("expected at most 1 tilers, found 2"));
}

TEST(AlgebraCase, ReadsBackWhatWasPrinted) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Choose choose(Choose::Random{seed});
    const std::string text = to_text(random_algebra_case(choose));
    const absl::StatusOr<AlgebraCase> again = parse_algebra_case(text);
    ASSERT_TRUE(again.ok()) << text << ": " << again.status();
    EXPECT_EQ(to_text(*again), text);
  }
}

TEST(AlgebraCase, ErrorsNameTheMalformedPart) {
  const std::string rest = "  B = 2:1  C = 1:0  m = 1  tiler = <2:1>  slicer = _  Sw<0,0,0>";
  EXPECT_TRUE(parse_algebra_case("A = 4:1" + rest).ok());
  const std::vector<std::string> others = {"",
                                           "A = 4:1",
                                           "a = 4:1" + rest,
                                           "A = x" + rest,
                                           "A = 4:1" + rest + "  ",
                                           "A =  4:1" + rest,
                                           "A = ():()" + rest};
  for (const std::string& text : others) EXPECT_FALSE(parse_algebra_case(text).ok()) << text;
  const std::string no_size =
      "A = 4:1  B = 2:1  C = 1:0  m = x  tiler = <2:1>  slicer = _  Sw<0,0,0>";
  EXPECT_EQ(parse_algebra_case(no_size).status().message(),
            "m = expected an integer from 1 to 2^56");
}

TEST(AlgebraCorpus, PastFindingsStayFixed) {
  int64_t cases = 0;
  for (const std::string& line : project_lines("corpus/nested/algebra.txt")) {
    const absl::StatusOr<AlgebraCase> operands = parse_algebra_case(line);
    ASSERT_TRUE(operands.ok()) << line << ": " << operands.status();
    for (const Law& law : algebra_laws()) {
      const auto outcome = law.check(*operands);
      EXPECT_TRUE(outcome.ok()) << law.name << " at " << line << ": " << outcome.status();
    }
    ++cases;
  }
  EXPECT_GT(cases, 3);
}

// A bounded family: every A, and as B one mode of every extent and stride.
TEST(LayoutAlgebra, CompositionAndComplementHoldOnABoundedFamily) {
  const NestedFamily family{
      .max_leaves = 3, .max_depth = 1, .extents = {2, 3, 4}, .strides = {0, 1, 3, 4, 6}};
  int64_t answers = 0, refusals = 0;
  const auto count = [&](const std::string& answer) {
    ++(answer == "refused" ? refusals : answers);
  };
  for (Odometer odometer; !odometer.done(); odometer.advance()) {
    Choose choose(&odometer);
    const NestedLayout a = bounded_nested_layout(choose, family);
    count(agreed(spec::complement(a, 13), impl::complement(a, 13)));
    count(agreed(spec::right_inverse(a), impl::right_inverse(a)));
    for (int64_t extent : {2, 3, 4, 6}) {
      for (int64_t stride : {1, 2, 3, 5}) {
        const NestedLayout b{make_integer(extent), make_integer(stride)};
        count(agreed(spec::composition(a, b), impl::composition(a, b)));
      }
    }
    ASSERT_FALSE(HasFailure()) << to_text(a);
  }
  std::cout << answers << " answers, " << refusals << " refusals\n";
  EXPECT_GT(answers, 10'000);
  EXPECT_GT(refusals, 5'000);
}

}  // namespace
}  // namespace tileproof::verify
