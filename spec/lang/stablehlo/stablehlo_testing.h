// SPDX-License-Identifier: Apache-2.0
// Writes modules of StableHLO for tests, and reads them back as text of HLO.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/stablehlo/stablehlo_text.h"

namespace tileproof::stablehlo {

// A function of one operation on parameters a, b, .. of these types.
inline std::string function_of(const std::vector<std::string>& types, const std::string& op,
                               const std::string& result) {
  std::string parameters;
  for (size_t i = 0; i < types.size(); ++i) {
    absl::StrAppend(&parameters, i > 0 ? ", " : "", "%", std::string(1, static_cast<char>('a' + i)),
                    ": ", types[i]);
  }
  return absl::StrCat("module @m {\n  func.func public @main(", parameters, ") -> ", result,
                      " {\n    %0 = ", op, "\n    return %0 : ", result, "\n  }\n}\n");
}

// The HLO text of the root of the entry, or the error.
inline std::string root_of(const std::string& text) {
  const absl::StatusOr<std::vector<HloModule>> modules = parse_modules(text);
  if (!modules.ok()) return std::string(modules.status().message());
  const HloComputation& entry = (*modules)[0].computations[(*modules)[0].entry];
  return to_text(entry, entry.root);
}

// All HLO text of a module, or the error.
inline std::string hlo_of(const std::string& text) {
  const absl::StatusOr<std::vector<HloModule>> modules = parse_modules(text);
  return modules.ok() ? to_text((*modules)[0]) : std::string(modules.status().message());
}

}  // namespace tileproof::stablehlo
