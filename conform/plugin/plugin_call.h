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

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"
#include "tileproof/plugin.h"

namespace tileproof::conform {

// Receives the text that a function says to its `reply`.
struct PluginReply : tileproof_reply {
  PluginReply();
  std::string text;
};

// The status for a function's return value.
absl::Status plugin_status(int returned, const PluginReply& reply);

// Shapes and maps as the structs of tileproof/plugin.h. Each class owns the arrays that its `view`
// points to.

// `shape` must be an array without unbounded dimensions.
struct PluginShape {
  explicit PluginShape(const Shape& shape);
  PluginShape(const PluginShape&) = delete;
  PluginShape& operator=(const PluginShape&) = delete;

  tileproof_shape view = {};

 private:
  std::string text_, type_;
  std::vector<int64_t> dims_, minor_to_major_, tile_ranks_, tile_sizes_;
};

struct PluginMap {
  explicit PluginMap(const IndexingMap& map);
  PluginMap(const PluginMap&) = delete;
  PluginMap& operator=(const PluginMap&) = delete;

  tileproof_map view = {};

 private:
  std::string text_;
  std::vector<tileproof_bounds> bounds_, constraint_bounds_;
  std::vector<tileproof_node> nodes_;
  std::vector<int32_t> results_, constraints_;
};

// Loads a shared library that implements include/tileproof/plugin.h into this process.
//
//     const absl::StatusOr<tileproof_plugin> plugin = load_plugin("./plugin.so");
//
// The library may crash, hang or end the process, so load it in a child process.

// Returns the library's table. Functions that are newer than the library are null. The library
// stays loaded. Errors: no such library, no tileproof_plugin_table, another version.
absl::StatusOr<tileproof_plugin> load_plugin(const std::string& path);

// ---- Answers of a plug-in: plugin_answer.cc ----
//
// Answers the protocol by calls of a plug-in's functions: `tileproof respond --plugin LIB.so`.
//
//     {"id":7,"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
//     is one call of layout_linearize with one index, and {"id":7,"result":17}
//
// The judge starts this command like any program under test. Crashes, timeouts and wrong answers of
// a plug-in therefore get the same verdicts as those of a program. Requests that tileproof/plugin.h
// cannot express are `unsupported`: an invalid shape, an index of another rank, a number of more
// than 64 bits.

// Answers a request line; also hello. If the plug-in violates
// plugin.h, the line says how. It is then not a valid answer, so the verdict is `protocol`.
std::string plugin_answer_line(const tileproof_plugin& plugin, absl::string_view line) noexcept;

}  // namespace tileproof::conform
