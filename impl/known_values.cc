// Values of offsets that are known inside a computation.
#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "impl/simplify.h"
#include "impl/trace.h"

namespace tileproof::impl {
namespace {

// The only integer of a literal of one element: `7`, `{7}`, `true`. Beyond int64 the nearest one
// will do, as it is clamped anyway.
std::optional<int64_t> integer_of_literal(absl::string_view text) {
  const auto strip = [&text] { text = absl::StripAsciiWhitespace(text); };
  for (strip(); absl::ConsumePrefix(&text, "{") && absl::ConsumeSuffix(&text, "}"); strip()) {
  }
  if (text == "true" || text == "false") return text == "true" ? 1 : 0;
  int64_t value;
  if (absl::SimpleAtoi(text, &value)) return value;
  const bool negative = absl::ConsumePrefix(&text, "-");
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  return negative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

// Each element of the result is one element of one operand, the same value.
bool only_moves_elements(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBroadcast:
    case HloOpcode::kCopy:
    case HloOpcode::kGetTupleElement:
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

// The element that a runtime variable reads, followed to where its value comes from. Its index is a
// function of the output index and of the range variables, which count as further dimensions here.
struct Read {
  RelationPtr at;
  Dims variables;  // sizes of the dimensions
  int32_t instruction;
  int32_t leaf;
};

// Nothing where the index of the element depends on runtime variables itself.
std::optional<Read> read_of(const Relation& relation, size_t variable, const Dims& output,
                            const ComputationView& view) {
  size_t first = relation.rank;
  for (size_t i = 0; i < variable; ++i) first += relation.runtime[i].rank;
  const RuntimeValue& value = relation.runtime[variable];
  const auto results = relation.map.results.begin() + static_cast<std::ptrdiff_t>(first);
  Relation at;
  at.rank = value.rank;
  at.map.results.assign(results, results + value.rank);
  at.map.dimensions = relation.map.dimensions;
  at.map.nodes = relation.map.nodes;
  Dims variables = output;
  for (const Variable& range : relation.map.ranges) {
    at.map.dimensions.push_back(range);
    variables.push_back(range.bounds.high + 1);
  }
  std::vector<char> fixed;
  for (Node& node : at.map.nodes) {
    const bool leaf = is_leaf(node.op);
    fixed.push_back(leaf ? node.op != Op::kRuntime : fixed[node.left] && fixed[node.right]);
    if (node.op == Op::kRange)
      node = {.op = Op::kDimension, .value = node.value + std::ssize(output)};
    if (node.op == Op::kRuntime) node = {};
  }
  for (NodeId result : at.map.results) {
    if (!fixed[result]) return std::nullopt;
  }
  const int32_t number = view.first_leaf[value.place.instruction] + value.place.leaf;
  RelationPtr done = finish(std::move(at), variables, view.sizes[number]);
  return Read{std::move(done), std::move(variables), value.place.instruction, value.place.leaf};
}

// One operation back; false where the value is made here.
bool follow(ComputationFlows& flows, Read& read) {
  const ComputationView& view = flows.view();
  const HloInstruction& instruction = view.computation().instructions[read.instruction];
  if (!only_moves_elements(instruction.opcode)) return false;
  const absl::StatusOr<Flows>& step = flows.of(read.instruction, read.leaf);
  if (!step.ok() || step->flows.size() != 1) return false;
  const Flow& flow = step->flows[0];
  if (flow.relation->inexact || !flow.relation->map.ranges.empty()) return false;
  const int32_t operand = instruction.operands[flow.operand].instruction;
  const Dims& between = view.sizes[view.first_leaf[read.instruction] + read.leaf];
  const Dims& sizes = view.sizes[view.first_leaf[operand] + flow.leaf];
  RelationPtr moved = compose(read.at, flow.relation, read.variables, between, sizes);
  if (!moved) return false;
  read.at = std::move(moved);
  read.instruction = operand;
  read.leaf = flow.leaf;
  return true;
}

// The value, appended to the nodes of the map, which is that of `read`.
std::optional<NodeId> known_value(const ComputationView& view, const Read& read, Interval feasible,
                                  IndexingMap& map) {
  const HloInstruction& instruction = view.computation().instructions[read.instruction];
  if (instruction.opcode == HloOpcode::kConstant) {
    const Dims& sizes = view.sizes[view.first_leaf[read.instruction] + read.leaf];
    if (!std::ranges::all_of(sizes, [](int64_t size) { return size == 1; })) return std::nullopt;
    const std::optional<int64_t> value = integer_of_literal(instruction.literal);
    if (!value) return std::nullopt;
    return add_constant(map.nodes, std::clamp(*value, feasible.low, feasible.high));
  }
  if (instruction.opcode != HloOpcode::kIota) return std::nullopt;
  const auto dimension = integer_of(instruction, "iota_dimension");
  if (!dimension.ok() || *dimension < 0 || *dimension >= read.at->rank) return std::nullopt;
  const NodeId expr = map.results[*dimension];
  const absl::StatusOr<Interval> range = range_of(map, expr);
  if (!range.ok()) return std::nullopt;
  if (range->low == range->high) {
    return add_constant(map.nodes, std::clamp(range->low, feasible.low, feasible.high));
  }
  const bool inside = feasible.low <= range->low && range->high <= feasible.high;
  return inside ? std::optional(expr) : std::nullopt;
}

// The expression `value` of `from`, appended to the relation's nodes.
NodeId append(Relation& relation, const IndexingMap& from, NodeId value) {
  const auto shift = static_cast<NodeId>(relation.map.nodes.size());
  const int64_t dimensions = std::ssize(relation.map.dimensions);
  for (Node node : from.nodes) {
    if (!is_leaf(node.op)) {
      node.left += shift;
      node.right += shift;
    }
    if (node.op == Op::kDimension && node.value >= dimensions) {
      node = {.op = Op::kRange, .value = node.value - dimensions};
    }
    relation.map.nodes.push_back(node);
  }
  return value + shift;
}

}  // namespace

RelationPtr with_known_values(ComputationFlows& flows, const RelationPtr& relation,
                              const Dims& output, const Dims& operand) {
  RelationPtr now = relation;
  for (size_t i = now->runtime.size(); now && i-- > 0;) {
    if (i >= now->runtime.size() || !now->runtime[i].place.calls.empty()) continue;
    std::optional<Read> read = read_of(*now, i, output, flows.view());
    if (!read) continue;
    while (follow(flows, *read)) {
    }
    IndexingMap map = read->at->map;
    const auto value = known_value(flows.view(), *read, now->runtime[i].feasible, map);
    if (!value) continue;
    Relation filled = *now;
    const NodeId expr = append(filled, map, *value);
    now = simplified(with_value(std::move(filled), static_cast<int32_t>(i), expr), output, operand);
  }
  return now;
}

}  // namespace tileproof::impl
