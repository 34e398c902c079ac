// SPDX-License-Identifier: Apache-2.0
// Signals that end a long piece of work cleanly: what is known until then is reported.
#pragma once

#include <signal.h>

#include <array>
#include <string>

namespace tileproof::conform {

// While an object exists, SIGINT, SIGTERM and SIGHUP are only recorded, unless they were ignored
// before (nohup). Exceeding the file size limit fails the write instead of killing the process.
// Both also hold for programs started meanwhile. At most one object may exist.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // Returns the last signal that came while there is an object, or 0.
  static int received();

  // A file descriptor that can be read as soon as a signal came; -1 if there is no object.
  static int descriptor();

 private:
  static constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kEnding.size()> before_;
  void (*too_large_)(int);
};

// "signal 15 (Terminated)"
std::string signal_text(int number);

}  // namespace tileproof::conform
