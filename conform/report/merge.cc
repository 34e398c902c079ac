// SPDX-License-Identifier: Apache-2.0
#include "conform/report/merge.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/judge/judge.h"
#include "conform/protocol/json.h"
#include "conform/report/report.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMaxShards = 100'000;

template <class T>
absl::StatusOr<const T*> member(const NamedReport& report, const Json& json,
                                absl::string_view key) {
  const T* value = find_as<T>(json, key);
  if (value != nullptr) return value;
  return invalid(report.name, ": expected a report of conform --json, with the key '", key, "'");
}

// Adds the counts of an object to those of another. The objects are nested `levels` deep.
absl::Status add_counts(const NamedReport& report, const Json& from, int levels, Json& to) {
  const Json::Object* members = from.as<Json::Object>();
  if (members == nullptr) {
    return invalid(report.name, ": expected an object of counts");
  }
  for (const Member& one : *members) {
    const Json* there = find(to, one.key);
    if (levels > 1) {
      Json deeper = there == nullptr ? Json(Json::Object{}) : *there;
      TRY(add_counts(report, one.value, levels - 1, deeper));
      set(to, one.key, std::move(deeper));
      continue;
    }
    const int64_t* count = one.value.as<int64_t>();
    const int64_t* before = there == nullptr ? nullptr : there->as<int64_t>();
    const std::optional<int64_t> sum = count == nullptr || *count < 0
                                           ? std::nullopt
                                           : checked_add(before == nullptr ? 0 : *before, *count);
    if (!sum) {
      return invalid(report.name, ": expected a count at '", one.key, "'");
    }
    set(to, one.key, *sum);
  }
  return absl::OkStatus();
}

// The parts of a report that are merged, and how.
enum class How { kCounts, kCountsOfCounts, kReasons, kAll, kOnce };
struct Part {
  const char* key;
  How how;
  bool required = true;  // in a report
};
constexpr Part kParts[] = {{"ops", How::kCountsOfCounts},
                           {"unsupported", How::kCounts},
                           {"undecided", How::kCounts},
                           {"not_asked", How::kReasons},
                           {"beyond_limits", How::kCounts, false},
                           {"unnamed_ops", How::kCounts, false},
                           {"undecidable", How::kCounts, false},
                           {"failures", How::kAll},
                           {"clusters", How::kAll, false},
                           {"screened", How::kAll, false},
                           {"stray", How::kAll},
                           {"passing_expectations", How::kOnce},
                           {"scope", How::kOnce},
                           {"notes", How::kOnce}};

bool is_list(How how) { return how == How::kAll || how == How::kOnce; }

// Adds why suites were stopped.
void add_reasons(const Json::Object& from, int64_t shard, Json& to) {
  for (const Member& suite : from) {
    const std::string* why = suite.value.as<std::string>();
    const Json* before = find(to, suite.key);
    set(to, suite.key,
        absl::StrCat(before == nullptr ? "" : absl::StrCat(*before->as<std::string>(), "; "),
                     "shard ", shard, " ", why == nullptr ? "" : *why));
  }
}

absl::Status add_part(const NamedReport& report, const Part& part, const Json& json, int64_t shard,
                      Json& merged) {
  if (!part.required && find(json, part.key) == nullptr) return absl::OkStatus();
  Json sum = *find(merged, part.key);
  if (is_list(part.how)) {
    const Json::Array* list = TRY(member<Json::Array>(report, json, part.key));
    Json::Array& all = *sum.as<Json::Array>();
    for (const Json& item : *list) {
      const bool known = part.how == How::kOnce && std::ranges::count(all, item) > 0;
      if (!known) all.push_back(item);
    }
  } else {
    const Json::Object* given = TRY(member<Json::Object>(report, json, part.key));
    if (part.how == How::kReasons) {
      add_reasons(*given, shard, sum);
    } else {
      TRY(add_counts(report, Json(*given), part.how == How::kCountsOfCounts ? 2 : 1, sum));
    }
  }
  set(merged, part.key, std::move(sum));
  return absl::OkStatus();
}

std::string string_of(const Json& object, absl::string_view key) {
  const Json* found = find(object, key);
  if (found == nullptr) return "";
  const std::string* text = found->as<std::string>();
  return text == nullptr ? to_text(*found) : *text;
}

Counts counts_of(const Json& merged) {
  Counts counts;
  for (const Member& op : *find(merged, "ops")->as<Json::Object>()) {
    for (size_t i = 0; i < kVerdictNames.size(); ++i) {
      const auto* number = find_as<int64_t>(op.value, kVerdictNames[i]);
      if (number == nullptr) continue;
      int64_t& count = counts[static_cast<Verdict>(i)];
      count = checked_add(count, *number).value_or(INT64_MAX);
    }
  }
  return counts;
}

// Makes one of all clusters with the same cause. Keeps the shortest example.
absl::Status unite_clusters(const NamedReport& report, Json& merged) {
  Json::Array all;
  for (const Json& cluster : *find(merged, "clusters")->as<Json::Array>()) {
    const std::string* cause = TRY(member<std::string>(report, cluster, "cause"));
    const int64_t* count = TRY(member<int64_t>(report, cluster, "count"));
    const auto same = std::find_if(all.begin(), all.end(),
                                   [cause](const Json& one) { return is(one, "cause", *cause); });
    if (same == all.end()) {
      all.push_back(cluster);
      continue;
    }
    const std::optional<int64_t> sum = checked_add(*find(*same, "count")->as<int64_t>(), *count);
    if (!sum) {
      return invalid(report.name, ": expected a count");
    }
    const bool expected = is(*same, "expected", true) && is(cluster, "expected", true);
    if (string_of(cluster, "request").size() < string_of(*same, "request").size()) *same = cluster;
    set(*same, "count", *sum);
    set(*same, "expected", expected);
  }
  set(merged, "clusters", std::move(all));
  return absl::OkStatus();
}

// An expectation was never asked if no shard asked it.
void keep_unasked(const Json& json, Json& merged) {
  const auto* others = find_as<Json::Array>(json, "unasked_expectations");
  const auto* list = find_as<Json::Array>(merged, "unasked_expectations");
  if (others == nullptr || list == nullptr) return;
  Json::Array kept = *list;
  std::erase_if(kept, [others](const Json& key) {
    return std::find(others->begin(), others->end(), key) == others->end();
  });
  set(merged, "unasked_expectations", std::move(kept));
}

Json::Array unmet_of(const Json& merged) {
  if (is(merged, "interrupted", true)) return {};
  Requirements requirements{.exact = is(merged, "require_exact", true)};
  if (!absl::SimpleAtod(string_of(merged, "require_coverage"), &requirements.coverage))
    requirements.coverage = 0;
  const std::vector<std::string> unmet = unmet_requirements(requirements, counts_of(merged));
  return Json::Array(unmet.begin(), unmet.end());
}

// The expectations that pass in some shard and fail in none.
Json::Array still_passing(const Json& merged) {
  Json::Array passing = *find(merged, "passing_expectations")->as<Json::Array>();
  if (is(merged, "interrupted", true)) return {};
  std::erase_if(passing, [&](const Json& key) {
    const Json::Array& failures = *find(merged, "failures")->as<Json::Array>();
    return std::any_of(failures.begin(), failures.end(), [&](const Json& failure) {
      return is(failure, "op", key) || is(failure, "case", key);
    });
  });
  return passing;
}

int64_t status_of(const Json& merged) {
  const Json::Array& failures = *find(merged, "failures")->as<Json::Array>();
  bool has_failed = std::ranges::any_of(
      failures, [](const Json& failure) { return !is(failure, "expected", true); });
  for (const char* key : {"stray", "passing_expectations", "unmet_requirements"})
    has_failed = has_failed || !find(merged, key)->as<Json::Array>()->empty();
  return exit_status(has_failed, is(merged, "interrupted", true), counts_of(merged));
}

void append_cluster(const Json& cluster, std::string& out) {
  if (is(cluster, "expected", true)) return;
  absl::StrAppend(&out, string_of(cluster, "verdict"), "  ", string_of(cluster, "op"), "  case ",
                  string_of(cluster, "case"), "\n  request  ", string_of(cluster, "request"),
                  "\n  answer   ", string_of(cluster, "answer"), "\n");
  if (find(cluster, "right") != nullptr)
    absl::StrAppend(&out, "  right    ", string_of(cluster, "right"), "\n");
  const int64_t* count = find(cluster, "count")->as<int64_t>();
  if (count != nullptr && *count > 1)
    absl::StrAppend(&out, "  and ", *count - 1, " more of the same cause\n");
}

std::string counts_text(const Json& counts) {
  return absl::StrJoin(*counts.as<Json::Object>(), ", ", [](std::string* out, const Member& one) {
    absl::StrAppend(out, to_text(one.value), " ", one.key);
  });
}

}  // namespace

absl::StatusOr<Json> merge_reports(const std::vector<NamedReport>& reports) {
  if (reports.empty()) return invalid("expected reports to merge");
  Json merged;
  std::set<int64_t> shards;
  int64_t of = 0;
  for (const NamedReport& report : reports) {
    const absl::StatusOr<JsonText> json = read_json(report.text);
    if (!json.ok()) {
      return invalid(report.name,
                     ": expected a report of conform --json: ", json.status().message());
    }
    const auto shard = TRY(member<int64_t>(report, json->value, "shard"));
    const auto count = TRY(member<int64_t>(report, json->value, "shards"));
    if (*count < 1 || *count > kMaxShards || *shard < 0 || *shard >= *count)
      return invalid(report.name, ": expected shard I of N with 0 <= I < N");
    if (merged.is_null()) {
      of = *count;
      merged = json_object({{"shards", of}, {"interrupted", false}});
      for (const char* key : {"command", "name", "version", "seed"}) {
        const Json* value = find(json->value, key);
        set(merged, key, value == nullptr ? Json() : *value);
      }
      for (const auto& [key, how, required] : kParts)
        set(merged, key, is_list(how) ? Json(Json::Array{}) : Json(Json::Object{}));
      for (const char* key : {"unasked_expectations", "require_exact", "require_coverage"}) {
        if (const Json* value = find(json->value, key)) set(merged, key, *value);
      }
    }
    for (const char* key : {"shards", "command", "name", "version", "seed"}) {
      if (is(json->value, key, *find(merged, key))) continue;
      return invalid(report.name, " and ", reports.front().name, " differ in '", key, "'");
    }
    if (!shards.insert(*shard).second)
      return invalid(report.name, ": shard ", *shard, " is there twice");
    for (const Part& part : kParts) TRY(add_part(report, part, json->value, *shard, merged));
    TRY(unite_clusters(report, merged));
    if (is(json->value, "interrupted", true)) set(merged, "interrupted", true);
    keep_unasked(json->value, merged);
  }
  for (int64_t i = 0; i < of; ++i) {
    if (shards.contains(i)) continue;
    return invalid("shard ", i, " of ", of, " is missing");
  }
  set(merged, "passing_expectations", still_passing(merged));
  int64_t cases = 0;
  for (const auto& [verdict, count] : counts_of(merged))
    cases = checked_add(cases, count).value_or(INT64_MAX);
  set(merged, "cases", cases);
  set(merged, "unmet_requirements", unmet_of(merged));
  set(merged, "status", status_of(merged));
  return merged;
}

std::string merged_text(const Json& merged) {
  std::string out;
  for (const Json& cluster : *find(merged, "clusters")->as<Json::Array>())
    append_cluster(cluster, out);
  for (const Json& stray : *find(merged, "stray")->as<Json::Array>())
    absl::StrAppend(&out, "protocol  ", to_text(stray), "\n");
  for (const Json& key : *find(merged, "passing_expectations")->as<Json::Array>())
    absl::StrAppend(&out, "expected to fail, but passes: ", to_text(key), "\n");
  for (const Member& op : *find(merged, "ops")->as<Json::Object>())
    absl::StrAppend(&out, op.key, ": ", counts_text(op.value), "\n");
  for (const char* kind : {"unsupported", "undecided"}) {
    for (const Member& reason : *find(merged, kind)->as<Json::Object>()) {
      absl::StrAppend(&out, kind, ", ", to_text(reason.value), " times: ", reason.key, "\n");
    }
  }
  for (const Member& suite : *find(merged, "not_asked")->as<Json::Object>())
    absl::StrAppend(&out, "suite ", suite.key, " was stopped: ", to_text(suite.value), "\n");
  for (const char* kind : {"screened", "unasked_expectations", "unmet_requirements"}) {
    const Json* list = find(merged, kind);
    for (const Json& line : list == nullptr ? Json::Array() : *list->as<Json::Array>())
      absl::StrAppend(&out, kind, ": ", to_text(line), "\n");
  }
  for (const char* kind : {"scope", "notes"}) {
    for (const Json& line : *find(merged, kind)->as<Json::Array>())
      absl::StrAppend(&out, kind, ": ", to_text(line), "\n");
  }
  absl::StrAppend(&out, string_of(merged, "cases"), " cases in ", string_of(merged, "shards"),
                  " shards", is(merged, "status", 2) ? "; nothing was checked" : "", "\n");
  return out;
}

}  // namespace tileproof::conform
