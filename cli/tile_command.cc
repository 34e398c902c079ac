// SPDX-License-Identifier: Apache-2.0
// tileproof tile: the tiles of the operands that a tile of an instruction's result needs, or the
// tile of the result that needs a tile of an operand.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/map_listing.h"
#include "cli/text.h"
#include "conform/oracle/hlo_access.h"
#include "conform/oracle/operations.h"
#include "impl/access/tile.h"
#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/symbolic_tile.h"

namespace tileproof::cli {
namespace {

using impl::TileResult;

// "1 + clamp(o, 0, 5)": the operation clamps the offset o, so that the slice stays inside.
std::string offset_text(const Asked& at, const impl::TileDimension& t) {
  const bool is_moved_only = t.offset == 0 && !t.moved.empty();
  std::string text = is_moved_only ? "" : absl::StrCat(t.offset);
  for (const impl::OffsetTerm& term : t.moved) {
    std::vector<int64_t> index;
    for (NodeId result : term.by.map.results) index.push_back(term.by.map.nodes[result].value);
    absl::StrAppend(&text, text.empty() ? "" : " + ",
                    term.factor == 1 ? "" : absl::StrCat(term.factor, " * "), "clamp(",
                    impl::name_of(at.module, at.computation, term.by.position),
                    index.empty() ? "" : absl::StrCat("(", absl::StrJoin(index, ","), ")"), ", ",
                    term.by.feasible.low, ", ", term.by.feasible.high, ")");
  }
  return text;
}

std::string text_of(const Asked& at, const TileResult& found) {
  switch (found.kind) {
    case TileResult::Kind::kNothing:
      return "nothing";
    case TileResult::Kind::kNone:
      return absl::StrCat("no tile: ", found.why);
    case TileResult::Kind::kUnknown:
      return absl::StrCat("unknown: ", found.why);
    default:
      break;
  }
  if (found.tile.empty()) return "the scalar";
  return absl::StrJoin(found.tile, ", ", [&](std::string* out, const impl::TileDimension& t) {
    absl::StrAppend(out, offset_text(at, t), ":", t.size,
                    t.stride == 1 ? "" : absl::StrCat(":", t.stride));
  });
}

Json json_of(const Asked& at, const TileResult& found) {
  Json json = json_object({{"tile", conform::tile_json(at.module, at.computation, found)}});
  if (!found.why.empty()) set(json, "why", found.why);
  return json;
}

// The tiles of all arrays of the operands.
Json needed(const Asked& at, const impl::Indexing& indexing,
            const std::vector<std::vector<std::vector<int64_t>>>& arrays, const impl::Tile& tile,
            std::string& text) {
  const HloComputation& in = at.module.computations[at.computation];
  Json::Array needs;
  for (size_t k = 0; k < indexing.size(); ++k) {
    for (size_t leaf = 0; leaf < indexing[k].size(); ++leaf) {
      const TileResult found = tile_needed(indexing[k][leaf], tile, arrays[k][leaf]);
      Json item = json_of(at, found);
      set(item, "operand", static_cast<int64_t>(k));
      set(item, "leaf", static_cast<int64_t>(leaf));
      needs.push_back(std::move(item));
      absl::StrAppend(&text, "  ", operand_name(in, at.instruction, k, leaf), ": ",
                      text_of(at, found), "\n");
    }
  }
  return json_object(
      {{"instruction", in.instructions[at.instruction].name}, {"needs", std::move(needs)}});
}

// The answer of tile.propagate, a line for each array.
absl::StatusOr<Answer> symbolic_tile(const Command& given) {
  const std::vector<HloModule> modules =
      TRY(read_modules(given.text("HLO"), given.flag("--allow-unknown")));
  const Asked at = TRY(find_asked(modules, given.text("--instruction")));
  const HloComputation& in = at.module.computations[at.computation];
  const bool is_inverse = given.has("--operand");
  const std::string& tile = given.text("--tile");
  Json request =
      conform::json_object({{"hlo", to_text(at.module)},
                            {"direction", is_inverse ? "input_to_output" : "output_to_input"},
                            {"instruction", in.instructions[at.instruction].name},
                            {"tile", tile}});
  set(request, is_inverse ? "input" : "output",
      given.number(is_inverse ? "--operand" : "--output"));
  const conform::Result found =
      TRY(about("", conform::tile_propagate(request, conform::Engine::kImpl), tile));
  std::string text = headline(in, at.instruction) + "\n";
  for (const Json& item : *found.value.as<Json::Array>()) {
    const auto* text_of_item = item.as<std::string>();
    absl::StrAppend(&text, "  ", text_of_item == nullptr ? "nothing" : *text_of_item, "\n");
  }
  return Answer{{json_object({{"instruction", in.instructions[at.instruction].name},
                              {"tiles", found.value}})},
                std::move(text)};
}

}  // namespace

absl::StatusOr<Answer> tile_command(const Command& given) {
  if (looks_like_symbolic_tile(given.text("--tile"))) return symbolic_tile(given);
  const std::vector<HloModule> modules =
      TRY(read_modules(given.text("HLO"), given.flag("--allow-unknown")));
  const impl::Tile tile =
      TRY(about("", impl::parse_tile(given.text("--tile")), given.text("--tile")));
  const Asked at = TRY(find_asked(modules, given.text("--instruction")));
  const auto output = static_cast<int32_t>(given.number("--output"));
  impl::IndexingAnalysis analysis(at.module);
  const auto indexing = TRY(analysis.reads(at.computation, at.instruction, output));
  const auto arrays =
      TRY(impl::sizes_read(at.module, at.computation, at.instruction, Scope::kInstruction));
  const auto result = TRY(impl::sizes_of_result(at.module, at.computation, at.instruction, output));
  const HloComputation& in = at.module.computations[at.computation];
  std::string text = headline(in, at.instruction) + "\n";
  Json json;
  if (!given.has("--operand")) {
    TRY(expect_tile(tile, result));
    json = needed(at, indexing, arrays, tile, text);
  } else {
    const int64_t operand = given.number("--operand");
    if (operand >= std::ssize(arrays) || arrays[operand].size() != 1) {
      return invalid("--operand: expected the number of an operand that is an array, found ",
                     operand);
    }
    TRY(expect_tile(tile, arrays[operand][0]));
    const TileResult found = tile_served(indexing[operand][0], tile, result);
    json = json_of(at, found);
    set(json, "instruction", in.instructions[at.instruction].name);
    absl::StrAppend(&text, "  result: ", text_of(at, found), "\n");
  }
  return Answer{{std::move(json)}, std::move(text), kHolds, /*sorts_keys=*/false};
}

}  // namespace tileproof::cli
