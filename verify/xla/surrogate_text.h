// SPDX-License-Identifier: Apache-2.0
// Helpers for the text of surrogates. Private to verify/xla/surrogate.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "spec/hlo/access_relation.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::xla {

using Dims = spec::Dims;
using Retype = std::function<ElementType(ElementType)>;

// The type of a set of sources, and the integer type that replaces a floating-point type.
ElementType to_bits(ElementType type);
ElementType to_integers(ElementType type);

// Returns the shape with other element types and without layouts.
Shape retyped(const Shape& shape, const Retype& retype);

// "u64[2,3]"
std::string bits_shape(const Dims& dims);

// Returns `, name=value` for every attribute except names of computations and hints for compilers.
std::string attributes_text(const HloInstruction& i);

// Returns the number of result arrays of a reduce-like operation: one for each input.
int64_t parts_of(const Shape& shape);

// "(a, b)"
std::string operands_text(const std::vector<std::string>& names);

// Operations whose surrogate is `or`, and operations that XLA runs unchanged.
bool is_elementwise(HloOpcode opcode);
bool moves_elements(HloOpcode opcode);

}  // namespace tileproof::xla
