// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either parses as a shape with its layout or fails with a column. The printed
// text parses as the same shape.
#include <string>

#include "absl/strings/str_cat.h"
#include "fuzz/targets/shape_inputs.h"

namespace tileproof {
namespace {

void check(absl::string_view text) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok()) {
    if (shape.status().message().find("column ") == absl::string_view::npos)
      fail(absl::StrCat("an error that names no column: ", shape.status().message()));
    return;
  }
  const std::string printed = to_text(*shape);
  const absl::StatusOr<Shape> again = parse_shape(printed);
  if (!again.ok() || *again != *shape)
    fail(absl::StrCat("the printed text is another shape or none: '", printed, "'"));
  if (to_text(*again) != printed) fail(absl::StrCat("printed in two ways: '", printed, "'"));
}

}  // namespace

const TextTarget kTarget = {check, mutated_shape, crossed_shape, /*bytes_of_16=*/8};

}  // namespace tileproof
