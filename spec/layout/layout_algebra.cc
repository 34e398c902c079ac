// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/layout_algebra.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/nested_layout.h"

namespace tileproof::spec {
namespace {

using Table = std::vector<int64_t>;

absl::Status refused(absl::string_view why) { return absl::FailedPreconditionError(why); }

absl::Status too_many() {
  return absl::ResourceExhaustedError(
      absl::StrCat("the reference tabulates at most ", kMaxTabled, " values"));
}

absl::Status too_large() { return absl::OutOfRangeError("an offset does not fit 64 signed bits"); }

// A layout as a function on integers.
class Function {
 public:
  explicit Function(const NestedLayout& layout)
      : shape_(modes_of(layout.shape)), strides_(leaves(layout.stride)) {}

  // Returns nullopt if the value does not fit int64.
  std::optional<int64_t> at(int64_t i) const {
    Table digits;
    digits.reserve(strides_.size());
    spread_integer(shape_, i, digits);
    Exact sum = exact(0);
    for (size_t k = 0; k < digits.size(); ++k) sum = sum + exact(digits[k]) * strides_[k];
    return to_int64(sum);
  }

 private:
  Modes shape_;
  Table strides_;
};

bool has_empty_tuple(const IntTuple& shape) {
  return shape.is_tuple &&
         (shape.elements.empty() ||
          std::any_of(shape.elements.begin(), shape.elements.end(), has_empty_tuple));
}

// Returns the size of a layout. Fails unless the reference can tabulate all of its values.
absl::StatusOr<int64_t> check_operand(const NestedLayout& layout) {
  TRY(validate(layout));
  if (has_empty_tuple(layout.shape)) {
    return refused(absl::StrCat(to_text(layout), " has an empty tuple"));
  }
  const int64_t count = TRY(size(layout.shape));
  if (count == 0) return refused(absl::StrCat(to_text(layout), " has no coordinate"));
  if (count > kMaxTabled) return too_many();
  return count;
}

NestedLayout flat(const Table& extents, const Table& strides) {
  if (extents.empty()) return {make_integer(1), make_integer(0)};
  if (extents.size() == 1) return {make_integer(extents[0]), make_integer(strides[0])};
  return {make_flat(extents), make_flat(strides)};
}

// Returns the flat layout with the fewest modes that has these values, or nullopt if there is none.
// The first mode is the longest run of equal steps. The other modes are the layout of the values at
// which the runs start.
std::optional<NestedLayout> layout_of(Table table) {
  Table extents, strides;
  if (table[0] != 0) return std::nullopt;
  while (table.size() > 1) {
    const int64_t step = table[1];
    int64_t run = 1;
    while (run < std::ssize(table) && Wide{run} * step == table[run]) ++run;
    if (std::ssize(table) % run != 0) return std::nullopt;
    Table starts;
    for (int64_t i = 0; i < std::ssize(table); ++i) {
      if (i % run == 0) starts.push_back(table[i]);
      if (Wide{starts.back()} + Wide{i % run} * step != table[i]) return std::nullopt;
    }
    extents.push_back(run);
    strides.push_back(step);
    table = std::move(starts);
  }
  return flat(extents, strides);
}

std::string shown(const Table& table) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(table.size(), 8); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", table[i]);
  }
  return table.size() > 8 ? absl::StrCat(text, ", ..") : text;
}

bool any_below_zero(const NestedLayout& layout) {
  const Table strides = leaves(layout.stride);
  return std::any_of(strides.begin(), strides.end(), [](int64_t d) { return d < 0; });
}

// Returns A without its modes of stride 0. Its set of offsets is the same.
NestedLayout filtered(const NestedLayout& a) {
  const Table extents = leaves(a.shape), strides = leaves(a.stride);
  Table kept_extents, kept_strides;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (strides[i] == 0) continue;
    kept_extents.push_back(extents[i]);
    kept_strides.push_back(strides[i]);
  }
  return flat(kept_extents, kept_strides);
}

// Returns the offsets of a layout. Fails if two coordinates have the same offset.
absl::StatusOr<Table> distinct_values(const NestedLayout& layout) {
  if (any_below_zero(layout)) {
    return refused(absl::StrCat(to_text(layout), " has a stride below 0"));
  }
  Table table = TRY(values(layout));
  Table sorted = table;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return table;
  return refused(absl::StrCat(to_text(layout), " has the offset ", *twice, " twice"));
}

// Builds a layout nested like B, with the next layout in place of each integer.
NestedLayout replaced(const IntTuple& like, std::vector<NestedLayout>::const_iterator& next) {
  if (!like.is_tuple) return *next++;
  std::vector<NestedLayout> modes;
  for (const IntTuple& element : like.elements) modes.push_back(replaced(element, next));
  return concatenated(modes);
}

// Returns A(i * step) for each i < count.
absl::StatusOr<Table> strided(const Function& a, int64_t step, int64_t count) {
  Table table;
  for (int64_t i = 0; i < count; ++i) {
    const std::optional<int64_t> from = checked_mul(i, step);
    const std::optional<int64_t> value = from ? a.at(*from) : std::nullopt;
    if (!value) return too_large();
    table.push_back(*value);
  }
  return table;
}

// Checks at every coordinate c that A(B(c)) is the sum of `parts` over B's integers.
absl::Status check_sums(const NestedLayout& a, const NestedLayout& b,
                        const std::vector<Table>& parts, int64_t count) {
  const Function outer(a), inner(b);
  const Modes shape = modes_of(b.shape);
  for (int64_t i = 0; i < count; ++i) {
    Table digits;
    spread_integer(shape, i, digits);
    Exact sum = exact(0);
    for (size_t k = 0; k < digits.size(); ++k) sum = sum + exact(parts[k][digits[k]]);
    const std::optional<int64_t> from = inner.at(i);
    const std::optional<int64_t> value = from ? outer.at(*from) : std::nullopt;
    if (!value) return too_large();
    if (to_int64(sum) != value) {
      return refused(
          absl::StrCat(to_text(a), " o ", to_text(b), ": the sums of its integers carry: at ", i,
                       " (", to_text(with_leaves(b.shape, digits)), ") the offset is ", *value,
                       ", not ", to_int64(sum) ? absl::StrCat(*to_int64(sum)) : "an int64"));
    }
  }
  return absl::OkStatus();
}

// The tiles and rests of the modes that have a tiler, and the modes without one.
struct Divided {
  std::vector<NestedLayout> tiles, rests, others;
};

absl::StatusOr<NestedLayout> divide_one(const NestedLayout& a, const NestedLayout& b) {
  const int64_t count = TRY(check_operand(a));
  const NestedLayout rest = TRY(complement(b, count));
  return composition(a, concatenated({b, rest}));
}

absl::StatusOr<Divided> divide_modes(const NestedLayout& a, const Tiler& tiler) {
  TRY(validate(a));
  if (std::ssize(tiler.layouts) > rank(a.shape)) {
    return absl::InvalidArgumentError(absl::StrCat("expected at most ", rank(a.shape),
                                                   " tilers, one for each mode, found ",
                                                   tiler.layouts.size()));
  }
  Divided result;
  for (int64_t k = 0; k < rank(a.shape); ++k) {
    const NestedLayout part = mode(a, k);
    if (k >= std::ssize(tiler.layouts)) {
      result.others.push_back(part);
      continue;
    }
    if (!tiler.layouts[k]) {
      result.tiles.push_back({make_integer(1), make_integer(0)});
      result.rests.push_back(part);
      continue;
    }
    const NestedLayout divided = TRY(divide_one(part, *tiler.layouts[k]));
    result.tiles.push_back(mode(divided, 0));
    result.rests.push_back(mode(divided, 1));
  }
  return result;
}

// Appends the free modes of `a` to `free`. Returns the coordinate with 0 in their place.
absl::StatusOr<Coordinate> take_free(const NestedLayout& a, const Slicer& slicer,
                                     std::vector<NestedLayout>& free) {
  if (slicer.kind == Slicer::Kind::kFree) {
    free.push_back(a);
    return with_leaves(a.shape, Table(leaves(a.shape).size(), 0));
  }
  if (slicer.kind == Slicer::Kind::kFixed) return make_integer(slicer.value);
  if (!a.shape.is_tuple || std::ssize(slicer.elements) != rank(a.shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a slicer of the nesting of ", to_text(a.shape)));
  }
  Coordinate result = make_tuple({});
  for (int64_t k = 0; k < rank(a.shape); ++k) {
    result.elements.push_back(TRY(take_free(mode(a, k), slicer.elements[k], free)));
  }
  return result;
}

}  // namespace

absl::StatusOr<Table> values(const NestedLayout& a) {
  const int64_t count = TRY(check_operand(a));
  Table points;
  for (int64_t i = 0; i < count; ++i) points.push_back(i);
  return values_at(a, points);
}

absl::StatusOr<Table> values_at(const NestedLayout& a, const Table& points) {
  const Function function(a);
  Table table;
  for (int64_t i : points) {
    if (i < 0) return refused("a layout has no value at a negative integer");
    const std::optional<int64_t> value = function.at(i);
    if (!value) return too_large();
    table.push_back(*value);
  }
  return table;
}

absl::StatusOr<NestedLayout> coalesce(const NestedLayout& a) {
  const Table table = TRY(values(a));
  return *layout_of(table);
}

absl::StatusOr<NestedLayout> composition(const NestedLayout& a, const NestedLayout& b) {
  const int64_t count = TRY(check_operand(b));
  const absl::StatusOr<int64_t> outer = check_operand(a);
  if (!outer.ok() && !absl::IsResourceExhausted(outer.status())) return outer.status();
  if (any_below_zero(b)) return refused(absl::StrCat(to_text(b), " has a stride below 0"));
  const Table extents = leaves(b.shape), strides = leaves(b.stride);
  const Function function(a);
  std::vector<Table> tables;
  std::vector<NestedLayout> parts;
  for (size_t k = 0; k < extents.size(); ++k) {
    Table table = TRY(strided(function, strides[k], extents[k]));
    const std::optional<NestedLayout> part = layout_of(table);
    if (!part) {
      return refused(absl::StrCat(to_text(a), " o ", extents[k], ":", strides[k],
                                  ": no layout has the offsets ", shown(table)));
    }
    tables.push_back(std::move(table));
    parts.push_back(*part);
  }
  TRY(check_sums(a, b, tables, count));
  auto next = parts.cbegin();
  return replaced(b.shape, next);
}

absl::StatusOr<NestedLayout> complement(const NestedLayout& a, int64_t m) {
  if (m < 1) return absl::InvalidArgumentError("expected to fill at least 1");
  TRY(check_operand(a));
  const Table offsets = TRY(distinct_values(filtered(a)));
  std::vector<bool> filled;
  Table translations;
  int64_t first = 0;  // offset that is not filled
  while (first < m || first < std::ssize(filled)) {
    for (int64_t offset : offsets) {
      const Wide position = Wide{first} + offset;
      if (position >= kMaxTabled) return too_many();
      const size_t at = static_cast<size_t>(position);
      if (filled.size() <= at) filled.resize(at + 1);
      if (filled[at]) {
        return refused(absl::StrCat("no translations of the offsets of ", to_text(a),
                                    " fill an interval: they fill ", at, " twice"));
      }
      filled[at] = true;
    }
    translations.push_back(first);
    while (first < std::ssize(filled) && filled[first]) ++first;
  }
  const std::optional<NestedLayout> result = layout_of(std::move(translations));
  if (!result) return refused(absl::StrCat("no layout has exactly the gaps of ", to_text(a)));
  return *result;
}

absl::StatusOr<NestedLayout> right_inverse(const NestedLayout& a) {
  TRY(validate(a));
  TRY(distinct_values(filtered(a)));
  const Table table = TRY(values(a));
  Table inverse(table.size(), -1);  // for each offset, the first i that has it
  for (int64_t i = std::ssize(table) - 1; i >= 0; --i) {
    if (table[i] < std::ssize(inverse)) inverse[table[i]] = i;
  }
  inverse.erase(std::find(inverse.begin(), inverse.end(), -1), inverse.end());
  for (;; inverse.pop_back()) {  // ends at the latest with the first offset, 0
    if (const std::optional<NestedLayout> result = layout_of(inverse)) return *result;
  }
}

absl::StatusOr<NestedLayout> left_inverse(const NestedLayout& a) {
  TRY(distinct_values(a));
  const NestedLayout rest = TRY(complement(a, 1));
  return right_inverse(concatenated({a, rest}));
}

absl::StatusOr<NestedLayout> logical_divide(const NestedLayout& a, const Tiler& b) {
  if (!b.by_mode) return divide_one(a, *b.layouts[0]);
  const Divided divided = TRY(divide_modes(a, b));
  std::vector<NestedLayout> modes;
  for (size_t k = 0; k < divided.tiles.size(); ++k) {
    modes.push_back(b.layouts[k] ? concatenated({divided.tiles[k], divided.rests[k]})
                                 : divided.rests[k]);
  }
  modes.insert(modes.end(), divided.others.begin(), divided.others.end());
  return concatenated(modes);
}

absl::StatusOr<NestedLayout> composition_by_mode(const NestedLayout& a, const Tiler& b) {
  if (!b.by_mode) return composition(a, *b.layouts[0]);
  TRY(validate(a));
  if (std::ssize(b.layouts) != rank(a.shape)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", rank(a.shape), " tilers, one for each mode, found ", b.layouts.size()));
  }
  std::vector<NestedLayout> modes;
  for (int64_t k = 0; k < rank(a.shape); ++k) {
    modes.push_back(mode(a, k));
    if (b.layouts[k]) modes.back() = TRY(composition(modes.back(), *b.layouts[k]));
  }
  return concatenated(modes);
}

absl::StatusOr<NestedLayout> logical_product(const NestedLayout& a, const NestedLayout& b) {
  const int64_t size_a = TRY(check_operand(a));
  TRY(check_operand(b));
  const int64_t cosize_b = TRY(cosize(b));
  const std::optional<int64_t> fill = checked_mul(size_a, cosize_b);
  if (!fill) return too_large();
  const NestedLayout positions = TRY(complement(a, *fill));
  const NestedLayout repeated = TRY(composition(positions, b));
  return concatenated({a, repeated});
}

namespace {

// Mode k, or 1:0 beyond the rank.
NestedLayout mode_or_one(const NestedLayout& layout, int64_t k) {
  return k < rank(layout.shape) ? mode(layout, k) : NestedLayout{make_integer(1), make_integer(0)};
}

// The copies of a in its product with b, with a mode for each of b.
absl::StatusOr<NestedLayout> copies_of(const NestedLayout& a, const NestedLayout& b) {
  NestedLayout copies = mode(TRY(logical_product(a, b)), 1);
  return b.shape.is_tuple ? copies : concatenated({copies});
}

// Mode k is the pair of the modes k of both.
NestedLayout zipped(const NestedLayout& first, const NestedLayout& second) {
  std::vector<NestedLayout> pairs;
  for (int64_t k = 0; k < std::max(rank(first.shape), rank(second.shape)); ++k) {
    pairs.push_back(concatenated({mode_or_one(first, k), mode_or_one(second, k)}));
  }
  return concatenated(pairs);
}

}  // namespace

absl::StatusOr<NestedLayout> blocked_product(const NestedLayout& a, const NestedLayout& b) {
  return zipped(a, TRY(copies_of(a, b)));
}

absl::StatusOr<NestedLayout> raked_product(const NestedLayout& a, const NestedLayout& b) {
  return zipped(TRY(copies_of(a, b)), a);
}

absl::StatusOr<NestedLayout> zipped_divide(const NestedLayout& a, const Tiler& b) {
  if (!b.by_mode) return logical_divide(a, b);
  Divided divided = TRY(divide_modes(a, b));
  std::vector<NestedLayout> rests = std::move(divided.rests);
  rests.insert(rests.end(), divided.others.begin(), divided.others.end());
  return concatenated({concatenated(divided.tiles), concatenated(rests)});
}

absl::StatusOr<NestedLayout> tiled_divide(const NestedLayout& a, const Tiler& b) {
  const NestedLayout zipped = TRY(zipped_divide(a, b));
  std::vector<NestedLayout> modes = {mode(zipped, 0)};
  const NestedLayout rests = mode(zipped, 1);
  for (int64_t k = 0; k < rank(rests.shape); ++k) modes.push_back(mode(rests, k));
  return concatenated(modes);
}

absl::StatusOr<Slice> slice(const NestedLayout& a, const Slicer& slicer) {
  TRY(validate(a));
  std::vector<NestedLayout> free;
  const Coordinate origin = TRY(take_free(a, slicer, free));
  const int64_t start = TRY(offset(a, origin));
  if (slicer.kind == Slicer::Kind::kFree) return Slice{a, start};
  return Slice{concatenated(free), start};
}

}  // namespace tileproof::spec
