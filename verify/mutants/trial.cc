// SPDX-License-Identifier: Apache-2.0
#include "verify/mutants/trial.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "verify/mutants/mutant.h"

namespace tileproof::mutants {
namespace {

constexpr size_t kCasesOfACheck = 16;  // per mutant and endless check
constexpr size_t kCasesOfAList = 256;  // per mutant and finite check
constexpr double kSlow = 1.5;          // seconds; slower cases run only without a mutant

double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Cases that reach one mutant: the first half are the earliest cases, the second half a random
// sample of the rest.
struct Kept {
  std::vector<Case> cases;
  int64_t seen = 0;

  void add(const Case& one, size_t most, Choose& choose) {
    ++seen;
    if (cases.size() < most) {
      cases.push_back(one);
    } else if (const int64_t place = choose(seen); place < std::ssize(cases)) {
      // Keep the first half.
      const size_t half = most / 2;
      cases[half + static_cast<size_t>(place) % half] = one;
    }
  }
};

void set_processor_limit(double seconds) {
  const auto limit = static_cast<rlim_t>(processor_time() + seconds) + 1;
  const rlimit both{limit, RLIM_INFINITY};
  setrlimit(RLIMIT_CPU, &both);
}

// An exception ends the process (noexcept).
std::string run_case(const std::vector<Check>& checks, const Case& one) noexcept {
  const Check& check = checks[static_cast<size_t>(one.check)];
  if (check.run(one.number).empty()) return "";
  return absl::StrCat(check.name, " ", one.number);
}

// Returns whether a new case passes without the mutant; if not, it proves nothing.
bool right_without_mutant(const std::vector<Check>& checks, const Case& one) {
  const int mutant = std::exchange(mutant::active, mutant::kNone);
  const bool right = run_case(checks, one).empty();
  mutant::active = mutant;
  return right;
}

constexpr absl::string_view kWrong = "wrong without a mutant: ";

// The numbered cases of a mutant: first those of the survey, then an endless sequence of random
// ones that takes turns among the endless checks that reach the mutant.
struct Course {
  const std::vector<Check>* checks;
  const std::vector<Case>* known;
  std::vector<int> endless = {};

  int64_t listed() const { return std::ssize(*known); }
  Case at(int64_t step) const {
    if (step < listed()) return (*known)[static_cast<size_t>(step)];
    const int64_t further = step - listed(), round = std::ssize(endless);
    const int check = endless[static_cast<size_t>(further % round)];
    return {check, (*checks)[static_cast<size_t>(check)].cases + further / round};
  }
};

Course course_of(const std::vector<Check>& checks, const std::vector<Case>& known) {
  Course course{&checks, &known};
  for (const Case& one : known) {
    if (checks[static_cast<size_t>(one.check)].endless &&
        std::find(course.endless.begin(), course.endless.end(), one.check) ==
            course.endless.end()) {
      course.endless.push_back(one.check);
    }
  }
  return course;
}

// The progress of a child process, shared with its parent.
struct SharedSlot {
  int64_t step = 0;
  double spent = 0;  // processor time for random cases, in seconds
};

// Returns the time limit for all known cases, in seconds of processor time.
double listed_limit(const Course& course) {
  double expected = 0;
  for (const Case& one : *course.known) expected += one.seconds;
  return 3 + 5 * expected;
}

// Runs the cases from `now` on. Returns the first that kills the active mutant, or "".
std::string first_catch(const Course& course, SharedSlot& now, const Limits& limits) {
  const std::vector<Check>& checks = *course.checks;
  if (now.step < course.listed()) set_processor_limit(listed_limit(course));
  for (; now.step < course.listed(); ++now.step) {
    if (std::string found = run_case(checks, course.at(now.step)); !found.empty()) return found;
  }
  std::string wrong;
  for (; !course.endless.empty() && now.spent < limits.seconds; ++now.step) {
    const Case one = course.at(now.step);
    const double before = processor_time();
    set_processor_limit(limits.case_seconds);
    const std::string found = run_case(checks, one);
    if (!found.empty()) {
      if (right_without_mutant(checks, one)) return found;
      if (checks[static_cast<size_t>(one.check)].holds) wrong = absl::StrCat(kWrong, found);
    }
    now.spent += processor_time() - before;
  }
  return wrong;
}

struct Child {
  const mutant::Mutant* mutant;
  Course course;
  SharedSlot* now;  // shared with the process
  int pipe;
  bool again = false;  // an outside signal ended it once
};

SharedSlot* shared_slot() {
  void* memory =
      mmap(nullptr, sizeof(SharedSlot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return new (memory) SharedSlot;
}

void drop(const Child& child) {
  close(child.pipe);
  munmap(child.now, sizeof(SharedSlot));
}

// Runs in the child: discards its output and sets its memory limit.
void confine(const Limits& limits) {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  const auto bytes = static_cast<rlim_t>(limits.memory);
  const rlimit memory{bytes, bytes}, none{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &none);
}

// Starts a child that continues from child.now and writes to a pipe which case kills the mutant.
pid_t start(Child& child, const Limits& limits) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t pid = fork();
  if (pid < 0) std::abort();
  if (pid != 0) {
    close(ends[1]);
    child.pipe = ends[0];
    return pid;
  }
  confine(limits);
  mutant::active = child.mutant->number;
  const std::string found = first_catch(child.course, *child.now, limits);
  mutant::active = mutant::kNone;
  const bool reported = write(ends[1], found.data(), found.size()) == std::ssize(found);
  _exit(!reported ? 2 : found.empty() ? 0 : 1);
}

// Returns whether the cases up to the one that ended the process pass without the mutant, with the
// same memory limit and in half the time.
bool ends_well_without_mutant(const Course& course, int64_t step, const Limits& limits) {
  const pid_t pid = fork();
  if (pid < 0) std::abort();
  if (pid == 0) {
    confine(limits);
    const bool listed = step < course.listed();
    set_processor_limit((listed ? listed_limit(course) : limits.case_seconds) / 2);
    bool right = true;
    for (int64_t i = listed ? 0 : step; i <= step && right; ++i)
      right = run_case(*course.checks, course.at(i)).empty();
    _exit(right ? 0 : 1);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Returns the result of a finished child. kStopped: an outside signal ended it; its own memory and
// time limits show as other signals.
Trial result_of(const Child& child, int status) {
  char text[4096];
  const ssize_t size = std::max<ssize_t>(read(child.pipe, text, sizeof(text)), 0);
  close(child.pipe);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU) return {Outcome::kHung, "time"};
    for (int outside : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
      if (signal == outside) return {Outcome::kStopped, strsignal(signal)};
    }
    return {Outcome::kCrashed, strsignal(signal)};
  }
  if (WEXITSTATUS(status) == 0) return {Outcome::kSurvived, ""};
  if (WEXITSTATUS(status) != 1 || size == 0)
    return {Outcome::kStopped, absl::StrCat("status ", WEXITSTATUS(status))};
  const std::string found(text, static_cast<size_t>(size));
  return {absl::StartsWith(found, kWrong) ? Outcome::kWrong : Outcome::kKilled, found};
}

// Lists, for each check, the first case that reaches the mutant; helps to investigate a survivor.
std::string reached_by(const std::vector<Check>& checks, const std::vector<Case>& cases) {
  std::map<int, int64_t> first;
  for (const Case& one : cases) first.emplace(one.check, one.number);
  std::string text;
  for (const auto& [check, number] : first) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", checks[static_cast<size_t>(check)].name, " ",
                    number);
  }
  return text;
}

// Returns the trial's result. Returns nullopt if the child must continue: after a case that fails
// without the mutant too, or once more after an outside signal.
std::optional<Trial> judge_end(Child& child, int status, const Limits& limits) {
  Trial trial = result_of(child, status);
  if (trial.outcome == Outcome::kStopped && !child.again) {
    child.again = true;
    return std::nullopt;
  }
  if (trial.outcome == Outcome::kSurvived)
    trial.by = reached_by(*child.course.checks, *child.course.known);
  if (trial.outcome != Outcome::kCrashed && trial.outcome != Outcome::kHung) return trial;
  const int64_t step = child.now->step;
  if (ends_well_without_mutant(child.course, step, limits)) return trial;
  if (step < child.course.listed()) {
    const Case one = child.course.at(step);
    const std::string& check = (*child.course.checks)[static_cast<size_t>(one.check)].name;
    return Trial{Outcome::kWrong, absl::StrCat(kWrong, check, " ", one.number, ", ", trial.by)};
  }
  ++child.now->step;
  if (trial.outcome == Outcome::kHung) child.now->spent += limits.case_seconds;
  return std::nullopt;
}

}  // namespace

MutantCoverage survey(const std::vector<Check>& checks, int64_t percent, const Stop& stop) {
  MutantCoverage result;
  Choose choose(Choose::Random{1});
  std::map<std::pair<int, int>, Kept> kept;  // by mutant and check
  for (int c = 0; c < std::ssize(checks); ++c) {
    const Check& check = checks[static_cast<size_t>(c)];
    const double start = processor_time();
    int64_t slow = 0, passed_over = 0;
    const int64_t cases =
        check.endless ? std::max<int64_t>(1, check.cases * percent / 100) : check.cases;
    for (int64_t i = 0; i < cases && !stop(); ++i) {
      const double before = processor_time();
      std::string wrong;
      const mutant::Reached reached = mutant::record([&] { wrong = check.run(i); });
      if (!wrong.empty() && !check.holds) {
        ++passed_over;
        continue;
      }
      if (!wrong.empty()) {
        result.wrong = absl::StrCat(check.name, " ", i, ": ", wrong);
        return result;
      }
      ++result.cases;
      const Case one{c, i, processor_time() - before};
      if (one.seconds > kSlow) {
        ++slow;
        continue;
      }
      const size_t most = check.endless ? kCasesOfACheck : kCasesOfAList;
      for (int number : reached) kept[{number, c}].add(one, most, choose);
    }
    std::fprintf(stderr, "%s: %ld cases, %.1f seconds, %ld too slow to try mutants with",
                 check.name.c_str(), cases, processor_time() - start, slow);
    if (passed_over > 0) std::fprintf(stderr, ", %ld wrong without a mutant", passed_over);
    std::fprintf(stderr, "\n");
  }
  for (auto& [key, of_check] : kept) {
    std::vector<Case>& cases = result.executing[key.first];
    cases.insert(cases.end(), of_check.cases.begin(), of_check.cases.end());
  }
  // The control: one case of each check, without a mutant.
  for (int c = 0; c < std::ssize(checks); ++c) result.executing[mutant::kNone].push_back({c, 0});
  for (auto& [number, cases] : result.executing) {
    std::sort(cases.begin(), cases.end(),
              [](const Case& a, const Case& b) { return a.seconds < b.seconds; });
  }
  return result;
}

void try_mutants(const std::vector<Check>& checks, const MutantCoverage& survey,
                 const std::vector<mutant::Mutant>& mutants, int jobs, const Limits& limits,
                 const Stop& stop,
                 const std::function<void(const mutant::Mutant&, const Trial&)>& done) {
  std::map<pid_t, Child> children;
  const auto wait_for_one = [&] {
    int status = 0;
    const auto found = children.find(wait(&status));
    if (found == children.end()) return;
    Child child = children.extract(found).mapped();
    if (stop()) return drop(child);  // the signal that stops us may have ended the child
    if (const std::optional<Trial> trial = judge_end(child, status, limits)) {
      done(*child.mutant, *trial);
      munmap(child.now, sizeof(SharedSlot));
    } else {
      const pid_t pid = start(child, limits);
      children.emplace(pid, std::move(child));
    }
  };
  for (const mutant::Mutant& mutant : mutants) {
    const auto cases = survey.executing.find(mutant.number);
    if (cases == survey.executing.end() && !stop()) {
      done(mutant, {Outcome::kUnreached, ""});
      continue;
    }
    while (std::ssize(children) >= jobs && !stop()) wait_for_one();
    if (stop()) break;
    Child child{&mutant, course_of(checks, cases->second), shared_slot(), -1};
    const pid_t pid = start(child, limits);
    children.emplace(pid, std::move(child));
  }
  while (!children.empty() && !stop()) wait_for_one();
  for (const auto& [pid, child] : children) {
    kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
    drop(child);
  }
}

}  // namespace tileproof::mutants
