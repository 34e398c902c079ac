// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "impl/layout/layout_algebra.h"
#include "impl/layout/nested_layout.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/layout_algebra.h"
#include "spec/layout/nested_layout.h"

namespace tileproof::conform {
namespace {

struct Make {
  Tag tag;
  int64_t bits, rows, cols;
};

absl::StatusOr<Make> make_in(const Json& request) {
  const absl::string_view name = TRY(required_text(request, "tag"));
  const std::optional<Tag> tag = tag_named(name);
  if (!tag) return invalid("expected a tag such as zN, found ", shown(name, 40));
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
  if (depth(tile) != 1) return invalid("expected tile to be an array of integers");
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

// kRight if the result of an answer is this layout, in any spelling.
Assessment compare_nested_answer(const NestedLayout& right, const Answer& answer) {
  using Kind = Assessment::Kind;
  const auto* text = answer.result.as<std::string>();
  if (text == nullptr) return {Kind::kWrong, "the result is not a string"};
  const absl::StatusOr<NestedLayout> given = parse_nested_layout(*text);
  if (!given.ok()) return {Kind::kWrong, std::string(given.status().message())};
  if (*given == right) return {};
  return {Kind::kWrong, given->shape == right.shape ? "the stride differs" : "the shape differs"};
}

Assessment compare(const absl::StatusOr<NestedLayout>& right, const Answer& answer) {
  if (right.ok()) return compare_nested_answer(*right, answer);
  return wrong(right.status().message());
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

using Layout = absl::StatusOr<NestedLayout>;

Layout with_layout(const Json& request, const NestedLayout& a, absl::string_view op, bool spec) {
  const NestedLayout b = TRY(nested_under(request, "by"));
  if (op == "tla.composition") return spec ? spec::composition(a, b) : impl::composition(a, b);
  return spec ? spec::logical_product(a, b) : impl::logical_product(a, b);
}

Layout with_tiler(const Json& request, const NestedLayout& a, absl::string_view op, bool spec) {
  const Tiler b = TRY(parsed_field(request, "by", parse_tiler));
  if (op == "tla.zipped_divide") {
    return spec ? spec::zipped_divide(a, b) : impl::zipped_divide(a, b);
  }
  if (op == "tla.tiled_divide") return spec ? spec::tiled_divide(a, b) : impl::tiled_divide(a, b);
  return spec ? spec::logical_divide(a, b) : impl::logical_divide(a, b);
}

Layout complement_of(const Json& request, const NestedLayout& a, bool spec) {
  const int64_t m = TRY(integer_under(request, "size"));
  return spec ? spec::complement(a, m) : impl::complement(a, m);
}

Layout computed(const Json& request, Engine engine) {
  const absl::string_view op = TRY(required_text(request, "op"));
  const Layout a = nested_under(request);
  if (!a.ok()) return a;
  const bool spec = engine == Engine::kSpec;
  Layout result;
  if (op == "tla.coalesce") {
    result = spec ? spec::coalesce(*a) : impl::coalesce(*a);
  } else if (op == "tla.right_inverse") {
    result = spec ? spec::right_inverse(*a) : impl::right_inverse(*a);
  } else if (op == "tla.left_inverse") {
    result = spec ? spec::left_inverse(*a) : impl::left_inverse(*a);
  } else if (op == "tla.complement") {
    result = complement_of(request, *a, spec);
  } else if (op == "tla.composition" || op == "tla.logical_product") {
    result = with_layout(request, *a, op, spec);
  } else {
    result = with_tiler(request, *a, op, spec);
  }
  // The definition has no result for this request.
  if (absl::IsFailedPrecondition(result.status())) return invalid(result.status().message());
  return result;
}

// R is a left inverse of A if R(A(i)) = i for all i < size(A). There are many.
Assessment judge_left_inverse(const NestedLayout& a, const NestedLayout& r) {
  const auto offsets = spec::values(a);
  if (!offsets.ok()) return open(offsets.status().message());
  const auto found = spec::values_at(r, *offsets);
  if (!found.ok()) return wrong(found.status().message());
  for (size_t i = 0; i < found->size(); ++i) {
    if ((*found)[i] == static_cast<int64_t>(i)) continue;
    return wrong("at ", (*offsets)[i], ", the offset of ", i, ": ", (*found)[i]);
  }
  return {};
}

// The stride of an extent of 1 never matters.
NestedLayout without_idle_strides(NestedLayout layout) {
  const std::vector<int64_t> extents = leaves(layout.shape);
  std::vector<int64_t> strides = leaves(layout.stride);
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 1) strides[i] = 0;
  }
  layout.stride = with_leaves(layout.stride, strides);
  return layout;
}

}  // namespace

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

absl::StatusOr<Result> tla_algebra(const Json& request, Engine engine) {
  const Layout result = computed(request, engine);
  if (!result.ok()) return result.status();
  return Result(to_text(*result));
}

Assessment judge_tla_algebra(const Json& request, const Answer& answer) {
  const Layout right = computed(request, Engine::kSpec);
  if (!right.ok()) return open(right.status().message());
  const auto* text = answer.result.as<std::string>();
  Layout given = parse_nested_layout(text == nullptr ? "" : *text);
  if (!given.ok()) return compare_nested_answer(*right, answer);
  if (*find(request, "op") == Json("tla.left_inverse")) {
    return judge_left_inverse(*nested_under(request), *given);
  }
  const NestedLayout other = without_idle_strides(*std::move(given));
  if (other.shape == right->shape) {
    Answer same = answer;
    same.result = to_text(other);
    return compare_nested_answer(without_idle_strides(*right), same);
  }
  return compare_nested_answer(*right, answer);
}

}  // namespace tileproof::conform
