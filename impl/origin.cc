#include "impl/origin.h"

#include <optional>
#include <utility>

#include "impl/evaluate.h"
#include "impl/summaries.h"

namespace tileproof::impl {
namespace {

// The element of an operand that an operation moves here; nothing where that is not clear.
std::optional<Element> moved_from(const Indexing& indexing, const HloInstruction& instruction,
                                  const Element& element) {
  std::optional<Element> found;
  for (size_t k = 0; k < indexing.size(); ++k) {
    for (size_t leaf = 0; leaf < indexing[k].size(); ++leaf) {
      for (const IndexedMap& one : indexing[k][leaf].maps) {
        if (indexing[k][leaf].inexact || !one.map.ranges.empty() || !one.map.runtime.empty())
          return std::nullopt;
        const auto index = evaluate(one.map, {.dims = element.index, .ranges = {}, .runtime = {}});
        if (!index.ok()) return std::nullopt;
        if (!index->has_value()) continue;
        if (found) return std::nullopt;
        const int32_t operand = instruction.operands[k].instruction;
        found = Element{{element.place.calls, operand, static_cast<int32_t>(leaf)}, **index};
      }
    }
  }
  return found;
}

}  // namespace

Element origin_of(IndexingAnalysis& analysis, const HloModule& module, int32_t computation,
                  Region region, Element element) {
  while (region == Region::kComputation || !element.place.calls.empty()) {
    if (auto given = given_by_caller(module, computation, element.place)) {
      element.place = *std::move(given);
      continue;
    }
    const int32_t at = computation_at(module, computation, element.place.calls);
    const HloInstruction& instruction =
        module.computations[at].instructions[element.place.instruction];
    if (!only_moves_elements(instruction.opcode)) break;
    const auto indexing = analysis.instruction(at, element.place.instruction, element.place.leaf);
    if (!indexing.ok()) break;
    std::optional<Element> from = moved_from(*indexing, instruction, element);
    if (!from) break;
    element = *std::move(from);
  }
  return element;
}

}  // namespace tileproof::impl
