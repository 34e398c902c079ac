// tileproof generate: prints request lines, with the right answers if asked.
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "cli/commands.h"
#include "cli/suite_options.h"
#include "cli/text.h"
#include "conform/report/vectors.h"
#include "conform/suites/suites.h"

namespace tileproof::cli {
namespace {

struct Options {
  std::string suite;
  int64_t count = 1000;
  std::string seed = "1";
  bool answers = false;
  bool schema = false;
};

int generate(const Options& options) {
  if (options.schema) {
    std::cout << to_text(conform::vector_schema()) << "\n";
    return kHolds;
  }
  const absl::StatusOr<const conform::Suite*> suite = suite_option(options.suite);
  if (!suite.ok()) return complain("generate", suite.status());
  if (options.count < 1) {
    return complain("generate", absl::InvalidArgumentError("expected --count to be at least 1"));
  }
  const absl::StatusOr<uint64_t> seed = seed_option(options.seed);
  if (!seed.ok()) return complain("generate", seed.status());
  conform::Cases cases(**suite, *seed, {});
  for (int64_t id = 1; id <= options.count; ++id) {
    const std::optional<conform::Case> made = cases.next();
    if (!made) break;
    const conform::Json line =
        options.answers ? conform::vector_line(id, made->request) : with_id(id, made->request);
    std::cout << to_text(line) << "\n";
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
      app.add_subcommand("generate", "Print test requests, with the right answers if asked");
  command->add_option("--suite", options->suite, "the suite: " + suite_names());
  command->add_option("--count", options->count, "number of requests")->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the random choices")->capture_default_str();
  command->add_flag("--answers", options->answers,
                    "print test vectors: with the right answer and what the case tests");
  command->add_flag("--schema", options->schema, "print the JSON Schema of test vectors");
  command->callback([options, status] { *status = generate(*options); });
}

}  // namespace tileproof::cli
