// SPDX-License-Identifier: Apache-2.0
// tileproof grid: does a grid of tiles read and write its arrays as it should?
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/equiv_modules.h"
#include "cli/text.h"
#include "conform/oracle/grid_json.h"
#include "spec/lang/base/try.h"
#include "verify/prove/map/grid_check.h"

namespace tileproof::cli {
namespace {

using spec::GridFinding;
using verify::CheckedGrid;
using verify::CheckedGridFact;
using verify::Verdict;

struct NamedFact {
  std::string name;
  const CheckedGridFact& fact;
  std::string holds;                        // what is printed if it holds
  std::string (*text)(const GridFinding&);  // of what refutes it
  std::string refuted = {};                 // behind that text
};

std::vector<NamedFact> facts_of(const spec::Grid& grid, const CheckedGrid& checked) {
  const std::string counted = checked.blocks
                                  ? absl::StrCat("yes, ", *checked.blocks, " blocks, ",
                                                 *checked.partly, " of them partly padding")
                                  : "yes";
  std::vector<NamedFact> facts = {
      {"inside", checked.inside, counted, verify::text_of_outside},
      {"covered", checked.covered, "yes", verify::text_of_uncovered},
      {"once", checked.once, "yes", verify::text_of_collision, ", with other steps between them"},
      {"races", checked.races, "none", verify::text_of_collision, ", and may run at once"}};
  const bool has_alias = std::ranges::any_of(
      grid.operands, [](const spec::GridOperand& operand) { return !operand.alias.empty(); });
  if (has_alias) {
    facts.push_back({"aliases", checked.aliases, "read before they are overwritten",
                     verify::text_of_collision, ": it is overwritten before it is read"});
  }
  return facts;
}

absl::StatusOr<spec::Grid> read_grid(const std::string& file) {
  const std::string text = TRY(read_argument(file));
  const conform::JsonText json = TRY(conform::read_json(text));
  if (json.duplicate) return invalid(*json.duplicate);
  return conform::grid_in(json.value);
}

Json to_json(const NamedFact& named) {
  Json json = json_object({{"holds", Json()}});
  if (named.fact.verdict == Verdict::kUndecided) {
    set(json, "why", named.fact.open);
    return json;
  }
  set(json, "holds", named.fact.verdict == Verdict::kProven);
  if (!named.fact.finding) return json;
  const GridFinding& finding = *named.fact.finding;
  set(json, "operand", finding.operand);
  if (finding.at) set(json, "at", *finding.at);
  if (finding.before) set(json, "before", *finding.before);
  if (!finding.block.empty()) set(json, "block", finding.block);
  if (!finding.element.empty()) set(json, "element", finding.element);
  set(json, "why", absl::StrCat(named.text(finding), named.refuted));
  return json;
}

std::string to_text(const NamedFact& named) {
  const CheckedGridFact& fact = named.fact;
  return absl::StrCat(named.name, ": ",
                      fact.verdict == Verdict::kProven ? named.holds
                      : fact.verdict == Verdict::kRefuted
                          ? absl::StrCat(named.text(*fact.finding), named.refuted)
                          : absl::StrCat("undecided: ", fact.open),
                      "\n");
}

}  // namespace

absl::StatusOr<Answer> grid_command(const Command& given) {
  const spec::Grid grid = TRY(read_grid(given.text("FILE")));
  verify::GridCheckOptions limits;
  limits.of_maps.milliseconds = static_cast<unsigned>(given.number("--timeout"));
  const CheckedGrid checked = TRY(verify::check_grid(grid, limits));
  Json json = json_object({});
  std::string text;
  int status = kHolds;
  for (const NamedFact& named : facts_of(grid, checked)) {
    set(json, named.name, to_json(named));
    absl::StrAppend(&text, to_text(named));
    status = worse(status, exit_status(named.fact.verdict));
  }
  return Answer{{std::move(json)}, std::move(text), status};
}

}  // namespace tileproof::cli
