// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/layout_compare.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/layout/thread_map.h"
#include "impl/layout/tiled_layout.h"
#include "impl/map/evaluate.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/thread_layout.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::verify {
namespace {

absl::Status differ(absl::string_view subject, absl::string_view question,
                    absl::string_view by_reference, absl::string_view by_closed) {
  return absl::InternalError(absl::StrCat(subject, " ", question, "  reference: ", by_reference,
                                          "  closed form: ", by_closed));
}

using Index = std::vector<int64_t>;

std::string show(const std::optional<Index>& index) {
  return index ? dims_text(*index) : "padding";
}

struct Pair {
  Shape shape;
  spec::TiledLayout reference;
  impl::TiledLayout closed;

  absl::Status differ(absl::string_view question, absl::string_view by_reference,
                      absl::string_view by_closed) const {
    return verify::differ(to_text(shape), question, by_reference, by_closed);
  }

  absl::Status sizes() const {
    if (reference.physical() != closed.physical()) {
      return differ("physical dimensions", absl::StrJoin(reference.physical(), ","),
                    absl::StrJoin(closed.physical(), ","));
    }
    if (reference.elements() != closed.elements()) {
      return differ("elements", absl::StrCat(reference.elements()),
                    absl::StrCat(closed.elements()));
    }
    if (reference.bytes != closed.bytes()) {
      return differ("bytes", absl::StrCat(reference.bytes), absl::StrCat(closed.bytes()));
    }
    return absl::OkStatus();
  }

  absl::Status offset_of(const Index& index, int64_t by_reference) const {
    const int64_t by_closed = closed.linearize_unchecked(index);
    if (by_closed == by_reference) return absl::OkStatus();
    return differ(absl::StrCat("--index ", absl::StrJoin(index, ",")), absl::StrCat(by_reference),
                  absl::StrCat(by_closed));
  }

  absl::Status index_at(int64_t offset, const std::optional<Index>& by_reference) const {
    std::optional<Index> by_closed = Index(closed.logical().size());
    if (!closed.delinearize_unchecked(offset, absl::MakeSpan(*by_closed))) by_closed.reset();
    if (by_closed == by_reference) return absl::OkStatus();
    return differ(absl::StrCat("--offset ", offset), show(by_reference), show(by_closed));
  }
};

bool has_no_elements(const Shape& shape) {
  for (const Dimension& d : shape.dimensions) {
    if (d.size == 0 && d.kind != Dimension::Kind::kUnbounded) return true;
  }
  return false;
}

// Returns both layouts, or nothing if both refuse the shape. For an array without elements one side
// may refuse an intermediate size.
absl::StatusOr<std::optional<Pair>> both(const Shape& shape) {
  absl::StatusOr<spec::TiledLayout> reference = spec::tiled_layout(shape);
  absl::StatusOr<impl::TiledLayout> closed = impl::TiledLayout::create(shape);
  if (reference.ok() && closed.ok()) {
    return std::optional(Pair{shape, *std::move(reference), *std::move(closed)});
  }
  if (reference.ok() != closed.ok() && !has_no_elements(shape)) {
    return absl::InternalError(absl::StrCat(to_text(shape),
                                            "  reference: ", reference.status().ToString(),
                                            "  closed form: ", closed.status().ToString()));
  }
  return std::optional<Pair>();
}

absl::Status compare_positions(const Pair& pair, CaseCounts& tally) {
  const std::vector<int64_t> buffer = spec::buffer(pair.reference);
  const int64_t padding = std::ranges::count(buffer, spec::Array::kPadding);
  tally["padding"] += padding;
  tally["indices"] += std::ssize(buffer) - padding;
  for (int64_t offset = 0; offset < std::ssize(buffer); ++offset) {
    std::optional<Index> index;
    if (buffer[offset] != spec::Array::kPadding) {
      index = spec::element_index(pair.reference.logical(), buffer[offset]);
      TRY(pair.offset_of(*index, offset));
    }
    TRY(pair.index_at(offset, index));
  }
  return absl::OkStatus();
}

absl::Status compare_points(const Pair& pair, int64_t samples, Choose& choose, CaseCounts& tally) {
  if (pair.reference.elements() == 0) return absl::OkStatus();
  for (int64_t i = 0; i < samples; ++i) {
    if (!has_no_elements(pair.shape)) {
      const Index index = random_index(choose, pair.reference.logical());
      const int64_t offset = *spec::linearize(pair.reference, index);
      TRY(pair.offset_of(index, offset));
      TRY(pair.index_at(offset, index));
      ++tally["indices"];
    }
    const int64_t offset = random_index(choose, {pair.reference.elements()})[0];
    const std::optional<Index> index = *spec::delinearize(pair.reference, offset);
    TRY(pair.index_at(offset, index));
    if (index) TRY(pair.offset_of(*index, offset));
    ++tally[index ? "indices" : "padding"];
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status compare_whole(const Shape& shape, int64_t max_positions, int64_t samples,
                           Choose& choose, CaseCounts& tally) {
  const std::optional<Pair> pair = TRY(both(shape));
  ++tally[pair ? "layouts" : "refused"];
  if (!pair) return absl::OkStatus();
  TRY(pair->sizes());
  const bool whole = pair->reference.elements() <= max_positions &&
                     element_count(pair->reference.logical()) <= max_positions;
  return whole ? compare_positions(*pair, tally) : compare_points(*pair, samples, choose, tally);
}

absl::Status compare_sampled(const Shape& shape, int64_t samples, Choose& choose,
                             CaseCounts& tally) {
  return compare_whole(shape, -1, samples, choose, tally);
}

// ---- Nested, swizzled and tagged layouts ----

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

// ---- Layouts of threads ----

namespace {

constexpr int64_t kMostComparedPlaces = 1 << 10;

std::string place_list(const std::vector<Place>& places) {
  std::vector<std::string> parts;
  for (const Place& place : places)
    parts.push_back(absl::StrCat("(", absl::StrJoin(place, ","), ")"));
  return absl::StrJoin(parts, " ");
}

// The first places of the box, all of them if they are few.
std::vector<Place> places_in(const Place& sizes) {
  std::vector<Place> places;
  const auto& [registers, lanes, warps, blocks] = sizes;
  for (int64_t r = 0; r < registers; ++r) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      for (int64_t warp = 0; warp < warps; ++warp) {
        for (int64_t block = 0; block < blocks; ++block) {
          if (std::ssize(places) == kMostComparedPlaces) return places;
          places.push_back({r, lane, warp, block});
        }
      }
    }
  }
  return places;
}

std::string other_holders(const ThreadLayout& layout, const impl::ThreadMap& closed,
                          const std::map<Dims, std::vector<Place>>& holders) {
  for (const auto& [index, expected] : holders) {
    const auto found = impl::holders_of(closed, index, kMostComparedPlaces);
    if (!found.ok() || *found != expected)
      return absl::StrCat("holders of ", dims_text(index), ": ", place_list(expected), " and ",
                          found.ok() ? place_list(*found) : found.status().message());
    if (closed.form && expected.size() != size_t{1} << impl::copies(*closed.form).size())
      return absl::StrCat(expected.size(), " places hold ", dims_text(index));
  }
  if (!closed.form) return "";
  const std::optional<Dims> missing = impl::not_held(*closed.form);
  const bool all = std::ssize(holders) == *element_count(layout.dims);
  if (missing.has_value() == all || (missing && holders.contains(*missing)))
    return absl::StrCat("not held: ", missing ? dims_text(*missing) : "none",
                        ", held: ", holders.size());
  return "";
}

std::string difference_of(const ThreadLayout& layout, const impl::ThreadMap& closed) {
  const auto sizes = spec::place_sizes(layout);
  if (!sizes.ok()) return std::string(sizes.status().message());
  if (*sizes != closed.sizes)
    return absl::StrCat("sizes ", place_list({*sizes}), " and ", place_list({closed.sizes}));
  const std::vector<Place> places = places_in(*sizes);
  std::map<Dims, std::vector<Place>> holders;  // by the definition
  for (const Place& place : places) {
    const auto held = spec::held_at(layout, place);
    if (!held.ok()) return std::string(held.status().message());
    holders[*held].push_back(place);
    const std::vector<int64_t> coordinates(place.begin(), place.end());
    const auto mapped = impl::evaluate(closed.map, {coordinates, {}, {}});
    const bool is_right = mapped.ok() && *mapped && **mapped == *held;
    if (is_right && impl::held_at(closed, place) == *held) continue;
    return absl::StrCat("at ", place_list({place}), ": ", dims_text(*held), " and ",
                        dims_text(impl::held_at(closed, place)));
  }
  return std::ssize(places) < kMostComparedPlaces ? other_holders(layout, closed, holders) : "";
}

}  // namespace

std::string threads_difference(absl::string_view text, CaseCounts& tally) {
  const absl::StatusOr<ThreadLayout> layout = parse_thread_layout(text);
  const auto closed = layout.ok() ? impl::thread_map(*layout) : layout.status();
  if (!closed.ok() && (!layout.ok() || !spec::place_sizes(*layout).ok())) {
    ++tally["refused"];
    return "";
  }
  ++tally["layouts"];
  const std::string difference =
      closed.ok() ? difference_of(*layout, *closed) : std::string(closed.status().message());
  return difference.empty() ? "" : absl::StrCat(text, ": ", difference);
}

}  // namespace tileproof::verify
