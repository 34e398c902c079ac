// SPDX-License-Identifier: Apache-2.0
// The text of a report.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/report/cause.h"
#include "conform/report/report.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {
namespace {

constexpr int kMaxShown = 40;  // causes of one operation and verdict in the text
constexpr int kMaxErrorLines = 8;
constexpr size_t kMaxErrorLine = 200;
constexpr int kMaxWhole = 5;  // of a brief text, and one of each operation and verdict

std::string to_text(const Counts& counts) {
  return absl::StrJoin(counts, ", ", [](std::string* out, const auto& one) {
    absl::StrAppend(out, one.second, " ", std::string(to_text(one.first)));
  });
}

// Each case counts once: by its verdict, unless it fails as expected.
struct Totals {
  Counts cases, failed;
  int64_t expected = 0;

  int64_t of(Verdict verdict) const {
    const auto found = cases.find(verdict);
    return found == cases.end() ? 0 : found->second;
  }
};

Totals totals_of(const Report& report) {
  Totals totals;
  for (const Record& record : report.records) {
    if (!fails(record.verdict)) {
      ++totals.cases[record.verdict];
    } else if (expectation_of(report, record) == nullptr) {
      ++totals.failed[record.verdict];
    } else {
      ++totals.expected;
    }
  }
  return totals;
}

int64_t sum(const Counts& counts) {
  int64_t sum = 0;
  for (const auto& [verdict, count] : counts) sum += count;
  return sum;
}

// "940 passed, 12 failed (10 wrong, 2 crash), 34 expected failures, 14 inexact"
std::string to_text(const Totals& totals) {
  std::string text;
  const auto add = [&text](int64_t count, absl::string_view what) {
    if (count > 0) absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", std::string(what));
  };
  add(totals.of(Verdict::kPass), "passed");
  add(sum(totals.failed), absl::StrCat("failed (", to_text(totals.failed), ")"));
  add(totals.expected, "expected failures");
  for (const Verdict verdict :
       {Verdict::kUnsupported, Verdict::kInexact, Verdict::kUnsimplified, Verdict::kUndecided}) {
    add(totals.of(verdict), to_text(verdict));
  }
  return text.empty() ? "none" : text;
}

// Adds the id of the case to an answer without id. Other texts stay unchanged.
std::string line_of(const std::string& id, const std::string& text) {
  const absl::StatusOr<JsonText> json = read_json(text);
  return json.ok() && json->value.as<Json::Object>() != nullptr ? to_text(with_id(id, json->value))
                                                                : text;
}

// The same for a right answer: {"id":"..","result":1}, or an error: the bytes do not fit 64 bits
std::string right_line(const std::string& id, const std::string& right) {
  absl::StatusOr<JsonText> json = read_json(right);
  const Json* other = json.ok() ? find(json->value, "or") : nullptr;
  const Json* error = other == nullptr ? nullptr : find(*other, "error");
  if (error == nullptr) return line_of(id, right);
  const auto* why = error->as<std::string>();
  const std::string text = absl::StrCat(", or an error: ", why == nullptr ? "" : *why);
  remove(json->value, "or");
  return absl::StrCat(to_text(with_id(id, json->value)), text);
}

// Whether the right answer is an example: others mean the same.
bool is_one_of_several(const Json& request, const std::string& right) {
  const Expected only = expected_answer(request);
  return !only.result && !only.error && absl::StartsWith(right, "{\"result\":");
}

// The word, quoted for a shell if necessary.
std::string quoted(absl::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("-_./=:,@%+", std::string(1, char(c)));
  });
  if (plain) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(std::string(word), {{"'", "'\\''"}}), "'");
}

// A command that shows the failure again.
std::string command_again(const Report& report, const Record& record, const Json& request) {
  const std::string program = absl::StrJoin(
      report.command, " ",
      [](std::string* text, const auto& word) { absl::StrAppend(text, quoted(word)); });
  if (!report.found_by_id) {
    return absl::StrCat("printf '%s\\n' ", quoted(text_to_send(request, report.hello)), " | ",
                        program);
  }
  const std::string seed = report.seed == 1 ? "" : absl::StrCat(" --seed ", report.seed);
  return absl::StrCat("tileproof conform --suite ", report.suite_of(record), seed, " --case ",
                      case_id(record.id), " -- ", program);
}

// Help for a failure that hardly any program in a language with large integers avoids, and for lines
// that a program prints for a person.
absl::string_view hint_of(Verdict verdict, const std::string& answer, const std::string& right) {
  if (verdict == Verdict::kProtocol && !other_line_in(answer).empty()) {
    return "  hint     only answers belong to standard output, all else to standard error\n";
  }
  const bool beyond = verdict == Verdict::kError && is_beyond_64_bits(right);
  return beyond && absl::StartsWith(answer, "{\"result\":")
             ? "  hint     only an error is right beyond 64 bits; --level valid-only asks no such "
               "request\n"
             : "";
}

// The last lines that the program printed on standard error, before it ended.
void append_errors(const std::string& errors, std::string& out) {
  std::vector<absl::string_view> lines = absl::StrSplit(errors, '\n', absl::SkipEmpty());
  if (lines.size() > kMaxErrorLines) lines.erase(lines.begin(), lines.end() - kMaxErrorLines);
  const char* before = "  stderr   ";
  for (absl::string_view line : lines) {
    absl::StrAppend(&out, std::exchange(before, "           "), shown(line, kMaxErrorLine), "\n");
  }
}

void append_failure(const Report& report, const Failure& failure, std::string& out) {
  const Record& record = report.records[failure.record];
  const auto& [request, what, right, errors] = failure.shown();
  const std::string found = case_id(record.id);
  const std::string id = case_id(case_hash(request));
  absl::StrAppend(&out, std::string(to_text(record.verdict)), "  ", report.op_of(record), "  case ",
                  found);
  const bool ended = !failure.not_shrunk.empty();
  if (id != found) absl::StrAppend(&out, ended ? ", made smaller:" : ", at its smallest:");
  absl::StrAppend(&out, "\n  request  ", to_text(with_id(id, request)), "\n  answer   ",
                  line_of(id, what), "\n");
  append_errors(errors, out);
  if (!failure.again.empty()) {
    absl::StrAppend(&out, "  then     ", line_of(id, failure.again), "\n");
  }
  if (!right.empty()) absl::StrAppend(&out, "  right    ", right_line(id, right), "\n");
  if (is_one_of_several(request, right)) out += "           one of several right answers\n";
  absl::StrAppend(&out, std::string(hint_of(record.verdict, what, right)));
  const char* before = "  because  ";
  for (const std::string& line : reason_of(report, failure)) {
    absl::StrAppend(&out, std::exchange(before, "           "), line, "\n");
  }
  if (ended) {
    const char* how = id == found ? "  not shrunk: " : "  not shrunk further: ";
    absl::StrAppend(&out, how, failure.not_shrunk, "\n");
  }
  if (!report.command.empty()) {
    absl::StrAppend(&out, "  again    ", command_again(report, record, with_id(id, request)), "\n");
  }
}

// "wrong  layout.linearize  case a094a0541188e740, 3 failures: {"id":..}"
void append_in_a_line(const Report& report, const Cluster& cluster, std::string& out) {
  const Record& record = report.records[cluster.example];
  const Failure& failure = report.failures.at(cluster.example);
  const Json& request = failure.shown().request;
  const size_t failures = cluster.failures.size();
  absl::StrAppend(&out, std::string(to_text(record.verdict)), "  ", report.op_of(record), "  case ",
                  case_id(record.id), ", ", failures, failures == 1 ? " failure: " : " failures: ",
                  to_text(with_id(case_id(case_hash(request)), request)), "\n");
}

// The causes that are not expected: a block for each. If `brief`, a block for each of the first
// ones and a line for each other.
void append_clusters(const Report& report, bool brief, std::string& out) {
  std::map<std::pair<uint32_t, Verdict>, int> causes_of;  // of an operation and verdict
  int64_t whole = 0, in_a_line = 0, causes = 0, more = 0;
  std::string lines;
  for (const Cluster& cluster : clusters_of(report)) {
    if (cluster.expected) continue;
    const Record& record = report.records[cluster.example];
    const int alike = ++causes_of[{record.op, record.verdict}];
    if (alike > kMaxShown) {
      ++causes;
      more += std::ssize(cluster.failures);
    } else if (!brief || alike == 1 || whole < kMaxWhole) {
      ++whole;
      append_failure(report, report.failures.at(cluster.example), out);
      const int64_t same = std::ssize(cluster.failures) - 1;
      if (same > 0) absl::StrAppend(&out, "  and ", same, " more of the same cause\n");
    } else {
      ++in_a_line;
      append_in_a_line(report, cluster, lines);
    }
  }
  if (in_a_line > 0) {
    absl::StrAppend(&out, in_a_line, in_a_line == 1 ? " more cause" : " more causes",
                    ", the smallest request of each (without --brief as above):\n", lines);
  }
  if (more > 0) {
    absl::StrAppend(&out, "and ", more, " more failures of ", causes,
                    " causes, which --json lists\n");
  }
}

void append_not_asked(const Report& report, std::string& out) {
  for (const auto& [suite, why] : report.not_asked) {
    absl::StrAppend(&out, "suite ", suite, " was stopped: ", why, "\n");
  }
  for (const ScreenedFeature& one : report.screened) {
    absl::StrAppend(&out, "suite ", one.suite, ": ", one.requests, " requests with the feature '",
                    one.feature, "' were not asked, after ", one.why, "\n");
  }
  const std::pair<const std::map<std::string, int64_t>&, const char*> kinds[] = {
      {report.beyond_limits, "beyond the program's limits"},
      {report.unnamed_ops, "with operations that the program's hello does not name"},
      {report.undecidable, "that the judge cannot decide"}};
  for (const auto& [counts, which] : kinds) {
    for (const auto& [suite, count] : counts) {
      absl::StrAppend(&out, "suite ", suite, ": ", count, " requests ", which, " were not asked\n");
    }
  }
  for (const std::string& key : unasked_expectations(report)) {
    absl::StrAppend(&out, "expected to fail, but never asked: ", key, "\n");
  }
}

bool prints_other_line(const Failure& failure) { return !other_line_in(failure.what).empty(); }

// Whether there are answers, and none of them is one of the protocol.
bool speaks_something_else(const Report& report) {
  return !report.command.empty() && !report.records.empty() &&
         std::none_of(report.failures.begin(), report.failures.end(),
                      [](const auto& one) { return prints_other_line(one.second); }) &&
         std::all_of(report.records.begin(), report.records.end(),
                     [](const Record& record) { return record.verdict == Verdict::kProtocol; });
}

// ", 12 inexact: right only as supersets, 3 unsupported"; empty if all passed.
std::string reservations(const Totals& totals) {
  std::string text;
  const auto add = [&text](int64_t count, const char* what) {
    if (count > 0) absl::StrAppend(&text, ", ", count, what);
  };
  add(totals.of(Verdict::kInexact), " inexact: right only as supersets");
  add(totals.of(Verdict::kUnsimplified), " return the given map unsimplified");
  add(totals.of(Verdict::kUnsupported), " unsupported");
  add(totals.of(Verdict::kUndecided), " undecided");
  add(totals.expected, " fail as expected");
  return text;
}

// "Interrupted by signal 15 (Terminated): not all was asked. "; empty if it was not.
std::string interruption(const Report& report) {
  if (report.interrupted.empty()) return "";
  return absl::StrCat("Interrupted by ", report.interrupted, ": not all was asked. ");
}

// "the minimal failing cases are above"; "the failing cases are above; not minimal: timeout".
std::string failing_cases(const Report& report) {
  std::set<std::string> others;
  bool minimal = false;
  for (const Cluster& cluster : clusters_of(report)) {
    if (cluster.expected) continue;
    const Failure& failure = report.failures.at(cluster.example);
    const bool given_up = !failure.not_shrunk.empty();
    if (failure.smallest && !given_up) {
      minimal = true;
    } else {
      const Verdict verdict = report.records[cluster.example].verdict;
      others.insert(given_up ? "not shrunk" : std::string(to_text(verdict)));
    }
  }
  return absl::StrCat("the ", others.empty() ? "minimal " : "", "failing cases are above",
                      !minimal || others.empty() ? "" : "; not minimal: ",
                      minimal ? absl::StrJoin(others, ", ") : "");
}

std::string failed_conclusion(const Report& report, const Totals& totals) {
  if (speaks_something_else(report)) return "FAILED: none of the answers is one of the protocol.";
  if (!totals.failed.empty()) {
    return absl::StrCat(
        "FAILED: ", failing_cases(report), ".",
        report.command.empty()
            ? ""
            : " To repeat a case, run the same command with --case and its id, or send its "
              "\"request\" line to `tileproof respond`.");
  }
  if (!report.beyond.empty()) return "FAILED: what the program printed is no answer; see above.";
  if (!passing_expectations(report).empty()) {
    return "FAILED: no answer is wrong, but what was expected to fail passes; see above.";
  }
  return absl::StrCat("FAILED: ", absl::StrJoin(unmet_requirements(report), "; "), ".");
}

}  // namespace

std::vector<std::string> reason_of(const Report& report, const Failure& failure) {
  const Verdict verdict = report.records[failure.record].verdict;
  if (verdict != Verdict::kWrong && verdict != Verdict::kError) return {};
  return reason(failure.shown().request, failure.shown().what);
}

std::string failure_text(const Report& report, const Failure& failure) {
  std::string out;
  append_failure(report, failure, out);
  return out;
}

std::string to_text(const Report& report, bool brief) {
  std::string out;
  if (speaks_something_else(report) && !report.failures.empty()) {
    absl::StrAppend(&out, "the program does not speak the protocol of docs/protocol.md: ",
                    shown(report.failures.begin()->second.what, 200), "\n");
  } else {
    append_clusters(report, brief, out);
  }
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
  append_not_asked(report, out);
  for (const std::string& line : report.scope) absl::StrAppend(&out, line, "\n");
  for (const std::string& line : report.notes) absl::StrAppend(&out, "note: ", line, "\n");
  absl::StrAppend(&out, report.records.size(), " cases: ", to_text(totals_of(report)));
  const size_t passing = passing_expectations(report).size();
  if (passing > 0) absl::StrAppend(&out, "; ", passing, " unexpected passes");
  if (!report.beyond.empty()) absl::StrAppend(&out, "; ", report.beyond.size(), " stray lines");
  if (exit_status(report) == 2) absl::StrAppend(&out, "; nothing was checked");
  return absl::StrCat(out, "\n");
}

std::string conclusion(const Report& report) {
  const Totals totals = totals_of(report);
  const std::string but = reservations(totals);
  switch (exit_status(report)) {
    case 0:
      return but.empty() ? "All answers are right."
                         : absl::StrCat(totals.of(Verdict::kPass), " right", but,
                                        totals.expected == 0 ? ", none wrong." : ".");
    case 1:
      return interruption(report) + failed_conclusion(report, totals);
    case 2:
      return interruption(report) + "Nothing was checked: no question was answered.";
    default:
      return absl::StrCat(interruption(report), "No answer is known to be wrong",
                          totals.of(Verdict::kUndecided) == 0 ? ": " : ", but some are undecided: ",
                          totals.of(Verdict::kPass), " right", but, ".");
  }
}

}  // namespace tileproof::conform
