// SPDX-License-Identifier: Apache-2.0
// Properties of modules of HLO: their indexing maps, and what is computed from them.
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/files.h"
#include "generate/hlo/generate_collective.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/generate_loop.h"
#include "generate/hlo/mutate_hlo.h"
#include "generate/layout/generate_shape.h"
#include "impl/hlo/module_indexing.h"
#include "impl/hlo/reshape_indices.h"
#include "spec/hlo/classification.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/tiled_layout.h"
#include "spec/map/map_evaluation.h"
#include "verify/compare/access_compare.h"
#include "verify/compare/indexing_compare.h"
#include "verify/compare/map_compare.h"
#include "verify/properties/property.h"

namespace tileproof::verify {
namespace {

int32_t root_of(const HloModule& module) { return module.computations[module.entry].root; }

std::string with_text(std::string finding, absl::string_view hlo) {
  return finding.empty() ? "" : absl::StrCat(finding, "; ", hlo);
}

// Every instruction is counted once, and is refused exactly if the reference refuses it.
std::string counts_difference(const HloModule& module) {
  const auto reference = spec::classify(module);
  std::string found;
  const impl::ModuleIndexing counted = impl::index_module(
      module, [&](int32_t c, int32_t instruction, const impl::DataflowClass& ours) {
        const spec::Classification& theirs = reference[c][instruction];
        if (theirs.kind == spec::Classification::Kind::kBeyond) return;
        if ((theirs.kind == spec::Classification::Kind::kRefused) !=
            (ours.kind == impl::DataflowKind::kRefused)) {
          found = absl::StrCat("refused by one: ", ours.reason, "; ", theirs.reason);
        }
      });
  if (counted.instructions.total() != instruction_count(module) ||
      counted.computations.total() != std::ssize(module.computations)) {
    return "wrong number of instructions";
  }
  return found;
}

// The root of a generated module, which must parse.
std::string generated_difference(const GeneratedHlo& hlo, const RootLimits& limits,
                                 CaseCounts& tally) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok())
    return absl::StrCat("a generated module does not parse: ", module.status().message());
  return indexing_difference(*module, root_of(*module), {hlo.seed, hlo.near}, limits, tally);
}

GeneratedHlo small_operation(Choose& choose) {
  return generate_operation(choose, {.elements = 100});
}

GeneratedHlo small_computation(Choose& choose) {
  return generate_computation(choose, {.elements = 100});
}

// A few things of an operation are changed, so that it is mostly invalid. Analysis and reference
// must refuse the same modules.
GeneratedHlo mutated(Choose& choose) {
  GeneratedHlo hlo = small_operation(choose);
  hlo.text = mutate_hlo(choose, std::move(hlo.text));
  hlo.leaves = 1;
  return hlo;
}

// About a loop, whose reference runs every iteration, and about what stands behind it.
std::string check_loop(Choose& choose, CaseCounts& tally) {
  const GeneratedLoop loop = generate_loop(choose);
  const absl::StatusOr<HloModule> module = parse_hlo_module(loop.text);
  if (!module.ok()) return with_text(std::string(module.status().message()), loop.text);
  ++tally[loop.is_counted ? "counted loops" : "other loops"];
  if (loop.masks > 0) ++tally["loops with masks"];
  const RootLimits limits{.reference = {}};
  const int64_t refused = tally["refused"];
  const HloComputation& entry = module->computations[module->entry];
  for (int32_t k = 0; k < std::ssize(entry.instructions); ++k) {
    if (k != entry.root && !absl::StartsWith(entry.instructions[k].name, kBehindLoop)) continue;
    const std::string found =
        indexing_difference(*module, k, {loop.seed, loop.near}, limits, tally);
    if (!found.empty()) return with_text(found, loop.text);
  }
  return tally["refused"] == refused ? "" : with_text("a loop is refused", loop.text);
}

// About the maps of a collective between all devices.
std::string check_collective(Choose& choose, CaseCounts& tally) {
  const std::string text = generate_collective(choose);
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return with_text(std::string(module.status().message()), text);
  return with_text(device_maps_difference(*module, module->entry, root_of(*module), tally), text);
}

// Compares the root of an operation or a computation.
template <class Compare>
Property of_root(std::string name, int64_t times, std::vector<Ratio> ratios,
                 const Compare& compare) {
  return of_choices(
      std::move(name), 1000,
      [compare](Choose& choose, CaseCounts& tally) {
        const GeneratedHlo hlo =
            choose.chance(1, 2) ? small_computation(choose) : small_operation(choose);
        const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
        if (!module.ok()) return with_text(std::string(module.status().message()), hlo.text);
        return with_text(compare(*module, root_of(*module), choose, hlo.seed, tally), hlo.text);
      },
      times, std::move(ratios));
}

std::string check_module(Choose& choose, CaseCounts&) {
  const GeneratedHlo hlo = choose.chance(1, 2) ? mutated(choose) : small_computation(choose);
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  return with_text(
      module.ok() ? counts_difference(*module) : std::string(module.status().message()), hlo.text);
}

// Evaluates a map from elements to positions, and its inverse, at one element.
std::string check_positions(Choose& choose, CaseCounts&) {
  const Shape shape = random_shape(choose, 1 << 10);
  const absl::StatusOr<spec::TiledLayout> reference = spec::tiled_layout(shape);
  if (!reference.ok()) return "";
  for (int64_t size : reference->logical())
    if (size == 0) return "";
  const absl::StatusOr<IndexingMap> to = impl::logical_to_offset(shape);
  const absl::StatusOr<IndexingMap> from = impl::offset_to_logical(shape);
  const absl::StatusOr<IndexingMap> position = impl::logical_to_physical(shape);
  const absl::StatusOr<IndexingMap> back = impl::physical_to_logical(shape);
  const std::string name = to_text(shape);
  if (!to.ok() || !from.ok() || !position.ok() || !back.ok())
    return absl::StrCat(name, ": refused");
  for (int i = 0; i < 8; ++i) {
    const std::vector<int64_t> index = random_index(choose, reference->logical());
    const int64_t offset = *spec::linearize(*reference, index);
    const auto there = spec::evaluate(*to, {index, {}, {}});
    if (!there.ok() || !*there || **there != std::vector{offset}) {
      return absl::StrCat(name, ": logical to offset ", to_text(*to));
    }
    const auto here = spec::evaluate(*position, {index, {}, {}});
    const auto again = here.ok() && *here ? spec::evaluate(*back, {**here, {}, {}}) : here;
    if (!again.ok() || !*again || **again != index) {
      return absl::StrCat(name, ": to its place and back ", to_text(*position), to_text(*back));
    }
    const int64_t any = choose(reference->elements());
    const auto element = spec::evaluate(*from, {{any}, {}, {}});
    if (!element.ok() || *element != *spec::delinearize(*reference, any)) {
      return absl::StrCat(name, ": offset to logical ", to_text(*from), " at ", any);
    }
  }
  return "";
}

// The modules on record. The edges have what random modules lack, such as kernels of attention.
const std::vector<HloModule>& recorded_modules() {
  static std::vector<HloModule> all;
  if (!all.empty()) return all;
  for (const char* name : {"corpus/hlo/regressions.hlo", "corpus/hlo/edges.hlo"}) {
    const std::string text = project_text(name);
    for (HloModule& one : parse_hlo_modules(text).value_or(std::vector<HloModule>{}))
      all.push_back(std::move(one));
  }
  return all;
}

std::string check_recorded(int64_t number, Choose&, CaseCounts& tally) {
  const HloModule& module = recorded_modules()[static_cast<size_t>(number)];
  return with_text(indexing_difference(module, root_of(module), {1, 8}, {.arrays = 1}, tally),
                   to_text(module));
}

// A property of generated modules.
Property of_generated(std::string name, int64_t cases, GeneratedHlo (*generate)(Choose&),
                      const RootLimits& limits, int64_t times, double equal = 1) {
  return of_choices(std::move(name), cases,
                    [generate, limits](Choose& choose, CaseCounts& tally) {
                      const GeneratedHlo hlo = generate(choose);
                      return with_text(generated_difference(hlo, limits, tally), hlo.text);
                    },
                    times, {{"equal", equal, "supersets"}});
}

}  // namespace

std::vector<Property> hlo_properties() {
  const auto large = [](Choose& choose) {
    return generate_operation(choose, {.elements = 1500, .rare = choose.pick<int64_t>({3, 1})});
  };
  const int64_t kinds = operation_kinds();
  return {
      {"hlo-recorded", [] { return std::ssize(recorded_modules()); }, false, check_recorded},
      // The analysis of a single operation is always exact.
      of_generated("operations", 40 * kinds, small_operation, {.exact = true}, 6),
      of_generated("large-operations", kinds, large, {.reference = {}}, 20),
      of_generated("mutated", 40 * kinds, mutated, {.arrays = 1}, 1),
      of_generated("computations", 2000, small_computation, {}, 2, 2000),
      // Loops that the reference cannot enumerate are rare, too.
      of_choices("loops", 300, check_loop, 40,
                 {{"equal", 1, "supersets"}, {"cases", 100, "too large"}}),
      of_choices("collectives", 2000, check_collective, 4,
                 {{"equal", 0.5}, {"on one device", 1, "equal"}, {"refused", 0.02}}),
      of_choices("modules", 2000, check_module),
      of_choices("places", 1500, check_positions),
      of_root("utilization", 2, {{"arrays equal", 1}, {"arrays equal", 10, "arrays not counted"}},
              [](const HloModule& module, int32_t root, Choose&, uint64_t seed, CaseCounts& tally) {
                return utilization_difference(module, module.entry, root, seed, tally);
              }),
      of_root(
          "tiles", 16,
          {{"the same tile", 0.5},
           {"nothing", 0.02},
           {"no tile", 0.0075},
           {"the same tile", 5, "unknown"}},
          [](const HloModule& module, int32_t root, Choose& choose, uint64_t, CaseCounts& tally) {
            return tile_difference(module, module.entry, root, choose, tally);
          }),
      of_root(
          "coalescing", 8,
          {{"maps equal", 1}, {"accesses", 10, "maps equal"}, {"cases", 1000, "maps not counted"}},
          [](const HloModule& module, int32_t root, Choose& choose, uint64_t, CaseCounts& tally) {
            return coalescing_difference(module, module.entry, root, choose, tally);
          }),
      of_choices("images", 4000,
                 [](Choose& choose, CaseCounts& tally) { return image_difference(choose, tally); },
                 2, {{"unions", 0.46}, {"elements", 10, "unions"}, {"unions", 5, "not counted"}}),
  };
}

}  // namespace tileproof::verify
