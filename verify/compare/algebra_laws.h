// The laws of the layout algebra, each stated once, and the comparison of the closed forms with the
// reference. Tests and the campaign go through this table.
//
// A law is checked on what the closed form answers, with the values of layouts by the reference. It
// does not apply where an operation refuses, or 64 bits do not reach.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::verify {

// Operands of every operation.
struct AlgebraCase {
  NestedLayout a, b, c;
  int64_t m = 1;  // what a complement fills
  Tiler tiler;    // of a, by mode
  Slicer slicer;  // of a
  Swizzle swizzle;
};
AlgebraCase random_algebra_case(Choose& choose);

// One line, m from 1 to 2^56, a tile for each of the first modes of A, two spaces between:
//
//     A = 4:1  B = 2:1  C = 1:0  m = 12  tiler = <2:1>  slicer = _  Sw<1,0,2>
std::string to_text(const AlgebraCase& operands);
absl::StatusOr<AlgebraCase> parse_algebra_case(absl::string_view text);

enum class Outcome { kHolds, kNotApplicable };

struct Law {
  absl::string_view name;
  absl::string_view statement;
  // An error: the law is broken; the message can be pasted back.
  absl::StatusOr<Outcome> (*check)(const AlgebraCase& operands);
};

// Every law; those called same-as-reference-.. say that the closed form has the answer or the
// refusal of the reference.
absl::Span<const Law> algebra_laws();

}  // namespace tileproof::verify
