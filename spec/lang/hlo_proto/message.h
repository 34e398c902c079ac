// SPDX-License-Identifier: Apache-2.0
// Protocol buffers as values, and the readers of both formats.
//
// A message is a list of fields with numbers. Which fields there are, schema.cc says; all others
// are skipped. Source: protobuf's documentation, "Encoding" and "Text Format Language Specification".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::hlo_proto {

enum class Kind {
  kInteger,  // int32, int64, bool; repeated ones may be packed
  kEnum,     // in text a name
  kFloat,    // float
  kDouble,   // double
  kString,   // string or bytes
  kMessage,
};

struct FieldInfo {
  int number = 0;
  std::string name;
  Kind kind = Kind::kInteger;
  std::string message;  // the type of a kMessage
};

// The fields of a message type, and the field of a number or a name; null if there is none.
const FieldInfo* field_numbered(absl::string_view message, int number);
const FieldInfo* field_named(absl::string_view message, absl::string_view name);

struct Message;

struct Field {
  const FieldInfo* info = nullptr;
  int64_t integer = 0;
  double real = 0;
  std::string text;              // of a string; the name of an enum in text
  std::vector<Message> message;  // one, of a kMessage
};

struct Message {
  std::vector<Field> fields;  // in the order of the input

  // The last value of a field, as in protobuf; the default if there is none.
  int64_t integer(absl::string_view name) const;
  std::string text(absl::string_view name) const;
  const Message* message(absl::string_view name) const;  // null if there is none

  bool has(absl::string_view name) const;
  std::vector<int64_t> integers(absl::string_view name) const;
  std::vector<const Field*> all(absl::string_view name) const;
};

// Reads a message of a type, such as "HloModuleProto". Messages nest at most kMaxNesting deep.
// Errors: bytes that are no such message, at an offset; text that is none, at a line and column.
absl::StatusOr<Message> parse_binary(absl::string_view bytes, absl::string_view type);
absl::StatusOr<Message> parse_text(absl::string_view text, absl::string_view type);

}  // namespace tileproof::hlo_proto
