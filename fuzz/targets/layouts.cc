// SPDX-License-Identifier: Apache-2.0
// Fuzz targets of layouts: an input is a text, or bytes that choose layouts.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "fuzz/targets/text_input.h"
#include "fuzz/targets/text_mutations.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_blocked.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "impl/layout/relayout/relayout_testing.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/nested_layout.h"
#include "verify/compare/algebra_laws.h"
#include "verify/compare/layout_compare.h"
#include "verify/compare/text_compare.h"
#include "verify/prove/layout/convert_compare.h"

namespace tileproof {
namespace {

// ---- shape_text ----
//
// A text either parses as a shape with its layout or fails with a column. The printed
// text parses as the same shape.

std::string check_shape_text(absl::string_view text, verify::CaseCounts& tally) {
  return verify::read_back_difference(parse_shape(text), parse_shape, tally);
}

// ---- layout ----
//
// Linearize and delinearize. Reference and closed form agree on the layout of a shape:
// at every offset if there are few, otherwise at many.

constexpr int64_t kLayoutPositions = 2000;
constexpr int64_t kLayoutPoints = 20;

std::string check_layout(absl::string_view text, verify::CaseCounts& tally) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok()) return "";
  Choose choose(Choose::Random{seed_of(text)});
  return compared(verify::compare_whole(*shape, kLayoutPositions, kLayoutPoints, choose, tally));
}

// ---- layout_convert ----
//
// Conversions of a layout of any system to all systems. If the array is small, every
// answer agrees with enumeration; only a conversion to xla may be undecided. The bytes choose the
// layout. A finding names a pair for `tileproof equiv`, or a layout for `tileproof layout --as`.

constexpr int64_t kMaxIndices = 500;

std::string check_conversions(absl::string_view bytes, verify::CaseCounts& tally) {
  verify::ProofSession session;
  session.milliseconds_per_question = 200;
  return std::string(
      verify::compare_conversions(layout_of_choices(bytes_of(bytes)), kMaxIndices, session, tally)
          .message());
}

// ---- relayout ----
//
// A copy of an array from one layout into another. An input is two shapes of the same
// dimensions, one a line; its hash chooses the width of elements, what happens to padding, a box and
// the threads. Every element and every padding byte of the destination is what the definitions of
// both layouts give. The buffers are as large as the plan says, so the sanitizer finds any access
// beyond.

using impl::RelayoutOptions;
using impl::RelayoutPlan;

constexpr int64_t kMostElements = 1 << 13;  // of a buffer

struct Pair {
  Shape from, to;
};

std::vector<Pair> pair_of(absl::string_view text) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  if (lines.size() != 2) return {};
  const absl::StatusOr<Shape> from = parse_shape(lines[0]), to = parse_shape(lines[1]);
  if (!from.ok() || !to.ok()) return {};
  return {{*from, *to}};
}

std::string check_relayout(absl::string_view text, verify::CaseCounts&) {
  const std::vector<Pair> pairs = pair_of(text);
  if (pairs.empty()) return "";
  const AnyLayout left(pairs[0].from), right(pairs[0].to);
  const auto from = spec::layout_function(left), to = spec::layout_function(right);
  if (!from.ok() || !to.ok() || from->dims != to->dims) return "";
  if (std::max(*from->elements, *to->elements) > kMostElements) return "";
  Choose choose(Choose::Random{seed_of(text)});
  const RelayoutOptions options = impl::random_options(choose, from->dims);
  const auto source_side = impl::relayout_side(left), destination_side = impl::relayout_side(right);
  if (!source_side.ok() || !destination_side.ok())
    return absl::StrCat("a valid layout is refused at ", text);
  const auto plan = RelayoutPlan::create(*source_side, *destination_side, options);
  if (!plan.ok())
    return absl::StrCat("a relayout is refused at ", text, ": ", plan.status().message());
  const auto run = [&](std::vector<char>& source, std::vector<char>& destination) {
    plan->run(source.data(), destination.data());
  };
  if (impl::copies(*from, *to, *to->elements, *plan, options, run)) return "";
  return absl::StrCat("a relayout gives other bytes at ", text, ": ", options.element_bits,
                      " bits, padding ", static_cast<int>(options.padding), ", box of rank ",
                      options.begin.size(), ", threads ", options.threads, ":\n", plan->to_text());
}

std::string mutated_shapes(Choose& choose, absl::string_view text) {
  std::vector<Pair> pairs = pair_of(text);
  if (pairs.empty() || choose.chance(1, 16)) {
    const Shape array = random_shape(choose, choose.pick<int64_t>({40, 600, 3000}));
    pairs = {{array, impl::another_layout(choose, array)}};
  }
  Pair& pair = pairs[0];
  switch (choose(4)) {
    case 0:
      std::swap(pair.from, pair.to);
      break;
    case 1:
      pair.to = impl::another_layout(choose, pair.from);
      break;
    default:  // a change of one side; the other side follows its dimensions
      mutate_shape(choose, pair.from);
      if (pair.from.kind == Shape::Kind::kArray && pair.from.rank() == pair.to.rank()) {
        pair.to.dimensions = pair.from.dimensions;
      } else {
        pair.to = impl::another_layout(choose, pair.from);
      }
  }
  return absl::StrCat(to_text(pair.from), "\n", to_text(pair.to));
}

// ---- nested ----
//
// A text either parses as a nested layout, a tag on a shape or a blocked format on
// one, or a swizzled layout, or fails with a column. The printed text parses as the same value. For
// nested layouts and tags, reference and closed form agree on size, cosize, offsets, coordinates and
// tiles; for swizzled layouts, on offsets; for layouts of threads, on who holds what. A finding can be pasted after `tileproof layout`.

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

std::string check_nested(absl::string_view text, verify::CaseCounts& tally) {
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

std::string mutated_nested(Choose& choose, absl::string_view text) {
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

// ---- algebra ----
//
// Every law of the layout algebra holds for operands that the bytes choose. A finding
// prints the operands, which can be pasted after `tileproof algebra`.

std::string check_laws(absl::string_view bytes, verify::CaseCounts& tally) {
  Choose choose(Choose::Bytes{bytes_of(bytes)});
  return verify::broken_law(verify::random_algebra_case(choose), tally);
}

constexpr TextTarget kTargets[] = {
    // the numbers: bytes_of_16
    {"shape_text", check_shape_text, mutated_shape, 8},
    {"layout", check_layout, mutated_shape, 0},
    {"layout_convert", check_conversions, mutated_choices, 8},
    {"relayout", check_relayout, mutated_shapes, 0},
    {"nested", check_nested, mutated_nested, 2},
    {"algebra", check_laws, mutated_choices, 8},
};

}  // namespace

absl::Span<const TextTarget> targets() { return kTargets; }

}  // namespace tileproof
