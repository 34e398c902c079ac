// SPDX-License-Identifier: Apache-2.0
#include "python/native/errors.h"

#include <nanobind/stl/string.h>

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace tileproof::python {

namespace nb = nanobind;

namespace {

// Messages cut long texts, even within a character.
nb::object shown(absl::string_view text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

}  // namespace

void raise(const absl::Status& status, absl::string_view text) {
  const nb::object make = nb::module_::import_("tileproof._errors").attr("error_from_message");
  const std::string message(status.message());
  const nb::object error = make(shown(message), shown(text));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

void raise_index_error(const std::string& message) { throw nb::index_error(message.c_str()); }

bool is_integer(nb::handle value) {
  if (PyLong_Check(value.ptr())) return true;
  if (!PyIndex_Check(value.ptr()) || PySequence_Check(value.ptr()) != 0) return false;
  const nb::object rank = nb::getattr(value, "ndim", nb::int_(0));
  return PyLong_Check(rank.ptr()) && to_int64(rank) == 0;
}

int64_t to_int64(nb::handle value) {
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long result = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) raise(absl::OutOfRangeError("expected a number of at most 64 bits"));
  if (result == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return result;
}

std::vector<nb::object> items_of(nb::handle sequence, size_t most) {
  PyObject* const value = sequence.ptr();
  if (PySequence_Check(value) == 0 || PyUnicode_Check(value) || PyBytes_Check(value)) {
    throw nb::type_error(
        absl::StrCat("expected a sequence of integers, found ", name_of_type(sequence)).c_str());
  }
  std::vector<nb::object> items;
  for (nb::handle item : nb::iter(sequence)) {
    if (items.size() == most) {
      raise(absl::InvalidArgumentError(
          absl::StrCat("expected at most ", most, " numbers, found more")));
    }
    items.push_back(nb::borrow(item));
  }
  return items;
}

std::vector<int64_t> to_int64s(nb::handle sequence, size_t most) {
  std::vector<int64_t> numbers;
  for (const nb::object& item : items_of(sequence, most)) numbers.push_back(to_int64(item));
  return numbers;
}

std::string name_of_type(nb::handle value) {
  return nb::cast<std::string>(nb::str(value.type().attr("__name__")));
}

std::string text_of(nb::handle value) { return nb::cast<std::string>(nb::str(value)); }

}  // namespace tileproof::python
