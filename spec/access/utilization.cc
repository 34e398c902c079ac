#include "spec/access/utilization.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation_parts.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

// The largest size of an array of the module, at least 1. Shapes may stand where a value is used;
// one that has no sizes is refused where it is read.
int64_t largest_size(const HloModule& module) {
  int64_t largest = 1;
  const auto look_at = [&largest](const SharedShape& shape) {
    if (!shape) return;
    const absl::StatusOr<std::vector<Leaf>> leaves = leaves_of(*shape);
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

// The elements that some array of the result has, for these values.
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
  const std::vector<Leaf> leaves = TRY(leaves_of(*at.shape));
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
      // The reader of shapes refuses arrays with more than 64 bits say.
      read.elements = element_count(reading.arrays[k][l]).value_or(0);
    }
  }
  result.conservative = reading.conservative;
}

// Whether so many places, each with so many values, have more than `most` combinations.
bool has_more_than(int64_t most, size_t positions, int64_t values) {
  absl::int128 combinations = 1;
  for (size_t i = 0; i < positions && combinations <= most; ++i) combinations *= values;
  return combinations > most;
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
  std::map<HloElement, int64_t> values;  // of what was asked for; a new place begins with -1
  const auto value = [&values](const HloElement& position) {
    return values.try_emplace(position, -1).first->second;
  };
  const absl::Status too_many =
      absl::ResourceExhaustedError("too many values of offsets to enumerate");
  Utilization result;
  for (int64_t done = 0;; ++done) {
    if (done >= combinations) return too_many;
    const Reading reading =
        TRY(read_elements(module, computation, instruction, scope, value, limits));
    // Other values may ask for further places; all combinations of these are met in any case.
    const int64_t each = checked_add(largest, 2).value_or(INT64_MAX);
    if (done == 0 && has_more_than(combinations, values.size(), each)) return too_many;
    count(reading, done == 0, result);
    auto next = values.begin();
    for (; next != values.end(); ++next) {
      if (++next->second <= largest) break;
      next->second = -1;
    }
    if (next == values.end()) return result;
  }
}

}  // namespace tileproof::spec
