// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/layout_algebra.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "impl/layout/nested_layout.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::impl {
namespace {

using absl::int128;
using Layout = tileproof::NestedLayout;

struct Mode {
  int64_t extent;
  int64_t stride;
};
using Modes = std::vector<Mode>;

absl::Status refused(absl::string_view why) { return absl::FailedPreconditionError(why); }
absl::Status too_large() { return absl::OutOfRangeError("a stride does not fit 64 signed bits"); }
absl::Status undecided(absl::string_view what) {
  return absl::ResourceExhaustedError(absl::StrCat(std::string(what),
                                                   ": extents do not divide, and more than ",
                                                   kMostTried, " values are not tried"));
}

// Returns false if there is an empty tuple.
bool append_modes(const IntTuple& shape, const IntTuple& stride, Modes& modes) {
  if (!shape.is_tuple) modes.push_back({shape.value, stride.value});
  bool filled = !shape.is_tuple || !shape.elements.empty();
  for (size_t i = 0; i < shape.elements.size(); ++i) {
    filled &= append_modes(shape.elements[i], stride.elements[i], modes);
  }
  return filled;
}

struct Operand {
  Modes modes;
  int64_t size;
};

absl::StatusOr<Operand> operand(const Layout& layout) {
  TRY(validate(layout));
  Operand result{{}, 1};
  if (!append_modes(layout.shape, layout.stride, result.modes)) {
    return refused(absl::StrCat(to_text(layout), " has an empty tuple"));
  }
  for (const Mode& mode : result.modes) {
    if (mode.extent == 0) return refused(absl::StrCat(to_text(layout), " has no coordinate"));
  }
  for (const Mode& mode : result.modes) {
    const std::optional<int64_t> product = checked_mul(result.size, mode.extent);
    if (!product) return absl::OutOfRangeError("the size does not fit 64 signed bits");
    result.size = *product;
  }
  return result;
}

Layout flat(const Modes& modes) {
  if (modes.empty()) return {make_integer(1), make_integer(0)};
  if (modes.size() == 1) return {make_integer(modes[0].extent), make_integer(modes[0].stride)};
  Layout result{make_tuple({}), make_tuple({})};
  for (const auto& [extent, stride] : modes) {
    result.shape.elements.push_back(make_integer(extent));
    result.stride.elements.push_back(make_integer(stride));
  }
  return result;
}

// Merges each mode into the one before if it continues that one. If `open`, the last mode has no
// end and stays even if its extent is 1.
Modes merged(const Modes& modes, bool open = false) {
  Modes result;
  for (size_t i = 0; i < modes.size(); ++i) {
    const bool last = open && i + 1 == modes.size();
    if (modes[i].extent == 1 && !last) continue;
    if (!result.empty() &&
        checked_mul(result.back().extent, result.back().stride) == modes[i].stride) {
      result.back().extent *= modes[i].extent;
    } else {
      result.push_back(modes[i]);
    }
  }
  return result;
}

bool any_below_zero(const Modes& modes) {
  return std::any_of(modes.begin(), modes.end(), [](const Mode& m) { return m.stride < 0; });
}

// A(i), where the last mode has no end.
int128 value_at(const Modes& modes, int128 i) {
  int128 sum = 0;
  for (size_t k = 0; k + 1 < modes.size(); ++k) {
    sum += i % modes[k].extent * modes[k].stride;
    i /= modes[k].extent;
  }
  return modes.empty() ? sum : sum + i * modes.back().stride;
}

// Modes with the values f(0), f(1), .. below `count`, or nothing if there are none. An error if a
// value leaves 64 bits.
template <class F>
absl::StatusOr<std::optional<Modes>> modes_by_values(int64_t count, const F& f) {
  for (int64_t i = 0; i < count; ++i) {
    const int128 value = f(i);
    if (value != static_cast<int64_t>(value)) return too_large();
  }
  Modes modes;
  int64_t stretch = 1;  // one step of the next mode
  while (stretch < count) {
    const auto step = static_cast<int64_t>(f(stretch));
    int64_t extent = 1;
    while (stretch * extent < count && f(stretch * extent) == int128(step) * extent) ++extent;
    modes.push_back({extent, step});
    if (count % (stretch * extent) != 0) return std::nullopt;
    stretch *= extent;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (value_at(modes, i) != f(i)) return std::nullopt;
  }
  return modes;
}

// The image of one integer c:d of B, and for each mode of A the largest digit that it reaches.
struct Part {
  Modes modes;
  std::vector<int128> largest;
  bool known = true;  // `largest` is valid
};

// The modes of A are merged, so the result is, too. Nothing: extents divide neither way.
absl::StatusOr<std::optional<Part>> divided_part(const Modes& a, int64_t count, int64_t stride) {
  Part part{{}, std::vector<int128>(a.size())};
  size_t at = 0;
  int64_t step = stride;
  for (; at + 1 < a.size() && step % a[at].extent == 0; ++at) step /= a[at].extent;
  for (int64_t left = count; left > 1; ++at, step = 1) {
    const std::optional<int64_t> d = checked_mul(a[at].stride, step);
    if (!d) return too_large();
    int64_t taken = left;
    if (at + 1 < a.size() && int128(left - 1) * step >= a[at].extent) {
      if (a[at].extent % step != 0) return std::optional<Part>();
      taken = a[at].extent / step;
      if (left % taken != 0) return std::optional<Part>();
    }
    part.modes.push_back({taken, *d});
    part.largest[at] = int128(taken - 1) * step;
    left /= taken;
  }
  return std::optional(part);
}

absl::StatusOr<Part> part_of(const Modes& a, const Layout& outer, int64_t count, int64_t stride) {
  std::optional<Part> divided = TRY(divided_part(a, count, stride));
  if (divided.has_value()) return *std::move(divided);
  const std::string what = absl::StrCat(to_text(outer), " o ", count, ":", stride);
  if (count > kMostTried) return undecided(what);
  std::optional<Modes> modes =
      TRY(modes_by_values(count, [&](int64_t i) { return value_at(a, int128(i) * stride); }));
  if (!modes) return refused(absl::StrCat(what, ": no layout has these offsets"));
  return Part{*std::move(modes), {}, false};
}

// Returns whether the sum of all parts stays within each digit of A, so that nothing carries.
bool cannot_carry(const Modes& a, const std::vector<Part>& parts) {
  for (size_t at = 0; at + 1 < a.size(); ++at) {
    int128 sum = 0;
    for (const Part& part : parts) {
      if (!part.known) return false;
      sum += part.largest[at];
    }
    if (sum >= a[at].extent) return false;
  }
  return true;
}

// Tries every coordinate: returns whether the parts add up to the value of A.
bool adds_up(const Modes& a, const Modes& b, const std::vector<Part>& parts, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    int128 from = 0, sum = 0;
    int64_t left = i;
    for (size_t k = 0; k < b.size(); ++k) {
      const int64_t digit = left % b[k].extent;
      left /= b[k].extent;
      from += int128(digit) * b[k].stride;
      sum += value_at(parts[k].modes, digit);
    }
    if (value_at(a, from) != sum) return false;
  }
  return true;
}

Layout with_parts(const IntTuple& like, const std::vector<Part>& parts, size_t& next) {
  if (!like.is_tuple) return flat(parts[next++].modes);
  std::vector<Layout> modes;
  for (const IntTuple& element : like.elements) modes.push_back(with_parts(element, parts, next));
  return concatenated(modes);
}

// The modes with more than one offset, by rising stride.
Modes by_stride(const Modes& modes) {
  Modes result;
  for (const Mode& mode : modes) {
    if (mode.extent > 1 && mode.stride != 0) result.push_back(mode);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Mode& a, const Mode& b) { return a.stride < b.stride; });
  return result;
}

// Returns whether no two coordinates of these modes (by rising stride) have the same offset, or
// nothing if that is unknown.
std::optional<bool> distinct(const Modes& sorted) {
  int128 reach = 0;
  int128 count = 1;
  bool apart = true;
  for (const auto& [extent, stride] : sorted) {
    apart &= stride > reach;
    reach += int128(extent - 1) * stride;
    count = std::min<int128>(count * extent, kMostTried + 1);
  }
  if (apart) return true;
  if (count > kMostTried) return std::nullopt;
  std::vector<int128> offsets;
  for (int64_t i = 0; i < count; ++i) offsets.push_back(value_at(sorted, i));
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end();
}

absl::Status check_distinct(const Layout& a, const Modes& modes) {
  if (any_below_zero(modes)) return refused(absl::StrCat(to_text(a), " has a stride below 0"));
  const std::optional<bool> known = distinct(by_stride(modes));
  if (!known) return undecided(to_text(a));
  if (!*known) return refused(absl::StrCat(to_text(a), " has one offset twice"));
  return absl::OkStatus();
}

absl::StatusOr<Layout> divide_one(const Layout& a, const Layout& b) {
  const Operand from = TRY(operand(a));
  const Layout rest = TRY(complement(b, from.size));
  return composition(a, concatenated({b, rest}));
}

// logical_divide of each mode by its tiler. Modes without a tiler stay.
absl::StatusOr<std::vector<Layout>> divide_modes(const Layout& a, const Tiler& tiler) {
  TRY(validate(a));
  const int64_t given = std::ssize(tiler.layouts);
  if (given > rank(a.shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected at most ", rank(a.shape), " tilers, found ", given));
  }
  std::vector<Layout> result;
  for (int64_t k = 0; k < rank(a.shape); ++k) {
    result.push_back(mode(a, k));
    if (k >= given || !tiler.layouts[k]) continue;
    result.back() = TRY(divide_one(result.back(), *tiler.layouts[k]));
  }
  return result;
}

// Appends the free modes to `free`. Returns the offset of the fixed ones.
absl::StatusOr<int64_t> fix(const Layout& a, const Slicer& slicer, std::vector<Layout>& free) {
  if (slicer.kind == Slicer::Kind::kFree) {
    free.push_back(a);
    return 0;
  }
  if (slicer.kind == Slicer::Kind::kFixed) {
    const NestedLayout compiled = TRY(NestedLayout::create(a));
    return compiled.offset(make_integer(slicer.value));
  }
  if (!a.shape.is_tuple || rank(a.shape) != std::ssize(slicer.elements)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a slicer of the nesting of ", to_text(a.shape)));
  }
  int64_t sum = 0;
  for (int64_t k = 0; k < rank(a.shape); ++k) {
    const int64_t part = TRY(fix(mode(a, k), slicer.elements[k], free));
    const std::optional<int64_t> next = checked_add(sum, part);
    if (!next) return absl::OutOfRangeError("the offset does not fit 64 signed bits");
    sum = *next;
  }
  return sum;
}

}  // namespace

absl::StatusOr<Layout> coalesce(const Layout& a) {
  const Operand from = TRY(operand(a));
  return flat(merged(from.modes));
}

absl::StatusOr<Layout> composition(const Layout& a, const Layout& b) {
  const Operand inner = TRY(operand(b));
  const Operand outer = TRY(operand(a));
  if (any_below_zero(inner.modes)) {
    return refused(absl::StrCat(to_text(b), " has a stride below 0"));
  }
  int128 reach = 0;  // the largest offset of B
  for (const auto& [extent, stride] : inner.modes) {
    reach += int128(extent - 1) * stride;
    if (reach > std::numeric_limits<int64_t>::max()) return too_large();
  }
  const Modes modes = merged(outer.modes, /*open=*/true);
  std::vector<Part> parts;
  for (const auto& [extent, stride] : inner.modes) {
    parts.push_back(TRY(part_of(modes, a, extent, stride)));
  }
  if (!cannot_carry(modes, parts)) {
    const std::string what = absl::StrCat(to_text(a), " o ", to_text(b));
    if (inner.size > kMostTried) return undecided(what);
    if (!adds_up(modes, inner.modes, parts, inner.size)) {
      return refused(absl::StrCat(what, ": the sums of its integers carry"));
    }
  }
  size_t next = 0;
  return with_parts(b.shape, parts, next);
}

absl::StatusOr<Layout> complement(const Layout& a, int64_t m) {
  if (m < 1) return absl::InvalidArgumentError("expected to fill at least 1");
  const Operand from = TRY(operand(a));
  if (any_below_zero(from.modes)) {
    return refused(absl::StrCat(to_text(a), " has a stride below 0"));
  }
  Modes gaps;
  int64_t filled = 1;
  for (const auto& [extent, stride] : by_stride(from.modes)) {
    if (stride % filled != 0) {
      return refused(absl::StrCat("the offsets of ", to_text(a),
                                  " leave gaps that no layout fills: ", filled,
                                  " does not divide the stride ", stride));
    }
    gaps.push_back({stride / filled, filled});
    const std::optional<int64_t> end = checked_mul(stride, extent);
    if (!end) return too_large();
    filled = *end;
  }
  gaps.push_back({m / filled + (m % filled != 0), filled});
  return flat(merged(gaps));
}

absl::StatusOr<Layout> right_inverse(const Layout& a) {
  const Operand from = TRY(operand(a));
  TRY(check_distinct(a, from.modes));
  struct Source {
    Mode mode;
    int64_t before;  // the product of the extents before it
  };
  std::vector<Source> sources;
  int64_t before = 1;
  for (const Mode& mode : from.modes) {
    sources.push_back({mode, before});
    before *= mode.extent;
  }
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Source& x, const Source& y) { return x.mode.stride < y.mode.stride; });
  Modes result;
  int64_t reached = 1;
  for (const Source& source : sources) {
    if (source.mode.stride != reached) continue;
    result.push_back({source.mode.extent, source.before});
    reached *= source.mode.extent;
  }
  return flat(merged(result));
}

absl::StatusOr<Layout> left_inverse(const Layout& a) {
  const Operand from = TRY(operand(a));
  for (const Mode& mode : from.modes) {
    if (mode.extent > 1 && mode.stride == 0) {
      return refused(absl::StrCat(to_text(a), " has the offset 0 twice"));
    }
  }
  TRY(check_distinct(a, from.modes));
  const Layout rest = TRY(complement(a, 1));
  return right_inverse(concatenated({a, rest}));
}

absl::StatusOr<Layout> logical_divide(const Layout& a, const Tiler& b) {
  if (!b.by_mode) return divide_one(a, *b.layouts[0]);
  const std::vector<Layout> modes = TRY(divide_modes(a, b));
  return concatenated(modes);
}

absl::StatusOr<Layout> composition_by_mode(const Layout& a, const Tiler& b) {
  if (!b.by_mode) return composition(a, *b.layouts[0]);
  TRY(validate(a));
  const int64_t modes = rank(a.shape), tilers = std::ssize(b.layouts);
  if (tilers != modes) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", modes, " tilers, one for each mode, found ", tilers));
  }
  std::vector<Layout> composed;
  for (int64_t k = 0; k < modes; ++k) {
    composed.push_back(mode(a, k));
    if (b.layouts[k]) composed.back() = TRY(composition(composed.back(), *b.layouts[k]));
  }
  return concatenated(composed);
}

absl::StatusOr<Layout> logical_product(const Layout& a, const Layout& b) {
  const Operand from = TRY(operand(a));
  TRY(operand(b));
  const absl::StatusOr<NestedLayout> compiled = NestedLayout::create(b);
  const int64_t positions = TRY(compiled.ok() ? compiled->cosize() : compiled.status());
  const std::optional<int64_t> fill = checked_mul(from.size, positions);
  if (!fill) return too_large();
  const Layout rest = TRY(complement(a, *fill));
  const Layout repeated = TRY(composition(rest, b));
  return concatenated({a, repeated});
}

namespace {

// The modes of both sides in pairs. `copies` has the top level of `b`.
absl::StatusOr<Layout> zipped_product(const Layout& a, const Layout& b, bool raked) {
  const Layout copies = mode(TRY(logical_product(a, b)), 1);
  const Layout one{make_integer(1), make_integer(0)};
  const int64_t in_a = rank(a.shape), in_b = rank(b.shape);
  std::vector<Layout> modes;
  for (int64_t k = 0; k < std::max(in_a, in_b); ++k) {
    Layout inner = k < in_a ? mode(a, k) : one;
    Layout outer = k >= in_b ? one : b.shape.is_tuple ? mode(copies, k) : copies;
    if (raked) std::swap(inner, outer);
    modes.push_back(concatenated({std::move(inner), std::move(outer)}));
  }
  return concatenated(modes);
}

}  // namespace

absl::StatusOr<Layout> blocked_product(const Layout& a, const Layout& b) {
  return zipped_product(a, b, /*raked=*/false);
}

absl::StatusOr<Layout> raked_product(const Layout& a, const Layout& b) {
  return zipped_product(a, b, /*raked=*/true);
}

absl::StatusOr<Layout> zipped_divide(const Layout& a, const Tiler& b) {
  const absl::StatusOr<Layout> divided = logical_divide(a, b);
  if (!divided.ok() || !b.by_mode) return divided;
  std::vector<Layout> tiles, rests;
  for (int64_t k = 0; k < rank(divided->shape); ++k) {
    const Layout part = mode(*divided, k);
    const bool has_tile = k < std::ssize(b.layouts);
    const bool tiled = has_tile && b.layouts[k];
    if (has_tile) tiles.push_back(tiled ? mode(part, 0) : Layout{make_integer(1), make_integer(0)});
    rests.push_back(tiled ? mode(part, 1) : part);
  }
  return concatenated({concatenated(tiles), concatenated(rests)});
}

absl::StatusOr<Layout> tiled_divide(const Layout& a, const Tiler& b) {
  const Layout zipped = TRY(zipped_divide(a, b));
  std::vector<Layout> modes = {mode(zipped, 0)};
  const Layout rests = mode(zipped, 1);
  for (int64_t k = 0; k < rank(rests.shape); ++k) modes.push_back(mode(rests, k));
  return concatenated(modes);
}

absl::StatusOr<Slice> slice(const Layout& a, const Slicer& slicer) {
  TRY(validate(a));
  std::vector<Layout> free;
  const int64_t offset = TRY(fix(a, slicer, free));
  return Slice{slicer.kind == Slicer::Kind::kFree ? a : concatenated(free), offset};
}

}  // namespace tileproof::impl
