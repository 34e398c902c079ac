// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/oracle/parsed.h"
#include "conform/report/clusters.h"
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
  const Json& request = example.smallest ? example.smallest->request : example.request;
  set(json, "request", request);
  set(json, "answer", example.smallest ? example.smallest->what : example.what);
  const std::string& right = example.smallest ? example.smallest->right : example.right;
  if (!right.empty()) set(json, "right", read_json(right)->value);
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

}  // namespace tileproof::conform
