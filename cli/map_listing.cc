// SPDX-License-Identifier: Apache-2.0
#include "cli/map_listing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/terminal.h"
#include "conform/protocol/json.h"
#include "impl/hlo/leaf_shapes.h"
#include "spec/lang/base/append_number.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::cli {
namespace {

using conform::Json;
using impl::DataflowKind;
using impl::IndexedMap;
using impl::LeafMaps;

const HloComputation& computation_of(const Shown& shown) {
  return shown.module.computations[shown.maps.computation()];
}

const HloInstruction& instruction_of(const Shown& shown) {
  return computation_of(shown).instructions[shown.maps.instruction()];
}

// `rt0 is element (d0, 1) of rows`
std::string source_text(const Shown& shown, size_t number, const impl::RuntimeSource& source) {
  std::string index;
  for (NodeId result : source.map.results) {
    if (!index.empty()) index += ", ";
    append_expression(index, source.map, result);
  }
  const std::string name = impl::name_of(shown.module, shown.maps.computation(), source.position);
  return index.empty() ? absl::StrCat("rt", number, " is ", name)
                       : absl::StrCat("rt", number, " is element (", index, ") of ", name);
}

void show_list(const Shown& shown, const std::string& head, const LeafMaps& list,
               std::string& out) {
  for (const IndexedMap& one : list.maps) {
    out += head;
    append_text(out, one.map);
    out += "\n";
    for (size_t i = 0; i < one.runtime.size(); ++i) {
      absl::StrAppend(&out, "    ", source_text(shown, i, one.runtime[i]), "\n");
    }
  }
  if (list.inexact) absl::StrAppend(&out, head, "superset: ", list.reason, "\n");
}

// Appends "operand 1, p#2".
void append_operand(std::string& out, const Shown& shown, int32_t operand, int32_t leaf) {
  const HloInstruction& at =
      computation_of(shown).instructions[instruction_of(shown).operands[operand].instruction];
  out += "operand ";
  append_number(out, operand);
  out += ", ";
  out += at.name;
  if (leaf == 0 && (!at.shape || impl::leaf_count(*at.shape) <= 1)) return;
  out += "#";
  append_number(out, leaf);
}

// Output to input. `result` names the leaf if there are several.
void show_leaf(const Shown& shown, const std::string& result, const impl::LeavesRead& reads,
               std::string& out) {
  for (const auto& [k, leaf, list] : reads) {
    std::string head = "  " + result;
    append_operand(head, shown, k, leaf);
    show_list(shown, head + ": ", list, out);
  }
  if (reads.empty()) absl::StrAppend(&out, "  ", result, "depends on no operand\n");
}

// Input to output, from one array of an operand.
void show_outputs(const Shown& shown, int32_t operand, int32_t operand_leaf,
                  const impl::LeavesReached& reached, std::string& out) {
  if (reached.empty()) {
    out += "  ";
    append_operand(out, shown, operand, operand_leaf);
    out += ": no result depends on it\n";
    return;
  }
  const bool is_tuple = impl::leaf_count(*instruction_of(shown).shape) > 1;
  std::string from = "  ";
  append_operand(from, shown, operand, operand_leaf);
  for (const auto& [leaf, list] : reached) {
    const std::string number = is_tuple ? absl::StrCat(" ", leaf) : "";
    show_list(shown, absl::StrCat(from, ", to result", number, ": "), list, out);
  }
}

Json head_json(const Shown& shown) {
  const HloInstruction& at = instruction_of(shown);
  Json json = conform::json_object({{"computation", computation_of(shown).name},
                                    {"instruction", at.name},
                                    {"opcode", at.opcode_text},
                                    {"kind", json_name(shown.found.kind)}});
  if (!shown.module.name.empty()) set(json, "module", shown.module.name);
  if (!shown.found.reason.empty()) set(json, "reason", shown.found.reason);
  if (!shown.verdict.empty()) set(json, "verdict", shown.verdict);
  return json;
}

// Appends a line of JSON: the members of `head`, whose text all lines of an instruction share, and
// these.
void append_line(std::string& out, const std::string& head, const Json& more) {
  out.append(head, 0, head.size() - 1);
  const size_t brace = out.size();
  append_text(out, more);
  out[brace] = ',';
  out += '\n';
}

void append_list(const Shown& shown, Json json, const LeafMaps& list, Json::Array& lists) {
  Json::Array maps;
  for (const IndexedMap& one : list.maps) {
    Json::Array runtime;
    for (const impl::RuntimeSource& source : one.runtime) {
      runtime.push_back(conform::json_object(
          {{"instruction", impl::name_of(shown.module, shown.maps.computation(), source.position)},
           {"map", to_text(source.map)}}));
    }
    maps.push_back(
        conform::json_object({{"map", to_text(one.map)}, {"runtime", std::move(runtime)}}));
  }
  set(json, "maps", std::move(maps));
  if (list.inexact) set(json, "inexact", list.reason);
  lists.push_back(std::move(json));
}

Json::Array lists_json(const Shown& shown, const impl::LeavesRead& reads) {
  Json::Array lists;
  for (const auto& [k, leaf, list] : reads) {
    append_list(shown, conform::json_object({{"operand", k}, {"leaf", leaf}}), list, lists);
  }
  return lists;
}

Json::Array lists_json(const Shown& shown, const impl::LeavesReached& reached) {
  Json::Array lists;
  for (const auto& [leaf, list] : reached) {
    append_list(shown, conform::json_object({{"result", leaf}}), list, lists);
  }
  return lists;
}

absl::Status show_output_to_input(const Shown& shown, bool as_json, std::string& out) {
  const auto leaves = TRY(leaves_of(*instruction_of(shown).shape));
  const std::string head = as_json ? to_text(head_json(shown)) : "";
  for (int32_t leaf = 0; leaf < std::ssize(leaves); ++leaf) {
    const absl::StatusOr<impl::LeavesRead>& reads = shown.maps.reads(leaf);
    if (!reads.ok()) return reads.status();
    if (as_json) {
      Json more = conform::json_object({{"result", leaf}});
      set(more, "lists", lists_json(shown, *reads));
      append_line(out, head, more);
    } else {
      show_leaf(shown, leaves.size() > 1 ? absl::StrCat("result ", leaf, ", ") : "", *reads, out);
    }
  }
  return absl::OkStatus();
}

absl::Status show_input_to_output(const Shown& shown, bool as_json, std::string& out) {
  const std::vector<HloOperand>& operands = instruction_of(shown).operands;
  const absl::StatusOr<std::vector<impl::LeavesReached>>& reached = shown.maps.reached();
  if (!reached.ok()) return reached.status();
  const std::string head = as_json ? to_text(head_json(shown)) : "";
  size_t input = 0;
  for (int32_t k = 0; k < std::ssize(operands); ++k) {
    const SharedShape& shape = computation_of(shown).instructions[operands[k].instruction].shape;
    if (!shape) continue;  // the analysis has no leaves for it
    const int32_t leaves = impl::leaf_count(*shape);
    for (int32_t leaf = 0; leaf < leaves; ++leaf) {
      const impl::LeavesReached& outputs = (*reached)[input++];
      if (as_json) {
        Json more = conform::json_object({{"operand", k}, {"leaf", leaf}});
        set(more, "lists", lists_json(shown, outputs));
        append_line(out, head, more);
      } else {
        show_outputs(shown, k, leaf, outputs, out);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string headline(const HloComputation& computation, int32_t instruction) {
  const HloInstruction& at = computation.instructions[instruction];
  std::string inside =
      absl::StrJoin(at.operands, ", ", [&](std::string* out, const HloOperand& operand) {
        absl::StrAppend(out, computation.instructions[operand.instruction].name);
      });
  if (at.opcode == HloOpcode::kParameter) inside = absl::StrCat(at.parameter_number);
  if (at.opcode == HloOpcode::kConstant) inside = conform::shown(at.literal, 60);
  return absl::StrCat(instruction == computation.root ? "ROOT " : "", at.name, " = ",
                      at.shape ? absl::StrCat(to_text(*at.shape), " ") : "", at.opcode_text, "(",
                      inside, ")");
}

std::string first_lines(std::string text, int64_t lines) {
  size_t end = 0;
  for (; lines > 0 && end < text.size(); --lines) end = text.find('\n', end) + 1;
  const auto left = std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), '\n');
  if (left == 0) return text;
  return absl::StrCat(text.substr(0, end), "  .. ", left, " more lines\n");
}

std::string to_text(DataflowKind kind) {
  switch (kind) {
    case DataflowKind::kMapped:
      return "mapped";
    case DataflowKind::kConservative:
      return "superset";
    case DataflowKind::kNoDataflow:
      return "no data flow";
    case DataflowKind::kRefused:
      break;
  }
  return "not analyzed";
}

std::string json_name(DataflowKind kind) {
  if (kind == DataflowKind::kConservative) return "conservative";
  return kind == DataflowKind::kRefused ? "not analysed" : to_text(kind);
}

namespace {

Tone tone_of(const std::string& verdict) {
  if (verdict.starts_with("proven")) return Tone::kGood;
  return verdict.starts_with("undecided") ? Tone::kOpen : Tone::kBad;
}

}  // namespace

absl::Status show(const Shown& shown, bool as_json, std::string& out) {
  const DataflowKind kind = shown.found.kind;
  if (!as_json) {
    absl::StrAppend(&out, headline(computation_of(shown), shown.maps.instruction()), "\n");
    if (kind != DataflowKind::kMapped) {
      absl::StrAppend(&out, "  ", to_text(kind), shown.found.reason.empty() ? "" : ": ",
                      shown.found.reason, shown.found.whole ? "; each element depends on all" : "",
                      "\n");
    }
    const bool is_said = shown.verdict == to_text(kind) ||
                         (kind == DataflowKind::kRefused && shown.verdict == "refused");
    if (!shown.verdict.empty() && !is_said)
      absl::StrAppend(&out, "  ", colored(shown.verdict, tone_of(shown.verdict)), "\n");
  }
  if (shown.found.whole || kind == DataflowKind::kNoDataflow || kind == DataflowKind::kRefused) {
    if (as_json) absl::StrAppend(&out, to_text(head_json(shown)), "\n");
    return absl::OkStatus();
  }
  return shown.maps.direction() == impl::Direction::kOutputToInput
             ? show_output_to_input(shown, as_json, out)
             : show_input_to_output(shown, as_json, out);
}

}  // namespace tileproof::cli
