// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/commands.h"

#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

// A slow input is not a finding before it times out. -print_funcs=0: new functions would start the
// symbolizer.
Command with_limits(const TargetLocation& location, Command more) {
  Command command = {location.program.string(), absl::StrCat("-timeout=", location.timeout),
                     absl::StrCat("-rss_limit_mb=", location.target.memory_mb),
                     "-report_slow_units=1000000", "-print_funcs=0"};
  command.insert(command.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  return command;
}

std::string artifacts_to(const fs::path& folder) {
  return absl::StrCat("-artifact_prefix=", folder.string(), "/");
}

}  // namespace

Command slice_command(const TargetLocation& location, int64_t seconds) {
  Command command = {absl::StrCat("-max_total_time=", seconds),
                     absl::StrCat("-max_len=", location.target.longest), "-print_final_stats=1",
                     // Looking for leaks runs most inputs twice, as the targets keep memory for
                     // the next input. tools/replay looks for leaks.
                     "-detect_leaks=0", artifacts_to(location.folder / "found")};
  for (const auto& [name, value] : options_of(location.target.schedule)) {
    command.push_back(absl::StrCat("-", name, "=", value));
  }
  std::error_code error;
  if (fs::exists(location.folder / "dictionary", error))
    command.push_back(absl::StrCat("-dict=", (location.folder / "dictionary").string()));
  command.push_back((location.folder / "kept").string());
  if (fs::exists(location.folder / "seeds", error))
    command.push_back((location.folder / "seeds").string());
  return with_limits(location, std::move(command));
}

Command merge_command(const TargetLocation& location, const fs::path& to) {
  return with_limits(
      location,
      {"-merge=1", absl::StrCat("-merge_control_file=", (to.parent_path() / "control").string()),
       absl::StrCat("-max_len=", location.target.longest), artifacts_to(location.folder / "found"),
       to.string(), (location.folder / "kept").string()});
}

Command replay_command(const TargetLocation& location, const fs::path& input) {
  return with_limits(location, {artifacts_to(location.folder / "scratch"), input.string()});
}

Command minimize_command(const TargetLocation& location, const fs::path& input, const fs::path& to,
                         int64_t seconds) {
  return with_limits(location, {"-minimize_crash=1", absl::StrCat("-max_total_time=", seconds),
                                absl::StrCat("-exact_artifact_path=", to.string()),
                                artifacts_to(location.folder / "scratch"), input.string()});
}

}  // namespace tileproof::campaign
