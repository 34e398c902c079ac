// SPDX-License-Identifier: Apache-2.0
// Proves that the indexing maps of an instruction are right.
//
// For every leaf of the result and every leaf of an operand, the maps (impl/hlo/indexing.h) are a
// union M of access relations between result indices o and operand indices i. The definitions of
// the operations (spec/hlo/access_relation.h) give another union D. If the instruction calls
// computations, the lines of their arrays give D (verify/prove/hlo/definitions.h). The proof shows, for
// all values of offsets and indices:
//
//     D is a subset of M      no dependence is missing
//     M is a subset of D      no pair is spurious; not shown if the maps say `inexact`
//
// The maps from input to output are a third union of pairs (o, i), as functions of i. The proof
// shows the same for it.
//
// If arrays are small and there are no offsets, every pair of both unions is enumerated. Otherwise
// the proof goes disjunct by disjunct (verify/prove/hlo/indexing_subset.h). Before a counterexample
// is reported, integer evaluation with the definitions confirms it.
//
// A session proves instructions with the same question once: the same opcode, attributes, shapes,
// entered computations and maps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/printed_maps.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/definitions.h"
#include "verify/prove/hlo/indexing_subset.h"
#include "verify/prove/smt/proof_cache.h"

namespace tileproof::verify {

// A pair on one side only: the element `pair.index` of a leaf of an operand, and the element
// `pair.output` of the result.
struct Refutation {
  bool is_missing =
      false;  // it flows, but no map has it; otherwise a map has it, but nothing flows
  size_t operand = 0, leaf = 0;
  Counterexample pair;
};

struct InstructionVerdict {
  enum class Kind : uint8_t {
    kProven,
    kRefuted,       // with a counterexample
    kUndecided,     // not decided within the time or other limits
    kConservative,  // the maps say that they are a superset (`detail`); proven to be one
    kNoDataflow,    // both agree that there are no dependences
    kRefused,       // by both: attributes or shapes are wrong or missing
  };
  int32_t computation = 0;
  int32_t instruction = 0;
  Kind kind = Kind::kNoDataflow;
  std::string detail;  // the counterexample, the open question, or the reason
  int64_t maps = 0;    // checked maps
  std::optional<Refutation> refutation = {};  // the counterexample, if it is a pair
};

// "proven", "refuted", ..
absl::string_view to_text(InstructionVerdict::Kind kind);

// One line:
// "reduce.3: refuted: result element (1), operand 0 element (1, 4): flows, but no map has it"
std::string to_text(const HloModule& module, const InstructionVerdict& verdict);

struct VerifyOptions {
  // Processor time for one pair of leaves, and as much for the paths of one leaf of the result.
  int64_t milliseconds = 5000;
  int64_t enumerated = 4096;     // up to this many points are enumerated
  std::string smtlib_directory;  // each question becomes a file there; none if empty
  ProofCache cache;              // of questions that other processes proved
};

// Results kept between modules.
struct VerifySession {
  VerifyOptions options;
  std::map<std::string, InstructionVerdict> known;  // by question about a leaf
  std::map<std::string, int64_t> instructions;      // numbers of the instruction texts in `known`
  int64_t questions = 0;                            // questions to the solver
  int64_t kept = 0;                                 // leaves decided by the cache
};

// Proves or refutes the given maps of one leaf of the result. `maps` has, by operand and leaf of
// the operand, the maps to it or from it.
InstructionVerdict verify_maps(const HloModule& module, int32_t computation, int32_t instruction,
                               int32_t leaf, const impl::Indexing& maps, VerifySession& session,
                               impl::Direction direction = impl::Direction::kOutputToInput);

// Verifies the instructions of one module one by one. Caches the definitions of entered
// computations. Analysis and session must outlive this object.
class ModuleVerifier {
 public:
  ModuleVerifier(impl::IndexingAnalysis& analysis, VerifySession& session,
                 impl::Direction direction = impl::Direction::kOutputToInput)
      : module_(analysis.module()),
        session_(session),
        direction_(direction),
        analysis_(analysis),
        definitions_(module_, analysis_) {}

  // Proves or refutes the given maps of one leaf of the result: verify_maps, without beginning
  // again.
  InstructionVerdict of_maps(int32_t computation, int32_t instruction, int32_t leaf,
                             const impl::Indexing& maps);

  // Verifies all leaves of the result: these very maps, which must have the direction of this object,
  // or the ones that `tileproof map` prints.
  InstructionVerdict of(impl::PrintedMaps& maps);
  InstructionVerdict of(int32_t computation, int32_t instruction);

 private:
  using Maps = std::vector<impl::MapsBetween>;
  InstructionVerdict of_leaf(impl::PrintedMaps& maps, int32_t leaf);
  InstructionVerdict prove(int32_t computation, int32_t instruction, int32_t leaf,
                           const Maps& maps);
  struct Numbered {
    const std::string* text = nullptr;  // of the instruction
    int64_t number = 0;
  };
  const Numbered& numbered(int32_t computation, int32_t instruction);
  InstructionVerdict prove_or_find(int32_t computation, int32_t instruction, int32_t leaf,
                                   const Maps& maps, const std::string& maps_text);

  const HloModule& module_;
  VerifySession& session_;
  impl::Direction direction_;
  impl::IndexingAnalysis& analysis_;
  Definitions definitions_;
  int late_ = 0;  // leaves of one instruction whose paths took too long
  std::pair<int32_t, int32_t> last_ = {-1, -1};  // the last argument of numbered
  Numbered last_number_;
};

// Verifies every instruction of every computation, in order.
std::vector<InstructionVerdict> verify_module(
    const HloModule& module, VerifySession& session,
    impl::Direction direction = impl::Direction::kOutputToInput);

}  // namespace tileproof::verify
