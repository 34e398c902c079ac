// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/tla_ops.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/nested_tags.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/nested_tags.h"

namespace tileproof::conform {
namespace {

struct Make {
  Tag tag;
  int64_t bits, rows, cols;
};

absl::StatusOr<Make> make_in(const Json& request) {
  const absl::string_view name = TRY(required_text(request, "tag"));
  const std::optional<Tag> tag = tag_named(name);
  if (!tag)
    return absl::InvalidArgumentError(
        absl::StrCat("expected a tag such as zN, found ", shown(name, 40)));
  Make make{*tag, 0, 0, 0};
  for (const auto& [key, field] :
       {std::pair("element_bits", &make.bits), {"rows", &make.rows}, {"cols", &make.cols}}) {
    int64_t value = TRY(integer_under(request, key));
    *field = value;
  }
  return make;
}

absl::StatusOr<std::vector<int64_t>> tile_in(const Json& request) {
  const Json* given = TRY(required(request, "tile"));
  const IntTuple tile = TRY(int_tuple_in(*given, "tile"));
  if (depth(tile) != 1)
    return absl::InvalidArgumentError("expected tile to be an array of integers");
  return leaves(tile);
}

absl::StatusOr<NestedLayout> made(const Json& request, Engine engine) {
  const auto [tag, bits, rows, cols] = TRY(make_in(request));
  return engine == Engine::kSpec ? spec::make_layout(tag, bits, rows, cols)
                                 : impl::make_layout(tag, bits, rows, cols);
}

absl::StatusOr<NestedLayout> tiled(const Json& request, Engine engine) {
  const NestedLayout layout = TRY(nested_under(request));
  const std::vector<int64_t> tile = TRY(tile_in(request));
  return engine == Engine::kSpec ? spec::make_layout_tile(layout, tile)
                                 : impl::make_layout_tile(layout, tile);
}

absl::StatusOr<Result> written(const absl::StatusOr<NestedLayout>& layout) {
  if (!layout.ok()) return layout.status();
  return Result(to_text(*layout));
}

Assessment compare(const absl::StatusOr<NestedLayout>& right, const Answer& answer) {
  if (right.ok()) return compare_nested_answer(*right, answer);
  return {Assessment::Kind::kWrong, std::string(right.status().message())};
}

// ---- Upper bounds of intermediate values ----

using spec::Exact;
using spec::exact;

Exact magnitude(int64_t x) { return x < 0 ? -exact(x) : exact(x); }

// The product of the extents; extents of 0 count as 1.
Exact largest_product(const IntTuple& shape) {
  Exact product = exact(1);
  for (int64_t extent : leaves(shape)) product = product * std::max<int64_t>(extent, 1);
  return product;
}

// The size of a layout plus its largest offset.
Exact largest_in(const NestedLayout& layout) {
  const std::vector<int64_t> extents = leaves(layout.shape), strides = leaves(layout.stride);
  Exact sum = largest_product(layout.shape);
  for (size_t i = 0; i < extents.size(); ++i) {
    sum = sum + exact(extents[i]) * magnitude(strides[i]);
  }
  return sum;
}

// The same plus the offset at a coordinate with absolute values of the strides.
Exact largest_at(const NestedLayout& layout, const Coordinate& coordinate) {
  Exact sum = largest_in(layout);
  const absl::StatusOr<Coordinate> full = spec::spread(layout.shape, coordinate);
  if (!full.ok()) return sum;
  const std::vector<int64_t> digits = leaves(*full), strides = leaves(layout.stride);
  for (size_t i = 0; i < digits.size(); ++i) sum = sum + exact(digits[i]) * magnitude(strides[i]);
  return sum;
}

// The elements of a matrix padded to fractals of at most 256 rows and columns.
Exact largest_of(const Make& make) {
  const auto padded = [](int64_t n) { return magnitude(n) + exact(256); };
  return padded(make.rows) * padded(make.cols);
}

Exact largest(const Json& request) {
  Exact result = exact(0);
  if (const absl::StatusOr<Make> make = make_in(request); make.ok()) return largest_of(*make);
  const absl::StatusOr<NestedLayout> layout = nested_under(request);
  if (!layout.ok()) return result;
  const Json* coord = find(request, "coord");
  if (coord != nullptr) {
    const absl::StatusOr<Coordinate> coordinate = int_tuple_in(*coord, "coord");
    if (coordinate.ok()) return largest_at(*layout, *coordinate);
  }
  if (const absl::StatusOr<std::vector<int64_t>> tile = tile_in(request); tile.ok()) {
    for (int64_t n : *tile) result = result + magnitude(n);
    for (int64_t n : leaves(layout->shape)) result = result + magnitude(n);
  }
  return result + largest_in(*layout);
}

bool holds_large_integer(const Json& json) {
  if (const auto* array = json.as<Json::Array>()) {
    return std::any_of(array->begin(), array->end(), holds_large_integer);
  }
  return is_integer(json) && json.as<int64_t>() == nullptr;
}

}  // namespace

Assessment compare_nested_answer(const NestedLayout& right, const Answer& answer) {
  using Kind = Assessment::Kind;
  const auto* text = answer.result.as<std::string>();
  if (text == nullptr) return {Kind::kWrong, "the result is not a string"};
  const absl::StatusOr<NestedLayout> given = parse_nested_layout(*text);
  if (!given.ok()) return {Kind::kWrong, std::string(given.status().message())};
  if (*given == right) return {};
  return {Kind::kWrong, given->shape == right.shape ? "the stride differs" : "the shape differs"};
}

Json arrays(const IntTuple& tuple) {
  if (!tuple.is_tuple) return tuple.value;
  Json::Array result;
  for (const IntTuple& element : tuple.elements) result.push_back(arrays(element));
  return result;
}

absl::StatusOr<IntTuple> int_tuple_in(const Json& json, absl::string_view what) {
  const auto* array = json.as<Json::Array>();
  if (array == nullptr) {
    const int64_t value = TRY(integer_in(json, what));
    return make_integer(value);
  }
  IntTuple tuple = make_tuple({});
  for (const Json& item : *array) {
    tuple.elements.push_back(TRY(int_tuple_in(item, what)));
  }
  return tuple;
}

absl::StatusOr<NestedLayout> nested_under(const Json& request, absl::string_view key) {
  return parsed_field(request, key, [](absl::string_view t) { return parse_nested_layout(t); });
}

absl::StatusOr<Result> tla_offset(const Json& request, Engine engine) {
  const NestedLayout layout = TRY(nested_under(request));
  const Json* given = TRY(required(request, "coord"));
  const Coordinate coordinate = TRY(int_tuple_in(*given, "coord"));
  absl::StatusOr<int64_t> offset;
  if (engine == Engine::kSpec) {
    offset = spec::offset(layout, coordinate);
  } else {
    const impl::NestedLayout compiled = TRY(impl::NestedLayout::create(layout));
    offset = compiled.offset(coordinate);
  }
  if (!offset.ok()) return offset.status();
  return Result(*offset);
}

absl::StatusOr<Result> tla_make(const Json& request, Engine engine) {
  return written(made(request, engine));
}

absl::StatusOr<Result> tla_tile(const Json& request, Engine engine) {
  return written(tiled(request, engine));
}

conform::Exact exact_tla(const Json& request) {
  const Json* coord = find(request, "coord");
  return {.error_is_right = tla_may_leave(request, 64),
          .result = std::nullopt,
          .unknown = coord != nullptr && holds_large_integer(*coord)};
}

Assessment judge_tla_make(const Json& request, const Answer& answer) {
  return compare(made(request, Engine::kSpec), answer);
}

Assessment judge_tla_tile(const Json& request, const Answer& answer) {
  return compare(tiled(request, Engine::kSpec), answer);
}

bool tla_may_leave(const Json& request, int64_t bits) {
  const spec::Exact most = largest(request);
  return !most.value || *most.value >= spec::Wide{1} << (bits - 1);
}

}  // namespace tileproof::conform
