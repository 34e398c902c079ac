// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "explorer/answers/panels.h"
#include "impl/access/coalescing.h"
#include "impl/access/tile.h"
#include "impl/access/utilization.h"
#include "impl/hlo/analysis_scope.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::explorer {
namespace {

using conform::json_object;

// Parses the module, unless the last question was about the same text.
absl::Status read_module(const Json& question, Memory& memory) {
  std::string text = TRY(text_in(question, "text"));
  if (memory.module != nullptr && memory.text == text) return absl::OkStatus();
  memory.analysis.reset();
  memory.module.reset();
  std::vector<HloModule> modules = TRY(parse_hlo_modules(text, UnknownHlo::kRefuse));
  memory.text = std::move(text);
  memory.module = std::make_unique<HloModule>(std::move(modules.front()));
  memory.analysis = std::make_unique<impl::IndexingAnalysis>(*memory.module);
  return absl::OkStatus();
}

struct Place {
  int32_t computation, instruction;
};

absl::StatusOr<Place> place_in(const Json& question, const HloModule& module) {
  const Place place{TRY(number_in(question, "computation")),
                    TRY(number_in(question, "instruction"))};
  const bool exists =
      place.computation < std::ssize(module.computations) &&
      place.instruction < std::ssize(module.computations[place.computation].instructions);
  if (!exists) return absl::InvalidArgumentError("no such instruction");
  return place;
}

Json to_json(const HloComputation& computation, int32_t number) {
  const HloInstruction& instruction = computation.instructions[number];
  std::vector<int64_t> operands, calls;
  for (const HloOperand& operand : instruction.operands) operands.push_back(operand.instruction);
  for (const HloCall& call : instruction.calls) calls.push_back(call.computation);
  return json_object({{"name", instruction.name},
                      {"opcode", instruction.opcode_text},
                      {"shape", instruction.shape ? to_text(*instruction.shape) : std::string()},
                      {"operands", operands},
                      {"calls", calls},
                      {"line", to_text(computation, number)}});
}

Json::Array texts_of(const impl::LeafMaps& list) {
  Json::Array texts;
  for (const impl::IndexedMap& one : list.maps) texts.emplace_back(to_text(one.map));
  return texts;
}

Json utilization_of(const impl::ElementsRead& read) {
  if (!read.uncounted.empty()) return json_object({{"uncounted", read.uncounted}});
  return json_object({{"least", read.least}, {"most", read.most}, {"elements", read.elements}});
}

// The maps from one leaf of the operands to the result; empty if the analysis has none.
Json::Array inverse_of(Memory& memory, const Place& place, int32_t leaf) {
  Json::Array texts;
  const auto found = memory.analysis->reached(place.computation, place.instruction, leaf);
  if (!found.ok()) return texts;
  for (const impl::LeafMaps& list : *found) texts.emplace_back(texts_of(list));
  return texts;
}

// The number, or `otherwise` if the key is missing.
absl::StatusOr<int32_t> number_or(const Json& question, absl::string_view key, int32_t otherwise) {
  return find(question, key) == nullptr ? otherwise : number_in(question, key);
}

absl::StatusOr<InstructionAccess> access_in(const Json& question, Memory& memory) {
  TRY(read_module(question, memory));
  const Place place = TRY(place_in(question, *memory.module));
  const int32_t output = TRY(number_or(question, "output", 0));
  return instruction_access(*memory.analysis, *memory.module, place.computation, place.instruction,
                            output);
}

// What the analysis says of the place.
struct Reads {
  Place place;
  impl::Indexing maps;
  absl::StatusOr<std::vector<std::vector<Dims>>> sizes;  // of the arrays
};

absl::StatusOr<Reads> reads_in(const Json& question, Memory& memory) {
  TRY(read_module(question, memory));
  const Place place = TRY(place_in(question, *memory.module));
  return Reads{
      place, TRY(memory.analysis->reads(place.computation, place.instruction)),
      impl::sizes_read(*memory.module, place.computation, place.instruction, Scope::kInstruction)};
}

// Calls `add` for each array of the operands with what it adds to: {"operand": .., "leaf": ..}.
template <class Add>  // void(Json&, size_t operand, size_t leaf)
Json each_array(const impl::Indexing& maps, const Add& add) {
  Json::Array arrays;
  for (size_t operand = 0; operand < maps.size(); ++operand) {
    for (size_t leaf = 0; leaf < maps[operand].size(); ++leaf) {
      Json json = json_object(
          {{"operand", static_cast<int64_t>(operand)}, {"leaf", static_cast<int64_t>(leaf)}});
      add(json, operand, leaf);
      arrays.push_back(std::move(json));
    }
  }
  return Json(std::move(arrays));
}

// [[offset, size, stride], ..], null for nothing, "none", "unknown"; {"tile", "moved": true} if offsets
// move it.
Json to_json(const impl::TileResult& found) {
  using Kind = impl::TileResult::Kind;
  if (found.kind == Kind::kNothing) return Json();
  if (found.kind != Kind::kTile) return found.kind == Kind::kNone ? "none" : "unknown";
  Json::Array spans;
  bool moved = false;
  for (const impl::TileDimension& dimension : found.tile) {
    spans.emplace_back(std::vector<int64_t>{dimension.offset, dimension.size, dimension.stride});
    moved = moved || !dimension.moved.empty();
  }
  if (!moved) return Json(std::move(spans));
  return json_object({{"tile", Json(std::move(spans))}, {"moved", true}});
}

Json to_json(const impl::KernelTraffic& traffic, int64_t width) {
  Json json = json_object({{"name", traffic.name}});
  if (!traffic.accesses) {
    set(json, "uncounted", traffic.why);
    return json;
  }
  set(json, "accesses", traffic.accesses->accesses);
  set(json, "transactions", traffic.accesses->transactions);
  set(json, "most", traffic.accesses->most);
  set(json, "used", traffic.used_percent(width));
  return json;
}

}  // namespace

absl::StatusOr<Json> module_answer(const Json& question, Memory& memory) {
  TRY(read_module(question, memory));
  const HloModule& module = *memory.module;
  if (instruction_count(module) > memory.most_instructions) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the module has ", instruction_count(module), " instructions; the page shows at most ",
        memory.most_instructions, ". Try: tileproof map FILE --summary"));
  }
  Json::Array computations;
  for (const HloComputation& computation : module.computations) {
    Json::Array instructions;
    for (size_t i = 0; i < computation.instructions.size(); ++i) {
      instructions.push_back(to_json(computation, static_cast<int32_t>(i)));
    }
    Json json = json_object({{"name", computation.name}, {"root", computation.root}});
    set(json, "instructions", Json(std::move(instructions)));
    computations.push_back(std::move(json));
  }
  Json json = json_object({{"name", module.name}, {"entry", module.entry}});
  set(json, "computations", Json(std::move(computations)));
  return json;
}

absl::StatusOr<Json> instruction_answer(const Json& question, Memory& memory) {
  const Reads reads = TRY(reads_in(question, memory));
  const Place place = reads.place;
  const HloModule& module = *memory.module;
  const HloComputation& computation = module.computations[place.computation];
  const HloInstruction& instruction = computation.instructions[place.instruction];
  const auto used =
      impl::utilization(*memory.analysis, module, place.computation, place.instruction);
  int32_t input = 0;  // the leaf among those of all operands
  Json arrays = each_array(reads.maps, [&](Json& json, size_t operand, size_t leaf) {
    const impl::LeafMaps& list = reads.maps[operand][leaf];
    set(json, "name", computation.instructions[instruction.operands[operand].instruction].name);
    set(json, "maps", Json(texts_of(list)));
    if (list.inexact) set(json, "inexact", list.reason);
    set(json, "inverse", Json(inverse_of(memory, place, input++)));
    if (reads.sizes.ok()) set(json, "dims", (*reads.sizes)[operand][leaf]);
    if (used.ok()) set(json, "utilization", utilization_of((*used)[operand][leaf]));
  });
  Json json = json_object({{"line", to_text(computation, place.instruction)}});
  const auto result = impl::sizes_of_result(module, place.computation, place.instruction, 0);
  if (result.ok()) set(json, "dims", *result);
  set(json, "arrays", std::move(arrays));
  return json;
}

absl::StatusOr<Json> tile_answer(const Json& question, Memory& memory) {
  const Reads reads = TRY(reads_in(question, memory));
  const impl::Tile tile = TRY(impl::parse_tile(TRY(text_in(question, "tile"))));
  const auto result = TRY(
      impl::sizes_of_result(*memory.module, reads.place.computation, reads.place.instruction, 0));
  TRY(impl::expect_tile(tile, result));
  if (!reads.sizes.ok()) return reads.sizes.status();
  Json needs = each_array(reads.maps, [&](Json& json, size_t operand, size_t leaf) {
    const impl::TileResult found =
        impl::tile_needed(reads.maps[operand][leaf], tile, (*reads.sizes)[operand][leaf]);
    set(json, "tile", to_json(found));
    if (!found.why.empty()) set(json, "why", found.why);
  });
  return json_object({{"needs", std::move(needs)}});
}

absl::StatusOr<Json> reads_answer(const Json& question, Memory& memory) {
  const InstructionAccess at = TRY(access_in(question, memory));
  const std::string tile = TRY(text_or_none(question, "tile"));
  std::string svg = TRY(reads_picture(at, TRY(impl::parse_tile(tile))));
  return json_object({{"svg", std::move(svg)}});
}

absl::StatusOr<Json> heat_answer(const Json& question, Memory& memory) {
  std::string svg = TRY(heat_picture(TRY(access_in(question, memory))));
  return json_object({{"svg", std::move(svg)}});
}

absl::StatusOr<Json> traffic_answer(const Json& question, Memory& memory) {
  const InstructionAccess at = TRY(access_in(question, memory));
  const std::string text = TRY(text_in(question, "threads"));
  const IndexingMap threads = TRY(conform::prefixed("threads", parse_map(text)));
  const Warps warps{TRY(number_or(question, "warp", 32)), TRY(number_or(question, "width", 32))};
  if (warps.warp < 1 || warps.warp > 1024 || warps.width < 1 || warps.width > 4096) {
    return absl::InvalidArgumentError("expected a warp of 1 to 1024 and a width of 1 to 4096");
  }
  const Place place = TRY(place_in(question, *memory.module));
  const auto all = TRY(impl::kernel_traffic(*memory.analysis, *memory.module, place.computation,
                                            place.instruction,
                                            TRY(number_or(question, "output", 0)), threads, warps));
  Json::Array arrays;
  for (const impl::KernelTraffic& traffic : all) arrays.push_back(to_json(traffic, warps.width));
  Json json = json_object({{"arrays", Json(std::move(arrays))}});
  const absl::StatusOr<std::string> svg = traffic_picture(at, threads, warps);
  svg.ok() ? set(json, "svg", *svg) : set(json, "no_svg", svg.status().message());
  return json;
}

}  // namespace tileproof::explorer
