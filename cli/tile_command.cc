// SPDX-License-Identifier: Apache-2.0
// tileproof tile: the tiles of the operands that a tile of an instruction's result needs, or the
// tile of the result that needs a tile of an operand.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/map_listing.h"
#include "cli/text.h"
#include "conform/oracle/hlo_access.h"
#include "conform/protocol/json.h"
#include "impl/access/tile.h"
#include "impl/access/tile_text.h"
#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

using conform::Json;
using impl::TileResult;

struct TileOptions {
  bool allow_unknown = false;
  std::string file = "-", instruction, tile;
  int32_t output = 0, operand = -1;
  bool json = false;
};

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
  Json json = conform::json_object({});
  set(json, "tile", conform::tile_json(at.module, at.computation, found));
  if (!found.why.empty()) set(json, "why", found.why);
  return json;
}

void print_needed(const Asked& at, const impl::Indexing& indexing,
                  const std::vector<std::vector<std::vector<int64_t>>>& arrays,
                  const impl::Tile& tile, bool as_json) {
  const HloComputation& in = at.module.computations[at.computation];
  const HloInstruction& instruction = in.instructions[at.instruction];
  if (!as_json) std::cout << headline(in, at.instruction) << "\n";
  Json::Array items;
  for (size_t k = 0; k < indexing.size(); ++k) {
    for (size_t leaf = 0; leaf < indexing[k].size(); ++leaf) {
      const TileResult found = tile_needed(indexing[k][leaf], tile, arrays[k][leaf]);
      Json item = json_of(at, found);
      set(item, "operand", static_cast<int64_t>(k));
      set(item, "leaf", static_cast<int64_t>(leaf));
      items.push_back(std::move(item));
      if (as_json) continue;
      std::cout << "  operand " << k << ", "
                << in.instructions[instruction.operands[k].instruction].name
                << (indexing[k].size() > 1 ? absl::StrCat("#", leaf) : "") << ": "
                << text_of(at, found) << "\n";
    }
  }
  if (as_json) {
    std::cout << to_text(conform::json_object(
                     {{"instruction", instruction.name}, {"needs", std::move(items)}}))
              << "\n";
  }
}

absl::Status print_tiles(const Asked& at, const impl::Tile& tile, const TileOptions& options) {
  impl::IndexingAnalysis analysis(at.module);
  const auto indexing = TRY(analysis.instruction(at.computation, at.instruction, options.output));
  const auto arrays =
      TRY(impl::sizes_read(at.module, at.computation, at.instruction, impl::Scope::kInstruction));
  const auto result =
      TRY(impl::sizes_of_result(at.module, at.computation, at.instruction, options.output));
  if (options.operand < 0) {
    const absl::Status fits = expect_tile(tile, result);
    if (fits.ok()) print_needed(at, indexing, arrays, tile, options.json);
    return fits;
  }
  if (options.operand >= std::ssize(arrays) || arrays[options.operand].size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--operand: expected the number of an operand that is an array, found ", options.operand));
  }
  TRY(expect_tile(tile, arrays[options.operand][0]));
  const TileResult found = tile_served(indexing[options.operand][0], tile, result);
  const HloComputation& in = at.module.computations[at.computation];
  if (options.json) {
    Json json = json_of(at, found);
    set(json, "instruction", in.instructions[at.instruction].name);
    std::cout << to_text(json) << "\n";
  } else {
    std::cout << headline(in, at.instruction) << "\n  result: " << text_of(at, found) << "\n";
  }
  return absl::OkStatus();
}

int tile(const TileOptions& options) {
  const absl::StatusOr<std::vector<HloModule>> modules =
      read_modules(options.file, options.allow_unknown);
  if (!modules.ok()) return complain("tile", modules.status());
  const absl::StatusOr<impl::Tile> given = impl::parse_tile(options.tile);
  if (!given.ok()) return complain("tile", given.status(), options.tile);
  const auto at = find_asked(*modules, absl::StripPrefix(options.instruction, "%"));
  if (!at.ok()) return complain("tile", at.status());
  const absl::Status status = print_tiles(*at, *given, options);
  return status.ok() ? kHolds : complain("tile", status);
}

}  // namespace

void add_tile_command(Program& program) {
  auto options = std::make_shared<TileOptions>();
  Command command = program.command(
      "tile", "Find the tiles of operands that a tile of a result needs, or the reverse");
  command.example(
      "tileproof tile 't = f32[16,8] transpose(f32[8,16] p), dimensions={1,0}' "
      "--tile 4:4,0:4:2",
      "rows 4 to 7 and columns 0, 2, 4, 6 of t: which tile of p do they read?");
  command.option("HLO", options->file, "a file of HLO text, or the text; - for standard input")
      .file()
      .show_default();
  command.flag("--allow-unknown", options->allow_unknown, kAllowUnknown);
  command
      .option("--tile", options->tile,
              "OFFSET:SIZE[:STRIDE] for each dimension, separated by commas")
      .required();
  command.option("--instruction", options->instruction,
                 "NAME or COMPUTATION/NAME of an instruction; default: the root of the entry "
                 "computation");
  command.option("--output", options->output, "number of the array in the result")
      .in_range(0, INT32_MAX)
      .show_default();
  command
      .option("--operand", options->operand,
              "--tile is a tile of this operand: find the tile of the result that needs it")
      .in_range(0, INT32_MAX);
  command.flag("--json", options->json, "print JSON");
  command.run([options] { return tile(*options); });
}

}  // namespace tileproof::cli
