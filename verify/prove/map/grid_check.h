// SPDX-License-Identifier: Apache-2.0
// Proves each fact of a grid (spec/access/grid.h), or finds a step that refutes it. The grid may have
// any size. The first way that is cheap enough decides:
//
//     elements    the reference looks at each element of each block
//     blocks      blocks that do not overlap are told apart by their numbers: it looks at each step,
//                 and at no element
//     maps        it looks at no step, but asks about the index maps (verify/prove/map/map_check.h)
//
// What it asks about the maps:
//
//     inside      the block numbers lie between the first and the last block of the array
//     covered     the index map gives the number of every block
//     once, races the index map is one-to-one; or it does not depend on the last dimensions, none of
//                 which is parallel, and is one-to-one without them
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/access/grid.h"
#include "verify/prove/map/map_check.h"

namespace tileproof::verify {

struct CheckedGridFact {
  Verdict verdict = Verdict::kUndecided;
  std::optional<spec::GridFinding> finding;  // refuted
  std::string open;                          // undecided: why

  bool operator==(const CheckedGridFact&) const = default;
};

struct CheckedGrid {
  CheckedGridFact inside, covered, once, races, aliases;
  std::optional<int64_t> blocks, partly;  // if they are counted
};

// A fact in each of its forms.
struct GridFact {
  absl::string_view name;
  CheckedGridFact CheckedGrid::*checked;
  std::optional<spec::GridFinding> spec::GridFacts::*found;
  // Whether a step refutes it. Null: no step does, but an element or an alias.
  absl::StatusOr<bool> (*refutes)(const spec::Grid&, const spec::GridStep&, int64_t budget);
};
inline constexpr GridFact kGridFacts[] = {
    {"inside", &CheckedGrid::inside, &spec::GridFacts::inside, spec::leaves_its_arrays},
    {"covered", &CheckedGrid::covered, &spec::GridFacts::covered, nullptr},
    {"once", &CheckedGrid::once, &spec::GridFacts::once, spec::writes_with_a_gap},
    {"races", &CheckedGrid::races, &spec::GridFacts::races, spec::has_race},
    {"aliases", &CheckedGrid::aliases, &spec::GridFacts::aliases, nullptr}};

struct GridCheckOptions {
  CheckOptions of_maps;
  int64_t elements = 10'000'000;  // that the reference looks at
  int64_t steps = 2'000'000;      // whose blocks are looked at
};

// Errors: those of spec::validate.
absl::StatusOr<CheckedGrid> check_grid(const spec::Grid& grid,
                                       const GridCheckOptions& options = {});

// "step (3, 0): block (3, 0) of x has no element"
std::string text_of_outside(const spec::GridFinding& finding);
// "out[0, 128] is never written"
std::string text_of_uncovered(const spec::GridFinding& finding);
// "step (1, 0) and step (0, 0) both touch out[0]"
std::string text_of_collision(const spec::GridFinding& finding);

}  // namespace tileproof::verify
