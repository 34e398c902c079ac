// SPDX-License-Identifier: Apache-2.0
#include "conform/protocol/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tileproof::conform {
namespace {

using Clock = std::chrono::steady_clock;

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
[[noreturn]] void become(const std::vector<char*>& words, int input, int output, int failure,
                         bool quiet, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent has already died
  ::signal(SIGPIPE, SIG_DFL);
  if (quiet) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  }
  if (::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0) {
    ::execvp(words[0], words.data());
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof error);
  ::_exit(127);
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return absl::StrCat("signal ", number, " (", ::strsignal(number), ")");
  }
  return absl::StrCat("status ", WEXITSTATUS(status));
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
  Pipe input, output, failure;
  if (!input.open() || !output.open() || !failure.open()) {
    const std::string why = std::strerror(errno);
    for (Pipe* pipe : {&input, &output, &failure}) pipe->close();
    return absl::UnavailableError(absl::StrCat("cannot open a pipe: ", why));
  }
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become(words, input.read, output.write, failure.write, quiet, parent);
  close_fd(input.read);
  close_fd(output.write);
  close_fd(failure.write);
  int error = pid < 0 ? errno : 0;
  if (pid > 0) {
    ::setpgid(pid, pid);  // parent and child both call this, because either may run first
    ssize_t got;
    do {
      got = ::read(failure.read, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) error = 0;  // closed by exec
  }
  close_fd(failure.read);
  if (error != 0) {
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    input.close();
    output.close();
    return absl::NotFoundError(
        absl::StrCat("cannot start ", command.front(), ": ", std::strerror(error)));
  }
  ::fcntl(input.write, F_SETFL, O_NONBLOCK);
  ::fcntl(output.read, F_SETFL, O_NONBLOCK);
  return Subprocess(pid, input.write, output.read);
}

Subprocess::Subprocess(Subprocess&& other) noexcept { *this = std::move(other); }

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(input_, other.input_);
  std::swap(output_, other.output_);
  std::swap(ended_, other.ended_);
  return *this;
}

Subprocess::~Subprocess() {
  if (pid_ > 0) end(Milliseconds(0));
  close_fd(output_);
}

Subprocess::Ready Subprocess::wait_for(bool want_write, Milliseconds time) const {
  std::array<pollfd, 2> fds = {pollfd{output_, POLLIN, 0}, pollfd{input_, POLLOUT, 0}};
  const nfds_t count = want_write && input_ >= 0 ? 2 : 1;
  const auto most = std::clamp<int64_t>(time.count(), 0, 1'000'000);
  if (::poll(fds.data(), count, static_cast<int>(most)) <= 0) return {};
  return {fds[0].revents != 0, count == 2 && fds[1].revents != 0};
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

void Subprocess::interrupt() {
  if (pid_ > 0) ::kill(-pid_, SIGINT);
}

std::optional<std::string> Subprocess::ended() {
  if (pid_ <= 0 || ended_) return ended_;
  // Keeps the zombie (WNOWAIT), so that its id is not reused before the group has ended.
  siginfo_t info = {};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid_) {
    return std::nullopt;
  }
  const bool by_signal = info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
  ended_ = describe(by_signal ? info.si_status : info.si_status << 8);
  return ended_;
}

std::optional<std::string> Subprocess::end(Milliseconds grace) {
  if (pid_ <= 0) return ended_;
  close_input();
  const auto deadline = Clock::now() + grace;
  while (!ended() && Clock::now() < deadline) std::this_thread::sleep_for(Milliseconds(1));
  const std::optional<std::string> how = ended();
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
  return how;
}

}  // namespace tileproof::conform
