// SPDX-License-Identifier: Apache-2.0
#include "conform/protocol/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tileproof::conform {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Milliseconds kEnding(5000);  // for a keeper to end all that a program has started

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

struct Pipe {
  int read = -1;
  int write = -1;

  bool open() {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  void close() {
    close_fd(read);
    close_fd(write);
  }
};

// Runs in the child between fork and exec. Reports errors through `failure`.
void become(const std::vector<char*>& words, int input, int output, int errors, int failure) {
  ::setpgid(0, 0);
  ::signal(SIGPIPE, SIG_DFL);
  if (::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
      ::dup2(errors, STDERR_FILENO) >= 0) {
    ::execvp(words[0], words.data());
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof error);
}

std::string describe(const KeeperNews& news) {
  if (news.kind == KeeperNews::Kind::kEnded) return absl::StrCat("status ", news.value);
  if (news.kind == KeeperNews::Kind::kKilled) return signal_text(news.value);
  return absl::StrCat("its parent process was ended by ",
                      WIFSIGNALED(news.value) ? signal_text(WTERMSIG(news.value)) : "nobody");
}

// As read(2), for a value that the other end writes at once.
template <class T>
ssize_t read_whole(int fd, T& value) {
  ssize_t got;
  do {
    got = ::read(fd, &value, sizeof value);
  } while (got < 0 && errno == EINTR);
  return got;
}

constexpr int kNews = 0;  // the only descriptor that a keeper keeps

void report(KeeperNews::Kind kind, int value) {
  const KeeperNews news{kind, value};
  [[maybe_unused]] const ssize_t written = ::write(kNews, &news, sizeof news);
}

// Closes all other descriptors: an end of a pipe that stays open here would hide from its reader that
// the writer has ended.
void keep_only(int news) {
  constexpr long kCloseRange = 436;  // SYS_close_range, which older headers do not have
  constexpr int kMostOpen = 1 << 16;
  ::dup2(news, kNews);
  if (::syscall(kCloseRange, 1U, ~0U, 0) == 0) return;
  for (int fd = 1; fd < kMostOpen; ++fd) ::close(fd);
}

// Ends this process if `parent` has, now or later.
void end_with(pid_t parent, int signal) {
  ::prctl(PR_SET_PDEATHSIG, signal);
  if (::getppid() != parent) ::_exit(127);  // it already has
}

pid_t fork_or_fail(int failure) {
  const pid_t pid = ::fork();
  if (pid >= 0) return pid;
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof error);
  ::_exit(127);
}

// Sends SIGKILL to all children. False if the system does not list them.
bool kill_children() {
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return false;
  char text[4096];
  pid_t pid = 0;
  for (ssize_t got; (got = ::read(list, text, sizeof text)) > 0;) {
    for (ssize_t i = 0; i < got; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        pid = 10 * pid + (text[i] - '0');
      } else if (pid != 0) {
        ::kill(pid, SIGKILL);
        pid = 0;
      }
    }
  }
  ::close(list);
  return true;
}

// Ends everything that descends from this process: a child of a child that ends becomes a child.
void end_all() {
  while (kill_children() && ::waitpid(-1, nullptr, 0) > 0) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

// Reports the end of the program, and keeps its process id from being used again. Reaps all others.
[[noreturn]] void keep_inside(pid_t outer, int news, int failure,
                              absl::FunctionRef<void()> become) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  end_with(outer, SIGKILL);
  const pid_t self = ::getpid();
  const pid_t program = fork_or_fail(failure);
  if (program == 0) {
    end_with(self, SIGKILL);
    become();
    ::_exit(127);
  }
  keep_only(news);
  report(KeeperNews::Kind::kStarted, program);
  siginfo_t info = {};
  while (::waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0 && info.si_pid != program) {
    ::waitpid(info.si_pid, nullptr, 0);
  }
  const bool exited = info.si_code == CLD_EXITED;
  report(exited ? KeeperNews::Kind::kEnded : KeeperNews::Kind::kKilled, info.si_status);
  while (true) ::pause();
}

volatile sig_atomic_t signaled = 0;
volatile sig_atomic_t event = -1;

void record(int signal) {
  const int error = errno;
  const uint64_t one = 1;
  signaled = signal;
  [[maybe_unused]] const ssize_t written = ::write(event, &one, sizeof one);
  errno = error;
}

}  // namespace

absl::StatusOr<Subprocess> Subprocess::start_with_errors(const std::vector<std::string>& command) {
  std::vector<std::string> shell = {"sh", "-c", "exec \"$0\" \"$@\" 2>&1"};
  shell.insert(shell.end(), command.begin(), command.end());
  return start(shell);
}

absl::StatusOr<Subprocess> Subprocess::start(const std::vector<std::string>& command, bool quiet) {
  if (command.empty()) return absl::InvalidArgumentError("expected a command to run");
  ::signal(SIGPIPE, SIG_IGN);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Pipe input, output, errors, news, failure;
  const auto pipes = {&input, &output, &errors, &news, &failure};
  if (!std::all_of(pipes.begin(), pipes.end(), [](Pipe* pipe) { return pipe->open(); })) {
    const std::string why = std::strerror(errno);
    for (Pipe* pipe : pipes) pipe->close();
    return absl::UnavailableError(absl::StrCat("cannot open a pipe: ", why));
  }
  const pid_t self = ::getpid();
  const pid_t keeper = ::fork();
  if (keeper == 0) {
    keep(self, news.write, failure.write,
         [&] { become(words, input.read, output.write, errors.write, failure.write); });
  }
  int error = keeper < 0 ? errno : 0;
  for (int* end : {&input.read, &output.write, &errors.write, &news.write, &failure.write})
    close_fd(*end);
  KeeperNews first;  // comes before exec closes the pipe `failure`
  if (keeper > 0 && read_whole(failure.read, error) <= 0) {
    const bool whole = read_whole(news.read, first) == sizeof first;
    error = whole && first.kind == KeeperNews::Kind::kStarted ? 0 : ECHILD;
  }
  close_fd(failure.read);
  if (error != 0) {
    if (keeper > 0) {
      ::kill(keeper, SIGKILL);
      ::waitpid(keeper, nullptr, 0);
    }
    for (Pipe* pipe : pipes) pipe->close();
    return absl::NotFoundError(
        absl::StrCat("cannot start ", command.front(), ": ", std::strerror(error)));
  }
  for (int end : {input.write, output.read, errors.read, news.read})
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  Subprocess started;
  started.keeper_ = keeper;
  started.input_ = input.write;
  started.output_ = output.read;
  started.errors_ = errors.read;
  started.news_ = news.read;
  started.quiet_ = quiet;
  return started;
}

Subprocess::Subprocess(Subprocess&& other) noexcept { *this = std::move(other); }

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  std::swap(keeper_, other.keeper_);
  std::swap(input_, other.input_);
  std::swap(output_, other.output_);
  std::swap(errors_, other.errors_);
  std::swap(news_, other.news_);
  std::swap(quiet_, other.quiet_);
  std::swap(said_, other.said_);
  std::swap(ended_, other.ended_);
  return *this;
}

Subprocess::~Subprocess() {
  if (keeper_ > 0) end(Milliseconds(0));
  for (int* end : {&output_, &errors_, &news_}) close_fd(*end);
}

// Reads standard error, too, so that the child never waits for us to do so.
Subprocess::Ready Subprocess::wait_for(bool want_write, Milliseconds time) {
  const auto most = std::clamp<int64_t>(time.count(), 0, 1'000'000);
  const auto deadline = Clock::now() + Milliseconds(most);
  while (true) {
    const int input = want_write ? input_ : -1;  // poll() ignores negative ones
    std::array<pollfd, 4> fds = {pollfd{output_, POLLIN, 0}, pollfd{input, POLLOUT, 0},
                                 pollfd{errors_, POLLIN, 0},
                                 pollfd{Signals::descriptor(), POLLIN, 0}};
    const auto left = std::chrono::ceil<Milliseconds>(deadline - Clock::now());
    if (::poll(fds.data(), fds.size(), std::max(static_cast<int>(left.count()), 0)) <= 0) return {};
    if (fds[2].revents != 0) read_errors();
    if (fds[0].revents != 0 || fds[1].revents != 0 || fds[3].revents != 0) {
      return {fds[0].revents != 0, fds[1].revents != 0};
    }
    if (Clock::now() >= deadline) return {};
  }
}

// Reads what there is of standard error, at most a megabyte: the child may go on and on.
void Subprocess::read_errors() {
  constexpr size_t kKept = 8 << 10;
  std::array<char, 1 << 16> buffer;
  for (int round = 0; errors_ >= 0 && round < 16; ++round) {
    const ssize_t got = ::read(errors_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;  // nothing now
    if (got == 0) return close_fd(errors_);
    const auto size = static_cast<size_t>(got);
    said_.append(buffer.data(), size);
    if (said_.size() > kKept) said_.erase(0, said_.size() - kKept);
    if (quiet_) continue;
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, buffer.data(), size);
  }
}

const std::string& Subprocess::errors() {
  read_errors();
  return said_;
}

void Subprocess::forget_errors() {
  read_errors();
  said_.clear();
}

bool Subprocess::read_some(std::string& out) {
  std::array<char, 1 << 16> buffer;
  ssize_t got;
  do {
    got = ::read(output_, buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  if (got > 0) out.append(buffer.data(), static_cast<size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

std::optional<size_t> Subprocess::write_some(absl::string_view text) {
  if (input_ < 0) return std::nullopt;
  ssize_t put;
  do {
    put = ::write(input_, text.data(), text.size());
  } while (put < 0 && errno == EINTR);
  if (put >= 0) return static_cast<size_t>(put);
  if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
  close_fd(input_);
  return std::nullopt;
}

void Subprocess::close_input() { close_fd(input_); }

std::optional<std::string> Subprocess::ended() {
  if (news_ < 0 || ended_) return ended_;
  KeeperNews news;
  const ssize_t got = read_whole(news_, news);
  if (got == sizeof news) ended_ = describe(news);
  if (got == 0) ended_ = "the process that watches it was ended";
  return ended_;
}

std::optional<std::string> Subprocess::end(Milliseconds grace) {
  if (keeper_ <= 0) return ended_;
  close_input();
  const auto deadline = Clock::now() + grace;
  while (!ended() && Clock::now() < deadline) {
    read_errors();
    std::this_thread::sleep_for(Milliseconds(1));
  }
  read_errors();
  const std::optional<std::string> how = ended();
  end_keeper();
  return how;
}

// Asks the keeper again and again: a process that it guards may have stopped it.
void Subprocess::end_keeper() {
  const auto limit = Clock::now() + kEnding;
  while (::waitpid(keeper_, nullptr, WNOHANG) == 0) {
    ::kill(keeper_, Clock::now() < limit ? SIGTERM : SIGKILL);
    ::kill(keeper_, SIGCONT);
    std::this_thread::sleep_for(Milliseconds(1));
  }
  keeper_ = -1;
}

void keep(pid_t judge, int news, int failure, absl::FunctionRef<void()> become) {
  sigset_t all, before, awaited;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  ::signal(SIGCHLD, SIG_DFL);  // if it is ignored, no end of a child is reported
  ::setsid();
  ::prctl(PR_SET_NAME, "tileproof-keep");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  end_with(judge, SIGTERM);
  const pid_t self = ::getpid();
  const pid_t inner = fork_or_fail(failure);
  if (inner == 0) {
    keep_inside(self, news, failure, [&] {
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      become();
    });
  }
  keep_only(news);
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigaddset(&awaited, SIGTERM);
  siginfo_t info = {};
  int status = 0;
  while (::getppid() == judge && !(info.si_signo == SIGTERM && info.si_pid == judge)) {
    ::sigwaitinfo(&awaited, &info);
    ::kill(inner, SIGCONT);  // it may be that the program stopped it
    if (::waitpid(inner, &status, WNOHANG) == 0) continue;
    report(KeeperNews::Kind::kKeeperEnded, status);
    break;
  }
  end_all();
  ::_exit(0);
}

Signals::Signals() {
  event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action = {};
  action.sa_handler = record;
  for (size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], &action, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) ::sigaction(kEnding[i], &before_[i], nullptr);
  }
  too_large_ = ::signal(SIGXFSZ, SIG_IGN);
}

Signals::~Signals() {
  for (size_t i = 0; i < kEnding.size(); ++i) ::sigaction(kEnding[i], &before_[i], nullptr);
  ::signal(SIGXFSZ, too_large_);
  ::close(event);
  event = -1;
  signaled = 0;
}

int Signals::received() { return signaled; }
int Signals::descriptor() { return event; }

std::string signal_text(int number) {
  return absl::StrCat("signal ", number, " (", ::strsignal(number), ")");
}

}  // namespace tileproof::conform
