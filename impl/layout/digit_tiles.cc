// SPDX-License-Identifier: Apache-2.0
// From digits to dimensions in memory: DigitLayout to a tiled layout, and to a blocked format.
//
// Tiles. The trailing dimensions are not in memory order yet. Each is a row of digits, outermost
// first. A tile removes the outermost digits of some of these dimensions: the tile counts go in
// front, in the order of the dimensions, and the insides stay. So each tile removes the longest run
// of wanted digits that follow the order of the dimensions:
//
//     OIhw16i16o     o{1,16} i{1,16} h w      wanted  o1 i1 h w 16i 16o
//     removes o1 i1 h w: T(16,16,1,1)         left o{16} i{16}, wanted 16i 16o
//     removes 16i:       T(16,1)              left o{16}, in order
//
// A digit that must be padded is removed only after a tile has padded it. A gap below the last
// digit becomes a digit of a dimension of size 1, which a tile longer than the array puts in front.
// If the room for some digits is not a multiple of the last of them, a tile at the end combines
// everything below and pads it.
//
// Blocks. The leading digits, each the outermost of its dimension, are the outer dimensions. All
// other digits are blocks. A dimension with only blocks has an outer size of 1.
// Source: oneDNN, "Understanding Memory Formats" (docs/sources.md).
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

constexpr int64_t kFront = -1;  // the dimension of size 1 that a long tile puts in front

// A digit that is still to be placed, with its size in memory, which is larger if it is padded.
struct Wanted {
  int64_t dimension;
  int64_t divisor;
  int64_t size;
  int64_t padded;
};

// The size that digits take in memory, and the size that they must have so that the next digit
// begins at its stride.
struct Room {
  int64_t taken;
  int64_t wanted;
};

struct InMemory {
  std::vector<Wanted> wanted;  // major to minor
  std::vector<Room> rooms;     // those that are not multiples of the last digit; minor to major
};

absl::Status no_position(const LayoutDigit& digit, int64_t below) {
  return absl::FailedPreconditionError(
      absl::StrCat("dimension ", digit.dimension, " has the stride ", digit.stride,
                   ", less than the ", below, " places that the digits of smaller strides take"));
}

bool is_outermost(const Wanted& digit, const std::vector<Wanted>& wanted) {
  return std::none_of(wanted.begin(), wanted.end(), [&](const Wanted& other) {
    return other.dimension == digit.dimension && other.divisor > digit.divisor;
  });
}

// The digits, major to minor, with their sizes in memory: each stride is the product of the sizes
// below it. A gap belongs to the digit below it. A digit of size 1 multiplies its stride by 0 only,
// so it is dropped if the stride does not fit. An outermost digit has as many values as the array
// has; the rest is padding.
absl::StatusOr<InMemory> sizes_in_memory(const DigitLayout& layout) {
  InMemory result;
  std::vector<Wanted>& wanted = result.wanted;
  std::optional<int64_t> below = 1;  // the product of the sizes so far
  int64_t unit = 1;                  // the same without the last digit
  for (auto digit = layout.digits.rbegin(); digit != layout.digits.rend(); ++digit) {
    if (digit->size == 1 && digit->stride != below) continue;
    if (!below) return absl::OutOfRangeError("the offsets do not fit 64 signed bits");
    if (digit->stride < *below) return no_position(*digit, *below);
    if (digit->stride != *below) {
      if (wanted.empty()) wanted.push_back({kFront, 1, 1, 1});
      if (digit->stride % unit == 0) {
        wanted.back().padded = digit->stride / unit;
      } else {
        result.rooms.push_back({*below, digit->stride});
      }
    }
    wanted.push_back({digit->dimension, digit->divisor, digit->size, digit->size});
    unit = digit->stride;
    below = checked_mul(unit, digit->size);
  }
  std::reverse(wanted.begin(), wanted.end());
  for (Wanted& digit : wanted) {
    if (digit.dimension == kFront || !is_outermost(digit, wanted)) continue;
    const int64_t size = layout.dims[digit.dimension];
    digit.size = std::min(digit.size, size / digit.divisor + (size % digit.divisor != 0 ? 1 : 0));
  }
  return result;
}

// One of the trailing dimensions: its remaining digits, outermost first.
using Row = std::vector<Wanted>;

// The product of the sizes from digit i on. Fits if the padded product of the whole row does.
int64_t product_from(const Row& row, size_t i) {
  int64_t product = 1;
  for (; i < row.size(); ++i) product *= row[i].size;
  return product;
}

// The number of leading digits that are the outermost of their dimension and not padded.
size_t leading_outermost(const std::vector<Wanted>& wanted) {
  size_t count = 0;
  while (count < wanted.size() && is_outermost(wanted[count], wanted) &&
         wanted[count].size == wanted[count].padded)
    ++count;
  return count;
}

// The dimensions in the order of these digits, then those without digits.
std::vector<int64_t> order_of_dimensions(const std::vector<Wanted>& wanted, int64_t rank) {
  std::vector<int64_t> order;
  const auto add = [&](int64_t d) {
    if (d != kFront && std::find(order.begin(), order.end(), d) == order.end()) order.push_back(d);
  };
  for (const Wanted& digit : wanted) add(digit.dimension);
  for (int64_t d = 0; d < rank; ++d) add(d);
  return order;
}

bool fits(const Row& row) {
  std::optional<int64_t> product = 1;
  for (const Wanted& digit : row) {
    if (product) product = checked_mul(*product, digit.padded);
  }
  return product.has_value();
}

class TileWriter {
 public:
  TileWriter(std::vector<int64_t> dims, std::vector<Wanted> wanted)
      : dims_(std::move(dims)), wanted_(std::move(wanted)) {}

  absl::StatusOr<Layout> write() {
    order_dimensions();
    if (!std::all_of(rows_.begin(), rows_.end(), fits))
      return absl::OutOfRangeError("a padded dimension does not fit 64 signed bits");
    while (!in_order()) {
      if (std::ssize(layout_.tiles) == kMaxTiles || std::ssize(rows_) > kMaxRank) {
        return absl::FailedPreconditionError(absl::StrCat("this takes more than ", kMaxTiles,
                                                          " tiles, or tiles of more than ",
                                                          kMaxRank, " sizes"));
      }
      add_tile();
    }
    return std::move(layout_);
  }

 private:
  void order_dimensions() {
    std::vector<int64_t> order = order_of_dimensions(wanted_, std::ssize(dims_));
    layout_.minor_to_major.assign(order.rbegin(), order.rend());
    const bool front = std::any_of(wanted_.begin(), wanted_.end(),
                                   [](const Wanted& digit) { return digit.dimension == kFront; });
    if (front) order.insert(order.begin(), kFront);
    for (int64_t d : order) {
      Row row;
      for (const Wanted& digit : wanted_) {
        if (digit.dimension == d) row.push_back(digit);
      }
      std::stable_sort(row.begin(), row.end(),
                       [](const Wanted& a, const Wanted& b) { return a.divisor > b.divisor; });
      rows_.push_back(std::move(row));
    }
  }

  bool is_next(const Row& row, size_t wanted) const {
    return !row.empty() && row[0].size == row[0].padded &&
           row[0].dimension == wanted_[wanted].dimension &&
           row[0].divisor == wanted_[wanted].divisor;
  }

  // Marks the rows whose outermost digit the next tile removes.
  std::vector<bool> run() const {
    std::vector<bool> taken;
    size_t next = 0;
    for (const Row& row : rows_) {
      taken.push_back(is_next(row, next));
      next += taken.back() ? 1 : 0;
    }
    return taken;
  }

  // Returns whether the remaining digits lie in memory as wanted.
  bool in_order() const {
    const std::vector<bool> taken = run();
    return std::count(taken.begin(), taken.end(), true) == std::ssize(wanted_);
  }

  void add_tile() {
    const std::vector<bool> taken = run();
    const auto count = std::count(taken.begin(), taken.end(), true);
    if (count == 0 && !needs_padding()) return split_wanted();
    Tile tile;
    std::vector<Row> left;
    for (size_t i = 0; i < rows_.size(); ++i) {
      Row row = rows_[i];
      if (taken[i]) {
        row.erase(row.begin());
      } else if (!row.empty()) {
        row[0].size = row[0].padded;
      }
      // Leading dimensions that were removed whole stay where they are.
      if (left.empty() && row.empty()) continue;
      tile.dims.push_back(product_from(row, 0));
      left.push_back(std::move(row));
    }
    layout_.tiles.push_back(std::move(tile));
    rows_ = std::move(left);
    wanted_.erase(wanted_.begin(), wanted_.begin() + count);
  }

  bool needs_padding() const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [](const Row& row) { return !row.empty() && row[0].size != row[0].padded; });
  }

  // The next wanted digit is inside a row (the first row with digits that small). Makes the digits
  // outside of it a dimension of their own.
  void split_wanted() {
    const Wanted& digit = wanted_.front();
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) {
      return !r.empty() && r[0].dimension == digit.dimension && r.back().divisor <= digit.divisor;
    });
    const auto inner = std::find_if(row->begin(), row->end(), [&](const Wanted& other) {
      return other.divisor == digit.divisor;
    });
    const size_t at = row - rows_.begin();
    const Row outside(row->begin(), inner);
    row->erase(row->begin(), inner);
    Tile tile;
    for (size_t i = at; i < rows_.size(); ++i) tile.dims.push_back(product_from(rows_[i], 0));
    layout_.tiles.push_back(std::move(tile));
    std::vector<Row> counts(rows_.size() - at);
    counts[0] = outside;
    rows_.insert(rows_.begin() + at, counts.begin(), counts.end());
  }

  std::vector<int64_t> dims_;
  std::vector<Wanted> wanted_;
  std::vector<Row> rows_;
  Layout layout_;
};

// A dimension that has no digit at `at` or above: a block of it there is padding.
std::optional<int64_t> dimension_below(const std::vector<Wanted>& wanted, size_t at, int64_t rank) {
  for (int64_t d = 0; d < rank; ++d) {
    const bool above = std::any_of(wanted.begin(), wanted.begin() + at + 1,
                                   [&](const Wanted& digit) { return digit.dimension == d; });
    if (!above) return d;
  }
  return std::nullopt;
}

// One more tile: combines all dimensions that take this room into one, and pads it.
absl::StatusOr<Layout> with_room(const std::vector<int64_t>& dims, Layout layout,
                                 const Room& room) {
  const TiledLayout so_far = TRY(TiledLayout::create(make_array(ElementType::kU8, dims, layout)));
  Tile tile{{room.wanted}};
  int64_t positions = 1;
  for (size_t i = so_far.physical().size(); i-- > 0;) {
    positions *= so_far.physical()[i];
    if (positions == room.taken) break;
    tile.dims.insert(tile.dims.begin(), Tile::kCombine);
  }
  layout.tiles.push_back(std::move(tile));
  return layout;
}

absl::Status no_block(const Wanted& digit, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("the digit of ", digit.size, " of dimension ", digit.dimension, " ", why));
}

}  // namespace

absl::StatusOr<BlockedFormat> to_blocked(const DigitLayout& layout) {
  const int64_t rank = std::ssize(layout.dims);
  if (rank < 1 || rank > 12) {
    return absl::FailedPreconditionError(
        absl::StrCat("a blocked format has 1 to 12 dimensions, this array has ", rank));
  }
  const InMemory memory = TRY(sizes_in_memory(layout));
  if (!memory.rooms.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("the stride ", memory.rooms[0].wanted,
                                                      " is no multiple of the next smaller one"));
  }
  const std::vector<Wanted>& wanted = memory.wanted;
  std::vector<BlockedFormat::Block> blocks;
  std::vector<int64_t> within(rank, INT64_MAX);  // the divisor of the last block
  for (size_t i = leading_outermost(wanted); i < wanted.size(); ++i) {
    const Wanted& digit = wanted[i];
    const bool front = digit.dimension == kFront;
    const bool takes_padding = !front && is_outermost(digit, wanted);
    if (digit.size != digit.padded && !takes_padding) {
      const std::optional<int64_t> filler = dimension_below(wanted, i, rank);
      if (!filler || digit.padded % digit.size != 0)
        return no_block(digit, "has places left above it that no block takes");
      blocks.push_back({*filler, digit.padded / digit.size});
    }
    if (front) continue;
    if (digit.divisor > within[digit.dimension])
      return no_block(digit,
                      "comes after one inside of it, and blocks are written outermost first");
    within[digit.dimension] = digit.divisor;
    blocks.push_back({digit.dimension, takes_padding ? digit.padded : digit.size});
  }
  return plain_format(order_of_dimensions(wanted, rank), std::move(blocks));
}

absl::StatusOr<Layout> to_tiled(const DigitLayout& layout) {
  InMemory memory = TRY(sizes_in_memory(layout));
  absl::StatusOr<Layout> result = TileWriter(layout.dims, std::move(memory.wanted)).write();
  for (const Room& room : memory.rooms) {
    if (result.ok()) result = with_room(layout.dims, *std::move(result), room);
  }
  return result;
}

}  // namespace tileproof::impl
