#include "verify/conform/parsed.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "spec/lang/hlo_text.h"
#include "spec/lang/map_text.h"
#include "spec/lang/shape_text.h"
#include "verify/conform/tla_ops.h"

namespace tileproof::conform {
namespace {

Json parsed_tile(const Tile& tile) {
  Json::Array sizes;
  for (int64_t size : tile.dims) sizes.push_back(size == Tile::kCombine ? Json() : Json(size));
  return sizes;
}

Json parsed_array(const Shape& shape) {
  Json::Array dims, bounded, tiles, splits;
  for (const Dimension& d : shape.dimensions) {
    dims.push_back(d.kind == Dimension::Kind::kUnbounded ? Json() : Json(d.size));
    bounded.push_back(d.kind == Dimension::Kind::kBounded);
  }
  const Layout layout = layout_of(shape);
  for (const Tile& tile : layout.tiles) tiles.push_back(parsed_tile(tile));
  for (const SplitConfig& split : layout.splits) {
    splits.push_back(json_object({{"dimension", split.dimension}, {"points", split.points}}));
  }
  const int64_t given = layout.element_size_in_bits;
  return json_object({{"type", info(shape.element_type).name},
                      {"bits", given != 0 ? given : int64_t{8} * byte_width(shape.element_type)},
                      {"dims", std::move(dims)},
                      {"bounded", std::move(bounded)},
                      {"minor_to_major", layout.minor_to_major},
                      {"tiles", std::move(tiles)},
                      {"tail", layout.tail_padding_alignment},
                      {"memory_space", layout.memory_space},
                      {"splits", std::move(splits)},
                      {"metadata_bytes", layout.dynamic_shape_metadata_prefix_bytes}});
}

// Variables are always called d<i>, s<i>, rt<i> here.
Json parsed_node(const Node& node, const std::vector<Json>& operands) {
  if (node.op == Op::kConstant) return node.value;
  if (is_leaf(node.op)) return default_name(node.op, node.value);
  const char* name = node.op == Op::kAdd        ? "+"
                     : node.op == Op::kMul      ? "*"
                     : node.op == Op::kFloorDiv ? "floordiv"
                     : node.op == Op::kCeilDiv  ? "ceildiv"
                                                : "mod";
  return Json::Array{name, operands[node.left], operands[node.right]};
}

Json parsed_variables(const IndexingMap& map, Op kind) {
  Json::Array variables;
  for (const Variable& variable : variables_of(map, kind)) {
    const int64_t number = std::ssize(variables);
    variables.push_back(
        json_object({{"name", name_of(map, kind, number)},
                     {"bounds", Json::Array{variable.bounds.low, variable.bounds.high}}}));
  }
  return variables;
}

// The literal of a constant, the number of a parameter and the computations called are there where
// there are any; attributes are kept as they are written.
Json parsed_instruction(const HloInstruction& at) {
  Json::Array operands;
  for (const HloOperand& operand : at.operands) operands.push_back(operand.instruction);
  Json::Object attributes;
  for (const HloAttribute& attribute : at.attributes) {
    attributes.push_back({attribute.name, attribute.value});
  }
  Json json = json_object({{"name", at.name},
                           {"opcode", at.opcode_text},
                           {"shape", at.shape ? parsed_shape(*at.shape) : Json()},
                           {"operands", std::move(operands)},
                           {"attributes", std::move(attributes)}});
  if (at.opcode == HloOpcode::kParameter) set(json, "parameter", at.parameter_number);
  if (at.opcode == HloOpcode::kConstant) set(json, "literal", at.literal);
  Json::Array calls;
  for (const HloCall& call : at.calls) calls.push_back(call.computation);
  if (!calls.empty()) set(json, "calls", std::move(calls));
  return json;
}

}  // namespace

Json parsed_map(const IndexingMap& map) {
  std::vector<Json> nodes;
  for (const Node& node : map.nodes) nodes.push_back(parsed_node(node, nodes));
  Json::Array results, constraints;
  for (NodeId result : map.results) results.push_back(nodes[result]);
  for (const Constraint& constraint : map.constraints) {
    const auto& [low, high] = constraint.interval;
    constraints.push_back(
        json_object({{"expr", nodes[constraint.expr]}, {"bounds", Json::Array{low, high}}}));
  }
  return json_object({{"dims", parsed_variables(map, Op::kDimension)},
                      {"ranges", parsed_variables(map, Op::kRange)},
                      {"runtime", parsed_variables(map, Op::kRuntime)},
                      {"results", std::move(results)},
                      {"constraints", std::move(constraints)}});
}

Json parsed_shape(const Shape& shape) {
  if (shape.kind == Shape::Kind::kArray) return parsed_array(shape);
  if (shape.kind == Shape::Kind::kBuffer) {
    return json_object({{"buffer", parsed_shape(shape.parts.front())}});
  }
  Json::Array parts;
  for (const Shape& part : shape.parts) parts.push_back(parsed_shape(part));
  return json_object({{"tuple", std::move(parts)}});
}

Json parsed_hlo(const HloModule& module) {
  Json::Array computations;
  for (const HloComputation& computation : module.computations) {
    Json::Array instructions;
    for (const HloInstruction& at : computation.instructions) {
      instructions.push_back(parsed_instruction(at));
    }
    computations.push_back(json_object({{"name", computation.name},
                                        {"instructions", std::move(instructions)},
                                        {"root", computation.root}}));
  }
  return json_object({{"computations", std::move(computations)}, {"entry", module.entry}});
}

Json parsed_nested(const NestedLayout& layout) {
  return json_object({{"shape", arrays(layout.shape)}, {"stride", arrays(layout.stride)}});
}

Json with_parsed(const Json& request) {
  Json::Object forms;
  const Json* given = find(request, "shape");
  if (const auto* text = given == nullptr ? nullptr : given->as<std::string>()) {
    const absl::StatusOr<Shape> shape = parse_shape(*text);
    forms.push_back({"shape", shape.ok() ? parsed_shape(*shape) : Json()});
  }
  if (find(request, "layout") != nullptr) {
    const absl::StatusOr<NestedLayout> layout = nested_under(request);
    forms.push_back({"layout", layout.ok() ? parsed_nested(*layout) : Json()});
  }
  const Json* hlo_given = find(request, "hlo");
  if (const auto* text = hlo_given == nullptr ? nullptr : hlo_given->as<std::string>()) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(*text);
    forms.push_back({"hlo", module.ok() ? parsed_hlo(*module) : Json()});
  }
  for (const char* key : {"map", "first", "second", "left", "right"}) {
    const Json* map_given = find(request, key);
    if (const auto* text = map_given == nullptr ? nullptr : map_given->as<std::string>()) {
      const absl::StatusOr<IndexingMap> map = parse_map(*text);
      forms.push_back({key, map.ok() ? parsed_map(*map) : Json()});
    }
  }
  Json result = request;
  set(result, "parsed", std::move(forms));
  return result;
}

}  // namespace tileproof::conform
