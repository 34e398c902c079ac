// The signals that end a campaign in order.
#pragma once

#include <signal.h>

#include <array>

namespace tileproof::campaign {

// While there is one, SIGINT, SIGTERM and SIGHUP are noted and no more, unless they were ignored
// before (nohup); and a file that grows beyond what is allowed is an error of whoever writes it,
// not its end: so for the programs that are started meanwhile, too. One at a time.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // One of them came since the last one was made.
  static bool received();

 private:
  static constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kEnding.size()> before_;
  void (*too_large_)(int);
};

}  // namespace tileproof::campaign
