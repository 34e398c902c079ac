// Calls of a plug-in's functions, and what came of them as a status:
//
//     OK                  the results are there
//     kUnimplemented      not supported, with the plug-in's reason
//     kInvalidArgument    the plug-in finds the request invalid, with its reason
//     kInternal           what plugin.h does not allow: another return value, results beyond their
//     end
//
// A function that throws, crashes or ends the process takes this process with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tileproof/plugin.h"

namespace tileproof::conform {

// What a function says to its `reply`.
struct PluginReply : tileproof_reply {
  PluginReply();
  std::string text;
};

// The status that belongs to what a function has returned.
absl::Status plugin_status(int returned, const PluginReply& reply);

// Room for results, and a few numbers behind it that are to stay as they are. What is not written
// is -2^63.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t size);
  int64_t* data() { return numbers_.data(); }
  absl::Span<const int64_t> results() const {
    return absl::MakeConstSpan(numbers_).subspan(0, size_);
  }
  absl::Status check() const;  // kInternal where something was written behind the end

 private:
  size_t size_;
  std::vector<int64_t> numbers_;
};

// The same question about many indices, or places, at once. `padding` may hold any byte where
// nothing was written.
absl::Status call_linearize(const tileproof_plugin& plugin, const tileproof_shape& shape,
                            absl::Span<const int64_t> indices, int64_t count,
                            std::vector<int64_t>& offsets);
absl::Status call_delinearize(const tileproof_plugin& plugin, const tileproof_shape& shape,
                              absl::Span<const int64_t> positions, std::vector<int64_t>& indices,
                              std::vector<uint8_t>& padding);
absl::Status call_physical(const tileproof_plugin& plugin, const tileproof_shape& shape,
                           tileproof_physical& physical);

}  // namespace tileproof::conform
