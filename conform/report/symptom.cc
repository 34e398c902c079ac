// SPDX-License-Identifier: Apache-2.0
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conform/protocol/json.h"
#include "conform/report/cause.h"

namespace tileproof::conform {
namespace {

constexpr char kLeaves[] = " leaves the integers";  // of a result or bound of a map

std::string without_quoted(absl::string_view text) {
  std::string out;
  char open = 0;  // the quote that began a quoted text
  for (const char c : text) {
    const bool quote = c == '\'' || c == '"';
    if (open == 0 || c == open) out += c;
    if (quote && open == 0) {
      open = c;
    } else if (c == open) {
      open = 0;
    }
  }
  return out;
}

}  // namespace

std::string symptom_of(const std::string& answer, const std::string& right) {
  if (absl::StrContains(answer, "KNOWN EMPTY")) return "KNOWN EMPTY";
  const absl::StatusOr<JsonText> json = read_json(right);
  const auto* text = json.ok() ? find_as<std::string>(json->value, "why") : nullptr;
  if (text == nullptr) return "";
  if (!absl::StartsWith(*text, "at ")) return words_of(text->substr(0, text->find_first_of(":;,")));
  if (absl::StrContains(*text, ": outside and ")) return "accepts more";
  return absl::EndsWith(*text, " and outside") ? "accepts less" : "other values";
}

bool is_beyond_64_bits(const std::string& right) {
  if (!absl::StrContains(right, " 64 ") && !absl::StrContains(right, kLeaves)) return false;
  const absl::StatusOr<JsonText> json = read_json(right);
  if (!json.ok()) return false;
  const Json* other = find(json->value, "or");
  const auto* text = find_as<std::string>(json->value, "error");
  if (text == nullptr && other != nullptr) text = find_as<std::string>(*other, "error");
  if (text == nullptr || absl::StrContains(*text, " within 64 signed bits")) return false;
  return absl::StrContains(*text, " 64 signed bits") || absl::StrContains(*text, " fit 64 bits") ||
         absl::StrContains(*text, kLeaves);
}

bool is_refused(absl::string_view right) { return absl::StartsWith(right, "{\"error\":"); }

bool is_other_line(absl::string_view line) {
  return !absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "{");
}

std::string other_line_in(absl::string_view what) {
  if (!absl::ConsumePrefix(&what, kNotAnAnswer)) return "";
  if (!is_other_line(what)) return "";
  return std::string(what.substr(0, what.rfind("  (")));
}

bool is_no_object(absl::string_view what) {
  if (!absl::ConsumePrefix(&what, kNotAnAnswer)) return false;
  return is_other_line(what) || absl::StrContains(what, "  (column ");  // as read_json says it
}

std::string prints_other_lines(absl::string_view line) {
  return absl::StrCat("your program prints other lines to standard output, such as '",
                      shown(line, 60), "'; only answers belong there, all else to standard error");
}

std::string broken_protocol(absl::string_view what) {
  const absl::string_view kind = what.substr(0, what.find(':'));
  const size_t why = what.rfind("  (");
  const bool said = absl::StartsWith(what, kNotAnAnswer) && why != absl::string_view::npos;
  if (!said) return words_of(kind);
  const absl::string_view reason = absl::StripSuffix(what.substr(why + 3), ")");
  return absl::StrCat(std::string(kind), ", ", without_quoted(words_of(reason)));
}

std::string exception_of(absl::string_view standard_error) {
  if (!absl::StrContains(standard_error, "Traceback (most recent call last)")) return "";
  const absl::string_view text = absl::StripTrailingAsciiWhitespace(standard_error);
  const size_t line = text.rfind('\n');  // npos + 1 is 0
  return without_quoted(words_of(text.substr(line + 1)));
}

std::string place_of_exception(absl::string_view standard_error) {
  const size_t place = standard_error.rfind("  File \"");
  if (exception_of(standard_error).empty() || place == absl::string_view::npos) return "";
  return std::string(standard_error.substr(place, standard_error.find('\n', place) - place));
}

uint64_t magnitude(int64_t n) {
  return n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
}

bool is_wide(int64_t n) { return magnitude(n) >= kWide - 1; }

std::string sign_text(int64_t n) { return n < 0 ? "-" : ""; }

std::string class_of(int64_t n) {
  if (n >= -1 && n <= 1) return absl::StrCat(n);
  return absl::StrCat(sign_text(n), is_wide(n) ? "N" : "n");
}

std::string words_of(absl::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) {
      out += text[at++];
      continue;
    }
    const size_t from = at;
    while (at < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) ++at;
    int64_t value;
    const bool fits = absl::SimpleAtoi(text.substr(from, at - from), &value);
    const bool of_name =
        from > 0 && absl::ascii_isalpha(static_cast<unsigned char>(text[from - 1]));
    out += of_name ? "" : fits ? class_of(value) : "N";
  }
  return out;
}

}  // namespace tileproof::conform
