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
#include <optional>
#include <string>

#include "absl/status/status.h"
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

}  // namespace tileproof::cli
