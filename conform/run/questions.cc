// SPDX-License-Identifier: Apache-2.0
#include "conform/run/questions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/protocol/json.h"
#include "conform/run/screening.h"
#include "conform/suites/suites.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"

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

namespace {

using Index = std::vector<int64_t>;

constexpr int64_t kSampled = 256;  // indices, and offsets, that are asked of a larger array
constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;

// Every index, in row-major order; some of a large array.
Json::Array asked_indices(const Index& dims, bool whole, Choose& choose) {
  Json::Array indices;
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return indices;
  Index index(dims.size(), 0);
  for (bool more = true; whole && more; more = next_index(dims, index)) indices.push_back(index);
  while (!whole && std::ssize(indices) < kSampled) indices.push_back(random_index(choose, dims));
  return indices;
}

Json::Array asked_offsets(int64_t elements, bool whole, Choose& choose) {
  Json::Array offsets;
  for (int64_t i = 0; i < (whole ? elements : kSampled); ++i) {
    offsets.push_back(whole ? i : random_index(choose, {elements})[0]);
  }
  return offsets;
}

void add_lists(const char* op, const std::string& shape, const char* key, const Json::Array& items,
               std::vector<Json>& requests) {
  for (size_t from = 0; from < items.size(); from += kSweptAtOnce) {
    const auto start = items.begin() + static_cast<int64_t>(from);
    const size_t many = std::min(kSweptAtOnce, items.size() - from);
    requests.push_back(
        json_object({{"op", op},
                     {"shape", shape},
                     {key, Json::Array(start, start + static_cast<int64_t>(many))}}));
  }
}

}  // namespace

std::vector<Json> swept_requests(uint64_t seed, int64_t number, const Limits& limits) {
  Choose choose(
      Choose::Random{(seed + 1) * kOdd ^ static_cast<uint64_t>(number) * 0xd1342543de82ef95});
  const int64_t bits = std::clamp<int64_t>(limits.bits.value_or(64), 8, 64) - 6;
  const int64_t wanted = choose.pick<int64_t>({11, 8, 10, 12, 13, 24, 58});
  const Shape shape = random_shape(choose, int64_t{1} << std::min(bits, wanted));
  const std::string text = to_text(shape);
  const absl::StatusOr<spec::TiledLayout> layout = spec::tiled_layout_of_valid(shape);
  std::vector<Json> requests = {json_object({{"op", "layout.physical"}, {"shape", text}})};
  const bool is_within =
      within(requests[0], {limits.rank, limits.tiles, limits.bits, std::nullopt});
  if (!is_within || !layout.ok()) return {};
  const bool whole = layout->elements() <= kMaxSwept;
  add_lists("layout.linearize", text, "indices", asked_indices(layout->logical(), whole, choose),
            requests);
  add_lists("layout.delinearize", text, "offsets", asked_offsets(layout->elements(), whole, choose),
            requests);
  std::erase_if(requests, [&](const Json& request) { return !is_named(request, limits); });
  return requests;
}

void count_questions(const Json& request, SweepTotals& totals) {
  int64_t& count = totals.questions[*find_as<std::string>(request, "op")];
  for (const char* many : {"indices", "offsets"}) {
    if (const auto* items = find_as<Json::Array>(request, many)) count += std::ssize(*items);
  }
}

std::string to_text(const SweepTotals& totals) {
  const auto count = [&totals](const char* op) {
    const auto found = totals.questions.find(op);
    return found == totals.questions.end() ? int64_t{0} : found->second;
  };
  return absl::StrCat(totals.layouts, " layouts, ", count("layout.linearize"), " indices, ",
                      count("layout.delinearize"), " offsets");
}

}  // namespace tileproof::conform
