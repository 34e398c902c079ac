// SPDX-License-Identifier: Apache-2.0
#include "conform/run/conform.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/protocol/subprocess.h"
#include "conform/report/vectors.h"
#include "conform/run/crew.h"
#include "conform/run/questions.h"
#include "conform/run/suite_run.h"
#include "spec/lang/base/try.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMostFoundById =
    10'000;  // a count with which --case finds all cases, steered too

// Says for each id why no case was asked: the limits of the program's hello, or nobody knows it.
void append_not_found(const ConformOptions& options, const Limits& limits,
                      std::set<std::string> wanted, std::vector<std::string>& notes) {
  const bool limited = limits.rank || limits.tiles || limits.bits || limits.ops;
  for (const Suite* suite : options.suites) {
    if (!limited || options.exhaustive) break;
    Cases cases(*suite, options.seed, {});
    for (int64_t i = 0; i < kMaxSearched && !wanted.empty(); ++i) {
      const std::optional<Case> made = cases.next();
      if (!made) break;
      const std::string id = case_id(case_hash(made->request));
      if (wanted.erase(id) == 0) continue;
      notes.push_back(absl::StrCat("case ", id,
                                   is_named(made->request, limits)
                                       ? " is beyond the limits of your hello: "
                                       : " asks for an operation that your hello does not name: ",
                                   shown(to_text(made->request), 300)));
    }
  }
  for (const std::string& id : wanted) notes.push_back(absl::StrCat("found no case ", id));
}

// Judges recorded requests and answers.

struct Recorded {
  std::vector<Json> requests;               // without id
  std::map<std::string, size_t> by_id;      // from the text of an id to its request
  std::map<std::string, size_t> greetings;  // ids of hello requests, which are not judged
};

absl::Status at_line(size_t line, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("requests, line ", line, ": ", message));
}

absl::StatusOr<Recorded> read_requests(absl::string_view text) {
  Recorded recorded;
  Lines lines;
  lines.add(text);
  lines.end();
  std::map<std::string, size_t> first;
  size_t number = 0;
  while (const std::optional<Lines::Line> line = lines.next()) {
    ++number;
    if (line->too_long) return at_line(number, "expected at most 16 MiB");
    std::variant<Request, Answer> read = read_request(line->text);
    if (const auto* refused = std::get_if<Answer>(&read)) return at_line(number, refused->why);
    Request& request = std::get<Request>(read);
    const std::string id = to_text(request.id);
    const auto [before, is_new] = first.emplace(id, number);
    if (!is_new) {
      return at_line(
          number, absl::StrCat("id ", shown(id, 40), " was already used on line ", before->second));
    }
    remove(request.fields, "id");
    remove_vector_keys(request.fields);
    if (request.op == "hello") {
      recorded.greetings.emplace(id, number);
    } else {
      recorded.by_id.emplace(id, recorded.requests.size());
      recorded.requests.push_back(std::move(request.fields));
    }
  }
  return recorded;
}

// The form of integers that the answer to a hello promises.
IntegerForm form_of(const Recorded& recorded, absl::string_view answers) {
  if (recorded.greetings.empty()) return IntegerForm::kJson;
  Lines lines;
  lines.add(answers);
  lines.end();
  while (const std::optional<Lines::Line> line = lines.next()) {
    const absl::StatusOr<Answer> answer = read_answer(line->text);
    if (!answer.ok() || !recorded.greetings.contains(to_text(answer->id))) continue;
    const absl::StatusOr<Hello> hello = read_hello(*answer);
    return hello.ok() ? hello->integers : IntegerForm::kJson;
  }
  return IntegerForm::kJson;
}

// What became of a recorded request.
struct RecordedJudgment {
  Verdict verdict = Verdict::kPass;
  std::optional<Failing> failing = {};
};

RecordedJudgment protocol_failure(const Json& request, std::string what, std::string right = "") {
  return {Verdict::kProtocol, Failing{request, std::move(what), std::move(right)}};
}

RecordedJudgment judge_one(Report& report, const Json& request, Answer answer, IntegerForm form) {
  if (form == IntegerForm::kString && answer.kind == Answer::Kind::kResult) {
    if (!integers_from_strings(answer).ok()) {
      return protocol_failure(
          request,
          absl::StrCat("hello promised decimal strings, found bare numbers: ", to_text(answer)));
    }
  }
  Judgment judgment = judge(request, answer);
  count_reason(report, judgment);
  Json json = to_json(answer);
  remove(json, "id");
  if (!fails(judgment.verdict)) return {judgment.verdict};
  return {judgment.verdict, Failing{request, to_text(json), std::move(judgment.right)}};
}

}  // namespace

absl::StatusOr<Report> conform(const ConformOptions& given) {
  ConformOptions options = given;
  Report report;
  report.found_by_id =
      !options.plugin && !options.exhaustive && options.count && *options.count <= kMostFoundById;
  report.command = options.command;
  report.seed = options.seed;
  report.shard = options.shard;
  report.shards = options.shards;
  report.expectations = options.expectations;
  report.requirements = options.requirements;
  const std::unique_ptr<Crew> crew = TRY(Crew::start(options.command, options.timeout, options.jobs,
                                                     options.right_answers, options.tell));
  report.name = crew->hello().name;
  report.version = crew->hello().version;
  report.hello = crew->hello();
  if (options.suites.empty()) options.suites = default_suites(report.hello.limits);

  std::set<std::string> wanted(options.cases.begin(), options.cases.end());
  const auto start = std::chrono::steady_clock::now();
  absl::Status status;
  bool enough = false;
  std::vector<size_t> records_of_keys;
  size_t whole = 0;  // suites that were run to the end
  for (size_t i = 0; i < options.suites.size() && status.ok() && !enough; ++i) {
    std::optional<std::chrono::steady_clock::time_point> deadline;
    if (options.time) {
      const auto parts = static_cast<int64_t>(options.suites.size());
      deadline = start + *options.time * (static_cast<int64_t>(i) + 1) / parts;
    }
    SuiteRun run(options, *options.suites[i], *crew, report, records_of_keys);
    status = run.run(wanted, deadline);
    enough = run.enough();
    whole += status.ok() ? 1 : 0;
    if ((enough || i + 1 == options.suites.size()) && status.ok()) {
      crew->finish([&run](const Ticket& t, Outcome o) { run.settle(judged(t, std::move(o))); });
    }
  }
  if (absl::IsFailedPrecondition(status)) return status;  // the program does not run
  if (absl::IsCancelled(status)) {
    report.interrupted = signal_text(Signals::received());
    for (; whole < options.suites.size(); ++whole) {
      report.not_asked[std::string(options.suites[whole]->name)] =
          absl::StrCat("interrupted by ", report.interrupted);
    }
  } else if (!status.ok()) {
    const absl::string_view why = status.message();
    report.beyond.push_back(absl::StrCat("the program could not be restarted: ", why));
  }
  append_not_found(options, crew->hello().limits, std::move(wanted), report.notes);
  for (const std::string& note : crew->notes()) report.notes.push_back(note);
  return report;
}

absl::StatusOr<Report> judge_files(absl::string_view requests, absl::string_view answers) {
  Recorded recorded = TRY(read_requests(requests));
  const IntegerForm form = form_of(recorded, answers);
  for (Json& request : recorded.requests) {
    if (form != IntegerForm::kString) break;
    absl::StatusOr<Json> decoded = integers_from_strings(request);
    if (decoded.ok()) request = *std::move(decoded);
  }
  Report report;
  std::vector<std::optional<RecordedJudgment>> judged(recorded.requests.size());
  Lines lines;
  lines.add(answers);
  lines.end();
  while (const std::optional<Lines::Line> line = lines.next()) {
    if (Signals::received() != 0) {
      report.interrupted = signal_text(Signals::received());
      report.not_asked["recorded"] = absl::StrCat("interrupted by ", report.interrupted);
      break;
    }
    absl::StatusOr<Answer> answer = absl::InvalidArgumentError("expected at most 16 MiB");
    if (!line->too_long) answer = read_answer(line->text);
    if (!answer.ok()) {
      report.beyond.push_back(absl::StrCat("not an answer: ", shown(line->text)));
      continue;
    }
    const std::string id = to_text(answer->id);
    const auto found = recorded.by_id.find(id);
    if (found == recorded.by_id.end()) {
      if (!recorded.greetings.contains(id)) {
        report.beyond.push_back(absl::StrCat("unknown id: ", shown(line->text)));
      }
      continue;
    }
    const Json& request = recorded.requests[found->second];
    std::optional<RecordedJudgment>& one = judged[found->second];
    one = one ? protocol_failure(request, absl::StrCat("a second answer: ", shown(line->text)))
              : judge_one(report, request, *std::move(answer), form);
  }
  const uint32_t suite = number_of(report, "recorded");
  for (size_t i = 0; i < judged.size(); ++i) {
    const Json& request = recorded.requests[i];
    if (!judged[i]) {
      if (!report.interrupted.empty()) continue;
      judged[i] = protocol_failure(request, "no answer", to_text(right_answer(request)));
    }
    const size_t record = report.records.size();
    const uint32_t op = number_of(report, *find_as<std::string>(request, "op"));
    report.records.push_back({case_hash(request), suite, op, judged[i]->verdict});
    if (!judged[i]->failing) continue;
    Failure& failure = report.failures[record];
    static_cast<Failing&>(failure) = *std::move(judged[i]->failing);
    failure.record = record;
  }
  return report;
}

}  // namespace tileproof::conform
