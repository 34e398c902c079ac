// SPDX-License-Identifier: Apache-2.0
// HLO modules, as values.
//
// A module is a list of computations; a computation is a list of instructions; an instruction
// applies an operation to earlier instructions of its computation and may call other computations.
//
//     HloModule m
//
//     %sum (a: f32[], b: f32[]) -> f32[] {
//       %a = f32[] parameter(0)                        instruction 0
//       %b = f32[] parameter(1)                        instruction 1
//       ROOT %c = f32[] add(f32[] %a, f32[] %b)        instruction 2, operands 0 and 1, the root
//     }
//
// Parts of a module refer to each other by index. An operand is the index of an instruction in its
// computation; it is lower than that of the instruction that uses it. A callee is the index of a
// computation in the module; it is lower than that of the caller. So a walk from first to last
// visits each operand and each callee before its use. Nothing can call itself, and no name has to
// be looked up.
//
// A module holds what was written, not what it means. Shapes are parsed
// (spec/lang/layout/shape.h). Attributes stay text, in their order; spec/lang/hlo/hlo_attributes.h
// reads them on demand. Unknown operations and attributes are kept like all others.
// spec/lang/hlo/hlo_text.h reads and prints the text. Source: XLA's HLO parser.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {

// A shape that several instructions of a module may share. It is immutable and compared by value.
// It can be absent, as some texts leave shapes out; it is then false, and must not be dereferenced.
class SharedShape {
 public:
  SharedShape() = default;
  explicit SharedShape(Shape shape) : shape_(std::make_shared<const Shape>(std::move(shape))) {}

  explicit operator bool() const { return shape_ != nullptr; }
  const Shape& operator*() const { return *shape_; }
  const Shape* operator->() const { return shape_.get(); }

  friend bool operator==(const SharedShape& a, const SharedShape& b) {
    return a.shape_ == b.shape_ || (a.shape_ && b.shape_ && *a.shape_ == *b.shape_);
  }

 private:
  std::shared_ptr<const Shape> shape_;
};

struct HloOperand {
  int32_t instruction = -1;  // its index in the computation
  SharedShape shape;         // as written before the operand's name, if it was

  bool operator==(const HloOperand&) const = default;
};

// `dimensions={1}`: the name, and the value as it was written, without the space around it. The
// value may be a shape, a string or a number.
struct HloAttribute {
  std::string name;
  std::string value;

  bool operator==(const HloAttribute&) const = default;
};

// One computation named by an attribute of an instruction: `to_apply=%sum`, or one of
// `branch_computations={%f, %g}`.
struct HloCall {
  int32_t attribute = -1;    // its index in the instruction's attributes
  int32_t computation = -1;  // its index in the module; -1 if the text does not hold it

  bool operator==(const HloCall&) const = default;
};

struct HloInstruction {
  std::string name;                      // without '%'
  HloOpcode opcode = HloOpcode::kOther;  // opcode_named(opcode_text)
  std::string opcode_text;
  SharedShape shape;  // of the result; absent if it is not written and cannot be inferred
  std::vector<HloOperand> operands;
  std::vector<HloAttribute> attributes;
  std::vector<HloCall> calls;     // in the order of the text
  int64_t parameter_number = -1;  // of a parameter
  std::string literal;            // of a constant: the text between its parentheses

  bool operator==(const HloInstruction&) const = default;
};

// `(a: f32[], b: f32[]) -> f32[]`
struct HloSignature {
  std::vector<std::pair<std::string, SharedShape>> parameters;
  SharedShape result;

  bool operator==(const HloSignature&) const = default;
};

struct HloComputation {
  std::string name;  // without '%'; empty for instructions outside of any computation
  std::optional<HloSignature> signature;
  std::vector<HloInstruction> instructions;  // at least one; operands before uses
  int32_t root = -1;                         // the last instruction if the text names none
  std::vector<HloAttribute> attributes;      // `execution_thread="host"`
  bool is_entry = false;

  bool operator==(const HloComputation&) const = default;
};

// `FileNames`, `FunctionNames`, `FileLocations` or `StackFrames`: numbered lines before the
// computations that metadata refers to. The text of an entry is kept as it was written.
struct HloSection {
  std::string name;
  std::vector<std::pair<int64_t, std::string>> entries;

  bool operator==(const HloSection&) const = default;
};

struct HloModule {
  bool has_header = false;               // `HloModule name, ..` was written
  std::string name;                      // empty without a header
  std::vector<HloAttribute> attributes;  // of the header
  std::vector<HloSection> sections;
  std::vector<HloComputation> computations;  // at least one
  int32_t entry = -1;                        // the one marked ENTRY, or the last if none is marked

  bool operator==(const HloModule&) const = default;
};

// A leaf of the result of an instruction, seen from a computation. `calls` are the instructions
// that enter the computations between the two, outermost first:
//
//     f { ROOT n = f32[] negate(..) }    c = f32[] call(..), to_apply=f      n is {calls {c}, n}
struct HloPosition {
  std::vector<int32_t> calls;
  int32_t instruction = -1;
  int32_t leaf = 0;

  bool operator==(const HloPosition&) const = default;
  auto operator<=>(const HloPosition&) const = default;
};

// The value of an attribute, or nothing. The pointer lives as long as the list.
const std::string* find_attribute(const std::vector<HloAttribute>& attributes,
                                  absl::string_view name);

// The computations that the attribute `name` of an instruction calls, by index in the module (-1:
// not in the text). Empty if there is no such attribute.
std::vector<int32_t> called_computations(const HloInstruction& instruction, absl::string_view name);

// The computation that a fusion, call or async-start enters, by index in the module. -1 if the
// text does not hold it, and for other operations.
int32_t callee_of(const HloInstruction& instruction);

// The computations that an instruction runs on its operands: that of callee_of, the condition and
// the body of a while, the branches of a conditional. (Not what a reduce or a sort applies.)
std::vector<int32_t> entered_computations(const HloInstruction& instruction);

// The computation that these calls lead to from `computation`, outermost first. Each call must
// enter a computation of the text.
int32_t computation_at(const HloModule& module, int32_t computation,
                       absl::Span<const int32_t> calls);

// The indices of the parameters, by parameter number. (Numbers are 0, 1, .. without gaps.)
std::vector<int32_t> parameters_of(const HloComputation& computation);

// The index of the instruction of that name, or -1. Takes linear time.
int32_t find_instruction(const HloComputation& computation, absl::string_view name);

// The number of instructions in all computations.
int64_t instruction_count(const HloModule& module);

}  // namespace tileproof
