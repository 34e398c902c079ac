// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/nested_layout.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "impl/layout/digits.h"
#include "impl/layout/divisor.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::impl {
namespace {

using absl::int128;

absl::Status invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

absl::StatusOr<int64_t> narrow(int128 value, absl::string_view what) {
  if (value < std::numeric_limits<int64_t>::min() || value > std::numeric_limits<int64_t>::max()) {
    return absl::OutOfRangeError(absl::StrCat(std::string(what), " does not fit 64 signed bits"));
  }
  return static_cast<int64_t>(value);
}

// A sum of products of int64 in two words. No number of terms that fits in memory overflows it.
class WideSum {
 public:
  void add(int64_t a, int64_t b) {
    const int128 product = int128(a) * b;
    high_ += absl::Int128High64(product);
    low_ += absl::Int128Low64(product);
  }

  // The sum, saturated to int128.
  int128 value() const {
    const int128 high = high_ + int128(low_ >> 64);
    const int128 most = std::numeric_limits<int64_t>::max();
    if (high > most) return std::numeric_limits<int128>::max();
    if (high < -most) return std::numeric_limits<int128>::min();
    return absl::MakeInt128(static_cast<int64_t>(high), absl::Uint128Low64(low_));
  }

 private:
  int128 high_ = 0;  // in units of 2^64
  absl::uint128 low_ = 0;
};

struct LeafDigit {
  int64_t extent;
  int64_t stride;
};

std::vector<LeafDigit> leaf_digits(const IntTuple& shape, const IntTuple& stride) {
  std::vector<LeafDigit> digits;
  const std::vector<int64_t> extents = leaves(shape), strides = leaves(stride);
  for (size_t i = 0; i < extents.size(); ++i) digits.push_back({extents[i], strides[i]});
  return digits;
}

struct ModeForm {
  std::vector<Numeral::Term> terms;  // of the integer coordinate
  std::optional<int64_t> bound;      // integer coordinates are below it; none: they extrapolate
  bool divides_by_zero = false;      // no integer coordinate is possible
};

bool ends_in_empty_tuple(const IntTuple& tuple) {
  const IntTuple* at = &tuple;
  while (!at->elements.empty()) at = &at->elements.back();
  return at->is_tuple;
}

ModeForm mode_of(const IntTuple& shape, const IntTuple& stride) {
  const std::vector<LeafDigit> digits = leaf_digits(shape, stride);
  const bool bounded = ends_in_empty_tuple(shape);
  ModeForm mode;
  std::optional<int64_t> divisor = 1;  // nothing: larger than every coordinate
  for (size_t i = 0; i < digits.size(); ++i) {
    const auto [extent, d] = digits[i];
    const bool whole = !bounded && i + 1 == digits.size();
    mode.divides_by_zero |= !whole && extent == 0;
    if (mode.divides_by_zero || !divisor || (!whole && extent == 1)) continue;
    Numeral::Term* before = mode.terms.empty() ? nullptr : &mode.terms.back();
    const std::optional<int64_t> carried =
        before == nullptr ? std::nullopt : checked_mul(before->weight, before->digit.modulus);
    if (carried == d) {
      const std::optional<int64_t> both = checked_mul(before->digit.modulus, extent);
      before->digit.modulus = whole || !both ? Digit::kWhole : *both;
    } else {
      mode.terms.push_back({d, {0, *divisor, whole ? Digit::kWhole : extent}});
    }
    if (!whole) divisor = checked_mul(*divisor, extent);
  }
  if (bounded) mode.bound = divisor;
  std::erase_if(mode.terms, [](const Numeral::Term& term) { return term.weight == 0; });
  return mode;
}

// Adds the offset of a coordinate of a mode.
absl::Status add_offset(const IntTuple& shape, const IntTuple& stride, const Coordinate& c,
                        WideSum& sum) {
  if (c.is_tuple) {
    if (!shape.is_tuple || rank(c) != rank(shape)) {
      return invalid(absl::StrCat(
          "expected a coordinate of ", rank(shape),
          shape.is_tuple ? " elements or an integer, found " : " integer, found a tuple of ",
          rank(c)));
    }
    for (size_t i = c.elements.size(); i-- > 0;)
      TRY(add_offset(shape.elements[i], stride.elements[i], c.elements[i], sum));
    return absl::OkStatus();
  }
  if (c.value < 0) {
    return invalid(absl::StrCat("expected a coordinate of at least 0, found ", c.value));
  }
  const ModeForm mode = mode_of(shape, stride);
  if (mode.divides_by_zero) {
    return invalid(absl::StrCat("expected no integer coordinate, found ", c.value,
                                ": a mode that is not the last has no elements"));
  }
  if (mode.bound && c.value >= *mode.bound) {
    return invalid(absl::StrCat("expected a coordinate below ", *mode.bound, ", found ", c.value,
                                ": the last mode is empty"));
  }
  for (const auto& [weight, digit] : mode.terms) {
    const int64_t quotient = c.value / digit.divisor;
    sum.add(digit.modulus == Digit::kWhole ? quotient : quotient % digit.modulus, weight);
  }
  return absl::OkStatus();
}

int128 floor_divide(int128 a, int128 b) {  // b > 0
  const int128 q = a / b;
  return a % b < 0 ? q - 1 : q;
}

int128 magnitude(int128 x) { return x < 0 ? -x : x; }

int128 gcd(int128 a, int128 b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

// An inverse of a modulo m, where 0 <= a < m and gcd(a, m) = 1. Of either sign, |result| < m.
int128 inverse(int128 a, int128 m) {
  int128 r0 = m, r1 = a, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const int128 q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    t0 = std::exchange(t1, t0 - q * t1);
  }
  return t0;
}

// Finds values of digits with sum(value * stride) = target: the first in the order of the integers
// that the digits represent.
class Search {
 public:
  Search(std::vector<int64_t> extents, std::vector<int64_t> strides)
      : extents_(std::move(extents)),
        strides_(std::move(strides)),
        values_(extents_.size()),
        before_(extents_.size()) {
    Reach reach;
    for (size_t i = 0; i < extents_.size(); ++i) {
      before_[i] = reach;
      const int128 last = int128(extents_[i] - 1) * strides_[i];
      (strides_[i] < 0 ? reach.low : reach.high) += last;
      if (extents_[i] > 1) reach.step = gcd(magnitude(strides_[i]), reach.step);
    }
    all_ = reach;
  }

  // Nothing: the search gave up.
  std::optional<bool> run(int64_t target) {
    if (!reaches(all_, target)) return false;
    int64_t steps = 0;
    int128 left = target;            // the digits below `digit` must reach this
    size_t digit = extents_.size();  // digits from here on have values
    while (digit > 0) {
      if (++steps > kMostSteps + std::ssize(extents_)) return std::nullopt;
      if (open(digit - 1, left)) {
        --digit;
      } else {
        while (digit < extents_.size() && values_[digit].first == values_[digit].last) {
          left += values_[digit].first * strides_[digit];
          ++digit;
        }
        if (digit == extents_.size()) return false;
        left += values_[digit].first * strides_[digit];
        values_[digit].first += values_[digit].step;
      }
      left -= values_[digit].first * strides_[digit];
    }
    return true;
  }

  std::vector<int64_t> values() const {
    std::vector<int64_t> result;
    for (const Candidates& value : values_) result.push_back(static_cast<int64_t>(value.first));
    return result;
  }

 private:
  static constexpr int64_t kMostSteps = 1 << 12;  // and one more for each digit

  // The sums of some digits lie in [low, high] and are multiples of step.
  struct Reach {
    int128 low = 0;
    int128 high = 0;
    int128 step = 0;
  };
  static bool reaches(const Reach& reach, int128 x) {
    return reach.low <= x && x <= reach.high && (reach.step == 0 ? x == 0 : x % reach.step == 0);
  }

  // Values of a digit from `first`, its current value, to `last`.
  struct Candidates {
    int128 first = 0;
    int128 last = 0;
    int128 step = 1;
  };

  // Opens the values v of a digit for which the earlier digits may reach target - v * stride. The
  // digit and the earlier ones may reach the target. Returns false if there are no such values.
  bool open(size_t digit, int128 target) {
    const int128 d = strides_[digit];
    const Reach& rest = before_[digit];
    Candidates& found = values_[digit];
    if (d == 0) return true;
    // low <= target - v * d <= high
    const int128 near = d > 0 ? target - rest.low : rest.high - target;
    const int128 far = d > 0 ? target - rest.high : rest.low - target;
    found.first = std::max<int128>(0, -floor_divide(-far, magnitude(d)));
    found.last = std::min<int128>(extents_[digit] - 1, floor_divide(near, magnitude(d)));
    if (rest.step > 1) {  // v * d = target modulo the step
      const int128 common = gcd(magnitude(d), rest.step);
      const int128 m = found.step = rest.step / common;
      const auto residue = [m](int128 x) { return (x % m + m) % m; };
      const int128 v = residue(target / common) * inverse(residue(d / common), m) % m;
      found.first += residue(v - found.first);
      found.last -= residue(found.last - v);
    }
    return found.first <= found.last;
  }

  std::vector<int64_t> extents_;
  std::vector<int64_t> strides_;
  std::vector<Candidates> values_;
  std::vector<Reach> before_;  // of the digits before each one
  Reach all_;
};

}  // namespace

absl::StatusOr<NestedLayout> NestedLayout::create(const tileproof::NestedLayout& layout) {
  TRY(validate(layout));
  return NestedLayout(layout);
}

absl::StatusOr<int64_t> NestedLayout::size() const {
  const std::vector<int64_t> extents = leaves(layout_.shape);
  if (std::ranges::count(extents, 0) > 0) return 0;
  int64_t product = 1;
  for (const int64_t extent : extents) {
    const std::optional<int64_t> next = checked_mul(product, extent);
    if (!next) return absl::OutOfRangeError("the size does not fit 64 signed bits");
    product = *next;
  }
  return product;
}

absl::StatusOr<int64_t> NestedLayout::cosize() const {
  WideSum span;
  span.add(1, 1);
  for (const auto& [extent, stride] : leaf_digits(layout_.shape, layout_.stride)) {
    if (extent == 0) return 0;
    span.add(extent - 1, stride);
    if (stride < 0) {  // add the magnitude instead
      span.add(1 - extent, stride);
      span.add(1 - extent, stride);
    }
  }
  return narrow(span.value(), "the cosize");
}

absl::StatusOr<int64_t> NestedLayout::offset(const Coordinate& coordinate) const {
  WideSum sum;
  TRY(add_offset(layout_.shape, layout_.stride, coordinate, sum));
  return narrow(sum.value(), "the offset");
}

absl::StatusOr<std::optional<Coordinate>> NestedLayout::coordinate_at(int64_t offset) const {
  TRY(cosize());
  std::vector<int64_t> extents = leaves(layout_.shape);
  if (std::ranges::count(extents, 0) > 0) return std::optional<Coordinate>();
  Search search(std::move(extents), leaves(layout_.stride));
  const std::optional<bool> found = search.run(offset);
  if (!found) return absl::ResourceExhaustedError("too many coordinates overlap for the search");
  if (!*found) return std::optional<Coordinate>();
  return std::optional(with_leaves(layout_.shape, search.values()));
}

std::string NestedLayout::formula() const {
  std::string text;
  for (int64_t k = 0; k < rank(layout_.shape); ++k) {
    const tileproof::NestedLayout part = mode(layout_, k);
    for (const Numeral::Term& term : mode_of(part.shape, part.stride).terms) {
      absl::StrAppend(&text, text.empty() ? "" : " + ", impl::to_text(term, absl::StrCat("d", k)));
    }
  }
  return text.empty() ? "0" : text;
}

absl::StatusOr<int64_t> mode_index(const Coordinate& coordinate, const IntTuple& mode) {
  const auto size_of = [](const IntTuple& shape) {
    std::optional<int64_t> size = 1;
    for (const int64_t leaf : leaves(shape)) size = size ? checked_mul(*size, leaf) : size;
    return size;
  };
  if (!coordinate.is_tuple) {
    const std::optional<int64_t> size = size_of(mode);
    if (coordinate.value >= 0 && (!size || coordinate.value < *size)) return coordinate.value;
    return absl::OutOfRangeError(
        absl::StrCat("index ", coordinate.value, " is not in the mode ", to_text(mode)));
  }
  if (!mode.is_tuple || mode.elements.size() != coordinate.elements.size()) {
    return invalid(absl::StrCat("expected a coordinate of the mode ", to_text(mode), ", found ",
                                to_text(coordinate)));
  }
  std::optional<int64_t> index = 0, weight = 1;
  for (size_t i = 0; i < mode.elements.size(); ++i) {
    const int64_t digit = TRY(mode_index(coordinate.elements[i], mode.elements[i]));
    const auto part = weight ? checked_mul(digit, *weight) : weight;
    index = index && part ? checked_add(*index, *part) : std::nullopt;
    const std::optional<int64_t> size = size_of(mode.elements[i]);
    weight = weight && size ? checked_mul(*weight, *size) : std::nullopt;
  }
  if (index) return *index;
  return absl::OutOfRangeError("the coordinate does not fit 64 bits");
}

namespace {

constexpr int64_t kRest = 0;  // the digit that holds what is left of the dimension

struct TagDigits {
  std::vector<int64_t> rows;  // sizes, the digit that changes fastest first
  std::vector<int64_t> cols;
  absl::string_view memory;  // digits of rows (a) and cols (b), the one that changes fastest first
  int64_t line = 1;          // the first digit of memory is padded to a multiple of this
  int64_t beside = 0;        // slots that lie beside the digits of known size
};

// Q4_0 of ggml: a scale of 16 bits for each of `lines` rows lies beside 32 values of each.
TagDigits q4_0(int64_t lines, int64_t bytes) {
  return {{lines, kRest}, {bytes, 16 / bytes, 2, kRest}, "b2b0a0b1b3a1", 1, lines * 4};
}

TagDigits digits_of_tag(Tag tag, int64_t bits) {
  const int64_t c0 = 256 / bits;
  const int64_t line = bits == 4 ? 2 : 1;  // a whole byte
  switch (tag) {
    case Tag::kRowMajor:
      return {{kRest}, {kRest}, "b0a0", line};
    case Tag::kColumnMajor:
      return {{kRest}, {kRest}, "a0b0", line};
    case Tag::kzN:
      return {{16, kRest}, {c0, kRest}, "b0a0a1b1"};
    case Tag::knZ:
      return {{c0, kRest}, {16, kRest}, "a0b0b1a1"};
    case Tag::kzZ:
      return {{16, kRest}, {c0, kRest}, "b0a0b1a1"};
    case Tag::knN:
      return {{c0, kRest}, {16, kRest}, "a0b0a1b1"};
    case Tag::kL0C:
      return {{16, kRest}, {16, kRest}, "b0a0a1b1"};
    case Tag::kWeight4BitnZ:
      return {{32, kRest}, {16, kRest}, "a0b0b1a1"};
    case Tag::kVectorLayout:
      return {{}, {kRest}, "b0"};
    case Tag::kCol32:
      return {{kRest}, {32, kRest}, "b0a0b1"};
    case Tag::kCol4_4R2_8C:
      return {{2, 4, kRest}, {4, 2, 4, kRest}, "b0a1b1b2a0a2b3"};
    case Tag::kCol32_2R_4R4:
      return {{2, 4, 4, kRest}, {32, kRest}, "b0a0a2a1a3b1"};
    case Tag::kSwizzle32_4_4:
      return {{32, 4, kRest}, {4, kRest}, "b0a1a0b1a2"};
    case Tag::kVnni:
      return {{std::max<int64_t>(32 / bits, 1), kRest}, {kRest}, "a0b0a1"};
    case Tag::kQ4_0_4_4:
      return q4_0(4, 4);
    case Tag::kQ4_0_4_8:
      return q4_0(4, 8);
    case Tag::kQ4_0_8_8:
      return q4_0(8, 8);
  }
  return {};
}

// Replaces kRest, which is the last digit.
void fill_rest(std::vector<int64_t>& digits, int64_t extent) {
  if (digits.empty()) return;
  int64_t tile = 1;
  for (size_t i = 0; i + 1 < digits.size(); ++i) tile *= digits[i];
  digits.back() = ceil_div(extent, tile);
}

IntTuple mode_of(absl::Span<const int64_t> digits) {
  return digits.size() == 1 ? make_integer(digits[0]) : make_flat(digits);
}

}  // namespace

absl::StatusOr<tileproof::NestedLayout> make_layout(Tag tag, int64_t element_bits, int64_t rows,
                                                    int64_t cols) {
  TRY(validate(tag, element_bits, rows, cols));
  TagDigits shape = digits_of_tag(tag, element_bits);
  TagDigits stride = shape;
  fill_rest(shape.rows, rows);
  fill_rest(shape.cols, cols);
  std::optional<int64_t> size = 1;  // of the digits so far
  for (size_t i = 0; i < shape.memory.size(); i += 2) {
    const size_t digit = shape.memory[i + 1] - '0';
    const auto of_digit = [&](TagDigits& all) -> int64_t& {
      return (shape.memory[i] == 'a' ? all.rows : all.cols)[digit];
    };
    int64_t& result = of_digit(stride);
    if (result == kRest && size) size = checked_add(*size, std::exchange(shape.beside, 0));
    if (!size) return absl::OutOfRangeError("a stride does not fit 64 signed bits");
    result = *size;
    std::optional<int64_t> extent = of_digit(shape);
    if (i == 0) extent = checked_add(*extent, (shape.line - *extent % shape.line) % shape.line);
    size = extent ? checked_mul(*size, *extent) : std::nullopt;
  }
  if (shape.rows.empty())
    return tileproof::NestedLayout{make_flat(shape.cols), make_flat(stride.cols)};
  return tileproof::NestedLayout{make_tuple({mode_of(shape.rows), mode_of(shape.cols)}),
                                 make_tuple({mode_of(stride.rows), mode_of(stride.cols)})};
}

absl::StatusOr<tileproof::NestedLayout> make_layout(const TaggedShape& tagged) {
  TRY(validate(tagged));
  return make_layout(tagged.tag, tla_bits(tagged.element_type), tagged.dims.front(),
                     tagged.dims.back());
}

absl::StatusOr<tileproof::NestedLayout> make_layout_tile(const tileproof::NestedLayout& layout,
                                                         absl::Span<const int64_t> tile) {
  if (std::ssize(tile) != rank(layout.shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", rank(layout.shape), " tile sizes, found ", tile.size()));
  }
  tileproof::NestedLayout result = layout;
  for (int64_t k = 0; k < std::ssize(tile); ++k) {
    if (tile[k] < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("expected no negative tile size, found ", tile[k]));
    IntTuple& extent = result.shape.is_tuple ? result.shape.elements[k] : result.shape;
    const bool blocked_mode = rank(extent) == 2 && !extent.elements[1].is_tuple &&
                              extent.elements[0].value > 0;  // the value of a tuple is 0
    if (extent.is_tuple && !blocked_mode) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected mode ", k, " to be flat or (inner,outer)"));
    }
    if (extent.is_tuple) {
      extent.elements[1] = make_integer(ceil_div(tile[k], extent.elements[0].value));
    } else {
      extent = make_integer(tile[k]);
    }
  }
  return result;
}

}  // namespace tileproof::impl
