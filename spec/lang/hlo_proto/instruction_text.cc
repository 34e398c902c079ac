// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_literal.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

using Ints = std::vector<int64_t>;

std::string layout_text(const Message& layout) {
  std::string properties;
  for (const Message* tile : layout.messages("tiles")) {
    std::vector<std::string> dims;
    for (const int64_t d : tile->integers("dimensions"))
      dims.push_back(d == INT64_MIN ? "*" : absl::StrCat(d));
    absl::StrAppend(&properties, properties.empty() ? "T" : "", "(", absl::StrJoin(dims, ","), ")");
  }
  if (const int64_t tail = layout.integer("tail_padding_alignment_in_elements"); tail > 1)
    absl::StrAppend(&properties, "L(", tail, ")");
  if (const int64_t bits = layout.integer("element_size_in_bits"); bits != 0)
    absl::StrAppend(&properties, "E(", bits, ")");
  if (const int64_t space = layout.integer("memory_space"); space != 0)
    absl::StrAppend(&properties, "S(", space, ")");
  return absl::StrCat("{", absl::StrJoin(layout.integers("minor_to_major"), ","),
                      properties.empty() ? "" : ":", properties, "}");
}

absl::StatusOr<std::string> shape_text(const Message& shape, int depth) {
  const std::string type = type_of(shape);
  if (depth > kMaxNesting) return absl::InvalidArgumentError("expected shapes nested at most 1000");
  if (type == "tuple") {
    std::vector<std::string> parts;
    for (const Message* part : shape.messages("tuple_shapes"))
      parts.push_back(TRY(shape_text(*part, depth + 1)));
    return absl::StrCat("(", absl::StrJoin(parts, ", "), ")");
  }
  if (type.empty()) return absl::InvalidArgumentError("expected an element type");
  const Ints dynamic = shape.integers("is_dynamic_dimension");
  std::vector<std::string> sizes;
  for (const int64_t size : shape.integers("dimensions")) {
    const bool is_dynamic = sizes.size() < dynamic.size() && dynamic[sizes.size()] != 0;
    sizes.push_back(absl::StrCat(is_dynamic ? "<=" : "", size));
  }
  const Message* layout = shape.message("layout");
  const bool has_layout =
      layout != nullptr && type != "token" && type != "opaque" && !sizes.empty();
  return absl::StrCat(type, "[", absl::StrJoin(sizes, ","), "]",
                      has_layout ? layout_text(*layout) : "");
}

// How an operation names the computations that it calls.
absl::StatusOr<std::string> calls(const std::string& opcode,
                                  const std::vector<std::string>& called) {
  const auto expect = [&](size_t n) {
    return called.size() == n ? absl::OkStatus()
                              : absl::InvalidArgumentError(absl::StrCat(
                                    "expected ", n, " called computations, found ", called.size()));
  };
  if (called.empty()) return std::string();
  const bool reduces = opcode == "all-reduce-start";
  if (opcode == "fusion" || (absl::EndsWith(opcode, "-start") && !reduces))
    return absl::StrCat("calls=", called[0]);
  if (opcode == "while") {
    TRY(expect(2));
    return absl::StrCat("condition=", called[1], ", body=", called[0]);
  }
  if (opcode == "select-and-scatter") {
    TRY(expect(2));
    return absl::StrCat("select=", called[0], ", scatter=", called[1]);
  }
  if (opcode == "conditional" || opcode == "custom-call") {
    return absl::StrCat(opcode == "conditional" ? "branch_computations={" : "called_computations={",
                        absl::StrJoin(called, ", "), "}");
  }
  return absl::StrCat("to_apply=", called[0]);
}

}  // namespace

absl::StatusOr<std::string> shape_text(const Message& shape) { return shape_text(shape, 0); }

absl::StatusOr<std::string> instruction_text(const Message& instruction,
                                             const std::vector<std::string>& operands,
                                             const std::vector<std::string>& called) {
  const std::string opcode = instruction.text("opcode");
  const Message* shape = instruction.message("shape");
  if (opcode.empty() || shape == nullptr)
    return absl::InvalidArgumentError("expected an opcode and a shape");
  for (const char c : opcode) {
    if (!absl::ascii_isalnum(c) && c != '-' && c != '_')
      return absl::InvalidArgumentError("expected an opcode");
  }
  std::string inside = absl::StrJoin(operands, ", ");
  if (opcode == "parameter") inside = absl::StrCat(instruction.integer("parameter_number"));
  if (opcode == "constant") inside = TRY(literal_text(*shape, instruction.message("literal")));
  std::vector<std::string> list = TRY(attribute_texts(instruction, opcode));
  const std::string computations = TRY(calls(opcode, called));
  if (!computations.empty()) list.push_back(computations);
  return absl::StrCat(TRY(shape_text(*shape)), " ", opcode, "(", inside, ")",
                      list.empty() ? "" : ", ", absl::StrJoin(list, ", "));
}

namespace {

// PrimitiveType by number; empty: none.
constexpr absl::string_view kTypes[] = {
    "",           "pred",       "s8",   "s16",      "s32",      "s64",    "u8",     "u16",
    "u32",        "u64",        "f16",  "f32",      "f64",      "tuple",  "opaque", "c64",
    "bf16",       "token",      "c128", "f8e5m2",   "f8e4m3fn", "s4",     "u4",     "f8e4m3b11fnuz",
    "f8e5m2fnuz", "f8e4m3fnuz", "s2",   "u2",       "f8e4m3",   "f8e3m4", "s1",     "u1",
    "f4e2m1fn",   "f8e8m0fnu",  "",     "f6e3m2fn", "f6e2m3fn"};

// The elements that the literal has; none of other types.
std::vector<std::string> elements_of(const Message& literal, ElementType type) {
  const std::string field = absl::StrCat(info(type).name, "s");
  std::vector<std::string> elements;
  switch (type) {
    case ElementType::kPred:
    case ElementType::kS32:
    case ElementType::kS64:
    case ElementType::kU32:
    case ElementType::kU64:
      for (const int64_t value : literal.integers(field))
        elements.push_back(element_of_bits(static_cast<uint64_t>(value), type));
      break;
    case ElementType::kF32:
    case ElementType::kF64:
      for (const double value : literal.reals(field)) elements.push_back(float_text(value));
      break;
    case ElementType::kC64:
    case ElementType::kC128: {
      const std::vector<double> parts = literal.reals(field);
      for (size_t i = 0; i + 1 < parts.size(); i += 2)
        elements.push_back(
            absl::StrCat("(", float_text(parts[i]), ", ", float_text(parts[i + 1]), ")"));
      break;
    }
    default:
      if (type == ElementType::kToken || type == ElementType::kOpaque) break;
      for (const uint64_t bits : numbers_of_bytes(literal.text(field), byte_width(type)))
        elements.push_back(element_of_bits(bits, type));
  }
  return elements;
}

absl::StatusOr<std::string> tuple_text(const Message& shape, const Message* literal) {
  const std::vector<const Message*> shapes = shape.messages("tuple_shapes");
  std::vector<const Message*> literals;
  if (literal != nullptr) literals = literal->messages("tuple_literals");
  literals.resize(shapes.size());
  std::vector<std::string> parts;
  for (size_t k = 0; k < shapes.size(); ++k)
    parts.push_back(TRY(literal_text(*shapes[k], literals[k])));
  return absl::StrCat("(", absl::StrJoin(parts, ", "), ")");
}

}  // namespace

std::string type_of(const Message& shape) {
  const std::string named = absl::AsciiStrToLower(shape.text("element_type"));
  // Text may have the number, too.
  const bool is_name = !named.empty() && absl::ascii_isalpha(named[0]);
  if (is_name) return named == "opaque_type" ? "opaque" : named;
  const int64_t number = shape.integer("element_type");
  if (number < 0 || number >= std::ssize(kTypes)) return "";
  return std::string(kTypes[number]);
}

absl::StatusOr<std::string> literal_text(const Message& shape, const Message* literal) {
  const std::string name = type_of(shape);
  if (name == "tuple") return tuple_text(shape, literal);
  const std::optional<ElementType> type = element_type_named(name);
  if (!type) return absl::InvalidArgumentError("expected an element type");
  const std::vector<int64_t> dims = shape.integers("dimensions");
  int64_t count = 1;
  for (const int64_t size : dims) {
    const std::optional<int64_t> product = size < 0 ? std::nullopt : checked_mul(count, size);
    if (!product) return absl::InvalidArgumentError("expected a constant of fewer elements");
    count = *product;
  }
  if (count == 0) return std::string(dims.size() == 1 ? "{}" : "{...}");
  std::vector<std::string> elements;
  if (literal != nullptr) elements = elements_of(*literal, *type);
  if (std::ssize(elements) == count) return braced_literal(elements, dims);
  if (!dims.empty()) return std::string("{...}");
  return absl::InvalidArgumentError(absl::StrCat("expected the value of a constant of ", name));
}

// Groups of devices and shardings, as XLA prints them.

namespace {

// `[4,2]T(1,0)`
std::string iota_text(const Ints& dims, const Ints& order) {
  return absl::StrCat("[", absl::StrJoin(dims, ","), "]",
                      order.empty() || std::ranges::is_sorted(order)
                          ? ""
                          : absl::StrCat("T(", absl::StrJoin(order, ","), ")"));
}

// `mesh['x'=4,'y'=2]`
std::string mesh_text(const Message* mesh) {
  std::vector<std::string> axes;
  std::string devices;
  if (mesh != nullptr) {
    for (const Message* axis : mesh->messages("axes"))
      axes.push_back(absl::StrCat("'", axis->text("name"), "'=", axis->integer("size")));
    const Ints ids = mesh->integers("device_ids");
    if (!ids.empty()) devices = absl::StrJoin(ids, ",");
    if (const Message* iota = mesh->message("iota_transform"))
      devices = iota_text(iota->integers("reshape_dims"), iota->integers("transpose_perm"));
  }
  return absl::StrCat("mesh[", absl::StrJoin(axes, ","), "]",
                      devices.empty() ? "" : absl::StrCat(", device_ids=(", devices, ")"));
}

// `'x':(1)2,'y'`
absl::StatusOr<std::string> axes_text(const Message* mesh,
                                      const std::vector<const Message*>& axes) {
  std::vector<std::string> list;
  std::vector<const Message*> all;
  if (mesh != nullptr) all = mesh->messages("axes");
  for (const Message* axis : axes) {
    const int64_t index = axis->integer("mesh_axis_index");
    if (index < 0 || index >= std::ssize(all))
      return absl::InvalidArgumentError("expected an axis of the mesh");
    const Message* part = axis->message("sub_axis_info");
    list.push_back(absl::StrCat("'", all[index]->text("name"), "'",
                                part == nullptr ? ""
                                                : absl::StrCat(":(", part->integer("pre_size"), ")",
                                                               part->integer("size"))));
  }
  return absl::StrJoin(list, ",");
}

// `{mesh['x'=2,'y'=2], [{'y'}, {}], replicated={'x'}}`
absl::StatusOr<std::string> named_text(const Message& sharding) {
  const Message* mesh = sharding.message("mesh");
  std::vector<std::string> dimensions;
  for (const Message* d : sharding.messages("dim_shardings")) {
    const std::string axes = TRY(axes_text(mesh, d->messages("axes")));
    const char* open = d->integer("is_closed") != 0 ? "" : axes.empty() ? "?" : ", ?";
    dimensions.push_back(absl::StrCat("{", axes, open, "}"));
  }
  std::string text =
      absl::StrCat("{", mesh_text(mesh), ", [", absl::StrJoin(dimensions, ", "), "]");
  for (const char* name : {"replicated", "unreduced", "manual"}) {
    const auto axes = sharding.messages(absl::StrCat(name, "_axes"));
    if (!axes.empty()) absl::StrAppend(&text, ", ", name, "={", TRY(axes_text(mesh, axes)), "}");
  }
  return text + "}";
}

constexpr const char* kShardingTypes[] = {"replicated", "maximal", "tuple",    "other",
                                          "manual",     "unknown", "unreduced"};

// The type of a sharding, or of the devices of a last dimension.
absl::StatusOr<std::string> type_text(const Field& field) {
  for (const char* name : kShardingTypes) {
    if (absl::EqualsIgnoreCase(field.text, name)) return std::string(name);
  }
  if (!field.text.empty() && !absl::ascii_isdigit(field.text[0]))
    return absl::InvalidArgumentError("expected the type of a sharding");
  if (field.integer < 0 || field.integer >= std::ssize(kShardingTypes))
    return absl::InvalidArgumentError("expected the type of a sharding");
  return std::string(kShardingTypes[field.integer]);
}

absl::StatusOr<std::vector<std::string>> type_texts(const Message& sharding, const char* field) {
  std::vector<std::string> types;
  for (const Field& one : sharding.fields) {
    if (one.info->name == field) types.push_back(TRY(type_text(one)));
  }
  return types;
}

// `devices=[2,2]<=[4] last_tile_dim_replicate`
absl::StatusOr<std::string> tiled_text(const Message& sharding) {
  const Ints reshape = sharding.integers("iota_reshape_dims");
  std::string text = absl::StrCat(
      "devices=[", absl::StrJoin(sharding.integers("tile_assignment_dimensions"), ","), "]");
  if (reshape.empty()) {
    absl::StrAppend(&text, absl::StrJoin(sharding.integers("tile_assignment_devices"), ","));
  } else {
    absl::StrAppend(&text, "<=", iota_text(reshape, sharding.integers("iota_transpose_perm")));
  }
  const std::vector<std::string> last = TRY(type_texts(sharding, "last_tile_dims"));
  if (sharding.integer("replicate_on_last_tile_dim") != 0) text += " last_tile_dim_replicate";
  if (!last.empty()) absl::StrAppend(&text, " last_tile_dims={", absl::StrJoin(last, ", "), "}");
  return text;
}

absl::StatusOr<std::string> sharding_text(const Message& sharding, int depth) {
  if (depth > kMaxNesting)
    return absl::InvalidArgumentError("expected shardings nested at most 1000");
  if (const Message* named = sharding.message("named_sharding")) return named_text(*named);
  const std::vector<std::string> types = TRY(type_texts(sharding, "type"));
  const std::string type = types.empty() ? kShardingTypes[0] : types.back();
  if (type == "tuple") {
    std::vector<std::string> parts;
    for (const Message* part : sharding.messages("tuple_shardings"))
      parts.push_back(TRY(sharding_text(*part, depth + 1)));
    return absl::StrCat("{", absl::StrJoin(parts, ", "), "}");
  }
  std::string text = type;
  if (type == "maximal") {
    const Ints devices = sharding.integers("tile_assignment_devices");
    absl::StrAppend(&text, " device=", devices.empty() ? 0 : devices[0]);
  }
  if (type == "other") text = TRY(tiled_text(sharding));
  if (sharding.integer("is_shard_group") != 0) {
    const bool is_like =
        sharding.integer("shard_group_type") == 1 || sharding.text("shard_group_type") == "LIKE";
    absl::StrAppend(&text, is_like ? " shard_like " : " shard_as ",
                    sharding.integer("shard_group_id"));
  }
  return absl::StrCat("{", text, "}");
}

}  // namespace

// New protos have the groups in a list of devices, an iota of devices or the axes of a mesh.
absl::StatusOr<std::string> groups_text(const Message& instruction) {
  if (const Message* list = instruction.message("mesh_axes_replica_group_list")) {
    const Message* mesh = list->message("mesh");
    return absl::StrCat(mesh_text(mesh), " {", TRY(axes_text(mesh, list->messages("axes"))), "}");
  }
  const Message* devices = instruction.message("collective_device_list");
  const Message& list = devices != nullptr ? *devices : instruction;
  const Message* iota = instruction.message("iota_collective_device_list");
  if (iota == nullptr) iota = list.message("iota_replica_group_list");
  if (iota != nullptr) {
    return absl::StrCat(
        "[", iota->integer("num_replica_groups"), ",", iota->integer("num_devices_per_group"),
        "]<=",
        iota_text(iota->integers("iota_reshape_dims"), iota->integers("iota_transpose_perm")));
  }
  if (devices == nullptr && !instruction.has("replica_groups")) return std::string();
  const auto group = [](const Message& one) { return braces(one.integers("replica_ids")); };
  return absl::StrCat("{", texts(list, "replica_groups", ",", group), "}");
}

absl::StatusOr<std::string> sharding_text(const Message& sharding) {
  return sharding_text(sharding, 0);
}

}  // namespace tileproof::hlo_proto
