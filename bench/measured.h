// SPDX-License-Identifier: Apache-2.0
// What the programs that measure share: their inputs, and what one would write instead of a closed form.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
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

// A module as large as one asks for.

// Does the work in a new thread, which remembers no relations of an earlier analysis
// (impl/hlo/remembered/relation_memo.h).
inline void in_new_thread(const auto& work) { std::thread(work).join(); }

// Returns layers of attention-like and pointwise operations, with as many instructions as the
// largest real modules. All arrays of the layers have `batch` as their first dimension.
inline std::string deep_network(int layers, int batch = 8) {
  std::string text =
      "HloModule deep\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT c = f32[] add(a, b)\n}\nENTRY main {\n  x0 = f32[8,64,96] parameter(0)\n"
      "  zero = f32[] constant(0)\n";
  for (int i = 0; i < layers; ++i) {
    const auto line = [&](const auto&... parts) { absl::StrAppend(&text, "  ", parts..., "\n"); };
    line("w", i, " = f32[96,96] parameter(", i + 1, ")");
    line("d", i, " = f32[8,64,96] dot(x", i, ", w", i,
         "), lhs_contracting_dims={2}, rhs_contracting_dims={0}");
    line("h", i, " = f32[8,64,6,16] reshape(d", i, ")");
    line("t", i, " = f32[8,6,64,16] transpose(h", i, "), dimensions={0,2,1,3}");
    line("e", i, " = f32[8,6,64,16] exponential(t", i, ")");
    line("r", i, " = f32[8,6,64] reduce(e", i, ", zero), dimensions={3}, to_apply=sum");
    line("b", i, " = f32[8,6,64,16] broadcast(r", i, "), dimensions={0,1,2}");
    line("q", i, " = f32[8,6,64,16] divide(e", i, ", b", i, ")");
    line("s", i, " = f32[8,6,32,16] slice(q", i, "), slice={[0:8], [0:6], [0:64:2], [0:16]}");
    line("p", i, " = f32[8,6,64,16] pad(s", i, ", zero), padding=0_0x0_0x0_1_1x0_0");
    line("u", i, " = f32[8,64,6,16] transpose(p", i, "), dimensions={0,2,1,3}");
    line("v", i, " = f32[8,64,96] reshape(u", i, ")");
    line("x", i + 1, " = f32[8,64,96] add(v", i, ", x", i, ")");
  }
  if (batch != 8) {
    const std::string size = absl::StrCat(batch);
    absl::StrReplaceAll(
        {{"f32[8,", absl::StrCat("f32[", size, ",")}, {"[0:8]", absl::StrCat("[0:", size, "]")}},
        &text);
  }
  return absl::StrCat(text, "}\n");
}

}  // namespace tileproof
