// SPDX-License-Identifier: Apache-2.0
#include "conform/run/questions.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
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

using Source = std::function<std::optional<Case>()>;

// `dropped` counts the requests that the program is not asked.
Source all_cases(const ConformOptions& options, const Suite& suite, const Limits& limits,
                 std::shared_ptr<NotAsked> dropped) {
  if (!options.exhaustive) {
    return [cases = Cases(suite, options.seed, limits), dropped]() mutable {
      std::optional<Case> made = cases.next();
      dropped->beyond = cases.not_asked().beyond;
      dropped->unnamed = cases.not_asked().unnamed;
      return made;
    };
  }
  Family family;
  if (suite.family != nullptr) family = suite.family();
  return [fixed = suite.fixed(), position = size_t{0}, family, limits, dropped]() mutable {
    while (true) {
      std::optional<Json> request;
      if (position < fixed.size()) {
        request = fixed[position++];
      } else if (family) {
        request = family();
      }
      if (!request) return std::optional<Case>();
      if (within(*request, limits)) return std::optional(Case{*std::move(request), {}});
      ++(is_named(*request, limits) ? dropped->beyond : dropped->unnamed);
    }
  };
}

int64_t most_cases(const ConformOptions& options) {
  if (options.exhaustive) return INT64_MAX;
  const int64_t count = options.count.value_or(INT64_MAX);
  if (options.cases.empty()) return count;
  return std::max(kMaxSearched, options.count.value_or(0));
}

// The cases that this run asks, as questions.
std::function<std::optional<Question>()> maker(const ConformOptions& options, const Suite& suite,
                                               const Hello& hello, std::set<std::string> wanted,
                                               int64_t skipped, std::shared_ptr<NotAsked> dropped) {
  return [source = all_cases(options, suite, hello.limits, dropped), by_id = !options.cases.empty(),
          valid_only = options.valid_only, titles = options.titles, most = most_cases(options),
          shard = options.shard, shards = options.shards, hello, wanted = std::move(wanted),
          skipped, dropped, position = int64_t{0}]() mutable -> std::optional<Question> {
    while (position < most && !(by_id && wanted.empty())) {
      std::optional<Case> made = source();
      if (!made) break;
      const bool mine = position >= skipped && position % shards == shard;
      ++position;
      if (by_id ? wanted.erase(case_id(case_hash(made->request))) == 0 : !mine) continue;
      Question question = question_about(made->request, hello);
      question.ticket.random = made->random;
      if (titles) question.title = title_of(question.ticket.request);
      if (valid_only && !by_id && question.ticket.error_expected) continue;
      if (!by_id && question.ticket.error_expected && is_undecidable(made->request)) {
        ++dropped->undecidable;
        continue;
      }
      question.not_asked = *dropped;
      return question;
    }
    return std::nullopt;
  };
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
    : not_asked_(std::make_shared<NotAsked>()),
      make_(maker(options, suite, hello, std::move(wanted), skipped, not_asked_)) {}

}  // namespace tileproof::conform
