// SPDX-License-Identifier: Apache-2.0
// Golden answers that are counts: the elements that an instruction reads, those that maps reach, the
// transactions of a kernel. Private to verify/golden.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

// The number of elements of each array that is read, by operand and by parameter.
std::string reads_of(const HloModule& module, int32_t instruction);

// The answers to what follows the first word of these questions (golden.h).
std::string reads_of_root(absl::string_view text);
std::string images_of(absl::string_view text);
std::string transactions_of(absl::string_view text);

// How the counts differ from those of the reference. "" if they do not, where the reference would
// take too long, and where there is no count.
std::string difference_of_reads(absl::string_view text);
std::string difference_of_images(absl::string_view text);
std::string difference_of_transactions(absl::string_view text);

}  // namespace tileproof::verify
