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

using Computed = absl::StatusOr<NestedLayout>;
using Operands = absl::Span<const std::string>;  // after the layout

// The functions that the operations are made of, of the reference or of the closed form.
struct AlgebraEngine {
  Computed (*coalesce)(const NestedLayout&);
  Computed (*right_inverse)(const NestedLayout&);
  Computed (*left_inverse)(const NestedLayout&);
  Computed (*composition)(const NestedLayout&, const NestedLayout&);
  Computed (*logical_product)(const NestedLayout&, const NestedLayout&);
  Computed (*blocked_product)(const NestedLayout&, const NestedLayout&);
  Computed (*raked_product)(const NestedLayout&, const NestedLayout&);
  Computed (*composition_by_mode)(const NestedLayout&, const Tiler&);
  Computed (*logical_divide)(const NestedLayout&, const Tiler&);
  Computed (*zipped_divide)(const NestedLayout&, const Tiler&);
  Computed (*tiled_divide)(const NestedLayout&, const Tiler&);
  Computed (*complement)(const NestedLayout&, int64_t);
  absl::StatusOr<Slice> (*slice)(const NestedLayout&, const Slicer&);
  absl::StatusOr<int64_t> (*swizzled)(const Swizzle&, int64_t);
};

constexpr AlgebraEngine kReference = {
    spec::coalesce,        spec::right_inverse,   spec::left_inverse,  spec::composition,
    spec::logical_product, spec::blocked_product, spec::raked_product, spec::composition_by_mode,
    spec::logical_divide,  spec::zipped_divide,   spec::tiled_divide,  spec::complement,
    spec::slice,           spec::swizzled};
constexpr AlgebraEngine kClosed = {
    impl::coalesce,        impl::right_inverse,   impl::left_inverse,  impl::composition,
    impl::logical_product, impl::blocked_product, impl::raked_product, impl::composition_by_mode,
    impl::logical_divide,  impl::zipped_divide,   impl::tiled_divide,  impl::complement,
    impl::slice,           impl::swizzled};

// ---- Operations that others make up: flat_divide, tile_to_shape, recast, .. ----
//
//     flat_divide (8,16):(16,1) <2:1,4:1>         (2,4,4,4):(16,1,32,4)
//     tile_to_shape (2,4):(4,1) (4,8)             ((2,2),(4,2)):((4,8),(1,16))
//     recast (4,8):(1,4) 32 16                    (8,8):(1,8), in elements of 16 bits
//
// Source: CUTLASS, include/cute/layout.hpp.

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

// The modes without nesting.
Computed flatten(const AlgebraEngine&, const NestedLayout& layout, Operands) {
  if (!layout.shape.is_tuple) return layout;
  return NestedLayout{make_flat(leaves(layout.shape)), make_flat(leaves(layout.stride))};
}

// Without modes of stride 0, which repeat an offset; coalesced.
Computed filter(const AlgebraEngine& engine, const NestedLayout& layout, Operands) {
  const std::vector<int64_t> extents = leaves(layout.shape), strides = leaves(layout.stride);
  std::vector<int64_t> kept, kept_strides;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (strides[i] == 0) continue;
    kept.push_back(extents[i]);
    kept_strides.push_back(strides[i]);
  }
  if (kept.empty()) return NestedLayout{make_integer(1), make_integer(0)};
  return engine.coalesce({make_flat(kept), make_flat(kept_strides)});
}

// ---- Operations of the engine itself ----

absl::StatusOr<int64_t> number(const std::string& text) {
  int64_t value;
  if (absl::SimpleAtoi(text, &value)) return value;
  return invalid("expected an integer, found '", text.substr(0, 40), "'");
}

// A layout, or one with a swizzle: CuTe applies these operations to the layout behind the swizzle.
struct Operand {
  NestedLayout layout;
  std::optional<SwizzledLayout> swizzled;
};

absl::StatusOr<Operand> first_operand(const std::string& text) {
  if (!looks_like_swizzled_layout(text)) return Operand{TRY(parse_nested_layout(text)), {}};
  SwizzledLayout swizzled = TRY(parse_swizzled_layout(text));
  return Operand{swizzled.layout, swizzled};
}

absl::StatusOr<std::string> with_swizzle(const Operand& operand, const Computed& answer,
                                         int64_t offset = 0) {
  NestedLayout layout = TRY(answer);
  if (!operand.swizzled) return to_text(layout);
  SwizzledLayout swizzled = *operand.swizzled;
  swizzled.layout = std::move(layout);
  swizzled.start += offset;
  TRY(validate(swizzled));
  return to_text(swizzled);
}

// A tile that is longer than its mode, or does not divide it, gives coordinates beyond its end.
void note_beyond(const NestedLayout& a, const Computed& divided) {
  if (!divided.ok()) return;
  const absl::StatusOr<int64_t> before = spec::size(a.shape), after = spec::size(divided->shape);
  if (!before.ok() || !after.ok() || *after <= *before) return;
  std::cerr << "tileproof: note: the tiles do not divide the layout: the result has " << *after
            << " coordinates, the layout has " << *before
            << "; beyond its end it goes on as its modes do, as in CuTe\n";
}

template <auto function>
Computed of_layout(const AlgebraEngine& engine, const NestedLayout& a, Operands) {
  return (engine.*function)(a);
}

template <auto function>
Computed of_layouts(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  return (engine.*function)(a, TRY(prefixed("operand 2", parse_nested_layout(operands[0]))));
}

template <auto function>
Computed of_tiler(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  return (engine.*function)(a, TRY(prefixed("operand 2", parse_tiler(operands[0]))));
}

template <auto function>
Computed divide(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  Computed divided = of_tiler<function>(engine, a, operands);
  note_beyond(a, divided);
  return divided;
}

// Without a size, it fills the gaps of the layout and no more.
Computed complement(const AlgebraEngine& engine, const NestedLayout& a, Operands operands) {
  return engine.complement(a,
                           operands.empty() ? 1 : TRY(prefixed("operand 2", number(operands[0]))));
}

struct Operation {
  absl::string_view name;
  Computed (*compute)(const AlgebraEngine&, const NestedLayout&,
                      Operands);  // null: no layout alone
  size_t least, most;             // operands
  bool keeps_swizzle = false;     // of a layout with one, it is applied to the layout behind it
  absl::string_view usage = "";   // after LAYOUT, of those that others make up
};

using Engine = AlgebraEngine;
constexpr bool kKeeps = true, kRefuses = false;
constexpr Operation kOperations[] = {
    {"coalesce", coalesce, 0, 1, kKeeps, "[PROFILE]"},
    {"flat_divide", flat_divide, 1, 1, kKeeps, "TILER"},
    {"zipped_product", zipped_product, 1, 1, kKeeps, "LAYOUT"},
    {"tiled_product", tiled_product, 1, 1, kKeeps, "LAYOUT"},
    {"flat_product", flat_product, 1, 1, kKeeps, "LAYOUT"},
    {"tile_to_shape", tile_to_shape, 1, 2, kKeeps, "SHAPE [ORDER]"},
    {"upcast", upcast, 1, 1, kRefuses, "N"},
    {"downcast", downcast, 1, 1, kRefuses, "N"},
    {"recast", recast, 2, 2, kRefuses, "BITS BITS"},
    {"max_common_layout", max_common_layout, 1, 1, kRefuses, "LAYOUT"},
    {"max_common_vector", max_common_vector, 1, 1, kRefuses, "LAYOUT"},
    {"flatten", flatten, 0, 0},
    {"filter", filter, 0, 0},
    {"right_inverse", of_layout<&Engine::right_inverse>, 0, 0},
    {"left_inverse", of_layout<&Engine::left_inverse>, 0, 0},
    {"logical_product", of_layouts<&Engine::logical_product>, 1, 1, kKeeps},
    {"blocked_product", of_layouts<&Engine::blocked_product>, 1, 1, kKeeps},
    {"raked_product", of_layouts<&Engine::raked_product>, 1, 1, kKeeps},
    {"composition", of_tiler<&Engine::composition_by_mode>, 1, 1, kKeeps},
    {"logical_divide", divide<&Engine::logical_divide>, 1, 1, kKeeps},
    {"zipped_divide", divide<&Engine::zipped_divide>, 1, 1, kKeeps},
    {"tiled_divide", divide<&Engine::tiled_divide>, 1, 1, kKeeps},
    {"complement", complement, 0, 1},
    {"slice", nullptr, 1, 1, kKeeps},
    {"swizzle", nullptr, 1, 1},
};

std::vector<absl::string_view> operation_names() {
  std::vector<absl::string_view> names;
  for (const Operation& operation : kOperations) names.push_back(operation.name);
  names.emplace_back("laws");
  return names;
}

absl::StatusOr<std::string> slice(const AlgebraEngine& engine, const Operand& operand,
                                  const std::string& by) {
  const Slicer slicer = TRY(prefixed("operand 2", parse_slicer(by)));
  const Slice slice = TRY(engine.slice(operand.layout, slicer));
  return operand.swizzled ? with_swizzle(operand, slice.layout, slice.offset) : to_text(slice);
}

absl::StatusOr<std::string> swizzle(const AlgebraEngine& engine,
                                    const std::vector<std::string>& operands) {
  const Swizzle by = TRY(prefixed("operand 1", parse_swizzle(operands[0])));
  const int64_t offset = TRY(prefixed("operand 2", number(operands[1])));
  return absl::StrCat(TRY(engine.swizzled(by, offset)));
}

absl::StatusOr<std::string> computed(const Command& given) {
  const std::string& name = given.text("OPERATION");
  const std::vector<std::string>& arguments = given.list("OPERAND");
  const AlgebraEngine& engine = given.text("--engine") == "spec" ? kReference : kClosed;
  const auto* const operation = std::ranges::find(kOperations, name, &Operation::name);
  if (operation == std::end(kOperations)) {
    return invalid("expected an operation: ", absl::StrJoin(operation_names(), ", "), ", found '",
                   conform::shown(name, 40), "'", did_you_mean(name, operation_names()));
  }
  const auto& [is_name, compute, least, most, keeps_swizzle, usage] = *operation;
  const bool fits = arguments.size() > least && arguments.size() <= most + 1;
  if (usage.empty() && !fits) {
    return invalid("expected ", most + 1, most == 0 ? " operand" : " operands", ", found ",
                   arguments.size());
  }
  if (arguments.empty()) return invalid("expected a layout");
  std::vector<std::string> operands;
  for (const std::string& operand : arguments) {
    operands.push_back(TRY(read_argument(operand)));
  }
  if (name == "swizzle") return swizzle(engine, operands);
  if (name == "composition" && parse_swizzle(operands[0]).ok()) {  // of a swizzle alone
    NestedLayout layout = TRY(prefixed("operand 2", parse_nested_layout(operands[1])));
    return to_text(SwizzledLayout{TRY(parse_swizzle(operands[0])), 0, std::move(layout), {}});
  }
  const Operand a = TRY(prefixed("operand 1", first_operand(operands[0])));
  if (a.swizzled && !keeps_swizzle) {
    return invalid("operand 1: expected a layout without a swizzle");
  }
  if (!fits) return invalid("expected LAYOUT ", usage);
  if (name == "slice") return slice(engine, a, operands[1]);
  return with_swizzle(a, compute(engine, a.layout, absl::MakeConstSpan(operands).subspan(1)));
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
