// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/signals.h"

#include <cstddef>

namespace tileproof::campaign {
namespace {

volatile sig_atomic_t signaled = 0;

}  // namespace

Signals::Signals() {
  signaled = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { signaled = 1; };
  for (size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], &action, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) ::sigaction(kEnding[i], &before_[i], nullptr);
  }
  too_large_ = ::signal(SIGXFSZ, SIG_IGN);
}

Signals::~Signals() {
  for (size_t i = 0; i < kEnding.size(); ++i) ::sigaction(kEnding[i], &before_[i], nullptr);
  ::signal(SIGXFSZ, too_large_);
}

bool Signals::received() { return signaled != 0; }

}  // namespace tileproof::campaign
