// SPDX-License-Identifier: Apache-2.0
// Memoizes values computed from texts. A case is parsed when it is made, when it is sent and when
// its answer is judged, and the result is the same each time.
//
// The table has a fixed size; the hash of a text selects its slot, and newer entries win. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

template <class Value>
class Memo {
 public:
  // make(text), or its earlier result. Valid until the next call.
  template <class Make>
  const Value& get(absl::string_view text, Make make) {
    Slot& slot = slots_[absl::Hash<absl::string_view>()(text) % kSlots];
    if (!slot.value || slot.text != text) {
      slot.value.reset();
      slot.value.emplace(make(text));
      slot.text.assign(text.data(), text.size());
    }
    return *slot.value;
  }

 private:
  static constexpr size_t kSlots = 64;  // few, so that the table stays in the cache
  struct Slot {
    std::string text;
    std::optional<Value> value;
  };
  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
};

// The same for threads that share values: a request is made in one and judged in another.
template <class Value>
class SharedMemo {
 public:
  template <class Make>
  std::shared_ptr<const Value> get(const std::string& text, Make make) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = values_.find(text);
      if (found != values_.end()) return found->second;
    }
    auto value = std::make_shared<const Value>(make());
    const std::lock_guard lock(mutex_);
    if (values_.emplace(text, value).second) texts_.push_back(text);
    if (texts_.size() > kMost) {
      values_.erase(texts_.front());
      texts_.pop_front();
    }
    return value;
  }

 private:
  static constexpr size_t kMost = 1024;  // more than are made before they are judged

  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Value>> values_;
  std::deque<std::string> texts_;  // the oldest first
};

// The value of the last request. The judge asks the reference for it twice: whether the request is
// valid, and whether an answer is right. Not thread-safe.
template <class Value>
class LastRequest {
 public:
  // make(request), or its earlier result. Valid until the next call.
  template <class Make>
  const Value& get(const Json& request, Make make) {
    if (!value_ || !(request_ == request)) {
      value_.reset();
      value_.emplace(make(request));
      request_ = request;
    }
    return *value_;
  }

 private:
  Json request_;
  std::optional<Value> value_;
};

}  // namespace tileproof::conform
