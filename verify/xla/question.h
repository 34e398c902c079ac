// SPDX-License-Identifier: Apache-2.0
// Questions for XLA: do its dependences equal the reference's?
//
// A question is a small HLO module, with values for the offsets that are parameters. Its sources
// are the elements of the module's parameters, numbered consecutively: all of parameter 0 in
// row-major order, then those of parameter 1, .. An answer lists, for every element of every array
// of the result, the sources that it depends on in XLA:
//
//     r = f32[3] concatenate(f32[1] p0, f32[2] p1), dimensions={0}         "0|1|2"
//
// surrogate.h and ask_xla.py describe how XLA is asked; judge.h describes how answers are judged.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "spec/hlo/access_relation.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::xla {

struct Question {
  HloModule module;  // the question is about the entry's root
  // By parameter: the values of the elements of parameters that are offsets, row-major.
  std::map<int64_t, std::vector<int64_t>> offsets;
  bool as_it_is = false;  // changes: use its own types, including floating point
  bool whole = false;     // a whole computation; offsets are constants
  // By name: the values of other instructions from which offsets and indices come.
  std::map<std::string, std::vector<int64_t>> values = {};
};

// The sizes of an array.
spec::Dims dims_of(const Shape& array);

// An array of a parameter.
struct SourceArray {
  int64_t parameter = 0;
  const Shape* shape = nullptr;  // of the array; lives as long as the module
  spec::Dims dims;
  int64_t first = 0;  // number of its first element
  int64_t count = 0;
};
absl::StatusOr<std::vector<SourceArray>> source_arrays(const HloModule& module);

// Returns the positions of operands whose values select elements, in order, each once.
std::vector<int64_t> offset_operands(const HloModule& module, int32_t computation,
                                     int32_t instruction);

// Keeps only the generated root: every operand becomes a parameter, and every computation that it
// applies is kept. Offsets get an integer type (s32, s64, u32 or u8) and values, some out of range.
absl::StatusOr<Question> single_operation(const GeneratedHlo& generated, Choose& choose);

// Keeps the whole generated computation. Replaces each offset with a constant, sometimes out of
// range, so that no value that XLA computes selects elements.
absl::StatusOr<Question> whole_computation(const GeneratedHlo& generated, Choose& choose);

}  // namespace tileproof::xla
