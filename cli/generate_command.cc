// tileproof generate: request lines, with the right answers where asked.
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "cli/commands.h"
#include "cli/suite_options.h"
#include "cli/text.h"
#include "verify/judge.h"
#include "verify/suites.h"

namespace tileproof::cli {
namespace {

struct Options {
  std::string suite;
  int64_t count = 1000;
  uint64_t seed = 1;
  bool answers = false;
};

int generate(const Options& options) {
  const absl::StatusOr<const verify::Suite*> suite = suite_option(options.suite);
  if (!suite.ok()) return complain("generate", suite.status());
  if (options.count < 1) {
    return complain("generate", absl::InvalidArgumentError("expected --count to be at least 1"));
  }
  verify::Cases cases(**suite, options.seed, {});
  for (int64_t id = 1; id <= options.count; ++id) {
    const std::optional<verify::Case> made = cases.next();
    if (!made) break;
    verify::Json request = with_id(id, made->request);
    if (options.answers) set(request, "answer", verify::right_answer(made->request));
    std::cout << to_text(request) << "\n";
  }
  if (!std::cout.flush()) {
    std::cerr << "tileproof: generate: cannot write\n";
    return kInternal;
  }
  return kHolds;
}

}  // namespace

void add_generate_command(CLI::App& app, int* status) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("generate", "Print request lines, with the right answers where asked");
  command->add_option("--suite", options->suite, "the suite: " + suite_names())->required();
  command->add_option("--count", options->count, "how many")->capture_default_str();
  command->add_option("--seed", options->seed, "what is random follows from it")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("--answers", options->answers,
                    "each line has the right answer too, under the key \"answer\"");
  command->callback([options, status] { *status = generate(*options); });
}

}  // namespace tileproof::cli
