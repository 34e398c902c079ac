// SPDX-License-Identifier: Apache-2.0
#include "spec/access/utilization.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

// Returns the largest size of a dimension in the module, at least 1. Skips shapes that have no
// leaves; reading them reports the error.
int64_t largest_size(const HloModule& module) {
  int64_t largest = 1;
  const auto look_at = [&largest](const SharedShape& shape) {
    if (!shape) return;
    const absl::StatusOr<Leaves> leaves = leaves_of(*shape);
    if (!leaves.ok()) return;
    for (const Leaf& leaf : *leaves) {
      for (int64_t size : leaf.dims) largest = std::max(largest, size);
    }
  };
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      look_at(instruction.shape);
      for (const HloOperand& operand : instruction.operands) look_at(operand.shape);
    }
  }
  return largest;
}

// The elements that the result depends on, for one choice of runtime values.
struct Reading {
  std::set<std::tuple<int32_t, int32_t, int64_t>> elements;  // operand, leaf, number
  std::vector<std::vector<Dims>> arrays;
  std::vector<std::string> conservative;
};

absl::StatusOr<Reading> read_elements(const HloModule& module, int32_t computation,
                                      int32_t instruction, Scope scope, RuntimeValues values,
                                      const Limits& limits) {
  const HloInstruction& at = module.computations[computation].instructions[instruction];
  if (!at.shape) {
    return absl::InvalidArgumentError(absl::StrCat(at.name, ": expected a shape of the result"));
  }
  const Leaves leaves = TRY(leaves_of(*at.shape));
  Reading reading;
  for (int64_t leaf = 0; leaf < std::ssize(leaves); ++leaf) {
    const Provenance found =
        TRY(provenance(module, computation, instruction, leaf, scope, values, limits));
    for (const auto& sources : found.elements) {
      for (const Source& source : *sources) {
        reading.elements.emplace(source.operand, source.leaf, source.element);
      }
    }
    reading.arrays = found.sources;
    reading.conservative.insert(reading.conservative.end(), found.conservative.begin(),
                                found.conservative.end());
  }
  return reading;
}

void count(const Reading& reading, bool first, Utilization& result) {
  std::map<std::pair<int32_t, int32_t>, int64_t> counts;
  for (const auto& [operand, leaf, element] : reading.elements) ++counts[{operand, leaf}];
  result.read.resize(reading.arrays.size());
  for (int32_t k = 0; k < std::ssize(reading.arrays); ++k) {
    result.read[k].resize(reading.arrays[k].size());
    for (int32_t l = 0; l < std::ssize(reading.arrays[k]); ++l) {
      ElementsRead& read = result.read[k][l];
      const int64_t now = counts[{k, l}];
      read.least = first ? now : std::min(read.least, now);
      read.most = first ? now : std::max(read.most, now);
      // The parser rejects arrays whose element count does not fit int64.
      read.elements = element_count(reading.arrays[k][l]).value_or(0);
    }
  }
  result.conservative = reading.conservative;
}

// The values that one element goes through.
struct Range {
  int64_t low;
  int64_t high;
  int64_t value = low;
};

// Those of -1, .., largest that its element type holds; all of them for a type without integers.
Range range_of(const HloModule& module, const HloElement& position, int64_t largest) {
  const HloComputation& within = module.computations[position.computation];
  const auto type = integer_range_of(within.instructions[position.instruction], position.leaf);
  if (!type) return {-1, largest};
  return {std::max<int64_t>(-1, type->low), std::min(largest, type->high)};
}

// Whether they have more than `most` combinations.
bool have_more_than(int64_t most, const std::map<HloElement, Range>& values) {
  absl::int128 combinations = 1;
  for (const auto& [position, range] : values) {
    combinations *= absl::int128(range.high) - range.low + 1;
    if (combinations > most) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<Utilization> utilization_at(const HloModule& module, int32_t computation,
                                           int32_t instruction, Scope scope, RuntimeValues values,
                                           const Limits& limits) {
  const Reading reading =
      TRY(read_elements(module, computation, instruction, scope, values, limits));
  Utilization result;
  count(reading, true, result);
  return result;
}

absl::StatusOr<Utilization> utilization(const HloModule& module, int32_t computation,
                                        int32_t instruction, Scope scope, int64_t combinations,
                                        const Limits& limits) {
  const int64_t largest = largest_size(module);
  std::map<HloElement, Range> values;  // of the elements that the interpreter asked for
  const auto value = [&](const HloElement& position) {
    const auto known = values.find(position);
    if (known != values.end()) return known->second.value;
    return values.emplace(position, range_of(module, position, largest)).first->second.value;
  };
  const absl::Status too_many =
      absl::ResourceExhaustedError("too many values of offsets to enumerate");
  Utilization result;
  for (int64_t done = 0;; ++done) {
    if (done >= combinations) return too_many;
    const Reading reading =
        TRY(read_elements(module, computation, instruction, scope, value, limits));
    // Later values may add further elements; the loop then tries all combinations of those too.
    if (done == 0 && have_more_than(combinations, values)) return too_many;
    count(reading, done == 0, result);
    auto next = values.begin();
    for (; next != values.end(); ++next) {
      Range& range = next->second;
      if (range.value < range.high) {
        ++range.value;
        break;
      }
      range.value = range.low;
    }
    if (next == values.end()) return result;
  }
}

}  // namespace tileproof::spec
