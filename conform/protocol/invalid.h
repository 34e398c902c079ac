// SPDX-License-Identifier: Apache-2.0
// The error of invalid input; the parts make its text: invalid("expected ", n, " results").
#pragma once

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tileproof::conform {

template <class... Parts>
absl::Status invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

}  // namespace tileproof::conform
