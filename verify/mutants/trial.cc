#include "verify/mutants/trial.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fuzz/choose.h"
#include "verify/mutants/fault.h"

namespace tileproof::mutants {
namespace {

constexpr size_t kCasesOfACheck = 16;        // for each fault, of a check that goes on
constexpr size_t kCasesOfAList = 256;        // of one that does not
constexpr double kSlow = 1.5;                // seconds: such a case is run without faults only
constexpr rlim_t kMemory = rlim_t{3} << 30;  // bytes, of a trial

double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Cases that reach one fault: the first ones, and then each as likely as any other.
struct Kept {
  std::vector<Case> cases;
  int64_t seen = 0;

  void add(const Case& one, size_t most, Choose& choose) {
    ++seen;
    if (cases.size() < most) {
      cases.push_back(one);
    } else if (const int64_t place = choose(seen); place < std::ssize(cases)) {
      // The first half stays.
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

std::string run_case(const std::vector<Check>& checks, const Case& one) {
  const Check& check = checks[static_cast<size_t>(one.check)];
  if (check.run(one.number).empty()) return "";
  return absl::StrCat(check.name, " ", one.number);
}

// Whether a case that no survey has seen is right without the fault: else it says nothing of it.
bool right_without_fault(const std::vector<Check>& checks, const Case& one) {
  const int fault = std::exchange(fault::active, fault::kNone);
  const bool right = run_case(checks, one).empty();
  fault::active = fault;
  return right;
}

constexpr absl::string_view kWrong = "wrong without a fault: ";

// What catches the fault that is on; empty if nothing does.
std::string first_catch(const std::vector<Check>& checks, const std::vector<Case>& cases,
                        double seconds) {
  double expected = 0;
  for (const Case& one : cases) expected += one.seconds;
  set_processor_limit(3 + 5 * expected);
  for (const Case& one : cases) {
    if (std::string found = run_case(checks, one); !found.empty()) return found;
  }
  std::vector<int> reaching;
  for (const Case& one : cases) {
    if (checks[static_cast<size_t>(one.check)].endless &&
        std::find(reaching.begin(), reaching.end(), one.check) == reaching.end()) {
      reaching.push_back(one.check);
    }
  }
  if (reaching.empty()) return "";
  set_processor_limit(seconds + 10);
  const double end = processor_time() + seconds;
  std::string wrong;
  for (int64_t more = 0; processor_time() < end; ++more) {
    for (int check : reaching) {
      const Case one{check, checks[static_cast<size_t>(check)].cases + more};
      const std::string found = run_case(checks, one);
      if (found.empty()) continue;
      if (right_without_fault(checks, one)) return found;
      if (checks[static_cast<size_t>(check)].holds) wrong = absl::StrCat(kWrong, found);
    }
  }
  return wrong;
}

struct Child {
  const fault::Fault* fault;
  int pipe;
};

// The pid, and the end of a pipe on which a catch is told.
std::pair<pid_t, Child> start(const std::vector<Check>& checks, const std::vector<Case>& cases,
                              const fault::Fault& fault, double seconds) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t pid = fork();
  if (pid != 0) {
    close(ends[1]);
    return {pid, {&fault, ends[0]}};
  }
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  const rlimit memory{kMemory, kMemory}, none{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &none);
  fault::active = fault.number;
  const std::string found = first_catch(checks, cases, seconds);
  fault::active = fault::kNone;
  const bool told = write(ends[1], found.data(), found.size()) == std::ssize(found);
  _exit(!told ? 2 : found.empty() ? 0 : 1);
}

Trial result_of(const Child& child, int status) {
  char text[4096];
  const ssize_t size = std::max<ssize_t>(read(child.pipe, text, sizeof(text)), 0);
  close(child.pipe);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGKILL) return {Outcome::kHung, "time"};
    return {Outcome::kCrashed, strsignal(signal)};
  }
  if (WEXITSTATUS(status) == 0) return {Outcome::kSurvived, ""};
  const std::string found(text, static_cast<size_t>(size));
  return {absl::StartsWith(found, kWrong) ? Outcome::kWrong : Outcome::kCaught, found};
}

// Of each check the first case that comes by a fault, for whoever looks into a survivor.
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

}  // namespace

Survey survey(const std::vector<Check>& checks, int64_t percent) {
  Survey result;
  Choose choose(Choose::Random{1});
  std::map<std::pair<int, int>, Kept> kept;  // by fault and check
  for (int c = 0; c < std::ssize(checks); ++c) {
    const Check& check = checks[static_cast<size_t>(c)];
    const double start = processor_time();
    int64_t slow = 0, passed_over = 0;
    const int64_t cases =
        check.endless ? std::max<int64_t>(1, check.cases * percent / 100) : check.cases;
    for (int64_t i = 0; i < cases; ++i) {
      const double before = processor_time();
      std::string wrong;
      const fault::Reached reached = fault::record([&] { wrong = check.run(i); });
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
    std::fprintf(stderr, "%s: %ld cases, %.1f seconds, %ld too slow to try faults with",
                 check.name.c_str(), cases, processor_time() - start, slow);
    if (passed_over > 0) std::fprintf(stderr, ", %ld wrong without a fault", passed_over);
    std::fprintf(stderr, "\n");
  }
  for (auto& [key, of_check] : kept) {
    std::vector<Case>& cases = result.reaching[key.first];
    cases.insert(cases.end(), of_check.cases.begin(), of_check.cases.end());
  }
  // The control: no fault at all, on a case of each check.
  for (int c = 0; c < std::ssize(checks); ++c) result.reaching[fault::kNone].push_back({c, 0});
  for (auto& [number, cases] : result.reaching) {
    std::sort(cases.begin(), cases.end(),
              [](const Case& a, const Case& b) { return a.seconds < b.seconds; });
  }
  return result;
}

void try_faults(const std::vector<Check>& checks, const Survey& survey,
                const std::vector<fault::Fault>& faults, int jobs, double seconds,
                const std::function<void(const fault::Fault&, const Trial&)>& done) {
  std::map<pid_t, Child> children;
  const auto wait_for_one = [&] {
    int status = 0;
    const pid_t pid = wait(&status);
    const auto child = children.find(pid);
    if (child == children.end()) return;
    Trial trial = result_of(child->second, status);
    if (trial.outcome == Outcome::kSurvived) {
      const auto cases = survey.reaching.find(child->second.fault->number);
      trial.by = reached_by(checks, cases->second);
    }
    done(*child->second.fault, trial);
    children.erase(child);
  };
  for (const fault::Fault& fault : faults) {
    const auto cases = survey.reaching.find(fault.number);
    if (cases == survey.reaching.end()) {
      done(fault, {Outcome::kUnreached, ""});
      continue;
    }
    while (std::ssize(children) >= jobs) wait_for_one();
    children.insert(start(checks, cases->second, fault, seconds));
  }
  while (!children.empty()) wait_for_one();
}

}  // namespace tileproof::mutants
