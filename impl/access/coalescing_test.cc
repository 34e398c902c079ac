// SPDX-License-Identifier: Apache-2.0
// Coalescing: refusals, limits, kernels of the corpus, and random kernels of random HLO compared with
// the definition. corpus/golden/counts.txt has examples.

#include "impl/access/coalescing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "corpus/files.h"
#include "corpus/paths.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/access/coalescing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::verify {
namespace {

// "accesses transactions most elements" of `WIDTH ARRAY`, a map of threads and an access, each on a
// line. If `compares`, also expects the same from the definition.
template <bool compares>
std::string counted(absl::string_view question) {
  const auto text = [](const auto& a) {
    if (!a.ok()) return std::string(a.status().message());
    return absl::StrCat(a->accesses, " ", a->transactions, " ", a->most, " ", a->elements);
  };
  const auto [head, threads, access] = parts_of<3>(question, "\n");
  const auto [width, array] = parts_of<2>(head);
  const Warps warps{32, numbers_of(width).at(0)};
  const IndexingMap t = *parse_map(threads), m = *parse_map(access);
  const Shape shape = *parse_shape(array);
  const std::string found = text(impl::count_transactions(t, m, shape, warps));
  if (compares) {
    EXPECT_EQ(found, text(spec::count_transactions(t, m, shape, warps, 1'000'000)));
  }
  return found;
}

TEST(CoalescingTest, Answers) {
  expect_answers("answers/coalescing.txt", {{"count", counted<true>}, {"closed", counted<false>}});
}

constexpr char kThreads[] = "(th_x) -> (th_x), domain: th_x in [0, 127]";
constexpr char kLine[] = "(d0) -> (d0), domain: d0 in [0, 127]";

TEST(CoalescingTest, BothRejectInvalidWarps) {
  const IndexingMap threads = *parse_map(kThreads), line = *parse_map(kLine);
  const Shape array = *parse_shape("f32[128]");
  for (const Warps& none : {Warps{0, 32}, {32, 0}, {-1, -1}}) {
    EXPECT_EQ(spec::count_transactions(threads, line, array, none, 1000).status(),
              absl::InvalidArgumentError("expected a warp and a width of at least 1"));
  }
  for (const Warps& none : {Warps{0, 32}, {32, 0}, {-1, -1}, {1025, 32}, {32, 4097}}) {
    EXPECT_TRUE(
        absl::IsInvalidArgument(impl::count_transactions(threads, line, array, none).status()))
        << none.warp << " " << none.width;
  }
}

TEST(CoalescingTest, MapsWithoutPointsAccessNothing) {
  const IndexingMap threads = *parse_map(kThreads), line = *parse_map(kLine);
  const Shape array = *parse_shape("f32[128]");
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
TEST(CoalescingTest, TheReferenceEnumeratesAWideElement) {
  const IndexingMap threads = *parse_map("(th_x) -> (th_x), domain: th_x in [0, 63]"),
                    line = *parse_map("(d0) -> (d0 * 2), domain: d0 in [0, 63]");
  const Shape array = *parse_shape("f32[256]{0:E(11767956971140)}");
  EXPECT_EQ(spec::count_transactions(threads, line, array, {32, 32}, 1 << 20).status().message(),
            "too many points to enumerate");
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
    return *parse_hlo_module(file_text(entry.path()));
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

namespace tileproof::impl {
namespace {

// One line for each array of the entry's root: "result: 4 accesses, 4 transactions, at most 1, 128
// elements of 32 bits".
std::string traffic_of(absl::string_view text) {
  const auto [head, threads, hlo] = parts_of<3>(text, "\n");
  const auto [output, lanes, bytes] = parts_of<3>(head);
  const Warps warps{.warp = numbers_of(lanes).at(0), .width = numbers_of(bytes).at(0)};
  const HloModule module = module_of(hlo);
  IndexingAnalysis analysis(module);
  const auto all = kernel_traffic(
      analysis, module, module.entry, module.computations[module.entry].root,
      static_cast<int32_t>(numbers_of(output).at(0)), parse_map(threads).value(), warps);
  if (!all.ok()) return std::string(all.status().message());
  std::string lines;
  for (const KernelTraffic& one : *all) {
    absl::StrAppend(&lines, one.name, ": ");
    if (one.accesses) {
      absl::StrAppend(&lines, one.accesses->accesses, " accesses, ", one.accesses->transactions,
                      " transactions, at most ", one.accesses->most, ", ", one.accesses->elements,
                      " elements of ", one.bits, " bits\n");
    } else {
      absl::StrAppend(&lines, one.why, ", ", one.bits, " bits\n");
    }
  }
  return lines;
}

TEST(KernelTraffic, Answers) {
  expect_answers("answers/kernel_traffic.txt", {{"traffic", traffic_of}});
}

}  // namespace
}  // namespace tileproof::impl
