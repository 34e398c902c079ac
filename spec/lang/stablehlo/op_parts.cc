// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_literal.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {

absl::Status invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

absl::StatusOr<Ints> integers(absl::string_view text) {
  Ints result;
  if (absl::StartsWith(text, "array<")) {
    const size_t colon = text.find(':');
    text = colon == absl::string_view::npos ? absl::string_view() : text.substr(colon + 1);
  }
  if (absl::StartsWith(text, "dense<")) text.remove_prefix(6);
  Cursor cursor(text);
  while (cursor.skip_space()) {
    if (cursor.at_integer()) {
      result.push_back(TRY(cursor.take_integer("an integer")));
    } else if (cursor.take("true")) {
      result.push_back(1);
    } else if (cursor.take("false")) {
      result.push_back(0);
    } else if (!cursor.take("[") && !cursor.take("]") && !cursor.take(",") && !cursor.take(">")) {
      return invalid(
          absl::StrCat("expected integers, found '", std::string(text.substr(0, 60)), "'"));
    }
  }
  return result;
}

absl::StatusOr<Ints> ints(const Attributes& attributes, absl::string_view name) {
  const std::string* text = find_attribute(attributes, name);
  return text == nullptr ? absl::StatusOr<Ints>(Ints()) : integers(*text);
}

absl::StatusOr<int64_t> one_int(const Attributes& attributes, absl::string_view name,
                                std::optional<int64_t> missing) {
  const Ints found = TRY(ints(attributes, name));
  if (found.size() == 1) return found[0];
  if (found.empty() && missing) return *missing;
  return invalid(absl::StrCat("expected one integer as '", name, "'"));
}

absl::StatusOr<Ints> ints_or(const Attributes& attributes, absl::string_view name, size_t n,
                             int64_t value) {
  Ints found = TRY(ints(attributes, name));
  if (found.empty()) found.assign(n, value);
  if (found.size() == 1) found.assign(n, found[0]);
  if (found.size() == n) return found;
  return invalid(
      absl::StrCat("expected ", n, n == 1 ? " integer as '" : " integers as '", name, "'"));
}

absl::string_view either(const Attributes& attributes, absl::string_view pretty,
                         absl::string_view generic) {
  return find_attribute(attributes, pretty) != nullptr ? pretty : generic;
}

std::string word_of(const Attributes& attributes, absl::string_view name,
                    const std::vector<absl::string_view>& words, absl::string_view otherwise) {
  const std::string* text = find_attribute(attributes, name);
  for (const absl::string_view word : words) {
    if (text != nullptr && absl::StrContains(*text, word)) otherwise = word;
  }
  return std::string(otherwise);
}

absl::StatusOr<Attributes> inner(const Attributes& attributes, absl::string_view name) {
  const std::string* text = find_attribute(attributes, name);
  const size_t open = text == nullptr ? std::string::npos : text->find('<');
  if (open == std::string::npos || text->back() != '>')
    return invalid(absl::StrCat("expected the attribute '", name, "'"));
  return parse_attributes(absl::string_view(*text).substr(open + 1, text->size() - open - 2));
}

std::string array_like(const Type& type, const Ints& dims) {
  return absl::StrCat(type.shape.substr(0, type.shape.find('[')), "[", absl::StrJoin(dims, ","),
                      "]");
}

std::string call(absl::string_view opcode, const std::vector<Value>& operands,
                 absl::string_view attributes) {
  std::vector<std::string> names;
  for (const Value& operand : operands) names.push_back(operand.name);
  return absl::StrCat(opcode, "(", absl::StrJoin(names, ", "), ")", attributes.empty() ? "" : ", ",
                      attributes);
}

std::vector<Piece> Asked::one(absl::string_view attributes) const {
  return {{shape_of(op.types), call(opcode, operands, attributes)}};
}

absl::Status Asked::expect_operands(size_t at_least) const {
  if (operands.size() >= at_least) return absl::OkStatus();
  return invalid(absl::StrCat("expected ", at_least, " operands, found ", operands.size()));
}

std::string Asked::applying() const {
  return absl::StrCat("to_apply=", applied.empty() ? "" : applied[0]);
}

namespace {

// The type of the numbers that an element is.
ElementType number_type(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  return type == ElementType::kC128 ? ElementType::kF64 : type;
}

// A number whose bits are given, `0x7FC00000`.
absl::StatusOr<std::string> number_of_bits(absl::string_view hex, ElementType type) {
  uint64_t bits;
  if (!has_elements(type) || !absl::SimpleHexAtoi(hex, &bits))
    return absl::InvalidArgumentError("expected a number of 64 bits after '0x'");
  return element_of_bits(bits, number_type(type));
}

// `"0x01000000.."`: the bytes of each number, the lowest first; of one element, it is all. A predicate has a
// byte, and before LLVM 22 a bit.
absl::StatusOr<Literal> of_bytes(absl::string_view hex, const Type& type, int64_t count) {
  const ElementType number = number_type(*type.element);
  const int64_t parts = number == *type.element ? 1 : 2, width = byte_width(number);
  const bool are_digits = std::ranges::all_of(hex, absl::ascii_isxdigit);
  if (!are_digits) return absl::InvalidArgumentError("expected hexadecimal digits");
  const std::string bytes = absl::HexStringToBytes(hex);
  const bool are_bits =
      number == ElementType::kPred && std::ssize(bytes) == count / 8 + (count % 8 != 0 ? 1 : 0);
  const bool is_one = std::ssize(bytes) == width * parts;
  const bool is_each =
      std::ssize(bytes) % (width * parts) == 0 && std::ssize(bytes) / (width * parts) == count;
  if (hex.size() % 2 != 0 || (!are_bits && !is_one && !is_each)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", count, " elements of ", width * parts, " bytes"));
  }
  std::vector<uint64_t> numbers = numbers_of_bytes(bytes, width);
  if (are_bits && !is_each) {
    if (is_one && numbers[0] != 0 && numbers[0] != 255) return Literal{"{...}", false};  // which?
    const std::vector<uint64_t> eights = std::exchange(numbers, {});
    for (int64_t k = 0; k < count; ++k) numbers.push_back(eights[k / 8] >> (k % 8) & 1);
  }
  std::vector<std::string> elements;
  for (size_t k = 0; k < numbers.size(); k += parts) {
    std::string text = element_of_bits(numbers[k], number);
    if (parts == 2)
      text = absl::StrCat("(", text, ", ", element_of_bits(numbers[k + 1], number), ")");
    elements.push_back(std::move(text));
  }
  if (std::ssize(elements) < count) return Literal{elements[0], true};
  return Literal{braced_literal(elements, type.dims), false};
}

// `[[1, 2], [3, 4]]` or `1`: brackets become braces, `0x..` becomes a number.
absl::StatusOr<std::string> of_list(absl::string_view list, ElementType type) {
  std::string text;
  for (size_t i = 0; i < list.size();) {
    if (absl::StartsWith(list.substr(i), "0x")) {
      size_t end = i + 2;
      while (end < list.size() && absl::ascii_isxdigit(list[end])) ++end;
      text += TRY(number_of_bits(list.substr(i + 2, end - i - 2), type));
      i = end;
      continue;
    }
    text.push_back(list[i] == '[' ? '{' : list[i] == ']' ? '}' : list[i]);
    ++i;
  }
  return text;
}

}  // namespace

absl::StatusOr<Literal> literal_text(absl::string_view dense, const Type& type) {
  for (const char* resource : {"dense_resource<", "sparse<"}) {
    if (absl::StartsWith(dense, resource)) return Literal{"{...}", false};
  }
  if (!absl::StartsWith(dense, "dense<")) return absl::InvalidArgumentError("expected 'dense<..>'");
  const size_t close = dense.rfind('>');
  if (close == absl::string_view::npos || close < 6)
    return absl::InvalidArgumentError("expected '>' to close 'dense<'");
  const absl::string_view inside = dense.substr(6, close - 6);
  int64_t count = 1;
  for (const int64_t size : type.dims) {
    const std::optional<int64_t> product = checked_mul(count, size);
    if (!product) return absl::InvalidArgumentError("expected a constant of fewer elements");
    count = *product;
  }
  if (count == 0) return Literal{type.dims.size() == 1 ? "{}" : "{...}", false};
  if (absl::StartsWith(inside, "\"0x") && inside.size() >= 4) {
    if (!has_elements(*type.element)) return Literal{"{...}", false};
    return of_bytes(inside.substr(3, inside.size() - 4), type, count);
  }
  const bool is_list = absl::StartsWith(inside, "[");
  std::string text = TRY(of_list(inside, *type.element));
  return Literal{std::move(text), !is_list && !type.dims.empty()};
}

// Collectives.

namespace {

// `mesh['x'=4,'y'=2] {'y','x':(1)2}` of the axes of a mesh,
//
//     #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">,
//         #stablehlo.axis_ref<name = "x", sub_axis_info = #stablehlo.sub_axis_info<pre_size = 1, size = 2>>]>
absl::StatusOr<std::string> mesh_groups_of(absl::string_view text,
                                           const std::vector<Mesh>& meshes) {
  const size_t at = text.find("mesh = @");
  const absl::string_view name =
      at == text.npos ? "" : text.substr(at + 8, text.find_first_of(",> ", at + 8) - at - 8);
  const auto mesh = std::ranges::find_if(meshes, [&](const Mesh& m) { return m.name == name; });
  if (mesh == meshes.end())
    return invalid(absl::StrCat("expected a mesh of the module, found '", name, "'"));
  std::string devices = absl::StrReplaceAll(mesh->text, {{"\"", "'"}, {" ", ""}});
  if (const size_t ids = devices.find(",device_ids=["); ids != std::string::npos) {
    devices = absl::StrCat(devices.substr(0, ids), ", device_ids=(",
                           absl::StripSuffix(devices.substr(ids + 13), "]"), ")");
  }
  const auto number = [](absl::string_view one, absl::string_view key) {
    const size_t found = one.find(key);
    if (found == one.npos) return absl::string_view();
    const absl::string_view digits = one.substr(found + key.size());
    return digits.substr(0, digits.find_first_of(",> "));
  };
  std::vector<std::string> axes;
  for (const absl::string_view one : absl::StrSplit(text, "axis_ref<name = \"")) {
    if (one.data() == text.data()) continue;  // before the first
    const absl::string_view before = number(one, "pre_size = ");
    axes.push_back(absl::StrCat("'", one.substr(0, one.find('"')), "'"));
    if (!before.empty()) absl::StrAppend(&axes.back(), ":(", before, ")", number(one, " size = "));
  }
  return absl::StrCat("mesh", devices, " {", absl::StrJoin(axes, ","), "}");
}

// `{{0,1},{2,3}}` of `dense<[[0, 1], [2, 3]]>`; `{}` if the groups are not listed.
absl::StatusOr<std::string> groups_of(const std::string& text, const std::vector<Mesh>& meshes) {
  if (absl::StrContains(text, "replica_group_mesh_axes<")) return mesh_groups_of(text, meshes);
  const size_t open = text.find('<'), close = text.rfind('>');
  if (open == std::string::npos || close < open) return invalid("expected replica groups");
  const std::string list = absl::StrReplaceAll(text.substr(open + 1, close - open - 1),
                                               {{"[", "{"}, {"]", "}"}, {" ", ""}});
  return absl::StartsWith(list, "{") ? list : "{}";
}

}  // namespace

absl::StatusOr<std::string> channel_text(const Attributes& attributes) {
  int64_t channel = TRY(one_int(attributes, "channel_id", 0));
  if (find_attribute(attributes, "channel_handle") != nullptr)
    channel = TRY(one_int(TRY(inner(attributes, "channel_handle")), "handle", 0));
  return channel > 0 ? absl::StrCat("channel_id=", channel, ", ") : "";
}

namespace {

// How an all_to_all cuts and puts together.
struct Exchange {
  Ints dims;                      // of the operand
  int64_t split = 0, concat = 0;  // dimensions
  int64_t count = 0;              // of the parts, one for each replica of a group
  std::string groups = {};

  // The operand with the number of the part before the position in it.
  Ints parts() const {
    Ints sizes = dims;
    sizes[split] /= count;
    sizes.insert(sizes.begin() + split, count);
    return sizes;
  }
  // The order of these dimensions in which the number of the part is before `concat`.
  Ints order() const {
    Ints order;
    for (int64_t d = 0; d < std::ssize(dims); ++d) {
      if (d == concat) order.push_back(split);
      order.push_back(d < split ? d : d + 1);
    }
    return order;
  }
  absl::StatusOr<Ints> result() const {
    Ints sizes = dims;
    sizes[split] /= count;
    const std::optional<int64_t> joined = checked_mul(sizes[concat], count);
    if (!joined) return invalid("expected a result of fewer elements");
    sizes[concat] = *joined;
    return sizes;
  }
};

absl::StatusOr<Exchange> exchange_of(const Asked& asked) {
  if (asked.operands.size() != 1 || asked.op.types.size() != 1 || !asked.op.types[0].element)
    return invalid(absl::StrCat("expected one array, found ", asked.operands.size(), " operands"));
  const Attributes& attributes = asked.op.attributes;
  // Not within the braces: a return from there leaves `dims` behind.
  const int64_t split = TRY(one_int(attributes, "split_dimension"));
  const int64_t concat = TRY(one_int(attributes, "concat_dimension"));
  const int64_t count = TRY(one_int(attributes, "split_count"));
  Exchange e{.dims = asked.operands[0].type.dims, .split = split, .concat = concat, .count = count};
  const auto is_dimension = [&](int64_t d) { return d >= 0 && d < std::ssize(e.dims); };
  if (!is_dimension(e.split) || !is_dimension(e.concat))
    return invalid("expected dimensions of the operand to split and to concatenate");
  if (e.count < 1 || e.dims[e.split] % e.count != 0) {
    return invalid(absl::StrCat("expected equal parts of dimension ", e.split, " of size ",
                                e.dims[e.split], ", found ", e.count, " parts"));
  }
  const std::string* text = find_attribute(attributes, "replica_groups");
  e.groups = text == nullptr ? "{}" : TRY(groups_of(*text, asked.meshes));
  // Groups that are not listed, as those of one replica: each has as many as there are parts.
  if (e.groups == "{}") e.groups = absl::StrCat("[1,", e.count, "]<=[", e.count, "]");
  if (const int64_t size = TRY(read_replica_groups(e.groups)).size; size != e.count)
    return invalid(absl::StrCat("expected groups of ", e.count, " replicas, found ", e.groups));
  return e;
}

}  // namespace

namespace rule {

Pieces collective(const Asked& asked) {
  const Attributes& attributes = asked.op.attributes;
  std::string text = TRY(channel_text(attributes));
  for (const char* name : {"replica_groups", "source_target_pairs"}) {
    if (const std::string* groups = find_attribute(attributes, name))
      absl::StrAppend(&text, name, "=", TRY(groups_of(*groups, asked.meshes)));
  }
  const std::string* global = find_attribute(attributes, "use_global_device_ids");
  if (global != nullptr && *global != "false")
    absl::StrAppend(&text, ", use_global_device_ids=true");
  if (TRY(one_int(attributes, "has_dynamic_root", 0)) != 0)
    absl::StrAppend(&text, ", has_dynamic_root=true");
  for (const char* name : {"all_gather_dim", "scatter_dimension"}) {
    if (find_attribute(attributes, name) != nullptr)
      absl::StrAppend(&text, ", dimensions={", TRY(one_int(attributes, name)), "}");
  }
  if (!asked.applied.empty()) absl::StrAppend(&text, ", ", asked.applying());
  return asked.one(absl::StripPrefix(text, ", "));
}

// HLO's all-to-all puts the parts together along the dimension that it splits. For another one, the
// numbers of the parts become a dimension that moves there.
Pieces all_to_all(const Asked& asked) {
  const Exchange e = TRY(exchange_of(asked));
  const Type& from = asked.operands[0].type;
  const Type& to = asked.op.types[0];
  const Ints result = TRY(e.result());
  if (result != to.dims)
    return invalid(
        absl::StrCat("expected a result ", array_like(from, result), ", found ", to.shape));
  const std::string channel = TRY(channel_text(asked.op.attributes));
  std::vector<Piece> pieces = {
      {from.shape, call("all-to-all", asked.operands,
                        absl::StrCat(channel, "dimensions=", braces({e.split}),
                                     ", replica_groups=", e.groups))}};
  if (e.split == e.concat) return pieces;
  const Ints parts = e.parts(), order = e.order();
  Ints moved;
  for (const int64_t d : order) moved.push_back(parts[d]);
  pieces.push_back({array_like(from, parts), "reshape(%0)"});
  pieces.push_back(
      {array_like(from, moved), absl::StrCat("transpose(%0), dimensions=", braces(order))});
  pieces.push_back({to.shape, "reshape(%0)"});
  return pieces;
}

}  // namespace rule

}  // namespace tileproof::stablehlo
