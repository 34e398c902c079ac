// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either parses as a shape with its layout or fails with a column. The printed
// text parses as the same shape.
#include "absl/strings/str_cat.h"
#include "fuzz/targets/shape_inputs.h"

namespace tileproof {
namespace {

void check(absl::string_view text) {
  const auto parse = [](absl::string_view t) { return parse_shape(t); };
  check_read_back(parse(text), parse);
}

}  // namespace

const TextTarget kTarget = {check, mutated_shape, crossed_shape, /*bytes_of_16=*/8};

}  // namespace tileproof
