// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "conform/suites/makers.h"
#include "generate/layout/generate_blocked.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"

namespace tileproof::conform {
namespace {

Json offset_of(std::string layout, std::vector<int64_t> index) {
  return json_object(
      {{"op", "layout.offset"}, {"layout", std::move(layout)}, {"index", std::move(index)}});
}

// Both limits leave room for sums of the sizes times the strides.
int64_t magnitude_of(Choose& choose, const Limits& limits) {
  const int64_t bits = std::min<int64_t>(limits.bits.value_or(64), 64);
  return int64_t{1} << choose.between(2, std::clamp<int64_t>(bits / 4, 2, 12));
}

AnyLayout random_layout(Choose& choose, int64_t magnitude) {
  switch (choose(6)) {
    case 0:
    case 1:
      return random_swizzled_layout(choose, magnitude);
    case 2:
    case 3:
      return random_memref(choose, magnitude);
    case 4:
      return random_blocked_shape(choose, magnitude);
    default:
      return random_any_layout(choose, magnitude);
  }
}

}  // namespace

Json make_format_request(Choose& choose, const Limits& limits) {
  const AnyLayout layout = random_layout(choose, magnitude_of(choose, limits));
  const auto function = spec::layout_function(layout);
  const bool has_elements =
      function.ok() && std::count(function->dims.begin(), function->dims.end(), 0) == 0;
  if (!has_elements) return offset_of(to_text(layout), {});
  std::vector<int64_t> index;
  for (const int64_t size : function->dims) {
    index.push_back(choose.chance(1, 3) ? size - 1 : choose(size));
  }
  if (!index.empty() && choose.chance(1, 32)) {  // outside
    const auto d = static_cast<size_t>(choose(std::ssize(index)));
    index[d] = choose.chance(1, 2) ? function->dims[d] : -1;
  }
  return offset_of(to_text(layout), std::move(index));
}

}  // namespace tileproof::conform
