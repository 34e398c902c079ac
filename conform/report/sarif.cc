// SPDX-License-Identifier: Apache-2.0
#include "conform/report/sarif.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/report/clusters.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {
namespace {

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
  const auto extra = [&results](absl::string_view rule, const std::string& line) {
    results.push_back(
        json_object({{"ruleId", rule}, {"level", "error"}, {"message", message(line)}}));
  };
  if (!report.interrupted.empty()) {
    extra("interrupted", absl::StrCat("interrupted by ", report.interrupted));
  }
  for (const std::string& line : report.beyond) extra("protocol", line);
  for (const std::string& line : unmet_requirements(report)) extra("requirement", line);
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
