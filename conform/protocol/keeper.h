// SPDX-License-Identifier: Apache-2.0
// Two processes between us and a program, so that nothing that the program does to its parent harms
// us, and nothing that it starts outlives it.
//
//     we - outer keeper - inner keeper - the program - what it starts
//
// The outer keeper has a session of its own. Processes whose parent has ended become children of the
// inner keeper; if the inner keeper has ended, too, of the outer one (PR_SET_CHILD_SUBREAPER).
// Neither keeper takes a signal but SIGKILL and SIGSTOP. If the program ends the inner keeper, the
// system ends the program, and the outer keeper ends the rest.
#pragma once

#include <sys/types.h>

#include "absl/functional/function_ref.h"

namespace tileproof::conform {

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

}  // namespace tileproof::conform
