// The oracle: answers requests, by the reference or by the closed forms.
//
// One table names every operation and who answers it; an operation that is not in the table is
// `unsupported`. The judge (conform/judge/judge.h) and `tileproof respond` both stand on it.
//
//     answer_line({"id":7,"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]})
//     is {"id":7,"result":17}
//
// To add an operation: a function that answers it and a line in the table.
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

// What is right where integers leave 64 bits.
struct Exact {
  bool error_is_right = false;  // some intermediate value or size leaves int64
  std::optional<Json> result;   // the answer in the integers, where the request is valid
  bool unknown = false;         // what is right is beyond the reference, too
};

// What an answer to a valid request means, where there are many right ones.
struct Assessment {
  enum class Kind {
    kRight,
    kWrong,        // `why` names a point, or what is malformed
    kUnspecified,  // the program leaves the question open, as it may
    kOpen,         // the judge does
  };
  Kind kind = Kind::kRight;
  std::string why;
};

// A result, and the key that hlo.index has beside it.
struct Result {
  Json value;
  Json inexact;  // null: not written

  Result() = default;
  Result(Json result) : value(std::move(result)) {}
  Result(Json result, Json beside) : value(std::move(result)), inexact(std::move(beside)) {}
};

struct Operation {
  absl::string_view name;
  // The result. An error: the request is invalid, or (kUnimplemented) not supported, or
  // (kOutOfRange) 64 bits do not reach.
  absl::StatusOr<Result> (*answer)(const Json& request, Engine engine);
  // Asked only where an answer differs from the reference's; none: the reference is all there is.
  Exact (*exact)(const Json& request);
  // The keys of the result that count, others are ignored; empty: the result is not an object.
  absl::Span<const absl::string_view> keys;
  // Judges a result by what it means; none: it must equal the reference's. The reference then says
  // only whether a request is valid, and the closed forms give an example of what is right.
  Assessment (*judge)(const Json& request, const Answer& answer) = nullptr;
};

absl::Span<const Operation> operations();

// The operation of that name, or null.
const Operation* operation_named(absl::string_view name);

Answer answer(const Request& request, Engine engine);

// One request line to one answer line, whatever the line holds.
std::string answer_line(absl::string_view line, Engine engine);

}  // namespace tileproof::conform
