// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "conform/suites/makers.h"
#include "generate/layout/generate_threads.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/thread_layout.h"

namespace tileproof::conform {
namespace {

// Sometimes one that is outside.
int64_t random_below(Choose& choose, int64_t size) {
  if (choose.chance(1, 64)) return choose.chance(1, 2) ? size : -1;
  return choose.chance(1, 3) ? size - 1 : choose(size);
}

}  // namespace

Json make_threads_request(Choose& choose, const Limits&) {
  const std::string text = random_thread_layout(choose);
  const bool asks_owner = choose.chance(1, 2);
  Json request =
      json_object({{"op", asks_owner ? "layout.owner" : "layout.element"}, {"layout", text}});
  const absl::StatusOr<ThreadLayout> layout = parse_thread_layout(text);
  if (asks_owner) {
    Dims index;
    for (const int64_t size : layout.ok() ? layout->dims : Dims{1})
      index.push_back(random_below(choose, size));
    set(request, "index", std::move(index));
    return request;
  }
  Place sizes = {1, 1, 1, 1};
  if (layout.ok()) sizes = spec::place_sizes(*layout).value_or(sizes);
  for (size_t i = 0; i < sizes.size(); ++i)
    set(request, kPlaceNames[i], random_below(choose, sizes[i]));
  return request;
}

}  // namespace tileproof::conform
