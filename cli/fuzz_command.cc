// SPDX-License-Identifier: Apache-2.0
// tileproof fuzz: runs a fuzz campaign.
//
// The targets are separate programs (preset fuzz: clang, libFuzzer, sanitizers), and fuzz/campaign
// runs them. This file has the options, the progress line and the reports.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/protocol_commands.h"
#include "cli/text.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/parts.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

namespace fs = std::filesystem;

// The folder of this program's build tree: <root>/build/release/bin/tileproof gives <root>.
fs::path source_root() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program.parent_path().parent_path().parent_path().parent_path();
}

absl::StatusOr<std::vector<campaign::Target>> chosen_targets(
    const std::vector<std::string>& names) {
  const std::vector<campaign::Target>& all = campaign::all_targets();
  std::vector<campaign::Target> chosen;
  for (const campaign::Target& target : all) {
    if (names.empty() || absl::c_linear_search(names, target.name)) chosen.push_back(target);
  }
  std::vector<absl::string_view> known;
  for (const campaign::Target& target : all) known.push_back(target.name);
  for (const std::string& name : names) {
    if (absl::c_any_of(all, [&](const campaign::Target& target) { return target.name == name; }))
      continue;
    return invalid("expected targets among ",
                   absl::StrJoin(all, ", ",
                                 [](std::string* out, const campaign::Target& target) {
                                   out->append(target.name);
                                 }),
                   ", found '", name, "'", did_you_mean(name, known));
  }
  return chosen;
}

// Prints an input of a target as text, and as a command that reproduces it.
absl::StatusOr<int> show(const Command& given) {
  const std::vector<campaign::Target> targets = TRY(chosen_targets(given.list("TARGET")));
  if (targets.size() != 1) return invalid("expected one TARGET with --show");
  const std::string input = TRY(campaign::read_file(given.text("--show")));
  std::cout << campaign::command_of(targets.front(), input) << "\n";
  return kHolds;
}

// Overwrites one line on a terminal. In a pipe, prints a line every minute.
auto progress_line(bool terminal) {
  using Clock = std::chrono::steady_clock;
  return [terminal, last = Clock::now()](const campaign::Progress& progress) mutable {
    if (terminal) {
      std::cerr << "\r\x1b[K" << to_text(progress) << std::flush;
    } else if (Clock::now() - last >= std::chrono::minutes(1)) {
      last = Clock::now();
      std::cerr << to_text(progress) << std::endl;
    }
  };
}

absl::StatusOr<int> fuzz(const Command& given) {
  if (!given.text("--show").empty()) return show(given);
  campaign::Options run;
  run.time = TRY(time_option(given.text("--time")));
  run.targets = TRY(chosen_targets(given.list("TARGET")));
  run.jobs = static_cast<int>(given.number("--jobs"));
  run.folder = given.text("--corpus");
  run.programs = given.text("--programs");
  run.corpus = given.text("--seeds");
  const bool any_program = absl::c_any_of(run.targets, [&](const campaign::Target& target) {
    std::error_code no_file;
    return fs::exists(run.programs / (target.name + "_fuzzer"), no_file);
  });
  if (!any_program) {  // before a folder of a campaign is made
    return absl::NotFoundError(
        absl::StrCat("no program of a target in ", run.programs.string(),
                     "; build them: cmake --preset fuzz && cmake --build --preset fuzz"));
  }
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  run.progress = progress_line(terminal);
  run.happened = [terminal](const std::string& what) {
    std::cerr << (terminal ? "\r\x1b[K" : "") << what << std::endl;
  };
  const absl::StatusOr<campaign::Summary> summary = campaign::run(run);
  if (terminal) std::cerr << "\r\x1b[K" << std::flush;
  if (!summary.ok()) return summary.status();
  std::cout << (given.flag("--json") ? to_text(to_json(*summary, run)) + "\n"
                                     : to_text(*summary, run))
            << std::flush;
  int status = campaign::exit_status(*summary);
  if (const std::string& html = given.text("--html"); !html.empty()) {
    const absl::Status written = campaign::write_file(html, to_html(*summary, run));
    if (!written.ok() && complain("fuzz", written) != status && status != kCounterexample)
      status = kBadInput;
  }
  return status;
}

}  // namespace

void add_fuzz_command(Program& program) {
  const fs::path root = source_root();
  std::vector<std::string> targets;
  for (const campaign::Target& target : campaign::all_targets()) targets.push_back(target.name);
  program.command("fuzz")
      .words("TARGET", std::move(targets))
      .initial("--corpus", (root / "build" / "fuzz-corpus").string())
      .initial("--programs", (root / "build" / "fuzz" / "bin").string())
      .initial("--seeds", (root / "corpus").string())
      .run(fuzz);
}

}  // namespace tileproof::cli
