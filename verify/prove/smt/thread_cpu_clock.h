// The time that a thread has computed. What a proof may take is measured by it, so that a busy
// machine leaves no more questions undecided than an idle one.
#pragma once

#include <pthread.h>

#include <chrono>
#include <ctime>

namespace tileproof::verify {

// A clock as std::chrono has them, of the calling thread: its time points mean nothing in another.
struct ThreadCpuClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ThreadCpuClock>;
  static constexpr bool is_steady = true;

  static time_point now() { return read(CLOCK_THREAD_CPUTIME_ID); }

  // The same clock, read by any thread while this one lives.
  static clockid_t of_this_thread() {
    clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
    return ::pthread_getcpuclockid(::pthread_self(), &clock) == 0 ? clock : CLOCK_MONOTONIC;
  }
  static time_point read(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

}  // namespace tileproof::verify
