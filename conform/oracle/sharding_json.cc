// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/sharding_json.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/mesh.h"
#include "spec/lang/hlo/sharding.h"
#include "spec/lang/layout/any_layout.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMostDevices = int64_t{1} << 20;  // they are listed

absl::StatusOr<const Json*> member(const Json& object, absl::string_view key) {
  const Json* found = find(object, key);
  if (found != nullptr) return found;
  return invalid("expected a member \"", key, "\"");
}

absl::StatusOr<const Json::Array*> list(const Json& json, absl::string_view what) {
  const auto* array = json.as<Json::Array>();
  if (array != nullptr) return array;
  return invalid("expected a list of ", what, ", found ", shown(to_text(json)));
}

absl::StatusOr<std::vector<std::string>> names(const Json& json) {
  std::vector<std::string> found;
  for (const Json& one : *TRY(list(json, "names of axes"))) {
    const auto* name = one.as<std::string>();
    if (name == nullptr) {
      return invalid("expected the name of an axis, found ", shown(to_text(one)));
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
    return invalid("expected a size of at least 1 for each of ", axes.size(), " axes");
  }
  Mesh mesh;
  for (size_t k = 0; k < axes.size(); ++k) {
    if (std::ranges::count(mesh.axes, axes[k], &MeshAxis::name) > 0) {
      return invalid("expected each axis once, found ", axes[k]);
    }
    mesh.axes.push_back({axes[k], (*shape)[k]});
  }
  return mesh;
}

absl::StatusOr<std::vector<Sharding>> shardings_of(const Json& leaves, const Mesh& mesh,
                                                   verify::Placement& placement) {
  std::vector<Sharding> shardings;
  for (const Json& leaf : *TRY(list(leaves, "arrays"))) {
    if (is(leaf, "padded", true)) placement.is_padded = true;
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
          return invalid("expected an axis of the mesh, once in an array, found \"", name, "\"");
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
    return invalid("expected from 1 to ", kMostDevices, " devices");
  }
  return verify::Placement{.devices = *devices, .is_padded = is(object, "padded", true)};
}

constexpr int64_t kMostListed = 65'536;
constexpr int64_t kMostElements = 1'000'000;  // of the reference

absl::StatusOr<int64_t> number_between(const Json& request, absl::string_view key, int64_t low,
                                       int64_t high) {
  const int64_t number = TRY(integer_under(request, key));
  if (number >= low && number <= high) return number;
  return invalid(key, ": expected from ", low, " to ", high, ", found ", number);
}

absl::StatusOr<Sharding> asked_sharding(const Json& request, int64_t rank) {
  const Json& written = *TRY(required(request, "sharding"));
  const auto* text = written.as<std::string>();
  absl::StatusOr<Sharding> found = invalid("expected a text or an object");
  if (text == nullptr && written.as<Json::Object>() != nullptr) {
    found = read_array_sharding(written);
  } else if (text != nullptr) {
    const bool says = find(request, "devices") != nullptr;
    const absl::StatusOr<int64_t> devices =
        says ? number_between(request, "devices", 1, kMostListed) : devices_named(*text);
    if (devices.ok() && *devices > kMostListed) {
      return absl::ResourceExhaustedError("sharding: more devices than can be listed");
    }
    const auto all = devices.ok() ? read_shardings(*text, {&rank, 1}, *devices) : devices.status();
    found = all.ok() ? absl::StatusOr<Sharding>((*all)[0]) : all.status();
  }
  if (!found.ok()) {
    return invalid("sharding: ", found.status().message());
  }
  const auto parts = static_cast<int64_t>(found->parts.size());
  if (parts == 0 || parts == rank) return found;
  return invalid("sharding: expected parts along ", rank, " dimensions, found ", parts);
}

// The element of the array that is this one of the device's part.
std::optional<std::vector<int64_t>> by_enumeration(const AskedPart& asked) {
  const Dims sizes = part_dims(asked.sharding, asked.dims);
  std::vector<int64_t> element(asked.dims.size(), 0);
  do {
    int64_t part = 0;
    bool is_it = true;
    for (size_t d = 0; d < element.size(); ++d) {
      const int64_t parts = asked.sharding.parts.empty() ? 1 : asked.sharding.parts[d];
      part = part * parts + element[d] / sizes[d];
      is_it = is_it && element[d] % sizes[d] == asked.index[d];
    }
    if (is_it && part == asked.sharding.part_of[asked.device]) return element;
  } while (next_index(asked.dims, element));
  return std::nullopt;
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

absl::StatusOr<AskedPart> asked_part(const Json& request) {
  AskedPart asked;
  const Shape shape = TRY(parsed_field(request, "shape", parse_array_shape));
  if (shape.kind != Shape::Kind::kArray) {
    return invalid("shape: expected the shape of an array");
  }
  asked.dims = TRY(leaves_of(shape))[0].dims;
  asked.sharding = TRY(asked_sharding(request, shape.rank()));
  asked.device = TRY(number_between(request, "device", 0, std::ssize(asked.sharding.part_of) - 1));
  const auto index = integers(*TRY(required(request, "index")));
  const Dims part = part_dims(asked.sharding, asked.dims);
  if (!index || !is_inside(part, *index)) {
    return invalid("index: expected an index of the part, ", dims_text(part));
  }
  asked.index = *index;
  return asked;
}

absl::StatusOr<Result> shard_index(const Json& request, Engine engine) {
  const AskedPart asked = TRY(asked_part(request));
  if (engine == Engine::kSpec &&
      element_count(asked.dims).value_or(kMostElements + 1) > kMostElements) {
    return absl::ResourceExhaustedError("more elements than the reference looks at");
  }
  const auto global = engine == Engine::kSpec
                          ? by_enumeration(asked)
                          : global_index(asked.sharding, asked.dims, asked.device, asked.index);
  return Result(global ? Json(*global) : Json());
}

}  // namespace tileproof::conform
