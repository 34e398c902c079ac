// SPDX-License-Identifier: Apache-2.0
// Checks of the indexing analysis: operations, computations, malformed modules, the counts of a
// module, and positions in memory.
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
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
#include "verify/compare/indexing_compare.h"
#include "verify/mutants/checks.h"

namespace tileproof::mutants {
namespace {

constexpr spec::Limits kLimits{.elements = 4096, .work = 1 << 19};

// Compares the root with the reference: each array, both scopes, both directions. `exact`: a
// superset is a difference (single operations).
std::string check_root(const HloModule& module, int64_t leaves, verify::RuntimeChoice choice,
                       bool exact = false) {
  const int32_t root = module.computations[module.entry].root;
  for (const auto& question : verify::questions_about(module, module.entry, root, leaves)) {
    const verify::IndexingComparison result =
        verify::compare_indexing(module, question, choice, kLimits);
    const std::string where = absl::StrCat(to_text(question), " of ", to_text(module));
    if (result.kind == verify::IndexingComparison::Kind::kDifferent) {
      return absl::StrCat(result.difference, "; ", where);
    }
    if (exact && result.kind == verify::IndexingComparison::Kind::kSuperset) {
      return absl::StrCat("a superset; ", where);
    }
  }
  return "";
}

std::string check_text(const GeneratedHlo& hlo, bool exact = false) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok()) return absl::StrCat(module.status().message(), ": ", hlo.text);
  return check_root(*module, hlo.leaves, {hlo.seed, hlo.near}, exact);
}

// Loops whose reference runs every iteration.
std::string check_loop(int64_t number) {
  Choose choose(Choose::Random{static_cast<uint64_t>(number)});
  const GeneratedLoop loop = generate_loop(choose);
  const absl::StatusOr<HloModule> module = parse_hlo_module(loop.text);
  if (!module.ok()) return absl::StrCat(module.status().message(), ": ", loop.text);
  return check_root(*module, 64, {loop.seed, loop.near});
}

GeneratedHlo operation(int64_t number) {
  Choose choose(Choose::Random{static_cast<uint64_t>(number)});
  return generate_operation(choose, {.elements = 100}, number % operation_kinds());
}

GeneratedHlo mutated(int64_t number) {
  GeneratedHlo hlo = operation(number);
  Choose choose(Choose::Random{static_cast<uint64_t>(number)});
  hlo.text = mutate_hlo(choose, std::move(hlo.text));
  hlo.leaves = 1;
  return hlo;
}

GeneratedHlo computation(int64_t number) {
  Choose choose(Choose::Random{static_cast<uint64_t>(number)});
  return generate_computation(choose, {.elements = 100});
}

// Every instruction is counted, and is refused exactly if the reference refuses it.
std::string check_counts(const HloModule& module) {
  const auto reference = spec::classify(module);
  std::string found;
  const impl::ModuleIndexing counted = impl::index_module(
      module, [&](int32_t c, int32_t instruction, const impl::DataflowClass& ours) {
        const spec::Classification& theirs = reference[c][instruction];
        if (theirs.kind == spec::Classification::Kind::kBeyond) return;
        if ((theirs.kind == spec::Classification::Kind::kRefused) !=
            (ours.kind == impl::DataflowKind::kRefused)) {
          found = absl::StrCat("refused by one: ", ours.reason, "; ", theirs.reason, "; ",
                               to_text(module));
        }
      });
  if (counted.instructions.total() != instruction_count(module) ||
      counted.computations.total() != std::ssize(module.computations)) {
    return absl::StrCat("not all counted: ", to_text(module));
  }
  return found;
}

std::string check_module(int64_t number) {
  const GeneratedHlo hlo = number % 2 == 0 ? computation(number) : mutated(number);
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  return module.ok() ? check_counts(*module) : std::string(module.status().message());
}

// Evaluates a map from elements to positions, and its inverse, at one element.
std::string check_positions(int64_t number) {
  Choose choose(Choose::Random{static_cast<uint64_t>(number)});
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
    std::ifstream file(project_path(name));
    const std::string text(std::istreambuf_iterator<char>(file), {});
    for (HloModule& one : parse_hlo_modules(text).value_or(std::vector<HloModule>{}))
      all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::vector<Check> hlo_checks() {
  return {
      {"hlo-recorded", [] { return std::ssize(recorded_modules()); }, false,
       [](int64_t i) {
         return check_root(recorded_modules()[static_cast<size_t>(i)], 1, {1, 8});
       }},
      {"operations", always(40 * operation_kinds()), true,
       [](int64_t i) { return check_text(operation(i), true); }},
      {"mutated", always(40 * operation_kinds()), true,
       [](int64_t i) { return check_text(mutated(i)); }},
      {"computations", always(2000), true, [](int64_t i) { return check_text(computation(i)); }},
      {"loops", always(300), true, check_loop},
      {"modules", always(2000), true, check_module},
      {"places", always(1500), true, check_positions},
  };
}

}  // namespace tileproof::mutants
