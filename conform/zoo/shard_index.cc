// SPDX-License-Identifier: Apache-2.0
// Known-wrong implementations of shard.index.
#include <algorithm>
#include <optional>
#include <vector>

#include "conform/oracle/sharding_json.h"
#include "conform/zoo/variants.h"

namespace tileproof::zoo {
namespace {

using conform::AskedPart;
using conform::Json;

// The answer to a question about another sharding; the right one stays if there is none.
template <void (*change)(Sharding& sharding)>
void sharded_as(const Json& request, Json& result) {
  absl::StatusOr<AskedPart> asked = conform::asked_part(request);
  if (!asked.ok()) return;
  change(asked->sharding);
  const auto global = global_index(asked->sharding, asked->dims, asked->device, asked->index);
  result = global ? Json(*global) : Json();
}

// Each device reads the first part.
void first_part_everywhere(Sharding& sharding) {
  for (int64_t& part : sharding.part_of) part = std::min<int64_t>(part, 0);
}

// Devices hold the parts in the order of their numbers, whatever the list of devices says.
void devices_in_order(Sharding& sharding) { std::ranges::sort(sharding.part_of); }

// Copies are on devices that are far apart: all parts once, then all again.
void copies_in_turn(Sharding& sharding) {
  int64_t parts = 1;
  for (const int64_t along : sharding.parts) parts *= along;
  for (size_t k = 0; k < sharding.part_of.size(); ++k) {
    sharding.part_of[k] = static_cast<int64_t>(k) % parts;
  }
}

// The element at an index of a device's part, which begins at a multiple of `sizes`.
std::optional<std::vector<int64_t>> element_at(const Json& request,
                                               const std::vector<int64_t>& sizes) {
  const absl::StatusOr<AskedPart> asked = conform::asked_part(request);
  int64_t part = asked->sharding.part_of[asked->device];
  if (part < 0) return std::nullopt;
  std::vector<int64_t> global = asked->index;
  for (size_t d = asked->sharding.parts.size(); d-- > 0;) {
    const int64_t parts = asked->sharding.parts[d];
    global[d] += part % parts * sizes[d];
    part /= parts;
  }
  return global;
}

// An index in the padding is clamped to the last element.
void clamped_padding(const Json& request, Json& result) {
  const absl::StatusOr<AskedPart> asked = conform::asked_part(request);
  if (!asked.ok() || !result.is_null()) return;
  auto last = element_at(request, part_dims(asked->sharding, asked->dims));
  for (size_t d = 0; last && d < last->size(); ++d) {
    (*last)[d] = std::min((*last)[d], asked->dims[d] - 1);
  }
  if (last) result = *last;
}

// Parts have the size of the array by the number of parts, rounded down.
void parts_rounded_down(const Json& request, Json& result) {
  const absl::StatusOr<AskedPart> asked = conform::asked_part(request);
  if (!asked.ok()) return;
  std::vector<int64_t> sizes = asked->dims;
  for (size_t d = 0; d < asked->sharding.parts.size(); ++d) sizes[d] /= asked->sharding.parts[d];
  if (const auto element = element_at(request, sizes)) result = *element;
}

const Variant kShardVariants[] = {
    {"VLLM-GGUF-103", OtherResult(sharded_as<first_part_everywhere>)},
    {"XLA-IOTA-ORDER", OtherResult(sharded_as<devices_in_order>)},
    {"XLA-COPIES-ORDER", OtherResult(sharded_as<copies_in_turn>)},
    {"XLA-49122", OtherResult(clamped_padding)},
    {"SHARD-FLOOR", OtherResult(parts_rounded_down)},
};

}  // namespace

absl::Span<const Variant> shard_variants() { return kShardVariants; }

}  // namespace tileproof::zoo
