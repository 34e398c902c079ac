// SPDX-License-Identifier: Apache-2.0
// Measures the time to decide equality of maps, and how many pairs stay undecided.
//
//     equal_bench [--benchmark_..]
//
// Each benchmark decides pairs of one family in turn. Equal: a map and an equivalent rewrite of it.
// Edited: a map and a copy with a small edit. Simplified: a map and its simplified form. Solver: by
// the solver alone, without sampling and simplifier. The counters are the numbers of pairs that
// were proven, refuted and undecided.
//
//     Radix     20 dimensions, 2^50 points: the offset in one array, split into digits of another
//     Large     20 dimensions, coefficients and divisors near 2^40
//     Chain     chains of reshapes, transposes, slices, .. with up to 2^50 points
//     Any       arbitrary maps with small boxes
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "impl/map/simplify.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof {
namespace {

NodeId times(IndexingMap& map, NodeId x, int64_t factor) {
  return add_operation(map.nodes, Op::kMul, x, add_constant(map.nodes, factor));
}

NodeId divided(IndexingMap& map, Op op, NodeId x, int64_t divisor) {
  return add_operation(map.nodes, op, x, add_constant(map.nodes, divisor));
}

// Returns a map that splits the offset in a 20-dimensional array of 2^50 elements into digits.
IndexingMap radix(Choose& choose) {
  constexpr int kVariables = 20;
  IndexingMap map;
  NodeId position = -1;
  int bits = 50;
  for (int v = kVariables; v-- > 0;) {
    const int here = v == 0 ? bits : v < 10 ? 2 : 3;
    bits -= here;
    map.dimensions.push_back({{0, (int64_t{1} << here) - 1}, ""});
    const NodeId x = add_variable(map.nodes, Op::kDimension, kVariables - 1 - v);
    const NodeId term = times(map, x, int64_t{1} << bits);
    position = position < 0 ? term : add_operation(map.nodes, Op::kAdd, position, term);
  }
  static const std::vector<int64_t> kSizes = {3, 128, 7, 1024, 12, 640, 5, 96, 2048};
  for (int64_t left = int64_t{1} << 50; left > 1 && map.results.size() < 5;) {
    const int64_t size = choose.pick(kSizes);
    map.results.push_back(divided(map, Op::kMod, position, size));
    position = divided(map, Op::kFloorDiv, position, size);
    left /= size;
  }
  map.results.push_back(position);
  return map;
}

// Returns a map of sums of 20 variables with coefficients near 2^40, divided by numbers near 2^40.
IndexingMap large(Choose& choose) {
  IndexingMap map;
  for (int v = 0; v < 20; ++v) map.dimensions.push_back({{0, choose.between(3, 8)}, ""});
  for (int r = 0; r < 3; ++r) {
    NodeId sum = add_constant(map.nodes, choose(1000));
    for (int v = 0; v < 20; ++v) {
      const NodeId x = add_variable(map.nodes, Op::kDimension, v);
      const int64_t factor = (int64_t{1} << 40) - choose(100'000);
      sum = add_operation(map.nodes, Op::kAdd, sum, times(map, x, factor));
    }
    const int64_t divisor = (int64_t{1} << 40) + choose(1000);
    map.results.push_back(divided(map, r == 1 ? Op::kMod : Op::kFloorDiv, sum, divisor));
  }
  return map;
}

IndexingMap chain(Choose& choose) {
  return generate_chain(choose, {.steps = 6, .points = int64_t{1} << 50}).map;
}

IndexingMap any(Choose& choose) { return generate_map(choose); }

using Pair = std::pair<IndexingMap, IndexingMap>;

enum class Other { kEqual, kEdited, kSimplified };

std::vector<Pair> pairs(IndexingMap (*make)(Choose&), Other kind) {
  std::vector<Pair> all;
  for (uint64_t seed = 0; all.size() < 64; ++seed) {
    Choose choose(Choose::Random{seed});
    IndexingMap map = make(choose);
    IndexingMap other = rewrite_by_identities(choose, map);
    if (kind == Other::kEdited) mutate_meaning(choose, other);
    if (kind == Other::kSimplified) other = *impl::simplify(other);
    all.emplace_back(std::move(map), std::move(other));
  }
  return all;
}

void compare(benchmark::State& state, IndexingMap (*make)(Choose&), Other kind, bool solver_alone) {
  const std::vector<Pair> all = pairs(make, kind);
  verify::EqualOptions options;
  if (solver_alone) {
    options.enumerated = 0;
    options.sampled_points = 0;
    options.normal_forms = false;
  }
  int64_t verdicts[3] = {0, 0, 0};
  int64_t bases[7] = {};
  size_t next = 0;
  for (auto _ : state) {
    const Pair& pair = all[next++ % all.size()];
    const auto result = verify::equal(pair.first, pair.second, options);
    if (!result.ok()) return state.SkipWithError(std::string(result.status().message()).c_str());
    ++verdicts[static_cast<int>(result->verdict)];
    ++bases[static_cast<int>(result->basis)];
  }
  state.counters["proven"] = static_cast<double>(verdicts[0]);
  state.counters["refuted"] = static_cast<double>(verdicts[1]);
  state.counters["undecided"] = static_cast<double>(verdicts[2]);
  for (int basis = 0; basis < 6; ++basis) {
    if (bases[basis] == 0) continue;
    const auto name = verify::to_text(static_cast<verify::Basis>(basis));
    state.counters[std::string("by_") + std::string(name)] = static_cast<double>(bases[basis]);
  }
}

void register_all() {
  const std::pair<const char*, IndexingMap (*)(Choose&)> families[] = {
      {"Radix", radix}, {"Large", large}, {"Chain", chain}, {"Any", any}};
  constexpr const char* kNames[] = {"/Equal", "/Edited", "/Simplified"};
  for (const auto& [name, make] : families) {
    for (const Other kind : {Other::kEqual, Other::kEdited, Other::kSimplified}) {
      for (const bool solver_alone : {false, true}) {
        const std::string title =
            std::string(name) + kNames[static_cast<int>(kind)] + (solver_alone ? "/Solver" : "");
        benchmark::RegisterBenchmark(title.c_str(), compare, make, kind, solver_alone)
            ->Iterations(64)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

}  // namespace
}  // namespace tileproof

int main(int argc, char** argv) {
  tileproof::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
