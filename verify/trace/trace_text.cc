// SPDX-License-Identifier: Apache-2.0
#include "verify/trace/trace_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::trace {
namespace {

absl::Status expected(absl::string_view what, absl::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat("expected ", what, ", found '", found, "'"));
}

// Parses the numbers of earlier steps after the last `word` and removes that part of the text.
absl::StatusOr<std::vector<int>> take_numbers(absl::string_view& text, absl::string_view word,
                                              size_t steps) {
  std::vector<int> positions;
  const size_t at = text.rfind(word);
  if (at == absl::string_view::npos) return positions;
  for (absl::string_view number : absl::StrSplit(text.substr(at + word.size()), ' ')) {
    int position = 0;
    if (!absl::SimpleAtoi(number, &position) || position < 1 ||
        static_cast<size_t>(position) > steps) {
      return expected(absl::StrCat("the number of an earlier step after", word), number);
    }
    positions.push_back(position - 1);
  }
  text = text.substr(0, at);
  return positions;
}

absl::StatusOr<Step> parse_step(absl::string_view text, size_t earlier) {
  Step step;
  std::vector<int> rules = TRY(take_numbers(text, " using ", earlier));
  std::vector<int> given = TRY(take_numbers(text, " given ", earlier));
  std::vector<int> from = TRY(take_numbers(text, " from ", earlier));
  step.rules = std::move(rules);
  step.given = std::move(given);
  step.from = std::move(from);
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(" by ", 1));
  step.says = std::string(parts.first);
  step.by = std::string(parts.second);
  return step;
}

absl::StatusOr<Let> parse_let(absl::string_view text) {
  const size_t open = text.find(" = ("), close = text.rfind(") floordiv ");
  if (open == absl::string_view::npos || close == absl::string_view::npos || close < open + 4) {
    return expected("'let f1 = (..) floordiv ..'", text);
  }
  return Let{0, std::string(text.substr(0, open)),
             std::string(text.substr(open + 4, close - open - 4)),
             std::string(text.substr(close + 11))};
}

// Reads one line after the first of a section. Sets `ended` at the section's last line.
absl::Status read_line(absl::string_view line, int number, Section& section, bool& ended) {
  if (absl::ConsumePrefix(&line, "becomes ")) {
    section.after = TRY(parse_answer(line, section.before));
    ended = true;
    return absl::OkStatus();
  }
  if (absl::ConsumePrefix(&line, "let ")) {
    Let let = TRY(parse_let(line));
    let.line = number;
    section.lets.push_back(std::move(let));
    return absl::OkStatus();
  }
  if (!absl::ConsumePrefix(&line, absl::StrCat(section.steps.size() + 1, ": "))) {
    return expected(absl::StrCat("step ", section.steps.size() + 1, ", 'let' or 'becomes'"), line);
  }
  Step step = TRY(parse_step(line, section.steps.size()));
  step.line = number;
  section.steps.push_back(std::move(step));
  return absl::OkStatus();
}

// Reads the line after the last section, which repeats the result.
absl::Status read_last_line(absl::string_view line, const std::vector<Section>& sections,
                            bool& again) {
  if (sections.empty() || again) return expected("'map'", line);
  const IndexingMap map = TRY(parse_answer(line, sections.back().before));
  again = true;
  if (map == sections.back().after) return absl::OkStatus();
  return expected("the map that the last section became", line);
}

bool is_name(char c) { return absl::ascii_isalnum(c); }

// Parses a polynomial: sums, products, integers and names.
class Reader {
 public:
  Reader(absl::string_view text, const Names& names) : rest_(text), names_(names) {}

  absl::StatusOr<Polynomial> all() {
    Polynomial result;
    bool negative = take('-');
    while (true) {
      Polynomial term = TRY(product_of_factors());
      result = sum(result, negative ? product(term, constant_polynomial(-1)) : term);
      if (rest_.empty()) break;
      negative = take('-');
      if (!negative && !take('+')) return expected("'+' or '-'", rest_);
    }
    if (!result.valid) return absl::OutOfRangeError("expected numbers within 127 bits");
    return result;
  }

 private:
  bool take(char c) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  absl::StatusOr<Polynomial> product_of_factors() {
    absl::StatusOr<Polynomial> result = factor();
    while (result.ok() && take('*')) {
      const Polynomial next = TRY(factor());
      result = product(*result, next);
    }
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return result;
  }

  absl::StatusOr<Polynomial> factor() {
    const bool negative = take('-');
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    size_t length = 0;
    while (length < rest_.size() && is_name(rest_[length])) ++length;
    const absl::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    Polynomial result;
    if (!word.empty() && absl::ascii_isdigit(word.front())) {
      const Wide value = TRY(parse_integer(word));
      result = constant_polynomial(value);
    } else {
      const auto found = names_.find(word);
      if (found == names_.end()) return expected("a number, a variable or the name of a let", word);
      result = found->second;
    }
    return negative ? product(result, constant_polynomial(-1)) : result;
  }

  absl::string_view rest_;
  const Names& names_;
};

}  // namespace

absl::Status error_at(int line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", what));
}

absl::StatusOr<Wide> parse_integer(absl::string_view text) {
  absl::string_view digits = text;
  const bool negative = absl::ConsumePrefix(&digits, "-");
  if (digits.empty()) return expected("an integer", text);
  Wide value = 0;
  for (char c : digits) {
    if (!absl::ascii_isdigit(c)) return expected("an integer", text);
    if (!multiply(value, 10, value) || !add(value, negative ? '0' - c : c - '0', value)) {
      return expected("an integer within 127 bits", text);
    }
  }
  return value;
}

std::string to_text(Wide value) {
  std::string digits;
  for (Wide left = value; left != 0 || digits.empty(); left /= 10) {
    const auto digit = static_cast<int>(left % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  return value < 0 ? "-" + digits : digits;
}

std::string to_text(const Step& step) {
  std::string text = step.says;
  if (!step.by.empty()) absl::StrAppend(&text, " by ", step.by);
  for (const auto& [word, positions] :
       {std::pair{" from", &step.from}, {" given", &step.given}, {" using", &step.rules}}) {
    for (size_t i = 0; i < positions->size(); ++i) {
      absl::StrAppend(&text, i == 0 ? word : "", " ", (*positions)[i] + 1);
    }
  }
  return text;
}

std::string to_text(const Section& section) {
  std::string text = absl::StrCat("map ", tileproof::to_text(section.before), "\n");
  for (const Let& let : section.lets) {
    absl::StrAppend(&text, "let ", let.name, " = (", let.inside, ") floordiv ", let.divisor, "\n");
  }
  for (size_t i = 0; i < section.steps.size(); ++i) {
    absl::StrAppend(&text, i + 1, ": ", to_text(section.steps[i]), "\n");
  }
  return absl::StrCat(text, "becomes ", tileproof::to_text(section.after), "\n");
}

absl::StatusOr<Polynomial> parse_polynomial(absl::string_view text, const Names& names) {
  return Reader(text, names).all();
}

absl::StatusOr<std::vector<Section>> parse_trace(absl::string_view text) {
  std::vector<Section> sections;
  bool ended = true, again = false;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) continue;
    if (ended) {
      if (!absl::ConsumePrefix(&line, "map ")) {
        const absl::Status status = read_last_line(line, sections, again);
        if (!status.ok()) return error_at(number, status.message());
        continue;
      }
      if (again) return error_at(number, "expected nothing after the repeated result");
      absl::StatusOr<IndexingMap> map = parse_map(line);
      if (!map.ok()) return error_at(number, map.status().message());
      sections.push_back({number, *std::move(map), {}, {}, {}});
      ended = false;
      continue;
    }
    const absl::Status status = read_line(line, number, sections.back(), ended);
    if (!status.ok()) return error_at(number, status.message());
  }
  if (!ended) return error_at(number, "expected 'becomes', found the end");
  return sections;
}

}  // namespace tileproof::trace
