// SPDX-License-Identifier: Apache-2.0
#include "conform/protocol/signals.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tileproof::conform {
namespace {

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
