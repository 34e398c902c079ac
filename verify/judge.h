// The judge: is an answer right?
//
// What is right is what the reference (spec/) says, and only that; the closed forms have no voice
// here. Where an intermediate value or a size leaves int64, the exact answer and an error are both
// right.
//
//     request   {"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
//     answer    {"id":7,"result":13}
//     judgement wrong; right is {"result":17}
//
// Source: INTERFACE, section 3 "Verdicts".
#pragma once

#include <array>
#include <string>

#include "absl/strings/string_view.h"
#include "verify/json.h"
#include "verify/protocol.h"

namespace tileproof::verify {

enum class Verdict {
  kPass,
  kWrong,        // a result that is not the right one
  kUnsupported,  // the program says it does not do this: counted by reason, never a pass
  kError,        // an error for a valid request, a result for an invalid one
  kTimeout,      // no answer in time
  kCrash,        // the program ended instead of answering
  kFlaky,        // asked again, it answered otherwise
  kProtocol,     // a line that is no answer, an unknown id, two answers
};

inline constexpr std::array kVerdicts = {Verdict::kPass,  Verdict::kWrong,   Verdict::kUnsupported,
                                         Verdict::kError, Verdict::kTimeout, Verdict::kCrash,
                                         Verdict::kFlaky, Verdict::kProtocol};

absl::string_view to_text(Verdict verdict);

// A counterexample: any verdict but pass and unsupported.
inline bool fails(Verdict verdict) {
  return verdict != Verdict::kPass && verdict != Verdict::kUnsupported;
}

struct Judgement {
  Verdict verdict = Verdict::kPass;
  std::string right;  // the right answer without id, as text; with fails(verdict) only
};

// Whether an answer to a request (any request with an `op`) is right. Of an operation that this
// version has no oracle for: kUnsupported.
Judgement judge(const Json& request, const Answer& answer);

// The reference's answer to a request: {"result": ..}, {"error": ..} or {"unsupported": ..}.
Json right_answer(const Json& request);

}  // namespace tileproof::verify
