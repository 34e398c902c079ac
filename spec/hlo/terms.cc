// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/terms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/integer_arithmetic.h"

namespace tileproof::spec {
namespace {

using Kind = Term::Kind;

uint32_t mixed(uint32_t hash, uint64_t x) {
  uint64_t z = (hash ^ x) * 0x9e3779b97f4a7c15;
  z ^= z >> 29;
  z *= 0xbf58476d1ce4e5b9;
  return static_cast<uint32_t>(z ^ (z >> 32));
}

bool has_no_order(const Symbol& f) {
  if (f.opcode == HloOpcode::kCompare) return f.direction == "EQ" || f.direction == "NE";
  return is_reducer(f.opcode);
}

}  // namespace

bool is_reducer(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAdd:
    case HloOpcode::kAnd:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kMultiply:
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return true;
    default:
      return false;
  }
}

SymbolId Terms::symbol(Symbol symbol) {
  const auto next = static_cast<SymbolId>(symbols_.size());
  const auto [at, is_new] = symbol_numbers_.try_emplace({symbol.text, symbol.type}, next);
  if (is_new) symbols_.push_back(std::move(symbol));
  return at->second;
}

SymbolId Terms::new_symbol(Symbol symbol) {
  symbols_.push_back(std::move(symbol));
  return static_cast<SymbolId>(symbols_.size() - 1);
}

bool Terms::same(TermId a, TermId b) const {
  const Term &x = terms_[a], &y = terms_[b];
  return x.hash == y.hash && x.kind == y.kind && x.symbol == y.symbol && x.number == y.number &&
         operands(a) == operands(b);
}

// Puts the term at the end, and takes it away again if there is an equal one.
TermId Terms::intern(Term term, absl::Span<const TermId> operands) {
  term.first = pool_.size();
  term.count = static_cast<uint32_t>(operands.size());
  term.hash = mixed(mixed(static_cast<uint32_t>(term.kind) * 31 + 7, term.symbol),
                    static_cast<uint64_t>(term.number));
  for (const TermId operand : operands) term.hash = mixed(term.hash, operand);
  pool_.insert(pool_.end(), operands.begin(), operands.end());
  terms_.push_back(term);
  const auto [at, is_new] = known_.insert(size() - 1);
  if (!is_new) {
    terms_.pop_back();
    pool_.resize(term.first);
  }
  return *at;
}

TermId Terms::element(SymbolId array, int64_t number, std::optional<int64_t> value) {
  return intern({.kind = Kind::kElement,
                 .has_value = value.has_value(),
                 .symbol = array,
                 .number = number,
                 .value = value.value_or(0)},
                {});
}

TermId Terms::constant(SymbolId type, int64_t value) {
  return intern({.kind = Kind::kConstant,
                 .has_value = true,
                 .decides = true,
                 .symbol = type,
                 .number = value,
                 .value = value},
                {});
}

TermId Terms::constant(ElementType type, int64_t value) {
  std::optional<SymbolId>& known = types_[static_cast<size_t>(type)];
  if (!known) {
    known = symbol(
        {.text = std::string(info(type).name), .opcode = HloOpcode::kConstant, .type = type});
  }
  return constant(*known, value);
}

TermId Terms::constant(ElementType type, double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  const SymbolId name =
      symbol({.text = std::string(info(type).name), .opcode = HloOpcode::kConstant, .type = type});
  return intern({.kind = Kind::kConstant, .symbol = name, .number = std::bit_cast<int64_t>(value)},
                {});
}

TermId Terms::apply(SymbolId f, absl::Span<const TermId> operands) {
  const Symbol& function = symbols_[f];
  std::optional<int64_t> result, deciding;
  const size_t count = operands.size();
  if (is_integer(function.type) && count <= 3) {
    std::optional<int64_t> values[3], deciding_values[3];
    for (size_t k = 0; k < count; ++k) {
      values[k] = value(operands[k]);
      deciding_values[k] = deciding_value(operands[k]);
    }
    const auto of = [&](const std::optional<int64_t>* all) {
      return evaluated(function.opcode, function.type, function.from, function.direction,
                       absl::MakeConstSpan(all, count));
    };
    result = of(values);
    if (result) deciding = of(deciding_values);
    const bool is_closed = std::ranges::all_of(operands, [&](TermId x) { return is_constant(x); });
    if (result && is_closed) return constant(function.type, *result);
  }
  const Term term{.kind = Kind::kApply,
                  .has_value = result.has_value(),
                  .decides = deciding.has_value(),
                  .symbol = f,
                  .value = result.value_or(0)};
  if (operands.size() == 2 && operands[1] < operands[0] && has_no_order(function)) {
    return intern(term, {{operands[1], operands[0]}});
  }
  return intern(term, operands);
}

TermId Terms::bag(SymbolId f, std::vector<TermId> operands) {
  if (keeps_order_) return intern({.kind = Kind::kBag, .symbol = f}, operands);
  if (symbols_[f].group == 1) {
    std::ranges::sort(operands);
  } else {
    std::vector<std::pair<TermId, TermId>> pairs;
    for (size_t k = 0; k + 1 < operands.size(); k += 2) {
      pairs.push_back(std::minmax(operands[k], operands[k + 1]));
    }
    std::ranges::sort(pairs);
    for (size_t k = 0; k < pairs.size(); ++k) {
      operands[2 * k] = pairs[k].first;
      operands[2 * k + 1] = pairs[k].second;
    }
  }
  return intern({.kind = Kind::kBag, .symbol = f}, operands);
}

TermId Terms::read(SymbolId operation, absl::Span<const TermId> operands) {
  if (!symbols_[operation].bounds.empty()) {
    return intern({.kind = Kind::kRead, .symbol = operation}, operands);
  }
  const auto has_value = [&](TermId operand) { return terms_[operand].has_value; };
  const auto decides = [&](TermId operand) { return terms_[operand].decides; };
  const bool is_known = std::ranges::all_of(operands, has_value);
  return intern({.kind = Kind::kRead,
                 .has_value = is_known,
                 .decides = std::ranges::all_of(operands, decides),
                 .symbol = operation,
                 .value = is_known ? terms_[operands[0]].value : 0},
                operands);
}

TermId Terms::shown(TermId id) {
  TermId from = id;
  while (is_chosen(from)) from = operands(from)[0];
  const bool is_computed = terms_[from].kind == Kind::kApply && is_integer(symbol_of(from).type);
  if (!terms_[from].decides && !is_computed) return id;  // it decides nothing
  const Term& term = terms_[id];
  return intern({.kind = Kind::kOpaque,
                 .has_value = term.has_value,
                 .symbol = symbol({.text = "shown"}),
                 .value = term.value},
                {id});
}

TermId Terms::opaque(SymbolId g, int64_t number, absl::Span<const TermId> operands) {
  return intern({.kind = Kind::kOpaque, .symbol = g, .number = number}, operands);
}

// ---- What a term may be ----

// Every way to take one possible value of each operand.
std::optional<std::vector<int64_t>> Terms::combinations(TermId id, int64_t& work) {
  const Symbol& f = symbol_of(id);
  std::vector<const std::vector<int64_t>*> sets;
  static const std::vector<int64_t> kEither = {0, 1};
  const bool is_logical = f.type == ElementType::kPred && f.from == ElementType::kPred &&
                          f.opcode != HloOpcode::kCompare;
  bool is_any_known = false;
  for (const TermId operand : operands(id)) {
    const auto known = possible_.find(operand);
    sets.push_back(known->second ? &*known->second : nullptr);
    is_any_known = is_any_known || sets.back() != nullptr;
  }
  if (f.opcode == HloOpcode::kSelect) {
    std::vector<int64_t> both;
    const std::vector<int64_t>& predicate = sets[0] == nullptr ? kEither : *sets[0];
    for (const int64_t chosen : predicate) {
      const std::vector<int64_t>* branch = sets[chosen != 0 ? 1 : 2];
      if (branch == nullptr && (!is_logical || !is_any_known)) return std::nullopt;
      if (branch == nullptr) branch = &kEither;
      both.insert(both.end(), branch->begin(), branch->end());
    }
    return both;
  }
  if (sets.empty() || sets.size() > 3) return std::nullopt;
  for (const std::vector<int64_t>*& set : sets) {
    if (set == nullptr && is_logical && is_any_known) set = &kEither;
    if (set == nullptr) return std::nullopt;
  }
  std::vector<int64_t> results;
  std::vector<size_t> at(sets.size(), 0);
  while (--work >= 0) {
    std::optional<int64_t> values[3];
    for (size_t k = 0; k < at.size(); ++k) values[k] = (*sets[k])[at[k]];
    const auto result =
        evaluated(f.opcode, f.type, f.from, f.direction, absl::MakeConstSpan(values, at.size()));
    if (!result) return std::nullopt;
    results.push_back(*result);
    size_t k = at.size();
    while (k > 0 && ++at[k - 1] == sets[k - 1]->size()) at[--k] = 0;
    if (k == 0) break;
  }
  return results;
}

std::optional<std::vector<int64_t>> Terms::possible_of(TermId id, int64_t& work) {
  const Term& term = terms_[id];
  if (term.decides) return std::vector<int64_t>{term.value};
  if (is_chosen(id)) return possible_.find(operands(id)[0])->second;
  if (term.kind != Kind::kApply || !is_integer(symbol_of(id).type)) return std::nullopt;
  auto found = combinations(id, work);
  if (!found) return std::nullopt;
  std::ranges::sort(*found);
  found->erase(std::unique(found->begin(), found->end()), found->end());
  return found;
}

const std::vector<int64_t>* Terms::possible(TermId id, int64_t& work) {
  std::vector<TermId> open = {id};
  while (!open.empty() && work >= 0) {
    const TermId at = open.back();
    const size_t before = open.size();
    const bool depends = terms_[at].kind == Kind::kApply || is_chosen(at);
    if (!possible_.contains(at) && !terms_[at].decides && depends) {
      for (const TermId operand : operands(at)) {
        if (!possible_.contains(operand)) open.push_back(operand);
      }
    }
    if (open.size() > before) continue;
    open.pop_back();
    --work;
    if (!possible_.contains(at)) {
      auto found = possible_of(at, work);
      possible_.emplace(at, std::move(found));
    }
  }
  if (work < 0) return nullptr;
  const auto known = possible_.find(id);
  return known->second ? &*known->second : nullptr;
}

std::string Terms::text(TermId id, size_t most) const {
  std::string text;
  append_text(id, most, text);
  return text;
}

// Each level adds to the text, so the recursion is no deeper than the text is long.
void Terms::append_text(TermId id, size_t most, std::string& text) const {
  const Term& term = terms_[id];
  const std::string& symbol = symbol_of(id).text;
  if (term.kind == Kind::kConstant && is_integer(symbol_of(id).type)) {
    absl::StrAppend(&text, term.number, ":", symbol);
  } else if (term.kind == Kind::kConstant) {
    absl::StrAppend(&text, std::bit_cast<double>(term.number), ":", symbol);
  } else if (term.kind == Kind::kElement) {
    absl::StrAppend(&text, symbol, "[", term.number, "]");
  } else {
    absl::StrAppend(&text, term.kind == Kind::kBag ? "bag " : "", symbol, "(");
    for (uint32_t k = 0; k < term.count; ++k) {
      absl::StrAppend(&text, k == 0 ? "" : ", ");
      if (text.size() > most) {
        absl::StrAppend(&text, "..");
        return;
      }
      append_text(operands(id)[k], most, text);
    }
    absl::StrAppend(&text, ")");
    if (term.kind == Kind::kOpaque) absl::StrAppend(&text, "[", term.number, "]");
  }
}

}  // namespace tileproof::spec
