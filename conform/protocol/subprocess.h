// SPDX-License-Identifier: Apache-2.0
// A child process that we talk to through pipes.
//
// We hold its standard input and output. We keep the end of its standard error, and pass it on. It
// runs under keepers (conform/protocol/subprocess.h): a signal that it sends to its parent does not reach
// us, and when we end it, or end ourselves, all processes that it started end with it. Only wait_for
// and end block, and both have a time limit.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::conform {

using Milliseconds = std::chrono::milliseconds;

class Subprocess {
 public:
  // Runs command[0], looked up in PATH, with the other words as its arguments. An error if it
  // cannot be started: no such file, not executable. Writing to a child that is gone must not end
  // us: SIGPIPE is ignored from here on. The standard error of a quiet child is not passed on.
  static absl::StatusOr<Subprocess> start(const std::vector<std::string>& command,
                                          bool quiet = false);

  // The same with its standard error as part of its output. A shell runs the program, and
  // reports in that output if the program cannot be started.
  static absl::StatusOr<Subprocess> start_with_errors(const std::vector<std::string>& command);

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  ~Subprocess();  // kills what still runs

  // Waits until the child can be read, or (if `want_write`) written, or the time is over, or a signal
  // came (conform/protocol/subprocess.h).
  struct Ready {
    bool read = false;
    bool write = false;
  };
  Ready wait_for(bool want_write, Milliseconds time);

  // Appends the available output to `out`. False at the end of the child's output.
  bool read_some(std::string& out);

  // Writes what the pipe takes and returns the number of bytes. Empty if the child no longer reads
  // its input.
  std::optional<size_t> write_some(absl::string_view text);

  // The last 8 KiB that the child printed on standard error since forget_errors().
  const std::string& errors();
  void forget_errors();

  // End of its input.
  void close_input();

  // How it ended by itself: "signal 11 (Segmentation fault)", "status 3"; if it ended the keeper that
  // is its parent, "its parent process was ended by signal 9 (Killed)". Empty while it runs.
  std::optional<std::string> ended();

  // Gives it `grace` to end by itself, then kills it and all that it started. Returns how it ended;
  // empty if it had to be killed.
  std::optional<std::string> end(Milliseconds grace);

 private:
  Subprocess() = default;

  void read_errors();
  void end_keeper();

  pid_t keeper_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;
  int news_ = -1;  // from the keeper
  bool quiet_ = false;
  std::string said_;  // the end of its standard error
  std::optional<std::string> ended_;
};

// Two processes between us and a program, so that nothing that the program does to its parent harms
// us, and nothing that it starts outlives it.
//
//     we - outer keeper - inner keeper - the program - what it starts
//
// The outer keeper has a session of its own. Processes whose parent has ended become children of the
// inner keeper; if the inner keeper has ended, too, of the outer one (PR_SET_CHILD_SUBREAPER).
// Neither keeper takes a signal but SIGKILL and SIGSTOP. If the program ends the inner keeper, the
// system ends the program, and the outer keeper ends the rest.

// What a keeper writes to its pipe. The pipe closes when all of the program's processes have ended.
struct KeeperNews {
  enum class Kind : int {
    kStarted,     // value: the process id of the program
    kEnded,       // value: how the program ended, as of waitid: si_status
    kKilled,      // the same, by a signal
    kKeeperEnded  // value: the status, as of waitpid, of the inner keeper, which should not end
  };
  Kind kind = Kind::kStarted;
  int value = 0;
};

// Becomes the outer keeper. To be called in a child of `judge` right after fork, so this calls only
// what is allowed there. `become` is called in a third process, and becomes the program. `failure`
// takes the errno of a fork that fails. Ends all processes and returns to nobody after a SIGTERM
// from `judge`, and after the end of `judge` or of the inner keeper.
[[noreturn]] void keep(pid_t judge, int news, int failure, absl::FunctionRef<void()> become);

// Signals that end a long piece of work cleanly: what is known until then is reported.

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
