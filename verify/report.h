// What a run of the judge found, and how it is told: as text, as JSON, as JUnit's XML.
//
// A failure is three lines that can be pasted back:
//
//     wrong  layout.linearize  case cd0b46cf5bfb4f1e
//       request  {"id":"cd0b46cf5bfb4f1e","op":"layout.linearize","shape":"f32[3]{0:T(2)}",..}
//       answer   {"id":"cd0b46cf5bfb4f1e","result":1}
//       right    {"id":"cd0b46cf5bfb4f1e","result":2}
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
#include "verify/judge.h"
#include "verify/protocol.h"

namespace tileproof::verify {

// A known failure: a case id or an operation, and why.
struct Expectation {
  std::string key;
  std::string reason;
};

// "cd0b46cf5bfb4f1e  # only the first tile is done", one a line; empty lines and lines of a comment
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
  std::vector<std::string> names;  // of suites and operations
  std::vector<Record> records;
  std::map<size_t, Failure> failures;            // by record
  std::map<std::string, int64_t> unsupported;    // by reason
  std::map<std::string, std::string> not_asked;  // by suite: why it was left
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

// The expectation that a record falls under, or null.
const Expectation* expectation_of(const Report& report, const Record& record);

// 0 it holds; 1 a counterexample, or an expected one that passes; 2 nothing was checked.
int exit_status(const Report& report);

std::string to_text(const Report& report);
Json to_json(const Report& report);
std::string to_junit(const Report& report);

}  // namespace tileproof::verify
