// SPDX-License-Identifier: Apache-2.0
#include "conform/shrink/text_form.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conform/oracle/exact_layout.h"
#include "conform/oracle/fields.h"
#include "spec/lang/hlo/hlo_shapes.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

bool is_digit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
bool is_letter(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '%'; }

// The end of the token at a position. `4x8xf32` and `0_1x1_1` are numbers with a letter between two.
size_t token_end(absl::string_view text, size_t from) {
  size_t at = from + 1;
  if (is_digit(text[from])) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
  }
  if (text[from] == '\\') return from + 2;
  const bool after_number = from > 0 && is_digit(text[from - 1]);
  if (!is_letter(text[from]) || (text[from] == 'x' && after_number)) return at;
  const auto in_word = [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
  };
  while (at < text.size() && in_word(text[at])) ++at;
  return at;
}

char closing(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : open == '<' ? '>' : open;
}

class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  std::vector<TextList> lists() {
    at_ = 1;  // after the {
    read('{', "");
    return std::move(lists_);
  }

 private:
  // Reads a list up to its closing bracket, which it skips.
  void read(char open, std::string path) {
    const size_t number = lists_.size();
    lists_.push_back({{at_, at_}, open, path, string_});
    const bool outer = open == '"' || (open == '{' && string_ == 0);
    int64_t item = 0;
    std::vector<TextSpan> units;
    const auto ends = [&] {  // a bracket that is not closed ends with its string
      return at_ >= text_.size() || text_[at_] == closing(open) ||
             (string_ != 0 && text_[at_] == '"');
    };
    while (!ends()) {
      const size_t from = at_;
      if (opens(open)) {
        const bool string = text_[at_] == '"';
        if (string) string_ = at_;
        ++at_;
        read(text_[from], outer ? "" : absl::StrCat(path, "/", item));
        if (string) string_ = 0;
      } else {
        at_ = std::min(token_end(text_, at_), text_.size());
      }
      if (text_[from] == ',') ++item;
      if (text_[from] != ' ') units.push_back({from, at_});
    }
    lists_[number].all.to = at_;
    if (at_ < text_.size() && text_[at_] == closing(open)) ++at_;
    lists_[number].units = std::move(units);
    split(number);
  }

  bool opens(char inside) const {
    const char c = text_[at_];
    if (c == '"') return string_ == 0;
    if (c == '(' || c == '[' || c == '{') return true;
    const bool after_word =
        at_ > 0 && absl::ascii_isalnum(static_cast<unsigned char>(text_[at_ - 1]));
    return c == '<' && after_word && inside != '[' &&
           text_.find('>', at_) != absl::string_view::npos;
  }

  bool is(TextSpan unit, absl::string_view token) const { return part(text_, unit) == token; }

  // Splits a list into items, and a string of lines into the lists of its lines.
  void split(size_t number) {
    const TextList list = lists_[number];
    const bool lines = std::ranges::any_of(list.units, [&](TextSpan u) { return is(u, "\\n"); });
    std::vector<TextSpan> items;
    std::vector<TextSpan> units;
    const auto end_item = [&] {
      if (units.empty()) return;
      items.push_back({units.front().from, units.back().to});
      if (lines) {
        lists_.push_back({items.back(), '\n', "", list.text, units, {}});
        split(lists_.size() - 1);
      }
      units.clear();
    };
    for (const TextSpan unit : list.units) {
      if (lines ? is(unit, "\\n") : separates(list, unit)) {
        end_item();
      } else {
        units.push_back(unit);
      }
    }
    end_item();
    lists_[number].items = std::move(items);
  }

  // A colon separates the order of dimensions from tiles, and `domain` from what it is.
  bool separates(const TextList& list, TextSpan unit) const {
    if (is(unit, ",")) return true;
    if (!is(unit, ":") || list.text == 0) return false;
    return list.open == '{' || (list.open == '"' && text_[unit.to] == ' ');
  }

  absl::string_view text_;
  size_t at_ = 0;
  size_t string_ = 0;
  std::vector<TextList> lists_;
};

// The length of the default layout of some rank, such as "2,1,0", at the start of a text; or 0.
size_t default_layout_length(absl::string_view text) {
  size_t length = text.find_first_not_of("0123456789,");
  if (length == absl::string_view::npos) return 0;
  const std::vector<absl::string_view> order = absl::StrSplit(text.substr(0, length), ',');
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != absl::StrCat(order.size() - 1 - i)) return 0;
  }
  return length;
}

// The text without what counts as no letters (is_smaller).
std::string plain(absl::string_view text) {
  std::string result = absl::StrReplaceAll(text, {{"f32[", "["}});
  for (size_t at = result.find("]{"); at != std::string::npos; at = result.find("]{", at + 1)) {
    result.erase(at + 2, default_layout_length(absl::string_view(result).substr(at + 2)));
  }
  return result;
}

}  // namespace

std::vector<TextList> lists_in(absl::string_view json) { return Reader(json).lists(); }

absl::string_view part(absl::string_view text, TextSpan span) {
  return text.substr(span.from, span.to - span.from);
}

std::string edited(absl::string_view text, TextEdits edits) {
  std::ranges::sort(edits, [](const auto& a, const auto& b) {
    return a.first.from != b.first.from ? a.first.from < b.first.from : a.first.to > b.first.to;
  });
  std::string result;
  size_t at = 0;
  for (const auto& [span, instead] : edits) {
    if (span.from < at) {
      at = std::max(at, span.to);
      continue;
    }
    absl::StrAppend(&result, text.substr(at, span.from - at), instead);
    at = span.to;
  }
  absl::StrAppend(&result, text.substr(at));
  return result;
}

TextSpan with_comma(absl::string_view text, const TextList& list, size_t first, size_t last) {
  TextSpan span{list.items[first].from, list.items[last].to};
  const absl::string_view after = text.substr(span.to, list.all.to - span.to);
  const size_t next = after.find_first_not_of(' ');
  const bool lines = absl::StartsWith(after, "\\n");
  if (lines || (next != absl::string_view::npos && after[next] == ',')) {
    span.to += lines ? 2 : next + 1;
    while (span.to < list.all.to && text[span.to] == ' ') ++span.to;
    return span;
  }
  size_t before = span.from;
  while (before > list.all.from && text[before - 1] == ' ') --before;
  if (before > list.all.from && text[before - 1] == ',') span.from = before - 1;
  return span;
}

std::optional<int64_t> integer_at(absl::string_view text, TextSpan span) {
  int64_t value;
  if (!absl::SimpleAtoi(part(text, span), &value)) return std::nullopt;
  return value;
}

bool is_word(absl::string_view token) {
  return !token.empty() && is_letter(token[0]) && token.find_first_of("([{<\" ") == token.npos;
}

bool is_smaller(absl::string_view a, absl::string_view b) {
  const bool empty = has_empty_array(a), other_empty = has_empty_array(b);
  if (empty != other_empty) return other_empty;
  const std::string first = plain(a), second = plain(b);
  if (first.size() != second.size()) return first.size() < second.size();
  return first < second;
}

bool has_empty_array(absl::string_view request) {
  for (size_t open = request.find('['); open != absl::string_view::npos;
       open = request.find('[', open + 1)) {
    if (open == 0 || !absl::ascii_isalnum(static_cast<unsigned char>(request[open - 1]))) continue;
    const size_t close = request.find(']', open);
    if (close == absl::string_view::npos) return false;
    for (absl::string_view size : absl::StrSplit(request.substr(open + 1, close - open - 1), ',')) {
      if (size == "0" || size == "<=0") return true;
    }
  }
  return false;
}

namespace {

template <class Value>
std::vector<std::string> printed(const absl::StatusOr<Value>& value) {
  if (!value.ok()) return {};
  return {to_text(*value)};
}

// Drops the instructions that the root does not need. Parameters of the entry are numbered again;
// those of a called computation stay.
void drop_unused(HloComputation& computation, bool entry) {
  std::vector<char> needed(computation.instructions.size(), 0);
  needed[computation.root] = 1;
  for (auto i = static_cast<int32_t>(needed.size()) - 1; i >= 0; --i) {
    const HloInstruction& at = computation.instructions[i];
    if (!entry && at.opcode == HloOpcode::kParameter) needed[i] = 1;
    if (!needed[i]) continue;
    for (const HloOperand& operand : at.operands) needed[operand.instruction] = 1;
  }
  std::vector<int32_t> positions(needed.size(), -1);
  std::vector<HloInstruction> kept;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    positions[i] = static_cast<int32_t>(kept.size());
    kept.push_back(std::move(computation.instructions[i]));
    for (HloOperand& operand : kept.back().operands) {
      operand = {positions[operand.instruction], {}};
    }
  }
  computation.instructions = std::move(kept);
  computation.root = positions[computation.root];
  computation.signature.reset();
  std::vector<HloInstruction*> parameters;
  for (HloInstruction& at : computation.instructions) {
    if (at.opcode == HloOpcode::kParameter) parameters.push_back(&at);
  }
  std::ranges::sort(parameters, {}, &HloInstruction::parameter_number);
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i]->parameter_number = static_cast<int64_t>(i);
  }
}

// Drops the computations that are never called.
void drop_uncalled(HloModule& module) {
  std::vector<char> called(module.computations.size(), 0);
  called[module.entry] = 1;
  for (int32_t c = static_cast<int32_t>(module.computations.size()) - 1; c >= 0; --c) {
    if (!called[c]) continue;  // callees come before their callers
    for (const HloInstruction& at : module.computations[c].instructions) {
      for (const HloCall& call : at.calls) {
        if (call.computation >= 0) called[call.computation] = 1;
      }
    }
  }
  std::vector<HloComputation> kept;
  for (size_t c = 0; c < called.size(); ++c) {
    if (called[c]) kept.push_back(std::move(module.computations[c]));
  }
  module.computations = std::move(kept);
}

std::string short_text(HloModule module) {
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    drop_unused(module.computations[c], c == module.entry);
  }
  module.attributes.clear();
  module.sections.clear();
  module.has_header = false;
  drop_uncalled(module);
  if (module.computations.size() == 1) module.computations[0].name.clear();
  return to_text(module);
}

std::vector<std::string> forms_of(HloModule module) {
  std::vector<std::string> forms = {short_text(module)};
  for (HloComputation& computation : module.computations) {
    for (HloInstruction& at : computation.instructions) {
      absl::StatusOr<Shape> shape = inferred_shape(module, computation, at);
      if (shape.ok()) at.shape = SharedShape(*std::move(shape));
    }
  }
  std::string inferred = short_text(std::move(module));
  if (inferred != forms[0]) forms.push_back(std::move(inferred));
  return forms;
}

}  // namespace

std::vector<std::string> canonical_texts(absl::string_view key, const std::string& text) {
  switch (form_of(key)) {
    case Form::kShape: {
      absl::StatusOr<Shape> shape = parse_shape_of_any_size(text);
      const bool array = shape.ok() && shape->kind == Shape::Kind::kArray && shape->rank() > 0;
      if (array) shape->layout = layout_of(*shape);  // many programs want a layout
      return printed(shape);
    }
    case Form::kLayout:
      return printed(parse_any_layout(text));
    case Form::kMap:
      return printed(parse_map(text));
    case Form::kHlo: {
      absl::StatusOr<HloModule> module = parse_hlo_module(text);
      return module.ok() ? forms_of(*std::move(module)) : std::vector<std::string>();
    }
    case Form::kOther:
      break;
  }
  return key == "by" ? printed(parse_tiler(text)) : std::vector{text};
}

}  // namespace tileproof::conform
