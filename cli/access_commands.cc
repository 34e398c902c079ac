// SPDX-License-Identifier: Apache-2.0
// tileproof coalescing: counts the memory transactions of the warps of a kernel. The kernel is a
// map from threads and blocks to elements of an instruction's result.

#include <map>
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
#include "cli/picture_file.h"
#include "cli/text.h"
#include "conform/oracle/hlo_access.h"
#include "conform/oracle/operations.h"
#include "impl/access/coalescing.h"
#include "impl/access/tile.h"
#include "impl/access/utilization.h"
#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/symbolic_tile.h"

namespace tileproof::cli {
namespace {

std::string text_of(const impl::KernelTraffic& traffic, int64_t width) {
  if (!traffic.accesses) return absl::StrCat("not counted: ", traffic.why);
  const TransactionCounts& a = *traffic.accesses;
  const std::string used = a.transactions == 0 ? ""
                                               : absl::StrCat("; ", traffic.used_percent(width),
                                                              "% of the bytes are used");
  return absl::StrCat(a.accesses, " accesses, ", a.transactions, " transactions of ", width,
                      " bytes, at most ", a.most, " an access", used);
}

Json json_of(const impl::KernelTraffic& traffic) {
  Json json = json_object({{"array", traffic.name}});
  if (!traffic.accesses) {
    set(json, "uncounted", traffic.why);
    return json;
  }
  set(json, "accesses", traffic.accesses->accesses);
  set(json, "transactions", traffic.accesses->transactions);
  set(json, "most", traffic.accesses->most);
  set(json, "elements", traffic.accesses->elements);
  set(json, "bits", traffic.bits);
  return json;
}

}  // namespace

absl::StatusOr<Answer> coalescing_command(const Command& given) {
  const std::vector<HloModule> modules =
      TRY(read_modules(given.text("HLO"), given.flag("--allow-unknown")));
  const Asked at = TRY(find_asked(modules, given.text("--instruction")));
  const std::string text = TRY(about("--threads", read_argument(given.text("--threads"))));
  const IndexingMap threads = TRY(about("--threads", parse_map(text), text));
  const Warps warps{given.number("--warp"), given.number("--width")};
  const auto output = static_cast<int32_t>(given.number("--output"));
  const std::string& svg = given.text("--svg");
  impl::IndexingAnalysis analysis(at.module);
  const auto all = TRY(impl::kernel_traffic(analysis, at.module, at.computation, at.instruction,
                                            output, threads, warps));
  if (!svg.empty()) {
    TRY(about("coalescing --svg",
              draw_instruction(modules, given.text("--instruction"), output, svg,
                               [&](const explorer::InstructionAccess& access) {
                                 return explorer::traffic_picture(access, threads, warps);
                               })));
    if (svg == "-") return Answer{};
  }
  const HloComputation& in = at.module.computations[at.computation];
  Answer answer{{}, headline(in, at.instruction) + "\n", kHolds, /*sorts_keys=*/false};
  Json::Array arrays;
  for (const impl::KernelTraffic& traffic : all) {
    arrays.push_back(json_of(traffic));
    absl::StrAppend(&answer.text, "  ", traffic.name, ": ", text_of(traffic, warps.width), "\n");
  }
  answer.json.push_back(json_object({{"instruction", in.instructions[at.instruction].name},
                                     {"warp", warps.warp},
                                     {"width", warps.width},
                                     {"arrays", std::move(arrays)}}));
  return answer;
}

// tileproof utilization: how many elements of its operands each instruction of an HLO file reads.

namespace {

using impl::ElementsRead;

struct UtilizationSummary {
  int64_t instructions = 0, counted = 0;
  std::map<std::string, int64_t> uncounted;  // reasons
  std::vector<std::string> refused;
  std::string first_refused_in;  // its computation
};

std::string text_of(const ElementsRead& read) {
  if (!read.uncounted.empty()) {
    return absl::StrCat("of ", read.elements, " elements, not counted: ", read.uncounted);
  }
  return absl::StrCat(read.least, read.least == read.most ? "" : absl::StrCat(" to ", read.most),
                      " of ", read.elements, " elements");
}

// Adds the document and the text of an instruction.
void list_instruction(const HloModule& module, int32_t computation, int32_t instruction,
                      impl::IndexingAnalysis& analysis, Answer& answer,
                      UtilizationSummary& summary) {
  const HloComputation& in = module.computations[computation];
  const HloInstruction& at = in.instructions[instruction];
  if (at.operands.empty()) return;
  const auto found = impl::utilization(analysis, module, computation, instruction);
  Json json = json_object({{"computation", in.name}, {"instruction", at.name}});
  if (!module.name.empty()) set(json, "module", module.name);
  absl::StrAppend(&answer.text, headline(in, instruction), "\n");
  if (!found.ok()) {
    if (summary.refused.empty()) summary.first_refused_in = in.name;
    summary.refused.emplace_back(found.status().message());
    set(json, "error", summary.refused.back());
    absl::StrAppend(&answer.text, "  not analyzed: ", summary.refused.back(), "\n");
  } else {
    set(json, "read", conform::utilization_json(*found));
    for (size_t k = 0; k < found->size(); ++k) {
      for (size_t leaf = 0; leaf < (*found)[k].size(); ++leaf) {
        const ElementsRead& read = (*found)[k][leaf];
        read.uncounted.empty() ? ++summary.counted : ++summary.uncounted[read.uncounted];
        absl::StrAppend(&answer.text, "  ", operand_name(in, instruction, k, leaf), ": ",
                        text_of(read), "\n");
      }
    }
  }
  answer.json.push_back(std::move(json));
}

std::string to_text(const UtilizationSummary& summary) {
  int64_t not_counted = 0;
  std::string reasons;
  for (const auto& [why, times] : summary.uncounted) {
    not_counted += times;
    absl::StrAppend(&reasons, "  not counted: ", why, ": ", times, "\n");
  }
  return absl::StrCat("\n", summary.instructions, " instructions, ", summary.counted + not_counted,
                      " arrays read: ", summary.counted, " counted, ", not_counted,
                      " not counted\n", reasons);
}

}  // namespace

absl::StatusOr<int> utilization_command(const Command& given) {
  const absl::string_view name = absl::StripPrefix(given.text("--instruction"), "%");
  const std::string& svg = given.text("--svg");
  const std::vector<HloModule> modules =
      TRY(read_modules(given.text("FILE"), given.flag("--allow-unknown"), given.text("--shape")));
  if (!svg.empty()) {
    TRY(about("utilization --svg",
              draw_instruction(modules, name, 0, svg, explorer::heat_picture)));
    if (svg == "-") return kHolds;
  }
  Answer answer;
  answer.sorts_keys = false;
  UtilizationSummary summary;
  for (const HloModule& module : modules) {
    impl::IndexingAnalysis analysis(module);
    for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
      const auto& instructions = module.computations[c].instructions;
      for (int32_t i = 0; i < std::ssize(instructions); ++i) {
        if (!name.empty() && instructions[i].name != name) continue;
        ++summary.instructions;
        list_instruction(module, c, i, analysis, answer, summary);
      }
    }
  }
  if (summary.instructions == 0) {
    return absl::NotFoundError(absl::StrCat("no instruction '", conform::shown(name, 60), "'"));
  }
  answer.text += to_text(summary);
  print(answer, given.flag("--json"));
  if (summary.refused.empty()) return kHolds;
  const absl::Status error =
      invalid(summary.refused.size(), " of ", summary.instructions,
              " instructions cannot be analyzed, such as ", summary.refused.front());
  return error_at_reason(given.text("FILE"), summary.first_refused_in, summary.refused.front(),
                         error);
}

// tileproof tile: the tiles of the operands that a tile of an instruction's result needs, or the
// tile of the result that needs a tile of an operand.

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
