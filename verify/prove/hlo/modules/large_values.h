// SPDX-License-Identifier: Apache-2.0
// Two modules compute the same values: results of any size.
//
//     LEFT    r = f32[1024,768] dot(x, w)        RIGHT   d = f32[768,1024] dot(w^T, x^T), transpose(d)
//
//     equal: both have at (d0, d1) the sum over s0 in 0..511 of x[d0, s0] * w[s0, d1]
//
// Equal: one term stands for the elements at all indexes, and the laws make both terms equal
// (verify/prove/values/forms.h). Different: one element, computed from numbers for the parameters, is
// different whatever is rounded (verify/prove/values/point.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "spec/hlo/devices.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/values/values_equal.h"

namespace tileproof::verify {

// The devices that a module runs on. By leaf, which part of a result each holds; none: an array of its own.
struct OnDevices {
  spec::Devices devices;
  std::vector<std::optional<spec::Placed>> results;
};
// Of LEFT and RIGHT; null for a module on one device.
using BothOnDevices = std::array<const OnDevices*, 2>;

// The devices that hold an element of a result, and its index there: of one that is no part of a whole, all.
struct HeldElement {
  int64_t device = 0;
  std::vector<int64_t> index;
};
std::vector<HeldElement> holders(const OnDevices* on, int64_t leaf,
                                 const std::vector<int64_t>& global);

enum class LoopsAs : uint8_t;  // verify/prove/hlo/modules/element_walk.h

class LargeValues {
 public:
  // Both modules are valid, and their parameters and results have the same types and sizes: over all
  // devices, if they run on several. All must outlive this object.
  LargeValues(const HloModule& left, const HloModule& right, const ValueOptions& options,
              BothOnDevices on = {});
  ~LargeValues();

  // The laws with which the arrays of a result are equal, if that is proven. Else it says nothing.
  std::optional<Laws> equal(int64_t leaf, const Dims& dims, bool asks_solver);

 private:
  struct AnyIndex;
  struct Way {
    bool any_order = false;
    bool cuts = false;           // verify/prove/hlo/modules/cut_points.h
    bool has_functions = false;  // verify/prove/hlo/modules/at_any_index.h
    LoopsAs loops = {};
    bool writes_taps = false;
    auto operator<=>(const Way&) const = default;
  };
  std::optional<Laws> equal(int64_t leaf, const Dims& dims, bool asks_solver, const Way& way);

  const HloModule& left_;
  const HloModule& right_;
  const ValueOptions& options_;
  const BothOnDevices on_;
  const bool has_loops_, has_windows_;
  std::map<Way, std::unique_ptr<AnyIndex>> any_index_;
  std::map<Way, int64_t> too_long_;  // results for which a way is
};

// The laws, of all, that would make these results equal, by leaf: of results that no allowed law makes
// equal, if one term stands for their elements. A reader may allow them.
std::map<int64_t, Laws> laws_that_would_do(const HloModule& left, const HloModule& right,
                                           const std::map<int64_t, Dims>& results,
                                           const ValueOptions& options, BothOnDevices on = {});

// Searches for an element of each of these results that is different. Answers have its index and both
// values, and the device.
std::map<int64_t, ValueEquality> differences(const HloModule& left, const HloModule& right,
                                             const std::map<int64_t, Dims>& results,
                                             const ValueOptions& options, BothOnDevices on = {});

}  // namespace tileproof::verify
