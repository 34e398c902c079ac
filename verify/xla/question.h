// Questions to XLA: does it let the same elements flow as the reference says?
//
// A question is a small HLO module and, where offsets are parameters, their values. Its sources are
// the elements of the module's parameters, numbered through: all of parameter 0 in row-major order,
// then those of parameter 1, .. An answer says, for every element of every array of the result,
// which sources XLA let flow into it:
//
//     r = f32[3] concatenate(f32[1] p0, f32[2] p1), dimensions={0}         "0|1|2"
//
// How XLA is asked is in make_surrogate.h and ask_xla.py; how an answer is judged is in judge.h.
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
  HloModule module;  // the entry's root is what is asked about
  // The values of the elements of parameters that are offsets, row-major, by parameter.
  std::map<int64_t, std::vector<int64_t>> offsets;
  bool as_it_is = false;  // changes: in its own types, floating point too
  bool whole = false;     // a whole computation: its offsets are constants in the module
};

// One array of a parameter.
struct SourceArray {
  int64_t parameter = 0;
  const Shape* shape = nullptr;  // of the array; lives as long as the module
  spec::Dims dims;
  int64_t first = 0;  // the number of its first element
  int64_t count = 0;
};
absl::StatusOr<std::vector<SourceArray>> source_arrays(const HloModule& module);

// The operands of an instruction whose values choose elements, by position; in order, each once.
std::vector<int64_t> offset_operands(const HloModule& module, int32_t computation,
                                     int32_t instruction);

// The generated root alone: every operand is a parameter of its own, every computation it applies
// is kept. Offsets get an integer type (s32, s64, u32 or u8) and values, out of range too.
absl::StatusOr<Question> single_operation(const GeneratedHlo& generated, Choose& choose);

// The whole generated computation; each offset, wherever it came from, is replaced by a constant
// with values out of range too, so that no value that XLA computes chooses elements.
absl::StatusOr<Question> whole_computation(const GeneratedHlo& generated, Choose& choose);

}  // namespace tileproof::xla
