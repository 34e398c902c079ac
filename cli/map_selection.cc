// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/map_listing.h"

namespace tileproof::cli {
namespace {

using conform::Json;
using impl::DataflowClass;
using impl::DataflowKind;
using VerdictKind = verify::InstructionVerdict::Kind;

constexpr VerdictKind kVerdicts[] = {VerdictKind::kProven,     VerdictKind::kRefuted,
                                     VerdictKind::kUndecided,  VerdictKind::kConservative,
                                     VerdictKind::kNoDataflow, VerdictKind::kRefused};
constexpr DataflowKind kDataflowKinds[] = {DataflowKind::kMapped, DataflowKind::kConservative,
                                           DataflowKind::kNoDataflow, DataflowKind::kRefused};

int64_t count_of(const Summary& summary, DataflowKind kind) {
  const auto found = summary.counts.find(kind);
  return found == summary.counts.end() ? 0 : found->second;
}

}  // namespace

bool is_verdict(const std::string& kind) { return kind == "undecided" || kind == "refuted"; }

std::vector<ListedInstruction> select_instructions(impl::IndexingAnalysis& analysis,
                                                   const Selection& selection) {
  const HloModule& module = analysis.module();
  std::vector<ListedInstruction> selected;
  const auto fits = [](const std::string& wanted, const std::string& name) {
    return wanted.empty() || wanted == name;
  };
  const auto visit = [&](int32_t c, int32_t i, const DataflowClass& found) {
    const HloComputation& computation = module.computations[c];
    const HloInstruction& instruction = computation.instructions[i];
    if (fits(selection.computation, computation.name) &&
        fits(selection.instruction, instruction.name) &&
        fits(selection.opcode, instruction.opcode_text)) {
      selected.push_back({c, i, found, true});
    }
  };
  impl::index_module(analysis, visit,
                     /*max_root_work=*/-1);  // nothing is said of whole computations
  return selected;
}

bool has_kind(const std::string& kind, const DataflowClass& found, VerdictKind verdict) {
  if (kind.empty()) return true;
  if (kind == "undecided") return verdict == VerdictKind::kUndecided;
  if (kind == "refuted") return verdict == VerdictKind::kRefuted;
  if (kind == "superset" || kind == "conservative") {
    return found.kind == DataflowKind::kConservative;
  }
  return found.kind == (kind == "mapped" ? DataflowKind::kMapped : DataflowKind::kRefused);
}

void Summary::add(const HloComputation& computation, const HloInstruction& instruction,
                  const DataflowClass& found) {
  ++instructions;
  if (find_attribute(instruction.attributes, "sharding") != nullptr) ++sharded;
  if (impl::reads_replicas(instruction)) ++collectives;
  ++counts[found.kind];
  if (!found.reason.empty()) ++reasons[found.kind][found.reason];
  if (found.kind == DataflowKind::kRefused && first_refused.empty()) {
    first_refused = found.reason;
    first_refused_in = computation.name;
  }
}

int64_t Summary::count_of(VerdictKind kind) const {
  const auto found = verdicts.find(kind);
  return found == verdicts.end() ? 0 : found->second;
}

std::string to_text(const Summary& summary) {
  std::string text = absl::StrCat(summary.instructions, " instructions: ");
  const char* separator = "";
  for (const DataflowKind kind : kDataflowKinds) {
    const int64_t count = count_of(summary, kind);
    const bool is_plural = kind == DataflowKind::kConservative && count != 1;
    absl::StrAppend(&text, separator, count, " ", to_text(kind), is_plural ? "s" : "");
    separator = ", ";
  }
  text += "\n";
  if (count_of(summary, DataflowKind::kConservative) > 0) {
    text += "  superset: nothing is missing, some elements may be too many\n";
  }
  if (summary.sharded > 0) {
    absl::StrAppend(&text, "  note: ", summary.sharded,
                    summary.sharded == 1 ? " instruction has" : " instructions have",
                    " a sharding, which changes no map: maps are of whole arrays\n");
  }
  if (summary.collectives > 0) {
    absl::StrAppend(&text, "  note: ", summary.collectives,
                    summary.collectives == 1 ? " instruction takes" : " instructions take",
                    " elements of any replica: maps have the index, not the replica\n");
  }
  for (const auto& [kind, reasons] : summary.reasons) {
    for (const auto& [reason, times] : reasons) {
      absl::StrAppend(&text, "  ", to_text(kind), ": ", reason, ": ", times, "\n");
    }
  }
  return text;
}

std::string verdicts_text(const Summary& summary) {
  if (summary.verdicts.empty()) return "";
  return absl::StrCat("verified: ", summary.count_of(VerdictKind::kProven), " proven, ",
                      summary.count_of(VerdictKind::kConservative), " proven to be supersets, ",
                      summary.count_of(VerdictKind::kRefuted), " refuted, ",
                      summary.count_of(VerdictKind::kUndecided), " undecided\n");
}

Json to_json(const Summary& summary) {
  Json counts = conform::json_object({{"instructions", summary.instructions}});
  for (const DataflowKind kind : kDataflowKinds) {
    set(counts, json_name(kind), count_of(summary, kind));
  }
  if (summary.sharded > 0) set(counts, "sharded", summary.sharded);
  if (summary.collectives > 0) set(counts, "collectives", summary.collectives);
  Json::Array reasons;
  for (const auto& [kind, of_kind] : summary.reasons) {
    for (const auto& [reason, times] : of_kind) {
      reasons.push_back(conform::json_object(
          {{"kind", json_name(kind)}, {"reason", reason}, {"instructions", times}}));
    }
  }
  set(counts, "reasons", std::move(reasons));
  if (!summary.verdicts.empty()) {
    Json verdicts = conform::json_object({});
    for (const VerdictKind kind : kVerdicts) set(verdicts, to_text(kind), summary.count_of(kind));
    set(counts, "verdicts", std::move(verdicts));
  }
  return conform::json_object({{"summary", std::move(counts)}});
}

}  // namespace tileproof::cli
