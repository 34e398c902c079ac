// SPDX-License-Identifier: Apache-2.0
// Calls a plug-in's functions and returns what happened as a status:
//
//     OK                  the results are there
//     kUnimplemented      the plug-in does not support the request; the message is its reason
//     kInvalidArgument    the plug-in calls the request invalid; the message is its reason
//     kInternal           the plug-in violates plugin.h: it returned an undefined value, or wrote
//                         beyond the end of its results
//
// A function that throws, crashes or exits ends this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tileproof/plugin.h"

namespace tileproof::conform {

// Receives the text that a function says to its `reply`.
struct PluginReply : tileproof_reply {
  PluginReply();
  std::string text;
};

// The status for a function's return value.
absl::Status plugin_status(int returned, const PluginReply& reply);

// A buffer for results, followed by a few guard numbers that must not change. Numbers that are not
// written are -2^63.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t size);
  int64_t* data() { return numbers_.data(); }
  absl::Span<const int64_t> results() const {
    return absl::MakeConstSpan(numbers_).subspan(0, size_);
  }
  absl::Status check() const;  // kInternal if a guard number changed

 private:
  size_t size_;
  std::vector<int64_t> numbers_;
};

// Each asks about many indices or offsets in one call. In `padding`, bytes that the plug-in did not
// write have any value.
absl::Status call_linearize(const tileproof_plugin& plugin, const tileproof_shape& shape,
                            absl::Span<const int64_t> indices, int64_t count,
                            std::vector<int64_t>& offsets);
absl::Status call_delinearize(const tileproof_plugin& plugin, const tileproof_shape& shape,
                              absl::Span<const int64_t> positions, std::vector<int64_t>& indices,
                              std::vector<uint8_t>& padding);
absl::Status call_physical(const tileproof_plugin& plugin, const tileproof_shape& shape,
                           tileproof_physical& physical);

}  // namespace tileproof::conform
