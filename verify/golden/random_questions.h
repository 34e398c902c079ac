// SPDX-License-Identifier: Apache-2.0
// Questions (golden.h) that nobody has recorded.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"

namespace tileproof::verify {

// Returns a question about the same thing with one or two changes: a module, a map, operands.
// Of other things, a random one of the same kind.
std::string changed(Choose& choose, absl::string_view question);

// Returns a changed question of corpus/golden.
std::string any_question(Choose& choose);

}  // namespace tileproof::verify
