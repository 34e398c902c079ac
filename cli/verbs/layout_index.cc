// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/layout_index.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "cli/text.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/map/compose.h"
#include "impl/map/linear_bits.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/map/interval.h"
#include "spec/layout/tiled_layout.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/layout/layout_equal.h"

namespace tileproof::cli {
namespace {

using Numbers = std::vector<int64_t>;
using spec::LayoutFunction;
using spec::NestedModes;

absl::StatusOr<int64_t> integer_of(const Coordinate& coordinate, const IntTuple* mode) {
  if (!coordinate.is_tuple) return coordinate.value;
  if (mode != nullptr) return impl::mode_index(coordinate, *mode);
  return invalid("expected one integer for each dimension, found a tuple");
}

// Expects that the map may give this offset, or a larger one: up to there is the buffer.
absl::Status expect_within(const LayoutFunction& function, int64_t offset) {
  const IndexingMap map = verify::offset_map(function);
  const bool is_empty = std::ranges::count(function.dims, 0) > 0;
  const auto offsets = is_empty ? Interval{0, -1} : interval_of(map, map.results[0]);
  if (!offsets || offsets->high == INT64_MAX) return absl::OkStatus();
  return expect_slot(offset, offsets->high + 1);
}

// The slots of the buffer of a nested layout, or of a swizzled one: whole blocks of the swizzle.
absl::StatusOr<int64_t> slots_of(const LayoutFunction& function, const NestedLayout& nested) {
  const int64_t slots = TRY(TRY(impl::NestedLayout::create(nested)).cosize());
  const auto* swizzled = std::get_if<SwizzledLayout>(&function.layout);
  if (swizzled == nullptr || slots == 0) return slots;
  const std::optional<int64_t> greatest = checked_add(swizzled->start, slots - 1);
  if (!greatest) return absl::OutOfRangeError("the offsets do not fit 64 bits");
  return impl::swizzled_positions(impl::words_of(*swizzled), *greatest);
}

// The element of a memref at an offset, by the inverse of its map.
absl::StatusOr<std::optional<Numbers>> by_inverse(const LayoutFunction& function, int64_t offset) {
  const IndexingMap inverse = TRY(inverse_of(function));
  if (!inverse.ranges.empty()) {
    return absl::FailedPreconditionError(
        "expected --index: several elements may have one offset, see `tileproof inverse`");
  }
  auto found = TRY(spec::evaluate(inverse, {{offset}, {}, {}}));
  if (!found) TRY(expect_within(function, offset));
  return found;
}

}  // namespace

absl::StatusOr<Numbers> layout_index(const LayoutFunction& function, const std::string& text) {
  const Coordinate coordinate = TRY(parse_coordinate(text));
  const auto* nested = std::get_if<NestedModes>(&function.meaning);
  if (const auto* swizzled = std::get_if<spec::SwizzledModes>(&function.meaning)) {
    nested = &swizzled->modes;
  }
  const size_t rank = function.dims.size();
  std::vector<Coordinate> parts = coordinate.elements;
  if (!coordinate.is_tuple || (rank == 1 && parts.size() != 1)) parts = {coordinate};
  if (parts.size() != rank) {
    return invalid("expected ", rank, " numbers for the dimensions ", dims_text(function.dims),
                   ", found ", parts.size());
  }
  Numbers index;
  for (size_t k = 0; k < rank; ++k) {
    const IntTuple* mode = nullptr;
    if (nested != nullptr) {
      const IntTuple& shape = nested->layout.shape;
      mode = shape.is_tuple ? &shape.elements[k] : &shape;
    }
    index.push_back(TRY(integer_of(parts[k], mode)));
    if (index[k] < 0 || index[k] >= function.dims[k]) {
      return absl::OutOfRangeError(absl::StrCat("index ", index[k], " is outside dimension ", k,
                                                " of size ", function.dims[k]));
    }
  }
  return index;
}

absl::StatusOr<IndexingMap> inverse_of(const LayoutFunction& function) {
  if (std::holds_alternative<spec::SwizzledModes>(function.meaning)) {
    if (auto inverse = impl::invert_bits(verify::offset_map(function))) return *std::move(inverse);
  }
  const auto side = impl::relayout_side(function.layout, function.dims);
  const auto* digits = side.ok() ? std::get_if<impl::DigitLayout>(&side->layout) : nullptr;
  const std::optional<IndexingMap> inverse =
      digits == nullptr ? std::nullopt
                        : impl::inverse_map(*digits, side->start, side->words, side->elements);
  return inverse ? impl::simplify(*inverse) : impl::invert(verify::offset_map(function));
}

absl::Status expect_slot(int64_t offset, int64_t slots) {
  if (offset >= 0 && offset < slots) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("offset ", offset, " is outside the ", slots, " slots",
                   slots > 0 ? absl::StrCat(" (0 to ", slots - 1, ")") : ""));
}

absl::StatusOr<std::optional<Numbers>> element_at(const LayoutFunction& function, int64_t offset) {
  if (const auto* tiled = std::get_if<spec::TiledLayout>(&function.meaning)) {
    TRY(expect_slot(offset, tiled->elements()));
    return spec::delinearize(*tiled, offset);
  }
  if (std::holds_alternative<MemRef>(function.meaning)) return by_inverse(function, offset);
  const auto* swizzled = std::get_if<spec::SwizzledModes>(&function.meaning);
  const NestedModes& nested =
      swizzled != nullptr ? swizzled->modes : std::get<NestedModes>(function.meaning);
  const std::optional<Coordinate> found =
      swizzled != nullptr
          ? TRY(TRY(impl::SwizzledLayout::create(std::get<SwizzledLayout>(function.layout)))
                    .coordinate_at(offset))
          : TRY(TRY(impl::NestedLayout::create(nested.layout)).coordinate_at(offset));
  if (!found) {
    TRY(expect_slot(offset, TRY(slots_of(function, nested.layout))));
    return std::nullopt;
  }
  Numbers index;
  for (size_t k = 0; k < function.dims.size(); ++k) {
    const IntTuple& shape = nested.layout.shape;
    index.push_back(TRY(shape.is_tuple ? integer_of(found->elements[k], &shape.elements[k])
                                       : integer_of(*found, &shape)));
    if (index[k] >= function.dims[k]) return std::nullopt;  // padding of a tag
  }
  return index;
}

}  // namespace tileproof::cli
