// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/oracle.h"

#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::conform {
namespace {

constexpr absl::string_view kPhysicalKeys[] = {"dims", "elements", "bytes"};

const Operation kOperations[] = {
    {"layout.physical", layout_physical, exact_physical, kPhysicalKeys},
    {"layout.linearize", layout_linearize, exact_linearize, {}},
    {"layout.delinearize", layout_delinearize, exact_delinearize, {}},
    {"layout.offset", layout_offset, nullptr, {}},
    {"map.evaluate", map_evaluate, exact_evaluate, {}, nullptr, "", true},
    {"map.simplify", map_simplify, exact_maps, {}, judge_simplify, "same-map"},
    {"map.compose", map_compose, exact_maps, {}, judge_compose, "same-map"},
    {"map.equal", map_equal, exact_maps, {}, judge_equal, "any-point"},
    {"tla.offset", tla_offset, exact_tla, {}, nullptr, "", true},
    {"tla.make", tla_make, exact_tla, {}, judge_tla_make, "", true},
    {"tla.tile", tla_tile, exact_tla, {}, judge_tla_tile, "", true},
    {"map.check", map_check, exact_maps, {}, judge_check, "any-point"},
    {"layout.banks", layout_banks, nullptr, {}},
    {"grid.check", grid_check, nullptr, {}, judge_grid, "any-point"},
    {"layout.owner", layout_owner, nullptr, {}},
    {"layout.element", layout_element, nullptr, {}},
    {"map.transactions", map_transactions, nullptr, {}, judge_transactions},
    {"tla.coalesce", tla_algebra, nullptr, {}, judge_tla_algebra, "free-strides"},
    {"tla.right_inverse", tla_algebra, nullptr, {}, judge_tla_algebra, "free-strides"},
    {"tla.left_inverse", tla_algebra, nullptr, {}, judge_tla_algebra, "free-strides"},
    {"tla.complement", tla_algebra, nullptr, {}, judge_tla_algebra, "free-strides"},
    {"tla.composition", tla_algebra, nullptr, {}, judge_tla_algebra, "free-strides"},
    {"tla.logical_product", tla_algebra, nullptr, {}, judge_tla_algebra, "free-strides"},
    {"tla.logical_divide", tla_algebra, nullptr, {}, judge_tla_algebra, "free-strides"},
    {"tla.zipped_divide", tla_algebra, nullptr, {}, judge_tla_algebra, "free-strides"},
    {"tla.tiled_divide", tla_algebra, nullptr, {}, judge_tla_algebra, "free-strides"},
    {"hlo.index", hlo_index, nullptr, {}, judge_hlo_index, "same-relation"},
    {"hlo.exchange", hlo_index, nullptr, {}, judge_hlo_index, "same-relation"},
    {"shard.index", shard_index, nullptr, {}},
    {"hlo.equal", hlo_equal, nullptr, {}, judge_values, "any-point"},
    {"hlo.utilization", hlo_utilization, nullptr, {}, judge_utilization},
    {"hlo.tile", hlo_tile, nullptr, {}, judge_tile},
    {"tile.propagate", tile_propagate, nullptr, {}, judge_propagation, "same-relation"},
};

// The answer of `tileproof respond` to hello.
absl::StatusOr<Result> hello(const Json& request) {
  const Json* protocol = find(request, "protocol");
  if (protocol != nullptr && !(*protocol == Json(1))) {
    return absl::UnimplementedError(
        absl::StrCat("protocol ", shown(to_text(*protocol), 40), ", only 1 is supported"));
  }
  Json::Array ops;
  for (const Operation& operation : kOperations) ops.push_back(operation.name);
  return Result(json_object(
      {{"name", "tileproof"},
       {"version", TILEPROOF_VERSION},
       {"ops", std::move(ops)},
       {"limits", json_object({{"rank", kMaxRank}, {"tiles", kMaxTiles}, {"bits", 64}})},
       {"window", 64},
       {"integers", "json"},
       {"parsed", false}}));
}

}  // namespace

absl::Span<const Operation> operations() { return kOperations; }

const Operation* operation_named(absl::string_view name) {
  for (const Operation& operation : kOperations) {
    if (operation.name == name) return &operation;
  }
  return nullptr;
}

Answer answer(const Request& request, Engine engine) {
  const Operation* operation = operation_named(request.op);
  absl::StatusOr<Result> result = absl::UnimplementedError("");
  if (operation != nullptr) {
    result = operation->answer(request.fields, engine);
  } else if (request.op == "hello") {
    result = hello(request.fields);
  } else {
    result = absl::UnimplementedError(absl::StrCat("operation \"", shown(request.op, 60), "\""));
  }
  if (!result.ok()) return failed_answer(request.id, result.status());
  return result_answer(request.id, std::move(result->value), std::move(result->inexact));
}

std::string answer_line(absl::string_view line, Engine engine) {
  const std::variant<Request, Answer> read = read_request(line);
  if (const auto* refused = std::get_if<Answer>(&read)) return to_text(*refused);
  return to_text(answer(std::get<Request>(read), engine));
}

}  // namespace tileproof::conform
