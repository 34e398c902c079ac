// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/convert_compare.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"

namespace tileproof::verify {
namespace {

using Index = std::vector<int64_t>;

std::string equiv(const spec::LayoutFunction& left, const spec::LayoutFunction& right) {
  return absl::StrCat("equiv '", to_text(left.layout), "' '", to_text(right.layout), "'");
}

// Returns the number of indices, or nothing if it exceeds `most`.
std::optional<int64_t> count(const spec::Dims& dims, int64_t most) {
  const std::optional<int64_t> elements = element_count(dims);
  return elements && *elements <= most ? elements : std::nullopt;
}

// Returns whether both have the same offset at every index. The array is not empty.
bool same_everywhere(const spec::LayoutFunction& left, const spec::LayoutFunction& right) {
  Index index(left.dims.size(), 0);
  do {
    if (*spec::offset_at(left, index) != *spec::offset_at(right, index)) return false;
  } while (next_index(left.dims, index));
  return true;
}

// Checks the conversion to one system.
absl::Status compare_conversion(const spec::LayoutFunction& given, LayoutSystem system,
                                int64_t most_indices, ProofSession& session, CaseCounts& tally) {
  const Converted converted = TRY(convert(given.layout, system, ElementType::kF32, session));
  const std::optional<int64_t> indices = count(given.dims, most_indices);
  if (!converted.layout) {
    if (indices && !converted.ruled_out && system != LayoutSystem::kXla) {
      return absl::InternalError(absl::StrCat(
          to_text(given.layout), " is neither converted nor ruled out: ", converted.reason));
    }
    ++tally[converted.ruled_out ? "ruled out" : "open"];
    return absl::OkStatus();
  }
  ++tally[converted.proof.verdict == Verdict::kProven ? "proven" : "open"];
  if (!indices || *indices == 0) return absl::OkStatus();
  spec::LayoutFunction left = given;
  spec::LayoutFunction right = TRY(spec::layout_function(*converted.layout));
  TRY(spec::share_shape(left, right));
  if (!same_everywhere(left, right))
    return absl::InternalError(absl::StrCat(equiv(left, right), ": a wrong conversion"));
  tally["indices"] += *indices;
  return absl::OkStatus();
}

}  // namespace

absl::Status compare_conversions(const AnyLayout& layout, int64_t most_indices,
                                 ProofSession& session, CaseCounts& tally) {
  const absl::StatusOr<spec::LayoutFunction> given = spec::layout_function(layout);
  ++tally[given.ok() ? "layouts" : "without a function"];
  if (!given.ok()) return absl::OkStatus();
  for (LayoutSystem system :
       {LayoutSystem::kXla, LayoutSystem::kTla, LayoutSystem::kCute, LayoutSystem::kDnnl}) {
    TRY(compare_conversion(*given, system, most_indices, session, tally));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> compare_verdict(const spec::LayoutFunction& left,
                                        const spec::LayoutFunction& right, int64_t most_indices,
                                        ProofSession& session) {
  const std::optional<int64_t> indices = count(left.dims, most_indices);
  if (!indices || *indices == 0) return 0;
  const Verdict expected = same_everywhere(left, right) ? Verdict::kProven : Verdict::kRefuted;
  const LayoutProof proof = prove_equal(left, right, session);
  if (proof.verdict == expected) return *indices;
  return absl::InternalError(
      absl::StrCat(equiv(left, right), ": ", expected == Verdict::kProven ? "equal" : "different",
                   ", but the verdict is ",
                   proof.verdict == Verdict::kUndecided ? "none" : proof.counterexample));
}

}  // namespace tileproof::verify
