// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/known_predicate.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "impl/hlo/operations/possible_cases.h"

namespace tileproof::impl {
namespace {

constexpr char kTooManyCases[] = "a select with a predicate of too many cases";

AccessRelationPtr marked(const AccessRelationPtr& relation, const Dims& output) {
  AccessRelation inexact = *relation;
  inexact.inexact = true;
  inexact.reason = kTooManyCases;
  return finish(std::move(inexact), output, output);
}

}  // namespace

std::optional<Dependences> with_known_predicate(ComputationDependences& within, int32_t select,
                                                const Dependences& plain) {
  const ComputationView& view = within.view();
  const HloInstruction& at = view.computation().instructions[select];
  if (!plain.conservative.empty() || at.operands.size() != 3) return std::nullopt;
  const Dims& output = view.sizes[view.first_leaf[select]];
  const int32_t predicate = at.operands[0].instruction;
  if (has_no_elements(output) || view.shapes[predicate].leaves.size() != 1) return std::nullopt;
  const Dims& sizes = view.sizes[view.first_leaf[predicate]];
  const auto known =
      conditions_of(within, predicate, output,
                    sizes == output ? identity_relation(output) : universe_relation(output, sizes));
  if (!known) return std::nullopt;
  Dependences result{{}, plain.declared, plain.conservative};
  for (const Dependence& dependence : plain.dependences) {
    if (dependence.operand == 0) {
      result.dependences.push_back(dependence);
      continue;
    }
    if (known->gave_up) {
      result.dependences.push_back(
          {dependence.operand, dependence.leaf, marked(dependence.relation, output)});
      continue;
    }
    for (const IndexingMap& where : dependence.operand == 1 ? known->yes : known->no) {
      AccessRelation relation = *dependence.relation;
      IndexingMap map = where;
      for (size_t d = 0; d < output.size(); ++d) {
        map.results.push_back(add_variable(map.nodes, Op::kDimension, static_cast<int64_t>(d)));
      }
      relation.map = std::move(map);
      relation.identity = relation.universe = relation.onto = false;
      AccessRelationPtr part = simplified(std::move(relation), output, output);
      if (part) result.dependences.push_back({dependence.operand, dependence.leaf, part});
    }
  }
  return result;
}

}  // namespace tileproof::impl
