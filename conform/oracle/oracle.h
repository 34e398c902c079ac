// SPDX-License-Identifier: Apache-2.0
// The oracle: answers requests, by the reference or by the closed forms.
//
//     answer_line({"id":7,"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]})
//     is {"id":7,"result":17}
//
// One table lists every operation with the functions that answer and judge it. An operation that
// is not in the table is `unsupported`. The judge (conform/judge/judge.h) and `tileproof respond`
// use this table. To add an operation, declare its functions in operations.h, and add a line.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conform/oracle/operations.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"

namespace tileproof::conform {

struct Operation {
  absl::string_view name;
  // Returns the result, or an error:
  //     kInvalidArgument    the request is invalid
  //     kUnimplemented      the request is valid, but this engine does not support it
  //     kResourceExhausted  the request is too large to answer; it may be invalid
  //     kOutOfRange         a number does not fit 64 bits
  AnswerFunction* answer;
  // Called only if an answer differs from the reference's. Null: only the reference's is right.
  ExactFunction* exact;
  // The keys of the result that are compared. Empty: the whole result is compared.
  absl::Span<const absl::string_view> keys;
  // Judges a result by its meaning, if there are many right answers. The reference then only
  // decides whether a request is valid, and the closed forms give an example of a right answer.
  // Null: the result must equal the reference's.
  JudgeFunction* judge = nullptr;
  // Which other results are right: a variation of test vectors (conform/report/vectors.h), if any.
  absl::string_view variation = "";
  bool may_be_unknown = false;  // whether Exact::unknown is ever set
};

absl::Span<const Operation> operations();

// Null if there is no operation of that name.
const Operation* operation_named(absl::string_view name);

Answer answer(const Request& request, Engine engine);

// Answers one request line with one line. A malformed line is answered with an error.
std::string answer_line(absl::string_view line, Engine engine);

}  // namespace tileproof::conform
