// SPDX-License-Identifier: Apache-2.0
// tileproof._native.Layout.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "python/native/array.h"
#include "python/native/bindings.h"
#include "python/native/compiled_layout.h"
#include "python/native/errors.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/layout/thread_layout.h"

namespace tileproof::python {
namespace {

namespace nb = nanobind;
using Index = std::array<int64_t, kMaxRank>;

nb::tuple tuple_of(absl::Span<const int64_t> numbers) {
  nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
  for (size_t i = 0; i < numbers.size(); ++i) {
    PyTuple_SetItem(result.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(numbers[i]));
  }
  return nb::borrow<nb::tuple>(result);
}

[[noreturn]] void outside(const CompiledLayout& layout, absl::Span<const int64_t> index) {
  raise_index_error(absl::StrCat("index (", absl::StrJoin(index, ", "), ") is not in the array [",
                                 absl::StrJoin(layout.dims(), ","), "]"));
}

bool is_inside(const CompiledLayout& layout, const int64_t* index) {
  for (size_t d = 0; d < layout.dims().size(); ++d) {
    if (static_cast<uint64_t>(index[d]) >= static_cast<uint64_t>(layout.dims()[d])) return false;
  }
  return true;
}

[[noreturn]] void offset_outside(const CompiledLayout& layout, int64_t offset) {
  raise_index_error(absl::StrCat("offset ", offset, " is not in [0, ", layout.elements(), ")"));
}

nb::object object_of(const IntTuple& tuple) {
  if (!tuple.is_tuple) return nb::int_(tuple.value);
  nb::list items;
  for (const IntTuple& element : tuple.elements) items.append(object_of(element));
  return nb::tuple(items);
}

// ---- Coordinates ----

// A tuple of tuples and integers.
Coordinate coordinate_of(nb::handle value, int depth = 0) {
  if (!PyTuple_Check(value.ptr())) return make_integer(to_int64(value));
  if (depth == kMaxNesting) raise(absl::InvalidArgumentError("expected less nested tuples"));
  std::vector<IntTuple> elements;
  for (const nb::object& item : items_of(value, kMaxRank)) {
    elements.push_back(coordinate_of(item, depth + 1));
  }
  return make_tuple(std::move(elements));
}

// The integer that a coordinate of dimension d is.
int64_t index_in(const CompiledLayout& layout, size_t d, nb::handle value) {
  if (!PyTuple_Check(value.ptr())) return to_int64(value);
  const IntTuple* mode = layout.mode(d);
  if (mode == nullptr) {
    throw nb::type_error(
        "expected an integer or an array for each dimension, found a tuple: tuples are coordinates "
        "of nested layouts, and arrays are lists or those of NumPy");
  }
  const absl::StatusOr<int64_t> index = impl::mode_index(coordinate_of(value), *mode);
  if (absl::IsOutOfRange(index.status())) {
    raise_index_error(std::string(index.status().message()));
  }
  return value_or_raise(index);
}

// The coordinates of an index, which may be one tuple: offset((2, 3)) is offset(2, 3).
std::vector<nb::object> coordinates_of(const nb::args& args, size_t rank) {
  nb::object index = args;
  if (args.size() == 1) {
    const nb::object only = args[0];
    if (PyTuple_Check(only.ptr()) && (rank != 1 || PyTuple_Size(only.ptr()) == 1)) index = only;
  }
  std::vector<nb::object> coordinates = items_of(index, kMaxRank);
  if (coordinates.size() == rank) return coordinates;
  raise(absl::InvalidArgumentError(
      absl::StrCat("expected ", rank, " coordinates, found ", coordinates.size())));
}

// Integers and tuples are answered here. The package answers for arrays: Layout._offset_of_arrays.
nb::object offset_of(const CompiledLayout& layout, const nb::args& args) {
  const size_t rank = layout.dims().size();
  if (rank > 1 && args.size() == 1 && layout.mode(0) != nullptr) {
    nb::object only = args[0];  // the number of an element, or many
    const bool is_one = is_integer(only);
    if (is_one) only = nb::int_(to_int64(only));
    if (!PyTuple_Check(only.ptr())) {
      const nb::object found = nb::find(layout).attr("_offset_of_arrays")(only);
      return is_one ? nb::object(found.attr("item")()) : found;
    }
  }
  Index index;
  bool integers = args.size() == rank;
  for (size_t d = 0; d < rank && integers; ++d) {
    const nb::object one = args[d];
    integers = is_integer(one);
    if (integers) index[d] = to_int64(one);
  }
  if (!integers) {
    bool arrays = false;
    nb::list mixed;
    const std::vector<nb::object> coordinates = coordinates_of(args, rank);
    for (size_t d = 0; d < rank; ++d) {
      const nb::object& one = coordinates[d];
      const bool is_array = !is_integer(one) && !PyTuple_Check(one.ptr());
      if (!is_array) index[d] = index_in(layout, d, one);
      mixed.append(is_array ? one : nb::object(nb::int_(index[d])));
      arrays = arrays || is_array;
    }
    if (arrays) return nb::find(layout).attr("_offset_of_arrays")(*nb::tuple(mixed));
  }
  if (!is_inside(layout, index.data())) outside(layout, absl::MakeSpan(index.data(), rank));
  return nb::int_(layout.offset(index.data()));
}

// The index of the element with a number, as CuTe counts: the first dimension counts fastest. False
// if there is none.
bool find_index(const CompiledLayout& layout, int64_t number, int64_t* index) {
  bool is_array = number >= 0;
  for (size_t d = 0; d < layout.dims().size() && is_array; ++d) {
    const int64_t size = layout.dims()[d];
    is_array = size > 0;
    if (!is_array) break;
    index[d] = number % size;
    number /= size;
  }
  return is_array && number == 0;
}

// The calls that a program makes in its loops: integers inside of the array. CPython calls this
// without nanobind between, which costs more than the offset. Anything else goes to `offset_of`.
PyObject* quick_offset(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  if (nb::inst_ready(self)) {
    const CompiledLayout& layout = *nb::inst_ptr<CompiledLayout>(self);
    const Py_ssize_t rank = std::ssize(layout.dims());
    Index index;
    int overflow = count == rank ? 0 : 1;
    for (Py_ssize_t d = 0; d < rank && overflow == 0; ++d) {
      if (!PyLong_CheckExact(arguments[d])) overflow = 1;
      if (overflow == 0) index[d] = PyLong_AsLongLongAndOverflow(arguments[d], &overflow);
    }
    bool is_found = overflow == 0 && is_inside(layout, index.data());
    if (count == 1 && rank > 1 && layout.mode(0) != nullptr && PyLong_CheckExact(arguments[0])) {
      const int64_t number = PyLong_AsLongLongAndOverflow(arguments[0], &overflow);
      is_found = overflow == 0 && find_index(layout, number, index.data());
    }
    if (is_found) return PyLong_FromLongLong(layout.offset(index.data()));
  }
  const nb::object general = nb::steal(PyObject_GetAttrString(self, "_offset"));
  if (!general.is_valid()) return nullptr;
  const nb::object tuple = nb::steal(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTuple_SetItem(tuple.ptr(), i, nb::borrow(arguments[i]).release().ptr());
  }
  return PyObject_CallObject(general.ptr(), tuple.ptr());
}

PyObject* quick_call(PyObject* self, PyObject* arguments, PyObject* keywords) {
  if (keywords != nullptr && PyDict_Size(keywords) > 0) {
    PyErr_SetString(PyExc_TypeError, "expected coordinates without names");
    return nullptr;
  }
  std::array<PyObject*, kMaxRank + 1> items;
  const Py_ssize_t count = std::min<Py_ssize_t>(PyTuple_Size(arguments), std::ssize(items));
  for (Py_ssize_t i = 0; i < count; ++i) items[i] = PyTuple_GetItem(arguments, i);
  return quick_offset(self, items.data(), count);
}

// Likewise: Layout._indices_of_array.
nb::object index_of(const CompiledLayout& layout, nb::handle position) {
  if (!is_integer(position)) return nb::find(layout).attr("_indices_of_array")(position);
  const int64_t offset = to_int64(position);
  if (static_cast<uint64_t>(offset) >= static_cast<uint64_t>(layout.elements())) {
    offset_outside(layout, offset);
  }
  Index index;
  if (!value_or_raise(layout.index(offset, index.data()))) return nb::none();
  return tuple_of(absl::MakeSpan(index.data(), layout.dims().size()));
}

// ---- Arrays of indices ----

// Writes the offsets of many indices. Returns the number of the first index outside of the array, or
// -1. The rank may be a constant, so that the loop over dimensions is none.
template <class Rank>
int64_t write_offsets(const CompiledLayout& layout, Rank rank, const Integers& indices,
                      int64_t* offsets) {
  Index index, dims;
  std::array<const int64_t*, kMaxRank> numbers;
  for (size_t d = 0; d < rank; ++d) {
    dims[d] = layout.dims()[d];
    numbers[d] = indices.numbers[d];
  }
  for (int64_t i = 0; i < indices.size; ++i) {
    bool inside = true;
    for (size_t d = 0; d < rank; ++d) {
      index[d] = numbers[d][i];
      inside &= static_cast<uint64_t>(index[d]) < static_cast<uint64_t>(dims[d]);
    }
    if (!inside) return i;
    offsets[i] = layout.offset(index.data());
  }
  return -1;
}

int64_t write_offsets(const CompiledLayout& layout, const Integers& indices, int64_t* offsets) {
  const size_t rank = indices.numbers.size();
  if (rank == 1) {
    return write_offsets(layout, std::integral_constant<size_t, 1>(), indices, offsets);
  }
  if (rank == 2) {
    return write_offsets(layout, std::integral_constant<size_t, 2>(), indices, offsets);
  }
  return write_offsets(layout, rank, indices, offsets);
}

// The offsets of many indices. `arrays` has an array for each dimension, all of one shape.
nb::object offsets_of(const CompiledLayout& layout, nb::handle arrays) {
  const Integers indices = integers_of(arrays, layout.dims().size());
  const nb::object out = new_array(indices.shape, nb::str("int64"));
  auto* offsets = reinterpret_cast<int64_t*>(array_of(out, "out").data);
  int64_t wrong;
  {
    nb::gil_scoped_release release;
    wrong = write_offsets(layout, indices, offsets);
  }
  if (wrong >= 0) {
    std::vector<int64_t> index;
    for (const int64_t* numbers : indices.numbers) index.push_back(numbers[wrong]);
    outside(layout, index);
  }
  return out;
}

// The indices of many offsets, -1 in padding: coordinate 0 of all offsets, then the next.
nb::object indices_of(const CompiledLayout& layout, nb::handle positions) {
  const size_t rank = layout.dims().size();
  const Integers offsets = integers_of(nb::make_tuple(positions), 1);
  std::vector<int64_t> shape = offsets.shape;
  shape.insert(shape.begin(), static_cast<int64_t>(rank));
  const nb::object out = new_array(shape, nb::str("int64"));
  auto* results = reinterpret_cast<int64_t*>(array_of(out, "out").data);
  absl::StatusOr<bool> found = true;
  int64_t offset = 0;
  bool is_inside = true;
  {
    nb::gil_scoped_release release;
    Index index;
    for (int64_t number = 0; number < offsets.size && found.ok() && is_inside; ++number) {
      offset = offsets.numbers[0][number];
      is_inside = static_cast<uint64_t>(offset) < static_cast<uint64_t>(layout.elements());
      if (!is_inside) break;
      found = layout.index(offset, index.data());
      for (size_t d = 0; d < rank && found.ok(); ++d)
        results[static_cast<int64_t>(d) * offsets.size + number] = *found ? index[d] : -1;
    }
  }
  if (!is_inside) offset_outside(layout, offset);
  value_or_raise(std::move(found));
  return out;
}

// The offsets of a box, by default of what follows `begin`.
nb::object box_offsets(const CompiledLayout& layout, nb::handle begin, nb::handle shape) {
  const std::vector<int64_t>& dims = layout.dims();
  std::vector<int64_t> first(dims.size(), 0);
  if (!begin.is_none()) first = to_int64s(begin, kMaxRank);
  std::vector<int64_t> sizes = dims;
  for (size_t d = 0; d < std::min(dims.size(), first.size()); ++d) sizes[d] -= first[d];
  if (!shape.is_none()) sizes = to_int64s(shape, kMaxRank);
  if (first.size() != dims.size() || sizes.size() != dims.size()) {
    raise(absl::InvalidArgumentError(
        absl::StrCat("expected a box of ", dims.size(), " dimensions, found ",
                     first.size() != dims.size() ? first.size() : sizes.size())));
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (first[d] >= 0 && sizes[d] >= 0 && first[d] <= dims[d] && sizes[d] <= dims[d] - first[d])
      continue;
    raise_index_error(absl::StrCat("the box [", absl::StrJoin(first, ", "), "] + [",
                                   absl::StrJoin(sizes, ", "), "] is not in the array [",
                                   absl::StrJoin(dims, ", "), "]"));
  }
  const nb::object out = new_array(sizes, nb::str("int64"));
  const Array array = array_of(out, "out");
  absl::Status status;
  if (array.size > 0) {
    nb::gil_scoped_release release;
    status = layout.offsets(
        first, sizes,
        absl::MakeSpan(reinterpret_cast<int64_t*>(array.data), static_cast<size_t>(array.size)));
  }
  if (!status.ok()) raise(status);
  return out;
}

// ---- Copies ----

int threads_of(nb::handle threads) {
  const int64_t count = to_int64(threads);
  if (count >= 1 && count <= impl::RelayoutOptions::kMaxThreads) return static_cast<int>(count);
  raise(absl::InvalidArgumentError(absl::StrCat(
      "expected 1 to ", impl::RelayoutOptions::kMaxThreads, " threads, found ", count)));
}

std::string shape_text(absl::Span<const int64_t> shape) {
  return absl::StrCat("(", absl::StrJoin(shape, ", "), shape.size() == 1 ? ",)" : ")");
}

void expect_shape(const Array& array, absl::Span<const int64_t> shape, const char* what) {
  if (absl::MakeConstSpan(array.shape) == shape) return;
  raise(absl::InvalidArgumentError(absl::StrCat("expected ", what, " of shape ", shape_text(shape),
                                                ", found ", shape_text(array.shape))));
}

void expect_elements(const Array& array) {
  if (nb::cast<bool>(array.dtype.attr("hasobject"))) {
    raise(absl::InvalidArgumentError(
        absl::StrCat("expected an array of numbers, found ", text_of(array.dtype))));
  }
  for (const int64_t bytes : {1, 2, 4, 8, 16}) {
    if (array.bytes == bytes) return;
  }
  raise(absl::InvalidArgumentError(
      absl::StrCat("expected elements of 1, 2, 4, 8 or 16 bytes, found ", array.bytes)));
}

void expect_type(const Array& array, nb::handle dtype, const char* what) {
  if (array.dtype.equal(dtype)) return;
  raise(absl::InvalidArgumentError(absl::StrCat("expected ", what, " of type ", text_of(dtype),
                                                ", found ", text_of(array.dtype))));
}

void expect_writeable(const Array& out, bool contiguous) {
  if (out.writeable && (out.contiguous || !contiguous)) return;
  raise(absl::InvalidArgumentError(contiguous ? "expected `out` to be contiguous and writeable"
                                              : "expected `out` to be writeable"));
}

// A side of a copy: an array with strides, or memory in the order of a layout.
struct Side {
  absl::StatusOr<impl::RelayoutSide> side;
  char* data;
};

Side side_of(const CompiledLayout& layout, char* memory) {
  return {impl::relayout_side(layout.layout()), memory};
}

// An array with strides; nothing if one is not a multiple of an element.
std::optional<Side> rows_of(const Array& array) {
  std::vector<int64_t> strides;
  for (const int64_t step : array.strides) {
    // NumPy has any numbers in an array without elements.
    if (array.size > 0 && step % array.bytes != 0) return std::nullopt;
    strides.push_back(step / array.bytes);
  }
  return Side{impl::strided_side(array.shape, strides), array.data};
}

// Whether the strides alone show that no two elements share memory.
bool are_elements_apart(const Array& array) {
  std::vector<std::pair<int64_t, int64_t>> steps;
  for (size_t d = 0; d < array.shape.size(); ++d) {
    if (array.shape[d] > 1) steps.push_back({std::abs(array.strides[d]), array.shape[d]});
  }
  std::ranges::sort(steps);
  int64_t below = array.bytes - 1;  // the memory of all elements was measured: no overflow
  for (const auto& [step, size] : steps) {
    if (step <= below) return false;
    below += step * (size - 1);
  }
  return true;
}

void run_plan(const Side& from, const Side& to, int64_t bytes, int threads) {
  impl::RelayoutOptions options;
  options.element_bits = static_cast<int>(bytes) * 8;
  options.padding = impl::RelayoutOptions::Padding::kZero;
  options.threads = threads;
  const auto plan = value_or_raise(
      impl::RelayoutPlan::create(value_or_raise(from.side), value_or_raise(to.side), options));
  nb::gil_scoped_release release;
  plan.run(from.data, to.data);
}

// From an array with strides to memory in the order of the layout. This function, and the next two,
// return None where the package must copy an array first: its strides are none of elements, or both
// may share memory.
nb::object tile(const CompiledLayout& layout, nb::handle x, nb::object out,
                nb::handle asked_threads) {
  const int threads = threads_of(asked_threads);
  const Array array = array_of(x, "x");
  expect_shape(array, layout.dims(), "an array");
  expect_elements(array);
  if (out.is_none()) out = new_array({layout.elements()}, array.dtype);
  const Array memory = array_of(out, "out");
  expect_shape(memory, {layout.elements()}, "memory");
  expect_type(memory, array.dtype, "memory");
  expect_writeable(memory, true);
  const std::optional<Side> rows = rows_of(array);
  if (!rows || overlap(array, memory)) return nb::none();
  run_plan(*rows, side_of(layout, memory.data), array.bytes, threads);
  return out;
}

// The inverse.
nb::object untile(const CompiledLayout& layout, nb::handle buffer, nb::object out,
                  nb::handle asked_threads) {
  const int threads = threads_of(asked_threads);
  const Array source = array_of(buffer, "buffer");
  expect_shape(source, {layout.elements()}, "memory");
  expect_elements(source);
  if (out.is_none()) out = new_array(layout.dims(), source.dtype);
  const Array array = array_of(out, "out");
  expect_shape(array, layout.dims(), "an array");
  expect_elements(array);
  expect_type(array, source.dtype, "`out`");
  expect_writeable(array, false);
  if (array.size == 0) return out;
  if (!are_elements_apart(array)) {
    raise(absl::InvalidArgumentError("expected `out` without elements that share memory"));
  }
  const std::optional<Side> rows = rows_of(array);
  const bool falls = std::ranges::any_of(array.strides, [](int64_t step) { return step <= 0; });
  if (!rows || falls || !source.contiguous || overlap(source, array)) return nb::none();
  run_plan(side_of(layout, source.data), *rows, array.bytes, threads);
  return out;
}

nb::object relayout(const CompiledLayout& from, const CompiledLayout& to, nb::handle x,
                    nb::object out, nb::handle asked_threads) {
  const int threads = threads_of(asked_threads);
  if (from.dims() != to.dims()) {
    raise(absl::InvalidArgumentError(absl::StrCat("expected layouts of one shape, found ",
                                                  shape_text(from.dims()), " and ",
                                                  shape_text(to.dims()))));
  }
  const Array source = array_of(x, "x");
  expect_shape(source, {from.elements()}, "memory");
  expect_elements(source);
  if (out.is_none()) out = new_array({to.elements()}, source.dtype);
  const Array memory = array_of(out, "out");
  expect_shape(memory, {to.elements()}, "memory");
  expect_type(memory, source.dtype, "memory");
  expect_writeable(memory, true);
  if (!source.contiguous || overlap(source, memory)) return nb::none();
  run_plan(side_of(from, source.data), side_of(to, memory.data), source.bytes, threads);
  return out;
}

std::string plan_text(const CompiledLayout& from, const CompiledLayout& to) {
  return value_or_raise(
             impl::RelayoutPlan::create(value_or_raise(impl::relayout_side(from.layout())),
                                        value_or_raise(impl::relayout_side(to.layout())), {}))
      .to_text();
}

}  // namespace

void bind_layout(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(quick_call)}, {0, nullptr}};
  static PyMethodDef offset = {
      "offset", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(quick_offset)), METH_FASTCALL,
      "The offset of an element: an integer, or an array for arrays of indices."};
  nb::class_<CompiledLayout> layout(module, "Layout", nb::type_slots(slots));
  layout.attr("offset") =
      nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(layout.ptr()), &offset));
  layout
      .def(
          "__init__",
          [](CompiledLayout* self, const std::string& text) {
            new (self) CompiledLayout(value_or_raise(CompiledLayout::create(text), text));
          },
          nb::arg("text"))
      .def_prop_ro("text", [](const CompiledLayout& self) { return to_text(self.layout()); })
      .def_prop_ro("dims", [](const CompiledLayout& self) { return tuple_of(self.dims()); })
      .def_prop_ro("elements", &CompiledLayout::elements)
      .def_prop_ro("padding", &CompiledLayout::padding)
      .def_prop_ro("bits", &CompiledLayout::bits)
      .def_prop_ro("bytes", &CompiledLayout::bytes)
      .def_prop_ro("formula", &CompiledLayout::formula)
      .def_prop_ro("element_type", &CompiledLayout::element_type)
      .def_prop_ro("system",
                   [](const CompiledLayout& self) {
                     constexpr std::array names = {"tiled",   "nested",   "tagged",
                                                   "blocked", "swizzled", "memref"};
                     static_assert(names.size() == std::variant_size_v<AnyLayout>);
                     return std::string(names[self.layout().index()]);
                   })
      .def_prop_ro("shape", [](const CompiledLayout& self) { return object_of(self.shape()); })
      .def_prop_ro("stride",
                   [](const CompiledLayout& self) {
                     const std::optional<IntTuple> stride = self.stride();
                     return stride ? object_of(*stride) : nb::none();
                   })
      .def("_offset", &offset_of)
      .def("index", &index_of)
      .def("offsets", &box_offsets, nb::arg("begin").none() = nb::none(),
           nb::arg("shape").none() = nb::none())
      .def("_offsets_of", &offsets_of)
      .def("_indices_of", &indices_of)
      .def_prop_ro("_packed_bits", &CompiledLayout::packed_bits)
      .def("_tile", &tile, nb::arg().none(), nb::arg().none(), nb::arg().none())
      .def("_untile", &untile, nb::arg().none(), nb::arg().none(), nb::arg().none())
      .def("_relayout_to", &relayout, nb::arg(), nb::arg().none(), nb::arg().none(),
           nb::arg().none())
      .def("_plan_to", &plan_text);
  module.def("_has_thread_layout", [](const std::string& text) { return has_thread_layout(text); });
}

}  // namespace tileproof::python
