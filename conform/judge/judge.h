// SPDX-License-Identifier: Apache-2.0
// The judge: decides whether an answer is right.
//
// The judge compares an answer with the reference (spec/). If an operation has many right answers,
// the judge compares their meaning, by enumeration and for maps also with a solver. The closed
// forms (impl/) never decide whether an answer is right. They provide an example of a right answer
// for the report, which is judged like any other answer, and show that a map can be simpler
// (kUnsimplified).
//
// If a size or an intermediate value leaves int64, the exact answer and an error are both right.
//
//     request   {"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
//     answer    {"id":7,"result":13}
//     judgment  wrong; the right answer is {"result":17}
#pragma once

#include <array>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"

namespace tileproof::conform {

enum class Verdict {
  kPass,
  kWrong,        // a result that is not right
  kUnsupported,  // the program does not support the request: counted by reason, never a pass
  kError,        // an error for a valid request, or a result for an invalid one
  kTimeout,      // no answer in time
  kCrash,        // the program ended before it answered
  kFlaky,        // the program gave another answer when it was asked again
  kProtocol,     // a malformed line, an unknown id, or two answers to one request
  kUndecided,    // the judge could not decide: counted by reason, never a pass
  kInexact,      // hlo.index: the answer says that it is a superset, and it is one
  kUnsimplified  // map.simplify: right, but the given map unchanged; a simpler one is known
};

// The name of each verdict, in their order: "pass", ..
inline constexpr std::array<absl::string_view, 11> kVerdictNames = {
    "pass",  "wrong",    "unsupported", "error",   "timeout",     "crash",
    "flaky", "protocol", "undecided",   "inexact", "unsimplified"};

inline absl::string_view to_text(Verdict verdict) {
  return kVerdictNames[static_cast<size_t>(verdict)];
}

// True for right answers: pass, inexact and unsimplified.
inline bool is_right(Verdict verdict) {
  return verdict == Verdict::kPass || verdict == Verdict::kInexact ||
         verdict == Verdict::kUnsimplified;
}

// True for every verdict but the right ones, unsupported and undecided.
inline bool fails(Verdict verdict) {
  return !is_right(verdict) && verdict != Verdict::kUnsupported && verdict != Verdict::kUndecided;
}

struct Judgment {
  Verdict verdict = Verdict::kPass;
  // If fails(verdict): the right answer as text, without id. If there are many right answers, this
  // is one of them, and its key "why" says what is wrong with the given answer. If an error is right
  // as well as the exact result, the key "or" has it. If there is no example that the judge calls
  // right, the key "no_example" says why, in place of a result.
  std::string right;
  std::string reason = "";  // set for kUnsupported and kUndecided
};

// Judges an answer to a request. The request may be invalid, but it must have an `op`. The verdict
// is kUnsupported if this version has no oracle for the operation.
Judgment judge(const Json& request, const Answer& answer);
Judgment judge(const Operation& operation, const Json& request, const Answer& answer);

// True if the judge cannot tell which answer is right: a value needs more than 127 bits. Such
// requests are not asked by default.
bool is_undecidable(const Json& request);

// The expected answer of a request. Neither member is set if there are many right answers.
struct Expected {
  std::optional<Json> result;  // only this result is right
  bool error = false;          // only an error is right, with any message
};
Expected expected_answer(const Json& request);

// A right answer: {"result": ..}, {"error": ..} or {"unsupported": ..}. The reference computes it. If
// there are many right answers, the closed forms do, and the judge of the operation judges theirs;
// unless it is right, the answer is {"no_example": why}.
Json right_answer(const Json& request);
Json right_answer(const Operation& operation, const Json& request);

// The same without a judgment, for questions that a wrong answer does no harm to.
Json likely_answer(const Json& request);

}  // namespace tileproof::conform
