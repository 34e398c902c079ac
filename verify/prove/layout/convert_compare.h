// Conversions and proofs of equality against enumeration: the comparison that tests and campaigns
// of layouts of several systems use. It evaluates both references at every index and asks nobody.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/lang/layout/any_layout.h"
#include "verify/prove/layout/layout_convert.h"

namespace tileproof::verify {

// What became of conversions.
struct ConversionComparison {
  int64_t layouts = 0;
  int64_t proven = 0;     // conversions that are proven equal
  int64_t ruled_out = 0;  // .. that a point shows to be impossible
  int64_t open = 0;       // .. not found, or not proven
  int64_t indices = 0;    // at which a converted layout was evaluated
  int64_t errors = 0;     // layouts that have no function: too large, unbounded

  ConversionComparison& operator+=(const ConversionComparison& other);
};
std::string to_text(const ConversionComparison& compared);

// To all four systems. Where the array has at most `most_indices` elements each answer is compared
// with all of them, and only a conversion to xla may be open. An error is a finding, a line that
// can be pasted back.
absl::StatusOr<ConversionComparison> compare_conversions(const AnyLayout& layout,
                                                         int64_t most_indices,
                                                         ProofSession& session);

// Is the verdict of prove_equal that of all indices? The functions have one logical shape of at
// most `most_indices` elements; others are not compared, and the count is 0.
absl::StatusOr<int64_t> compare_verdict(const LayoutFunction& left, const LayoutFunction& right,
                                        int64_t most_indices, ProofSession& session);

}  // namespace tileproof::verify
