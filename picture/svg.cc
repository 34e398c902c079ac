// SPDX-License-Identifier: Apache-2.0
#include "picture/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace tileproof::picture {
namespace {

constexpr absl::string_view kHead =
    R"svg(<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V6" class="s"/></pattern>
<marker id="arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="#c2410c"/></marker></defs>
<style>text{font:11px ui-monospace,monospace;fill:#222}.h{font:600 13px system-ui,sans-serif}.g{fill:#fff}
.c,.p,.e,.k{stroke:#888;stroke-width:.5}.p{fill:url(#hatch)}.e{fill:none}.s{stroke:#999;stroke-width:1.5}
.b,.t0,.t1,.t2{fill:none;stroke:#111;stroke-width:2.5}.t1{stroke-width:1.5}.t2{stroke-width:1;stroke-dasharray:3 2}
.b{stroke:#fff;stroke-width:4.5;opacity:.75}text,.b,.t0,.t1,.t2,.m,.w{pointer-events:none}
.m,.w{fill:none;stroke:#c2410c;stroke-width:2.5}.m{stroke-dasharray:4 2}.w{stroke-width:1.5;stroke-linejoin:round;opacity:.6}
.r{fill:none;stroke:#d5007f;stroke-width:3;pointer-events:none}.a{fill:none;stroke:#c2410c;stroke-width:1.2;opacity:.75}
@media (prefers-color-scheme:dark){.g{fill:#16181d}text{fill:#ddd}}
.d{fill:#fff}.l{fill:#111}</style>
)svg";

std::string escaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

std::string box(const Rect& rect) {
  return absl::StrCat("x=\"", rect.x, "\" y=\"", rect.y, "\" width=\"", rect.width, "\" height=\"",
                      rect.height, "\"");
}

// How light a color looks, from 0 to 255.
double lightness(const Color& color) {
  return 0.299 * color.red + 0.587 * color.green + 0.114 * color.blue;
}

absl::string_view name_of(Svg::Anchor anchor) {
  switch (anchor) {
    case Svg::Anchor::kStart:
      return "start";
    case Svg::Anchor::kMiddle:
      return "middle";
    case Svg::Anchor::kEnd:
      return "end";
  }
  return "start";
}

}  // namespace

Color ramp(double position) {
  static constexpr std::array<std::array<double, 3>, 5> kAnchors = {
      {{255, 246, 214}, {196, 226, 190}, {120, 182, 200}, {84, 118, 184}, {62, 58, 128}}};
  const double at = std::clamp(position, 0.0, 1.0) * (kAnchors.size() - 1);
  const size_t left = std::min(static_cast<size_t>(at), kAnchors.size() - 2);
  const double part = at - static_cast<double>(left);
  const auto mixed = [&](size_t channel) {
    return static_cast<int>(
        std::lround(kAnchors[left][channel] * (1 - part) + kAnchors[left + 1][channel] * part));
  };
  return {mixed(0), mixed(1), mixed(2)};
}

Color in_cycle(int64_t number) { return ramp(static_cast<double>(number * 3 % 7) / 8); }

std::string to_text(const Color& color) {
  return absl::StrFormat("#%02x%02x%02x", color.red, color.green, color.blue);
}

int64_t text_width(absl::string_view text) { return 7 * static_cast<int64_t>(text.size()); }

void Svg::cell(const Rect& rect, const Color& color, absl::string_view label,
               absl::string_view at) {
  absl::StrAppend(&body_, "<rect class=\"c\" ", box(rect), " fill=\"", to_text(color), "\"");
  if (!at.empty()) absl::StrAppend(&body_, " data-at=\"", escaped(at), "\"");
  body_ += "/>";
  constexpr int64_t kLine = 14;
  const std::vector<absl::string_view> lines = absl::StrSplit(label, '\n', absl::SkipEmpty());
  int64_t y = rect.y + rect.height / 2 + 4 - kLine * (std::ssize(lines) - 1) / 2;
  for (const absl::string_view line : lines) {
    absl::StrAppend(&body_, "<text class=\"", lightness(color) < 128 ? "d" : "l", "\" x=\"",
                    rect.x + rect.width / 2, "\" y=\"", y, "\" text-anchor=\"middle\">",
                    escaped(line), "</text>");
    y += kLine;
  }
  body_ += "\n";
}

void Svg::empty(const Rect& rect) {
  absl::StrAppend(&body_, "<rect class=\"e\" ", box(rect), "/>\n");
}

void Svg::padding(const Rect& rect) {
  absl::StrAppend(&body_, "<rect class=\"p\" ", box(rect), "/>\n");
}

void Svg::outline(const Rect& rect, int64_t level) {
  if (level == 0) absl::StrAppend(&body_, "<rect class=\"b\" ", box(rect), "/>\n");
  absl::StrAppend(&lines_, "<rect class=\"t", std::min<int64_t>(level, 2), "\" ", box(rect),
                  "/>\n");
}

void Svg::mark(const Rect& rect) {
  const Rect inner{rect.x + 2, rect.y + 2, rect.width - 4, rect.height - 4};
  absl::StrAppend(&body_, "<rect class=\"m\" ", box(inner), "/>\n");
}

void Svg::ring(const Rect& rect) {
  absl::StrAppend(&lines_, "<rect class=\"r\" ", box(rect), "/>\n");
}

void Svg::path(const std::vector<std::pair<int64_t, int64_t>>& points) {
  if (points.size() < 2) return;
  body_ += "<polyline class=\"w\" marker-end=\"url(#arrow)\" points=\"";
  for (const auto& [x, y] : points) absl::StrAppend(&body_, x, ",", y, " ");
  body_ += "\"/>\n";
}

void Svg::line(int64_t from_x, int64_t from_y, int64_t to_x, int64_t to_y) {
  absl::StrAppend(&body_, "<path class=\"a\" marker-end=\"url(#arrow)\" d=\"M", from_x, ",", from_y,
                  " L", to_x, ",", to_y, "\"/>\n");
}

void Svg::text(int64_t x, int64_t y, absl::string_view text, Anchor anchor) {
  absl::StrAppend(&body_, "<text x=\"", x, "\" y=\"", y, "\" text-anchor=\"", name_of(anchor),
                  "\">", escaped(text), "</text>\n");
}

void Svg::heading(int64_t x, int64_t y, absl::string_view text) {
  absl::StrAppend(&body_, "<text class=\"h\" x=\"", x, "\" y=\"", y, "\">", escaped(text),
                  "</text>\n");
}

int64_t Svg::legend(int64_t x, int64_t y, absl::string_view low, absl::string_view high) {
  constexpr int64_t kSteps = 8, kStep = 14;
  const int64_t left = text_width(low) + 6;
  text(x, y, low, Anchor::kStart);
  for (int64_t i = 0; i < kSteps; ++i) {
    const Rect step{x + left + i * kStep, y - 10, kStep, 12};
    absl::StrAppend(&body_, "<rect class=\"k\" ", box(step), " fill=\"",
                    to_text(ramp(static_cast<double>(i) / (kSteps - 1))), "\"/>\n");
  }
  text(x + left + kSteps * kStep + 6, y, high, Anchor::kStart);
  return left + kSteps * kStep + 6 + text_width(high);
}

std::string Svg::finish(absl::string_view title, int64_t width, int64_t height) && {
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ",
                      height, "\" width=\"100%\" style=\"max-width:", width,
                      "px\" role=\"img\"><title>", escaped(title), "</title>\n", kHead,
                      "<rect class=\"g\" width=\"", width, "\" height=\"", height, "\"/>\n", body_,
                      lines_, "</svg>\n");
}

}  // namespace tileproof::picture
