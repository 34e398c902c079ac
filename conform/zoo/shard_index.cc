// SPDX-License-Identifier: Apache-2.0
// Known-wrong implementations of shard.index.
#include <algorithm>
#include <optional>
#include <vector>

#include "conform/oracle/shard_ops.h"
#include "conform/zoo/variants.h"

namespace tileproof::zoo {
namespace {

using conform::AskedPart;
using conform::Json;

// The answer to a changed question; the right one stays if there is none.
template <class Change>
void answer_changed(const Json& request, conform::Answer& answer, Change change) {
  absl::StatusOr<AskedPart> asked = conform::asked_part(request);
  if (!asked.ok()) return;
  change(*asked);
  const auto global = global_index(asked->sharding, asked->dims, asked->device, asked->index);
  answer.result = global ? Json(*global) : Json();
}

// Each device reads the first part.
void first_part_everywhere(const Json& request, conform::Answer& answer) {
  answer_changed(request, answer, [](AskedPart& asked) {
    for (int64_t& part : asked.sharding.part_of) part = std::min<int64_t>(part, 0);
  });
}

// Devices hold the parts in the order of their numbers, whatever the list of devices says.
void devices_in_order(const Json& request, conform::Answer& answer) {
  answer_changed(request, answer,
                 [](AskedPart& asked) { std::ranges::sort(asked.sharding.part_of); });
}

// Copies are on devices that are far apart: all parts once, then all again.
void copies_in_turn(const Json& request, conform::Answer& answer) {
  answer_changed(request, answer, [](AskedPart& asked) {
    int64_t parts = 1;
    for (const int64_t along : asked.sharding.parts) parts *= along;
    std::vector<int64_t>& part_of = asked.sharding.part_of;
    for (size_t k = 0; k < part_of.size(); ++k) {
      part_of[k] = static_cast<int64_t>(k) % parts;
    }
  });
}

// An index in the padding is clamped to the last element.
void clamped_padding(const Json& request, conform::Answer& answer) {
  const absl::StatusOr<AskedPart> asked = conform::asked_part(request);
  if (!asked.ok() || !answer.result.is_null()) return;
  std::vector<int64_t> last;
  const Dims sizes = part_dims(asked->sharding, asked->dims);
  int64_t part = asked->sharding.part_of[asked->device];
  if (part < 0) return;
  for (size_t d = asked->sharding.parts.size(); d-- > 0;) {
    const int64_t parts = asked->sharding.parts[d];
    last.insert(last.begin(),
                std::min(part % parts * sizes[d] + asked->index[d], asked->dims[d] - 1));
    part /= parts;
  }
  answer.result = last;
}

// Parts have the size of the array by the number of parts, rounded down.
void parts_rounded_down(const Json& request, conform::Answer& answer) {
  const absl::StatusOr<AskedPart> asked = conform::asked_part(request);
  if (!asked.ok()) return;
  int64_t part = asked->sharding.part_of[asked->device];
  if (part < 0) return;
  std::vector<int64_t> global = asked->index;
  for (size_t d = asked->sharding.parts.size(); d-- > 0;) {
    const int64_t parts = asked->sharding.parts[d];
    global[d] += part % parts * (asked->dims[d] / parts);
    part /= parts;
  }
  answer.result = global;
}

const Variant kShardVariants[] = {
    {"VLLM-GGUF-103", Any(first_part_everywhere)}, {"XLA-IOTA-ORDER", Any(devices_in_order)},
    {"XLA-COPIES-ORDER", Any(copies_in_turn)},     {"XLA-49122", Any(clamped_padding)},
    {"SHARD-FLOOR", Any(parts_rounded_down)},
};

}  // namespace

absl::Span<const Variant> shard_variants() { return kShardVariants; }

}  // namespace tileproof::zoo
