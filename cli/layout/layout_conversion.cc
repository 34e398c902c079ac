// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/layout/layout_parts.h"
#include "cli/text.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/named_format.h"
#include "verify/prove/layout/layout_convert.h"

namespace tileproof::cli {
namespace {

using verify::Converted;

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

Answer written_answer(const std::string& layout, const std::string& proven, const std::string& open,
                      const std::vector<std::string>& notes) {
  const bool is_proven = !proven.empty();
  Answer answer{{json_object({{"layout", layout},
                              {"notes", json_array(notes)},
                              {"equal", is_proven ? Json(true) : Json()}})},
                absl::StrCat(layout, "\n", is_proven ? "equal: " : "undecided: ",
                             is_proven ? proven : open, "\n"),
                is_proven ? kHolds : kUndecided};
  for (const std::string& note : notes) absl::StrAppend(&answer.text, "note: ", note, "\n");
  return answer;
}

Answer no_layout(const std::string& system, absl::string_view reason, bool is_ruled_out) {
  return {{json_object({{"layout", Json()},
                        {"possible", is_ruled_out ? Json(false) : Json()},
                        {"reason", reason}})},
          absl::StrCat(is_ruled_out ? "impossible" : "no layout found", " in ", system, ": ",
                       reason, "\n"),
          is_ruled_out ? kCounterexample : kUndecided};
}

absl::StatusOr<Answer> convert_layout(const std::string& text, const std::string& system,
                                      const std::string& type) {
  const std::optional<verify::LayoutSystem> to = verify::layout_system_named(system);
  if (!to) {
    return about("--as", invalid("expected xla, tla, cute, dnnl or mlir, found ", system,
                                 did_you_mean(system, {"xla", "tla", "cute", "dnnl", "mlir"})));
  }
  const ElementType of_nested = TRY(element_type_argument(type));
  const AnyLayout layout = TRY(about("", parse_any_layout(text), text));
  verify::ProofSession session;
  const Converted converted = TRY(verify::convert(layout, *to, of_nested, session));
  if (!converted.layout) return no_layout(system, converted.reason, converted.ruled_out);
  const bool is_proven = converted.proof.verdict == verify::Verdict::kProven;
  return written_answer(to_text(*converted.layout),
                        is_proven ? "the same offset for every index" : "", converted.proof.open,
                        converted.notes);
}

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
