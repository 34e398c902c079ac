// Formats that have a name, and the layout that each chooses for a shape.
//
// The document "Tiled layout" ends with a section "Examples of tiling formats", six items in prose.
// Here each sentence of it that decides something is a row of a table; where the document is silent
// on a shape a row says so, and what is assumed in its place.
//
//     bf16[8,3,200]   -->  bf16[8,3,200]{2,1,0:T(4,128)(2,1)}
//     4x128           item 3: a second most minor dimension of 3 or 4 has tiles of 4x128
//     16-bit          item 4: BF16 usually has (8,128)(2,1)
//     packed-small    silent: how small tiles and packing go together; assumed: ..
//
// What real TPU layouts say about the rows, assumptions included, is counted in
// spec/layout/named_format_test.cc. Source: seed "Tiled layout", section "Examples of tiling formats".
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::spec {

// What the rows look at, and what they decide.
struct FormatCase {
  ElementType type;
  bool ordered = false;       // the shape says which dimensions are minor
  int64_t rank = 0;           // logical dimensions
  int64_t elements = 0;       // of an array of fewer than two dimensions
  int64_t second_minor = 0;   // size of the second most minor dimension, if there are two
  int64_t bits = 0;           // of an element
  int64_t rows = 8;           // of a tile ..
  int64_t columns = 128;      // .. and its columns
  int64_t packing = 1;        // elements of one column that are put side by side
  bool element_bits = false;  // the layout says E(bits)
};

struct FormatRule {
  absl::string_view name;
  int item = 0;                // of the section; 0: the document is silent
  absl::string_view sentence;  // what the item says, or what the document does not say
  absl::string_view assumed;   // where it is silent
  bool (*applies)(const FormatCase&);
  void (*decide)(FormatCase&);
};

// The rows, in the order in which they are tried. All that apply decide.
absl::Span<const FormatRule> tpu_format();
absl::Span<const FormatRule> untiled_format();

struct ChosenLayout {
  Shape shape;                           // with the layout
  std::vector<const FormatRule*> rules;  // that applied
};

// The layout of this format, "tpu" or "untiled", for an array. Which dimensions are minor, the
// memory space, and the width of an element (E) are taken from the layout of `array`, if it has
// one; its tiles are not. Errors: an unknown format, what is no array with bounded dimensions.
absl::StatusOr<ChosenLayout> chosen_layout(absl::string_view format, const Shape& array);

}  // namespace tileproof::spec
