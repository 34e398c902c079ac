// What `tileproof map` says of one instruction: for people, and for machines.
//
//     r = f32[2,4,4] reshape(p)
//       operand 0, p: (d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2), domain: ..
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/indexing.h"
#include "impl/module_indexing.h"
#include "spec/lang/hlo.h"
#include "verify/conform/json.h"

namespace tileproof::cli {

struct InstructionMaps {
  int32_t computation = -1;
  int32_t instruction = -1;
  impl::FlowClass found;
  // By leaf of the result; none where there is no data flow, where the instruction was refused, and
  // where all flows to all (FlowClass::whole).
  std::vector<impl::Indexing> leaves;
  std::string verdict = "";  // of a proof, where one was asked for
};

// The maps of an instruction of this class.
absl::StatusOr<InstructionMaps> maps_of(impl::IndexingAnalysis& analysis, const HloModule& module,
                                        int32_t computation, int32_t instruction,
                                        const impl::FlowClass& found);

// "mapped", "conservative", "no data flow", "not analysed"
std::string to_text(impl::FlowKind kind);

// Lines, the first the instruction.
std::string listing_text(const HloModule& module, const InstructionMaps& maps);

// One object; the schema is in docs/manual.md.
conform::Json listing_json(const HloModule& module, const InstructionMaps& maps);

}  // namespace tileproof::cli
