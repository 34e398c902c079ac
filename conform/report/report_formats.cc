// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conform/oracle/fields.h"
#include "conform/report/report.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {
namespace {

std::string json_verdict(Verdict verdict) { return std::string(to_text(verdict)); }

// The request as the program got it, under the key "sent", if that differs.
void set_sent(const Report& report, const Json& request, Json& json) {
  if (asked_as_it_is(report.hello)) return;
  set(json, "sent", read_json(text_to_send(request, report.hello))->value);
}

Json json_failure(const Report& report, const Failure& failure) {
  const Record& record = report.records[failure.record];
  Json json = json_object({{"case", case_id(record.id)},
                           {"suite", report.suite_of(record)},
                           {"op", report.op_of(record)},
                           {"verdict", json_verdict(record.verdict)},
                           {"expected", expectation_of(report, record) != nullptr},
                           {"request", failure.request},
                           {"answer", failure.what},
                           {"cause", cause_of(report, failure)}});
  set_sent(report, failure.request, json);
  if (!failure.not_shrunk.empty()) set(json, "not_shrunk", failure.not_shrunk);
  if (!failure.errors.empty()) set(json, "stderr", failure.errors);
  if (!failure.again.empty()) set(json, "again", failure.again);
  if (!failure.right.empty()) set(json, "right", read_json(failure.right)->value);
  if (failure.smallest) {
    Json small =
        json_object({{"request", failure.smallest->request}, {"answer", failure.smallest->what}});
    if (!failure.smallest->right.empty()) {
      set(small, "right", read_json(failure.smallest->right)->value);
    }
    if (!failure.smallest->errors.empty()) set(small, "stderr", failure.smallest->errors);
    set_sent(report, failure.smallest->request, small);
    const std::vector<std::string> lines = reason_of(report, failure);
    if (!lines.empty()) set(small, "reason", Json::Array(lines.begin(), lines.end()));
    set(json, "smallest", std::move(small));
  }
  return json;
}

Json json_cluster(const Report& report, const Cluster& cluster) {
  const Failure& example = report.failures.at(cluster.example);
  const Record& record = report.records[cluster.example];
  Json json = json_object({{"id", cause_id(cluster.cause)},
                           {"cause", cluster.cause},
                           {"suite", report.suite_of(record)},
                           {"op", report.op_of(record)},
                           {"verdict", json_verdict(record.verdict)},
                           {"count", std::ssize(cluster.failures)},
                           {"expected", cluster.expected},
                           {"case", case_id(record.id)}});
  const Failing& shown = example.shown();
  set(json, "request", shown.request);
  set(json, "answer", shown.what);
  if (!shown.right.empty()) set(json, "right", read_json(shown.right)->value);
  if (!example.not_shrunk.empty()) set(json, "not_shrunk", example.not_shrunk);
  return json;
}

Json json_screened(const ScreenedFeature& one) {
  return json_object({{"suite", one.suite},
                      {"feature", one.feature},
                      {"why", one.why},
                      {"requests", one.requests}});
}

template <class Map>
Json counts_object(const Map& counts) {
  Json::Object object;
  for (const auto& [key, value] : counts) object.push_back({key, value});
  return object;
}

Json strings(const std::vector<std::string>& list) {
  return Json(Json::Array(list.begin(), list.end()));
}

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

constexpr char kSchema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

Json message(absl::string_view text) { return json_object({{"text", text}}); }

std::string rule_of(const Report& report, const Record& record) {
  return absl::StrCat(report.op_of(record), "/", std::string(to_text(record.verdict)));
}

Json result_of(const Report& report, const Failure& failure, int64_t rule, int64_t of_cause) {
  const std::string cause = cause_of(report, failure);
  const Record& record = report.records[failure.record];
  const Expectation* expected = expectation_of(report, record);
  Json json = json_object(
      {{"ruleId", rule_of(report, record)},
       {"ruleIndex", rule},
       {"level", expected == nullptr ? "error" : "note"},
       {"kind", "fail"},
       {"message", message(failure_text(report, failure))},
       {"locations", Json::Array{json_object(
                         {{"logicalLocations",
                           Json::Array{json_object(
                               {{"name", case_id(record.id)},
                                {"fullyQualifiedName",
                                 absl::StrCat(report.suite_of(record), "/", report.op_of(record),
                                              "/", case_id(record.id))}})}}})}},
       {"partialFingerprints", json_object({{"tileproofCase/v1", case_id(record.id)},
                                            {"tileproofCause/v1", cause_id(cause)}})},
       {"properties", json_object({{"cause", cause}, {"failuresOfThisCause", of_cause}})}});
  if (expected != nullptr) {
    set(json, "suppressions",
        Json::Array{json_object({{"kind", "external"}, {"justification", expected->reason}})});
  }
  return json;
}

}  // namespace

Json to_json(const Report& report) {
  Json::Object ops;
  for (const auto& [op, counts] : counts_by_op(report)) {
    Json::Object verdicts;
    for (const auto& [verdict, count] : counts) verdicts.push_back({json_verdict(verdict), count});
    ops.push_back({op, std::move(verdicts)});
  }
  Json::Array failures, clusters, screened;
  for (const auto& [index, failure] : report.failures) {
    failures.push_back(json_failure(report, failure));
  }
  for (const Cluster& cluster : clusters_of(report)) {
    clusters.push_back(json_cluster(report, cluster));
  }
  for (const ScreenedFeature& one : report.screened) screened.push_back(json_screened(one));
  Json json = json_object({{"command", strings(report.command)},
                           {"name", report.name},
                           {"version", report.version},
                           {"seed", Json::Number{absl::StrCat(report.seed)}},
                           {"shard", report.shard},
                           {"shards", report.shards},
                           {"cases", std::ssize(report.records)},
                           {"ops", std::move(ops)},
                           {"unsupported", counts_object(report.unsupported)},
                           {"undecided", counts_object(report.undecided)},
                           {"not_asked", counts_object(report.not_asked)},
                           {"beyond_limits", counts_object(report.beyond_limits)},
                           {"unnamed_ops", counts_object(report.unnamed_ops)},
                           {"undecidable", counts_object(report.undecidable)},
                           {"screened", std::move(screened)},
                           {"clusters", std::move(clusters)},
                           {"failures", std::move(failures)},
                           {"stray", strings(report.beyond)},
                           {"passing_expectations", strings(passing_expectations(report))},
                           {"unasked_expectations", strings(unasked_expectations(report))},
                           {"unmet_requirements", strings(unmet_requirements(report))},
                           {"scope", strings(report.scope)},
                           {"notes", strings(report.notes)},
                           {"interrupted", !report.interrupted.empty()},
                           {"status", exit_status(report)}});
  if (report.requirements.exact) set(json, "require_exact", true);
  if (report.requirements.coverage > 0) {
    set(json, "require_coverage", Json::Number{absl::StrCat(report.requirements.coverage)});
  }
  return json;
}

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
  for (const auto& [kind, text] : problems_of(report)) {
    auto& [tests, failures, skipped] = counts["run"];
    ++tests;
    ++failures;
    absl::StrAppend(&suites["run"], "    <testcase classname=\"run\" name=\"", xml(text),
                    "\"><failure type=\"", kind, "\" message=\"", xml(text), "\"/></testcase>\n");
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [name, cases] : suites) {
    const auto& [tests, failures, skipped] = counts[name];
    absl::StrAppend(&out, "  <testsuite name=\"", xml(name), "\" tests=\"", tests, "\" failures=\"",
                    failures, "\" errors=\"0\" skipped=\"", skipped, "\">\n", cases,
                    "  </testsuite>\n");
  }
  return absl::StrCat(out, "</testsuites>\n");
}

std::string to_sarif(const Report& report) {
  std::map<std::string, int64_t> rules;
  Json::Array descriptors, results;
  std::map<std::string, int64_t> of_cause;
  for (const Cluster& cluster : clusters_of(report)) {
    of_cause[cluster.cause] = std::ssize(cluster.failures);
  }
  for (const auto& [index, failure] : report.failures) {
    const Record& record = report.records[index];
    const std::string rule = rule_of(report, record);
    const auto [position, is_new] = rules.emplace(rule, std::ssize(descriptors));
    if (is_new) {
      descriptors.push_back(json_object(
          {{"id", rule},
           {"shortDescription", message(absl::StrCat(report.op_of(record), ": ",
                                                     std::string(to_text(record.verdict))))}}));
    }
    results.push_back(
        result_of(report, failure, position->second, of_cause[cause_of(report, failure)]));
  }
  for (const auto& [kind, text] : problems_of(report)) {
    results.push_back(
        json_object({{"ruleId", kind}, {"level", "error"}, {"message", message(text)}}));
  }
  return sarif_log(std::move(descriptors), std::move(results),
                   exit_status(report) != 2 && report.interrupted.empty(), exit_status(report));
}

std::string sarif_log(Json::Array rules, Json::Array results, bool is_successful, int exit_code) {
  const Json driver = json_object(
      {{"name", "tileproof"}, {"version", TILEPROOF_VERSION}, {"rules", std::move(rules)}});
  const Json run =
      json_object({{"tool", json_object({{"driver", driver}})},
                   {"invocations", Json::Array{json_object({{"executionSuccessful", is_successful},
                                                            {"exitCode", exit_code}})}},
                   {"results", std::move(results)}});
  return absl::StrCat(
      to_text(
          json_object({{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::Array{run}}})),
      "\n");
}

}  // namespace tileproof::conform
