// SPDX-License-Identifier: Apache-2.0
// Tests of what only the closed form has: its formula, programs and errors. Its correctness is
// tested against the definition in verify/compare/layout_compare_test.cc and
// verify/prove/layout/layout_proof_test.cc.
#include "impl/layout/tiled_layout.h"

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layout/tiled_layout_testing.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ClosedForm, FormulasAreWhatAPersonWouldWrite) {
  EXPECT_EQ(compiled("f32[3,5]{1,0:T(2,2)}").formula(),
            "(d0 floordiv 2) * 12 + (d1 floordiv 2) * 4 + (d0 mod 2) * 2 + d1 mod 2");
  EXPECT_EQ(compiled("f32[3,5]").formula(), "d0 * 5 + d1");
  EXPECT_EQ(compiled("f32[3,5]{0,1}").formula(), "d1 * 3 + d0");
  EXPECT_EQ(compiled("f32[]").formula(), "0");
  EXPECT_EQ(compiled("f32[0,5]{1,0:T(2,2)}").formula(), "0");
}

TEST(ClosedForm, OmitsDigitsWithoutEffect) {
  EXPECT_EQ(compiled("f32[3,5]{1,0:T(8,128)}").formula(), "d0 * 128 + d1");  // one tile
  EXPECT_EQ(compiled("f32[64,128]{1,0:T(8,128)}").formula(),
            "d0 * 128 + d1");  // split and combined again
  EXPECT_EQ(compiled("f32[1,1,7]{2,1,0:T(8)}").formula(), "d2");
}

TEST(ClosedForm, ALaterStarCombinesCoordinatesIntoOneNumber) {
  EXPECT_THAT(compiled("f32[2,16]{1,0:T(2,4)(*,3,2)}").formula(),
              HasSubstr("((d1 floordiv 4) * 2 + d0) floordiv 3"));
}

size_t terms_in(const ClosedForm& form) {
  size_t count = 0;
  for (const Sum& sum : form.sums) count += sum.terms.size();
  return count;
}

TEST(ClosedForm, TheCostOfAnOffsetDoesNotDependOnTheSize) {
  const TiledLayout small = compiled("bf16[16,256]{1,0:T(8,128)(2,1)}");
  const TiledLayout large = compiled("bf16[16777216,1048576]{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(terms_in(small.to_offset()), terms_in(large.to_offset()));
  EXPECT_LE(terms_in(large.to_offset()), 8);
  EXPECT_EQ(*large.linearize({16777215, 1048575}), 17592186044415);
  EXPECT_THAT(**large.delinearize(17592186044415), ElementsAre(16777215, 1048575));
}

// The formula; terms of the sums to the offset and back; checks of padding; terms of those to the
// physical index.
std::string described(absl::string_view text) {
  const TiledLayout layout = compiled(text);
  const absl::StatusOr<ClosedForm> positions = physical_index(*parse_shape(text));
  return absl::StrCat(text, "  ", layout.formula(), "  ", terms_in(layout.to_offset()), " ",
                      terms_in(layout.to_index()), " ", layout.to_index().checks.size(), " ",
                      positions.ok() ? terms_in(*positions) : 0);
}

// A form that is right but longer than before would pass every comparison with the definition.
TEST(ClosedForm, FormsAreNoLongerThanBefore) {
  std::ifstream file(project_path("corpus/layouts/forms.txt"));
  int64_t context = 0;
  for (std::string line; std::getline(file, line); ++context) {
    const std::string shape = line.substr(0, line.find("  "));
    EXPECT_EQ(described(shape), line);
  }
  EXPECT_GT(context, 100);
}

TEST(ClosedForm, OnlyAnEmptyArrayHasEmptyPrograms) {
  EXPECT_EQ(physical_index(*parse_shape("f32[1,1]"))->outputs.size(), 2);
  EXPECT_TRUE(compiled("f32[0,5]{1,0:T(2,2)}").to_offset().outputs.empty());
  EXPECT_TRUE(physical_index(*parse_shape("f32[0,5]{1,0:T(2,2)}"))->outputs.empty());
}

TEST(ClosedForm, RoundsBytesUp) {
  for (const auto& [bits, bytes] : {std::pair(8, 1), {9, 2}, {15, 2}, {16, 2}, {17, 3}}) {
    EXPECT_EQ(compiled(absl::StrCat("f32[1]{0:E(", bits, ")}")).bytes(), bytes) << bits;
  }
}

TEST(ClosedForm, DistinguishesPadding) {
  const TiledLayout layout = compiled("f32[3,5]{1,0:T(2,2)L(7)}");
  EXPECT_EQ(layout.elements(), 28);
  EXPECT_EQ(layout.padding(), 13);
  int64_t padding = 0;
  for (int64_t offset = 0; offset < layout.elements(); ++offset)
    padding += layout.delinearize(offset)->has_value() ? 0 : 1;
  EXPECT_EQ(padding, 13);
}

TEST(ClosedForm, ErrorsNameTheReason) {
  const TiledLayout layout = compiled("f32[3,5]{1,0:T(2,2)}");
  EXPECT_THAT(std::string(layout.linearize({2, 5}).status().message()),
              HasSubstr("index 5 is outside dimension 1 of size 5"));
  EXPECT_THAT(std::string(layout.linearize({1}).status().message()),
              HasSubstr("expected an index of 2 numbers"));
  EXPECT_THAT(std::string(layout.delinearize(24).status().message()),
              HasSubstr("outside the 24 elements"));
  for (const char* text : {"(f32[2])", "token[]", "opaque[]", "b(f32[2])", "f32[?]"}) {
    EXPECT_FALSE(TiledLayout::create(*parse_shape(text)).ok()) << text;
  }
  Shape broken = *parse_shape("f32[3,5]{1,0:T(2,2)}");
  broken.layout->tiles[0].dims[0] = 0;
  EXPECT_FALSE(TiledLayout::create(broken).ok());
}

TEST(ClosedForm, SizesBeyond64BitsAreErrors) {
  for (const char* text :
       {"s8[9223372036854775807]{0:T(2)}", "s8[2]{0:T(9223372036854775807)(3,2)}",
        "s8[3,3]{1,0:T(4294967296,4294967296)}", "s8[9223372036854775807]{0:E(9)}",
        "s8[9223372036854775806]{0:L(9223372036854775805)}"}) {
    const absl::StatusOr<TiledLayout> layout = TiledLayout::create(*parse_shape(text));
    EXPECT_EQ(layout.status().code(), absl::StatusCode::kOutOfRange) << text;
  }
  EXPECT_EQ(*compiled("s8[9223372036854775807]").linearize({9223372036854775806}),
            9223372036854775806);
}

}  // namespace
}  // namespace tileproof::impl
