// SPDX-License-Identifier: Apache-2.0

#include "conform/report/report.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "fuzz/campaign/parts.h"

namespace tileproof::campaign {
namespace {

using conform::Json;
using conform::json_object;

constexpr size_t kMaxShownLine = 2000;  // of a target's line, in text

std::string counted(int64_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

int64_t per_second(int64_t executions, int64_t milliseconds) {
  return milliseconds > 0 ? static_cast<int64_t>(static_cast<double>(executions) * 1000 /
                                                 static_cast<double>(milliseconds))
                          : 0;
}

// What to paste: the program with the input, and the question to `tileproof`. Empty if the input
// could not be kept.
struct Replay {
  std::string program, command, regression;
};

Replay replay_of(const Finding& finding, const Options& options) {
  if (finding.input.empty()) return {};
  const Target& target = *absl::c_find_if(
      options.targets, [&](const Target& one) { return one.name == finding.target; });
  const absl::StatusOr<std::string> input = read_file(options.folder / finding.input);
  return {replay_line(options, finding), input.ok() ? command_of(target, *input) : "",
          regression_file(options, target, finding.key).string()};
}

std::string line_of(const TargetResult& one) {
  if (one.executions == 0)
    return absl::StrCat(one.name, ": no runs", one.left.empty() ? "" : ", ", one.left);
  return absl::StrCat(
      one.name, ": ", counted(one.executions, "run"), " in ", time_text(one.milliseconds), ", ",
      per_second(one.executions, one.milliseconds), " a second, ",
      one.edges_before < 0 ? "no edges counted"
                           : absl::StrCat(one.edges, " edges (", one.edges_before, " before)"),
      ", ", counted(one.inputs, "input"), " kept, ", one.new_inputs, " new",
      one.left.empty() ? "" : ", left: ", one.left);
}

std::string text_of(const Finding& finding, const Options& options) {
  const Replay replay = replay_of(finding, options);
  std::string out =
      absl::StrCat(finding.target, ": ", finding.cause, ", ", counted(finding.count, "time"),
                   "\n  ", finding.line.substr(0, kMaxShownLine), "\n");
  if (replay.program.empty()) return out + "  its input could not be kept\n";
  absl::StrAppend(&out, "  replay      ", replay.program, "\n");
  if (!replay.command.empty() && replay.command.size() <= kMaxShownLine)
    absl::StrAppend(&out, "  ask         ", replay.command, "\n");
  absl::StrAppend(&out, "  regression  ", replay.regression,
                  finding.minimized ? "" : " (not made smaller)", "\n");
  return out;
}

Json json_of(const TargetResult& one) {
  Json json = json_object({{"target", one.name},
                           {"executions", one.executions},
                           {"milliseconds", one.milliseconds},
                           {"edges_before", one.edges_before},
                           {"edges", one.edges},
                           {"features", one.features},
                           {"inputs", one.inputs},
                           {"new_inputs", one.new_inputs}});
  if (!one.left.empty()) conform::set(json, "left", one.left);
  return json;
}

Json json_of(const Finding& finding, const Options& options) {
  const Replay replay = replay_of(finding, options);
  return json_object({{"target", finding.target},
                      {"key", finding.key},
                      {"cause", finding.cause},
                      {"line", finding.line},
                      {"count", finding.count},
                      {"minimised", finding.minimized},
                      {"replay", replay.program},
                      {"ask", replay.command},
                      {"regression", replay.regression}});
}

}  // namespace

std::string time_text(int64_t milliseconds) {
  const int64_t seconds = milliseconds / 1000;
  if (seconds < 60) return absl::StrCat(seconds, "s");
  if (seconds < 3600) return absl::StrFormat("%dm%02ds", seconds / 60, seconds % 60);
  return absl::StrFormat("%dh%02dm", seconds / 3600, seconds / 60 % 60);
}

std::string to_text(const Progress& progress) {
  return absl::StrCat(
      time_text(progress.left.count()), " left, ", progress.executions, " runs, ",
      static_cast<int64_t>(progress.per_second), "/s, ", progress.features, " features (+",
      progress.new_features, "), ", counted(progress.new_inputs, "new input"), ", ",
      counted(progress.findings, "finding"), ": ", absl::StrJoin(progress.running, ", "));
}

std::string replay_line(const Options& options, const Finding& finding) {
  return absl::StrCat((options.programs / (finding.target + "_fuzzer")).string(), " ",
                      (options.folder / finding.target / "findings" / finding.key).string());
}

std::filesystem::path regression_file(const Options& options, const Target& target,
                                      const std::string& key) {
  const std::filesystem::path form = target.regressions.file;
  return options.folder / target.name / "regressions" /
         absl::StrCat(key, form.extension().string());
}

std::string to_text(const Summary& summary, const Options& options) {
  std::string out;
  int64_t executions = 0;
  for (const TargetResult& one : summary.targets) {
    absl::StrAppend(&out, line_of(one), "\n");
    executions += one.executions;
  }
  for (const Finding& finding : summary.findings) absl::StrAppend(&out, text_of(finding, options));
  if (!summary.findings.empty()) {
    absl::StrAppend(&out,
                    "Each finding is a bug of Tileproof, not of your copy of it. Please open "
                    "an issue on the\nproject's page with the lines of the finding above, and with "
                    "the output of: tileproof --version\n");
  }
  for (const std::string& note : summary.notes) absl::StrAppend(&out, "note: ", note, "\n");
  if (summary.waiting > 0) {
    absl::StrAppend(&out, counted(summary.waiting, "failing input"),
                    " were not run again; the next campaign will run them\n");
  }
  return absl::StrCat(
      out, "campaign in ", options.folder.string(), ": ", counted(executions, "run"), " in ",
      time_text(summary.time.count()), summary.interrupted ? ", interrupted" : "", ", ",
      summary.findings.empty() ? "nothing found" : counted(std::ssize(summary.findings), "finding"),
      "\n");
}

Json to_json(const Summary& summary, const Options& options) {
  Json::Array targets, findings;
  for (const TargetResult& one : summary.targets) targets.push_back(json_of(one));
  for (const Finding& finding : summary.findings) findings.push_back(json_of(finding, options));
  return json_object({{"milliseconds", summary.time.count()},
                      {"interrupted", summary.interrupted},
                      {"targets", std::move(targets)},
                      {"findings", std::move(findings)},
                      {"waiting", summary.waiting},
                      {"notes", Json(Json::Array(summary.notes.begin(), summary.notes.end()))},
                      {"status", exit_status(summary)}});
}

std::string to_html(const Summary& summary, const Options& options) {
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<title>Tileproof: a fuzz campaign</title></head><body>\n<h1>A fuzz campaign</h1>\n<pre>\n",
      conform::with_entities(to_text(summary, options)), "</pre></body></html>\n");
}

}  // namespace tileproof::campaign
