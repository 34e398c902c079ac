// SPDX-License-Identifier: Apache-2.0
// Parses HLO modules and indexes every instruction and every computation, on one core.
//
//     hlo_bench                 a generated deep network
//     hlo_bench FILE..          these files
//
// Prints a line for each module: bytes, instructions, seconds of processor time for parsing and for
// indexing (the least of three runs), megabytes of text per second for both together, the kinds of results, and the peak memory so far.
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "bench/deep_network.h"
#include "impl/hlo/module_indexing.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

// Of the processor, which other work on the machine changes little.
double seconds_of(const auto& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double start = now();
  work();
  return now() - start;
}

int64_t memory_in_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

bool measure(const std::string& name, const std::string& text) {
  double parse = 1e9, index = 1e9;
  int64_t instructions = 0, left_out = 0;
  impl::DataflowCounts counts;
  for (int run = 0; run < 3; ++run) {
    absl::StatusOr<std::vector<HloModule>> modules;
    parse = std::min(parse, seconds_of([&] { modules = parse_hlo_modules(text); }));
    if (!modules.ok()) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(),
                   std::string(modules.status().message()).c_str());
      return false;
    }
    counts = {};
    instructions = left_out = 0;
    const auto index_all = [&] {
      for (const HloModule& module : *modules) {
        const impl::ModuleIndexing found = impl::index_module(module);
        counts.mapped += found.instructions.mapped;
        counts.conservative += found.instructions.conservative;
        counts.no_dataflow += found.instructions.no_dataflow;
        counts.refused += found.instructions.refused;
        left_out += found.leaves_left_out;
        instructions += instruction_count(module);
      }
    };
    index = std::min(index, seconds_of([&] { in_new_thread(index_all); }));
  }
  std::printf(
      "%-40s %8zu kB %6ld instr  parse %6.3f s  index %6.3f s  mapped %ld conservative %ld "
      "no flow %ld refused %ld, skipped root leaves %ld, %ld MB\n",
      name.substr(name.size() > 40 ? name.size() - 40 : 0).c_str(), text.size() / 1024,
      instructions, parse, index, counts.mapped, counts.conservative, counts.no_dataflow,
      counts.refused, left_out, memory_in_megabytes());
  return true;
}

}  // namespace
}  // namespace tileproof

int main(int argc, char** argv) {
  bool good = true;
  if (argc < 2) good = tileproof::measure("a deep network", tileproof::deep_network(1500));
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    good = tileproof::measure(argv[i], text.str()) && good;
  }
  return good ? 0 : 2;
}
