// SPDX-License-Identifier: Apache-2.0
// Forms of predicates, and of selects, which they decide.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/lang/base/operands_first.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "verify/prove/values/bits.h"
#include "verify/prove/values/forms.h"

namespace tileproof::verify {

using absl::int128;
using spec::Symbol;

namespace {

constexpr absl::string_view kSelect = "select";

}  // namespace

// 1 if the predicate holds, else 0. That of `not p` is 1 minus that of p.
FormId Forms::truth(FormId predicate, ElementType type) {
  if (const auto value = constant_of(predicate)) return integer(type, *value);
  if (forms_[predicate].kind == Kind::kXor && forms_[predicate].number == 1) {
    return sum(type, 1, {{truth(negation(predicate), type), -1}});
  }
  return intern({.kind = Kind::kTruth, .type = type}, {predicate});
}

bool Forms::is_negated(FormId id) const {
  return forms_[id].kind == Kind::kXor && forms_[id].number == 1 && forms_[id].count == 1;
}

// What x is where a form that it is in is 0, if it is there once: x + 3 y = 0.
std::optional<FormId> Forms::solved(FormId zero, FormId x) {
  if (zero == x) return integer(forms_[x].type, 0);
  if (forms_[zero].kind != Kind::kSum) return std::nullopt;
  for (uint32_t k = 0; k < forms_[zero].count; ++k) {
    if (operands(zero)[k] != x) continue;
    const int64_t factor = factors(zero)[k];
    if (factor == 1) return plus(x, zero, -1);
    if (scaled(x, factor) == scaled(x, -1)) return plus(x, zero);
  }
  return std::nullopt;
}

// Whether a comparison holds where the equality does: 5 < x holds where x - max(y, 7) = 0, x - y < 1 where
// x - y + z = 0, if z is never negative, and x - 3 = 0 does not where x - 2 = 0.
std::optional<bool> Forms::decided_by(FormId equality, FormId comparison) {
  const bool is_opposite = is_negated(comparison);
  const FormId plain = is_opposite ? operands(comparison)[0] : comparison;
  if (symbol_is(plain, kEqualsZero) && plain != equality) {
    const FormId left = operands(equality)[0], right = operands(plain)[0];
    if (forms_[left].type != forms_[right].type) return std::nullopt;
    for (const int64_t factor : {-1, 1}) {
      const auto rest = constant_of(plus(left, right, factor));
      if (rest) return (*rest == 0) != is_opposite;
    }
    return std::nullopt;
  }
  const bool is_signed = symbol_is(plain, "less signed");
  if (!is_signed && !symbol_is(plain, "less unsigned")) return std::nullopt;
  const FormId zero = operands(equality)[0];
  FormId a = operands(plain)[0], b = operands(plain)[1];
  const ElementType type = forms_[zero].type;
  if (width_of(type) < width_of(forms_[a].type)) {  // of numbers that fit its bits
    if (!fits(a, type, is_signed) || !fits(b, type, is_signed)) return std::nullopt;
    a = resized(a, type, false);
    b = resized(b, type, false);
  }
  if (type != forms_[a].type) return std::nullopt;
  for (const FormId x : {a, b}) {
    if (a == b || constant_of(x)) continue;
    Ids alike;  // what x is there
    if (const auto same = solved(zero, x)) alike.push_back(*same);
    if (forms_[x].kind == Kind::kSum && forms_[zero].kind == Kind::kSum) {
      alike.insert(alike.end(), {plus(x, zero, -1), plus(x, zero)});
    }
    for (const FormId same : alike) {
      const auto value = constant_of(less(a == x ? same : a, b == x ? same : b, is_signed));
      if (value) return (*value != 0) != is_opposite;
    }
  }
  return std::nullopt;
}

// Of comparisons that hold together, of one number with constants, the strictest of each side: 3 < x and not
// 9 < x. Whether there is such a number.
bool Forms::keep_ends(Ids& all) {
  struct Ends {
    std::optional<std::pair<int128, FormId>> above, not_above;
  };
  std::map<std::pair<FormId, bool>, Ends> of;
  Ids left;
  for (const FormId one : all) {
    const bool is_opposite = is_negated(one);
    const FormId plain = is_opposite ? operands(one)[0] : one;
    const bool is_signed = symbol_is(plain, "less signed");
    const bool is_end =
        (is_signed || symbol_is(plain, "less unsigned")) && constant_of(operands(plain)[0]);
    if (!is_end) {
      left.push_back(one);
      continue;
    }
    const int128 value = range(operands(plain)[0], is_signed).low;
    Ends& ends = of[{operands(plain)[1], is_signed}];
    auto& end = is_opposite ? ends.not_above : ends.above;
    const bool is_stricter = !end || (is_opposite ? value < end->first : value > end->first);
    if (is_stricter) end.emplace(value, one);
  }
  for (const auto& [number, ends] : of) {
    if (ends.above && ends.not_above && ends.not_above->first <= ends.above->first) return false;
    for (const auto& end : {ends.above, ends.not_above}) {
      if (end) left.push_back(end->second);
    }
  }
  std::ranges::sort(left);
  all = std::move(left);
  return true;
}

FormId Forms::both(Ids given) {
  Ids all;
  for (const FormId one : given) {
    if (const auto value = constant_of(one)) {
      if (*value == 0) return one;
    } else if (forms_[one].kind == Kind::kAnd) {
      all.insert(all.end(), operands(one).begin(), operands(one).end());
    } else {
      all.push_back(one);
    }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const FormId one : all) {
    if (std::ranges::binary_search(all, negation(one))) return boolean(false);
  }
  if (!keep_ends(all)) return boolean(false);
  for (const FormId equality : Ids(all)) {
    if (!symbol_is(equality, kEqualsZero)) continue;
    Ids left;
    for (const FormId one : all) {
      const auto value = decided_by(equality, one);
      if (value == false) return boolean(false);
      if (!value) left.push_back(one);
    }
    all = std::move(left);
  }
  if (all.empty()) return boolean(true);
  if (all.size() == 1) return all[0];
  return intern({.kind = Kind::kAnd, .type = ElementType::kPred}, all);
}

FormId Forms::either(Ids given) {
  for (FormId& one : given) one = negation(one);
  return negation(both(std::move(given)));
}

FormId Forms::differ(const Ids& given, bool value) {
  Ids all;
  int64_t parity = value ? 1 : 0;
  for (const FormId one : given) {
    const Form& form = forms_[one];
    if (form.kind == Kind::kConstant || form.kind == Kind::kXor) parity ^= form.number;
    if (form.kind == Kind::kConstant) continue;
    if (form.kind == Kind::kXor) {
      all.insert(all.end(), operands(one).begin(), operands(one).end());
    } else {
      all.push_back(one);
    }
  }
  std::ranges::sort(all);
  Ids left;
  for (const FormId one : all) {
    left.empty() || left.back() != one ? left.push_back(one) : left.pop_back();
  }
  if (left.empty()) return boolean(parity == 1);
  if (left.size() == 1 && parity == 0) return left[0];
  return intern({.kind = Kind::kXor, .type = ElementType::kPred, .number = parity}, left);
}

FormId Forms::where(FormId form, FormId holds) {
  return rebuilt_all(
      form, [&](FormId at) { return !forms_[at].chooses || forms_[at].kind == Kind::kOfArrays; },
      [&](FormId at) {
        if (forms_[at].type != ElementType::kPred) return ordered_where(at, holds);
        if (constant_of(at) || forms_[at].kind == Kind::kAnd || is_negated(at)) return at;
        const FormId together = both({at, holds});
        if (together == holds) return boolean(true);
        return constant_of(together) == 0 ? together : ordered_where(at, holds);
      });
}

// What decides and is not decided itself: forms that choose, of which no operand does.
Forms::Ids Forms::choices_in(FormId form) {
  Ids all;
  absl::flat_hash_set<FormId> seen;
  const auto choosing = [&](FormId at) {
    Ids of;
    if (forms_[at].kind == Kind::kOfArrays) return of;
    std::ranges::copy_if(operands(at), std::back_inserter(of),
                         [&](FormId one) { return forms_[one].chooses; });
    return of;
  };
  operands_first(
      form, choosing, [&](FormId at) { return seen.contains(at); },
      [&](FormId at) {
        --work_;
        seen.insert(at);
        if (forms_[at].chooses && choosing(at).empty()) all.push_back(at);
      },
      [&] { return work_ >= 0; });
  return all;
}

int64_t Forms::pairs_of_choices(absl::Span<const FormId> forms) {
  int64_t count = 0;
  for (const FormId form : forms) count += std::ssize(choices_in(form));
  return count * count;
}

// A predicate that is there comes before an order that nobody asks for: where x < 0 it says more of x than 0 < x.
std::optional<FormId> Forms::choice_in(absl::Span<const FormId> forms) {
  std::optional<FormId> ordered;
  for (const FormId form : forms) {
    for (const FormId one : choices_in(form)) {
      if (forms_[one].type == ElementType::kPred) return one;
      ordered = ordered.value_or(one);
    }
  }
  if (!ordered) return std::nullopt;
  const Ids of(operands(*ordered).begin(), operands(*ordered).end());
  return is_less(of[0], of.size() == 1 ? number(forms_[*ordered].type, 0) : of[1]);
}

FormId Forms::select(FormId predicate, FormId yes, FormId no) {
  if (const auto value = constant_of(predicate)) return *value != 0 ? yes : no;
  if (yes == no) return yes;
  const ElementType type = forms_[yes].type;
  if (type == ElementType::kPred) {
    return either({both({predicate, yes}), both({negation(predicate), no})});
  }
  if (forms_[predicate].kind == Kind::kXor && forms_[predicate].number == 1) {
    return select(negation(predicate), no, yes);
  }
  if (spec::is_integer(type)) {
    for (const bool is_signed : {true, false}) {  // a < b ? b : a
      if (!symbol_is(predicate, is_signed ? "less signed" : "less unsigned")) continue;
      const FormId a = operands(predicate)[0], b = operands(predicate)[1];
      if ((yes == b && no == a) || (yes == a && no == b)) {
        return extreme(yes == b, is_signed, type, {a, b});
      }
    }
    return plus(no, product(truth(predicate, type), plus(yes, no, -1)));
  }
  if (spec::float_format(type)) {
    const auto can_turn = [&](FormId one) { return number_of(one) || is_turned(one); };
    if ((is_turned(yes) || is_turned(no)) && can_turn(yes) && can_turn(no)) {
      return minus(select(predicate, minus(yes), minus(no)));
    }
    const bool is_extreme = symbol_is(yes, "maximum") || symbol_is(yes, "minimum");
    if (has(ValueLaw::kReal) && is_extreme && is_finite(predicate, yes)) return yes;
    const bool is_equal = symbol_is(predicate, absl::StrCat("compare EQ of ", info(type).name));
    if (has(ValueLaw::kReal) && is_equal && !number_of(no) &&
        operands(predicate)[0] == operands(predicate)[1]) {
      return yes;  // there is no NaN
    }
    if (has(ValueLaw::kReal)) {
      yes = real_where(yes, predicate, true);
      no = real_where(no, predicate, false);
      if (yes == no) return yes;
    }
    if (has(ValueLaw::kReal) && number_of(no) == 0 && number_of(yes) != 1) {
      return real_product(select(predicate, number(type, 1), no), yes);
    }
    if (has(ValueLaw::kReal) && number_of(yes) == 0) {
      return add(no, minus(select(predicate, no, yes)));
    }
    if (has(ValueLaw::kComparison)) {
      if (const auto extreme = chosen_extreme(predicate, yes, no)) return *extreme;
    }
  }
  const auto part = [&](FormId of, size_t k) -> std::optional<FormId> {
    if (forms_[of].kind != Kind::kApply || symbol(of) != kSelect) return std::nullopt;
    return operands(of)[k];
  };
  // What is chosen where `given` holds, if that decides it.
  const auto chosen = [&](FormId of, FormId given) -> std::optional<FormId> {
    const auto inner = part(of, 0);
    const FormId together = inner ? both({given, *inner}) : given;
    if (inner && together == given) return part(of, 1);
    return inner && constant_of(together) == 0 ? part(of, 2) : std::nullopt;
  };
  if (const auto one = chosen(yes, predicate)) return select(predicate, *one, no);
  if (const auto one = chosen(no, negation(predicate))) return select(predicate, yes, *one);
  if (part(yes, 2) == no) return select(both({predicate, *part(yes, 0)}), *part(yes, 1), no);
  if (part(no, 1) == yes) return select(either({predicate, *part(no, 0)}), yes, *part(no, 2));
  return apply(kSelect, type, {{predicate, yes, no}});
}

FormId Forms::apply_predicates(const Symbol& f, const Ids& a) {
  switch (f.opcode) {
    case HloOpcode::kAnd:
    case HloOpcode::kMinimum:
    case HloOpcode::kMultiply:
      return both(a);
    case HloOpcode::kOr:
    case HloOpcode::kMaximum:
    case HloOpcode::kAdd:
      return either(a);
    case HloOpcode::kXor:
      return differ(a);
    case HloOpcode::kNot:
      return negation(a[0]);
    default:
      return apply(f.text, ElementType::kPred, a);
  }
}

}  // namespace tileproof::verify
