// SPDX-License-Identifier: Apache-2.0
// The cases of a suite as texts, ready to be sent and judged.
//
// A thread of its own makes them (conform/run/questions.h) while the program answers. The options,
// the suite and the hello alone determine the cases and their order.
//
//     Questions questions(options, suite, hello, {});
//     while (std::optional<Question> question = questions.next()) ..
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "conform/run/conform.h"
#include "conform/run/session.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {

// Calls a function in a thread of its own, so that its next values are ready when they are needed.
//
//     Prefetch<Question> questions(make);  // make() returns the next question, if there is one
//     while (std::optional<Question> question = questions.next()) ..
//
// next() returns the values of the function in their order. Only one thread calls the function, and
// it is at most kMaxPrefetched values and a block ahead. If no thread can be started, next() calls
// the function.

template <class Value>
class Prefetch {
 public:
  explicit Prefetch(std::function<std::optional<Value>()> make) : make_(std::move(make)) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {  // no thread: next() calls make_
    }
  }

  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  // Waits only for a call of the function that is running.
  ~Prefetch() {
    {
      const std::lock_guard lock(mutex_);
      unwanted_ = true;
    }
    room_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  std::optional<Value> next() {
    if (!thread_.joinable()) return make_();
    if (at_ == taken_.size()) take();
    if (taken_.empty()) return std::nullopt;
    return std::move(taken_[at_++]);
  }

 private:
  static constexpr size_t kMaxPrefetched = 512;
  // Values are handed over in blocks: of this size, or what was made in kBlockTime.
  static constexpr size_t kBlock = 64;
  static constexpr std::chrono::milliseconds kBlockTime{1};

  void take() {
    taken_.clear();
    at_ = 0;
    {
      std::unique_lock lock(mutex_);
      some_.wait(lock, [this] { return !ready_.empty() || ended_; });
      taken_.swap(ready_);
    }
    room_.notify_one();
  }

  // Returns whether more values are wanted.
  bool hand_over(std::vector<Value>& block, bool last) {
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [this] { return ready_.size() < kMaxPrefetched || unwanted_; });
      if (unwanted_) return false;
      std::move(block.begin(), block.end(), std::back_inserter(ready_));
      ended_ = last;
    }
    some_.notify_one();
    block.clear();
    return !last;
  }

  void run() {
    using Clock = std::chrono::steady_clock;
    std::vector<Value> block;
    auto since = Clock::now();
    while (true) {
      std::optional<Value> made = make_();
      const bool last = !made;
      if (made) block.push_back(*std::move(made));
      if (!last && block.size() < kBlock && Clock::now() - since < kBlockTime) continue;
      if (!hand_over(block, last)) return;
      since = Clock::now();
    }
  }

  std::function<std::optional<Value>()> make_;
  std::vector<Value> taken_;  // only next() uses these values
  size_t at_ = 0;             // the next one in taken_

  std::mutex mutex_;                     // guards the members below
  std::condition_variable some_, room_;  // there are values in ready_; there is room in it
  std::vector<Value> ready_;
  bool ended_ = false;     // ready_ has the last values
  bool unwanted_ = false;  // the destructor is waiting

  std::thread thread_;  // the last member, because it uses all others
};

struct Question {
  uint64_t id = 0;  // of the case
  std::string op;
  std::string title = {};   // if the run keeps titles
  Ticket ticket = {};       // without `key`
  NotAsked not_asked = {};  // the requests dropped so far
};

inline constexpr int64_t kMaxSearched = 100'000;  // cases of a suite that are searched for ids

// The question for a request, with its expected answer if there is only one.
Question question_about(const Json& request, const Hello& hello);

class Questions {
 public:
  // The cases of options.shard; or, if options.cases is not empty, the cases with the ids `wanted`.
  // The first `skipped` cases of the suite are left out; `options.count` counts them.
  Questions(const ConformOptions& options, const Suite& suite, const Hello& hello,
            std::set<std::string> wanted, int64_t skipped = 0);

  std::optional<Question> next();

  // The requests dropped so far. A case that is asked for by its id is never undecidable.
  const NotAsked& not_asked() const { return not_asked_; }

 private:
  std::shared_ptr<NotAsked> made_;  // the counts of the prefetching thread
  Prefetch<Question> prefetch_;
  NotAsked not_asked_;
};

}  // namespace tileproof::conform
