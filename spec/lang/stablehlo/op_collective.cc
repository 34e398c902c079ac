// SPDX-License-Identifier: Apache-2.0
// Collectives.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {
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
