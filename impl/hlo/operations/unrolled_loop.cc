// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/unrolled_loop.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace tileproof::impl {
namespace {

constexpr size_t kMostUnrolledRelations = 24;  // before each iteration, of all leaves
constexpr int64_t kMostUnrolledSteps = 1024;   // compositions for one leaf

using Unions = std::map<int32_t, UnionMap>;  // by leaf of the state

class UnrolledLoop {
 public:
  UnrolledLoop(const op::While& loop, const LoopCounters& counters, const OperationContext& context)
      : loop_(loop), counters_(counters), context_(context) {}

  std::optional<Dependences> run() {
    if (counters_.trips > kMaxUnrolledTrips) return std::nullopt;
    Unions unions;
    add(unions, context_.leaf, identity_relation(context_.output));
    for (int64_t k = counters_.trips; k-- > 0;) {
      std::optional<Unions> before = through(unions, k);
      if (!before) return std::nullopt;
      unions = *std::move(before);
    }
    Dependences result;
    for (const auto& [leaf, all] : unions) {
      for (AccessRelationPtr& one : relations_of(all, context_.output, dims(leaf))) {
        result.dependences.push_back({0, leaf, std::move(one)});
      }
    }
    return result;
  }

 private:
  const Dims& dims(int32_t leaf) const { return context_.sizes({0, leaf}); }

  void add(Unions& unions, int32_t leaf, const AccessRelationPtr& relation) {
    impl::add(unions[leaf], relation, context_.output, dims(leaf));
  }

  // What is read before iteration k of what is read after it.
  std::optional<Unions> through(const Unions& after, int64_t k) {
    Unions before;
    for (const auto& [leaf, all] : after) {
      for (const AccessRelationPtr& first : relations_of(all, context_.output, dims(leaf))) {
        for (const Dependence& body : context_.summaries[loop_.body][leaf]->dependences) {
          if (--steps_ < 0 || body.relation->inexact) return std::nullopt;
          AccessRelationPtr second = body.relation;
          if (!second->runtime.empty() && !set_offsets(second, leaf, body.leaf, k)) {
            return std::nullopt;
          }
          if (!second) continue;  // no pair in this iteration
          const AccessRelationPtr both =
              compose(first, second, context_.output, dims(leaf), dims(body.leaf));
          if (both) add(before, body.leaf, both);
        }
      }
    }
    size_t relations = 0;
    for (const auto& [leaf, all] : before) {
      if (all.universe && all.reason != nullptr) return std::nullopt;
      const auto is_inexact = [](const AccessRelationPtr& one) { return one->inexact; };
      if (std::ranges::any_of(all.relations, is_inexact)) return std::nullopt;
      relations += all.universe ? 1 : all.relations.size();
    }
    return relations <= kMostUnrolledRelations ? std::optional(std::move(before)) : std::nullopt;
  }

  // Sets the offsets to their values in iteration k. Returns false if they are not known.
  bool set_offsets(AccessRelationPtr& relation, int32_t from, int32_t to, int64_t k) const {
    AccessRelation known = *relation;
    for (size_t v = 0; v < known.runtime.size(); ++v) {
      const auto value = affine_at(counters_, known.runtime[v].position);
      if (!value) return false;
      const Interval feasible = known.runtime[v].feasible;
      const NodeId number = add_constant(
          known.map.nodes, std::clamp(value->first + value->step * k, feasible.low, feasible.high));
      known = with_value(std::move(known), static_cast<int32_t>(v), number);
    }
    known.written.reset();
    relation = simplified(std::move(known), dims(from), dims(to));
    return !relation || relation->runtime.empty();
  }

  const op::While& loop_;
  const LoopCounters& counters_;
  const OperationContext& context_;
  int64_t steps_ = kMostUnrolledSteps;
};

}  // namespace

std::optional<Dependences> unrolled_loop(const op::While& loop, const LoopCounters& counters,
                                         const OperationContext& context) {
  return UnrolledLoop(loop, counters, context).run();
}

}  // namespace tileproof::impl
