// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/manual.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/lang/base/try.h"

namespace tileproof {
namespace {

// The value of `name="VALUE"` or `name={VALUE}` among the attributes of a frontend; nothing if it is not there.
std::optional<std::string> of_frontend(const std::vector<HloAttribute>& attributes,
                                       absl::string_view name) {
  const std::string* text = find_attribute(attributes, "frontend_attributes");
  const std::string key = absl::StrCat(name, "=");
  const size_t at = text == nullptr ? std::string::npos : text->find(key);
  if (at == std::string::npos) return std::nullopt;
  const absl::string_view value = absl::string_view(*text).substr(at + key.size());
  const bool is_string = absl::StartsWith(value, "\"");
  int depth = 0;
  for (size_t k = is_string ? 1 : 0; k < value.size(); ++k) {
    if (value[k] == '\\') {
      ++k;
    } else if (is_string && value[k] == '"') {
      return absl::StrReplaceAll(value.substr(1, k - 1), {{"\\\"", "\""}});
    } else if (!is_string && value[k] == '{') {
      ++depth;
    } else if (!is_string && value[k] == '}' && --depth == 0) {
      return std::string(value.substr(0, k + 1));
    }
  }
  return std::nullopt;
}

bool calls(const HloInstruction& i, absl::string_view target) {
  const std::string* found = find_attribute(i.attributes, "custom_call_target");
  return i.opcode == HloOpcode::kCustomCall && found != nullptr &&
         absl::StrContains(*found, target);
}

absl::StatusOr<Blocks> blocks_of_shardy(const HloInstruction& i, int64_t number,
                                        const Meshes& meshes, int64_t devices) {
  const char* name = is_global_to_local(i) ? "in_shardings" : "out_shardings";
  MeshCut cut = TRY(annotation_of(i, name, number, meshes));
  const auto manual = of_frontend(i.attributes, "xla.sdy.manual_axes");
  for (std::vector<MeshAxis>& axes : cut.dimensions) {
    std::erase_if(axes, [&](const MeshAxis& axis) {
      return manual && !absl::StrContains(*manual, absl::StrCat("\"", axis.name, "\""));
    });
  }
  return blocks_on(cut.mesh, cut.dimensions, devices);
}

// Devices that hold the same part are in their order.
absl::StatusOr<Blocks> blocks_of_annotation(const HloInstruction& at, int64_t devices) {
  const std::string* text = find_attribute(at.attributes, "sharding");
  if (text == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("expected a sharding of ", at.name));
  }
  Blocks blocks{.sharding = TRY(read_sharding(*text, devices))};
  for (int64_t v = 0; v < devices; ++v) blocks.devices.push_back(v);
  std::ranges::stable_sort(blocks.devices, {},
                           [&](int64_t v) { return blocks.sharding.part_of[v]; });
  if (blocks.sharding.part_of[blocks.devices[0]] >= 0) return blocks;
  return absl::InvalidArgumentError("expected a part for each device");
}

}  // namespace

absl::StatusOr<Meshes> meshes_of(const HloModule& module) {
  const auto text = of_frontend(module.attributes, "xla.sdy.meshes");
  return text ? read_meshes(*text) : Meshes();
}

int64_t devices_of(const Meshes& meshes) {
  int64_t devices = 1;
  for (const auto& [name, mesh] : meshes) devices = std::max(devices, mesh.size().value_or(1));
  return devices;
}

bool is_global_to_local(const HloInstruction& i) {
  return calls(i, "xla.sdy.GlobalToLocalShape") || calls(i, "SPMDFullToShardShape");
}
bool is_local_to_global(const HloInstruction& i) {
  return calls(i, "xla.sdy.LocalToGlobalShape") || calls(i, "SPMDShardToFullShape");
}

bool has_manual_computation(const HloModule& module) {
  return std::ranges::any_of(module.computations, [](const HloComputation& one) {
    return std::ranges::any_of(one.instructions, is_global_to_local) ||
           std::ranges::any_of(one.instructions, is_local_to_global);
  });
}

absl::StatusOr<MeshCut> annotation_of(const HloInstruction& i, absl::string_view name,
                                      int64_t number, const Meshes& meshes) {
  const auto text = of_frontend(i.attributes, absl::StrCat("xla.sdy.", name));
  if (!text) return absl::NotFoundError("it has no annotation");
  std::vector<MeshCut> cuts = TRY(read_shardings_of_shardy(*text, meshes));
  if (number >= 0 && number < std::ssize(cuts)) return std::move(cuts[number]);
  return absl::InvalidArgumentError(
      absl::StrCat(i.name, ": expected ", number + 1, " shardings, found ", cuts.size()));
}

absl::StatusOr<Blocks> blocks_of(const HloComputation& computation, const HloInstruction& i,
                                 int64_t number, const Meshes& meshes, int64_t devices) {
  const bool is_later = calls(i, "SPMD");
  const HloInstruction& annotated = is_later && is_global_to_local(i) && i.operands.size() == 1
                                        ? computation.instructions[i.operands[0].instruction]
                                        : i;
  auto blocks = is_later ? blocks_of_annotation(annotated, devices)
                         : blocks_of_shardy(i, number, meshes, devices);
  if (blocks.ok()) return blocks;
  return absl::InvalidArgumentError(absl::StrCat(i.name, ": ", blocks.status().message()));
}

}  // namespace tileproof
