// SPDX-License-Identifier: Apache-2.0
// What a run of the judge found, and its text, JSON and JUnit XML. conform/report/report.h writes
// SARIF.
//
// The text shows a failure as lines that can be pasted back: the request, the answer, the right
// answer, the reason (conform/report/cause.h) and a command that shows the failure again.
//
//     wrong  layout.linearize  case a094a0541188e740, at its smallest:
//       request  {"id":"c4ad55dbafc647a1","op":"layout.linearize",
//                 "shape":"f32[2]{0:T(2)(2,1)}","index":[1]}          (one line)
//       answer   {"id":"c4ad55dbafc647a1","result":1}
//       right    {"id":"c4ad55dbafc647a1","result":2}
//       because  index (1) in [2]
//                split dimension 0 into tiles of 2: (0, 1) in [1, 2]
//                ..
//       again    tileproof conform --suite layout --case a094a0541188e740 -- ./my_implementation
//
// The id of a request is its case id, and the request can be sent to any program unchanged. If
// --case would not find the case, `again` sends the request to the program.
//
// Failures of one cause are shown once, with their number (conform/report/report.h).
//
// The JSON schema is in docs/protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/judge/judge.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"

namespace tileproof::conform {

// A known failure: a case id or an operation, and why.
struct Expectation {
  std::string key;
  std::string reason;
};

// Parses one expectation on each line: "15e8dd9403184cca  # only the first tile is done". Skips
// empty lines and comments. Errors name the line.
absl::StatusOr<std::vector<Expectation>> parse_expectations(absl::string_view text);

// One case that was asked. A run may have many millions, so names are numbers in Report::names.
struct Record {
  uint64_t id = 0;
  uint32_t suite = 0;
  uint32_t op = 0;
  Verdict verdict = Verdict::kPass;
  std::string title = {};  // a short question, if the run keeps titles (conform/run/questions.cc)
};

// A request that fails, and how.
struct Failing {
  Json request;             // without id
  std::string what;         // the program's answer, or what happened instead
  std::string right;        // the right answer; may be empty if the verdict is not about an answer
  std::string errors = {};  // the end of what a program that ended printed on standard error
};

struct Failure : Failing {
  size_t record = 0;  // in Report::records
  std::string again;  // what happened the second time, if it was something else
  // The smallest request found that fails in the same way. No value if the failure was not shrunk.
  std::optional<Failing> smallest;
  std::string not_shrunk;  // why there is no smallest request, if one was looked for
  // The cause of another failure, which this one is taken for. Empty: cause_of() finds it.
  std::string cause;

  const Failing& shown() const { return smallest ? *smallest : *this; }
};

// A feature with which the program crashed or timed out. Requests with it were not asked.
struct ScreenedFeature {
  std::string suite;
  std::string feature;  // conform/run/screening.h
  std::string why;      // "5 times: signal 6"
  int64_t requests = 0;
};

// What must hold besides "nothing failed".
struct Requirements {
  bool exact = false;   // --require-exact: no answer is inexact
  double coverage = 0;  // --require-coverage: this share of the requests is answered
};

struct Report {
  std::vector<std::string> command;  // empty: recorded answers
  std::string name, version;         // from the program's answer to hello
  Hello hello;                       // the form in which the program takes requests
  uint64_t seed = 0;
  bool found_by_id = false;        // --case finds each case of this run again
  int64_t shard = 0, shards = 1;   // case i was asked if i % shards == shard
  std::vector<std::string> names;  // of suites and operations
  std::vector<Record> records;
  std::map<size_t, Failure> failures;            // by record
  std::map<std::string, int64_t> unsupported;    // by reason
  std::map<std::string, int64_t> undecided;      // by reason
  std::map<std::string, std::string> not_asked;  // by suite: why it was stopped
  std::map<std::string, int64_t> beyond_limits;  // by suite: requests beyond the limits
  std::map<std::string, int64_t> unnamed_ops;    // by suite: about operations that hello leaves out
  std::map<std::string, int64_t> undecidable;    // by suite: requests that the judge cannot judge
  std::vector<ScreenedFeature> screened;
  std::vector<std::string> scope;   // what the run covered, one line each
  std::vector<std::string> notes;   // about the program; not failures
  std::vector<std::string> beyond;  // failures without a case: stray answers
  std::string interrupted;          // by which signal: only what was judged before is here
  std::vector<Expectation> expectations;
  Requirements requirements;

  const std::string& suite_of(const Record& record) const { return names[record.suite]; }
  const std::string& op_of(const Record& record) const { return names[record.op]; }
};

// The number of a name in Report::names; adds the name if it is new.
uint32_t number_of(Report& report, absl::string_view name);

// The cases and operations that were expected to fail, but were asked and passed. None of a run that
// was interrupted: others might have failed.
std::vector<std::string> passing_expectations(const Report& report);

// The cases and operations that were expected to fail, but never asked.
std::vector<std::string> unasked_expectations(const Report& report);

using Counts = std::map<Verdict, int64_t>;
std::map<std::string, Counts> counts_by_op(const Report& report);

// One line for each requirement that does not hold. None of a run that was interrupted.
std::vector<std::string> unmet_requirements(const Report& report);
std::vector<std::string> unmet_requirements(const Requirements& requirements, const Counts& cases);

// Something that makes a run fail besides its cases. The kinds are stray lines, expectations that pass,
// requirements that do not hold, and an interruption.
struct Problem {
  const char* kind;
  std::string text;
};
std::vector<Problem> problems_of(const Report& report);

// Counts the reason of an unsupported or undecided judgment.
void count_reason(Report& report, const Judgment& judgment);

// The expectation for the case or the operation of a record, or null.
const Expectation* expectation_of(const Report& report, const Record& record);

// A line that is equal for failures of one cause: the verdict, the symptom and the structure of the
// smallest request (conform/report/cause.h). A failure that was not shrunk shows only its features;
// if there was no time to shrink it, only its operation.
std::string cause_of(const Report& report, const Failure& failure);

// The same for a request that is the smallest that fails. All lines that are no JSON object are one
// cause, and so are all answers of an operation beyond 64 bits: they hardly depend on the request.
std::string cause_line(Verdict verdict, const Failing& smallest);

// The explanation of a failure (conform/report/cause.h). Empty if there was no answer to judge.
std::vector<std::string> reason_of(const Report& report, const Failure& failure);

// One failure, as in the text.
std::string failure_text(const Report& report, const Failure& failure);

//     0  all checked cases pass, or fail as expected
//     1  an unexpected failure, an expected one that passes, or a requirement that does not hold
//     2  nothing was checked
//     3  the judge could not decide about an answer, or the run was interrupted
int exit_status(const Report& report);
int exit_status(bool has_failed, bool is_interrupted, const Counts& cases);

// Every cause is shown as above. If `brief`, only the first ones are, and each other one is a line.
std::string to_text(const Report& report, bool brief = false);

// The last line of the text: what the exit status means for this report.
std::string conclusion(const Report& report);

Json to_json(const Report& report);
std::string to_junit(const Report& report);

// Replaces & < > and " by XML entities.
std::string with_entities(absl::string_view text);

// Groups the failures of a report by their cause.
//
//     70 failures of map.simplify, of 5 causes, are 5 clusters; the report shows one example of
//     each, at its smallest, with the number of failures
//
// Failures belong to one cluster if cause_of() returns the same line. The example is the failure
// with the smallest request. Wrong results and crashes come before the verdicts `error` and
// `protocol`. Of these, clusters whose examples have numbers of ordinary size come first, and
// those that need numbers near 2^63 come last; then arrays with elements come before empty ones,
// the place of an element before the sizes of a layout, and short examples before long ones.

struct Cluster {
  std::string cause;
  std::vector<size_t> failures;  // keys of Report::failures; at least one
  size_t example = 0;            // one of them
  bool expected = false;         // all of them are expected to fail
};

std::vector<Cluster> clusters_of(const Report& report);

// 16 hexadecimal digits: a hash of the cause, the same in every run.
std::string cause_id(const std::string& cause);

// A report in SARIF 2.1.0, which code review tools show beside the change.
//
// The log has one run, a rule for each operation and verdict that occurs, and a result for each
// failure. The level of a result is `error`, or `note` if the failure is expected. Its message is
// the failure's text: request, answer, right answer and reason. Its fingerprints are the case id
// and the id of its cause; failures of one cause share the latter.
// Source: OASIS, Static Analysis Results Interchange Format, version 2.1.0.

std::string to_sarif(const Report& report);

// A log of SARIF with these rules and results.
std::string sarif_log(Json::Array rules, Json::Array results, bool is_successful, int exit_code);

}  // namespace tileproof::conform
