// SPDX-License-Identifier: Apache-2.0
// tileproof conform: judges an implementation.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
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
#include "conform/protocol/subprocess.h"
#include "conform/report/report.h"
#include "conform/run/conform.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

using conform::ConformOptions;

absl::Status set_suites(const Command& given, ConformOptions& run) {
  for (const std::string& name : given.list("--suite")) {
    run.suites.push_back(TRY(suite_option(name)));
  }
  return absl::OkStatus();
}

bool has_extent(const Command& given) { return given.has("--count") || given.has("--time"); }

absl::Status set_extent(const Command& given, ConformOptions& run) {
  run.exhaustive = given.flag("--exhaustive");
  if (run.exhaustive && has_extent(given)) {
    return invalid("expected --exhaustive without --count and --time");
  }
  if (given.number("--count") < 1) return invalid("expected --count to be at least 1");
  run.count = given.number("--count");
  run.seed = TRY(seed_option(given.text("--seed")));
  if (given.has("--time")) {
    run.time = TRY(time_option(given.text("--time")));
    if (!given.has("--count")) run.count.reset();
  }
  run.timeout = TRY(time_option(given.text("--timeout")));
  return absl::OkStatus();
}

// As in TestFloat, level 2 asks much more than level 1.
absl::Status set_levels(const Command& given, ConformOptions& run) {
  constexpr int64_t kCasesOfLevel2 = 100'000;
  for (const std::string& level : given.list("--level")) {
    if (level == "valid-only") {
      run.valid_only = true;
    } else if (level == "2") {
      if (run.exhaustive || has_extent(given))
        return invalid("expected --level 2 without --count, --time and --exhaustive");
      run.count = kCasesOfLevel2;
    } else if (level != "1") {
      return invalid("expected --level 1, 2 or valid-only, found ", conform::shown(level, 40),
                     did_you_mean(level, {"valid-only"}));
    }
  }
  return absl::OkStatus();
}

absl::Status set_shard(const Command& given, ConformOptions& run) {
  if (given.text("--shard").empty()) return absl::OkStatus();
  const std::vector<std::string> parts = absl::StrSplit(given.text("--shard"), '/');
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &run.shard) ||
      !absl::SimpleAtoi(parts[1], &run.shards) || run.shard < 0 || run.shard >= run.shards) {
    return invalid("expected --shard I/N with I from 0 to N-1");
  }
  return absl::OkStatus();
}

absl::Status set_expectations(const Command& given, ConformOptions& run) {
  const std::string& file = given.text("--expect");
  if (file.empty()) return absl::OkStatus();
  const std::string text = TRY(read_argument("@" + file));
  absl::StatusOr<std::vector<conform::Expectation>> list = conform::parse_expectations(text);
  if (!list.ok()) return invalid(file, ", ", list.status().message());
  run.expectations = *std::move(list);
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

absl::StatusOr<ConformOptions> run_of(const Command& given) {
  ConformOptions run;
  run.command = given.list("PROGRAM");
  run.cases = given.list("--case");
  run.jobs = given.number("--jobs");
  run.keep_going = given.flag("--keep-going");
  run.steer = !given.flag("--no-steering");
  run.requirements = {given.flag("--require-exact"), given.share("--require-coverage")};
  TRY(set_suites(given, run));
  TRY(set_extent(given, run));
  TRY(set_levels(given, run));
  TRY(set_shard(given, run));
  TRY(set_expectations(given, run));
  if (!(run.requirements.coverage >= 0 && run.requirements.coverage <= 1)) {
    return invalid("expected --require-coverage to be a share from 0 to 1");
  }
  const std::string& plugin = given.text("--plugin");
  if (plugin.empty() == run.command.empty()) {
    return invalid("expected a program after --, or --plugin LIB.so");
  }
  for (const std::string& report : given.list("--report")) {
    const bool known = absl::StartsWith(report, "junit:") || absl::StartsWith(report, "sarif:");
    if (!known) return invalid("expected --report junit:FILE or sarif:FILE");
    run.titles = run.titles || absl::StartsWith(report, "junit:");
  }
  if (plugin.empty()) return run;
  run.plugin = true;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  run.command = {self, "respond", "--plugin", plugin};
  TRY(loads(run.command));
  return run;
}

}  // namespace

absl::StatusOr<int> conform_command(const Command& given) {
  ConformOptions run = TRY(run_of(given));
  const std::vector<std::string>& reports = given.list("--report");
  std::vector<std::ofstream> files;
  for (const std::string& report : reports) {
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
    const bool junit = absl::StartsWith(reports[i], "junit:");
    if (files[i] << (junit ? to_junit(*report) : to_sarif(*report)) << std::flush) continue;
    std::cerr << "tileproof: conform: cannot write the report\n";
    return kInternal;
  }
  return print_report(*report, given);
}

}  // namespace tileproof::cli
