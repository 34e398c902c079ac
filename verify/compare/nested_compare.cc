// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/nested_compare.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/layout/generate_nested.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/nested_tags.h"
#include "impl/layout/swizzled_layout.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/nested_tags.h"

namespace tileproof::verify {
namespace {

std::string text_of(int64_t value) { return absl::StrCat(value); }
std::string text_of(const NestedLayout& layout) { return to_text(layout); }
std::string text_of(const std::optional<Coordinate>& coordinate) {
  return coordinate ? to_text(*coordinate) : "nothing";
}

template <class T>
std::string text_of(const absl::StatusOr<T>& answer) {
  return answer.ok() ? text_of(*answer) : answer.status().ToString();
}

absl::Status differ(absl::string_view subject, absl::string_view question,
                    absl::string_view by_reference, absl::string_view by_closed) {
  return absl::InternalError(absl::StrCat(subject, " ", question, "  reference: ", by_reference,
                                          "  closed form: ", by_closed));
}

// Requires the same value or the same kind of error.
template <class T>
absl::Status same(absl::string_view subject, absl::string_view question,
                  const absl::StatusOr<T>& by_reference, const absl::StatusOr<T>& by_closed) {
  const bool agree = by_reference.ok() && by_closed.ok()
                         ? *by_reference == *by_closed
                         : by_reference.status().code() == by_closed.status().code();
  if (agree) return absl::OkStatus();
  return differ(subject, question, text_of(by_reference), text_of(by_closed));
}

absl::StatusOr<bool> compare_at(const NestedLayout& layout, const impl::NestedLayout& closed,
                                const Coordinate& coordinate) {
  const absl::StatusOr<int64_t> by_reference = spec::offset(layout, coordinate);
  TRY(same(to_text(layout), absl::StrCat("--index ", to_text(coordinate)), by_reference,
           closed.offset(coordinate)));
  return by_reference.ok();
}

// Returns whether the search from offset to coordinate may give up. With few coordinates it may
// not: it takes at most one step for each digit of each coordinate, and gives up after 4096 steps
// (impl/layout/nested_layout.cc).
bool may_give_up(const NestedLayout& layout) {
  const absl::StatusOr<int64_t> size = spec::size(layout.shape);
  return !size.ok() || *size > 4096 / std::max<int64_t>(std::ssize(leaves(layout.shape)), 1);
}

// Maps back every offset from one below the lowest to one above the highest.
absl::Status compare_way_back(const NestedLayout& layout, const impl::NestedLayout& closed,
                              int64_t lowest, int64_t positions, CaseCounts& tally) {
  const bool may = may_give_up(layout);
  for (int64_t at = lowest - 1; at <= lowest + positions; ++at) {
    ++tally["offsets"];
    const auto by_closed = closed.coordinate_at(at);
    if (may && absl::IsResourceExhausted(by_closed.status())) {
      ++tally["offsets given up"];
      continue;
    }
    TRY(same(to_text(layout), absl::StrCat("--offset ", at), spec::coordinate_at(layout, at),
             by_closed));
  }
  return absl::OkStatus();
}

// The coordinate found for an offset has that offset, even if it may not be the first one.
absl::Status compare_there_and_back(const NestedLayout& layout, const impl::NestedLayout& closed,
                                    const Coordinate& coordinate, CaseCounts& tally) {
  const absl::StatusOr<Coordinate> full = spec::spread(layout.shape, coordinate);
  const std::vector<int64_t> extents = leaves(layout.shape), values = leaves(*full);
  for (size_t i = 0; i < extents.size(); ++i) {
    if (values[i] >= extents[i]) return absl::OkStatus();
  }
  const int64_t offset = *spec::offset(layout, coordinate);
  const auto found = closed.coordinate_at(offset);
  ++tally["offsets"];
  if (may_give_up(layout) && absl::IsResourceExhausted(found.status())) {
    ++tally["offsets given up"];
    return absl::OkStatus();
  }
  if (absl::IsOutOfRange(found.status()) && !closed.cosize().ok()) return absl::OkStatus();
  if (found.ok() && found->has_value() && *spec::offset(layout, **found) == offset) {
    return absl::OkStatus();
  }
  return differ(to_text(layout), absl::StrCat("--offset ", offset), to_text(coordinate),
                text_of(found));
}

}  // namespace

absl::StatusOr<bool> compare_offset(const NestedLayout& layout, const Coordinate& coordinate) {
  const impl::NestedLayout closed = TRY(impl::NestedLayout::create(layout));
  return compare_at(layout, closed, coordinate);
}

absl::Status compare_nested(const NestedLayout& layout, int64_t max_positions, int64_t samples,
                            Choose& choose, CaseCounts& tally) {
  const impl::NestedLayout closed = TRY(impl::NestedLayout::create(layout));
  ++tally["layouts"];
  const absl::StatusOr<int64_t> size = spec::size(layout.shape);
  const absl::StatusOr<int64_t> cosize = spec::cosize(layout);
  TRY(same(to_text(layout), "size", size, closed.size()));
  TRY(same(to_text(layout), "cosize", cosize, closed.cosize()));
  const auto at = [&](const Coordinate& coordinate) -> absl::StatusOr<bool> {
    const bool answered = TRY(compare_at(layout, closed, coordinate));
    ++tally[answered ? "coordinates" : "coordinates that both refuse"];
    return answered;
  };
  const bool few = size.ok() && *size <= max_positions;
  int64_t lowest = 0;
  for (int64_t c = 0; few && c < *size + 3; ++c) {
    if (TRY(at(make_integer(c))) && c < *size) {
      lowest = std::min(lowest, *spec::offset(layout, make_integer(c)));
    }
  }
  for (int64_t i = 0; i < samples; ++i) {
    const Coordinate coordinate = random_coordinate(choose, layout.shape);
    if (TRY(at(coordinate))) TRY(compare_there_and_back(layout, closed, coordinate, tally));
  }
  if (!few || !cosize.ok() || *cosize > max_positions) return absl::OkStatus();
  return compare_way_back(layout, closed, lowest, *cosize, tally);
}

absl::Status compare_swizzled(const SwizzledLayout& layout, int64_t samples, Choose& choose) {
  const absl::StatusOr<spec::LayoutFunction> function = spec::layout_function(layout);
  if (!function.ok() || std::ranges::count(function->dims, 0) > 0) return absl::OkStatus();
  const impl::SwizzledLayout closed = TRY(impl::SwizzledLayout::create(layout));
  for (int64_t i = 0; i < samples; ++i) {
    std::vector<int64_t> index;
    for (const int64_t size : function->dims) index.push_back(choose(size));
    const Coordinate coordinate =
        layout.layout.shape.is_tuple ? make_flat(index) : make_integer(index[0]);
    const absl::StatusOr<int64_t> offset = spec::offset_at(*function, index);
    const std::string question = absl::StrCat("--index ", to_text(coordinate));
    TRY(same(to_text(layout), question, offset, closed.offset(coordinate)));
    const auto back = closed.coordinate_at(*offset);
    if (!back.ok() && may_give_up(layout.layout)) continue;
    const absl::StatusOr<int64_t> again =
        back.ok() && *back ? closed.offset(**back) : absl::InternalError("no coordinate");
    TRY(same(to_text(layout), absl::StrCat("--offset ", *offset), offset, again));
  }
  return absl::OkStatus();
}

absl::Status compare_make(Tag tag, int64_t element_bits, int64_t rows, int64_t cols) {
  return same(absl::StrCat(info(tag).name, " of ", element_bits, " bits"),
              absl::StrCat(rows, ",", cols), spec::make_layout(tag, element_bits, rows, cols),
              impl::make_layout(tag, element_bits, rows, cols));
}

absl::Status compare_tile(const NestedLayout& layout, const std::vector<int64_t>& tile) {
  return same(to_text(layout), absl::StrCat("tile ", absl::StrJoin(tile, ",")),
              spec::make_layout_tile(layout, tile), impl::make_layout_tile(layout, tile));
}

}  // namespace tileproof::verify
