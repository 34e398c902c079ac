// SPDX-License-Identifier: Apache-2.0
// Measures the closed forms beside what one would use instead, in one run:
//
//     side_by_side [--json]     a row for each piece of work: our time, the peer's, peer / ours
//     side_by_side --curves     lines of a curve, a series, the size of the question, nanoseconds;
//                               tools/curves draws them
//
// Times are those of the processor, the median of five rounds. In a round our work and the peer's
// follow each other.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "bench/measured.h"
#include "bench/peers.h"
#include "conform/protocol/json.h"
#include "corpus/paths.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "generate/map/generate_map.h"
#include "impl/hlo/module_indexing.h"
#include "impl/layout/offset_array.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

constexpr int kRounds = 5;

using Sizes = std::vector<int64_t>;
using Run = std::function<void()>;

struct Work {
  std::string name;
  Run run;
};
using Works = std::vector<Work>;  // ours first, then those of peers

double nanoseconds(const Run& run) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  run();
  return now() - start;
}

// The time of one of `count` pieces of each work.
std::vector<double> measured(const Works& works, double count) {
  std::vector<std::vector<double>> rounds(works.size());
  for (const Work& work : works) work.run();
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < works.size(); ++i) rounds[i].push_back(nanoseconds(works[i].run));
  }
  std::vector<double> medians;
  for (std::vector<double>& times : rounds) {
    std::ranges::sort(times);
    medians.push_back(times[kRounds / 2] / count);
  }
  return medians;
}

// ---- Works -------------------------------------------------------------------------------------

// The benchmark asks a layout for the offsets at these indices, and so it asks the loop that one would write.
struct Subject {
  impl::TiledLayout layout;
  ObviousLayout obvious;
  std::vector<Sizes> indices;
  Sizes offsets;
};

constexpr int64_t kQuestions = 4096, kRepeats = 200;
constexpr double kAsked = kQuestions * kRepeats;

Subject subject(const std::string& text, const Sizes& tile) {
  Subject subject{layout_of(text), {}, {}, {}};
  subject.obvious = {subject.layout.logical(), tile};
  Choose choose(Choose::Random{1});
  for (int64_t i = 0; i < kQuestions; ++i) {
    subject.indices.push_back(random_index(choose, subject.layout.logical()));
    subject.offsets.push_back(subject.layout.linearize_unchecked(subject.indices.back()));
  }
  return subject;
}

// Dies if the two do not agree: their times would mean nothing.
void expect_same(const Subject& subject) {
  Sizes index(subject.obvious.dims.size());
  for (size_t i = 0; i < subject.offsets.size(); ++i) {
    subject.obvious.index(subject.offsets[i], index.data());
    if (subject.obvious.offset(subject.indices[i].data()) == subject.offsets[i] &&
        index == subject.indices[i]) {
      continue;
    }
    stop("the obvious loop and the closed form differ");
  }
}

Run repeated(int64_t repeats, Run run) {
  return [repeats, run = std::move(run)] {
    for (int64_t i = 0; i < repeats; ++i) run();
  };
}

Work index_work(const Subject& s) {
  return {"an index", repeated(kRepeats, [&s] {
            for (const Sizes& index : s.indices) use(s.layout.linearize_unchecked(index));
          })};
}

Works index_works(const Subject& s) {
  expect_same(s);
  return {index_work(s), {"the obvious loop", repeated(kRepeats, [&s] {
                            for (const Sizes& index : s.indices)
                              use(s.obvious.offset(index.data()));
                          })}};
}

Works inverse_works(const Subject& s, Sizes& index) {
  expect_same(s);
  index.resize(s.obvious.dims.size());
  const auto ours = [&s, &index] {
    for (const int64_t offset : s.offsets) {
      s.layout.delinearize_unchecked(offset, absl::MakeSpan(index));
      use(index);
    }
  };
  const auto theirs = [&s, &index] {
    for (const int64_t offset : s.offsets) {
      s.obvious.index(offset, index.data());
      use(index);
    }
  };
  return {{"an inverse", repeated(kRepeats, ours)},
          {"the obvious loop", repeated(kRepeats, theirs)}};
}

// All offsets of an array, so often that a round writes some millions.
Works offsets_works(const impl::TiledLayout& layout, Sizes& out, int64_t repeats) {
  out.resize(static_cast<size_t>(layout.elements() - layout.padding()));
  const auto ours = [&layout, &out] {
    const Sizes begin(layout.logical().size(), 0);
    use(impl::offsets(layout, begin, layout.logical(), absl::MakeSpan(out)).ok());
  };
  const auto theirs = [&out] {
    std::ranges::fill(out, int64_t{1});
    use(out);
  };
  return {{"an offset of all", repeated(repeats, ours)},
          {"writing an int64", repeated(repeats, theirs)}};
}

struct Buffers {
  explicit Buffers(const impl::RelayoutPlan& plan)
      : source(static_cast<size_t>(plan.source_bytes()), 1),
        out(static_cast<size_t>(plan.destination_bytes()), 2) {}
  int64_t repeats() const { return std::max<int64_t>(1, (int64_t{1} << 22) / std::ssize(out)); }
  std::vector<char> source, out;
};

// A relayout, and a copy of as many bytes as it writes.
Works copy_works(const impl::RelayoutPlan& plan, Buffers& buffers) {
  const auto ours = [&plan, &buffers] {
    plan.run(buffers.source.data(), buffers.out.data());
    use(buffers.out);
  };
  const auto theirs = [&buffers] {
    std::memcpy(buffers.out.data(), buffers.source.data(),
                std::min(buffers.source.size(), buffers.out.size()));
    use(buffers.out);
  };
  return {{"an element of a relayout", repeated(buffers.repeats(), ours)},
          {"memcpy of 4 bytes", repeated(buffers.repeats(), theirs)}};
}

Works simplify_works(const std::vector<IndexingMap>& maps) {
  Works works = {{"a node, simplified", [&maps, workspace = std::make_shared<impl::Workspace>()] {
                    for (const IndexingMap& map : maps)
                      use(valid(impl::simplify_in(*workspace, map)));
                  }}};
#ifdef TILEPROOF_MLIR_22
  works.push_back({"MLIR 22", [&maps] { simplify_with_mlir_22(maps); }});
#endif
  return works;
}

// ---- The table ---------------------------------------------------------------------------------

class Table {
 public:
  explicit Table(bool json) : json_(json) {}

  // Ours beside one peer.
  void row(const std::string& work, const std::string& input, const std::string& peer,
           const Works& works, double count) const {
    const std::vector<double> times = measured(works, count);
    const char* form =
        json_ ? "{\"work\": \"%s\", \"input\": \"%s\", \"ours_ns\": %.3g, \"peer\": \"%s\", "
                "\"peer_ns\": %.3g, \"ratio\": %.3g}\n"
              : "%-16s %-32s %12.2f ns   %-22s %12.2f ns   ratio %6.2f\n";
    std::printf(form, work.c_str(), input.c_str(), times[0], peer.c_str(), times[1],
                times[1] / times[0]);
    std::fflush(stdout);
  }

  void relayout(const std::string& work, const std::string& from, const std::string& to) const {
    impl::RelayoutOptions options;
    options.element_bits = byte_width(parse_shape(from)->element_type) * 8;
    const impl::RelayoutPlan plan = plan_of(from, to, options);
    Buffers buffers(plan);
    row(work, absl::StrCat(from, " to ", to), "memcpy", copy_works(plan, buffers),
        static_cast<double>(buffers.repeats()));
  }

  // A small array, beside loops that know all sizes when they are compiled.
  void small_relayout() const {
    const std::string from = "f32[64,256]{1,0}", to = "f32[64,256]{1,0:T(8,128)}";
    const impl::RelayoutPlan plan = plan_of(from, to);
    Buffers buffers(plan);
    Works works = copy_works(plan, buffers);
    works[1].run = repeated(buffers.repeats(), [&buffers] {
      for (size_t row = 0; row < 64; ++row) {
        for (size_t tile = 0; tile < 2; ++tile) {
          std::copy_n(&buffers.source[4 * (row * 256 + tile * 128)], 4 * 128,
                      &buffers.out[4 * (row / 8 * 2048 + tile * 1024 + row % 8 * 128)]);
        }
      }
      use(buffers.out);
    });
    row("relayout_small", absl::StrCat(from, " to ", to), "loops with constants", works,
        static_cast<double>(buffers.repeats()));
  }

  // The time of a map, in the mean over those of a file that MLIR can express. Says on standard
  // error what is missing.
  void simplify(const std::string& work, const std::string& path) const {
    std::vector<IndexingMap> maps = maps_in_file(path);
#ifdef TILEPROOF_MLIR_22
    std::erase_if(maps, [](const IndexingMap& map) { return !mlir_expresses(map); });
#endif
    const Works works = simplify_works(maps);
    if (maps.empty()) {
      std::fprintf(stderr, "%s: no maps in %s\n", work.c_str(), path.c_str());
    } else if (works.size() < 2) {
      std::fprintf(stderr, "%s: the peer MLIR 22 is missing (Debian: libmlir-22-dev llvm-22-dev)\n",
                   work.c_str());
    } else {
      row(work, absl::StrCat(maps.size(), " maps of ", path.substr(path.rfind('/') + 1)),
          "simplifyAffineMap of MLIR 22", works, static_cast<double>(maps.size()));
    }
  }

 private:
  // Those of a file with a map in each line, or of the lines {"op": "simplify", "input": MAP, ..}.
  static std::vector<IndexingMap> maps_in_file(const std::string& path) {
    std::ifstream file(path);
    std::vector<IndexingMap> maps;
    for (std::string line; std::getline(file, line);) {
      if (const auto json = conform::read_json(line); json.ok()) {
        const conform::Json *op = find(json->value, "op"), *input = find(json->value, "input");
        const auto* map = input == nullptr ? nullptr : input->as<std::string>();
        if (op == nullptr || map == nullptr || !(*op == conform::Json("simplify"))) continue;
        line = *map;
      }
      absl::StatusOr<IndexingMap> map = parse_map(line);
      if (map.ok()) maps.push_back(*std::move(map));
    }
    return maps;
  }

  bool json_;
};

void print_table(bool json) {
  const Table table(json);
  const std::string tiled = "f32[512,1024]{1,0:T(8,128)}", untiled = "f32[512,1024]{1,0}";
  const Subject in_tiles = subject(tiled, {8, 128}), in_rows = subject(untiled, {1, 1});
  const std::string loop = "the obvious loop";
  Sizes index, offsets;
  table.row("index_tiled", tiled, loop, index_works(in_tiles), kAsked);
  table.row("index_untiled", untiled, loop, index_works(in_rows), kAsked);
  table.row("inverse_tiled", tiled, loop, inverse_works(in_tiles, index), kAsked);
  table.row("inverse_untiled", untiled, loop, inverse_works(in_rows, index), kAsked);
  const std::string rows = "f32[4096,4096]{1,0}", tiles = "f32[4096,4096]{1,0:T(8,128)}";
  const impl::TiledLayout large = layout_of(tiles);
  table.row("offsets_array", tiles, "writing as many int64", offsets_works(large, offsets, 1), 1);
  table.relayout("relayout_tile", rows, tiles);
  table.relayout("relayout_untile", tiles, rows);
  const std::string halves = "bf16[4096,8192]{1,0}", packed = "bf16[4096,8192]{1,0:T(8,128)(2,1)}";
  table.relayout("relayout_packed", halves, packed);
  table.relayout("relayout_unpacked", packed, halves);
  table.relayout("relayout_packed_4", "s8[8192,8192]{1,0}", "s8[8192,8192]{1,0:T(8,128)(4,1)}");
  table.relayout("relayout_transpose", rows, "f32[4096,4096]{0,1}");
  table.small_relayout();
  const std::string shared = project_path("../shared/data/");
  table.simplify("simplify_hlo", shared + "maps_hlo.txt");
  table.simplify("simplify_chains", shared + "maps_synth.txt");
  table.simplify("simplify_xla", shared + "xla_cases.jsonl");
  table.simplify("simplify_corpus", project_path("corpus/maps/chains.txt"));
}

// ---- The curves --------------------------------------------------------------------------------

void point(const char* curve, const std::string& series, int64_t size, double time) {
  std::printf("%s\t%s\t%lld\t%.4g\n", curve, series.c_str(), static_cast<long long>(size), time);
  std::fflush(stdout);
}

void points(const char* curve, int64_t size, double count, const Works& works) {
  const std::vector<double> times = measured(works, count);
  for (size_t i = 0; i < works.size(); ++i) point(curve, works[i].name, size, times[i]);
}

void by_rank() {
  for (size_t rank = 1; rank <= 8; ++rank) {
    const Sizes tile(rank, 3);
    Sizes order(rank);
    for (size_t d = 0; d < rank; ++d) order[d] = static_cast<int64_t>(rank - 1 - d);
    const Subject s =
        subject(absl::StrCat("f32[", absl::StrJoin(Sizes(rank, 9), ","), "]{",
                             absl::StrJoin(order, ","), ":T(", absl::StrJoin(tile, ","), ")}"),
                tile);
    points("rank", static_cast<int64_t>(rank), kAsked, index_works(s));
  }
}

void by_tiles() {
  constexpr int kCompiled = 20;
  const std::string tiles[] = {"", ":T(8,128)", ":T(8,128)(4,1)", ":T(8,128)(4,1)(2,1)",
                               ":T(8,128)(4,1)(2,1)(2,1)"};
  for (int64_t i = 0; i < std::ssize(tiles); ++i) {
    const std::string shape = absl::StrCat("f32[1000,1000]{1,0", tiles[i], "}");
    const Subject s = subject(shape, {});
    points("tiles", i, kAsked, {index_work(s)});
    points("tiles", i, kCompiled,
           {{"to compile the layout", repeated(kCompiled, [&shape] { use(layout_of(shape)); })}});
  }
}

void by_size() {
  for (int64_t rows = 8; rows <= 8192; rows *= 4) {
    const std::string array = absl::StrCat("f32[", rows, ",1024]{1,0");
    const impl::TiledLayout layout = layout_of(array + ":T(8,128)}");
    const impl::RelayoutPlan plan = plan_of(array + "}", array + ":T(8,128)}");
    Buffers buffers(plan);
    Sizes offsets;
    Works works = offsets_works(layout, offsets, buffers.repeats());
    for (Work& work : copy_works(plan, buffers)) works.push_back(std::move(work));
    points("size", rows * 1024, static_cast<double>(buffers.repeats() * rows * 1024), works);
  }
}

// From rows into oneDNN's blocks of 16 x 16, with the columns of a block side by side.
void by_size_in_blocks() {
  for (int64_t rows = 16; rows <= 8192; rows *= 4) {
    const std::string array = absl::StrCat("f32[", rows, ",1024]");
    const impl::RelayoutPlan plan = plan_of(array, absl::StrCat("dnnl:AB16b16a:", array));
    Buffers buffers(plan);
    Works works = copy_works(plan, buffers);
#ifdef TILEPROOF_ONEDNN
    works.push_back({"an element of oneDNN's reorder",
                     repeated(buffers.repeats(), onednn_reorder(rows, 1024, buffers.source.data(),
                                                                buffers.out.data()))});
#endif
    points("blocks", rows * 1024, static_cast<double>(buffers.repeats() * rows * 1024), works);
  }
}

int64_t nodes_of(const IndexingMap& map) {
  int64_t nodes = 0;
  for (const NodeId result : map.results) nodes += tree_size(map.nodes, result);
  return nodes;
}

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
    points("nodes", nodes / std::ssize(maps), static_cast<double>(nodes), simplify_works(maps));
#ifdef TILEPROOF_ISL
    if (const std::optional<double> time = simplify_with_isl(maps))
      point("nodes", "isl", nodes / std::ssize(maps), *time / static_cast<double>(nodes));
#endif
  }
}

void by_instructions() {
  for (int layers = 10; layers <= 1280; layers *= 2) {
    const std::string text = deep_network(layers);
    const HloModule module = valid(parse_hlo_module(text));
    const int64_t count = instruction_count(module);
    points("instructions", count, static_cast<double>(count),
           {{"an instruction, read", [&] { use(valid(parse_hlo_module(text))); }},
            {"an instruction, analyzed",
             [&] { in_new_thread([&] { use(impl::index_module(module).maps); }); }}});
  }
}

void print_curves() {
  by_rank();
  by_tiles();
  by_size();
  by_size_in_blocks();
  by_nodes();
  by_instructions();
}

}  // namespace
}  // namespace tileproof

int main(int argc, char** argv) {
  const absl::string_view option = argc == 2 ? argv[1] : "";
  if (argc > 2 || (argc == 2 && option != "--json" && option != "--curves")) {
    std::fprintf(stderr, "usage: side_by_side [--json | --curves]\n");
    return 2;
  }
  option == "--curves" ? tileproof::print_curves() : tileproof::print_table(option == "--json");
}
