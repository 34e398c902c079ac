// Fuzz target: lines of the protocol. Every line, whatever it holds, gets one line as its answer,
// with its id; what the closed forms answer, and what the reference answers, the judge does not
// find wrong.
#include <string>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fuzz/targets/hlo_inputs.h"
#include "fuzz/targets/map_inputs.h"
#include "fuzz/targets/shape_inputs.h"
#include "verify/conform/judge.h"
#include "verify/conform/oracle.h"
#include "verify/conform/protocol.h"

namespace tileproof {
namespace {

using conform::Json;

[[noreturn]] void fail_at(absl::string_view finding, absl::string_view line) {
  // Up to " at " the sentence is the cause, for which findings are told apart.
  fail(absl::StrCat(finding, " at the request: printf '%s\\n' $'", absl::CEscape(line),
                    "' | tileproof respond"));
}

void check_line(absl::string_view line, conform::Engine engine) {
  const std::string text = conform::answer_line(line, engine);
  if (text.find('\n') != std::string::npos) fail_at("an answer of two lines", line);
  const absl::StatusOr<conform::Answer> answer = conform::read_answer(text);
  if (!answer.ok()) fail_at(absl::StrCat("no answer: ", answer.status().message()), line);
  const auto request = conform::read_request(line);
  const auto* good = std::get_if<conform::Request>(&request);
  if (good == nullptr) {
    if (answer->kind != conform::Answer::Kind::kError) fail_at("an unreadable line answered", line);
    return;
  }
  if (answer->id != good->id) fail_at("another id", line);
  const conform::Judgement judgement = conform::judge(good->fields, *answer);
  if (conform::fails(judgement.verdict)) {
    fail_at(absl::StrCat("judged ", conform::to_text(judgement.verdict), " of ",
                         engine == conform::Engine::kSpec ? "spec" : "impl", " for ", good->op),
            line);
  }
}

void check(absl::string_view text) {
  conform::Lines lines;
  lines.add(text);
  lines.end();
  while (const std::optional<conform::Lines::Line> line = lines.next()) {
    const std::string copy(line->text);
    check_line(copy, conform::Engine::kImpl);
    check_line(copy, conform::Engine::kSpec);
  }
}

// Another value for a key that holds a text of that kind; a number or a name otherwise.
Json mutated_value(Choose& choose, absl::string_view key, const Json& value) {
  if (const std::string* text = value.as<std::string>()) {
    if (key == "shape") return mutated_shape(choose, *text);
    if (key == "hlo") return mutated_hlo(choose, *text);
    if (key == "op")
      return std::string(choose.pick(std::vector<absl::string_view>([] {
        std::vector<absl::string_view> names;
        for (const conform::Operation& operation : conform::operations())
          names.push_back(operation.name);
        return names;
      }())));
    absl::StatusOr<IndexingMap> map = parse_map(*text);
    if (!map.ok()) map = random_map(choose);
    change(choose, *map);
    return to_text(*map);
  }
  if (const Json::Array* array = value.as<Json::Array>(); array != nullptr) {
    Json::Array changed = *array;
    if (changed.empty() || choose.chance(1, 4)) {
      changed.push_back(choose(8));
    } else if (choose.chance(1, 4)) {
      changed.pop_back();
    } else {
      Json& one = changed[static_cast<size_t>(choose(std::ssize(changed)))];
      one = mutated_value(choose, "", one);
    }
    return changed;
  }
  switch (choose(6)) {
    case 0:
      return Json::Number{"9223372036854775808"};
    case 1:
      return Json::Array{choose(4)};
    case 2:
      return Json();
    default:
      return choose.between(-2, 40);
  }
}

std::string mutated(Choose& choose, absl::string_view text) {
  const absl::StatusOr<conform::JsonText> json = conform::read_json(text);
  const Json::Object* object = json.ok() ? json->value.as<Json::Object>() : nullptr;
  if (object == nullptr || object->empty()) {
    return absl::StrCat(R"({"id":1,"op":"layout.physical","shape":")",
                        to_text(random_shape(choose, 1 << 16)), "\"}");
  }
  Json::Object changed = *object;
  const auto at = static_cast<size_t>(choose(std::ssize(changed)));
  if (choose.chance(1, 24)) {
    changed.erase(changed.begin() + static_cast<int64_t>(at));
  } else {
    changed[at].value = mutated_value(choose, changed[at].key, changed[at].value);
  }
  return conform::to_text(Json(std::move(changed)));
}

// The one object with a member of the other.
std::string crossed(Choose& choose, absl::string_view left, absl::string_view right) {
  absl::StatusOr<conform::JsonText> a = conform::read_json(left);
  const absl::StatusOr<conform::JsonText> b = conform::read_json(right);
  const Json::Object* from = b.ok() ? b->value.as<Json::Object>() : nullptr;
  if (!a.ok() || a->value.as<Json::Object>() == nullptr || from == nullptr || from->empty())
    return std::string(a.ok() ? left : right);
  const conform::Member& member = (*from)[static_cast<size_t>(choose(std::ssize(*from)))];
  conform::set(a->value, member.key, member.value);
  return conform::to_text(a->value);
}

}  // namespace

const TextTarget kTarget = {check, mutated, crossed, /*bytes_of_16=*/4};

}  // namespace tileproof
