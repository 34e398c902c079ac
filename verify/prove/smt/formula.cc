// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/formula.h"

#include <algorithm>

namespace tileproof::verify {

Formula Formula::at_least_zero(Sum sum) {
  if (sum.is_number()) return sum.constant >= 0;
  Formula result(true);
  result.kind_ = Kind::kLiteral;
  result.literal_ = std::move(sum);
  return result;
}

Formula Formula::of(Kind kind, const Formula& a, const Formula& b) {
  Formula result(true);
  result.kind_ = kind;
  for (const Formula* part : {&a, &b}) {
    if (part->kind_ == kind) {
      result.parts_.insert(result.parts_.end(), part->parts_.begin(), part->parts_.end());
    } else {
      result.parts_.push_back(*part);
    }
  }
  return result;
}

Formula operator&&(const Formula& a, const Formula& b) {
  using Kind = Formula::Kind;
  if (a.kind_ == Kind::kFalse || b.kind_ == Kind::kTrue) return a;
  if (b.kind_ == Kind::kFalse || a.kind_ == Kind::kTrue) return b;
  return Formula::of(Kind::kAll, a, b);
}

Formula operator||(const Formula& a, const Formula& b) {
  using Kind = Formula::Kind;
  if (a.kind_ == Kind::kTrue || b.kind_ == Kind::kFalse) return a;
  if (b.kind_ == Kind::kTrue || a.kind_ == Kind::kFalse) return b;
  return Formula::of(Kind::kAny, a, b);
}

Formula operator!(const Formula& a) {
  using Kind = Formula::Kind;
  switch (a.kind_) {
    case Kind::kTrue:
      return false;
    case Kind::kFalse:
      return true;
    case Kind::kLiteral:
      return Formula::at_least_zero(-a.literal_ - Sum{nullptr, {}, 1, false});
    default:
      break;
  }
  Formula result(a.kind_ == Kind::kAny);
  for (const Formula& part : a.parts_) {
    result = a.kind_ == Kind::kAny ? result && !part : result || !part;
  }
  return result;
}

Symbol operator+(const Symbol& a, const Symbol& b) { return Symbol(a.sum + b.sum); }
Symbol operator*(const Symbol& a, int64_t b) { return Symbol(a.sum * Symbol(b).sum); }
Symbol floordiv(const Symbol& a, int64_t c) { return Symbol(floordiv(a.sum, Symbol(c).sum)); }
Symbol mod(const Symbol& a, int64_t c) { return Symbol(mod(a.sum, Symbol(c).sum)); }

Formula operator<(const Symbol& a, int64_t b) {
  return Formula::at_least_zero(Symbol(b).sum - a.sum - Symbol(1).sum);
}

Formula operator==(const Symbol& a, const Symbol& b) {
  return Formula::at_least_zero(a.sum - b.sum) && Formula::at_least_zero(b.sum - a.sum);
}

std::optional<bool> always(const QuasiAffineContext& context, const Sum& at_least_zero) {
  const Range range = context.range_of(at_least_zero);
  if (range.low.value && *range.low.value >= 0) return true;
  if (range.high.value && *range.high.value < 0) return false;
  return std::nullopt;
}

namespace {

using Cases = std::vector<Conjunction>;

void append_new(Conjunction& list, const Conjunction& more) {
  for (const Sum& sum : more) {
    if (std::ranges::find(list, sum) == list.end()) list.push_back(sum);
  }
}

}  // namespace

std::optional<Cases> cases_of(const QuasiAffineContext& context, const Formula& formula,
                              size_t most) {
  using Kind = Formula::Kind;
  switch (formula.kind()) {
    case Kind::kTrue:
      return Cases{{}};
    case Kind::kFalse:
      return Cases{};
    case Kind::kLiteral: {
      const std::optional<bool> known = always(context, formula.literal());
      if (!known) return Cases{{formula.literal()}};
      return *known ? Cases{{}} : Cases{};
    }
    default:
      break;
  }
  Cases result;
  if (formula.kind() == Kind::kAll) result.emplace_back();
  for (const Formula& part : formula.parts()) {
    const std::optional<Cases> of_part = cases_of(context, part, most);
    if (!of_part) return std::nullopt;
    if (formula.kind() == Kind::kAny) {
      result.insert(result.end(), of_part->begin(), of_part->end());
    } else {
      Cases product;
      for (const Conjunction& a : result) {
        for (const Conjunction& b : *of_part) {
          product.push_back(a);
          append_new(product.back(), b);
        }
      }
      result = std::move(product);
    }
    if (result.size() > most) return std::nullopt;
  }
  return result;
}

}  // namespace tileproof::verify
