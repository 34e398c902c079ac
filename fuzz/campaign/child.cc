// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/child.h"

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "spec/lang/base/try.h"

namespace tileproof::campaign {
namespace {

constexpr Milliseconds kGrace(2000);
constexpr size_t kMaxPending = 1 << 20;  // longer lines are cut

}  // namespace

absl::StatusOr<Child> Child::start(const std::vector<std::string>& command,
                                   Clock::time_point limit) {
  // libFuzzer prints to standard error.
  conform::Subprocess process = TRY(conform::Subprocess::start_with_errors(command));
  process.close_input();
  return Child(std::move(process), limit);
}

bool Child::poll() {
  bool open = true;
  for (size_t before = SIZE_MAX;
       open && pending_.size() != before && pending_.size() < kMaxPending;) {
    before = pending_.size();
    open = process_.read_some(pending_);
  }
  read_lines();
  if (!open) {
    // The last line of an interrupted process may be incomplete.
    if (!pending_.empty() && !interrupted_ && !skipping_)
      read_line(std::exchange(pending_, ""), output_);
    how_ = process_.end(kGrace);
    return true;
  }
  const Clock::time_point now = Clock::now();
  if (now >= limit_ && !interrupted_) interrupt();
  if (now < limit_ + kGrace) return false;
  process_.end(Milliseconds(0));
  process_.read_some(pending_);
  read_lines();
  return true;
}

void Child::read_lines() {
  size_t start = 0;
  for (size_t end; (end = pending_.find('\n', start)) != std::string::npos; start = end + 1) {
    if (!std::exchange(skipping_, false))
      read_line(absl::string_view(pending_).substr(start, end - start), output_);
  }
  pending_.erase(0, start);
  if (pending_.size() < kMaxPending) return;
  // A failure is at the beginning of its line.
  if (!std::exchange(skipping_, true)) read_line(pending_, output_);
  pending_.clear();
}

void Child::interrupt() {
  interrupted_ = true;
  limit_ = std::min(limit_, Clock::now());
  process_.interrupt();
}

}  // namespace tileproof::campaign
