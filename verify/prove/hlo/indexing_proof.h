// Proof that the indexing maps of an instruction are right.
//
// The maps (impl/hlo/indexing.h) of every leaf of the result and every leaf of every operand are a
// union M of relations between result indices o and operand indices i; the definitions of the
// operations (spec/hlo/access_relation.h), walked through the computations that the instruction enters
// (verify/prove/hlo/dataflow_path.h), are another one, D. To be shown, for all values of offsets and indices:
//
//     D is inside of M      nothing that flows is missing
//     M is inside of D      nothing is listed that does not flow; not where the maps say `inexact`
//
// Input to output the maps are another union of relations between the same indices, told from the
// input index, and the same is shown of it.
//
// Small arrays without offsets are enumerated, every pair of both unions. All others are asked
// about part by part (verify/prove/hlo/indexing_subset.h). A difference is told only after it was found again
// with integers, by the functions that define the operations.
//
// Instructions that ask for the same (opcode, attributes, shapes, entered computations, maps) are
// proven once in a session.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/dataflow_path.h"
#include "verify/prove/hlo/indexing_subset.h"

namespace tileproof::verify {

struct InstructionVerdict {
  enum class Kind : uint8_t {
    kProven,
    kRefuted,       // with a pair
    kUndecided,     // in the time given, or within the limits
    kConservative,  // a superset by its own account, for `detail`; that it is one was proven
    kNoDataflow,    // by both
    kRefused,       // by both: attributes and shapes do not fit, or are not written
  };
  int32_t computation = 0;
  int32_t instruction = 0;
  Kind kind = Kind::kNoDataflow;
  std::string detail;  // the pair; what was left open; the reason
  int64_t maps = 0;    // that were looked at
};

// "proven", "refuted", ..
absl::string_view to_text(InstructionVerdict::Kind kind);

// One line: "reduce.3: refuted: result element (1), operand 0 element (1, 4): flows, but no map has
// it".
std::string to_text(const HloModule& module, const InstructionVerdict& verdict);

struct VerifyOptions {
  int64_t milliseconds = 5000;   // for one pair of leaves, solver and all
  int64_t enumerated = 4096;     // points that are walked instead of asking
  std::string smtlib_directory;  // questions are written there; none if empty
};

// What is remembered between modules.
struct VerifySession {
  VerifyOptions options;
  std::map<std::string, InstructionVerdict> known;  // by leaf
  std::map<std::string, int64_t> instructions;      // numbers of the texts that `known` mentions
  int64_t enumerated = 0;                           // pairs of leaves decided by walking all points
  int64_t rearranged = 0;                           // by sums alone
  int64_t solver = 0;                               // with questions to the solver
  int64_t questions = 0;                            // put to it
};

// One leaf of the result against the maps given, which may be wrong: by operand and leaf of it, the
// maps to it or from it.
InstructionVerdict verify_maps(const HloModule& module, int32_t computation, int32_t instruction,
                               int32_t leaf, const impl::Indexing& maps, VerifySession& session,
                               impl::Direction direction = impl::Direction::kOutputToInput);

// The instructions of one module, one after the other. What entering a computation means, and its
// maps, are found out once. Module and session must outlive it.
class ModuleVerifier {
 public:
  ModuleVerifier(const HloModule& module, VerifySession& session,
                 impl::Direction direction = impl::Direction::kOutputToInput)
      : module_(module),
        session_(session),
        direction_(direction),
        definitions_(module),
        analysis_(module) {}

  // All leaves of the result.
  InstructionVerdict of(int32_t computation, int32_t instruction);

 private:
  InstructionVerdict of_leaf(int32_t computation, int32_t instruction, int32_t leaf);
  absl::StatusOr<impl::Indexing> maps_of(int32_t computation, int32_t instruction, int32_t leaf);
  InstructionVerdict prove(int32_t computation, int32_t instruction, int32_t leaf,
                           const impl::Indexing& maps);
  bool is_passed_on(int32_t computation, int32_t instruction, int32_t leaf,
                    const impl::Indexing& maps);
  int64_t number_of(int32_t computation, int32_t instruction);

  const HloModule& module_;
  VerifySession& session_;
  impl::Direction direction_;
  Definitions definitions_;
  impl::IndexingAnalysis analysis_;
  std::pair<int32_t, int32_t> last_ = {-1, -1};  // what number_of was asked for
  int64_t last_number_ = 0;
  std::pair<int32_t, int32_t> inverse_of_ = {-1, -1};
  std::map<std::pair<int32_t, int32_t>, impl::LeafMaps> inverse_;  // by leaf and input; not empty
};

// Every instruction of every computation, in order.
std::vector<InstructionVerdict> verify_module(
    const HloModule& module, VerifySession& session,
    impl::Direction direction = impl::Direction::kOutputToInput);

}  // namespace tileproof::verify
