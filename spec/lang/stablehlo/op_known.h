// SPDX-License-Identifier: Apache-2.0
// Which attributes the operations of StableHLO have, in their pretty and their generic form.
//
// An attribute that is misspelt and ignored is dangerous: its default is used silently. So names that
// an operation does not have are errors, but those of other dialects, `mhlo.sharding`, are not.
// Source: the specification of StableHLO and its assembly formats.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {

// `name` is that of the operation without its dialect: `pad`.
// "expected an attribute of pad, found 'interiro'; did you mean 'interior'?"
absl::Status expect_known_attributes(const Op& op, absl::string_view name);

}  // namespace tileproof::stablehlo
