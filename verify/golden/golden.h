// SPDX-License-Identifier: Apache-2.0
// Golden answers of the closed forms, compared byte for byte: corpus/golden/*.txt.
//
// The reference checks that an answer is right. The golden answers check that it stays as short,
// exact and clear as it was: simplified maps, their ranges and their versions with fewer variables;
// the steps of simplification; composed maps; all answers of the indexing analysis about the root
// of a module, with errors and the number of elements read; the positions of an array and its
// layout in other systems; all operations of the layout algebra; counts of elements read and of
// transactions; the plan of a copy between layouts.
//
//     simplify (d0) -> ((-d0) mod 2), domain: d0 in [0, 127]
//     => (d0) -> (d0 mod 2), domain: d0 in [0, 127]
//     => ranges [0, 1]
//
// After an intended change, `update_golden FILE` rewrites the answers of a file.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "corpus/golden.h"

namespace tileproof::verify {

// The files in corpus/golden.
inline constexpr absl::string_view kGoldenFiles[] = {
    "counts.txt",  "examples.txt", "families.txt", "mutants.txt", "hlo.txt",
    "layouts.txt", "loops.txt",    "maps.txt",     "refused.txt", "relayouts.txt",
    "selects.txt", "steps.txt",    "traces.txt"};

// The entries of one of them without comments, read once; none if it cannot be read.
const std::vector<GoldenAnswer>& golden_answers(absl::string_view file);

// The first word of a question gives its kind:
//     simplify MAP        trace MAP        compose MAP <newline> then MAP
//     index <newline> MODULE        reads <newline> MODULE        places SHAPE
//     image [SIZE,..] <newline> MAP <newline> ..
//     algebra OPERANDS (verify/compare/algebra_laws.h)
//     transactions WARP WIDTH SHAPE <newline> threads MAP <newline> access MAP
//     relayout LAYOUT <newline> to LAYOUT <newline> box [BEGIN,..] [SIZE,..]
std::string answer_to(absl::string_view question);

// For a question about a module, and for one about counts, returns the first answer that differs
// from the reference (verify/compare), with the difference and the question. Returns "" if there is
// none, and for other questions.
std::string difference_from_reference(absl::string_view question);

}  // namespace tileproof::verify
