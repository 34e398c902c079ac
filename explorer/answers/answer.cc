// SPDX-License-Identifier: Apache-2.0
#include "explorer/answers/answer.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
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

}  // namespace tileproof::explorer
