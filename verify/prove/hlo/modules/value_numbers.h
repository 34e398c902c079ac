// SPDX-License-Identifier: Apache-2.0
// Numbers for values that are computed: arrays with equal numbers are equal, also in different
// modules.
//
//     LEFT    i = s32[] add(p, q)        RIGHT   n = s32[] add(a, b)   where a, b are parameters 0, 1
//             j = s32[] copy(i)                  m = s32[] fusion(a, b), which adds them
//
//     i, j, n and m have one number, if p and q are parameters 0 and 1
//
// A number stands for a text: the operation, its attributes, its type and dimensions (of a bitcast,
// also the layouts; of a collective, also the number of devices), the computations that it calls,
// and the numbers of its operands. Tuples, copies, fusions and calls are looked through, and so are
// operations that only give an array of one element other dimensions.
// Different numbers say nothing: 1 + p and p + 1 have different ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "spec/lang/hlo/follow_source.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

// The numbers of texts, shared by the modules that are compared.
using ValueTexts = std::map<std::string, int64_t>;

// Whether devices with the same operands may have different values: true for collectives, for the
// number of the device, and for a receive.
bool depends_on_device(const HloInstruction& instruction);

// How many devices run the module, as far as its header says it.
std::string devices_text(const HloModule& module);

// What becomes of operations whose operands do not determine their value: rng, infeed, custom-call.
// A number that is given to them, and to all that is computed from them, says that the operation is
// the same in both modules. In one module, no two of them have one number.
enum class Undetermined : uint8_t { kRefused, kNumbered };

class ValueNumbers {
 public:
  // Positions are as seen from the computation, whose parameters are equal in all modules. All must
  // outlive this object.
  ValueNumbers(const HloModule& module, int32_t computation, ValueTexts& texts,
               Undetermined undetermined = Undetermined::kRefused)
      : region_{module, computation, FollowRegion::UpTo::kParameters},
        texts_(texts),
        undetermined_(undetermined) {}

  // Nothing for values that their operands do not determine (rng, infeed, custom-call, ..) if they
  // are refused, for constants that are not written out, and beyond the limits of nesting and size.
  std::optional<int64_t> of(const HloPosition& position) { return of(position, 0); }

  // The position that computes the value, behind what is looked through.
  HloPosition source_of(HloPosition position) const;

  const HloModule& module() const { return region_.module; }
  const HloInstruction& at(const HloPosition& position) const { return region_.at(position); }
  const HloComputation& computation_of(const HloPosition& position) const {
    return region_.module
        .computations[computation_at(region_.module, region_.computation, position.calls)];
  }

 private:
  std::optional<int64_t> of(const HloPosition& position, int64_t depth);
  std::optional<int64_t> computed(const HloPosition& position, int64_t depth);
  std::optional<HloPosition> passed_on(const HloPosition& position) const;

  FollowRegion region_;
  ValueTexts& texts_;
  Undetermined undetermined_;
  std::set<int64_t> undetermined_numbers_;
  std::map<HloPosition, std::optional<int64_t>> known_;
};

}  // namespace tileproof::verify
