// SPDX-License-Identifier: Apache-2.0
// Requests about HLO become as small as the fault allows.
#include "conform/shrink/shrink.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"
#include "conform/shrink/text_form.h"
#include "conform/shrink/text_steps.h"
#include "conform/suites/makers.h"
#include "conform/suites/suites.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The roots of the modules that are one step simpler.
std::set<std::string> simpler_roots(const std::string& hlo) {
  const std::string text = canonical_texts("hlo", hlo).front();
  std::set<std::string> roots;
  for (const Json& simpler : simpler_requests(hlo_question(text, "instruction"))) {
    const auto* module = find_as<std::string>(simpler, "hlo");
    if (module == nullptr) continue;
    const size_t root = module->find("ROOT %") + 6;
    roots.insert(
        absl::StrReplaceAll(module->substr(root, module->find('\n', root) - root), {{"%", ""}}));
  }
  return roots;
}

TEST(SimplerRequests, FollowTheDimensionThroughOperations) {
  EXPECT_THAT(simpler_roots("t = f32[3,2,5] transpose(f32[2,3,5] p), dimensions={1,0,2}"),
              Contains("t = f32[2,5] transpose(p), dimensions={0,1}"));
  EXPECT_THAT(simpler_roots("b = f32[3,2,5] broadcast(f32[3,5] p), dimensions={0,2}"),
              Contains("b = f32[3,5] broadcast(p), dimensions={0,1}"));
  EXPECT_THAT(simpler_roots("b = f32[3,2,5] broadcast(f32[3,5] p), dimensions={0,2}"),
              Contains("b = f32[3,2] broadcast(p), dimensions={0}"));
  EXPECT_THAT(simpler_roots("s = f32[2,3] slice(f32[4,9] p), slice={[1:3], [0:9:3]}"),
              Contains("s = f32[3] slice(p), slice={[0:9:3]}"));
  EXPECT_THAT(simpler_roots("p = f32[3,7] pad(f32[2,3] a, f32[] v), padding=0_1x1_1_1"),
              Contains("p = f32[7] pad(a, v), padding=1_1_1"));
  EXPECT_THAT(simpler_roots("r = f32[2,3] reverse(f32[2,3] p), dimensions={1}"),
              Contains("r = f32[3] reverse(p), dimensions={0}"));
  EXPECT_THAT(simpler_roots("d = f32[1,2] dynamic-slice(f32[4,5] p, s32[] i, s32[] j), "
                            "dynamic_slice_sizes={1,2}"),
              Contains("d = f32[2] dynamic-slice(p, j), dynamic_slice_sizes={2}"));
  EXPECT_THAT(simpler_roots("c = f32[5,3] concatenate(f32[2,3] a, f32[3,3] b), dimensions={0}"),
              Contains("c = f32[5] concatenate(a, b), dimensions={0}"));
  EXPECT_THAT(simpler_roots("a = f32[2,3] add(f32[2,3] p, f32[2,3] q)"),
              Contains("a = f32[2] add(p, q)"));
}

// A text that was valid stays valid, whatever the step.
TEST(SimplerRequests, HaveValidTexts) {
  int64_t steps = 0;
  for (const Suite& suite : suites()) {
    for (uint64_t i = 0; i < 5; ++i) {
      Choose choose(Choose::Random{i});
      const Json request = suite.make(choose, {});
      for (const Json& simpler : simpler_requests(request)) {
        ++steps;
        for (const Member& member : *request.as<Json::Object>()) {
          const auto* text = member.value.as<std::string>();
          const Json* after = find(simpler, member.key);
          if (text == nullptr || canonical_texts(member.key, *text).empty() || after == nullptr)
            continue;
          const auto* now = after->as<std::string>();
          EXPECT_TRUE(now != nullptr && !canonical_texts(member.key, *now).empty())
              << to_text(simpler);
        }
      }
    }
  }
  EXPECT_GT(steps, 5000);
}

// True if the request is valid and its module has this operation with an array of so many elements.
bool uses(const Json& request, HloOpcode opcode) {
  const absl::StatusOr<HloQuestion> question = read_hlo_question(request);
  if (!question.ok()) return false;
  if (absl::IsInvalidArgument(hlo_index(request, Engine::kSpec).status())) return false;
  for (const HloComputation& computation : question->module.computations) {
    for (const HloInstruction& at : computation.instructions) {
      if (at.opcode == opcode) return true;
    }
  }
  return false;
}

int64_t instructions_of(const HloModule& module) {
  int64_t count = 0;
  for (const HloComputation& c : module.computations) count += std::ssize(c.instructions);
  return count;
}

// A program that is wrong about an operation: of 50 requests with it, each becomes a module of this
// operation and its parameters, and no single step makes it shorter.
TEST(ShrinkHlo, LeavesTheOperationAndItsParameters) {
  const Suite& suite = *suite_named("hlo");
  int64_t shrunk = 0;
  for (HloOpcode opcode : {HloOpcode::kTranspose, HloOpcode::kSlice, HloOpcode::kReverse,
                           HloOpcode::kBroadcast, HloOpcode::kConcatenate}) {
    Cases cases(suite, 3, {});
    for (int taken = 0, i = 0; taken < 10 && i < 4000; ++i) {
      const Case next = *cases.next();
      if (!next.random || !uses(next.request, opcode)) continue;
      ++taken;
      ++shrunk;
      const auto fails = [opcode](const Json& request) -> std::optional<bool> {
        return uses(request, opcode);
      };
      const Json least = smallest(suite, {}, next, fails);
      const std::string text = *find(least, "hlo")->as<std::string>();
      const HloModule module = parse_hlo_module(text).value();
      EXPECT_LE(instructions_of(module), 2) << text;
      for (const Json& step : simpler_requests(least)) {
        EXPECT_FALSE(is_smaller(to_text(step), to_text(least)) && uses(step, opcode))
            << text << "\n"
            << to_text(step);
      }
    }
  }
  EXPECT_EQ(shrunk, 50);
}

}  // namespace

// Requests about layouts become as small as a mistake allows: one test for each step that leaves a
// dead end.

namespace {

// The smallest request of a mistake that shows at these requests, beginning with the given one.
Json least(Json request, absl::FunctionRef<bool(const Shape&, const Json&)> fails) {
  const auto ask = [fails](const Json& smaller) -> std::optional<bool> {
    const auto* text = find_as<std::string>(smaller, "shape");
    const absl::StatusOr<Shape> shape = parse_shape(text == nullptr ? "" : *text);
    return shape.ok() && fails(*shape, smaller);
  };
  return smallest(*suite_named("layout"), {}, {std::move(request), std::nullopt}, ask);
}

// The same for a mistake that depends on the shape alone.
std::string least_shape(const std::string& shape, absl::FunctionRef<bool(const Shape&)> fails) {
  const Json request = json_object({{"op", "layout.physical"}, {"shape", shape}});
  const Json found = least(request, [fails](const Shape& of, const Json&) { return fails(of); });
  return *find(found, "shape")->as<std::string>();
}

std::vector<int64_t> sizes_of(const Shape& shape) {
  std::vector<int64_t> sizes;
  for (const Dimension& dimension : shape.dimensions) sizes.push_back(dimension.size);
  return sizes;
}

std::vector<int64_t> first_tile(const Shape& shape) {
  return shape.layout && !shape.layout->tiles.empty() ? shape.layout->tiles[0].dims
                                                      : std::vector<int64_t>();
}

TEST(ShrinkLayout, PrefersArraysWithElements) {
  const auto tiled_vector = [](const Shape& s) { return s.rank() == 1 && !first_tile(s).empty(); };
  EXPECT_EQ(least_shape("f32[5]{0:T(2)}", tiled_vector), "f32[1]{0:T(1)}");
  EXPECT_EQ(least_shape("f32[0]{0:T(2)}", tiled_vector), "f32[1]{0:T(1)}");
  // A mistake about empty arrays alone keeps its example.
  const auto empty = [](const Shape& s) { return s.rank() == 1 && s.dimensions[0].size == 0; };
  EXPECT_EQ(least_shape("f32[0]{0:T(2)}", empty), "f32[0]{0}");
}

TEST(ShrinkLayout, PrefersTheDefaultLayout) {
  const auto matrix = [](const Shape& shape) { return shape.rank() == 2; };
  EXPECT_EQ(least_shape("f32[2,3]{0,1}", matrix), "f32[1,1]{1,0}");
}

TEST(ShrinkLayout, OrdersDimensionsAsInMemoryWithTheIndex) {
  const auto column = [](const Shape& s, const Json& request) {
    const auto* index = find_as<Json::Array>(request, "index");
    if (s.rank() != 2 || !s.layout || index == nullptr || index->size() != 2) return false;
    const int64_t minor = s.layout->minor_to_major[0];
    return s.dimensions[1 - minor].size == 1 && s.dimensions[minor].size == 2 &&
           (*index)[minor] == Json(1);
  };
  const Json request =
      read_json(R"({"op":"layout.linearize","shape":"f32[2,1]{0,1}","index":[1,0]})")->value;
  EXPECT_EQ(to_text(least(request, column)),
            R"({"op":"layout.linearize","shape":"f32[1,2]{1,0}","index":[0,1]})");
}

TEST(ShrinkLayout, SwapsNeighbors) {
  const auto one_and_two = [](const Shape& shape) {
    std::vector<int64_t> sizes = sizes_of(shape);
    std::sort(sizes.begin(), sizes.end());
    return sizes == std::vector<int64_t>{1, 2};
  };
  EXPECT_EQ(least_shape("f32[2,1]{1,0}", one_and_two), "f32[1,2]{1,0}");
  const auto tile = [](const Shape& shape) {
    std::vector<int64_t> sizes = first_tile(shape);
    std::sort(sizes.begin(), sizes.end());
    return shape.rank() == 2 && sizes == std::vector<int64_t>{1, 2};
  };
  EXPECT_EQ(least_shape("f32[1,1]{1,0:T(2,1)}", tile), "f32[1,1]{1,0:T(1,2)}");
}

TEST(ShrinkLayout, SwapsNeighborsAndTakesAStep) {
  const auto tile_of_the_first_size = [](const Shape& shape) {
    const std::vector<int64_t> sizes = sizes_of(shape), tile = first_tile(shape);
    return sizes.size() == 2 && sizes[0] * sizes[1] == 2 &&
           tile == std::vector<int64_t>{1, sizes[0]};
  };
  EXPECT_EQ(least_shape("f32[2,1]{1,0:T(1,2)}", tile_of_the_first_size), "f32[1,2]{1,0:T(1,1)}");
}

TEST(ShrinkLayout, TwoNumbersKeepTheirDifference) {
  for (const int64_t difference : {2, -2}) {
    const auto apart = [difference](const Shape& shape) {
      const std::vector<int64_t> sizes = sizes_of(shape);
      return sizes.size() == 2 && sizes[0] >= 7 && sizes[1] == sizes[0] + difference;
    };
    EXPECT_EQ(least_shape(absl::StrCat("f32[96,", 96 + difference, "]{1,0}"), apart),
              absl::StrCat("f32[7,", 7 + difference, "]{1,0}"));
  }
}

TEST(ShrinkLayout, DropsADimensionWithItsSizeInTheTile) {
  const auto rows = [](const Shape& shape) {
    const std::vector<int64_t> tile = first_tile(shape);
    return !tile.empty() && tile.size() == static_cast<size_t>(shape.rank()) && tile[0] == 2 &&
           shape.dimensions[0].size == 3;
  };
  EXPECT_EQ(least_shape("f32[3,1]{1,0:T(2,1)}", rows), "f32[3]{0:T(2)}");
}

TEST(ShrinkLayout, DropsATileThatOnlySmallSizesNeed) {
  const auto fails = [](const Shape& shape) {
    return shape.rank() == 1 && (!first_tile(shape).empty() || shape.dimensions[0].size == 3);
  };
  EXPECT_EQ(least_shape("f32[1]{0:T(2)}", fails), "f32[3]{0}");
}

// The items of the lists that begin with a bracket, joined by " | ".
std::vector<std::string> items_in(const std::string& json, char open) {
  std::vector<std::string> result;
  for (const TextList& list : lists_in(json)) {
    if (list.open != open) continue;
    std::string joined = list.path;
    for (const TextSpan item : list.items) {
      joined += " | ";
      joined += std::string(part(json, item));
    }
    result.push_back(joined);
  }
  return result;
}

TEST(TextForm, FindsListsInAndOutsideOfStrings) {
  const std::string json = R"({"shape":"f32[2,3]{1,0:T(4)}","index":[1,[2,5]]})";
  EXPECT_THAT(items_in(json, '['), ElementsAre(" | 2 | 3", " | 1 | [2,5]", "/1 | 2 | 5"));
  EXPECT_THAT(
      items_in(json, '{'),
      ElementsAre(R"( | "shape":"f32[2,3]{1,0:T(4)}" | "index":[1,[2,5]])", " | 1 | 0 | T(4)"));
  EXPECT_THAT(items_in(json, '('), ElementsAre("/1 | 4"));
}

TEST(TextForm, LinesAreLists) {
  const std::string json = R"({"hlo":"%p = f32[2] parameter(0)\nROOT %a = add(%p, %p), x=1\n"})";
  EXPECT_THAT(items_in(json, '\n'),
              ElementsAre(" | %p = f32[2] parameter(0)", " | ROOT %a = add(%p, %p) | x=1"));
}

TEST(TextForm, ABracketThatIsNotClosedEndsWithItsString) {
  const std::string json = R"({"shape":"f32[2,(3","index":[1]})";
  EXPECT_THAT(items_in(json, '['), ElementsAre(" | 2 | (3", " | 1"));
  EXPECT_THAT(items_in("{}", '['), IsEmpty());
}

TEST(TextForm, EditsLeaveOutPartsOfOtherEdits) {
  EXPECT_EQ(edited("(a, b, c)", {{{1, 2}, "x"}, {{4, 8}, "y"}, {{4, 5}, "z"}}), "(x, y)");
}

TEST(TextForm, AnItemGoesWithAComma) {
  const std::string json = R"({"index":[1, 2, 3]})";
  for (const TextList& list : lists_in(json)) {
    if (list.open != '[') continue;
    EXPECT_EQ(edited(json, {{with_comma(json, list, 0, 0), ""}}), R"({"index":[2, 3]})");
    EXPECT_EQ(edited(json, {{with_comma(json, list, 1, 2), ""}}), R"({"index":[1]})");
  }
}

}  // namespace
}  // namespace tileproof::conform
