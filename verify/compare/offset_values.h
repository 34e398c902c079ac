// SPDX-License-Identifier: Apache-2.0
// The values that the reference used for offsets and indices, at the positions that an answer
// names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

// The values of offsets: spec::arbitrary_value with this seed and range, or one value for all.
struct RuntimeChoice {
  uint64_t seed = 0;
  int64_t near = 1;
  std::optional<int64_t> all = std::nullopt;
};

int64_t value_of(const spec::HloElement& position, const RuntimeChoice& choice);

// Resolves a position to the source of its value, as the reference does (spec/hlo/provenance.h).
// The module must outlive this object.
class OffsetValues {
 public:
  // The provenance is that of the computation, with the same choice.
  OffsetValues(const HloModule& module, int32_t computation, Scope scope,
               const spec::Provenance& provenance, RuntimeChoice choice);

  // Returns the value before clamping. Each element is followed to its source once.
  int64_t of(const HloPosition& position, std::vector<int64_t> index);

 private:
  int64_t followed(const HloPosition& position, std::vector<int64_t> index) const;

  const HloModule& module_;
  int32_t computation_;
  Scope scope_;
  RuntimeChoice choice_;
  std::map<spec::HloElement, int64_t> known_;
  std::map<spec::HloElement, int64_t> followed_;
};

}  // namespace tileproof::verify
