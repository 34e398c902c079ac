// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/fields.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "conform/protocol/memo.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

// In the order of the schema, and of `parsed` (conform/oracle/fields.h).
constexpr Field kFields[] = {
    {"shape", "SHAPE", "", Form::kShape},
    {"index", "an index of the array"},
    {"indices", "indices"},
    {"offset", "an offset in elements"},
    {"offsets", "offsets"},
    {"layout", "NESTED", "", Form::kLayout},
    {"threads", "MAP, of map.transactions", "string", Form::kMap},
    {"access", "MAP, of map.transactions and layout.banks", "string", Form::kMap},
    {"warp", "the threads of a warp; layout.element: of the place", "integer"},
    {"width", "the bytes of a transaction; map.check: bits", "integer"},
    {"inside", "map.check: [low, high] for each result", "array"},
    {"onto", "map.check: sizes", "array"},
    {"one_to_one", "map.check: true", "boolean"},
    {"bits", "layout.banks: the width of an element", "integer"},
    {"vector", "layout.banks: the bytes that a lane moves at once", "integer"},
    {"banks", "layout.banks: the number of banks", "integer"},
    {"bank_bytes", "layout.banks: the bytes of a word", "integer"},
    {"grid", "grid.check: the sizes of the grid", "array"},
    {"semantics", "grid.check: parallel or arbitrary, for each dimension", "array"},
    {"operands", "grid.check: name, kind, shape, block and index_map of each", "array"},
    {"register", "layout.element: of the place", "integer"},
    {"lane", "layout.element: of the place", "integer"},
    {"block", "layout.element: of the place", "integer"},
    {"map", "MAP", "string", Form::kMap},
    {"first", "MAP", "string", Form::kMap},
    {"second", "MAP", "string", Form::kMap},
    {"left", "MAP; hlo.equal: HLO", "string", Form::kMap},
    {"right", "MAP; hlo.equal: HLO", "string", Form::kMap},
    {"laws", "hlo.equal: names of laws or levels", "array"},
    {"sharding", "hlo.equal, shard.index: which part of an array each device holds"},
    {"device", "shard.index: the number of a device", "integer"},
    {"devices", "shard.index: how many there are", "integer"},
    {"dims", "values of the dimension variables", "array"},
    {"ranges", "values of the range variables", "array"},
    {"runtime", "values of the runtime variables", "array"},
    {"coord", "a coordinate, nested arrays"},
    {"tile", "sizes; hlo.tile: offsets, sizes and strides; tile.propagate: TILE"},
    {"tag", "tla.make: a tag such as zN", "string"},
    {"element_bits", "the width of an element", "integer"},
    {"rows", "tla.make: the rows of the matrix"},
    {"cols", "tla.make: the columns of the matrix"},
    {"by", "tla.*: the other NESTED, or a tiler"},
    {"size", "tla.complement: the size to fill"},
    {"hlo", "HLO", "string", Form::kHlo},
    {"direction", "output_to_input or input_to_output"},
    {"instruction", "hlo.*: the name of an instruction"},
    {"scope", "hlo.*: instruction or computation"},
    {"output", "hlo.*: the number of a leaf of the result"},
    {"input", "hlo.index: the number of a leaf of the operands"},
    {"note", "an unknown key, to be ignored"},
};

absl::Status read_values(const Json& json, absl::string_view key, std::vector<int64_t>& values) {
  const Json* given = find(json, key);
  if (given == nullptr) return absl::OkStatus();
  const auto* array = given->as<Json::Array>();
  if (array == nullptr) return invalid("expected ", key, " to be an array");
  for (const Json& item : *array) {
    const std::string found = shown(to_text(item), 60);
    if (const int64_t* value = item.as<int64_t>()) {
      values.push_back(*value);
    } else if (is_integer(item)) {
      return absl::OutOfRangeError(
          absl::StrCat("a value in ", key, ", ", found, ", does not fit 64 signed bits"));
    } else {
      return invalid("expected integers in ", key, ", found ", found);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<spec::TiledLayout> layout_of_text(absl::string_view text) {
  return spec::tiled_layout_of_valid(TRY(prefixed("shape", parse_shape(text))));
}

Memo<absl::StatusOr<spec::TiledLayout>>& layout_memo() {
  thread_local Memo<absl::StatusOr<spec::TiledLayout>> layouts;
  return layouts;
}

}  // namespace

absl::Span<const Field> request_fields() { return kFields; }

Form form_of(absl::string_view key) {
  for (const Field& field : kFields) {
    if (field.key == key) return field.form;
  }
  return Form::kOther;
}

absl::StatusOr<const Json*> required(const Json& request, absl::string_view key) {
  if (const Json* value = find(request, key)) return value;
  return invalid("expected the key \"", key, "\"");
}

absl::StatusOr<absl::string_view> required_text(const Json& request, absl::string_view key) {
  if (const auto* text = find_as<std::string>(request, key)) return absl::string_view(*text);
  return invalid("expected the key \"", key, "\", a string");
}

absl::StatusOr<int64_t> integer_in(const Json& json, absl::string_view what) {
  if (const int64_t* value = json.as<int64_t>()) return *value;
  const std::string found = shown(to_text(json), 60);
  if (is_integer(json)) {
    return invalid(what, " ", found, " does not fit 64 signed bits");
  }
  return invalid("expected ", what, " to be an integer, found ", found);
}

absl::StatusOr<int64_t> integer_under(const Json& request, absl::string_view key) {
  return integer_in(*TRY(required(request, key)), key);
}

const absl::StatusOr<spec::TiledLayout>& reference_layout(absl::string_view text) {
  return layout_memo().get(text, layout_of_text);
}

const absl::StatusOr<spec::TiledLayout>& reference_layout(const Shape& shape,
                                                          absl::string_view text) {
  return layout_memo().get(
      text, [&shape](absl::string_view) { return spec::tiled_layout_of_valid(shape); });
}

Json arrays(const IntTuple& tuple) {
  if (!tuple.is_tuple) return tuple.value;
  Json::Array result;
  for (const IntTuple& element : tuple.elements) result.push_back(arrays(element));
  return result;
}

absl::StatusOr<IntTuple> int_tuple_in(const Json& json, absl::string_view what) {
  const auto* array = json.as<Json::Array>();
  if (array == nullptr) {
    const int64_t value = TRY(integer_in(json, what));
    return make_integer(value);
  }
  IntTuple tuple = make_tuple({});
  for (const Json& item : *array) {
    tuple.elements.push_back(TRY(int_tuple_in(item, what)));
  }
  return tuple;
}

absl::StatusOr<NestedLayout> nested_under(const Json& request, absl::string_view key) {
  return parsed_field(request, key, [](absl::string_view t) { return parse_nested_layout(t); });
}

Json json_of_places(const std::vector<Place>& places) {
  Json::Array list;
  for (const Place& place : places) {
    Json json = json_object({});
    for (size_t i = 0; i < place.size(); ++i) set(json, kPlaceNames[i], place[i]);
    list.push_back(std::move(json));
  }
  return Json(std::move(list));
}

const absl::StatusOr<IndexingMap>& map_of_text(absl::string_view text) {
  thread_local Memo<absl::StatusOr<IndexingMap>> maps;
  return maps.get(text, [](absl::string_view t) {
    absl::StatusOr<IndexingMap> map = parse_map(t);
    if (!map.ok() || !map->known_empty) return map;
    return absl::StatusOr<IndexingMap>(
        invalid("column 1: expected '(' to open the map, found 'KNOWN'"));
  });
}

absl::StatusOr<const IndexingMap*> map_here(const Json& request, absl::string_view key) {
  const absl::StatusOr<IndexingMap>& map = map_of_text(TRY(required_text(request, key)));
  if (map.ok()) return &*map;
  return invalid(key, ": ", map.status().message());
}

absl::StatusOr<IndexingMap> map_under(const Json& request, absl::string_view key) {
  const IndexingMap* map = TRY(map_here(request, key));
  return *map;
}

absl::StatusOr<spec::Point> point_in(const Json& json) {
  spec::Point point;
  for (const auto& [key, kind] : kValueKeys) {
    TRY(read_values(json, key, values_of(point, kind)));
  }
  return point;
}

Json point_json(const spec::Point& point) {
  return json_object({{"dims", point.dims}, {"ranges", point.ranges}, {"runtime", point.runtime}});
}

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
