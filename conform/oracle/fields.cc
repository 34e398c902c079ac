// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/fields.h"

namespace tileproof::conform {

absl::StatusOr<const Json*> required(const Json& request, absl::string_view key) {
  if (const Json* value = find(request, key)) return value;
  return absl::InvalidArgumentError(absl::StrCat("expected the key \"", key, "\""));
}

absl::StatusOr<absl::string_view> required_text(const Json& request, absl::string_view key) {
  if (const auto* text = find_as<std::string>(request, key)) return absl::string_view(*text);
  return absl::InvalidArgumentError(absl::StrCat("expected the key \"", key, "\", a string"));
}

absl::StatusOr<int64_t> integer_in(const Json& json, absl::string_view what) {
  if (const int64_t* value = json.as<int64_t>()) return *value;
  const std::string found = shown(to_text(json), 60);
  if (is_integer(json)) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " ", found, " does not fit 64 signed bits"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", what, " to be an integer, found ", found));
}

}  // namespace tileproof::conform
