// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/offsets/resolve_source.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/indexing_result.h"
#include "impl/hlo/leaf_shapes.h"
#include "impl/hlo/operations/operation_handler.h"
#include "impl/map/compose.h"
#include "impl/map/evaluate.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/literal_words.h"

namespace tileproof::impl {
namespace {

// A map of an operation that moves elements: each of the result is one of an operand's.
struct Move {
  int32_t operand;
  int32_t leaf;
  IndexingMap map;
};

// The analysis of one module, asked about the instructions that a walk meets.
struct Moves {
  IndexingAnalysis& analysis;
  const FollowRegion& region;

  int32_t computation(const HloPosition& position) const {
    return computation_at(region.module, region.computation, position.calls);
  }

  // The maps of what moves to the position with its value; none where they are supersets, and for
  // other operations. Nothing if the analysis has no answer.
  std::optional<std::vector<Move>> to(const HloPosition& position) const {
    const HloInstruction& instruction = region.at(position);
    if (!moves_elements(instruction.opcode)) return std::vector<Move>();
    absl::StatusOr<LeavesRead> reads =
        leaves_read(analysis, computation(position), position.instruction, position.leaf);
    if (!reads.ok()) return std::nullopt;
    const std::optional<ElementType> type = element_type_of(instruction, position.leaf);
    std::vector<Move> moves;
    for (LeafRead& read : *reads) {
      if (read.list.inexact) return std::vector<Move>();
      const HloPosition from{position.calls, instruction.operands[read.operand].instruction,
                             read.leaf};
      if (element_type_of(region.at(from), read.leaf) != type) return std::vector<Move>();
      for (IndexedMap& one : read.list.maps) {
        moves.push_back({read.operand, read.leaf, std::move(one.map)});
      }
    }
    return moves;
  }
};

// Whether the map is there for each element of an array of these sizes. Then it is the only one.
bool is_whole(const IndexingMap& map, const std::vector<int64_t>& sizes) {
  return map.constraints.empty() &&
         std::ranges::equal(map.dimensions, sizes, [](const Variable& d, int64_t size) {
           return d.bounds == Interval{0, size - 1};
         });
}

}  // namespace

bool moves_elements(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kCopy:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kOptBarrier:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
    case HloOpcode::kTuple:
      return true;
    default:
      return false;
  }
}

std::optional<ElementType> element_type_of(const HloInstruction& instruction, int32_t leaf) {
  if (!instruction.shape) return std::nullopt;
  const Shape* array = leaf_of(*instruction.shape, leaf);
  return array == nullptr ? std::nullopt : std::optional(array->element_type);
}

std::optional<Interval> integers_in(ElementType type) {
  switch (type) {
    case ElementType::kPred:
    case ElementType::kU1:
      return Interval{0, 1};
    case ElementType::kS1:
      return Interval{-1, 0};
    case ElementType::kS2:
      return Interval{-2, 1};
    case ElementType::kU2:
      return Interval{0, 3};
    case ElementType::kS4:
      return Interval{-8, 7};
    case ElementType::kU4:
      return Interval{0, 15};
    case ElementType::kS8:
      return Interval{INT8_MIN, INT8_MAX};
    case ElementType::kU8:
      return Interval{0, UINT8_MAX};
    case ElementType::kS16:
      return Interval{INT16_MIN, INT16_MAX};
    case ElementType::kU16:
      return Interval{0, UINT16_MAX};
    case ElementType::kS32:
      return Interval{INT32_MIN, INT32_MAX};
    case ElementType::kU32:
      return Interval{0, UINT32_MAX};
    case ElementType::kS64:
      return Interval{INT64_MIN, INT64_MAX};
    case ElementType::kU64:
      return Interval{0, INT64_MAX};
    default:
      return std::nullopt;
  }
}

std::optional<std::vector<int64_t>> integers_of_constant(const HloInstruction& constant) {
  const std::optional<ElementType> type = element_type_of(constant, 0);
  const std::optional<Interval> range = type ? integers_in(*type) : std::nullopt;
  const auto written = integers_of_literal(constant.literal);
  if (!range || !written) return std::nullopt;
  std::vector<int64_t> values;
  for (const absl::int128 number : *written) {
    const absl::int128 high = *type == ElementType::kU64 ? UINT64_MAX : absl::int128(range->high);
    if (number < range->low || number > high) return std::nullopt;
    values.push_back(static_cast<int64_t>(std::min<absl::int128>(number, INT64_MAX)));
  }
  return values;
}

FollowRegion region_of(const HloModule& module, int32_t computation, Scope scope) {
  using UpTo = FollowRegion::UpTo;
  return {module, computation, scope == Scope::kInstruction ? UpTo::kOperands : UpTo::kParameters};
}

std::optional<Element> resolve_source(IndexingAnalysis& analysis, const HloModule& module,
                                      int32_t computation, Scope scope, Element element) {
  const FollowRegion region = region_of(module, computation, scope);
  const Moves moves{analysis, region};
  using From = OperandElement<std::vector<int64_t>>;
  const auto move = [&](const Element& at) -> std::optional<From> {
    const auto found = moves.to(at.position);
    if (!found) return std::nullopt;
    for (const Move& one : *found) {
      auto index = evaluate(one.map, {.dims = at.index, .ranges = {}, .runtime = {}});
      if (index.ok() && index->has_value()) return From{one.operand, one.leaf, **std::move(index)};
    }
    return std::nullopt;
  };
  int64_t steps = kMaxFollowSteps;
  return follow_source(region, std::move(element), move, steps);
}

bool resolve_runtime_source(IndexingAnalysis& analysis, const HloModule& module,
                            int32_t computation, Scope scope, RuntimeSource& source) {
  const FollowRegion region = region_of(module, computation, scope);
  const Moves moves{analysis, region};
  bool known = true;
  using From = OperandElement<IndexingMap>;
  const auto move = [&](const ElementAt<IndexingMap>& at) -> std::optional<From> {
    const auto found = moves.to(at.position);
    if (found && found->empty()) return std::nullopt;
    known = false;
    if (!found) return std::nullopt;
    const Move& first = found->front();
    const auto sizes = sizes_of_result(module, moves.computation(at.position),
                                       at.position.instruction, at.position.leaf);
    if (!sizes.ok() || !is_whole(first.map, *sizes)) return std::nullopt;
    absl::StatusOr<IndexingMap> map = compose(at.index, first.map);
    if (map.ok()) map = simplify(*map);
    if (!map.ok()) return std::nullopt;
    known = true;
    return From{first.operand, first.leaf, *std::move(map)};
  };
  int64_t steps = kMaxFollowSteps;
  auto end =
      follow_source(region, ElementAt<IndexingMap>{source.position, source.map}, move, steps);
  if (!end) return false;
  source.position = std::move(end->position);
  source.map = std::move(end->index);
  return known;
}

}  // namespace tileproof::impl
