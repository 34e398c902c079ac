// SPDX-License-Identifier: Apache-2.0
// Answers that passed the judge, so that runs that ask the same questions judge them once.
//
//     RightAnswers known;
//     options.right_answers = &known;  // of several runs, also side by side
//
// The zoo asks each of its implementations the same questions, and most answers are right.
#pragma once

#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

namespace tileproof::conform {

class RightAnswers {
 public:
  // `text`: of a request and its answer.
  bool contains(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return texts_.contains(text);
  }
  void add(std::string text) {
    const std::lock_guard lock(mutex_);
    texts_.insert(std::move(text));
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::string> texts_;
};

}  // namespace tileproof::conform
