// SPDX-License-Identifier: Apache-2.0
// `tileproof equiv` of two HLO modules: do they compute the same values, or (--reads) do their results
// read the same elements of the parameters?
#pragma once

#include <array>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/arguments.h"
#include "cli/text.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/smt/ask_solver.h"

namespace tileproof::cli {

// The time for each question: --timeout, or 5 s.
unsigned milliseconds_of(const Command& given);

// One verdict about all results, and the lines that say it of each.
struct ModuleComparison {
  verify::Verdict verdict = verify::Verdict::kProven;
  std::vector<std::string> lines = {};
};
absl::StatusOr<ModuleComparison> values_of_modules(const std::string (&texts)[2],
                                                   const Command& given);

// The exit status of a verdict about maps, layouts or modules.
int exit_status(verify::Verdict verdict);

// Of two exit statuses: a counterexample before a wrong input before an open question.
int worse(int a, int b);

// "equal" in a document: null if it is undecided.
Json equal_json(verify::Verdict verdict);

// Both texts, parsed. An error is about LEFT or RIGHT.
template <class T>
absl::StatusOr<std::array<T, 2>> both_sides(const std::string (&texts)[2],
                                            absl::StatusOr<T> (*parse)(absl::string_view)) {
  std::array<T, 2> sides;
  for (int side = 0; side < 2; ++side) {
    sides[side] = TRY(about(side == 0 ? "LEFT" : "RIGHT", parse(texts[side]), texts[side]));
  }
  return sides;
}

// The module of a text that has one, as a comparison reads it.
absl::StatusOr<HloModule> only_module(absl::string_view text);

absl::StatusOr<Answer> compare_modules(const std::string (&texts)[2], const Command& given);

// ---- --passes: equiv_passes.cc ----
//
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
//
// Prints a line for each pass that changed the text of a module, up to the first that changed what it
// computes. The text of the answer is then empty.
absl::StatusOr<Answer> compare_passes(const std::string& folder, const Command& given);

// The laws that --law takes, with their levels.
Answer list_laws();

}  // namespace tileproof::cli
