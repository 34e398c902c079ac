// SPDX-License-Identifier: Apache-2.0
// Signals that end a campaign cleanly.
#pragma once

#include <signal.h>

#include <array>

namespace tileproof::campaign {

// While an object exists, SIGINT, SIGTERM and SIGHUP are only recorded, unless they were ignored
// before (nohup). Exceeding the file size limit fails the write instead of killing the process.
// Both also hold for programs started meanwhile. At most one object may exist.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // Returns whether a signal came since the last object was made.
  static bool received();

 private:
  static constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kEnding.size()> before_;
  void (*too_large_)(int);
};

}  // namespace tileproof::campaign
