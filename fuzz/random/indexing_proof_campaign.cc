// SPDX-License-Identifier: Apache-2.0
// Proves the maps of every instruction of HLO files. Prints each refuted or undecided instruction,
// then the number of verdicts of each kind by operation. Exits with 1 if any map is refuted.
//
//     indexing_proof_campaign [input_to_output] MILLISECONDS FILE_OR_FOLDER..
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/prove/hlo/indexing_proof.h"

namespace tileproof::verify {
namespace {

namespace fs = std::filesystem;
using Kind = InstructionVerdict::Kind;

std::vector<fs::path> files_of(int count, char** names) {
  std::vector<fs::path> files;
  for (int i = 0; i < count; ++i) {
    if (!fs::is_directory(names[i])) {
      files.emplace_back(names[i]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(names[i])) {
      if (entry.path().extension() == ".hlo") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Tally {
  int64_t files = 0, unread = 0, modules = 0;
  std::map<Kind, int64_t> kinds;
  std::map<std::string, std::map<Kind, int64_t>> open;  // refuted and undecided, by operation
};

void run(const fs::path& path, impl::Direction direction, VerifySession& session, Tally& tally) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const auto modules = parse_hlo_modules(text.str());
  if (!modules.ok()) {
    ++tally.unread;
    std::printf("%s: %s\n", path.c_str(), std::string(modules.status().message()).c_str());
    return;
  }
  ++tally.files;
  for (const HloModule& module : *modules) {
    ++tally.modules;
    for (const InstructionVerdict& verdict : verify_module(module, session, direction)) {
      ++tally.kinds[verdict.kind];
      if (verdict.kind != Kind::kRefuted && verdict.kind != Kind::kUndecided) continue;
      const HloInstruction& at =
          module.computations[verdict.computation].instructions[verdict.instruction];
      ++tally.open[at.opcode_text][verdict.kind];
      std::printf("%s: %s\n", path.filename().c_str(), to_text(module, verdict).c_str());
      std::fflush(stdout);
    }
  }
}

void print(const Tally& tally, const VerifySession& session, double seconds) {
  std::printf("%ld files, %ld unreadable, %ld modules, %.0f s\n", tally.files, tally.unread,
              tally.modules, seconds);
  for (const auto& [kind, count] : tally.kinds) {
    std::printf("  %s %ld\n", std::string(to_text(kind)).c_str(), count);
  }
  for (const auto& [opcode, kinds] : tally.open) {
    for (const auto& [kind, count] : kinds) {
      std::printf("  %s %s %ld\n", opcode.c_str(), std::string(to_text(kind)).c_str(), count);
    }
  }
  std::printf(
      "%zu different questions; directions enumerated %ld, rearranged %ld, by the solver %ld "
      "(%ld questions)\n",
      session.known.size(), session.enumerated, session.rearranged, session.solver,
      session.questions);
}

}  // namespace
}  // namespace tileproof::verify

int main(int argc, char** argv) {
  using namespace tileproof::verify;  // NOLINT: all of main is about it
  const bool inverse = argc > 1 && std::string(argv[1]) == "input_to_output";
  argc -= inverse ? 1 : 0;
  argv += inverse ? 1 : 0;
  if (argc < 3) {
    std::fprintf(
        stderr, "usage: indexing_proof_campaign [input_to_output] MILLISECONDS FILE_OR_FOLDER..\n");
    return 2;
  }
  const auto direction = inverse ? tileproof::impl::Direction::kInputToOutput
                                 : tileproof::impl::Direction::kOutputToInput;
  VerifySession session;
  session.options.milliseconds = std::atoll(argv[1]);
  Tally tally;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& path : files_of(argc - 2, argv + 2)) run(path, direction, session, tally);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  print(tally, session, time.count());
  return tally.kinds[InstructionVerdict::Kind::kRefuted] == 0 ? 0 : 1;
}
