// SPDX-License-Identifier: Apache-2.0
#include "python/native/errors.h"

#include <cstdint>

namespace tileproof::python {

namespace nb = nanobind;

void raise(const absl::Status& status, absl::string_view text) {
  const nb::object make = nb::module_::import_("tileproof._errors").attr("error_from_message");
  const std::string message(status.message());
  const nb::object error =
      make(nb::str(message.data(), message.size()), nb::str(text.data(), text.size()));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

void raise_index_error(const std::string& message) { throw nb::index_error(message.c_str()); }

bool is_integer(nb::handle value) {
  if (PyLong_Check(value.ptr())) return true;
  if (!PyIndex_Check(value.ptr()) || PySequence_Check(value.ptr()) != 0) return false;
  return nb::cast<int64_t>(nb::getattr(value, "ndim", nb::int_(0))) == 0;
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

}  // namespace tileproof::python
