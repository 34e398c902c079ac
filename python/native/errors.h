// SPDX-License-Identifier: Apache-2.0
// Statuses as Python exceptions: tileproof.Error, or IndexError for an index out of bounds.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::python {

// Throws tileproof.Error. `text` is what the user wrote; the error shows a caret below it.
[[noreturn]] void raise(const absl::Status& status, absl::string_view text = "");
[[noreturn]] void raise_index_error(const std::string& message);

// The value, or raises.
template <class T>
T value_or_raise(absl::StatusOr<T> value, absl::string_view text = "") {
  if (!value.ok()) raise(value.status(), text);
  return *std::move(value);
}

// Whether a value is one integer, and no array of integers. Arrays may have __index__ too: those of
// PyTorch do.
bool is_integer(nanobind::handle value);

// Reads a Python integer of any type that has __index__. Throws TypeError, or tileproof.Error if it
// exceeds int64.
int64_t to_int64(nanobind::handle value);

}  // namespace tileproof::python
