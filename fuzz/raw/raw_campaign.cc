// SPDX-License-Identifier: Apache-2.0
// Runs a parser on many damaged texts, without sanitizers:
//
//     raw_campaign PARSER COUNT [--seed SEED] [--record FILE]
//     raw_campaign map --show NUMBER [--seed SEED]
//
// A damaged text is a text of the corpus after a few edits: bytes replaced, dropped or doubled;
// words and numbers at the limits inserted; brackets repeated; two texts joined. A seed and a
// number always give the same text. The parser must either accept the text, or fail with an error
// in one line that names the position. An accepted text must print, and the printed text must parse
// as the same value.
//
// With a record, which has one line for each chunk, a campaign goes on where it was stopped
// (fuzz/random/campaign_checkpoint.h). Each chunk runs in its own process: if that dies or takes
// too long, the campaign prints the text. Exits with 1 if anything was found, and with 2 if the
// command line is wrong.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/random/campaign_checkpoint.h"
#include "fuzz/raw/raw_parsers.h"
#include "generate/choose/choose.h"
#include "spec/lang/base/try.h"

namespace tileproof::verify {
namespace {

// Makes one edit of the text.
void change(Choose& choose, const RawParser& parser, std::string& text) {
  const auto position = static_cast<size_t>(choose(std::ssize(text) + 1));
  const auto length = static_cast<size_t>(choose.between(1, 8));
  switch (choose(8)) {
    case 0:
      if (position < text.size()) text[position] = static_cast<char>(choose(256));
      return;
    case 1:
      text.erase(position, length);
      return;
    case 2:
      text.insert(position, text.substr(static_cast<size_t>(choose(std::ssize(text) + 1)), length));
      return;
    case 3:
      text.insert(position, choose.pick(parser.words));
      return;
    case 4: {  // replace a number
      size_t digit = text.find_first_of("0123456789", position);
      if (digit == std::string::npos) digit = text.size();
      const size_t end = text.find_first_not_of("0123456789", digit);
      text.replace(digit, end == std::string::npos ? end : end - digit,
                   choose.pick(numbers_at_limits()));
      return;
    }
    case 5:
      text.erase(position);
      return;
    case 6: {
      const std::string& other = choose.pick(parser.texts);
      text = text.substr(0, position) +
             other.substr(static_cast<size_t>(choose(std::ssize(other) + 1)));
      return;
    }
    default:
      if (choose.chance(15, 16)) {
        text.insert(position, 1, static_cast<char>(choose(256)));
      } else {  // deep nesting
        text.insert(position, static_cast<size_t>(choose(1200)),
                    choose.pick<char>({'(', '[', '{', '-'}));
      }
  }
}

std::string text_of(const RawParser& parser, uint64_t seed, int64_t number) {
  Choose choose(Choose::Random{seed * 1'000'000'007 + static_cast<uint64_t>(number)});
  std::string text = choose.pick(parser.texts);
  for (int64_t edits = choose.between(0, 5); edits > 0; --edits) change(choose, parser, text);
  return text;
}

// The state of a chunk, in memory shared with its process: it survives the process.
struct Progress {
  int64_t number;  // the current text
  int64_t read;
  int64_t failures;
};

void run_chunk(const RawParser& parser, uint64_t seed, int64_t first, int64_t count,
               Progress& progress) {
  for (progress.number = first; progress.number < first + count; ++progress.number) {
    const std::string text = text_of(parser, seed, progress.number);
    bool read = false;
    const std::string wrong = parser.check(text, read);
    progress.read += read;
    if (wrong.empty()) continue;
    ++progress.failures;
    std::printf("%s seed %lu, number %ld: %s: $'%s'\n", parser.name.c_str(), seed, progress.number,
                wrong.c_str(), absl::CEscape(text).c_str());
  }
  std::fflush(stdout);
}

// Runs the chunk in its own process. Returns how the process died, or "".
std::string guarded_chunk(const RawParser& parser, uint64_t seed, int64_t first, int64_t count,
                          Progress& progress) {
  progress = {};
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit limit{1800, 1800};  // CPU seconds, thousands of times what a chunk takes
    setrlimit(RLIMIT_CPU, &limit);
    run_chunk(parser, seed, first, count, progress);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return absl::StrCat(parser.name, " seed ", seed, ", number ", progress.number, ": ",
                      WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended", ": $'",
                      absl::CEscape(text_of(parser, seed, progress.number)), "'");
}

absl::StatusOr<bool> run(const RawParser& parser, CampaignCheckpoint record, int64_t count) {
  record.campaign = absl::StrCat("raw-", parser.name);
  int64_t first = TRY(first_open_case(record));
  void* shared =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return absl::ResourceExhaustedError("cannot map shared memory");
  Progress& progress = *new (shared) Progress();
  bool right = true;
  for (; first < count; first += parser.chunk) {
    const int64_t cases = std::min(parser.chunk, count - first);
    const std::string died = guarded_chunk(parser, record.seed, first, cases, progress);
    if (!died.empty()) return absl::InternalError(died);
    right &= progress.failures == 0;
    TRY(append_chunk(record, first, cases,
                     absl::StrCat(progress.read, " read, ", progress.failures, " failures")));
  }
  return right;
}

}  // namespace
}  // namespace tileproof::verify

int main(int argc, char** argv) {
  using namespace tileproof::verify;
  CLI::App app("Runs a parser on damaged texts.");
  std::string name;
  int64_t count = 0, show = -1;
  CampaignCheckpoint record{"", "", 1};
  app.add_option("PARSER", name, "a parser of raw_parsers.h")->required();
  app.add_option("COUNT", count, "number of texts, including those on record");
  app.add_option("--show", show, "print text number N");
  app.add_option("--seed", record.seed, "seed of the texts");
  app.add_option("--record", record.path, "file with a line for each finished chunk");
  CLI11_PARSE(app, argc, argv);
  std::vector<std::string> names;
  for (const RawParser& parser : raw_parsers()) {
    names.push_back(parser.name);
    if (parser.name != name) continue;
    if (show >= 0) {
      std::fputs(text_of(parser, record.seed, show).c_str(), stdout);
      return 0;
    }
    const absl::StatusOr<bool> right = run(parser, record, count);
    if (right.ok()) return *right ? 0 : 1;
    std::fprintf(stderr, "raw_campaign: %s\n", std::string(right.status().message()).c_str());
    return absl::IsInternal(right.status()) ? 1 : 2;
  }
  std::fprintf(stderr, "raw_campaign: expected one of %s\n", absl::StrJoin(names, ", ").c_str());
  return 2;
}
