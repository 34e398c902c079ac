// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/layout_convert.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/nested_layout.h"
#include "impl/map/tile_digits/simplify_keeping.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/mlir_text.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/map/equality_prover.h"
#include "verify/prove/map/written.h"
#include "verify/prove/smt/proof_session.h"
#include "verify/trace/trace_text.h"

namespace tileproof::verify {
namespace {

// Finds points that show that a layout has no form in another system.
//
//     (2,2):(1,1) is no tiled layout: the elements [1,0] and [0,1] have one offset, 1

using Index = std::vector<int64_t>;
using spec::Wide;

// The number of indices scanned along one dimension.
constexpr int64_t kMaxScanned = int64_t{1} << 16;

std::string show(Wide number) { return trace::to_text(number); }
std::string show(const Index& index) { return dims_text(index); }

// Returns the index with coordinate x in dimension d and 0 elsewhere.
Index along(const spec::LayoutFunction& function, size_t d, int64_t x) {
  Index index(function.dims.size(), 0);
  index[d] = x;
  return index;
}

Wide offset_along(const spec::LayoutFunction& function, size_t d, int64_t x) {
  return *spec::offset_at(function, along(function, d, x));
}

// ---- The sum over the dimensions ----

// Returns why the offset at this index is not a sum over the dimensions, if it is not.
std::optional<std::string> why_no_sum_at(const spec::LayoutFunction& function, const Index& index) {
  Wide sum = 0;
  for (size_t d = 0; d < index.size(); ++d) sum += offset_along(function, d, index[d]);
  const int64_t offset = *spec::offset_at(function, index);
  if (offset == sum) return std::nullopt;
  return absl::StrCat("the offset is not a sum over the dimensions: at ", show(index), " it is ",
                      offset, ", but the coordinates one at a time give ", show(sum));
}

// Tries small coordinates of two dimensions at a time, then points all over the array.
std::optional<std::string> not_a_sum_somewhere(const spec::LayoutFunction& function) {
  constexpr int64_t kMaxAlong = 8;
  constexpr int kPoints = 1000;
  const int64_t rank = std::ssize(function.dims);
  for (int64_t d = 0; d < rank; ++d) {
    for (int64_t e = d + 1; e < std::min(rank, d + 8); ++e) {
      for (int64_t x = 1; x < std::min(function.dims[d], kMaxAlong); ++x) {
        for (int64_t y = 1; y < std::min(function.dims[e], kMaxAlong); ++y) {
          Index index = along(function, d, x);
          index[e] = y;
          if (auto found = why_no_sum_at(function, index)) return found;
        }
      }
    }
  }
  Choose choose(Choose::Random{0});
  for (int i = 0; i < kPoints; ++i) {
    if (auto found = why_no_sum_at(function, random_index(choose, function.dims))) return found;
  }
  return std::nullopt;
}

std::optional<std::string> not_a_sum(const spec::LayoutFunction& function, ProofSession& session) {
  if (auto found = not_a_sum_somewhere(function)) return found;
  IndexingMap sum;
  const std::vector<Written> index = index_of(sum, function.dims);
  Written total = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    std::vector<Written> one(index.size(), Written(0));
    one[d] = index[d];
    total = total + offset_of(function, one);
  }
  sum.results = {node_in(sum, total)};
  const EqualityVerdict same = prove_same(offset_map(function), sum, session);
  if (same.verdict != Verdict::kRefuted) return std::nullopt;
  return why_no_sum_at(function, same.found);
}

// ---- The digits of one dimension ----

// Appends the digits of dimension d, or returns why it has none.
std::optional<std::string> look_along(const spec::LayoutFunction& function, size_t d,
                                      std::vector<impl::LayoutDigit>& digits) {
  int64_t unit = 1;
  int64_t count = function.dims[d];
  while (count > 1) {
    const int64_t scanned = std::min(count, kMaxScanned);
    std::vector<Wide> h;  // the offsets of 0, unit, 2 * unit, ..
    for (int64_t y = 0; y < scanned; ++y) h.push_back(offset_along(function, d, y * unit));
    int64_t n = 1;
    while (n < scanned && h[n] == n * h[1]) ++n;
    if (n == scanned) n = count;  // linear up to the end of the scan
    for (int64_t y = n; y < scanned; ++y) {
      const int64_t inside = y % n;
      if (h[y] == h[inside] + h[y - inside]) continue;
      return absl::StrCat("along dimension ", d, " the offset is linear below index ", n * unit,
                          unit > 1 ? absl::StrCat(" in steps of ", unit) : "",
                          " and not at it, so the digit has ", n, " values; then index ", y * unit,
                          " has offset ", show(h[y - inside]), " + ", show(h[inside]),
                          ", but its offset is ", show(h[y]));
    }
    digits.push_back({static_cast<int64_t>(d), unit, n, static_cast<int64_t>(h[1])});
    count = count / n + (count % n != 0 ? 1 : 0);
    if (count > 1) unit *= n;
  }
  return std::nullopt;
}

// ---- Tiled layouts ----

// Returns an index where this digit has this value and everything else is 0.
Index index_with(const spec::LayoutFunction& function, const impl::LayoutDigit& digit,
                 int64_t value) {
  return along(function, static_cast<size_t>(digit.dimension), digit.divisor * value);
}

std::optional<std::string> same_offset(const spec::LayoutFunction& function, const Index& a,
                                       const Index& b) {
  if (a == b || !is_inside(function.dims, a) || !is_inside(function.dims, b)) return std::nullopt;
  const int64_t offset = *spec::offset_at(function, a);
  if (offset != *spec::offset_at(function, b)) return std::nullopt;
  return absl::StrCat("the elements at ", show(a), " and ", show(b), " have the same offset, ",
                      offset);
}

// Finds the digits of a function from its offsets. FailedPrecondition: no nested layout is this
// function; the message has a counterexample that the reference confirmed.
//
// The offset of a nested layout is a sum over the dimensions. Along one dimension, let n be the
// first index at which the offset h is not n * h(1). Then n is the first digit of every nested
// layout of this function, so h(x) = h(x mod n) + h(x - x mod n); and so on for h(n * y).
//
// The scan of a long dimension stops early, so the caller must prove that these are the digits.
absl::StatusOr<impl::DigitLayout> digits_by_looking(const spec::LayoutFunction& function,
                                                    ProofSession& session) {
  impl::DigitLayout result{function.dims, {}};
  if (std::ranges::find(function.dims, 0) != function.dims.end()) return result;
  for (size_t d = 0; d < function.dims.size(); ++d) {
    if (auto found = look_along(function, d, result.digits))
      return absl::FailedPreconditionError(*found);
  }
  if (auto found = not_a_sum(function, session)) return absl::FailedPreconditionError(*found);
  return impl::simplest(result);
}

// Returns why no tiled layout is this function: an offset below 0, or two elements at one offset.
// `digits` are the digits of the function.
std::optional<std::string> why_not_tiled(const spec::LayoutFunction& function,
                                         const impl::DigitLayout& digits) {
  for (const impl::LayoutDigit& digit : digits.digits) {
    if (digit.size < 2 || digit.stride >= 0) continue;
    const Index index = index_with(function, digit, 1);
    if (is_inside(function.dims, index) && *spec::offset_at(function, index) < 0)
      return absl::StrCat("the offset at ", show(index), " is ", *spec::offset_at(function, index));
  }
  for (const impl::LayoutDigit& a : digits.digits) {
    if (a.size >= 2 && a.stride == 0) {
      if (auto found =
              same_offset(function, Index(function.dims.size(), 0), index_with(function, a, 1)))
        return found;
    }
    for (const impl::LayoutDigit& b : digits.digits) {
      if (a.stride <= 0 || b.stride <= 0) continue;
      const int64_t g = std::gcd(a.stride, b.stride);
      if (b.stride / g >= a.size || a.stride / g >= b.size) continue;
      if (auto found = same_offset(function, index_with(function, a, b.stride / g),
                                   index_with(function, b, a.stride / g)))
        return found;
    }
  }
  return std::nullopt;
}

using impl::DigitLayout;

bool is_in(const AnyLayout& layout, LayoutSystem system) {
  switch (system) {
    case LayoutSystem::kXla:
      return std::holds_alternative<Shape>(layout);
    case LayoutSystem::kTla:
      return std::holds_alternative<NestedLayout>(layout) ||
             std::holds_alternative<TaggedShape>(layout);
    case LayoutSystem::kCute:
      return std::holds_alternative<NestedLayout>(layout) ||
             std::holds_alternative<SwizzledLayout>(layout);
    case LayoutSystem::kMlir:
      return std::holds_alternative<MemRef>(layout);
    case LayoutSystem::kDnnl:
      return std::holds_alternative<BlockedShape>(layout);
  }
  return false;
}

// For tags and blocked formats, the digits as written, which include padding. For other layouts,
// the fewest digits.
absl::StatusOr<DigitLayout> digits_of(const spec::LayoutFunction& function) {
  const AnyLayout& layout = function.layout;
  if (std::holds_alternative<SwizzledLayout>(layout))
    return absl::FailedPreconditionError("a swizzle exchanges bits of the offset");
  impl::DigitsFrom digits = TRY(impl::digits_from(layout, &function.dims));
  if (digits.start != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the first element has offset ", digits.start, ", not 0"));
  }
  const bool has_padding =
      std::holds_alternative<TaggedShape>(layout) || std::holds_alternative<BlockedShape>(layout);
  return has_padding ? std::move(digits.layout) : impl::simplest(digits.layout);
}

struct TypeOf {
  ElementType of_nested;
  ElementType operator()(const Shape& shape) const { return shape.element_type; }
  ElementType operator()(const NestedLayout&) const { return of_nested; }
  ElementType operator()(const TaggedShape& tagged) const { return tagged.element_type; }
  ElementType operator()(const BlockedShape& shape) const { return shape.element_type; }
  ElementType operator()(const SwizzledLayout&) const { return of_nested; }
  ElementType operator()(const MemRef& memref) const {
    return element_type_of_mlir(memref.element_type).value_or(of_nested);
  }
};

// The offset at the index of zeros, unless it is 0: digits begin at 0.
std::optional<std::string> why_not_from_zero(const spec::LayoutFunction& function) {
  if (std::ranges::find(function.dims, 0) != function.dims.end()) return std::nullopt;
  const int64_t first = *spec::offset_at(function, spec::Dims(function.dims.size(), 0));
  if (first == 0) return std::nullopt;
  return absl::StrCat("the first element has offset ", first, ", not 0");
}

// Returns the tag whose layout on this array has these digits.
std::optional<TaggedShape> tag_of(const DigitLayout& digits, ElementType type) {
  for (const TagInfo& tag : catlass_tags()) {
    const TaggedShape tagged{tag.tag, type, digits.dims};
    if (!validate(tagged).ok()) continue;
    const absl::StatusOr<NestedLayout> made = impl::make_layout(tagged);
    if (!made.ok()) continue;
    const absl::StatusOr<DigitLayout> of_tag = impl::digits_of(*made, digits.dims);
    if (of_tag.ok() && impl::simplest(*of_tag) == impl::simplest(digits)) return tagged;
  }
  return std::nullopt;
}

Converted ruled_out(std::string reason) { return {.ruled_out = true, .reason = std::move(reason)}; }
Converted not_found(std::string reason) { return {.reason = std::move(reason)}; }

class Converter {
 public:
  Converter(const spec::LayoutFunction& given, ElementType type, ProofSession& session)
      : given_(given), type_(std::visit(TypeOf{type}, given.layout)), session_(session) {}

  absl::StatusOr<Converted> to(LayoutSystem system) {
    if (is_in(given_.layout, system)) return proven(given_.layout);
    const auto* swizzled = std::get_if<SwizzledLayout>(&given_.layout);
    const bool has_type = system != LayoutSystem::kTla && system != LayoutSystem::kCute;
    if (has_type && swizzled != nullptr &&
        swizzled->pointer_bits.value_or(tla_bits(type_)) != tla_bits(type_)) {
      return ruled_out(absl::StrCat("the pointer is to elements of ", *swizzled->pointer_bits,
                                    " bits; ", info(type_).name, " has ", tla_bits(type_)));
    }
    absl::StatusOr<DigitLayout> digits = digits_of(given_);
    if (system == LayoutSystem::kMlir) return to_mlir(digits);
    if (auto why = why_not_from_zero(given_)) return ruled_out(*why);
    if (absl::IsFailedPrecondition(digits.status())) {
      // Tiles split digits, but in a small array the parts can recombine.
      const std::string cut(digits.status().message());
      digits = digits_by_looking(given_, session_);
      if (digits.ok()) digits = confirmed(*digits, cut);
      // Blocked formats are nested layouts, so a counterexample to nested layouts rules them out
      // too.
      if (absl::IsFailedPrecondition(digits.status()))
        return ruled_out(std::string(digits.status().message()));
      if (!digits.ok()) return not_found(cut);
    }
    if (!digits.ok()) return digits.status();
    switch (system) {
      case LayoutSystem::kXla:
        return to_xla(*digits);
      case LayoutSystem::kTla:
        if (const auto tagged =
                own_width() == tla_bits(type_) ? tag_of(*digits, type_) : std::nullopt)
          return proven(*tagged);
        return to_cute(*digits);
      case LayoutSystem::kCute:
        return to_cute(*digits);
      case LayoutSystem::kDnnl:
        return to_dnnl(*digits);
      case LayoutSystem::kMlir:
        break;  // needs no digits
    }
    return absl::InternalError("unknown layout system");
  }

 private:
  int64_t own_width() const { return given_.element_bits.value_or(8 * byte_width(type_)); }

  // Returns the digits if they are proven to be those of the layout. FailedPrecondition: a
  // counterexample shows that it has none.
  absl::StatusOr<DigitLayout> confirmed(const DigitLayout& digits, absl::string_view cut) const {
    absl::StatusOr<spec::LayoutFunction> nested = spec::layout_function(impl::to_nested(digits));
    if (!nested.ok()) return absl::UnknownError(cut);
    spec::LayoutFunction given = given_;
    if (!spec::share_shape(given, *nested).ok()) return absl::UnknownError(cut);
    const LayoutProof proof = prove_equal(given, *nested, session_);
    if (proof.verdict == Verdict::kProven) return digits;
    if (proof.at) {
      if (auto why = why_no_sum_at(given_, *proof.at)) return absl::FailedPreconditionError(*why);
    }
    return absl::UnknownError(cut);
  }

  absl::StatusOr<Converted> to_xla(const DigitLayout& digits) {
    absl::StatusOr<Layout> layout = impl::to_tiled(digits);
    if (!layout.ok()) layout = impl::to_tiled(impl::simplest(digits));
    if (!layout.ok()) {
      if (auto why = why_not_tiled(given_, digits)) return ruled_out(*why);
      return not_found(std::string(layout.status().message()));
    }
    if (own_width() != 8 * byte_width(type_)) layout->element_size_in_bits = own_width();
    Shape shape = make_array(type_, digits.dims, *std::move(layout));
    if (*shape.layout == Layout()) shape.layout.reset();  // omit a scalar's `{}`
    return proven(shape);
  }

  absl::StatusOr<Converted> to_cute(const DigitLayout& digits) {
    if (const auto* tagged = std::get_if<TaggedShape>(&given_.layout)) {
      const NestedLayout made = TRY(impl::make_layout(*tagged));
      return proven(made);
    }
    return proven(impl::to_nested(impl::simplest(digits)));
  }

  absl::StatusOr<Converted> to_dnnl(const DigitLayout& digits) {
    if (own_width() != 8 * byte_width(type_)) {
      return ruled_out(absl::StrCat("elements of ", own_width(),
                                    " bits: those of a blocked format "
                                    "take the bytes of their type"));
    }
    absl::StatusOr<BlockedFormat> format = impl::to_blocked(digits);
    if (!format.ok()) format = impl::to_blocked(impl::simplest(digits));
    // Blocked formats are digits, and the fewest digits of a function are unique. If they do not
    // form a blocked format, none exists.
    if (absl::IsFailedPrecondition(format.status()))
      return ruled_out(std::string(format.status().message()));
    if (!format.ok()) return not_found(std::string(format.status().message()));
    const BlockedShape blocked{*format, type_, digits.dims};
    // It has as many places as the digits of any format of this function.
    const absl::Status fits = spec::layout_function(blocked).status();
    return absl::IsOutOfRange(fits) ? ruled_out(std::string(fits.message())) : proven(blocked);
  }

  // Row-major or strided if each dimension has one digit, else with the simplified offset as its
  // map, in which the digits of tiles stay.
  absl::StatusOr<Converted> to_mlir(const absl::StatusOr<DigitLayout>& digits) {
    std::string layout;
    if (const auto strides = digits.ok() ? strides_of(*digits) : std::nullopt) {
      if (*strides != row_major(given_.dims))
        layout = absl::StrCat(", strided<[", absl::StrJoin(*strides, ", "), "]>");
    } else {
      const IndexingMap offset = TRY(impl::simplify_keeping(offset_map(given_), {.all = true}));
      layout = absl::StrCat(", ", TRY(tileproof::to_mlir(offset, MlirKind::kAffineMap)));
    }
    std::string sizes;
    for (const int64_t size : given_.dims) absl::StrAppend(&sizes, size, "x");
    const std::string text = absl::StrCat("memref<", sizes, mlir_element_type(type_), layout, ">");
    absl::StatusOr<MemRef> memref = parse_memref(text);
    if (!memref.ok()) return not_found(std::string(memref.status().message()));
    return proven(*memref);
  }

  // The stride of each dimension, if each has at most one digit.
  static std::optional<spec::Dims> strides_of(const DigitLayout& digits) {
    spec::Dims strides(digits.dims.size(), 1);
    std::vector<bool> seen(digits.dims.size(), false);
    for (const impl::LayoutDigit& digit : digits.digits) {
      if (digit.size == 1) continue;
      if (seen[digit.dimension]) return std::nullopt;
      seen[digit.dimension] = true;
      strides[digit.dimension] = digit.stride;
    }
    // The stride of a dimension of size 1 is free.
    const spec::Dims plain = row_major(digits.dims);
    for (size_t d = 0; d < strides.size(); ++d) {
      if (!seen[d]) strides[d] = plain[d];
    }
    return strides;
  }

  static spec::Dims row_major(const spec::Dims& dims) {
    spec::Dims strides(dims.size(), 1);
    for (size_t d = dims.size(); d-- > 1;)
      strides[d - 1] = checked_mul(strides[d], std::max<int64_t>(dims[d], 1)).value_or(0);
    return strides;
  }

  absl::StatusOr<Converted> proven(const AnyLayout& layout) {
    absl::StatusOr<spec::LayoutFunction> made = spec::layout_function(layout);
    if (!made.ok()) return not_found(std::string(made.status().message()));
    spec::LayoutFunction given = given_;
    const absl::Status shape = spec::share_shape(given, *made);
    if (!shape.ok()) return wrong(layout, shape.message());
    LayoutProof proof = prove_equal(given, *made, session_);
    if (proof.verdict == Verdict::kRefuted) return wrong(layout, proof.counterexample);
    return Converted{.layout = layout, .proof = std::move(proof), .notes = notes(given, *made)};
  }

  absl::Status wrong(const AnyLayout& layout, absl::string_view why) const {
    return absl::InternalError(absl::StrCat("equiv '", to_text(given_.layout), "' '",
                                            to_text(layout), "': the conversion is wrong, ",
                                            std::string(why)));
  }

  const spec::LayoutFunction& given_;
  ElementType type_;
  ProofSession& session_;
};

}  // namespace

std::optional<LayoutSystem> layout_system_named(absl::string_view name) {
  if (name == "xla") return LayoutSystem::kXla;
  if (name == "tla") return LayoutSystem::kTla;
  if (name == "cute") return LayoutSystem::kCute;
  if (name == "dnnl") return LayoutSystem::kDnnl;
  if (name == "mlir") return LayoutSystem::kMlir;
  return std::nullopt;
}

absl::StatusOr<Converted> convert(const AnyLayout& layout, LayoutSystem system, ElementType type,
                                  ProofSession& session) {
  const spec::LayoutFunction given = TRY(spec::layout_function(layout));
  return Converter(given, type, session).to(system);
}

}  // namespace tileproof::verify
