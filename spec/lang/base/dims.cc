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

bool is_inside(const Dims& dims, const Dims& index) { return expect_index(dims, index).ok(); }

absl::Status expect_index(const Dims& dims, const Dims& index) {
  if (index.size() != dims.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an index of ", dims.size(), " numbers, found ", index.size()));
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (index[d] >= 0 && index[d] < dims[d]) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("index ", index[d], " is outside dimension ", d, " of size ", dims[d]));
  }
  return absl::OkStatus();
}

}  // namespace tileproof
