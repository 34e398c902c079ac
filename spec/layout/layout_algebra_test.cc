// SPDX-License-Identifier: Apache-2.0
// The layout algebra: the examples of CuTe's documentation, and what has no answer.
#include "spec/layout/layout_algebra.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;

NestedLayout layout_in(absl::string_view text) {
  const auto layout = parse_nested_layout(text);
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

// The answer, or the error.
template <class T>
std::string shown(const absl::StatusOr<T>& answer) {
  return answer.ok() ? to_text(*answer) : std::string(answer.status().message());
}

using TwoLayouts = absl::StatusOr<NestedLayout> (*)(const NestedLayout&, const NestedLayout&);
using ByTiler = absl::StatusOr<NestedLayout> (*)(const NestedLayout&, const Tiler&);

std::string of(TwoLayouts operation, absl::string_view a, absl::string_view b) {
  return shown(operation(layout_in(a), layout_in(b)));
}
std::string of(ByTiler operation, absl::string_view a, absl::string_view b) {
  return shown(operation(layout_in(a), *parse_tiler(b)));
}
std::string filled(absl::string_view a, int64_t m) { return shown(complement(layout_in(a), m)); }

TEST(LayoutAlgebra, CoalesceHasTheFewestModes) {
  const auto simple = [](absl::string_view text) { return shown(coalesce(layout_in(text))); };
  EXPECT_EQ(simple("(2,(1,6)):(1,(6,2))"), "12:1");
  EXPECT_EQ(simple("(2,3):(3,1)"), "(2,3):(3,1)");
  EXPECT_EQ(simple("(2,3,4):(0,0,1)"), "(6,4):(0,1)");
  EXPECT_EQ(simple("(1,1):(5,7)"), "1:0");
  EXPECT_EQ(simple("4:-2"), "4:-2");
  EXPECT_EQ(simple("(2,2):(9223372036854775807,1)"), "an offset does not fit 64 signed bits");
  EXPECT_EQ(simple("(2,()):(1,())"), "(2,()):(1,()) has an empty tuple");
  EXPECT_EQ(simple("(2,(3,(0))):(1,(1,(1)))"), "(2,(3,(0))):(1,(1,(1))) has no coordinate");
  EXPECT_EQ(simple("65536:1"), "65536:1");
  EXPECT_EQ(simple("65537:1"), "the reference tabulates at most 65536 values");
  EXPECT_EQ(simple("(4294967296,4294967296):(0,1)"), "the size does not fit 64 signed bits");
}

TEST(LayoutAlgebra, ValuesOfALayout) {
  EXPECT_THAT(*values(layout_in("(2,3):(3,1)")), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(*values_at(layout_in("(2,3):(3,1)"), {5, 0, 7}), ElementsAre(5, 0, 6));
  EXPECT_EQ(values_at(layout_in("4:1"), {-1}).status().message(),
            "a layout has no value at a negative integer");
  EXPECT_EQ(values_at(layout_in("4:2"), {INT64_MAX}).status().message(),
            "an offset does not fit 64 signed bits");
}

TEST(LayoutAlgebra, Composition) {
  EXPECT_EQ(of(composition, "(6,2):(8,2)", "(4,3):(3,1)"), "((2,2),3):((24,2),8)");
  EXPECT_EQ(of(composition, "20:2", "(5,4):(4,1)"), "(5,4):(8,2)");
  EXPECT_EQ(of(composition, "(10,2):(16,4)", "(5,4):(1,5)"), "(5,(2,2)):(16,(80,4))");
  EXPECT_EQ(of(composition, "8:1", "((2,2),1):((1,0),5)"), "((2,2),1):((1,0),0)");
  EXPECT_EQ(of(composition, "(5,4):(1,100)", "6:2"),
            "(5,4):(1,100) o 6:2: no layout has the offsets 0, 2, 4, 101, 103, 200");
  EXPECT_EQ(of(composition, "(5,9):(1,100)", "9:2"),
            "(5,9):(1,100) o 9:2: no layout has the offsets 0, 2, 4, 101, 103, 200, 202, 204, ..");
  EXPECT_EQ(of(composition, "(5,9):(1,100)", "8:2"),
            "(5,9):(1,100) o 8:2: no layout has the offsets 0, 2, 4, 101, 103, 200, 202, 204");
  EXPECT_EQ(of(composition, "(3,4):(1,100)", "(2,2):(2,1)"),
            "(3,4):(1,100) o (2,2):(2,1): the sums of its integers carry: at 3 ((1,1)) the offset "
            "is 100, not 3");
  EXPECT_EQ(of(composition, "8:1", "2:-1"), "2:-1 has a stride below 0");
  EXPECT_EQ(of(composition, "8:1", "0:1"), "0:1 has no coordinate");
  EXPECT_EQ(of(composition, "0:1", "8:1"), "0:1 has no coordinate");
  EXPECT_EQ(of(composition, "8:1", "65537:1"), "the reference tabulates at most 65536 values");
  EXPECT_EQ(of(composition, "1048576:3", "4:2"), "4:6");
  EXPECT_EQ(of(composition, "8:4611686018427387904", "3:1"),
            "an offset does not fit 64 signed bits");
  EXPECT_EQ(of(composition, "8:1", "3:9223372036854775807"),
            "an offset does not fit 64 signed bits");
  EXPECT_EQ(of(composition, "8:1", "(2,2):(9223372036854775807,1)"),
            "an offset does not fit 64 signed bits");
}

TEST(LayoutAlgebra, CompositionByMode) {
  EXPECT_EQ(of(composition_by_mode, "(12,(4,8)):(59,(13,1))", "<3:4,8:2>"),
            "(3,(2,4)):(236,(26,1))");
  EXPECT_EQ(of(composition_by_mode, "8:3", "2:2"), "2:6");
  EXPECT_EQ(of(composition_by_mode, "8:3", "<2:2>"), "(2):(6)");
  EXPECT_EQ(composition_by_mode({make_flat({2, 3}), make_flat({1})}, *parse_tiler("<1:1,1:1>"))
                .status()
                .message(),
            "expected a stride of the same nesting as the shape");
  EXPECT_EQ(of(composition_by_mode, "(8,8):(1,8)", "(4,_)"), "(4,8):(1,8)");
  EXPECT_EQ(of(composition_by_mode, "(8,8):(1,8)", "<2:2>"),
            "expected 2 tilers, one for each mode, found 1");
}

TEST(LayoutAlgebra, ComplementFillsAnInterval) {
  EXPECT_EQ(filled("4:1", 24), "6:4");
  EXPECT_EQ(filled("6:4", 24), "4:1");
  EXPECT_EQ(filled("(4,6):(1,4)", 24), "1:0");
  EXPECT_EQ(filled("4:2", 24), "(2,3):(1,8)");
  EXPECT_EQ(filled("(2,4):(1,6)", 24), "3:2");
  EXPECT_EQ(filled("(2,2):(1,6)", 24), "(3,2):(2,12)");
  // The interval is as long as it must be, or longer.
  EXPECT_EQ(filled("4:1", 1), "1:0");
  EXPECT_EQ(filled("4:1", 5), "2:4");
  EXPECT_EQ(filled("(4,3):(1,0)", 8), "2:4");
  EXPECT_EQ(filled("(2,3):(0,0)", 3), "3:1");
  EXPECT_EQ(filled("4:1", 0), "expected to fill at least 1");
  EXPECT_EQ(filled("0:1", 8), "0:1 has no coordinate");
  EXPECT_EQ(filled("4:-1", 8), "4:-1 has a stride below 0");
  EXPECT_EQ(filled("(2,2):(1,1)", 8), "(2,2):(1,1) has the offset 1 twice");
  EXPECT_EQ(filled("(2,2):(2,3)", 8),
            "no translations of the offsets of (2,2):(2,3) fill an interval: they fill 3 twice");
  EXPECT_EQ(filled("2:1", 65536), "32768:2");
  EXPECT_EQ(filled("2:1", 65537), "the reference tabulates at most 65536 values");
  EXPECT_EQ(filled("2:32768", 1), "32768:1");
  EXPECT_EQ(filled("1:0", 65536), "65536:1");
  EXPECT_EQ(filled("1:0", 65537), "the reference tabulates at most 65536 values");
  EXPECT_EQ(filled("2:65536", 1), "the reference tabulates at most 65536 values");
}

TEST(LayoutAlgebra, Inverses) {
  const auto right = [](absl::string_view text) { return shown(right_inverse(layout_in(text))); };
  const auto left = [](absl::string_view text) { return shown(left_inverse(layout_in(text))); };
  EXPECT_EQ(right("(4,8):(8,1)"), "(8,4):(4,1)");
  EXPECT_EQ(right("(2,3):(1,4)"), "2:1");  // offset 2 is missing
  EXPECT_EQ(right("4:2"), "1:0");
  EXPECT_EQ(right("(2,2):(0,1)"), "2:2");
  EXPECT_EQ(right("(2,2):(1,1)"), "(2,2):(1,1) has the offset 1 twice");
  EXPECT_EQ(right("2:-1"), "2:-1 has a stride below 0");
  EXPECT_EQ(right_inverse({make_flat({2, 3}), make_flat({1})}).status().message(),
            "expected a stride of the same nesting as the shape");
  EXPECT_EQ(left("(4,8):(8,1)"), "(8,4):(4,1)");
  EXPECT_EQ(left("4:2"), "(2,4):(4,1)");
  EXPECT_EQ(left("(2,2):(0,1)"), "(2,2):(0,1) has the offset 0 twice");
  EXPECT_EQ(left("(2,2):(2,3)"),
            "no translations of the offsets of (2,2):(2,3) fill an interval: they fill 3 twice");
}

TEST(LayoutAlgebra, Divisions) {
  const std::string a = "(9,(4,8)):(59,(13,1))", tiles = "<3:3,(2,4):(1,8)>";
  EXPECT_EQ(of(logical_divide, "(4,2,3):(2,1,8)", "4:2"), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(of(logical_divide, a, tiles), "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
  EXPECT_EQ(of(zipped_divide, a, tiles), "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
  EXPECT_EQ(of(tiled_divide, a, tiles), "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))");
  EXPECT_EQ(of(zipped_divide, "8:1", "2:2"), of(logical_divide, "8:1", "2:2"));
  // Modes without a tiler stay.
  EXPECT_EQ(of(logical_divide, "(4,6,5):(1,4,24)", "<2:1>"), "((2,2),6,5):((1,2),4,24)");
  EXPECT_EQ(of(zipped_divide, "(4,6,5):(1,4,24)", "<2:1>"), "((2),(2,6,5)):((1),(2,4,24))");
  EXPECT_EQ(of(tiled_divide, "(4,6,5):(1,4,24)", "<2:1>"), "((2),2,6,5):((1),2,4,24)");
  // A tile beyond the end of its mode goes on like the mode.
  EXPECT_EQ(of(logical_divide, "(64,50,80):(16000,160,1)", "(32,_,40)"),
            "((32,2),50,(40,2)):((16000,512000),160,(1,40))");
  EXPECT_EQ(of(zipped_divide, "(64,50,80):(16000,160,1)", "(32,_,40)"),
            "((32,1,40),(2,50,2)):((16000,0,1),(512000,160,40))");
  EXPECT_EQ(of(zipped_divide, "(8,128):(128,1)", "<16:1,128:1>"),
            "((16,128),(1,1)):((128,1),(0,0))");
  EXPECT_EQ(of(logical_divide, "10:1", "4:1"), "(4,3):(1,4)");
  EXPECT_EQ(of(logical_divide, "(4,6):(1,4)", "<2:1,2:1,2:1>"),
            "expected at most 2 tilers, one for each mode, found 3");
}

TEST(LayoutAlgebra, Products) {
  EXPECT_EQ(of(logical_product, "(2,2):(4,1)", "6:1"), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(of(logical_product, "(2,2):(4,1)", "(4,2):(2,1)"), "((2,2),(4,2)):((4,1),(8,2))");
  EXPECT_EQ(of(blocked_product, "(2,5):(5,1)", "(3,4):(1,3)"), "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(of(raked_product, "(2,5):(5,1)", "(3,4):(1,3)"), "((3,2),(4,5)):((10,5),(30,1))");
  // A layout of lower rank has modes of 1:0.
  EXPECT_EQ(of(blocked_product, "4:1", "(2,3):(1,2)"), "((4,2),(1,3)):((1,4),(0,8))");
  EXPECT_EQ(of(blocked_product, "(2,4):(4,1)", "3:1"), "((2,3),(4,1)):((4,8),(1,0))");
  EXPECT_EQ(of(blocked_product, "(2,2,2):(1,2,4)", "(2,3):(1,2)"),
            "((2,2),(2,3),(2,1)):((1,8),(2,16),(4,0))");
  // An integer whose copies have two modes.
  EXPECT_EQ(of(blocked_product, "(2,2):(1,6)", "6:1"), "((2,(3,2)),(2,1)):((1,(2,12)),(6,0))");
  EXPECT_EQ(of(blocked_product, "2:1", "32768:0"), "((2,32768)):((1,0))");
  EXPECT_EQ(of(raked_product, "4:1", "3:1"), "((3,4)):((4,1))");
  EXPECT_EQ(of(raked_product, "4:1", "(2,3):(1,2)"), "((2,4),(3,1)):((4,1),(8,0))");
  // The hierarchy of the block stays.
  EXPECT_EQ(of(blocked_product, "((2,2),4):((1,4),8)", "(2,1):(1,0)"),
            "(((2,2),2),(4,1)):(((1,4),2),(8,0))");
  EXPECT_EQ(of(logical_product, "4:1", "2:9223372036854775806"),
            "an offset does not fit 64 signed bits");
  EXPECT_EQ(of(logical_product, "0:1", "2:1"), "0:1 has no coordinate");
  EXPECT_EQ(of(logical_product, "2:1", "0:1"), "0:1 has no coordinate");
}

TEST(LayoutAlgebra, SlicesKeepTheFreeModes) {
  const auto cut = [](absl::string_view layout, absl::string_view slicer) {
    return shown(slice(layout_in(layout), *parse_slicer(slicer)));
  };
  const std::string a = "(4,(2,3)):(1,(4,8))";
  EXPECT_EQ(cut(a, "_"), "0 + (4,(2,3)):(1,(4,8))");
  EXPECT_EQ(cut(a, "(_,5)"), "20 + (4):(1)");
  EXPECT_EQ(cut(a, "(3,_)"), "3 + ((2,3)):((4,8))");
  EXPECT_EQ(cut(a, "(3,(1,_))"), "7 + (3):(8)");
  EXPECT_EQ(cut(a, "(3,(_,2))"), "19 + (2):(4)");
  EXPECT_EQ(cut(a, "23"), "23 + ():()");
  EXPECT_EQ(cut(a, "(3,(_))"), "expected a slicer of the nesting of (2,3)");
  EXPECT_EQ(cut(a, "((_),5)"), "expected a slicer of the nesting of 4");
  EXPECT_EQ(cut("4:1", "(_)"), "expected a slicer of the nesting of 4");
  EXPECT_EQ(slice({make_flat({2, 3}), make_flat({1})}, *parse_slicer("(_,1)")).status().message(),
            "expected a stride of the same nesting as the shape");
  EXPECT_EQ(cut(a, "(-1,_)"), "coordinate -1: expected an integer of at least 0");
}

}  // namespace
}  // namespace tileproof::spec
