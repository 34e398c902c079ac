// SPDX-License-Identifier: Apache-2.0
// Protocol buffers as values, and the readers of both formats.
//
// A message is a list of fields with numbers. Which fields there are, schema.txt says; of all others
// the names are kept. Source: protobuf's documentation, "Encoding" and "Text Format Language Specification".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace tileproof::hlo_proto {

enum class Kind {
  kInteger,  // int32, int64, bool; repeated ones may be packed
  kEnum,     // in text a name
  kFloat,    // float
  kDouble,   // double
  kString,   // string or bytes
  kMessage,
  kSkipped,  // no value depends on it
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
  std::vector<Field> fields;         // in the order of the input
  std::vector<std::string> unknown;  // what schema.txt lacks: `field_103`; in text its name

  // The last value of a field, as in protobuf; the default if there is none.
  int64_t integer(absl::string_view name) const;
  std::string text(absl::string_view name) const;
  const Message* message(absl::string_view name) const;  // null if there is none

  bool has(absl::string_view name) const;
  std::vector<int64_t> integers(absl::string_view name) const;
  std::vector<double> reals(absl::string_view name) const;
  std::vector<const Message*> messages(absl::string_view name) const;
};

// Reads a message of a type, such as "HloModuleProto". Messages nest at most kMaxNesting deep.
// Errors: bytes that are no such message, at an offset; text that is none, at a line and column.
absl::StatusOr<Message> parse_binary(absl::string_view bytes, absl::string_view type);
absl::StatusOr<Message> parse_text(absl::string_view text, absl::string_view type);

// ---- Messages as HLO text: instruction_text.cc, attribute_text.cc, device_text.cc, literal_text.cc ----

// `f32[2,3]{1,0:T(8,128)}`, `(f32[], s32[2])`. Errors: an element type that nobody knows.
absl::StatusOr<std::string> shape_text(const Message& shape);

// `f32[3,2] transpose(a), dimensions={1,0}`, without the name. `operands` and `called` are names.
absl::StatusOr<std::string> instruction_text(const Message& instruction,
                                             const std::vector<std::string>& operands,
                                             const std::vector<std::string>& called);

// The attributes of an operation, except its calls: `dimensions={1,0}`. Every field of the proto
// counts that XLA prints; of one that is in no schema there is an attribute of its name, which the
// reader of HLO refuses as it refuses any other that it does not know.
absl::StatusOr<std::vector<std::string>> attribute_texts(const Message& instruction,
                                                         absl::string_view opcode);

// `{{0,1},{2,3}}`, `[2,2]<=[4]`, `mesh['x'=4] {'x'}`: replica groups. Empty if the instruction has none. Errors: an axis that the mesh lacks.
absl::StatusOr<std::string> groups_text(const Message& instruction);

// `{devices=[2,2]<=[4]}`: an OpSharding. Errors: those of groups_text, and shardings nested deeper than
// kMaxNesting.
absl::StatusOr<std::string> sharding_text(const Message& sharding);

// `{a="b",c={..}}`, sorted; empty if there are none.
std::string frontend_text(const Message& attributes);

// `{1, 2}`: the place of a part in a tuple, as lists of aliases have it.
std::string index_text(const Message& of, absl::string_view field);

// The texts of all messages of a field.
template <class Text>
std::string texts(const Message& of, absl::string_view field, const char* separator, Text text) {
  return absl::StrJoin(of.messages(field), separator, [&](std::string* out, const Message* one) {
    absl::StrAppend(out, text(*one));
  });
}

// `f32`, `tuple`: the type of a ShapeProto as HLO names it. Empty if there is none.
std::string type_of(const Message& shape);

// `{1, 2}`, or `{...}` for an array whose elements are absent: those of another number than the shape's,
// and of a literal that is null. Errors: a scalar that is absent.
absl::StatusOr<std::string> literal_text(const Message& shape, const Message* literal);

}  // namespace tileproof::hlo_proto
