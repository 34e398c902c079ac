// SPDX-License-Identifier: Apache-2.0
// Answers the protocol by calls of a plug-in's functions: `tileproof respond --plugin LIB.so`.
//
//     {"id":7,"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
//     is one call of layout_linearize with one index, and {"id":7,"result":17}
//
// The judge starts this command like any program under test. Crashes, timeouts and wrong answers of
// a plug-in therefore get the same verdicts as those of a program. Requests that tileproof/plugin.h
// cannot express are `unsupported`: an invalid shape, an index of another rank, a number of more
// than 64 bits.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "conform/protocol/protocol.h"
#include "tileproof/plugin.h"

namespace tileproof::conform {

// Answers a request line; also hello. If the plug-in violates
// plugin.h, the line says how. It is then not a valid answer, so the verdict is `protocol`.
std::string plugin_answer_line(const tileproof_plugin& plugin, absl::string_view line) noexcept;

}  // namespace tileproof::conform
