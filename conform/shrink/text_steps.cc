// SPDX-License-Identifier: Apache-2.0
#include "conform/shrink/text_steps.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conform/protocol/protocol.h"
#include "conform/shrink/text_form.h"

namespace tileproof::conform {
namespace {

constexpr size_t kLongestRun = 8;    // units that are dropped together
constexpr size_t kMostRows = 10;     // lists that lose an item together
constexpr size_t kShortList = 12;    // longer ones lose halves and single items
constexpr size_t kMostAlone = 64;    // questions of a list that are asked alone
constexpr size_t kLargeText = 4000;  // larger ones lose single units

// Items that change together with those of other rows: dimensions, sizes, an index, variables.
struct Row {
  const TextList* list = nullptr;
  std::vector<TextSpan> items = {};
  char between = ',';      // 'x' in memref<4x8xf32> and in padding=0_1x1_1
  bool positions = false;  // integers in braces, such as an order of dimensions
  bool names = false;
};

// "d12" as "d" and 12.
bool is_numbered(absl::string_view word, absl::string_view& letters, int64_t& number) {
  letters = word.substr(0, word.find_first_of("0123456789"));
  return letters.size() < word.size() && absl::SimpleAtoi(word.substr(letters.size()), &number);
}

class Steps {
 public:
  explicit Steps(absl::string_view text) : text_(text), lists_(lists_in(text)) {
    for (const TextList& list : lists_) {
      if (list.open == '\n') continue;
      for (const TextSpan unit : list.units) {
        if (list.text != 0 && is_word(in(unit))) words_.emplace_back(list.text, unit);
      }
    }
    for (const TextList& list : lists_) {
      add_row(list);
      add_row_of_x(list);
    }
  }

  std::vector<TextEdits> all() {
    add({});  // the request as Tileproof prints it
    ask_alone();
    for (const TextList& list : lists_) drop_items(list);
    change_lines();
    change_rows();
    drop_units();
    drop_tiles();
    replace_units();
    smaller_numbers();
    return std::move(steps_);
  }

 private:
  absl::string_view in(TextSpan span) const { return part(text_, span); }
  void add(TextEdits step) { steps_.push_back(std::move(step)); }

  // ---- Items ----

  // Each question of a list alone.
  void ask_alone() {
    for (const auto& [many, one] : {std::pair("\"indices\"", "index"), {"\"offsets\"", "offset"}}) {
      for (const TextSpan member : lists_[0].items) {
        if (!absl::StartsWith(in(member), many)) continue;
        for (const TextList& list : lists_) {
          if (list.all.to + 1 != member.to || list.items.size() > kMostAlone) continue;
          for (const TextSpan item : list.items) {
            add({{member, absl::StrCat("\"", one, "\":", in(item))}});
          }
        }
      }
    }
  }

  // Whether a list is a key of the request.
  bool is_key(const TextList& list) const {
    return list.open == '"' && absl::StartsWith(text_.substr(list.all.to), "\":");
  }

  void drop_items(const TextList& list) {
    if (is_key(list)) return;
    const size_t count = list.items.size();
    const auto drop = [&](size_t first, size_t last) {
      add({{with_comma(text_, list, first, last), ""}});
    };
    if (count > kShortList) {
      drop(0, count / 2 - 1);
      drop(count / 2, count - 1);
      for (size_t i = 0; i < count; ++i) drop(i, i);
      return;
    }
    for (size_t length = count; length > 0; --length) {
      for (size_t i = 0; i + length <= count; ++i) drop(i, i + length - 1);
    }
  }

  // ---- Rows ----

  void add_row(const TextList& list) {
    if (list.open == '"' || list.open == '\n' || list.items.empty()) return;
    if (list.open == '{' && list.text == 0) return;                          // an object
    if (absl::EndsWith(text_.substr(0, list.all.from - 1), " in ")) return;  // an interval
    Row row{&list};
    for (const TextSpan item : list.items) {
      row.items.push_back(item);
      if (item.to < list.all.to && text_[item.to] == ':') break;  // tiles follow
    }
    const auto is_position = [&](TextSpan item) { return integer_at(text_, item).has_value(); };
    row.positions = list.open == '{' && std::ranges::all_of(row.items, is_position);
    row.names = list.text != 0 &&
                std::ranges::all_of(row.items, [&](TextSpan item) { return is_word(in(item)); });
    rows_.push_back(std::move(row));
  }

  // The units between x and x, from the last `=` on.
  void add_row_of_x(const TextList& list) {
    Row row{.list = &list, .between = 'x'};
    if (list.open != '<' && list.open != '\n') return;
    size_t start = 0;  // of an item
    for (size_t i = 0; i <= list.units.size(); ++i) {
      const absl::string_view unit = i < list.units.size() ? in(list.units[i]) : ",";
      if (unit != "x" && unit != "," && unit != "=") continue;
      const bool is_item = i > start && (unit == "x" || (unit == "," && !row.items.empty()));
      if (is_item && !is_word(in(list.units[start]))) {
        row.items.push_back({list.units[start].from, list.units[i - 1].to});
      }
      start = i + 1;
      if (unit == "x" || row.items.empty()) continue;
      rows_.push_back(row);
      row.items.clear();
    }
  }

  // Whether a row has each position from 0 on.
  bool is_order(const Row& row) const {
    std::set<int64_t> positions;
    for (const TextSpan item : row.items) positions.insert(integer_at(text_, item).value_or(-1));
    return row.positions && *positions.begin() == 0 && positions.size() == row.items.size() &&
           *positions.rbegin() + 1 == std::ssize(row.items);
  }

  // Takes item k from a row, or position k from a row of positions.
  void take_out(const Row& row, int64_t k, TextEdits& step) const {
    if (is_order(row)) return take_position(row, k, step);
    drop_item(row, static_cast<size_t>(k), step);
    if (row.names) drop_variable(row, static_cast<size_t>(k), step);
  }

  void drop_item(const Row& row, size_t k, TextEdits& step) const {
    if (row.between == ',') return step.push_back({with_comma(text_, *row.list, k, k), ""});
    TextSpan span = row.items[k];
    if (text_[span.to] == 'x') {
      ++span.to;
    } else if (k > 0) {
      --span.from;
    }
    step.emplace_back(span, "");
  }

  void take_position(const Row& row, int64_t k, TextEdits& step) const {
    for (size_t i = 0; i < row.items.size(); ++i) {
      const int64_t at = *integer_at(text_, row.items[i]);
      if (at == k) drop_item(row, i, step);
      if (at > k) step.emplace_back(row.items[i], absl::StrCat(at - 1));
    }
  }

  // Drops the bounds of a variable, and renumbers those after it.
  void drop_variable(const Row& row, size_t k, TextEdits& step) const {
    const std::string bounds = absl::StrCat(in(row.items[k]), " in ");
    for (const TextList& list : lists_) {
      if (list.open != '"' || list.text != row.list->text) continue;
      for (size_t i = 1; i < list.items.size(); ++i) {
        if (!absl::StartsWith(in(list.items[i]), bounds)) continue;
        const bool only = i + 1 == list.items.size() && in(list.items[i - 1]) == "domain";
        step.emplace_back(with_comma(text_, list, only ? i - 1 : i, i), "");
        break;
      }
    }
    for (size_t i = k + 1; i < row.items.size(); ++i) {
      absl::string_view letters;
      int64_t number;
      if (!is_numbered(in(row.items[i]), letters, number) || number == 0) continue;
      rename(row.list->text, in(row.items[i]), absl::StrCat(letters, number - 1), step);
    }
  }

  void rename(size_t text, absl::string_view from, const std::string& to, TextEdits& step) const {
    for (const auto& [where, word] : words_) {
      if (where == text && in(word) == from) step.emplace_back(word, to);
    }
  }

  void change_rows() {
    std::map<size_t, std::vector<const Row*>> by_length;
    std::map<std::pair<std::string, size_t>, std::vector<const Row*>> by_place;
    for (const Row& row : rows_) {
      by_length[row.items.size()].push_back(&row);
      by_place[{row.list->path, row.items.size()}].push_back(&row);
    }
    for (const auto& [place, rows] : by_place) {
      for (size_t k = 0; k < place.second; ++k) change_at_place(rows, k);
    }
    for (auto& [length, rows] : by_length) {
      if (rows.size() > kMostRows) rows.resize(kMostRows);
      for (size_t k = 0; k < length; ++k) drop_together(rows, static_cast<int64_t>(k));
      for (size_t k = 0; k + 1 < length; ++k) swap_together(rows, k);
      for (const Row* row : rows) put_in_order(*row, rows);
    }
  }

  // Rows at the same place of their texts, such as the shape, the stride and the coordinate of a
  // nested layout, lose an item, or become it.
  void change_at_place(const std::vector<const Row*>& rows, size_t k) {
    for (const bool strings : {false, true}) {
      TextEdits without, become;
      for (const Row* row : rows) {
        if (strings && row->list->text == 0) continue;
        const TextSpan all = row->list->all;
        drop_item(*row, k, without);
        become.emplace_back(TextSpan{all.from - 1, all.to + 1}, in(row->items[k]));
      }
      add(std::move(without));
      add(std::move(become));
    }
    for (size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
      for (size_t j = i; j < std::min(rows.size(), kMostRows); ++j) {
        TextEdits become;
        for (const Row* row : {rows[i], rows[j]}) {
          const TextSpan all = row->list->all;
          become.emplace_back(TextSpan{all.from - 1, all.to + 1}, in(row->items[k]));
        }
        if (i == j) become.pop_back();
        add(std::move(become));
      }
    }
  }

  // What else changes if arrays lose a dimension.
  enum class Others { kPositions, kOperands, kNone };

  void drop_together(const std::vector<const Row*>& rows, int64_t k) {
    for (const Others others : {Others::kPositions, Others::kOperands, Others::kNone}) {
      for (size_t left_out = 0; left_out <= rows.size(); ++left_out) {
        TextEdits step;
        for (size_t i = 0; i < rows.size(); ++i) {
          if (i + 1 != left_out) take_out(*rows[i], k, step);
        }
        const size_t rank = rows.front()->items.size();
        if (others == Others::kPositions) renumber_positions(rank, k, step);
        if (others == Others::kOperands) drop_operands(rank, k, step);
        add(std::move(step));
      }
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t j = i; j < rows.size(); ++j) {
        TextEdits step;
        take_out(*rows[i], k, step);
        if (j != i) take_out(*rows[j], k, step);
        add(std::move(step));
      }
    }
  }

  // Takes dimension k of `rank` from positions of some dimensions, such as dimensions={0,2} of a
  // broadcast, and the items that belong to them from the rows of that length.
  void renumber_positions(size_t rank, int64_t k, TextEdits& step) const {
    for (const Row& row : rows_) {
      const size_t length = row.items.size();
      if (!row.positions || length >= rank) continue;
      take_position(row, k, step);
      for (size_t i = 0; i < length; ++i) {
        if (integer_at(text_, row.items[i]) != k) continue;
        for (const Row& other : rows_) {
          if (other.items.size() == length && !other.positions) drop_item(other, i, step);
        }
      }
    }
  }

  // Takes the operand of dimension k, such as an offset, from lists that end with one for each.
  void drop_operands(size_t rank, int64_t k, TextEdits& step) const {
    for (const Row& row : rows_) {
      const size_t length = row.items.size();
      if (row.names && length > rank) drop_item(row, length - rank + k, step);
    }
  }

  void swap_items(const Row& row, size_t k, TextEdits& step) const {
    step.emplace_back(row.items[k], in(row.items[k + 1]));
    step.emplace_back(row.items[k + 1], in(row.items[k]));
  }

  // Neighbors change places in one row, in all that hold no positions, or in all of these but one,
  // such as a tile.
  void swap_together(const std::vector<const Row*>& rows, size_t k) {
    std::vector<TextEdits> swaps;
    for (const Row* row : rows) {
      if (row->positions || row->names) continue;
      swap_items(*row, k, swaps.emplace_back());
      add(swaps.back());
    }
    for (size_t left_out = 0; left_out <= swaps.size(); ++left_out) {
      TextEdits together;
      for (size_t i = 0; i < swaps.size(); ++i) {
        if (i + 1 != left_out) together.insert(together.end(), swaps[i].begin(), swaps[i].end());
      }
      add(std::move(together));
    }
  }

  // Puts dimensions in the order of memory, so that the same array has the default layout.
  void put_in_order(const Row& order, const std::vector<const Row*>& rows) {
    if (!is_order(order)) return;
    const auto rank = std::ssize(order.items);
    TextEdits step;
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t from = *integer_at(text_, order.items[rank - 1 - d]);
      step.emplace_back(order.items[d], absl::StrCat(rank - 1 - d));
      for (const Row* row : rows) {
        if (!row->positions && !row->names) step.emplace_back(row->items[d], in(row->items[from]));
      }
    }
    add(std::move(step));
  }

  // ---- Units ----

  // Drops runs of units, one or all that are equal, and brackets around units.
  void drop_units() {
    std::map<absl::string_view, TextEdits> equal;
    for (const TextList& list : lists_) {
      if (list.open == '\n' || list.text == 0 || is_key(list)) continue;
      TextEdits brackets;
      for (const TextSpan unit : list.units) {
        if (text_[unit.from] != '(' || in(unit).size() < 2) continue;
        const TextSpan open{unit.from, unit.from + 1}, close{unit.to - 1, unit.to};
        add({{open, ""}, {close, ""}});
        brackets.insert(brackets.end(), {{open, ""}, {close, ""}});
      }
      add(std::move(brackets));
      const size_t most = text_.size() > kLargeText ? 1 : kLongestRun;
      for (size_t length = std::min(most, list.units.size()); length > 0; --length) {
        for (size_t i = 0; i + length <= list.units.size(); ++i) {
          const TextSpan run{list.units[i].from, list.units[i + length - 1].to};
          add({{run, ""}});
          equal[in(run)].emplace_back(run, "");
        }
      }
    }
    for (auto& [run, edits] : equal) {
      if (edits.size() > 1) add(std::move(edits));
    }
  }

  // Drops a tile. Many mistakes do not show at sizes below 3, so they become 3.
  void drop_tiles() {
    for (const TextList& list : lists_) {
      for (size_t i = 0; list.open == '{' && i + 1 < list.units.size(); ++i) {
        if (in(list.units[i]) != "T") continue;
        TextEdits step = {{{list.units[i].from, list.units[i + 1].to}, ""}};
        for (const Row& row : rows_) {
          for (const TextSpan item : row.items) {
            const bool small = integer_at(text_, item).value_or(3) < 3;
            if (row.list->open == '[' && row.list->text == list.text && small) {
              step.emplace_back(item, "3");
            }
          }
        }
        add(std::move(step));
      }
    }
  }

  // Puts 0, or another variable, in place of a part of an expression.
  void replace_units() {
    for (const TextList& list : lists_) {
      if (list.text == 0 || list.open == '\n') continue;
      for (const TextSpan unit : list.units) {
        absl::string_view letters;
        int64_t number;
        const bool variable = is_word(in(unit)) && is_numbered(in(unit), letters, number);
        if (!variable && text_[unit.from] != '(') continue;
        add({{unit, "0"}});
        for (int64_t other = 0; variable && other < std::min<int64_t>(number, 8); ++other) {
          add({{unit, absl::StrCat(letters, other)}});
        }
      }
    }
  }

  // ---- Lines: instructions of a module ----

  void change_lines() {
    for (const TextList& block : lists_) {
      std::vector<const TextList*> lines;
      for (const TextList& line : lists_) {
        const bool inside = line.all.from >= block.all.from && line.all.to <= block.all.to;
        if (line.open == '\n' && inside && std::ranges::count(block.items, line.all) > 0) {
          lines.push_back(&line);
        }
      }
      for (const TextList* line : lines) {
        become_root(lines, *line);
        become_parameter(lines, *line);
        bypass(block, *line);
      }
    }
  }

  bool is_root(const TextList& line) const {
    return !line.units.empty() && in(line.units[0]) == "ROOT";
  }

  void become_root(const std::vector<const TextList*>& lines, const TextList& line) {
    if (is_root(line)) return;
    TextEdits step = {{{line.all.from, line.all.from}, "ROOT "}};
    for (const TextList* other : lines) {
      if (is_root(*other)) step.emplace_back(other->units[0], "");
    }
    add(std::move(step));
  }

  void become_parameter(const std::vector<const TextList*>& lines, const TextList& line) {
    size_t parameters = 0, opcode = 0;
    for (const TextList* one : lines) {
      for (const TextSpan unit : one->units) parameters += in(unit) == "parameter" ? 1 : 0;
    }
    for (size_t i = 2; opcode == 0 && i + 1 < line.units.size(); ++i) {
      if (is_word(in(line.units[i])) && text_[line.units[i + 1].from] == '(') opcode = i;
    }
    if (opcode == 0) return;
    add({{{line.units[opcode].from, line.all.to}, absl::StrCat("parameter(", parameters, ")")}});
  }

  // Puts an operand in the place of an instruction.
  void bypass(const TextList& block, const TextList& line) {
    const size_t first = is_root(line) ? 1 : 0;
    if (line.units.size() <= first || is_root(line)) return;
    const absl::string_view name = in(line.units[first]);
    std::set<absl::string_view> operands;
    const auto inside = [](TextSpan span, TextSpan of) {
      return of.from <= span.from && span.to <= of.to;
    };
    for (const auto& [text, word] : words_) {
      if (inside(word, line.all) && in(word) != name && in(word)[0] == '%')
        operands.insert(in(word));
    }
    for (const absl::string_view operand : operands) {
      TextEdits step;
      for (const auto& [text, word] : words_) {
        const bool use = in(word) == name && word != line.units[first] && inside(word, block.all);
        if (use) step.emplace_back(word, operand);
      }
      add(std::move(step));
    }
  }

  // ---- Numbers ----

  // Numbers to try in place of n, the simplest first.
  static std::vector<int64_t> toward_zero(int64_t n) {
    std::vector<int64_t> result;
    const auto put = [&](int64_t candidate) {
      if (candidate < n) result.push_back(candidate);
    };
    for (int64_t candidate : {int64_t{0}, int64_t{1}, int64_t{2}, n / 2}) put(candidate);
    for (int64_t limit : {int64_t{1} << 31, int64_t{1} << 32}) put(limit);
    for (int64_t step = n / 4; step > 1; step /= 2) put(n - step);  // finds a threshold soon
    put(n - 1);
    return result;
  }

  // Makes a number smaller, alone, with all that are equal to it, or with all others: a divisor, a
  // bound and a point may depend on each other.
  void smaller_numbers() {
    std::map<std::string, std::vector<TextSpan>> equal;
    TextEdits halves;
    const bool empty = has_empty_array(text_);
    for (const TextNumber at : numbers_in(text_)) {
      const TextSpan span{at.from, at.from + at.length};
      equal[std::string(in(span))].push_back(span);
      if (const int64_t n = integer_at(text_, span).value_or(0); n > 0) {
        halves.emplace_back(span, absl::StrCat(n / 2));
      }
      if (empty && in(span) == "0") {
        for (const char* size : {"1", "2", "3"}) add({{span, size}});
      }
    }
    add(std::move(halves));
    for (const auto& [number, spans] : equal) {
      for (int64_t less : toward_zero(integer_at(number, {0, number.size()}).value_or(INT64_MAX))) {
        TextEdits together;
        for (const TextSpan span : spans) together.emplace_back(span, absl::StrCat(less));
        if (spans.size() > 1) add(std::move(together));
        for (const TextSpan span : spans) add({{span, absl::StrCat(less)}});
      }
    }
  }

  absl::string_view text_;
  std::vector<TextList> lists_;
  std::vector<Row> rows_;
  std::vector<std::pair<size_t, TextSpan>> words_;  // with the strings they are in
  std::vector<TextEdits> steps_;
};

}  // namespace

std::vector<TextEdits> steps_from(absl::string_view text) { return Steps(text).all(); }

std::vector<Json> after_step(const Json& request, absl::string_view text, const TextEdits& step) {
  absl::StatusOr<JsonText> changed = read_json(edited(text, step));
  if (!changed.ok()) return {};
  auto* members = changed->value.as<Json::Object>();
  const Json* op = find(request, "op");
  if (members == nullptr || op == nullptr || find(changed->value, "op") == nullptr ||
      *op != *find(changed->value, "op")) {
    return {};
  }
  std::vector<Json> results = {changed->value};
  for (const Member& member : *members) {
    const Json* before = find(request, member.key);
    const auto* now = member.value.as<std::string>();
    if (now == nullptr || before == nullptr || before->as<std::string>() == nullptr) continue;
    if (*before == member.value && !step.empty()) continue;
    const std::vector<std::string> forms = canonical_texts(member.key, *now);
    if (forms.empty() && !canonical_texts(member.key, *before->as<std::string>()).empty())
      return {};
    std::vector<Json> all;
    for (const Json& result : results) {
      for (const std::string& form : forms) {
        all.push_back(result);
        set(all.back(), member.key, form);
      }
    }
    if (!forms.empty()) results = std::move(all);
  }
  return results;
}

std::vector<Json> simpler_requests(const Json& request) {
  const std::string text = to_text(request);
  std::vector<Json> result;
  for (const TextEdits& step : steps_from(text)) {
    for (Json& simpler : after_step(request, text, step)) result.push_back(std::move(simpler));
  }
  return result;
}

}  // namespace tileproof::conform
