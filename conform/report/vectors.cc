// SPDX-License-Identifier: Apache-2.0
#include "conform/report/vectors.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/suites.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {
namespace {

constexpr Defined kFlags[] = {
    {"invalid", "the request is invalid: an error is right"},
    {"large", "the request has a number of 2^31 or more"},
    {"scalar", "an array without dimensions"},
    {"empty", "an array without elements, or a variable without values"},
    {"bounded", "a dimension is written <=n"},
    {"transposed", "minor_to_major is not row-major"},
    {"tiled", "the layout has tiles"},
    {"tiles", "the layout has more than one tile"},
    {"combine", "a tile combines dimensions: *"},
    {"long-tile", "a tile has more sizes than the array has dimensions"},
    {"padding", "the layout has more elements than the array"},
    {"tail", "the size is aligned: L(n)"},
    {"bits", "the element size is given: E(n)"},
    {"ignored", "the layout has parts that never matter: S, SC, M"},
    {"list", "several questions in one request"},
    {"ranges", "a map has range variables"},
    {"runtime", "a map has runtime variables"},
    {"named", "a variable has a name of its own"},
    {"constraint", "a map has constraints"},
    {"negative-divisor", "something is divided by a negative number"},
    {"ceildiv", "a map has a ceildiv"},
    {"product", "a product of two expressions that are not constant"},
    {"unequal", "the two maps are not equal"},
    {"computation", "a computation of several operations"},
    {"called", "a computation with a fusion or a call"},
    {"offsets", "an operation has offsets or indices"},
    {"tuple", "the result is a tuple"},
    {"repeated", "an instruction has the same operand at two positions"},
    {"parameters", "the scope is the computation, up to its parameters"},
};

constexpr Defined kVariations[] = {
    {"none", "no other answer is right; the message of an error does not matter"},
    {"or-error", "an error is right too, because a number may not fit 64 bits"},
    {"same-map",
     "any map with the same meaning, variables and names is right; so is an error if a number may "
     "not fit 64 bits"},
    {"any-point",
     "any point where the maps differ, or that refutes the fact, is right; {\"equal\": null} and "
     "{\"holds\": null} leave the question open"},
    {"same-relation", "any lists of maps, or tiles, that are the same relations are right"},
    {"free-strides",
     "any stride of an extent of 1 is right; tla.left_inverse may be any left inverse of the "
     "layout"},
};

constexpr absl::string_view kAdded[] = {"case", "valid", "flags", "answer", "variation"};

using Flags = std::set<std::string>;

void flags_of_shape(const Shape& shape, Flags& flags) {
  if (shape.kind != Shape::Kind::kArray) return;
  const Layout layout = layout_of(shape);
  if (shape.rank() == 0) flags.insert("scalar");
  for (const Dimension& d : shape.dimensions) {
    if (d.kind == Dimension::Kind::kBounded) flags.insert("bounded");
    if (d.kind == Dimension::Kind::kFixed && d.size == 0) flags.insert("empty");
  }
  if (layout.minor_to_major != default_layout(shape.rank()).minor_to_major) {
    flags.insert("transposed");
  }
  if (!layout.tiles.empty()) flags.insert("tiled");
  if (layout.tiles.size() > 1) flags.insert("tiles");
  for (const Tile& tile : layout.tiles) {
    if (std::count(tile.dims.begin(), tile.dims.end(), Tile::kCombine) > 0) flags.insert("combine");
    if (std::ssize(tile.dims) > shape.rank()) flags.insert("long-tile");
  }
  if (layout.tail_padding_alignment != 1) flags.insert("tail");
  if (layout.element_size_in_bits != 0) flags.insert("bits");
  if (layout.memory_space != 0 || !layout.splits.empty() ||
      layout.dynamic_shape_metadata_prefix_bytes != 0) {
    flags.insert("ignored");
  }
  const absl::StatusOr<spec::TiledLayout> tiled = spec::tiled_layout(shape);
  if (!tiled.ok()) return;
  int64_t volume = 1;
  for (int64_t size : tiled->logical()) volume *= size;  // fits, because tiled->elements() fits
  if (tiled->elements() > volume) flags.insert("padding");
}

void flags_of_map(const IndexingMap& map, Flags& flags) {
  if (!map.ranges.empty()) flags.insert("ranges");
  if (!map.runtime.empty()) flags.insert("runtime");
  if (!map.constraints.empty()) flags.insert("constraint");
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) {
      if (!variable.name.empty()) flags.insert("named");
      if (variable.bounds.low > variable.bounds.high) flags.insert("empty");
    }
  }
  for (const Node& node : map.nodes) {
    if (node.op == Op::kCeilDiv) flags.insert("ceildiv");
    if (is_leaf(node.op)) continue;
    const Node& right = map.nodes[node.right];
    const bool constant = right.op == Op::kConstant;
    if (node.op > Op::kMul && constant && right.value < 0) flags.insert("negative-divisor");
    if (node.op == Op::kMul && !constant && map.nodes[node.left].op != Op::kConstant) {
      flags.insert("product");
    }
  }
}

void flags_of_module(const HloModule& module, Flags& flags) {
  const HloComputation& entry = module.computations[module.entry];
  int64_t operations = 0;
  for (const HloInstruction& at : entry.instructions) {
    operations += at.opcode == HloOpcode::kParameter ? 0 : 1;
    if (at.opcode == HloOpcode::kFusion || at.opcode == HloOpcode::kCall) flags.insert("called");
    for (HloOpcode opcode : {HloOpcode::kDynamicSlice, HloOpcode::kDynamicUpdateSlice,
                             HloOpcode::kGather, HloOpcode::kScatter}) {
      if (at.opcode == opcode) flags.insert("offsets");
    }
    std::set<int32_t> operands;
    for (const HloOperand& operand : at.operands) {
      if (!operands.insert(operand.instruction).second) flags.insert("repeated");
    }
    if (!at.shape || at.shape->kind != Shape::Kind::kArray) continue;
    for (const Dimension& d : at.shape->dimensions) {
      if (d.size == 0) flags.insert("empty");
    }
  }
  if (operations > 1) flags.insert("computation");
  const HloInstruction& root = entry.instructions[entry.root];
  if (root.shape && root.shape->kind == Shape::Kind::kTuple) flags.insert("tuple");
}

bool has_large_number(const std::string& text) {
  for (const TextNumber& number : numbers_in(text)) {
    int64_t value;
    if (!read_number(text, number, value) || value >= int64_t{1} << 31) return true;
  }
  return false;
}

Flags flags_of(const Json& request, const Json& answer) {
  Flags flags;
  if (find(answer, "error") != nullptr) flags.insert("invalid");
  if (has_large_number(to_text(request))) flags.insert("large");
  if (find(request, "indices") != nullptr || find(request, "offsets") != nullptr) {
    flags.insert("list");
  }
  if (const auto* text = find_as<std::string>(request, "shape")) {
    const absl::StatusOr<Shape> shape = parse_shape(*text);
    if (shape.ok()) flags_of_shape(*shape, flags);
  }
  for (const char* key : {"map", "first", "second", "left", "right"}) {
    const auto* text = find_as<std::string>(request, key);
    const absl::StatusOr<IndexingMap> map = text == nullptr ? invalid("") : parse_map(*text);
    if (map.ok()) flags_of_map(*map, flags);
  }
  if (const auto* text = find_as<std::string>(request, "hlo")) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(*text);
    if (module.ok()) flags_of_module(*module, flags);
    const auto* scope = find_as<std::string>(request, "scope");
    if (scope != nullptr && *scope == "computation") flags.insert("parameters");
  }
  const Json* result = find(answer, "result");
  if (result != nullptr && is(*result, "equal", false)) flags.insert("unequal");
  return flags;
}

absl::string_view variation_of(const Json& request, const Json& answer) {
  const Operation* operation = operation_named(*find_as<std::string>(request, "op"));
  const Json* result = find(answer, "result");
  if (operation == nullptr || result == nullptr) return "none";
  if (operation->variation.empty()) {
    const bool may_fail = operation->exact != nullptr && operation->exact(request).error_is_right;
    return may_fail ? "or-error" : "none";
  }
  const bool has_point = to_text(*result).find('[') != std::string::npos;
  return operation->variation == "any-point" && !has_point ? "none" : operation->variation;
}

Json one_of(absl::Span<const Defined> table) {
  Json::Array list;
  for (const Defined& entry : table) {
    list.push_back(json_object({{"const", entry.name}, {"description", entry.meaning}}));
  }
  return json_object({{"oneOf", std::move(list)}});
}

Json of_type(absl::string_view type, absl::string_view description) {
  return json_object({{"type", type}, {"description", description}});
}

Json names_of_operations() {
  Json::Array names;
  for (const Operation& operation : operations()) names.push_back(operation.name);
  return names;
}

}  // namespace

absl::Span<const Defined> vector_flags() { return kFlags; }
absl::Span<const Defined> vector_variations() { return kVariations; }

absl::StatusOr<Json> vector_line(Json id, const Json& request, const Json& right) {
  if (const Json* why = find(right, "no_example")) {
    return absl::InternalError(absl::StrCat(*why->as<std::string>(), ": ", to_text(request)));
  }
  Json::Array flags;
  for (const std::string& flag : flags_of(request, right)) flags.push_back(flag);
  Json line = with_id(std::move(id), request);
  set(line, "case", case_id(case_hash(request)));
  set(line, "valid", find(right, "error") == nullptr);
  set(line, "flags", std::move(flags));
  set(line, "answer", right);
  set(line, "variation", variation_of(request, right));
  return line;
}

void remove_vector_keys(Json& request) {
  for (absl::string_view key : kAdded) remove(request, key);
}

Json vector_schema() {
  const Json answer = json_object(
      {{"type", "object"},
       {"description", "the right answer, without id (docs/protocol.md)"},
       {"minProperties", 1},
       {"properties",
        json_object({{"result", json_object({{"description", "if the request is valid"}})},
                     {"error", of_type("string", "why the request is invalid")},
                     {"inexact", of_type("array", "hlo.index: lists that are supersets")}})},
       {"additionalProperties", false}});
  Json properties = json_object({{"id", of_type("integer", "the number of the line, from 1")},
                                 {"op", json_object({{"enum", names_of_operations()}})}});
  for (const Field& field : request_fields()) {
    set(properties, field.key,
        field.type.empty() ? json_object({{"description", field.description}})
                           : of_type(field.type, field.description));
  }
  for (const Member& added :
       {Member{"case", json_object({{"type", "string"}, {"pattern", "^[0-9a-f]{16}$"}})},
        {"valid", of_type("boolean", "false: an error is the right answer")},
        {"flags",
         json_object({{"type", "array"}, {"uniqueItems", true}, {"items", one_of(kFlags)}})},
        {"answer", answer},
        {"variation", one_of(kVariations)}}) {
    set(properties, added.key, added.value);
  }
  return json_object(
      {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
       {"title", "Tileproof test vectors, version 1: one line"},
       {"type", "object"},
       {"required", Json::Array{"id", "op", "case", "valid", "flags", "answer", "variation"}},
       {"properties", properties},
       {"additionalProperties", false}});
}

}  // namespace tileproof::conform
