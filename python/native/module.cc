// SPDX-License-Identifier: Apache-2.0
// The extension module tileproof._native: what must be fast. The package tileproof wraps it.
#include <nanobind/nanobind.h>

#include "python/native/array.h"
#include "python/native/bindings.h"

NB_MODULE(_native, module) {
  nanobind::set_leak_warnings(false);  // of values that the interpreter keeps until it ends
  tileproof::python::find_numpy();
  tileproof::python::bind_layout(module);
  tileproof::python::bind_map(module);
  tileproof::python::bind_generators(module);
}
