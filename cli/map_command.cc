// tileproof map: the indexing maps of every instruction of an HLO file.
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/map_listing.h"
#include "cli/text.h"
#include "impl/indexing.h"
#include "impl/module_indexing.h"
#include "spec/lang/hlo_text.h"
#include "verify/conform/json.h"

namespace tileproof::cli {
namespace {

using conform::Json;
using impl::FlowClass;
using impl::FlowKind;

struct Options {
  std::string file = "-", instruction, direction = "output_to_input";
  bool json = false;
};

constexpr FlowKind kKinds[] = {FlowKind::kMapped, FlowKind::kConservative, FlowKind::kNoFlow,
                               FlowKind::kRefused};

struct Summary {
  int64_t instructions = 0;
  std::map<FlowKind, int64_t> counts;
  std::map<FlowKind, std::map<std::string, int64_t>> reasons;
};

// FILE may be @FILE too; and the text itself, which unlike a name has an instruction in it.
absl::StatusOr<std::string> read_file(const std::string& file) {
  if (file == "-" || absl::StartsWith(file, "@")) return read_argument(file);
  if (absl::StrContains(file, " = ") && !std::filesystem::exists(file)) return file;
  return read_argument(absl::StrCat("@", file));
}

void count(Summary& summary, const FlowClass& found) {
  ++summary.instructions;
  ++summary.counts[found.kind];
  if (!found.reason.empty()) ++summary.reasons[found.kind][found.reason];
}

// Each instruction of the module, or those of that name.
absl::Status list_module(const HloModule& module, const Options& options, Summary& summary) {
  impl::IndexingAnalysis analysis(module);
  absl::Status status;
  int32_t last = -1;
  if (!options.json && !module.name.empty()) std::cout << "module " << module.name << "\n\n";
  impl::index_module(module, [&](int32_t computation, int32_t instruction, const FlowClass& found) {
    const HloComputation& in = module.computations[computation];
    const std::string& name = in.instructions[instruction].name;
    if (!status.ok() || (!options.instruction.empty() && name != options.instruction)) return;
    count(summary, found);
    if (!options.json && last != computation && !in.name.empty()) {
      std::cout << (last < 0 ? "" : "\n") << "computation " << in.name
                << (computation == module.entry ? ", entry" : "") << "\n\n";
    }
    last = computation;
    status = show({module, computation, instruction, found}, analysis, options.json, std::cout);
  });
  return status;
}

void print(const Summary& summary) {
  std::cout << "\n" << summary.instructions << " instructions: ";
  const char* separator = "";
  for (FlowKind kind : kKinds) {
    const auto found = summary.counts.find(kind);
    std::cout << separator << (found == summary.counts.end() ? 0 : found->second) << " "
              << to_text(kind);
    separator = ", ";
  }
  std::cout << "\n";
  for (const auto& [kind, reasons] : summary.reasons) {
    for (const auto& [reason, times] : reasons) {
      std::cout << "  " << to_text(kind) << ": " << reason << ": " << times << "\n";
    }
  }
}

void print_json(const Summary& summary) {
  Json counts = conform::json_object({{"instructions", summary.instructions}});
  for (FlowKind kind : kKinds) {
    const auto found = summary.counts.find(kind);
    set(counts, to_text(kind), found == summary.counts.end() ? 0 : found->second);
  }
  Json::Array reasons;
  for (const auto& [kind, of_kind] : summary.reasons) {
    for (const auto& [reason, times] : of_kind) {
      reasons.push_back(conform::json_object(
          {{"kind", to_text(kind)}, {"reason", reason}, {"instructions", times}}));
    }
  }
  set(counts, "reasons", std::move(reasons));
  std::cout << to_text(conform::json_object({{"summary", std::move(counts)}})) << "\n";
}

// An instruction that could not be analysed is bad input: its shapes and attributes do not fit.
int status_of(const Summary& summary) {
  const auto refused = summary.counts.find(FlowKind::kRefused);
  if (refused == summary.counts.end()) return kHolds;
  const auto& first = *summary.reasons.at(FlowKind::kRefused).begin();
  return complain("map", absl::InvalidArgumentError(absl::StrCat(
                             refused->second, " of ", summary.instructions,
                             " instructions cannot be analysed, such as ", first.first)));
}

int map(Options options) {
  if (options.direction == "input_to_output") {
    return complain("map", absl::UnimplementedError(
                               "direction input_to_output is not offered in this version"));
  }
  options.instruction = std::string(absl::StripPrefix(options.instruction, "%"));
  const absl::StatusOr<std::string> text = read_file(options.file);
  if (!text.ok()) return complain("map", text.status());
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(*text);
  if (!modules.ok()) return complain("map", modules.status());
  Summary summary;
  for (const HloModule& module : *modules) {
    const absl::Status status = list_module(module, options, summary);
    if (!status.ok()) return complain("map", status);
  }
  if (summary.instructions == 0) {
    return complain("map", absl::NotFoundError(absl::StrCat(
                               "no instruction '", conform::shown(options.instruction, 60), "'")));
  }
  options.json ? print_json(summary) : print(summary);
  if (!std::cout.flush()) {
    std::cerr << "tileproof: map: cannot write\n";
    return kInternal;
  }
  return status_of(summary);
}

}  // namespace

void add_map_command(CLI::App& app, int* status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("map", "The indexing maps of every instruction of HLO");
  command->add_option("FILE", options->file, "a file of HLO text; - for standard input")
      ->capture_default_str();
  command->add_option("--instruction", options->instruction, "only instructions of this name");
  command->add_option("--direction", options->direction, "output_to_input or input_to_output")
      ->check(CLI::IsMember({"output_to_input", "input_to_output"}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "for machines");
  command->callback([options, status] { *status = map(*options); });
}

}  // namespace tileproof::cli
