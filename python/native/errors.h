// SPDX-License-Identifier: Apache-2.0
// Statuses as Python exceptions: tileproof.Error, or IndexError for an index out of bounds.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

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

// The items of a sequence. Raises TypeError for what is none, and tileproof.Error for more than
// `most` items. Does not believe what an object says of its length.
std::vector<nanobind::object> items_of(nanobind::handle sequence, size_t most);
std::vector<int64_t> to_int64s(nanobind::handle sequence, size_t most);

// For messages.
std::string name_of_type(nanobind::handle value);
std::string text_of(nanobind::handle value);

}  // namespace tileproof::python
