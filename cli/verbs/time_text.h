// SPDX-License-Identifier: Apache-2.0
// Times on the command line: 30, 500ms, 30s, 2m or 2min, 1h.
#pragma once

#include <chrono>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::cli {

// The unit of a number without one. It differs by option, so each help text names it.
enum class BareTime { kMilliseconds, kSeconds };

// At most nine digits. The error shows examples and names the unit of a bare number.
absl::StatusOr<std::chrono::milliseconds> read_time(absl::string_view text, BareTime bare);

}  // namespace tileproof::cli
