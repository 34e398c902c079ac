// tileproof simplify: prints the normal form of a map, and the steps that prove it.
#include <iostream>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "impl/map/simplify.h"
#include "nlohmann/json.hpp"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "verify/trace/trace_check.h"

namespace tileproof::cli {
namespace {

struct Options {
  std::string map = "-";
  bool lines = false, trace = false, check = false, json = false;
};

absl::StatusOr<std::string> simplified(const std::string& text) {
  const IndexingMap map = TRY(parse_map(text));
  const IndexingMap simple = TRY(impl::simplify(map));
  return to_text(simple);
}

void print(const std::string& result, bool json) {
  std::cout << (json ? nlohmann::json{{"map", result}}.dump() : result) << "\n";
}

// Reads one map a line. Empty lines stay. A line that is not a map gives an empty line (with
// --json, an error), so that results line up with their input.
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

// Prints the steps, then the map. Reports steps that the checker rejects.
int simplify_with_trace(const std::string& text, bool json) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) return complain("simplify", map.status());
  const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(*map);
  if (!traced.ok()) return complain("simplify", traced.status());
  const std::string result = to_text(traced->map);
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(traced->trace);
  if (json) {
    const std::vector<std::string> lines = absl::StrSplit(traced->trace, '\n', absl::SkipEmpty());
    const nlohmann::json out = {{"map", result}, {"trace", lines}, {"accepted", checked.ok()}};
    std::cout << out.dump() << "\n";
  } else {
    std::cout << traced->trace << result << "\n";
  }
  if (checked.ok()) return kHolds;
  std::cerr << "tileproof: simplify: "
            << (traced->trace.empty()
                    ? "there are too many steps to tell"
                    : absl::StrCat("the steps are not accepted: ", checked.status().message()))
            << "\n";
  return kUndecided;
}

// Checks that a trace proves what it claims.
int check(const std::string& text, bool json) {
  const absl::StatusOr<trace::Checked> checked = trace::check_trace(text);
  if (!checked.ok()) {
    const std::string message(checked.status().message());
    std::cout << (json ? nlohmann::json{{"accepted", false}, {"error", message}}.dump()
                       : absl::StrCat("rejected: ", message))
              << "\n";
    return kCounterexample;
  }
  const std::string before = to_text(checked->before), after = to_text(checked->after);
  std::cout << (json ? nlohmann::json{{"accepted", true},
                                      {"before", before},
                                      {"after", after},
                                      {"steps", checked->steps}}
                           .dump()
                     : absl::StrCat("accepted: ", checked->steps, " steps\n", before, "\n", after))
            << "\n";
  return kHolds;
}

int simplify(const Options& options) {
  if (options.trace + options.check + options.lines > 1) {
    return complain("simplify",
                    absl::InvalidArgumentError("expected one of --lines, --trace and --check"));
  }
  if (options.lines) {
    if (options.map == "-") return simplify_lines(options.json);
    return complain("simplify", absl::InvalidArgumentError(
                                    "expected no MAP with --lines, which reads standard input"));
  }
  const absl::StatusOr<std::string> text = read_argument(options.map);
  if (!text.ok()) return complain("simplify", text.status());
  if (options.trace) return simplify_with_trace(*text, options.json);
  if (options.check) return check(*text, options.json);
  const absl::StatusOr<std::string> result = simplified(*text);
  if (!result.ok()) return complain("simplify", result.status());
  print(*result, options.json);
  return kHolds;
}

}  // namespace

void add_simplify_command(CLI::App& app, int* status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("simplify", "Simplify an indexing map");
  command->add_option("MAP", options->map, "a map, or a trace; @FILE; - for standard input")
      ->capture_default_str();
  command->add_flag("--lines", options->lines, "read one map a line from standard input");
  command->add_flag("--trace", options->trace, "print each step and its lemma before the map");
  command->add_flag("--check", options->check,
                    "MAP is a trace: check that it proves what it claims");
  command->add_flag("--json", options->json, "for machines");
  command->callback([options, status] { *status = simplify(*options); });
}

}  // namespace tileproof::cli
