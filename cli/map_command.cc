// tileproof map: the indexing maps of every instruction of an HLO file.
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/map_listing.h"
#include "cli/text.h"
#include "conform/protocol/json.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/module_indexing.h"
#include "verify/prove/hlo/indexing_proof.h"

namespace tileproof::cli {
namespace {

using conform::Json;
using impl::DataflowClass;
using impl::DataflowKind;

struct Options {
  std::string file = "-", instruction, direction = "output_to_input";
  int64_t milliseconds = 5000;
  bool json = false, verify = false;

  impl::Direction towards() const {
    return direction == "input_to_output" ? impl::Direction::kInputToOutput
                                          : impl::Direction::kOutputToInput;
  }
};

using VerdictKind = verify::InstructionVerdict::Kind;
constexpr VerdictKind kVerdicts[] = {VerdictKind::kProven,     VerdictKind::kRefuted,
                                     VerdictKind::kUndecided,  VerdictKind::kConservative,
                                     VerdictKind::kNoDataflow, VerdictKind::kRefused};

constexpr DataflowKind kKinds[] = {DataflowKind::kMapped, DataflowKind::kConservative,
                                   DataflowKind::kNoDataflow, DataflowKind::kRefused};

struct Summary {
  int64_t instructions = 0;
  std::map<DataflowKind, int64_t> counts;
  std::map<DataflowKind, std::map<std::string, int64_t>> reasons;
  std::map<VerdictKind, int64_t> verdicts;  // of --verify

  int64_t count_of(VerdictKind kind) const {
    const auto found = verdicts.find(kind);
    return found == verdicts.end() ? 0 : found->second;
  }
};

void count(Summary& summary, const DataflowClass& found) {
  ++summary.instructions;
  ++summary.counts[found.kind];
  if (!found.reason.empty()) ++summary.reasons[found.kind][found.reason];
}

// The words beside the kind of an instruction.
std::string text_of(const verify::InstructionVerdict& verdict) {
  switch (verdict.kind) {
    case VerdictKind::kRefuted:
    case VerdictKind::kUndecided:
      return absl::StrCat(to_text(verdict.kind), ": ", verdict.detail);
    case VerdictKind::kConservative:
      return "proven to be a superset";
    default:
      return std::string(to_text(verdict.kind));
  }
}

// Each instruction of the module, or only those of the given name.
absl::Status list_module(const HloModule& module, const Options& options,
                         verify::VerifySession& session, Summary& summary) {
  impl::IndexingAnalysis analysis(module);
  verify::ModuleVerifier verifier(module, session, options.towards());
  absl::Status status;
  int32_t last = -1;
  if (!options.json && !module.name.empty()) std::cout << "module " << module.name << "\n\n";
  impl::index_module(
      module, [&](int32_t computation, int32_t instruction, const DataflowClass& found) {
        const HloComputation& in = module.computations[computation];
        const std::string& name = in.instructions[instruction].name;
        if (!status.ok() || (!options.instruction.empty() && name != options.instruction)) return;
        count(summary, found);
        if (!options.json && last != computation && !in.name.empty()) {
          std::cout << (last < 0 ? "" : "\n") << "computation " << in.name
                    << (computation == module.entry ? ", entry" : "") << "\n\n";
        }
        last = computation;
        Shown shown{module, computation, instruction, found, options.towards()};
        if (options.verify) {
          const verify::InstructionVerdict verdict = verifier.of(computation, instruction);
          ++summary.verdicts[verdict.kind];
          shown.verdict = text_of(verdict);
        }
        status = show(shown, analysis, options.json, std::cout);
      });
  return status;
}

void print(const Summary& summary) {
  std::cout << "\n" << summary.instructions << " instructions: ";
  const char* separator = "";
  for (DataflowKind kind : kKinds) {
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
  if (summary.verdicts.empty()) return;
  std::cout << "verified: " << summary.count_of(VerdictKind::kProven) << " proven, "
            << summary.count_of(VerdictKind::kConservative) << " proven to be supersets, "
            << summary.count_of(VerdictKind::kRefuted) << " refuted, "
            << summary.count_of(VerdictKind::kUndecided) << " undecided\n";
}

void print_json(const Summary& summary) {
  Json counts = conform::json_object({{"instructions", summary.instructions}});
  for (DataflowKind kind : kKinds) {
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
  if (!summary.verdicts.empty()) {
    Json verdicts = conform::json_object({});
    for (const VerdictKind kind : kVerdicts) set(verdicts, to_text(kind), summary.count_of(kind));
    set(counts, "verdicts", std::move(verdicts));
  }
  std::cout << to_text(conform::json_object({{"summary", std::move(counts)}})) << "\n";
}

// A counterexample comes first. An instruction that cannot be analyzed is bad input: its shapes and
// attributes do not fit.
int status_of(const Summary& summary) {
  if (summary.count_of(VerdictKind::kRefuted) > 0) return kCounterexample;
  const auto refused = summary.counts.find(DataflowKind::kRefused);
  if (refused == summary.counts.end()) {
    return summary.count_of(VerdictKind::kUndecided) > 0 ? kUndecided : kHolds;
  }
  const auto& first = *summary.reasons.at(DataflowKind::kRefused).begin();
  return complain("map", absl::InvalidArgumentError(absl::StrCat(
                             refused->second, " of ", summary.instructions,
                             " instructions cannot be analysed, such as ", first.first)));
}

int map(Options options) {
  options.instruction = std::string(absl::StripPrefix(options.instruction, "%"));
  const absl::StatusOr<std::vector<HloModule>> modules = read_modules(options.file);
  if (!modules.ok()) return complain("map", modules.status());
  Summary summary;
  verify::VerifySession session;
  session.options.milliseconds = options.milliseconds;
  for (const HloModule& module : *modules) {
    const absl::Status status = list_module(module, options, session, summary);
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
  CLI::App* command =
      app.add_subcommand("map", "Print the indexing maps of every instruction of an HLO file");
  command->add_option("FILE", options->file, "a file of HLO text; - for standard input")
      ->capture_default_str();
  command->add_option("--instruction", options->instruction,
                      "print only instructions of this name");
  command->add_option("--direction", options->direction, "output_to_input or input_to_output")
      ->check(CLI::IsMember({"output_to_input", "input_to_output"}))
      ->capture_default_str();
  command->add_flag("--verify", options->verify, "prove each map against the definition");
  command
      ->add_option("--timeout", options->milliseconds, "with --verify: milliseconds for each map")
      ->check(CLI::Range(int64_t{1}, int64_t{3'600'000}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "for machines");
  command->callback([options, status] { *status = map(*options); });
}

}  // namespace tileproof::cli
