// SPDX-License-Identifier: Apache-2.0
#include "conform/protocol/keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace tileproof::conform {
namespace {

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

}  // namespace

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

}  // namespace tileproof::conform
