// SPDX-License-Identifier: Apache-2.0
// tileproof respond: speaks the protocol on standard input and output.
#include <unistd.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "cli/answer_lines.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "conform/oracle/oracle.h"
#include "conform/plugin/plugin_answer.h"
#include "conform/plugin/plugin_call.h"

namespace tileproof::cli {
namespace {

// A plug-in may print. Its output goes to standard error; standard output is for answers alone.
int respond_with_plugin(const std::string& path) {
  const int output = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const absl::StatusOr<tileproof_plugin> plugin = conform::load_plugin(path);
  if (!plugin.ok()) return complain("respond", plugin.status());
  return answer_lines("respond", output, [&plugin](absl::string_view line) {
    return conform::plugin_answer_line(*plugin, line);
  });
}

}  // namespace

void add_respond_command(Program& program) {
  auto engine = std::make_shared<std::string>("impl");
  auto plugin = std::make_shared<std::string>();
  Command command =
      program.command("respond", "Answer JSON requests from standard input, one per line");
  command.example(
      "echo '{\"id\": 7, \"op\": \"layout.linearize\", \"shape\": "
      "\"f32[3,5]{1,0:T(2,2)}\", \"index\": [2, 3]}' | tileproof respond",
      "one question and its answer");
  command.option("--engine", *engine, "spec (the definition) or impl (closed forms) answers")
      .one_of({"spec", "impl"})
      .show_default();
  command.option("--plugin", *plugin, "LIB.so: a shared library answers (tileproof/plugin.h)")
      .file();
  command.run([engine, plugin] {
    if (!plugin->empty()) return respond_with_plugin(*plugin);
    const auto who = *engine == "spec" ? conform::Engine::kSpec : conform::Engine::kImpl;
    return answer_lines("respond", STDOUT_FILENO,
                        [who](absl::string_view line) { return conform::answer_line(line, who); });
  });
}

}  // namespace tileproof::cli
