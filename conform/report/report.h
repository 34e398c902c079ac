// What a run of the judge found, and how it is told: as text, as JSON, as JUnit's XML, and as SARIF
// (conform/report/sarif.h).
//
// A failure is three lines that can be pasted back, the reason (conform/report/reason.h) and a
// command that shows it:
//
//     wrong  layout.linearize  case a094a0541188e740, at its smallest:
//       request  {"id":"c4ad55dbafc647a1","op":"layout.linearize",
//                 "shape":"f32[2]{0:T(2)(2,1)}","index":[1]}          (one line)
//       answer   {"id":"c4ad55dbafc647a1","result":1}
//       right    {"id":"c4ad55dbafc647a1","result":2}
//       because  index (1) in [2]
//                split dimension 0 into tiles of 2: (0, 1) in [1, 2]
//                ..
//       again    echo '{"id":"c4ad55dbafc647a1",..}' | ./my_implementation
//
// The id is that of the case, so the request can be sent to any program as it stands.
//
// Failures of one cause are told once, with their number. The cause is what can be seen of it: the
// operation, the verdict, and the smallest request that fails without its numbers.
//
// The JSON schema is in docs/protocol.md. Source: INTERFACE, section 4.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/judge/judge.h"
#include "conform/protocol/protocol.h"

namespace tileproof::conform {

// A known failure: a case id or an operation, and why.
struct Expectation {
  std::string key;
  std::string reason;
};

// "15e8dd9403184cca  # only the first tile is done", one a line; empty lines and lines of a comment
// alone are skipped. Errors name the line.
absl::StatusOr<std::vector<Expectation>> parse_expectations(absl::string_view text);

// One case that was asked. There may be many millions; the names are in Report::names.
struct Record {
  uint64_t id = 0;
  uint32_t suite = 0;
  uint32_t op = 0;
  Verdict verdict = Verdict::kPass;
};

struct Failure {
  size_t record = 0;  // in Report::records
  Json request;       // as it was asked, without id
  std::string what;   // the program's answer, or what happened instead
  std::string again;  // flaky: what happened the second time
  std::string right;  // the right answer, where that is the question
  // The smallest request that fails in the same way, and what happened there; no value where it was
  // not looked for.
  struct Smallest {
    Json request;
    std::string what;
    std::string right;
  };
  std::optional<Smallest> smallest;
};

struct Report {
  std::vector<std::string> command;  // empty: recorded answers
  std::string name, version;         // what the program calls itself
  uint64_t seed = 0;
  int64_t shard = 0, shards = 1;   // of the cases, every shards-th from this one
  std::vector<std::string> names;  // of suites and operations
  std::vector<Record> records;
  std::map<size_t, Failure> failures;            // by record
  std::map<std::string, int64_t> unsupported;    // by reason
  std::map<std::string, int64_t> undecided;      // by reason
  std::map<std::string, std::string> not_asked;  // by suite: why it was left
  std::map<std::string, int64_t> beyond_limits;  // by suite: made, but not asked
  std::vector<std::string> scope;                // what was gone through, one line each
  std::vector<std::string> notes;                // about the program, no verdicts
  std::vector<std::string> beyond;               // failures without a case: stray answers
  std::vector<Expectation> expectations;

  const std::string& suite_of(const Record& record) const { return names[record.suite]; }
  const std::string& op_of(const Record& record) const { return names[record.op]; }
};

// The number of a name in Report::names, new or old.
uint32_t number_of(Report& report, absl::string_view name);

// Expectations that are not met: each a case, or an operation, that was asked and passes.
std::vector<std::string> passing_expectations(const Report& report);

// Counts the reason of a judgement that is neither pass nor failure.
void count_reason(Report& report, const Judgment& judgment);

// The expectation that a record falls under, or null.
const Expectation* expectation_of(const Report& report, const Record& record);

// What failures of one cause have in common, as a line.
std::string cause_of(const Report& report, const Failure& failure);

// One failure, as in the text.
std::string failure_text(const Report& report, const Failure& failure);

// 0 it holds; 1 a counterexample, or an expected one that passes; 2 nothing was checked; 3 the
// judge could not decide about an answer.
int exit_status(const Report& report);

std::string to_text(const Report& report);
Json to_json(const Report& report);
std::string to_junit(const Report& report);

// The text with entities in place of what XML and HTML take for their own.
std::string with_entities(absl::string_view text);

}  // namespace tileproof::conform
