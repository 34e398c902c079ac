// tileproof judge: judges recorded answers.
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/commands.h"
#include "cli/suite_options.h"
#include "cli/text.h"
#include "verify/conform.h"

namespace tileproof::cli {
namespace {

struct Options {
  std::string requests;
  std::string answers;
  bool json = false;
};

// A file, or "-" for standard input.
absl::StatusOr<std::string> read_file(const std::string& name) {
  return read_argument(name == "-" ? name : "@" + name);
}

int judge(const Options& options) {
  const absl::StatusOr<std::string> requests = read_file(options.requests);
  if (!requests.ok()) return complain("judge", requests.status());
  const absl::StatusOr<std::string> answers = read_file(options.answers);
  if (!answers.ok()) return complain("judge", answers.status());
  const absl::StatusOr<verify::Report> report = verify::judge_recorded(*requests, *answers);
  if (!report.ok()) return complain("judge", report.status());
  return print_report(*report, options.json);
}

}  // namespace

void add_judge_command(CLI::App& app, int* status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("judge", "Judge recorded answers");
  command->add_option("--requests", options->requests, "a file of request lines; - for input")
      ->required();
  command->add_option("--answers", options->answers, "a file of answer lines; - for input")
      ->required();
  command->add_flag("--json", options->json, "for machines");
  command->callback([options, status] { *status = judge(*options); });
}

}  // namespace tileproof::cli
