// SPDX-License-Identifier: Apache-2.0
// What the readers of texts make of the texts in corpus/readers: the value, printed again, or the error.
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/answers_testing.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/literal_words.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/checked_op_testing.h"
#include "spec/lang/hlo/device_groups.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/hlo/operand_walk.h"
#include "spec/lang/hlo/sharding.h"
#include "spec/lang/hlo_proto/hlo_proto.h"
#include "spec/lang/hlo_proto/message.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/memref_text.h"
#include "spec/lang/map/mlir_text.h"
#include "spec/lang/map/symbolic_tile.h"
#include "spec/lang/stablehlo/op_text.h"
#include "spec/lang/stablehlo/stablehlo_text.h"

namespace tileproof {
namespace {

template <class Value>
std::string error_of(const absl::StatusOr<Value>& value) {
  return std::string(value.status().message());
}

// The value as text, which must be read as the same value.
template <class Value, absl::StatusOr<Value> (*parse)(absl::string_view)>
std::string printed(absl::string_view text) {
  const absl::StatusOr<Value> value = parse(text);
  if (!value.ok()) return error_of(value);
  const std::string again = to_text(*value);
  const absl::StatusOr<Value> same = parse(again);
  EXPECT_TRUE(same.ok() && *same == *value) << text << " is printed as " << again;
  return again;
}

// An expression of d0, d1 and s0.
std::string expression(absl::string_view text) {
  constexpr absl::string_view kBefore = "(d0, d1)[s0] -> (",
                              kBehind = "), domain: d0 in [0, 9], d1 in [0, 9], s0 in [0, 9]";
  const std::string map = printed<IndexingMap, parse_map>(absl::StrCat(kBefore, text, kBehind));
  return std::string(absl::StripSuffix(absl::StripPrefix(map, kBefore), kBehind));
}

// The tree of an expression that is printed as it is written: "(d0 + -3)".
std::string tree_of(const IndexingMap& map, NodeId id) {
  const Node& node = map.nodes[id];
  if (node.op == Op::kConstant) return absl::StrCat(node.value);
  if (is_leaf(node.op)) return name_of(map, node.op, node.value);
  return absl::StrCat("(", tree_of(map, node.left), symbol_of(node.op), tree_of(map, node.right),
                      ")");
}

std::string tree(absl::string_view text) {
  EXPECT_EQ(expression(text), text);
  const auto map = parse_map(absl::StrCat("(d0, d1)[s0] -> (", text,
                                          "), domain: d0 in [0, 9], d1 in [0, 9], s0 in [0, 9]"));
  return map.ok() ? tree_of(*map, map->results[0]) : error_of(map);
}

// `floordiv [-5, 9] [4, 4]`
std::string interval(absl::string_view text) {
  Cursor cursor(text);
  const absl::string_view word = cursor.take_identifier();
  Op op = Op::kAdd;
  for (const Op other : {Op::kMul, Op::kFloorDiv, Op::kCeilDiv, Op::kMod}) {
    if (absl::StripAsciiWhitespace(symbol_of(other)) == (word == "times" ? "*" : word)) op = other;
  }
  std::vector<int64_t> bounds;
  while (cursor.take("[") || cursor.take(",") || cursor.take("]"))
    if (cursor.at_integer()) bounds.push_back(cursor.take_integer("a bound").value());
  const auto found = interval_of(op, {bounds.at(0), bounds.at(1)}, {bounds.at(2), bounds.at(3)});
  return found ? absl::StrCat("[", found->low, ", ", found->high, "]") : "none";
}

std::string symbolic_tile(absl::string_view text) {
  const absl::StatusOr<SymbolicTile> tile = parse_symbolic_tile(text);
  return tile.ok() ? to_text(*tile) : error_of(tile);
}

std::string layout_form_name(absl::string_view text) {
  constexpr const char* kNames[] = {"shape", "nested", "tagged"};
  return kNames[static_cast<int>(layout_form(text))];
}

std::string offset(absl::string_view text) {
  const absl::StatusOr<MemRef> memref = parse_memref(text);
  return memref.ok() ? to_text(memref->map) : error_of(memref);
}

// The bits of an element type of MLIR; 0 if they are below a byte or not known.
std::string bits_of_type(absl::string_view type) {
  const absl::StatusOr<MemRef> memref = parse_memref(absl::StrCat("memref<4x", type, ">"));
  return memref.ok() ? absl::StrCat(memref->element_bits.value_or(0)) : error_of(memref);
}

std::string compatible_shapes(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> pair = absl::StrSplit(text, " and ");
  const auto a = parse_shape(pair.first), b = parse_shape(pair.second);
  if (!a.ok() || !b.ok()) return error_of(a.ok() ? b : a);
  EXPECT_EQ(compatible(*a, *b), compatible(*b, *a)) << text;
  return compatible(*a, *b) ? "may be one another" : "differ";
}

std::string offset_with_symbols(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_memref_with_symbols(text);
  return map.ok() ? to_text(*map) : error_of(map);
}

// A line for each map and memref of the text.
std::string mlir_items(absl::string_view text) {
  const absl::StatusOr<std::vector<MlirItem>> items = find_mlir(text);
  if (!items.ok()) return error_of(items);
  std::string lines;
  for (const MlirItem& item : *items) {
    std::string written = item.text;
    absl::RemoveExtraAsciiWhitespace(&written);
    absl::StrAppend(&lines, item.line, item.name.empty() ? "" : " #", item.name, " ", written,
                    item.is_dynamic          ? " is not known"
                    : is_unbounded(item.map) ? " is unbounded"
                                             : absl::StrCat(" is ", to_text(item.map)),
                    "\n");
  }
  return lines;
}

// The lines of HLO text that say something: no empty ones and no closing braces.
std::string shortened(absl::string_view hlo, const std::vector<absl::string_view>& without = {}) {
  std::string lines;
  for (const absl::string_view line : absl::StrSplit(hlo, '\n')) {
    const absl::string_view words = absl::StripAsciiWhitespace(line);
    bool is_kept = !words.empty() && words != "}";
    for (const absl::string_view word : without)
      is_kept = is_kept && !absl::StrContains(words, word);
    if (is_kept) absl::StrAppend(&lines, words, "\n");
  }
  return lines;
}

std::string hlo_modules(absl::string_view text) {
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  if (!modules.ok()) return error_of(modules);
  const std::string again = to_text(*modules);
  const absl::StatusOr<std::vector<HloModule>> same = parse_hlo_modules(again);
  EXPECT_TRUE(same.ok() && *same == *modules) << text << "\nis printed as\n" << again;
  return shortened(again);
}

// The answer about the root of a module.
template <std::string (*answer)(const HloModule&, const HloComputation&, const HloInstruction&)>
std::string of_root(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return error_of(module);
  const HloComputation& entry = module->computations[module->entry];
  return answer(*module, entry, entry.instructions[entry.root]);
}

// Prints the root with its shape, which may be inferred. If it is not valid, the error follows.
std::string checked_root(const HloModule& module, const HloComputation& entry,
                         const HloInstruction& root) {
  const absl::StatusOr<HloModule> again = parse_hlo_module(to_text(module));
  EXPECT_TRUE(again.ok() && *again == module) << again.status() << "\n" << to_text(module);
  const std::string line = to_text(entry, entry.root);
  const absl::StatusOr<CheckedOp> op = checked_op(module, entry, root);
  return op.ok() ? line : absl::StrCat(line, "\n", error_of(op));
}

// What is wrong with each leaf of the root, which depends on parameters; nothing may depend on what was
// asked before.
template <FollowRegion::UpTo up_to>
std::string leaves_of_root(const HloModule& module, const HloComputation& entry,
                           const HloInstruction& root) {
  const auto fits = [](const op::Bitcast& bitcast) {
    return bitcast.result.size() > 3 ? absl::InvalidArgumentError("expected less")
                                     : absl::OkStatus();
  };
  OperandWalk walk(module, fits);
  std::string errors;
  const auto leaves = shape_leaves_of(*root.shape).leaves.size();
  for (int32_t leaf = 0; leaf < static_cast<int32_t>(leaves); ++leaf) {
    const absl::Status own = walk.expect_valid(up_to, module.entry, entry.root, leaf);
    EXPECT_EQ(OperandWalk(module, fits).expect_valid(up_to, module.entry, entry.root, leaf), own);
    absl::StrAppend(&errors, own.ok() ? "is valid" : own.message(), "\n");
  }
  return errors;
}

// The shape of an instruction, or the error, after shapes of the same text but for the element type;
// what was read before must not matter.
std::string shape_after_others(absl::string_view shape) {
  std::vector<std::string> answers;
  for (const std::string type : {"f32", "s32"}) {
    const auto modules = parse_hlo_modules(
        absl::StrCat("e { a = ", type, "[2] parameter(0) c = ", type, "[2]{0} parameter(1) t = (",
                     type, "[2], ", type, "[2]{0}) parameter(2) u = b(", type,
                     "[2]) parameter(3)\nROOT r = ", shape, " custom-call(a) }"));
    answers.push_back(modules.ok() ? "" : error_of(modules));
    if (!modules.ok()) continue;
    const HloComputation& entry = modules->front().computations[0];
    answers.back() = to_text(*entry.instructions[entry.root].shape);
  }
  EXPECT_EQ(answers[0], answers[1]);
  return answers[0];
}

std::string resolved_root(const HloModule& module, const HloComputation& entry,
                          const HloInstruction& root) {
  const auto op = checked_op(module, entry, root);
  return op.ok() ? resolved(*op) : error_of(op);
}

std::string text_of(const DeviceGroups& groups) {
  return absl::StrJoin(groups, " ", [](std::string* out, const auto& group) {
    absl::StrAppend(out, "{", absl::StrJoin(group, ","), "}");
  });
}

// The groups of devices, or which devices send to which.
std::string devices_of_root(const HloModule& module, const HloComputation&,
                            const HloInstruction& root) {
  const auto counts = device_counts(module);
  if (!counts.ok()) return error_of(counts);
  if (root.opcode != HloOpcode::kCollectivePermute) {
    const auto groups = device_groups_of(root, *counts);
    return groups.ok() ? text_of(*groups) : error_of(groups);
  }
  const auto pairs = device_pairs_of(root, *counts);
  return pairs.ok() ? absl::StrJoin(*pairs, ", ", absl::PairFormatter(" to ")) : error_of(pairs);
}

std::string attention_of_root(const HloModule& module, const HloComputation& entry,
                              const HloInstruction& root) {
  const auto op = checked_op(module, entry, root);
  if (!op.ok()) return error_of(op);
  const auto& found = std::get<op::CustomCall>(op->operation).attention;
  if (!found) return "no attention";
  std::string places;
  for (const auto& of_operand : found->places)
    absl::StrAppend(&places, "[", absl::StrJoin(of_operand, ","), "] ");
  return absl::StrCat(places, "to [", absl::StrJoin(found->result, ","), "], columns ",
                      found->columns, ", depth ", found->depth, ", bias [",
                      absl::StrJoin(found->bias, ","), "]", found->is_causal ? ", causal" : "");
}

// A kernel of attention: q is [batch 2, row 4, head 3, depth 5], k [batch, column 6, head, depth], v [batch,
// head, column, depth 7] and the result [batch, head, row, depth of v].
constexpr absl::string_view kKernel =
    R"(r = (f32[2,3,4,7], u8[0]) custom-call(f32[2,4,3,5] q, f32[2,6,3,5] k, f32[2,3,6,7] v), custom_call_target="__cudnn$fmhaSoftmax", backend_config={"cudnn_fmha_backend_config":{"dropout_rate":0,"mask_type":"NO_MASK","sliding_window_length":0,"max_seg_per_batch":1,"is_paged_attention":false,"bmm1_dot_dimension_numbers":{"lhs_contracting_dimensions":["3"],"rhs_contracting_dimensions":["3"],"lhs_batch_dimensions":["0","2"],"rhs_batch_dimensions":["0","2"]},"bmm2_dot_dimension_numbers":{"lhs_contracting_dimensions":["3"],"rhs_contracting_dimensions":["2"],"lhs_batch_dimensions":["0","1"],"rhs_batch_dimensions":["0","1"]}}})";

// `NO_MASK -> CAUSAL`: the kernel with a part of its text changed, which must be there.
std::string attention(absl::string_view change) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(change, " -> ");
  EXPECT_TRUE(absl::StrContains(kKernel, parts.first)) << change;
  return of_root<attention_of_root>(parts.first.empty() ? std::string(kKernel)
                                                        : absl::StrReplaceAll(kKernel, {parts}));
}

// `transpse of copy transpose`
std::string nearest(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, "of");
  const auto found = nearest_word(absl::StripAsciiWhitespace(parts.first),
                                  absl::StrSplit(parts.second, ' ', absl::SkipEmpty()));
  return found ? std::string(*found) : "none";
}

std::string words(absl::string_view text) {
  const auto found = words_of_literal(text);
  return found ? absl::StrJoin(*found, " and ") : "none";
}

std::string integers(absl::string_view text) {
  const auto found = integers_of_literal(text);
  const auto add = [](std::string* out, const absl::int128& number) {
    std::ostringstream digits;
    digits << number;
    *out += digits.str();
  };
  return found ? absl::StrCat("{", absl::StrJoin(*found, ", ", add), "}") : "none";
}

// `4 {{0,1},{2,3}}`: of 4 devices.
std::string device_groups(absl::string_view text) {
  Cursor cursor(text);
  const int64_t count = cursor.take_integer("a number").value();
  cursor.skip_space();
  const auto sizes = read_replica_groups(cursor.rest());
  if (!sizes.ok()) return error_of(sizes);
  const auto groups = read_device_groups(cursor.rest(), count);
  return absl::StrCat(sizes->count, " of ", sizes->size, ": ",
                      groups.ok() ? text_of(*groups) : error_of(groups));
}

std::string text_of(const Sharding& sharding) {
  return absl::StrCat("[", absl::StrJoin(sharding.parts, ","),
                      "] parts: ", absl::StrJoin(sharding.part_of, " "));
}

// `4 2 {devices=[4,1]<=[4]}`: of 4 devices and an array of 2 dimensions.
std::string sharding(absl::string_view text) {
  Cursor cursor(text);
  const int64_t devices = cursor.take_integer("a number").value();
  const int64_t rank = cursor.take_integer("a number").value();
  cursor.skip_space();
  const auto found = read_shardings(cursor.rest(), {rank}, devices);
  return found.ok() ? text_of(found->at(0)) : error_of(found);
}

// `8 #sdy.sharding<@mesh, [{"x"}]>`: of 8 devices; the last of several.
std::string sharding_of_shardy(absl::string_view text) {
  const auto meshes = read_meshes(
      R"({mesh = #sdy.mesh<["x"=4, "y"=2]>, "an other" = #sdy.mesh<["z"=4], device_ids=[3, 2, 1, 0]>})");
  Cursor cursor(text);
  const int64_t devices = cursor.take_integer("a number").value();
  cursor.skip_space();
  const auto cuts = read_shardings_of_shardy(cursor.rest(), meshes.value());
  if (!cuts.ok()) return error_of(cuts);
  const auto found = sharding_on(cuts->back().mesh, cuts->back().dimensions, devices);
  return found.ok() ? text_of(*found) : error_of(found);
}

// An instruction of a module as JAX prints it, of which each word must be known.
std::string known_instruction(absl::string_view text) {
  const auto modules =
      parse_hlo_modules(absl::StrCat("HloModule m\n\nENTRY main.4 {\n  Arg_0.1 = f32[8,16]{1,0} "
                                     "parameter(0), metadata={op_name=\"x\"}\n  ROOT slice.2 = ",
                                     text, "\n}\n"),
                        UnknownHlo::kRefuse);
  return modules.ok() ? "is known" : error_of(modules);
}

std::string stablehlo_as_hlo(absl::string_view text,
                             const std::vector<absl::string_view>& without = {}) {
  const absl::StatusOr<std::vector<HloModule>> modules = stablehlo::parse_modules(text);
  return modules.ok() ? shortened(to_text(*modules), without) : error_of(modules);
}

std::string stablehlo_program(absl::string_view text) { return stablehlo_as_hlo(text); }

// `(%a: tensor<4xf32>) -> tensor<4xf32>`, and one operation on the next line.
std::string stablehlo_operation(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('\n', 1));
  const absl::string_view result = parts.first.substr(parts.first.rfind(") -> ") + 5);
  return stablehlo_as_hlo(
      absl::StrCat("module @m {\n  func.func public @main", parts.first,
                   " {\n    %0 = ", parts.second, "\n    return %0 : ", result, "\n  }\n}\n"),
      {"HloModule", "ENTRY", " parameter("});
}

// The body of a function of %a and %i, from line 2 on.
std::string stablehlo_body(absl::string_view text) {
  return stablehlo_as_hlo(absl::StrCat(
      "func.func @main(%a: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {\n", text, "\n}\n"));
}

// `s32[3] dense<[0, 2, 1]>`
std::string dense_literal(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(' ', 1));
  const absl::StatusOr<Shape> shape = parse_shape(parts.first);
  if (!shape.ok()) return error_of(shape);
  stablehlo::Type type{"", shape->element_type, {}};
  for (const Dimension& dimension : shape->dimensions) type.dims.push_back(dimension.size);
  const absl::StatusOr<stablehlo::Literal> literal = stablehlo::literal_text(parts.second, type);
  if (!literal.ok()) return error_of(literal);
  return absl::StrCat(literal->text, literal->is_splat ? " for every element" : "");
}

// ---- HLO protos ----

std::string varint(uint64_t x) {
  std::string bytes;
  for (; x >= 128; x >>= 7) bytes.push_back(static_cast<char>(x % 128 + 128));
  bytes.push_back(static_cast<char>(x));
  return bytes;
}

// The text up to the next quote of this kind, which is taken.
std::string take_quoted(Cursor& cursor, absl::string_view quote) {
  const size_t end = std::min(cursor.rest().find(quote), cursor.rest().size());
  const std::string text(cursor.rest().substr(0, end));
  cursor.set_position(cursor.position() + end);
  cursor.take(quote);
  return text;
}

// The bytes of `8: {1: {-1 2} "text"} 9: 3 `0f a0``, in the notation of Protoscope, up to `close`.
std::string bytes_of(Cursor& cursor, char close = '\0') {
  std::string bytes;
  while (cursor.peek() != close && cursor.peek() != '\0') {
    if (cursor.take("\"")) {
      bytes += take_quoted(cursor, "\"");
      continue;
    }
    if (cursor.take("`")) {
      std::string digits = take_quoted(cursor, "`");
      std::erase(digits, ' ');
      bytes += absl::HexStringToBytes(digits);
      continue;
    }
    const auto number = static_cast<uint64_t>(cursor.take_integer("a number").value());
    if (!cursor.take(":")) {
      bytes += varint(number);
    } else if (cursor.take("{")) {
      const std::string inside = bytes_of(cursor, '}');
      cursor.take("}");
      absl::StrAppend(&bytes, varint(number << 3 | 2), varint(inside.size()), inside);
    } else {
      const int64_t value = cursor.take_integer("a value").value();
      absl::StrAppend(&bytes, varint(number << 3), varint(static_cast<uint64_t>(value)));
    }
  }
  return bytes;
}

std::string proto_as_hlo(const absl::StatusOr<hlo_proto::Message>& instruction,
                         const std::vector<std::string>& called = {}) {
  if (!instruction.ok()) return error_of(instruction);
  const auto text = hlo_proto::instruction_text(*instruction, {"x", "y"}, called);
  return text.ok() ? *text : error_of(text);
}

constexpr absl::string_view kInstructionProto = "HloInstructionProto";

std::string proto_instruction(absl::string_view text) {
  return proto_as_hlo(hlo_proto::parse_text(text, kInstructionProto));
}

std::string proto_bytes(absl::string_view text) {
  Cursor cursor(text);
  return proto_as_hlo(hlo_proto::parse_binary(bytes_of(cursor), kInstructionProto));
}

// `reduce(add) 14: {0}`: an instruction of that opcode and the shape f32[2].
std::string proto_fields(absl::string_view text) {
  Cursor cursor(text);
  const std::string opcode(cursor.take_identifier());
  std::vector<std::string> called;
  if (cursor.take("(")) called = absl::StrSplit(take_quoted(cursor, ")"), ", ");
  Cursor shape("3: {2: 11 3: 2}");
  const std::string bytes =
      absl::StrCat(varint(2 << 3 | 2), varint(opcode.size()), opcode, bytes_of(shape));
  return proto_as_hlo(hlo_proto::parse_binary(bytes + bytes_of(cursor), kInstructionProto), called);
}

std::string proto_modules(absl::string_view text) {
  const auto modules = hlo_proto::parse_modules(text, UnknownHlo::kRefuse);
  return modules.ok() ? shortened(to_text(*modules)) : error_of(modules);
}

const std::vector<AnswerKind> kReaders = {
    {"blocked", printed<BlockedShape, parse_blocked_shape>},
    {"coordinate", printed<IntTuple, parse_coordinate>},
    {"layout", printed<AnyLayout, parse_any_layout>},
    {"nested", printed<NestedLayout, parse_nested_layout>},
    {"shape", printed<Shape, parse_shape>},
    {"slicer", printed<Slicer, parse_slicer>},
    {"swizzle", printed<Swizzle, parse_swizzle>},
    {"swizzled", printed<SwizzledLayout, parse_swizzled_layout>},
    {"tagged", printed<TaggedShape, parse_tagged_shape>},
    {"tiler", printed<Tiler, parse_tiler>},
    {"map", printed<IndexingMap, parse_map>},
    {"expression", expression},
    {"memref", offset},
    {"symbols", offset_with_symbols},
    {"mlir", mlir_items},
    {"hlo", hlo_modules},
    {"root", of_root<checked_root>},
    {"instruction", known_instruction},
    {"program", stablehlo_program},
    {"operation", stablehlo_operation},
    {"body", stablehlo_body},
    {"dense", dense_literal},
    {"after", shape_after_others},
    {"attention", attention},
    {"bits", bits_of_type},
    {"compatible", compatible_shapes},
    {"devices", of_root<devices_of_root>},
    {"groups", device_groups},
    {"resolved", of_root<resolved_root>},
    {"sharding", sharding},
    {"shardy", sharding_of_shardy},
    {"integers", integers},
    {"leaves", of_root<leaves_of_root<FollowRegion::UpTo::kParameters>>},
    {"nearest", nearest},
    {"own_leaves", of_root<leaves_of_root<FollowRegion::UpTo::kOperands>>},
    {"interval", interval},
    {"tree", tree},
    {"words", words},
    {"tile", symbolic_tile},
    {"form", layout_form_name},
    {"proto", proto_instruction},
    {"bytes", proto_bytes},
    {"fields", proto_fields},
    {"module", proto_modules},
};

std::string answer_to(absl::string_view question) {
  return tileproof::answer_to(question, kReaders);
}

class ReadersTest : public testing::TestWithParam<const char*> {};

TEST_P(ReadersTest, EveryAnswerIsUnchanged) {
  expect_answers(absl::StrCat("readers/", GetParam(), ".txt"), kReaders);
}

// What a file cannot hold: space at the end of a line, and long texts.
TEST(Readers, SpaceMayFollow) {
  EXPECT_EQ(answer_to("shape  f32 [ 3 , 5 ] { 1 , 0 : T ( 2 , 2 ) } \n"), "f32[3,5]{1,0:T(2,2)}\n");
  EXPECT_EQ(answer_to("coordinate  (1,5) "), "(1,5)\n");
  EXPECT_EQ(answer_to("map () -> (5), "), "column 10: expected the end, found ','\n");
  EXPECT_EQ(answer_to("map   (d0)[ ]{} -> ( d0 ),domain:d0 in[ 0,9 ],  "),
            "(d0) -> (d0), domain: d0 in [0, 9]\n");
  EXPECT_EQ(answer_to("map (d0) -> (), domain: d0 in [0, 9],\n"),
            "(d0) -> (), domain: d0 in [0, 9]\n");
  EXPECT_EQ(answer_to("hlo HloModule m\n\n"),
            "line 2, column 1: expected a computation, found end of input\n");
  EXPECT_EQ(answer_to("dense s32[2] dense_resource<a> "), "{...}\n");
  const std::string spaces(kMaxTextBytes - 16, ' ');
  EXPECT_EQ(answer_to("swizzled " + spaces + "Sw<2,0,3> o  4:1"), "Sw<2,0,3> o 0 o 4:1\n");
  EXPECT_EQ(answer_to("swizzled " + spaces + "Sw<2,0,3> o   4:1"),
            "column 1: expected a text of at most 16 MiB\n");
}

INSTANTIATE_TEST_SUITE_P(All, ReadersTest,
                         testing::Values("hlo", "layouts", "maps", "mlir", "protos", "stablehlo"),
                         [](const auto& file) { return std::string(file.param); });

}  // namespace
}  // namespace tileproof
