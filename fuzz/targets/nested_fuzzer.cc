// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either parses as a nested layout, a tag on a shape or a blocked format on
// one, or a swizzled layout, or fails with a column. The printed text parses as the same value. For
// nested layouts and tags, reference and closed form agree on size, cosize, offsets, coordinates and
// tiles; for swizzled layouts, on offsets; for layouts of threads, on who holds what. A finding can be pasted after `tileproof layout`.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/targets/text_input.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_blocked.h"
#include "generate/layout/generate_nested.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/nested_layout.h"
#include "verify/compare/layout_compare.h"
#include "verify/compare/text_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kMaxPositions = 64;
constexpr int64_t kPoints = 10;

// The type of C++ of a tuple: `Shape<_4,Shape<_2,_3>>`.
std::string cxx_type(const IntTuple& tuple) {
  if (!tuple.is_tuple)
    return absl::StrCat(tuple.value % 2 == 0 ? "_" : "Int<", tuple.value,
                        tuple.value % 2 == 0 ? "" : ">");
  std::vector<std::string> parts;
  for (const IntTuple& part : tuple.elements) parts.push_back(cxx_type(part));
  return absl::StrCat("Shape<", absl::StrJoin(parts, ","), ">");
}

// A layout is the same as a type of C++.
std::string cxx_difference(const NestedLayout& layout) {
  const std::string text =
      absl::StrCat("cute::Layout<", cxx_type(layout.shape), ",", cxx_type(layout.stride), ">");
  const absl::StatusOr<NestedLayout> again = parse_nested_layout(text);
  if (again.ok() && *again == layout && layout_form(text) == LayoutForm::kNested) return "";
  return absl::StrCat("as a type of C++ another layout or none at ", text);
}

std::string layout_difference(const NestedLayout& layout, Choose& choose,
                              verify::CaseCounts& tally) {
  absl::Status status = verify::compare_nested(layout, kMaxPositions, kPoints, choose, tally);
  std::vector<int64_t> tile;
  for (int64_t k = 0; k < rank(layout.shape); ++k) tile.push_back(choose(100));
  if (status.ok()) status = verify::compare_tile(layout, tile);
  return compared(status);
}

// Distinguishes a format from a tag like the command line does.
bool is_blocked(absl::string_view text) { return Cursor(text).peek_identifier() == "dnnl"; }

std::string check_swizzled(absl::string_view text, verify::CaseCounts& tally) {
  const absl::StatusOr<SwizzledLayout> swizzled = parse_swizzled_layout(text);
  const std::string found = verify::read_back_difference(swizzled, parse_swizzled_layout, tally);
  if (!swizzled.ok() || !found.empty()) return found;
  const std::string dsl = absl::StrCat("S", to_text(*swizzled).substr(2));  // S<3,4,3> o ..
  const absl::StatusOr<SwizzledLayout> again = parse_swizzled_layout(dsl);
  if (!again.ok() || !(*again == *swizzled))
    return absl::StrCat("as the CuTe DSL prints it another layout or none at ", dsl);
  Choose choose(Choose::Random{seed_of(text)});
  return compared(verify::compare_swizzled(*swizzled, kPoints, choose));
}

std::string check_tagged(absl::string_view text, verify::CaseCounts& tally) {
  const absl::StatusOr<TaggedShape> tagged = parse_tagged_shape(text);
  const std::string found = verify::read_back_difference(tagged, parse_tagged_shape, tally);
  if (!tagged.ok() || !found.empty()) return found;
  const absl::Status status = verify::compare_make(tagged->tag, tla_bits(tagged->element_type),
                                                   tagged->dims.front(), tagged->dims.back());
  const absl::StatusOr<NestedLayout> layout = spec::make_layout(*tagged);
  if (!status.ok() || !layout.ok()) return compared(status);
  Choose choose(Choose::Random{seed_of(text)});
  return layout_difference(*layout, choose, tally);
}

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  if (has_thread_layout(text)) {
    const std::string found = verify::threads_difference(text, tally);
    return found.empty() ? "" : compared(absl::InternalError(found));
  }
  if (looks_like_swizzled_layout(text)) return check_swizzled(text, tally);
  if (is_blocked(text))
    return verify::read_back_difference(parse_blocked_shape(text), parse_blocked_shape, tally);
  if (layout_form(text) == LayoutForm::kTagged) return check_tagged(text, tally);
  const absl::StatusOr<NestedLayout> layout = parse_nested_layout(text);
  std::string found = verify::read_back_difference(layout, parse_nested_layout, tally);
  if (!layout.ok()) return found;
  Choose choose(Choose::Random{seed_of(text)});
  if (found.empty()) found = cxx_difference(*layout);
  return found.empty() ? layout_difference(*layout, choose, tally) : found;
}

// Changes the type and a size, or everything: with few letters and blocks, a new format is quickly
// found.
std::string mutated_blocked(Choose& choose, absl::string_view text) {
  const BlockedShape other = random_blocked_shape(choose, int64_t{1} << choose(40));
  absl::StatusOr<BlockedShape> shape = parse_blocked_shape(text);
  if (!shape.ok() || shape->dims.empty() || choose.chance(1, 4)) return to_text(other);
  shape->dims[static_cast<size_t>(choose(std::ssize(shape->dims)))] = other.dims.front();
  if (choose.chance(1, 4))
    shape->element_type = choose.pick({ElementType::kF32, ElementType::kS8, ElementType::kBF16});
  return to_text(*shape);
}

std::string mutated(Choose& choose, absl::string_view text) {
  if (choose.chance(1, 16)) return random_nested_text(choose);
  if (choose.chance(1, 32) || has_thread_layout(text)) return random_thread_layout(choose);
  if (choose.chance(1, 32) || is_blocked(text)) return mutated_blocked(choose, text);
  if (choose.chance(1, 32) || looks_like_swizzled_layout(text)) {
    return to_text(random_swizzled_layout(choose, int64_t{1} << choose(40)));
  }
  const int64_t changes = choose.between(1, 4);
  absl::StatusOr<TaggedShape> tagged = parse_tagged_shape(text);
  absl::StatusOr<NestedLayout> layout = parse_nested_layout(text);
  if (!tagged.ok() && !layout.ok())
    return to_text(random_nested_layout(choose, int64_t{1} << choose(40)));
  for (int64_t i = 0; i < changes; ++i) {
    if (tagged.ok()) mutate_tagged_shape(choose, *tagged);
    if (layout.ok()) mutate_nested_layout(choose, *layout);
  }
  return tagged.ok() ? to_text(*tagged) : to_text(*layout);
}

}  // namespace

const TextTarget kTarget = {check, mutated, /*bytes_of_16=*/2};

}  // namespace tileproof
