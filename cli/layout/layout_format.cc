// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/layout_format.h"

#include <iostream>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/text.h"
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

int choose_layout(const std::string& format, absl::string_view text, bool json) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok()) return complain("layout", shape.status(), text);
  const absl::StatusOr<spec::ChosenLayout> chosen = spec::chosen_layout(format, *shape);
  if (!chosen.ok()) return complain("layout", chosen.status());
  if (json) {
    Json::Array rules;
    for (const spec::FormatRule* rule : chosen->rules) rules.push_back(to_json(*rule));
    std::cout << json_line(
        json_object({{"shape", to_text(chosen->shape)}, {"rules", std::move(rules)}}));
    return kHolds;
  }
  std::cout << to_text(chosen->shape) << "\n";
  for (const spec::FormatRule* rule : chosen->rules) {
    std::cout << "  " << rule->name << ": ";
    if (rule->item != 0) {
      std::cout << rule->sentence << " (" << kSection << ", " << rule->item << ")\n";
    } else {
      std::cout << "the document is silent on " << rule->sentence << "; assumed: " << rule->assumed
                << "\n";
    }
  }
  return kHolds;
}

}  // namespace tileproof::cli
