// The judge: is an answer right?
//
// What is right is what the reference (spec/) says, and only that; the closed forms have no voice
// here, but to give an example where there are many right answers. Where an intermediate value or a
// size leaves int64, the exact answer and an error are both right.
//
//     request   {"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
//     answer    {"id":7,"result":13}
//     judgement wrong; right is {"result":17}
//
// Source: INTERFACE, section 3 "Verdicts".
#pragma once

#include <array>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"

namespace tileproof::conform {

enum class Verdict {
  kPass,
  kWrong,        // a result that is not the right one
  kUnsupported,  // the program says it does not do this: counted by reason, never a pass
  kError,        // an error for a valid request, a result for an invalid one
  kTimeout,      // no answer in time
  kCrash,        // the program ended instead of answering
  kFlaky,        // asked again, it answered otherwise
  kProtocol,     // a line that is no answer, an unknown id, two answers
  kUndecided,    // the judge could not tell in time: counted by reason, never a pass
};

inline constexpr std::array kVerdicts = {Verdict::kPass,  Verdict::kWrong,    Verdict::kUnsupported,
                                         Verdict::kError, Verdict::kTimeout,  Verdict::kCrash,
                                         Verdict::kFlaky, Verdict::kProtocol, Verdict::kUndecided};

absl::string_view to_text(Verdict verdict);

// A counterexample: any verdict but pass, unsupported and undecided.
inline bool fails(Verdict verdict) {
  return verdict != Verdict::kPass && verdict != Verdict::kUnsupported &&
         verdict != Verdict::kUndecided;
}

struct Judgment {
  Verdict verdict = Verdict::kPass;
  // The right answer without id, as text, with fails(verdict) only. Where there are many right ones
  // it is one of them, and its key "why" says what is wrong with the one that was given.
  std::string right;
  std::string reason = "";  // of kUnsupported and kUndecided
};

// Whether an answer to a request (any request with an `op`) is right. Of an operation that this
// version has no oracle for: kUnsupported.
Judgment judge(const Json& request, const Answer& answer);

// What the reference knows of the right answer before there is one. Neither is set where many are
// right.
struct Expected {
  std::optional<Json> result;  // this one and no other result
  bool error = false;          // any error
};
Expected expected_answer(const Json& request);

// The reference's answer to a request, or the closed forms' where many are right: {"result": ..},
// {"error": ..} or {"unsupported": ..}.
Json right_answer(const Json& request);

}  // namespace tileproof::conform
