// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/difference_path.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "verify/prove/hlo/modules/at_one_index.h"
#include "verify/prove/hlo/modules/element_walk.h"
#include "verify/prove/values/alike_forms.h"
#include "verify/prove/values/forms.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {
namespace {

using spec::TermId;
using Walk = ElementWalk<AtOneIndex>;

// Which elements are different, and what is shown of one.
struct Comparison {
  absl::FunctionRef<bool(spec::TermId, spec::TermId)> are_apart;
  absl::FunctionRef<std::string(spec::TermId)> text;
};

// LEFT or RIGHT: the element that the walk has reached, and the steps to it.
struct WalkedSide {
  WalkedSide(const HloModule& module, AtOneIndex& domain, int64_t work)
      : walk(module, domain, work, true) {}

  Walk walk;
  Walk::Place place;
  std::vector<PathStep> steps = {};
};

// Adds the elements from here to the first that an operation computes.
bool go_to_operation(WalkedSide& side, const Comparison& comparison) {
  constexpr size_t kMost = 1'000;
  while (side.steps.size() < kMost) {
    const auto term = side.walk.term(side.place);
    if (!term) return false;
    const HloInstruction& i = side.walk.instruction(side.place);
    side.steps.push_back(
        {i.name, std::string(i.opcode_text), side.place.index, comparison.text(*term)});
    const auto source = side.walk.moved_from(side.place);
    if (!source) return true;
    side.place = *source;
  }
  return false;
}

// The one operand that is different: of a reduction the first.
bool go_to_operand(WalkedSide& left, WalkedSide& right, const Comparison& comparison) {
  const HloInstruction& l = left.walk.instruction(left.place);
  const HloInstruction& r = right.walk.instruction(right.place);
  if (l.opcode != r.opcode) return false;
  const auto of_left = left.walk.operands(left.place), of_right = right.walk.operands(right.place);
  if (of_left.size() != of_right.size() || of_left.empty()) return false;
  const auto differ = [&](size_t a, size_t b) {
    const auto x = left.walk.term(of_left[a]), y = right.walk.term(of_right[b]);
    return !x || !y || comparison.are_apart(*x, *y);
  };
  std::vector<std::pair<size_t, size_t>> apart;
  for (size_t k = 0; k < of_left.size(); ++k) {
    if (differ(k, k)) apart.emplace_back(k, k);
  }
  if (of_left.size() == 2 && apart.size() == 2) {  // the other way round
    if (!differ(0, 1))
      apart = {{1, 0}};
    else if (!differ(1, 0))
      apart = {{0, 1}};
  }
  const bool is_one = apart.size() == 1 || (of_left.size() > 3 && !apart.empty());
  if (!is_one) return false;
  const auto [a, b] = apart[0];
  if (!left.walk.term(of_left[a]) || !right.walk.term(of_right[b])) return false;
  left.place = of_left[a];
  right.place = of_right[b];
  return true;
}

DifferencePath path_of(const HloModule& left, const HloModule& right, int64_t leaf,
                       const std::vector<int64_t>& at, AtOneIndex& domain, int64_t work,
                       const Comparison& comparison) {
  WalkedSide l(left, domain, work), r(right, domain, work);
  l.place = l.walk.result_place(leaf, at);
  r.place = r.walk.result_place(leaf, at);
  const auto a = l.walk.term(l.place), b = r.walk.term(r.place);
  if (!a || !b || !comparison.are_apart(*a, *b)) return {};
  do {
    if (!go_to_operation(l, comparison) || !go_to_operation(r, comparison)) break;
  } while (go_to_operand(l, r, comparison));
  return {std::move(l.steps), std::move(r.steps)};
}

}  // namespace

DifferencePath difference_path(const HloModule& left, const HloModule& right, int64_t leaf,
                               const std::vector<int64_t>& at, const PointNumbers& numbers,
                               int64_t work) {
  spec::Terms terms(true);
  Point point(terms, numbers);
  AtOneIndex domain(terms, point, work);
  const auto apart = [&](TermId a, TermId b) { return are_apart(point.of(a), point.of(b)); };
  const auto text = [&](TermId term) { return text_of(point.of(term)); };
  return path_of(left, right, leaf, at, domain, work, {apart, text});
}

DifferencePath open_path(const HloModule& left, const HloModule& right, int64_t leaf,
                         const std::vector<int64_t>& at, const Laws& laws, int64_t work) {
  spec::Terms terms(true);
  Point point(terms, PointNumbers());
  AtOneIndex domain(terms, point, work);
  Forms forms(terms, laws, work);
  AlikeForms alike(forms, laws.contains(ValueLaw::kReductionOrder), work);
  const auto apart = [&](TermId a, TermId b) { return !alike.are(forms.of(a), forms.of(b)); };
  const auto text = [&](TermId term) {
    constexpr size_t kMost = 80;
    std::string all = terms.text(term, kMost);
    return all.size() > kMost ? absl::StrCat(all.substr(0, kMost), " ..") : all;
  };
  return path_of(left, right, leaf, at, domain, work, {apart, text});
}

}  // namespace tileproof::verify
