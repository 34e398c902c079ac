// SPDX-License-Identifier: Apache-2.0
// The text of HLO, as XLA dumps it and as people write it.
//
//     file        = module { module }                     also separated by lines `// -----`
//     module      = [ "HloModule" name [ ":" ] { "," attribute } ] { section } { computation }
//     section     = word { int ( string | "{" .. "}" ) }  e.g. FileNames, StackFrames
//     computation = [ "ENTRY" ] name [ "(" [ name [ ":" ] SHAPE { "," .. } ] ")" "->" SHAPE ]
//                   "{" instruction { instruction } "}" { "," attribute }
//     instruction = [ "ROOT" ] name "=" operation { "," attribute }
//     operation   = [ SHAPE ] opcode "(" operands ")"
//     operands    = int (of a parameter) | literal (of a constant) | [ operand { "," operand } ]
//     operand     = [ SHAPE ] name | operation
//     attribute   = word "=" value                        name = [ "%" ] word
//     word        = [A-Za-z_][A-Za-z0-9_.-]*
//
// White space (line breaks too) and comments may separate any two words. A value that is not a
// computation is kept as written: it is a run of words, strings and balanced (), [], {} up to a
// comma, a closing bracket or white space (another bracket may follow the white space). Inside
// braces only braces, strings and comments count. In a backend_config and in frontend_attributes
// comments do not count, as `//` may be part of an address.
//
// The parser adds what the text leaves out, and to_text prints it:
// * no ENTRY: the last computation is the entry; no ROOT: the last instruction is the root;
// * an operand that is itself an operation becomes an instruction before the one that uses it,
//   named after its opcode; a computation in braces as the value of an attribute (`to_apply={..}`)
//   becomes a computation before the one that uses it, named `<opcode>_<attribute>`; ".1", ".2", ..
//   keep such names unique;
// * an instruction without a shape gets the inferred one, if there is one
//   (spec/lang/hlo/hlo_shapes.h);
// * instructions outside of any computation form a computation without a name, the entry. In it
//   (and in braces inside of it) an undefined operand with a shape becomes a parameter with the
//   smallest free number. So does a shape without a name: `add(f32[8], f32[8])`. An instruction may
//   have no name: `f32[8] add(f32[8] x, f32[8] y)`.
//
// The parser checks that names are unique, that operands are defined before their use and have the
// shapes that are written before their names (layouts aside), that the root has the shape that the
// header of its computation writes for the result, that parameters are numbered 0, 1, .. without
// gaps, and that integers of a constant fit its type (up to 32 bits). Called computations must be
// defined before their use; a text without a header may call computations that it does not hold.
// There is at most one ROOT and one ENTRY, and no attribute occurs twice. The parser does not check
// opcodes and names of attributes, unless it is asked to, nor values of attributes: checked_op does (spec/lang/hlo/checked_op.h).
//
// Time and memory are linear in the text. For every text that is read, parse(to_text(x)) == x.
// Errors name line and column and what was expected. Source: XLA's HLO parser.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof {

// HLO files are larger than other texts; brackets nest to kMaxNesting.
inline constexpr size_t kMaxHloBytes = size_t{256} << 20;

// The whole text is one module: with or without header, a single computation, or instructions
// alone.
//
//     parse_hlo_module("bc0 = f32[10,20,30] broadcast(f32[20] p0), dimensions={1}")
//
// has one computation of two instructions: `p0 = f32[20] parameter(0)`, and the root bc0.
absl::StatusOr<HloModule> parse_hlo_module(absl::string_view text);

// What to do with operations, and attributes of instructions, that XLA does not know
// (spec/lang/hlo/hlo_known.h). Refusing them names the word that was probably meant:
//
//     line 3, column 12: expected an opcode, found 'transpsoe'; did you mean 'transpose'?
enum class UnknownHlo { kKeep, kRefuse };

// All modules of a text; at least one. Skips empty parts between two `// -----`.
absl::StatusOr<std::vector<HloModule>> parse_hlo_modules(absl::string_view text,
                                                         UnknownHlo unknown = UnknownHlo::kKeep);

// The text that the parsers read back to the same value: names with '%', ENTRY and ROOT written.
std::string to_text(const HloModule& module);
std::string to_text(const std::vector<HloModule>& modules);  // separated by `// -----`
std::string to_text(const HloComputation& computation);

// `[ROOT ]%name = shape opcode(operands), attributes`: one line, unless a value was written on
// several.
std::string to_text(const HloComputation& computation, int32_t instruction);

}  // namespace tileproof
