// SPDX-License-Identifier: Apache-2.0
// The CPU time of a thread. Proofs have limits in this time, so that a busy machine leaves no more
// questions undecided than an idle one.
#pragma once

#include <pthread.h>

#include <chrono>
#include <ctime>

namespace tileproof::verify {

// A std::chrono clock of the calling thread. Do not compare time points of different threads.
struct ThreadCpuClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ThreadCpuClock>;
  static constexpr bool is_steady = true;

  static time_point now() { return read(CLOCK_THREAD_CPUTIME_ID); }

  // A handle of this thread's clock. Any thread may read it while this one lives.
  static clockid_t of_this_thread() {
    clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
    return ::pthread_getcpuclockid(::pthread_self(), &clock) == 0 ? clock : CLOCK_MONOTONIC;
  }
  // The time on the wall where threads have no clock, such as in WebAssembly.
  static time_point read(clockid_t clock) {
    timespec time{};
    if (::clock_gettime(clock, &time) != 0) ::clock_gettime(CLOCK_MONOTONIC, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

}  // namespace tileproof::verify
