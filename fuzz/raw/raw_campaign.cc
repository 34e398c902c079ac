// Every parser on texts that hardly are what it reads, many of them, without sanitizers:
//
//     raw_campaign PARSER COUNT [--seed SEED] [--record FILE]
//     raw_campaign map --show NUMBER [--seed SEED]
//
// A text is one of the corpus with a few bytes changed: replaced, dropped, doubled, words and
// numbers at the limits put in, brackets repeated, two texts joined. Text number i of a seed is the
// same in every run. Wanted: an answer; an error in one line that names the place; what is read
// prints, reads back, and is the same.
//
// With a record, a line for every chunk, a campaign goes on where it was stopped
// (fuzz/random/campaign_checkpoint.h). A chunk runs in a process of its own: where that dies or takes too
// long, the text is told. Exits 1 if anything was found, 2 if the call is wrong.
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

// One edit of a text.
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
    case 4: {  // a number becomes another
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

// What the process of a chunk leaves behind, however it ends.
struct Progress {
  int64_t number;  // the text that is looked at
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

// In a process of its own. How it died, or nothing.
std::string guarded_chunk(const RawParser& parser, uint64_t seed, int64_t first, int64_t count,
                          Progress& progress) {
  progress = {};
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit limit{1800, 1800};  // seconds of the processor: thousands of times what it takes
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
  if (shared == MAP_FAILED) return absl::ResourceExhaustedError("expected memory to share");
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
  CLI::App app("Every parser on texts that hardly are what it reads.");
  std::string name;
  int64_t count = 0, show = -1;
  CampaignCheckpoint record{"", "", 1};
  app.add_option("PARSER", name, "one of those in raw_parsers.h")->required();
  app.add_option("COUNT", count, "texts, those on record included");
  app.add_option("--show", show, "print text number N");
  app.add_option("--seed", record.seed, "of the texts");
  app.add_option("--record", record.path, "a line for every chunk that is done");
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
