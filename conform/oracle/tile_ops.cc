// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/operations.h"
#include "impl/access/tile_propagation.h"
#include "impl/hlo/analysis_scope.h"
#include "spec/access/tile.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/symbolic_tile.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::conform {
namespace {

// Elements that the judge visits: of all tiles together, each tile counted as one more.
constexpr int64_t kMostVisited = 1 << 18;

// The tile of a request, which is of an array of these sizes.
absl::StatusOr<SymbolicTile> given_tile(const Json& request, const Dims& sizes) {
  const SymbolicTile tile = TRY(parsed_field(request, "tile", parse_symbolic_tile));
  if (tile.rank() != sizes.size()) {
    return invalid("tile: expected ", sizes.size(), " dimensions, found ", tile.rank());
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    const std::optional<Interval> upper = interval_of(tile.map, tile.upper_bound(d));
    if (upper && upper->high <= sizes[d]) continue;
    return invalid("tile: dimension ", d, ": expected an upper bound of at most ", sizes[d],
                   ", as the bounds show");
  }
  return tile;
}

// The sizes of the array that the tile is of.
absl::StatusOr<Dims> sizes_asked(const HloQuestion& question) {
  if (!question.is_inverse()) {
    return impl::sizes_of_result(question.module, question.computation, question.instruction,
                                 question.array);
  }
  const auto operands = TRY(impl::sizes_read(question.module, question.computation,
                                             question.instruction, question.scope));
  int32_t next = 0;
  for (const auto& leaves : operands) {
    for (const Dims& sizes : leaves) {
      if (next++ == question.array) return sizes;
    }
  }
  return invalid("input: expected the number of a leaf of the operands");
}

// Judges an item by the elements of each of the given tiles.
Assessment judge_item(const Json& item, const SymbolicTile& given,
                      const spec::Provenance& provenance, int32_t operand, int32_t leaf) {
  const auto* text = item.as<std::string>();
  if (text != nullptr && *text == "unknown")
    return {Assessment::Kind::kUnspecified, "an item is \"unknown\""};
  if (text == nullptr && !(item == Json())) return wrong("expected a tile, null or \"unknown\"");
  SymbolicTile claimed;
  if (text != nullptr) {
    absl::StatusOr<SymbolicTile> tile = parse_symbolic_tile(*text);
    if (!tile.ok()) return wrong(tile.status().message());
    claimed = *std::move(tile);
    if (claimed.rank() != provenance.sources[operand][leaf].size())
      return wrong("expected a tile of as many dimensions as the array has");
  }
  Assessment found;
  int64_t elements = 0;
  const auto visited =
      spec::for_each_point(given.map, kMostVisited, [&](const spec::Point& point, const auto&) {
        const auto tile = spec::indices_at(given, point);
        if (!tile.ok()) found = open(tile.status().message());
        if (!tile.ok() || tile->empty()) return tile.ok();
        elements += 1 + std::ssize(*tile);
        if (elements > kMostVisited) {
          found = open("the tiles have too many elements");
          return false;
        }
        const spec::IndexSet right = spec::read_by(provenance, operand, leaf, *tile);
        const auto claim = text == nullptr ? spec::IndexSet() : spec::indices_at(claimed, point);
        if (claim.ok() && *claim == right) return true;
        found =
            wrong(spec::to_text(given.map, point), ": expected ", right.size(), " elements, found ",
                  claim.ok() ? absl::StrCat(claim->size(), ", others")
                             : std::string(claim.status().message()));
        return false;
      });
  return visited.ok() ? found : open(visited.message());
}

}  // namespace

absl::StatusOr<Result> tile_propagate(const Json& request, Engine engine) {
  if (engine == Engine::kSpec) {
    const absl::StatusOr<spec::Provenance>& provenance = reference_of(request).provenance;
    if (!provenance.ok()) return provenance.status();
    TRY(given_tile(request, provenance->dims));
    return absl::UnimplementedError("the reference writes no tiles");
  }
  const HloQuestion question = TRY(read_hlo_question(request));
  const auto indexing =
      TRY(verify::analyzed(question.module, {question.computation, question.instruction,
                                             question.array, question.scope, question.direction}));
  const SymbolicTile tile = TRY(given_tile(request, TRY(sizes_asked(question))));
  Json::Array items;
  for (const std::vector<impl::LeafMaps>& operand : indexing) {
    for (const impl::LeafMaps& leaf : operand) {
      if (leaf.maps.empty() && !leaf.inexact) {
        items.emplace_back();
        continue;
      }
      const bool is_one = leaf.maps.size() == 1 && !leaf.inexact;
      const auto made = is_one ? impl::propagate(tile, leaf.maps[0].map) : std::nullopt;
      items.emplace_back(made ? to_text(*made) : "unknown");
    }
  }
  return Result(std::move(items));
}

Assessment judge_propagation(const Json& request, const Answer& answer) {
  const auto* items = answer.result.as<Json::Array>();
  if (items == nullptr) return wrong("expected an array");
  const absl::StatusOr<spec::Provenance>& provenance = reference_of(request).provenance;
  if (!provenance.ok()) return open(provenance.status().message());
  const auto given = given_tile(request, provenance->dims);
  if (!given.ok()) return open(given.status().message());
  Assessment all;
  size_t next = 0;
  for (int32_t k = 0; k < std::ssize(provenance->sources); ++k) {
    for (int32_t l = 0; l < std::ssize(provenance->sources[k]); ++l, ++next) {
      if (next >= items->size()) return wrong("expected an item for each array");
      const Assessment one = judge_item((*items)[next], *given, *provenance, k, l);
      if (one.kind == Assessment::Kind::kWrong) {
        // Offsets are 0 here, or the reference is a superset.
        if (!provenance->reads.empty()) return open("it depends on offsets");
        if (!provenance->conservative.empty()) return open(provenance->conservative[0]);
        return wrong("item ", next, ": ", one.why);
      }
      if (one.kind != Assessment::Kind::kRight) all = one;
    }
  }
  return next == items->size() ? all : wrong("expected an item for each array");
}

}  // namespace tileproof::conform
