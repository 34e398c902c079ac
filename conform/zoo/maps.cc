// SPDX-License-Identifier: Apache-2.0
// Known-wrong evaluation, composition and comparison of maps, and simplifiers that crash.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "conform/oracle/map_ops.h"
#include "conform/zoo/rule_parts.h"
#include "conform/zoo/variants.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

// ---- Arithmetic ----

int64_t wrapped_negative(int64_t a) { return static_cast<int64_t>(-uint64_t(a)); }

// Uses the machine's remainder if x mod c >= 0, which always holds. The condition should be x >= 0.
int64_t truncated_remainder(Op op, int64_t a, int64_t b) {
  return op == Op::kMod && b > 0 ? a % b : exact(op, a, b);
}

// Euclidean division: a remainder is never negative.
int64_t euclidean_remainder(Op op, int64_t a, int64_t b) {
  if (op != Op::kMod || b == -1) return exact(op, a, b);
  const int64_t remainder = a % b;
  return remainder < 0 ? remainder + (b < 0 ? wrapped_negative(b) : b) : remainder;
}

// ceildiv(a, b) = -((-a) floordiv b), where the negation wraps.
int64_t ceildiv_by_negation(Op op, int64_t a, int64_t b) {
  if (op != Op::kCeilDiv) return exact(op, a, b);
  return wrapped_negative(exact(Op::kFloorDiv, wrapped_negative(a), b));
}

// ---- Whole operations ----

absl::StatusOr<IndexingMap> map_of(const Json& request, absl::string_view key) {
  return conform::map_under(request, key);
}

// Calls two maps equal if their variables, bounds and results are, whatever their constraints.
void constraints_not_compared(const Json& request, conform::Answer& answer) {
  if (answer.kind != conform::Answer::Kind::kResult) return;
  Json bare = request;
  for (const char* key : {"left", "right"}) {
    absl::StatusOr<IndexingMap> map = map_of(request, key);
    if (!map.ok()) return;
    map->constraints.clear();
    set(bare, key, to_text(*map));
  }
  absl::StatusOr<conform::Result> equal = conform::map_equal(bare, conform::Engine::kImpl);
  const Json* verdict = equal.ok() ? find(equal->value, "equal") : nullptr;
  if (verdict != nullptr && *verdict == Json(true)) answer.result = std::move(equal->value);
}

bool bounds_are_empty(const IndexingMap& map) {
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) {
      if (variable.bounds.low > variable.bounds.high) return true;
    }
  }
  return false;
}

// Composing with a map whose bounds are empty gives () -> ().
void empty_becomes_nothing(const Json& request, conform::Answer& answer) {
  if (answer.kind != conform::Answer::Kind::kResult) return;
  const absl::StatusOr<IndexingMap> first = map_of(request, "first"),
                                    second = map_of(request, "second");
  if (bounds_are_empty(*first) || bounds_are_empty(*second)) answer.result = "() -> ()";
}

// ---- Crashes ----

bool has_divisor(const absl::StatusOr<IndexingMap>& map, Op op, int64_t c) {
  if (!map.ok()) return false;
  return std::any_of(map->nodes.begin(), map->nodes.end(), [&](const Node& node) {
    return node.op == op && map->nodes[node.right].op == Op::kConstant &&
           map->nodes[node.right].value == c;
  });
}

// x mod -1 folds to a constant, which the caller casts to a remainder.
int cast_of_folded_remainder(const Json& request, const conform::Answer&) {
  return has_divisor(map_of(request, "map"), Op::kMod, -1) ? SIGSEGV : 0;
}

// Divides INT64_MIN by -1 in machine integers.
int least_by_minus_one(const Json& request, const conform::Answer&) {
  const absl::StatusOr<IndexingMap> map = map_of(request, "map");
  const absl::StatusOr<spec::Point> point = conform::point_in(request);
  if (!map.ok() || !point.ok()) return 0;
  for (const Node& node : map->nodes) {
    if (node.op != Op::kFloorDiv || map->nodes[node.right].op != Op::kConstant) continue;
    const Node& left = map->nodes[node.left];
    const bool dimension = left.op == Op::kDimension && left.value < std::ssize(point->dims);
    const int64_t value = dimension                  ? point->dims[left.value]
                          : left.op == Op::kConstant ? left.value
                                                     : 0;
    if (value == INT64_MIN && map->nodes[node.right].value == -1) return SIGFPE;
  }
  return 0;
}

// Divides by a constant 0.
int divides_by_zero(const Json& request, const conform::Answer& right) {
  const Json* text = find(request, "map");
  const auto* map = text == nullptr ? nullptr : text->as<std::string>();
  if (map == nullptr || right.kind != conform::Answer::Kind::kError) return 0;
  const std::string other = absl::StrReplaceAll(
      *map, {{"floordiv 0)", "floordiv 1)"}, {"ceildiv 0)", "ceildiv 1)"}, {"mod 0)", "mod 1)"}});
  const bool any = other != *map && parse_map(other).ok();
  return any ? SIGFPE : 0;
}

const Variant kMapVariants[] = {
    {"XLA-VAR-07", Any(empty_becomes_nothing)},   {"XLA-VAR-09", Any(constraints_not_compared)},
    {"TVM-24", Crash(cast_of_folded_remainder)},  {"TVM-35", Arithmetic(truncated_remainder)},
    {"MLIR-07", Arithmetic(ceildiv_by_negation)}, {"MLIR-10", Crash(least_by_minus_one)},
    {"OPEN-14", Crash(divides_by_zero)},          {"OPEN-23", Arithmetic(euclidean_remainder)},
};

}  // namespace

absl::Span<const Variant> map_variants() { return kMapVariants; }

}  // namespace tileproof::zoo
