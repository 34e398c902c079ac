// SPDX-License-Identifier: Apache-2.0
// The oracle: answers requests, by the reference or by the closed forms.
//
//     answer_line({"id":7,"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]})
//     is {"id":7,"result":17}
//
// One table lists every operation with the functions that answer and judge it. An operation that
// is not in the table is `unsupported`. The judge (conform/judge/judge.h) and `tileproof respond`
// use this table. To add an operation, write these functions and add a line to the table.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"

namespace tileproof::conform {

// Who answers: the definition (spec/) or the closed forms (impl/).
enum class Engine { kSpec, kImpl };

// The right answer if integers leave 64 bits.
struct Exact {
  bool error_is_right = false;  // some intermediate value or size leaves int64
  std::optional<Json> result;   // the answer in exact integers, if known and the request is valid
  bool unknown = false;         // the numbers are too large for the reference, too
};

// The judgment of a result, for operations with many right answers.
struct Assessment {
  enum class Kind {
    kRight,
    kSuperset,     // right, and the answer says that it is inexact: a list has too many pairs
    kWrong,        // `why` names a counterexample, or says what is malformed
    kUnspecified,  // the answer leaves the question open ("unknown", null), as the protocol allows
    kOpen,         // the judge cannot decide; `why` gives the reason
  };
  Kind kind = Kind::kRight;
  std::string why;
};
inline Assessment wrong(absl::string_view why) {
  return {Assessment::Kind::kWrong, std::string(why)};
}
inline Assessment open(absl::string_view why) {
  return {Assessment::Kind::kOpen, std::string(why)};
}

// A result, and the value of the key `inexact` of hlo.index.
struct Result {
  Json value;
  Json inexact;  // null: the answer has no such key

  Result() = default;
  Result(Json result) : value(std::move(result)) {}
  Result(Json result, Json beside) : value(std::move(result)), inexact(std::move(beside)) {}
};

struct Operation {
  absl::string_view name;
  // Returns the result, or an error:
  //     kInvalidArgument    the request is invalid
  //     kUnimplemented      the request is valid, but this engine does not support it
  //     kResourceExhausted  the request is too large to answer; it may be invalid
  //     kOutOfRange         a number does not fit 64 bits
  absl::StatusOr<Result> (*answer)(const Json& request, Engine engine);
  // Called only if an answer differs from the reference's. Null: only the reference's is right.
  Exact (*exact)(const Json& request);
  // The keys of the result that are compared. Empty: the whole result is compared.
  absl::Span<const absl::string_view> keys;
  // Judges a result by its meaning, if there are many right answers. The reference then only
  // decides whether a request is valid, and the closed forms give an example of a right answer.
  // Null: the result must equal the reference's.
  Assessment (*judge)(const Json& request, const Answer& answer) = nullptr;
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
