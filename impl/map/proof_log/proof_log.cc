// SPDX-License-Identifier: Apache-2.0
#include "impl/map/proof_log/proof_log.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

std::string variable_name(const ProofLog& proof_log, int32_t atom) {
  if (atom < proof_log.dimensions) return absl::StrCat("d", atom);
  const int64_t position = atom - proof_log.dimensions;
  if (position < proof_log.ranges) return absl::StrCat("s", position);
  return absl::StrCat("rt", position - proof_log.ranges);
}

std::string atom_text(NormalFormContext& context, int32_t number) {
  const Atom atom = context.atoms[number];
  if (atom.kind == AtomKind::kVariable) return variable_name(*context.proof_log, number);
  if (atom.kind != AtomKind::kProduct) {
    std::string name = context.proof_log->box.floor_names[number];
    if (!name.empty()) return name;
    name = floor_name(*context.proof_log, text_of(context, atom.inside), atom.divisor);
    return context.proof_log->box.floor_names[number] = name;
  }
  std::string text;
  for (const Term& power : atom.inside) {
    for (int64_t i = 0; i < power.factor; ++i) {
      absl::StrAppend(&text, text.empty() ? "" : " * ", atom_text(context, power.atom));
    }
  }
  return text;
}

// Numbers of steps as they are, or, given `positions`, as numbered in the text.
void append_numbers(std::string& line, absl::string_view word, const std::vector<int>& numbers,
                    const std::vector<int>* positions) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int number = positions == nullptr ? numbers[i] : (*positions)[numbers[i]];
    absl::StrAppend(&line, i == 0 ? word : "", " ", number);
  }
}

std::string line_of(const ProofStep& step, const std::vector<int>* positions) {
  std::string line = step.says;
  if (!step.by.empty()) absl::StrAppend(&line, " by ", step.by);
  append_numbers(line, " from", step.premises.from, positions);
  append_numbers(line, " given", step.premises.given, positions);
  append_numbers(line, " using", step.premises.rules, positions);
  return line;
}

// Marks the floors f<i> that occur in the text. No other name has an f before a number. An f
// without a number marks 0, which is not a floor.
void mark_floors(const std::string& text, std::vector<char>& needed) {
  for (size_t at = text.find('f'); at != std::string::npos; at = text.find('f', at)) {
    size_t number = 0;
    while (absl::ascii_isdigit(text[++at])) {
      number = number * 10 + static_cast<size_t>(text[at] - '0');
    }
    needed[number] = true;
  }
}

std::vector<bool> needed_steps(const ProofLog& proof_log) {
  std::vector<bool> needed(proof_log.steps.size());
  for (size_t i = proof_log.steps.size(); i-- > 0;) {
    const ProofStep& step = proof_log.steps[i];
    if (!needed[i] && !step.kept) continue;
    needed[i] = true;
    for (const auto* list : {&step.premises.from, &step.premises.given, &step.premises.rules}) {
      for (int premise : *list) needed[premise] = true;
    }
  }
  return needed;
}

}  // namespace

std::string text_of(Wide value) {
  if (value >= INT64_MIN && value <= INT64_MAX) return absl::StrCat(static_cast<int64_t>(value));
  std::string text;
  for (Wide rest = value; rest != 0; rest /= 10) {
    const auto digit = static_cast<int>(rest % 10);
    text.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  if (value < 0) text.push_back('-');
  std::ranges::reverse(text);
  return text;
}

std::string text_of(NormalFormContext& context, const Linear& form) {
  std::string text;
  if (context.proof_log->too_long()) return text;
  const auto is_rendering = [&](const Term& term) {
    const AtomKind kind = context.atoms[term.atom].kind;
    return kind == AtomKind::kMod || kind == AtomKind::kQuotient;
  };
  const bool has_rendering = std::any_of(form.begin(), form.end(), is_rendering);
  const Linear plain = has_rendering ? meaning_of(context, form) : form;
  // In the order of creation, which is that of their names.
  std::vector<Term> terms(plain.begin(), plain.end());
  std::ranges::sort(terms, {}, [](const Term& term) { return int32_t{term.atom}; });
  for (const Term& term : terms) {
    const Wide size = term.factor < 0 ? -Wide{term.factor} : Wide{term.factor};
    absl::string_view sign = term.factor < 0 ? " - " : " + ";
    if (text.empty()) sign = term.factor < 0 ? "-" : "";
    absl::StrAppend(&text, sign, atom_text(context, term.atom));
    if (size != 1) absl::StrAppend(&text, " * ", text_of(size));
  }
  context.proof_log->logged += std::ssize(text);
  if (plain.constant == 0 && !text.empty()) return text;
  if (text.empty()) return text_of(Wide{plain.constant});
  const Wide k = plain.constant;
  absl::StrAppend(&text, k < 0 ? " - " : " + ", text_of(k < 0 ? -k : k));
  return text;
}

std::string floor_name(ProofLog& proof_log, const std::string& inside, int64_t divisor) {
  const std::string expression = absl::StrCat("(", inside, ") floordiv ", divisor);
  const auto [position, is_new] =
      proof_log.floor_numbers.emplace(expression, static_cast<int>(proof_log.floors.size()) + 1);
  if (is_new) proof_log.floors.push_back(expression);
  return absl::StrCat("f", position->second);
}

int add_step(ProofLog& proof_log, ProofStep step) {
  // Steps are not used any more.
  if (proof_log.too_long()) return 0;
  Premises& premises = step.premises;
  for (std::vector<int>* list : {&premises.from, &premises.given, &premises.rules}) {
    std::erase(*list, -1);
  }
  std::ranges::sort(premises.rules);
  premises.rules.erase(std::unique(premises.rules.begin(), premises.rules.end()),
                       premises.rules.end());
  const auto number = static_cast<int>(proof_log.steps.size());
  const auto [position, is_new] = proof_log.box.lines.emplace(line_of(step, nullptr), number);
  if (!is_new) {
    proof_log.steps[position->second].kept |= step.kept;
    return position->second;
  }
  proof_log.box.stated.emplace(step.says, number);
  proof_log.steps.push_back(std::move(step));
  return number;
}

int stated_step(const ProofLog& proof_log, const std::string& says) {
  const auto found = proof_log.box.stated.find(says);
  return found == proof_log.box.stated.end() ? -1 : found->second;
}

std::string in_range(const std::string& expression, const Range& range) {
  return absl::StrCat(expression, " in [", text_of(range.low), ", ", text_of(range.high), "]");
}

std::string interval_text(NormalFormContext& context, const Linear& form, const Range& range) {
  return in_range(text_of(context, without_constant(form)), scaled(range, 1, -Wide{form.constant}));
}

int assumption_step(NormalFormContext& context, const std::string& says) {
  if (const int step = stated_step(*context.proof_log, says); step >= 0) return step;
  return add_step(*context.proof_log, {says, "known", {}, false});
}

int assumption_step(NormalFormContext& context, const Linear& form, const Range& range) {
  return assumption_step(context, interval_text(context, form, range));
}

std::string times_assumption(NormalFormContext& context, const AssumedParts& parts,
                             std::vector<int>& given) {
  std::string times;
  for (const AssumedPart& part : parts) {
    const Assumption& assumption = context.assumptions[part.assumption];
    absl::StrAppend(&times, times.empty() ? "" : ", ", part.k);
    given.push_back(assumption_step(context, assumption.form, assumption.range));
  }
  return times;
}

void begin_section(ProofLog& proof_log, const IndexingMap& map) {
  proof_log.box = {};
  proof_log.dimensions = std::ssize(map.dimensions);
  proof_log.ranges = std::ssize(map.ranges);
  proof_log.floors.clear();
  proof_log.floor_numbers.clear();
  proof_log.steps.clear();
}

void end_section(ProofLog& proof_log, const IndexingMap& map, const IndexingMap& result) {
  if (proof_log.too_long()) {
    proof_log.text.clear();
    return;
  }
  const std::vector<bool> needed = needed_steps(proof_log);
  std::vector<char> floors(proof_log.floors.size() + 1);
  std::vector<int> positions(proof_log.steps.size());
  std::string steps;
  int next = 0;
  for (size_t i = 0; i < proof_log.steps.size(); ++i) {
    if (!needed[i]) continue;
    positions[i] = ++next;
    const std::string line = line_of(proof_log.steps[i], &positions);
    mark_floors(line, floors);
    absl::StrAppend(&steps, next, ": ", line, "\n");
  }
  for (size_t i = floors.size(); i-- > 1;) {
    if (floors[i]) mark_floors(proof_log.floors[i - 1], floors);
  }
  absl::StrAppend(&proof_log.text, "map ", to_text(map), "\n");
  for (size_t i = 1; i < floors.size(); ++i) {
    if (!floors[i]) continue;
    absl::StrAppend(&proof_log.text, "let f", i, " = ", proof_log.floors[i - 1], "\n");
  }
  absl::StrAppend(&proof_log.text, steps, "becomes ", to_text(result), "\n");
  proof_log.section_ends.push_back(proof_log.text.size());
}

void keep_sections(ProofLog& proof_log, size_t count) {
  if (proof_log.text.empty()) return;
  proof_log.text.resize(count == 0 ? 0 : proof_log.section_ends[count - 1]);
}

}  // namespace tileproof::impl
