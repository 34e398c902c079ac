// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers. Without a law that is asked for, each form has the value of its term, up
// to the bits of a NaN and the sign of a zero that maximum and minimum give.
//
// Constants are folded: +, -, *, / and sqrt are rounded once from a double, which has more than twice
// the bits (Figueroa, "When is double rounding innocuous?", 1995). f64 is the machine's own.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "verify/prove/values/bits.h"
#include "verify/prove/values/forms.h"

namespace tileproof::verify {

using spec::Symbol;

namespace {

// Whether its results are rounded in a way that no standard fixes.
bool is_function(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAtan2:
    case HloOpcode::kCbrt:
    case HloOpcode::kCosine:
    case HloOpcode::kErf:
    case HloOpcode::kExponential:
    case HloOpcode::kExponentialMinusOne:
    case HloOpcode::kLog:
    case HloOpcode::kLogPlusOne:
    case HloOpcode::kLogistic:
    case HloOpcode::kPower:
    case HloOpcode::kRsqrt:
    case HloOpcode::kSine:
    case HloOpcode::kSqrt:
    case HloOpcode::kTan:
    case HloOpcode::kTanh:
      return true;
    default:
      return false;
  }
}

// Whether f(max(x, y)) is max(f(x), f(y)).
bool keeps_order(HloOpcode opcode) {
  return opcode == HloOpcode::kFloor || opcode == HloOpcode::kCeil ||
         opcode == HloOpcode::kRoundNearestEven || opcode == HloOpcode::kRoundNearestAfz ||
         opcode == HloOpcode::kSign;
}

constexpr absl::string_view kNegate = "negate", kAdd = "add", kMultiply = "multiply",
                            kDivide = "divide", kRound = "round";

// Whether each number of one type is a number of the other.
bool is_within(ElementType narrow, ElementType wide) {
  const auto a = spec::float_format(narrow), b = spec::float_format(wide);
  return a && b && a->significand <= b->significand && a->least >= b->least &&
         a->largest <= b->largest;
}

// x is a power of two, and so is 1 / x, both normal.
bool has_exact_reciprocal(ElementType type, double x) {
  int exponent = 0;
  const int least = spec::float_format(type)->least;
  return std::isfinite(x) && std::abs(std::frexp(x, &exponent)) == 0.5 && exponent - 1 >= least &&
         1 - exponent >= least;
}

}  // namespace

bool Forms::is_real(ElementType type) const {
  return has(ValueLaw::kReal) && spec::float_format(type);
}

FormId Forms::number(ElementType type, double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return intern({.kind = Kind::kConstant, .type = type, .number = std::bit_cast<int64_t>(value)},
                {});
}

std::optional<double> Forms::number_of(FormId id) const {
  const Form& form = forms_[id];
  if (form.kind != Kind::kConstant || !spec::float_format(form.type)) return std::nullopt;
  return std::bit_cast<double>(form.number);
}

FormId Forms::minus(FormId a) {
  const ElementType type = forms_[a].type;
  if (const auto x = number_of(a)) return number(type, -*x);
  if (is_real(type)) return real_sum(type, {{a, -1}});
  if (forms_[a].kind == Kind::kApply && symbol(a) == kNegate) return operands(a)[0];
  return apply(kNegate, type, {a});
}

bool Forms::is_turned(FormId a) const {
  const Form& form = forms_[a];
  if (form.kind != Kind::kRealSum) return symbol_is(a, kNegate);
  return form.count == 1 && form.number == 0 && std::bit_cast<double>(factors(a)[0]) < 0;
}

// Whether a <= b, if the predicate holds. No NaN.
bool Forms::implies_at_most(FormId predicate, FormId a, FormId b) const {
  const Form& form = forms_[predicate];
  const auto parts = operands(predicate);
  if (form.kind == Kind::kAnd) {
    return std::ranges::any_of(parts, [&](FormId part) { return implies_at_most(part, a, b); });
  }
  if (is_negated(predicate)) {  // not (c and d)
    const FormId inside = parts[0];
    if (forms_[inside].kind == Kind::kAnd) {
      return std::ranges::all_of(operands(inside), [&](FormId part) {
        return is_negated(part) ? implies_at_most(operands(part)[0], a, b)
                                : is_order(part, "LT", b, a) || is_order(part, "LE", b, a);
      });
    }
    return is_order(inside, "LT", b, a) || is_order(inside, "LE", b, a);
  }
  return is_order(predicate, "LT", a, b) || is_order(predicate, "LE", a, b) ||
         is_order(predicate, "EQ", a, b) || is_order(predicate, "EQ", b, a);
}

bool Forms::is_order(FormId predicate, absl::string_view direction, FormId a, FormId b) const {
  const std::string name = absl::StrCat("compare ", direction, " of ", info(forms_[a].type).name);
  if (!symbol_is(predicate, name)) return false;
  const FormId left = operands(predicate)[0], right = operands(predicate)[1];
  const auto is_minus = [&](FormId one, FormId of) {
    return symbol_is(one, kNegate) && operands(one)[0] == of;
  };
  // x < 0 is x < -x.
  return (left == a && (right == b || (is_minus(b, a) && number_of(right) == 0))) ||
         (right == b && is_minus(a, b) && number_of(left) == 0);
}

// Whether the predicate says that a number is finite.
bool Forms::is_finite(FormId predicate, FormId a) {
  const ElementType type = forms_[a].type;
  const Symbol abs{.text = "abs", .opcode = HloOpcode::kAbs, .type = type};
  return symbol_is(predicate, absl::StrCat("compare LT of ", info(type).name)) &&
         operands(predicate)[0] == apply_floats(abs, {a}) &&
         number_of(operands(predicate)[1]) == std::numeric_limits<double>::infinity();
}

// A select that chooses the larger or the smaller of two numbers.
std::optional<FormId> Forms::chosen_extreme(FormId predicate, FormId yes, FormId no) {
  const FormId opposite = negation(predicate);
  for (const bool is_max : {true, false}) {
    const FormId least = is_max ? no : yes, most = is_max ? yes : no;
    if (implies_at_most(predicate, least, most) && implies_at_most(opposite, most, least)) {
      return float_extreme(is_max, forms_[yes].type, {yes, no});
    }
  }
  return std::nullopt;
}

FormId Forms::is_less(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  const Symbol compare{.text = absl::StrCat("compare LT of ", info(type).name),
                       .type = ElementType::kPred,
                       .from = type,
                       .direction = "LT"};
  return compare_floats(compare, {a, b});
}

// A comparison, a maximum or a minimum where an order holds. No NaN.
FormId Forms::ordered_where(FormId a, FormId holds) {
  if (!has(ValueLaw::kComparison) || forms_[a].kind != Kind::kApply) return a;
  const Ids of(operands(a).begin(), operands(a).end());
  for (const bool is_strict : {true, false}) {
    const bool is_one =
        !of.empty() && symbol_is(a, absl::StrCat("compare ", is_strict ? "LT" : "LE", " of ",
                                                 info(forms_[of[0]].type).name));
    if (!is_one) continue;
    if (implies_at_most(holds, of[is_strict], of[!is_strict])) return boolean(!is_strict);
  }
  if (is_magnitude(a)) {
    const FormId zero = number(forms_[a].type, 0);
    if (implies_at_most(holds, zero, of[0])) return of[0];
    return implies_at_most(holds, of[0], zero) ? minus(of[0]) : a;
  }
  for (const bool is_max : {true, false}) {
    if (!symbol_is(a, is_max ? "maximum" : "minimum")) continue;
    Ids left;
    for (const FormId one : of) {
      const bool is_needless = std::ranges::any_of(of, [&](FormId other) {
        return other != one &&
               (is_max ? implies_at_most(holds, one, other) : implies_at_most(holds, other, one));
      });
      if (!is_needless) left.push_back(one);
    }
    if (!left.empty() && left.size() < of.size()) {
      return float_extreme(is_max, forms_[a].type, left);
    }
  }
  return a;
}

FormId Forms::add(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  const auto x = number_of(a), y = number_of(b);
  if (x && y) return number(type, spec::rounded(type, *x + *y));
  if (is_real(type)) return real_sum(type, {{a, 1}, {b, 1}});
  for (const auto& [one, other] : {std::pair(x, b), std::pair(y, a)}) {
    if (one && *one == 0 && (std::signbit(*one) || has(ValueLaw::kZero))) return other;
  }
  if (a == b) return multiply(number(type, 2), a);
  for (const FormId one : {a, b}) {
    if (!has(ValueLaw::kReductionOrder)) break;
    if (forms_[one].kind == Kind::kBag && absl::StartsWith(symbol(one), kAdd)) {
      return bag(symbol(one), HloOpcode::kAdd, type, {a, b});
    }
    if (is_sum_over(one, kSumInAnyOrder)) {
      return bag(spec::bag_of(HloOpcode::kAdd, type).text, HloOpcode::kAdd, type, {a, b});
    }
  }
  return apply(kAdd, type, {{std::min(a, b), std::max(a, b)}});
}

FormId Forms::multiply(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  const auto x = number_of(a), y = number_of(b);
  if (x && y) return number(type, spec::rounded(type, *x * *y));
  if (is_real(type)) return real_product(a, b);
  for (const auto& [one, other] : {std::pair(x, b), std::pair(y, a)}) {
    if (one == 1) return other;
    if (one && std::signbit(*one)) return minus(multiply(number(type, -*one), other));
    if (one == 0 && has(ValueLaw::kZero)) return number(type, 0);
  }
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (forms_[one].kind == Kind::kApply && symbol(one) == kNegate) {
      return minus(multiply(operands(one)[0], other));
    }
    // 2 (4 x) = 8 x: nothing is rounded.
    const auto is_scale = [&](std::optional<double> number) {
      return number && *number >= 1 && has_exact_reciprocal(type, *number);
    };
    if (!is_scale(number_of(one)) || !symbol_is(other, kMultiply)) continue;
    for (const size_t k : {0, 1}) {
      const auto inner = number_of(operands(other)[k]);
      const double both = *number_of(one) * inner.value_or(0);
      if (is_scale(inner) && is_scale(both)) {
        return multiply(number(type, both), operands(other)[1 - k]);
      }
    }
  }
  return apply(kMultiply, type, {{std::min(a, b), std::max(a, b)}});
}

FormId Forms::divide(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  const auto x = number_of(a), y = number_of(b);
  if (x && y) return number(type, spec::rounded(type, *x / *y));
  if (is_real(type) && y != 0) return real_product(a, real_inverse(b));
  if (y && has_exact_reciprocal(type, *y)) return multiply(a, number(type, 1 / *y));
  if (y && std::signbit(*y)) return minus(divide(a, number(type, -*y)));
  if (x && std::signbit(*x)) return minus(divide(number(type, -*x), b));
  for (const FormId one : {a, b}) {
    if (forms_[one].kind != Kind::kApply || symbol(one) != kNegate) continue;
    const FormId inner = operands(one)[0];
    return minus(one == a ? divide(inner, b) : divide(a, inner));
  }
  if (has(ValueLaw::kReciprocal) && x != 1) {
    const FormId reciprocal =
        y ? number(type, spec::rounded(type, 1 / *y)) : divide(number(type, 1), b);
    return multiply(a, reciprocal);
  }
  return apply(kDivide, type, {{a, b}});
}

FormId Forms::rounded(FormId a, ElementType type) {
  const ElementType from = forms_[a].type;
  if (from == type) return a;
  if (const auto x = number_of(a)) return number(type, spec::rounded(type, *x));
  if (is_turned(a)) return minus(rounded(minus(a), type));
  const Ids parts(operands(a).begin(), operands(a).end());
  const auto round = [&](const Ids& one) { return rounded(one[0], type); };
  if (const auto chosen = where_chosen({a}, round)) return *chosen;
  for (const bool is_max : {true, false}) {  // rounding keeps the order
    if (!symbol_is(a, is_max ? "maximum" : "minimum")) continue;
    Ids all;
    for (const FormId part : parts) all.push_back(rounded(part, type));
    return float_extreme(is_max, type, all);
  }
  if (forms_[a].kind == Kind::kApply && symbol(a) == kRound) {
    const FormId inner = operands(a)[0];
    const bool keeps_range = spec::float_format(from)->least <= spec::float_format(type)->least;
    if (is_within(forms_[inner].type, from) || (has(ValueLaw::kExcessPrecision) && keeps_range)) {
      return rounded(inner, type);
    }
  }
  return apply(kRound, type, {a});
}

// The number that was converted to a type that has it, too: the same number.
FormId Forms::before_widening(FormId a) {
  if (is_turned(a)) return minus(before_widening(minus(a)));
  const bool is_rounded = forms_[a].kind == Kind::kApply && symbol(a) == kRound;
  if (!is_rounded || !is_within(forms_[operands(a)[0]].type, forms_[a].type)) return a;
  return operands(a)[0];
}

FormId Forms::float_extreme(bool is_max, ElementType type, const Ids& given) {
  const absl::string_view name = is_max ? "maximum" : "minimum";
  const double least =
      is_max ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  double constant = least;
  Ids all;
  for (const FormId one : given) {
    const FormId turned = is_turned(one) ? minus(one) : one;
    const bool is_opposite = turned != one && symbol_is(turned, is_max ? "minimum" : "maximum");
    const bool is_same = symbol_is(one, name) || is_opposite;
    Ids parts = {one};
    if (is_same) parts.assign(operands(turned).begin(), operands(turned).end());
    for (FormId& part : parts) part = is_opposite ? minus(part) : part;
    for (const FormId part : parts) {
      const auto x = number_of(part);
      if (is_max && is_magnitude(part)) {  // the larger of x and -x
        const FormId inside = operands(part)[0];
        all.insert(all.end(), {inside, minus(inside)});
        continue;
      }
      if (x && !std::isnan(*x)) {
        constant = is_max ? std::max(constant, *x) : std::min(constant, *x);
      } else {
        all.push_back(part);
      }
    }
  }
  if (constant == 0 && is_real(type)) constant = 0;  // without a sign
  if (constant != least || all.empty()) all.push_back(number(type, constant));
  const auto can_turn = [&](FormId one) { return number_of(one) || is_turned(one); };
  if (std::ranges::any_of(all, [&](FormId one) { return is_turned(one); }) &&
      std::ranges::all_of(all, can_turn)) {
    for (FormId& one : all) one = minus(one);
    return minus(float_extreme(!is_max, type, all));
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const FormId inner : all) {  // max(min(x, high), low) is min(max(x, low), high)
    if (!is_max || all.size() != 2 || constant == least || !symbol_is(inner, "minimum")) continue;
    Ids raised(operands(inner).begin(), operands(inner).end());
    if (!std::ranges::any_of(raised, [&](FormId one) { return number_of(one) >= constant; })) break;
    for (FormId& one : raised) {
      if (!number_of(one)) one = float_extreme(true, type, {one, number(type, constant)});
    }
    return float_extreme(false, type, raised);
  }
  if (is_max && all.size() == 2 && minus(all[0]) == all[1]) {
    return apply("abs", type, {is_turned(all[0]) ? all[1] : all[0]});
  }
  if (is_real(type)) {
    if (const auto shifted = real_extreme(is_max, type, all)) return *shifted;
  }
  return apply_set(name, type, std::move(all));
}

FormId Forms::bag(const std::string& name, HloOpcode opcode, ElementType type, const Ids& given) {
  if (opcode == HloOpcode::kMaximum || opcode == HloOpcode::kMinimum) {
    return float_extreme(opcode == HloOpcode::kMaximum, type, given);
  }
  const bool is_sum = opcode == HloOpcode::kAdd;
  if (!has(ValueLaw::kReductionOrder) || (!is_sum && opcode != HloOpcode::kMultiply)) {
    return apply(name, type, given);
  }
  if (is_real(type)) {
    if (is_sum) {
      std::vector<std::pair<FormId, double>> terms;
      for (const FormId one : given) terms.emplace_back(one, 1);
      return real_sum(type, terms);
    }
    FormId product = number(type, 1);
    for (const FormId one : given) product = real_product(product, one);
    return product;
  }
  const double identity = is_sum ? 0 : 1;
  Ids flat, all;
  for (const FormId one : given) {
    const bool is_nested = forms_[one].kind == Kind::kBag && symbol(one) == name;
    if (is_nested) flat.insert(flat.end(), operands(one).begin(), operands(one).end());
    if (!is_nested) flat.push_back(one);
  }
  // Whole numbers whose sums are all exact are one.
  const auto format = spec::float_format(type);
  double whole = 0, size = 0;
  for (const FormId one : flat) {
    const auto number = number_of(one);
    const double next = size + std::abs(number.value_or(0));
    const bool is_exact = is_sum && number && format && std::trunc(*number) == *number &&
                          next <= std::ldexp(1.0, format->significand);
    if (is_exact) size = next;
    if (is_exact) whole += *number;
    if (!is_exact && number != identity) all.push_back(one);
  }
  if (whole != 0) all.push_back(number(type, whole));
  if (all.empty()) return number(type, identity);
  if (all.size() == 1) return all[0];
  std::ranges::sort(all);
  return intern({.kind = Kind::kBag, .type = type, .symbol = symbol_number(name)}, all);
}

// An operation of floating-point numbers with other operands, if its laws are here.
std::optional<FormId> Forms::rebuilt_of_floats(FormId id, const Ids& a) {
  const ElementType type = forms_[id].type;
  const std::string name = symbol(id);
  constexpr absl::string_view kCompare = "compare ";
  if (absl::StartsWith(name, kCompare) && spec::float_format(forms_[a[0]].type)) {
    return compare_floats({.text = name,
                           .type = ElementType::kPred,
                           .from = forms_[a[0]].type,
                           .direction = name.substr(kCompare.size(), 2)},
                          a);
  }
  if (!spec::float_format(type)) return std::nullopt;
  if (name == kAdd) return add(a[0], a[1]);
  if (name == kMultiply) return multiply(a[0], a[1]);
  if (name == kDivide) return divide(a[0], a[1]);
  if (name == kNegate) return minus(a[0]);
  if (name == kRound) return rounded(a[0], type);
  for (const bool is_max : {true, false}) {
    if (name == (is_max ? "maximum" : "minimum")) return float_extreme(is_max, type, a);
  }
  for (const HloOpcode opcode : {HloOpcode::kAbs, HloOpcode::kExponential, HloOpcode::kFloor}) {
    if (name == name_of(opcode)) {
      return apply_floats({.text = name, .opcode = opcode, .type = type}, a);
    }
  }
  return std::nullopt;
}

// The total order of floating-point numbers is that of their bits as integers, of which those with a
// sign are turned: all other bits are the opposite.
std::optional<FormId> Forms::total_order(const Symbol& f, const Ids& a) {
  ElementType type = ElementType::kU32;
  switch (f.from) {
    case ElementType::kBF16:
    case ElementType::kF16:
      type = ElementType::kU16;
      break;
    case ElementType::kF32:
      break;
    case ElementType::kF64:
      type = ElementType::kU64;
      break;
    default:
      return std::nullopt;
  }
  if (!absl::EndsWith(f.text, " TOTALORDER")) return std::nullopt;
  Ids turned;
  for (const FormId one : a) {
    const FormId bits = bits_of(one, type);
    const int64_t all_but_sign = static_cast<int64_t>((uint64_t{1} << (width_of(type) - 1)) - 1);
    const FormId opposite = bitwise(HloOpcode::kXor, type, {bits, integer(type, all_but_sign)});
    turned.push_back(select(less(bits, integer(type, 0), true), opposite, bits));
  }
  if (f.direction == "EQ") return equals(turned[0], turned[1]);
  return f.direction == "LT" ? less(turned[0], turned[1], true)
                             : negation(less(turned[1], turned[0], true));
}

FormId Forms::compare_floats(const Symbol& f, const Ids& a) {
  const bool is_plain = !absl::StrContains(f.text, "TOTALORDER");
  if (f.direction == "NE") {
    Symbol equal = f;
    equal.direction = "EQ";
    equal.text = absl::StrCat("compare EQ", absl::string_view(f.text).substr(10));
    return negation(compare_floats(equal, a));
  }
  if (is_complex(f.from) && f.direction == "EQ") {
    const ElementType type = part_type(f.from);
    const Symbol of_parts{
        .text = absl::StrCat("compare EQ of ", info(type).name), .from = type, .direction = "EQ"};
    Ids both_parts;
    for (const bool is_imaginary : {false, true}) {
      const FormId left = part_of_complex(a[0], is_imaginary);
      both_parts.push_back(compare_floats(of_parts, {left, part_of_complex(a[1], is_imaginary)}));
    }
    return both(both_parts);
  }
  const auto x = number_of(a[0]), y = number_of(a[1]);
  if (x && y && is_plain) {
    const bool holds = f.direction == "EQ" ? *x == *y : f.direction == "LT" ? *x < *y : *x <= *y;
    return boolean(holds);
  }
  if (const auto integers = total_order(f, a)) return *integers;
  if (is_plain && a[0] == a[1] && f.direction != "EQ") {  // but for NaN
    Symbol equal = f;
    equal.direction = "EQ";
    equal.text = absl::StrCat("compare EQ", absl::string_view(f.text).substr(10));
    return f.direction == "LT" ? boolean(false) : compare_floats(equal, a);
  }
  if (is_plain && f.direction == "LT" && y == 0 && is_nonnegative(a[0])) return boolean(false);
  const bool is_at_least = f.direction == "LE" && x == 0 && is_nonnegative(a[1]);
  if (is_plain && is_at_least && has(ValueLaw::kReal)) return boolean(true);  // there is no NaN
  const auto can_turn = [&](FormId one) { return number_of(one) || is_turned(one); };
  if (is_plain && (is_turned(a[0]) || is_turned(a[1])) && can_turn(a[0]) && can_turn(a[1])) {
    return compare_floats(
        f, f.direction == "EQ" ? Ids{minus(a[0]), minus(a[1])} : Ids{minus(a[1]), minus(a[0])});
  }
  Ids ordered = a;
  if (f.direction == "EQ") std::ranges::sort(ordered);
  return apply(f.text, ElementType::kPred, ordered);
}

// Whether it has no sign, if it is a number.
bool Forms::is_nonnegative(FormId a) {
  if (--work_ < 0) return false;
  const Form form = forms_[a];
  const auto all = [&](double least) {
    for (size_t k = 0; k < form.count; ++k) {
      const double factor = form.kind == Kind::kRealSum ? std::bit_cast<double>(factors(a)[k]) : 1;
      if (factor < least || !is_nonnegative(operands(a)[k])) return false;
    }
    return true;
  };
  if (const auto x = number_of(a)) return *x > 0 || (*x == 0 && !std::signbit(*x));
  if (form.kind == Kind::kRealSum) return std::bit_cast<double>(form.number) >= 0 && all(0);
  if (form.kind == Kind::kBag || form.kind == Kind::kRealProduct) return all(0);
  if (symbol_is(a, kAdd) || symbol_is(a, kMultiply) || symbol_is(a, kDivide)) return all(0);
  if (is_sum_over(a, kRealSumOver) || is_sum_over(a, kSumInAnyOrder)) {
    return is_nonnegative(operands(without_indexes(a))[0]);  // at any point
  }
  return symbol_is(a, "exponential") || symbol_is(a, "abs") || symbol_is(a, "logistic");
}

// Whether it is an integer, infinite or not a number.
bool Forms::is_whole(FormId a) const {
  if (symbol_is(a, kNegate)) return is_whole(operands(a)[0]);
  if (const auto x = number_of(a)) return std::trunc(*x) == *x;
  return symbol_is(a, "floor") || symbol_is(a, name_of(HloOpcode::kRoundNearestEven)) ||
         symbol_is(a, name_of(HloOpcode::kRoundNearestAfz)) ||
         (forms_[a].kind == Kind::kApply && absl::StartsWith(symbol(a), "convert ") &&
          spec::is_integer(forms_[operands(a)[0]].type));
}

// p ? f(a, c) : f(b, c) for f(p ? a : b, c), if one predicate chooses all operands that are chosen.
std::optional<FormId> Forms::where_chosen(const Ids& a, absl::FunctionRef<FormId(const Ids&)> f) {
  std::optional<FormId> predicate;
  std::array<Ids, 2> both = {a, a};
  for (size_t k = 0; k < a.size(); ++k) {
    const bool is_minus = symbol_is(a[k], kNegate);
    const FormId inside = is_minus ? operands(a[k])[0] : a[k];
    if (!symbol_is(inside, "select")) continue;
    const Ids of(operands(inside).begin(), operands(inside).end());
    if (predicate && *predicate != of[0]) return std::nullopt;
    predicate = of[0];
    for (const size_t side : {0, 1}) both[side][k] = is_minus ? minus(of[side + 1]) : of[side + 1];
  }
  if (!predicate) return std::nullopt;
  const FormId yes = f(both[0]);
  return select(*predicate, yes, f(both[1]));
}

FormId Forms::apply_floats(const Symbol& f, const Ids& a) {
  const ElementType type = f.type;
  const FormId one = number(type, 1);
  const bool is_arithmetic = f.opcode == HloOpcode::kAdd || f.opcode == HloOpcode::kSubtract ||
                             f.opcode == HloOpcode::kMultiply || f.opcode == HloOpcode::kDivide;
  const bool is_short = type == ElementType::kBF16 || type == ElementType::kF16;
  const bool is_of_f32 = is_arithmetic ||  // f32 has more than twice the bits
                         (has(ValueLaw::kExcessPrecision) && is_function(f.opcode));
  if (is_short && is_of_f32) {
    Symbol wide = f;
    wide.type = wide.from = ElementType::kF32;
    Ids operands;
    for (const FormId operand : a) operands.push_back(rounded(operand, wide.type));
    return rounded(apply_floats(wide, operands), type);
  }
  const bool has_order = f.opcode != HloOpcode::kMaximum && f.opcode != HloOpcode::kMinimum &&
                         f.opcode != HloOpcode::kClamp && f.opcode != HloOpcode::kNegate;
  if (has_order && !is_real(type)) {
    const auto apply_to = [&](const Ids& operands) { return apply_floats(f, operands); };
    if (const auto chosen = where_chosen(a, apply_to)) return *chosen;
  }
  // Attributes of an operation are part of its name.
  const absl::string_view name = absl::StrContains(f.text, '=') ? f.text : name_of(f.opcode);
  const auto named = [&](HloOpcode opcode, FormId x) { return apply(name_of(opcode), type, {x}); };
  const bool expands = has(ValueLaw::kExpansion);
  const std::optional<double> known = a.empty() ? std::nullopt : number_of(a[0]);
  const double x = known.value_or(0);
  if (keeps_order(f.opcode)) {
    for (const bool is_max : {true, false}) {
      if (!symbol_is(a[0], is_max ? "maximum" : "minimum")) continue;
      Ids all;
      for (const FormId part : Ids(operands(a[0]).begin(), operands(a[0]).end())) {
        all.push_back(apply_floats(f, {part}));
      }
      return float_extreme(is_max, type, all);
    }
  }
  switch (f.opcode) {
    case HloOpcode::kAdd:
      return add(a[0], a[1]);
    case HloOpcode::kSubtract:
      return add(a[0], minus(a[1]));
    case HloOpcode::kMultiply:
      return multiply(a[0], a[1]);
    case HloOpcode::kDivide:
      return divide(a[0], a[1]);
    case HloOpcode::kNegate:
      return minus(a[0]);
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
      return float_extreme(f.opcode == HloOpcode::kMaximum, type, a);
    case HloOpcode::kClamp:
      return float_extreme(false, type, {float_extreme(true, type, {a[0], a[1]}), a[2]});
    case HloOpcode::kAbs:
      if (known) return number(type, std::abs(x));
      if (is_nonnegative(a[0])) return a[0];
      if (has(ValueLaw::kComparison)) return float_extreme(true, type, {a[0], minus(a[0])});
      if (symbol_is(a[0], "abs")) return a[0];
      if (symbol_is(a[0], kNegate)) return apply(name, type, {operands(a[0])[0]});
      break;
    case HloOpcode::kSqrt:
      if (known) return number(type, spec::rounded(type, std::sqrt(x)));
      break;
    case HloOpcode::kFloor:
      if (known) return number(type, std::floor(x));
      if (is_whole(a[0])) return a[0];
      break;
    case HloOpcode::kCeil:
      if (known) return number(type, std::ceil(x));
      if (is_whole(a[0])) return a[0];
      return minus(named(HloOpcode::kFloor, minus(a[0])));
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kSign:
      if (f.opcode != HloOpcode::kSign && is_whole(a[0])) return a[0];
      if (is_turned(a[0])) return minus(apply(name, type, {minus(a[0])}));
      break;
    case HloOpcode::kTan:
      if (expands) return divide(named(HloOpcode::kSine, a[0]), named(HloOpcode::kCosine, a[0]));
      break;
    case HloOpcode::kTanh:  // by the logistic function of twice the number
      if (is_real(type) && !is_turned(a[0])) {
        const FormId power = real_exponential(real_sum(type, {{a[0], -2}}));
        return real_sum(type, {{real_inverse(add(one, power)), 2}, {one, -1}});
      }
      if (expands && is_turned(a[0])) return minus(apply_floats(f, {minus(a[0])}));
      break;
    case HloOpcode::kSine:
    case HloOpcode::kErf:
    case HloOpcode::kCbrt:
      if (expands && is_turned(a[0])) return minus(apply(name, type, {minus(a[0])}));
      break;
    case HloOpcode::kCosine:
      if (expands && is_turned(a[0])) return apply(name, type, {minus(a[0])});
      break;
    case HloOpcode::kRemainder:  // has the sign of the dividend
      if (is_turned(a[0])) return minus(apply(name, type, {{minus(a[0]), a[1]}}));
      break;
    case HloOpcode::kExponential:
      if (is_real(type)) return real_exponential(a[0]);
      break;
    case HloOpcode::kLog:
      if (has(ValueLaw::kReal) && symbol_is(a[0], "exponential")) return operands(a[0])[0];
      break;
    case HloOpcode::kReducePrecision:
      if (type == ElementType::kF32 &&
          absl::StrContains(f.text, "exponent_bits=8 mantissa_bits=7 ")) {
        return rounded(rounded(a[0], ElementType::kBF16), type);
      }
      break;
    case HloOpcode::kRsqrt:
      if (expands) return divide(one, named(HloOpcode::kSqrt, a[0]));
      break;
    case HloOpcode::kExponentialMinusOne:
      if (expands) return add(named(HloOpcode::kExponential, a[0]), minus(one));
      break;
    case HloOpcode::kLogPlusOne:
      if (expands) return named(HloOpcode::kLog, add(a[0], one));
      break;
    case HloOpcode::kLogistic:
      if (expands) return divide(one, add(one, named(HloOpcode::kExponential, minus(a[0]))));
      break;
    case HloOpcode::kPower:
      if (const auto exponent = number_of(a[1]); exponent && expands) {
        if (*exponent == 0) return one;
        if (*exponent == 1) return a[0];
        if (*exponent == 2) return multiply(a[0], a[0]);
        if (*exponent == 3) return multiply(a[0], multiply(a[0], a[0]));
        if (*exponent == -1) return divide(one, a[0]);
        if (*exponent == 0.5) return named(HloOpcode::kSqrt, a[0]);
      }
      break;
    default:
      break;
  }
  return apply(name, type, a);
}

}  // namespace tileproof::verify
