// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/hlo_judge.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/hlo_claim.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/hlo_outside.h"
#include "conform/oracle/hlo_proof.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof::conform {
namespace {

using verify::IndexingComparison;
using verify::RuntimeChoice;

constexpr int64_t kWork = 4'000'000;     // points enumerated for one choice of values
constexpr int64_t kAllWork = 8'000'000;  // points enumerated for all choices, roughly
constexpr int64_t kMaxEqual = 32;        // choices of one positive value for all offsets
constexpr int64_t kMaxRandom = 16;       // choices of random values

// Estimates the work of one comparison.
int64_t pairs_of(const spec::Provenance& provenance) {
  int64_t pairs = 1;
  for (const auto& element : provenance.elements) pairs += 1 + std::ssize(*element);
  return pairs;
}

// The choices of values for the offsets; one choice if there are no offsets. Most values are no
// larger than the sizes of the arrays.
std::vector<RuntimeChoice> choices_for(const spec::Provenance& provenance) {
  std::vector<RuntimeChoice> choices = {{0, 1, 0}};
  if (provenance.reads.empty()) return choices;
  int64_t near = 1;
  for (int64_t size : provenance.dims) near = std::max(near, size);
  for (const std::vector<spec::Dims>& operand : provenance.sources) {
    for (const spec::Dims& dims : operand) {
      for (int64_t size : dims) near = std::max(near, size);
    }
  }
  const int64_t all = std::max<int64_t>(6, kAllWork / pairs_of(provenance));
  for (int64_t seed = 0; seed < std::min(all, kMaxRandom); ++seed) {
    choices.push_back({static_cast<uint64_t>(seed), near});
  }
  for (int64_t value : {int64_t{-1}, int64_t{INT64_MIN}, int64_t{INT64_MAX}}) {
    choices.push_back({0, 1, value});
  }
  const int64_t most = std::min({near + 1, all, kMaxEqual});
  for (int64_t value = 1; value <= most; ++value) choices.push_back({0, 1, value});
  return choices;
}

// "; offsets(1) = 7": at most six of the values.
std::string values_text(const HloQuestion& question, const spec::Provenance& provenance) {
  std::string text;
  const size_t most = std::min<size_t>(provenance.reads.size(), 6);
  for (size_t i = 0; i < most; ++i) {
    const spec::RuntimeRead& read = provenance.reads[i];
    absl::StrAppend(&text, "; ",
                    question.module.computations[read.position.computation]
                        .instructions[read.position.instruction]
                        .name,
                    "(", absl::StrJoin(read.position.index, ", "), ") = ", read.value);
  }
  return text;
}

Assessment compare(const HloQuestion& question, const HloClaim& claim,
                   const RuntimeChoice& choice) {
  const absl::StatusOr<spec::Provenance> provenance = provenance_of(question, choice);
  if (!provenance.ok()) return open(provenance.status().message());
  const IndexingComparison result =
      verify::compare_answer(question.module, question.computation, question.scope,
                             question.direction, *provenance, claim.indexing, choice, kWork);
  switch (result.kind) {
    case IndexingComparison::Kind::kEqual:
      return {};
    case IndexingComparison::Kind::kSuperset:
      return {Assessment::Kind::kSuperset, ""};
    case IndexingComparison::Kind::kDifferent:
      break;
    default:
      return open("too large to enumerate");
  }
  if (result.conservative && !result.outside) {
    return open(absl::StrCat("the reference is a superset: ", provenance->conservative[0]));
  }
  return wrong(absl::StrCat(result.difference, values_text(question, *provenance)));
}

}  // namespace

Assessment judge_hlo_index(const Json& request, const Answer& answer) {
  const absl::StatusOr<HloQuestion> question = read_hlo_question(request);
  if (!question.ok()) return open(question.status().message());
  const absl::StatusOr<spec::Provenance> first = provenance_of(*question, {0, 1, 0});
  if (absl::IsResourceExhausted(first.status())) return judge_by_proof(*question, answer);
  if (!first.ok()) return open(first.status().message());
  const absl::StatusOr<HloClaim> claim = read_hlo_claim(*question, *first, answer);
  if (!claim.ok()) {
    return absl::IsUnimplemented(claim.status()) ? open(claim.status().message())
                                                 : wrong(claim.status().message());
  }
  Assessment whole;
  for (const RuntimeChoice& choice : choices_for(*first)) {
    const Assessment meaning = compare(*question, *claim, choice);
    const bool right = meaning.kind == Assessment::Kind::kRight;
    if (!right && meaning.kind != Assessment::Kind::kSuperset) return meaning;
    if (!right) whole = meaning;
  }
  if (const auto outside = point_outside(claim->indexing, first->dims)) return wrong(*outside);
  if (!claim->unknown) return whole;
  return {Assessment::Kind::kUnspecified, "a list is \"unknown\""};
}

}  // namespace tileproof::conform
