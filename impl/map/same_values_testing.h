// SPDX-License-Identifier: Apache-2.0
// Compares two maps at every point, by the definition.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::impl {

// Expects `after` to have the results of `before` at each point of the box of `before`, which is
// read from `text`. Stops at the first difference. Returns the number of points.
inline int64_t expect_same_values(const std::string& text, const IndexingMap& before,
                                  const IndexingMap& after) {
  int64_t points = 0;
  const absl::Status status =
      spec::for_each_box_point(before, 10'000, [&](const spec::Point& point) {
        const auto expected = spec::evaluate(before, point);
        const auto found = spec::evaluate(after, point);
        const bool same = expected.ok() && found.ok() && *expected == *found;
        EXPECT_TRUE(same) << text << "\n"
                          << to_text(after) << "\nat " << spec::to_text(before, point);
        ++points;
        return same;
      });
  EXPECT_TRUE(status.ok()) << text << "\n" << status;
  return points;
}

}  // namespace tileproof::impl
