// SPDX-License-Identifier: Apache-2.0
// Measures the throughput of the judge:
//
//     conform_bench [COUNT [SUITE.. | PLUGIN.so]]
//
// Judges cases of a suite (layout and map by default) over a pipe, with and without `parsed`. The
// program under test takes almost no time: this program, started again, reads lines and prints
// prepared answers. Then sweeps layouts in a plug-in (conform/run/sweep.h), in this process. Prints
// cases per second of elapsed time and of the judge's processor time.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "conform/oracle/oracle.h"
#include "conform/plugin/plugin_answer.h"
#include "conform/plugin/plugin_call.h"
#include "conform/plugin/plugin_sweep.h"
#include "conform/run/conform.h"

namespace tileproof::conform {
namespace {

constexpr uint64_t kSeed = 1;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

struct Stopwatch {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double before = processor();

  static double processor() {
    rusage usage;
    ::getrusage(RUSAGE_SELF, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  double own() const { return processor() - before; }
};

// The program under test: prints a greeting, then the lines of a file.
int replay(const char* file, const char* parsed) {
  std::ios::sync_with_stdio(false);
  std::ifstream answers(file);
  std::string line, answer;
  std::getline(std::cin, line);
  std::cout << R"({"id":0,"result":{"name":"replay","window":64,"parsed":)" << parsed << "}}\n"
            << std::flush;
  while (std::getline(std::cin, line) && std::getline(answers, answer)) {
    std::cout << answer << '\n';
    if (std::cin.rdbuf()->in_avail() <= 0) std::cout << std::flush;
  }
  return 0;
}

void write_answers(const Suite& suite, int64_t count, const std::string& file) {
  std::ofstream out(file);
  Cases cases(suite, kSeed, {});
  for (int64_t id = 1; id <= count; ++id) {
    out << answer_line(to_text(with_id(id, cases.next()->request)), Engine::kImpl) << '\n';
  }
}

void judge_over_a_pipe(const char* name, int64_t count) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("conform_bench." + std::to_string(::getpid())))
          .string();
  write_answers(*suite_named(name), count, file);
  for (const char* parsed : {"false", "true"}) {
    ConformOptions options;
    options.command = {std::filesystem::read_symlink("/proc/self/exe").string(), "replay", file,
                       parsed};
    options.suites = {suite_named(name)};
    options.seed = kSeed;
    options.count = count;
    const Stopwatch watch;
    const absl::StatusOr<Report> report = conform(options);
    if (!report.ok() || exit_status(*report) != 0) {
      std::printf("%s", report.ok() ? to_text(*report).c_str() : "the program did not start\n");
      std::exit(1);
    }
    std::printf("%-9s %-8s %8lld requests  %9.0f per second  %9.0f per second of the judge\n", name,
                *parsed == 't' ? "parsed" : "", static_cast<long long>(count),
                static_cast<double>(count) / watch.wall(),
                static_cast<double>(count) / watch.own());
  }
  std::filesystem::remove(file);
}

int sweep_plugin(const char* file) {
  const absl::StatusOr<tileproof_plugin> plugin = load_plugin(file);
  if (!plugin.ok()) {
    std::printf("%s\n", plugin.status().ToString().c_str());
    return 2;
  }
  SweepRequest request{.seed = kSeed};
  request.to = 10'000;
  request.milliseconds = 20'000;
  const Stopwatch watch;
  const SweepAnswer answer = sweep(*plugin, limits_of(*plugin), request);
  int64_t questions = 0;
  for (const auto& [op, number] : answer.questions) questions += number;
  std::printf(
      "plug-in   %lld layouts, %lld questions, %zu differences  %9.0f per second  %9.0f per "
      "processor second\n",
      static_cast<long long>(answer.layouts), static_cast<long long>(questions),
      answer.differences.size(), static_cast<double>(questions) / watch.wall(),
      static_cast<double>(questions) / watch.own());
  return 0;
}

}  // namespace
}  // namespace tileproof::conform

int main(int argc, char** argv) {
  using namespace tileproof::conform;
  if (argc == 4 && std::string(argv[1]) == "replay") return replay(argv[2], argv[3]);
  const int64_t count = argc > 1 ? std::atoll(argv[1]) : 200'000;
  const std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  const bool plugin = !names.empty() && suite_named(names[0]) == nullptr;
  const std::vector<std::string> usual = {"layout", "map"};
  for (const std::string& suite : names.empty() || plugin ? usual : names) {
    judge_over_a_pipe(suite.c_str(), count);
  }
  return plugin ? sweep_plugin(names[0].c_str()) : 0;
}
