// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/parsed.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "conform/oracle/fields.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

// [..]; `each` makes an item.
template <class List, class Each>
Json list_of(const List& list, Each each) {
  Json::Array items;
  for (const auto& item : list) items.push_back(each(item));
  return items;
}

Json json_of_array(const Shape& shape) {
  const Layout layout = layout_of(shape);
  const int64_t given = layout.element_size_in_bits;
  const auto size_of = [](const Dimension& d) {
    return d.kind == Dimension::Kind::kUnbounded ? Json() : Json(d.size);
  };
  const auto is_bounded = [](const Dimension& d) { return d.kind == Dimension::Kind::kBounded; };
  const auto tile_size = [](int64_t size) { return size == Tile::kCombine ? Json() : Json(size); };
  const auto json_of_split = [](const SplitConfig& split) {
    return json_object({{"dimension", split.dimension}, {"points", split.points}});
  };
  return json_object(
      {{"type", info(shape.element_type).name},
       {"bits", given != 0 ? given : int64_t{8} * byte_width(shape.element_type)},
       {"dims", list_of(shape.dimensions, size_of)},
       {"bounded", list_of(shape.dimensions, is_bounded)},
       {"minor_to_major", layout.minor_to_major},
       {"tiles",
        list_of(layout.tiles, [&](const Tile& tile) { return list_of(tile.dims, tile_size); })},
       {"tail", layout.tail_padding_alignment},
       {"memory_space", layout.memory_space},
       {"splits", list_of(layout.splits, json_of_split)},
       {"metadata_bytes", layout.dynamic_shape_metadata_prefix_bytes}});
}

Json json_of(const Shape& shape) {
  if (shape.kind == Shape::Kind::kArray) return json_of_array(shape);
  if (shape.kind == Shape::Kind::kBuffer)
    return json_object({{"buffer", json_of(shape.parts.front())}});
  return json_object(
      {{"tuple", list_of(shape.parts, [](const Shape& part) { return json_of(part); })}});
}

// Writes variables as d<i>, s<i> and rt<i>, whatever their names are.
Json json_of_expression(const IndexingMap& map, NodeId root) {
  const Node& node = map.nodes[root];
  if (node.op == Op::kConstant) return node.value;
  if (is_leaf(node.op)) return default_name(node.op, node.value);
  const char* const symbol = node.op == Op::kAdd        ? "+"
                             : node.op == Op::kMul      ? "*"
                             : node.op == Op::kFloorDiv ? "floordiv"
                             : node.op == Op::kCeilDiv  ? "ceildiv"
                                                        : "mod";
  return Json::Array{symbol, json_of_expression(map, node.left),
                     json_of_expression(map, node.right)};
}

Json json_of(const Interval& bounds) { return Json::Array{bounds.low, bounds.high}; }

Json json_of_variables(const IndexingMap& map, Op kind) {
  int64_t number = 0;
  return list_of(variables_of(map, kind), [&](const Variable& variable) {
    return json_object(
        {{"name", name_of(map, kind, number++)}, {"bounds", json_of(variable.bounds)}});
  });
}

Json json_of(const IndexingMap& map) {
  const auto expression = [&map](NodeId id) { return json_of_expression(map, id); };
  const auto constraint = [&](const Constraint& one) {
    return json_object({{"expr", expression(one.expr)}, {"bounds", json_of(one.interval)}});
  };
  return json_object({{"dims", json_of_variables(map, Op::kDimension)},
                      {"ranges", json_of_variables(map, Op::kRange)},
                      {"runtime", json_of_variables(map, Op::kRuntime)},
                      {"results", list_of(map.results, expression)},
                      {"constraints", list_of(map.constraints, constraint)}});
}

// A parameter also has its number, a constant its literal, a call the called computations.
// Attributes keep their text.
Json json_of(const HloInstruction& at) {
  Json::Object attributes;
  for (const HloAttribute& attribute : at.attributes) {
    attributes.push_back({attribute.name, attribute.value});
  }
  const auto number_of = [](const HloOperand& operand) { return int64_t{operand.instruction}; };
  Json json = json_object({{"name", at.name},
                           {"opcode", at.opcode_text},
                           {"shape", at.shape ? json_of(*at.shape) : Json()},
                           {"operands", list_of(at.operands, number_of)},
                           {"attributes", std::move(attributes)}});
  if (at.opcode == HloOpcode::kParameter) set(json, "parameter", at.parameter_number);
  if (at.opcode == HloOpcode::kConstant) set(json, "literal", at.literal);
  const auto called = [](const HloCall& call) { return int64_t{call.computation}; };
  if (!at.calls.empty()) set(json, "calls", list_of(at.calls, called));
  return json;
}

Json json_of(const HloModule& module) {
  const auto instruction = [](const HloInstruction& at) { return json_of(at); };
  const auto computation = [&](const HloComputation& one) {
    return json_object({{"name", one.name},
                        {"instructions", list_of(one.instructions, instruction)},
                        {"root", int64_t{one.root}}});
  };
  return json_object({{"computations", list_of(module.computations, computation)},
                      {"entry", int64_t{module.entry}}});
}

Json json_of(const NestedLayout& layout) {
  return json_object({{"shape", arrays(layout.shape)}, {"stride", arrays(layout.stride)}});
}

template <class Value>
Json json_or_null(const absl::StatusOr<Value>& value) {
  return value.ok() ? json_of(*value) : Json();
}

Json parsed_form(Form form, const std::string& text) {
  switch (form) {
    case Form::kShape:
      return json_or_null(parse_shape(text));
    case Form::kHlo:
      return json_or_null(parse_hlo_module(text));
    case Form::kLayout:
      return json_or_null(parse_nested_layout(text));
    case Form::kMap:
      return json_or_null(map_of_text(text));
    case Form::kOther:
      break;
  }
  return {};
}

}  // namespace

Json with_parsed(const Json& request) {
  Json::Object parsed;
  for (const Field& field : request_fields()) {
    const auto* text = find_as<std::string>(request, field.key);
    if (text == nullptr || field.form == Form::kOther) continue;
    parsed.push_back({std::string(field.key), parsed_form(field.form, *text)});
  }
  Json result = request;
  set(result, "parsed", std::move(parsed));
  return result;
}

bool asked_as_it_is(const Hello& hello) {
  return !hello.parsed && hello.integers == IntegerForm::kJson;
}

std::string text_to_send(const Json& request, const Hello& hello) {
  const Json sent = hello.parsed ? with_parsed(request) : request;
  return to_text(hello.integers == IntegerForm::kString ? integers_to_strings(sent) : sent);
}

}  // namespace tileproof::conform
