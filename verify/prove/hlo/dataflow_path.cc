// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/dataflow_path.h"

#include <utility>
#include <variant>

namespace tileproof::verify {

using spec::Dims;

Dims leaf_dims(const HloInstruction& instruction, int64_t leaf) {
  return (*leaves_of(*instruction.shape))[leaf].dims;
}

DataflowPath universe(int32_t operand, int64_t leaf, const Dims& dims) {
  spec::access::Projection pick;
  for (size_t d = 0; d < dims.size(); ++d) {
    pick.coordinates.push_back(spec::access::range(static_cast<int64_t>(d)));
  }
  auto relation = std::make_shared<spec::AccessRelation>();
  relation->dependences.push_back({operand, leaf, dims, std::move(pick)});
  DataflowPath path{operand, leaf, {{std::move(relation), 0, {}, {}}}, dims};
  path.text = kUniverse;
  return path;
}

DataflowPath superset(int32_t operand, int64_t leaf, const Dims& dims, std::string open) {
  DataflowPath path = universe(operand, leaf, dims);
  path.is_superset = true;
  path.open = std::move(open);
  return path;
}

void append(DataflowPath& path, const DataflowPath& further, size_t iteration) {
  const size_t before = path.ranges.size();
  const auto moved = [&](size_t range) { return range == kIteration ? iteration : range + before; };
  path.is_superset |= further.is_superset;
  path.text.clear();
  path.operand = further.operand;
  path.leaf = further.leaf;
  path.ranges.insert(path.ranges.end(), further.ranges.begin(), further.ranges.end());
  for (Step step : further.steps) {
    for (LoopValue& value : step.values) value.range = moved(value.range);
    for (StepCondition& condition : step.conditions) {
      for (auto& [range, factor] : condition.terms) range = moved(range);
    }
    path.steps.push_back(std::move(step));
  }
}

bool uses_runtime(const spec::Dependence& dependence) {
  const spec::Access& access = dependence.access;
  return std::holds_alternative<op::DynamicSlice>(access) ||
         std::holds_alternative<op::DynamicUpdateSlice>(access) ||
         std::holds_alternative<op::Gather>(access) || std::holds_alternative<op::Scatter>(access);
}

std::vector<Interval> reads_of(const DataflowPath& path) {
  std::vector<Interval> reads;
  for (const Step& step : path.steps) {
    if (!step.values.empty()) continue;
    if (step.lemma != nullptr) {
      const std::vector<Interval> more = step.lemma->relation.reads();
      reads.insert(reads.end(), more.begin(), more.end());
    }
    if (step.relation == nullptr) continue;
    if (!uses_runtime(step.relation->dependences[step.dependence])) continue;
    for (const spec::RuntimeVariable& variable : step.relation->runtime) {
      reads.push_back({variable.low, variable.high});
    }
  }
  return reads;
}

}  // namespace tileproof::verify
