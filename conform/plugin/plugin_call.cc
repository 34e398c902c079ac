// SPDX-License-Identifier: Apache-2.0
#include "conform/plugin/plugin_call.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {

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
      return invalid(why);
    default:
      return absl::InternalError(
          absl::StrCat("the plug-in returned ", returned,
                       ", expected TILEPROOF_OK, TILEPROOF_UNSUPPORTED or TILEPROOF_ERROR"));
  }
}

namespace {

static_assert(TILEPROOF_COMBINE == Tile::kCombine);

char letter_of(Op op) {
  switch (op) {
    case Op::kConstant:
      return 'c';
    case Op::kDimension:
      return 'd';
    case Op::kRange:
      return 's';
    case Op::kRuntime:
      return 'r';
    case Op::kAdd:
      return '+';
    case Op::kMul:
      return '*';
    case Op::kFloorDiv:
      return '/';
    case Op::kCeilDiv:
      return '^';
    case Op::kMod:
      return '%';
  }
  return '?';
}

}  // namespace

PluginShape::PluginShape(const Shape& shape)
    : text_(to_text(shape)), type_(info(shape.element_type).name) {
  const Layout layout = layout_of(shape);
  for (const Dimension& d : shape.dimensions) dims_.push_back(d.size);
  minor_to_major_ = layout.minor_to_major;
  for (const Tile& tile : layout.tiles) {
    tile_ranks_.push_back(std::ssize(tile.dims));
    tile_sizes_.insert(tile_sizes_.end(), tile.dims.begin(), tile.dims.end());
  }
  const int64_t given = layout.element_size_in_bits;
  view = {.text = text_.c_str(),
          .element_type = type_.c_str(),
          .element_bits = given != 0 ? given : int64_t{8} * byte_width(shape.element_type),
          .rank = shape.rank(),
          .dims = dims_.data(),
          .minor_to_major = minor_to_major_.data(),
          .tiles = std::ssize(tile_ranks_),
          .tile_ranks = tile_ranks_.data(),
          .tile_sizes = tile_sizes_.data(),
          .tail_alignment = layout.tail_padding_alignment};
}

PluginMap::PluginMap(const IndexingMap& map) : text_(to_text(map)), results_(map.results) {
  for (const auto* variables : {&map.dimensions, &map.ranges, &map.runtime}) {
    for (const Variable& v : *variables) bounds_.push_back({v.bounds.low, v.bounds.high});
  }
  for (const Node& node : map.nodes) {
    nodes_.push_back({letter_of(node.op), node.left, node.right, node.value});
  }
  for (const Constraint& constraint : map.constraints) {
    constraints_.push_back(constraint.expr);
    constraint_bounds_.push_back({constraint.interval.low, constraint.interval.high});
  }
  view = {.text = text_.c_str(),
          .dims = std::ssize(map.dimensions),
          .ranges = std::ssize(map.ranges),
          .runtime = std::ssize(map.runtime),
          .bounds = bounds_.data(),
          .nodes = nodes_.data(),
          .results = std::ssize(results_),
          .result_nodes = results_.data(),
          .constraints = std::ssize(constraints_),
          .constraint_nodes = constraints_.data(),
          .constraint_bounds = constraint_bounds_.data()};
}

absl::StatusOr<tileproof_plugin> load_plugin(const std::string& path) {
  const auto refuse = [&path](const auto&... why) {
    return invalid("cannot load ", path, ": ", why...);
  };
  // The path needs a slash; otherwise dlopen searches the system's libraries.
  const std::string file = std::filesystem::absolute(path).string();
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse(::dlerror());
  void* symbol = ::dlsym(library, "tileproof_plugin_table");
  if (symbol == nullptr) {
    return refuse("expected it to export tileproof_plugin_table (tileproof/plugin.h)");
  }
  const auto get = reinterpret_cast<decltype(&tileproof_plugin_table)>(symbol);
  const tileproof_plugin* given = get();
  if (given == nullptr) return refuse("tileproof_plugin_table() returned null");
  if (given->version != TILEPROOF_PLUGIN_VERSION) {
    return refuse("expected version ", TILEPROOF_PLUGIN_VERSION, " of tileproof/plugin.h, found ",
                  given->version);
  }
  constexpr int64_t least = offsetof(tileproof_plugin, layout_physical);
  if (given->size < least || given->max_rank < 0 || given->max_tiles < 0 || given->bits < 0) {
    return refuse("expected size to be sizeof(tileproof_plugin) and limits of at least 0");
  }
  tileproof_plugin table = {};
  const auto whole = static_cast<int64_t>(sizeof table);
  std::memcpy(&table, given, static_cast<size_t>(std::min(given->size, whole)));
  return table;
}

}  // namespace tileproof::conform
