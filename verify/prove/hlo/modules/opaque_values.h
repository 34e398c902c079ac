// SPDX-License-Identifier: Apache-2.0
// Two modules with the same opaque operations: custom calls, cholesky, loops that are not understood,
// collectives.
//
// Nobody knows which elements of its operands an opaque operation reads, or, of a collective, which
// devices have them. But the same operation on the same values reads the same ones. So both modules
// get one more parameter in place of it:
//
//     LEFT   c = f32[4,4] custom-call(p), ..    r = f32[4,4] negate(c)
//     RIGHT  b = f32[4,4] custom-call(q), ..    r = f32[4,4] copy(b)         p, q: parameter 0
//
// become negate(c) and copy(b) of a parameter 1. If these are the same accesses, so are those of
// LEFT and RIGHT. If they are not, nothing is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

// What is computed from elements of other devices, or from the number of the device.
class DeviceValues {
 public:
  explicit DeviceValues(const HloModule& module);

  // An instruction that depends on the device: this one, or one in a computation that it calls.
  const HloInstruction* in(const HloInstruction& instruction) const;

  // One that this leaf of the result of the module is computed from. A tuple is computed leaf by
  // leaf; any other operation from all of its operands.
  const HloInstruction* behind(int32_t leaf) const { return by_leaf_[leaf]; }

 private:
  std::vector<const HloInstruction*> by_computation_;
  std::vector<const HloInstruction*> by_leaf_;
};

struct Cut {
  HloModule left, right;
};

// The modules without the opaque operations of their entries that both have, on operands with equal
// value numbers (verify/prove/hlo/modules/value_numbers.h). Nothing if there are none. Both modules have
// the same number of parameters.
std::optional<Cut> cut_opaque(const HloModule& left, const HloModule& right);

// Whether the modules are the same program: the same operations on the same operands in the same
// order, with the same shapes, layouts and attributes, on as many devices. Names and metadata do not
// matter. False if a constant is not written out.
bool same_program(const HloModule& left, const HloModule& right);

// The name of an instruction whose maps are a superset for that reason; empty if none is found.
std::string opaque_instruction(const HloModule& module, absl::string_view reason);

}  // namespace tileproof::verify
