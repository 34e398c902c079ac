#include "impl/map/proof_log/proof_log.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "impl/map/normal_form/ranges.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

std::string variable_name(const Derivation& derivation, int32_t atom) {
  if (atom < derivation.dimensions) return absl::StrCat("d", atom);
  const int64_t place = atom - derivation.dimensions;
  if (place < derivation.ranges) return absl::StrCat("s", place);
  return absl::StrCat("rt", place - derivation.ranges);
}

std::string atom_text(Forms& forms, int32_t number) {
  const Atom atom = forms.atoms[number];
  if (atom.kind == AtomKind::kVariable) return variable_name(*forms.derivation, number);
  if (atom.kind != AtomKind::kProduct) {
    std::string name = forms.derivation->box.floor_names[number];
    if (!name.empty()) return name;
    name = floor_name(*forms.derivation, text_of(forms, atom.inside), atom.divisor);
    return forms.derivation->box.floor_names[number] = name;
  }
  std::string text;
  for (const Term& power : atom.inside) {
    for (int64_t i = 0; i < power.factor; ++i) {
      absl::StrAppend(&text, text.empty() ? "" : " * ", atom_text(forms, power.atom));
    }
  }
  return text;
}

// Numbers of steps as they are, or, with `places`, as they are written.
void append_numbers(std::string& line, absl::string_view word, const std::vector<int>& numbers,
                    const std::vector<int>* places) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int number = places == nullptr ? numbers[i] : (*places)[numbers[i]];
    absl::StrAppend(&line, i == 0 ? word : "", " ", number);
  }
}

std::string line_of(const DerivationStep& step, const std::vector<int>* places) {
  std::string line = step.says;
  if (!step.by.empty()) absl::StrAppend(&line, " by ", step.by);
  append_numbers(line, " from", step.premises.from, places);
  append_numbers(line, " given", step.premises.given, places);
  append_numbers(line, " using", step.premises.rules, places);
  return line;
}

// Marks the floors f<i> that occur in the text; no other f has a number behind it. One without any
// marks 0, which is no floor.
void mark_floors(const std::string& text, std::vector<char>& needed) {
  for (size_t at = text.find('f'); at != std::string::npos; at = text.find('f', at)) {
    size_t number = 0;
    while (absl::ascii_isdigit(text[++at])) {
      number = number * 10 + static_cast<size_t>(text[at] - '0');
    }
    needed[number] = true;
  }
}

std::vector<bool> needed_steps(const Derivation& derivation) {
  std::vector<bool> needed(derivation.steps.size());
  for (size_t i = derivation.steps.size(); i-- > 0;) {
    const DerivationStep& step = derivation.steps[i];
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

std::string text_of(Forms& forms, const Linear& form) {
  std::string text;
  if (forms.derivation->too_long()) return text;
  const auto is_word = [&](const Term& term) {
    const AtomKind kind = forms.atoms[term.atom].kind;
    return kind == AtomKind::kMod || kind == AtomKind::kQuotient;
  };
  const bool has_words = std::any_of(form.begin(), form.end(), is_word);
  const Linear plain = has_words ? meaning_of(forms, form) : form;
  // As they were made, which is as their names are.
  std::vector<Term> terms(plain.begin(), plain.end());
  std::ranges::sort(terms, {}, [](const Term& term) { return int32_t{term.atom}; });
  for (const Term& term : terms) {
    const Wide size = term.factor < 0 ? -Wide{term.factor} : Wide{term.factor};
    absl::string_view sign = term.factor < 0 ? " - " : " + ";
    if (text.empty()) sign = term.factor < 0 ? "-" : "";
    absl::StrAppend(&text, sign, atom_text(forms, term.atom));
    if (size != 1) absl::StrAppend(&text, " * ", text_of(size));
  }
  forms.derivation->told += std::ssize(text);
  if (plain.constant == 0 && !text.empty()) return text;
  if (text.empty()) return text_of(Wide{plain.constant});
  const Wide k = plain.constant;
  absl::StrAppend(&text, k < 0 ? " - " : " + ", text_of(k < 0 ? -k : k));
  return text;
}

std::string floor_name(Derivation& derivation, const std::string& inside, int64_t divisor) {
  const std::string words = absl::StrCat("(", inside, ") floordiv ", divisor);
  const auto [place, is_new] =
      derivation.floor_numbers.emplace(words, static_cast<int>(derivation.floors.size()) + 1);
  if (is_new) derivation.floors.push_back(words);
  return absl::StrCat("f", place->second);
}

int add_step(Derivation& derivation, DerivationStep step) {
  // No step is looked at any more.
  if (derivation.too_long()) return 0;
  Premises& premises = step.premises;
  for (std::vector<int>* list : {&premises.from, &premises.given, &premises.rules}) {
    std::erase(*list, -1);
  }
  std::ranges::sort(premises.rules);
  premises.rules.erase(std::unique(premises.rules.begin(), premises.rules.end()),
                       premises.rules.end());
  const auto number = static_cast<int>(derivation.steps.size());
  const auto [place, is_new] = derivation.box.lines.emplace(line_of(step, nullptr), number);
  if (!is_new) {
    derivation.steps[place->second].kept |= step.kept;
    return place->second;
  }
  derivation.box.stated.emplace(step.says, number);
  derivation.steps.push_back(std::move(step));
  return number;
}

int stated_step(const Derivation& derivation, const std::string& says) {
  const auto found = derivation.box.stated.find(says);
  return found == derivation.box.stated.end() ? -1 : found->second;
}

std::string in_range(const std::string& words, const Range& range) {
  return absl::StrCat(words, " in [", text_of(range.low), ", ", text_of(range.high), "]");
}

std::string interval_text(Forms& forms, const Linear& form, const Range& range) {
  return in_range(text_of(forms, without_constant(form)), scaled(range, 1, -Wide{form.constant}));
}

int known_step(Forms& forms, const std::string& says) {
  if (const int step = stated_step(*forms.derivation, says); step >= 0) return step;
  return add_step(*forms.derivation, {says, "known", {}, false});
}

int known_step(Forms& forms, const Linear& form, const Range& range) {
  return known_step(forms, interval_text(forms, form, range));
}

std::string times_known(Forms& forms, const std::vector<KnownPart>& parts,
                        std::vector<int>& given) {
  std::string times;
  for (const KnownPart& part : parts) {
    const Known& known = forms.known[part.known];
    absl::StrAppend(&times, times.empty() ? "" : ", ", part.k);
    given.push_back(known_step(forms, known.form, known.range));
  }
  return times;
}

void begin_section(Derivation& derivation, const IndexingMap& map) {
  derivation.box = {};
  derivation.dimensions = std::ssize(map.dimensions);
  derivation.ranges = std::ssize(map.ranges);
  derivation.floors.clear();
  derivation.floor_numbers.clear();
  derivation.steps.clear();
}

void end_section(Derivation& derivation, const IndexingMap& map, const IndexingMap& result) {
  if (derivation.too_long()) {
    derivation.text.clear();
    return;
  }
  const std::vector<bool> needed = needed_steps(derivation);
  std::vector<char> floors(derivation.floors.size() + 1);
  std::vector<int> places(derivation.steps.size());
  std::string steps;
  int next = 0;
  for (size_t i = 0; i < derivation.steps.size(); ++i) {
    if (!needed[i]) continue;
    places[i] = ++next;
    const std::string line = line_of(derivation.steps[i], &places);
    mark_floors(line, floors);
    absl::StrAppend(&steps, next, ": ", line, "\n");
  }
  for (size_t i = floors.size(); i-- > 1;) {
    if (floors[i]) mark_floors(derivation.floors[i - 1], floors);
  }
  absl::StrAppend(&derivation.text, "map ", to_text(map), "\n");
  for (size_t i = 1; i < floors.size(); ++i) {
    if (!floors[i]) continue;
    absl::StrAppend(&derivation.text, "let f", i, " = ", derivation.floors[i - 1], "\n");
  }
  absl::StrAppend(&derivation.text, steps, "becomes ", to_text(result), "\n");
  derivation.section_ends.push_back(derivation.text.size());
}

void keep_sections(Derivation& derivation, size_t count) {
  if (derivation.text.empty()) return;
  derivation.text.resize(count == 0 ? 0 : derivation.section_ends[count - 1]);
}

}  // namespace tileproof::impl
