// SPDX-License-Identifier: Apache-2.0
// The laws of the layout algebra, each stated once, and the comparison of the closed forms with the
// reference. Tests and the campaign run this table.
//
// A law evaluates the closed form's answer with the reference's values of layouts. It does not
// apply if an operation refuses its operands or a number exceeds 64 bits.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// The operands of every operation.
struct AlgebraCase {
  NestedLayout a, b, c;
  int64_t m = 1;  // the complement fills [0, m)
  Tiler tiler;    // tiles a, by mode
  Slicer slicer;  // slices a
  Swizzle swizzle;
};
AlgebraCase random_algebra_case(Choose& choose);

// One line: m from 1 to 2^56, one tile for each of the first modes of A, two spaces between parts.
//
//     A = 4:1  B = 2:1  C = 1:0  m = 12  tiler = <2:1>  slicer = _  Sw<1,0,2>
std::string to_text(const AlgebraCase& operands);
absl::StatusOr<AlgebraCase> parse_algebra_case(absl::string_view text);

enum class Outcome { kHolds, kNotApplicable };

struct Law {
  absl::string_view name;
  absl::string_view statement;
  // The outcome, or why an operation has no answer.
  absl::StatusOr<Outcome> (*outcome_at)(const AlgebraCase& operands);

  // Not applicable if an operation has no answer. Error: the law is broken; the message can be pasted
  // back.
  absl::StatusOr<Outcome> check(const AlgebraCase& operands) const;
};

// Returns every law. The laws same-as-reference-.. require the reference's answer or its refusal.
absl::Span<const Law> algebra_laws();

// Checks every law. Returns "" or "LAW at OPERANDS: .."; counts how often each held.
std::string broken_law(const AlgebraCase& operands, CaseCounts& tally);

}  // namespace tileproof::verify
