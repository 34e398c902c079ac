// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/access_compare.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/layout/generate_shape.h"
#include "impl/access/coalescing.h"
#include "impl/access/tile.h"
#include "impl/access/utilization.h"
#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "spec/access/coalescing.h"
#include "spec/access/tile.h"
#include "spec/access/utilization.h"
#include "spec/hlo/provenance.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/reached_limit.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof::verify {
namespace {

using FoundKind = impl::TileResult::Kind;

spec::Tile random_tile(Choose& choose, const spec::Dims& array) {
  spec::Tile tile;
  for (int64_t size : array) {
    if (size == 0) {
      tile.push_back({0, 0, 1});
      continue;
    }
    const int64_t offset = choose(size);
    const int64_t stride = choose.chance(1, 3) ? choose.between(1, 4) : 1;
    tile.push_back({offset, 1 + choose((size - offset + stride - 1) / stride), stride});
  }
  return tile;
}

impl::Tile as_impl(const spec::Tile& tile) {
  impl::Tile result;
  for (const spec::TileDimension& t : tile) result.push_back({t.offset, t.size, t.stride});
  return result;
}

// Converts a tile, with the values that offsets have. Constants name the element of each offset
// (impl/access/tile.h).
spec::Tile as_spec(const impl::Tile& tile, OffsetValues& values) {
  spec::Tile result;
  for (const impl::TileDimension& t : tile) {
    int64_t offset = t.offset;
    for (const impl::OffsetTerm& moved : t.moved) {
      const impl::RuntimeSource& by = moved.by;
      std::vector<int64_t> element;
      for (const NodeId id : by.map.results) element.push_back(by.map.nodes[id].value);
      const int64_t value = values.of(by.position, std::move(element));
      offset += moved.factor * std::clamp(value, by.feasible.low, by.feasible.high);
    }
    result.push_back({offset, t.size, t.stride});
  }
  return result;
}

std::string text_of(const spec::Tile& tile) {
  return absl::StrJoin(tile, ",", [](std::string* out, const spec::TileDimension& t) {
    absl::StrAppend(out, t.offset, ":", t.size, ":", t.stride);
  });
}

std::string text_of(const spec::IndexSet& set) {
  if (set.empty()) return "nothing";
  const std::optional<spec::Tile> tile = spec::tile_of(set);
  return tile ? text_of(*tile) : absl::StrCat("no tile of ", set.size(), " elements");
}

std::string text_of(const impl::TileResult& found, OffsetValues& values) {
  if (found.kind == FoundKind::kNothing) return "nothing";
  if (found.kind == FoundKind::kNone) return absl::StrCat("no tile: ", found.why);
  return text_of(as_spec(found.tile, values));
}

// Compares one answer with the elements that are read.
bool take(const impl::TileResult& found, const spec::IndexSet& elements, OffsetValues& values,
          CaseCounts& tally) {
  const std::optional<spec::Tile> tile = elements.empty() ? std::nullopt : spec::tile_of(elements);
  switch (found.kind) {
    case FoundKind::kUnknown:
      ++tally["unknown"];
      ++tally[absl::StrCat("unknown: ", found.why)];
      return true;
    case FoundKind::kNothing:
      ++tally["nothing"];
      return elements.empty();
    case FoundKind::kNone:
      ++tally["no tile"];
      return !elements.empty() && !tile;
    default:
      ++tally["the same tile"];
      return tile && *tile == as_spec(found.tile, values);
  }
}

}  // namespace

std::string tile_difference(const HloModule& module, int32_t computation, int32_t instruction,
                            Choose& choose, CaseCounts& tally, const spec::Limits& limits) {
  const bool forward = choose.chance(1, 2);
  const int64_t value = choose.between(-1, 8);
  const auto provenance = spec::provenance(
      module, computation, instruction, 0, Scope::kInstruction,
      [value](const spec::HloElement&) { return value; }, limits);
  impl::IndexingAnalysis analysis(module);
  const auto indexing = analysis.reads(computation, instruction, 0);
  if (!provenance.ok() || !indexing.ok()) {  // indexing_compare covers refusals
    ++tally["refused"];
    return "";
  }
  OffsetValues values(module, computation, Scope::kInstruction, *provenance, {.all = value});
  const spec::Tile of_result = random_tile(choose, provenance->dims);
  for (int32_t k = 0; k < std::ssize(*indexing); ++k) {
    for (int32_t l = 0; l < std::ssize((*indexing)[k]); ++l) {
      const spec::Dims& array = provenance->sources[k][l];
      const impl::LeafMaps& list = (*indexing)[k][l];
      const std::optional<int64_t> count = element_count(array);
      if (!count || *count > limits.elements)
        continue;  // the reference does not enumerate such arrays
      const spec::Tile tile = forward ? of_result : random_tile(choose, array);
      const auto inside = spec::indices_of(tile, forward ? provenance->dims : array);
      const spec::IndexSet elements = forward ? spec::read_by(*provenance, k, l, *inside)
                                              : spec::reading(*provenance, k, l, *inside);
      const impl::TileResult found = forward
                                         ? impl::tile_needed(list, as_impl(tile), array)
                                         : impl::tile_served(list, as_impl(tile), provenance->dims);
      if (take(found, elements, values, tally)) continue;
      if (!provenance->conservative.empty()) {
        ++tally["of a superset"];
        continue;
      }
      return absl::StrCat("operand ", k, l == 0 ? "" : absl::StrCat("#", l), ", tile ",
                          text_of(tile), forward ? " of the result" : " of it", ", offsets ", value,
                          ": expected ", text_of(elements), ", found ", text_of(found, values));
    }
  }
  return "";
}

namespace {

// The reference's counts, and whether they hold for all values.
struct Expected {
  absl::StatusOr<spec::Utilization> utilization;
  bool all_values = true;
};

Expected expected_of(const HloModule& module, int32_t computation, int32_t instruction, Scope scope,
                     uint64_t seed, int64_t combinations, const spec::Limits& limits) {
  Expected expected{
      spec::utilization(module, computation, instruction, scope, combinations, limits)};
  if (!absl::IsResourceExhausted(expected.utilization.status())) return expected;
  expected.all_values = false;
  constexpr int kSamples = 6;
  for (int i = 0; i < kSamples; ++i) {
    RuntimeChoice choice{seed + i, 4};
    if (i == 0) choice.all = 0;
    const auto value = [&](const spec::HloElement& position) {
      const HloComputation& within = module.computations[position.computation];
      const auto type =
          spec::integer_range_of(within.instructions[position.instruction], position.leaf);
      const int64_t any = value_of(position, choice);
      return type ? std::clamp(any, type->low, type->high) : any;
    };
    const auto one = spec::utilization_at(module, computation, instruction, scope, value, limits);
    if (i == 0 || !one.ok()) expected.utilization = one;
    if (!one.ok()) return expected;
    for (size_t k = 0; k < one->read.size(); ++k) {
      for (size_t l = 0; l < one->read[k].size(); ++l) {
        spec::ElementsRead& whole = expected.utilization->read[k][l];
        whole.least = std::min(whole.least, one->read[k][l].least);
        whole.most = std::max(whole.most, one->read[k][l].most);
      }
    }
  }
  return expected;
}

std::string difference_in(Scope scope, const HloModule& module, int32_t computation,
                          int32_t instruction, uint64_t seed, CaseCounts& tally,
                          int64_t combinations, const spec::Limits& limits) {
  const Expected expected =
      expected_of(module, computation, instruction, scope, seed, combinations, limits);
  impl::IndexingAnalysis analysis(module);
  const auto found = impl::utilization(analysis, module, computation, instruction, scope);
  const absl::Status& status = expected.utilization.status();
  if (reached_limit(status) || (!status.ok() && !found.ok())) {
    ++tally["refused"];
    return "";
  }
  if (!status.ok() || !found.ok()) {
    return absl::StrCat("refused by the ", status.ok() ? "analysis" : "reference",
                        " only: ", (status.ok() ? found.status() : status).message());
  }
  const auto& read = expected.utilization->read;
  for (size_t k = 0; k < read.size(); ++k) {
    for (size_t l = 0; l < read[k].size(); ++l) {
      const impl::ElementsRead& ours = (*found)[k][l];
      const spec::ElementsRead& theirs = read[k][l];
      if (!ours.uncounted.empty()) {
        ++tally["arrays not counted"];
        ++tally[absl::StrCat("not counted: ", ours.uncounted)];
        continue;
      }
      const bool holds = expected.all_values
                             ? ours.least == theirs.least && ours.most == theirs.most
                             : ours.least <= theirs.least && theirs.most <= ours.most;
      if (holds && ours.elements == theirs.elements) {
        ++tally[expected.all_values ? "arrays equal" : "arrays within"];
        continue;
      }
      // If the reference has a superset, the exact relation can have fewer dataflow paths.
      if (!expected.utilization->conservative.empty() && ours.most <= theirs.most) {
        ++tally["arrays of a superset"];
        continue;
      }
      return absl::StrCat("operand ", k, l == 0 ? "" : absl::StrCat("#", l), ": expected ",
                          theirs.least, " to ", theirs.most, " of ", theirs.elements,
                          expected.all_values ? "" : " and more", ", found ", ours.least, " to ",
                          ours.most, " of ", ours.elements);
    }
  }
  return "";
}

}  // namespace

std::string utilization_difference(const HloModule& module, int32_t computation,
                                   int32_t instruction, uint64_t seed, CaseCounts& tally,
                                   int64_t combinations, const spec::Limits& limits) {
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    std::string found =
        difference_in(scope, module, computation, instruction, seed, tally, combinations, limits);
    if (!found.empty()) return found;
  }
  return "";
}

namespace {

int64_t ceil_div(int64_t x, int64_t n) { return x / n + (x % n != 0 ? 1 : 0); }

using Sizes = std::vector<int64_t>;

// Assigns each dimension of the result to threads, blocks, iterations, or several of them.
IndexingMap tiled_threads(Choose& choose, const Sizes& sizes) {
  IndexingMap map;
  std::vector<const char*> names = {"bl_z", "bl_y", "bl_x", "th_z", "th_y", "th_x"};
  const auto variable = [&](Op kind, int64_t size) {
    std::vector<Variable>& variables = variables_of(map, kind);
    variables.push_back({{0, size - 1}, ""});
    if (kind == Op::kDimension) {
      const auto name = names.begin() + choose(std::ssize(names));
      variables.back().name = *name;
      names.erase(name);
    }
    return add_variable(map.nodes, kind, std::ssize(variables) - 1);
  };
  for (int64_t left : sizes) {
    NodeId index = add_constant(map.nodes, 0);
    int64_t stride = 1;
    while (left > 0 && (stride == 1 || left > 1)) {
      const bool last = choose.chance(1, 2);
      const int64_t size = last ? left : choose.between(1, left);
      const bool iterate = names.empty() || choose.chance(1, 3);
      const NodeId part = variable(iterate ? Op::kRange : Op::kDimension, size);
      index =
          add_operation(map.nodes, Op::kAdd, index,
                        add_operation(map.nodes, Op::kMul, part, add_constant(map.nodes, stride)));
      if (last || size == 1 || size == left) break;
      stride *= size;
      left = ceil_div(left, size);
    }
    map.results.push_back(index);
  }
  return map;
}

// Spreads the thread number over the dimensions of the result in some order.
IndexingMap linear_threads(Choose& choose, const Sizes& sizes) {
  IndexingMap map;
  ExprTable& nodes = map.nodes;
  const auto dimension = [&](const char* name, int64_t size) {
    map.dimensions.push_back({{0, size - 1}, name});
    return add_variable(nodes, Op::kDimension, std::ssize(map.dimensions) - 1);
  };
  const auto plus = [&](NodeId a, NodeId b) { return add_operation(nodes, Op::kAdd, a, b); };
  const auto by = [&](Op op, NodeId a, int64_t b) {
    return add_operation(nodes, op, a, add_constant(nodes, b));
  };
  const int64_t elements = element_count(sizes).value_or(INT64_MAX);
  const int64_t x = choose.pick<int64_t>({8, 4, 16, 32, 6, 1});
  const int64_t y = choose.chance(1, 3) ? choose.between(1, 3) : 1;
  const int64_t vector = choose.pick<int64_t>({1, 2, 4, 3});
  NodeId number = dimension("th_x", x);
  if (y > 1) number = plus(number, by(Op::kMul, dimension("th_y", y), x));
  const int64_t block = x * y * vector;
  const int64_t blocks = std::max<int64_t>(ceil_div(elements, block), 1);
  const NodeId in_block = by(Op::kMul, number, vector);
  NodeId linear = plus(by(Op::kMul, dimension("bl_x", blocks), block), in_block);
  map.ranges.push_back({{0, vector - 1}, ""});
  const bool strided = choose.chance(1, 4);  // iterations are far apart
  const NodeId iteration = add_variable(nodes, Op::kRange, 0);
  linear = strided ? plus(plus(by(Op::kMul, iteration, x * y), number),
                          by(Op::kMul, dimension("bl_y", blocks), block))
                   : plus(linear, iteration);
  if (strided) map.dimensions[y > 1 ? 2 : 1].bounds = {0, 0};
  map.constraints.push_back({linear, {0, elements - 1}});
  std::vector<size_t> order(sizes.size());
  for (size_t d = 0; d < order.size(); ++d) {
    order[d] = d;
    if (choose.chance(1, 4)) std::swap(order[d], order[choose(static_cast<int64_t>(d + 1))]);
  }
  map.results.assign(sizes.size(), -1);
  for (size_t d = sizes.size(); d-- > 0;) {
    map.results[order[d]] = by(Op::kMod, linear, std::max<int64_t>(sizes[order[d]], 1));
    linear = by(Op::kFloorDiv, linear, std::max<int64_t>(sizes[order[d]], 1));
  }
  return map;
}

Shape random_array(Choose& choose, const Sizes& sizes) {
  const auto type = choose.pick<ElementType>(
      {ElementType::kF32, ElementType::kBF16, ElementType::kS8, ElementType::kC128});
  if (sizes.empty()) return make_array(type, sizes);
  Layout layout = default_layout(std::ssize(sizes));
  if (choose.chance(1, 2)) layout.minor_to_major = permutation(choose, std::ssize(sizes));
  if (choose.chance(1, 3)) {
    Tile tile;
    for (int64_t k = choose.between(1, std::min<int64_t>(2, std::ssize(sizes))); k > 0; --k) {
      tile.dims.push_back(choose.pick<int64_t>({4, 2, 8, 3}));
    }
    layout.tiles.push_back(tile);
  }
  if (choose.chance(1, 8)) layout.element_size_in_bits = choose.pick<int64_t>({4, 4, 12, 24, 7});
  return make_array(type, sizes, layout);
}

IndexingMap identity(const Sizes& sizes) {
  IndexingMap map;
  for (int64_t size : sizes) {
    map.results.push_back(add_variable(map.nodes, Op::kDimension, std::ssize(map.dimensions)));
    map.dimensions.push_back({{0, size - 1}, ""});
  }
  return map;
}

std::string text_of(int64_t accesses, int64_t transactions, int64_t most, int64_t elements) {
  return absl::StrCat(accesses, " accesses, ", transactions, " transactions, at most ", most, ", ",
                      elements, " elements");
}

}  // namespace

std::vector<KernelAccess> choose_accesses(const HloModule& module, int32_t computation,
                                          int32_t instruction, Choose& choose) {
  impl::IndexingAnalysis analysis(module);
  const auto indexing = analysis.reads(computation, instruction, 0);
  const auto sizes = impl::sizes_of_result(module, computation, instruction, 0);
  const auto arrays = impl::sizes_read(module, computation, instruction, Scope::kInstruction);
  if (!indexing.ok() || !sizes.ok() || !arrays.ok()) return {};  // indexing_compare covers refusals
  const IndexingMap threads =
      choose.chance(1, 2) ? tiled_threads(choose, *sizes) : linear_threads(choose, *sizes);
  const Warps warps{choose.pick<int64_t>({4, 8, 32, 5, 1}),
                    choose.pick<int64_t>({8, 32, 16, 128, 12, 1})};
  std::vector<KernelAccess> accesses;
  accesses.push_back({threads, identity(*sizes), random_array(choose, *sizes), warps});
  for (size_t k = 0; k < indexing->size(); ++k) {
    for (size_t l = 0; l < (*indexing)[k].size(); ++l) {
      const Shape array = random_array(choose, (*arrays)[k][l]);
      for (const impl::IndexedMap& one : (*indexing)[k][l].maps) {
        const std::vector<bool> used = impl::runtime_used(one.map);
        if (std::ranges::find(used, true) != used.end()) continue;
        const std::vector<int64_t> none(used.size(), 0);
        accesses.push_back({threads, impl::with_runtime(one.map, none), array, warps});
      }
    }
  }
  return accesses;
}

std::string access_difference(const KernelAccess& kernel, int64_t points, CaseCounts& tally) {
  constexpr char kSkipped[] = "maps skipped: offsets, too large";
  const auto& [threads, access, array, warps] = kernel;
  const auto expected = spec::count_transactions(threads, access, array, warps, points);
  if (reached_limit(expected.status())) {
    ++tally[kSkipped];
    return "";
  }
  const auto found = impl::count_transactions(threads, access, array, warps);
  if (absl::IsResourceExhausted(found.status())) {
    ++tally["maps not counted"];
    ++tally[absl::StrCat("not counted: ", found.status().message())];
    return "";
  }
  if (!expected.ok() && !found.ok()) {  // no such layout; layout_compare covers that
    ++tally[kSkipped];
    return "";
  }
  const auto described = [](const auto& accesses) {
    if (!accesses.ok()) return std::string(accesses.status().message());
    return text_of(accesses->accesses, accesses->transactions, accesses->most, accesses->elements);
  };
  if (expected.ok() && found.ok() && described(expected) == described(found)) {
    ++tally["maps equal"];
    tally["accesses"] += expected->accesses;
    return "";
  }
  return absl::StrCat("--threads '", to_text(threads), "', access ", to_text(access), " of ",
                      to_text(array), ", warp ", warps.warp, ", width ", warps.width, ": expected ",
                      described(expected), "; found ", described(found));
}

std::string coalescing_difference(const HloModule& module, int32_t computation, int32_t instruction,
                                  Choose& choose, CaseCounts& tally, int64_t points) {
  for (const KernelAccess& one : choose_accesses(module, computation, instruction, choose)) {
    std::string found = access_difference(one, points, tally);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace tileproof::verify
