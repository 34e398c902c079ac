// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/dims.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof {

std::string dims_text(const Dims& dims) { return absl::StrCat("[", absl::StrJoin(dims, ","), "]"); }

std::optional<int64_t> element_count(const Dims& dims) {
  if (std::ranges::count(dims, 0) > 0) return 0;
  std::optional<int64_t> count = 1;
  for (const int64_t size : dims) {
    if (count) count = checked_mul(*count, size);
  }
  return count;
}

}  // namespace tileproof
