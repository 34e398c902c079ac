// SPDX-License-Identifier: Apache-2.0
// Forms of integers modulo 2^w. They are sums of products, and each has a range of values.
#include <algorithm>
#include <bit>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "verify/prove/values/bits.h"
#include "verify/prove/values/forms.h"

namespace tileproof::verify {

using absl::int128;
using spec::Symbol;

namespace {

constexpr absl::string_view kTruncate = "truncate", kZeroExtend = "zero-extend",
                            kSignExtend = "sign-extend";

absl::string_view extreme_symbol(bool is_max, bool is_signed) {
  if (is_max) return is_signed ? "maximum signed" : "maximum unsigned";
  return is_signed ? "minimum signed" : "minimum unsigned";
}

struct Interval {
  int128 low, high;
};

Interval all_of(ElementType type, bool is_signed) {
  const int128 all = int128(1) << width_of(type);
  return is_signed ? Interval{-(all / 2), all / 2 - 1} : Interval{0, all - 1};
}

}  // namespace

FormId Forms::integer(ElementType type, int64_t bits) {
  return intern({.kind = Kind::kConstant, .type = type, .number = masked(type, bits)}, {});
}

std::optional<int64_t> Forms::constant_of(FormId id) const {
  const Form& form = forms_[id];
  if (form.kind != Kind::kConstant || !spec::is_integer(form.type)) return std::nullopt;
  return form.number;
}

FormId Forms::sum(ElementType type, int64_t number, Scaled terms) {
  auto constant = static_cast<uint64_t>(number);
  Scaled flat;
  for (const auto& [id, factor] : terms) {
    const auto by = static_cast<uint64_t>(factor);
    const Form& form = forms_[id];
    if (form.kind == Kind::kConstant || form.kind == Kind::kSum) {
      constant += by * static_cast<uint64_t>(form.number);
    }
    if (form.kind == Kind::kConstant) continue;
    if (form.kind != Kind::kSum) flat.emplace_back(id, factor);
    if (form.kind != Kind::kSum) continue;
    for (size_t k = 0; k < form.count; ++k) {
      const auto inner = static_cast<uint64_t>(factors(id)[k]);
      flat.emplace_back(operands(id)[k], static_cast<int64_t>(inner * by));
    }
  }
  work_ -= std::ssize(flat);
  std::ranges::sort(flat);
  Ids ids;
  std::vector<int64_t> by;
  for (size_t k = 0; k < flat.size();) {
    uint64_t factor = 0;
    const FormId id = flat[k].first;
    for (; k < flat.size() && flat[k].first == id; ++k)
      factor += static_cast<uint64_t>(flat[k].second);
    const int64_t left = masked(type, static_cast<int64_t>(factor));
    if (left == 0) continue;
    ids.push_back(id);
    by.push_back(left);
  }
  constant += static_cast<uint64_t>(merge_divisions(type, ids, by));
  const int64_t rest = masked(type, static_cast<int64_t>(constant));
  if (ids.empty()) return integer(type, rest);
  if (ids.size() == 1 && by[0] == 1 && rest == 0) return ids[0];
  return intern({.kind = Kind::kSum, .type = type, .number = rest}, ids, by);
}

// c (x / c) = x - x mod c, if the sum loses x or x mod c by that: c (x / c) + x mod c = x. The number
// that is to be added.
int64_t Forms::merge_divisions(ElementType type, Ids& ids, std::vector<int64_t>& factors) {
  for (size_t q = 0; q < ids.size(); ++q) {
    const bool is_division = forms_[ids[q]].kind == Kind::kApply &&
                             absl::StartsWith(symbol(ids[q]), "divide") &&
                             forms_[ids[q]].count == 2;
    const auto divisor = is_division ? constant_of(operands(ids[q])[1]) : std::nullopt;
    const int128 by = divisor ? value_of(type, *divisor, true) : 0;
    const int128 factor = value_of(type, factors[q], true);
    if (by == 0 || factor % by != 0) continue;
    const FormId x = operands(ids[q])[0];
    const auto times = static_cast<uint64_t>(static_cast<int64_t>(factor / by));
    const std::string name = absl::StrCat("remainder", symbol(ids[q]).substr(6));
    const FormId rest = apply(name, type, {{x, operands(ids[q])[1]}});
    const auto cancels = [&](FormId one, uint64_t count) {
      const auto at = std::ranges::find(ids, one);
      return at != ids.end() &&
             masked(type, static_cast<int64_t>(count)) == factors[at - ids.begin()];
    };
    const bool is_sum = forms_[x].kind == Kind::kSum;
    bool is_left = !is_sum && cancels(x, -times);
    for (size_t k = 0; is_sum && k < forms_[x].count; ++k) {
      is_left = cancels(operands(x)[k], -times * static_cast<uint64_t>(this->factors(x)[k]));
      if (!is_left) break;
    }
    if (!is_left && !cancels(rest, times)) continue;
    Scaled left{{x, static_cast<int64_t>(times)}, {rest, static_cast<int64_t>(-times)}};
    for (size_t k = 0; k < ids.size(); ++k) {
      if (k != q) left.emplace_back(ids[k], factors[k]);
    }
    const FormId merged = sum(type, 0, std::move(left));
    const bool stays_sum = forms_[merged].kind == Kind::kSum;
    const std::vector<int64_t> counts(this->factors(merged).begin(), this->factors(merged).end());
    ids = stays_sum ? Ids(operands(merged).begin(), operands(merged).end()) : Ids{merged};
    factors = stays_sum ? counts : std::vector<int64_t>{1};
    if (constant_of(merged)) ids.clear();
    return stays_sum || ids.empty() ? forms_[merged].number : 0;
  }
  return 0;
}

FormId Forms::plus(FormId a, FormId b, int64_t factor) {
  return sum(forms_[a].type, 0, {{a, 1}, {b, factor}});
}

FormId Forms::scaled(FormId a, int64_t factor) { return sum(forms_[a].type, 0, {{a, factor}}); }

// Of two forms that are no sums. The product of truths is the truth of both.
FormId Forms::product_of_terms(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  Ids factors, truths;
  for (const FormId side : {a, b}) {
    const bool is_product = forms_[side].kind == Kind::kProduct;
    const Ids parts = is_product ? Ids(operands(side).begin(), operands(side).end()) : Ids{side};
    for (const FormId part : parts) {
      const bool is_truth = forms_[part].kind == Kind::kTruth;
      is_truth ? truths.push_back(operands(part)[0]) : factors.push_back(part);
    }
  }
  if (!truths.empty()) {
    const FormId all = truth(both(truths), type);
    if (forms_[all].kind == Kind::kSum) {  // the truth of a negation is a sum
      FormId product = factors.empty() ? integer(type, 1) : factors[0];
      for (size_t k = 1; k < factors.size(); ++k) product = product_of_terms(product, factors[k]);
      return factors.empty() ? all : this->product(all, product);
    }
    if (const auto value = constant_of(all)) {
      if (*value == 0) return all;
    } else {
      factors.push_back(all);
    }
  }
  // A quotient times its divisor is what the remainder leaves, whatever the divisor.
  for (const FormId quotient : factors) {
    if (!symbol_is(quotient, "divide") && !symbol_is(quotient, "divide signed")) continue;
    const FormId dividend = operands(quotient)[0], divisor = operands(quotient)[1];
    const auto at = std::ranges::find(factors, divisor);
    if (at == factors.end()) continue;
    const bool is_signed = symbol_is(quotient, "divide signed");
    factors.erase(at);
    factors.erase(std::ranges::find(factors, quotient));
    const FormId left =
        apply(is_signed ? "remainder signed" : "remainder", type, {{dividend, divisor}});
    FormId all = plus(dividend, left, -1);
    for (const FormId factor : factors) all = product(all, factor);
    return all;
  }
  std::ranges::sort(factors);
  if (factors.empty()) return integer(type, 1);
  if (factors.size() == 1) return factors[0];
  return intern({.kind = Kind::kProduct, .type = type}, factors);
}

FormId Forms::product(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  if (const auto value = constant_of(a)) return scaled(b, *value);
  if (const auto value = constant_of(b)) return scaled(a, *value);
  const auto terms_of = [&](FormId id) {
    Scaled terms;
    if (forms_[id].kind != Kind::kSum) return Scaled{{id, 1}};
    for (size_t k = 0; k < forms_[id].count; ++k) {
      terms.emplace_back(operands(id)[k], factors(id)[k]);
    }
    return terms;
  };
  const auto rest_of = [&](FormId id) {
    return forms_[id].kind == Kind::kSum ? forms_[id].number : 0;
  };
  const Scaled of_a = terms_of(a), of_b = terms_of(b);
  const auto times = [](int64_t x, int64_t y) {
    return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  };
  Scaled all;
  for (const auto& [x, by_x] : of_a) {
    if (work_ < 0) return a;
    for (const auto& [y, by_y] : of_b) {
      all.emplace_back(product_of_terms(x, y), times(by_x, by_y));
    }
    all.emplace_back(x, times(by_x, rest_of(b)));
  }
  for (const auto& [y, by_y] : of_b) all.emplace_back(y, times(by_y, rest_of(a)));
  return sum(type, times(rest_of(a), rest_of(b)), std::move(all));
}

// ---- Ranges ----

Forms::Range Forms::range(FormId id, bool is_signed) {
  const auto known = ranges_.find({id, is_signed});
  if (known != ranges_.end()) return known->second;
  const Range found = computed_range(id, is_signed);
  ranges_.emplace(std::pair(id, is_signed), found);
  return found;
}

// Of what is one of these.
Forms::Range Forms::range_of_one(const Ids& choices, bool is_signed) {
  Range found = range(choices[0], is_signed);
  for (const FormId choice : choices) {
    const Range one = range(choice, is_signed);
    found = {std::min(found.low, one.low), std::max(found.high, one.high)};
  }
  return found;
}

// Of a fold: where no step counts further from what there was so far, it is the init or what some step chooses.
//
//     so far + [p] (i - so far), i below 9        0 to 8: i where p holds, else so far
Forms::Range Forms::range_of_fold(FormId id, bool is_signed) {
  const Ids all(operands(id).begin(), operands(id).end());
  const auto leaves = (std::ssize(all) - forms_[id].number - 1) / 2;
  const FormId step = all[0], init = all[leaves], so_far = all[2 * leaves];
  Ids choices;
  add_choices(step, choices);
  std::erase(choices, so_far);
  choices.push_back(init);
  return range_of_one(choices, is_signed);
}

// What a sum is in each case of the predicates that it counts.
void Forms::add_choices(FormId form, Ids& choices) {
  std::optional<FormId> predicate;
  for (const FormId term : Ids(operands(form).begin(), operands(form).end())) {
    const bool is_product = forms_[term].kind == Kind::kProduct;
    const Ids of = is_product ? Ids(operands(term).begin(), operands(term).end()) : Ids{term};
    for (const FormId one : of) {
      if (!predicate && forms_[one].kind == Kind::kTruth) predicate = choice_in({one});
    }
  }
  if (!predicate || forms_[form].kind != Kind::kSum || work_ < 0) return choices.push_back(form);
  add_choices(where(form, *predicate), choices);
  add_choices(where(form, negation(*predicate)), choices);
}

// If a value lies in both ranges of its type, it is the same number signed and unsigned.
Forms::Range Forms::seen_as(Range range, ElementType type, bool is_signed) const {
  const Interval all = all_of(type, is_signed);
  if (range.low < all.low || range.high > all.high) return {all.low, all.high};
  return range;
}

std::optional<Forms::Range> Forms::range_of_sum(FormId id, bool is_signed) {
  const Form form = forms_[id];
  int128 low = value_of(form.type, form.number, true), high = low;
  for (size_t k = 0; k < form.count; ++k) {
    const int128 factor = value_of(form.type, factors(id)[k], true);
    const Range part = range(operands(id)[k], is_signed);
    const int128 limit = int128(1) << 62;
    if (factor > limit || factor < -limit || part.high > limit || part.low < -limit) {
      return std::nullopt;
    }
    low += factor * (factor > 0 ? part.low : part.high);
    high += factor * (factor > 0 ? part.high : part.low);
    if (low < -(limit * limit) || high > limit * limit) return std::nullopt;
  }
  const Interval all = all_of(form.type, is_signed);
  if (low < all.low || high > all.high) return std::nullopt;
  return Range{low, high};
}

Forms::Range Forms::computed_range(FormId id, bool is_signed) {
  const Form form = forms_[id];
  const Interval all = all_of(form.type, is_signed);
  const Range any{all.low, all.high};
  const auto seen = [&](Range found) { return seen_as(found, form.type, is_signed); };
  if (const auto value = constant_of(id)) {
    const int128 number = value_of(form.type, *value, is_signed);
    return {number, number};
  }
  if (form.kind == Kind::kTruth) return seen({0, 1});
  if (const auto size = index_size(id)) return seen({0, *size - 1});
  if (form.kind == Kind::kSum) return range_of_sum(id, is_signed).value_or(any);
  const Ids parts(operands(id).begin(), operands(id).end());
  if (form.kind == Kind::kChoose) {
    return range_of_one({parts.begin() + form.number, parts.end()}, is_signed);
  }
  if (const auto sorted = sorted_part(id)) {
    return range_of_one({sorted->elements.begin(), sorted->elements.end()}, is_signed);
  }
  if (is_of_arrays(id, kFold)) return range_of_fold(id, is_signed);
  if (is_of_arrays(id, kAt)) return range(parts[0], is_signed);
  if (form.kind != Kind::kApply) return any;
  const absl::string_view name = symbol(id);
  if (name == kZeroExtend) return seen(range(operands(id)[0], false));
  if (name == kSignExtend) return seen(range(operands(id)[0], true));
  if (name == kTruncate && range(operands(id)[0], false).high <= all_of(form.type, false).high) {
    return seen(range(operands(id)[0], false));
  }
  if (name == "remainder") {
    const auto by = constant_of(operands(id)[1]);
    if (by && *by != 0) return seen({0, value_of(form.type, *by, false) - 1});
  }
  if (name == "and") {
    int128 high = all_of(form.type, false).high;
    for (const FormId operand : parts) high = std::min(high, range(operand, false).high);
    return seen({0, high});
  }
  if (const auto extreme = extreme_of(id)) {
    Range found = range(parts[0], extreme->is_signed);
    for (const FormId operand : parts) {
      const Range one = range(operand, extreme->is_signed);
      found = extreme->is_max ? Range{std::max(found.low, one.low), std::max(found.high, one.high)}
                              : Range{std::min(found.low, one.low), std::min(found.high, one.high)};
    }
    return seen(found);
  }
  return any;
}

// ---- Operations ----

std::optional<Forms::Extreme> Forms::extreme_of(FormId id) const {
  for (const bool is_max : {true, false}) {
    for (const bool is_signed : {true, false}) {
      if (symbol_is(id, extreme_symbol(is_max, is_signed))) return Extreme{is_max, is_signed};
    }
  }
  return std::nullopt;
}

// max(not x, not y) = not min(x, y), with or without a sign.
std::optional<FormId> Forms::extreme_of_turned(bool is_max, bool is_signed, ElementType type,
                                               const Ids& all) {
  Ids inside;
  bool is_turned = false;
  for (const FormId one : all) {
    const Form& form = forms_[one];
    const bool is_not = form.kind == Kind::kSum && form.count == 1 &&
                        form.number == masked(type, -1) && factors(one)[0] == masked(type, -1);
    if (!is_not && !constant_of(one)) return std::nullopt;
    is_turned = is_turned || is_not;
    inside.push_back(is_not ? operands(one)[0] : sum(type, -1, {{one, -1}}));
  }
  if (!is_turned) return std::nullopt;
  return sum(type, -1, {{extreme(!is_max, is_signed, type, inside), -1}});
}

FormId Forms::extreme(bool is_max, bool is_signed, ElementType type, const Ids& given) {
  Ids all;
  for (const FormId one : given) {
    const bool is_same = extreme_of(one) == Extreme{is_max, is_signed};
    is_same ? void(all.insert(all.end(), operands(one).begin(), operands(one).end()))
            : all.push_back(one);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  Ids left;  // without those that another one is never on the other side of
  for (size_t k = 0; k < all.size(); ++k) {
    bool is_beaten = false;
    for (size_t other = 0; other < all.size() && !is_beaten; ++other) {
      if (other == k) continue;
      const Range mine = range(all[k], is_signed), its = range(all[other], is_signed);
      const bool beats = is_max ? its.low >= mine.high : its.high <= mine.low;
      const bool is_beaten_too = is_max ? mine.low >= its.high : mine.high <= its.low;
      is_beaten = beats && (!is_beaten_too || other < k);
    }
    if (!is_beaten) left.push_back(all[k]);
  }
  const Interval ends = all_of(type, is_signed);
  if (left.empty()) return integer(type, static_cast<int64_t>(is_max ? ends.low : ends.high));
  if (left.size() == 1) return left[0];
  if (const auto turned = extreme_of_turned(is_max, is_signed, type, left)) return *turned;
  const bool are_plain =
      std::ranges::all_of(left, [&](FormId one) { return range(one, true).low >= 0; });
  if (is_max && left.size() == 2) {  // max(min(x, high), low) is min(max(x, low), high)
    for (const size_t k : {0, 1}) {
      const FormId inner = left[k], low = left[1 - k];
      if (!constant_of(low) || extreme_of(inner) != Extreme{false, is_signed}) continue;
      Ids raised;
      bool bounds = false;
      for (const FormId one : Ids(operands(inner).begin(), operands(inner).end())) {
        const bool is_bound =
            constant_of(one) && range(one, is_signed).low >= range(low, is_signed).high;
        bounds = bounds || is_bound;
        raised.push_back(is_bound ? one : extreme(true, is_signed, type, {one, low}));
      }
      if (bounds) return extreme(false, is_signed, type, raised);
    }
  }
  return apply_set(extreme_symbol(is_max, is_signed || are_plain), type, left);
}

FormId Forms::bitwise(HloOpcode opcode, ElementType type, const Ids& given) {
  const absl::string_view name = name_of(opcode);
  const bool is_and = opcode == HloOpcode::kAnd, is_xor = opcode == HloOpcode::kXor;
  int64_t constant = is_and ? masked(type, -1) : 0;
  Ids all;
  for (const FormId one : given) {
    const bool is_same = forms_[one].kind == Kind::kApply && symbol(one) == name;
    const Ids parts = is_same ? Ids(operands(one).begin(), operands(one).end()) : Ids{one};
    for (const FormId part : parts) {
      const auto value = constant_of(part);
      if (!value) all.push_back(part);
      if (value)
        constant = is_and ? constant & *value : is_xor ? constant ^ *value : constant | *value;
    }
  }
  std::ranges::sort(all);
  Ids left;
  for (const FormId one : all) {
    if (left.empty() || left.back() != one) {
      left.push_back(one);
    } else if (is_xor) {
      left.pop_back();
    }
  }
  const int64_t ones = masked(type, -1);
  if (is_and && constant == 0) return integer(type, 0);
  if (opcode == HloOpcode::kOr && constant == ones) return integer(type, ones);
  const int64_t after = masked(type, static_cast<int64_t>(static_cast<uint64_t>(constant) + 1));
  const bool is_low_bits = (constant & after) == 0;  // 2^k - 1
  if (is_and && left.size() == 1 && is_low_bits &&
      range(left[0], false).high <= value_of(type, constant, false)) {
    return left[0];
  }
  if (is_and && left.size() == 1 && constant > 0 && is_low_bits && constant != ones) {
    return apply("remainder", type, {{left[0], integer(type, after)}});
  }
  const bool inverts = is_xor && constant == ones && !left.empty();
  const bool is_identity = constant == (is_and ? ones : 0) || inverts;
  if (!is_identity || left.empty()) left.push_back(integer(type, constant));
  std::ranges::sort(left);
  const FormId result = left.size() == 1 ? left[0] : apply(name, type, left);
  return inverts ? sum(type, -1, {{result, -1}}) : result;
}

// A maximum or minimum of numbers that all fit the narrower type.
std::optional<FormId> Forms::narrow_extreme(FormId a, ElementType type) {
  const auto found = extreme_of(a);
  if (!found) return std::nullopt;
  const bool own = found->is_signed;
  const Ids parts(operands(a).begin(), operands(a).end());
  const auto fit = [&](bool is_signed) {
    const Interval all = all_of(type, is_signed);
    return std::ranges::all_of(parts, [&](FormId part) {
      const Range one = range(part, own);
      return one.low >= all.low && one.high <= all.high;
    });
  };
  if (!fit(own) && !fit(false)) return std::nullopt;
  const bool as_signed = own && fit(own);
  Ids narrow;
  for (const FormId part : parts) narrow.push_back(resized(part, type, as_signed));
  return extreme(found->is_max, as_signed, type, narrow);
}

// Whether they are numbers of a type without a sign.
bool Forms::fit(const Ids& all, ElementType type) {
  return std::ranges::all_of(all, [&](FormId one) { return fits(one, type, false); });
}

FormId Forms::resized(FormId a, ElementType type, bool is_signed) {
  const Form form = forms_[a];
  if (form.type == type) return a;
  const bool is_narrower = width_of(type) < width_of(form.type);
  if (const auto value = constant_of(a)) {
    return integer(type, static_cast<int64_t>(value_of(form.type, *value, is_signed)));
  }
  if (form.kind == Kind::kTruth) return truth(operands(a)[0], type);
  is_signed = is_signed && range(a, true).low < 0;
  const Ids parts(operands(a).begin(), operands(a).end());
  const std::vector<int64_t> by(factors(a).begin(), factors(a).end());
  const bool is_apply = form.kind == Kind::kApply;
  const bool is_extended = is_apply && (symbol(a) == kZeroExtend || symbol(a) == kSignExtend);
  if (form.kind == Kind::kSum && (is_narrower || range_of_sum(a, is_signed))) {
    Scaled terms;
    for (size_t k = 0; k < parts.size(); ++k) {
      terms.emplace_back(resized(parts[k], type, is_signed),
                         static_cast<int64_t>(value_of(form.type, by[k], true)));
    }
    return sum(type, static_cast<int64_t>(value_of(form.type, form.number, true)),
               std::move(terms));
  }
  if (is_narrower && form.kind == Kind::kProduct) {
    FormId all = integer(type, 1);
    for (const FormId part : parts) all = product(all, resized(part, type, false));
    return all;
  }
  if (is_narrower && is_apply) {
    for (const ElementType one : {type, ElementType::kU8, ElementType::kU16, ElementType::kU32}) {
      if (width_of(one) < width_of(type) || width_of(one) >= width_of(form.type)) continue;
      if (const auto narrow = narrow_extreme(a, one)) return resized(*narrow, type, false);
    }
  }
  const bool divides = symbol_is(a, "divide"), are_narrow = is_narrower && fit(parts, type);
  if (are_narrow && (divides || symbol_is(a, "remainder"))) {
    const FormId x = resized(parts[0], type, false), y = resized(parts[1], type, false);
    const bool is_constant = constant_of(y).value_or(0) != 0;
    return divides && is_constant ? quotient(x, y) : apply(symbol(a), type, {{x, y}});
  }
  if (is_narrower && is_apply && symbol(a) == kTruncate) return resized(parts[0], type, false);
  if (is_narrower && is_extended) return resized(parts[0], type, symbol(a) == kSignExtend);
  if (is_narrower) return apply(kTruncate, type, {a});
  if (is_extended && (symbol(a) == kSignExtend) == is_signed)
    return resized(parts[0], type, is_signed);
  const bool is_truncated = is_apply && symbol(a) == kTruncate && !is_signed;
  if (is_truncated && range(parts[0], false).high <= all_of(form.type, false).high) {
    return resized(parts[0], type, false);
  }
  if (const auto found = extreme_of(a)) {
    const bool own = found->is_signed;
    if (own == is_signed || range(a, own).low >= 0) {
      Ids wide;
      for (const FormId part : parts) wide.push_back(resized(part, type, own));
      return extreme(found->is_max, own, type, wide);
    }
  }
  return apply(is_signed ? kSignExtend : kZeroExtend, type, {a});
}

// x m / n is x / d, if m x does not wrap, m d = n + e with 0 <= e, and e x < n: the rest x mod d is at
// most d - 1, so e x / n does not bring it to d. As x 3435973837 / 2^35 = x / 10, for x of 32 bits.
std::optional<FormId> Forms::quotient_of_multiple(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  if (forms_[a].kind != Kind::kSum || forms_[a].number != 0 || forms_[a].count != 1) {
    return std::nullopt;
  }
  const FormId x = operands(a)[0];
  const int128 high = range(x, false).high, by = value_of(type, *constant_of(b), false);
  const int128 times = value_of(type, factors(a)[0], false);
  if (high > all_of(type, false).high / times) return std::nullopt;
  const int128 divisor = (by + times - 1) / times;
  if ((times * divisor - by) * high >= by) return std::nullopt;
  return quotient(x, integer(type, static_cast<int64_t>(divisor)));
}

// Of numbers without a sign, by a constant that is not 0. x / a / b = x / (a b), if a b does not wrap.
FormId Forms::quotient(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  if (constant_of(b) == 1) return a;
  if (range(a, false).high < range(b, false).low) return integer(type, 0);
  if (const auto simple = quotient_of_multiple(a, b)) return *simple;
  if (forms_[a].kind == Kind::kApply && symbol(a) == "divide" && constant_of(operands(a)[1])) {
    const FormId x = operands(a)[0];
    const int128 by = value_of(type, *constant_of(operands(a)[1]), false) *
                      value_of(type, *constant_of(b), false);
    if (by > all_of(type, false).high) return integer(type, 0);
    return quotient(x, integer(type, static_cast<int64_t>(by)));
  }
  return apply("divide", type, {{a, b}});
}

// c < x + k is c - k < x, if neither wraps.
std::optional<std::pair<FormId, FormId>> Forms::constant_moved(FormId a, FormId b, bool is_signed) {
  const ElementType type = forms_[b].type;
  if (!constant_of(a) || forms_[b].kind != Kind::kSum || forms_[b].number == 0) return std::nullopt;
  Scaled terms;
  for (size_t k = 0; k < operands(b).size(); ++k) {
    terms.emplace_back(operands(b)[k], factors(b)[k]);
  }
  const int128 number = value_of(type, forms_[b].number, true);
  const FormId rest = sum(type, 0, std::move(terms));
  const Range of_rest = range(rest, is_signed);
  const int128 moved = range(a, is_signed).low - number;
  const Interval all = all_of(type, is_signed);
  const bool wraps = of_rest.low + number < all.low || of_rest.high + number > all.high ||
                     moved < all.low || moved > all.high;
  if (wraps) return std::nullopt;
  return std::pair(integer(type, static_cast<int64_t>(moved)), rest);
}

FormId Forms::less(FormId a, FormId b, bool is_signed) {
  const Range of_a = range(a, is_signed), of_b = range(b, is_signed);
  if (of_a.high < of_b.low) return boolean(true);
  if (a == b || of_a.low >= of_b.high) return boolean(false);
  if (constant_of(b)) {  // a < c is not c - 1 < a
    const FormId before = integer(forms_[b].type, static_cast<int64_t>(of_b.low - 1));
    return negation(less(before, a, is_signed));
  }
  if (constant_of(a) == 0 && of_b.low == 0) {
    if (const auto all = parts_are_zero(b)) return negation(*all);
  }
  const auto extreme_b = extreme_of(b);
  if (constant_of(a) && extreme_b && extreme_b->is_signed == is_signed) {
    Ids left;  // c < max(x, e) is c < x if e <= c
    for (const FormId part : Ids(operands(b).begin(), operands(b).end())) {
      const Range one = range(part, is_signed);
      const bool is_needless = extreme_b->is_max ? one.high <= of_a.low : one.low > of_a.low;
      if (!is_needless) left.push_back(part);
    }
    if (left.size() == 1) return less(a, left[0], is_signed);
  }
  if (const auto moved = constant_moved(a, b, is_signed))
    return less(moved->first, moved->second, is_signed);
  for (const FormId wide : {a, b}) {  // numbers of another width: compare what is extended
    const bool is_sign = symbol_is(wide, kSignExtend);
    if (!(is_sign && is_signed) && !symbol_is(wide, kZeroExtend)) continue;
    const ElementType narrow = forms_[operands(wide)[0]].type;
    const auto inside = [&](FormId one) -> std::optional<FormId> {
      if (const auto bits = constant_of(one)) return integer(narrow, *bits);  // by its range
      const bool is_alike = symbol_is(one, is_sign ? kSignExtend : kZeroExtend) &&
                            forms_[operands(one)[0]].type == narrow;
      return is_alike ? std::optional(operands(one)[0]) : std::nullopt;
    };
    const auto left = inside(a), right = inside(b);
    if (left && right) return less(*left, *right, is_sign);
  }
  for (const FormId narrow : {a, b}) {  // numbers that lost no bit
    if (!symbol_is(narrow, kTruncate)) continue;
    const ElementType wide = forms_[operands(narrow)[0]].type;
    const int128 most = all_of(forms_[narrow].type, true).high;
    const auto whole = [&](FormId one) -> std::optional<FormId> {
      const auto bits = constant_of(one);
      if (bits && range(one, false).high <= most) return integer(wide, *bits);
      const bool is_alike = symbol_is(one, kTruncate) && forms_[operands(one)[0]].type == wide &&
                            range(operands(one)[0], false).high <= most;
      return is_alike ? std::optional(operands(one)[0]) : std::nullopt;
    };
    const auto left = whole(a), right = whole(b);
    if (left && right) return less(*left, *right, is_signed);
  }
  const bool are_plain = range(a, true).low >= 0 && range(b, true).low >= 0;
  return apply(is_signed || are_plain ? "less signed" : "less unsigned", ElementType::kPred,
               {{a, b}});
}

// A sum of numbers that are not negative is 0 if all of them are, if it does not wrap.
std::optional<FormId> Forms::parts_are_zero(FormId sum) {
  const Form form = forms_[sum];
  if (form.kind != Kind::kSum || form.number != 0 || form.count < 2) return std::nullopt;
  const auto is_positive = [&](int64_t by) { return value_of(form.type, by, true) > 0; };
  if (!std::ranges::all_of(factors(sum), is_positive)) return std::nullopt;
  const Ids parts(operands(sum).begin(), operands(sum).end());
  const auto is_nonnegative = [&](FormId one) { return range(one, true).low >= 0; };
  if (!std::ranges::all_of(parts, is_nonnegative) || !range_of_sum(sum, true)) return std::nullopt;
  Ids all;
  for (const FormId one : parts) all.push_back(equals(one, integer(form.type, 0)));
  return both(std::move(all));
}

// x - c = 0, where x is a number of another width, or an end of a range: the same of what is inside.
std::optional<FormId> Forms::is_zero(FormId difference) {
  if (const auto all = parts_are_zero(difference)) return *all;
  const Form form = forms_[difference];
  const ElementType type = form.type;
  FormId x = difference;
  int64_t value = 0;
  if (form.kind == Kind::kSum) {
    const int64_t factor = factors(difference)[0];
    if (form.count != 1 || (factor != 1 && factor != masked(type, -1))) return std::nullopt;
    x = operands(difference)[0];
    const auto negated = static_cast<int64_t>(-static_cast<uint64_t>(form.number));
    value = masked(type, factor == 1 ? negated : form.number);
  }
  if (forms_[x].kind != Kind::kApply) return std::nullopt;
  const absl::string_view name = symbol(x);
  const Ids parts(operands(x).begin(), operands(x).end());
  if (name == kZeroExtend || name == kSignExtend) {
    const bool is_signed = name == kSignExtend;
    const int128 number = value_of(type, value, is_signed);
    const Interval all = all_of(forms_[parts[0]].type, is_signed);
    if (number < all.low || number > all.high) return boolean(false);
    return equals(parts[0], integer(forms_[parts[0]].type, static_cast<int64_t>(number)));
  }
  const auto found = extreme_of(x);
  if (!found || parts.size() != 2) return std::nullopt;
  const auto [is_max, is_signed] = *found;
  const size_t end = constant_of(parts[0]) ? 0 : 1;
  const FormId bound = parts[end], inside = parts[1 - end];
  if (!constant_of(bound)) return std::nullopt;
  const int128 number = value_of(type, value, is_signed);
  const int128 limit = value_of(type, *constant_of(bound), is_signed);
  if (number == limit) {  // at the end or beyond it
    return negation(is_max ? less(bound, inside, is_signed) : less(inside, bound, is_signed));
  }
  if (is_max ? number < limit : number > limit) return boolean(false);
  return equals(inside, integer(type, value));
}

// A form that is one of the wanted numbers where a is that one: min(x, y) without a y that is more than all.
// Both are read with a sign, or both without.
FormId Forms::near(FormId a, bool is_signed, Range wanted) {
  const auto found = extreme_of(a);
  if (!found || found->is_signed != is_signed) return a;
  Ids left;
  for (const FormId one : Ids(operands(a).begin(), operands(a).end())) {
    const Range its = range(one, is_signed);
    const bool is_far = found->is_max ? its.high < wanted.low : its.low > wanted.high;
    if (!is_far) left.push_back(one);
  }
  if (left.empty() || std::ssize(left) == std::ssize(operands(a))) return a;
  return near(extreme(found->is_max, is_signed, forms_[a].type, left), is_signed, wanted);
}

// A form that is b where a is.
FormId Forms::near(FormId a, FormId b) {
  const bool is_extended = symbol_is(a, kSignExtend) || symbol_is(a, kZeroExtend);
  const FormId plain = is_extended ? operands(a)[0] : a;
  const auto found = extreme_of(plain);
  if (!found || (is_extended && found->is_signed != symbol_is(a, kSignExtend))) return a;
  const bool is_signed = found->is_signed;
  const FormId other = near(plain, is_signed, range(b, is_signed));
  return other == plain ? a : near(resized(other, forms_[a].type, is_signed), b);
}

// Whether its value is one of the type's numbers.
bool Forms::fits(FormId a, ElementType type, bool is_signed) {
  const Interval all = all_of(type, is_signed);
  const Range its = range(a, is_signed);
  return its.low >= all.low && its.high <= all.high;
}

// The same of numbers that fit fewer bits.
std::optional<FormId> Forms::equals_narrow(FormId a, FormId b) {
  for (const ElementType narrow : {ElementType::kU32, ElementType::kU16, ElementType::kU8}) {
    if (width_of(narrow) >= width_of(forms_[a].type)) continue;
    for (const bool is_signed : {false, true}) {
      if (fits(a, narrow, is_signed) && fits(b, narrow, is_signed)) {
        return equals(resized(a, narrow, false), resized(b, narrow, false));
      }
    }
  }
  return std::nullopt;
}

FormId Forms::equals(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  if (type == ElementType::kPred) return differ({a, b}, true);
  if (constant_of(a)) std::swap(a, b);
  a = near(a, b);
  b = near(b, a);
  for (const bool is_signed : {true, false}) {
    const Range of_a = range(a, is_signed), of_b = range(b, is_signed);
    if (of_a.high < of_b.low || of_b.high < of_a.low) return boolean(false);
    if (of_a.high - of_a.low == 1 && of_b.low == of_b.high && of_b.low == of_a.high) {
      return negation(equals(a, integer(type, static_cast<int64_t>(of_a.low))));
    }
  }
  FormId difference = plus(a, b, -1);
  if (const auto value = constant_of(difference)) return boolean(*value == 0);
  const Form form = forms_[difference];
  if (form.kind == Kind::kTruth) return negation(operands(difference)[0]);
  if (form.kind == Kind::kSum && form.count == 1 &&
      forms_[operands(difference)[0]].kind == Kind::kTruth) {
    const FormId predicate = operands(operands(difference)[0])[0];
    const int64_t if_true =
        masked(type, static_cast<int64_t>(static_cast<uint64_t>(form.number) +
                                          static_cast<uint64_t>(factors(difference)[0])));
    if (form.number == 0) return negation(predicate);
    return if_true == 0 ? predicate : boolean(false);
  }
  if (const auto simpler = is_zero(difference)) return *simpler;
  const Ids terms(operands(difference).begin(), operands(difference).end());
  for (const bool narrows : {false, true}) {
    for (const FormId x : form.kind == Kind::kSum ? terms : Ids()) {
      const auto rest = solved(difference, x);
      if (!rest) continue;
      const FormId plain = near(x, *rest);
      if (plain != x) return equals(plain, *rest);
      if (const auto narrow = narrows ? equals_narrow(x, *rest) : std::nullopt) return *narrow;
    }
  }
  difference = std::min(difference, scaled(difference, -1));
  return apply(kEqualsZero, ElementType::kPred, {difference});
}

// A function of the number without its sign, which the result has.
FormId Forms::of_magnitude(FormId a, absl::FunctionRef<FormId(FormId)> f) {
  const FormId is_below = less(a, integer(forms_[a].type, 0), true);
  const FormId result = f(select(is_below, scaled(a, -1), a));
  return select(is_below, scaled(result, -1), result);
}

FormId Forms::apply_integers(const Symbol& f, const Ids& a) {
  const ElementType type = bits_type(f.type);
  const bool is_signed = !spec::is_unsigned(f.from);
  if (f.opcode == HloOpcode::kCompare) {
    if (f.from == ElementType::kPred && (f.direction == "LT" || f.direction == "LE")) {
      return f.direction == "LT" ? both({negation(a[0]), a[1]}) : either({negation(a[0]), a[1]});
    }
    if (f.direction == "LT") return less(a[0], a[1], is_signed);
    if (f.direction == "LE") return negation(less(a[1], a[0], is_signed));
    return f.direction == "EQ" ? equals(a[0], a[1]) : negation(equals(a[0], a[1]));
  }
  std::vector<std::optional<int64_t>> values;
  for (const FormId one : a) {
    const auto bits = constant_of(one);
    if (!bits) break;
    values.emplace_back(spec::wrapped(f.from, *bits));
  }
  if (values.size() == a.size()) {
    const auto value = spec::evaluated(f.opcode, f.type, f.from, f.direction, values);
    if (value) return integer(type, *value);
  }
  const std::optional<int64_t> last = a.empty() ? std::nullopt : constant_of(a.back());
  const int64_t by = last.value_or(-1);
  const auto is_power_of_two = [&](int64_t x) {  // that is positive
    return last && value_of(type, x, true) > 0 && (x & (x - 1)) == 0;
  };
  const bool is_plain = a.size() == 2 && by > 0 &&
                        (!is_signed || (range(a[0], true).low >= 0 && range(a[1], true).low > 0));
  switch (f.opcode) {
    case HloOpcode::kAdd:
      return plus(a[0], a[1]);
    case HloOpcode::kSubtract:
      return plus(a[0], a[1], -1);
    case HloOpcode::kNegate:
      return scaled(a[0], -1);
    case HloOpcode::kNot:
      return sum(type, -1, {{a[0], -1}});
    case HloOpcode::kMultiply:
      return product(a[0], a[1]);
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return bitwise(f.opcode, type, a);
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
      return extreme(f.opcode == HloOpcode::kMaximum, is_signed, type, a);
    case HloOpcode::kClamp:
      return extreme(false, is_signed, type, {extreme(true, is_signed, type, {a[0], a[1]}), a[2]});
    case HloOpcode::kAbs:
      return is_signed ? extreme(true, true, type, {a[0], scaled(a[0], -1)}) : a[0];
    case HloOpcode::kSign: {
      const FormId zero = integer(type, 0);
      const FormId is_below = is_signed ? less(a[0], zero, true) : boolean(false);
      return plus(truth(less(zero, a[0], is_signed), type), truth(is_below, type), -1);
    }
    case HloOpcode::kShiftLeft:
      if (last && value_of(type, by, false) < width_of(type)) {
        return scaled(a[0], static_cast<int64_t>(uint64_t{1} << by));
      }
      break;
    case HloOpcode::kShiftRightArithmetic:
    case HloOpcode::kShiftRightLogical:
      if (by == 0) return a[0];
      if (f.opcode == HloOpcode::kShiftRightArithmetic && range(a[0], true).low < 0) {
        return apply("shift-right signed", type, a);
      }
      if (last && value_of(type, by, false) < width_of(type)) {
        return quotient(a[0], integer(type, static_cast<int64_t>(uint64_t{1} << by)));
      }
      return apply("shift-right", type, a);
    case HloOpcode::kDivide:
      if (by == 1) return a[0];
      if (is_plain) return quotient(a[0], a[1]);
      if (is_signed && is_power_of_two(by)) {
        return of_magnitude(a[0], [&](FormId x) { return quotient(x, a[1]); });
      }
      return apply(is_signed && !is_plain ? "divide signed" : "divide", type, a);
    case HloOpcode::kRemainder:
      if (by == 1) return integer(type, 0);
      if (is_plain && range(a[0], is_signed).high < range(a[1], is_signed).low) return a[0];
      if (is_signed && !is_plain && is_power_of_two(by)) {
        return of_magnitude(a[0], [&](FormId x) { return apply("remainder", type, {{x, a[1]}}); });
      }
      return apply(is_signed && !is_plain ? "remainder signed" : "remainder", type, a);
    case HloOpcode::kPower:
      if (last && by >= 0 && by < width_of(type)) {
        FormId power = integer(type, 1);
        for (int64_t k = 0; k < by; ++k) power = product(power, a[0]);
        return power;
      }
      break;
    default:
      break;
  }
  return apply(f.text, type, a);
}

// An operation of integers on other operands; nothing if it is none whose result its operands may make
// simpler.
std::optional<FormId> Forms::rebuilt_of_integers(FormId id, const Ids& a) {
  const ElementType type = forms_[id].type;
  if (const auto found = extreme_of(id)) return extreme(found->is_max, found->is_signed, type, a);
  for (const bool is_signed : {true, false}) {
    if (symbol_is(id, is_signed ? "less signed" : "less unsigned")) {
      return less(a[0], a[1], is_signed);
    }
    if (symbol_is(id, is_signed ? kSignExtend : kZeroExtend)) {
      return resized(a[0], type, is_signed);
    }
  }
  if (symbol_is(id, kTruncate)) return resized(a[0], type, false);
  if (symbol_is(id, kEqualsZero)) return equals(a[0], integer(forms_[a[0]].type, 0));
  return std::nullopt;
}

}  // namespace tileproof::verify
