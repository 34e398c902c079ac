// SPDX-License-Identifier: Apache-2.0
// The HTML page of a campaign.
#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conform/report/report.h"
#include "fuzz/campaign/report.h"

namespace tileproof::campaign {
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
