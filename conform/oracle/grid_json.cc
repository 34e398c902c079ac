// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/grid_json.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "verify/prove/map/grid_check.h"

namespace tileproof::conform {
namespace {

using Scalars = std::map<std::string, Interval>;

std::optional<std::string> string_of(const Json& json, absl::string_view key) {
  const auto* text = find_as<std::string>(json, key);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

absl::Status expect_keys(const Json& json, const std::vector<absl::string_view>& keys) {
  const auto* object = json.as<Json::Object>();
  if (object == nullptr) return invalid("expected an object");
  for (const Member& member : *object) {
    if (std::ranges::find(keys, member.key) == keys.end()) {
      return invalid("no key '", member.key, "' is known");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> integers_under(const Json& json, absl::string_view key) {
  const auto found = find_integers(json, key);
  if (!found) return invalid(key, ": expected an array of integers");
  return *found;
}

absl::StatusOr<std::vector<bool>> semantics_in(const Json& json, size_t rank) {
  const Json* value = find(json, "semantics");
  if (value == nullptr) return std::vector<bool>(rank, false);
  const auto* list = value->as<Json::Array>();
  std::vector<bool> is_parallel;
  for (size_t d = 0; list != nullptr && d < list->size(); ++d) {
    const auto* word = (*list)[d].as<std::string>();
    if (word == nullptr || (*word != "parallel" && *word != "arbitrary")) list = nullptr;
    if (list != nullptr) is_parallel.push_back(*word == "parallel");
  }
  if (list != nullptr) return is_parallel;
  return invalid("semantics: expected an array of \"parallel\" and \"arbitrary\"");
}

absl::StatusOr<Scalars> scalars_in(const Json& json) {
  Scalars scalars;
  const Json* value = find(json, "scalars");
  if (value == nullptr) return scalars;
  const auto* list = value->as<Json::Array>();
  if (list == nullptr) return invalid("scalars: expected an array");
  for (const Json& scalar : *list) {
    const auto name = string_of(scalar, "name");
    const auto ends = find_integers(scalar, "bounds");
    if (!name || !ends || ends->size() != 2) {
      return invalid("scalars: expected objects with \"name\" and \"bounds\": [low, high]");
    }
    scalars[*name] = {(*ends)[0], (*ends)[1]};
  }
  return scalars;
}

absl::StatusOr<spec::BlockDimension> block_dimension(const Json& json) {
  if (json.is_null()) return spec::BlockDimension();
  if (const auto* size = json.as<int64_t>()) return spec::BlockDimension{.size = *size};
  if (is(json, "squeezed", true)) return spec::BlockDimension();
  const auto* size = find_as<int64_t>(json, "element");
  if (size == nullptr) {
    return invalid("block: expected a size, null, {\"squeezed\": true} or {\"element\": n}");
  }
  spec::BlockDimension block{.size = *size, .is_element = true};
  if (find(json, "padding") == nullptr) return block;
  const std::vector<int64_t> padding = TRY(integers_under(json, "padding"));
  if (padding.size() != 2) return invalid("padding: expected [low, high]");
  block.before = padding[0];
  block.after = padding[1];
  return block;
}

// Where a block lies is known without the scalars that the map names and does not use.
void drop_unused_runtime(IndexingMap& map) {
  std::vector<Variable> kept;
  for (size_t i = 0; i < map.runtime.size(); ++i) {
    const auto is_it = [](const Node& node, size_t number) {
      return node.op == Op::kRuntime && node.value == static_cast<int64_t>(number);
    };
    const bool is_used =
        std::ranges::any_of(map.nodes, [&](const Node& node) { return is_it(node, i); });
    const Interval& bounds = map.runtime[i].bounds;
    if (!is_used && bounds.low <= bounds.high) continue;
    for (Node& node : map.nodes) {
      if (is_it(node, i)) node.value = std::ssize(kept);
    }
    kept.push_back(map.runtime[i]);
  }
  map.runtime = std::move(kept);
}

// The dimensions get the sizes of the grid, and scalars their bounds.
absl::StatusOr<IndexingMap> index_map_in(const std::string& text, const Dims& grid,
                                         const Scalars& scalars) {
  IndexingMap steps;
  for (const int64_t size : grid) steps.dimensions.push_back({{0, size - 1}, ""});
  absl::StatusOr<IndexingMap> map = parse_map_with_variable_divisors(with_domain_of(text, steps));
  if (!map.ok()) return invalid("index_map: ", map.status().message());
  for (size_t d = 0; d < std::min(grid.size(), map->dimensions.size()); ++d) {
    Interval& bounds = map->dimensions[d].bounds;
    if (grid[d] > 0 && (bounds.low > 0 || bounds.high < grid[d] - 1)) {
      return invalid("index_map: expected dimension ", d, " to be in [0, ", grid[d] - 1,
                     "], as in the grid");
    }
    bounds = {0, grid[d] - 1};
  }
  for (Variable& variable : map->runtime) {
    const auto scalar = scalars.find(variable.name);
    if (scalar != scalars.end()) variable.bounds = scalar->second;
  }
  drop_unused_runtime(*map);
  return map;
}

absl::StatusOr<spec::GridOperand> operand_in(const Json& json, const Dims& grid,
                                             const Scalars& scalars) {
  TRY(expect_keys(json, {"name", "kind", "shape", "block", "index_map", "alias"}));
  const auto name = string_of(json, "name"), kind = string_of(json, "kind");
  const auto map = string_of(json, "index_map");
  if (!name) return invalid("name: expected a string");
  if (!kind || (*kind != "in" && *kind != "out"))
    return invalid("kind: expected \"in\" or \"out\"");
  if (!map) return invalid("index_map: expected a map");
  spec::GridOperand operand;
  operand.name = *name;
  operand.is_output = *kind == "out";
  operand.shape = TRY(integers_under(json, "shape"));
  const auto* dimensions = find_as<Json::Array>(json, "block");
  if (dimensions == nullptr) return invalid("block: expected an array");
  for (const Json& dimension : *dimensions) {
    operand.block.push_back(TRY(block_dimension(dimension)));
  }
  operand.index_map = TRY(index_map_in(*map, grid, scalars));
  operand.alias = string_of(json, "alias").value_or("");
  return operand;
}

Json json_of(const spec::BlockDimension& block) {
  if (!block.is_element) return block.size;
  return json_object(
      {{"element", block.size}, {"padding", std::vector<int64_t>{block.before, block.after}}});
}

Json json_of(const spec::GridOperand& operand) {
  Json::Array block;
  for (const spec::BlockDimension& dimension : operand.block) block.push_back(json_of(dimension));
  Json json = json_object({{"name", operand.name},
                           {"kind", operand.is_output ? "out" : "in"},
                           {"shape", operand.shape},
                           {"block", std::move(block)},
                           {"index_map", to_text(operand.index_map)}});
  if (!operand.alias.empty()) set(json, "alias", operand.alias);
  return json;
}

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
    if (!step) return invalid("expected true, null or a step of the grid");
    return fact.refutes(grid, *step, kElements);
  }
  const auto* operand = find_as<std::string>(claim, "operand");
  const auto index = find_integers(claim, "element");
  if (operand == nullptr || !index) {
    return invalid("expected true, null or an object with \"operand\" and \"element\"");
  }
  return !TRY(spec::is_written(grid, *operand, *index, kElements));
}

Assessment judge_claim(const Grid& grid, const GridFact& fact, const Json& claim) {
  const absl::StatusOr<bool> is_refuted = is_refuted_by(grid, fact, claim);
  if (absl::IsInvalidArgument(is_refuted.status()))
    return wrong(fact.name, ": ", is_refuted.status().message());
  if (!is_refuted.ok()) return open(is_refuted.status().message());
  if (*is_refuted) return {};
  return wrong(fact.name, ": ", to_text(claim), " does not refute it");
}

Assessment judge_truth(const CheckedGridFact& checked, absl::string_view name) {
  if (checked.verdict == Verdict::kUndecided) return open(checked.open);
  if (checked.verdict == Verdict::kProven) return {};
  return wrong(name, ": ", to_text(refutation(*checked.finding)), " refutes it");
}

}  // namespace

absl::StatusOr<spec::Grid> grid_in(const Json& json) {
  const bool is_request = find(json, "op") != nullptr;  // whose other keys are ignored
  if (!is_request) TRY(expect_keys(json, {"grid", "semantics", "operands", "scalars"}));
  spec::Grid grid;
  grid.sizes = TRY(integers_under(json, "grid"));
  grid.is_parallel = TRY(semantics_in(json, grid.sizes.size()));
  const Scalars scalars = TRY(scalars_in(json));
  const auto* list = find_as<Json::Array>(json, "operands");
  if (list == nullptr) return invalid("operands: expected an array");
  for (size_t k = 0; k < list->size(); ++k) {
    auto operand = operand_in((*list)[k], grid.sizes, scalars);
    if (!operand.ok()) {
      return invalid("operands[", k, "]: ", operand.status().message());
    }
    grid.operands.push_back(*std::move(operand));
  }
  TRY(spec::validate(grid));
  return grid;
}

Json json_of(const spec::Grid& grid) {
  Json::Array semantics, operands;
  for (const bool parallel : grid.is_parallel)
    semantics.push_back(parallel ? "parallel" : "arbitrary");
  for (const spec::GridOperand& operand : grid.operands) operands.push_back(json_of(operand));
  return json_object({{"grid", grid.sizes},
                      {"semantics", std::move(semantics)},
                      {"operands", std::move(operands)}});
}

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
    if (claim == nullptr) return wrong("expected the key \"", fact.name, "\"");
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
