// SPDX-License-Identifier: Apache-2.0
// Named formats, and the layout that each chooses for a shape.
//
// XLA's "Tiled layout" ends with a section "Examples of tiling formats": six items in prose.
// Each of its sentences that decides something is a rule here. If the document is silent about a
// shape, a rule states what Tileproof assumes.
//
//     bf16[8,3,200]   -->  bf16[8,3,200]{2,1,0:T(4,128)(2,1)}
//     4x128           item 3: a second most minor dimension of 3 or 4 has tiles of 4x128
//     16-bit          item 4: BF16 usually has (8,128)(2,1)
//     packed-small    silent: how small tiles combine with packing; assumed: ..
//
// spec/layout/named_format_test.cc counts how many real TPU layouts agree with the rules,
// assumptions included. Source: XLA, "Tiled layout", "Examples of tiling formats"
// (docs/sources.md).
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::spec {

// The facts that the rules look at; from `rows` on, what they decide.
struct FormatCase {
  ElementType type;
  bool ordered = false;       // the shape has a layout, so the minor dimensions are known
  int64_t rank = 0;           // logical dimensions
  int64_t elements = 1;       // of an array of fewer than two dimensions
  int64_t second_minor = 0;   // size of the second most minor dimension; 0 if there is none
  int64_t bits = 0;           // of an element
  int64_t rows = 0;           // of a tile; 0 if the array has fewer than two dimensions
  int64_t columns = 128;      // of a tile
  int64_t packing = 1;        // elements of one column that are packed side by side
  bool element_bits = false;  // the layout says E(bits)
};

struct FormatRule {
  absl::string_view name;
  int item = 0;                // number of the item in the section; 0: the document is silent
  absl::string_view sentence;  // what the item says, or what the document leaves open
  absl::string_view assumed;   // what is assumed if the document is silent
  bool (*applies)(const FormatCase&);
  void (*decide)(FormatCase&);
};

// Return the rules of a format in order. All rules that apply decide, the later ones last.
absl::Span<const FormatRule> tpu_format();
absl::Span<const FormatRule> untiled_format();

struct ChosenLayout {
  Shape shape;                           // with the chosen layout
  std::vector<const FormatRule*> rules;  // the rules that applied
};

// Returns the layout that the format, "tpu" or "untiled", chooses for an array. The order of the
// dimensions, the memory space and the width of an element (E) come from the layout of `array`, if
// it has one; its tiles are ignored. Errors: an unknown format; a shape that is not an array with
// bounded dimensions.
absl::StatusOr<ChosenLayout> chosen_layout(absl::string_view format, const Shape& array);

}  // namespace tileproof::spec
