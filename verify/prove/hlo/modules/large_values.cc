// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/large_values.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "verify/prove/hlo/modules/at_any_index.h"
#include "verify/prove/hlo/modules/at_one_index.h"
#include "verify/prove/hlo/modules/cut_points.h"
#include "verify/prove/hlo/modules/element_walk.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

using spec::TermId;
using spec::Terms;

namespace {

// In each dimension the first or last coordinate, the one beside it, or any, as the seed says.
std::vector<int64_t> some_index(const Dims& dims, uint64_t seed) {
  std::vector<int64_t> index;
  uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15;
  for (const int64_t size : dims) {
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9;
    const auto any = static_cast<int64_t>((z >> 32) % static_cast<uint64_t>(size));
    const int64_t choices[] = {0, size - 1, std::max<int64_t>(size - 2, 0), any, any};
    index.push_back(choices[(z >> 16) % std::size(choices)]);
  }
  return index;
}

bool has_loop(const HloModule& module) {
  return std::ranges::any_of(module.computations, [](const HloComputation& computation) {
    const auto is_loop = [](const HloInstruction& i) { return i.opcode == HloOpcode::kWhile; };
    return std::ranges::any_of(computation.instructions, is_loop);
  });
}

}  // namespace

// The terms of both modules at any index.
struct LargeValues::AnyIndex {
  AnyIndex(const HloModule& of_left, const HloModule& of_right, const ValueOptions& options,
           const Way& way, int64_t work)
      : terms(true),
        domain(terms, way.any_order, way.has_functions, work),
        left(of_left, domain, work, way.unrolls),
        right(of_right, domain, work, way.unrolls),
        comparison(terms, options) {
    if (!way.cuts) return;
    cuts.emplace(domain, std::array{&left, &right}, comparison, options);
    const HloComputation& entry = of_left.computations[of_left.entry];
    const auto leaves = leaves_of(*entry.instructions[entry.root].shape);
    std::vector<int64_t> all(leaves.ok() ? leaves->size() : 0);
    std::iota(all.begin(), all.end(), 0);
    cuts->cut(all);
  }

  Terms terms;
  AtAnyIndex domain;
  ElementWalk<AtAnyIndex> left, right;
  TermComparison comparison;
  std::optional<CutPoints> cuts;
};

LargeValues::LargeValues(const HloModule& left, const HloModule& right, const ValueOptions& options)
    : left_(left),
      right_(right),
      options_(options),
      has_loops_(has_loop(left) || has_loop(right)) {}
LargeValues::~LargeValues() = default;

std::optional<Laws> LargeValues::equal(int64_t leaf, const Dims& dims, bool asks_solver) {
  for (const bool any_order : {false, true}) {
    if (any_order && !options_.allowed.contains(ValueLaw::kReductionOrder)) continue;
    for (const Way& way : {Way{any_order, true, true}, Way{any_order, true, true, true},
                           Way{any_order, false, true}, Way{any_order, false, false}}) {
      if (way.unrolls && !has_loops_) continue;
      if (auto laws = equal(leaf, dims, asks_solver && way.has_functions, way)) return laws;
    }
  }
  return std::nullopt;
}

std::optional<Laws> LargeValues::equal(int64_t leaf, const Dims& dims, bool asks_solver,
                                       const Way& way) {
  std::unique_ptr<AnyIndex>& both = any_index_[way];
  if (options_.is_late()) return std::nullopt;
  // A step takes longer than one of the definition. Without functions, what is shared is looked at
  // again and again.
  const int64_t work = options_.limits.work / (way.has_functions ? 64 : 256);
  const bool is_over = both != nullptr && both->domain.has_failed();
  if (both == nullptr || (is_over && !way.cuts)) {
    both = std::make_unique<AnyIndex>(left_, right_, options_, way, work);
  } else if (is_over) {
    both->domain.recover();
  }
  const auto index = both->domain.every_index(dims, "d");
  const auto a = both->left.result(leaf, *index);
  const auto b = a ? both->right.result(leaf, *index) : std::nullopt;
  if (!b) return std::nullopt;
  auto laws = both->comparison.prove({{}, {*a}, {*b}}, asks_solver);
  if (laws && both->cuts) {
    laws->merge(both->cuts->laws_of(*a));
    laws->merge(both->cuts->laws_of(*b));
  }
  if (laws && way.any_order) laws->insert(ValueLaw::kReductionOrder);
  return laws;
}

std::optional<ValueEquality> LargeValues::different(int64_t leaf, const Dims& dims) const {
  if (std::ranges::count(dims, 0) > 0) return std::nullopt;
  constexpr uint64_t kMost = 200, kMostUnknown = 16;
  int64_t work = options_.limits.work;
  bool is_known = false;
  for (uint64_t seed = 0; seed < kMost && work >= 0 && !options_.is_late(); ++seed) {
    if (seed >= kMostUnknown && !is_known) break;
    Terms terms(true);
    Point point(terms, {seed / 4});
    const std::vector<int64_t> index = some_index(dims, seed);
    std::optional<TermId> found[2];
    for (const bool is_right : {false, true}) {
      const int64_t each = options_.limits.work / 16;
      AtOneIndex domain(terms, point, each);
      ElementWalk walk(is_right ? right_ : left_, domain, each, true);
      found[is_right] = walk.result(leaf, index);
      work -= 2 * each - domain.work() - walk.work();
      if (domain.work() < 0 || walk.work() < 0) return std::nullopt;  // so would the next one
      if (!found[is_right]) break;
    }
    if (!found[0] || !found[1]) continue;
    const PointValue a = point.of(*found[0]), b = point.of(*found[1]);
    is_known = is_known || (a.is_known && b.is_known);
    if (!are_apart(a, b) || is_overflow(a, b)) continue;
    return ValueEquality{.leaf = leaf,
                         .verdict = Verdict::kRefuted,
                         .at = index,
                         .left = text_of(a),
                         .right = text_of(b),
                         .point = PointNumbers{seed / 4}};
  }
  return std::nullopt;
}

}  // namespace tileproof::verify
