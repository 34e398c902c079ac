// SPDX-License-Identifier: Apache-2.0
#include "conform/plugin/plugin_call.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kUnwritten = std::numeric_limits<int64_t>::min();
constexpr size_t kBehind = 16;

absl::Status not_offered() { return absl::UnimplementedError("the plug-in has no such function"); }

}  // namespace

PluginReply::PluginReply() : tileproof_reply{} {
  say = [](tileproof_reply* reply, const char* given) {
    static_cast<PluginReply*>(reply)->text = given == nullptr ? "" : given;
  };
}

absl::Status plugin_status(int returned, const PluginReply& reply) {
  const std::string why = reply.text.empty() ? "no reason given" : reply.text;
  switch (returned) {
    case TILEPROOF_OK:
      return absl::OkStatus();
    case TILEPROOF_UNSUPPORTED:
      return absl::UnimplementedError(why);
    case TILEPROOF_ERROR:
      return absl::InvalidArgumentError(why);
    default:
      return absl::InternalError(
          absl::StrCat("the plug-in returned ", returned,
                       ", expected TILEPROOF_OK, TILEPROOF_UNSUPPORTED or TILEPROOF_ERROR"));
  }
}

GuardedBuffer::GuardedBuffer(size_t size) : size_(size), numbers_(size + kBehind, kUnwritten) {}

absl::Status GuardedBuffer::check() const {
  const bool whole = std::all_of(numbers_.begin() + static_cast<int64_t>(size_), numbers_.end(),
                                 [](int64_t n) { return n == kUnwritten; });
  return whole ? absl::OkStatus()
               : absl::InternalError("the plug-in wrote beyond the end of its results");
}

absl::Status call_linearize(const tileproof_plugin& plugin, const tileproof_shape& shape,
                            absl::Span<const int64_t> indices, int64_t count,
                            std::vector<int64_t>& offsets) {
  if (plugin.layout_linearize == nullptr) return not_offered();
  GuardedBuffer room(static_cast<size_t>(count));
  PluginReply reply;
  const int returned = plugin.layout_linearize(&shape, indices.data(), count, room.data(), &reply);
  absl::Status status = plugin_status(returned, reply);
  status.Update(room.check());
  offsets.assign(room.results().begin(), room.results().end());
  return status;
}

absl::Status call_delinearize(const tileproof_plugin& plugin, const tileproof_shape& shape,
                              absl::Span<const int64_t> positions, std::vector<int64_t>& indices,
                              std::vector<uint8_t>& padding) {
  if (plugin.layout_delinearize == nullptr) return not_offered();
  GuardedBuffer room(positions.size() * static_cast<size_t>(shape.rank));
  padding.assign(positions.size() + kBehind, 0xee);
  PluginReply reply;
  const int returned = plugin.layout_delinearize(&shape, positions.data(), std::ssize(positions),
                                                 room.data(), padding.data(), &reply);
  absl::Status status = plugin_status(returned, reply);
  status.Update(room.check());
  const auto end = padding.begin() + std::ssize(positions);
  if (std::any_of(end, padding.end(), [](uint8_t byte) { return byte != 0xee; })) {
    status.Update(absl::InternalError("the plug-in wrote beyond the end of is_padding"));
  }
  padding.erase(end, padding.end());
  if (status.ok() && std::any_of(padding.begin(), padding.end(), [](uint8_t b) { return b > 1; })) {
    status = absl::InternalError("expected each is_padding to be 0 or 1");
  }
  indices.assign(room.results().begin(), room.results().end());
  return status;
}

absl::Status call_physical(const tileproof_plugin& plugin, const tileproof_shape& shape,
                           tileproof_physical& physical) {
  if (plugin.layout_physical == nullptr) return not_offered();
  physical.rank = physical.elements = physical.bytes = kUnwritten;
  PluginReply reply;
  const absl::Status status =
      plugin_status(plugin.layout_physical(&shape, &physical, &reply), reply);
  if (status.ok() && (physical.rank < 0 || physical.rank > TILEPROOF_MAX_PHYSICAL_RANK)) {
    return absl::InternalError(absl::StrCat("expected a physical rank of 0 to ",
                                            TILEPROOF_MAX_PHYSICAL_RANK, ", found ",
                                            physical.rank));
  }
  return status;
}

}  // namespace tileproof::conform
