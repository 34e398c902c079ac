#include "impl/hlo/resolve_source.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/computation_summaries.h"
#include "impl/map/compose.h"
#include "impl/map/evaluate.h"
#include "impl/map/simplify.h"

namespace tileproof::impl {
namespace {

// A map of an operation that moves elements: each of the result is one of an operand's.
struct Move {
  HloPosition from;
  const IndexingMap* map;
};

// The maps of what an operation moves to the place; none where they are supersets.
std::vector<Move> moves_to(const Indexing& indexing, const HloInstruction& instruction,
                           const HloPosition& position) {
  std::vector<Move> moves;
  for (size_t k = 0; k < indexing.size(); ++k) {
    for (size_t leaf = 0; leaf < indexing[k].size(); ++leaf) {
      if (indexing[k][leaf].inexact) return {};
      for (const IndexedMap& one : indexing[k][leaf].maps) {
        const int32_t operand = instruction.operands[k].instruction;
        moves.push_back({{position.calls, operand, static_cast<int32_t>(leaf)}, &one.map});
      }
    }
  }
  return moves;
}

std::optional<Element> moved_from(const std::vector<Move>& moves, const Element& element) {
  for (const Move& move : moves) {
    const auto index = evaluate(*move.map, {.dims = element.index, .ranges = {}, .runtime = {}});
    if (index.ok() && index->has_value()) return Element{move.from, **index};
  }
  return std::nullopt;
}

// Whether the map is there for each element of an array of these sizes. Then it is the only one.
bool is_whole(const IndexingMap& map, const std::vector<int64_t>& sizes) {
  return map.constraints.empty() &&
         std::ranges::equal(map.dimensions, sizes, [](const Variable& d, int64_t size) {
           return d.bounds == Interval{0, size - 1};
         });
}

// Follows the place into the caller, as far as it is a parameter; then the instruction there, if it
// only moves elements and is within the region.
const HloInstruction* mover_at(const HloModule& module, int32_t computation, Scope scope,
                               HloPosition& position) {
  while (auto given = argument_in_caller(module, computation, position))
    position = *std::move(given);
  if (scope == Scope::kInstruction && position.calls.empty()) return nullptr;
  const int32_t at = computation_at(module, computation, position.calls);
  const HloInstruction& instruction = module.computations[at].instructions[position.instruction];
  return only_moves_elements(instruction.opcode) ? &instruction : nullptr;
}

absl::StatusOr<Indexing> indexing_at(IndexingAnalysis& analysis, const HloModule& module,
                                     int32_t computation, const HloPosition& position) {
  const int32_t at = computation_at(module, computation, position.calls);
  return analysis.instruction(at, position.instruction, position.leaf);
}

}  // namespace

Element resolve_source(IndexingAnalysis& analysis, const HloModule& module, int32_t computation,
                       Scope scope, Element element) {
  while (const auto* mover = mover_at(module, computation, scope, element.position)) {
    const auto indexing = indexing_at(analysis, module, computation, element.position);
    if (!indexing.ok()) break;
    std::optional<Element> from =
        moved_from(moves_to(*indexing, *mover, element.position), element);
    if (!from) break;
    element = *std::move(from);
  }
  return element;
}

bool resolve_runtime_source(IndexingAnalysis& analysis, const HloModule& module,
                            int32_t computation, Scope scope, RuntimeSource& source) {
  while (const auto* mover = mover_at(module, computation, scope, source.position)) {
    const auto indexing = indexing_at(analysis, module, computation, source.position);
    if (!indexing.ok()) return false;
    const std::vector<Move> moves = moves_to(*indexing, *mover, source.position);
    if (moves.empty()) return true;
    const int32_t at = computation_at(module, computation, source.position.calls);
    const auto sizes =
        sizes_of_result(module, at, source.position.instruction, source.position.leaf);
    if (!sizes.ok() || !is_whole(*moves[0].map, *sizes)) return false;
    absl::StatusOr<IndexingMap> map = compose(source.map, *moves[0].map);
    if (map.ok()) map = simplify(*map);
    if (!map.ok()) return false;
    source.map = *std::move(map);
    source.position = moves[0].from;
  }
  return true;
}

}  // namespace tileproof::impl
