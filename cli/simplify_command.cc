// tileproof simplify: a map in its normal form.
#include <iostream>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "impl/simplify.h"
#include "nlohmann/json.hpp"
#include "spec/lang/map_text.h"

namespace tileproof::cli {
namespace {

struct Options {
  std::string map = "-";
  bool lines = false, trace = false, json = false;
};

absl::StatusOr<std::string> simplified(const std::string& text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) return map.status();
  const absl::StatusOr<IndexingMap> simple = impl::simplify(*map);
  if (!simple.ok()) return simple.status();
  return to_text(*simple);
}

void print(const std::string& result, bool json) {
  std::cout << (json ? nlohmann::json{{"map", result}}.dump() : result) << "\n";
}

// One map a line; empty lines stay. A line that is no map gives an empty line (with --json, an
// error), so that results stay beside their lines.
int simplify_lines(bool json) {
  int status = kHolds;
  std::string line;
  for (int64_t number = 1; std::getline(std::cin, line); ++number) {
    if (absl::StripAsciiWhitespace(line).empty()) {
      std::cout << "\n";
      continue;
    }
    const absl::StatusOr<std::string> result = simplified(line);
    if (result.ok()) {
      print(*result, json);
      continue;
    }
    const std::string message(result.status().message());
    status = complain(absl::StrCat("line ", number), result.status());
    std::cout << (json ? nlohmann::json{{"line", number}, {"error", message}}.dump() : "") << "\n";
  }
  if (!std::cout.flush()) {
    std::cerr << "tileproof: simplify: cannot write\n";
    return kInternal;
  }
  return status;
}

int simplify(const Options& options) {
  if (options.trace) {
    return complain("simplify", absl::UnimplementedError("--trace is not offered in this version"));
  }
  if (options.lines) {
    if (options.map == "-") return simplify_lines(options.json);
    return complain("simplify", absl::InvalidArgumentError(
                                    "expected no MAP with --lines, which reads standard input"));
  }
  const absl::StatusOr<std::string> text = read_argument(options.map);
  if (!text.ok()) return complain("simplify", text.status());
  const absl::StatusOr<std::string> result = simplified(*text);
  if (!result.ok()) return complain("simplify", result.status());
  print(*result, options.json);
  return kHolds;
}

}  // namespace

void add_simplify_command(CLI::App& app, int* status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("simplify", "Simplify an indexing map");
  command->add_option("MAP", options->map, "a map; @FILE; - for standard input")
      ->capture_default_str();
  command->add_flag("--lines", options->lines, "one map a line from standard input");
  command->add_flag("--trace", options->trace, "not offered in this version");
  command->add_flag("--json", options->json, "for machines");
  command->callback([options, status] { *status = simplify(*options); });
}

}  // namespace tileproof::cli
