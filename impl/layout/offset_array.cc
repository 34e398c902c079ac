// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/offset_array.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

using Numbers = absl::Span<const int64_t>;

absl::Status check_box(const TiledLayout& layout, Numbers begin, Numbers sizes, size_t places) {
  const std::vector<int64_t>& dims = layout.logical();
  if (begin.size() != dims.size() || sizes.size() != dims.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a box of rank ", dims.size()));
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (begin[d] < 0 || sizes[d] < 0 || begin[d] > dims[d] || sizes[d] > dims[d] - begin[d]) {
      return absl::InvalidArgumentError(absl::StrCat("dimension ", d, " of size ", dims[d],
                                                     ": expected a part of it, found ", sizes[d],
                                                     " elements from ", begin[d], " on"));
    }
  }
  const std::optional<int64_t> elements = element_count(Dims(sizes.begin(), sizes.end()));
  if (elements && static_cast<uint64_t>(*elements) == places) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("expected room for the [",
                                                 absl::StrJoin(sizes, ","), "] offsets, found ",
                                                 places, " places"));
}

// The additions that take nearly all of the time.
template <class Number>
void add_to_all(const Number* __restrict table, Number base, int64_t count,
                Number* __restrict out) {
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<Number>(base + table[i]);
}

// The offsets along one dimension, for all its coordinates in the box, where the others are 0.
template <class Number>
std::vector<Number> table_of(const TiledLayout& layout, size_t dimension, int64_t begin,
                             int64_t size) {
  std::vector<Number> table(static_cast<size_t>(size));
  Dims index(layout.logical().size(), 0);
  for (int64_t i = 0; i < size; ++i) {
    index[dimension] = begin + i;
    table[i] = static_cast<Number>(layout.linearize_unchecked(index));
  }
  return table;
}

template <class Number>
void by_tables(const TiledLayout& layout, Numbers begin, Numbers sizes, Number* out) {
  const size_t last = sizes.size() - 1;
  std::vector<std::vector<Number>> tables;
  for (size_t d = 0; d < sizes.size(); ++d)
    tables.push_back(table_of<Number>(layout, d, begin[d], sizes[d]));
  const Dims rows(sizes.begin(), sizes.end() - 1);
  Dims row(rows.size(), 0);
  do {
    Number base = 0;
    for (size_t d = 0; d < last; ++d) base = static_cast<Number>(base + tables[d][row[d]]);
    add_to_all(tables[last].data(), base, sizes[last], out);
    out += sizes[last];
  } while (next_index(rows, row));
}

template <class Number>
void one_by_one(const TiledLayout& layout, Numbers begin, Numbers sizes, Number* out) {
  const Dims box(sizes.begin(), sizes.end());
  Dims step(box), index(begin.begin(), begin.end());
  std::ranges::fill(step, 0);
  do {
    for (size_t d = 0; d < box.size(); ++d) index[d] = begin[d] + step[d];
    *out++ = static_cast<Number>(layout.linearize_unchecked(index));
  } while (next_index(box, step));
}

template <class Number>
absl::Status fill(const TiledLayout& layout, Numbers begin, Numbers sizes, absl::Span<Number> out) {
  TRY(check_box(layout, begin, sizes, out.size()));
  if (layout.elements() - 1 > std::numeric_limits<Number>::max()) {
    return absl::OutOfRangeError(
        absl::StrCat("offsets to ", layout.elements() - 1, " do not fit 32 bits"));
  }
  if (out.empty()) return absl::OkStatus();
  if (!sizes.empty() && layout.is_sum_of_parts()) {
    by_tables(layout, begin, sizes, out.data());
  } else {
    one_by_one(layout, begin, sizes, out.data());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status offsets(const TiledLayout& layout, Numbers begin, Numbers sizes,
                     absl::Span<int64_t> out) {
  return fill(layout, begin, sizes, out);
}

absl::Status offsets(const TiledLayout& layout, Numbers begin, Numbers sizes,
                     absl::Span<int32_t> out) {
  return fill(layout, begin, sizes, out);
}

}  // namespace tileproof::impl
