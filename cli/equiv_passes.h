// SPDX-License-Identifier: Apache-2.0
// `tileproof equiv --passes DIR`: the modules that XLA has dumped after its passes, each compared with
// the next.
//
//     XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*"
//
//     DIR/module_0006.jit_f.before_optimizations.txt
//     DIR/module_0006.jit_f.0000.simplification.after_algsimp.before_simplify-sorts.txt
//     DIR/module_0006.jit_f.cpu_after_optimizations.txt
//
// Source: XLA, xla/service/dump.cc, for the names.
#pragma once

#include <string>

#include "cli/equiv_modules.h"

namespace tileproof::cli {

// Prints a line for each pass that changed the text of a module, up to the first that changed what it
// computes. The text of the answer is then empty.
absl::StatusOr<Answer> compare_passes(const std::string& folder, const Command& given);

}  // namespace tileproof::cli
