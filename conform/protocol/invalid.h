// SPDX-License-Identifier: Apache-2.0
// The error of invalid input; the parts make its text: invalid("expected ", n, " results").
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tileproof::conform {

template <class... Parts>
absl::Status invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// The error, with a name in front: "LEFT: expected ..".
template <class T>
absl::StatusOr<T> prefixed(absl::string_view name, absl::StatusOr<T> value) {
  if (value.ok()) return value;
  return absl::Status(value.status().code(), absl::StrCat(name, ": ", value.status().message()));
}

}  // namespace tileproof::conform
