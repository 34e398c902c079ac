// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/values/every_point.h"

#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/lang/base/operands_first.h"
#include "verify/prove/values/bits.h"

namespace tileproof::verify {

using spec::Term;
using spec::TermId;
using spec::Terms;

namespace {

// The parameter elements that lead to two terms, and how many bits they have together.
struct Inputs {
  std::vector<TermId> elements;
  int bits = 0;
  int64_t terms = 0;
};

// Nothing if they are not integers, or if there are too many points.
std::optional<Inputs> inputs_of(const Terms& terms, TermId a, TermId b, int64_t work) {
  Inputs found;
  absl::flat_hash_set<TermId> seen;
  const auto are_few = [&] { return found.bits < 63 && found.terms <= work >> found.bits; };
  const auto visit = [&](TermId at) {
    seen.insert(at);
    ++found.terms;
    if (terms.at(at).kind != Term::Kind::kElement) return;
    const ElementType type = terms.symbol_of(at).type;
    found.bits += spec::is_integer(type) ? width_of(type) : 64;
    found.elements.push_back(at);
  };
  for (const TermId root : {a, b}) {
    operands_first(
        root, [&](TermId at) { return terms.operands(at); },
        [&](TermId at) { return seen.contains(at); }, visit, are_few);
  }
  return are_few() ? std::optional(found) : std::nullopt;
}

}  // namespace

std::pair<Verdict, PointNumbers> compared_at_every_point(const Terms& terms, TermId a, TermId b,
                                                         int64_t& work) {
  const auto inputs = inputs_of(terms, a, b, work);
  if (!inputs) return {Verdict::kUndecided, {}};
  for (uint64_t bits = 0; bits < uint64_t{1} << inputs->bits; ++bits) {
    PointNumbers numbers;
    uint64_t left = bits;
    for (const TermId one : inputs->elements) {
      const spec::Symbol& array = terms.symbol_of(one);
      const int64_t value = masked(array.type, static_cast<int64_t>(left));
      numbers.given[{array.text, terms.at(one).number}] = value;
      left >>= width_of(array.type);
    }
    Point point(terms, numbers);
    const PointValue x = point.of(a), y = point.of(b);
    work -= inputs->terms;
    if (are_apart(x, y)) return {Verdict::kRefuted, numbers};
    const bool are_same = x.is_known && x.is_integer && y.is_known && y.is_integer;
    if (!are_same) return {Verdict::kUndecided, {}};
  }
  return {Verdict::kProven, {}};
}

}  // namespace tileproof::verify
