// tileproof fuzz: a fuzz campaign.
//
// The targets are programs of their own (preset fuzz: clang, libFuzzer, sanitizers); this command
// finds them, gives them their seeds and a time, shows how they get on, and says what they found in
// a line that can be pasted back.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/commands.h"
#include "cli/suite_options.h"
#include "cli/text.h"
#include "verify/conform/subprocess.h"

namespace tileproof::cli {
namespace {

namespace fs = std::filesystem;
using conform::Milliseconds;

struct Target {
  const char* name;
  std::vector<std::string> seeds;  // files of the corpus
  size_t lines = 1;                // of these in an input; of .hlo files, parts between // -----
  int64_t longest = 512;           // bytes of an input
};

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"layout", {"layouts/regressions.txt", "layouts/real.txt"}},
      {"nested", {"nested/regressions.txt"}},
      {"algebra", {}},  // inputs are choices
      {"map_parse", {"maps/regressions.txt", "maps/chains.txt"}},
      {"map_simplify", {"maps/regressions.txt", "maps/chains.txt"}},
      {"map_compose", {"maps/regressions.txt", "maps/chains.txt"}, 2},
      {"map_equal", {"maps/regressions.txt", "maps/chains.txt"}, 2},
      {"hlo_text", {"hlo/regressions.hlo"}, 1, 4096},
      {"hlo_index", {}},  // inputs are choices
      {"hlo_mutated", {"hlo/regressions.hlo"}, 1, 4096},
  };
  return all;
}

struct Options {
  std::vector<std::string> targets;
  std::string time = "60s";
  int jobs = 1;
  std::string corpus;    // where inputs are kept between campaigns
  std::string programs;  // where the targets are
  std::string seeds;
};

// The folder of this program's build tree: <root>/build/release/bin/tileproof gives <root>.
fs::path source_root() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program.parent_path().parent_path().parent_path().parent_path();
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#' && !absl::StartsWith(line, "//")) lines.push_back(line);
  }
  return lines;
}

// The modules of a file, without the comments between them.
std::vector<std::string> parts_of(const fs::path& path) {
  std::vector<std::string> parts = {""};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "// -----")) {
      parts.emplace_back();
    } else if (!absl::StartsWith(line, "//")) {
      absl::StrAppend(&parts.back(), line, "\n");
    }
  }
  return parts;
}

// One file per input, made of lines of the seed files, as libFuzzer wants them. Not more than
// needed: a sample of a long file.
constexpr int64_t kMostSeeds = 500;
void write_seeds(const Target& target, const fs::path& from, const fs::path& to) {
  for (const std::string& name : target.seeds) {
    const std::vector<std::string> lines =
        absl::EndsWith(name, ".hlo") ? parts_of(from / name) : lines_of(from / name);
    const size_t step = lines.size() / kMostSeeds + 1;
    for (size_t i = 0; i < lines.size(); i += step) {
      if (i + target.lines > lines.size()) break;
      std::ofstream seed(to / absl::StrCat("seed-", fs::path(name).stem().string(), "-", i));
      for (size_t line = 0; line < target.lines; ++line) seed << lines[i + line] << "\n";
    }
  }
}

// libFuzzer's "#1234\tNEW    cov: 812 ft: 2345 corp: 99/12Kb .. exec/s: 345 ..", shortened.
std::optional<std::string> progress_of(absl::string_view line) {
  if (line.size() < 2 || line[0] != '#' || !absl::ascii_isdigit(line[1])) return std::nullopt;
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  std::string text = absl::StrCat(words[0].substr(1), " runs");
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i] == "cov:") absl::StrAppend(&text, ", ", words[i + 1], " edges");
    if (words[i] == "corp:")
      absl::StrAppend(&text, ", ", words[i + 1].substr(0, words[i + 1].find('/')), " inputs kept");
    if (words[i] == "exec/s:") absl::StrAppend(&text, ", ", words[i + 1], " a second");
  }
  return text;
}

struct Campaign {
  std::string last_progress;
  std::vector<std::string> findings;  // "FOUND: .." lines, or a sanitizer's summary
  std::string log;                    // the end of what the target said
  std::string ended;
};

Campaign run(const Target& target, const std::vector<std::string>& command) {
  Campaign campaign;
  std::vector<std::string> shell = {"sh", "-c", "exec \"$0\" \"$@\" 2>&1"};
  shell.insert(shell.end(), command.begin(), command.end());
  absl::StatusOr<conform::Subprocess> child = conform::Subprocess::start(shell);
  if (!child.ok()) {
    campaign.ended = std::string(child.status().message());
    return campaign;
  }
  child->close_input();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::string pending;
  bool open = true;
  while (open) {
    child->wait_for(false, Milliseconds(1000));
    open = child->read_some(pending);
    for (size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
      const std::string line = pending.substr(0, end);
      if (const std::optional<std::string> progress = progress_of(line)) {
        campaign.last_progress = *progress;
        if (terminal) std::cerr << "\r\x1b[K" << target.name << ": " << *progress << std::flush;
        continue;
      }
      if (absl::StartsWith(line, "FOUND: ") || absl::StartsWith(line, "SUMMARY: "))
        campaign.findings.push_back(line);
      campaign.log = absl::StrCat(campaign.log, line, "\n");
      if (campaign.log.size() > 20'000) campaign.log.erase(0, 10'000);
    }
  }
  if (terminal) std::cerr << "\n";
  campaign.ended = child->end(Milliseconds(5000)).value_or("killed");
  return campaign;
}

int run_target(const Target& target, const Options& options, Milliseconds time) {
  const fs::path program = fs::path(options.programs) / absl::StrCat(target.name, "_fuzzer");
  if (!fs::exists(program)) {
    return complain("fuzz", absl::NotFoundError(absl::StrCat(
                                "no target ", program.string(),
                                "; build it: cmake --preset fuzz && cmake --build --preset fuzz")));
  }
  const fs::path seeds = fs::path(options.corpus) / target.name / "seeds";
  const fs::path kept = fs::path(options.corpus) / target.name / "kept";
  const fs::path found = fs::path(options.corpus) / target.name / "found";
  for (const fs::path& folder : {seeds, kept, found}) fs::create_directories(folder);
  write_seeds(target, options.seeds, seeds);
  std::vector<std::string> command = {program.string(),
                                      absl::StrCat("-max_total_time=", (time.count() + 999) / 1000),
                                      "-timeout=25",
                                      "-rss_limit_mb=4096",
                                      absl::StrCat("-max_len=", target.longest),
                                      "-print_final_stats=1",
                                      absl::StrCat("-artifact_prefix=", found.string(), "/")};
  if (options.jobs > 1) command.push_back(absl::StrCat("-fork=", options.jobs));
  command.push_back(kept.string());
  command.push_back(seeds.string());
  const Campaign campaign = run(target, command);
  std::cout << target.name << ": "
            << (campaign.last_progress.empty() ? "no runs" : campaign.last_progress);
  if (campaign.ended == "status 0" && campaign.findings.empty() &&
      !campaign.last_progress.empty()) {
    std::cout << ", nothing found\n";
    return kHolds;
  }
  std::cout << ", ended with " << campaign.ended << "\n";
  for (const std::string& finding : campaign.findings) std::cout << finding << "\n";
  if (campaign.findings.empty()) std::cout << campaign.log;
  std::cout << "inputs that show it: " << found.string() << "\n";
  return kCounterexample;
}

int fuzz(const Options& options) {
  const absl::StatusOr<Milliseconds> time = time_option(options.time);
  if (!time.ok()) return complain("fuzz", time.status());
  std::vector<const Target*> chosen;
  for (const Target& target : targets()) {
    if (options.targets.empty() || absl::c_linear_search(options.targets, target.name))
      chosen.push_back(&target);
  }
  if (chosen.empty() || (!options.targets.empty() && chosen.size() != options.targets.size())) {
    std::vector<std::string> names;
    for (const Target& target : targets()) names.emplace_back(target.name);
    return complain("fuzz", absl::InvalidArgumentError(
                                absl::StrCat("expected targets among ", absl::StrJoin(names, ", "),
                                             ", found ", absl::StrJoin(options.targets, ", "))));
  }
  int worst = kHolds;
  for (const Target* target : chosen) {
    const int status = run_target(*target, options, *time);
    if (status == kBadInput) return status;
    if (status != kHolds) worst = status;
  }
  return worst;
}

}  // namespace

void add_fuzz_command(CLI::App& app, int* status) {
  auto options = std::make_shared<Options>();
  const fs::path root = source_root();
  options->corpus = (root / "build" / "fuzz-corpus").string();
  options->programs = (root / "build" / "fuzz" / "bin").string();
  options->seeds = (root / "corpus").string();
  CLI::App* command = app.add_subcommand(
      "fuzz", "A fuzz campaign: reference against closed form, driven by coverage");
  command->add_option("TARGET", options->targets, "targets; all of them by default");
  command->add_option("--time", options->time, "for each target (30, 30s, 20m, 1h)")
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "processes at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--corpus", options->corpus, "where inputs are kept between campaigns")
      ->capture_default_str();
  command->add_option("--programs", options->programs, "where the targets are")
      ->capture_default_str();
  command->add_option("--seeds", options->seeds, "the folder of seeds")->capture_default_str();
  command->callback([options, status] { *status = fuzz(*options); });
}

}  // namespace tileproof::cli
