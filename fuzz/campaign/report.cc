// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/report.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conform/report/report.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/input_text.h"

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
          regression_file(options, target, finding).string()};
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
                   ", first ", finding.seen, finding.gone ? ", no longer fails" : "", "\n  ",
                   finding.line.substr(0, kMaxShownLine), "\n");
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
                      {"seen", finding.seen},
                      {"gone", finding.gone},
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
                                      const Finding& finding) {
  const std::filesystem::path form = target.regressions.file;
  return options.folder / finding.target / "regressions" /
         absl::StrCat(finding.key, form.extension().string());
}

std::string findings_text(const Summary& summary, const Options& options) {
  std::string out;
  for (const Finding* finding : findings_of(summary))
    absl::StrAppend(&out, text_of(*finding, options));
  if (open_findings(summary) > 0) {
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
  return out;
}

std::string outcome_text(const Summary& summary, const Options& options) {
  int64_t executions = 0;
  for (const TargetResult& one : summary.targets) executions += one.executions;
  const int64_t open = open_findings(summary);
  return absl::StrCat("campaign ", summary.state.campaigns, " in ", options.folder.string(), ": ",
                      counted(executions, "run"), " in ", time_text(summary.time.count()),
                      summary.interrupted ? ", interrupted" : "", ", ",
                      open == 0 ? "nothing found" : counted(open, "finding"));
}

std::string to_text(const Summary& summary, const Options& options) {
  std::string out;
  for (const TargetResult& one : summary.targets) absl::StrAppend(&out, line_of(one), "\n");
  absl::StrAppend(&out, findings_text(summary, options), outcome_text(summary, options), "\n");
  return out;
}

Json to_json(const Summary& summary, const Options& options) {
  Json::Array targets, findings;
  for (const TargetResult& one : summary.targets) targets.push_back(json_of(one));
  for (const Finding* finding : findings_of(summary))
    findings.push_back(json_of(*finding, options));
  return json_object({{"campaign", summary.state.campaigns},
                      {"milliseconds", summary.time.count()},
                      {"interrupted", summary.interrupted},
                      {"targets", std::move(targets)},
                      {"findings", std::move(findings)},
                      {"waiting", summary.waiting},
                      {"notes", Json(Json::Array(summary.notes.begin(), summary.notes.end()))},
                      {"status", exit_status(summary)}});
}

// The HTML page of a campaign.

namespace {

constexpr int kWidth = 270, kHeight = 96, kMargin = 48;

constexpr absl::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Tileproof: a fuzz campaign</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; } td, th { padding: .2em .8em; text-align: right; border-bottom: 1px solid #ddd; }
td:first-child, th:first-child { text-align: left; } pre { background: #f4f4f4; padding: .6em; overflow-x: auto; }
figure { display: inline-block; margin: 1em 1em 0 0; } figcaption { font-weight: 600; }
svg text { font: 11px system-ui, sans-serif; fill: #555; }
</style></head><body>
)";

// Returns a step plot of the features over the time of all campaigns, scaled from the least to the
// most.
std::string picture_of(const TargetState& target, int64_t end) {
  int64_t least = INT64_MAX, most = 0;
  for (const Sample& sample : target.samples) {
    least = std::min(least, sample.features);
    most = std::max(most, sample.features);
  }
  const auto x = [&](int64_t milliseconds) {
    return kMargin + static_cast<double>(milliseconds) * kWidth /
                         static_cast<double>(std::max<int64_t>(end, 1));
  };
  const auto y = [&](int64_t features) {
    return 8 + kHeight -
           static_cast<double>(features - least) * kHeight /
               static_cast<double>(std::max<int64_t>(most - least, 1));
  };
  std::string points;
  for (size_t i = 0; i < target.samples.size(); ++i) {
    const Sample& at = target.samples[i];
    const int64_t until = i + 1 < target.samples.size() ? target.samples[i + 1].milliseconds : end;
    absl::StrAppendFormat(&points, "%.1f,%.1f %.1f,%.1f ", x(at.milliseconds), y(at.features),
                          x(until), y(at.features));
  }
  const auto label = [](int at_x, int at_y, const char* anchor, const auto& text) {
    return absl::StrCat("<text x=\"", at_x, "\" y=\"", at_y, "\" text-anchor=\"", anchor, "\">",
                        text, "</text>");
  };
  return absl::StrCat(
      "<figure><figcaption>", conform::with_entities(target.name), "</figcaption>\n",
      absl::StrFormat("<svg width=\"%d\" height=\"%d\" role=\"img\">", kWidth + kMargin + 8,
                      kHeight + 32),
      absl::StrFormat("<path d=\"M%d 8V%dH%d\" fill=\"none\" stroke=\"#999\"/>", kMargin,
                      kHeight + 8, kMargin + kWidth),
      "<polyline points=\"", points, "\" fill=\"none\" stroke=\"#06c\" stroke-width=\"1.5\"/>",
      most > least ? label(kMargin - 4, 16, "end", most) : "",
      label(kMargin - 4, kHeight + 8, "end", least), label(kMargin, kHeight + 26, "start", "0"),
      label(kMargin + kWidth, kHeight + 26, "end", time_text(end)), "</svg></figure>\n");
}

std::string row_of(const TargetState& target) {
  const Sample last = target.samples.empty() ? Sample{} : target.samples.back();
  return absl::StrCat("<tr><td>", conform::with_entities(target.name), "</td><td>",
                      target.executions, "</td><td>", time_text(target.milliseconds), "</td><td>",
                      last.edges, "</td><td>", last.features, "</td><td>", last.inputs,
                      "</td></tr>\n");
}

}  // namespace

std::string to_html(const Summary& summary, const Options& options) {
  const State& state = summary.state;
  std::string out(kHead);
  absl::StrAppend(&out, "<h1>A fuzz campaign</h1>\n<p>",
                  conform::with_entities(outcome_text(summary, options)), "</p>\n");
  if (const std::string findings = findings_text(summary, options); !findings.empty()) {
    absl::StrAppend(&out, "<h2>Findings and notes</h2>\n<pre>", conform::with_entities(findings),
                    "</pre>\n");
  }
  absl::StrAppend(&out, "<h2>All campaigns in this folder, ", time_text(state.milliseconds),
                  "</h2>\n<table><tr><th>target</th><th>runs</th><th>time</th><th>edges</th>"
                  "<th>features</th><th>inputs</th></tr>\n");
  for (const TargetState& target : state.targets) absl::StrAppend(&out, row_of(target));
  absl::StrAppend(
      &out,
      "</table>\n<h2>Coverage over time</h2>\n<p>Features that the inputs reach, as libFuzzer "
      "counts them: edges with counters and comparisons.</p>\n");
  for (const TargetState& target : state.targets) {
    if (!target.samples.empty()) absl::StrAppend(&out, picture_of(target, state.milliseconds));
  }
  absl::StrAppend(&out, "</body></html>\n");
  return out;
}

}  // namespace tileproof::campaign
