// SPDX-License-Identifier: Apache-2.0
// tileproof._native.Layout.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstring>
#include <optional>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/layout/relayout/packed_bits.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "python/native/bindings.h"
#include "python/native/compiled_layout.h"
#include "python/native/errors.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::python {
namespace {

namespace nb = nanobind;
using Index = std::array<int64_t, kMaxRank>;
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

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

// Integers are answered here. The package answers for arrays: Layout._offset_of_arrays.
nb::object offset_of(nb::handle self, const nb::args& args) {
  for (const nb::handle value : args) {
    if (!is_integer(value)) return self.attr("_offset_of_arrays")(*args);
  }
  const CompiledLayout& layout = nb::cast<const CompiledLayout&>(self);
  Index index;
  const size_t rank = layout.dims().size();
  if (args.size() != rank) {
    raise(absl::InvalidArgumentError(
        absl::StrCat("expected ", rank, " coordinates, found ", args.size())));
  }
  for (size_t d = 0; d < rank; ++d) {
    PyObject* item = PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(d));
    index[d] = to_int64(item);
  }
  if (!is_inside(layout, index.data())) outside(layout, absl::MakeSpan(index.data(), rank));
  return nb::int_(layout.offset(index.data()));
}

// Likewise: Layout._indices_of_array.
nb::object index_of(nb::handle self, nb::handle position) {
  if (!is_integer(position)) return self.attr("_indices_of_array")(position);
  const CompiledLayout& layout = nb::cast<const CompiledLayout&>(self);
  const int64_t offset = to_int64(position);
  if (static_cast<uint64_t>(offset) >= static_cast<uint64_t>(layout.elements())) {
    raise_index_error(absl::StrCat("offset ", offset, " is not in [0, ", layout.elements(), ")"));
  }
  Index index;
  if (!value_or_raise(layout.index(offset, index.data()))) return nb::none();
  return tuple_of(absl::MakeSpan(index.data(), layout.dims().size()));
}

// One integer of an array, of any integer type, as int64. False if it does not fit.
using Read = bool (*)(const char*, int64_t&);
template <class T>
bool read(const char* place, int64_t& value) {
  T number;
  std::memcpy(&number, place, sizeof number);
  value = static_cast<int64_t>(number);
  return sizeof(T) < 8 || std::is_signed_v<T> || value >= 0;
}

Read reader_of(const nb::dlpack::dtype& type) {
  const bool is_unsigned = type.code == static_cast<uint8_t>(nb::dlpack::dtype_code::UInt);
  if (!is_unsigned && type.code != static_cast<uint8_t>(nb::dlpack::dtype_code::Int)) {
    throw nb::type_error("expected arrays of integers");
  }
  switch (type.bits) {
    case 8:
      return is_unsigned ? read<uint8_t> : read<int8_t>;
    case 16:
      return is_unsigned ? read<uint16_t> : read<int16_t>;
    case 32:
      return is_unsigned ? read<uint32_t> : read<int32_t>;
    default:
      return is_unsigned ? read<uint64_t> : read<int64_t>;
  }
}

// One coordinate of many indices, which NumPy has broadcast to one shape.
struct Column {
  const char* data;
  Read read;
  std::vector<int64_t> strides;  // in bytes
};

Column column_of(const AnyArray& array) {
  Column column{static_cast<const char*>(array.data()), reader_of(array.dtype()), {}};
  const int64_t bytes = array.dtype().bits / 8;
  for (size_t d = 0; d < array.ndim(); ++d) column.strides.push_back(array.stride(d) * bytes);
  return column;
}

// Visits the elements of arrays of one shape: visit(number, places).
template <class Visit>
void for_each_place(const std::vector<int64_t>& shape, const std::vector<Column>& columns,
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

using Int64Array = nb::ndarray<int64_t, nb::c_contig, nb::device::cpu>;

// Returns the step, in bytes, from each element of a column to the next, if it is always the same.
std::optional<int64_t> step_of(const Column& column, const std::vector<int64_t>& shape) {
  for (size_t d = 1; d < shape.size(); ++d) {
    if (column.strides[d - 1] != column.strides[d] * shape[d]) return std::nullopt;
  }
  return column.strides.empty() ? 0 : column.strides.back();
}

// Columns of int64, each with one step.
struct Rows {
  std::vector<const char*> data;
  std::vector<int64_t> steps;  // in bytes
  int64_t count = 1;
};

// Returns the number of the first index outside of the array, or -1. The rank may be a constant, so
// that the loop over dimensions is none.
template <class Rank>
int64_t offsets_of_rows(const CompiledLayout& layout, Rank rank, const Rows& rows,
                        int64_t* offsets) {
  Index index, dims, steps;
  std::array<const char*, kMaxRank> at;
  for (size_t d = 0; d < rank; ++d) {
    dims[d] = layout.dims()[d];
    steps[d] = rows.steps[d];
    at[d] = rows.data[d];
  }
  for (int64_t i = 0; i < rows.count; ++i) {
    bool inside = true;
    for (size_t d = 0; d < rank; ++d) {
      std::memcpy(&index[d], at[d], sizeof index[d]);
      at[d] += steps[d];
      inside &= static_cast<uint64_t>(index[d]) < static_cast<uint64_t>(dims[d]);
    }
    if (!inside) return i;
    offsets[i] = layout.offset(index.data());
  }
  return -1;
}

int64_t offsets_of_rows(const CompiledLayout& layout, const Rows& rows, int64_t* offsets) {
  switch (rows.data.size()) {
    case 1:
      return offsets_of_rows(layout, std::integral_constant<size_t, 1>(), rows, offsets);
    case 2:
      return offsets_of_rows(layout, std::integral_constant<size_t, 2>(), rows, offsets);
    case 3:
      return offsets_of_rows(layout, std::integral_constant<size_t, 3>(), rows, offsets);
    default:
      return offsets_of_rows(layout, rows.data.size(), rows, offsets);
  }
}

// Returns the first index outside of the array, as far as it fits int64.
std::optional<Index> write_offsets(const CompiledLayout& layout, const std::vector<int64_t>& shape,
                                   const std::vector<Column>& columns, int64_t* offsets) {
  const size_t rank = columns.size();
  Rows rows;
  for (const Column& column : columns) {
    const std::optional<int64_t> step = step_of(column, shape);
    if (!step || column.read != &read<int64_t>) break;
    rows.data.push_back(column.data);
    rows.steps.push_back(*step);
  }
  Index index;
  if (rows.data.size() == rank) {
    for (const int64_t n : shape) rows.count *= n;
    const int64_t outside = offsets_of_rows(layout, rows, offsets);
    if (outside < 0) return std::nullopt;
    for (size_t d = 0; d < rank; ++d)
      std::memcpy(&index[d], rows.data[d] + outside * rows.steps[d], sizeof index[d]);
    return index;
  }
  std::optional<Index> wrong;
  for_each_place(shape, columns, [&](int64_t number, const std::vector<const char*>& places) {
    bool fits = true;
    for (size_t d = 0; d < rank; ++d) fits = columns[d].read(places[d], index[d]) && fits;
    if (!fits || !is_inside(layout, index.data())) {
      wrong = index;
      return false;
    }
    offsets[number] = layout.offset(index.data());
    return true;
  });
  return wrong;
}

// Writes the offsets of many indices. `arrays` has an array for each coordinate, all of the shape
// of `out`.
void offsets_of(const CompiledLayout& layout, const std::vector<AnyArray>& arrays,
                const Int64Array& out) {
  std::vector<int64_t> shape;
  for (size_t d = 0; d < out.ndim(); ++d) shape.push_back(static_cast<int64_t>(out.shape(d)));
  std::vector<Column> columns;
  for (const AnyArray& array : arrays) columns.push_back(column_of(array));
  int64_t* offsets = out.data();
  std::optional<Index> wrong;
  {
    nb::gil_scoped_release release;
    wrong = write_offsets(layout, shape, columns, offsets);
  }
  if (wrong) outside(layout, absl::MakeSpan(wrong->data(), columns.size()));
}

// Writes the indices of many offsets, -1 in padding: coordinate d of all offsets, then the next.
void indices_of(const CompiledLayout& layout, const AnyArray& offsets, const Int64Array& out) {
  const size_t rank = layout.dims().size();
  std::vector<int64_t> shape;
  for (size_t d = 0; d < offsets.ndim(); ++d) {
    shape.push_back(static_cast<int64_t>(offsets.shape(d)));
  }
  const int64_t count = static_cast<int64_t>(offsets.size());
  const std::vector<Column> columns = {column_of(offsets)};
  absl::Status status;
  int64_t offset = 0;
  int64_t* results = out.data();
  {
    nb::gil_scoped_release release;
    Index index;
    for_each_place(shape, columns, [&](int64_t number, const std::vector<const char*>& places) {
      const bool fits = columns[0].read(places[0], offset);
      if (!fits || static_cast<uint64_t>(offset) >= static_cast<uint64_t>(layout.elements())) {
        status = absl::OutOfRangeError("");
        return false;
      }
      const absl::StatusOr<bool> found = layout.index(offset, index.data());
      status = found.status();
      if (!found.ok()) return false;
      for (size_t d = 0; d < rank; ++d)
        results[static_cast<int64_t>(d) * count + number] = *found ? index[d] : -1;
      return true;
    });
  }
  if (absl::IsOutOfRange(status)) {
    raise_index_error(absl::StrCat("offset ", offset, " is not in [0, ", layout.elements(), ")"));
  }
  if (!status.ok()) raise(status);
}

void box_offsets(const CompiledLayout& layout, const std::vector<int64_t>& begin,
                 const std::vector<int64_t>& sizes, const Int64Array& out) {
  absl::Status status;
  {
    nb::gil_scoped_release release;
    status = layout.offsets(begin, sizes, absl::MakeSpan(out.data(), out.size()));
  }
  if (!status.ok()) raise(status);
}

// Runs a plan. The package checks sizes, types and bounds of both arrays before it passes their
// addresses: NumPy's types of 2 bytes, of 16 bytes and of other packages have no common other way
// here.
void run_plan(const absl::StatusOr<impl::RelayoutSide>& from,
              const absl::StatusOr<impl::RelayoutSide>& to, size_t element_bytes, int threads,
              uintptr_t source, uintptr_t destination) {
  impl::RelayoutOptions options;
  options.element_bits = static_cast<int>(element_bytes) * 8;
  options.padding = impl::RelayoutOptions::Padding::kZero;
  options.threads = threads;
  const auto plan =
      value_or_raise(impl::RelayoutPlan::create(value_or_raise(from), value_or_raise(to), options));
  nb::gil_scoped_release release;
  plan.run(reinterpret_cast<const void*>(source), reinterpret_cast<void*>(destination));
}

// Between an array with strides, in elements, and memory in the order of the layout.
void copy(const CompiledLayout& layout, bool to_memory, uintptr_t array,
          const std::vector<int64_t>& strides, size_t element_bytes, uintptr_t memory,
          int threads) {
  const auto rows = impl::strided_side(layout.dims(), strides);
  const auto side = impl::relayout_side(layout.layout());
  if (to_memory) return run_plan(rows, side, element_bytes, threads, array, memory);
  run_plan(side, rows, element_bytes, threads, memory, array);
}

void relayout(const CompiledLayout& from, const CompiledLayout& to, uintptr_t source,
              size_t element_bytes, uintptr_t destination, int threads) {
  run_plan(impl::relayout_side(from.layout()), impl::relayout_side(to.layout()), element_bytes,
           threads, source, destination);
}

std::string plan_text(const CompiledLayout& from, const CompiledLayout& to) {
  return value_or_raise(
             impl::RelayoutPlan::create(value_or_raise(impl::relayout_side(from.layout())),
                                        value_or_raise(impl::relayout_side(to.layout())), {}))
      .to_text();
}

using Bytes = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstBytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_layout(nb::module_& module) {
  nb::class_<CompiledLayout>(module, "Layout")
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
      .def("offset", &offset_of)
      .def("index", &index_of)
      .def("offsets_of", &offsets_of)
      .def("indices_of", &indices_of)
      .def("box_offsets", &box_offsets)
      .def("copy", &copy)
      .def("relayout_to", &relayout)
      .def("plan_to", &plan_text);
  module.def("pack_bits", [](const ConstBytes& elements, int bits, const Bytes& packed) {
    impl::pack_bits(absl::MakeConstSpan(elements.data(), elements.size()), bits,
                    absl::MakeSpan(packed.data(), packed.size()));
  });
  module.def("unpack_bits",
             [](const ConstBytes& packed, int bits, bool is_signed, const Bytes& elements) {
               impl::unpack_bits(absl::MakeConstSpan(packed.data(), packed.size()), bits, is_signed,
                                 absl::MakeSpan(elements.data(), elements.size()));
             });
}

}  // namespace tileproof::python
