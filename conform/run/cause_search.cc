// SPDX-License-Identifier: Apache-2.0
#include "conform/run/cause_search.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "conform/judge/judge.h"
#include "conform/protocol/subprocess.h"
#include "conform/report/cause.h"
#include "conform/shrink/shrink.h"
#include "conform/shrink/text_form.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMaxAsked = 5000;    // requests to shrink one failure
constexpr int64_t kMaxRestarts = 400;  // the same for a crash, where each may end the program
constexpr int64_t kMaxDoubtful = 400;  // requests to tell one failure from the known causes
constexpr std::chrono::seconds kTimeOfOne(5), kWallOfOne(20);

constexpr int kMaxFruitless = 25;  // failures in a row that show no new cause
constexpr int kMaxBeyond = 10;     // Known::beyond, before others are taken for the same cause

constexpr char kBeyond[] = "beyond 64 bits";
constexpr char kSpent[] = "the requests and the time for shrinking were used up";

// A cause without features: the operation alone.
bool is_general(const std::set<std::string>& features) { return features.size() <= 1; }

// The features of a failure. What must be refused because it does not fit 64 bits is one cause, and
// so are wrong results where only such a refusal or the exact result is right. The latter may have
// another cause, too, so they keep their other features.
std::set<std::string> features_of_failure(Verdict verdict, const Json& request,
                                          const std::string& right) {
  std::set<std::string> features = features_of(request);
  if (verdict != Verdict::kError && verdict != Verdict::kWrong) return features;
  if (!is_beyond_64_bits(right)) return features;
  const Json* op = find(request, "op");
  if (verdict == Verdict::kError) features.clear();
  features.insert({kBeyond, op == nullptr ? "" : to_text(*op)});
  return features;
}

// The features of the cause that the smallest request of a failure shows.
std::set<std::string> features_of_cause(Verdict verdict, const Failing& found) {
  const std::set<std::string> features = features_of_failure(verdict, found.request, found.right);
  if (!features.contains(kBeyond)) return features;
  return features_of_failure(Verdict::kError, found.request, found.right);
}

}  // namespace

bool CauseSearch::Deadline::over() const {
  return std::clock() >= processor || std::chrono::steady_clock::now() >= wall ||
         Signals::received() != 0;
}

CauseSearch::Deadline CauseSearch::in(std::chrono::milliseconds time,
                                      std::chrono::milliseconds wall) {
  constexpr std::clock_t kPerMillisecond = CLOCKS_PER_SEC / 1000;
  return {std::clock() + static_cast<std::clock_t>(time.count()) * kPerMillisecond,
          std::chrono::steady_clock::now() + wall};
}

bool CauseSearch::over() const { return budget_.requests <= 0 || deadline_.over(); }

std::vector<CauseSearch::Candidate> CauseSearch::simplest_first(
    const std::vector<Candidate>& candidates) const {
  std::vector<std::pair<std::tuple<bool, int, size_t, size_t>, Candidate>> sorted;
  for (const Candidate& candidate : candidates) {
    const std::string text = to_text(report_.failures.at(candidate.key).request);
    const bool expected = expectation_of(report_, report_.records[candidate.key]) != nullptr;
    const auto bits = std::bit_width(largest_number(text));
    const int size = bits <= 31 ? 0 : bits <= 53 ? 1 : 2;
    sorted.push_back({{expected, size, text.size(), candidate.key}, candidate});
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Candidate> result;
  for (auto& [order, candidate] : sorted) result.push_back(candidate);
  return result;
}

// A result beyond 64 bits may be wrong for another reason than its size, because the exact one is
// right. Returns the known cause of wrong answers that smaller forms of the request have, or null.
CauseSearch::Known* CauseSearch::wrong_cause_below(const std::string& op, const Json& request,
                                                   Ask ask) {
  std::string line;
  int64_t left = kMaxDoubtful;
  const auto is_wrong = [&](const Json& smaller) -> std::optional<bool> {
    if (left-- <= 0 || over()) return std::nullopt;
    --budget_.requests;
    const std::optional<Probe> probe = ask(smaller);
    if (!probe) return std::nullopt;
    if (probe->verdict != Verdict::kWrong) return false;
    line = cause_line(Verdict::kWrong, probe->shown);
    return is_known(line, smaller) ? std::nullopt : std::optional(true);
  };
  smallest(suite_, limits_, {request, std::nullopt}, is_wrong, Effort::kNoPairs);
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
    return one.op == op && one.line == line;
  });
  return known == known_.end() ? nullptr : &*known;
}

// Whether the program said itself that it crashed where the cause is.
bool CauseSearch::is_at_place(const Known& known, const Failure& failure) {
  return !known.place.empty() && known.place == place_of_exception(failure.errors);
}

const CauseSearch::Known* CauseSearch::known_for(const Candidate& candidate) const {
  const Failure& failure = report_.failures.at(candidate.key);
  const Record& record = report_.records[candidate.key];
  const std::set<std::string> features =
      features_of_failure(record.verdict, failure.request, failure.right);
  const bool beyond = features.contains(kBeyond);
  const Known* general = nullptr;
  for (const Known& known : known_) {
    if (beyond && known.op == report_.op_of(record) && known.beyond >= kMaxBeyond) general = &known;
    if (known.op != report_.op_of(record) || known.verdict != record.verdict) continue;
    if (known.exception != exception_of(failure.errors)) continue;
    if (is_at_place(known, failure) || contains(features, known.features)) return &known;
    if (is_general(known.features)) general = &known;
  }
  return general;
}

bool CauseSearch::is_known(const std::string& line, const Json& request) const {
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&line](const Known& one) { return one.line == line; });
  return known != known_.end() && !is_smaller(to_text(request), known->smallest);
}

bool CauseSearch::is_explained(const Json& request) const {
  const std::set<std::string> features = features_of(request);
  return std::any_of(known_.begin(), known_.end(), [&features](const Known& known) {
    return contains(features, known.features);
  });
}

// Whether to ask a smaller form of a failing request at all. Only crashes are looked at, because each
// may end the program; other verdicts say so themselves (fails_alike).
bool CauseSearch::may_fail_alike(const Failure& failure, const Json& request) const {
  if (report_.records[failure.record].verdict != Verdict::kCrash) return true;
  return is_refused(failure.right) || !is_refused(to_text(likely_answer(request)));
}

bool CauseSearch::fails_alike(const Failure& failure, const Probe& probe) const {
  const Verdict verdict = report_.records[failure.record].verdict;
  if (probe.verdict != verdict) return false;
  const bool invalid = is_refused(failure.right), also = is_refused(probe.shown.right);
  if (also && !invalid) return false;
  if (verdict == Verdict::kError) return also == invalid;
  return verdict != Verdict::kCrash ||
         exception_of(probe.shown.errors) == exception_of(failure.errors);
}

// A smaller request that fails without the features of a known cause, or null. Features hardly
// depend on the values of two numbers, so pairs of numbers are not tried.
Json CauseSearch::without_known_features(const Candidate& candidate, Ask ask) {
  const Failure& failure = report_.failures.at(candidate.key);
  Json found;
  int64_t left = kMaxDoubtful;
  const auto fails_otherwise = [&](const Json& request) -> std::optional<bool> {
    if (over()) return std::nullopt;
    if (is_explained(request) || !may_fail_alike(failure, request)) return false;
    if (left-- <= 0) return std::nullopt;
    --budget_.requests;
    const std::optional<Probe> probe = ask(request);
    if (!probe) return std::nullopt;
    if (!fails_alike(failure, *probe)) return false;
    found = request;
    return std::nullopt;
  };
  smallest(suite_, limits_, {failure.request, candidate.random}, fails_otherwise, Effort::kNoPairs);
  return found;
}

// Shrinks a failure, from its own request or from another one that fails like it.
void CauseSearch::shrink(const Candidate& candidate, const Json& from, Ask ask) {
  Failure& failure = report_.failures.at(candidate.key);
  const Record& record = report_.records[candidate.key];
  const Deadline deadline = in(kTimeOfOne, kWallOfOne);
  int64_t left = record.verdict == Verdict::kCrash ? kMaxRestarts : kMaxAsked;
  bool ended = false;
  // The request itself is asked again, because a crash may happen only now and then.
  const auto still_fails = [&](const Json& request) -> std::optional<bool> {
    if (!deadline.over() && !may_fail_alike(failure, request)) return false;
    if (left-- <= 0 || budget_.requests-- <= 0 || deadline.over() || deadline_.over()) {
      ended = true;
      return std::nullopt;
    }
    std::optional<Probe> probe = ask(request);
    ended = !probe;
    if (!probe) return std::nullopt;
    if (!fails_alike(failure, *probe)) return false;
    failure.smallest = std::move(probe->shown);
    if (is_known(cause_line(record.verdict, *failure.smallest), request)) return std::nullopt;
    return true;
  };
  const bool itself = from == failure.request;
  failure.smallest = static_cast<const Failing&>(failure);
  if (!itself && !still_fails(from)) return;
  smallest(suite_, limits_, {from, itself ? candidate.random : std::nullopt}, still_fails);
  if (ended) failure.not_shrunk = kSpent;
  const std::string line = cause_line(record.verdict, *failure.smallest);
  const Json& found = failure.smallest->request;
  if (!ended && record.verdict == Verdict::kError && is_beyond_64_bits(failure.smallest->right)) {
    if (Known* wrong = wrong_cause_below(report_.op_of(record), found, ask)) {
      failure.cause = wrong->line;
      ++wrong->beyond;
      return;
    }
  }
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&line](const Known& one) { return one.line == line; });
  if (known == known_.end()) {
    known_.push_back({line, report_.op_of(record), record.verdict,
                      features_of_cause(record.verdict, *failure.smallest),
                      exception_of(failure.errors), place_of_exception(failure.errors),
                      to_text(found)});
  } else if (is_smaller(to_text(found), known->smallest)) {
    known->smallest = to_text(found);
  }
}

void CauseSearch::run(const std::vector<Candidate>& candidates, Ask ask) {
  deadline_ = in(budget_.time, budget_.wall);
  std::vector<Candidate> doubtful;
  int fruitless = 0;
  for (const Candidate& candidate : simplest_first(candidates)) {
    Failure& failure = report_.failures.at(candidate.key);
    const Known* known = known_for(candidate);
    const bool spent = over() || budget_.shrunk <= 0;
    if (known != nullptr && (known->features.contains(kBeyond) || is_at_place(*known, failure))) {
      failure.cause = known->line;
    } else if (known != nullptr && !is_general(known->features)) {
      doubtful.push_back(candidate);
    } else if (known != nullptr && (spent || fruitless > kMaxFruitless)) {
      failure.cause = known->line;
    } else if (spent) {
      failure.not_shrunk = kSpent;
    } else {
      --budget_.shrunk;
      const size_t before = known_.size();
      shrink(candidate, failure.request, ask);
      fruitless = known_.size() > before ? 0 : fruitless + 1;
    }
  }
  for (const Candidate& candidate : doubtful) {
    Failure& failure = report_.failures.at(candidate.key);
    if (!over() && budget_.doubtful-- > 0) {
      const Json other = without_known_features(candidate, ask);
      if (!other.is_null()) {
        shrink(candidate, other, ask);
        continue;
      }
    }
    failure.cause = known_for(candidate)->line;
  }
}

}  // namespace tileproof::conform
