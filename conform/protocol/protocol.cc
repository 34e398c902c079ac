// SPDX-License-Identifier: Apache-2.0
#include "conform/protocol/protocol.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "generate/choose/stable_hash.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {
namespace {

constexpr size_t kMaxMessage = 1000;

bool is_id(const Json& json) { return is_integer(json) || json.as<std::string>() != nullptr; }

absl::Status malformed(absl::string_view message) { return absl::InvalidArgumentError(message); }

// -?[1-9][0-9]* or 0.
bool is_decimal(absl::string_view text) {
  const absl::string_view digits = text.substr(!text.empty() && text[0] == '-' ? 1 : 0);
  if (digits.empty() || (digits[0] == '0' && text.size() > 1)) return false;
  return std::all_of(digits.begin(), digits.end(),
                     [](unsigned char c) { return absl::ascii_isdigit(c); });
}

Json decimal(const std::string& text) {
  int64_t small;
  if (text.size() < 21 && absl::SimpleAtoi(text, &small)) return small;
  return Json::Number{text};
}

// Reads an optional member: an integer of at least 0, as a number or a decimal string.
absl::Status read_count(const Json& object, absl::string_view key, std::optional<int64_t>& field) {
  const Json* value = find(object, key);
  if (value == nullptr) return absl::OkStatus();
  const auto* text = value->as<std::string>();
  const Json number = text != nullptr && is_decimal(*text) ? decimal(*text) : *value;
  const int64_t* integer = number.as<int64_t>();
  if (integer == nullptr || *integer < 0) {
    return malformed(absl::StrCat("expected ", key, " to be an integer of at least 0"));
  }
  field = *integer;
  return absl::OkStatus();
}

absl::Status read_text(const Json& object, absl::string_view key, std::string& field) {
  const Json* value = find(object, key);
  if (value == nullptr) return absl::OkStatus();
  const auto* text = value->as<std::string>();
  if (text == nullptr) return malformed(absl::StrCat("expected ", key, " to be a string"));
  field = *text;
  return absl::OkStatus();
}

absl::Status read_limits(const Json& result, Limits& limits) {
  if (const Json* given = find(result, "limits")) {
    if (given->as<Json::Object>() == nullptr) return malformed("expected limits to be an object");
    for (const Member& limit : *given->as<Json::Object>()) {
      if (limit.key == "rank" || limit.key == "tiles" || limit.key == "bits") continue;
      return malformed(absl::StrCat("expected the limits rank, tiles and bits, found \"",
                                    shown(limit.key, 40), "\""));
    }
    TRY(read_count(*given, "rank", limits.rank));
    TRY(read_count(*given, "tiles", limits.tiles));
    TRY(read_count(*given, "bits", limits.bits));
  }
  const Json* ops = find(result, "ops");
  if (ops == nullptr) return absl::OkStatus();
  const auto* list = ops->as<Json::Array>();
  if (list == nullptr) return malformed("expected ops to be an array");
  limits.ops.emplace();
  for (const Json& op : *list) {
    const auto* name = op.as<std::string>();
    if (name == nullptr) return malformed("expected ops to be an array of strings");
    limits.ops->push_back(*name);
  }
  return absl::OkStatus();
}

absl::Status read_forms(const Json& result, Hello& hello) {
  std::optional<int64_t> window;
  TRY(read_count(result, "window", window));
  if (window == 0) return malformed("expected window to be at least 1");
  hello.window = std::clamp<int64_t>(window.value_or(1), 1, kMaxWindow);
  std::string integers = "json";
  TRY(read_text(result, "integers", integers));
  if (integers != "json" && integers != "string") {
    return malformed("expected integers to be \"json\" or \"string\"");
  }
  hello.integers = integers == "string" ? IntegerForm::kString : IntegerForm::kJson;
  if (const Json* parsed = find(result, "parsed")) {
    const bool* wanted = parsed->as<bool>();
    if (wanted == nullptr) return malformed("expected parsed to be true or false");
    hello.parsed = *wanted;
  }
  return absl::OkStatus();
}

// The value with each leaf as `change` makes it, but for ids.
absl::StatusOr<Json> changed(const Json& json,
                             absl::FunctionRef<absl::StatusOr<Json>(const Json&)> change) {
  if (const auto* array = json.as<Json::Array>()) {
    Json::Array out;
    for (const Json& item : *array) {
      out.push_back(TRY(changed(item, change)));
    }
    return Json(std::move(out));
  }
  if (const auto* object = json.as<Json::Object>()) {
    Json::Object out;
    for (const Member& m : *object) {
      Json value = TRY(m.key == "id" ? m.value : changed(m.value, change));
      out.push_back({m.key, std::move(value)});
    }
    return Json(std::move(out));
  }
  return change(json);
}

// Appends the text of a value with the keys of each object sorted. `outermost`: leaves out `id` and
// `parsed`.
void append_sorted(std::string& out, const Json& json, bool outermost = false) {
  if (const auto* object = json.as<Json::Object>()) {
    absl::InlinedVector<const Member*, 8> members;
    for (const Member& m : *object) {
      if (!outermost || (m.key != "id" && m.key != "parsed")) members.push_back(&m);
    }
    std::sort(members.begin(), members.end(),
              [](const Member* a, const Member* b) { return a->key < b->key; });
    out += '{';
    for (const Member* m : members) {
      if (out.back() != '{') out += ',';
      append_text(out, absl::string_view(m->key));
      out += ':';
      append_sorted(out, m->value);
    }
    out += '}';
  } else if (const auto* array = json.as<Json::Array>()) {
    out += '[';
    for (size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ',';
      append_sorted(out, (*array)[i]);
    }
    out += ']';
  } else {
    append_text(out, json);
  }
}

}  // namespace

Answer result_answer(Json id, Json result, Json inexact) {
  return {std::move(id), Answer::Kind::kResult, std::move(result), "", std::move(inexact)};
}

Answer failed_answer(Json id, const absl::Status& status) {
  const bool unsupported = absl::IsUnimplemented(status) || absl::IsResourceExhausted(status);
  const absl::string_view message = status.message();
  return {std::move(id), unsupported ? Answer::Kind::kUnsupported : Answer::Kind::kError, Json(),
          shown(message, kMaxMessage), Json()};
}

std::variant<Request, Answer> read_request(absl::string_view line) {
  if (line.size() > kMaxLineBytes) {
    return failed_answer(Json(), malformed("expected a line of at most 16 MiB"));
  }
  absl::StatusOr<JsonText> text = read_json(line);
  if (!text.ok()) return failed_answer(Json(), text.status());
  Json& json = text->value;
  if (json.as<Json::Object>() == nullptr) {
    return failed_answer(Json(), malformed("column 1: expected an object"));
  }
  const Json* given = find(json, "id");
  if (given == nullptr || !is_id(*given)) {
    return failed_answer(Json(), malformed("expected the key \"id\", an integer or a string"));
  }
  Json id = *given;
  if (text->duplicate) return failed_answer(std::move(id), malformed(*text->duplicate));
  const Json* op = find(json, "op");
  if (op == nullptr || op->as<std::string>() == nullptr) {
    return failed_answer(std::move(id), malformed("expected the key \"op\", a string"));
  }
  std::string name = *op->as<std::string>();
  return Request{std::move(id), std::move(name), std::move(json)};
}

absl::StatusOr<Answer> read_answer(absl::string_view line) {
  if (line.size() > kMaxLineBytes) return malformed("expected a line of at most 16 MiB");
  JsonText text = TRY(read_json(line));
  if (text.duplicate) return malformed(*text.duplicate);
  const Json& json = text.value;
  if (json.as<Json::Object>() == nullptr) return malformed("column 1: expected an object");
  const Json* id = find(json, "id");
  if (id == nullptr || !(is_id(*id) || id->is_null())) {
    return malformed("expected the key \"id\", an integer or a string");
  }
  const Json* result = find(json, "result");
  const Json* unsupported = find(json, "unsupported");
  const Json* error = find(json, "error");
  if ((result != nullptr) + (unsupported != nullptr) + (error != nullptr) != 1) {
    return malformed("expected exactly one of \"result\", \"unsupported\" and \"error\"");
  }
  if (result != nullptr) {
    const Json* inexact = find(json, "inexact");
    return result_answer(*id, *result, inexact == nullptr ? Json() : *inexact);
  }
  const auto* why = (unsupported != nullptr ? unsupported : error)->as<std::string>();
  if (why == nullptr) return malformed("expected the reason to be a string");
  return Answer{*id, unsupported != nullptr ? Answer::Kind::kUnsupported : Answer::Kind::kError,
                Json(), *why, Json()};
}

Json to_json(const Answer& answer) {
  Json json = json_object({{"id", answer.id}});
  switch (answer.kind) {
    case Answer::Kind::kResult:
      set(json, "result", answer.result);
      if (!answer.inexact.is_null()) set(json, "inexact", answer.inexact);
      break;
    case Answer::Kind::kUnsupported:
      set(json, "unsupported", answer.why);
      break;
    case Answer::Kind::kError:
      set(json, "error", answer.why);
      break;
  }
  return json;
}

std::string to_text(const Answer& answer) { return to_text(to_json(answer)); }

Json with_id(Json id, const Json& request) {
  Json json = json_object({{"id", std::move(id)}});
  if (const auto* members = request.as<Json::Object>()) {
    for (const Member& member : *members) json.as<Json::Object>()->push_back(member);
  }
  return json;
}

void Lines::add(absl::string_view bytes) {
  if (start_ > 0) {
    buffer_.erase(0, start_);
    scanned_ -= start_;
    start_ = 0;
  }
  buffer_.append(bytes.data(), bytes.size());
}

std::optional<Lines::Line> Lines::next() {
  while (true) {
    const size_t newline = buffer_.find('\n', scanned_);
    const bool whole = newline != std::string::npos;
    const size_t end = whole ? newline : buffer_.size();
    const size_t start = start_;
    const absl::string_view text = absl::string_view(buffer_).substr(start, end - start);
    scanned_ = end;
    if (!whole && !skipping_ && text.size() > kMaxLineBytes) {
      skipping_ = true;
      return Line{text.substr(0, kMaxMessage), true};
    }
    if (!whole && skipping_) {
      start_ = end;
      return std::nullopt;
    }
    if (!whole && (!ended_ || text.empty())) return std::nullopt;
    start_ = scanned_ = whole ? end + 1 : end;
    if (std::exchange(skipping_, false)) continue;
    if (text.size() > kMaxLineBytes) return Line{text.substr(0, kMaxMessage), true};
    return Line{text, false};
  }
}

Json integers_to_strings(const Json& json) {
  return *changed(json, [](const Json& leaf) -> absl::StatusOr<Json> {
    return is_integer(leaf) ? Json(to_text(leaf)) : leaf;
  });
}

absl::StatusOr<Json> integers_from_strings(const Json& json) {
  return changed(json, [](const Json& leaf) -> absl::StatusOr<Json> {
    if (const auto* text = leaf.as<std::string>()) return is_decimal(*text) ? decimal(*text) : leaf;
    if (!is_integer(leaf)) return leaf;
    return malformed(
        absl::StrCat("expected integers as decimal strings, found ", shown(to_text(leaf), 40)));
  });
}

absl::Status integers_from_strings(Answer& answer) {
  for (Json* json : {&answer.result, &answer.inexact}) {
    Json value = TRY(integers_from_strings(*json));
    *json = std::move(value);
  }
  return absl::OkStatus();
}

Json hello_request() { return json_object({{"id", 0}, {"op", "hello"}, {"protocol", 1}}); }

absl::StatusOr<Hello> read_hello(const Answer& answer) {
  if (answer.kind != Answer::Kind::kResult) return malformed("expected a result");
  if (answer.result.as<Json::Object>() == nullptr) return malformed("expected an object");
  Hello hello;
  TRY(read_text(answer.result, "name", hello.name));
  TRY(read_text(answer.result, "version", hello.version));
  TRY(read_limits(answer.result, hello.limits));
  TRY(read_forms(answer.result, hello));
  return hello;
}

uint64_t case_hash(const Json& request) {
  static thread_local std::string text;  // keeps its memory between calls
  text.clear();
  append_sorted(text, request, true);
  return stable_hash(text);
}

std::string case_id(uint64_t hash) { return absl::StrCat(absl::Hex(hash, absl::kZeroPad16)); }

std::vector<TextNumber> numbers_in(absl::string_view text) {
  const auto is_digit = [&](size_t at) {
    return at < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[at]));
  };
  std::vector<TextNumber> numbers;
  for (size_t at = 0; at < text.size();) {
    if (!is_digit(at)) {
      ++at;
      continue;
    }
    const size_t from = at;
    while (is_digit(at)) ++at;
    const char before = from > 0 ? text[from - 1] : ' ';
    const bool of_window = before == 'x' && from > 1 && is_digit(from - 2);  // the 3 of `2x3`
    const bool of_name = absl::ascii_isalpha(static_cast<unsigned char>(before)) || before == '.' ||
                         before == '%' || before == '#';
    if (!of_name || of_window) numbers.push_back({from, at - from});
  }
  return numbers;
}

bool read_number(absl::string_view text, TextNumber number, int64_t& value) {
  return absl::SimpleAtoi(text.substr(number.from, number.length), &value);
}

std::string with_numbers(absl::string_view text,
                         std::vector<std::pair<TextNumber, int64_t>> replacements) {
  std::sort(replacements.begin(), replacements.end(),
            [](const auto& a, const auto& b) { return a.first.from > b.first.from; });
  std::string result(text);
  for (const auto& [position, value] : replacements) {
    result.replace(position.from, position.length, absl::StrCat(value));
  }
  return result;
}

}  // namespace tileproof::conform
