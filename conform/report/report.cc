// SPDX-License-Identifier: Apache-2.0
#include "conform/report/report.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/protocol.h"
#include "conform/report/cause.h"
#include "conform/shrink/text_form.h"
#include "conform/suites/suites.h"
#include "generate/choose/stable_hash.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::conform {
namespace {

constexpr size_t kMaxReasons = 1000;

std::string op_of(const Json& request) {
  const auto* name = find_as<std::string>(request, "op");
  return name == nullptr ? "" : *name;
}

// How the program ended: "status 1, TypeError: ..", "signal 11 (Segmentation fault)".
std::string end_of(const Failing& given) {
  const std::string exception = exception_of(given.errors);
  return exception.empty() ? given.what : absl::StrCat(given.what, ", ", exception);
}

// The cause of a failure that hardly depends on what was asked; empty for others.
std::string cause_of_any_request(Verdict verdict, const Failing& given) {
  const bool answered = verdict == Verdict::kWrong || verdict == Verdict::kError;
  const std::string op = op_of(given.request);
  if (answered && is_beyond_64_bits(given.right)) {
    return absl::StrCat(std::string(to_text(verdict)), ", beyond 64 bits: ", op);
  }
  if (verdict != Verdict::kProtocol) return "";
  if (is_no_object(given.what)) return "protocol: a line that is no JSON object";
  return absl::StrCat("protocol, ", broken_protocol(given.what), ": ", op);
}

bool is_about(const Expectation& expectation, const Report& report, const Record& record) {
  return expectation.key == report.op_of(record) || expectation.key == case_id(record.id);
}

// The cases and operations that were expected to fail, if the counts of their verdicts are like this.
std::vector<std::string> expectations_with(const Report& report,
                                           absl::FunctionRef<bool(const Counts&)> like_this) {
  std::vector<std::string> keys;
  for (const Expectation& expectation : report.expectations) {
    Counts counts;
    for (const Record& record : report.records) {
      if (is_about(expectation, report, record)) ++counts[record.verdict];
    }
    if (like_this(counts)) keys.push_back(expectation.key);
  }
  return keys;
}

Counts counts_of(const Report& report) {
  Counts counts;
  for (const Record& record : report.records) ++counts[record.verdict];
  return counts;
}

int64_t count_of(const Counts& counts, Verdict verdict) {
  const auto found = counts.find(verdict);
  return found == counts.end() ? 0 : found->second;
}

// The order of examples: wrong results and crashes first; of these the shrunk ones, then by the size
// of their numbers, then what is easy to see, then the smallest.
struct Simplicity {
  bool refused = false;  // about requests that must be refused, or the form of an answer
  bool unshrunk = false;
  int wide = 0;  // 0: below 2^31, 1: below 2^53, 2: larger
  bool empty = false;
  bool sizes = false;  // about the sizes of a layout, not the place of an element
  std::string text;

  bool operator<(const Simplicity& other) const {
    const auto first = std::tie(refused, unshrunk, wide, empty, sizes),
               second =
                   std::tie(other.refused, other.unshrunk, other.wide, other.empty, other.sizes);
    return first != second ? first < second : is_smaller(text, other.text);
  }
};

Simplicity simplicity_of(const Report& report, const Failure& failure) {
  std::string text = to_text(failure.shown().request);
  const auto bits = std::bit_width(largest_number(text));
  const bool sizes = report.op_of(report.records[failure.record]) == "layout.physical";
  const Verdict verdict = report.records[failure.record].verdict;
  return {verdict == Verdict::kError || verdict == Verdict::kProtocol,
          !failure.smallest,
          bits <= 31   ? 0
          : bits <= 53 ? 1
                       : 2,
          has_empty_array(text),
          sizes,
          std::move(text)};
}

}  // namespace

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
    if (is_about(expectation, report, record)) return &expectation;
  }
  return nullptr;
}

std::vector<std::string> passing_expectations(const Report& report) {
  if (!report.interrupted.empty()) return {};
  return expectations_with(report, [](const Counts& counts) {
    const auto any = [&counts](bool (*has)(Verdict)) {
      return std::ranges::any_of(counts, [has](const auto& one) { return has(one.first); });
    };
    return any(is_right) && !any(fails);
  });
}

std::vector<std::string> unasked_expectations(const Report& report) {
  return expectations_with(report, [](const Counts& counts) { return counts.empty(); });
}

void count_reason(Report& report, const Judgment& judgment) {
  if (judgment.verdict != Verdict::kUnsupported && judgment.verdict != Verdict::kUndecided) return;
  auto& counts = judgment.verdict == Verdict::kUndecided ? report.undecided : report.unsupported;
  const bool room = counts.size() < kMaxReasons;
  ++counts[room || counts.contains(judgment.reason) ? judgment.reason : "others"];
}

std::string cause_line(Verdict verdict, const Failing& smallest) {
  const std::string whole = cause_of_any_request(verdict, smallest);
  if (!whole.empty()) return whole;
  const bool answered = verdict == Verdict::kWrong || verdict == Verdict::kError;
  const std::string symptom =
      answered ? symptom_of(smallest.what, smallest.right) : end_of(smallest);
  return absl::StrCat(std::string(to_text(verdict)), symptom.empty() ? "" : ", ", symptom, ": ",
                      structure_of(smallest.request));
}

std::string cause_of(const Report& report, const Failure& failure) {
  if (!failure.cause.empty()) return failure.cause;
  const Verdict verdict = report.records[failure.record].verdict;
  if (failure.smallest) return cause_line(verdict, *failure.smallest);
  if (!failure.not_shrunk.empty()) {
    return absl::StrCat(std::string(to_text(verdict)), ", not shrunk: ", op_of(failure.request));
  }
  const std::string whole = cause_of_any_request(verdict, failure);
  if (!whole.empty()) return whole;
  const std::string end = verdict == Verdict::kCrash ? exception_of(failure.errors) : "";
  return absl::StrCat(std::string(to_text(verdict)), end.empty() ? "" : ", ", end,
                      ", not shrunk: ", absl::StrJoin(features_of(failure.request), ", "));
}

std::map<std::string, Counts> counts_by_op(const Report& report) {
  std::map<std::string, Counts> counts;
  for (const Record& record : report.records) ++counts[report.op_of(record)][record.verdict];
  return counts;
}

std::vector<std::string> unmet_requirements(const Report& report) {
  if (!report.interrupted.empty()) return {};
  return unmet_requirements(report.requirements, counts_of(report));
}

std::vector<std::string> unmet_requirements(const Requirements& requirements, const Counts& cases) {
  std::vector<std::string> unmet;
  const int64_t inexact = count_of(cases, Verdict::kInexact);
  if (requirements.exact && inexact > 0) {
    unmet.push_back(absl::StrCat("--require-exact: ", inexact, " answers are inexact"));
  }
  int64_t all = 0;
  for (const auto& [verdict, count] : cases) all = checked_add(all, count).value_or(INT64_MAX);
  const int64_t answered = all - count_of(cases, Verdict::kUnsupported);
  const double share = static_cast<double>(answered) / static_cast<double>(all);
  if (requirements.coverage > 0 && !(share >= requirements.coverage)) {
    unmet.push_back(absl::StrCat("--require-coverage ", requirements.coverage, ": only ", answered,
                                 " of ", all, " requests were answered"));
  }
  return unmet;
}

std::vector<Problem> problems_of(const Report& report) {
  std::vector<Problem> problems;
  if (!report.interrupted.empty()) {
    problems.push_back({"interrupted", absl::StrCat("interrupted by ", report.interrupted)});
  }
  for (const std::string& line : report.beyond) problems.push_back({"protocol", line});
  for (const std::string& key : passing_expectations(report)) {
    problems.push_back({"expectation", absl::StrCat("expected to fail, but passes: ", key)});
  }
  for (const std::string& line : unmet_requirements(report)) {
    problems.push_back({"requirement", line});
  }
  return problems;
}

int exit_status(const Report& report) {
  const bool has_failed = std::ranges::any_of(report.records,
                                              [&](const Record& record) {
                                                return fails(record.verdict) &&
                                                       expectation_of(report, record) == nullptr;
                                              }) ||
                          !report.beyond.empty() || !passing_expectations(report).empty() ||
                          !unmet_requirements(report).empty();
  return exit_status(has_failed, !report.interrupted.empty(), counts_of(report));
}

int exit_status(bool has_failed, bool is_interrupted, const Counts& cases) {
  if (has_failed) return 1;
  if (count_of(cases, Verdict::kUndecided) > 0) return 3;
  const bool checked = std::ranges::any_of(
      cases, [](const auto& one) { return one.first != Verdict::kUnsupported && one.second > 0; });
  return !checked ? 2 : is_interrupted ? 3 : 0;
}

std::vector<Cluster> clusters_of(const Report& report) {
  std::map<std::string, Cluster> by_cause;
  std::map<std::string, Simplicity> best;
  for (const auto& [key, failure] : report.failures) {
    const std::string cause = cause_of(report, failure);
    const bool expected = expectation_of(report, report.records[key]) != nullptr;
    auto [found, is_new] = by_cause.try_emplace(cause, Cluster{cause, {}, key, true});
    Cluster& cluster = found->second;
    cluster.failures.push_back(key);
    // An unexpected failure is a better example than an expected one.
    Simplicity simplicity = simplicity_of(report, failure);
    const bool first = is_new || (cluster.expected && !expected);
    const bool better = expected == cluster.expected && simplicity < best[cause];
    if (first || better) {
      cluster.example = key;
      best[cause] = std::move(simplicity);
    }
    cluster.expected = cluster.expected && expected;
  }
  std::vector<Cluster> clusters;
  for (auto& [cause, cluster] : by_cause) clusters.push_back(std::move(cluster));
  std::sort(clusters.begin(), clusters.end(),
            [&best](const Cluster& a, const Cluster& b) { return best[a.cause] < best[b.cause]; });
  return clusters;
}

std::string cause_id(const std::string& cause) { return case_id(stable_hash(cause)); }

}  // namespace tileproof::conform
