// SPDX-License-Identifier: Apache-2.0
// Wrong answers about what holds what: layouts of threads, shardings, collectives, modules on devices.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/sharding_json.h"
#include "conform/zoo/variants.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/thread_layout.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

constexpr int64_t kMostSearched = 1 << 20;

// Changes an encoding, or a parent of it. Returns false if it does not apply.
using OtherEncoding = bool (*)(ThreadEncoding& encoding);

bool change_some(ThreadEncoding& encoding, OtherEncoding change) {
  if (change(encoding)) return true;
  const auto change_parent = [change](auto* child) {
    if (child == nullptr) return false;
    ThreadEncoding parent = *child->parent;
    if (!change_some(parent, change)) return false;
    child->parent = std::make_shared<const ThreadEncoding>(std::move(parent));
    return true;
  };
  return change_parent(std::get_if<SliceEncoding>(&encoding.kind)) ||
         change_parent(std::get_if<DotEncoding>(&encoding.kind));
}

// The right answer about another layout.
template <OtherEncoding change>
void encoded_as(const Json& request, Json& result) {
  absl::StatusOr<ThreadLayout> layout = parse_thread_layout(text_under(request, "layout"));
  if (!layout.ok() || !change_some(layout->encoding, change)) return;
  if (const Json* index = find(request, "index")) {
    const auto places = spec::holders_of(*layout, *conform::integers(*index), kMostSearched);
    if (places.ok()) result = conform::json_of_places(*places);
    return;
  }
  Place place = {};
  for (size_t i = 0; i < place.size(); ++i)
    place[i] = *find(request, kPlaceNames[i])->as<int64_t>();
  const auto held = spec::held_at(*layout, place);
  if (held.ok()) result = Json(*held);
}

// Only the first of several places that hold an element.
void first_place_only(const Json&, Json& result) {
  auto* places = result.as<Json::Array>();
  if (places != nullptr && places->size() > 1) places->resize(1);
}

// The last dimension is the fastest, whatever the order.
bool order_of_rows(ThreadEncoding& encoding) {
  auto* blocked = std::get_if<BlockedEncoding>(&encoding.kind);
  if (blocked == nullptr) return false;
  const auto rank = std::ssize(blocked->order);
  for (int64_t i = 0; i < rank; ++i) blocked->order[i] = rank - 1 - i;
  return true;
}

// Warps of wgmma are numbered by rows, as those of mma.sync are.
bool warps_by_rows(ThreadEncoding& encoding) {
  auto* mma = std::get_if<MmaEncoding>(&encoding.kind);
  if (mma == nullptr || mma->version != 3) return false;
  mma->version = 2;
  return true;
}

// The threads of a warp and the warps are exchanged.
bool lanes_for_warps(ThreadEncoding& encoding) {
  auto* blocked = std::get_if<BlockedEncoding>(&encoding.kind);
  if (blocked == nullptr) return false;
  std::swap(blocked->threads_per_warp, blocked->warps_per_cta);
  return true;
}

// Known-wrong implementations of shard.index.

using conform::AskedPart;
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

// Known-wrong implementations of hlo.exchange: the right answers about another collective.

std::string* attribute_of(HloInstruction& i, absl::string_view name) {
  for (HloAttribute& one : i.attributes) {
    if (one.name == name) return &one.value;
  }
  return nullptr;
}

using NumberLists = std::vector<std::vector<int64_t>>;

// The lists `{{0,1},{1,2}}` are written anew. Returns false where `change` does, or there are none.
template <bool (*change)(NumberLists& lists)>
bool other_lists(HloInstruction& i, absl::string_view name) {
  std::string* text = attribute_of(i, name);
  if (text == nullptr || !absl::StartsWith(*text, "{{")) return false;
  NumberLists lists;
  for (const absl::string_view one : absl::StrSplit(*text, "},")) {
    std::vector<int64_t>& list = lists.emplace_back();
    for (const absl::string_view number : absl::StrSplit(one, ',')) {
      list.emplace_back();
      const size_t digits = number.find_first_not_of("{} ");
      if (!absl::SimpleAtoi(absl::StripSuffix(number.substr(digits), "}}"), &list.back()))
        return false;
    }
  }
  if (!change(lists)) return false;
  std::vector<std::string> texts;
  for (const std::vector<int64_t>& list : lists) {
    texts.push_back(absl::StrCat("{", absl::StrJoin(list, ","), "}"));
  }
  *text = absl::StrCat("{", absl::StrJoin(texts, ","), "}");
  return true;
}

bool self_removed(NumberLists& pairs) {
  return std::erase_if(pairs, [](const auto& pair) { return pair.front() == pair.back(); }) > 0;
}
bool without_self_pairs(HloComputation&, HloInstruction& i) {
  return other_lists<self_removed>(i, "source_target_pairs");
}

bool each_reversed(NumberLists& pairs) {
  for (std::vector<int64_t>& pair : pairs) std::ranges::reverse(pair);
  return true;
}
bool from_target_to_source(HloComputation&, HloInstruction& i) {
  return other_lists<each_reversed>(i, "source_target_pairs");
}

// Devices are in the order of their numbers in each group, however the groups are written.
bool each_sorted(NumberLists& groups) {
  for (std::vector<int64_t>& group : groups) std::ranges::sort(group);
  return true;
}
bool groups_in_order(HloComputation&, HloInstruction& i) {
  return other_lists<each_sorted>(i, "replica_groups");
}

// The transposition of an iota of devices is left out.
bool iota_untransposed(HloComputation&, HloInstruction& i) {
  std::string* text = attribute_of(i, "replica_groups");
  const size_t at = text == nullptr ? std::string::npos : text->find('T');
  if (at == std::string::npos) return false;
  text->erase(at);
  return true;
}

// With a channel, numbers of partitions are taken as those of replicas.
bool channel_ignored(HloComputation&, HloInstruction& i) {
  if (attribute_of(i, "use_global_device_ids") != nullptr) return false;
  return std::erase_if(i.attributes,
                       [](const HloAttribute& one) { return one.name == "channel_id"; }) > 0;
}

// Known-wrong implementations of hlo.equal.

// What differs on another device than the first one, or elsewhere than at the beginning of a result, is missed.
void first_device_only(const Json&, Json& result) {
  const auto* device = conform::find_as<int64_t>(result, "device");
  if (device != nullptr && *device != 0) result = conform::json_object({{"equal", true}});
}
void first_element_only(const Json&, Json& result) {
  const auto at = conform::find_integers(result, "at");
  const bool is_first = !at || std::ranges::count(*at, 0) == std::ssize(*at);
  if (!is_first) result = conform::json_object({{"equal", true}});
}

const Variant kHolderVariants[] = {
    {"TRITON-1910", OtherResult(first_place_only)},
    {"TRITON-4116", OtherResult(encoded_as<order_of_rows>)},
    {"TRITON-3467", OtherResult(encoded_as<warps_by_rows>)},
    {"THREADS-LANES", OtherResult(encoded_as<lanes_for_warps>)},
    {"VLLM-GGUF-103", OtherResult(sharded_as<first_part_everywhere>)},
    {"XLA-IOTA-ORDER", OtherResult(sharded_as<devices_in_order>)},
    {"XLA-COPIES-ORDER", OtherResult(sharded_as<copies_in_turn>)},
    {"XLA-49122", OtherResult(clamped_padding)},
    {"SHARD-FLOOR", OtherResult(parts_rounded_down)},
    {"XLA-45218", OtherRequest(module_with<without_self_pairs>)},
    {"EXCHANGE-TURNED", OtherRequest(module_with<from_target_to_source>)},
    {"EXCHANGE-SORTED", OtherRequest(module_with<groups_in_order>)},
    {"EXCHANGE-IOTA", OtherRequest(module_with<iota_untransposed>)},
    {"EXCHANGE-CHANNEL", OtherRequest(module_with<channel_ignored>)},
    {"XLA-29511", OtherResult(first_device_only)},
    {"EQUAL-FIRST", OtherResult(first_element_only)},
};

}  // namespace

absl::Span<const Variant> holder_variants() { return kHolderVariants; }

}  // namespace tileproof::zoo
