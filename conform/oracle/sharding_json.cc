// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/sharding_json.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/mesh.h"
#include "spec/lang/hlo/sharding.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMostDevices = int64_t{1} << 20;  // they are listed

absl::StatusOr<const Json*> member(const Json& object, absl::string_view key) {
  const Json* found = find(object, key);
  if (found != nullptr) return found;
  return absl::InvalidArgumentError(absl::StrCat("expected a member \"", key, "\""));
}

absl::StatusOr<const Json::Array*> list(const Json& json, absl::string_view what) {
  const auto* array = json.as<Json::Array>();
  if (array != nullptr) return array;
  return absl::InvalidArgumentError(
      absl::StrCat("expected a list of ", what, ", found ", shown(to_text(json))));
}

absl::StatusOr<std::vector<std::string>> names(const Json& json) {
  std::vector<std::string> found;
  for (const Json& one : *TRY(list(json, "names of axes"))) {
    const auto* name = one.as<std::string>();
    if (name == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected the name of an axis, found ", shown(to_text(one))));
    }
    found.push_back(*name);
  }
  return found;
}

absl::StatusOr<Mesh> mesh_of(const Json& file) {
  const Json& written = *TRY(member(file, "mesh"));
  const std::vector<std::string> axes = TRY(names(*TRY(member(written, "axes"))));
  const auto shape = integers(*TRY(member(written, "shape")));
  if (!shape || shape->size() != axes.size() ||
      std::ranges::any_of(*shape, [](int64_t size) { return size < 1; })) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a size of at least 1 for each of ", axes.size(), " axes"));
  }
  Mesh mesh;
  for (size_t k = 0; k < axes.size(); ++k) {
    if (std::ranges::count(mesh.axes, axes[k], &MeshAxis::name) > 0) {
      return absl::InvalidArgumentError(absl::StrCat("expected each axis once, found ", axes[k]));
    }
    mesh.axes.push_back({axes[k], (*shape)[k]});
  }
  return mesh;
}

bool is_padded(const Json& object) {
  const Json* padded = find(object, "padded");
  return padded != nullptr && *padded == Json(true);
}

absl::StatusOr<std::vector<Sharding>> shardings_of(const Json& leaves, const Mesh& mesh,
                                                   verify::Placement& placement) {
  std::vector<Sharding> shardings;
  for (const Json& leaf : *TRY(list(leaves, "arrays"))) {
    if (is_padded(leaf)) placement.is_padded = true;
    if (const auto* text = leaf.as<std::string>()) {
      shardings.push_back(TRY(read_sharding(*text, placement.devices)));
      continue;
    }
    const Json* axes = find(leaf, "axes");
    std::vector<std::vector<MeshAxis>> dimensions;
    std::vector<std::string> used;
    for (const Json& cut : *TRY(list(axes == nullptr ? leaf : *axes, "dimensions"))) {
      dimensions.emplace_back();
      for (const std::string& name : TRY(names(cut))) {
        const auto axis = std::ranges::find(mesh.axes, name, &MeshAxis::name);
        if (axis == mesh.axes.end() || std::ranges::count(used, name) > 0) {
          return absl::InvalidArgumentError(
              absl::StrCat("expected an axis of the mesh, once in an array, found \"", name, "\""));
        }
        used.push_back(name);
        dimensions.back().push_back(*axis);
      }
    }
    shardings.push_back(TRY(sharding_on(mesh, dimensions, placement.devices)));
  }
  return shardings;
}

absl::StatusOr<verify::Placement> devices_of(const Json& object) {
  const auto* devices = TRY(member(object, "devices"))->as<int64_t>();
  if (devices == nullptr || *devices < 1 || *devices > kMostDevices) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected from 1 to ", kMostDevices, " devices"));
  }
  return verify::Placement{.devices = *devices, .is_padded = is_padded(object)};
}

}  // namespace

absl::StatusOr<verify::Placement> read_sharding_json(const Json& file) {
  verify::Placement placement = TRY(devices_of(file));
  const bool has_mesh = find(file, "mesh") != nullptr;
  const Mesh mesh = has_mesh ? TRY(mesh_of(file)) : Mesh();
  placement.parameters = TRY(shardings_of(*TRY(member(file, "parameters")), mesh, placement));
  placement.results = TRY(shardings_of(*TRY(member(file, "results")), mesh, placement));
  return placement;
}

absl::StatusOr<Sharding> read_array_sharding(const Json& object) {
  verify::Placement placement = TRY(devices_of(object));
  const Mesh mesh = TRY(mesh_of(object));
  const Json axes = Json::Array{*TRY(member(object, "axes"))};
  return TRY(shardings_of(axes, mesh, placement))[0];
}

}  // namespace tileproof::conform
