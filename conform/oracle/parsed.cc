// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/parsed.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/map_ops.h"
#include "conform/oracle/tla_ops.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

void append(std::string& out, int64_t integer) { append_text(out, Json(integer)); }
void append(std::string& out, absl::string_view text) { append_text(out, text); }
void append(std::string& out, const std::string& text) {
  append_text(out, absl::string_view(text));
}

// [a,b,..]; `each` writes an item.
template <class List, class Each>
void append_list(std::string& out, const List& list, Each each) {
  out += '[';
  bool first = true;
  for (const auto& item : list) {
    if (!std::exchange(first, false)) out += ',';
    each(item);
  }
  out += ']';
}

void append_integers(std::string& out, const std::vector<int64_t>& list) {
  append_list(out, list, [&out](int64_t n) { append(out, n); });
}

// ,"key": for every member of an object but the first.
void append_key(std::string& out, absl::string_view key) {
  absl::StrAppend(&out, ",\"", key, "\":");
}

void append_array(std::string& out, const Shape& shape) {
  const Layout layout = layout_of(shape);
  const int64_t given = layout.element_size_in_bits;
  out += "{\"type\":";
  append(out, info(shape.element_type).name);
  append_key(out, "bits");
  append(out, given != 0 ? given : int64_t{8} * byte_width(shape.element_type));
  append_key(out, "dims");
  append_list(out, shape.dimensions, [&out](const Dimension& d) {
    d.kind == Dimension::Kind::kUnbounded ? void(out += "null") : append(out, d.size);
  });
  append_key(out, "bounded");
  append_list(out, shape.dimensions, [&out](const Dimension& d) {
    out += d.kind == Dimension::Kind::kBounded ? "true" : "false";
  });
  append_key(out, "minor_to_major");
  append_integers(out, layout.minor_to_major);
  append_key(out, "tiles");
  append_list(out, layout.tiles, [&out](const Tile& tile) {
    append_list(out, tile.dims, [&out](int64_t size) {
      size == Tile::kCombine ? void(out += "null") : append(out, size);
    });
  });
  append_key(out, "tail");
  append(out, layout.tail_padding_alignment);
  append_key(out, "memory_space");
  append(out, layout.memory_space);
  append_key(out, "splits");
  append_list(out, layout.splits, [&out](const SplitConfig& split) {
    out += "{\"dimension\":";
    append(out, split.dimension);
    append_key(out, "points");
    append_integers(out, split.points);
    out += '}';
  });
  append_key(out, "metadata_bytes");
  append(out, layout.dynamic_shape_metadata_prefix_bytes);
  out += '}';
}

void append_shape(std::string& out, const Shape& shape) {
  if (shape.kind == Shape::Kind::kArray) return append_array(out, shape);
  const bool buffer = shape.kind == Shape::Kind::kBuffer;
  out += buffer ? "{\"buffer\":" : "{\"tuple\":";
  if (buffer) {
    append_shape(out, shape.parts.front());
  } else {
    append_list(out, shape.parts, [&out](const Shape& part) { append_shape(out, part); });
  }
  out += '}';
}

// Writes variables as d<i>, s<i> and rt<i>, whatever their names are.
void append_expression(std::string& out, const IndexingMap& map, NodeId root) {
  const Node& node = map.nodes[root];
  if (node.op == Op::kConstant) return append(out, node.value);
  if (is_leaf(node.op)) return append(out, default_name(node.op, node.value));
  out += node.op == Op::kAdd        ? "[\"+\","
         : node.op == Op::kMul      ? "[\"*\","
         : node.op == Op::kFloorDiv ? "[\"floordiv\","
         : node.op == Op::kCeilDiv  ? "[\"ceildiv\","
                                    : "[\"mod\",";
  append_expression(out, map, node.left);
  out += ',';
  append_expression(out, map, node.right);
  out += ']';
}

void append_bounds(std::string& out, const Interval& interval) {
  append_key(out, "bounds");
  absl::StrAppend(&out, "[", interval.low, ",", interval.high, "]}");
}

void append_variables(std::string& out, const IndexingMap& map, Op kind) {
  int64_t number = 0;
  append_list(out, variables_of(map, kind), [&](const Variable& variable) {
    out += "{\"name\":";
    append(out, name_of(map, kind, number++));
    append_bounds(out, variable.bounds);
  });
}

void append_map(std::string& out, const IndexingMap& map) {
  out += "{\"dims\":";
  append_variables(out, map, Op::kDimension);
  append_key(out, "ranges");
  append_variables(out, map, Op::kRange);
  append_key(out, "runtime");
  append_variables(out, map, Op::kRuntime);
  append_key(out, "results");
  append_list(out, map.results, [&](NodeId result) { append_expression(out, map, result); });
  append_key(out, "constraints");
  append_list(out, map.constraints, [&](const Constraint& constraint) {
    out += "{\"expr\":";
    append_expression(out, map, constraint.expr);
    append_bounds(out, constraint.interval);
  });
  out += '}';
}

// A parameter also has its number, a constant its literal, a call the called computations.
// Attributes keep their text.
void append_instruction(std::string& out, const HloInstruction& at) {
  out += "{\"name\":";
  append(out, at.name);
  append_key(out, "opcode");
  append(out, at.opcode_text);
  append_key(out, "shape");
  at.shape ? append_shape(out, *at.shape) : void(out += "null");
  append_key(out, "operands");
  append_list(out, at.operands,
              [&out](const HloOperand& o) { append(out, int64_t{o.instruction}); });
  append_key(out, "attributes");
  Json::Object attributes;
  for (const HloAttribute& attribute : at.attributes) {
    attributes.push_back({attribute.name, attribute.value});
  }
  append_text(out, Json(std::move(attributes)));
  if (at.opcode == HloOpcode::kParameter) {
    append_key(out, "parameter");
    append(out, at.parameter_number);
  }
  if (at.opcode == HloOpcode::kConstant) {
    append_key(out, "literal");
    append(out, at.literal);
  }
  if (!at.calls.empty()) {
    append_key(out, "calls");
    append_list(out, at.calls,
                [&out](const HloCall& call) { append(out, int64_t{call.computation}); });
  }
  out += '}';
}

void append_nested(std::string& out, const NestedLayout& layout) {
  append_text(out,
              json_object({{"shape", arrays(layout.shape)}, {"stride", arrays(layout.stride)}}));
}

void append_hlo(std::string& out, const HloModule& module) {
  out += "{\"computations\":";
  append_list(out, module.computations, [&out](const HloComputation& computation) {
    out += "{\"name\":";
    append(out, computation.name);
    append_key(out, "instructions");
    append_list(out, computation.instructions,
                [&out](const HloInstruction& at) { append_instruction(out, at); });
    append_key(out, "root");
    append(out, int64_t{computation.root});
    out += '}';
  });
  append_key(out, "entry");
  append(out, int64_t{module.entry});
  out += '}';
}

// Writes "key": and the parsed form of the text under that key, if the request has one.
template <class Parse, class Append>
void append_form(std::string& out, const Json& request, absl::string_view key, Parse parse,
                 Append append_value) {
  const auto* text = find_as<std::string>(request, key);
  if (text == nullptr) return;
  if (out.size() > 1) out += ',';
  append(out, key);
  out += ':';
  const auto& value = parse(*text);
  value.ok() ? append_value(out, *value) : void(out += "null");
}

}  // namespace

std::string parsed_text(const Json& request) {
  std::string out = "{";
  append_form(
      out, request, "shape", [](const std::string& t) { return parse_shape(t); }, append_shape);
  append_form(
      out, request, "hlo", [](const std::string& t) { return parse_hlo_module(t); }, append_hlo);
  append_form(
      out, request, "layout", [](const std::string& t) { return parse_nested_layout(t); },
      append_nested);
  for (const char* key : {"map", "first", "second", "left", "right", "threads", "access"}) {
    append_form(out, request, key, map_of_text, append_map);
  }
  return out + "}";
}

Json with_parsed(const Json& request) {
  Json result = request;
  set(result, "parsed", read_json(parsed_text(request))->value);
  return result;
}

bool asked_as_it_is(const Hello& hello) {
  return !hello.parsed && hello.integers == IntegerForm::kJson;
}

std::string text_to_send(const Json& request, const Hello& hello) {
  if (hello.integers == IntegerForm::kString) {
    return to_text(integers_to_strings(hello.parsed ? with_parsed(request) : request));
  }
  std::string text = to_text(request);
  if (!hello.parsed) return text;
  text.pop_back();
  absl::StrAppend(&text, ",\"parsed\":", parsed_text(request), "}");
  return text;
}

}  // namespace tileproof::conform
