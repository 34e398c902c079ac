// SPDX-License-Identifier: Apache-2.0
// What answers cost, against the size of the question: tools/curves draws this.
//
//     cost_curves
//
// Prints lines: the curve, the series, the size, nanoseconds of processor time. Each time is the
// least of five rounds, and in a round our work and what one would use instead follow each other.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bench/deep_network.h"
#include "bench/measured.h"
#ifdef TILEPROOF_MLIR_22
#include "bench/mlir_simplify.h"
#endif
#ifdef TILEPROOF_ONEDNN
#include "bench/peer_onednn.h"
#endif
#ifdef TILEPROOF_ISL
#include "bench/peers.h"
#endif
#include "generate/choose/choose.h"
#include "generate/map/generate_map.h"
#include "impl/hlo/module_indexing.h"
#include "impl/layout/offset_array.h"
#include "impl/map/simplify.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

constexpr int kRounds = 5;
constexpr int64_t kQuestions = 20'000;

using Sizes = std::vector<int64_t>;
using Work = std::function<void()>;
using Works = std::vector<std::pair<const char*, Work>>;

double nanoseconds(const Work& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

// One point of a curve: the works are named; `count` pieces of work each.
void measure(const char* curve, int64_t size, double count, const Works& works) {
  std::vector<double> best(works.size(), 1e18);
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < works.size(); ++i)
      best[i] = std::min(best[i], nanoseconds(works[i].second));
  }
  for (size_t i = 0; i < works.size(); ++i) {
    std::printf("%s\t%s\t%lld\t%.4g\n", curve, works[i].first, static_cast<long long>(size),
                best[i] / count);
  }
  std::fflush(stdout);
}

std::string shape_text(const Sizes& dims, absl::string_view tiles) {
  Sizes order;
  for (int64_t d = std::ssize(dims) - 1; d >= 0; --d) order.push_back(d);
  return absl::StrCat("f32[", absl::StrJoin(dims, ","), "]{", absl::StrJoin(order, ","),
                      tiles.empty() ? "" : ":", tiles, "}");
}

Work ask_all(const impl::TiledLayout& layout, const Sizes& dims) {
  return [&layout, &dims] {
    Sizes index(dims.size());
    for (int64_t i = 0; i < kQuestions; ++i) {
      for (size_t d = 0; d < dims.size(); ++d)
        index[d] = (i * (2 * static_cast<int64_t>(d) + 3)) & 7;
      use(layout.linearize_unchecked(index));
    }
  };
}

void by_rank() {
  for (int64_t rank = 1; rank <= 8; ++rank) {
    const Sizes dims(static_cast<size_t>(rank), 9), tile(static_cast<size_t>(rank), 3);
    const impl::TiledLayout layout =
        layout_of(shape_text(dims, absl::StrCat("T(", absl::StrJoin(tile, ","), ")")));
    const ObviousLayout obvious{dims, tile};
    const Work loop = [&] {
      Sizes index(dims.size());
      for (int64_t i = 0; i < kQuestions; ++i) {
        for (size_t d = 0; d < dims.size(); ++d)
          index[d] = (i * (2 * static_cast<int64_t>(d) + 3)) & 7;
        use(obvious.offset(index.data()));
      }
    };
    measure("rank", rank, kQuestions,
            {{"an index", ask_all(layout, dims)}, {"the obvious loop", loop}});
  }
}

void by_tiles() {
  const char* tiles[] = {"", "T(8,128)", "T(8,128)(4,1)", "T(8,128)(4,1)(2,1)",
                         "T(8,128)(4,1)(2,1)(2,1)"};
  const Sizes dims = {1000, 1000};
  for (size_t i = 0; i < std::size(tiles); ++i) {
    const std::string shape = shape_text(dims, tiles[i]);
    const impl::TiledLayout layout = layout_of(shape);
    const Work compile = [&] {
      for (int k = 0; k < 20; ++k) use(layout_of(shape));
    };
    measure("tiles", static_cast<int64_t>(i), kQuestions, {{"an index", ask_all(layout, dims)}});
    measure("tiles", static_cast<int64_t>(i), 20, {{"to compile the layout", compile}});
  }
}

int64_t repeats_of(const Sizes& dims) {
  return std::max<int64_t>(1, (1 << 20) / (dims[0] * dims[1]));
}

// The work so often that a round writes a million elements.
Work repeated(const Sizes& dims, Work work) {
  return [repeats = repeats_of(dims), work = std::move(work)] {
    for (int64_t i = 0; i < repeats; ++i) work();
  };
}

// Arrays of floats to copy from and to.
struct Buffers {
  explicit Buffers(const Sizes& dims)
      : source(static_cast<size_t>(dims[0] * dims[1]), 1), out(source.size(), 2) {}
  std::vector<float> source, out;
};

// Adds the copy of an array, and memcpy beside it.
void add_copies(const impl::RelayoutPlan& plan, const Sizes& dims, Buffers& buffers, Works& works) {
  works.emplace_back("an element of a relayout", repeated(dims, [&] {
                       plan.run(buffers.source.data(), buffers.out.data());
                       use(buffers.out);
                     }));
  works.emplace_back("memcpy of 4 bytes", repeated(dims, [&] {
                       std::memcpy(buffers.out.data(), buffers.source.data(),
                                   buffers.out.size() * sizeof(float));
                       use(buffers.out);
                     }));
}

void by_size() {
  for (int64_t rows = 8; rows <= 8192; rows *= 4) {
    const Sizes dims = {rows, 1024};
    const std::string tiled = shape_text(dims, "T(8,128)");
    const impl::TiledLayout layout = layout_of(tiled);
    const impl::RelayoutPlan plan = plan_of(shape_text(dims, ""), tiled);
    Buffers buffers(dims);
    Sizes offsets(buffers.out.size());
    Works works = {
        {"an offset of all",
         repeated(dims,
                  [&] {
                    use(impl::offsets(layout, {0, 0}, dims, absl::MakeSpan(offsets)).ok());
                  })},
        {"writing an int64", repeated(dims, [&] {
           std::ranges::fill(offsets, int64_t{1});
           use(offsets);
         })}};
    add_copies(plan, dims, buffers, works);
    measure("size", rows * 1024, static_cast<double>(repeats_of(dims) * rows * 1024), works);
  }
}

// From rows into oneDNN's blocks of 16 x 16, with the columns of a block side by side.
void by_size_in_blocks() {
  for (int64_t rows = 16; rows <= 8192; rows *= 4) {
    const Sizes dims = {rows, 1024};
    const std::string array = absl::StrCat("f32[", rows, ",1024]");
    const impl::RelayoutPlan plan = plan_of(array, absl::StrCat("dnnl:AB16b16a:", array));
    Buffers buffers(dims);
    Works works;
    add_copies(plan, dims, buffers, works);
#ifdef TILEPROOF_ONEDNN
    works.emplace_back(
        "an element of oneDNN's reorder",
        repeated(dims, onednn_reorder(rows, 1024, buffers.source.data(), buffers.out.data())));
#endif
    measure("blocks", rows * 1024, static_cast<double>(repeats_of(dims) * rows * 1024), works);
  }
}

int64_t nodes_of(const IndexingMap& map) {
  int64_t nodes = 0;
  for (const NodeId result : map.results) nodes += tree_size(map.nodes, result);
  return nodes;
}

#ifdef TILEPROOF_ISL
// The best of five runs of each map, without reading it.
void measure_isl(const std::vector<IndexingMap>& maps, int64_t nodes) {
  double sum = 0;
  for (const IndexingMap& map : maps) {
    const std::optional<double> nanoseconds = simplify_with_isl(map);
    if (!nanoseconds) return;  // isl gave up
    sum += *nanoseconds;
  }
  std::printf("nodes\tisl\t%lld\t%.4g\n", static_cast<long long>(nodes / std::ssize(maps)),
              sum / static_cast<double>(nodes));
}
#endif

// Chains of reshapes, in bins of as many nodes; each bin has forty of them.
void by_nodes() {
  constexpr size_t kMaps = 40;
  Choose choose(Choose::Random{1});
  std::vector<std::vector<IndexingMap>> bins(8);  // below 8, 16, .. 1,024 nodes
  for (int i = 0; i < 20'000; ++i) {
    IndexingMap map = generate_chain(choose).map;
    const int64_t nodes = nodes_of(map);
    size_t bin = 0;
    while (bin + 1 < bins.size() && nodes >= int64_t{8} << bin) ++bin;
    if (nodes < 1024 && bins[bin].size() < kMaps) bins[bin].push_back(std::move(map));
  }
  for (const std::vector<IndexingMap>& maps : bins) {
    if (maps.size() < kMaps) continue;
    int64_t nodes = 0;
    for (const IndexingMap& map : maps) nodes += nodes_of(map);
    Works works = {{"a node, simplified", [&] {
                      for (const IndexingMap& map : maps) use(valid(impl::simplify(map)));
                    }}};
#ifdef TILEPROOF_MLIR_22
    works.emplace_back("MLIR 22", [&] { simplify_with_mlir_22(maps); });
#endif
    measure("nodes", nodes / std::ssize(maps), static_cast<double>(nodes), works);
#ifdef TILEPROOF_ISL
    measure_isl(maps, nodes);
#endif
  }
}

void by_instructions() {
  for (int layers = 10; layers <= 1280; layers *= 2) {
    const std::string text = deep_network(layers);
    const HloModule module = valid(parse_hlo_module(text));
    const int64_t count = instruction_count(module);
    measure("instructions", count, static_cast<double>(count),
            {{"an instruction, read", [&] { use(valid(parse_hlo_module(text))); }},
             {"an instruction, analyzed",
              [&] { in_new_thread([&] { use(impl::index_module(module).maps); }); }}});
  }
}

}  // namespace
}  // namespace tileproof

int main() {
  tileproof::by_rank();
  tileproof::by_tiles();
  tileproof::by_size();
  tileproof::by_size_in_blocks();
  tileproof::by_nodes();
  tileproof::by_instructions();
}
