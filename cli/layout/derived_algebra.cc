// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/derived_algebra.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/text.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/nested_layout.h"

namespace tileproof::cli {
namespace {

using Computed = absl::StatusOr<NestedLayout>;
using Operands = absl::Span<const std::string>;

std::vector<NestedLayout> modes_of(const NestedLayout& layout) {
  std::vector<NestedLayout> modes;
  for (int64_t k = 0; k < rank(layout.shape); ++k) modes.push_back(mode(layout, k));
  return modes;
}

// ((a, b), c, ..) without the parentheses around the first mode.
NestedLayout without_first_tuple(const NestedLayout& layout) {
  std::vector<NestedLayout> modes = modes_of(layout), all = modes_of(modes[0]);
  all.insert(all.end(), modes.begin() + 1, modes.end());
  return concatenated(all);
}

Computed coalesce(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  if (operands.empty()) return engine.coalesce(a);
  const IntTuple profile = TRY(parse_coordinate(operands[0]));
  if (!profile.is_tuple) return engine.coalesce(a);
  if (rank(profile) > rank(a.shape))
    return invalid("expected a profile of at most the layout's modes");
  std::vector<NestedLayout> modes = modes_of(a);
  for (int64_t k = 0; k < rank(profile); ++k)
    modes[k] = TRY(coalesce(engine, modes[k], {to_text(profile.elements[k])}));
  return concatenated(modes);
}

Computed flat_divide(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  return without_first_tuple(TRY(engine.tiled_divide(a, TRY(parse_tiler(operands[0])))));
}

Computed zipped_product(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  return engine.logical_product(a, TRY(parse_nested_layout(operands[0])));
}

Computed tiled_product(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  const NestedLayout pair = TRY(zipped_product(engine, a, operands));
  std::vector<NestedLayout> modes = modes_of(mode(pair, 1));
  modes.insert(modes.begin(), mode(pair, 0));
  return concatenated(modes);
}

Computed flat_product(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  return without_first_tuple(TRY(tiled_product(engine, a, operands)));
}

// The compact layout whose strides grow in this order of the modes.
Computed ordered(const std::vector<int64_t>& sizes, const std::vector<int64_t>& order) {
  std::vector<size_t> by_order(sizes.size());
  std::iota(by_order.begin(), by_order.end(), 0);
  std::ranges::stable_sort(by_order, {}, [&](size_t k) { return order[k]; });
  std::vector<int64_t> strides(sizes.size());
  std::optional<int64_t> stride = 1;
  for (const size_t k : by_order) {
    if (!stride) return absl::OutOfRangeError("a stride does not fit 64 signed bits");
    strides[k] = *stride;
    stride = checked_mul(*stride, sizes[k]);
  }
  return NestedLayout{make_flat(sizes), make_flat(strides)};
}

Computed tile_to_shape(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  const IntTuple shape = TRY(parse_coordinate(operands[0]));
  std::vector<NestedLayout> block = modes_of(a);
  if (rank(shape) < std::ssize(block))
    return invalid("expected a shape of at least the block's modes");
  block.resize(rank(shape), NestedLayout{make_integer(1), make_integer(0)});
  std::vector<int64_t> copies, order(block.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t k = 0; k < block.size(); ++k) {
    const int64_t target = TRY(spec::size(*get(shape, {static_cast<int64_t>(k)})));
    const int64_t tile = TRY(spec::size(block[k].shape));
    if (tile < 1 || target % tile != 0) {
      return invalid(absl::StrCat("expected sizes that the block divides, found ", target,
                                  " for a mode of ", tile));
    }
    copies.push_back(target / tile);
  }
  if (operands.size() > 1) order = leaves(TRY(parse_coordinate(operands[1])));
  if (order.size() != block.size()) return invalid("expected an order of all modes");
  return engine.blocked_product(concatenated(block), TRY(ordered(copies, order)));
}

// a / b where one divides the other one, at least 1.
std::optional<int64_t> shape_div(int64_t a, int64_t b) {
  if (b != 0 && a % b == 0) return a / b;
  if (a != 0 && b % a == 0) return 1;
  return std::nullopt;
}

// The same bytes in elements of n times the bits, or with `down` of an n-th of them.
Computed rescaled(const NestedLayout& a, int64_t n, bool down) {
  std::vector<int64_t> extents = leaves(a.shape), strides = leaves(a.stride);
  for (size_t k = 0; k < extents.size(); ++k) {
    std::optional<int64_t> extent = extents[k], stride = strides[k];
    const int64_t step = stride < 0 ? -*stride : *stride;
    if (down) {
      (step == 1 ? extent : stride) = checked_mul(step == 1 ? *extent : *stride, n);
    } else if (step != 0) {
      const std::optional<int64_t> elements = shape_div(n, step), size = shape_div(step, n);
      extent = elements ? shape_div(*extent, *elements) : std::nullopt;
      stride = size && stride < 0 ? std::optional(-*size) : size;
    }
    if (!extent || !stride) {
      return absl::FailedPreconditionError(absl::StrCat("a mode ", extents[k], ":", strides[k],
                                                        " is not of whole elements ", n,
                                                        " times as ", down ? "small" : "large"));
    }
    extents[k] = *extent;
    strides[k] = *stride;
  }
  return NestedLayout{with_leaves(a.shape, extents), with_leaves(a.stride, strides)};
}

absl::StatusOr<int64_t> factor(const std::string& text) {
  int64_t value;
  if (absl::SimpleAtoi(text, &value) && value >= 1) return value;
  return invalid(
      absl::StrCat("expected an integer of at least 1, found '", text.substr(0, 40), "'"));
}

Computed upcast(const AlgebraEngine&, const NestedLayout& a, Operands operands) {
  return rescaled(a, TRY(factor(operands[0])), /*down=*/false);
}

Computed downcast(const AlgebraEngine&, const NestedLayout& a, Operands operands) {
  return rescaled(a, TRY(factor(operands[0])), /*down=*/true);
}

// From elements of so many bits to elements of others.
Computed recast(const AlgebraEngine&, const NestedLayout& a, Operands operands) {
  const int64_t from = TRY(factor(operands[0])), to = TRY(factor(operands[1]));
  if (from % to != 0 && to % from != 0)
    return invalid("expected widths of which one divides the other");
  return rescaled(a, std::max(from, to) / std::min(from, to), from > to);
}

// The largest layout of positions that both put side by side from 0 on.
Computed max_common_layout(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  const NestedLayout inverse = TRY(engine.right_inverse(TRY(parse_nested_layout(operands[0]))));
  const NestedLayout common = TRY(engine.coalesce(TRY(engine.composition(a, inverse))));
  const NestedLayout first = mode(common, 0);
  if (leaves(first.stride)[0] != 1) return NestedLayout{make_integer(1), make_integer(0)};
  return engine.composition(inverse, first);
}

// Its number of elements, as a layout of these.
Computed max_common_vector(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  const NestedLayout common = TRY(max_common_layout(engine, a, operands));
  return NestedLayout{make_integer(TRY(spec::size(common.shape))), make_integer(1)};
}

struct Derived {
  absl::string_view name, operands;
  size_t least, most;  // of operands after the layout
  Computed (*compute)(const AlgebraEngine&, const NestedLayout&, Operands);
};

constexpr Derived kDerived[] = {
    {"coalesce", "[PROFILE]", 0, 1, coalesce},
    {"flat_divide", "TILER", 1, 1, flat_divide},
    {"zipped_product", "LAYOUT", 1, 1, zipped_product},
    {"tiled_product", "LAYOUT", 1, 1, tiled_product},
    {"flat_product", "LAYOUT", 1, 1, flat_product},
    {"tile_to_shape", "SHAPE [ORDER]", 1, 2, tile_to_shape},
    {"upcast", "N", 1, 1, upcast},
    {"downcast", "N", 1, 1, downcast},
    {"recast", "BITS BITS", 2, 2, recast},
    {"max_common_layout", "LAYOUT", 1, 1, max_common_layout},
    {"max_common_vector", "LAYOUT", 1, 1, max_common_vector},
};

const Derived* derived_named(absl::string_view name) {
  const auto* const found = std::ranges::find(kDerived, name, &Derived::name);
  return found == std::end(kDerived) ? nullptr : found;
}

}  // namespace

absl::string_view derived_operands(absl::string_view name) {
  const Derived* const operation = derived_named(name);
  return operation == nullptr ? "" : operation->operands;
}

std::vector<absl::string_view> derived_names() {
  std::vector<absl::string_view> names;
  for (const Derived& operation : kDerived) names.push_back(operation.name);
  return names;
}

absl::StatusOr<NestedLayout> derived(absl::string_view name, const AlgebraEngine& engine,
                                     const NestedLayout& a, Operands operands) {
  const Derived* const operation = derived_named(name);
  if (operation == nullptr) return invalid("expected an operation");
  if (operands.size() < operation->least || operands.size() > operation->most)
    return invalid(absl::StrCat("expected LAYOUT ", operation->operands));
  return operation->compute(engine, a, operands);
}

}  // namespace tileproof::cli
