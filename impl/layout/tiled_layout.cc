// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/tiled_layout.h"

#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "impl/layout/digits.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {
namespace {

using Sizes = std::vector<int64_t>;

absl::Status too_large(absl::string_view what) {
  return absl::OutOfRangeError(absl::StrCat(what, " does not fit 64 signed bits"));
}

absl::StatusOr<int64_t> product(absl::Span<const int64_t> sizes, absl::string_view what) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    const std::optional<int64_t> next = checked_mul(result, size);
    if (!next) return too_large(what);
    result = *next;
  }
  return result;
}

// The effect of one tile on the physical dimensions, with all sizes known.
struct TileStep {
  int64_t prepended = 0;  // dimensions of 1 in front
  int64_t untiled = 0;    // dimensions that the tile does not reach, including the prepended ones
  // For each tile size, major to minor: the dimensions combined into it (one without a star), their
  // product, and the size.
  struct Part {
    Sizes combined;
    int64_t size = 0;
    int64_t tile = 0;
    int64_t tiles() const { return ceil_div(size, tile); }
  };
  std::vector<Part> parts;
};

// Plans `tile` on dimensions `dims`, and replaces `dims` by the dimensions after it.
absl::StatusOr<TileStep> plan_tile(const Tile& tile, Sizes& dims) {
  TileStep step;
  const int64_t rank = std::ssize(dims);
  const int64_t tile_rank = std::ssize(tile.dims);
  step.prepended = tile_rank > rank ? tile_rank - rank : 0;
  dims.insert(dims.begin(), step.prepended, 1);
  step.untiled = std::ssize(dims) - tile_rank;

  Sizes after(dims.begin(), dims.begin() + step.untiled);
  TileStep::Part part;
  for (int64_t i = 0; i < tile_rank; ++i) {
    part.combined.push_back(dims[step.untiled + i]);
    if (tile.dims[i] == Tile::kCombine) continue;
    part.size = TRY(product(part.combined, "the product of combined dimensions"));
    part.tile = tile.dims[i];
    if (!checked_mul(part.tiles(), part.tile)) return too_large("a padded dimension");
    after.push_back(part.tiles());
    step.parts.push_back(std::exchange(part, {}));
  }
  for (const TileStep::Part& p : step.parts) after.push_back(p.tile);
  dims = std::move(after);
  return step;
}

// A layout with all its sizes.
struct Plan {
  Layout layout;
  Sizes logical;
  Sizes physical;
  std::vector<TileStep> steps;
  int64_t positions = 0;  // product of the physical dimensions
  int64_t elements = 0;   // slots, rounded up to the tail alignment
  int64_t bytes = 0;
};

// Passes a physical index, major to minor, through a tile.
void go_forward(const TileStep& step, Digits& digits, std::vector<Numeral>& index) {
  index.insert(index.begin(), step.prepended, Numeral{});
  std::vector<Numeral> after(index.begin(), index.begin() + step.untiled);
  std::vector<Numeral> insides;
  auto next = index.begin() + step.untiled;
  for (const TileStep::Part& part : step.parts) {
    Numeral x = *next++;
    for (size_t i = 1; i < part.combined.size(); ++i) x = Digits::combine(x, *next++);
    x.size = part.tiles() * part.tile;
    auto [tiles, inside] = digits.split(x, part.tile);
    after.push_back(std::move(tiles));
    insides.push_back(std::move(inside));
  }
  after.insert(after.end(), insides.begin(), insides.end());
  index = std::move(after);
}

using Checks = std::vector<std::pair<Numeral, int64_t>>;

// The inverse. Adds a check for each padded dimension that the index is not in the padding.
void go_back(const TileStep& step, Digits& digits, std::vector<Numeral>& index, Checks& checks) {
  const int64_t parts = std::ssize(step.parts);
  std::vector<Numeral> before(index.begin(), index.begin() + step.untiled);
  for (int64_t i = 0; i < parts; ++i) {
    const TileStep::Part& part = step.parts[i];
    Numeral x = Digits::combine(index[step.untiled + i], index[step.untiled + parts + i]);
    if (digits.most(x) >= part.size) checks.emplace_back(x, part.size);
    x.size = part.size;
    std::vector<Numeral> combined;  // minor to major
    for (size_t d = part.combined.size(); d-- > 1;) {
      auto [major, minor] = digits.split(x, part.combined[d]);
      combined.push_back(std::move(minor));
      x = std::move(major);
    }
    combined.push_back(std::move(x));
    before.insert(before.end(), combined.rbegin(), combined.rend());
  }
  before.erase(before.begin(), before.begin() + step.prepended);
  index = std::move(before);
}

absl::StatusOr<Sizes> logical_dims(const Shape& shape) {
  if (shape.kind != Shape::Kind::kArray || !has_elements(shape.element_type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an array with elements, found ", to_text(shape)));
  }
  TRY(validate(shape));
  Sizes dims;
  for (const Dimension& dimension : shape.dimensions) {
    if (dimension.kind == Dimension::Kind::kUnbounded) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected bounded dimensions, found ", to_text(shape)));
    }
    dims.push_back(dimension.size);
  }
  return dims;
}

Numeral combine_all(const std::vector<Numeral>& index) {
  Numeral x;
  for (const Numeral& digit : index) x = Digits::combine(x, digit);
  return x;
}

// The coordinates of an index, passed through the tiles.
struct Forward {
  Digits digits;
  std::vector<std::string> names;
  std::vector<Numeral> index;  // physical, major to minor
};

Forward go_forward(const Plan& plan) {
  Forward forward;
  std::vector<Numeral> dims;
  for (int64_t size : plan.logical) {
    forward.names.push_back(absl::StrCat("d", forward.names.size()));
    dims.push_back(forward.digits.input(size));
  }
  const std::vector<int64_t>& minor_to_major = plan.layout.minor_to_major;
  for (auto d = minor_to_major.rbegin(); d != minor_to_major.rend(); ++d)
    forward.index.push_back(dims[*d]);
  for (const TileStep& step : plan.steps) go_forward(step, forward.digits, forward.index);
  return forward;
}

// The offset, passed back through the tiles.
struct Backward {
  Digits digits;
  std::vector<Numeral> index;  // logical
  Checks checks;
};

Backward go_back(const Plan& plan) {
  Backward back;
  Digits& digits = back.digits;
  Numeral offset = digits.input(plan.elements);
  if (plan.elements > plan.positions) back.checks.emplace_back(offset, plan.positions);  // the tail
  offset.size = plan.positions;
  std::vector<Numeral> index(plan.physical.size());
  for (size_t d = index.size(); d-- > 0;) {
    std::tie(offset, index[d]) = digits.split(offset, plan.physical[d]);
  }
  for (size_t i = plan.steps.size(); i-- > 0;) go_back(plan.steps[i], digits, index, back.checks);
  back.index.resize(index.size());
  for (size_t i = 0; i < index.size(); ++i) {
    back.index[plan.layout.minor_to_major[i]] = index[index.size() - 1 - i];
  }
  return back;
}

absl::StatusOr<Plan> plan_layout(const Shape& shape) {
  Sizes logical = TRY(logical_dims(shape));
  Plan plan;
  plan.layout = layout_of(shape);
  plan.logical = std::move(logical);
  const std::vector<int64_t>& minor_to_major = plan.layout.minor_to_major;
  for (auto d = minor_to_major.rbegin(); d != minor_to_major.rend(); ++d)
    plan.physical.push_back(plan.logical[*d]);
  for (const Tile& tile : plan.layout.tiles) {
    plan.steps.push_back(TRY(plan_tile(tile, plan.physical)));
  }
  plan.positions = TRY(product(plan.physical, "the number of elements"));
  const int64_t alignment = plan.layout.tail_padding_alignment;
  plan.elements = TRY(
      product({ceil_div(plan.positions, alignment), alignment}, "the padded number of elements"));
  const int64_t given = plan.layout.element_size_in_bits;
  const int64_t bits = given != 0 ? given : 8 * byte_width(shape.element_type);
  const absl::int128 bytes = (absl::int128(plan.elements) * bits + 7) / 8;
  if (bytes > INT64_MAX) return too_large("the number of bytes");
  plan.bytes = static_cast<int64_t>(bytes);
  return plan;
}

}  // namespace

absl::StatusOr<TiledLayout> TiledLayout::create(const Shape& shape) {
  const Plan plan = TRY(plan_layout(shape));
  TiledLayout result;
  result.logical_ = plan.logical;
  result.physical_ = plan.physical;
  result.elements_ = plan.elements;
  result.bytes_ = plan.bytes;
  result.padding_ = plan.elements;
  if (plan.positions > 0)
    result.padding_ -= *product(plan.logical, "");  // at most places, so it fits
  result.formula_ = "0";
  if (plan.positions > 0) {
    const Forward forward = go_forward(plan);
    const Numeral offset = combine_all(forward.index);
    result.digits_ = forward.digits.of_inputs(offset);
    result.formula_ = forward.digits.to_text(offset, forward.names);
    result.to_offset_ = forward.digits.compile({offset}, {});
    if (result.digits_) result.deposit_ = DepositForm::of(*result.digits_, plan.logical.size());
    result.moves_two_ = result.deposit_ && result.deposit_->inputs() == 2;
    const Backward back = go_back(plan);
    result.to_index_ = back.digits.compile(back.index, back.checks);
    result.extract_ = ExtractForm::of(back.digits, back.index, back.checks);
    if (result.deposit_) result.to_offset_ = result.deposit_->closed_form();
    if (result.extract_) result.to_index_ = result.extract_->closed_form();
  }
  return result;
}

absl::StatusOr<ClosedForm> physical_index(const Shape& shape) {
  const Plan plan = TRY(plan_layout(shape));
  if (plan.positions == 0) return ClosedForm{};
  const Forward forward = go_forward(plan);
  return forward.digits.compile(forward.index, {});
}

absl::StatusOr<int64_t> TiledLayout::linearize(absl::Span<const int64_t> index) const {
  TRY(expect_index(logical_, Dims(index.begin(), index.end())));
  return linearize_unchecked(index);
}

absl::StatusOr<std::optional<std::vector<int64_t>>> TiledLayout::delinearize(int64_t offset) const {
  if (offset < 0 || offset >= elements_) {
    return absl::InvalidArgumentError(
        absl::StrCat("offset ", offset, " is outside the ", elements_, " elements"));
  }
  std::vector<int64_t> index(logical_.size());
  if (!delinearize_unchecked(offset, absl::MakeSpan(index))) return std::nullopt;
  return std::optional(std::move(index));
}

}  // namespace tileproof::impl
