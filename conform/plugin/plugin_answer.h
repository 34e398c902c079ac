// A plug-in, asked through the protocol: what `tileproof respond --plugin LIB.so` does.
//
//     {"id":7,"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
//     is one call of layout_linearize with one index, and {"id":7,"result":17}
//
// So everything that is true of a program on a pipe is true of a plug-in: it is started in a child,
// and its crash, its silence and its wrong answers have the same verdicts. Requests that
// tileproof/plugin.h has no form for (a text that is no shape, an index of another rank, a number
// beyond 64 bits) are `unsupported`.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "conform/protocol/protocol.h"
#include "tileproof/plugin.h"

namespace tileproof::conform {

// The answer to a request line, a greeting and a sweep (conform/run/sweep.h) included. A line
// that is no answer where the plug-in does what plugin.h does not allow.
std::string plugin_answer_line(const tileproof_plugin& plugin, absl::string_view line) noexcept;

// What a plug-in says it can be asked.
Limits limits_of(const tileproof_plugin& plugin);

}  // namespace tileproof::conform
