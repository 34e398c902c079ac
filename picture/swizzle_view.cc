// SPDX-License-Identifier: Apache-2.0
#include "picture/swizzle_view.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/layout/swizzled_layout.h"

namespace tileproof::picture {
namespace {

constexpr int64_t kBetween = 40;  // the rows before and after

bool has_bit(int64_t word, int64_t bit) { return (word >> bit & 1) != 0; }

}  // namespace

std::pair<int64_t, int64_t> draw_swizzle(const SwizzledLayout& layout, int64_t slots,
                                         int64_t example, int64_t x, int64_t y, Svg& svg) {
  const int64_t bits = std::max<int64_t>(std::bit_width(static_cast<uint64_t>(slots - 1)), 1);
  std::vector<std::vector<std::string>> sums(bits);  // of each bit after the swizzle
  std::vector<int64_t> color(bits, -1);              // the bit that is xored
  std::vector<std::pair<int64_t, int64_t>> lines;
  for (int64_t from = bits - 1; from >= 0; --from) {
    const int64_t moved = spec::swizzled_element<int64_t>(layout, int64_t{1} << from);
    for (int64_t to = 0; to < bits; ++to) {
      if (!has_bit(moved, to)) continue;
      sums[to].insert(sums[to].begin(), absl::StrCat("b", from));
      if (to == from) continue;
      color[from] = color[to] = from;
      lines.push_back({from, to});
    }
  }
  int64_t cell = kLineHeight;
  for (const auto& sum : sums) cell = std::max(cell, text_width(absl::StrJoin(sum, "^")) + 8);
  const int64_t before = spec::swizzled_element<int64_t>(layout, example);  // its own inverse
  const int64_t left = text_width("before ") + 1, value = left + bits * cell + kLineHeight;
  const int64_t digits = text_width(absl::StrCat(std::max(before, example), " = "));
  const auto draw_row = [&](int64_t top, absl::string_view name, int64_t number, bool is_after) {
    svg.text(x, top + 15, name, Svg::Anchor::kStart);
    svg.text(x + value, top + 15, absl::StrCat(number, " ="), Svg::Anchor::kStart);
    for (int64_t bit = 0; bit < bits; ++bit) {
      const int64_t at = bits - 1 - bit;
      const Color shade = color[bit] < 0 ? Color{} : in_cycle(color[bit]);
      svg.cell({x + left + at * cell, top, cell, kLineHeight}, shade,
               is_after ? absl::StrJoin(sums[bit], "^") : absl::StrCat("b", bit));
      svg.cell({x + value + digits + at * kLineHeight, top, kLineHeight, kLineHeight}, shade,
               has_bit(number, bit) ? "1" : "0");
    }
  };
  const int64_t lower = y + kLineHeight + kBetween;
  draw_row(y, "before", before, false);
  draw_row(lower, "after", example, true);
  for (const auto& [from, to] : lines) {
    const auto middle = [&](int64_t bit) { return x + left + (bits - 1 - bit) * cell + cell / 2; };
    svg.line(middle(from), y + kLineHeight, middle(to), lower);
  }
  return {value + digits + bits * kLineHeight, 2 * kLineHeight + kBetween};
}

}  // namespace tileproof::picture
