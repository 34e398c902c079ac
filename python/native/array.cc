// SPDX-License-Identifier: Apache-2.0
#include "python/native/array.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "python/native/errors.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::python {
namespace {

namespace nb = nanobind;

// NumPy's PyArrayInterface: the content of the capsule __array_struct__.
struct Interface {
  int two;
  int rank;
  char kind;
  int item_bytes;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides;
  void* data;
};
constexpr int kContiguous = 0x1, kNotSwapped = 0x200, kWriteable = 0x400;

// Parts of NumPy that live as long as the interpreter.
struct NumPy {
  nb::handle array, interface, dtype, empty;
};
NumPy numpy;

// Sets the number of elements and the memory of all. Strides that lead out of it are those of
// as_strided.
bool find_memory(Array& array) {
  const auto first = static_cast<int64_t>(reinterpret_cast<uintptr_t>(array.data));
  std::optional<int64_t> low = first, high = first;
  for (size_t d = 0; d < array.shape.size(); ++d) {
    const auto size = checked_mul(array.size, array.shape[d]);
    if (!size) return false;
    array.size = *size;
    const auto span = checked_mul(array.shape[d] - 1, array.strides[d]);
    std::optional<int64_t>& side = array.strides[d] < 0 ? low : high;
    side = side && span ? checked_add(*side, *span) : std::nullopt;
  }
  if (array.size == 0) return true;
  if (high) high = checked_add(*high, array.bytes);
  if (!low || !high || *low < 0) return false;
  array.begin = *low;
  array.end = *high;
  return true;
}

template <class T>
bool read(const char* place, int64_t& value) {
  T number;
  std::memcpy(&number, place, sizeof number);
  value = static_cast<int64_t>(number);
  return sizeof(T) < 8 || std::is_signed_v<T> || value >= 0;
}

Column::Read reader_of(int64_t bytes, bool is_unsigned) {
  if (bytes == 1) return is_unsigned ? read<uint8_t> : read<int8_t>;
  if (bytes == 2) return is_unsigned ? read<uint16_t> : read<int16_t>;
  if (bytes == 4) return is_unsigned ? read<uint32_t> : read<int32_t>;
  return is_unsigned ? read<uint64_t> : read<int64_t>;
}

// The array as bytes to visit.
Column places_of(const Array& array) { return {array.data, nullptr, array.strides}; }

}  // namespace

void find_numpy() {
  const nb::module_ module = nb::module_::import_("numpy");
  const nb::object array = module.attr("ndarray");
  const auto getter = [&](const char* name) {
    return nb::object(array.attr(name).attr("__get__")).release();
  };
  numpy.interface = getter("__array_struct__");
  numpy.dtype = getter("dtype");
  numpy.empty = nb::object(module.attr("empty")).release();
  numpy.array = nb::object(array).release();
}

Array array_of(nb::handle value, const char* name) {
  auto* type = reinterpret_cast<PyTypeObject*>(numpy.array.ptr());
  if (PyObject_TypeCheck(value.ptr(), type) == 0) {
    throw nb::type_error(
        absl::StrCat("expected `", name, "` to be an array of NumPy, found ", name_of_type(value))
            .c_str());
  }
  const nb::object capsule = numpy.interface(value);
  const auto* found = static_cast<const Interface*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (found == nullptr) throw nb::python_error();
  Array array;
  array.data = static_cast<char*>(found->data);
  array.bytes = found->item_bytes;
  array.kind = found->kind;
  array.swapped = (found->flags & kNotSwapped) == 0;
  array.contiguous = (found->flags & kContiguous) != 0;
  array.writeable = (found->flags & kWriteable) != 0;
  array.dtype = numpy.dtype(value);
  array.shape.assign(found->shape, found->shape + found->rank);
  array.strides.assign(found->strides, found->strides + found->rank);
  for (size_t d = 0; d < array.shape.size(); ++d) {
    if (array.shape[d] == 1) array.strides[d] = array.bytes;  // NumPy has any number there
  }
  if (!find_memory(array)) {
    raise(absl::InvalidArgumentError(
        absl::StrCat("expected `", name, "` with strides that stay in its memory")));
  }
  return array;
}

nb::object new_array(absl::Span<const int64_t> shape, nb::handle dtype) {
  nb::list sizes;
  for (const int64_t n : shape) sizes.append(n);
  return numpy.empty(nb::tuple(sizes), dtype);
}

bool overlap(const Array& a, const Array& b) { return a.begin < b.end && b.begin < a.end; }

std::vector<char> gather(const Array& array, bool swap) {
  std::vector<char> elements(static_cast<size_t>(array.size * array.bytes));
  char* out = elements.data();
  for_each_place(array.shape, {places_of(array)}, [&](int64_t, const auto& places) {
    std::memcpy(out, places[0], static_cast<size_t>(array.bytes));
    if (swap) std::reverse(out, out + array.bytes);
    out += array.bytes;
    return true;
  });
  return elements;
}

void scatter(absl::Span<const char> elements, const Array& array) {
  const char* in = elements.data();
  for_each_place(array.shape, {places_of(array)}, [&](int64_t, const auto& places) {
    std::memcpy(const_cast<char*>(places[0]), in, static_cast<size_t>(array.bytes));
    in += array.bytes;
    return true;
  });
}

Column column_of(const Array& array) {
  if (array.kind != 'i' && array.kind != 'u') {
    throw nb::type_error(
        absl::StrCat("expected integers, found an array of ", text_of(array.dtype)).c_str());
  }
  Column column{array.data, reader_of(array.bytes, array.kind != 'i'), array.strides};
  column.is_int64 = array.kind == 'i' && array.bytes == 8;
  if (!array.swapped) return column;
  column.copy = std::make_shared<const std::vector<char>>(gather(array, true));
  column.data = column.copy->data();
  int64_t step = array.bytes;
  for (size_t d = array.shape.size(); d-- > 0; step *= array.shape[d]) column.strides[d] = step;
  return column;
}

Columns columns_of(nb::handle arrays, size_t count) {
  Columns result;
  const std::vector<nb::object> items = items_of(arrays, count);
  if (items.size() != count) {
    raise(absl::InvalidArgumentError(
        absl::StrCat("expected ", count, " arrays, found ", items.size())));
  }
  for (const nb::object& item : items) {
    const Array array = array_of(item, "index");
    if (result.columns.empty()) result.shape = array.shape;
    if (array.shape != result.shape) {
      raise(absl::InvalidArgumentError("expected arrays of one shape"));
    }
    result.columns.push_back(column_of(array));
  }
  return result;
}

}  // namespace tileproof::python
