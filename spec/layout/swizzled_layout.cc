// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/swizzled_layout.h"

#include "spec/lang/base/try.h"

namespace tileproof::spec {

absl::StatusOr<int64_t> swizzled(const Swizzle& swizzle, int64_t offset) {
  TRY(validate(swizzle));
  if (offset < 0) return absl::InvalidArgumentError("expected an offset of at least 0");
  return swizzled_number(swizzle, offset);
}

}  // namespace tileproof::spec
