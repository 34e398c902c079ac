// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/hlo_claim.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/operations.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"
#include "verify/compare/indexing_compare.h"
#include "verify/prove/hlo/indexing_proof.h"
#include "verify/prove/map/map_equal.h"

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

// The choices of values for the offsets beside kAllOffsetsZero; none if there are no offsets. Most
// values are no larger than the sizes of the arrays.
std::vector<RuntimeChoice> choices_for(const spec::Provenance& provenance) {
  std::vector<RuntimeChoice> choices;
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

// Compares a claim with the reference's answer for one choice.
Assessment compare(const HloQuestion& question, const HloClaim& claim, const RuntimeChoice& choice,
                   const absl::StatusOr<spec::Provenance>& provenance) {
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
    return open("the reference is a superset: ", provenance->conservative[0]);
  }
  return wrong(result.difference, values_text(question, *provenance));
}

bool is_right_so_far(const Assessment& assessment) {
  return assessment.kind == Assessment::Kind::kRight ||
         assessment.kind == Assessment::Kind::kSuperset;
}

constexpr int64_t kMillisecondsOfSide = 1'000;  // of the solver, for one side of one dimension

bool is_empty(const Interval& bounds) { return bounds.low > bounds.high; }

bool depends_on_runtime(const IndexingMap& map) {
  std::vector<NodeId> roots;
  for (const Constraint& constraint : map.constraints) roots.push_back(constraint.expr);
  const std::vector<NodeId> nodes = spec::nodes_under(map.nodes, roots);
  return std::any_of(nodes.begin(), nodes.end(),
                     [&map](NodeId id) { return map.nodes[id].op == Op::kRuntime; });
}

// A point of the map with dimension d in `bounds`.
std::optional<std::string> point_within(IndexingMap map, size_t d, Interval bounds) {
  if (is_empty(bounds)) return std::nullopt;
  for (NodeId& result : map.results) result = add_constant(map.nodes, 0);  // only the domain counts
  map.dimensions[d].bounds = bounds;
  IndexingMap empty = map;
  empty.dimensions[d].bounds = {0, -1};
  verify::EqualOptions options;
  options.milliseconds = kMillisecondsOfSide;
  const absl::StatusOr<verify::MapEquality> equality = verify::equal(map, empty, options);
  if (!equality.ok() || equality->verdict != verify::Verdict::kRefuted) return std::nullopt;
  return spec::to_text(map, equality->difference->at);
}

// What is wrong, if a map has a point outside of the array of these sizes, at which it starts.
//
//     f32[2] -> f32[1] pad=-1_0    (d0) -> (d0 + 1), domain: d0 in [-1, 0]    the point d0 = -1
//
// The comparison of elements looks at a margin around the array (verify/compare/indexing_compare.h).
// This looks everywhere, by the equality of maps: each part of a map that is beyond the array must
// be equal to an empty map. Maps whose domain depends on a runtime variable are left to the
// comparison of elements, which knows the values.
std::optional<std::string> point_outside(const IndexingMap& map, const spec::Dims& dims) {
  if (map.known_empty || map.dimensions.size() != dims.size() || depends_on_runtime(map)) {
    return std::nullopt;
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    const Interval bounds = map.dimensions[d].bounds;
    for (const Interval& beyond : {Interval{bounds.low, std::min<int64_t>(bounds.high, -1)},
                                   Interval{std::max(bounds.low, dims[d]), bounds.high}}) {
      if (std::optional<std::string> point = point_within(map, d, beyond)) return point;
    }
  }
  return std::nullopt;
}

std::optional<std::string> point_outside(const impl::Indexing& indexing, const spec::Dims& dims) {
  for (const auto& lists : indexing) {
    for (const impl::LeafMaps& list : lists) {
      for (const impl::IndexedMap& one : list.maps) {
        const std::optional<std::string> point = point_outside(one.map, dims);
        if (!point) continue;
        return absl::StrCat("the map has the point ", *point, ", which is outside of the array; ",
                            to_text(one.map));
      }
    }
  }
  return std::nullopt;
}

constexpr int64_t kMilliseconds = 5'000;  // of the solver, for one array of the operands

using Arrays = std::vector<spec::Dims>;

absl::StatusOr<Arrays> arrays_of(const SharedShape& shape) {
  if (!shape) return absl::UnimplementedError("an operand has no shape");
  const Leaves leaves = TRY(leaves_of(*shape));
  Arrays arrays;
  for (const Leaf& leaf : leaves) arrays.emplace_back(leaf.dims.begin(), leaf.dims.end());
  return arrays;
}

// The arrays at both ends of the question, without elements.
absl::StatusOr<spec::Provenance> ends_of(const HloQuestion& question) {
  const HloComputation& computation = question.module.computations[question.computation];
  const HloInstruction& at = computation.instructions[question.instruction];
  const Arrays results = TRY(arrays_of(at.shape));
  spec::Provenance ends;
  for (const HloOperand& operand : at.operands) {
    ends.sources.push_back(TRY(arrays_of(computation.instructions[operand.instruction].shape)));
  }
  if (question.array >= std::ssize(results)) return absl::UnimplementedError("no such array");
  ends.dims = results[question.array];
  if (!question.is_inverse()) return ends;
  const bool one = results.size() == 1 && ends.sources.size() == 1 && ends.sources[0].size() == 1;
  if (!one) return absl::UnimplementedError("several arrays that are too large to enumerate");
  std::swap(ends.dims, ends.sources[0][0]);
  return ends;
}

// Judges an answer about arrays that are too large to enumerate: it is proven or refuted
// (verify/prove/hlo/indexing_proof.h). Open if the question is about a computation, or from input to
// output with several arrays on a side.
Assessment judge_by_proof(const HloQuestion& question, const Answer& answer) {
  if (question.scope != Scope::kInstruction || question.is_on_devices)
    return open("too large to enumerate");
  const absl::StatusOr<spec::Provenance> ends = ends_of(question);
  if (!ends.ok()) return open(ends.status().message());
  const absl::StatusOr<HloClaim> claim = read_hlo_claim(question, *ends, answer);
  if (absl::IsUnimplemented(claim.status())) return open(claim.status().message());
  if (!claim.ok()) return wrong(claim.status().message());
  if (const auto outside = point_outside(claim->indexing, ends->dims)) {
    return {Assessment::Kind::kWrong, *outside};
  }
  if (claim->unknown) return {Assessment::Kind::kUnspecified, "a list is \"unknown\""};
  verify::VerifySession session;
  session.options.milliseconds = kMilliseconds;
  const verify::InstructionVerdict verdict = verify::verify_maps(
      question.module, question.computation, question.instruction,
      question.is_inverse() ? 0 : question.array, claim->indexing, session, question.direction);
  switch (verdict.kind) {
    case verify::InstructionVerdict::Kind::kProven:
    case verify::InstructionVerdict::Kind::kNoDataflow:
      return {};
    case verify::InstructionVerdict::Kind::kConservative:
      return {Assessment::Kind::kSuperset, ""};
    case verify::InstructionVerdict::Kind::kRefuted:
      return {Assessment::Kind::kWrong, verdict.detail};
    default:
      return open(verdict.detail);
  }
}

}  // namespace

Assessment judge_hlo_index(const Json& request, const Answer& answer) {
  const auto& [question, first] = reference_of(request);
  if (!question.ok()) return open(question.status().message());
  if (absl::IsResourceExhausted(first.status())) return judge_by_proof(*question, answer);
  if (!first.ok()) return open(first.status().message());
  const absl::StatusOr<HloClaim> claim = read_hlo_claim(*question, *first, answer);
  if (!claim.ok()) {
    return absl::IsUnimplemented(claim.status()) ? open(claim.status().message())
                                                 : wrong(claim.status().message());
  }
  Assessment whole = compare(*question, *claim, kAllOffsetsZero, first);
  for (const RuntimeChoice& choice : choices_for(*first)) {
    if (!is_right_so_far(whole)) break;
    const Assessment meaning = compare(*question, *claim, choice, provenance_of(*question, choice));
    if (meaning.kind != Assessment::Kind::kRight) whole = meaning;
  }
  if (!is_right_so_far(whole)) return whole;
  if (const auto outside = point_outside(claim->indexing, first->dims)) return wrong(*outside);
  if (!claim->unknown) return whole;
  return {Assessment::Kind::kUnspecified, "a list is \"unknown\""};
}

}  // namespace tileproof::conform
