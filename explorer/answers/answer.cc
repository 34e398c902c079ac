// SPDX-License-Identifier: Apache-2.0
#include "explorer/answers/answer.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "explorer/answers/panels.h"

namespace tileproof::explorer {
namespace {

using Answering = absl::StatusOr<Json> (*)(const Json& question, Memory& memory);

struct Panel {
  absl::string_view ask;
  Answering answer;
};

constexpr Panel kPanels[] = {
    {"layout", layout_answer},   {"element", element_answer},
    {"steps", steps_answer},     {"convert", convert_answer},
    {"compare", compare_answer}, {"map", map_answer},
    {"plot", plot_answer},       {"lemma", lemma_answer},
    {"module", module_answer},   {"instruction", instruction_answer},
    {"tile", tile_answer},       {"reads", reads_answer},
    {"heat", heat_answer},       {"traffic", traffic_answer},
};

absl::StatusOr<Json> answer_of(const Json& question, Memory& memory) {
  const absl::StatusOr<std::string> ask = text_in(question, "ask");
  if (!ask.ok()) return ask.status();
  for (const Panel& panel : kPanels) {
    if (panel.ask == *ask) return panel.answer(question, memory);
  }
  return absl::InvalidArgumentError(absl::StrCat("no such question: '", *ask, "'"));
}

absl::Status expected(absl::string_view key, absl::string_view what) {
  return conform::invalid("\"", key, "\": expected ", what);
}

}  // namespace

Json answer(const Json& question, Memory& memory) {
  absl::StatusOr<Json> found = answer_of(question, memory);
  if (!found.ok()) {
    Json json = conform::json_object({{"error", found.status().message()}});
    if (absl::IsResourceExhausted(found.status())) set(json, "limit", true);
    return json;
  }
  return conform::json_object({{"ok", *std::move(found)}});
}

std::string answer_text(absl::string_view question, Memory& memory) {
  const absl::StatusOr<conform::JsonText> json = conform::read_json(question);
  if (!json.ok()) return to_text(conform::json_object({{"error", json.status().message()}}));
  return to_text(answer(json->value, memory));
}

using conform::Json;

absl::string_view word_of(verify::Verdict verdict, absl::string_view proven,
                          absl::string_view refuted) {
  if (verdict == verify::Verdict::kUndecided) return "undecided";
  return verdict == verify::Verdict::kProven ? proven : refuted;
}

absl::StatusOr<std::string> text_in(const Json& question, absl::string_view key) {
  if (const auto* text = find_as<std::string>(question, key)) return *text;
  return expected(key, "a text");
}

absl::StatusOr<std::vector<std::string>> texts_in(const Json& question, absl::string_view key) {
  const auto* array = find_as<Json::Array>(question, key);
  if (array == nullptr) return expected(key, "an array of texts");
  std::vector<std::string> texts;
  for (const Json& item : *array) {
    const auto* text = item.as<std::string>();
    if (text == nullptr) return expected(key, "an array of texts");
    texts.push_back(*text);
  }
  return texts;
}

absl::StatusOr<std::vector<int64_t>> integers_in(const Json& question, absl::string_view key) {
  const std::optional<std::vector<int64_t>> numbers = find_integers(question, key);
  if (!numbers) return expected(key, "an array of integers");
  return *numbers;
}

absl::StatusOr<int32_t> number_in(const Json& question, absl::string_view key) {
  const auto* number = find_as<int64_t>(question, key);
  if (number == nullptr || *number < 0 || *number > INT32_MAX) {
    return expected(key, "a number from 0");
  }
  return static_cast<int32_t>(*number);
}

absl::StatusOr<std::string> text_or_none(const Json& question, absl::string_view key) {
  return find(question, key) == nullptr ? std::string() : text_in(question, key);
}

}  // namespace tileproof::explorer
