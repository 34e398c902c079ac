// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/containment.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "spec/base/exact_int.h"
#include "spec/lang/base/odometer.h"
#include "verify/prove/hlo/dataflow_path.h"
#include "verify/prove/smt/equations.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMoreWork = 16;  // of points where plain coordinates are dropped

// A variable that runs over all of some coordinates of a pair, and is nowhere else.
struct Plain {
  std::vector<size_t> coordinates;  // of the output, and then of the index
  std::optional<size_t> variable;   // of the output's index, and then of the ranges

  bool is_same(const Plain& other) const {
    return variable && other.variable && coordinates == other.coordinates;
  }
};

bool has(const QuasiAffineContext& context, const Equations& variable, const Formula& formula) {
  const auto has_it = [&](const Formula& part) { return has(context, variable, part); };
  const bool is_literal = formula.kind() == Formula::Kind::kLiteral;
  return (is_literal && always(context, formula.literal()) != true &&
          (formula.literal().too_large || variable.is_open(formula.literal()))) ||
         std::ranges::any_of(formula.parts(), has_it);
}

// By coordinate of the pairs. The disjunct reads nothing.
std::vector<Plain> plain_coordinates(const Between& between, const Disjunct& disjunct) {
  spec::Dims sizes = between.result;
  sizes.insert(sizes.end(), between.operand.begin(), between.operand.end());
  std::vector<Interval> bounds;
  for (const int64_t size : between.result) bounds.push_back({0, size - 1});
  bounds.insert(bounds.end(), disjunct.ranges().begin(), disjunct.ranges().end());
  QuasiAffineContext context(bounds);
  std::vector<Symbol> o, s;
  for (size_t v = 0; v < bounds.size(); ++v) {
    (v < between.result.size() ? o : s).emplace_back(context.atom(static_cast<int32_t>(v)));
  }
  Pair<Symbol> pair = disjunct.pair(o, s, [](const RuntimeRead<Symbol>&) { return Symbol(0); });
  std::vector<Symbol> all = std::move(pair.output);
  all.insert(all.end(), pair.index.begin(), pair.index.end());
  std::vector<Plain> plain(sizes.size());
  if (all.size() != sizes.size()) return plain;
  for (size_t v = 0; v < bounds.size(); ++v) {
    const auto number = static_cast<int32_t>(v);
    const Equations variable(context, {number}, {});
    std::vector<size_t> coordinates;
    bool is_elsewhere = has(context, variable, pair.in_domain);
    for (size_t c = 0; c < all.size(); ++c) {
      const bool is_it =
          all[c].sum == context.atom(number) && bounds[v] == Interval{0, sizes[c] - 1};
      if (is_it) coordinates.push_back(c);
      is_elsewhere |= !is_it && (all[c].sum.too_large || variable.is_open(all[c].sum));
    }
    if (is_elsewhere || sizes.empty() || bounds[v].high == 0) continue;
    for (const size_t c : coordinates) plain[c] = {coordinates, v};
  }
  return plain;
}

// The values of the variables of each disjunct, of which the plain ones that all have at the same
// coordinates are at 0: they are in a pair or not whatever these coordinates are.
using Boxes = std::vector<std::vector<Interval>>;
Boxes boxes_of(const Between& between, const std::vector<Disjunct>& disjuncts, bool drops_plain) {
  Boxes boxes;
  std::vector<std::vector<Plain>> plain;
  for (const Disjunct& disjunct : disjuncts) {
    std::vector<Interval>& box = boxes.emplace_back();
    for (const int64_t size : between.result) {
      box.push_back({0, disjunct.is_inverse() ? 0 : size - 1});
    }
    box.insert(box.end(), disjunct.ranges().begin(), disjunct.ranges().end());
    if (drops_plain) plain.push_back(plain_coordinates(between, disjunct));
  }
  for (size_t c = 0; !plain.empty() && c < plain[0].size(); ++c) {
    const auto is_same = [&](const auto& one) { return one[c].is_same(plain[0][c]); };
    if (!std::ranges::all_of(plain, is_same)) continue;
    for (size_t k = 0; k < plain.size(); ++k) boxes[k][*plain[k][c].variable] = {0, 0};
  }
  return boxes;
}

std::optional<int64_t> points_of(const Boxes& boxes) {
  spec::Exact all = spec::exact(0);
  for (const std::vector<Interval>& box : boxes) {
    spec::Exact points = spec::exact(1);
    for (const Interval& one : box) {
      points = points * (spec::exact(one.high) - spec::exact(one.low) + spec::exact(1));
    }
    all = all + points;
  }
  return to_int64(all);
}

using Pairs = std::set<std::pair<std::vector<int64_t>, std::vector<int64_t>>>;

void add_pairs(const Disjunct& disjunct, const std::vector<Interval>& box, size_t rank,
               Pairs& pairs) {
  std::vector<int64_t> at;
  for (const Interval& interval : box) at.push_back(interval.low);
  do {
    const auto ranges = at.begin() + static_cast<std::ptrdiff_t>(rank);
    Pair<int64_t> pair = disjunct.pair({at.begin(), ranges}, {ranges, at.end()},
                                       [](const RuntimeRead<int64_t>& read) { return read.low; });
    if (pair.in_domain) pairs.emplace(std::move(pair.output), std::move(pair.index));
  } while (next_point(box, at));
}

// Nothing if there are more than `work` points or a value is read. `drops_plain`: coordinates that do
// not matter are looked at once.
std::optional<SubsetProof> enumerate_is_subset(const Between& between,
                                               const std::vector<Disjunct>& parts,
                                               const std::vector<Disjunct>& whole, int64_t work,
                                               bool drops_plain) {
  if (!has_elements(between.result)) return SubsetProof{Verdict::kProven, std::nullopt};
  std::vector<Disjunct> all;
  size_t first = 0;  // of the whole
  for (const std::vector<Disjunct>* list : {&parts, &whole}) {
    if (list == &whole) first = all.size();
    for (const Disjunct& disjunct : *list) {
      if (!disjunct.reads().empty()) return std::nullopt;
      if (!is_empty(disjunct.ranges())) all.push_back(disjunct);
    }
  }
  const Boxes boxes = boxes_of(between, all, drops_plain);
  const auto points = points_of(boxes);
  if (!points || *points > work) return std::nullopt;
  Pairs wanted, found;
  for (size_t k = 0; k < all.size(); ++k) {
    add_pairs(all[k], boxes[k], between.result.size(), k < first ? wanted : found);
  }
  for (const auto& [output, index] : wanted) {
    if (found.contains({output, index})) continue;
    return SubsetProof{Verdict::kRefuted, Counterexample{output, index, {}}};
  }
  return SubsetProof{Verdict::kProven, std::nullopt};
}

}  // namespace

SubsetProof prove_contained(const Between& between, const std::vector<Disjunct>& parts,
                            const std::vector<Disjunct>& whole, SolverSession& session,
                            const ContainmentOptions& options) {
  if (parts.empty()) return {Verdict::kProven, std::nullopt};
  if (auto walked = enumerate_is_subset(between, parts, whole, options.enumerated, false)) {
    return *std::move(walked);
  }
  // Most parts need no solver.
  std::vector<const Disjunct*> open;
  SolverSession none = session;
  none.asks = false;
  for (const Disjunct& part : parts) {
    SubsetProof one = prove_is_subset(between.resolver, between.result, part, whole, none,
                                      options.counterexamples);
    if (one.verdict == Verdict::kRefuted) return one;
    if (one.verdict != Verdict::kProven) open.push_back(&part);
  }
  if (open.empty()) return {Verdict::kProven, std::nullopt};
  const int64_t work = kMoreWork * options.enumerated;
  if (auto walked = enumerate_is_subset(between, parts, whole, work, true)) {
    return *std::move(walked);
  }
  // A path of the definition leaves no array.
  if (std::ranges::all_of(parts, &Disjunct::is_path)) {
    const DataflowPath all = universe(0, 0, between.operand);
    const auto walked = enumerate_is_subset(between, {Disjunct(all)}, whole, work, true);
    if (walked && walked->verdict == Verdict::kProven) return *walked;
  }
  if (!session.asks) return {};
  const bool wanted = options.counterexamples == Counterexamples::kWanted;
  SubsetProof worst{Verdict::kProven, std::nullopt};
  for (const Disjunct* part : open) {
    SubsetProof one =
        prove_is_subset(between.resolver, between.result, *part, whole, session,
                        wanted ? Counterexamples::kWanted : Counterexamples::kSkipped);
    if (one.verdict == Verdict::kProven) continue;
    worst = std::move(one);
    if (!wanted || worst.verdict == Verdict::kRefuted) break;
  }
  return worst;
}

bool are_plainly_contained(const Between& between, const std::vector<Disjunct>& parts,
                           const std::vector<Disjunct>& whole, int64_t enumerated) {
  SolverSession session{ThreadCpuClock::time_point::max(), "", 0};
  session.asks = false;
  return prove_contained(between, parts, whole, session, {.enumerated = enumerated}).verdict ==
         Verdict::kProven;
}

bool have_all_pairs(const Between& between, const std::vector<Disjunct>& disjuncts) {
  const DataflowPath all = universe(0, 0, between.operand);
  return has_elements(between.result) && has_elements(between.operand) &&
         are_plainly_contained(between, {Disjunct(all)}, disjuncts);
}

}  // namespace tileproof::verify
