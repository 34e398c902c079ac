// SPDX-License-Identifier: Apache-2.0
// NumPy arrays as memory. What an array says of itself is read from NumPy's own class, so nothing
// that a subclass overrides counts, and no address comes from anything but a real array.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
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

// The elements in row-major order, each in the byte order of this machine.
std::vector<char> gather(const Array& array, bool swap);
// The inverse, without a change of the byte order.
void scatter(absl::Span<const char> elements, const Array& array);

// ---- Arrays of integers ----

// Integers of one array, of any type.
struct Column {
  using Read = bool (*)(const char*, int64_t&);  // false if the number exceeds int64
  const char* data;
  Read read;
  std::vector<int64_t> strides;  // in bytes
  bool is_int64 = false;
  std::shared_ptr<const std::vector<char>> copy = nullptr;  // of an array in the other byte order
};

// Raises TypeError for other types.
Column column_of(const Array& array);

// Arrays of one shape.
struct Columns {
  std::vector<int64_t> shape;
  std::vector<Column> columns;
};

// `arrays` is a sequence of `count` arrays of integers of one shape; anything else raises.
Columns columns_of(nanobind::handle arrays, size_t count);

// Visits the elements of arrays of one shape, in row-major order: visit(number, places). Ends where
// `visit` returns false.
template <class Visit>
void for_each_place(absl::Span<const int64_t> shape, absl::Span<const Column> columns,
                    Visit visit) {
  std::vector<const char*> places;
  for (const Column& column : columns) places.push_back(column.data);
  std::vector<int64_t> at(shape.size(), 0);
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  for (int64_t number = 0; number < count; ++number) {
    if (!visit(number, places)) return;
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) {
        for (size_t c = 0; c < places.size(); ++c) places[c] += columns[c].strides[d];
        break;
      }
      for (size_t c = 0; c < places.size(); ++c)
        places[c] -= columns[c].strides[d] * (shape[d] - 1);
      at[d] = 0;
    }
  }
}

}  // namespace tileproof::python
