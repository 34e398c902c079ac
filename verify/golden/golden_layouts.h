// Answers about layouts, word for word (verify/golden/golden.h).
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::verify {

// Of an array: the maps between its indices and its offsets, and its layout in other systems.
std::string positions_of(absl::string_view shape);

// Of operands as verify/compare/algebra_laws.h reads them: every operation of the algebra, and what there
// is to say about A alone.
std::string algebra_of(absl::string_view operands);

// Of a kernel: WARP WIDTH SHAPE <newline> threads MAP <newline> access MAP.
std::string transactions_of(absl::string_view kernel);

}  // namespace tileproof::verify
