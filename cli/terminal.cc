// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tileproof::cli {
namespace {

constexpr double kFirstRate = 0.5;  // seconds before a rate says something

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(std::clamp(seconds, 0.0, 1e9)));
  if (whole < 60) return absl::StrCat(whole, " s");
  if (whole < 3600) return absl::StrCat(whole / 60, " m ", whole % 60, " s");
  return absl::StrCat(whole / 3600, " h ", whole / 60 % 60, " m");
}

bool has_colors() {
  static const bool result = [] {
    const char* term = std::getenv("TERM");
    const char* none = std::getenv("NO_COLOR");
    return ::isatty(STDOUT_FILENO) != 0 && (none == nullptr || *none == '\0') && term != nullptr &&
           std::string(term) != "dumb";
  }();
  return result;
}

}  // namespace

ProgressLine::ProgressLine(std::string what, bool wanted)
    : what_(std::move(what)), shown_(wanted && ::isatty(STDERR_FILENO) != 0) {}

void ProgressLine::at(int64_t done, std::optional<int64_t> all, absl::string_view note) {
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  const bool last = all && done >= *all;
  if (visible_ && !last && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  visible_ = true;
  std::optional<double> left;
  if (end_) left = std::chrono::duration<double>(*end_ - now).count();
  std::cerr << "\r" << note << (note.empty() ? "" : ": ") << done;
  if (all) std::cerr << " of " << *all;
  std::cerr << " " << what_
            << rate_text(done, all, std::chrono::duration<double>(now - begin_).count(), left)
            << " \x1b[K" << std::flush;
}

void ProgressLine::clear() {
  if (visible_) std::cerr << "\r\x1b[K" << std::flush;
  visible_ = false;
}

std::string rate_text(int64_t done, std::optional<int64_t> all, double seconds,
                      std::optional<double> left) {
  if (seconds < kFirstRate || done < 1) return "";
  const double rate = static_cast<double>(done) / seconds;
  std::string text = rate >= 10 ? absl::StrCat(", ", std::llround(rate), " a second")
                                : absl::StrCat(", ", std::round(rate * 10) / 10, " a second");
  if (all && *all > done && rate > 0) {
    const double estimate = static_cast<double>(*all - done) / rate;
    left = left ? std::min(*left, estimate) : estimate;
  }
  if (left) absl::StrAppend(&text, ", ", duration_text(*left), " left");
  return text;
}

std::string colored(absl::string_view word, Tone tone) {
  if (!has_colors()) return std::string(word);
  const char* code = tone == Tone::kGood ? "32" : tone == Tone::kBad ? "31" : "33";
  return absl::StrCat("\x1b[", code, "m", word, "\x1b[0m");
}

}  // namespace tileproof::cli
