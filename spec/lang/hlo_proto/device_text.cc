// SPDX-License-Identifier: Apache-2.0
// Groups of devices and shardings, as XLA prints them.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_literal.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

using Ints = std::vector<int64_t>;

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
