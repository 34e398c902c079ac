// SPDX-License-Identifier: Apache-2.0
// Constants of StableHLO as literals of HLO.
//
//     dense<[0, 2, 1]>       {0, 2, 1}
//     dense<2.0>             2.0, for every element
//     dense<0x7FC00000>      nan
//     dense<"0x0000..">      the bytes of the elements; of floats `{...}`, their values do not matter
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {

struct Literal {
  std::string text;
  bool is_splat = false;  // one value for an array
};

// Errors name no place.
absl::StatusOr<Literal> literal_text(absl::string_view dense, const Type& type);

}  // namespace tileproof::stablehlo
