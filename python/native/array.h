// SPDX-License-Identifier: Apache-2.0
// NumPy arrays as memory. What an array says of itself is read from NumPy's own class, so nothing
// that a subclass overrides counts, and no address comes from anything but a real array.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tileproof::python {

struct Array {
  char* data = nullptr;  // of the element at index 0
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in bytes
  int64_t size = 1;              // elements
  int64_t bytes = 0;             // of an element
  char kind = 0;                 // of the type, as NumPy has it: 'i', 'u', 'b', 'f', 'V', ..
  bool swapped = false;          // the other byte order
  bool contiguous = false;       // in row-major order
  bool aligned = false;          // each element, for its type
  bool writeable = false;
  nanobind::object dtype;
  int64_t begin = 0, end = 0;  // the memory of all elements; equal if there are none
};

// Call once, when the module is imported.
void find_numpy();

// Raises TypeError for anything but an array of NumPy; `name` is that of the argument.
Array array_of(nanobind::handle value, const char* name);
nanobind::object new_array(absl::Span<const int64_t> shape, nanobind::handle dtype);

// Whether they may share memory.
bool overlap(const Array& a, const Array& b);

// ---- Arrays of integers ----

// The numbers of several arrays of one shape, each in row-major order and aligned.
struct Integers {
  std::vector<int64_t> shape;
  std::vector<const int64_t*> numbers;
  int64_t size = 1;  // of each array
};

// `arrays` is a sequence of `count` aligned arrays of int64 of one shape, in row-major order, as the
// package makes them of all arrays of integers (tileproof._arguments.integers); others raise.
Integers integers_of(nanobind::handle arrays, size_t count);

}  // namespace tileproof::python
