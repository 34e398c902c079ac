// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/layout_builder.h"

#include <variant>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {

absl::Status LayoutBuilder::take(Step step) {
  Dims after = TRY(dims_after(step, dims()));
  if (std::holds_alternative<Pad>(step) && after == dims()) return absl::OkStatus();
  layout_.steps.push_back(std::move(step));
  layout_.dims.push_back(std::move(after));
  return absl::OkStatus();
}

absl::Status LayoutBuilder::combine_all() {
  while (rank() > 1) {
    TRY(take(Combine{0}));
  }
  return absl::OkStatus();
}

absl::StatusOr<TiledLayout> LayoutBuilder::finish(int64_t bits) && {
  const int64_t elements = layout_.elements();
  const absl::int128 bytes = (absl::int128(elements) * bits + 7) / 8;  // less than 2^126
  if (bytes > INT64_MAX) {
    return absl::OutOfRangeError(
        absl::StrCat("the bytes of ", elements, " elements do not fit 64 signed bits"));
  }
  layout_.bytes = static_cast<int64_t>(bytes);
  return std::move(layout_);
}

}  // namespace tileproof::spec
