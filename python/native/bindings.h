// SPDX-License-Identifier: Apache-2.0
// The parts of the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace tileproof::python {

void bind_layout(nanobind::module_& module);
void bind_map(nanobind::module_& module);
void bind_generators(nanobind::module_& module);

}  // namespace tileproof::python
