// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/mlir_element_type.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tileproof {

std::string mlir_element_type(ElementType type) {
  const std::string name(info(type).name);
  if (name == "pred") return "i1";
  if (name == "c64") return "complex<f32>";
  if (name == "c128") return "complex<f64>";
  if (absl::StartsWith(name, "s")) return absl::StrCat("i", name.substr(1));
  if (absl::StartsWith(name, "u")) return absl::StrCat("ui", name.substr(1));
  if (name[0] == 'f' && absl::StrContains(name, "e"))  // f8E4M3FN
    return absl::StrCat("f", absl::AsciiStrToUpper(name.substr(1)));
  return name;
}

std::optional<ElementType> element_type_of_mlir(absl::string_view name) {
  if (name == "i1") return ElementType::kPred;
  if (name == "complex<f32>") return element_type_named("c64");
  if (name == "complex<f64>") return element_type_named("c128");
  if (absl::StartsWith(name, "si")) return element_type_named(absl::StrCat("s", name.substr(2)));
  if (absl::StartsWith(name, "ui")) return element_type_named(absl::StrCat("u", name.substr(2)));
  if (absl::StartsWith(name, "i")) return element_type_named(absl::StrCat("s", name.substr(1)));
  if (absl::StartsWith(name, "f")) return element_type_named(absl::AsciiStrToLower(name));
  return element_type_named(name);
}

}  // namespace tileproof
