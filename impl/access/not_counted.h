// SPDX-License-Identifier: Apache-2.0
// The error of a count that was given up: it would take too much time or memory.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tileproof::impl {

inline absl::Status not_counted(absl::string_view why) { return absl::ResourceExhaustedError(why); }

}  // namespace tileproof::impl
