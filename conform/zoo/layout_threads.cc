// SPDX-License-Identifier: Apache-2.0
// layout.element, layout.owner: wrong layouts of threads.
#include <memory>
#include <utility>

#include "conform/oracle/fields.h"
#include "conform/zoo/variants.h"
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

const Variant kThreadVariants[] = {
    {"TRITON-1910", OtherResult(first_place_only)},
    {"TRITON-4116", OtherResult(encoded_as<order_of_rows>)},
    {"TRITON-3467", OtherResult(encoded_as<warps_by_rows>)},
    {"THREADS-LANES", OtherResult(encoded_as<lanes_for_warps>)},
};

}  // namespace

absl::Span<const Variant> thread_variants() { return kThreadVariants; }

}  // namespace tileproof::zoo
