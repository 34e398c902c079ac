// SPDX-License-Identifier: Apache-2.0
// tileproof algebra: the operations of CuTe's layout algebra.

#include <algorithm>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "impl/layout/layout_algebra.h"
#include "impl/layout/swizzled_layout.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/layout/layout_algebra.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/swizzled_layout.h"
#include "verify/compare/algebra_laws.h"

namespace tileproof::cli {
namespace {

// The operations of CuTe's layout algebra that others make up: flat_divide, tile_to_shape, recast, ..
//
//     flat_divide (8,16):(16,1) <2:1,4:1>         (2,4,4,4):(16,1,32,4)
//     tile_to_shape (2,4):(4,1) (4,8)             ((2,2),(4,2)):((4,8),(1,16))
//     recast (4,8):(1,4) 32 16                    (8,8):(1,8), in elements of 16 bits
//
// Source: CUTLASS, include/cute/layout.hpp.

// The operations that others are made of, of the reference or of the closed form.
struct AlgebraEngine {
  absl::StatusOr<NestedLayout> (*coalesce)(const NestedLayout&);
  absl::StatusOr<NestedLayout> (*composition)(const NestedLayout&, const NestedLayout&);
  absl::StatusOr<NestedLayout> (*right_inverse)(const NestedLayout&);
  absl::StatusOr<NestedLayout> (*logical_product)(const NestedLayout&, const NestedLayout&);
  absl::StatusOr<NestedLayout> (*blocked_product)(const NestedLayout&, const NestedLayout&);
  absl::StatusOr<NestedLayout> (*tiled_divide)(const NestedLayout&, const Tiler&);
};

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

// How the name takes its operands after the layout, such as "SHAPE [ORDER]"; empty for other names.
absl::string_view derived_operands(absl::string_view name) {
  const Derived* const operation = derived_named(name);
  return operation == nullptr ? "" : operation->operands;
}

std::vector<absl::string_view> derived_names() {
  std::vector<absl::string_view> names;
  for (const Derived& operation : kDerived) names.push_back(operation.name);
  return names;
}

// The result of an operation of this name. Errors: those of the engine; other operands.
absl::StatusOr<NestedLayout> derived(absl::string_view name, const AlgebraEngine& engine,
                                     const NestedLayout& a, Operands operands) {
  const Derived* const operation = derived_named(name);
  if (operation == nullptr) return invalid("expected an operation");
  if (operands.size() < operation->least || operands.size() > operation->most)
    return invalid(absl::StrCat("expected LAYOUT ", operation->operands));
  return operation->compute(engine, a, operands);
}

using LayoutAnswer = absl::StatusOr<NestedLayout>;

// Operations by the reference and by the closed form, grouped by their operands.
struct OfLayout {
  absl::string_view name;
  LayoutAnswer (*reference)(const NestedLayout&);
  LayoutAnswer (*closed)(const NestedLayout&);
};
struct OfLayouts {
  absl::string_view name;
  LayoutAnswer (*reference)(const NestedLayout&, const NestedLayout&);
  LayoutAnswer (*closed)(const NestedLayout&, const NestedLayout&);
};
struct OfTiler {
  absl::string_view name;
  LayoutAnswer (*reference)(const NestedLayout&, const Tiler&);
  LayoutAnswer (*closed)(const NestedLayout&, const Tiler&);
};

constexpr AlgebraEngine kReference = {spec::coalesce,        spec::composition,
                                      spec::right_inverse,   spec::logical_product,
                                      spec::blocked_product, spec::tiled_divide};
constexpr AlgebraEngine kClosed = {impl::coalesce,        impl::composition,
                                   impl::right_inverse,   impl::logical_product,
                                   impl::blocked_product, impl::tiled_divide};

// The modes without nesting.
LayoutAnswer flatten(const NestedLayout& layout) {
  if (!layout.shape.is_tuple) return layout;
  return NestedLayout{make_flat(leaves(layout.shape)), make_flat(leaves(layout.stride))};
}

// Without modes of stride 0, which repeat an offset; coalesced.
template <LayoutAnswer (*coalesce)(const NestedLayout&)>
LayoutAnswer filter(const NestedLayout& layout) {
  const std::vector<int64_t> extents = leaves(layout.shape), strides = leaves(layout.stride);
  std::vector<int64_t> kept, kept_strides;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (strides[i] == 0) continue;
    kept.push_back(extents[i]);
    kept_strides.push_back(strides[i]);
  }
  if (kept.empty()) return NestedLayout{make_integer(1), make_integer(0)};
  return coalesce({make_flat(kept), make_flat(kept_strides)});
}

constexpr OfLayout kOfLayout[] = {
    {"flatten", flatten, flatten},
    {"filter", filter<spec::coalesce>, filter<impl::coalesce>},
    {"right_inverse", spec::right_inverse, impl::right_inverse},
    {"left_inverse", spec::left_inverse, impl::left_inverse},
};
constexpr OfLayouts kOfLayouts[] = {
    {"logical_product", spec::logical_product, impl::logical_product},
    {"blocked_product", spec::blocked_product, impl::blocked_product},
    {"raked_product", spec::raked_product, impl::raked_product},
};
constexpr OfTiler kOfTiler[] = {
    {"composition", spec::composition_by_mode, impl::composition_by_mode},
    {"logical_divide", spec::logical_divide, impl::logical_divide},
    {"zipped_divide", spec::zipped_divide, impl::zipped_divide},
    {"tiled_divide", spec::tiled_divide, impl::tiled_divide},
};

template <class Operation>
const Operation* named(absl::Span<const Operation> operations, absl::string_view name) {
  for (const Operation& operation : operations) {
    if (operation.name == name) return &operation;
  }
  return nullptr;
}

std::vector<absl::string_view> operation_names() {
  std::vector<absl::string_view> names = derived_names();
  for (const OfLayout& operation : kOfLayout) names.push_back(operation.name);
  for (const OfLayouts& operation : kOfLayouts) names.push_back(operation.name);
  for (const OfTiler& operation : kOfTiler) names.push_back(operation.name);
  names.insert(names.end(), {"complement", "slice", "swizzle", "laws"});
  return names;
}

absl::StatusOr<int64_t> number(const std::string& text) {
  int64_t value;
  if (absl::SimpleAtoi(text, &value)) return value;
  return invalid("expected an integer, found '", text.substr(0, 40), "'");
}

absl::StatusOr<std::string> text_of(const LayoutAnswer& answer) {
  if (!answer.ok()) return answer.status();
  return to_text(*answer);
}

// A layout, or one with a swizzle: CuTe applies these operations to the layout behind the swizzle.
struct Operand {
  NestedLayout layout;
  std::optional<SwizzledLayout> swizzled;
};

bool keeps_swizzle(absl::string_view name) {
  return named<OfLayouts>(kOfLayouts, name) != nullptr ||
         named<OfTiler>(kOfTiler, name) != nullptr || name == "slice" ||
         (!derived_operands(name).empty() && !absl::StrContains(name, "cast") &&
          !absl::StartsWith(name, "max_common"));
}

absl::StatusOr<Operand> first_operand(const std::string& text) {
  if (!looks_like_swizzled_layout(text)) return Operand{TRY(parse_nested_layout(text)), {}};
  SwizzledLayout swizzled = TRY(parse_swizzled_layout(text));
  return Operand{swizzled.layout, swizzled};
}

absl::StatusOr<std::string> with_swizzle(const Operand& operand, const LayoutAnswer& answer,
                                         int64_t offset = 0) {
  if (!operand.swizzled) return text_of(answer);
  SwizzledLayout swizzled = *operand.swizzled;
  swizzled.layout = TRY(answer);
  swizzled.start += offset;
  TRY(validate(swizzled));
  return to_text(swizzled);
}

// A tile that is longer than its mode, or does not divide it, gives coordinates beyond its end.
void note_beyond(const NestedLayout& a, const LayoutAnswer& divided) {
  if (!divided.ok()) return;
  const absl::StatusOr<int64_t> before = spec::size(a.shape), after = spec::size(divided->shape);
  if (!before.ok() || !after.ok() || *after <= *before) return;
  std::cerr << "tileproof: note: the tiles do not divide the layout: the result has " << *after
            << " coordinates, the layout has " << *before
            << "; beyond its end it goes on as its modes do, as in CuTe\n";
}

// Applies an operation with two operands. The name decides how to parse the second one.
absl::StatusOr<std::string> apply(const std::string& name, const Operand& operand,
                                  const std::string& second, bool reference) {
  const NestedLayout& a = operand.layout;
  if (const auto* op = named<OfLayouts>(kOfLayouts, name)) {
    const NestedLayout b = TRY(prefixed("operand 2", parse_nested_layout(second)));
    return with_swizzle(operand, (reference ? op->reference : op->closed)(a, b));
  }
  if (const auto* op = named<OfTiler>(kOfTiler, name)) {
    const Tiler tiler = TRY(prefixed("operand 2", parse_tiler(second)));
    const LayoutAnswer answer = (reference ? op->reference : op->closed)(a, tiler);
    if (name != "composition") note_beyond(a, answer);
    return with_swizzle(operand, answer);
  }
  if (name == "complement") {
    const int64_t m = TRY(prefixed("operand 2", number(second)));
    return text_of(reference ? spec::complement(a, m) : impl::complement(a, m));
  }
  const Slicer slicer = TRY(prefixed("operand 2", parse_slicer(second)));
  const Slice slice = TRY(reference ? spec::slice(a, slicer) : impl::slice(a, slicer));
  return operand.swizzled ? with_swizzle(operand, slice.layout, slice.offset) : to_text(slice);
}

absl::StatusOr<std::string> swizzle(const std::vector<std::string>& operands, bool reference) {
  const Swizzle by = TRY(prefixed("operand 1", parse_swizzle(operands[0])));
  const int64_t offset = TRY(prefixed("operand 2", number(operands[1])));
  const int64_t result = TRY(reference ? spec::swizzled(by, offset) : impl::swizzled(by, offset));
  return absl::StrCat(result);
}

absl::StatusOr<std::string> computed(const Command& given) {
  const std::string& name = given.text("OPERATION");
  const std::vector<std::string>& arguments = given.list("OPERAND");
  const bool reference = given.text("--engine") == "spec";
  const auto* one = named<OfLayout>(kOfLayout, name);
  const bool is_derived = !derived_operands(name).empty();
  const bool two = named<OfLayouts>(kOfLayouts, name) != nullptr ||
                   named<OfTiler>(kOfTiler, name) != nullptr || name == "complement" ||
                   name == "slice" || name == "swizzle";
  if (one == nullptr && !two && !is_derived) {
    return invalid("expected an operation: ", absl::StrJoin(operation_names(), ", "), ", found '",
                   conform::shown(name, 40), "'", did_you_mean(name, operation_names()));
  }
  // Without a size, a complement fills the gaps of the layout and no more.
  const bool gaps = name == "complement" && arguments.size() == 1;
  const size_t count = two && !gaps ? 2 : 1;
  if (is_derived && arguments.empty()) return invalid("expected a layout");
  if (!is_derived && arguments.size() != count) {
    return invalid("expected ", count, count == 1 ? " operand" : " operands", ", found ",
                   arguments.size());
  }
  std::vector<std::string> operands;
  for (const std::string& operand : arguments) {
    operands.push_back(TRY(read_argument(operand)));
  }
  if (name == "swizzle") return swizzle(operands, reference);
  if (name == "composition" && parse_swizzle(operands[0]).ok()) {  // of a swizzle alone
    NestedLayout layout = TRY(prefixed("operand 2", parse_nested_layout(operands[1])));
    return to_text(SwizzledLayout{TRY(parse_swizzle(operands[0])), 0, std::move(layout), {}});
  }
  const Operand a = TRY(prefixed("operand 1", first_operand(operands[0])));
  if (a.swizzled && !keeps_swizzle(name)) {
    return invalid("operand 1: expected a layout without a swizzle");
  }
  if (one != nullptr) return text_of((reference ? one->reference : one->closed)(a.layout));
  if (is_derived) {
    return with_swizzle(a, derived(name, reference ? kReference : kClosed, a.layout,
                                   absl::MakeConstSpan(operands).subspan(1)));
  }
  if (gaps) operands.emplace_back("1");
  return apply(name, a, operands[1], reference);
}

Answer list_laws() {
  Answer answer;
  for (const verify::Law& law : verify::algebra_laws()) {
    answer.json.push_back(json_object({{"name", law.name}, {"statement", law.statement}}));
    absl::StrAppend(&answer.text, law.name, "\n  ", law.statement, "\n");
  }
  return answer;
}

absl::string_view text_of(const absl::StatusOr<verify::Outcome>& outcome) {
  if (!outcome.ok()) return "broken";
  return *outcome == verify::Outcome::kHolds ? "holds" : "does not apply";
}

// Checks every law for these operands.
absl::StatusOr<Answer> check_laws(const std::string& argument) {
  const std::string text = TRY(read_argument(argument));
  const verify::AlgebraCase operands =
      TRY(verify::parse_algebra_case(absl::StripAsciiWhitespace(text)));
  Answer answer;
  for (const verify::Law& law : verify::algebra_laws()) {
    const absl::StatusOr<verify::Outcome> outcome = law.check(operands);
    const absl::string_view word = text_of(outcome), detail = outcome.status().message();
    if (!outcome.ok()) answer.status = kCounterexample;
    Json json = json_object({{"name", law.name}, {"outcome", word}});
    if (!detail.empty()) set(json, "detail", detail);
    answer.json.push_back(std::move(json));
    absl::StrAppend(&answer.text, law.name, ": ", word, detail.empty() ? "" : ": ", detail, "\n");
  }
  return answer;
}

absl::StatusOr<Answer> algebra(const Command& given) {
  const std::vector<std::string>& operands = given.list("OPERAND");
  const bool laws = given.text("OPERATION") == "laws";
  if (laws && operands.empty()) return list_laws();
  if (laws && operands.size() == 1) return about("laws", check_laws(operands[0]));
  const std::string result = TRY(about(given.text("OPERATION"), computed(given)));
  return Answer{{json_object({{"result", result}})}, result + "\n"};
}

}  // namespace

void add_algebra_command(Program& program) {
  const std::vector<absl::string_view> names = operation_names();
  program.command("algebra").words("OPERATION", {names.begin(), names.end()}).answer(algebra);
}

}  // namespace tileproof::cli
