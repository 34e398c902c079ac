// SPDX-License-Identifier: Apache-2.0
// tileproof generate: prints request lines, with the right answers if asked.
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/suite_options.h"
#include "cli/text.h"
#include "conform/judge/judge.h"
#include "conform/report/vectors.h"
#include "conform/suites/suites.h"

namespace tileproof::cli {
namespace {

struct GenerateOptions {
  std::string suite;
  int64_t count = 1000;
  std::string seed = "1";
  bool answers = false;
  bool schema = false;
};

int generate(const GenerateOptions& options) {
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
  int status = kHolds;
  for (int64_t id = 1; id <= options.count; ++id) {
    const std::optional<conform::Case> made = cases.next();
    if (!made) break;
    absl::StatusOr<conform::Json> line = with_id(id, made->request);
    if (options.answers) line = vector_line(id, made->request, right_answer(made->request));
    if (line.ok()) {
      std::cout << to_text(*line) << "\n";
    } else {
      std::cerr << absl::StrCat("tileproof: generate: request ", id, ": ", line.status().message(),
                                "\n");
      status = kInternal;
    }
  }
  if (!std::cout.flush()) {
    std::cerr << "tileproof: generate: cannot write\n";
    return kInternal;
  }
  return status;
}

}  // namespace

void add_generate_command(Program& program) {
  auto options = std::make_shared<GenerateOptions>();
  Command command =
      program.command("generate", "Print test requests, with the right answers if asked");
  command.example("tileproof generate --suite layout --count 100 --answers",
                  "100 test vectors: requests about layouts with their right answers");
  command.example("tileproof generate --suite hlo --count 5 | tileproof respond",
                  "ask five questions about HLO, and answer them");
  command.option("--suite", options->suite, "the suite: " + suite_names())
      .such_as(absl::StrSplit(suite_names(), ", "));
  command.option("--count", options->count, "number of requests").show_default();
  command.option("--seed", options->seed, "seed of the random choices").show_default();
  command.flag("--answers", options->answers,
               "print test vectors: requests with the right answer and what the case tests");
  command.flag("--schema", options->schema, "print the JSON Schema of test vectors");
  command.run([options] { return generate(*options); });
}

}  // namespace tileproof::cli
