// SPDX-License-Identifier: Apache-2.0
// tileproof conform: judges an implementation.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/protocol_commands.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "conform/protocol/signals.h"
#include "conform/report/report.h"
#include "conform/run/conform.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

struct ConformOptions {
  std::vector<std::string> suites;
  std::string seed = "1";
  int64_t count = 1000;
  bool counted = false;  // --count was given
  std::string time, timeout = "2s", shard, expect, plugin;
  std::vector<std::string> reports;  // FORM:FILE
  std::vector<std::string> levels;
  bool no_steering = false, brief = false, json = false;
  conform::ConformOptions run;  // what the run is told: all of the above in the end
};

absl::Status set_suites(ConformOptions& options) {
  for (const std::string& name : options.suites) {
    options.run.suites.push_back(TRY(suite_option(name)));
  }
  return absl::OkStatus();
}

absl::Status set_extent(ConformOptions& options) {
  if (options.run.exhaustive && (options.counted || !options.time.empty())) {
    return invalid("expected --exhaustive without --count and --time");
  }
  if (options.count < 1) return invalid("expected --count to be at least 1");
  options.run.count = options.count;
  options.run.seed = TRY(seed_option(options.seed));
  if (!options.time.empty()) {
    options.run.time = TRY(time_option(options.time));
    if (!options.counted) options.run.count.reset();
  }
  options.run.timeout = TRY(time_option(options.timeout));
  return absl::OkStatus();
}

// As in TestFloat, level 2 asks much more than level 1.
absl::Status set_levels(ConformOptions& options) {
  constexpr int64_t kCasesOfLevel2 = 100'000;
  for (const std::string& level : options.levels) {
    if (level == "valid-only") {
      options.run.valid_only = true;
    } else if (level == "2") {
      if (options.counted || options.run.exhaustive || !options.time.empty())
        return invalid("expected --level 2 without --count, --time and --exhaustive");
      options.run.count = kCasesOfLevel2;
    } else if (level != "1") {
      return invalid("expected --level 1, 2 or valid-only, found ", conform::shown(level, 40),
                     did_you_mean(level, {"valid-only"}));
    }
  }
  return absl::OkStatus();
}

absl::Status set_shard(ConformOptions& options) {
  if (options.shard.empty()) return absl::OkStatus();
  const std::vector<std::string> parts = absl::StrSplit(options.shard, '/');
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &options.run.shard) ||
      !absl::SimpleAtoi(parts[1], &options.run.shards) || options.run.shard < 0 ||
      options.run.shard >= options.run.shards) {
    return invalid("expected --shard I/N with I from 0 to N-1");
  }
  return absl::OkStatus();
}

absl::Status set_expectations(ConformOptions& options) {
  if (options.expect.empty()) return absl::OkStatus();
  const std::string text = TRY(read_argument("@" + options.expect));
  absl::StatusOr<std::vector<conform::Expectation>> list = conform::parse_expectations(text);
  if (!list.ok()) return invalid(options.expect, ", ", list.status().message());
  options.run.expectations = *std::move(list);
  return absl::OkStatus();
}

constexpr size_t kMaxSaid = 1 << 16;  // bytes kept of what a library prints while it loads

// Checks that the child process can load the plug-in. A library that crashes while it loads is a
// finding, not a wrong call.
absl::Status loads(const std::vector<std::string>& command) {
  // The last line gives the reason, after anything that the library prints.
  conform::Subprocess child = TRY(conform::Subprocess::start_with_errors(command));
  child.close_input();
  std::string said;
  const auto limit = std::chrono::steady_clock::now() + conform::Milliseconds(10'000);
  while (child.read_some(said) && std::chrono::steady_clock::now() < limit) {
    if (said.size() > kMaxSaid) said.erase(0, said.size() - kMaxSaid);
    child.wait_for(false, conform::Milliseconds(100));
  }
  const std::optional<std::string> how = child.end(conform::Milliseconds(1'000));
  if (how != absl::StrCat("status ", kBadInput)) return absl::OkStatus();
  const absl::string_view text = absl::StripSuffix(said, "\n");
  const size_t line = text.rfind('\n');  // npos + 1 is 0
  return invalid(absl::StripPrefix(text.substr(line + 1), "tileproof: respond: "));
}

// Reads the options into options.run.
absl::Status prepare(ConformOptions& options) {
  conform::ConformOptions& run = options.run;
  run.steer = !options.no_steering;
  TRY(set_suites(options));
  TRY(set_extent(options));
  TRY(set_levels(options));
  TRY(set_shard(options));
  TRY(set_expectations(options));
  if (!(run.requirements.coverage >= 0 && run.requirements.coverage <= 1)) {
    return invalid("expected --require-coverage to be a share from 0 to 1");
  }
  if (options.plugin.empty() == run.command.empty()) {
    return invalid("expected a program after --, or --plugin LIB.so");
  }
  for (const std::string& report : options.reports) {
    const bool known = absl::StartsWith(report, "junit:") || absl::StartsWith(report, "sarif:");
    if (!known) return invalid("expected --report junit:FILE or sarif:FILE");
    run.titles = run.titles || absl::StartsWith(report, "junit:");
  }
  if (options.plugin.empty()) return absl::OkStatus();
  run.plugin = true;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  run.command = {self, "respond", "--plugin", options.plugin};
  return loads(run.command);
}

absl::StatusOr<int> run_conform(ConformOptions& options) {
  conform::ConformOptions& run = options.run;
  TRY(prepare(options));
  std::vector<std::ofstream> files;
  for (const std::string& report : options.reports) {
    const std::string name = report.substr(report.find(':') + 1);
    files.emplace_back(name);
    if (!files.back()) return absl::NotFoundError(absl::StrCat("cannot write the file ", name));
  }
  ProgressLine progress("cases");
  if (run.time) progress.set_end(std::chrono::steady_clock::now() + *run.time);
  int64_t before = 0, last = 0;  // cases of the suites before, and of this one
  std::string suite;
  run.progress = [&](const std::string& name, int64_t asked) {
    if (name != suite) before += std::exchange(last, 0);
    suite = name;
    last = asked;
    std::optional<int64_t> all;
    if (run.count && !run.exhaustive && run.cases.empty())
      all = *run.count / run.shards * std::ssize(run.suites);
    progress.at(before + asked, all, name);
  };
  run.tell = [&](const std::string& text) {
    if (run.jobs <= 1) progress.clear();  // otherwise another thread may be drawing it
    std::cerr << absl::StrCat("tileproof: conform: ", text, "\n") << std::flush;
  };
  const conform::Signals signals;
  const absl::StatusOr<conform::Report> report = conform::conform(run);
  progress.clear();
  if (!report.ok()) return report.status();
  for (size_t i = 0; i < files.size(); ++i) {
    const bool junit = absl::StartsWith(options.reports[i], "junit:");
    if (files[i] << (junit ? to_junit(*report) : to_sarif(*report)) << std::flush) continue;
    std::cerr << "tileproof: conform: cannot write the report\n";
    return kInternal;
  }
  return print_report(*report, options.json, options.brief);
}

}  // namespace

void add_conform_command(Program& program) {
  auto options = std::make_shared<ConformOptions>();
  Command command = program.command("conform");
  command.set("--suite", &options->suites, absl::StrSplit(suite_names(), ", "))
      .set("--seed", &options->seed)
      .set("--count", &options->count)
      .set("--time", &options->time)
      .set("--exhaustive", &options->run.exhaustive)
      .set("--case", &options->run.cases)
      .set("--level", &options->levels)
      .set("--timeout", &options->timeout)
      .set("--shard", &options->shard)
      .set("--jobs", &options->run.jobs)
      .set("--expect", &options->expect)
      .set("--report", &options->reports)
      .set("--plugin", &options->plugin)
      .set("--keep-going", &options->run.keep_going)
      .set("--no-steering", &options->no_steering)
      .set("--require-exact", &options->run.requirements.exact)
      .set("--require-coverage", &options->run.requirements.coverage)
      .set("--brief", &options->brief)
      .set("--json", &options->json)
      .set("PROGRAM", &options->run.command)
      .run([options, command] {
        options->counted = command.given("--count");
        return run_conform(*options);
      });
}

}  // namespace tileproof::cli
