// SPDX-License-Identifier: Apache-2.0
// tileproof utilization: how many elements of its operands each instruction of an HLO file reads.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/map_listing.h"
#include "cli/picture_file.h"
#include "cli/text.h"
#include "conform/oracle/hlo_access.h"
#include "impl/access/utilization.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

using impl::ElementsRead;

struct UtilizationSummary {
  int64_t instructions = 0, counted = 0;
  std::map<std::string, int64_t> uncounted;  // reasons
  std::vector<std::string> refused;
  std::string first_refused_in;  // its computation
};

std::string text_of(const ElementsRead& read) {
  if (!read.uncounted.empty()) {
    return absl::StrCat("of ", read.elements, " elements, not counted: ", read.uncounted);
  }
  return absl::StrCat(read.least, read.least == read.most ? "" : absl::StrCat(" to ", read.most),
                      " of ", read.elements, " elements");
}

// Adds the document and the text of an instruction.
void list_instruction(const HloModule& module, int32_t computation, int32_t instruction,
                      impl::IndexingAnalysis& analysis, Answer& answer,
                      UtilizationSummary& summary) {
  const HloComputation& in = module.computations[computation];
  const HloInstruction& at = in.instructions[instruction];
  if (at.operands.empty()) return;
  const auto found = impl::utilization(analysis, module, computation, instruction);
  Json json = json_object({{"computation", in.name}, {"instruction", at.name}});
  if (!module.name.empty()) set(json, "module", module.name);
  absl::StrAppend(&answer.text, headline(in, instruction), "\n");
  if (!found.ok()) {
    if (summary.refused.empty()) summary.first_refused_in = in.name;
    summary.refused.emplace_back(found.status().message());
    set(json, "error", summary.refused.back());
    absl::StrAppend(&answer.text, "  not analyzed: ", summary.refused.back(), "\n");
  } else {
    set(json, "read", conform::utilization_json(*found));
    for (size_t k = 0; k < found->size(); ++k) {
      for (size_t leaf = 0; leaf < (*found)[k].size(); ++leaf) {
        const ElementsRead& read = (*found)[k][leaf];
        read.uncounted.empty() ? ++summary.counted : ++summary.uncounted[read.uncounted];
        absl::StrAppend(&answer.text, "  ", operand_name(in, instruction, k, leaf), ": ",
                        text_of(read), "\n");
      }
    }
  }
  answer.json.push_back(std::move(json));
}

std::string to_text(const UtilizationSummary& summary) {
  int64_t not_counted = 0;
  std::string reasons;
  for (const auto& [why, times] : summary.uncounted) {
    not_counted += times;
    absl::StrAppend(&reasons, "  not counted: ", why, ": ", times, "\n");
  }
  return absl::StrCat("\n", summary.instructions, " instructions, ", summary.counted + not_counted,
                      " arrays read: ", summary.counted, " counted, ", not_counted,
                      " not counted\n", reasons);
}

}  // namespace

absl::StatusOr<int> utilization_command(const Command& given) {
  const absl::string_view name = absl::StripPrefix(given.text("--instruction"), "%");
  const std::string& svg = given.text("--svg");
  const std::vector<HloModule> modules =
      TRY(read_modules(given.text("FILE"), given.flag("--allow-unknown"), given.text("--shape")));
  if (!svg.empty()) {
    TRY(about("utilization --svg",
              draw_instruction(modules, name, 0, svg, explorer::heat_picture)));
    if (svg == "-") return kHolds;
  }
  Answer answer;
  answer.sorts_keys = false;
  UtilizationSummary summary;
  for (const HloModule& module : modules) {
    impl::IndexingAnalysis analysis(module);
    for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
      const auto& instructions = module.computations[c].instructions;
      for (int32_t i = 0; i < std::ssize(instructions); ++i) {
        if (!name.empty() && instructions[i].name != name) continue;
        ++summary.instructions;
        list_instruction(module, c, i, analysis, answer, summary);
      }
    }
  }
  if (summary.instructions == 0) {
    return absl::NotFoundError(absl::StrCat("no instruction '", conform::shown(name, 60), "'"));
  }
  answer.text += to_text(summary);
  print(answer, given.flag("--json"));
  if (summary.refused.empty()) return kHolds;
  const absl::Status error =
      invalid(summary.refused.size(), " of ", summary.instructions,
              " instructions cannot be analyzed, such as ", summary.refused.front());
  return error_at_reason(given.text("FILE"), summary.first_refused_in, summary.refused.front(),
                         error);
}

}  // namespace tileproof::cli
