// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_blocked.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/relayout/copy_kernels.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "impl/layout/relayout/relayout_testing.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/layout_function.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::impl {
namespace {

using ::testing::HasSubstr;
using Index = std::vector<int64_t>;
using Kernel = RelayoutPlan::Kernel;
using Padding = RelayoutOptions::Padding;

std::string replay(const Pair& pair, const RelayoutOptions& options) {
  return absl::StrCat("tileproof equiv '", pair.from, "' '", pair.to, "', ", options.element_bits,
                      " bits, ", options.threads, " threads, box of ", options.begin.size());
}

// Whether the plan was made; compares every byte, with guard pages on both sides.
bool compare(const Pair& pair, const RelayoutOptions& options, Choose& choose,
             std::map<Kernel, int>& kernels) {
  const AnyLayout left = *parse_any_layout(pair.from), right = *parse_any_layout(pair.to);
  const auto from = spec::layout_function(left), to = spec::layout_function(right);
  if (!from.ok() || !to.ok() || from->dims != to->dims) return false;
  const auto source_side = relayout_side(left), destination_side = relayout_side(right);
  EXPECT_TRUE(source_side.ok() && destination_side.ok()) << replay(pair, options);
  if (std::max(source_side->elements, destination_side->elements) > 1 << 23) return false;
  const absl::StatusOr<RelayoutPlan> plan =
      RelayoutPlan::create(*source_side, *destination_side, options);
  EXPECT_TRUE(plan.ok()) << plan.status() << "\n" << replay(pair, options);
  if (!plan.ok()) return false;
  ++kernels[plan->kernel()];
  const bool at_end = choose.chance(1, 2);
  const auto run = [&](std::vector<char>& source, std::vector<char>& destination) {
    GuardedBytes in(std::ssize(source), at_end), out(std::ssize(destination), at_end);
    std::ranges::copy(source, in.data());
    std::ranges::copy(destination, out.data());
    plan->run(in.data(), out.data());
    std::copy_n(out.data(), out.size(), destination.begin());
  };
  EXPECT_TRUE(copies(*from, *to, destination_side->elements, *plan, options, run))
      << replay(pair, options) << "\n"
      << plan->to_text();
  return true;
}

// Compares one random pair; whether its plan was made.
bool compare_random(uint64_t seed, std::map<Kernel, int>& kernels) {
  Choose choose(Choose::Random{seed});
  const Pair pair = random_pair(choose);
  const auto shape = parse_any_layout(pair.from);
  if (!shape.ok() || !parse_any_layout(pair.to).ok()) return false;  // layouts of tokens
  std::vector<int64_t> dims;
  for (const Dimension& d : std::get<Shape>(*shape).dimensions) dims.push_back(d.size);
  return compare(pair, random_options(choose, dims), choose, kernels);
}

constexpr uint64_t kSeeds = 100;  // of a case

class PairsOfSeeds : public ::testing::TestWithParam<uint64_t> {};

TEST_P(PairsOfSeeds, EveryByteIsThatOfTheDefinitions) {
  std::map<Kernel, int> kernels;
  int compared = 0;
  for (uint64_t seed = 0; seed < kSeeds && !HasFailure(); ++seed) {
    compared += compare_random(GetParam() * kSeeds + seed, kernels) ? 1 : 0;
  }
  EXPECT_GT(compared, 50);
  EXPECT_GE(kernels.size(), 4) << "expected pairs of nearly every kernel";
}
// Mutants of the copies are tried with the first few (verify/mutants/unit_tests.cc).
INSTANTIATE_TEST_SUITE_P(Relayout, PairsOfSeeds,
                         ::testing::Range<uint64_t>(0, std::max<uint64_t>(1, cases<uint64_t>(15))),
                         [](const auto& seeds) {
                           return absl::StrCat(seeds.param < 2 ? "Few" : "MoreRandom", seeds.param);
                         });

TEST(Relayout, LayoutsOfOneArrayEveryByteIsThatOfTheDefinitions) {
  const std::vector<std::vector<std::string>> arrays = {
      {"f16[33,40]{1,0}", "f16[33,40]{0,1}", "f16[33,40]{1,0:T(8,16)}",
       "f16[33,40]{1,0:T(8,16)(2,1)}", "f16[33,40]{0,1:T(4,8)(4,1)}",
       "f16[33,40]{1,0:T(3,4)(2,2)}"},
      {"s8[3,10,20]{2,1,0}", "s8[3,10,20]{0,1,2}", "s8[3,10,20]{1,2,0:T(8,16)(4,1)}",
       "s8[3,10,20]{2,1,0:T(*,7)}"},
      {"f32[]", "f32[]{:T(4)}"},
      {"f32[1,1]{1,0}", "f32[1,1]{0,1:T(8,128)}"},
      {"u8[0,4]{1,0}", "u8[0,4]{0,1}"},
  };
  std::map<Kernel, int> kernels;
  for (const auto& layouts : arrays) {
    for (const std::string& from : layouts) {
      for (const std::string& to : layouts) {
        for (const int bits : {8, 16, 32, 64, 128}) {
          Choose choose(Choose::Random{static_cast<uint64_t>(bits)});
          RelayoutOptions options;
          options.element_bits = bits;
          options.padding = Padding::kZero;
          EXPECT_TRUE(compare({from, to}, options, choose, kernels));
          // A box whose sides are no multiples of a tile, in three threads.
          options.padding = Padding::kKeep;
          options.threads = 3;
          const Shape shape = *parse_shape(from);
          for (const Dimension& d : shape.dimensions) {
            options.begin.push_back(std::min<int64_t>(d.size, 1));
            options.sizes.push_back(std::max<int64_t>(d.size - 2, 0));
          }
          EXPECT_TRUE(compare({from, to}, options, choose, kernels));
          options.padding = Padding::kFill;
          options.fill = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
          options.begin.clear();
          options.sizes.clear();
          EXPECT_TRUE(compare({from, to}, options, choose, kernels));
        }
      }
    }
  }
}

class LargePairs : public ::testing::TestWithParam<Pair> {};

TEST_P(LargePairs, AreWrittenPastTheCache) {
  for (const int threads : {1, 2}) {
    std::map<Kernel, int> kernels;
    Choose choose(Choose::Random{1});
    RelayoutOptions options;
    options.element_bits = 8 * byte_width(parse_shape(GetParam().from)->element_type);
    options.threads = threads;
    EXPECT_TRUE(compare(GetParam(), options, choose, kernels));
    EXPECT_EQ(kernels[Kernel::kElements], 0);
  }
}
std::vector<Pair> large_pairs() {
  std::vector<Pair> tried;
  int64_t number = 0;
  for (const Pair& pair : {Pair{"f32[1030,1100]{1,0}", "f32[1030,1100]{1,0:T(8,128)}"},
                           Pair{"f32[1030,1100]{1,0:T(8,128)}", "f32[1030,1100]{1,0}"},
                           Pair{"bf16[1030,2100]{1,0}", "bf16[1030,2100]{1,0:T(8,128)(2,1)}"},
                           Pair{"bf16[1030,2100]{1,0:T(8,128)(2,1)}", "bf16[1030,2100]{1,0}"},
                           Pair{"s8[2050,2100]{1,0:T(8,128)(4,1)}", "s8[2050,2100]{1,0}"},
                           Pair{"f32[1030,1100]{1,0}", "f32[1030,1100]{0,1}"}}) {
    if (is_tried(number++)) tried.push_back(pair);
  }
  return tried;
}
INSTANTIATE_TEST_SUITE_P(Relayout, LargePairs, ::testing::ValuesIn(large_pairs()));

TEST(Relayout, PackedElements) {
  // Of a box, the other elements of a byte stay.
  RelayoutOptions box;
  box.element_bits = 4;
  box.destination_is_packed = true;
  box.begin = {1};
  box.sizes = {2};
  const RelayoutSide four = strided_side({4}, {1});
  std::vector<uint8_t> packed = {0x21, 0x43};
  RelayoutPlan::create(four, four, box)->run("\x5\x6\x7\x8", packed.data());
  EXPECT_EQ(packed, (std::vector<uint8_t>{0x61, 0x47}));
  std::vector<uint8_t> signed_elements(2);
  unpack_bits({0xE1}, 4, true, absl::MakeSpan(signed_elements));
  EXPECT_EQ(signed_elements, (std::vector<uint8_t>{1, 0xFE}));
}

// One element a byte; a scalar has one element; 256 threads are more than there are loops.
TEST(Relayout, SmallElementsThreadsAndScalars) {
  RelayoutOptions options;
  std::string destination(6, '?');
  for (const int bits : {1, 2, 4, 8}) {
    for (const int threads : {1, 2, 9, 256}) {
      options.element_bits = bits;
      options.threads = threads;
      const auto plan =
          RelayoutPlan::create(strided_side({2, 3}, {3, 1}), strided_side({2, 3}, {1, 2}), options);
      plan->run("abcdef", destination.data());
      EXPECT_EQ(destination, "adbecf") << bits << " " << threads;
      const auto rows =  // with a loop outside of the kernel
          RelayoutPlan::create(strided_side({3, 2}, {2, 1}), strided_side({3, 2}, {5, 1}), options);
      std::string apart(12, '?');
      rows->run("abcdef", apart.data());
      EXPECT_EQ(apart, "ab???cd???ef") << bits << " " << threads;
    }
  }
  for (const int threads : {-1, 0, 257, 1'000'000}) {
    options.threads = threads;
    const auto plan =
        RelayoutPlan::create(strided_side({2, 3}, {3, 1}), strided_side({2, 3}, {1, 2}), options);
    EXPECT_EQ(plan.status().message(), absl::StrCat("expected 1 to 256 threads, found ", threads));
  }
  const RelayoutSide scalar = *relayout_side(*parse_any_layout("Sw<1,0,1> o 2 o ():()"));
  options.threads = 1;
  std::string words(4, '?');
  const RelayoutPlan plan = *RelayoutPlan::create(scalar, scalar, options);
  EXPECT_EQ(plan.kernel(), Kernel::kElements);
  plan.run("abcd", words.data());
  EXPECT_EQ(words, "???d");  // 2 ^ 1
}

TEST(Relayout, SourcesMayOverlapAndHaveAnyStrides) {
  // Each row is the same: stride 0.
  const RelayoutSide rows = strided_side({3, 4}, {0, 1});
  const RelayoutSide to = *relayout_side(*parse_any_layout("u8[3,4]{0,1}"));
  RelayoutOptions options;
  options.element_bits = 8;
  const RelayoutPlan plan = *RelayoutPlan::create(rows, to, options);
  EXPECT_EQ(plan.source_bytes(), 4);
  std::string destination(12, '?');
  plan.run("abcd", destination.data());
  EXPECT_EQ(destination, "aaabbbcccddd");
  // The columns are reversed: the source begins at its last element.
  const RelayoutSide reversed = strided_side({4}, {-1});
  const RelayoutSide row = strided_side({4}, {1});
  RelayoutPlan::create(reversed, row, options)->run(&"abcd"[3], destination.data());
  EXPECT_EQ(destination.substr(0, 4), "dcba");
}

TEST(Relayout, StridesThatInterleaveAreADestination) {
  // Offsets 2i + 3j, i < 3, j < 2: 0 3 2 5 4 7.
  const RelayoutSide to = *relayout_side(*parse_any_layout("memref<3x2xi8, strided<[2, 3]>>"));
  RelayoutOptions options;
  options.element_bits = 8;
  const auto plan = RelayoutPlan::create(*relayout_side(*parse_any_layout("u8[3,2]")), to, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::string destination(8, '?');
  plan->run("abcdef", destination.data());
  EXPECT_EQ(destination, "a?cbed?f");
  // i = 3, j = 0 and i = 0, j = 2 are both at offset 6.
  const RelayoutSide shared = *relayout_side(*parse_any_layout("memref<4x3xi8, strided<[2, 3]>>"));
  EXPECT_FALSE(
      RelayoutPlan::create(*relayout_side(*parse_any_layout("u8[4,3]")), shared, options).ok());
}

TEST(Relayout, LayoutsOfAllSystems) {
  const std::vector<std::vector<std::string>> arrays = {
      {"u8[8,24]{1,0}", "u8[8,24]{0,1:T(5,4)}", "u8[8,24]{1,0:T(3,4)(2,2)}",
       "(8,(2,12)):(24,(12,1))", "Sw<3,3,3> o 0 o (8,24):(24,1)", "Sw<2,0,-3> o 7 o (8,24):(1,8)",
       "Sw<0,0,1> o 7 o (8,24):(1,8)", "memref<8x24xi8, strided<[1, 9], offset: 11>>",
       "memref<8x24xi8, affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>>"},
      {"f16[64,96]{1,0}", "f16[64,96]{1,0:T(8,128)(2,1)}", "zN:f16[64,96]", "nZ:f16[64,96]",
       "(64,96):(96,1)", "((16,4),(16,6)):((16,256),(1,1024))", "dnnl:ab:f16[64,96]",
       "dnnl:BA16a16b:f16[64,96]"},
      {"s8[3,70,200]{2,1,0:T(8,128)(4,1)}", "dnnl:aBc16b:s8[3,70,200]", "(3,70,200):(20000,1,80)"}};
  for (const auto& layouts : arrays) {
    for (const std::string& from : layouts) {
      for (const std::string& to : layouts) {
        std::map<Kernel, int> kernels;
        Choose choose(Choose::Random{1});
        RelayoutOptions options;
        options.element_bits = 8;
        options.padding = Padding::kZero;
        EXPECT_TRUE(compare({from, to}, options, choose, kernels)) << from << " to " << to;
        const bool is_swizzled = absl::StrContains(absl::StrCat(from, to), "Sw<3") ||
                                 absl::StrContains(absl::StrCat(from, to), "Sw<2");
        if (is_swizzled) {
          EXPECT_EQ(kernels[Kernel::kElements], 1);
        }
      }
    }
  }
}

TEST(Relayout, RandomSwizzlesAndMemrefs) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choose choose(Choose::Random{seed});
    const AnyLayout to = choose.chance(1, 2) ? AnyLayout(random_swizzled_layout(choose, 200))
                                             : AnyLayout(random_memref(choose, 200));
    const auto destination = relayout_side(to);
    if (!destination.ok() || destination->elements > 1 << 16) continue;
    const AnyLayout from(make_array(ElementType::kU8, destination->dims()));
    if (!RelayoutPlan::create(*relayout_side(from), *destination, {}).ok()) continue;  // shared
    RelayoutOptions options;
    options.element_bits = std::array{8, 1, 4, 16, 32, 64, 128}[static_cast<size_t>(choose(7))];
    options.padding = choose.chance(1, 2) ? Padding::kZero : Padding::kKeep;
    std::map<Kernel, int> kernels;
    compared += compare({to_text(from), to_text(to)}, options, choose, kernels) ? 1 : 0;
    compared += compare({to_text(to), to_text(from)}, options, choose, kernels) ? 1 : 0;
  }
  EXPECT_GT(compared, 1000);
}

// Every offset of the buffer: the index that the definition puts there, or none.
TEST(Relayout, TheInverseMapOfASideIsTheElementAtEachOffset) {
  int64_t onto = 0, with_holes = 0;
  for (uint64_t seed = 0; seed < 1500 && !::testing::Test::HasFailure(); ++seed) {
    Choose choose(Choose::Random{seed});
    const int64_t kind = choose(3);
    const AnyLayout layout = kind == 0   ? AnyLayout(random_swizzled_layout(choose, 200))
                             : kind == 1 ? AnyLayout(random_memref(choose, 200))
                                         : AnyLayout(random_shape(choose, 200));
    const auto side = relayout_side(layout);
    const auto function = spec::layout_function(layout);
    if (!side.ok() || !function.ok() || side->elements > 1 << 12) continue;
    const auto* digits = std::get_if<DigitLayout>(&side->layout);
    if (digits == nullptr) continue;
    const auto inverse = inverse_map(*digits, side->start, side->words, side->elements);
    if (!inverse) continue;
    std::map<int64_t, Index> elements;
    Index index(function->dims.size(), 0);
    do {
      elements[spec::offset_of(*function, index)] = index;
    } while (next_index(function->dims, index));
    for (int64_t offset = 0; offset < side->elements; ++offset) {
      const auto found = spec::evaluate(*inverse, {{offset}, {}, {}});
      ASSERT_TRUE(found.ok()) << found.status();
      ASSERT_EQ(found->has_value(), elements.contains(offset)) << to_text(layout) << " " << offset;
      if (*found) {
        ASSERT_EQ(**found, elements[offset]) << to_text(layout) << " at " << offset;
      }
    }
    ++(std::ssize(elements) == side->elements ? onto : with_holes);
  }
  EXPECT_GT(onto, 100);
  EXPECT_GT(with_holes, 100);
}

// A source begins at its first element; what lies before it, at negative strides, is not counted.
TEST(Relayout, TheBuffersOfStrides) {
  const auto elements = [](std::vector<int64_t> dims, std::vector<int64_t> strides) {
    return strided_side(std::move(dims), strides).elements;
  };
  EXPECT_EQ(elements({}, {}), 1);
  EXPECT_EQ(elements({3, 4}, {4, 1}), 12);
  EXPECT_EQ(elements({3, 4}, {10, 2}), 27);
  EXPECT_EQ(elements({3, 4}, {0, 1}), 4);
  EXPECT_EQ(elements({3, 4}, {-4, 1}), 4);
  EXPECT_EQ(elements({1, 1}, {7, 7}), 1);
  EXPECT_EQ(elements({0, 4}, {4, 1}), 0);
  EXPECT_EQ(elements({4, 0}, {4, 1}), 0);
}

TEST(Relayout, EveryWidthHasItsBytes) {
  const auto bytes = [](int bits, bool source_packed, bool destination_packed) {
    RelayoutOptions options;
    options.element_bits = bits;
    options.source_is_packed = source_packed;
    options.destination_is_packed = destination_packed;
    const auto plan =
        RelayoutPlan::create(strided_side({13}, {1}), strided_side({13}, {2}), options);
    return plan.ok() ? absl::StrCat(plan->source_bytes(), " to ", plan->destination_bytes())
                     : std::string(plan.status().message());
  };
  EXPECT_EQ(bytes(1, false, false), "13 to 25");
  EXPECT_EQ(bytes(1, true, false), "2 to 25");
  EXPECT_EQ(bytes(1, false, true), "13 to 4");
  EXPECT_EQ(bytes(2, true, true), "4 to 7");
  EXPECT_EQ(bytes(4, true, true), "7 to 13");
  EXPECT_EQ(bytes(8, false, false), "13 to 25");
  EXPECT_EQ(bytes(16, false, false), "26 to 50");
  EXPECT_EQ(bytes(32, false, false), "52 to 100");
  EXPECT_EQ(bytes(64, false, false), "104 to 200");
  EXPECT_EQ(bytes(128, false, false), "208 to 400");
  const auto packed = [](int64_t elements, int bits) {
    RelayoutOptions options;
    options.element_bits = bits;
    options.source_is_packed = true;
    const RelayoutSide side = strided_side({elements}, {1});
    return RelayoutPlan::create(side, side, options)->source_bytes();
  };
  for (int64_t n = 0; n < 40; ++n) {
    for (const int bits : {1, 2, 4})
      EXPECT_EQ(packed(n, bits), (n * bits + 7) / 8) << n << " " << bits;
  }
  for (const int bits : {8, 16, 32, 64, 128}) {
    EXPECT_EQ(bytes(bits, true, false), "expected packed elements of 1, 2 or 4 bits");
    EXPECT_EQ(bytes(bits, false, true), "expected packed elements of 1, 2 or 4 bits");
  }
  for (const int bits : {-1, 0, 3, 5, 7, 9, 15, 17, 31, 33, 63, 65, 127, 129, 256}) {
    EXPECT_EQ(bytes(bits, false, false), "expected elements of 1, 2, 4, 8, 16, 32, 64 or 128 bits");
  }
}

TEST(Relayout, WrongCallsAreRefused) {
  const RelayoutSide a = *relayout_side(*parse_any_layout("f32[3,5]"));
  const auto refused = [&](const RelayoutSide& to, const RelayoutOptions& options) {
    return std::string(RelayoutPlan::create(a, to, options).status().message());
  };
  EXPECT_EQ(refused(*relayout_side(*parse_any_layout("f32[5,3]")), {}),
            "expected layouts of one array, found [3,5] and [5,3]");
  EXPECT_EQ(refused(strided_side({3, 5}, {1, 1}), {}),
            "expected a destination in which no two elements share an offset");
  EXPECT_EQ(RelayoutPlan::create(strided_side({2048, 1024}, {1024, 1}),
                                 strided_side({2048, 1024}, {2, 4093}), {})
                .status()
                .message(),
            "expected a destination whose strides show that no two elements share an offset");
  RelayoutOptions odd_width, packed_words;
  odd_width.element_bits = 24;
  packed_words.source_is_packed = true;
  EXPECT_THAT(refused(a, odd_width), HasSubstr("expected elements of 1, 2, 4"));
  EXPECT_THAT(refused(a, packed_words), HasSubstr("1, 2 or 4 bits"));
  RelayoutOptions box;
  box.begin = {0};
  box.sizes = {1};
  EXPECT_EQ(refused(a, box), "expected a box of 2 dimensions");
  for (const auto& [begin, sizes] : std::vector<std::pair<Index, Index>>{
           {{0, 0}, {}}, {{}, {1, 1}}, {{0, 0}, {1}}, {{0}, {1, 1}}, {{0, 0, 0}, {1, 1, 1}}}) {
    box.begin = begin;
    box.sizes = sizes;
    EXPECT_EQ(refused(a, box), "expected a box of 2 dimensions");
  }
  box.begin = {0, 0};
  for (const Index& sizes : {Index{4, 1}, Index{-1, 1}, Index{INT64_MAX, 1}}) {
    box.sizes = sizes;
    EXPECT_EQ(refused(a, box), "expected a box in the array [3,5]");
  }
  box.sizes = {1, 1};
  box.padding = Padding::kZero;
  EXPECT_EQ(refused(a, box), "expected to keep the padding of a box");
  const RelayoutSide huge =
      *relayout_side(*parse_any_layout("(1073741824,1073741824):(1073741824,1)"));
  RelayoutOptions wide;
  wide.element_bits = 128;
  EXPECT_EQ(RelayoutPlan::create(huge, huge, wide).status().message(),
            "expected buffers of less than 2^63 bytes");
  const RelayoutSide words =
      *relayout_side(*parse_any_layout("(1073741824,1073741824):(1073741824,1)"));
  wide.element_bits = 32;
  EXPECT_TRUE(RelayoutPlan::create(words, words, wide).ok());
  const RelayoutSide bytes =
      *relayout_side(*parse_any_layout("(2147483648,2147483648):(2147483648,1)"));
  for (const int bits : {1, 8}) {
    wide.element_bits = bits;
    EXPECT_TRUE(RelayoutPlan::create(bytes, bytes, wide).ok()) << bits;
  }
  wide.element_bits = 16;
  EXPECT_FALSE(RelayoutPlan::create(bytes, bytes, wide).ok());
  wide.element_bits = 64;
  const RelayoutSide most = strided_side({(int64_t{1} << 60) - 1}, {1});
  EXPECT_TRUE(RelayoutPlan::create(most, most, wide).ok());
  EXPECT_FALSE(relayout_side(*parse_any_layout("token[]")).ok());
  EXPECT_FALSE(relayout_side(*parse_any_layout("(4):(-1)")).ok());
}

}  // namespace
}  // namespace tileproof::impl
