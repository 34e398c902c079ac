// SPDX-License-Identifier: Apache-2.0
// The layout of a shape's text, which a test expects to be valid:
//
//     compiled("f32[3,5]{1,0:T(2,2)}").offset({1, 2})
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {

inline TiledLayout compiled(absl::string_view text) {
  absl::StatusOr<TiledLayout> layout = TiledLayout::create(*parse_shape(text));
  EXPECT_TRUE(layout.ok()) << text << ": " << layout.status();
  return *layout;
}

}  // namespace tileproof::impl
