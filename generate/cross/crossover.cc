// SPDX-License-Identifier: Apache-2.0
#include "generate/cross/crossover.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "generate/map/mutate_map.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/expr.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

// ---- maps

// Maps each used variable of `from` to a variable of `to` of the same kind.
class Renamed {
 public:
  Renamed(const IndexingMap& from, IndexingMap& to) : from_(from), to_(to) {}

  Node operator()(const Node& variable) {
    std::vector<Variable>& there = variables_of(to_, variable.op);
    if (there.empty())
      there.push_back({variables_of(from_, variable.op)[variable.value].bounds, ""});
    return {.op = variable.op, .value = variable.value % std::ssize(there)};
  }

 private:
  const IndexingMap& from_;
  IndexingMap& to_;
};

// Copies an expression of `from` to the table of `to`.
NodeId copied(const IndexingMap& from, NodeId root, IndexingMap& to) {
  Renamed renamed(from, to);
  std::vector<NodeId> place(root + 1, -1);
  std::vector<bool> used(root + 1, false);
  used[root] = true;
  for (NodeId id = root; id >= 0; --id) {  // operands come first in the table
    if (!used[id] || is_leaf(from.nodes[id].op)) continue;
    used[from.nodes[id].left] = used[from.nodes[id].right] = true;
  }
  for (NodeId id = 0; id <= root; ++id) {
    if (!used[id]) continue;
    const Node& node = from.nodes[id];
    if (node.op == Op::kConstant) {
      place[id] = add_constant(to.nodes, node.value);
    } else if (is_leaf(node.op)) {
      to.nodes.push_back(renamed(node));
      place[id] = static_cast<NodeId>(std::ssize(to.nodes) - 1);
    } else {
      place[id] = add_operation(to.nodes, node.op, place[node.left], place[node.right]);
    }
  }
  return place[root];
}

void take_bounds(Choose& choose, const IndexingMap& from, IndexingMap& to) {
  for (const Op kind : kVariableKinds) {
    const std::vector<Variable>& given = variables_of(from, kind);
    std::vector<Variable>& mine = variables_of(to, kind);
    if (given.empty() || mine.empty()) continue;
    mine[choose(std::ssize(mine))].bounds = given[choose(std::ssize(given))].bounds;
  }
}

// ---- modules

bool in_word(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
}

// Returns `text` with every word `name` replaced by `name.x`.
std::string with_suffix(absl::string_view text, absl::string_view name) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const absl::string_view word = text.substr(at, end - at);
    absl::StrAppend(&out, word, word == name ? ".x" : "");
    at = end;
  }
  return out;
}

// Gives all computations and instructions names that the other module does not have, also in the
// attributes that call them. The result is only for printing: its `calls` still have the old names.
void rename_all(HloModule& module) {
  for (HloComputation& computation : module.computations) {
    for (HloInstruction& instruction : computation.instructions) {
      instruction.name += ".x";
      for (const HloCall& call : instruction.calls) {
        if (call.computation < 0) continue;
        std::string& value = instruction.attributes[call.attribute].value;
        value = with_suffix(value, module.computations[call.computation].name);
      }
    }
  }
  for (HloComputation& computation : module.computations) {
    if (!computation.name.empty()) computation.name += ".x";
  }
}

// Returns a random value of instructions [0, end) whose shape fits, or -1 if there is none.
int32_t fitting(Choose& choose, const std::vector<HloInstruction>& instructions, int32_t end,
                const SharedShape& shape) {
  std::vector<int32_t> places;
  for (int32_t i = 0; i < end; ++i) {
    const SharedShape& there = instructions[i].shape;
    if (there && shape && compatible(*there, *shape)) places.push_back(i);
  }
  return places.empty() ? -1 : choose.pick(places);
}

}  // namespace

Shape crossover_shapes(Choose& choose, const Shape& left, const Shape& right) {
  if (left.kind != Shape::Kind::kArray || right.kind != Shape::Kind::kArray) return left;
  Shape shape = left;
  Layout layout = layout_of(left);
  const Layout other = layout_of(right);
  if (choose.chance(1, 3)) shape.element_type = right.element_type;
  for (Dimension& dimension : shape.dimensions) {
    if (right.rank() > 0 && choose.chance(1, 3)) dimension = choose.pick(right.dimensions);
  }
  const int64_t first = choose(std::ssize(layout.tiles) + 1);
  const int64_t rest = choose(std::ssize(other.tiles) + 1);
  layout.tiles.resize(first);
  layout.tiles.insert(layout.tiles.end(), other.tiles.begin() + rest, other.tiles.end());
  if (layout.tiles.size() > kMaxTiles) layout.tiles.resize(kMaxTiles);
  if (choose.chance(1, 3)) layout.tail_padding_alignment = other.tail_padding_alignment;
  if (choose.chance(1, 3)) layout.element_size_in_bits = other.element_size_in_bits;
  if (shape.rank() > 0 || layout != default_layout(0)) {
    shape.layout = std::move(layout);
  } else {
    shape.layout.reset();  // `f32[]{}` does not parse
  }
  return shape;
}

NestedLayout crossover_nested_layouts(Choose& choose, const NestedLayout& left,
                                      const NestedLayout& right) {
  const auto modes = [](const IntTuple& tuple) {
    return tuple.is_tuple ? tuple.elements : std::vector<IntTuple>{tuple};
  };
  const bool whole = choose.chance(1, 3);
  const int64_t kept = choose(rank(left.shape) + 1);
  const int64_t from = choose(rank(right.shape) + 1);
  const auto crossed = [&](const IntTuple& ours, const IntTuple& theirs) {
    std::vector<IntTuple> result = modes(ours);
    result.resize(kept);
    if (whole) {
      result.push_back(theirs);
    } else {
      const std::vector<IntTuple> others = modes(theirs);
      result.insert(result.end(), others.begin() + from, others.end());
    }
    return make_tuple(std::move(result));
  };
  NestedLayout layout = {crossed(left.shape, right.shape), crossed(left.stride, right.stride)};
  return validate(layout).ok() ? layout : left;
}

TaggedShape crossover_tagged_shapes(Choose& choose, const TaggedShape& left,
                                    const TaggedShape& right) {
  TaggedShape crossed = left;
  if (choose.chance(1, 2)) crossed.element_type = right.element_type;
  if (left.dims.size() != right.dims.size()) return crossed;
  if (choose.chance(1, 2)) crossed.tag = right.tag;
  for (size_t d = 0; d < crossed.dims.size(); ++d)
    if (choose.chance(1, 2)) crossed.dims[d] = right.dims[d];
  return crossed;
}

IndexingMap crossover_maps(Choose& choose, const IndexingMap& left, const IndexingMap& right) {
  if (left.known_empty || right.known_empty) return left;
  IndexingMap map = left;
  std::vector<Constraint> given = right.constraints;
  for (const NodeId result : right.results) given.push_back({result, {0, choose(64)}});
  if (!given.empty()) {
    const Constraint chosen = choose.pick(given);
    const NodeId expr = copied(right, chosen.expr, map);
    switch (choose(4)) {
      case 0:
        map.constraints.push_back({expr, chosen.interval});
        break;
      case 1:
        map.results.insert(map.results.begin() + choose(std::ssize(map.results) + 1), expr);
        break;
      default:
        if (map.results.empty()) {
          map.results.push_back(expr);
        } else {
          NodeId& result = map.results[choose(std::ssize(map.results))];
          result = choose.chance(1, 2) ? add_operation(map.nodes, Op::kAdd, result, expr) : expr;
        }
    }
  }
  if (choose.chance(1, 2)) take_bounds(choose, right, map);
  return acceptable(map) ? map : left;
}

std::string crossover_hlo(Choose& choose, const HloModule& left, const HloModule& right) {
  HloModule module = left;
  HloModule more = right;
  rename_all(more);
  HloComputation& entry = module.computations[module.entry];
  entry.signature.reset();
  const auto base = static_cast<int32_t>(std::ssize(entry.instructions));
  int64_t parameters = std::ssize(parameters_of(entry));
  HloComputation& tail = more.computations[more.entry];
  for (HloInstruction& instruction : tail.instructions) {
    if (instruction.opcode == HloOpcode::kParameter) instruction.parameter_number = parameters++;
    for (HloOperand& operand : instruction.operands) {
      const SharedShape& shape = tail.instructions[operand.instruction].shape;
      const int32_t other =
          choose.chance(1, 2) ? fitting(choose, entry.instructions, base, shape) : -1;
      operand = {other >= 0 ? other : operand.instruction + base, {}};
    }
  }
  entry.instructions.insert(entry.instructions.end(), tail.instructions.begin(),
                            tail.instructions.end());
  entry.root = base + tail.root;
  // A called computation comes before its caller.
  more.computations.erase(more.computations.begin() + more.entry);
  module.computations.insert(module.computations.begin(), more.computations.begin(),
                             more.computations.end());
  module.entry += static_cast<int32_t>(std::ssize(more.computations));
  return to_text(module);
}

}  // namespace tileproof
