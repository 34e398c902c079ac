// SPDX-License-Identifier: Apache-2.0
// What the panels of the explorer show: a question is a JSON object, and so is its answer.
//
//     {"ask":"layout","text":"f32[3,5]{1,0:T(2,2)}"}     the picture and the numbers of a layout
//     {"ask":"element","text":.., "index":[2,3]}          the way of one element through its steps
//     {"ask":"steps","text":..}                           the array after each step
//     {"ask":"convert","text":..}                         the layout in each other system
//     {"ask":"compare","left":..,"right":..}              equal, or the smallest difference
//     {"ask":"map","text":..}                             a map, simplified, with its proof log
//     {"ask":"plot","text":..,"x":"d0","y":"s0","result":0}   values over a box
//     {"ask":"lemma","name":"common-factor"}              the statement of a lemma
//     {"ask":"module","text":..}                          the instructions of an HLO module
//     {"ask":"instruction","text":..,"computation":0,"instruction":2}   its maps both ways
//     {"ask":"tile","text":..,"computation":0,"instruction":2,"tile":"4:4,0:8"}
//     {"ask":"reads", .. "tile":"4:4,0:8"}                what a tile reads, as a picture
//     {"ask":"heat", ..}                                  how often each element is read
//     {"ask":"traffic", .. "threads":MAP}                 memory transactions of a kernel's warps
//
// An answer is {"ok": {..}} or {"error": "column 7: expected .."}; "limit": true beside the error means that the
// question is too large. {"ok": {"verdict": "undecided", ..}} means that only a solver decides it: the
// page in a browser has none, and `tileproof explore` has Z3.
//
// The page runs these functions as WebAssembly, and `tileproof explore` runs them for large inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::explorer {

using conform::Json;

// What later questions reuse. One for each page.
struct Memory {
  int64_t most_instructions = 2000;  // of a module; `tileproof explore` takes more
  std::string text;                  // of the module
  std::unique_ptr<HloModule> module;
  std::unique_ptr<impl::IndexingAnalysis> analysis;
};

Json answer(const Json& question, Memory& memory);

// The same for texts. A malformed question is answered with an error.
std::string answer_text(absl::string_view question, Memory& memory);

}  // namespace tileproof::explorer
