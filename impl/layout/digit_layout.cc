// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/digit_layout.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {
namespace {

absl::Status too_large(absl::string_view what) {
  return absl::OutOfRangeError(absl::StrCat(what, " does not fit 64 signed bits"));
}

bool has_no_elements(const std::vector<int64_t>& dims) {
  return std::find(dims.begin(), dims.end(), 0) != dims.end();
}

// Major to minor. Among equal strides, digits of size 1 come last, because they occupy no memory;
// otherwise the order of dimensions stays.
void sort_by_stride(std::vector<LayoutDigit>& digits) {
  std::stable_sort(digits.begin(), digits.end(), [](const LayoutDigit& a, const LayoutDigit& b) {
    if (a.stride != b.stride) return a.stride > b.stride;
    return a.size > 1 && b.size == 1;
  });
}

// The digits of dimension d, minor first.
std::vector<LayoutDigit> of_dimension(const DigitLayout& layout, int64_t d) {
  std::vector<LayoutDigit> digits;
  for (const LayoutDigit& digit : layout.digits) {
    if (digit.dimension == d) digits.push_back(digit);
  }
  std::stable_sort(digits.begin(), digits.end(), [](const LayoutDigit& a, const LayoutDigit& b) {
    return a.divisor < b.divisor;
  });
  return digits;
}

// Returns whether `digit` continues the more minor `previous`, so that both are one digit.
bool continues(const LayoutDigit& previous, const LayoutDigit& digit) {
  return checked_mul(previous.stride, previous.size) == digit.stride;
}

}  // namespace

absl::StatusOr<DigitLayout> digits_of(const Shape& shape) {
  const TiledLayout layout = TRY(TiledLayout::create(shape));
  if (!layout.digits()) {
    return absl::FailedPreconditionError(
        absl::StrCat("a tile of ", to_text(shape), " cuts through digits of the coordinates"));
  }
  DigitLayout result{layout.logical(), {}};
  for (const auto& [weight, digit] : *layout.digits()) {
    const int64_t left = ceil_div(result.dims[digit.source], digit.divisor);
    const int64_t size = digit.modulus == Digit::kWhole ? left : digit.modulus;
    result.digits.push_back({digit.source, digit.divisor, size, weight});
  }
  return result;
}

absl::StatusOr<DigitLayout> digits_of(const tileproof::NestedLayout& layout,
                                      std::vector<int64_t> dims) {
  DigitLayout result{std::move(dims), {}};
  if (has_no_elements(result.dims)) return result;
  for (int64_t d = 0; d < std::ssize(result.dims); ++d) {
    const tileproof::NestedLayout part = mode(layout, d);
    const std::vector<int64_t> sizes = leaves(part.shape), strides = leaves(part.stride);
    std::optional<int64_t> divisor = 1;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (!divisor) return too_large(absl::StrCat("the size of mode ", d));
      result.digits.push_back({d, *divisor, sizes[i], strides[i]});
      divisor = checked_mul(*divisor, sizes[i]);
    }
  }
  sort_by_stride(result.digits);
  return result;
}

absl::StatusOr<DigitLayout> digits_of(const BlockedShape& shape) {
  TRY(validate(shape));
  DigitLayout result{shape.dims, {}};
  if (has_no_elements(result.dims)) return result;
  // Minor to major: the divisor of a block is the product of the later blocks of its dimension.
  const BlockedFormat& format = shape.format;
  std::vector<int64_t> divisors(format.rank(), 1);
  std::optional<int64_t> stride = 1;  // nothing: beyond 64 bits
  const auto position = [&](int64_t d, int64_t size) {
    if (!stride) return;
    result.digits.push_back({d, divisors[d], size, *stride});
    stride = checked_mul(*stride, size);
    if (stride) divisors[d] *= size;  // which divides the stride
  };
  for (auto block = format.blocks.rbegin(); block != format.blocks.rend(); ++block)
    position(block->dimension, block->size);
  for (auto d = format.outer.rbegin(); d != format.outer.rend(); ++d)
    position(*d, ceil_div(shape.dims[*d], divisors[*d]));
  if (!stride) return too_large("the padded number of elements");
  std::reverse(result.digits.begin(), result.digits.end());
  return result;
}

namespace {

std::vector<int64_t> extents_of(const tileproof::NestedLayout& layout) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < rank(layout.shape); ++d) {
    int64_t& extent = dims.emplace_back(1);
    for (const int64_t leaf : leaves(mode(layout, d).shape))
      extent = checked_mul(extent, leaf).value_or(INT64_MAX);
  }
  return dims;
}

struct ToDigits {
  const std::vector<int64_t>* dims;

  absl::StatusOr<DigitsFrom> operator()(const Shape& shape) const { return of(digits_of(shape)); }
  absl::StatusOr<DigitsFrom> operator()(const tileproof::NestedLayout& layout) const {
    const NestedLayout compiled = TRY(NestedLayout::create(layout));
    TRY(compiled.size());
    TRY(compiled.cosize());
    return of(digits_of(layout, dims == nullptr ? extents_of(layout) : *dims));
  }
  absl::StatusOr<DigitsFrom> operator()(const TaggedShape& tagged) const {
    return of(digits_of(TRY(make_layout(tagged)), tagged.dims));
  }
  absl::StatusOr<DigitsFrom> operator()(const BlockedShape& shape) const {
    return of(digits_of(shape));
  }
  absl::StatusOr<DigitsFrom> operator()(const tileproof::SwizzledLayout& layout) const {
    TRY(SwizzledLayout::create(layout));
    DigitsFrom digits = TRY((*this)(layout.layout));
    digits.start = layout.start;
    digits.words = words_of(layout);
    return digits;
  }
  absl::StatusOr<DigitsFrom> operator()(const MemRef& memref) const { return digits_from(memref); }

  static absl::StatusOr<DigitsFrom> of(absl::StatusOr<DigitLayout> digits) {
    if (!digits.ok()) return digits.status();
    return DigitsFrom{0, *std::move(digits), {}};
  }
};

}  // namespace

absl::StatusOr<DigitsFrom> digits_from(const AnyLayout& layout, const std::vector<int64_t>* dims) {
  return std::visit(ToDigits{dims}, layout);
}

DigitLayout simplest(const DigitLayout& layout) {
  DigitLayout result{layout.dims, {}};
  for (int64_t d = 0; d < std::ssize(layout.dims); ++d) {
    const size_t first = result.digits.size();
    for (LayoutDigit digit : of_dimension(layout, d)) {
      digit.size = std::min(digit.size, ceil_div(layout.dims[d], digit.divisor));
      if (digit.size <= 1) continue;
      if (result.digits.size() > first && continues(result.digits.back(), digit)) {
        result.digits.back().size *= digit.size;  // at most the dimension, rounded up
      } else {
        result.digits.push_back(digit);
      }
    }
    // Merging digits may have rounded the last one up beyond the end of the dimension.
    if (result.digits.size() > first) {
      LayoutDigit& last = result.digits.back();
      last.size = ceil_div(layout.dims[d], last.divisor);
    }
  }
  sort_by_stride(result.digits);
  return result;
}

tileproof::NestedLayout to_nested(const DigitLayout& layout) {
  std::vector<IntTuple> shape, stride;
  for (int64_t d = 0; d < std::ssize(layout.dims); ++d) {
    std::vector<int64_t> sizes, strides;
    for (const LayoutDigit& digit : of_dimension(layout, d)) {
      sizes.push_back(digit.size);
      strides.push_back(digit.stride);
    }
    if (sizes.empty()) {
      sizes.push_back(layout.dims[d]);
      strides.push_back(0);
    }
    const bool flat = sizes.size() == 1;
    shape.push_back(flat ? make_integer(sizes[0]) : make_flat(sizes));
    stride.push_back(flat ? make_integer(strides[0]) : make_flat(strides));
  }
  return {make_tuple(std::move(shape)), make_tuple(std::move(stride))};
}

std::string formula_of(const AnyLayout& layout) {
  if (const auto* shape = std::get_if<Shape>(&layout)) {
    const auto made = TiledLayout::create(*shape);
    return made.ok() ? made->formula() : "";
  }
  if (const auto* nested = std::get_if<tileproof::NestedLayout>(&layout)) {
    const auto made = NestedLayout::create(*nested);
    return made.ok() ? made->formula() : "";
  }
  tileproof::SwizzledLayout plain;
  if (const auto* swizzled = std::get_if<tileproof::SwizzledLayout>(&layout)) {
    plain = *swizzled;
  } else {
    const auto sum = digits_from(layout);
    if (!sum.ok()) return "";
    plain = {.swizzle = {}, .start = sum->start, .layout = to_nested(sum->layout)};
  }
  const auto made = SwizzledLayout::create(plain);
  return made.ok() ? made->formula() : "";
}

// The digits of a memref: its map as a sum of terms ((d floordiv a) mod m) * stride.
//
//     memref<16x8xf32, affine_map<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>>
//         d0 floordiv 8 * 64,  d1 * 8,  d0 mod 8
//
// The terms of one dimension cut it at a and a * m. If each cut divides the next one, the parts
// between cuts are digits, and the stride of a digit is the sum over the terms that cover it.

namespace {

// ((d floordiv divisor) mod modulus) * factor; modulus 0: the whole quotient.
struct DigitTerm {
  int64_t dimension, divisor, modulus, factor;
};

// A sum of terms and a number.
struct DigitSum {
  std::vector<DigitTerm> terms;
  int64_t constant = 0;
};

std::optional<DigitSum> plus(const DigitSum& a, const DigitSum& b) {
  DigitSum sum = a;
  sum.terms.insert(sum.terms.end(), b.terms.begin(), b.terms.end());
  const std::optional<int64_t> constant = checked_add(a.constant, b.constant);
  if (!constant) return std::nullopt;
  sum.constant = *constant;
  return sum;
}

std::optional<DigitSum> times(DigitSum sum, int64_t c) {
  std::vector<int64_t*> numbers = {&sum.constant};
  for (DigitTerm& term : sum.terms) numbers.push_back(&term.factor);
  for (int64_t* number : numbers) {
    const std::optional<int64_t> product = checked_mul(*number, c);
    if (!product) return std::nullopt;
    *number = *product;
  }
  return sum;
}

// The quotient and the remainder of a division. Terms and parts of terms whose factor is a multiple of
// c make the quotient. What is left is the remainder, if it cannot reach c.
struct Division {
  DigitSum quotient, remainder;
};

std::optional<Division> divided(const DigitSum& sum, int64_t c, const IndexingMap& map) {
  if (c < 1 || sum.constant < 0) return std::nullopt;
  Division result{{{}, sum.constant / c}, {{}, sum.constant % c}};
  std::optional<int64_t> most = sum.constant % c;
  for (DigitTerm term : sum.terms) {
    if (term.factor % c == 0) {
      term.factor /= c;
      result.quotient.terms.push_back(term);
      continue;
    }
    if (term.factor < 0) return std::nullopt;
    int64_t last = map.dimensions[term.dimension].bounds.high / term.divisor;  // of the digit
    if (term.modulus != 0) last = std::min(last, term.modulus - 1);
    const int64_t inner = c / term.factor;
    if (c % term.factor == 0 && last >= inner && term.modulus % inner == 0) {
      const std::optional<int64_t> divisor = checked_mul(term.divisor, inner);
      if (!divisor) return std::nullopt;
      result.quotient.terms.push_back({term.dimension, *divisor, term.modulus / inner, 1});
      term.modulus = inner;
      last = inner - 1;
    }
    const std::optional<int64_t> part = checked_mul(term.factor, last);
    most = part ? checked_add(*most, *part) : std::nullopt;
    if (!most || *most >= c) return std::nullopt;
    result.remainder.terms.push_back(term);
  }
  return result;
}

std::optional<DigitSum> sum_of(const IndexingMap& map) {
  std::vector<std::optional<DigitSum>> sums;
  for (const Node& node : map.nodes) {
    std::optional<DigitSum>& sum = sums.emplace_back();
    if (node.op == Op::kConstant) sum = DigitSum{{}, node.value};
    if (is_variable(node.op)) sum = DigitSum{{{node.value, 1, 0, 1}}, 0};
    if (is_leaf(node.op) || !sums[node.left] || !sums[node.right]) continue;
    const DigitSum& a = *sums[node.left];
    const DigitSum& b = *sums[node.right];
    if (node.op == Op::kAdd) sum = plus(a, b);
    if (node.op == Op::kMul) sum = b.terms.empty() ? times(a, b.constant) : times(b, a.constant);
    if (node.op != Op::kFloorDiv && node.op != Op::kMod) continue;
    if (const auto both = divided(a, b.constant, map))
      sum = node.op == Op::kMod ? both->remainder : both->quotient;
  }
  return sums[map.results[0]];
}

// Appends the digits of dimension d, outermost first. Returns false if a cut splits a digit.
bool append_digits(const std::vector<DigitTerm>& terms, int64_t d, int64_t size,
                   std::vector<LayoutDigit>& digits) {
  std::set<int64_t> cuts = {1};
  for (const DigitTerm& term : terms) {
    if (term.dimension != d) continue;
    cuts.insert(term.divisor);
    const std::optional<int64_t> end = checked_mul(term.divisor, term.modulus);
    if (term.modulus != 0 && end) cuts.insert(*end);
  }
  std::vector<int64_t> ends(cuts.begin(), std::upper_bound(cuts.begin(), cuts.end(), size - 1));
  if (ends.empty()) ends = {1};
  for (size_t i = ends.size(); i-- > 0;) {
    const int64_t divisor = ends[i];
    const bool last = i + 1 == ends.size();
    if (!last && ends[i + 1] % divisor != 0) return false;
    const int64_t count =
        last ? (size - 1) / divisor + 1 : ends[i + 1] / divisor;  // ceil(size / divisor)
    LayoutDigit digit{d, divisor, count, 0};
    for (const DigitTerm& term : terms) {
      if (term.dimension != d || term.divisor > divisor) continue;
      const std::optional<int64_t> end = checked_mul(term.divisor, term.modulus);
      if (term.modulus != 0 && end && *end <= divisor) continue;
      if (divisor % term.divisor != 0) return false;
      const std::optional<int64_t> stride = checked_mul(term.factor, divisor / term.divisor);
      const std::optional<int64_t> sum = stride ? checked_add(digit.stride, *stride) : std::nullopt;
      if (!sum) return false;
      digit.stride = *sum;
    }
    digits.push_back(digit);
  }
  return true;
}

}  // namespace

absl::StatusOr<DigitsFrom> digits_from(const MemRef& memref) {
  DigitLayout layout{memref.dims, {}};
  if (std::ranges::find(memref.dims, 0) != memref.dims.end()) return DigitsFrom{0, layout, {}};
  const std::optional<DigitSum> sum = sum_of(memref.map);
  if (!sum) return absl::FailedPreconditionError("the offset is not a sum of digits");
  for (int64_t d = 0; d < std::ssize(memref.dims); ++d) {
    if (!append_digits(sum->terms, d, memref.dims[d], layout.digits)) {
      return absl::FailedPreconditionError(
          absl::StrCat("the terms of dimension ", d, " cut through each other"));
    }
  }
  std::stable_sort(layout.digits.begin(), layout.digits.end(),
                   [](const LayoutDigit& a, const LayoutDigit& b) { return a.stride > b.stride; });
  return DigitsFrom{sum->constant, std::move(layout), {}};
}

}  // namespace tileproof::impl
