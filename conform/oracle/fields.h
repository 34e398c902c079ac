// SPDX-License-Identifier: Apache-2.0
// The fields of requests, and how they are read. All operations read a text, and say what is wrong
// with it, alike:
//
//     {"op":"map.simplify","map":7}                 expected the key "map", a string
//     {"op":"map.simplify","map":"(d0) -> (d1)"}    map: column 9: expected a variable, found 'd1'
//
// Errors are kInvalidArgument.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {

// What a text under a key is.
enum class Form { kOther, kShape, kHlo, kLayout, kMap };

// A key of requests.
struct Field {
  absl::string_view key;
  absl::string_view description;  // for the schema of test vectors
  absl::string_view type = "";    // of its JSON value; empty: one of several
  Form form = Form::kOther;       // in most operations; `left` and `right` of hlo.equal are HLO
};

// All keys but `op` and `id`.
absl::Span<const Field> request_fields();

Form form_of(absl::string_view key);

// The value under a key.
absl::StatusOr<const Json*> required(const Json& request, absl::string_view key);

absl::StatusOr<absl::string_view> required_text(const Json& request, absl::string_view key);

// What the text under a key says: the value of `parse`, such as parse_shape.
template <class Parse>
auto parsed_field(const Json& request, absl::string_view key, Parse parse)
    -> decltype(parse(absl::string_view())) {
  auto value = parse(TRY(required_text(request, key)));
  if (value.ok()) return value;
  const absl::string_view message = value.status().message();
  return absl::InvalidArgumentError(absl::StrCat(key, ": ", message));
}

// An integer; the error names it as `what`.
absl::StatusOr<int64_t> integer_in(const Json& json, absl::string_view what);

absl::StatusOr<int64_t> integer_under(const Json& request, absl::string_view key);

}  // namespace tileproof::conform
