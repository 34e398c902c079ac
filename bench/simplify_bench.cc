// SPDX-License-Identifier: Apache-2.0
// Measures the time of a simplification, and how often two equal maps get the same text.
//
//     simplify_bench [--maps FILE] [Google Benchmark's options]
//
// The file has one map per line, or cases of XLA's tests (bench/simplify_rows.h). Without a file, the
// benchmark generates chains of operations.
//
//     simplify          one map after another, so that each finds cold caches and predictors
//     simplify_again    each map several times in a row
//     completeness      rewrites random maps by identities of the integers, and counts the
//                       pairs whose simplified texts are the same
//
// Times are nanoseconds per simplification without parsing: the best of each map, and the mean and
// the median over all maps.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/measured.h"
#include "bench/simplify_rows.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

std::vector<IndexingMap>& maps() {
  static std::vector<IndexingMap> list;
  return list;
}

void simplify_all(benchmark::State& state, int in_a_row) {
  using Clock = std::chrono::steady_clock;
  impl::Workspace workspace;
  std::vector<double> best(maps().size(), 1e18);
  for (auto _ : state) {
    for (size_t i = 0; i < maps().size() * in_a_row; ++i) {
      const size_t at = i / in_a_row;
      const auto start = Clock::now();
      benchmark::DoNotOptimize(impl::simplify(maps()[at], workspace));
      const std::chrono::duration<double, std::nano> time = Clock::now() - start;
      best[at] = std::min(best[at], time.count());
    }
  }
  double sum = 0;
  for (double time : best) sum += time;
  std::ranges::sort(best);
  state.counters["maps"] = static_cast<double>(best.size());
  state.counters["mean_ns"] = sum / static_cast<double>(best.size());
  state.counters["median_ns"] = best[best.size() / 2];
  state.counters["max_ns"] = best.back();
}

void completeness(benchmark::State& state, bool chains) {
  int64_t pairs = 0, same = 0;
  uint64_t seed = 0;
  for (auto _ : state) {
    Choose choose(Choose::Random{++seed});
    const IndexingMap map =
        chains ? generate_chain(choose).map : generate_map(choose, {.constraints = 0});
    const IndexingMap other = rewrite_by_identities(choose, map);
    const absl::StatusOr<IndexingMap> a = impl::simplify(map), b = impl::simplify(other);
    const bool equal = a.ok() && b.ok() && to_text(*a) == to_text(*b);
    ++pairs;
    same += equal;
    if (!equal && std::getenv("TILEPROOF_SHOW") != nullptr) {
      std::fprintf(stderr, "%s\n%s\n  %s\n  %s\n", to_text(map).c_str(), to_text(other).c_str(),
                   to_text(*a).c_str(), to_text(*b).c_str());
    }
  }
  state.counters["pairs"] = static_cast<double>(pairs);
  state.counters["same_percent"] = 100.0 * static_cast<double>(same) / static_cast<double>(pairs);
}

void make_maps() {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choose choose(Choose::Random{seed});
    maps().push_back(generate_chain(choose).map);
  }
}

}  // namespace
}  // namespace tileproof

int main(int argc, char** argv) {
  using namespace tileproof;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--maps") != 0) continue;
    maps() = maps_in_file(argv[i + 1]).value_or(maps());
    if (maps().empty())
      stop(absl::StrCat("expected a file with maps, found none in ", argv[i + 1]));
    std::copy(argv + i + 2, argv + argc, argv + i);
    argc -= 2;
  }
  if (maps().empty()) make_maps();
  benchmark::RegisterBenchmark("simplify", simplify_all, 1)->Iterations(100);
  benchmark::RegisterBenchmark("simplify_again", simplify_all, 8)->Iterations(100);
  benchmark::RegisterBenchmark("completeness/arbitrary", completeness, false)->Iterations(20'000);
  benchmark::RegisterBenchmark("completeness/chains", completeness, true)->Iterations(5'000);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
