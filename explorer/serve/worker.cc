// SPDX-License-Identifier: Apache-2.0
#include "explorer/serve/worker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/try.h"

namespace tileproof::explorer {

using conform::Milliseconds;

namespace {

constexpr Milliseconds kGlance(100);  // how often it looks whether to stop

}  // namespace

absl::StatusOr<std::string> Worker::ask(const std::string& question) {
  if (!process_ || process_->ended()) process_.emplace(TRY(conform::Subprocess::start(command_)));
  const std::string line = question + "\n";
  absl::string_view left = line;
  std::string answer;
  const auto end = std::chrono::steady_clock::now() + limit_;
  while (answer.empty() || answer.back() != '\n') {
    const auto time =
        std::chrono::duration_cast<Milliseconds>(end - std::chrono::steady_clock::now());
    if (time.count() <= 0) {
      process_.reset();  // kills it
      return absl::DeadlineExceededError(
          absl::StrCat("no answer within ", limit_.count() / 1000, " s"));
    }
    if (stopped_) return absl::CancelledError("the server ends");
    const conform::Subprocess::Ready ready =
        process_->wait_for(!left.empty(), std::min(time, kGlance));
    bool gone = false;
    if (ready.write) {
      const std::optional<size_t> written = process_->write_some(left);
      gone = !written;
      left.remove_prefix(written.value_or(0));
    }
    if (ready.read && !process_->read_some(answer)) gone = true;
    if (gone && (answer.empty() || answer.back() != '\n')) {
      const std::optional<std::string> how = process_->end(Milliseconds(1000));
      process_.reset();
      return absl::InternalError(
          absl::StrCat("the process that answers ended: ", how.value_or("killed")));
    }
  }
  answer.pop_back();
  return answer;
}

}  // namespace tileproof::explorer
