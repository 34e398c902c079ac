// SPDX-License-Identifier: Apache-2.0
// Which instructions `tileproof map` lists, and how many there are of each kind.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conform/protocol/json.h"
#include "impl/hlo/module_indexing.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/indexing_proof.h"

namespace tileproof::cli {

// Empty: any.
struct Selection {
  std::string instruction, opcode, computation;  // names
  std::string kind;                              // one of kKinds
};

// Values of --kind. "conservative" is another name of "superset". The last two are verdicts.
inline const std::vector<std::string> kKinds = {"mapped",  "superset",  "conservative",
                                                "refused", "undecided", "refuted"};
bool is_verdict(const std::string& kind);

struct ListedInstruction {
  int32_t computation;
  int32_t instruction;
  impl::DataflowClass found;
  bool is_read = true;  // false: what the text says cannot be read
};

// The instructions of these names, in order. The analysis remembers what it finds.
std::vector<ListedInstruction> select_instructions(impl::IndexingAnalysis& analysis,
                                                   const Selection& selection);

// Whether the kind asks for an instruction. `verdict` is kNoDataflow without --verify.
bool has_kind(const std::string& kind, const impl::DataflowClass& found,
              verify::InstructionVerdict::Kind verdict);

struct Summary {
  int64_t instructions = 0;
  int64_t sharded = 0;      // have a sharding, which changes no map
  int64_t collectives = 0;  // read elements of other replicas
  std::map<impl::DataflowKind, int64_t> counts;
  std::map<impl::DataflowKind, std::map<std::string, int64_t>> reasons;
  std::map<verify::InstructionVerdict::Kind, int64_t> verdicts;  // of --verify

  std::string first_refused, first_refused_in;  // its reason; its computation

  void add(const HloComputation& computation, const HloInstruction& instruction,
           const impl::DataflowClass& found);
  int64_t count_of(verify::InstructionVerdict::Kind kind) const;
};

// "2 instructions: 1 mapped, ..", and a line for each reason.
std::string to_text(const Summary& summary);

// "verified: 1 proven, ..", or nothing without verdicts.
std::string verdicts_text(const Summary& summary);

// {"summary": {..}}, as docs/manual.md says.
conform::Json to_json(const Summary& summary);

}  // namespace tileproof::cli
