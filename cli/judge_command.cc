// SPDX-License-Identifier: Apache-2.0
// tileproof judge: judges recorded answers, and merges the reports of shards.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/suite_options.h"
#include "cli/text.h"
#include "conform/protocol/signals.h"
#include "conform/report/merge.h"
#include "conform/run/conform.h"

namespace tileproof::cli {
namespace {

struct JudgeOptions {
  std::string requests;
  std::string answers;
  std::vector<std::string> merge;
  bool brief = false, json = false;
};

// A file, or "-" for standard input.
absl::StatusOr<std::string> read_file(const std::string& name) {
  return read_argument(name == "-" ? name : "@" + name);
}

int merge(const JudgeOptions& options) {
  std::vector<conform::NamedReport> reports;
  for (const std::string& name : options.merge) {
    absl::StatusOr<std::string> text = read_file(name);
    if (!text.ok()) return complain("judge", text.status());
    reports.push_back({name, *std::move(text)});
  }
  const absl::StatusOr<conform::Json> merged = conform::merge_reports(reports);
  if (!merged.ok()) return complain("judge", merged.status());
  std::cout << (options.json ? to_text(*merged) + "\n" : conform::merged_text(*merged))
            << std::flush;
  return static_cast<int>(*conform::find(*merged, "status")->as<int64_t>());
}

int judge(const JudgeOptions& options) {
  if (!options.merge.empty()) return merge(options);
  if (options.requests.empty() || options.answers.empty()) {
    return complain("judge", absl::InvalidArgumentError(
                                 "expected --requests and --answers, or --merge REPORT.."));
  }
  const absl::StatusOr<std::string> requests = read_file(options.requests);
  if (!requests.ok()) return complain("judge", requests.status());
  const absl::StatusOr<std::string> answers = read_file(options.answers);
  if (!answers.ok()) return complain("judge", answers.status());
  const conform::Signals signals;
  const absl::StatusOr<conform::Report> report = conform::judge_files(*requests, *answers);
  if (!report.ok()) return complain("judge", report.status());
  return print_report(*report, options.json, options.brief);
}

}  // namespace

void add_judge_command(Program& program) {
  auto options = std::make_shared<JudgeOptions>();
  Command command = program.command("judge", "Judge recorded answers");
  command.example("tileproof judge --requests requests.jsonl --answers answers.jsonl",
                  "judge answers that were recorded elsewhere");
  command.example("tileproof judge --merge shard-0.json shard-1.json", "one report of two shards");
  command
      .option("--requests", options->requests,
              "file with one request per line; - for standard input")
      .file();
  command
      .option("--answers", options->answers, "file with one answer per line; - for standard input")
      .file();
  command
      .option("--merge", options->merge,
              "merge the reports of `conform --shard I/N --json`, one for each shard")
      .file();
  command.flag("--brief", options->brief, kBrief);
  command.flag("--json", options->json, "print JSON");
  command.run([options] { return judge(*options); });
}

}  // namespace tileproof::cli
