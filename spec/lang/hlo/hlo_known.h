// SPDX-License-Identifier: Apache-2.0
// Which operations and attributes of instructions XLA knows.
//
//     is_known_attribute(HloOpcode::kSlice, "slice", "slice")       the limits of a slice
//     is_known_attribute(HloOpcode::kSlice, "slice", "metadata")    every instruction may have it
//     is_known_attribute(HloOpcode::kSlice, "slice", "slcie")       false: XLA refuses the text
//
// A misspelt attribute that the reader ignores is dangerous: its default is used silently. So
// programs for people refuse what no row has, and name the word that was probably meant.
// The protocol keeps unknown words.
//
// The attributes of an opcode are in its row (spec/lang/hlo/hlo_opcode.h). Source: XLA's HLO parser,
// the attributes that it reads for each opcode; older names that dumps still have, such as the
// `dimensions` of map, are there too.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_opcode.h"

namespace tileproof {

// Whether an instruction of this operation may have the attribute. `opcode_text` is the opcode as
// it is written: `slice-start` may have the attributes of a slice. An unknown operation, such as
// those of later versions of XLA, may have any.
bool is_known_attribute(HloOpcode opcode, absl::string_view opcode_text, absl::string_view name);

// "expected an attribute of slice, found 'slcie'; did you mean 'slice'?"
std::string unknown_attribute(HloOpcode opcode, absl::string_view opcode_text,
                              absl::string_view name);

// Whether XLA knows the word that is the value of an attribute: `direction=LT`. True for attributes
// whose values are not one of a few words.
bool is_known_value(HloOpcode opcode, absl::string_view name, absl::string_view value);

// "expected EQ, NE, GE, GT, LE or LT as direction, found 'LTT'; did you mean 'LT'?"
std::string unknown_value(absl::string_view name, absl::string_view value);

// "expected an opcode, found 'transpsoe'; did you mean 'transpose'?", or "expected an element type,
// found 'f33'; ..", if a bracket follows the word.
std::string unknown_opcode(absl::string_view opcode_text, bool is_type = false);

// What XLA does not know of a module, each word once, in the order of the text: "opcode transpsoe",
// "attribute slcie of slice", "direction=LTT of compare".
std::vector<std::string> unknown_words(const HloModule& module);

}  // namespace tileproof
