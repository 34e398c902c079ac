// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets/request_inputs.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/suites.h"
#include "fuzz/targets/text_mutations.h"
#include "generate/layout/generate_nested.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof {
namespace {

using conform::Form;
using conform::Json;

template <class List>
size_t place_in(Choose& choose, const List& list) {
  return static_cast<size_t>(choose(std::ssize(list)));
}

// Returns the fixed requests of all suites.
const std::vector<Json>& fixed_requests() {
  static const std::vector<Json> requests = [] {
    std::vector<Json> list;
    for (const conform::Suite& suite : conform::suites())
      for (Json& request : suite.fixed()) list.push_back(std::move(request));
    return list;
  }();
  return requests;
}

// Returns a request about the layout algebra, which no suite has. Operations ignore unknown keys.
Json algebra_request(Choose& choose) {
  static const std::vector<absl::string_view> names = [] {
    std::vector<absl::string_view> list;
    for (const conform::Operation& operation : conform::operations())
      if (operation.answer == conform::tla_algebra) list.push_back(operation.name);
    return list;
  }();
  const std::string by = choose.chance(1, 3)
                             ? absl::StrCat("(", choose.between(1, 8), ",", choose(9), ")")
                             : to_text(random_compact_layout(choose, 16));
  return conform::json_object({{"op", choose.pick(names)},
                               {"layout", to_text(random_compact_layout(choose, 64))},
                               {"by", by},
                               {"size", choose(100)}});
}

// A request of any operation, without an id.
Json any_request(Choose& choose) {
  if (choose.chance(1, 4)) return algebra_request(choose);
  if (choose.chance(1, 4)) return fixed_requests()[place_in(choose, fixed_requests())];
  const conform::Suite& suite = conform::suites()[place_in(choose, conform::suites())];
  return suite.make(choose, conform::Limits());
}

std::string another_nested(Choose& choose, absl::string_view text) {
  absl::StatusOr<NestedLayout> layout = parse_nested_layout(text);
  if (!layout.ok() || choose.chance(1, 8)) return to_text(random_compact_layout(choose, 64));
  mutate_nested_layout(choose, *layout);
  return to_text(*layout);
}

// Changes a text by what its key says it is; nothing if that is not known.
std::optional<std::string> mutated_text(Choose& choose, absl::string_view key,
                                        absl::string_view text) {
  switch (conform::form_of(key)) {
    case Form::kShape:
      return mutated_shape(choose, text);
    case Form::kHlo:
      return mutated_hlo(choose, text);
    case Form::kLayout:
      return another_nested(choose, text);
    case Form::kMap:
      return mutated_map(choose, text);
    case Form::kOther:
      break;
  }
  return std::nullopt;
}

// Changes a value: as its key says, to that of another request, or in a number.
Json mutated_value(Choose& choose, absl::string_view key, const Json& value) {
  constexpr int kTries = 4;
  if (choose.chance(1, 32))
    return choose.pick<Json>({Json(), Json(true), Json::Array{}, Json::Object{}, "", 0});
  const auto* text = value.as<std::string>();
  if (text != nullptr) {
    if (std::optional<std::string> other = mutated_text(choose, key, *text)) return *other;
  }
  for (int i = 0; i < kTries && (text != nullptr || choose.chance(1, 8)); ++i) {
    const Json request = any_request(choose);
    const Json* other = find(request, key);
    if (other != nullptr && !(*other == value)) return *other;
  }
  const auto changed = conform::read_json(with_other_number(choose, conform::to_text(value)));
  if (changed.ok() && !(changed->value == value)) return changed->value;
  return Json::Array{value};  // as in a coordinate
}

std::string mutated_line(Choose& choose, absl::string_view line) {
  absl::StatusOr<conform::JsonText> json = conform::read_json(line);
  auto* members = json.ok() ? json->value.as<Json::Object>() : nullptr;
  if (members == nullptr || members->empty() || choose.chance(1, 24)) return random_request(choose);
  for (int64_t changes = choose.between(1, 2); changes > 0 && !members->empty(); --changes) {
    const size_t at = place_in(choose, *members);
    conform::Member& member = (*members)[at];
    if (choose.chance(1, 32)) {
      members->erase(members->begin() + static_cast<int64_t>(at));
    } else {
      member.value = mutated_value(choose, member.key, member.value);
    }
  }
  return conform::to_text(json->value);
}

std::string answer_difference(absl::string_view line, conform::Engine engine,
                              verify::CaseCounts& tally) {
  const std::string text = conform::answer_line(line, engine);
  if (absl::StrContains(text, '\n')) return "an answer of two lines";
  const absl::StatusOr<conform::Answer> answer = conform::read_answer(text);
  if (!answer.ok()) return absl::StrCat("an invalid answer: ", answer.status().message());
  const bool is_result = answer->kind == conform::Answer::Kind::kResult;
  tally["read"] += is_result ? 1 : 0;
  const auto request = conform::read_request(line);
  const auto* good = std::get_if<conform::Request>(&request);
  if (good == nullptr)
    return answer->kind == conform::Answer::Kind::kError ? "" : "an invalid line has a result";
  if (answer->id != good->id) return "the answer has another id";
  const conform::Judgment judgment = conform::judge(good->fields, *answer);
  if (!conform::fails(judgment.verdict)) return "";
  return absl::StrCat("judged ", conform::to_text(judgment.verdict), " of ",
                      engine == conform::Engine::kSpec ? "spec" : "impl", " for ", good->op);
}

}  // namespace

std::string answers_difference(absl::string_view text, verify::CaseCounts& tally) {
  conform::Lines lines;
  lines.add(text);
  lines.end();
  while (const std::optional<conform::Lines::Line> line = lines.next()) {
    const std::string copy(line->text);
    for (const conform::Engine engine : {conform::Engine::kImpl, conform::Engine::kSpec}) {
      const std::string found = answer_difference(copy, engine, tally);
      if (!found.empty()) {
        return absl::StrCat(found, " at the request: printf '%s\\n' $'", absl::CEscape(copy),
                            "' | tileproof respond");
      }
    }
  }
  return "";
}

std::string random_request(Choose& choose) {
  const Json id = choose(100);
  return conform::to_text(conform::with_id(id, any_request(choose)));
}

std::string mutated_requests(Choose& choose, absl::string_view text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  if (lines.size() > 1 && choose.chance(1, 5)) {
    std::string moved = with_moved_line(choose, text);
    if (absl::c_count(moved, '\n') < int64_t{kMaxRequests}) return moved;
  }
  if (lines.size() < kMaxRequests && choose.chance(1, 16))
    return absl::StrCat(text, "\n", random_request(choose));
  std::string& line = lines[place_in(choose, lines)];
  line = mutated_line(choose, line);
  return absl::StrJoin(lines, "\n");
}

}  // namespace tileproof
