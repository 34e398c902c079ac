// Indexing analysis against the provenance interpreter, element by element.
//
// For every element of a result (input to output: of an array that is read) the elements of
// operands or parameters (of the result) that the answer's maps reach, for every value of their
// range variables and for the values that offsets and indices are given, must be those that the
// reference found; or include them, where the answer says that it is a superset. Runtime variables
// get their values as an answer says: from the element that their source names, clamped to the
// feasible values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/hlo/indexing.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/compare/offset_values.h"

namespace tileproof::verify {

struct IndexingComparison {
  enum class Kind : uint8_t {
    kEqual,     // the same relation
    kSuperset,  // the answer is inexact where it says so, and nothing is missing
    kRefused,   // both refuse the instruction; or the reference one that leads to it
    kTooLarge,  // to enumerate
    kDifferent,
  };
  Kind kind = Kind::kEqual;
  std::string difference;     // of kDifferent: the place, what was expected and what was found
  bool outside = false;       // of kDifferent: an index outside the operand was found
  int64_t elements = 0;       // compared, of the result
  bool conservative = false;  // the reference is conservative itself
};

// Points that are looked at in one comparison.
inline constexpr int64_t kMaxWork = 20'000'000;

// What is asked: from which array, towards which others.
struct IndexingQuestion {
  int32_t computation = 0;
  int32_t instruction = 0;
  int32_t array = 0;  // leaf of the result; input to output: number among all leaves that are read
  spec::Scope scope = spec::Scope::kInstruction;
  impl::Direction direction = impl::Direction::kOutputToInput;
};

// "leaf 1, scope instruction", "input 0, scope computation"
std::string to_text(const IndexingQuestion& question);

// In both directions and scopes, from the first arrays. One about a first leaf that is not there
// where shapes are not written: both should refuse it.
std::vector<IndexingQuestion> questions_about(const HloModule& module, int32_t computation,
                                              int32_t instruction, int64_t most_arrays = 64);

// The analysis' answer: by operand or parameter and leaf; input to output the leaves of the result,
// as if of one operand.
absl::StatusOr<impl::Indexing> analysed(const HloModule& module, const IndexingQuestion& question);

// The analysis against the reference, which is kTooLarge beyond the limits.
IndexingComparison compare_indexing(const HloModule& module, const IndexingQuestion& question,
                                    RuntimeChoice choice, const spec::Limits& limits = {});

// Any answer of as many lists as the provenance has sources. Places are as seen from `computation`;
// the provenance is of this choice, and of this direction: input to output, that of
// spec/hlo/provenance_inverse.h.
IndexingComparison compare_answer(const HloModule& module, int32_t computation, spec::Scope scope,
                                  impl::Direction direction, const spec::Provenance& provenance,
                                  const impl::Indexing& answer, RuntimeChoice choice,
                                  int64_t work = kMaxWork);

}  // namespace tileproof::verify
