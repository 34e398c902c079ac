// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conform/report/clusters.h"
#include "conform/report/report.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {
namespace {

// The text as XML 1.0: printable ASCII with entities.
std::string xml(absl::string_view text) { return with_entities(shown(text, 100'000)); }

void append_junit_case(const Report& report, size_t index, std::string& out) {
  const Record& record = report.records[index];
  absl::StrAppend(&out, "    <testcase classname=\"", xml(report.suite_of(record)), ".",
                  xml(report.op_of(record)), "\" name=\"", xml(record.title),
                  record.title.empty() ? "" : " ", case_id(record.id), "\"");
  if (record.verdict == Verdict::kPass) {
    absl::StrAppend(&out, "/>\n");
    return;
  }
  const std::string verdict(to_text(record.verdict));
  const Expectation* expected = expectation_of(report, record);
  if (!fails(record.verdict) || expected != nullptr) {
    const std::string why =
        expected == nullptr ? verdict : absl::StrCat("expected ", verdict, ": ", expected->reason);
    absl::StrAppend(&out, "><skipped message=\"", xml(why), "\"/></testcase>\n");
    return;
  }
  const auto failure = report.failures.find(index);
  const bool known = failure != report.failures.end();
  const std::string lines = known ? failure_text(report, failure->second) : "";
  const std::string cause =
      known ? absl::StrCat(" of cause ", cause_id(cause_of(report, failure->second))) : "";
  std::vector<std::string> escaped;
  for (absl::string_view line : absl::StrSplit(lines, '\n')) escaped.push_back(xml(line));
  absl::StrAppend(&out, ">\n      <failure type=\"", verdict, "\" message=\"", verdict, cause,
                  "\">", absl::StrJoin(escaped, "\n"), "</failure>\n    </testcase>\n");
}

}  // namespace

std::string with_entities(absl::string_view text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::string to_junit(const Report& report) {
  std::map<std::string, std::string> suites;
  std::map<std::string, std::array<int64_t, 3>> counts;  // tests, failures, skipped
  for (size_t i = 0; i < report.records.size(); ++i) {
    const Record& record = report.records[i];
    append_junit_case(report, i, suites[report.suite_of(record)]);
    auto& [tests, failures, skipped] = counts[report.suite_of(record)];
    const bool expected = expectation_of(report, record) != nullptr;
    ++tests;
    failures += fails(record.verdict) && !expected ? 1 : 0;
    skipped += record.verdict != Verdict::kPass && (!fails(record.verdict) || expected) ? 1 : 0;
  }
  const auto extra = [&](absl::string_view kind, const std::string& text) {
    auto& [tests, failures, skipped] = counts["run"];
    ++tests;
    ++failures;
    absl::StrAppend(&suites["run"], "    <testcase classname=\"run\" name=\"", xml(text),
                    "\"><failure type=\"", std::string(kind), "\" message=\"", xml(text),
                    "\"/></testcase>\n");
  };
  if (!report.interrupted.empty()) {
    extra("interrupted", absl::StrCat("interrupted by ", report.interrupted));
  }
  for (const std::string& line : report.beyond) extra("protocol", line);
  for (const std::string& key : passing_expectations(report)) {
    extra("expectation", absl::StrCat("expected to fail, but passes: ", key));
  }
  for (const std::string& line : unmet_requirements(report)) extra("requirement", line);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [name, cases] : suites) {
    const auto& [tests, failures, skipped] = counts[name];
    absl::StrAppend(&out, "  <testsuite name=\"", xml(name), "\" tests=\"", tests, "\" failures=\"",
                    failures, "\" errors=\"0\" skipped=\"", skipped, "\">\n", cases,
                    "  </testsuite>\n");
  }
  return absl::StrCat(out, "</testsuites>\n");
}

}  // namespace tileproof::conform
