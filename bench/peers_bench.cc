// SPDX-License-Identifier: Apache-2.0
// Compares our simplifier with those of MLIR and isl, if these are installed, on the same maps:
//
//     peers_bench FILE        one map per line; other lines are counted and skipped
//
// Prints for each library the maps that it can express, its mean and median time, our times for the
// same maps, and the nodes of the results. The work differs: MLIR knows no domain, and isl has no
// trees.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "bench/peers.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

struct Figures {
  std::vector<double> theirs, ours;
  int64_t their_nodes = 0, our_nodes = 0;
};

PeerResult simplify_here(const IndexingMap& map) {
  using Clock = std::chrono::steady_clock;
  PeerResult result{1e18, 0};
  for (int i = 0; i < 20; ++i) {
    const auto start = Clock::now();
    const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    result.nanoseconds = std::min(result.nanoseconds, time.count());
    result.nodes = 0;
    for (NodeId root : simplified->results) result.nodes += tree_size(simplified->nodes, root);
  }
  return result;
}

double mean(const std::vector<double>& times) {
  double sum = 0;
  for (double time : times) sum += time;
  return sum / static_cast<double>(times.size());
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void print(const char* name, const Figures& figures) {
  if (figures.theirs.empty()) {
    std::printf("%-5s cannot express any of the maps\n", name);
    return;
  }
  std::printf(
      "%-5s %5zu maps  mean %9.0f ns  median %9.0f ns  | ours: mean %7.0f ns  median %7.0f ns",
      name, figures.theirs.size(), mean(figures.theirs), median(figures.theirs), mean(figures.ours),
      median(figures.ours));
  if (figures.their_nodes > 0) {
    std::printf("  | nodes of results: %lld, ours %lld",
                static_cast<long long>(figures.their_nodes),
                static_cast<long long>(figures.our_nodes));
  }
  std::printf("\n");
}

using Peer = std::optional<PeerResult> (*)(const IndexingMap&);

Figures compare(const std::vector<IndexingMap>& maps, Peer peer) {
  Figures figures;
  for (const IndexingMap& map : maps) {
    const std::optional<PeerResult> theirs = peer(map);
    if (!theirs) continue;
    const PeerResult ours = simplify_here(map);
    figures.theirs.push_back(theirs->nanoseconds);
    figures.ours.push_back(ours.nanoseconds);
    figures.their_nodes += std::max<int64_t>(theirs->nodes, 0);
    figures.our_nodes += ours.nodes;
  }
  return figures;
}

}  // namespace
}  // namespace tileproof

int main(int argc, char** argv) {
  using namespace tileproof;
  std::ifstream file(argc == 2 ? argv[1] : "");
  std::vector<IndexingMap> maps;
  int64_t others = 0;
  for (std::string line; std::getline(file, line);) {
    const absl::StatusOr<IndexingMap> map = parse_map(line);
    if (map.ok() && impl::simplify(*map).ok() && !map->known_empty) {
      maps.push_back(*map);
    } else {
      ++others;
    }
  }
  if (maps.empty()) {
    std::fprintf(stderr, "usage: peers_bench FILE, with one map per line\n");
    return 2;
  }
  std::printf("%zu maps, %lld other lines\n", maps.size(), static_cast<long long>(others));
#ifdef TILEPROOF_MLIR
  print("MLIR", compare(maps, simplify_with_mlir));
#endif
#ifdef TILEPROOF_ISL
  print("isl", compare(maps, simplify_with_isl));
#endif
}
