// SPDX-License-Identifier: Apache-2.0
// Proves plans: the offsets that the loops of a copy use are those of the layouts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "impl/map/compose.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::verify {
namespace {

using impl::RelayoutLoop;
using impl::RelayoutPlan;

spec::LayoutFunction function_of(absl::string_view text) {
  return *spec::layout_function(*parse_any_layout(text));
}

RelayoutPlan plan_of(absl::string_view from, absl::string_view to) {
  return *RelayoutPlan::create(*impl::relayout_side(*parse_any_layout(from)),
                               *impl::relayout_side(*parse_any_layout(to)), {});
}

// Whether offset = (the layout's offset) o index, for all values of the loops.
Verdict follows(const IndexingMap& index, const IndexingMap& offset, absl::string_view layout) {
  const absl::StatusOr<IndexingMap> expected =
      impl::compose(index, offset_map(function_of(layout)));
  const absl::StatusOr<MapEquality> equality = equal(offset, *expected);
  return equality.ok() ? equality->verdict : Verdict::kUndecided;
}

// The loops of each dimension are a mixed radix that reaches its whole extent, so they visit each
// index exactly once.
bool visits_each_index_once(const RelayoutPlan& plan, const std::vector<int64_t>& dims) {
  std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> loops;
  for (const RelayoutLoop& loop : plan.loops())
    loops[loop.dimension].push_back({loop.weight, loop.size});
  for (int64_t d = 0; d < std::ssize(dims); ++d) {
    int64_t reached = 1;
    std::sort(loops[d].begin(), loops[d].end());
    for (const auto& [weight, size] : loops[d]) {
      if (weight != reached) return false;
      reached = weight * size;
    }
    if (reached < dims[d]) return false;
  }
  return true;
}

void expect_proven(absl::string_view from, absl::string_view to) {
  const RelayoutPlan plan = plan_of(from, to);
  const RelayoutPlan::Maps maps = plan.maps();
  EXPECT_EQ(follows(maps.index, maps.source, from), Verdict::kProven) << from << " to " << to;
  EXPECT_EQ(follows(maps.index, maps.destination, to), Verdict::kProven) << from << " to " << to;
  EXPECT_TRUE(visits_each_index_once(plan, function_of(from).dims)) << from << " to " << to;
}

TEST(RelayoutProof, PlansOfTpuLayoutsAreProven) {
  const std::vector<absl::string_view> layouts = {
      "bf16[4096,8192]{1,0}",          "bf16[4096,8192]{0,1}", "bf16[4096,8192]{1,0:T(8,128)(2,1)}",
      "bf16[4096,8192]{0,1:T(8,128)}", "zN:bf16[4096,8192]",   "dnnl:BA16a16b:bf16[4096,8192]"};
  for (const absl::string_view from : layouts) {
    for (const absl::string_view to : layouts) expect_proven(from, to);
  }
  expect_proven("s8[3,70,200]{2,1,0}", "s8[3,70,200]{2,1,0:T(8,128)(4,1)}");
  expect_proven("f32[7,130,9]{0,2,1:T(8,128)}", "f32[7,130,9]{2,1,0}");
}

TEST(RelayoutProof, PlansOfRandomLayoutsAreProven) {
  int proven = 0;
  for (uint64_t seed = 0; proven < 60 && seed < 600; ++seed) {
    Choose choose(Choose::Random{seed});
    const std::string from = to_text(AnyLayout(random_shape(choose, 3000)));
    const absl::StatusOr<AnyLayout> layout = parse_any_layout(from);
    if (!layout.ok()) continue;
    Shape rows = std::get<Shape>(*layout);
    rows.layout = default_layout(rows.rank());
    const std::string to = to_text(AnyLayout(rows));
    const auto side = impl::relayout_side(*layout), row_side = impl::relayout_side(AnyLayout(rows));
    if (!side.ok() || !row_side.ok() || !spec::layout_function(*layout).ok()) continue;
    if (!parse_any_layout(to).ok() || plan_of(from, to).loops().empty()) continue;
    expect_proven(from, to);
    ++proven;
  }
  EXPECT_EQ(proven, 60);
}

TEST(RelayoutProof, AWrongStrideIsRefuted) {
  RelayoutPlan::Maps maps = plan_of("f32[16,256]", "f32[16,256]{1,0:T(8,128)}").maps();
  for (Node& node : maps.destination.nodes) {
    if (node.op == Op::kConstant && node.value == 1024) node.value = 1023;
  }
  EXPECT_EQ(follows(maps.index, maps.destination, "f32[16,256]{1,0:T(8,128)}"), Verdict::kRefuted);
}

}  // namespace
}  // namespace tileproof::verify
