// SPDX-License-Identifier: Apache-2.0
// The only call of the solver for layouts, maps and HLO.
#include "verify/prove/smt/ask_solver.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "verify/prove/smt/thread_cpu_clock.h"
#include "z3++.h"

namespace tileproof::verify {
namespace {

z3::solver new_solver(z3::context& context, const SolverSettings& settings) {
  z3::solver solver(context, z3::solver::simple());
  z3::params params(context);
  params.set("random_seed", 0u);
  params.set("arith.solver", settings.arithmetic);
  solver.set(params);
  return solver;
}

// Interrupts a context after `time` of the asking thread's CPU time, or after 16 times as long on
// the wall clock. Z3 4.8.12's own timers occasionally deadlock on many short questions, and its
// tactics use them too, so this uses neither.
class Deadline {
 public:
  Deadline(z3::context& context, std::chrono::milliseconds time)
      : thread_([this, &context, time, clock = ThreadCpuClock::of_this_thread()] {
          constexpr int kMostTimes = 16;
          constexpr ThreadCpuClock::duration kShortest = std::chrono::milliseconds(1);
          const auto end = ThreadCpuClock::read(clock) + time;
          const auto last = std::chrono::steady_clock::now() + kMostTimes * time;
          std::unique_lock lock(mutex_);
          for (;;) {
            const auto left = end - ThreadCpuClock::read(clock);
            if (left <= left.zero() || std::chrono::steady_clock::now() >= last) break;
            if (changed_.wait_for(lock, std::max(left, kShortest), [this] { return done_; }))
              return;
          }
          context.interrupt();
        }) {}
  ~Deadline() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

std::optional<int64_t> integer_of(const z3::expr& value) {
  if (value.is_bool()) return value.is_true() ? 1 : 0;
  uint64_t bits = 0;
  if (value.is_bv() && value.is_numeral_u64(bits)) return static_cast<int64_t>(bits);
  int64_t number = 0;
  return value.is_numeral_i64(number) ? std::optional(number) : std::nullopt;
}

z3::check_result check_in_time(z3::context& context, z3::solver& solver, unsigned milliseconds) {
  const Deadline deadline(context, std::chrono::milliseconds(milliseconds));
  return solver.check();
}

}  // namespace

Answer ask_solver(const std::string& text, const SolverSettings& settings,
                  const std::vector<std::string>& numbers) {
  try {
    z3::context context;
    z3::solver solver = new_solver(context, settings);
    solver.from_string(text.c_str());
    const z3::check_result result = check_in_time(context, solver, settings.milliseconds);
    if (result == z3::unsat) return {Verdict::kProven, {}};
    if (result != z3::sat) return {Verdict::kUndecided, {}};
    Answer answer{Verdict::kRefuted, {}};
    const z3::model model = solver.get_model();
    std::map<std::string, z3::expr> values;  // any other constant may be anything
    for (unsigned k = 0; k < model.num_consts(); ++k) {
      const z3::func_decl constant = model.get_const_decl(k);
      values.emplace(constant.name().str(), model.get_const_interp(constant));
    }
    for (const std::string& number : numbers) {
      const auto value = values.find(number);
      answer.values.push_back(value == values.end() ? 0 : integer_of(value->second));
    }
    return answer;
  } catch (const z3::exception&) {  // Z3 reports some failures, such as a timeout, by throwing
    return {Verdict::kUndecided, {}};
  }
}

}  // namespace tileproof::verify
