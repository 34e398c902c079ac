// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/hlo_access.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/operations.h"
#include "conform/protocol/memo.h"
#include "impl/hlo/indexing.h"
#include "spec/access/tile.h"
#include "spec/access/utilization.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {
namespace {

constexpr spec::Limits kAccessLimits{.elements = 1 << 16, .work = 1 << 21};

// How many combinations of offset values the reference enumerates, and its work for each. All three
// attempts together take about a second.
struct Effort {
  int64_t combinations;
  int64_t work;
};
constexpr Effort kEfforts[] = {{1, 1 << 21}, {64, 1 << 18}, {2000, 1 << 13}};

Assessment unsaid() { return {Assessment::Kind::kUnspecified, "an item is \"unknown\""}; }

bool is_word(const Json& json, absl::string_view word) {
  const auto* text = json.as<std::string>();
  return text != nullptr && *text == word;
}

// The same question to hlo.index.
absl::StatusOr<HloQuestion> read_question(Json request) {
  set(request, "direction", "output_to_input");
  return read_hlo_question(request);
}

// ---- Utilization ----

Json range_json(int64_t least, int64_t most) {
  return least == most ? Json(least) : Json(std::vector<int64_t>{least, most});
}

absl::StatusOr<spec::Utilization> reference_utilization(const HloQuestion& question) {
  absl::StatusOr<spec::Utilization> found;
  for (const auto& [combinations, work] : kEfforts) {
    found = spec::utilization(question.module, question.computation, question.instruction,
                              question.scope, combinations, {kAccessLimits.elements, work});
    if (!absl::IsResourceExhausted(found.status())) break;
  }
  return found;
}

using SharedUtilization = std::shared_ptr<const absl::StatusOr<spec::Utilization>>;

SharedUtilization utilization_of(const Json& request) {
  static SharedMemo<absl::StatusOr<spec::Utilization>> memo;
  return memo.get(to_text(request), [&request]() -> absl::StatusOr<spec::Utilization> {
    return reference_utilization(TRY(read_question(request)));
  });
}

std::vector<spec::ElementsRead> flat(const spec::Utilization& utilization) {
  std::vector<spec::ElementsRead> arrays;
  for (const auto& operand : utilization.read) {
    arrays.insert(arrays.end(), operand.begin(), operand.end());
  }
  return arrays;
}

// ---- Tiles ----

absl::StatusOr<spec::Tile> read_tile(const Json& json) {
  const auto* dimensions = find_as<Json::Array>(json, "tile");
  const absl::Status malformed =
      invalid("tile: expected an array of [offset, size, stride], one for each dimension");
  if (dimensions == nullptr) return malformed;
  spec::Tile tile;
  for (const Json& dimension : *dimensions) {
    const auto numbers = integers(dimension);
    if (!numbers || numbers->size() != 3) return malformed;
    tile.push_back({(*numbers)[0], (*numbers)[1], (*numbers)[2]});
  }
  return tile;
}

Json plain_tile_json(const spec::Tile& tile) {
  Json::Array dimensions;
  for (const spec::TileDimension& t : tile) {
    dimensions.emplace_back(std::vector<int64_t>{t.offset, t.size, t.stride});
  }
  return dimensions;
}

impl::Tile as_impl(const spec::Tile& tile) {
  impl::Tile result;
  for (const spec::TileDimension& t : tile) result.push_back({t.offset, t.size, t.stride});
  return result;
}

// The elements of each array that the tile needs if all offsets have the same given value.
struct Needed {
  std::vector<spec::IndexSet> arrays;
  bool has_offsets = false;
  std::vector<std::string> conservative;
};

struct TileReference {
  absl::StatusOr<HloQuestion> question;
  absl::StatusOr<spec::Tile> tile;
  absl::StatusOr<Needed> needed;  // if all offsets are 0; or an error of the other two
};

absl::StatusOr<Needed> needed_for(const HloQuestion& question, const spec::Tile& tile,
                                  int64_t value) {
  const auto provenance = TRY(spec::provenance(
      question.module, question.computation, question.instruction, question.array, question.scope,
      [value](const spec::HloElement&) { return value; }, kAccessLimits));
  const auto indices = TRY(spec::indices_of(tile, provenance.dims));
  Needed needed{{}, !provenance.reads.empty(), provenance.conservative};
  for (int32_t k = 0; k < std::ssize(provenance.sources); ++k) {
    for (int32_t l = 0; l < std::ssize(provenance.sources[k]); ++l) {
      needed.arrays.push_back(spec::read_by(provenance, k, l, indices));
    }
  }
  return needed;
}

const TileReference& tile_reference_of(const Json& request) {
  thread_local LastRequest<TileReference> last;
  return last.get(request, [](const Json& asked) {
    TileReference reference{read_question(asked), read_tile(asked), Needed()};
    if (!reference.question.ok()) {
      reference.needed = reference.question.status();
    } else if (!reference.tile.ok()) {
      reference.needed = reference.tile.status();
    } else {
      reference.needed = needed_for(*reference.question, *reference.tile, 0);
    }
    return reference;
  });
}

Json item_of(const spec::IndexSet& elements) {
  if (elements.empty()) return Json();
  const std::optional<spec::Tile> tile = spec::tile_of(elements);
  return tile ? plain_tile_json(*tile) : Json("none");
}

// The tile that an item claims if all offsets have this value.
absl::StatusOr<Json> claimed(const Json& item, int64_t value) {
  const Json* moved = find(item, "moved");
  if (moved == nullptr) return item;
  spec::Tile tile = TRY(read_tile(item));
  const absl::Status malformed = invalid("moved: expected a list of terms for each dimension");
  const auto* dimensions = moved->as<Json::Array>();
  if (dimensions == nullptr || dimensions->size() != tile.size()) return malformed;
  for (size_t d = 0; d < tile.size(); ++d) {
    const auto* terms = (*dimensions)[d].as<Json::Array>();
    if (terms == nullptr) return malformed;
    for (const Json& term : *terms) {
      const auto bounds = find_integers(term, "feasible");
      const auto* times = find_as<int64_t>(term, "factor");
      if (!bounds || bounds->size() != 2 || (*bounds)[0] > (*bounds)[1] || times == nullptr) {
        return invalid("moved: expected {\"factor\", \"feasible\": [low, high]}");
      }
      const int64_t clamped = std::clamp(value, (*bounds)[0], (*bounds)[1]);
      const absl::int128 offset = absl::int128{tile[d].offset} + absl::int128{*times} * clamped;
      if (offset < INT64_MIN || offset > INT64_MAX) return malformed;
      tile[d].offset = static_cast<int64_t>(offset);
    }
  }
  return plain_tile_json(tile);
}

constexpr int64_t kMostOffset = 8;  // offsets that are tried

// Judges the items if all offsets have this value.
Assessment tiles_at(const Json::Array& items, const absl::StatusOr<Needed>& needed, int64_t value) {
  if (!needed.ok()) return open(needed.status().message());
  if (items.size() != needed->arrays.size()) {
    return wrong("expected ", needed->arrays.size(), " items, found ", items.size());
  }
  bool unknown = false;
  for (size_t i = 0; i < items.size(); ++i) {
    unknown = unknown || is_word(items[i], "unknown");
    if (is_word(items[i], "unknown")) continue;
    const absl::StatusOr<Json> item = claimed(items[i], value);
    if (!item.ok()) return wrong(item.status().message());
    const Json right = item_of(needed->arrays[i]);
    if (*item == right) continue;
    if (!needed->conservative.empty()) {
      return open("the reference is a superset: ", needed->conservative[0]);
    }
    return wrong("item ", i, ", all offsets ", value, ": expected ", to_text(right), ", found ",
                 shown(to_text(*item), 60));
  }
  return unknown ? unsaid() : Assessment{};
}

}  // namespace

Json utilization_json(const impl::Utilization& utilization) {
  Json::Array arrays;
  for (size_t k = 0; k < utilization.size(); ++k) {
    for (size_t leaf = 0; leaf < utilization[k].size(); ++leaf) {
      const impl::ElementsRead& read = utilization[k][leaf];
      Json json = json_object({{"operand", static_cast<int64_t>(k)},
                               {"leaf", static_cast<int64_t>(leaf)},
                               {"elements", read.elements}});
      if (read.uncounted.empty()) {
        set(json, "least", read.least);
        set(json, "most", read.most);
      } else {
        set(json, "uncounted", read.uncounted);
      }
      arrays.push_back(std::move(json));
    }
  }
  return arrays;
}

Json tile_json(const HloModule& module, int32_t computation, const impl::TileResult& found) {
  using Kind = impl::TileResult::Kind;
  if (found.kind == Kind::kUnknown) return "unknown";
  if (found.kind == Kind::kNone) return "none";
  if (found.kind == Kind::kNothing) return Json();
  Json::Array dimensions, moved;
  bool any = false;
  for (const impl::TileDimension& t : found.tile) {
    dimensions.emplace_back(std::vector<int64_t>{t.offset, t.size, t.stride});
    Json::Array terms;
    for (const impl::OffsetTerm& term : t.moved) {
      std::vector<int64_t> index;
      for (NodeId result : term.by.map.results) index.push_back(term.by.map.nodes[result].value);
      terms.push_back(json_object(
          {{"factor", term.factor},
           {"instruction", impl::name_of(module, computation, term.by.position)},
           {"index", index},
           {"feasible", std::vector<int64_t>{term.by.feasible.low, term.by.feasible.high}}}));
      any = true;
    }
    moved.emplace_back(std::move(terms));
  }
  if (!any) return dimensions;
  return json_object({{"tile", std::move(dimensions)}, {"moved", std::move(moved)}});
}

absl::StatusOr<Result> hlo_utilization(const Json& request, Engine engine) {
  Json::Array items;
  if (engine == Engine::kSpec) {
    const SharedUtilization found = utilization_of(request);
    if (!found->ok()) return found->status();
    for (const spec::ElementsRead& read : flat(**found)) {
      items.push_back(range_json(read.least, read.most));
    }
    return Result(std::move(items));
  }
  const HloQuestion question = TRY(read_question(request));
  impl::IndexingAnalysis analysis(question.module);
  const auto found = TRY(impl::utilization(analysis, question.module, question.computation,
                                           question.instruction, question.scope));
  for (const auto& operand : found) {
    for (const impl::ElementsRead& read : operand) {
      items.push_back(read.uncounted.empty() ? range_json(read.least, read.most) : Json("unknown"));
    }
  }
  return Result(std::move(items));
}

Assessment judge_utilization(const Json& request, const Answer& answer) {
  const auto* items = answer.result.as<Json::Array>();
  if (items == nullptr) return wrong("expected an array");
  const SharedUtilization shared = utilization_of(request);
  const absl::StatusOr<spec::Utilization>& found = *shared;
  if (!found.ok()) return open(found.status().message());
  const std::vector<spec::ElementsRead> arrays = flat(*found);
  if (items->size() != arrays.size()) {
    return wrong("expected ", arrays.size(), " items, found ", items->size());
  }
  bool unknown = false;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Json& item = (*items)[i];
    const Json right = range_json(arrays[i].least, arrays[i].most);
    unknown = unknown || is_word(item, "unknown");
    if (is_word(item, "unknown") || item == right) continue;
    if (!found->conservative.empty()) {
      return open("the reference is a superset: ", found->conservative[0]);
    }
    return wrong("item ", i, ": expected ", to_text(right), ", found ", shown(to_text(item), 60));
  }
  return unknown ? unsaid() : Assessment{};
}

absl::StatusOr<Result> hlo_tile(const Json& request, Engine engine) {
  Json::Array items;
  if (engine == Engine::kSpec) {
    const absl::StatusOr<Needed>& needed = tile_reference_of(request).needed;
    if (!needed.ok()) return needed.status();
    if (needed->has_offsets) {
      return absl::UnimplementedError("the reference needs values of the offsets");
    }
    for (const spec::IndexSet& elements : needed->arrays) items.push_back(item_of(elements));
    return Result(std::move(items));
  }
  const HloQuestion question = TRY(read_question(request));
  const spec::Tile tile = TRY(read_tile(request));
  impl::IndexingAnalysis analysis(question.module);
  const auto indexing = TRY(
      analysis.reads(question.computation, question.instruction, question.array, question.scope));
  const auto arrays = TRY(impl::sizes_read(question.module, question.computation,
                                           question.instruction, question.scope));
  const auto result = TRY(impl::sizes_of_result(question.module, question.computation,
                                                question.instruction, question.array));
  TRY(impl::expect_tile(as_impl(tile), result));
  for (size_t k = 0; k < indexing.size(); ++k) {
    for (size_t l = 0; l < indexing[k].size(); ++l) {
      items.push_back(tile_json(question.module, question.computation,
                                impl::tile_needed(indexing[k][l], as_impl(tile), arrays[k][l])));
    }
  }
  return Result(std::move(items));
}

Assessment judge_tile(const Json& request, const Answer& answer) {
  const auto* items = answer.result.as<Json::Array>();
  if (items == nullptr) return wrong("expected an array");
  const TileReference& reference = tile_reference_of(request);
  Assessment meaning = tiles_at(*items, reference.needed, 0);
  if (!reference.needed.ok() || !reference.needed->has_offsets) return meaning;
  for (int64_t value = -1; value <= kMostOffset; ++value) {
    if (value == 0) continue;
    if (meaning.kind == Assessment::Kind::kWrong || meaning.kind == Assessment::Kind::kOpen) break;
    meaning = tiles_at(*items, needed_for(*reference.question, *reference.tile, value), value);
  }
  return meaning;
}

}  // namespace tileproof::conform
