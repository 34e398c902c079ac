// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/layout_format.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/named_format.h"

namespace tileproof::cli {
namespace {

constexpr absl::string_view kSection = "Tiled layout, Examples of tiling formats";

Json to_json(const spec::FormatRule& rule) {
  Json json = json_object({{"name", rule.name}});
  if (rule.item != 0) {
    set(json, "section", kSection);
    set(json, "item", rule.item);
    set(json, "sentence", rule.sentence);
  } else {
    set(json, "silent", rule.sentence);
    set(json, "assumed", rule.assumed);
  }
  return json;
}

}  // namespace

absl::StatusOr<Answer> choose_layout(const std::string& format, const std::string& text) {
  const Shape shape = TRY(about("", parse_shape(text), text));
  const spec::ChosenLayout chosen = TRY(spec::chosen_layout(format, shape));
  std::string said = to_text(chosen.shape) + "\n";
  Json::Array rules;
  for (const spec::FormatRule* rule : chosen.rules) {
    rules.push_back(to_json(*rule));
    absl::StrAppend(&said, "  ", rule->name, ": ");
    if (rule->item != 0) {
      absl::StrAppend(&said, rule->sentence, " (", kSection, ", ", rule->item, ")\n");
    } else {
      absl::StrAppend(&said, "the document is silent on ", rule->sentence,
                      "; assumed: ", rule->assumed, "\n");
    }
  }
  return Answer{{json_object({{"shape", to_text(chosen.shape)}, {"rules", std::move(rules)}})},
                std::move(said)};
}

}  // namespace tileproof::cli
