// What a function gives, one value after another, made ahead in a thread of its own.
//
//     Prefetch<Question> questions(make);      // make(): the next one, nothing after the last
//     while (std::optional<Question> question = questions.next()) ..
//
// The values and their order are those of the function alone: how far it is ahead shows nowhere. It
// is called from one thread only, and is at most kMaxPrefetched values and a block ahead. Where no
// thread can be started it is called by next().
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tileproof::conform {

template <class Value>
class Prefetch {
 public:
  explicit Prefetch(std::function<std::optional<Value>()> make) : make_(std::move(make)) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {  // no more threads: it goes without
    }
  }

  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  // Waits for the value that is being made, and for no other.
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
  static constexpr size_t kBlock = 64;  // handed over together, or what a millisecond brings
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

  // False where no more is wanted.
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
  std::vector<Value> taken_;  // of the one who asks
  size_t at_ = 0;             // .. the next of them

  std::mutex mutex_;  // of what follows
  std::condition_variable some_, room_;
  std::vector<Value> ready_;
  bool ended_ = false;     // ready_ has the last ones
  bool unwanted_ = false;  // whatever else there is

  std::thread thread_;  // last: it uses all of this
};

}  // namespace tileproof::conform
