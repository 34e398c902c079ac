// SPDX-License-Identifier: Apache-2.0
// What the programs that measure share: their inputs, and what one would write instead of a closed form.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {

// Keeps a value from being optimized away.
template <class T>
void use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Ends the program.
[[noreturn]] inline void stop(absl::string_view what) {
  std::fprintf(stderr, "%s\n", std::string(what).c_str());
  std::exit(2);
}

template <class T>
T valid(absl::StatusOr<T> value) {
  if (!value.ok()) stop(value.status().message());
  return *std::move(value);
}

inline impl::TiledLayout layout_of(absl::string_view shape) {
  return valid(impl::TiledLayout::create(valid(parse_shape(shape))));
}

inline impl::RelayoutPlan plan_of(absl::string_view from, absl::string_view to,
                                  const impl::RelayoutOptions& options = {}) {
  const auto side = [](absl::string_view text) {
    return valid(impl::relayout_side(valid(parse_any_layout(text))));
  };
  return valid(impl::RelayoutPlan::create(side(from), side(to), options));
}

// What one would write for one tile of full rank: divisions by sizes that are known at run time.
struct ObviousLayout {
  std::vector<int64_t> dims, tile;  // equal ranks; an untiled array has tiles of one element

  int64_t tiles(size_t d) const { return (dims[d] + tile[d] - 1) / tile[d]; }

  [[gnu::noinline]] int64_t offset(const int64_t* index) const {
    int64_t outer = 0, inner = 0, size = 1;
    for (size_t d = 0; d < dims.size(); ++d) {
      outer = outer * tiles(d) + index[d] / tile[d];
      inner = inner * tile[d] + index[d] % tile[d];
      size *= tile[d];
    }
    return outer * size + inner;
  }

  [[gnu::noinline]] void index(int64_t offset, int64_t* index) const {
    int64_t size = 1;
    for (const int64_t t : tile) size *= t;
    int64_t outer = offset / size, inner = offset % size;
    for (size_t d = dims.size(); d-- > 0;) {
      index[d] = outer % tiles(d) * tile[d] + inner % tile[d];
      outer /= tiles(d);
      inner /= tile[d];
    }
  }
};

}  // namespace tileproof
