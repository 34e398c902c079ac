// SPDX-License-Identifier: Apache-2.0
#include "python/native/compiled_layout.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "impl/layout/nested_layout.h"
#include "impl/layout/offset_array.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::python {
namespace {

absl::StatusOr<std::optional<NestedLayout>> modes_of(const AnyLayout& layout) {
  if (const auto* nested = std::get_if<NestedLayout>(&layout)) return *nested;
  if (const auto* swizzled = std::get_if<SwizzledLayout>(&layout)) return swizzled->layout;
  if (const auto* tagged = std::get_if<TaggedShape>(&layout)) {
    return TRY(impl::make_layout(*tagged));
  }
  return std::nullopt;
}

struct ElementTypeOf {
  std::optional<ElementType> operator()(const Shape& shape) const { return shape.element_type; }
  std::optional<ElementType> operator()(const NestedLayout&) const { return std::nullopt; }
  std::optional<ElementType> operator()(const TaggedShape& tagged) const {
    return tagged.element_type;
  }
  std::optional<ElementType> operator()(const BlockedShape& shape) const {
    return shape.element_type;
  }
  std::optional<ElementType> operator()(const SwizzledLayout&) const { return std::nullopt; }
  std::optional<ElementType> operator()(const MemRef& memref) const {
    return element_type_of_mlir(memref.element_type);
  }
};

std::optional<int64_t> bits_of(const AnyLayout& layout) {
  if (const auto* shape = std::get_if<Shape>(&layout)) {
    const int64_t bits = layout_of(*shape).element_size_in_bits;
    return bits != 0 ? bits : 8 * byte_width(shape->element_type);
  }
  if (const auto* tagged = std::get_if<TaggedShape>(&layout)) return tla_bits(tagged->element_type);
  if (const auto* blocked = std::get_if<BlockedShape>(&layout))
    return 8 * byte_width(blocked->element_type);
  if (const auto* memref = std::get_if<MemRef>(&layout)) return memref->element_bits;
  if (const auto* swizzled = std::get_if<SwizzledLayout>(&layout)) return swizzled->pointer_bits;
  return std::nullopt;
}

}  // namespace

absl::StatusOr<CompiledLayout> CompiledLayout::create(absl::string_view text) {
  CompiledLayout result;
  result.layout_ = TRY(parse_any_layout(text));
  result.bits_ = bits_of(result.layout_);
  if (const auto* shape = std::get_if<Shape>(&result.layout_)) {
    result.tiled_ = TRY(impl::TiledLayout::create(*shape));
    result.dims_ = result.tiled_->logical();
    result.elements_ = result.tiled_->elements();
    result.padding_ = result.tiled_->padding();
    return result;
  }
  impl::DigitsFrom& sum = result.sum_ = TRY(impl::digits_from(result.layout_));
  result.dims_ = sum.layout.dims;
  result.modes_ = TRY(modes_of(result.layout_));
  const std::optional<int64_t> elements = element_count(result.dims_);
  if (!elements) return absl::OutOfRangeError("the number of elements exceeds int64");
  if (*elements == 0) return result;
  std::vector<impl::LayoutDigit>& digits = sum.layout.digits;
  std::erase_if(digits, [](const impl::LayoutDigit& digit) { return digit.size == 1; });
  std::ranges::stable_sort(digits, std::ranges::greater(), &impl::LayoutDigit::stride);
  const absl::Status beyond = absl::OutOfRangeError("expected offsets in [0, 2^63)");
  int64_t greatest = 0, positions = 1;
  for (const impl::LayoutDigit& digit : digits) {
    const std::optional<int64_t> end = checked_mul(digit.size, digit.stride);
    if (!end) return beyond;
    positions = std::max(positions, *end);
    if (digit.stride <= 0) continue;
    const std::optional<int64_t> next = checked_add(greatest, *end - digit.stride);
    if (!next) return beyond;
    greatest = *next;
  }
  result.is_injective_ = impl::are_digits_nested(sum.layout);
  const bool allocates = std::holds_alternative<TaggedShape>(result.layout_) ||
                         std::holds_alternative<BlockedShape>(result.layout_);
  const std::optional<int64_t> last = checked_add(sum.start, greatest);
  if (sum.start < 0 || !last) return beyond;
  result.elements_ = allocates ? positions : TRY(impl::swizzled_positions(sum.words, *last));
  result.padding_ = std::nullopt;
  if (result.is_injective_) result.padding_ = result.elements_ - *elements;
  return result;
}

const IntTuple* CompiledLayout::mode(size_t d) const {
  if (!modes_) return nullptr;
  return modes_->shape.is_tuple ? &modes_->shape.elements[d] : &modes_->shape;
}

IntTuple CompiledLayout::shape() const { return modes_ ? modes_->shape : make_flat(dims_); }

std::optional<IntTuple> CompiledLayout::stride() const {
  if (modes_) return modes_->stride;
  const absl::StatusOr<impl::DigitsFrom> sum = impl::digits_from(layout_);
  if (!sum.ok()) return std::nullopt;
  std::vector<int64_t> strides(dims_.size(), 0);
  for (const impl::LayoutDigit& digit : sum->layout.digits) {
    if (digit.size == 1) continue;
    if (digit.divisor != 1) return std::nullopt;
    if (digit.size < dims_[static_cast<size_t>(digit.dimension)]) return std::nullopt;
    strides[static_cast<size_t>(digit.dimension)] = digit.stride;
  }
  return make_flat(strides);
}

std::optional<int> CompiledLayout::packed_bits() const {
  const std::optional<ElementType> type = std::visit(ElementTypeOf(), layout_);
  const int64_t of_type = type && *type != ElementType::kPred ? info(*type).bits : 0;
  for (const int64_t bits : {bits_.value_or(0), of_type}) {
    if (bits == 1 || bits == 2 || bits == 4) return static_cast<int>(bits);
  }
  return std::nullopt;
}

std::optional<int64_t> CompiledLayout::bytes() const {
  if (tiled_) return tiled_->bytes();
  int64_t bits;
  if (!bits_ || __builtin_mul_overflow(elements_, *bits_, &bits)) return std::nullopt;
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

std::string CompiledLayout::formula() const {
  return tiled_ ? tiled_->formula() : impl::formula_of(layout_);
}

std::optional<std::string> CompiledLayout::element_type() const {
  const std::optional<ElementType> type = std::visit(ElementTypeOf(), layout_);
  if (!type) return std::nullopt;
  return std::string(info(*type).name);
}

absl::StatusOr<bool> CompiledLayout::index(int64_t offset, int64_t* index) const {
  if (tiled_) return tiled_->delinearize_unchecked(offset, absl::MakeSpan(index, dims_.size()));
  if (!is_injective_) {
    return absl::FailedPreconditionError(
        "expected a layout without overlaps: several indices may share an offset");
  }
  offset = impl::swizzled_word(sum_.words, offset) - sum_.start;  // a swizzle is its own inverse
  if (offset < 0) return false;
  std::fill_n(index, dims_.size(), 0);
  for (const impl::LayoutDigit& digit : sum_.layout.digits) {
    const int64_t value = std::min(offset / digit.stride, digit.size - 1);
    offset -= value * digit.stride;
    index[digit.dimension] += value * digit.divisor;
  }
  if (offset != 0) return false;
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (index[d] >= dims_[d]) return false;
  }
  return true;
}

absl::Status CompiledLayout::offsets(absl::Span<const int64_t> begin,
                                     absl::Span<const int64_t> sizes,
                                     absl::Span<int64_t> out) const {
  if (tiled_) return impl::offsets(*tiled_, begin, sizes, out);
  std::vector<int64_t> index(begin.begin(), begin.end());
  for (int64_t& offset : out) {
    offset = this->offset(index.data());
    for (size_t d = index.size(); d-- > 0;) {  // the next index of the box
      if (++index[d] < begin[d] + sizes[d]) break;
      index[d] = begin[d];
    }
  }
  return absl::OkStatus();
}

}  // namespace tileproof::python
