// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo_proto/message.h"

#include <bit>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo_proto/schema.h"

namespace tileproof::hlo_proto {
namespace {

// ---- Binary ----

enum Wire { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

class BinaryReader {
 public:
  BinaryReader(absl::string_view bytes, size_t offset) : bytes_(bytes), offset_(offset) {}

  absl::StatusOr<Message> message(absl::string_view type, int depth) {
    Message result;
    if (depth > kMaxNesting) return error("messages nested at most 1000");
    while (at_ < bytes_.size()) {
      const uint64_t tag = TRY(varint());
      const auto wire = static_cast<Wire>(tag & 7);
      const FieldInfo* info =
          tag >> 3 > INT32_MAX ? nullptr : field_numbered(type, static_cast<int>(tag >> 3));
      if (tag >> 3 == 0) return error("a field number above 0");
      TRY(field(wire, info, depth, result));
      if (info == nullptr) result.unknown.push_back(absl::StrCat("field_", tag >> 3));
    }
    return result;
  }

 private:
  absl::Status error(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("byte ", offset_ + at_, ": expected ", what));
  }

  absl::StatusOr<uint64_t> varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) return error("more bytes of a number");
      const auto byte = static_cast<uint8_t>(bytes_[at_++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return error("a number of at most 64 bits before this");
  }

  absl::StatusOr<uint64_t> fixed(size_t width) {
    if (bytes_.size() - at_ < width) return error(absl::StrCat(width, " more bytes"));
    uint64_t value = 0;
    for (size_t b = width; b-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes_[at_ + b]);
    at_ += width;
    return value;
  }

  static void add_number(const FieldInfo& info, uint64_t bits, Message& out) {
    Field& field = out.fields.emplace_back();
    field.info = &info;
    field.integer = static_cast<int64_t>(bits);
    if (info.kind == Kind::kFloat) field.real = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (info.kind == Kind::kDouble) field.real = std::bit_cast<double>(bits);
  }

  absl::Status field(Wire wire, const FieldInfo* info, int depth, Message& out) {
    if (wire == kVarint || wire == kFixed64 || wire == kFixed32) {
      const uint64_t bits = TRY(wire == kVarint    ? varint()
                                : wire == kFixed64 ? fixed(8)
                                                   : fixed(4));
      if (info == nullptr || info->kind == Kind::kSkipped) return absl::OkStatus();
      const Wire expected = info->kind == Kind::kFloat                                  ? kFixed32
                            : info->kind == Kind::kDouble                               ? kFixed64
                            : info->kind == Kind::kInteger || info->kind == Kind::kEnum ? kVarint
                                                                                        : kBytes;
      if (wire != expected)
        return error(absl::StrCat("another encoding of ", info->name, " before this"));
      add_number(*info, bits, out);
      return absl::OkStatus();
    }
    if (wire != kBytes) return error("a number or bytes before this");
    const uint64_t length = TRY(varint());
    if (length > bytes_.size() - at_) return error(absl::StrCat(length, " more bytes"));
    const absl::string_view inside = bytes_.substr(at_, length);
    const size_t start = offset_ + at_;
    at_ += length;
    if (info == nullptr || info->kind == Kind::kSkipped) return absl::OkStatus();
    if (info->kind == Kind::kString) {
      Field& text = out.fields.emplace_back();
      text.info = info;
      text.text = std::string(inside);
      return absl::OkStatus();
    }
    if (info->kind == Kind::kMessage) {
      Message message = TRY(BinaryReader(inside, start).message(info->message, depth + 1));
      Field& field = out.fields.emplace_back();
      field.info = info;
      field.message.push_back(std::move(message));
      return absl::OkStatus();
    }
    BinaryReader packed(inside, start);
    while (packed.at_ < inside.size()) {
      add_number(*info,
                 TRY(info->kind == Kind::kFloat    ? packed.fixed(4)
                     : info->kind == Kind::kDouble ? packed.fixed(8)
                                                   : packed.varint()),
                 out);
    }
    return absl::OkStatus();
  }

  absl::string_view bytes_;
  size_t offset_;  // of these bytes in the whole
  size_t at_ = 0;
};

// ---- Text ----

class TextReader {
 public:
  explicit TextReader(absl::string_view text) : text_(text), cursor_(text) {}

  // Fields up to `close`, or to the end for '\0'.
  absl::StatusOr<Message> message(absl::string_view type, char close, int depth) {
    Message result;
    if (depth > kMaxNesting) return error("messages nested at most 1000");
    while (peek() != close) {
      const std::string name = word();
      if (name.empty()) return error("the name of a field");
      const FieldInfo* info = field_named(type, name);
      if (info == nullptr) result.unknown.push_back(name);
      if (info != nullptr && info->kind == Kind::kSkipped) info = nullptr;
      const bool colon = take(':');
      if (take('[')) {
        while (!take(']')) {
          TRY(value(info, depth, result));
          take(',');
        }
      } else if (!colon && peek() != '{' && peek() != '<') {
        return error("':' or '{' after a field");
      } else {
        TRY(value(info, depth, result));
      }
      if (!take(',')) take(';');
    }
    if (close != '\0') take(close);
    return result;
  }

 private:
  absl::Status error(absl::string_view what) {
    peek();
    return cursor_.error_at(at_, absl::StrCat("expected ", what));
  }

  // The next character after space and `# comments`; '\0' at the end.
  char peek() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (!absl::ascii_isspace(text_[at_])) {
        return text_[at_] == '\0' ? ' ' : text_[at_];
      } else {
        ++at_;
      }
    }
    return '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::string word() {
    peek();
    const size_t start = at_;
    while (at_ < text_.size() && (absl::ascii_isalnum(text_[at_]) || text_[at_] == '_' ||
                                  text_[at_] == '.' || text_[at_] == '-' || text_[at_] == '+')) {
      ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }

  // Strings beside each other are one.
  absl::StatusOr<std::string> string() {
    std::string result;
    while (peek() == '"' || peek() == '\'') {
      const char quote = text_[at_];
      const size_t start = at_ + 1;
      for (at_ = start; at_ < text_.size() && text_[at_] != quote; ++at_) {
        if (text_[at_] == '\\') ++at_;
      }
      if (at_ >= text_.size()) {
        at_ = text_.size();
        return error("the end of a string");
      }
      std::string part;
      if (!absl::CUnescape(text_.substr(start, at_ - start), &part)) {
        at_ = start;
        return error("a string with the escapes of C");
      }
      result += part;
      ++at_;
    }
    return result;
  }

  absl::Status value(const FieldInfo* info, int depth, Message& out) {
    const char next = peek();
    if (next == '{' || next == '<') {
      ++at_;
      const bool known = info != nullptr && info->kind == Kind::kMessage;
      if (info != nullptr && !known) return error(absl::StrCat("a value of ", info->name));
      Message message =
          TRY(this->message(known ? info->message : "", next == '{' ? '}' : '>', depth + 1));
      if (!known) return absl::OkStatus();
      Field& field = out.fields.emplace_back();
      field.info = info;
      field.message.push_back(std::move(message));
      return absl::OkStatus();
    }
    Field field;
    field.info = info;
    const size_t start = at_;
    if (next == '"' || next == '\'') {
      field.text = TRY(string());
      if (info != nullptr && info->kind != Kind::kString) {
        at_ = start;
        return error(absl::StrCat("a value of ", info->name));
      }
    } else {
      field.text = word();
      if (field.text.empty()) return error("a value");
      if (info != nullptr) TRY(number(*info, start, field));
    }
    if (info != nullptr) out.fields.push_back(std::move(field));
    return absl::OkStatus();
  }

  absl::Status number(const FieldInfo& info, size_t start, Field& field) {
    const std::string& text = field.text;
    uint64_t large = 0;
    bool ok = info.kind == Kind::kEnum && absl::ascii_isalpha(text[0]);
    if (info.kind == Kind::kFloat || info.kind == Kind::kDouble) {
      ok = absl::SimpleAtod(text, &field.real);
    } else if (info.kind == Kind::kInteger || info.kind == Kind::kEnum) {
      if (text == "true" || text == "false") {
        field.integer = text == "true" ? 1 : 0;
        ok = true;
      } else if (absl::SimpleAtoi(text, &field.integer)) {
        ok = true;
      } else if (absl::SimpleAtoi(text, &large)) {
        field.integer = static_cast<int64_t>(large);
        ok = true;
      }
    }
    if (ok) return absl::OkStatus();
    at_ = start;
    return error(absl::StrCat("a value of ", info.name));
  }

  absl::string_view text_;
  Cursor cursor_;  // for places of errors
  size_t at_ = 0;
};

const Field* last(const Message& message, absl::string_view name) {
  const Field* found = nullptr;
  for (const Field& field : message.fields) {
    if (field.info->name == name) found = &field;
  }
  return found;
}

template <class Value>
std::vector<Value> all(const Message& message, absl::string_view name, Value Field::*of) {
  std::vector<Value> found;
  for (const Field& field : message.fields) {
    if (field.info->name == name) found.push_back(field.*of);
  }
  return found;
}

}  // namespace

int64_t Message::integer(absl::string_view name) const {
  const Field* field = last(*this, name);
  return field == nullptr ? 0 : field->integer;
}

std::string Message::text(absl::string_view name) const {
  const Field* field = last(*this, name);
  return field == nullptr ? "" : field->text;
}

const Message* Message::message(absl::string_view name) const {
  const Field* field = last(*this, name);
  return field == nullptr ? nullptr : &field->message[0];
}

bool Message::has(absl::string_view name) const { return last(*this, name) != nullptr; }

std::vector<const Message*> Message::messages(absl::string_view name) const {
  std::vector<const Message*> found;
  for (const Field& field : fields) {
    if (field.info->name == name) found.push_back(&field.message[0]);
  }
  return found;
}

std::vector<double> Message::reals(absl::string_view name) const {
  return all(*this, name, &Field::real);
}

std::vector<int64_t> Message::integers(absl::string_view name) const {
  return all(*this, name, &Field::integer);
}

absl::StatusOr<Message> parse_binary(absl::string_view bytes, absl::string_view type) {
  return BinaryReader(bytes, 0).message(type, 0);
}

absl::StatusOr<Message> parse_text(absl::string_view text, absl::string_view type) {
  return TextReader(text).message(type, '\0', 0);
}

namespace {

using Fields = std::vector<FieldInfo>;

Kind kind_of(absl::string_view text) {
  if (text == "i") return Kind::kInteger;
  if (text == "e") return Kind::kEnum;
  if (text == "f") return Kind::kFloat;
  if (text == "d") return Kind::kDouble;
  if (text == "x") return Kind::kSkipped;
  return text == "s" ? Kind::kString : Kind::kMessage;
}

// The fields of the messages that the reader needs: all that an instruction has. A message in each line:
// its name, then `number name kind` of each field. Kinds are i (integer), e (enum), f (float), d
// (double), s (string), x (skipped: nothing depends on it), and names of messages. Source: the field
// numbers that XLA publishes (hlo.proto, xla_data.proto), as jaxlib 0.10.2 has them.
std::map<std::string, Fields> read_schema() {
  std::map<std::string, Fields> messages;
  for (absl::string_view line : absl::StrSplit(kSchema, '\n', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    Fields& fields = messages[std::string(parts.first)];
    for (absl::string_view text : absl::StrSplit(parts.second, ", ")) {
      const std::vector<std::string> words = absl::StrSplit(text, ' ');
      FieldInfo field{0, words[1], kind_of(words[2]), words[2]};
      if (!absl::SimpleAtoi(words[0], &field.number)) continue;
      fields.push_back(std::move(field));
    }
  }
  return messages;
}

const Fields& fields_of(absl::string_view message) {
  static const auto* schema = new std::map<std::string, Fields>(read_schema());
  static const auto* none = new Fields();
  const auto found = schema->find(std::string(message));
  return found == schema->end() ? *none : found->second;
}

}  // namespace

const FieldInfo* field_numbered(absl::string_view message, int number) {
  for (const FieldInfo& field : fields_of(message)) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

const FieldInfo* field_named(absl::string_view message, absl::string_view name) {
  for (const FieldInfo& field : fields_of(message)) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

}  // namespace tileproof::hlo_proto
