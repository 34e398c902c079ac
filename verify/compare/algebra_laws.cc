// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/algebra_laws.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "generate/layout/generate_nested.h"
#include "impl/layout/layout_algebra.h"
#include "impl/layout/swizzled_layout.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/reached_limit.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/layout_algebra.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/swizzled_layout.h"

namespace tileproof::verify {
namespace {

using LawOutcome = absl::StatusOr<Outcome>;
using Offsets = std::vector<int64_t>;

LawOutcome holds_if(bool holds, const AlgebraCase& operands, absl::string_view found) {
  if (holds) return Outcome::kHolds;
  return absl::InternalError(absl::StrCat(to_text(operands), "  found: ", found));
}

// Returns whether the operation may give no answer: it refuses, a number exceeds 64 bits, or the
// reference has too many values.
bool is_refusal(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) || reached_limit(status);
}

std::string shown(const NestedLayout& layout) { return to_text(layout); }
std::string shown(const Slice& slice) { return to_text(slice); }
std::string shown(int64_t offset) { return absl::StrCat(offset); }

// The answers are equal or both refuse. If only the reference reaches a limit, nothing is compared.
// The closed form tries as many values as the reference lists, so it may not be undecided alone.
template <class T>
LawOutcome same(const AlgebraCase& operands, const absl::StatusOr<T>& by_reference,
                const absl::StatusOr<T>& by_closed) {
  static_assert(spec::kMaxTabled <= impl::kMostTried);
  if (reached_limit(by_reference.status()) || absl::IsOutOfRange(by_closed.status()))
    return Outcome::kNotApplicable;
  const auto text = [](const absl::StatusOr<T>& answer) {
    return answer.ok() ? shown(*answer) : answer.status().ToString();
  };
  const bool agree = by_reference.ok() && by_closed.ok()
                         ? *by_reference == *by_closed
                         : by_reference.status().code() == by_closed.status().code();
  return holds_if(agree, operands,
                  absl::StrCat(text(by_closed), "  reference: ", text(by_reference)));
}

Offsets iota(int64_t count) {
  Offsets result(count);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

Offsets sorted(Offsets values) {
  std::sort(values.begin(), values.end());
  return values;
}

bool distinct(const Offsets& values) {
  const Offsets in_order = sorted(values);
  return std::adjacent_find(in_order.begin(), in_order.end()) == in_order.end();
}

// Requires that `layout` has these values.
LawOutcome has_values(const AlgebraCase& operands, const NestedLayout& layout,
                      const absl::StatusOr<Offsets>& right) {
  const Offsets found = TRY(spec::values(layout)), wanted = TRY(right);
  return holds_if(found == wanted, operands, to_text(layout));
}

// Returns A's values at the values of B.
absl::StatusOr<Offsets> composed_values(const NestedLayout& a, const NestedLayout& b) {
  const Offsets inner = TRY(spec::values(b));
  return spec::values_at(a, inner);
}

LawOutcome coalesce_keeps_values(const AlgebraCase& x) {
  const auto result = TRY(impl::coalesce(x.a));
  return has_values(x, result, spec::values(x.a));
}

LawOutcome coalesce_is_shortest(const AlgebraCase& x) {
  const auto result = TRY(impl::coalesce(x.a));
  const Offsets extents = leaves(result.shape), strides = leaves(result.stride);
  bool shortest = depth(result.shape) <= 1 && rank(result.shape) == std::ssize(extents);
  for (size_t i = 0; i + 1 < extents.size(); ++i) {
    shortest &= extents[i] != 1 && extents[i + 1] != 1 && strides[i + 1] != extents[i] * strides[i];
  }
  return holds_if(shortest, x, to_text(result));
}

LawOutcome composition_is_a_of_b(const AlgebraCase& x) {
  const auto result = TRY(impl::composition(x.a, x.b));
  return has_values(x, result, composed_values(x.a, x.b));
}

// Returns whether the result has b's nesting with a flat tuple in place of each integer.
bool refines(const IntTuple& result, const IntTuple& b) {
  if (!b.is_tuple) return *spec::size(result) == b.value && depth(result) <= 1;
  return result.is_tuple && std::equal(result.elements.begin(), result.elements.end(),
                                       b.elements.begin(), b.elements.end(), refines);
}

LawOutcome composition_keeps_shape(const AlgebraCase& x) {
  const auto result = TRY(impl::composition(x.a, x.b));
  return holds_if(refines(result.shape, x.b.shape), x, to_text(result));
}

LawOutcome composition_associates(const AlgebraCase& x) {
  const auto left = TRY(impl::composition(x.a, x.b));
  const auto right = TRY(impl::composition(x.b, x.c));
  const auto left_first = TRY(impl::composition(left, x.c));
  const auto right_first = TRY(impl::composition(x.a, right));
  // The two sides may extrapolate differently past the end of b.
  const Offsets inner = TRY(spec::values(x.c));
  const int64_t end = TRY(spec::size(x.b.shape));
  if (absl::c_any_of(inner, [&end](int64_t i) { return i >= end; })) return Outcome::kNotApplicable;
  return has_values(x, left_first, spec::values(right_first));
}

LawOutcome identity_changes_nothing(const AlgebraCase& x) {
  const int64_t count = TRY(spec::size(x.a.shape));
  if (count == 0) return Outcome::kNotApplicable;
  const auto result =
      TRY(impl::composition(x.a, NestedLayout{make_integer(count), make_integer(1)}));
  return has_values(x, result, spec::values(x.a));
}

LawOutcome complement_fills(const AlgebraCase& x) {
  const auto result = TRY(impl::complement(x.a, x.m));
  const Offsets offsets = TRY(spec::values(x.a)), gaps = TRY(spec::values(result));
  Offsets own = sorted(offsets);  // modes of stride 0 add no offsets
  own.erase(std::unique(own.begin(), own.end()), own.end());
  if (std::ssize(own) * std::ssize(gaps) > (1 << 16)) return Outcome::kNotApplicable;
  Offsets sums;
  for (int64_t gap : gaps) {
    for (int64_t offset : own) {
      const std::optional<int64_t> sum = checked_add(gap, offset);
      if (!sum) return Outcome::kNotApplicable;
      sums.push_back(*sum);
    }
  }
  const bool fills = std::ssize(sums) >= x.m && sorted(sums) == iota(std::ssize(sums));
  return holds_if(fills, x, to_text(result));
}

LawOutcome complement_rises(const AlgebraCase& x) {
  const auto result = TRY(impl::complement(x.a, x.m));
  const Offsets gaps = TRY(spec::values(result));
  return holds_if(distinct(gaps) && gaps == sorted(gaps), x, to_text(result));
}

LawOutcome right_inverse_inverts(const AlgebraCase& x) {
  const auto result = TRY(impl::right_inverse(x.a));
  const Offsets back = TRY(composed_values(x.a, result));
  return holds_if(back == iota(*spec::size(result.shape)), x, to_text(result));
}

LawOutcome right_inverse_is_largest(const AlgebraCase& x) {
  const auto result = TRY(impl::right_inverse(x.a));
  const Offsets offsets = TRY(spec::values(x.a));
  const int64_t next = *spec::size(result.shape);
  return holds_if(std::find(offsets.begin(), offsets.end(), next) == offsets.end(), x,
                  to_text(result));
}

LawOutcome left_inverse_inverts(const AlgebraCase& x) {
  const auto result = TRY(impl::left_inverse(x.a));
  const Offsets back = TRY(composed_values(result, x.a));
  return holds_if(back == iota(*spec::size(x.a.shape)), x, to_text(result));
}

LawOutcome divide_begins_with_the_tile(const AlgebraCase& x) {
  const auto result = TRY(impl::logical_divide(x.a, Tiler{false, {x.b}}));
  return has_values(x, mode(result, 0), composed_values(x.a, x.b));
}

LawOutcome divide_permutes(const AlgebraCase& x) {
  const auto result = TRY(impl::logical_divide(x.a, Tiler{false, {x.b}}));
  const Offsets before = TRY(spec::values(x.a)), after = TRY(spec::values(result));
  const absl::StatusOr<Offsets> tile = spec::values(x.b);
  if (before.size() != after.size() || !tile.ok() || !distinct(*tile)) {
    return Outcome::kNotApplicable;
  }
  return holds_if(sorted(before) == sorted(after), x, to_text(result));
}

LawOutcome product_repeats(const AlgebraCase& x) {
  const auto result = TRY(impl::logical_product(x.a, x.b));
  const absl::StatusOr<Offsets> a = spec::values(x.a), b = spec::values(x.b);
  const absl::StatusOr<Offsets> all = spec::values(result);
  if (!a.ok() || !b.ok() || !all.ok()) return Outcome::kNotApplicable;
  const bool first = mode(result, 0) == x.a;
  const bool apart = !distinct(*a) || !distinct(*b) || distinct(*all);
  return holds_if(first && apart && all->size() == a->size() * b->size(), x, to_text(result));
}

LawOutcome zip_reorders(const AlgebraCase& x) {
  const auto logical = TRY(impl::logical_divide(x.a, x.tiler));
  const auto zipped = impl::zipped_divide(x.a, x.tiler);
  if (!zipped.ok()) return holds_if(false, x, zipped.status().ToString());
  bool same_modes = rank(zipped->shape) == 2;
  for (int64_t k = 0; same_modes && k < rank(logical.shape); ++k) {
    const NestedLayout part = mode(logical, k);
    const NestedLayout rest = mode(mode(*zipped, 1), k);
    const bool has_tile = k < std::ssize(x.tiler.layouts);
    if (has_tile && !x.tiler.layouts[k]) {  // `_`
      same_modes = to_text(mode(mode(*zipped, 0), k)) == "1:0" && rest == part;
    } else if (has_tile) {
      same_modes = mode(mode(*zipped, 0), k) == mode(part, 0) && rest == mode(part, 1);
    } else {
      same_modes = rest == part;
    }
  }
  return holds_if(same_modes, x, to_text(*zipped));
}

LawOutcome tiled_unpacks(const AlgebraCase& x) {
  const auto zipped = TRY(impl::zipped_divide(x.a, x.tiler));
  const auto tiled = impl::tiled_divide(x.a, x.tiler);
  if (!tiled.ok()) return holds_if(false, x, tiled.status().ToString());
  const NestedLayout rests = mode(zipped, 1);
  bool unpacked = rank(tiled->shape) == 1 + rank(rests.shape) && mode(*tiled, 0) == mode(zipped, 0);
  for (int64_t k = 0; unpacked && k < rank(rests.shape); ++k) {
    unpacked = mode(*tiled, k + 1) == mode(rests, k);
  }
  return holds_if(unpacked, x, to_text(*tiled));
}

// Returns the slicer with its free parts replaced by the elements of `free`, in order.
Coordinate filled(const Slicer& slicer, const std::vector<IntTuple>& free, size_t& next) {
  if (slicer.kind == Slicer::Kind::kFree) return free[next++];
  if (slicer.kind == Slicer::Kind::kFixed) return make_integer(slicer.value);
  Coordinate result = make_tuple({});
  for (const Slicer& part : slicer.elements) {
    result.elements.push_back(filled(part, free, next));
  }
  return result;
}

LawOutcome slice_is_a_part(const AlgebraCase& x) {
  const auto found = impl::slice(x.a, x.slicer);
  if (absl::IsInvalidArgument(found.status())) return Outcome::kNotApplicable;
  const auto result = TRY(found);
  const absl::StatusOr<int64_t> count = spec::size(result.layout.shape);
  if (!count.ok() || *count > 4096) return Outcome::kNotApplicable;
  for (int64_t i = 0; i < *count; ++i) {
    const Coordinate free = *spec::spread(result.layout.shape, make_integer(i));
    const bool whole = x.slicer.kind == Slicer::Kind::kFree;
    size_t next = 0;
    const Coordinate at =
        filled(x.slicer, whole ? std::vector<IntTuple>{free} : free.elements, next);
    const auto right = spec::offset(x.a, at), part = spec::offset(result.layout, free);
    if (!right.ok() || !part.ok()) return Outcome::kNotApplicable;
    if (*right != result.offset + *part) return holds_if(false, x, to_text(result));
  }
  return Outcome::kHolds;
}

LawOutcome swizzle_is_its_own_inverse(const AlgebraCase& x) {
  for (int64_t offset : {int64_t{0}, x.m, x.m * 37, INT64_MAX - x.m}) {
    const auto once = TRY(impl::swizzled(x.swizzle, offset));
    const auto twice = impl::swizzled(x.swizzle, once);
    if (!twice.ok() || *twice != offset) return holds_if(false, x, absl::StrCat(offset));
  }
  return Outcome::kHolds;
}

LawOutcome swizzle_permutes_blocks(const AlgebraCase& x) {
  const int64_t shift = x.swizzle.shift < 0 ? -x.swizzle.shift : x.swizzle.shift;
  const int64_t bits = x.swizzle.bits + x.swizzle.base + shift;
  if (bits > 8) return Outcome::kNotApplicable;
  Offsets offsets;
  for (int64_t i = 0; i < int64_t{1} << bits; ++i) {
    offsets.push_back(TRY(impl::swizzled(x.swizzle, i)));
  }
  return holds_if(sorted(offsets) == iota(std::ssize(offsets)), x, "not a permutation");
}

// The law that both give one answer for these operands.
template <auto reference, auto closed, auto... operands>
LawOutcome agree(const AlgebraCase& x) {
  return same(x, reference(x.*operands...), closed(x.*operands...));
}
LawOutcome same_logical_divide(const AlgebraCase& x) {
  const Tiler whole{false, {x.b}};
  return same(x, spec::logical_divide(x.a, whole), impl::logical_divide(x.a, whole));
}
LawOutcome same_swizzle(const AlgebraCase& x) {
  return same(x, spec::swizzled(x.swizzle, x.m * 37), impl::swizzled(x.swizzle, x.m * 37));
}

constexpr absl::string_view kSame = "closed form = reference";
constexpr auto kA = &AlgebraCase::a, kB = &AlgebraCase::b;
constexpr auto kTiler = &AlgebraCase::tiler;
constexpr Law kLaws[] = {
    {"coalesce-keeps-values", "coalesce(A)(i) = A(i) for i < size(A)", coalesce_keeps_values},
    {"coalesce-is-shortest", "coalesce(A) is flat, and no two neighboring modes can merge",
     coalesce_is_shortest},
    {"composition-is-A-of-B", "(A o B)(i) = A(B(i)) for i < size(B)", composition_is_a_of_b},
    {"composition-keeps-shape", "A o B has B's nesting, each integer n replaced by n coordinates",
     composition_keeps_shape},
    {"composition-associates", "(A o B) o C = A o (B o C) if C stays within B",
     composition_associates},
    {"identity", "A o size(A):1 = A", identity_changes_nothing},
    {"complement-fills",
     "A's offsets, moved by each offset of complement(A, m), fill [0, n), n >= "
     "m, once",
     complement_fills},
    {"complement-rises", "complement(A, m)(i) < complement(A, m)(i + 1)", complement_rises},
    {"right-inverse-inverts", "A(R(i)) = i for i < size(R)", right_inverse_inverts},
    {"right-inverse-is-largest", "size(R) is not an offset of A", right_inverse_is_largest},
    {"left-inverse-inverts", "L(A(i)) = i for i < size(A)", left_inverse_inverts},
    {"divide-begins-with-tile", "mode 0 of logical_divide(A, B) is A o B",
     divide_begins_with_the_tile},
    {"divide-permutes", "logical_divide(A, B) has A's offsets, if it has A's size",
     divide_permutes},
    {"product-repeats", "mode 0 of logical_product(A, B) is A, and no two copies overlap",
     product_repeats},
    {"zip-reorders", "zipped_divide has the tiles and rests of logical_divide", zip_reorders},
    {"tiled-unpacks", "tiled_divide has the modes of zipped_divide in line", tiled_unpacks},
    {"slice-is-a-part", "offset + slice(A, s)(f) = A(s with f in its free parts)", slice_is_a_part},
    {"swizzle-is-own-inverse", "Sw(Sw(x)) = x", swizzle_is_its_own_inverse},
    {"swizzle-permutes", "Sw permutes [0, 2^(bits + base + |shift|))", swizzle_permutes_blocks},
    {"same-as-reference-coalesce", kSame, agree<spec::coalesce, impl::coalesce, kA>},
    {"same-as-reference-composition", kSame, agree<spec::composition, impl::composition, kA, kB>},
    {"same-as-reference-composition-by-mode", kSame,
     agree<spec::composition_by_mode, impl::composition_by_mode, kA, kTiler>},
    {"same-as-reference-complement", kSame,
     agree<spec::complement, impl::complement, kA, &AlgebraCase::m>},
    {"same-as-reference-right-inverse", kSame, agree<spec::right_inverse, impl::right_inverse, kA>},
    {"same-as-reference-left-inverse", kSame, agree<spec::left_inverse, impl::left_inverse, kA>},
    {"same-as-reference-divide", kSame, same_logical_divide},
    {"same-as-reference-product", kSame,
     agree<spec::logical_product, impl::logical_product, kA, kB>},
    {"same-as-reference-blocked-product", kSame,
     agree<spec::blocked_product, impl::blocked_product, kA, kB>},
    {"same-as-reference-raked-product", kSame,
     agree<spec::raked_product, impl::raked_product, kA, kB>},
    {"same-as-reference-zipped", kSame,
     agree<spec::zipped_divide, impl::zipped_divide, kA, kTiler>},
    {"same-as-reference-tiled", kSame, agree<spec::tiled_divide, impl::tiled_divide, kA, kTiler>},
    {"same-as-reference-slice", kSame, agree<spec::slice, impl::slice, kA, &AlgebraCase::slicer>},
    {"same-as-reference-swizzle", kSame, same_swizzle},
};

Slicer random_slicer(Choose& choose, const IntTuple& shape) {
  Slicer result;
  const int64_t kind = choose(shape.is_tuple ? 5 : 2);
  if (kind == 0) return result;
  if (kind > 1) {
    result.kind = Slicer::Kind::kTuple;
    for (const IntTuple& part : shape.elements) {
      result.elements.push_back(random_slicer(choose, part));
    }
    return result;
  }
  result.kind = Slicer::Kind::kFixed;
  result.value = choose(6);
  return result;
}

// Mostly without empty tuples, because every operation refuses them.
NestedLayout random_operand(Choose& choose, int64_t magnitude) {
  NestedLayout result = random_compact_layout(choose, magnitude);
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (tileproof::to_text(result.shape).find("()") == std::string::npos) break;
    result = random_compact_layout(choose, magnitude);
  }
  return result;
}

NestedLayout random_tile(Choose& choose) {
  if (choose.chance(1, 4)) return random_compact_layout(choose, 8);
  return {make_integer(choose.between(1, 8)), make_integer(choose.pick<int64_t>({1, 2, 3, 4}))};
}

// Reads the operand after the label `before`.
template <class T>
absl::Status read_operand(absl::string_view text, absl::string_view before,
                          absl::StatusOr<T> (*parse)(absl::string_view), T& operand) {
  if (!absl::ConsumePrefix(&text, before)) {
    return absl::InvalidArgumentError(absl::StrCat("expected '", std::string(before), "', found '",
                                                   std::string(text.substr(0, 40)), "'"));
  }
  absl::StatusOr<T> parsed = parse(text);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(before), std::string(parsed.status().message())));
  }
  operand = *std::move(parsed);
  return absl::OkStatus();
}

// Sizes up to 2^56, because the laws go a few times beyond m.
absl::StatusOr<int64_t> parse_size(absl::string_view text) {
  int64_t size;
  if (absl::SimpleAtoi(text, &size) && size >= 1 && size <= int64_t{1} << 56) return size;
  return absl::InvalidArgumentError("expected an integer from 1 to 2^56");
}

absl::StatusOr<Tiler> parse_tiler_by_mode(absl::string_view text) {
  absl::StatusOr<Tiler> tiler = parse_tiler(text);
  if (tiler.ok() && !tiler->by_mode) return absl::InvalidArgumentError("expected '<' at its start");
  return tiler;
}

}  // namespace

AlgebraCase random_algebra_case(Choose& choose) {
  AlgebraCase result;
  const int64_t magnitude = choose.pick<int64_t>({36, 96, 12, 360});
  result.a = random_operand(choose, magnitude);
  result.b = choose.chance(1, 2) ? NestedLayout{make_integer(choose.between(1, 12)),
                                                make_integer(choose.between(0, 12))}
                                 : random_operand(choose, choose.pick<int64_t>({12, 24}));
  result.c = random_operand(choose, 12);
  result.m = choose.between(1, 60);
  result.tiler.by_mode = true;
  const int64_t modes = rank(result.a.shape);
  const int64_t tilers = modes == 0 ? 0 : choose.between(1, modes);
  for (int64_t k = 0; k < tilers; ++k) {
    result.tiler.layouts.emplace_back();
    if (!choose.chance(1, 8)) result.tiler.layouts.back() = random_tile(choose);
  }
  result.slicer = random_slicer(choose, result.a.shape);
  const int64_t shift = choose(5);
  result.swizzle = {choose(shift + 1), choose(4), choose.chance(1, 3) ? -shift : shift};
  return result;
}

std::string to_text(const AlgebraCase& operands) {
  return absl::StrCat("A = ", to_text(operands.a), "  B = ", to_text(operands.b),
                      "  C = ", to_text(operands.c), "  m = ", operands.m,
                      "  tiler = ", to_text(operands.tiler),
                      "  slicer = ", to_text(operands.slicer), "  ", to_text(operands.swizzle));
}

absl::StatusOr<AlgebraCase> parse_algebra_case(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits("  ", 7));
  if (parts.size() != 7) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected 'A = ..  B = ..  C = ..  m = ..  tiler = ..  slicer = ..  Sw<..>', "
                     "separated by two "
                     "spaces, found '",
                     std::string(text.substr(0, 40)), "'"));
  }
  AlgebraCase operands;
  for (const absl::Status& status :
       {read_operand<NestedLayout>(parts[0], "A = ", parse_nested_layout, operands.a),
        read_operand<NestedLayout>(parts[1], "B = ", parse_nested_layout, operands.b),
        read_operand<NestedLayout>(parts[2], "C = ", parse_nested_layout, operands.c),
        read_operand<int64_t>(parts[3], "m = ", parse_size, operands.m),
        read_operand<Tiler>(parts[4], "tiler = ", parse_tiler_by_mode, operands.tiler),
        read_operand<Slicer>(parts[5], "slicer = ", parse_slicer, operands.slicer),
        read_operand<Swizzle>(parts[6], "", parse_swizzle, operands.swizzle)}) {
    if (!status.ok()) return status;
  }
  if (std::ssize(operands.tiler.layouts) > rank(operands.a.shape)) {
    return absl::InvalidArgumentError(absl::StrCat("tiler = expected at most the ",
                                                   rank(operands.a.shape), " modes of A, found ",
                                                   operands.tiler.layouts.size()));
  }
  return operands;
}

absl::Span<const Law> algebra_laws() { return kLaws; }

absl::StatusOr<Outcome> Law::check(const AlgebraCase& operands) const {
  LawOutcome outcome = outcome_at(operands);
  const absl::Status& status = outcome.status();
  const bool is_broken =
      absl::IsInternal(status) && absl::StartsWith(status.message(), to_text(operands));
  if (outcome.ok() || is_broken) return outcome;
  if (is_refusal(status)) return Outcome::kNotApplicable;
  return holds_if(false, operands, status.ToString());
}

std::string broken_law(const AlgebraCase& operands, CaseCounts& tally) {
  for (const Law& law : algebra_laws()) {
    const auto outcome = law.check(operands);
    if (!outcome.ok()) return absl::StrCat(law.name, " at ", outcome.status().message());
    ++tally[absl::StrCat(law.name, *outcome == Outcome::kHolds ? " held" : " did not apply")];
  }
  return "";
}

}  // namespace tileproof::verify
