#include "conform/report/merge.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/judge/judge.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMaxShards = 100'000;

template <class T>
absl::StatusOr<const T*> member(const NamedReport& report, const Json& json,
                                absl::string_view key) {
  const Json* found = find(json, key);
  const T* value = found == nullptr ? nullptr : found->as<T>();
  if (value != nullptr) return value;
  return absl::InvalidArgumentError(
      absl::StrCat(report.name, ": expected a report of conform --json, with the key '", key, "'"));
}

// Adds the numbers of an object to those of another; `levels` of objects lie in each other.
absl::Status add_counts(const NamedReport& report, const Json& from, int levels, Json& to) {
  const Json::Object* members = from.as<Json::Object>();
  if (members == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(report.name, ": expected an object of counts"));
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
      return absl::InvalidArgumentError(
          absl::StrCat(report.name, ": expected a count at '", one.key, "'"));
    }
    set(to, one.key, *sum);
  }
  return absl::OkStatus();
}

// Appends what is not there yet, where `once`.
absl::Status append_list(const NamedReport& report, const Json& json, absl::string_view key,
                         bool once, Json& merged) {
  const Json::Array* list = TRY(member<Json::Array>(report, json, key));
  Json::Array all = *find(merged, key)->as<Json::Array>();
  for (const Json& item : *list) {
    if (!once || std::find(all.begin(), all.end(), item) == all.end()) all.push_back(item);
  }
  set(merged, key, std::move(all));
  return absl::OkStatus();
}

absl::Status add_report(const NamedReport& report, const Json& json, int64_t shard, Json& merged) {
  for (const auto& [key, levels] :
       {std::pair<const char*, int>{"ops", 2}, {"unsupported", 1}, {"undecided", 1}}) {
    const Json::Object* counts = TRY(member<Json::Object>(report, json, key));
    Json sum = *find(merged, key);
    TRY(add_counts(report, Json(*counts), levels, sum));
    set(merged, key, std::move(sum));
  }
  const Json::Object* left = TRY(member<Json::Object>(report, json, "not_asked"));
  Json not_asked = *find(merged, "not_asked");
  for (const Member& suite : *left) {
    const std::string* why = suite.value.as<std::string>();
    const Json* before = find(not_asked, suite.key);
    set(not_asked, suite.key,
        absl::StrCat(before == nullptr ? "" : absl::StrCat(*before->as<std::string>(), "; "),
                     "shard ", shard, " ", why == nullptr ? "" : *why));
  }
  set(merged, "not_asked", std::move(not_asked));
  for (const auto& [key, once] : {std::pair<const char*, bool>{"failures", false},
                                  {"stray", false},
                                  {"passing_expectations", true},
                                  {"scope", true},
                                  {"notes", true}}) {
    TRY(append_list(report, json, key, once, merged));
  }
  return absl::OkStatus();
}

bool is(const Json& object, absl::string_view key, const Json& value) {
  const Json* found = find(object, key);
  return found != nullptr && *found == value;
}

// An expectation that passes in one shard holds where a case of it fails in another.
Json::Array still_passing(const Json& merged) {
  Json::Array passing = *find(merged, "passing_expectations")->as<Json::Array>();
  std::erase_if(passing, [&](const Json& key) {
    const Json::Array& failures = *find(merged, "failures")->as<Json::Array>();
    return std::any_of(failures.begin(), failures.end(), [&](const Json& failure) {
      return is(failure, "op", key) || is(failure, "case", key);
    });
  });
  return passing;
}

int64_t count_of(const Json& merged, Verdict verdict) {
  int64_t count = 0;
  for (const Member& op : *find(merged, "ops")->as<Json::Object>()) {
    const Json* found = find(op.value, to_text(verdict));
    const int64_t* number = found == nullptr ? nullptr : found->as<int64_t>();
    count = checked_add(count, number == nullptr ? 0 : *number).value_or(INT64_MAX);
  }
  return count;
}

// As exit_status() of one report, conform/report/report.h.
int64_t status_of(const Json& merged) {
  for (const Json& failure : *find(merged, "failures")->as<Json::Array>()) {
    if (!is(failure, "expected", true)) return 1;
  }
  for (const char* key : {"stray", "passing_expectations"}) {
    if (!find(merged, key)->as<Json::Array>()->empty()) return 1;
  }
  if (count_of(merged, Verdict::kUndecided) > 0) return 3;
  for (const Verdict verdict : kVerdicts) {
    if (verdict != Verdict::kUnsupported && count_of(merged, verdict) > 0) return 0;
  }
  return 2;
}

int64_t all_cases(const Json& merged) {
  int64_t cases = 0;
  for (const Verdict verdict : kVerdicts)
    cases = checked_add(cases, count_of(merged, verdict)).value_or(INT64_MAX);
  return cases;
}

std::string string_of(const Json& object, absl::string_view key) {
  const Json* found = find(object, key);
  if (found == nullptr) return "";
  const std::string* text = found->as<std::string>();
  return text == nullptr ? to_text(*found) : *text;
}

void append_failure(const Json& failure, std::string& out) {
  if (is(failure, "expected", true)) return;
  const Json* smallest = find(failure, "smallest");
  const Json& shown = smallest == nullptr ? failure : *smallest;
  absl::StrAppend(&out, string_of(failure, "verdict"), "  ", string_of(failure, "op"), "  case ",
                  string_of(failure, "case"), "\n  request  ", string_of(shown, "request"),
                  "\n  answer   ", string_of(shown, "answer"), "\n");
  if (find(shown, "right") != nullptr)
    absl::StrAppend(&out, "  right    ", string_of(shown, "right"), "\n");
}

std::string counts_text(const Json& counts) {
  return absl::StrJoin(*counts.as<Json::Object>(), ", ", [](std::string* out, const Member& one) {
    absl::StrAppend(out, to_text(one.value), " ", one.key);
  });
}

}  // namespace

absl::StatusOr<Json> merge_reports(const std::vector<NamedReport>& reports) {
  if (reports.empty()) return absl::InvalidArgumentError("expected reports to merge");
  Json merged;
  std::set<int64_t> shards;
  int64_t of = 0;
  for (const NamedReport& report : reports) {
    const absl::StatusOr<JsonText> json = read_json(report.text);
    if (!json.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          report.name, ": expected a report of conform --json: ", json.status().message()));
    }
    const auto shard = TRY(member<int64_t>(report, json->value, "shard"));
    const auto count = TRY(member<int64_t>(report, json->value, "shards"));
    if (*count < 1 || *count > kMaxShards || *shard < 0 || *shard >= *count)
      return absl::InvalidArgumentError(absl::StrCat(report.name, ": no such shard"));
    if (merged.is_null()) {
      of = *count;
      merged = json_object({{"shards", of}});
      for (const char* key : {"command", "name", "version", "seed"}) {
        const Json* value = find(json->value, key);
        set(merged, key, value == nullptr ? Json() : *value);
      }
      for (const char* key : {"ops", "unsupported", "undecided", "not_asked"})
        set(merged, key, Json::Object{});
      for (const char* key : {"failures", "stray", "passing_expectations", "scope", "notes"})
        set(merged, key, Json::Array{});
    }
    for (const char* key : {"shards", "command", "name", "version", "seed"}) {
      if (is(json->value, key, *find(merged, key))) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(report.name, " has another '", key, "' than ", reports.front().name));
    }
    if (!shards.insert(*shard).second)
      return absl::InvalidArgumentError(absl::StrCat(report.name, ": shard ", *shard, " again"));
    TRY(add_report(report, json->value, *shard, merged));
  }
  for (int64_t i = 0; i < of; ++i) {
    if (shards.contains(i)) continue;
    return absl::InvalidArgumentError(absl::StrCat("shard ", i, " of ", of, " is missing"));
  }
  set(merged, "passing_expectations", still_passing(merged));
  set(merged, "cases", all_cases(merged));
  set(merged, "status", status_of(merged));
  return merged;
}

std::string merged_text(const Json& merged) {
  std::string out;
  for (const Json& failure : *find(merged, "failures")->as<Json::Array>())
    append_failure(failure, out);
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
    absl::StrAppend(&out, "suite ", suite.key, " was left: ", to_text(suite.value), "\n");
  for (const char* kind : {"scope", "notes"}) {
    for (const Json& line : *find(merged, kind)->as<Json::Array>())
      absl::StrAppend(&out, kind, ": ", to_text(line), "\n");
  }
  absl::StrAppend(&out, string_of(merged, "cases"), " cases in ", string_of(merged, "shards"),
                  " shards", is(merged, "status", 2) ? "; nothing was checked" : "", "\n");
  return out;
}

}  // namespace tileproof::conform
