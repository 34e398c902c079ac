// SPDX-License-Identifier: Apache-2.0
// tileproof zoo: judges every known-wrong implementation; each must be caught.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/protocol_commands.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "conform/report/report.h"
#include "conform/zoo/zoo.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

using conform::Json;
using conform::json_object;
using conform::to_text;

absl::StatusOr<const zoo::Entry*> entry_option(const std::string& name) {
  const zoo::Entry* entry = zoo::entry_named(name);
  if (entry == nullptr) {
    std::vector<absl::string_view> names;
    for (const zoo::Entry& known : zoo::entries()) names.push_back(known.id);
    return invalid("no entry '", conform::shown(name, 40), "'; --table lists them",
                   did_you_mean(name, names));
  }
  if (entry->operation.empty()) {
    return invalid(name, " has no implementation: ", std::string(entry->why_not));
  }
  TRY(zoo::check_written(*entry));
  return entry;
}

absl::StatusOr<std::vector<const zoo::Entry*>> chosen(const std::vector<std::string>& names) {
  std::vector<const zoo::Entry*> list;
  for (const std::string& name : names) {
    list.push_back(TRY(entry_option(name)));
  }
  for (const zoo::Entry& entry : zoo::entries()) {
    if (names.empty() && !entry.operation.empty()) {
      list.push_back(TRY(entry_option(std::string(entry.id))));
    }
  }
  return list;
}

Json described(const zoo::Entry& entry) {
  Json json = json_object({{"id", entry.id}, {"wrong", entry.wrong}, {"seen", entry.seen}});
  entry.operation.empty() ? set(json, "why_not", entry.why_not)
                          : set(json, "operation", entry.operation);
  return json;
}

int print_table(bool as_json) {
  Json::Array lines;
  for (const zoo::Entry& entry : zoo::entries()) {
    lines.push_back(described(entry));
    if (as_json) continue;
    std::cout << absl::StreamFormat("%-20s  %-18s  %s\n%42s%s\n", entry.id,
                                    entry.operation.empty() ? "-" : entry.operation, entry.wrong,
                                    "", entry.seen);
    if (!entry.why_not.empty())
      std::cout << absl::StreamFormat("%42snot implemented: %s\n", "", entry.why_not);
  }
  if (as_json) std::cout << to_text(Json(std::move(lines))) << "\n";
  return kHolds;
}

void print(const zoo::Entry& entry, const zoo::Caught& caught) {
  std::cout << absl::StreamFormat("%-20s  %-18s  %s after %d requests, %.2f s\n", entry.id,
                                  entry.operation,
                                  caught.caught ? colored(to_text(caught.verdict), Tone::kGood)
                                                : colored("NOT CAUGHT", Tone::kBad),
                                  caught.requests, caught.seconds);
  if (!caught.caught) return;
  std::cout << "  request  " << to_text(caught.smallest.request) << "\n  answer   "
            << caught.smallest.what << "\n";
  if (!caught.smallest.right.empty()) std::cout << "  right    " << caught.smallest.right << "\n";
  std::cout << std::flush;
}

Json to_json(const zoo::Entry& entry, const zoo::Caught& caught) {
  Json json = described(entry);
  set(json, "caught", caught.caught);
  set(json, "requests", caught.requests);
  set(json, "seconds", Json::Number{absl::StrFormat("%.3f", caught.seconds)});
  if (!caught.caught) return json;
  set(json, "verdict", to_text(caught.verdict));
  set(json, "request", caught.smallest.request);
  set(json, "answer", caught.smallest.what);
  if (!caught.smallest.right.empty()) set(json, "right", caught.smallest.right);
  return json;
}

constexpr const char* kEngines[] = {"spec", "impl"};

// Judges the engines and the entries side by side, as many at a time as there are cores. The
// engines are the first, because they take longest.
class JudgedZoo {
 public:
  JudgedZoo(const std::string& program, uint64_t seed,
            const std::vector<const zoo::Entry*>& entries, bool with_engines) {
    for (const char* engine : kEngines) {
      if (!with_engines) break;
      engines_.push_back(later([this, program, seed, engine] {
        return zoo::judge_right(program, engine, seed, &known_);
      }));
    }
    for (const zoo::Entry* entry : entries) {
      entries_.push_back(later([this, program, seed, entry] {
        return zoo::judge_entry(program, *entry, seed, &known_);
      }));
    }
    const unsigned at_once = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
    for (unsigned i = 0; i < at_once; ++i) threads_.emplace_back([this] { work(); });
  }
  JudgedZoo(const JudgedZoo&) = delete;
  JudgedZoo& operator=(const JudgedZoo&) = delete;
  // Waits only for those that are being judged.
  ~JudgedZoo() {
    next_ = work_.size();
    for (std::thread& thread : threads_) thread.join();
  }

  absl::StatusOr<zoo::Caught> entry(size_t number) { return entries_[number].get(); }
  absl::StatusOr<conform::Report> engine(size_t number) { return engines_[number].get(); }
  size_t engines() const { return engines_.size(); }

 private:
  template <class Judge>
  std::future<std::invoke_result_t<Judge>> later(Judge judge) {
    auto task = std::make_shared<std::packaged_task<decltype(judge())()>>(std::move(judge));
    work_.emplace_back([task] { (*task)(); });
    return task->get_future();
  }

  void work() {
    for (size_t i = next_++; i < work_.size(); i = next_++) work_[i]();
  }

  conform::RightAnswers known_;
  std::vector<std::function<void()>> work_;
  std::vector<std::future<absl::StatusOr<zoo::Caught>>> entries_;
  std::vector<std::future<absl::StatusOr<conform::Report>>> engines_;
  std::atomic<size_t> next_ = 0;
  std::vector<std::thread> threads_;
};

absl::StatusOr<int> judge_zoo(const Command& given) {
  const std::vector<const zoo::Entry*> list = TRY(chosen(given.list("ENTRY")));
  const uint64_t seed = TRY(seed_option(given.text("--seed")));
  const bool as_json = given.flag("--json");
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  JudgedZoo judged(program, seed, list, given.list("ENTRY").empty());
  ProgressLine progress("implementations");
  Json::Array entries, engines;
  int64_t escaped = 0, failed = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!std::cout) return kHolds;  // main() reports that writing failed
    const zoo::Entry& entry = *list[i];
    progress.at(static_cast<int64_t>(i), std::ssize(list), entry.id);
    const absl::StatusOr<zoo::Caught> caught = judged.entry(i);
    progress.clear();
    if (!caught.ok()) return caught.status();
    escaped += caught->caught ? 0 : 1;
    as_json ? entries.push_back(to_json(entry, *caught)) : print(entry, *caught);
  }
  for (size_t i = 0; i < judged.engines(); ++i) {
    const conform::Report report = TRY(judged.engine(i));
    const int status = exit_status(report);
    failed += status == 0 ? 0 : 1;
    engines.push_back(json_object({{"engine", kEngines[i]}, {"status", status}}));
    if (!as_json) {
      std::cout << "right implementation, " << kEngines[i] << ": "
                << (status == 0 ? "passes" : "FAILS") << "\n";
      if (status != 0) std::cout << to_text(report);
    }
  }
  if (as_json) {
    std::cout << to_text(json_object({{"entries", std::move(entries)},
                                      {"right", std::move(engines)},
                                      {"not_caught", escaped},
                                      {"right_failed", failed}}))
              << "\n";
  } else {
    std::cout << list.size() << " known-wrong implementations: " << list.size() - escaped
              << " caught\n";
  }
  return escaped + failed > 0 ? kCounterexample : kHolds;
}

}  // namespace

absl::StatusOr<int> zoo_command(const Command& given) {
  if (given.flag("--table")) return print_table(given.flag("--json"));
  if (given.list("--respond").empty()) return judge_zoo(given);
  const std::vector<const zoo::Entry*> entries = TRY(chosen(given.list("--respond")));
  std::signal(SIGSEGV, SIG_DFL);  // some entries crash, like the bug that they reproduce
  zoo::respond_wrongly(entries);
  return kHolds;
}

}  // namespace tileproof::cli
