// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/at_any_index.h"

#include <limits>
#include <numeric>
#include <set>

#include "spec/hlo/float_arithmetic.h"

namespace tileproof::verify {

std::string parameter_name(int64_t number, int64_t leaf) {
  return leaf == 0 ? absl::StrCat("p", number) : absl::StrCat("p", number, ".", leaf);
}

namespace {
// Sums and differences of such numbers fit 64 bits.
constexpr int64_t kMostNumber = int64_t{1} << 40;
}  // namespace

using spec::TermId;

std::optional<TermId> AtAnyIndex::identity_of(const spec::Symbol& f) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool is_integer = spec::is_integer(f.type);
  if (!is_integer && !spec::float_format(f.type)) return std::nullopt;
  const auto number = [&](int64_t integer, double real) {
    return is_integer ? terms_.constant(f.type, spec::wrapped(f.type, integer))
                      : terms_.constant(f.type, real);
  };
  const int64_t half = int64_t{1} << std::max(info(f.type).bits - 1, 0);
  const bool is_unsigned = spec::is_unsigned(f.type) || f.type == ElementType::kPred;
  switch (f.opcode) {
    case HloOpcode::kAdd:
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return number(0, 0.0);
    case HloOpcode::kMultiply:
      return number(1, 1.0);
    case HloOpcode::kAnd:
      return number(-1, 0.0);
    case HloOpcode::kMaximum:
      return number(is_unsigned ? 0 : half, -kInfinity);
    case HloOpcode::kMinimum:
      return number(is_unsigned ? -1 : ~half, kInfinity);
    default:
      return std::nullopt;
  }
}

bool AtAnyIndex::adds_nothing(const spec::Symbol& f, TermId init) const {
  const bool is_sum = f.opcode == HloOpcode::kAdd && spec::float_format(f.type);
  return init == identity_of(f) || (is_sum && init == terms_.constant(f.type, -0.0));
}

AtAnyIndex::AddedUp AtAnyIndex::added_up(TermId term) const {
  AddedUp added;
  const HloOpcode opcode = terms_.symbol_of(term).opcode;
  std::vector<TermId> open = {term};
  while (!open.empty()) {
    const TermId one = open.back();
    open.pop_back();
    const spec::Symbol& f = terms_.symbol_of(one);
    const auto of = terms_.operands(one);
    const TermId all = is_at(one) ? of[0] : one;
    if (const auto sum = sums_.find(all); sum != sums_.end()) {
      if (terms_.symbol_of(all).opcode == opcode) added.push_back(sum->second);
    } else if (f.opcode == opcode && f.group == 1) {
      open.insert(open.end(), of.rbegin(), of.rend());
    } else if (terms_.at(one).kind != spec::Term::Kind::kConstant) {
      added.emplace_back();
    }
  }
  return added;
}

// The parts that a sum may have, of which others are added up: each that is as long in all other dimensions,
// and single points.
std::set<std::vector<int64_t>> AtAnyIndex::parts_of_sum(const Dims& sum, size_t k,
                                                        const AddedUp& added) {
  Dims others = sum;
  others.erase(others.begin() + static_cast<int64_t>(k));
  std::vector<int64_t> with_points, sizes;
  for (const Dims& one : added) {
    Dims rest = one;
    const bool is_long = one.size() == sum.size();
    if (is_long) rest.erase(rest.begin() + static_cast<int64_t>(k));
    if (rest != others && !one.empty()) continue;
    with_points.push_back(is_long ? one[k] : 1);
    if (!one.empty()) sizes.push_back(with_points.back());
  }
  std::set<std::vector<int64_t>> all;
  for (const std::vector<int64_t>& parts : {sizes, with_points}) {
    const int64_t count = std::accumulate(parts.begin(), parts.end(), int64_t{0});
    if (parts.size() < 2) continue;
    if (count == sum[k]) {
      all.insert(parts);
      all.insert({parts.rbegin(), parts.rend()});
    }
    const bool are_same = std::ranges::count(parts, parts[0]) == std::ssize(parts);
    if (are_same && sum[k] < count && sum[k] > parts[0] && sum[k] % parts[0] == 0) {
      all.emplace(static_cast<size_t>(sum[k] / parts[0]), parts[0]);
    }
  }
  return all;
}

bool AtAnyIndex::cut_sums(const std::vector<TermId>& of) {
  std::set<AddedUp> added;
  absl::flat_hash_set<TermId> done;
  for (const TermId root : of) {
    operands_first(
        root, [&](TermId at) { return terms_.operands(at); },
        [&](TermId at) { return done.contains(at); },
        [&](TermId at) {
          done.insert(at);
          const bool is_sum = sums_.contains(at);
          if (!is_sum && spec::is_reducer(terms_.symbol_of(at).opcode)) added.insert(added_up(at));
        },
        [] { return true; });
  }
  for (const Dims& sum : sizes_of_sums_) {
    for (size_t k = 0; k < sum.size(); ++k) {
      for (const AddedUp& one : added) {
        for (const std::vector<int64_t>& parts : parts_of_sum(sum, k, one)) {
          if (!cuts_tried_.emplace(sum[k], parts).second) continue;
          cuts_[sum[k]] = parts;
          return true;
        }
      }
    }
  }
  return false;
}

void AtAnyIndex::add_comparisons(const Says& says, std::vector<IndexExpressions::Comparison>& all) {
  const auto [predicate, holds] = says;
  const spec::Symbol& f = terms_.symbol_of(predicate);
  if (f.opcode == HloOpcode::kNot) {
    add_comparisons({terms_.operands(predicate)[0], !holds}, all);
  } else if (f.opcode == (holds ? HloOpcode::kAnd : HloOpcode::kOr)) {
    for (const TermId one : terms_.operands(predicate)) add_comparisons({one, holds}, all);
  } else if (const auto one = expressions_.comparison(predicate, holds)) {
    all.push_back(*one);
  }
}

Interval AtAnyIndex::said_of(const Number& number,
                             const std::vector<IndexExpressions::Comparison>& all) {
  Interval said = {-kMostNumber, kMostNumber};
  const auto is_small = [](int64_t n) { return n > -kMostNumber && n < kMostNumber; };
  for (const auto& [other, in] : all) {
    for (const int64_t sign : {-1, 1}) {  // it is this one, or minus this one, but for a constant
      Index apart = {number + other * sign};
      simplify(apart);
      const int64_t by = apart[0].value;
      if (apart[0].store != nullptr || !is_small(by)) continue;
      const int64_t low = sign < 0 ? in.low : in.high, high = sign < 0 ? in.high : in.low;
      if (is_small(low)) said.low = std::max(said.low, by - sign * low);
      if (is_small(high)) said.high = std::min(said.high, by - sign * high);
    }
  }
  return said;
}

std::optional<OffsetChoice<IndexNumber>> AtAnyIndex::choice(TermId term, Interval bounds) {
  if (has_failed() || terms_.symbol_of(term).opcode != HloOpcode::kSelect) return std::nullopt;
  const std::vector<TermId> of(terms_.operands(term).begin(), terms_.operands(term).end());
  OffsetChoice<Number> choice{of[0], {}};
  for (const size_t k : {1, 2}) {
    const auto number = number_as(of[k]);
    const auto range = number ? expressions_.range(*number) : std::nullopt;
    if (!range) return std::nullopt;
    std::vector<IndexExpressions::Comparison> all;
    add_comparisons({choice.predicate, k == 1}, all);
    const Interval said = said_of(*number, all);
    const bool is_inside = std::max(range->low, said.low) >= bounds.low &&
                           std::min(range->high, said.high) <= bounds.high;
    if (!is_inside) return std::nullopt;
    choice.numbers.push_back(*number);
  }
  return choice;
}

// Of e - weight s in an interval of so many numbers, s is one. Of e + weight s, -s is.
std::optional<IndexNumber> AtAnyIndex::only_number(const Number& s, const Says& says) {
  std::vector<IndexExpressions::Comparison> all;
  add_comparisons(says, all);
  for (const IndexExpressions::Comparison& one : all) {
    const Number first = expressions_.replaced({one.number}, {s}, {0})[0];
    Index step = {first + expressions_.replaced({one.number}, {s}, {1})[0] * -1};
    simplify(step);
    if (step[0].store != nullptr || step[0].value == 0) continue;
    Index rest = {one.number + s * step[0].value + first * -1};
    simplify(rest);
    if (rest[0].store != nullptr || rest[0].value != 0) continue;
    const bool falls = step[0].value > 0;
    const int64_t weight = falls ? step[0].value : -step[0].value;
    const Interval said = said_of(one.number, all);
    const bool is_known = said.low > -kMostNumber && said.high < kMostNumber;
    if (!is_known || said.high - said.low >= weight) continue;
    Index only = {floordiv(falls ? first + -said.low : first * -1 + said.high, weight)};
    simplify(only);
    const spec::TermId term = expressions_.term_of(only[0]);
    if (!std::ranges::binary_search(held_by(term), expressions_.term_of(s))) return only[0];
  }
  return std::nullopt;
}

bool AtAnyIndex::fits(const Number& number, ElementType type) {
  const auto range = expressions_.range(number);
  const bool is_one = range && spec::is_integer(type) && type != ElementType::kPred;
  return is_one && spec::wrapped(type, range->low) == range->low &&
         spec::wrapped(type, range->high) == range->high &&
         (range->low >= 0 || !spec::is_unsigned(type)) && range->low >= -kMostNumber &&
         range->high <= kMostNumber;
}

// What an operation on integers computes of these, if no number is wrapped.
std::optional<IndexNumber> AtAnyIndex::computed(const spec::Symbol& f,
                                                const std::vector<Number>& of) {
  const auto is_known = [&](size_t k) { return k < of.size() && of[k].store == nullptr; };
  // Whether a <= b at all indexes.
  const auto is_below = [&](const Number& a, const Number& b) {
    return (b + a * -1 < int64_t{0}).known == false;
  };
  const bool divides = is_known(1) && of[1].value > 0 && is_below(0, of[0]);
  switch (f.opcode) {
    case HloOpcode::kConvert:
      return of[0];
    case HloOpcode::kNegate:
      return of[0] * -1;
    case HloOpcode::kAdd:
      return of[0] + of[1];
    case HloOpcode::kSubtract:
      return of[0] + of[1] * -1;
    case HloOpcode::kMultiply:
      if (is_known(1)) return of[0] * of[1].value;
      return is_known(0) ? std::optional(of[1] * of[0].value) : std::nullopt;
    case HloOpcode::kDivide:
      return divides ? std::optional(floordiv(of[0], of[1].value)) : std::nullopt;
    case HloOpcode::kRemainder:
      return divides ? std::optional(mod(of[0], of[1].value)) : std::nullopt;
    case HloOpcode::kMinimum:
    case HloOpcode::kMaximum: {
      const bool is_min = f.opcode == HloOpcode::kMinimum;
      if (is_below(of[0], of[1])) return of[is_min ? 0 : 1];
      return is_below(of[1], of[0]) ? std::optional(of[is_min ? 1 : 0]) : std::nullopt;
    }
    case HloOpcode::kClamp:
      return is_below(of[0], of[1]) && is_below(of[1], of[2]) ? std::optional(of[1]) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// A term that has fewer values than its type is an unknown number in their bounds, as one that is clamped.
std::optional<IndexNumber> AtAnyIndex::number_as(TermId term) {
  const ElementType type = terms_.symbol_of(term).type;
  if (const auto value = terms_.value(term)) {
    const bool is_small =
        *value <= kMostNumber && *value >= (spec::is_unsigned(type) ? 0 : -kMostNumber);
    return is_small ? std::optional(Number(*value)) : std::nullopt;
  }
  if (const auto known = numbers_.find(term); known != numbers_.end()) return known->second;
  const bool is_computed = terms_.at(term).kind == spec::Term::Kind::kApply;
  if (!is_computed || type == ElementType::kU64 || type == ElementType::kPred) return std::nullopt;
  const FormId form = offsets_.of(term);
  if (has_failed()) return std::nullopt;
  const Forms::Range in = offsets_.range(form, !spec::is_unsigned(type));
  const bool is_narrow = in.high - in.low < (absl::int128(1) << info(type).bits) - 1;
  if (!is_narrow || in.low < -kMostNumber || in.high > kMostNumber) return std::nullopt;
  const Number number =
      offset(term, type, {static_cast<int64_t>(in.low), static_cast<int64_t>(in.high)});
  numbers_.try_emplace(term, number);
  return number;
}

TermId AtAnyIndex::shortest(TermId term) {
  const spec::Symbol f = terms_.symbol_of(term);
  if (terms_.at(term).kind != spec::Term::Kind::kApply || has_failed()) return term;
  if (f.opcode == HloOpcode::kSelect) {
    const auto predicate = terms_.value(terms_.operands(term)[0]);
    if (terms_.operands(term)[1] == terms_.operands(term)[2]) return terms_.operands(term)[1];
    return predicate ? terms_.operands(term)[*predicate != 0 ? 1 : 2] : term;
  }
  if (!spec::is_integer(f.type)) return term;
  std::vector<Number> of;
  const std::vector<TermId> operands(terms_.operands(term).begin(), terms_.operands(term).end());
  for (const TermId operand : operands) {
    const auto number = number_as(operand);
    if (!number) return term;
    of.push_back(*number);
  }
  if (f.opcode == HloOpcode::kCompare) {
    const Number difference = of[0] + of[1] * -1;
    IndexTruth truth = f.direction == "LT"   ? difference < int64_t{0}
                       : f.direction == "LE" ? difference < int64_t{1}
                                             : difference == Number(0);
    if (f.direction == "NE") truth = !truth;
    return truth.known ? terms_.constant(f.type, int64_t{*truth.known}) : truth.term;
  }
  const auto number = computed(f, of);
  if (!number) return term;
  Index simple = {*number};
  simplify(simple);
  return !has_failed() && fits(simple[0], f.type) ? number_term(simple[0], f.type) : term;
}

}  // namespace tileproof::verify
