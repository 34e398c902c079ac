// SPDX-License-Identifier: Apache-2.0
#include "cli/suite_options.h"

#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/terminal.h"
#include "cli/verbs/time_text.h"
#include "spec/lang/base/nearest.h"

namespace tileproof::cli {

absl::StatusOr<const conform::Suite*> suite_option(const std::string& name) {
  if (const conform::Suite* suite = conform::suite_named(name)) return suite;
  std::vector<absl::string_view> names;
  for (const conform::Suite& suite : conform::suites()) names.push_back(suite.name);
  return absl::InvalidArgumentError(absl::StrCat("no suite '", conform::shown(name, 40),
                                                 "' in this version; expected one of ",
                                                 suite_names(), did_you_mean(name, names)));
}

std::string suite_names() {
  return absl::StrJoin(conform::suites(), ", ", [](std::string* out, const conform::Suite& suite) {
    out->append(std::string(suite.name));
  });
}

absl::StatusOr<uint64_t> seed_option(const std::string& text) {
  uint64_t seed;
  if (absl::SimpleAtoi(text, &seed)) return seed;
  return absl::InvalidArgumentError(absl::StrCat(
      "expected --seed to be an integer of 0 to 2^64 - 1, found '", conform::shown(text, 40), "'"));
}

absl::StatusOr<conform::Milliseconds> time_option(const std::string& text) {
  const absl::StatusOr<conform::Milliseconds> time = read_time(text, BareTime::kSeconds);
  if (!time.ok() || time->count() > 0) return time;
  return absl::InvalidArgumentError("expected a time of at least a millisecond");
}

int print_report(const conform::Report& report, bool json, bool brief) {
  const int status = exit_status(report);
  if (json) {
    std::cout << to_text(to_json(report)) << "\n" << std::flush;
  } else {
    std::cout << to_text(report, brief)
              << colored(conclusion(report), status == 0 ? Tone::kGood : Tone::kBad) << "\n"
              << std::flush;
  }
  return status;
}

}  // namespace tileproof::cli
