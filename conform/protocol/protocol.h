// SPDX-License-Identifier: Apache-2.0
// The protocol of implementations under test: one JSON request a line, one JSON answer a line.
//
//     {"id": 7, "op": "layout.linearize", "shape": "f32[3,5]{1,0:T(2,2)}", "index": [2, 3]}
//     {"id": 7, "result": 17}
//
// An answer has exactly one of `result`, `unsupported` (a reason: skipped, never a pass) and
// `error` (the request is invalid). The id is an integer of any size or a string and is returned
// unchanged; it is null if the line could not be read. Unknown keys are ignored; a repeated key
// makes the line invalid. The manual is docs/protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/cursor.h"

namespace tileproof::conform {

inline constexpr size_t kMaxLineBytes = kMaxTextBytes;  // 16 MiB, without the newline

struct Request {
  Json id;
  std::string op;
  Json fields;  // the whole object
};

struct Answer {
  enum class Kind { kResult, kUnsupported, kError };
  Json id;
  Kind kind = Kind::kResult;
  Json result;      // kResult
  std::string why;  // kUnsupported, kError
  Json inexact;     // kResult: the value of that key beside the result, or null
};

Answer result_answer(Json id, Json result, Json inexact = {});

// `status` is not OK. kUnimplemented and kResourceExhausted (too large a request)
// become `unsupported`, all other codes `error`. Long messages are cut.
Answer failed_answer(Json id, const absl::Status& status);

// The request on a line, or the answer that says why the line is not one.
std::variant<Request, Answer> read_request(absl::string_view line);

// The answer on a line. An error says what is malformed.
absl::StatusOr<Answer> read_answer(absl::string_view line);

// The object, and its one line without the newline.
Json to_json(const Answer& answer);
std::string to_text(const Answer& answer);

// The request with an id in front; `request` has none.
Json with_id(Json id, const Json& request);

// Cuts a stream of bytes into lines. The last line needs no newline.
class Lines {
 public:
  struct Line {
    absl::string_view text;  // valid until the next call; of a line that is too long, its start
    bool too_long = false;   // over kMaxLineBytes; reported at once, the rest is skipped
  };

  void add(absl::string_view bytes);
  void end() { ended_ = true; }  // no more bytes will come
  std::optional<Line> next();

 private:
  std::string buffer_;
  size_t start_ = 0;    // of the next line
  size_t scanned_ = 0;  // no newline in [start_, scanned_)
  bool skipping_ = false;
  bool ended_ = false;
};

// How integers are written; ids are never changed.
enum class IntegerForm { kJson, kString };

// Every integer as a decimal string.
Json integers_to_strings(const Json& json);

// The inverse: every decimal string as an integer. A bare number is an error.
absl::StatusOr<Json> integers_from_strings(const Json& json);
absl::Status integers_from_strings(Answer& answer);

// What a program accepts. Requests never exceed it.
struct Limits {
  std::optional<int64_t> rank;   // of a shape; also the sizes in a tile
  std::optional<int64_t> tiles;  // of a layout
  std::optional<int64_t> bits;   // of the widest integer, signed, in a request or its answer
  std::optional<std::vector<std::string>> ops;
};

// A program's answer to the hello request.
struct Hello {
  std::string name;
  std::string version;
  Limits limits;
  int64_t window = 1;  // requests that may wait for their answers
  IntegerForm integers = IntegerForm::kJson;
  bool parsed = false;  // wants the text forms as plain JSON too
};

inline constexpr int64_t kMaxWindow = 1024;  // larger windows are cut to this

// {"id": 0, "op": "hello", "protocol": 1}
Json hello_request();

// Reads the answer. Missing keys have the values above. An error means that the result does
// not have this form; the caller then uses the defaults.
absl::StatusOr<Hello> read_hello(const Answer& answer);

// The id of a case: a hash of its request, the same on every machine and in every version.
//
//     {"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
//     is the case 15e8dd9403184cca

// stable_hash (generate/choose/stable_hash.h) of the request's text with sorted keys, without `id`
// and `parsed`.
uint64_t case_hash(const Json& request);

// 16 hexadecimal digits.
std::string case_id(uint64_t hash);

// The numbers in a text of the protocol: shapes, maps, modules, and whole requests.
//
//     "f32[2,16]{1,0:T(4)}, pad=1_0x2_3, %p7, d0"     2 16 1 0 4 1 0 2 3
//
// Skips digits that are part of a name or a type.

struct TextNumber {
  size_t from = 0;
  size_t length = 0;
};

std::vector<TextNumber> numbers_in(absl::string_view text);

// Reads a number of the text. False if it does not fit int64.
bool read_number(absl::string_view text, TextNumber number, int64_t& value);

// The text with some of its numbers replaced.
std::string with_numbers(absl::string_view text,
                         std::vector<std::pair<TextNumber, int64_t>> replacements);

}  // namespace tileproof::conform
