// SPDX-License-Identifier: Apache-2.0
#include "conform/run/questions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "conform/judge/judge.h"
#include "conform/oracle/parsed.h"
#include "conform/protocol/json.h"
#include "conform/run/screening.h"

namespace tileproof::conform {
namespace {

// A short title of a request, for reports that name every case:
//
//     {"op":"layout.linearize","shape":"f32[2]{0:T(1)}","index":[1]}      f32[2]{0:T(1)} [1]

constexpr size_t kLongestTitle = 100;

// `request` is JSON text. Longer titles end with "..".
std::string title_of(absl::string_view request) {
  const auto json = read_json(request);
  const Json::Object* members = json.ok() ? json->value.as<Json::Object>() : nullptr;
  std::string title;
  if (members == nullptr) return title;
  for (const auto& [key, value] : *members) {
    if (key == "op" || key == "id") continue;
    const auto* text = value.as<std::string>();
    absl::StrAppend(&title, title.empty() ? "" : " ", text != nullptr ? *text : to_text(value));
    if (title.size() > kLongestTitle) {
      title.resize(kLongestTitle);
      title += "..";
      break;
    }
  }
  return absl::StrReplaceAll(title, {{"\n", " "}});
}

constexpr size_t kUsualLine = 160;  // the bytes of a typical request

int64_t most_cases(const ConformOptions& options) {
  if (options.exhaustive) return INT64_MAX;
  const int64_t count = options.count.value_or(INT64_MAX);
  if (options.cases.empty()) return count;
  return std::max(kMaxSearched, options.count.value_or(0));
}

}  // namespace

Question question_about(const Json& request, const Hello& hello) {
  Question question;
  question.id = case_hash(request);
  question.op = *find(request, "op")->as<std::string>();
  question.ticket.request.reserve(kUsualLine);
  append_text(question.ticket.request, request);
  if (!asked_as_it_is(hello)) question.ticket.sent = text_to_send(request, hello);
  Expected expected = expected_answer(request);
  question.ticket.error_expected = expected.error;
  question.ticket.features = screened_features(question.ticket.request);
  if (expected.result) {
    Json& result = *expected.result;
    if (hello.integers == IntegerForm::kString) result = integers_to_strings(result);
    append_text(question.ticket.expected, result);
  }
  return question;
}

Questions::Questions(const ConformOptions& options, const Suite& suite, const Hello& hello,
                     std::set<std::string> wanted, int64_t skipped)
    : options_(options),
      hello_(hello),
      wanted_(std::move(wanted)),
      skipped_(skipped),
      most_(most_cases(options)),
      cases_(suite, options.seed, hello.limits) {
  if (!options.exhaustive) return;
  fixed_ = suite.fixed();
  if (suite.family != nullptr) family_ = suite.family();
}

// The next case within the limits: of the whole family, or random.
std::optional<Case> Questions::next_case() {
  if (!options_.exhaustive) {
    std::optional<Case> made = cases_.next();
    not_asked_.beyond = cases_.not_asked().beyond;
    not_asked_.unnamed = cases_.not_asked().unnamed;
    return made;
  }
  while (true) {
    std::optional<Json> request;
    if (next_fixed_ < fixed_.size()) {
      request = fixed_[next_fixed_++];
    } else if (family_) {
      request = family_();
    }
    if (!request) return std::nullopt;
    if (within(*request, hello_.limits)) return Case{*std::move(request), {}};
    ++(is_named(*request, hello_.limits) ? not_asked_.beyond : not_asked_.unnamed);
  }
}

std::optional<Question> Questions::next() {
  const bool by_id = !options_.cases.empty();
  while (position_ < most_ && !(by_id && wanted_.empty())) {
    const std::optional<Case> made = next_case();
    if (!made) break;
    const bool mine = position_ >= skipped_ && position_ % options_.shards == options_.shard;
    ++position_;
    if (by_id ? wanted_.erase(case_id(case_hash(made->request))) == 0 : !mine) continue;
    Question question = question_about(made->request, hello_);
    question.ticket.random = made->random;
    if (options_.titles) question.title = title_of(question.ticket.request);
    if (!by_id && question.ticket.error_expected) {
      if (options_.valid_only) continue;
      if (is_undecidable(made->request)) {
        ++not_asked_.undecidable;
        continue;
      }
    }
    question.not_asked = not_asked_;
    return question;
  }
  return std::nullopt;
}

}  // namespace tileproof::conform
