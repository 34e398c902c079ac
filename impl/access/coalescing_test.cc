// SPDX-License-Identifier: Apache-2.0
// Coalescing: refusals, limits, kernels of the corpus, and random kernels of random HLO compared with
// the definition. corpus/golden/counts.txt has examples.
#include "impl/access/coalescing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "impl/hlo/indexing.h"
#include "spec/access/coalescing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::verify {
namespace {

// "accesses transactions most elements". If `compare`, also expects the same from the definition.
std::string counted(absl::string_view threads, absl::string_view access, absl::string_view array,
                    int64_t width = 32, bool compare = true) {
  const auto text = [](const auto& a) {
    if (!a.ok()) return std::string(a.status().message());
    return absl::StrCat(a->accesses, " ", a->transactions, " ", a->most, " ", a->elements);
  };
  const IndexingMap t = *parse_map(threads), m = *parse_map(access);
  const Shape shape = *parse_shape(array);
  const std::string found = text(impl::count_transactions(t, m, shape, {32, width}));
  if (compare) {
    EXPECT_EQ(found, text(spec::count_transactions(t, m, shape, {32, width}, 1'000'000)));
  }
  return found;
}

TEST(CoalescingTest, BothRejectInvalidThreadMapsWithTheSameMessage) {
  constexpr char kLine[] = "(d0) -> (d0), domain: d0 in [0, 127]";
  for (const auto& [threads, message] :
       {std::pair("(d0) -> (d0), domain: d0 in [0, 127]",
                  "thread map: expected six dimensions, or the names th_x, .., bl_z, found 1 "
                  "dimensions without these names"),
        {"(d0, d1, d2, d3, d4) -> (d0), domain: d0 in [0, 127], d1 in [0, 0], d2 in [0, 0], "
         "d3 in [0, 0], d4 in [0, 0]",
         "thread map: expected six dimensions, or the names th_x, .., bl_z, found 5 dimensions "
         "without these names"},
        {"(th_x, row) -> (th_x), domain: th_x in [0, 127], row in [0, 1]",
         "thread map: expected th_x, th_y, th_z, bl_x, bl_y or bl_z, found 'row'"},
        {"(th_x) -> (th_x), domain: th_x in [1, 127]",
         "thread map: expected bounds of th_x that begin with 0"},
        {"(th_x){rt0} -> (th_x), domain: th_x in [0, 127], rt0 in [0, 0]",
         "thread map: expected no runtime variables"},
        {"(th_x) -> (th_x, th_x), domain: th_x in [0, 127]",
         "thread map: expected 1 results, found 2"}}) {
    EXPECT_EQ(counted(threads, kLine, "f32[128]"), message) << threads;
  }
  EXPECT_EQ(counted("(th_x) -> (th_x), domain: th_x in [0, 127]", kLine, "f32[128]", 0, false),
            "expected a warp of 1 to 1024 threads and a width of 1 to 4096 bytes");
  for (const Warps& none : {Warps{0, 32}, {32, 0}, {1025, 32}, {32, 4097}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(
        impl::count_transactions(*parse_map("(th_x) -> (th_x), domain: th_x in [0, 127]"),
                                 *parse_map(kLine), *parse_shape("f32[128]"), none)
            .status()))
        << none.warp << " " << none.width;
  }
  EXPECT_EQ(spec::count_transactions(*parse_map("(th_x) -> (th_x), domain: th_x in [0, 127]"),
                                     *parse_map(kLine), *parse_shape("f32[128]"), {0, 32}, 1'000)
                .status(),
            absl::InvalidArgumentError("expected a warp and a width of at least 1"));
}

// If thread map, access and array do not fit together, or nothing is accessed, both report it.
TEST(CoalescingTest, BothRejectMapsThatDoNotFit) {
  constexpr char kThreads[] = "(th_x) -> (th_x), domain: th_x in [0, 127]";
  constexpr char kSix[] =
      "(d0, d1, d2, d3, d4, d5) -> (d0), domain: d0 in [0, 127], d1 in [0, 0], "
      "d2 in [0, 0], d3 in [0, 0], d4 in [0, 0], d5 in [0, 0]";
  constexpr char kLine[] = "(d0) -> (d0), domain: d0 in [0, 127]";
  EXPECT_EQ(counted(kSix, kLine, "f32[128]"), counted(kThreads, kLine, "f32[128]"));
  EXPECT_EQ(counted("() -> (5)", kLine, "f32[128]"), "1 1 1 1");
  EXPECT_EQ(counted(kThreads, kLine, "f32[128,2]"),
            "access map: expected 2 results and no runtime variables");
  EXPECT_EQ(
      counted(kThreads, "(d0){rt0} -> (d0), domain: d0 in [0, 127], rt0 in [0, 0]", "f32[128]"),
      "access map: expected 1 results and no runtime variables");
  EXPECT_EQ(counted(kThreads, "(d0) -> (d0), domain: d0 in [0, -1]", "f32[0]"), "0 0 0 0");
  EXPECT_EQ(counted("(th_x) -> (th_x), domain: th_x in [0, -1]", kLine, "f32[128]"), "0 0 0 0");
  EXPECT_EQ(counted(kThreads, "(d0)[s0] -> (d0), domain: d0 in [0, 127], s0 in [3, 2]", "f32[128]"),
            "0 0 0 0");
  const IndexingMap threads = *parse_map(kThreads), line = *parse_map(kLine);
  const Shape array = *parse_shape("f32[128]");
  for (const auto& [warp, width] : {std::pair<int64_t, int64_t>{0, 32}, {32, 0}, {-1, -1}}) {
    EXPECT_FALSE(spec::count_transactions(threads, line, array, {warp, width}, 1000).ok());
    EXPECT_FALSE(impl::count_transactions(threads, line, array, {warp, width}).ok());
  }
  EXPECT_FALSE(impl::count_transactions(threads, line, array, {1025, 32}).ok());
  EXPECT_FALSE(impl::count_transactions(threads, line, array, {32, 4097}).ok());
  IndexingMap idle = threads, none = line;
  idle.known_empty = none.known_empty = true;
  idle.results.clear();
  none.results.clear();
  for (const auto& [t, access] : {std::pair(idle, line), {threads, none}}) {
    EXPECT_EQ(spec::count_transactions(t, access, array, {32, 32}, 1000)->accesses, 0);
    EXPECT_EQ(impl::count_transactions(t, access, array, {32, 32})->accesses, 0);
  }
}

// corpus/protocol/requests.txt
TEST(CoalescingTest, CountsTheTransactionsOfAWideElementInOneStep) {
  constexpr char kThreads[] = "(th_x) -> (th_x), domain: th_x in [0, 63]";
  constexpr char kLine[] = "(d0) -> (d0 * 2), domain: d0 in [0, 63]";
  EXPECT_EQ(counted(kThreads, kLine, "f32[128]{0:E(1000)}"), "2 312 156 64");
  EXPECT_EQ(counted(kThreads, kLine, "f32[256]{0:E(11767956971140)}", 32, /*compare=*/false),
            "2 2941989242848 1470994621424 64");
  EXPECT_EQ(
      spec::count_transactions(*parse_map(kThreads), *parse_map(kLine),
                               *parse_shape("f32[256]{0:E(11767956971140)}"), {32, 32}, 1 << 20)
          .status()
          .message(),
      "too many points to enumerate");
}

// A constraint connects the iterations: 2^20 points, and then one row more.
TEST(CoalescingTest, CountsUpToTheLimitOnPoints) {
  const auto rows = [](int64_t count) {
    return counted(
        absl::StrCat("(th_x)[s0, s1] -> (th_x + (s0 * 1024 + s1) * 32), domain: th_x in [0, 31], ",
                     "s0 in [0, ", count - 1, "], s1 in [0, 1023], s0 + s1 in [1, 2045]"),
        "(d0) -> (d0), domain: d0 in [0, 99999999]", "f32[100000000]", 32, /*compare=*/false);
  };
  EXPECT_EQ(rows(1024), "1048574 4194296 4 33554368");  // except for the first and the last
  EXPECT_EQ(rows(1025), "blocks or iterations that are tied together");
}

// What a block adds to offsets repeats after 3 blocks, 5 elements further on.
TEST(CoalescingTest, BlocksThatRepeatAreCountedOnce) {
  const auto blocks = [](int64_t count, bool compare, absl::string_view name = "bl_x") {
    return counted(
        absl::StrCat("(th_x, bl_x) -> (th_x + (bl_x floordiv 3) * 5 + (", name,
                     " mod 3) * 2), domain: th_x in [0, 63], bl_x in [0, ", count - 1, "]"),
        "(d0) -> (d0), domain: d0 in [0, 99999999]", "f32[100000000]", 32, compare);
  };
  EXPECT_EQ(blocks(24, true), "48 234 5 1536");
  EXPECT_EQ(blocks(24 << 17, false), absl::StrCat(48 << 17, " ", 234 << 17, " 5 ", 1536 << 17));
  for (const int64_t count : {6, 7, 8, 9, 50, 100}) blocks(count, true);
  blocks(100, true, "(bl_x + th_x)");  // tied to threads
  // No number of 64 bits is a multiple of both divisors.
  EXPECT_EQ(counted("(th_x, bl_x) -> (th_x + (bl_x * 3 + th_x) floordiv 3458764513820540928 + "
                    "((bl_x + th_x) floordiv 1048573) floordiv 4611686018427387847), "
                    "domain: th_x in [0, 63], bl_x in [0, 9]",
                    "(d0) -> (d0), domain: d0 in [0, 99]", "f32[100]"),
            "20 80 4 640");
  // A constraint ties the iterations to the blocks.
  EXPECT_EQ(counted("(bl_z)[s0, s1] -> (s0 + bl_z * 9, s1), domain: bl_z in [0, 1], s0 in [0, 8], "
                    "s1 in [0, 1]",
                    "(d0, d1) -> (d0, d1), domain: d0 in [0, 10], d1 in [0, 1]",
                    "f32[11,2]{0,1:T(4,4)}", 8),
            "22 22 1 22");
}

// Iterations that are tied to threads: 2^23 points, and then one iteration more.
TEST(CoalescingTest, CountsUpToTheLimitOnThreads) {
  const auto iterations = [](int64_t count) {
    return counted(absl::StrCat("(th_x)[s0] -> ((th_x * s0) floordiv 7), domain: th_x in [0, ",
                                1023, "], s0 in [0, ", count - 1, "]"),
                   "(d0) -> (d0), domain: d0 in [0, 99999999]", "f32[100000000]", 32,
                   /*compare=*/false);
  };
  EXPECT_EQ(iterations(8192).substr(0, 7), "262144 ");
  EXPECT_EQ(iterations(8193), "blocks or iterations that are tied to threads have many values");
}

// The largest number of variables that the closed form separates.
TEST(CoalescingTest, ThreadsMayHave63Iterations) {
  std::string names, domain;
  for (int i = 0; i < 63; ++i) {
    absl::StrAppend(&names, i == 0 ? "" : ", ", "s", i);
    absl::StrAppend(&domain, ", s", i, " in [0, ", i == 62 ? 1 : 0, "]");
  }
  EXPECT_EQ(counted(absl::StrCat("(th_x)[", names,
                                 "] -> (th_x + s62 * 32), domain: th_x in [0, 31]", domain),
                    "(d0) -> (d0), domain: d0 in [0, 63]", "f32[64]"),
            "2 8 4 64");
}

// Each warp begins at another byte of a transaction, and each of 4096 blocks shifts it by a byte.
// For four of these shifts it needs no second transaction.
TEST(CoalescingTest, CountsManyKindsOfWarpsAtAllRemaindersAtOnce) {
  const auto count = [](int64_t warps) {
    const auto found = impl::count_transactions(
        *parse_map(absl::StrCat("(th_x, bl_x) -> (th_x * 4 + th_x floordiv 1024 + bl_x), domain: ",
                                "th_x in [0, ", warps * 1024 - 1, "], bl_x in [0, 4095]")),
        *parse_map("(d0) -> (d0), domain: d0 in [0, 9999999]"), *parse_shape("u8[10000000]"),
        {1024, 4096});
    return found.ok()
               ? absl::StrCat(found->accesses, " accesses, ", found->transactions, " transactions")
               : std::string(found.status().message());
  };
  EXPECT_EQ(count(1), "4096 accesses, 8188 transactions");
  EXPECT_EQ(count(1000), "4096000 accesses, 8188000 transactions");
}

// ---- Kernels as emitters write them, for modules of the corpus ----

struct Kernel {
  std::string file, instruction, threads;
  int64_t warp;
  std::vector<std::string> operands;  // "transactions most" for the maps of each operand
};

// Every thread has one element. With warps of four times the threads: vectors of four elements.
constexpr char kLinear[] =
    "(th_x, bl_x) -> ((bl_x * 512 + th_x) floordiv 125, (bl_x * 512 + th_x) mod 125), domain: "
    "th_x in [0, 511], bl_x in [0, 1], bl_x * 512 + th_x in [0, 749]";
// Each thread has four consecutive elements.
constexpr char kUnrolled[] =
    "(th_x, bl_x)[s0] -> ((bl_x * 512 + th_x * 4 + s0) floordiv 125, "
    "(bl_x * 512 + th_x * 4 + s0) mod 125), domain: th_x in [0, 127], bl_x in [0, 1], "
    "s0 in [0, 3], bl_x * 512 + th_x * 4 + s0 in [0, 749]";
// A block has a tile of 32 by 32, and each of its 4 rows of threads has 8 rows of the tile: rows of
// the result, or of the operand.
constexpr char kTileOfResult[] =
    "(th_x, th_y, bl_x)[s0] -> (bl_x * 32 + s0 * 4 + th_y, th_x), domain: th_x in [0, 31], "
    "th_y in [0, 3], bl_x in [0, 1], s0 in [0, 7], th_x in [0, 23], "
    "bl_x * 32 + s0 * 4 + th_y in [0, 47]";
constexpr char kTileOfOperand[] =
    "(th_x, th_y, bl_x)[s0] -> (bl_x * 32 + th_x, s0 * 4 + th_y), domain: th_x in [0, 31], "
    "th_y in [0, 3], bl_x in [0, 1], s0 in [0, 7], bl_x * 32 + th_x in [0, 47], "
    "s0 * 4 + th_y in [0, 23]";

HloModule module_of_corpus(const std::string& name) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(hlo_corpus())) {
    if (entry.path().filename() != name) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    return *parse_hlo_module(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  ADD_FAILURE() << "no module " << name;
  return {};
}

// The computation and the instruction with that name.
std::pair<int32_t, int32_t> find_instruction(const HloModule& module, const std::string& name) {
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    const std::vector<HloInstruction>& all = module.computations[c].instructions;
    const auto at = std::ranges::find(all, name, &HloInstruction::name);
    if (at != all.end()) return {c, static_cast<int32_t>(at - all.begin())};
  }
  ADD_FAILURE() << "no instruction " << name;
  return {0, 0};
}

void expect_transactions(const Kernel& kernel) {
  const HloModule module = module_of_corpus(kernel.file);
  if (module.computations.empty()) return;
  const auto [computation, position] = find_instruction(module, kernel.instruction);
  const std::vector<HloInstruction>& all = module.computations[computation].instructions;
  impl::IndexingAnalysis analysis(module);
  const auto indexing = analysis.reads(computation, position);
  ASSERT_TRUE(indexing.ok()) << indexing.status();
  ASSERT_EQ(indexing->size(), kernel.operands.size());
  const IndexingMap threads = *parse_map(kernel.threads);
  for (size_t k = 0; k < indexing->size(); ++k) {
    const impl::LeafMaps& list = (*indexing)[k][0];
    ASSERT_EQ(list.maps.size(), 1U);
    const Shape& array = *all[all[position].operands[k].instruction].shape;
    const IndexingMap& access = list.maps[0].map;
    const auto found = impl::count_transactions(threads, access, array, {kernel.warp, 32});
    const auto expected =
        spec::count_transactions(threads, access, array, {kernel.warp, 32}, 1'000'000);
    ASSERT_TRUE(found.ok() && expected.ok()) << found.status() << expected.status();
    EXPECT_EQ(absl::StrCat(found->transactions, " ", found->most), kernel.operands[k])
        << kernel.instruction << ", operand " << k;
    EXPECT_EQ(absl::StrCat(expected->transactions, " ", expected->most), kernel.operands[k])
        << kernel.instruction << ", operand " << k;
  }
}

TEST(CoalescingTest, KernelsOfTheCorpus) {
  // 94 segments of 32 bytes hold the 750 elements. With vector accesses each is transferred once.
  expect_transactions(
      {"softmax.after.hlo", "broadcast_multiply_fusion", kLinear, 32, {"94 4", "24 1"}});
  expect_transactions(
      {"softmax.after.hlo", "broadcast_multiply_fusion", kLinear, 128, {"94 16", "6 1"}});
  expect_transactions(
      {"softmax.after.hlo", "broadcast_multiply_fusion", kUnrolled, 32, {"376 16", "24 1"}});
  // A transpose: either side can have contiguous elements.
  const std::string model = "language_model_train_step.after.hlo", copy = "copy_bitcast_fusion.28";
  expect_transactions({model, copy, kTileOfResult, 32, {"1152 24"}});
  expect_transactions({model, copy, kTileOfOperand, 32, {"144 4"}});
  // Reductions, one thread for each result: along columns, and along rows.
  expect_transactions({"mlp_train_step.before.hlo",
                       "reduce_sum.62",
                       "(th_x) -> (th_x), domain: th_x in [0, 63]",
                       32,
                       {"85 4", "2 1"}});
  expect_transactions({"mlp_train_step.before.hlo",
                       "reduce_max.7",
                       "(th_x) -> (th_x), domain: th_x in [0, 31]",
                       32,
                       {"55 11", "1 1"}});
}

}  // namespace
}  // namespace tileproof::verify
