// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/values/forms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/lang/base/operands_first.h"
#include "verify/prove/values/bits.h"

namespace tileproof::verify {

using spec::Symbol;
using spec::Term;
using spec::TermId;

namespace {

constexpr absl::string_view kRises = "rises", kFalls = "falls", kSort = "sort by ";

uint32_t mixed(uint32_t hash, uint64_t x) {
  uint64_t z = (hash ^ x) * 0x9e3779b97f4a7c15;
  z ^= z >> 29;
  z *= 0xbf58476d1ce4e5b9;
  return static_cast<uint32_t>(z ^ (z >> 32));
}

}  // namespace

absl::string_view name_of(ValueLaw law) {
  switch (law) {
    case ValueLaw::kReductionOrder:
      return "reduction-order";
    case ValueLaw::kReciprocal:
      return "reciprocal";
    case ValueLaw::kZero:
      return "zero";
    case ValueLaw::kExpansion:
      return "expansion";
    case ValueLaw::kExcessPrecision:
      return "excess-precision";
    case ValueLaw::kComparison:
      return "comparison";
    case ValueLaw::kReal:
      return "real";
  }
  return "";
}

absl::string_view meaning_of(ValueLaw law) {
  switch (law) {
    case ValueLaw::kReductionOrder:
      return "reductions, dots and convolutions add in any order";
    case ValueLaw::kReciprocal:
      return "x / y = x * (1 / y); changes the last bit";
    case ValueLaw::kZero:
      return "0 * x = 0 and x + 0 = x; changes NaN, infinities and -0";
    case ValueLaw::kExpansion:
      return "rsqrt, expm1, log1p, logistic and squares by their definitions; changes last bits";
    case ValueLaw::kExcessPrecision:
      return "a conversion to fewer bits and back is nothing, and a sum or a function of few bits "
             "is that of f32, rounded once; changes rounding";
    case ValueLaw::kComparison:
      return "a < b ? b : a is the maximum, and sorts order numbers; changes NaN and the sign of 0";
    case ValueLaw::kReal:
      return "sums and products as those of real numbers; changes rounding, NaN, infinities and -0";
  }
  return "";
}

absl::string_view level_of(ValueLaw law) {
  if (law == ValueLaw::kReal) return "real";
  return law == ValueLaw::kReductionOrder ? "order" : "approximate";
}

absl::StatusOr<Laws> laws_named(absl::Span<const std::string> names) {
  Laws laws;
  for (const std::string& name : names) {
    bool is_known = name == "exact" || name == "order" || name == "approximate" || name == "real";
    for (const ValueLaw law : kLaws) {
      const bool is_below = (name == "order" && level_of(law) == "order") ||
                            (name == "approximate" && level_of(law) != "real") || name == "real";
      if (name != name_of(law) && !is_below) continue;
      laws.insert(law);
      is_known = true;
    }
    if (!is_known) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected a law or a level (tileproof equiv --laws lists them), found '", name, "'"));
    }
  }
  return laws;
}

// ---- The store ----

bool Forms::same(FormId a, FormId b) const {
  const Form &x = forms_[a], &y = forms_[b];
  return x.hash == y.hash && x.kind == y.kind && x.type == y.type && x.symbol == y.symbol &&
         x.number == y.number && operands(a) == operands(b) && factors(a) == factors(b);
}

uint32_t Forms::symbol_number(absl::string_view text) {
  const auto next = static_cast<uint32_t>(symbols_.size());
  const auto [at, is_new] = symbol_numbers_.try_emplace(std::string(text), next);
  if (is_new) symbols_.emplace_back(text);
  return at->second;
}

FormId Forms::intern(Form form, absl::Span<const FormId> operands,
                     absl::Span<const int64_t> factors) {
  work_ -= 1 + std::ssize(operands);
  form.first = pool_.size();
  form.count = static_cast<uint32_t>(operands.size());
  form.hash = mixed(mixed(static_cast<uint32_t>(form.kind) * 31 + 7, form.symbol),
                    static_cast<uint64_t>(form.number) * 64 + static_cast<uint64_t>(form.type));
  for (size_t k = 0; k < operands.size(); ++k) {
    const int64_t factor = factors.empty() ? 1 : factors[k];
    form.hash = mixed(form.hash, operands[k] + (static_cast<uint64_t>(factor) << 32));
    // The variables of arrays are their own: nothing is put in place of an offset there.
    if (form.kind != Kind::kOfArrays) {
      form.offsets |= forms_[operands[k]].offsets;
      form.chooses |= forms_[operands[k]].chooses;
    }
    factors_.push_back(factor);
  }
  pool_.insert(pool_.end(), operands.begin(), operands.end());
  forms_.push_back(form);
  const auto [at, is_new] = known_.insert(static_cast<FormId>(forms_.size() - 1));
  if (!is_new) {
    pool_.resize(form.first);
    factors_.resize(form.first);
    forms_.pop_back();
  } else if (form.type == ElementType::kPred || (has(ValueLaw::kComparison) && is_ordered(*at))) {
    forms_.back().chooses = true;
  }
  return *at;
}

// Whether an order of its operands decides what it is: of floating-point numbers.
bool Forms::is_ordered(FormId id) const {
  return symbol_is(id, "maximum") || symbol_is(id, "minimum") || is_magnitude(id);
}

// Not that of a complex number.
bool Forms::is_magnitude(FormId id) const {
  return symbol_is(id, "abs") && forms_[operands(id)[0]].type == forms_[id].type;
}

FormId Forms::apply(absl::string_view symbol, ElementType type, absl::Span<const FormId> operands,
                    int64_t number) {
  const Ids copied(operands.begin(), operands.end());
  return intern(
      {.kind = Kind::kApply, .type = type, .symbol = symbol_number(symbol), .number = number},
      copied);
}

FormId Forms::apply_set(absl::string_view symbol, ElementType type, Ids operands) {
  std::ranges::sort(operands);
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  return operands.size() == 1 ? operands[0] : apply(symbol, type, operands);
}

// ---- Terms ----

FormId Forms::of(TermId term) {
  const bool is_done = operands_first(
      term, [&](TermId at) { return terms_.operands(at); },
      [&](TermId at) { return of_term_.contains(at); },
      [&](TermId at) {
        const FormId form = compute(at);
        of_term_.emplace(at, form);
      },
      [&] { return work_ >= 0; });
  return is_done && work_ >= 0 ? of_term_.at(term) : 0;
}

FormId Forms::compute(TermId id) {
  const Term term = terms_.at(id);
  const Symbol& f = terms_.symbol_of(id);
  Ids a;
  for (const TermId operand : terms_.operands(id)) a.push_back(of_term_.at(operand));
  switch (term.kind) {
    case Term::Kind::kConstant:
      if (spec::is_integer(f.type)) return integer(bits_type(f.type), term.number);
      return number(f.type, std::bit_cast<double>(term.number));
    case Term::Kind::kElement:
      return intern({.kind = Kind::kElement,
                     .type = bits_type(f.type),
                     .symbol = symbol_number(f.text),
                     .number = term.number},
                    {});
    case Term::Kind::kApply:
      return apply_symbol(f, a);
    case Term::Kind::kBag:
      for (size_t k = 1; f.group == 2 && k < a.size(); k += 2) {  // s8 times u8
        const ElementType own = terms_.symbol_of(terms_.operands(id)[k]).type;
        if (spec::is_integer(own) && own != f.from) a[k] = converted(a[k], own, f.type);
      }
      return bag_of(f, std::move(a));
    case Term::Kind::kRead:
      if (f.bounds.empty()) return a[0];
      return choose(f, terms_.operands(id).first(f.bounds.size()), a);
    case Term::Kind::kOpaque: {
      if (f.opcode == HloOpcode::kSort && f.of_arrays) {
        const ElementType key = at(a[0]).type;
        if (spec::float_format(key) && has(ValueLaw::kComparison)) {
          a.back() = order_of_numbers(a.back(), key);
        }
        if (const auto element = in_order(f, a, term.number)) return *element;
        if (const auto shorter = sort_of_keys(id, a)) return *shorter;
      }
      if (f.opcode == HloOpcode::kBitcastConvert) {
        if (const auto bits = parts_of_bits(f, a, term.number)) return *bits;
      }
      if (f.of_arrays && f.text == kAt) return at_indexes(a[0], Ids(a.begin() + 1, a.end()));
      const bool is_nothing = absl::StartsWith(f.text, kNoPoint);
      if (is_nothing && has(ValueLaw::kZero) && spec::float_format(f.type))
        return number(f.type, 0);
      if (f.of_arrays && absl::StartsWith(f.text, kSumInAnyOrder) &&
          has(ValueLaw::kReductionOrder) &&
          std::all_of(a.begin(), a.end() - term.number,
                      [&](FormId one) { return adds_nothing(one); })) {
        return number(f.type, 0);
      }
      if (is_real(f.type)) {
        if (f.of_arrays && f.opcode == HloOpcode::kAdd) {
          // The other points are the same one with its indexes in another order.
          return real_sum_over(a[0], Ids(a.end() - term.number, a.end()));
        }
      }
      const auto [name, is_new] = of_symbol_.try_emplace(term.symbol);
      if (is_new) {  // a symbol that is equal to no other has a number of its own
        const bool is_unlike = terms_.is_unlike(term.symbol);
        name->second = symbol_number(absl::StrCat(f.text, " #", is_unlike ? term.symbol + 1 : 0));
      }
      const Form form{.kind = f.of_arrays ? Kind::kOfArrays : Kind::kApply,
                      .type = bits_type(f.type),
                      .symbol = name->second,
                      .number = term.number};
      return f.of_arrays && absl::StartsWith(f.text, kAllOver) ? over_indexes(form, a)
                                                               : intern(form, a);
    }
  }
  return 0;
}

bool Forms::adds_nothing(FormId point) const {
  return number_of(point) == 0 ||
         (forms_[point].kind == Kind::kApply && absl::StartsWith(symbol(point), kNoPoint));
}

// The order of numbers, where neither NaN nor the sign of 0 matters: rises or falls.
FormId Forms::order_of_numbers(FormId order, ElementType type) {
  const absl::string_view name = info(type).name;
  const Symbol less{.text = absl::StrCat("compare LT of ", name), .from = type, .direction = "LT"};
  Symbol total = less, equal = less;
  total.text += " TOTALORDER";
  equal.text = absl::StrCat("compare EQ of ", name);
  equal.direction = "EQ";
  const FormId zero = number(type, 0), nan = number(type, std::nan(""));
  for (const bool rises : {true, false}) {
    Ids plain, without;  // NaN and the sign of 0
    for (const int k : {rises ? 0 : 1, rises ? 1 : 0}) {
      const std::string array = absl::StrCat("compared ", k, " ", name);
      const FormId x = intern(
          {.kind = Kind::kElement, .type = bits_type(type), .symbol = symbol_number(array)}, {});
      plain.push_back(x);
      const FormId number = select(compare_floats(equal, {x, zero}), zero, x);
      without.push_back(select(compare_floats(equal, {x, x}), number, nan));
    }
    if (order == compare_floats(less, plain) || order == compare_floats(total, plain) ||
        order == compare_floats(total, without)) {
      return apply(rises ? kRises : kFalls, ElementType::kPred, {});
    }
  }
  return order;
}

// The number that has this place if they are in order.
FormId Forms::number_in_order(Ids all, bool rises, int64_t place) {
  const ElementType type = at(all[0]).type;
  const int64_t last = std::ssize(all) - 1;
  if (std::ranges::all_of(all, [&](FormId one) { return is_turned(one); })) {
    for (FormId& one : all) one = minus(one);
    return minus(number_in_order(std::move(all), !rises, place));
  }
  const int64_t k = rises ? place : last - place;
  if (k == 0 || k == last) return float_extreme(k == last, type, all);
  std::ranges::sort(all);
  return apply("in order", type, all, k);
}

// Of what is sorted by its order alone: the element is the k-th in any order.
std::optional<FormId> Forms::in_order(const Symbol& sort, const Ids& a, int64_t number) {
  const FormId order = a.back();
  const auto length = static_cast<int64_t>((a.size() - 1) / sort.group);
  if (sort.leaf != 0) return std::nullopt;
  Ids all(a.begin(), a.begin() + length);
  if (symbol_is(order, kRises) || symbol_is(order, kFalls)) {
    return number_in_order(std::move(all), symbol_is(order, kRises), number);
  }
  const bool is_signed = symbol_is(order, "less signed");
  if (!spec::is_integer(sort.type) || (!is_signed && !symbol_is(order, "less unsigned"))) {
    return std::nullopt;
  }
  std::string compared[2];
  for (const size_t k : {0, 1}) {
    const FormId one = operands(order)[k];
    if (forms_[one].kind == Kind::kElement) compared[k] = symbol(one);
  }
  const bool rises = absl::StartsWith(compared[0], "compared 0 ");
  if (!absl::StartsWith(compared[1], rises ? "compared 1 " : "compared 0 ") ||
      (!rises && !absl::StartsWith(compared[0], "compared 1 "))) {
    return std::nullopt;
  }
  const ElementType type = bits_type(sort.type);
  const int64_t last = length - 1;
  const int64_t k = rises ? number : last - number;
  if (k == 0 || k == last) return extreme(k == last, is_signed, type, all);
  std::ranges::sort(all);
  return apply(is_signed ? "in order signed" : "in order unsigned", type, all, k);
}

// A bitcast-convert between widths: of the parts of a number, the first has its lowest bits.
std::optional<FormId> Forms::parts_of_bits(const Symbol& f, const Ids& a, int64_t number) {
  const auto unsigned_type = [](ElementType type) -> std::optional<ElementType> {
    for (const ElementType one : {ElementType::kU4, ElementType::kU8, ElementType::kU16,
                                  ElementType::kU32, ElementType::kU64}) {
      const bool is_known = spec::float_format(type) || spec::is_integer(type);
      if (is_known && type != ElementType::kPred && width_of(type) == width_of(one)) return one;
    }
    return std::nullopt;
  };
  const auto from = unsigned_type(f.from), to = unsigned_type(f.type);
  if (!from || !to) return std::nullopt;
  const ElementType type = bits_type(f.type);
  const int narrow = std::min(width_of(*from), width_of(*to));
  if (a.size() == 1) {
    FormId bits = bits_of(a[0], *from);
    const int64_t part = number % (width_of(*from) / narrow);
    if (part != 0) {
      const uint64_t below = uint64_t{1} << (part * narrow);
      bits = quotient(bits, integer(*from, static_cast<int64_t>(below)));
    }
    return bits_of(resized(bits, *to, false), type);
  }
  Scaled parts;
  for (size_t k = 0; k < a.size(); ++k) {
    parts.emplace_back(resized(bits_of(a[k], *from), *to, false),
                       static_cast<int64_t>(uint64_t{1} << (k * narrow)));
  }
  return bits_of(sum(*to, 0, std::move(parts)), type);
}

// A stable sort by the first arrays alone: the others do not count, but that which is asked for.
std::optional<FormId> Forms::sort_of_keys(TermId id, const Ids& a) {
  const Symbol& f = terms_.symbol_of(id);
  if (!absl::StrContains(f.text, "is_stable=true")) return std::nullopt;
  std::set<TermId> seen;
  int32_t keys = 0;
  operands_first(
      terms_.operands(id).back(), [&](TermId at) { return terms_.operands(at); },
      [&](TermId at) { return seen.contains(at); },
      [&](TermId at) {
        seen.insert(at);
        const Symbol& one = terms_.symbol_of(at);
        const bool is_compared =
            terms_.at(at).kind == Term::Kind::kElement && one.opcode == HloOpcode::kSort;
        if (is_compared) keys = std::max(keys, one.operand / 2 + 1);
      },
      [] { return true; });
  if (keys == 0) return std::nullopt;  // a computation that is not followed
  const auto length = static_cast<int64_t>((a.size() - 1) / f.group);
  Ids left(a.begin(), a.begin() + keys * length);
  if (f.leaf >= keys) {
    left.insert(left.end(), a.begin() + f.leaf * length, a.begin() + (f.leaf + 1) * length);
  }
  left.push_back(a.back());
  const bool falls = symbol_is(a.back(), kFalls);
  if (keys == 1 && (falls || symbol_is(a.back(), kRises)) &&
      std::all_of(left.begin(), left.begin() + length,
                  [&](FormId key) { return is_turned(key); })) {
    for (int64_t e = 0; e < length; ++e) left[e] = minus(left[e]);
    left.back() = apply(falls ? kRises : kFalls, ElementType::kPred, {});
  }
  return sorted(keys, std::min(keys, f.leaf), bits_type(f.type), terms_.at(id).number, left);
}

// Element `number` of a part of arrays that are sorted by the first of them.
FormId Forms::sorted(int64_t keys, int64_t part, ElementType type, int64_t number,
                     const Ids& operands) {
  const std::string name = absl::StrCat(kSort, keys, " ", part);
  return intern(
      {.kind = Kind::kOfArrays, .type = type, .symbol = symbol_number(name), .number = number},
      operands);
}

std::optional<Forms::SortedPart> Forms::sorted_part(FormId id) const {
  std::pair<std::string, std::string> numbers;
  SortedPart found;
  if (!is_of_arrays(id, kSort)) return std::nullopt;
  const absl::string_view name = absl::StripPrefix(symbol(id), kSort);
  numbers = absl::StrSplit(name, ' ');
  int64_t part = 0;
  if (!absl::SimpleAtoi(numbers.first, &found.keys) || !absl::SimpleAtoi(numbers.second, &part)) {
    return std::nullopt;
  }
  found.length = (forms_[id].count - 1) / (part < found.keys ? found.keys : found.keys + 1);
  found.elements = operands(id).subspan(part * found.length, found.length);
  return found;
}

// What a table has where a sort puts the number of each element: the table, sorted along.
std::optional<FormId> Forms::sorted_along(FormId offset, const Ids& table) {
  const bool is_extended = symbol_is(offset, "zero-extend") || symbol_is(offset, "sign-extend");
  const FormId sort = is_extended ? operands(offset)[0] : offset;
  const auto part = sorted_part(sort);
  if (!part || part->length != std::ssize(table)) return std::nullopt;
  for (int64_t e = 0; e < part->length; ++e) {
    if (constant_of(part->elements[e]) != e) return std::nullopt;
  }
  const ElementType type = at(table[0]).type;
  const int64_t number = at(sort).number;
  const Ids all(operands(sort).begin(), operands(sort).end());
  Ids left(all.begin(), all.begin() + part->keys * part->length);
  for (int64_t key = 0; key < part->keys; ++key) {
    if (!std::equal(table.begin(), table.end(), left.begin() + key * part->length)) continue;
    left.push_back(all.back());
    const Symbol one{.text = "", .type = type};
    const auto place = part->keys == 1 ? in_order(one, left, number) : std::nullopt;
    return place ? *place : sorted(part->keys, key, type, number, left);
  }
  left.insert(left.end(), table.begin(), table.end());
  left.push_back(all.back());
  return sorted(part->keys, part->keys, type, number, left);
}

FormId Forms::apply_symbol(const Symbol& f, const Ids& a) {
  const ElementType type = bits_type(f.type);
  const auto type_of = [&](size_t k) { return forms_[a[k]].type; };
  if (!has_one_type(f, a.size(), type_of)) return apply(f.text, type, a);
  if (f.opcode == HloOpcode::kSelect && a.size() == 3) return select(a[0], a[1], a[2]);
  if (f.opcode == HloOpcode::kConditional) {
    if (f.from == ElementType::kPred) return select(a[0], a[1], a[2]);
    FormId chosen = a.back();
    for (size_t k = a.size() - 2; k-- > 0;) {
      const FormId is_k = equals(a[0], integer(bits_type(f.from), static_cast<int64_t>(k)));
      chosen = select(is_k, a[k + 1], chosen);
    }
    return chosen;
  }
  if (const auto of_parts = apply_complex(f, a)) return *of_parts;
  if (a.size() == 1 && f.opcode == HloOpcode::kConvert) return converted(a[0], f.from, f.type);
  const bool keeps_bits = f.opcode == HloOpcode::kBitcastConvert || f.opcode == HloOpcode::kBitcast;
  if (a.size() == 1 && keeps_bits) return bits_of(a[0], type);
  const bool are_integers = spec::is_integer(f.type) && spec::is_integer(f.from);
  if (f.opcode == HloOpcode::kCompare && a.size() == 2) {
    return are_integers ? apply_integers(f, a) : compare_floats(f, a);
  }
  if (are_integers && f.type == ElementType::kPred) return apply_predicates(f, a);
  if (are_integers) return apply_integers(f, a);
  if (f.opcode == HloOpcode::kIsFinite && spec::float_format(f.from)) {
    const FormId size = apply_floats({.text = "abs", .opcode = HloOpcode::kAbs, .type = f.from}, a);
    return compare_floats({.text = absl::StrCat("compare LT of ", info(f.from).name),
                           .from = f.from,
                           .direction = "LT"},
                          {size, number(f.from, std::numeric_limits<double>::infinity())});
  }
  if (spec::float_format(f.type)) return apply_floats(f, a);
  return apply(f.text, type, a);
}

// Whether it is a number that is an integer, exactly: of that integer, whether it has a sign.
std::optional<bool> Forms::sign_of_exact(FormId a) {
  const Form form = forms_[a];
  const auto format = spec::float_format(form.type);
  const bool is_signed = form.kind == Kind::kApply && absl::StartsWith(symbol(a), "convert s");
  const bool is_unsigned = form.kind == Kind::kApply && absl::StartsWith(symbol(a), "convert u");
  if (!format || (!is_signed && !is_unsigned)) return std::nullopt;
  const Range values = range(operands(a)[0], is_signed);
  const absl::int128 most = absl::int128(1) << format->significand;
  if (values.low < -most || values.high > most) return std::nullopt;
  return is_signed;
}

// The same bits as a value of another type.
FormId Forms::bits_of(FormId a, ElementType type) {
  constexpr absl::string_view kBits = "bits";
  const ElementType from = at(a).type;
  if (from == type) return a;
  if (symbol_is(a, kBits) && at(operands(a)[0]).type == type) return operands(a)[0];
  if (!spec::is_integer(type) && !spec::is_integer(from)) return apply(kBits, type, {a});
  const ElementType integers = spec::is_integer(type) ? type : from;
  const FormId sign =
      integer(integers, static_cast<int64_t>(uint64_t{1} << (width_of(integers) - 1)));
  if (spec::is_integer(type)) {  // the highest bit is the sign
    const bool is_minus = symbol_is(a, "negate");
    if (!is_minus && !symbol_is(a, "abs")) return apply(kBits, type, {a});
    const FormId inside = bits_of(operands(a)[0], type);
    return is_minus ? bitwise(HloOpcode::kXor, type, {inside, sign})
                    : apply("remainder", type, {inside, sign});
  }
  const ElementType half = ElementType::kBF16;
  if (type == ElementType::kF32 && forms_[a].kind == Kind::kSum && forms_[a].number == 0 &&
      forms_[a].count == 1 && factors(a)[0] == 1 << 16) {  // a bf16 is the upper half
    const FormId low = resized(operands(a)[0], ElementType::kU16, false);
    if (symbol_is(low, kBits) && forms_[operands(low)[0]].type == half) {
      return rounded(operands(low)[0], type);
    }
  }
  const bool flips = symbol_is(a, "xor"), sets = symbol_is(a, "or");
  if ((flips || sets || symbol_is(a, "remainder")) && forms_[a].count == 2) {
    for (const size_t k : {0, 1}) {
      const FormId bits = operands(a)[k];
      if (operands(a)[1 - k] != sign || !symbol_is(bits, kBits)) continue;
      const FormId inside = operands(bits)[0];
      if (forms_[inside].type != type || (!flips && !sets && k == 1)) continue;
      if (flips) return minus(inside);
      const FormId size =
          apply_floats({.text = "abs", .opcode = HloOpcode::kAbs, .type = type}, {inside});
      return sets ? minus(size) : size;
    }
  }
  return apply(kBits, type, {a});
}

FormId Forms::converted(FormId a, ElementType from, ElementType to) {
  const ElementType type = bits_type(to);
  if (bits_type(from) == type) return a;
  if (spec::float_format(from) && spec::is_integer(to)) {
    a = before_widening(a);
    from = at(a).type;
  }
  const bool are_integers = spec::is_integer(from) && spec::is_integer(to);
  if (are_integers && from == ElementType::kPred) return truth(a, type);
  if (are_integers && to == ElementType::kPred) return negation(equals(a, integer(at(a).type, 0)));
  if (are_integers) return resized(a, type, !spec::is_unsigned(from));
  const std::optional<bool> is_signed = sign_of_exact(a);
  if (is_signed && spec::float_format(to)) {
    return apply(std::string(symbol(a)), type, Ids{operands(a)[0]});
  }
  if (is_signed && spec::is_integer(to) && to != ElementType::kPred) {
    const FormId inside = operands(a)[0];
    const Range values = range(inside, *is_signed);
    const int bits = width_of(to) - (spec::is_unsigned(to) ? 0 : 1);
    const absl::int128 high = absl::int128(1) << bits;
    const absl::int128 low = spec::is_unsigned(to) ? absl::int128(0) : -high;
    if (values.low >= low && values.high < high) return resized(inside, type, *is_signed);
  }
  if (spec::float_format(from) && spec::float_format(to)) return rounded(a, type);
  const auto known = number_of(a);
  if (known && spec::is_integer(to) && to != ElementType::kPred && std::abs(*known) < 0x1p31) {
    const auto whole = static_cast<int64_t>(*known);
    if (spec::wrapped(to, whole) == whole) return integer(type, whole);
  }
  if (spec::is_integer(from) && spec::float_format(to)) return converted_to_float(a, from, type);
  if (spec::float_format(from) && to == ElementType::kPred) {
    const Symbol equal{
        .text = absl::StrCat("compare EQ of ", info(from).name), .from = from, .direction = "EQ"};
    return negation(compare_floats(equal, {a, number(from, 0)}));
  }
  // Beyond its range an unsigned integer gets other bits than a signed one.
  const std::string target = spec::is_integer(to) ? absl::StrCat(" to ", info(to).name) : "";
  return apply(absl::StrCat("convert ", info(from).name, target), type, {a});
}

// An integer that is extended is the number inside; one that is not negative has no sign.
FormId Forms::converted_to_float(FormId a, ElementType from, ElementType type) {
  if (const auto known = constant_of(a)) {
    const absl::int128 value = value_of(at(a).type, *known, !spec::is_unsigned(from));
    if (absl::int128(static_cast<double>(value)) == value) {
      return number(type, spec::rounded(type, static_cast<double>(value)));
    }
  }
  if (from == ElementType::kPred) return select(a, number(type, 1), number(type, 0));
  const bool is_truth = at(a).kind == Kind::kTruth;
  if (is_truth) return converted_to_float(operands(a)[0], ElementType::kPred, type);
  const bool is_signed = !spec::is_unsigned(from) && range(a, true).low < 0;
  if (symbol_is(a, "zero-extend") || (is_signed && symbol_is(a, "sign-extend"))) {
    const FormId inside = operands(a)[0];
    const ElementType narrow = at(inside).type;
    return converted_to_float(inside, is_signed ? signed_type(narrow) : narrow, type);
  }
  const ElementType seen = is_signed ? from : bits_type(from);
  return apply(absl::StrCat("convert ", info(seen).name), type, {a});
}

namespace {

// Whether ` operand_precision={highest,highest}` says the same of both operands.
bool is_same_for_both(absl::string_view options) {
  const std::vector<absl::string_view> parts = absl::StrSplit(options, absl::ByAnyChar("{,}"));
  return parts.size() < 3 || parts[1] == parts[2];
}

}  // namespace

FormId Forms::bag_of(const Symbol& f, Ids a) {
  const ElementType type = bits_type(f.type);
  if (is_complex(type) && f.opcode == HloOpcode::kAdd) return bag_of_complex(f, a);
  const size_t end = f.text.find(' ', f.text.find(" of ") + 4);
  const std::string options = end == std::string::npos ? "" : f.text.substr(end);
  const bool is_short = type == ElementType::kBF16 || type == ElementType::kF16;
  const bool are_floats =
      std::ranges::none_of(a, [&](FormId one) { return spec::is_integer(at(one).type); });
  if (is_short && are_floats && f.opcode == HloOpcode::kAdd && has(ValueLaw::kExcessPrecision)) {
    Symbol wide = f;
    wide.type = wide.from = ElementType::kF32;
    wide.text = absl::StrCat("add ", f.group == 2 ? "products " : "", "f32 of f32", options);
    for (FormId& one : a) one = converted(one, at(one).type, wide.type);
    return rounded(bag_of(wide, std::move(a)), type);
  }
  // In any order the sum of a dot's products is one of any numbers, so that sums of its parts are the
  // dot; what the symbol says of precision or algorithm is of its products.
  const bool is_plain_sum = has(ValueLaw::kReductionOrder);
  const bool has_other_products =
      is_plain_sum && !options.empty() && !spec::is_integer(type) && !is_real(type);
  if (f.group == 2) {
    Ids products;
    for (size_t k = 0; k + 1 < a.size(); k += 2) {
      FormId pair[2];
      for (const size_t side : {0, 1}) {
        const FormId one = a[k + side];
        const bool is_same_kind = spec::is_integer(at(one).type) == spec::is_integer(f.from);
        pair[side] = converted(
            one, is_same_kind && spec::is_integer(f.from) ? f.from : at(one).type, f.type);
      }
      if (has_other_products) {
        if (pair[1] < pair[0] && is_same_for_both(options)) std::swap(pair[0], pair[1]);
        products.push_back(apply(absl::StrCat("multiply", options), type, pair));
      } else {
        products.push_back(spec::is_integer(type) ? product(pair[0], pair[1])
                                                  : multiply(pair[0], pair[1]));
      }
    }
    a = std::move(products);
  }
  if (type == ElementType::kPred) {
    switch (f.opcode) {
      case HloOpcode::kAnd:
      case HloOpcode::kMinimum:
        return both(a);
      case HloOpcode::kOr:
      case HloOpcode::kMaximum:
        return either(a);
      case HloOpcode::kXor:
        return differ(a);
      default:
        std::ranges::sort(a);
        return apply(f.text, type, a);
    }
  }
  if (!spec::is_integer(type)) {
    const std::string plain = absl::StrReplaceAll(f.text.substr(0, end), {{" products ", " "}});
    return bag(is_plain_sum ? plain : f.text, f.opcode, type, a);
  }
  switch (f.opcode) {
    case HloOpcode::kAdd: {
      Scaled terms;
      for (const FormId one : a) terms.emplace_back(one, 1);
      return sum(type, 0, std::move(terms));
    }
    case HloOpcode::kMultiply: {
      FormId all = integer(type, 1);
      for (const FormId one : a) all = product(all, one);
      return all;
    }
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
      return extreme(f.opcode == HloOpcode::kMaximum, !spec::is_unsigned(f.type), type, a);
    default:
      return bitwise(f.opcode, type, a);
  }
}

uint32_t Forms::outline(FormId id) {
  operands_first(
      id, [&](FormId at) { return Ids(operands(at).begin(), operands(at).end()); },
      [&](FormId at) { return outlines_.contains(at); },
      [&](FormId at) {
        const Form& form = forms_[at];
        const bool is_float = spec::float_format(form.type).has_value();
        const bool is_any = is_float && form.kind == Kind::kConstant;
        uint32_t all = mixed(static_cast<uint32_t>(form.kind), form.symbol);
        if (!is_float) all = mixed(all, static_cast<uint64_t>(form.number));
        for (const FormId operand : operands(at)) all += mixed(1, outlines_.at(operand));
        outlines_.emplace(at, is_any ? 0 : all);
      },
      [] { return true; });
  return outlines_.at(id);
}

std::string Forms::text(FormId id) const {
  const Form& form = forms_[id];
  std::string text;
  switch (form.kind) {
    case Kind::kConstant:
      return spec::is_integer(form.type) ? absl::StrCat(form.number)
                                         : absl::StrCat(std::bit_cast<double>(form.number));
    case Kind::kElement:
      return absl::StrCat(symbol(id), "[", form.number, "]");
    case Kind::kSum:
      text = absl::StrCat("sum(", form.number);
      break;
    case Kind::kProduct:
      text = "product(";
      break;
    case Kind::kTruth:
      text = "truth(";
      break;
    case Kind::kAnd:
      text = "and(";
      break;
    case Kind::kXor:
      text = form.number == 1 ? "not xor(" : "xor(";
      break;
    case Kind::kBag:
      text = absl::StrCat("bag ", symbol(id), "(");
      break;
    case Kind::kRealSum:
      text = absl::StrCat("real sum(", std::bit_cast<double>(form.number));
      break;
    case Kind::kRealProduct:
      text = "real product(";
      break;
    case Kind::kChoose:
    case Kind::kOfArrays:
    case Kind::kApply:
      text = absl::StrCat(symbol(id), "(");
      break;
  }
  for (uint32_t k = 0; k < form.count; ++k) {
    if (text.size() > 400) return absl::StrCat(text, " ..");
    absl::StrAppend(&text, text.back() == '(' ? "" : ", ");
    if (form.kind == Kind::kSum) absl::StrAppend(&text, factors(id)[k], " ");
    absl::StrAppend(&text, this->text(operands(id)[k]));
  }
  return absl::StrCat(text, ")");
}

}  // namespace tileproof::verify
