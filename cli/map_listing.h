// What `tileproof map` prints for one instruction, as text or as JSON.
//
//     r = f32[2,4,4] reshape(p)
//       operand 0, p: (d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2), domain: ..
//
// and input to output
//
//       operand 0, p, to result: (d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 2 + d1 floordiv 4, ..
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/module_indexing.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::cli {

// One instruction to print. Its maps are looked up leaf by leaf, because there may be many.
struct Shown {
  const HloModule& module;
  int32_t computation;
  int32_t instruction;
  const impl::DataflowClass& found;
  impl::Direction direction = impl::Direction::kOutputToInput;
  std::string verdict = "";  // of the proof, if --verify asked for one
};

// `ROOT r = f32[2,4,4] reshape(p)`, without attributes.
std::string headline(const HloComputation& computation, int32_t instruction);

// "mapped", "conservative", "no data flow", "not analysed"
std::string to_text(impl::DataflowKind kind);

// Prints lines that begin with the instruction. With as_json, prints one object a line: one for
// each leaf of the result (input to output: of the operands), or a single one if there are no maps.
// The schema is in docs/manual.md.
absl::Status show(const Shown& shown, impl::IndexingAnalysis& analysis, bool as_json,
                  std::ostream& out);

}  // namespace tileproof::cli
