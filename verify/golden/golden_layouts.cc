// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "impl/hlo/reshape_indices.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/layout_algebra.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/algebra_laws.h"
#include "verify/golden/golden_kinds.h"

namespace tileproof::verify {
namespace {

std::string shown(int64_t number) { return absl::StrCat(number); }
template <class T>
std::string shown(const T& value) {
  return to_text(value);
}

// Formats an answer as one line.
template <class T>
std::string described(absl::string_view name, const absl::StatusOr<T>& answer) {
  const std::string text =
      answer.ok() ? shown(*answer) : absl::StrCat("error: ", answer.status().message());
  return absl::StrCat(name, name.empty() ? "" : " ", text, "\n");
}

// Writes the layout in each system that can express it.
std::string in_other_systems(const absl::StatusOr<impl::DigitLayout>& digits) {
  if (!digits.ok()) return absl::StrCat("no digits: ", digits.status().message(), "\n");
  const impl::DigitLayout simple = impl::simplest(*digits);
  const absl::StatusOr<Layout> tiled = impl::to_tiled(simple);
  const auto shape = tiled.ok()
                         ? absl::StatusOr<Shape>(make_array(ElementType::kF32, simple.dims, *tiled))
                         : tiled.status();
  return absl::StrCat(described<NestedLayout>("nested", impl::to_nested(simple)),
                      described("tiled", shape), described("blocked", impl::to_blocked(simple)));
}

// Describes the layout alone: sizes, the coordinates of its first offsets, and derived layouts.
std::string about(const NestedLayout& layout) {
  const absl::StatusOr<impl::NestedLayout> closed = impl::NestedLayout::create(layout);
  if (!closed.ok()) return error_line(closed.status());
  std::string text =
      absl::StrCat("formula ", closed->formula(), "\n", described("size", closed->size()),
                   described("cosize", closed->cosize()));
  const int64_t most = std::min<int64_t>(closed->cosize().value_or(0), 24);
  for (int64_t offset = 0; offset < most; ++offset) {
    const auto found = closed->coordinate_at(offset);
    if (!found.ok())
      return absl::StrCat(text, described("at", absl::StatusOr<int64_t>(found.status())));
    absl::StrAppend(&text, *found ? absl::StrCat(" ", to_text(**found)) : " -");
  }
  std::vector<int64_t> dims;
  for (int64_t k = 0; k < rank(layout.shape); ++k) {
    const absl::StatusOr<impl::NestedLayout> one = impl::NestedLayout::create(mode(layout, k));
    dims.push_back(one.ok() ? one->size().value_or(1) : 1);
  }
  return absl::StrCat(text, most > 0 ? "\n" : "", in_other_systems(impl::digits_of(layout, dims)));
}

// Reads a box: "[1,0] [2,4]", where it begins and its sizes.
bool read_box(absl::string_view text, impl::RelayoutOptions& options) {
  const std::vector<absl::string_view> lists = absl::StrSplit(text, ' ');
  if (lists.size() != 2) return false;
  for (size_t k = 0; k < 2; ++k) {
    absl::string_view list = lists[k];
    if (!absl::ConsumePrefix(&list, "[") || !absl::ConsumeSuffix(&list, "]")) return false;
    for (const absl::string_view word : absl::StrSplit(list, ',')) {
      if (!absl::SimpleAtoi(word, &(k == 0 ? options.begin : options.sizes).emplace_back()))
        return false;
    }
  }
  return true;
}

// What the loops do, if there are any.
std::string described(const impl::RelayoutPlan& plan) {
  const int bytes = impl::RelayoutOptions().element_bits / 8;
  std::string text = absl::StrCat(plan.source_bytes() / bytes, " to ",
                                  plan.destination_bytes() / bytes, " elements\n", plan.to_text());
  const impl::RelayoutPlan::Maps maps = plan.maps();
  if (plan.loops().empty()) return text;
  return absl::StrCat(text, "index ", to_text(maps.index), "\nsource ", to_text(maps.source),
                      "\ndestination ", to_text(maps.destination), "\n");
}

}  // namespace

std::string error_line(const absl::Status& status) {
  return absl::StrCat("error: ", status.message(), "\n");
}

std::string positions_of(absl::string_view text) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok()) return error_line(shape.status());
  return absl::StrCat(described("", impl::logical_to_offset(*shape)),
                      described("", impl::offset_to_logical(*shape)),
                      described("", impl::logical_to_physical(*shape)),
                      described("", impl::physical_to_logical(*shape)),
                      in_other_systems(impl::digits_of(*shape)));
}

std::string algebra_of(absl::string_view text) {
  const absl::StatusOr<AlgebraCase> operands = parse_algebra_case(text);
  if (!operands.ok()) return error_line(operands.status());
  const auto& [a, b, c, m, tiler, slicer, swizzle] = *operands;
  std::string answer = absl::StrCat(described("coalesced", impl::coalesce(a)),
                                    described("A o B", impl::composition(a, b)),
                                    described("complement", impl::complement(a, m)),
                                    described("right inverse", impl::right_inverse(a)),
                                    described("left inverse", impl::left_inverse(a)));
  for (const Tiler& by : {Tiler{false, {b}}, tiler}) {
    absl::StrAppend(&answer, described("divided", impl::logical_divide(a, by)),
                    described("zipped", impl::zipped_divide(a, by)),
                    described("tiled", impl::tiled_divide(a, by)));
  }
  return absl::StrCat(answer, described("A x B", impl::logical_product(a, b)),
                      described("slice", impl::slice(a, slicer)),
                      described("swizzled", impl::swizzled(swizzle, m)), about(a), about(c));
}

std::string relayout_of(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  absl::string_view to = lines.size() < 2 ? "" : lines[1], box = lines.size() < 3 ? "" : lines[2];
  impl::RelayoutOptions options;
  const bool is_whole = lines.size() == 2;
  if (is_whole) options.padding = impl::RelayoutOptions::Padding::kZero;
  const bool has_box = absl::ConsumePrefix(&box, "box ") && read_box(box, options);
  if (lines.size() > 3 || !absl::ConsumePrefix(&to, "to ") || is_whole == has_box)
    return "error: expected LAYOUT, to LAYOUT, box [BEGIN,..] [SIZE,..]\n";
  const absl::StatusOr<AnyLayout> source = parse_any_layout(lines[0]);
  const absl::StatusOr<AnyLayout> destination = parse_any_layout(to);
  for (const absl::Status& status : {source.status(), destination.status()}) {
    if (!status.ok()) return error_line(status);
  }
  const auto from_side = impl::relayout_side(*source), to_side = impl::relayout_side(*destination);
  for (const absl::Status& status : {from_side.status(), to_side.status()}) {
    if (!status.ok()) return error_line(status);
  }
  const auto plan = impl::RelayoutPlan::create(*from_side, *to_side, options);
  return plan.ok() ? described(*plan) : error_line(plan.status());
}

}  // namespace tileproof::verify
