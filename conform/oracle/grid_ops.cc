// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/grid_ops.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "conform/oracle/grid_json.h"
#include "spec/lang/base/try.h"
#include "verify/prove/map/grid_check.h"

namespace tileproof::conform {
namespace {

using spec::Grid;
using spec::GridFinding;
using verify::CheckedGrid;
using verify::CheckedGridFact;
using verify::GridFact;
using verify::Verdict;

constexpr int64_t kElements = 1'000'000;  // that the reference looks at

// All but the last one, which is about the memory of operands.
constexpr auto kFacts = absl::MakeConstSpan(verify::kGridFacts).first(4);

Json refutation(const GridFinding& finding) {
  if (finding.at) return *finding.at;
  return json_object({{"operand", finding.operand}, {"element", finding.element}});
}

absl::StatusOr<Result> by_reference(const Grid& grid) {
  const spec::GridFacts facts = TRY(spec::grid_facts(grid, kElements));
  Json result = json_object({});
  for (const GridFact& fact : kFacts) {
    const std::optional<GridFinding>& finding = facts.*fact.found;
    set(result, fact.name, finding ? refutation(*finding) : Json(true));
  }
  return Result(std::move(result));
}

verify::GridCheckOptions options_of(uint32_t milliseconds, int64_t elements) {
  verify::GridCheckOptions options;
  options.of_maps.milliseconds = milliseconds;
  options.elements = elements;
  return options;
}

// Of a step or an element that is claimed to refute a fact.
absl::StatusOr<bool> is_refuted_by(const Grid& grid, const GridFact& fact, const Json& claim) {
  if (fact.refutes != nullptr) {
    const auto step = integers(claim);
    if (!step) return absl::InvalidArgumentError("expected true, null or a step of the grid");
    return fact.refutes(grid, *step, kElements);
  }
  const auto* operand = find_as<std::string>(claim, "operand");
  const Json* element = find(claim, "element");
  const auto index = element == nullptr ? std::nullopt : integers(*element);
  if (operand == nullptr || !index) {
    return absl::InvalidArgumentError(
        "expected true, null or an object with \"operand\" and \"element\"");
  }
  return !TRY(spec::is_written(grid, *operand, *index, kElements));
}

Assessment judge_claim(const Grid& grid, const GridFact& fact, const Json& claim) {
  const absl::StatusOr<bool> is_refuted = is_refuted_by(grid, fact, claim);
  if (absl::IsInvalidArgument(is_refuted.status()))
    return wrong(absl::StrCat(fact.name, ": ", is_refuted.status().message()));
  if (!is_refuted.ok()) return open(is_refuted.status().message());
  if (*is_refuted) return {};
  return wrong(absl::StrCat(fact.name, ": ", to_text(claim), " does not refute it"));
}

Assessment judge_truth(const CheckedGridFact& checked, absl::string_view name) {
  if (checked.verdict == Verdict::kUndecided) return open(checked.open);
  if (checked.verdict == Verdict::kProven) return {};
  return wrong(absl::StrCat(name, ": ", to_text(refutation(*checked.finding)), " refutes it"));
}

}  // namespace

absl::StatusOr<Result> grid_check(const Json& request, Engine engine) {
  const Grid grid = TRY(grid_in(request));
  if (engine == Engine::kSpec) return by_reference(grid);
  // Blocks and index maps decide; elements only where an answer would be open otherwise.
  CheckedGrid checked = TRY(verify::check_grid(grid, options_of(200, 0)));
  Json result = json_object({});
  std::optional<CheckedGrid> by_elements;
  for (const GridFact& fact : kFacts) {
    const CheckedGridFact* found = &(checked.*fact.checked);
    if (found->verdict == Verdict::kUndecided) {
      if (!by_elements) by_elements = TRY(verify::check_grid(grid, options_of(200, kElements)));
      found = &((*by_elements).*fact.checked);
    }
    if (found->verdict == Verdict::kUndecided) {
      set(result, fact.name, Json());
    } else {
      set(result, fact.name, found->finding ? refutation(*found->finding) : Json(true));
    }
  }
  return Result(std::move(result));
}

Assessment judge_grid(const Json& request, const Answer& answer) {
  const absl::StatusOr<Grid> grid = grid_in(request);
  if (!grid.ok()) return open(grid.status().message());
  std::optional<CheckedGrid> right;
  Assessment all;
  for (const GridFact& fact : kFacts) {
    const Json* claim = find(answer.result, fact.name);
    if (claim == nullptr) return wrong(absl::StrCat("expected the key \"", fact.name, "\""));
    Assessment one;
    if (claim->is_null()) {
      one = {Assessment::Kind::kUnspecified, absl::StrCat("undecided: ", fact.name)};
    } else if (*claim == Json(true)) {
      if (!right) {
        const auto checked = verify::check_grid(*grid, options_of(5'000, kElements));
        if (!checked.ok()) return open(checked.status().message());
        right = *checked;
      }
      one = judge_truth((*right).*fact.checked, fact.name);
    } else {
      one = judge_claim(*grid, fact, *claim);
    }
    if (one.kind == Assessment::Kind::kWrong) return one;
    if (all.kind == Assessment::Kind::kRight) all = std::move(one);
  }
  return all;
}

}  // namespace tileproof::conform
