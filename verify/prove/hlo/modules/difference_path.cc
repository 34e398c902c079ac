// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/difference_path.h"

#include <optional>
#include <utility>

#include "verify/prove/hlo/modules/at_one_index.h"
#include "verify/prove/hlo/modules/element_walk.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {
namespace {

using Walk = ElementWalk<AtOneIndex>;

// LEFT or RIGHT: the element that the walk has reached, and the steps to it.
struct WalkedSide {
  WalkedSide(const HloModule& module, AtOneIndex& domain, Point& at, int64_t work)
      : walk(module, domain, work), point(at) {}

  std::optional<PointValue> value(const Walk::Place& of) {
    const auto term = walk.term(of);
    return term ? std::optional(point.of(*term)) : std::nullopt;
  }

  Walk walk;
  Point& point;
  Walk::Place place;
  std::vector<PathStep> steps = {};
};

// Adds the elements from here to the first that an operation computes.
bool go_to_operation(WalkedSide& side) {
  constexpr size_t kMost = 1'000;
  while (side.steps.size() < kMost) {
    const auto value = side.value(side.place);
    if (!value) return false;
    const HloInstruction& i = side.walk.instruction(side.place);
    side.steps.push_back({i.name, std::string(i.opcode_text), side.place.index, text_of(*value)});
    const auto source = side.walk.moved_from(side.place);
    if (!source) return true;
    side.place = *source;
  }
  return false;
}

// The one operand that is different: of a reduction the first.
bool go_to_operand(WalkedSide& left, WalkedSide& right) {
  const HloInstruction& l = left.walk.instruction(left.place);
  const HloInstruction& r = right.walk.instruction(right.place);
  if (l.opcode != r.opcode) return false;
  const auto of_left = left.walk.operands(left.place), of_right = right.walk.operands(right.place);
  if (of_left.size() != of_right.size() || of_left.empty()) return false;
  const auto differ = [&](size_t a, size_t b) {
    const auto x = left.value(of_left[a]), y = right.value(of_right[b]);
    return !x || !y || are_apart(*x, *y);
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
  const auto x = left.value(of_left[a]), y = right.value(of_right[b]);
  if (!x || !y || !are_apart(*x, *y)) return false;
  left.place = of_left[a];
  right.place = of_right[b];
  return true;
}

}  // namespace

DifferencePath difference_path(const HloModule& left, const HloModule& right, int64_t leaf,
                               const std::vector<int64_t>& at, uint64_t seed, int64_t work) {
  spec::Terms terms(true);
  Point point(terms, seed);
  AtOneIndex domain(terms, point, work);
  WalkedSide l(left, domain, point, work), r(right, domain, point, work);
  l.place = l.walk.result_place(leaf, at);
  r.place = r.walk.result_place(leaf, at);
  const auto a = l.value(l.place), b = r.value(r.place);
  if (!a || !b || !are_apart(*a, *b)) return {};
  do {
    if (!go_to_operation(l) || !go_to_operation(r)) break;
  } while (go_to_operand(l, r));
  return {std::move(l.steps), std::move(r.steps)};
}

}  // namespace tileproof::verify
