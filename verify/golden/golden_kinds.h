// SPDX-License-Identifier: Apache-2.0
// The answers to questions about layouts and counts, byte for byte (verify/golden/golden.h): each about
// the text that follows the first word. Private to verify/golden.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

// The answer to a question with an error.
std::string error_line(const absl::Status& status);

// The maps between indices and offsets of an array, and its layout in other systems.
std::string positions_of(absl::string_view shape);

// Operands in the format of verify/compare/algebra_laws.h: every operation of the algebra, and the
// properties of A alone.
std::string algebra_of(absl::string_view operands);

// The plan of a copy, its maps, and the elements of both buffers: LAYOUT <newline> to LAYOUT, and for
// a box <newline> box [BEGIN,..] [SIZE,..]. Padding becomes 0, but that of a box is kept.
std::string relayout_of(absl::string_view copy);

// The number of elements of each array that is read, by operand and by parameter.
std::string reads_of(const HloModule& module, int32_t instruction);
std::string reads_of_root(absl::string_view text);

// The elements that maps reach, and the transactions of a kernel.
std::string images_of(absl::string_view text);
std::string transactions_of(absl::string_view text);

// How the counts differ from those of the reference. "" if they do not, where the reference would
// take too long, and where there is no count.
std::string difference_of_reads(absl::string_view text);
std::string difference_of_images(absl::string_view text);
std::string difference_of_transactions(absl::string_view text);

}  // namespace tileproof::verify
