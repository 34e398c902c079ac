// SPDX-License-Identifier: Apache-2.0
// tileproof algebra: the operations of CuTe's layout algebra.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/layout/derived_algebra.h"
#include "cli/text.h"
#include "impl/layout/layout_algebra.h"
#include "impl/layout/swizzled_layout.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/layout/layout_algebra.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/swizzled_layout.h"
#include "verify/compare/algebra_laws.h"

namespace tileproof::cli {
namespace {

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
