// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/layout_convert.h"

#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "corpus/answers_testing.h"
#include "corpus/files.h"
#include "generate/layout/generate_blocked.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/layout/shape_text.h"
#include "verify/prove/layout/convert_compare.h"

namespace tileproof::verify {
namespace {

// `xla LAYOUT`
std::string converted(absl::string_view question) {
  const auto [system, text] = parts_of<2>(question);
  ProofSession session;
  session.milliseconds_per_question = 1'000;
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text);
  if (!layout.ok()) return std::string(layout.status().message());
  const absl::StatusOr<Converted> result =
      convert(*layout, *layout_system_named(system), ElementType::kF32, session);
  if (!result.ok()) return std::string(result.status().message());
  if (!result->layout) return absl::StrCat(result->ruled_out ? "none: " : "?: ", result->reason);
  if (result->proof.verdict != Verdict::kProven) return "not proven";
  return to_text(*result->layout);
}

TEST(LayoutConvert, Answers) {
  expect_answers("answers/conversions.txt", {{"convert", converted}});
}

// ---- Layouts in use ----

// The results of conversions, by reason.
struct Tally {
  int64_t proven = 0;
  int64_t errors = 0;  // texts that are not layouts
  std::map<std::string, int64_t> refused;
};

std::ostream& operator<<(std::ostream& out, const Tally& tally) {
  out << tally.proven << " proven equal";
  for (const auto& [reason, count] : tally.refused) out << ", " << count << " refused: " << reason;
  return out << ", " << tally.errors << " without a layout\n";
}

// Converts, and requires a proof or a reason that rules the conversion out.
std::optional<AnyLayout> tally(const AnyLayout& layout, LayoutSystem system, ProofSession& session,
                               Tally& tally) {
  const absl::StatusOr<Converted> result = convert(layout, system, ElementType::kF32, session);
  if (!result.ok()) {
    EXPECT_FALSE(absl::IsInternal(result.status())) << result.status();
    ++tally.errors;
    return std::nullopt;
  }
  if (!result->layout) {
    EXPECT_TRUE(result->ruled_out) << to_text(layout) << ": " << result->reason;
    ++tally.refused[result->reason.substr(0, result->reason.find_first_of("0123456789"))];
    return std::nullopt;
  }
  EXPECT_EQ(result->proof.verdict, Verdict::kProven) << to_text(layout);
  ++tally.proven;
  return result->layout;
}

std::vector<std::string> lines_of(absl::string_view name) {
  std::vector<std::string> lines = project_lines(absl::StrCat("corpus/layouts/", name));
  EXPECT_FALSE(lines.empty()) << name;
  return lines;
}

TEST(LayoutConvert, PastFindingsStayFixed) {
  ProofSession session;
  session.milliseconds_per_question = 1'000;
  CaseCounts total;
  for (const std::string& line : lines_of("conversions.txt")) {
    const absl::StatusOr<AnyLayout> layout = parse_any_layout(line);
    ASSERT_TRUE(layout.ok()) << line << ": " << layout.status();
    const absl::Status one = compare_conversions(*layout, 1 << 13, session, total);
    EXPECT_TRUE(one.ok()) << one.message();
  }
  EXPECT_GT(total["proven"], 30) << to_text(total);
  EXPECT_GT(total["ruled out"], 10) << to_text(total);
}

TEST(LayoutConvert, ConvertsEveryTagOfEveryElementWidth) {
  ProofSession session;
  Tally xla, cute, dnnl, back;
  int64_t number = 0;
  for (const TagInfo& tag : catlass_tags()) {
    for (ElementType type :
         {ElementType::kS1, ElementType::kS2, ElementType::kS4, ElementType::kS8, ElementType::kF16,
          ElementType::kF32, ElementType::kF64, ElementType::kC128}) {
      for (int64_t rows : {1, 5, 16, 17, 60, 64, 1000, 1 << 20}) {
        for (int64_t cols : {1, 7, 32, 96, 100, 4096, (1 << 20) + 3}) {
          if (!is_tried(number++, 5)) continue;
          TaggedShape tagged{tag.tag, type, {rows, cols}};
          tagged.dims.resize(tag.rank);
          const std::optional<AnyLayout> tiled = tally(tagged, LayoutSystem::kXla, session, xla);
          ASSERT_TRUE(tiled) << to_text(tagged);
          ASSERT_TRUE(tally(tagged, LayoutSystem::kCute, session, cute)) << to_text(tagged);
          tally(tagged, LayoutSystem::kDnnl, session, dnnl);
          ASSERT_TRUE(tally(*tiled, LayoutSystem::kTla, session, back)) << to_text(*tiled);
        }
      }
    }
  }
  std::cout << "tags to tiled layouts: " << xla << "and back: " << back
            << "to nested layouts: " << cute << "to blocked formats: " << dnnl;
  EXPECT_EQ(session.asked, 0);
}

TEST(LayoutConvert, TagsAllocateAsMuchAsTheirTiledLayouts) {
  for (const char* text : {"zN:f16[60,90]", "RowMajor:s4[15,17]", "ColumnMajor:f32[15,17]",
                           "VectorLayout:f32[7]", "nN:s8[1,1]"}) {
    ProofSession session;
    const absl::StatusOr<Converted> tiled =
        convert(*parse_any_layout(text), LayoutSystem::kXla, ElementType::kF32, session);
    ASSERT_TRUE(tiled.ok() && tiled->layout) << text;
    EXPECT_THAT(tiled->notes, ::testing::IsEmpty()) << text << " " << to_text(*tiled->layout);
  }
}

TEST(LayoutConvert, ConvertsEveryFormatOfOneDnnsAnswers) {
  ProofSession session;
  Tally xla, back, tla, cute;
  std::set<std::string> formats;
  for (const std::string& line : lines_of("onednn.tsv")) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    const AnyLayout blocked = *parse_any_layout(fields[5]);
    formats.insert(to_text(blocked).substr(0, to_text(blocked).rfind(':')));
    const std::optional<AnyLayout> tiled = tally(blocked, LayoutSystem::kXla, session, xla);
    ASSERT_TRUE(tiled) << line;
    EXPECT_EQ(to_text(*tiled), fields[0]) << line;
    ASSERT_TRUE(tally(*tiled, LayoutSystem::kDnnl, session, back)) << line;
    ASSERT_TRUE(tally(blocked, LayoutSystem::kTla, session, tla)) << line;
    ASSERT_TRUE(tally(blocked, LayoutSystem::kCute, session, cute)) << line;
  }
  std::cout << formats.size() << " formats to tiled layouts: " << xla << "and back: " << back
            << "to tags and nested layouts: " << tla << "to nested layouts: " << cute;
  EXPECT_EQ(formats.size(), 71);
  EXPECT_EQ(session.asked, 0);
}

TEST(LayoutConvert, ConvertsEveryLayoutOfRealModules) {
  ProofSession session;
  Tally tla, cute, dnnl, back;
  int64_t number = 0, tried = 0;
  for (const std::string& line : lines_of("real.txt")) {
    if (!is_tried(number++, 5)) continue;
    ++tried;
    const absl::StatusOr<Shape> shape = parse_shape(line);
    if (!shape.ok()) continue;  // LayoutCorpus counts these
    const std::optional<AnyLayout> nested = tally(*shape, LayoutSystem::kCute, session, cute);
    if (nested) {
      EXPECT_TRUE(tally(*nested, LayoutSystem::kXla, session, back)) << line;
    }
    tally(*shape, LayoutSystem::kTla, session, tla);
    tally(*shape, LayoutSystem::kDnnl, session, dnnl);
  }
  std::cout << "real layouts to nested ones: " << cute << "and back: " << back
            << "to tags and nested layouts: " << tla << "to blocked formats: " << dnnl;
  EXPECT_GT(cute.proven, tried * 9 / 10);
}

// ---- Random and exhaustive tests, by enumeration; the property `conversions` has all systems ----

TEST(LayoutConvert, EverySmallTiledLayoutIsNestedOrRuledOut) {
  ProofSession session;
  CaseCounts compared;
  Tally cute, back;
  const ShapeFamily family{.sizes = {1, 2, 3, 5}};
  int64_t number = 0;
  for (Odometer odometer; !odometer.done(); odometer.advance()) {
    Choose choose(&odometer);
    const Shape shape = bounded_shape(choose, family);
    if (!is_tried(number++, 5)) continue;
    const absl::Status one = compare_conversions(shape, 100, session, compared);
    ASSERT_TRUE(one.ok()) << one.message();
    const auto nested = tally(shape, LayoutSystem::kCute, session, cute);
    if (nested) {
      EXPECT_TRUE(tally(*nested, LayoutSystem::kXla, session, back)) << to_text(shape);
    }
  }
  std::cout << to_text(family) << ": " << to_text(compared) << "; nested: " << cute
            << "nested to tiled again: " << back;
  EXPECT_GT(compared["proven"], number / 10);
  EXPECT_EQ(compared["open"], 0);
}

TEST(LayoutConvert, EverySmallNestedLayoutIsConvertedOrRuledOut) {
  ProofSession session;
  CaseCounts compared;
  const NestedFamily family;
  int64_t number = 0;
  for (Odometer odometer; !odometer.done(); odometer.advance()) {
    Choose choose(&odometer);
    const NestedLayout layout = bounded_nested_layout(choose, family);
    if (!is_tried(number++, 5)) continue;
    const absl::Status one = compare_conversions(layout, 100, session, compared);
    ASSERT_TRUE(one.ok()) << one.message();
  }
  std::cout << to_text(family) << ": " << to_text(compared) << "\n";
  EXPECT_GT(compared["proven"], number / 50);
}

TEST(LayoutConvert, BlockedFormatsRoundTripThroughTiledLayouts) {
  ProofSession session;
  Tally xla, back;
  for (uint64_t seed = 0; seed < cases<uint64_t>(800); ++seed) {
    Choose choose(Choose::Random{seed});
    const BlockedShape blocked = random_blocked_shape(choose, 1 << 10);
    const auto tiled = tally(blocked, LayoutSystem::kXla, session, xla);
    ASSERT_TRUE(tiled) << to_text(AnyLayout(blocked));
    ASSERT_TRUE(tally(*tiled, LayoutSystem::kDnnl, session, back)) << to_text(AnyLayout(blocked));
  }
  std::cout << "to tiled layouts: " << xla << "and back: " << back;
}

// Digits of some dimensions in any order in memory, sometimes with gaps between them.
NestedLayout random_permutation(Choose& choose) {
  struct Leaf {
    int64_t mode, size, stride;
  };
  std::vector<Leaf> leaves;
  const int64_t rank = 1 + choose(3);
  for (int64_t d = 0; d < rank; ++d) {
    for (int64_t i = 1 + choose(3); i > 0; --i)
      leaves.push_back({d, choose.pick<int64_t>({1, 2, 3, 4}), 0});
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < leaves.size(); ++i)
    order.insert(order.begin() + choose(static_cast<int64_t>(i) + 1), i);
  int64_t stride = choose.pick<int64_t>({1, 1, 1, 2, 5});
  for (size_t i : order) {
    leaves[i].stride = stride;
    stride = stride * leaves[i].size + (choose.chance(1, 6) ? choose(4) : 0);
  }
  std::vector<IntTuple> shape, strides;
  for (int64_t d = 0; d < rank; ++d) {
    std::vector<int64_t> sizes_of_mode, strides_of_mode;
    for (const Leaf& leaf : leaves) {
      if (leaf.mode != d) continue;
      sizes_of_mode.push_back(leaf.size);
      strides_of_mode.push_back(leaf.stride);
    }
    shape.push_back(make_flat(sizes_of_mode));
    strides.push_back(make_flat(strides_of_mode));
  }
  return {make_tuple(std::move(shape)), make_tuple(std::move(strides))};
}

TEST(LayoutConvert, EveryOrderOfDigitsIsATiledLayout) {
  ProofSession session;
  Tally xla;
  CaseCounts compared;
  for (uint64_t seed = 0; seed < cases<uint64_t>(800); ++seed) {
    Choose choose(Choose::Random{seed});
    const NestedLayout nested = random_permutation(choose);
    ASSERT_TRUE(tally(nested, LayoutSystem::kXla, session, xla)) << to_text(AnyLayout(nested));
    const absl::Status one = compare_conversions(nested, 1000, session, compared);
    ASSERT_TRUE(one.ok()) << one.message();
  }
  std::cout << "to tiled layouts: " << xla << to_text(compared) << "\n";
}

}  // namespace
}  // namespace tileproof::verify
