// SPDX-License-Identifier: Apache-2.0
// Prints one instruction for `tileproof map`, as text or as JSON.
//
//     r = f32[2,4,4] reshape(p)
//       operand 0, p: (d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2), domain: ..
//
// With --direction input_to_output:
//
//       operand 0, p, to result: (d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 2 + d1 floordiv 4, ..
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "conform/protocol/json.h"
#include "impl/hlo/module_indexing.h"
#include "impl/hlo/printed_maps.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/indexing_proof.h"

namespace tileproof::cli {

// One instruction to print.
struct Shown {
  const HloModule& module;
  impl::PrintedMaps& maps;
  const impl::DataflowClass& found;
  std::string verdict = "";  // of the proof of these maps, if --verify asked for one
  verify::VerifySession* session = nullptr;  // of --verify: proves the maps between devices, too
  std::optional<int64_t> device = std::nullopt;  // the one to show; none: any device, as a variable
};

// `ROOT r = f32[2,4,4] reshape(p)`, without attributes.
std::string headline(const HloComputation& computation, int32_t instruction);

// "operand 1, p"; "operand 1, p#2" for an array of a tuple.
std::string operand_name(const HloComputation& computation, int32_t instruction, size_t operand,
                         size_t leaf);

// The first lines of a text whose lines all end in '\n'; if it has more, also "  .. 7 more lines".
std::string first_lines(std::string text, int64_t lines);

// "mapped", "superset", "no data flow", "not analyzed"
std::string to_text(impl::DataflowKind kind);

// The same in JSON, which keeps the words of its first version: "conservative", "not analysed".
std::string json_name(impl::DataflowKind kind);

// Appends a headline with the instruction, then its maps. With as_json, appends one object per line:
// one for each leaf of the result (input to output: of the operands), or a single one if there are
// no maps. The schema is in docs/manual.md.
absl::Status show(const Shown& shown, bool as_json, std::string& out);

// ---- Which instructions are listed: map_selection.cc ----
//
// Which instructions `tileproof map` lists, and how many there are of each kind.

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
