// SPDX-License-Identifier: Apache-2.0
#include "cli/map_listing.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/terminal.h"
#include "conform/protocol/json.h"
#include "impl/hlo/device_maps.h"
#include "impl/hlo/leaf_shapes.h"
#include "spec/lang/base/literal_words.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/device_groups.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/hlo/modules/device_maps_proof.h"

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

// The integers of an operand that is a constant, or one that was reshaped; nothing for others. A single
// one may stand for all elements.
std::optional<std::vector<absl::int128>> constants_of(const HloComputation& computation,
                                                      const HloOperand& operand) {
  const HloInstruction* at = &computation.instructions[operand.instruction];
  while (at->opcode == HloOpcode::kReshape || at->opcode == HloOpcode::kBroadcast) {
    const HloInstruction& from = computation.instructions[at->operands[0].instruction];
    if (at->opcode == HloOpcode::kBroadcast && (!from.shape || from.shape->rank() != 0)) break;
    at = &from;
  }
  if (at->opcode != HloOpcode::kConstant) return std::nullopt;
  return integers_of_literal(at->literal);
}

// "offset 124 in dimension 1 is clamped to 119", of constant offsets and indices that leave their array.
class ClampNotes {
 public:
  ClampNotes(const HloComputation& computation, const HloInstruction& instruction)
      : computation_(computation), instruction_(instruction) {}

  std::vector<std::string> of(const op::DynamicSlice& d) {
    offsets(d.offsets, d.operand, d.result);
    return std::move(notes_);
  }
  std::vector<std::string> of(const op::DynamicUpdateSlice& d) {
    offsets(d.offsets, d.operand, d.update);
    return std::move(notes_);
  }
  std::vector<std::string> of(const op::Gather& gather) {
    indices(gather.table, 1, "is clamped to ");
    return std::move(notes_);
  }
  std::vector<std::string> of(const op::Scatter& scatter) {
    indices(scatter.table, static_cast<size_t>(scatter.inputs), "");
    return std::move(notes_);
  }
  template <class Other>
  std::vector<std::string> of(const Other&) {
    return {};
  }

 private:
  void offsets(const op::Offsets& offsets, const Dims& array, const Dims& window) {
    for (size_t d = 0; d < array.size(); ++d) {
      const size_t k = static_cast<size_t>(offsets.first) + (offsets.in_vector ? 0 : d);
      const auto values = constants_of(computation_, instruction_.operands[k]);
      const size_t at = offsets.in_vector ? d : 0;
      if (values && at < values->size())
        note((*values)[at], "offset", d, array[d] - window[d], "is clamped to ");
    }
  }

  // Of all indices of a component, the first that leaves the array.
  void indices(const op::IndexedWindows& table, size_t operand, const char* effect) {
    const auto values = constants_of(computation_, instruction_.operands[operand]);
    if (!values) return;
    const size_t rank = table.indices.size();
    const auto vector_dim = static_cast<size_t>(table.index_vector_dim);
    size_t inside = 1;  // how many elements a step along the index vector skips
    for (size_t d = vector_dim + 1; d < rank; ++d) inside *= static_cast<size_t>(table.indices[d]);
    for (size_t k = 0; k < table.start_map.size(); ++k) {
      const auto d = static_cast<size_t>(table.start_map[k]);
      const int64_t most = table.array[d] - table.window_sizes[d];
      for (size_t i = 0; i < values->size(); ++i) {
        const bool is_of_component =
            values->size() == 1 || vector_dim == rank || i / inside % table.start_map.size() == k;
        if (is_of_component && note((*values)[i], "index", d, most, effect)) break;
      }
    }
  }

  bool note(absl::int128 value, const char* what, size_t dimension, int64_t most,
            const char* effect) {
    if (value >= 0 && value <= most) return false;
    std::ostringstream text;
    text << what << " " << value << " in dimension " << dimension << " ";
    if (*effect == '\0') {
      text << "leaves the array, and its window is skipped";
    } else {
      text << effect << (value < 0 ? 0 : most);
    }
    notes_.push_back(text.str());
    return true;
  }

  const HloComputation& computation_;
  const HloInstruction& instruction_;
  std::vector<std::string> notes_;
};

std::vector<std::string> notes_on(const Shown& shown) {
  switch (instruction_of(shown).opcode) {
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
    case HloOpcode::kScatter:
      break;
    default:
      return {};
  }
  const absl::StatusOr<CheckedOp> op =
      checked_op(shown.module, computation_of(shown), instruction_of(shown));
  if (!op.ok()) return {};
  ClampNotes notes(computation_of(shown), instruction_of(shown));
  return std::visit([&notes](const auto& one) { return notes.of(one); }, op->operation);
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

std::string operand_name(const Shown& shown, int32_t operand, int32_t leaf) {
  return cli::operand_name(computation_of(shown), shown.maps.instruction(), operand, leaf);
}

// Output to input. `result` names the leaf if there are several.
void show_leaf(const Shown& shown, const std::string& result, const impl::LeavesRead& reads,
               std::string& out) {
  for (const auto& [k, leaf, list] : reads) {
    show_list(shown, absl::StrCat("  ", result, operand_name(shown, k, leaf), ": "), list, out);
  }
  if (reads.empty()) absl::StrAppend(&out, "  ", result, "depends on no operand\n");
}

// Input to output, from one array of an operand.
void show_outputs(const Shown& shown, int32_t operand, int32_t operand_leaf,
                  const impl::LeavesReached& reached, std::string& out) {
  const std::string from = absl::StrCat("  ", operand_name(shown, operand, operand_leaf));
  if (reached.empty()) absl::StrAppend(&out, from, ": no result depends on it\n");
  const bool is_tuple = impl::leaf_count(*instruction_of(shown).shape) > 1;
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
  Json::Array notes;
  for (const std::string& note : notes_on(shown)) notes.emplace_back(note);
  if (!notes.empty()) set(json, "notes", std::move(notes));
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

// The maps of a collective, with the number of the device as a coordinate.
struct OnDevices {
  impl::Indexing maps;       // empty if it says nothing of devices
  std::string verdict = "";  // if --verify asked for one
};

absl::StatusOr<OnDevices> on_devices(const Shown& shown, int32_t leaf) {
  OnDevices found;
  const int32_t c = shown.maps.computation(), i = shown.maps.instruction();
  const bool are_several = device_counts(shown.module).value_or(DeviceCounts()).devices() != 1;
  if (!are_several && !shown.device) return found;
  auto maps = impl::device_maps(shown.module, c, i, leaf, shown.device);
  if (absl::IsOutOfRange(maps.status())) return maps.status();
  if (!maps.ok() || !are_several) return found;  // groups that do not fit: no word of devices
  if (shown.session != nullptr) {
    const verify::InstructionVerdict verdict =
        verify::verify_device_maps(shown.module, c, i, leaf, shown.device, *maps, *shown.session);
    found.verdict =
        absl::StrCat(to_text(verdict.kind), verdict.detail.empty() ? "" : ": ", verdict.detail);
  }
  found.maps = *std::move(maps);
  return found;
}

template <class Visit>
void for_each_map(const OnDevices& devices, const Visit& visit) {
  for (int32_t k = 0; k < std::ssize(devices.maps); ++k) {
    for (int32_t l = 0; l < std::ssize(devices.maps[k]); ++l) {
      for (const IndexedMap& one : devices.maps[k][l].maps) visit(k, l, one.map);
    }
  }
}

void show_on_devices(const Shown& shown, const std::string& result, const OnDevices& devices,
                     std::string& out) {
  const std::string where =
      absl::StrCat(result, shown.device ? absl::StrCat("on device ", *shown.device) : "on devices");
  if (!devices.verdict.empty()) absl::StrAppend(&out, "  ", where, ": ", devices.verdict, "\n");
  for_each_map(devices, [&](int32_t operand, int32_t leaf, const IndexingMap& map) {
    absl::StrAppend(&out, "  ", where, ", ", operand_name(shown, operand, leaf), ": ", to_text(map),
                    "\n");
  });
}

Json::Array devices_json(const OnDevices& devices) {
  Json::Array list;
  for_each_map(devices, [&](int32_t operand, int32_t leaf, const IndexingMap& map) {
    list.push_back(
        conform::json_object({{"operand", operand}, {"leaf", leaf}, {"map", to_text(map)}}));
  });
  return list;
}

absl::Status show_output_to_input(const Shown& shown, bool as_json, std::string& out) {
  const auto leaves = TRY(leaves_of(*instruction_of(shown).shape));
  const std::string head = as_json ? to_text(head_json(shown)) : "";
  for (int32_t leaf = 0; leaf < std::ssize(leaves); ++leaf) {
    const absl::StatusOr<impl::LeavesRead>& reads = shown.maps.reads(leaf);
    if (!reads.ok()) return reads.status();
    const OnDevices devices = TRY(on_devices(shown, leaf));
    if (as_json) {
      Json more = conform::json_object({{"result", leaf}});
      set(more, "lists", lists_json(shown, *reads));
      if (!devices.maps.empty()) set(more, "devices", devices_json(devices));
      if (!devices.verdict.empty()) set(more, "devices_verdict", devices.verdict);
      append_line(out, head, more);
    } else {
      const std::string result = leaves.size() > 1 ? absl::StrCat("result ", leaf, ", ") : "";
      show_leaf(shown, result, *reads, out);
      show_on_devices(shown, result, devices, out);
    }
  }
  return absl::OkStatus();
}

absl::Status show_input_to_output(const Shown& shown, bool as_json, std::string& out) {
  const absl::StatusOr<std::vector<impl::LeavesReached>>& reached = shown.maps.reached();
  if (!reached.ok()) return reached.status();
  const std::string head = as_json ? to_text(head_json(shown)) : "";
  auto outputs = reached->begin();
  for (const auto& [operand, leaf] : shown.maps.inputs()) {
    if (as_json) {
      Json more = conform::json_object({{"operand", operand}, {"leaf", leaf}});
      set(more, "lists", lists_json(shown, *outputs));
      append_line(out, head, more);
    } else {
      show_outputs(shown, operand, leaf, *outputs, out);
    }
    ++outputs;
  }
  return absl::OkStatus();
}

Tone tone_of(const std::string& verdict) {
  if (verdict.starts_with("proven")) return Tone::kGood;
  return verdict.starts_with("undecided") ? Tone::kOpen : Tone::kBad;
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

std::string operand_name(const HloComputation& computation, int32_t instruction, size_t operand,
                         size_t leaf) {
  const HloOperand& read = computation.instructions[instruction].operands[operand];
  const HloInstruction& at = computation.instructions[read.instruction];
  const bool is_whole = leaf == 0 && (!at.shape || impl::leaf_count(*at.shape) <= 1);
  return absl::StrCat("operand ", operand, ", ", at.name, is_whole ? "" : absl::StrCat("#", leaf));
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

absl::Status show(const Shown& shown, bool as_json, std::string& out) {
  const DataflowKind kind = shown.found.kind;
  if (!as_json) {
    absl::StrAppend(&out, headline(computation_of(shown), shown.maps.instruction()), "\n");
    if (kind != DataflowKind::kMapped) {
      absl::StrAppend(&out, "  ", to_text(kind), shown.found.reason.empty() ? "" : ": ",
                      shown.found.reason, shown.found.whole ? "; each element depends on all" : "",
                      "\n");
    }
    for (const std::string& note : notes_on(shown)) absl::StrAppend(&out, "  note: ", note, "\n");
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
