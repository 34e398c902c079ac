// SPDX-License-Identifier: Apache-2.0
// What only people at a terminal see: one line of progress, and colors. In a pipe there is neither.
//
//     812 of 4405 instructions, 35 a second, 1 m 43 s left
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::cli {

// A line on standard error that is overwritten, at most ten times a second while it can be seen.
class ProgressLine {
 public:
  // `what` is counted, "instructions". Without `wanted`, or in a pipe, nothing is shown.
  explicit ProgressLine(std::string what, bool wanted = true);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `all` is unknown if the end is not: then neither "of" nor the time left is shown. `end` is when
  // the work must be done, if there is a limit of time. `note` stands before the count.
  void at(int64_t done, std::optional<int64_t> all, absl::string_view note = "");
  void set_end(std::chrono::steady_clock::time_point end) { end_ = end; }

  // Removes the line, before other text.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool shown_;
  bool visible_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = {};
  std::optional<Clock::time_point> end_;
};

// ", 35 a second, 1 m 43 s left", after `seconds` of work. `left` overrides the estimate.
std::string rate_text(int64_t done, std::optional<int64_t> all, double seconds,
                      std::optional<double> left = std::nullopt);

// How a word reads: green, red or yellow.
enum class Tone { kGood, kBad, kOpen };

// The word in color if standard output is a terminal, unless NO_COLOR is set or TERM is `dumb`.
std::string colored(absl::string_view word, Tone tone);

}  // namespace tileproof::cli
