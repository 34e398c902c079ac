// SPDX-License-Identifier: Apache-2.0
#include "python/native/array.h"

#include <optional>

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
constexpr int kContiguous = 0x1, kAligned = 0x100, kNotSwapped = 0x200, kWriteable = 0x400;

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
  array.aligned = (found->flags & kAligned) != 0;
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

Integers integers_of(nb::handle arrays, size_t count) {
  Integers result;
  const std::vector<nb::object> items = items_of(arrays, count);
  if (items.size() != count) {
    raise(absl::InvalidArgumentError(
        absl::StrCat("expected ", count, " arrays, found ", items.size())));
  }
  for (const nb::object& item : items) {
    const Array array = array_of(item, "index");
    if (array.kind != 'i' || array.bytes != 8 || array.swapped || !array.contiguous ||
        !array.aligned) {
      throw nb::type_error("expected aligned arrays of int64 in row-major order");
    }
    if (result.numbers.empty()) result.shape = array.shape;
    if (array.shape != result.shape) {
      raise(absl::InvalidArgumentError("expected arrays of one shape"));
    }
    result.numbers.push_back(reinterpret_cast<const int64_t*>(array.data));
  }
  for (const int64_t n : result.shape) result.size *= n;
  return result;
}

}  // namespace tileproof::python
