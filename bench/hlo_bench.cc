// SPDX-License-Identifier: Apache-2.0
// Parses HLO modules and indexes every instruction and every computation, on one core.
//
//     hlo_bench                 a generated deep network
//     hlo_bench FILE..          these files
//
// Prints a line for each module: bytes, instructions, seconds for parsing and for indexing (the
// least of three runs), the kinds of results, and the peak memory so far.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/hlo/module_indexing.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int64_t memory_in_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// Returns layers of attention-like and pointwise operations, with as many instructions as the
// largest real modules.
std::string deep_network(int layers) {
  std::string text =
      "HloModule deep\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT c = f32[] add(a, b)\n}\nENTRY main {\n  x0 = f32[8,64,96] parameter(0)\n"
      "  zero = f32[] constant(0)\n";
  for (int i = 0; i < layers; ++i) {
    const auto line = [&](const auto&... parts) { absl::StrAppend(&text, "  ", parts..., "\n"); };
    line("w", i, " = f32[96,96] parameter(", i + 1, ")");
    line("d", i, " = f32[8,64,96] dot(x", i, ", w", i,
         "), lhs_contracting_dims={2}, rhs_contracting_dims={0}");
    line("h", i, " = f32[8,64,6,16] reshape(d", i, ")");
    line("t", i, " = f32[8,6,64,16] transpose(h", i, "), dimensions={0,2,1,3}");
    line("e", i, " = f32[8,6,64,16] exponential(t", i, ")");
    line("r", i, " = f32[8,6,64] reduce(e", i, ", zero), dimensions={3}, to_apply=sum");
    line("b", i, " = f32[8,6,64,16] broadcast(r", i, "), dimensions={0,1,2}");
    line("q", i, " = f32[8,6,64,16] divide(e", i, ", b", i, ")");
    line("s", i, " = f32[8,6,32,16] slice(q", i, "), slice={[0:8], [0:6], [0:64:2], [0:16]}");
    line("p", i, " = f32[8,6,64,16] pad(s", i, ", zero), padding=0_0x0_0x0_1_1x0_0");
    line("u", i, " = f32[8,64,6,16] transpose(p", i, "), dimensions={0,2,1,3}");
    line("v", i, " = f32[8,64,96] reshape(u", i, ")");
    line("x", i + 1, " = f32[8,64,96] add(v", i, ", x", i, ")");
  }
  return absl::StrCat(text, "}\n");
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
    index = std::min(index, seconds_of([&] {
                       for (const HloModule& module : *modules) {
                         const impl::ModuleIndexing found = impl::index_module(module);
                         counts.mapped += found.instructions.mapped;
                         counts.conservative += found.instructions.conservative;
                         counts.no_dataflow += found.instructions.no_dataflow;
                         counts.refused += found.instructions.refused;
                         left_out += found.leaves_left_out;
                         instructions += instruction_count(module);
                       }
                     }));
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
