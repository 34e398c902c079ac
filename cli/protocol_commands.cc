// SPDX-License-Identifier: Apache-2.0
#include "cli/protocol_commands.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verbs/time_text.h"
#include "conform/judge/judge.h"
#include "conform/oracle/oracle.h"
#include "conform/plugin/plugin_call.h"
#include "conform/protocol/protocol.h"
#include "conform/protocol/subprocess.h"
#include "conform/report/merge.h"
#include "conform/report/vectors.h"
#include "conform/run/conform.h"
#include "conform/suites/suites.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

constexpr size_t kReadAtOnce = size_t{1} << 16;

bool write_all(int output, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(output, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

// tileproof judge: judges recorded answers, and merges the reports of shards.

// A file, or "-" for standard input.
absl::StatusOr<std::string> read_file(const std::string& name) {
  return read_argument(name == "-" ? name : "@" + name);
}

absl::StatusOr<int> merge(const Command& given) {
  std::vector<conform::NamedReport> reports;
  for (const std::string& name : given.list("--merge")) {
    std::string text = TRY(read_file(name));
    reports.push_back({name, std::move(text)});
  }
  const conform::Json merged = TRY(conform::merge_reports(reports));
  std::cout << (given.flag("--json") ? to_text(merged) + "\n" : conform::merged_text(merged))
            << std::flush;
  return static_cast<int>(*conform::find(merged, "status")->as<int64_t>());
}

// tileproof respond: speaks the protocol on standard input and output.

// A plug-in may print. Its output goes to standard error; standard output is for answers alone.
absl::StatusOr<int> respond_with_plugin(const std::string& path) {
  const int output = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const tileproof_plugin plugin = TRY(conform::load_plugin(path));
  return answer_lines("respond", output, [&plugin](absl::string_view line) {
    return conform::plugin_answer_line(plugin, line);
  });
}

}  // namespace

absl::StatusOr<const conform::Suite*> suite_option(const std::string& name) {
  if (const conform::Suite* suite = conform::suite_named(name)) return suite;
  std::vector<absl::string_view> names;
  for (const conform::Suite& suite : conform::suites()) names.push_back(suite.name);
  return invalid("no suite '", conform::shown(name, 40), "' in this version; expected one of ",
                 suite_names(), did_you_mean(name, names));
}

std::string suite_names() {
  return absl::StrJoin(conform::suites(), ", ", [](std::string* out, const conform::Suite& suite) {
    out->append(std::string(suite.name));
  });
}

absl::StatusOr<uint64_t> seed_option(const std::string& text) {
  uint64_t seed;
  if (absl::SimpleAtoi(text, &seed)) return seed;
  return invalid("expected --seed to be an integer of 0 to 2^64 - 1, found '",
                 conform::shown(text, 40), "'");
}

absl::StatusOr<conform::Milliseconds> time_option(const std::string& text) {
  const absl::StatusOr<conform::Milliseconds> time = read_time(text, BareTime::kSeconds);
  if (!time.ok() || time->count() > 0) return time;
  return invalid("expected a time of at least a millisecond");
}

int print_report(const conform::Report& report, const Command& given) {
  const int status = exit_status(report);
  if (given.flag("--json")) {
    std::cout << to_text(to_json(report)) << "\n" << std::flush;
  } else {
    std::cout << to_text(report, given.flag("--brief"))
              << colored(conclusion(report), status == 0 ? Tone::kGood : Tone::kBad) << "\n"
              << std::flush;
  }
  return status;
}

int answer_lines(const std::string& command, int output,
                 absl::FunctionRef<std::string(absl::string_view)> answer) {
  conform::Lines lines;
  std::array<char, kReadAtOnce> block;
  std::string answers;
  for (bool more = true; more;) {
    ssize_t got;
    do {
      got = ::read(STDIN_FILENO, block.data(), block.size());
    } while (got < 0 && errno == EINTR);
    more = got > 0;
    if (more) {
      lines.add(absl::string_view(block.data(), static_cast<size_t>(got)));
    } else {
      lines.end();
    }
    while (const std::optional<conform::Lines::Line> line = lines.next()) {
      answers += line->too_long
                     ? to_text(conform::failed_answer(conform::Json(),
                                                      invalid("expected a line of at most 16 MiB")))
                     : answer(line->text);
      answers += '\n';
      if (answers.size() < kReadAtOnce) continue;
      if (!write_all(output, answers)) break;
      answers.clear();
    }
    if (!write_all(output, answers)) {
      std::cerr << "tileproof: " << command << ": cannot write: " << std::strerror(errno) << "\n";
      return kInternal;
    }
    answers.clear();
  }
  return kHolds;
}

// tileproof generate: prints request lines, with the right answers if asked.
absl::StatusOr<int> generate_command(const Command& given) {
  if (given.flag("--schema")) {
    std::cout << to_text(conform::vector_schema()) << "\n";
    return kHolds;
  }
  const conform::Suite* suite = TRY(suite_option(given.text("--suite")));
  if (given.number("--count") < 1) {
    return invalid("expected --count to be at least 1");
  }
  conform::Cases cases(*suite, TRY(seed_option(given.text("--seed"))), {});
  int status = kHolds;
  for (int64_t id = 1; id <= given.number("--count"); ++id) {
    const std::optional<conform::Case> made = cases.next();
    if (!made) break;
    absl::StatusOr<conform::Json> line = with_id(id, made->request);
    if (given.flag("--answers")) line = vector_line(id, made->request, right_answer(made->request));
    if (line.ok()) {
      std::cout << to_text(*line) << "\n";
    } else {
      std::cerr << absl::StrCat("tileproof: generate: request ", id, ": ", line.status().message(),
                                "\n");
      status = kInternal;
    }
  }
  if (!std::cout.flush()) {
    std::cerr << "tileproof: generate: cannot write\n";
    return kInternal;
  }
  return status;
}

absl::StatusOr<int> judge_command(const Command& given) {
  if (!given.list("--merge").empty()) return merge(given);
  if (given.text("--requests").empty() || given.text("--answers").empty()) {
    return invalid("expected --requests and --answers, or --merge REPORT..");
  }
  const std::string requests = TRY(read_file(given.text("--requests")));
  const std::string answers = TRY(read_file(given.text("--answers")));
  const conform::Signals signals;
  const conform::Report report = TRY(conform::judge_files(requests, answers));
  return print_report(report, given);
}

absl::StatusOr<int> respond_command(const Command& given) {
  if (!given.text("--plugin").empty()) return respond_with_plugin(given.text("--plugin"));
  const auto who =
      given.text("--engine") == "spec" ? conform::Engine::kSpec : conform::Engine::kImpl;
  return answer_lines("respond", STDOUT_FILENO,
                      [who](absl::string_view line) { return conform::answer_line(line, who); });
}

}  // namespace tileproof::cli
