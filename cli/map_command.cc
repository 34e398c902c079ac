// SPDX-License-Identifier: Apache-2.0
// tileproof map: the indexing maps of every instruction of an HLO file.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/map_listing.h"
#include "cli/picture_file.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "conform/protocol/json.h"
#include "impl/access/tile.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/module_indexing.h"
#include "impl/hlo/printed_maps.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "verify/prove/hlo/indexing_proof.h"

namespace tileproof::cli {
namespace {

using VerdictKind = verify::InstructionVerdict::Kind;

struct MapOptions {
  const Command& given;
  Selection selection;
  impl::Direction direction;
};

// The verdict as the listing prints it.
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

// What is printed about one instruction.
struct Printed {
  std::string text;  // empty if the options leave it out
  std::optional<VerdictKind> verdict;
  absl::Status status;
};

// Works on instructions of one module. Each thread has a lister and an analysis of its own.
class Lister {
 public:
  Lister(impl::IndexingAnalysis& analysis, const MapOptions& options)
      : module_(analysis.module()),
        options_(options),
        analysis_(analysis),
        verifier_(analysis, session_, options.direction) {
    session_.options.milliseconds = options.given.number("--timeout");
    session_.options.cache = verify::ProofCache(options.given.text("--cache"));
  }

  Printed print(const ListedInstruction& row) {
    Printed printed;
    impl::PrintedMaps maps(analysis_, row.computation, row.instruction, options_.direction);
    Shown shown{module_, maps, row.found};
    shown.device = options_.given.number_if("--per-device");
    if (options_.given.flag("--verify") && row.is_read) {
      const verify::InstructionVerdict verdict = verifier_.of(maps);
      printed.verdict = verdict.kind;
      shown.verdict = text_of(verdict);
      shown.session = &session_;
    }
    const VerdictKind verdict = printed.verdict.value_or(VerdictKind::kNoDataflow);
    if (options_.given.flag("--summary") || !has_kind(options_.selection.kind, row.found, verdict))
      return printed;
    printed.status = show(shown, options_.given.flag("--json"), printed.text);
    const int64_t lines = options_.given.number("--lines");
    if (lines > 0) printed.text = first_lines(std::move(printed.text), lines);
    return printed;
  }

 private:
  const HloModule& module_;
  const MapOptions& options_;
  verify::VerifySession session_;
  impl::IndexingAnalysis& analysis_;
  verify::ModuleVerifier verifier_;
};

// What was selected of a module. The analysis remembers the maps of all instructions.
struct Selected {
  std::unique_ptr<impl::IndexingAnalysis> analysis;
  std::vector<ListedInstruction> rows;
};

// Calls `take` with what is printed about each instruction, in order. With several jobs, threads
// work ahead.
template <class Take>
void for_each_printed(const Selected& selected, const MapOptions& options, const Take& take) {
  const std::vector<ListedInstruction>& rows = selected.rows;
  const int64_t jobs = options.given.number("--jobs");
  if (jobs == 1) {
    Lister lister(*selected.analysis, options);
    for (const ListedInstruction& row : rows) {
      if (!take(row, lister.print(row))) return;
    }
    return;
  }
  std::vector<std::optional<Printed>> done(rows.size());
  std::mutex mutex;
  std::condition_variable one_done;
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    impl::IndexingAnalysis analysis(selected.analysis->module());
    Lister lister(analysis, options);
    for (size_t i = next++; i < rows.size(); i = next++) {
      Printed printed = lister.print(rows[i]);
      const std::scoped_lock lock(mutex);
      done[i] = std::move(printed);
      one_done.notify_all();
    }
  };
  std::vector<std::jthread> threads;
  for (int64_t k = 0; k < std::min<int64_t>(jobs, std::ssize(rows)); ++k) {
    threads.emplace_back(work);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    std::unique_lock lock(mutex);
    one_done.wait(lock, [&] { return done[i].has_value(); });
    Printed printed = *std::exchange(done[i], std::nullopt);
    lock.unlock();
    if (!take(rows[i], std::move(printed))) next = rows.size();  // the others end soon
  }
}

// Keeps a value until the process ends. To free what a large module needs would take 4% of its time.
template <class T>
T& kept(T value) {
  static std::vector<std::unique_ptr<T>>& all = *new std::vector<std::unique_ptr<T>>;
  all.push_back(std::make_unique<T>(std::move(value)));
  return *all.back();
}

absl::Status list_module(const Selected& selected, const MapOptions& options, Summary& summary) {
  const HloModule& module = selected.analysis->module();
  absl::Status status;
  int32_t last = -1;
  int64_t count = 0;
  const bool verifies = options.given.flag("--verify");
  ProgressLine progress("instructions", verifies);
  const bool heads = !options.given.flag("--json") && !options.given.flag("--summary");
  if (heads && !module.name.empty()) std::cout << "\nmodule " << module.name << "\n";
  progress.at(0, std::ssize(selected.rows));
  for_each_printed(selected, options, [&](const ListedInstruction& row, const Printed& printed) {
    if (printed.verdict) ++summary.verdicts[*printed.verdict];
    if (!printed.text.empty()) {
      progress.clear();
      const HloComputation& in = module.computations[row.computation];
      if (heads && last != row.computation) {
        std::cout << "\n";
        if (!in.name.empty()) {
          std::cout << "computation " << in.name
                    << (row.computation == module.entry ? ", entry" : "") << "\n\n";
        }
      }
      last = row.computation;
      std::cout << printed.text;
      if (verifies) std::cout << std::flush;  // a proof may take seconds
    }
    status.Update(printed.status);
    progress.at(++count, std::ssize(selected.rows));
    return status.ok() && std::cout.good();
  });
  progress.clear();
  return status;
}

// The error of the first instruction that cannot be analyzed, at its place.
absl::Status first_refusal(const Summary& summary, const std::string& file) {
  return error_at_reason(file, summary.first_refused_in, summary.first_refused,
                         invalid(summary.first_refused));
}

// A counterexample comes first. An instruction that cannot be analyzed is bad input: its shapes and
// attributes do not fit.
absl::StatusOr<int> status_of(const Summary& summary, const std::string& file) {
  if (summary.count_of(VerdictKind::kRefuted) > 0) return kCounterexample;
  const auto refused = summary.counts.find(impl::DataflowKind::kRefused);
  if (refused == summary.counts.end()) {
    return summary.count_of(VerdictKind::kUndecided) > 0 ? kUndecided : kHolds;
  }
  const absl::Status error =
      invalid(refused->second, " of ", summary.instructions,
              " instructions cannot be analyzed, such as ", summary.first_refused);
  return error_at_reason(file, summary.first_refused_in, summary.first_refused, error);
}

// What was asked for and is not there.
absl::Status nothing_found(const Selection& selection) {
  const auto& [what, name] =
      !selection.instruction.empty()   ? std::pair("instruction", selection.instruction)
      : !selection.computation.empty() ? std::pair("computation", selection.computation)
                                       : std::pair("opcode", selection.opcode);
  std::string meant;
  if (selection.instruction.empty() && selection.computation.empty()) {
    std::vector<absl::string_view> opcodes;
    for (const HloOpcodeInfo& info : hlo_opcodes()) opcodes.push_back(info.name);
    if (opcode_named(name) == HloOpcode::kOther) meant = did_you_mean(name, opcodes);
  }
  return absl::NotFoundError(absl::StrCat("no ", what, " '", conform::shown(name, 60), "'", meant));
}

absl::Status draw(const std::vector<HloModule>& modules, const MapOptions& options) {
  const impl::Tile tile = TRY(impl::parse_tile(options.given.text("--tile")));
  return draw_instruction(modules, options.selection.instruction, 0, options.given.text("--svg"),
                          [&tile](const explorer::InstructionAccess& access) {
                            return explorer::reads_picture(access, tile);
                          });
}

}  // namespace

absl::StatusOr<int> map_command(const Command& given) {
  const auto name = [&](const char* option) {
    return std::string(absl::StripPrefix(given.text(option), "%"));
  };
  const MapOptions options{given,
                           {.instruction = name("--instruction"),
                            .opcode = given.text("--opcode"),
                            .computation = name("--computation"),
                            .kind = given.text("--kind")},
                           given.text("--direction") == "input_to_output"
                               ? impl::Direction::kInputToOutput
                               : impl::Direction::kOutputToInput};
  const std::string &file = given.text("FILE"), &svg = given.text("--svg");
  const bool as_json = given.flag("--json"), verifies = given.flag("--verify"),
             summarizes = given.flag("--summary"), allow_unknown = given.flag("--allow-unknown");
  if (is_verdict(options.selection.kind) && !verifies) {
    return invalid("expected --verify with --kind ", options.selection.kind);
  }
  TRY(about("--cache", make_folder(given.text("--cache"))));
  absl::StatusOr<std::vector<HloModule>>& modules = kept(read_modules(file, allow_unknown));
  std::vector<absl::Status> unread;
  if (!modules.ok() && !as_json && svg.empty()) {
    absl::StatusOr<ReadLines> lines = modules_but_bad_lines(modules.status(), allow_unknown);
    if (lines.ok()) {
      unread = std::move(lines->unread);
      modules = std::move(lines->modules);
    }
  }
  if (!modules.ok()) return modules.status();
  if (!svg.empty()) {
    TRY(about("map --svg", draw(*modules, options)));
    if (svg == "-") return kHolds;
  }
  Summary summary;
  std::vector<Selected>& selected = kept(std::vector<Selected>());
  for (const HloModule& module : *modules) {
    auto analysis = std::make_unique<impl::IndexingAnalysis>(module);
    std::vector<ListedInstruction> rows = select_instructions(*analysis, options.selection);
    selected.push_back({std::move(analysis), std::move(rows)});
    for (ListedInstruction& row : selected.back().rows) {
      const auto line =
          unread_line(module.computations[row.computation].instructions[row.instruction]);
      if (line && *line < unread.size()) {
        row.is_read = false;
        row.found = {impl::DataflowKind::kRefused, std::string(unread[*line].message())};
      }
      const HloComputation& in = module.computations[row.computation];
      summary.add(in, in.instructions[row.instruction], row.found);
    }
  }
  if (summary.instructions == 0) return nothing_found(options.selection);
  if (!as_json) {
    for (const absl::Status& error : unread) std::cout << placed_message(error) << "\n";
    if (unread.empty() && !summary.first_refused.empty())
      std::cout << placed_message(first_refusal(summary, file)) << "\n";
    std::cout << to_text(summary) << std::flush;
  }
  for (const Selected& module : selected) {
    if (summarizes && !verifies) break;
    TRY(list_module(module, options, summary));
  }
  if (as_json) {
    std::cout << to_text(to_json(summary)) << "\n";
  } else if (!summary.verdicts.empty()) {
    std::cout << (summarizes ? "" : "\n") << verdicts_text(summary);
  }
  if (!std::cout.flush()) {
    std::cerr << "tileproof: map: cannot write\n";
    return kInternal;
  }
  if (!unread.empty() && summary.count_of(VerdictKind::kRefuted) == 0) return unread[0];
  return status_of(summary, file);
}

}  // namespace tileproof::cli
