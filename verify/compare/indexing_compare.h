// SPDX-License-Identifier: Apache-2.0
// Compares the indexing analysis with the provenance interpreter, element by element.
//
// Take an element of a result. The answer's maps reach some elements of operands or parameters, for
// every value of their range variables and the given values of offsets and indices. These must be
// exactly the elements that the reference found, or a superset if the answer says so. For input to
// output, exchange the two sides: start at an element of an array that is read, and reach elements
// of the result. A runtime variable has the value of the element that its source names, clamped to
// its bounds. The same must hold for the maps as `tileproof map` prints them (impl/hlo/merge_maps.h),
// read back from their texts.
//
// The maps must have no points outside of the array at which they start. This is checked on a
// margin around it: f32[2] -> f32[1] pad=-1_0 is (d0) -> (d0 + 1) for d0 in [0, 0], and d0 in
// [-1, 0] is wrong.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/hlo/indexing.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// The values that the reference used for offsets and indices, at the positions that an answer
// names.

// The values of offsets: spec::arbitrary_value with this seed and range, or one value for all.
struct RuntimeChoice {
  uint64_t seed = 0;
  int64_t near = 1;
  std::optional<int64_t> all = std::nullopt;
};

int64_t value_of(const spec::HloElement& position, const RuntimeChoice& choice);

// Resolves a position to the source of its value, as the reference does (spec/hlo/provenance.h).
// The module must outlive this object.
class OffsetValues {
 public:
  // The provenance is that of the computation, with the same choice.
  OffsetValues(const HloModule& module, int32_t computation, Scope scope,
               const spec::Provenance& provenance, RuntimeChoice choice);

  // Returns the value before clamping. Each element is followed to its source once.
  int64_t of(const HloPosition& position, std::vector<int64_t> index);

 private:
  int64_t followed(const HloPosition& position, std::vector<int64_t> index) const;

  const HloModule& module_;
  int32_t computation_;
  Scope scope_;
  RuntimeChoice choice_;
  std::map<spec::HloElement, int64_t> known_;
  std::map<spec::HloElement, int64_t> followed_;
};

struct IndexingComparison {
  enum class Kind : uint8_t {
    kEqual,     // the same access relation
    kSuperset,  // the answer says that it is inexact, and nothing is missing
    kRefused,   // both refuse the instruction, or the reference refuses one that it depends on
    kTooLarge,  // too large to enumerate
    kDifferent,
  };
  Kind kind = Kind::kEqual;
  std::string difference;     // kDifferent: the element, what was expected and found
  bool outside = false;       // kDifferent: an index is outside of its array
  int64_t elements = 0;       // compared elements of the result
  bool conservative = false;  // the reference itself has a superset
};

// The maximal number of points in one comparison, each with one for each runtime variable.
inline constexpr int64_t kMaxWork = 20'000'000;

// The query: from which array, to which others.
struct IndexingQuestion {
  int32_t computation = 0;
  int32_t instruction = 0;
  int32_t array = 0;  // leaf of the result; input to output: position among the leaves read
  Scope scope = Scope::kInstruction;
  impl::Direction direction = impl::Direction::kOutputToInput;
};

// "leaf 1, scope instruction", "input 0, scope computation"
std::string to_text(const IndexingQuestion& question);

// Returns the questions in both directions and scopes about the first arrays. An instruction
// without a shape gets a question about its first leaf; both sides should refuse it.
std::vector<IndexingQuestion> questions_about(const HloModule& module, int32_t computation,
                                              int32_t instruction, int64_t most_arrays = 64);

// Returns the analysis' answer: lists by operand or parameter and leaf. Input to output: lists by
// leaf of the result, as for one operand.
absl::StatusOr<impl::Indexing> analyzed(const HloModule& module, const IndexingQuestion& question);

// Compares the analysis with the reference; kTooLarge beyond the limits.
IndexingComparison compare_indexing(const HloModule& module, const IndexingQuestion& question,
                                    RuntimeChoice choice, const spec::Limits& limits = {});

struct RootLimits {
  int64_t arrays = 64;  // of the result, and as many that are read
  bool exact = false;   // a superset is a difference, too
  // What the reference enumerates, for all questions together.
  spec::Limits reference = {.elements = 4096, .work = 1 << 18, .depth = 50};
};

// Compares an instruction of the entry: each array, in both scopes and both directions. Returns ""
// or "gather with what it reads is indexed wrongly at leaf 0, ..", whose text up to " at " is the
// cause by which findings are filed.
std::string indexing_difference(const HloModule& module, int32_t instruction, RuntimeChoice choice,
                                const RootLimits& limits, CaseCounts& tally);

// Compares any answer with the provenance, which must have as many sources as the answer has lists.
// Positions are relative to `computation`. The provenance has the same choice and direction (input
// to output: spec/hlo/provenance_inverse.h).
IndexingComparison compare_answer(const HloModule& module, int32_t computation, Scope scope,
                                  impl::Direction direction, const spec::Provenance& provenance,
                                  const impl::Indexing& answer, RuntimeChoice choice,
                                  int64_t work = kMaxWork);

// Compares the maps of a collective with the reference, element by element on each device.

// Compares the maps on all devices, and those on each one (impl/hlo/device_maps.h,
// spec/hlo/device_provenance.h). Returns "" or "all-gather is indexed wrongly at leaf 0 on device 2: ..".
std::string device_maps_difference(const HloModule& module, int32_t computation,
                                   int32_t instruction, CaseCounts& tally);

}  // namespace tileproof::verify
