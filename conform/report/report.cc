#include "conform/report/report.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/text_numbers.h"
#include "conform/report/reason.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {
namespace {

constexpr size_t kMaxReasons = 1000;
constexpr int kMaxShown = 3;  // failures of one operation and verdict in the text

using Counts = std::map<Verdict, int64_t>;

std::map<std::string, Counts> counts_by_op(const Report& report) {
  std::map<std::string, Counts> counts;
  for (const Record& record : report.records) ++counts[report.op_of(record)][record.verdict];
  return counts;
}

Counts counts_of(const Report& report) {
  Counts counts;
  for (const Record& record : report.records) ++counts[record.verdict];
  return counts;
}

std::string to_text(const Counts& counts) {
  std::vector<std::string> parts;
  for (Verdict verdict : kVerdicts) {
    const auto count = counts.find(verdict);
    if (count != counts.end()) {
      parts.push_back(absl::StrCat(count->second, " ", std::string(to_text(verdict))));
    }
  }
  return parts.empty() ? "none" : absl::StrJoin(parts, ", ");
}

// A right answer or an answer, which has no id, with that of the case.
std::string line_of(const std::string& id, const std::string& text) {
  const absl::StatusOr<JsonText> json = read_json(text);
  return json.ok() && json->value.as<Json::Object>() != nullptr ? to_text(with_id(id, json->value))
                                                                : text;
}

// For a shell.
std::string quoted(absl::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("-_./=:,@%+", std::string(1, char(c)));
  });
  if (plain) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(std::string(word), {{"'", "'\\''"}}), "'");
}

// Only where an answer was judged.
std::vector<std::string> reason_of(const Report& report, const Failure& failure) {
  const Verdict verdict = report.records[failure.record].verdict;
  if (verdict != Verdict::kWrong && verdict != Verdict::kError) return {};
  return failure.smallest ? reason(failure.smallest->request, failure.smallest->what)
                          : reason(failure.request, failure.what);
}

void append_failure(const Report& report, const Failure& failure, std::string& out) {
  const Record& record = report.records[failure.record];
  const bool small = failure.smallest.has_value();
  const Json& request = small ? failure.smallest->request : failure.request;
  const std::string found = case_id(record.id);
  const std::string id = case_id(case_hash(request));
  absl::StrAppend(&out, std::string(to_text(record.verdict)), "  ", report.op_of(record), "  case ",
                  found);
  if (id != found) absl::StrAppend(&out, ", at its smallest:");
  absl::StrAppend(&out, "\n  request  ", to_text(with_id(id, request)), "\n  answer   ",
                  line_of(id, small ? failure.smallest->what : failure.what), "\n");
  if (!failure.again.empty()) {
    absl::StrAppend(&out, "  then     ", line_of(id, failure.again), "\n");
  }
  const std::string& right = small ? failure.smallest->right : failure.right;
  if (!right.empty()) absl::StrAppend(&out, "  right    ", line_of(id, right), "\n");
  const char* before = "  because  ";
  for (const std::string& line : reason_of(report, failure)) {
    absl::StrAppend(&out, std::exchange(before, "           "), line, "\n");
  }
  if (!report.command.empty()) {
    absl::StrAppend(&out, "  again    echo ", quoted(to_text(with_id(id, request))), " | ",
                    absl::StrJoin(report.command, " ",
                                  [](std::string* text, const auto& word) {
                                    absl::StrAppend(text, quoted(word));
                                  }),
                    "\n");
  }
}

void append_failures(const Report& report, std::string& out) {
  // Of one operation and verdict: those that were shrunk, if any were; and each cause once.
  std::set<std::pair<uint32_t, Verdict>> shrunk;
  std::map<std::string, int64_t> of_cause;
  for (const auto& [index, failure] : report.failures) {
    const Record& record = report.records[index];
    if (expectation_of(report, record) != nullptr) continue;
    if (failure.smallest) shrunk.insert({record.op, record.verdict});
    ++of_cause[cause_of(report, failure)];
  }
  std::map<std::pair<uint32_t, Verdict>, int> shown_of;
  std::set<std::string> seen;
  int64_t more = 0;
  for (const auto& [index, failure] : report.failures) {
    const Record& record = report.records[index];
    if (expectation_of(report, record) != nullptr) continue;
    int& count = shown_of[{record.op, record.verdict}];
    const bool simplest = failure.smallest || !shrunk.contains({record.op, record.verdict});
    const std::string cause = cause_of(report, failure);
    if (seen.contains(cause)) continue;
    if (!simplest || count >= kMaxShown) {
      ++more;
      continue;
    }
    seen.insert(cause);
    ++count;
    append_failure(report, failure, out);
    const int64_t same = of_cause[cause] - 1;
    if (same > 0) absl::StrAppend(&out, "  and ", same, " more of the same cause\n");
  }
  if (more > 0) absl::StrAppend(&out, "and ", more, " more failures, which --json lists\n");
}

// XML 1.0: printable ASCII, with entities.
std::string xml(absl::string_view text) { return with_entities(shown(text, 100'000)); }

void append_junit_case(const Report& report, size_t index, std::string& out) {
  const Record& record = report.records[index];
  absl::StrAppend(&out, "    <testcase classname=\"", xml(report.suite_of(record)), ".",
                  xml(report.op_of(record)), "\" name=\"", case_id(record.id), "\"");
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
  std::string lines;
  const auto failure = report.failures.find(index);
  if (failure != report.failures.end()) append_failure(report, failure->second, lines);
  std::vector<std::string> escaped;
  for (absl::string_view line : absl::StrSplit(lines, '\n')) escaped.push_back(xml(line));
  absl::StrAppend(&out, ">\n      <failure type=\"", verdict, "\" message=\"", verdict, "\">",
                  absl::StrJoin(escaped, "\n"), "</failure>\n    </testcase>\n");
}

std::string json_verdict(Verdict verdict) { return std::string(to_text(verdict)); }

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
  if (!failure.again.empty()) set(json, "again", failure.again);
  if (!failure.right.empty()) set(json, "right", read_json(failure.right)->value);
  if (failure.smallest) {
    Json small =
        json_object({{"request", failure.smallest->request}, {"answer", failure.smallest->what}});
    if (!failure.smallest->right.empty()) {
      set(small, "right", read_json(failure.smallest->right)->value);
    }
    const std::vector<std::string> lines = reason_of(report, failure);
    if (!lines.empty()) set(small, "reason", Json::Array(lines.begin(), lines.end()));
    set(json, "smallest", std::move(small));
  }
  return json;
}

}  // namespace

std::string with_entities(absl::string_view text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

uint32_t number_of(Report& report, absl::string_view name) {
  const auto found = std::find(report.names.begin(), report.names.end(), name);
  if (found != report.names.end()) return static_cast<uint32_t>(found - report.names.begin());
  report.names.push_back(std::string(name));
  return static_cast<uint32_t>(report.names.size() - 1);
}

absl::StatusOr<std::vector<Expectation>> parse_expectations(absl::string_view text) {
  std::vector<Expectation> result;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const std::pair<absl::string_view, absl::string_view> halves =
        absl::StrSplit(line, absl::MaxSplits('#', 1));
    const absl::string_view key = absl::StripAsciiWhitespace(halves.first);
    if (key.empty()) continue;
    const bool id = key.size() == 16 && std::all_of(key.begin(), key.end(), [](unsigned char c) {
                      return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
                    });
    if (!id && operation_named(key) == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", number, ": expected a case id (16 hexadecimal digits) or an operation, found '",
          shown(key, 60), "'"));
    }
    result.push_back({std::string(key), std::string(absl::StripAsciiWhitespace(halves.second))});
  }
  return result;
}

const Expectation* expectation_of(const Report& report, const Record& record) {
  for (const Expectation& expectation : report.expectations) {
    if (expectation.key == report.op_of(record) || expectation.key == case_id(record.id))
      return &expectation;
  }
  return nullptr;
}

std::vector<std::string> passing_expectations(const Report& report) {
  std::vector<std::string> passing;
  for (const Expectation& expectation : report.expectations) {
    int64_t passes = 0, failed = 0;
    for (const Record& record : report.records) {
      if (expectation.key != report.op_of(record) && expectation.key != case_id(record.id))
        continue;
      passes += record.verdict == Verdict::kPass ? 1 : 0;
      failed += fails(record.verdict) ? 1 : 0;
    }
    if (passes > 0 && failed == 0) passing.push_back(expectation.key);
  }
  return passing;
}

void count_reason(Report& report, const Judgment& judgment) {
  if (judgment.verdict != Verdict::kUnsupported && judgment.verdict != Verdict::kUndecided) return;
  auto& counts = judgment.verdict == Verdict::kUndecided ? report.undecided : report.unsupported;
  const bool room = counts.size() < kMaxReasons;
  ++counts[room || counts.contains(judgment.reason) ? judgment.reason : "others"];
}

std::string cause_of(const Report& report, const Failure& failure) {
  const Record& record = report.records[failure.record];
  const std::string text = to_text(failure.smallest ? failure.smallest->request : failure.request);
  std::vector<std::pair<TextNumber, int64_t>> zeros;
  for (const TextNumber& number : numbers_in(text)) zeros.emplace_back(number, 0);
  return absl::StrCat(report.op_of(record), " ", std::string(to_text(record.verdict)), " ",
                      with_numbers(text, std::move(zeros)));
}

std::string failure_text(const Report& report, const Failure& failure) {
  std::string out;
  append_failure(report, failure, out);
  return out;
}

int exit_status(const Report& report) {
  bool checked = false, undecided = false;
  for (const Record& record : report.records) {
    checked |= record.verdict != Verdict::kUnsupported && record.verdict != Verdict::kUndecided;
    undecided |= record.verdict == Verdict::kUndecided;
    if (fails(record.verdict) && expectation_of(report, record) == nullptr) return 1;
  }
  if (!report.beyond.empty() || !passing_expectations(report).empty()) return 1;
  if (undecided) return 3;
  return checked ? 0 : 2;
}

std::string to_text(const Report& report) {
  std::string out;
  append_failures(report, out);
  for (const std::string& line : report.beyond) absl::StrAppend(&out, "protocol  ", line, "\n");
  for (const std::string& key : passing_expectations(report)) {
    absl::StrAppend(&out, "expected to fail, but passes: ", key, "\n");
  }
  for (const auto& [op, counts] : counts_by_op(report)) {
    absl::StrAppend(&out, op, ": ", to_text(counts), "\n");
  }
  for (const auto& [reason, count] : report.unsupported) {
    absl::StrAppend(&out, "unsupported, ", count, " times: ", shown(reason), "\n");
  }
  for (const auto& [reason, count] : report.undecided) {
    absl::StrAppend(&out, "undecided, ", count, " times: ", shown(reason), "\n");
  }
  for (const auto& [suite, why] : report.not_asked) {
    absl::StrAppend(&out, "suite ", suite, " was left: ", why, "\n");
  }
  for (const auto& [suite, count] : report.beyond_limits) {
    absl::StrAppend(&out, "suite ", suite, ": ", count,
                    " requests beyond the program's limits were not asked\n");
  }
  int64_t expected = 0;
  for (const Record& record : report.records) {
    expected += fails(record.verdict) && expectation_of(report, record) != nullptr ? 1 : 0;
  }
  for (const std::string& line : report.scope) absl::StrAppend(&out, line, "\n");
  for (const std::string& line : report.notes) absl::StrAppend(&out, "note: ", line, "\n");
  absl::StrAppend(&out, report.records.size(), " cases: ", to_text(counts_of(report)));
  if (expected > 0) absl::StrAppend(&out, "; ", expected, " of these failures are expected");
  if (exit_status(report) == 2) absl::StrAppend(&out, "; nothing was checked");
  return absl::StrCat(out, "\n");
}

Json to_json(const Report& report) {
  Json::Object ops, unsupported, undecided, not_asked, beyond_limits;
  for (const auto& [op, counts] : counts_by_op(report)) {
    Json::Object verdicts;
    for (const auto& [verdict, count] : counts) verdicts.push_back({json_verdict(verdict), count});
    ops.push_back({op, std::move(verdicts)});
  }
  for (const auto& [reason, count] : report.unsupported) unsupported.push_back({reason, count});
  for (const auto& [reason, count] : report.undecided) undecided.push_back({reason, count});
  for (const auto& [suite, why] : report.not_asked) not_asked.push_back({suite, why});
  for (const auto& [suite, n] : report.beyond_limits) beyond_limits.push_back({suite, n});
  Json::Array failures;
  for (const auto& [index, failure] : report.failures) {
    failures.push_back(json_failure(report, failure));
  }
  const auto strings = [](const std::vector<std::string>& list) {
    return Json(Json::Array(list.begin(), list.end()));
  };
  return json_object({{"command", strings(report.command)},
                      {"name", report.name},
                      {"version", report.version},
                      {"seed", Json::Number{absl::StrCat(report.seed)}},
                      {"shard", report.shard},
                      {"shards", report.shards},
                      {"cases", std::ssize(report.records)},
                      {"ops", std::move(ops)},
                      {"unsupported", std::move(unsupported)},
                      {"undecided", std::move(undecided)},
                      {"not_asked", std::move(not_asked)},
                      {"beyond_limits", std::move(beyond_limits)},
                      {"failures", std::move(failures)},
                      {"stray", strings(report.beyond)},
                      {"passing_expectations", strings(passing_expectations(report))},
                      {"scope", strings(report.scope)},
                      {"notes", strings(report.notes)},
                      {"status", exit_status(report)}});
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
  for (const std::string& line : report.beyond) extra("protocol", line);
  for (const std::string& key : passing_expectations(report)) {
    extra("expectation", absl::StrCat("expected to fail, but passes: ", key));
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

}  // namespace tileproof::conform
