// SPDX-License-Identifier: Apache-2.0
// Flat forms beside the closed forms that they are made from, and offsets of boxes. That closed
// forms are right is tested against the definition (verify/compare/layout_compare_test.cc).
#include "impl/layout/flat_form.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "impl/layout/offset_array.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TiledLayout compiled(absl::string_view text) {
  absl::StatusOr<TiledLayout> layout = TiledLayout::create(*parse_shape(text));
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

const std::vector<std::string>& flat_shapes() {
  static const std::vector<std::string> all = {
      "f32[7]{0}",
      "f32[3,5]{1,0:T(2,2)}",
      "f32[512,1024]{1,0:T(8,128)}",
      "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}",
      "f32[100,200]{1,0:T(3,7)}",
      "f32[10,20,30]{0,2,1:T(6,5)L(1024)}",
      "s8[4000000000,1000000000]{1,0:T(8,128)}",
      "f32[]",
  };
  return all;
}

TEST(FlatForm, LayoutsWhoseTilesCutNoDigitsHaveOne) {
  for (const std::string& shape : flat_shapes()) {
    EXPECT_TRUE(compiled(shape).flat_to_offset()) << shape;
    EXPECT_TRUE(compiled(shape).flat_to_index()) << shape;
  }
  EXPECT_FALSE(compiled("f32[2,16]{1,0:T(2,4)(*,3,2)}").flat_to_offset());
}

TEST(FlatForm, AFloorOfASumHasNone) {
  ClosedForm form;
  form.inputs = 2;
  form.operations = {Sum{{{0, 1}, {1, 3}}}, Floor{2, Divisor(4)}};
  form.outputs = {3};
  EXPECT_FALSE(FlatForm::of(form));
  form.outputs = {2};
  EXPECT_TRUE(FlatForm::of(form));
}

// Closed forms that no layout has: repeated inputs, weights that wrap, several outputs and checks.
TEST(FlatForm, ExecutesWhatTheClosedFormSays) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    ClosedForm form;
    form.inputs = 1 + static_cast<int32_t>(random() % 4);
    const auto some_input = [&] { return static_cast<ValueId>(random() % form.inputs); };
    const auto floors = static_cast<ValueId>(random() % 5);
    for (ValueId i = 0; i < floors; ++i) {
      const int64_t by = random() % 2 == 0 ? int64_t{1} << (random() % 62)
                                           : 1 + static_cast<int64_t>(random() % 1000);
      form.operations.push_back(Floor{some_input(), Divisor(by)});
    }
    const auto some_value = [&] { return static_cast<ValueId>(random() % (form.inputs + floors)); };
    for (int i = 0; i < 4; ++i) {
      Sum sum;
      for (uint64_t terms = random() % 6; terms > 0; --terms)
        sum.terms.push_back({some_value(), static_cast<int64_t>(random() >> (random() % 64))});
      form.operations.push_back(sum);
      const auto value = static_cast<ValueId>(form.inputs + std::ssize(form.operations) - 1);
      form.outputs.push_back(random() % 4 == 0 ? some_value() : value);
      if (random() % 4 == 0) form.checks.push_back({value, static_cast<int64_t>(random() >> 1)});
    }
    const std::optional<FlatForm> flat = FlatForm::of(form);
    ASSERT_TRUE(flat);
    std::vector<int64_t> inputs(form.inputs), expected(4), found(4), again(4);
    for (int64_t& input : inputs) input = static_cast<int64_t>(random() >> (1 + random() % 63));
    const bool holds = evaluate(form, inputs, absl::MakeSpan(expected));
    EXPECT_EQ(flat->evaluate(inputs.data(), absl::MakeSpan(found)), holds);
    EXPECT_EQ(evaluate(flat->closed_form(), inputs, absl::MakeSpan(again)), holds);
    if (!holds) continue;
    EXPECT_EQ(found, expected) << absl::StrJoin(inputs, ",");
    EXPECT_EQ(again, expected) << absl::StrJoin(inputs, ",");
  }
}

// The box in the middle of an array: each offset by itself.
void expect_box(const TiledLayout& layout, std::vector<int64_t> begin, std::vector<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::vector<int64_t> wide(count), expected;
  std::vector<int32_t> narrow(count);
  ASSERT_TRUE(offsets(layout, begin, sizes, absl::MakeSpan(wide)).ok());
  std::vector<int64_t> step(sizes.size(), 0);
  do {
    std::vector<int64_t> index = begin;
    for (size_t d = 0; d < index.size(); ++d) index[d] += step[d];
    expected.push_back(*layout.linearize(index));
  } while (next_index(sizes, step));
  EXPECT_EQ(wide, expected);
  if (layout.elements() > INT32_MAX) return;
  ASSERT_TRUE(offsets(layout, begin, sizes, absl::MakeSpan(narrow)).ok());
  EXPECT_EQ(std::vector<int64_t>(narrow.begin(), narrow.end()), expected);
}

TEST(OffsetArray, AreThoseOfEachIndex) {
  expect_box(compiled("f32[]"), {}, {});
  expect_box(compiled("f32[3,5]{1,0:T(2,2)}"), {1, 1}, {2, 2});
  expect_box(compiled("f32[512,1024]{1,0:T(8,128)}"), {5, 100}, {20, 300});
  expect_box(compiled("f32[100,200]{1,0:T(3,7)}"), {0, 0}, {100, 200});
  expect_box(compiled("f32[10,20,30]{0,2,1:T(6,5)}"), {3, 4, 5}, {4, 5, 6});
  expect_box(compiled("f32[2,16]{1,0:T(2,4)(*,3,2)}"), {0, 3}, {2, 13});
  expect_box(compiled("s8[4000000000,1000000000]{1,0:T(8,128)}"), {3999999990, 999999000}, {10, 9});
}

TEST(OffsetArray, WrongBoxesAndRoomsAreErrors) {
  const TiledLayout layout = compiled("f32[3,5]{1,0:T(2,2)}");
  std::vector<int64_t> out(4);
  const auto failed = [&](std::vector<int64_t> begin, std::vector<int64_t> sizes) {
    return std::string(offsets(layout, begin, sizes, absl::MakeSpan(out)).message());
  };
  EXPECT_EQ(failed({1, 1}, {2, 2}), "");
  EXPECT_THAT(out, ElementsAre(3, 6, 13, 16));
  EXPECT_THAT(failed({1}, {2}), HasSubstr("rank 2"));
  EXPECT_THAT(failed({1, 1}, {4}), HasSubstr("rank 2"));
  EXPECT_THAT(failed({2, 1}, {2, 2}), HasSubstr("2 elements from 2 on"));
  EXPECT_THAT(failed({-1, 1}, {2, 2}), HasSubstr("dimension 0"));
  EXPECT_THAT(failed({INT64_MAX, 0}, {2, 2}), HasSubstr("dimension 0"));
  EXPECT_THAT(failed({0, 0}, {1, 3}), HasSubstr("4 places"));
  std::vector<int32_t> narrow(1);
  EXPECT_THAT(offsets(compiled("f32[4000000000]"), {0}, {1}, absl::MakeSpan(narrow)).message(),
              HasSubstr("do not fit 32 bits"));
}

// The largest offset counts, not the number of offsets.
TEST(OffsetArray, AnArrayOf2To31ElementsHasOffsetsOf32Bits) {
  std::vector<int32_t> last(1);
  EXPECT_TRUE(offsets(compiled("s8[2147483648]"), {INT32_MAX}, {1}, absl::MakeSpan(last)).ok());
  EXPECT_THAT(last, ElementsAre(INT32_MAX));
  EXPECT_FALSE(offsets(compiled("s8[2147483649]"), {0}, {1}, absl::MakeSpan(last)).ok());
}

}  // namespace
}  // namespace tileproof::impl
