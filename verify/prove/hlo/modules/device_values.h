// SPDX-License-Identifier: Apache-2.0
// Two modules of which at least one runs on several devices.
//
// A whole module against a partitioned one: each device holds a part of each parameter, by a sharding,
// and computes a part of each result.
//
//     LEFT    p = f32[8] parameter(0)    ROOT r = f32[8] negate(p)
//     RIGHT   num_partitions=4
//             p = f32[2] parameter(0), sharding={devices=[4]<=[4]}    ROOT r = f32[2] negate(p)
//
//     equal, if the result is cut like the parameter: element 1 of device 2 is -p[5], as element 5 of LEFT
//
// Equal: for each device and each element of its part that exists in the whole, the terms are the same up
// to laws. Two modules that are partitioned differently are compared in the same way. Modules on the same
// devices with arrays of the same sizes, and without annotations that differ, are compared device by device.
//
// A program for Shardy (spec/lang/hlo/manual.h) is whole. If a part of it runs on each device, then all of it
// does, with whole arrays.
// docs/equiv.md, "Several devices", is the manual.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/hlo/device_groups.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/sharding.h"
#include "verify/prove/values/values_equal.h"

namespace tileproof::verify {

// How the arrays of a whole program lie on the devices of a partitioned one.
struct Placement {
  int64_t devices = 1;
  std::vector<Sharding> parameters = {};  // of the leaves of all parameters, in turn
  std::vector<Sharding> results = {};     // by leaf
  bool is_padded = false;                 // sizes need not divide
};

struct Placements {
  std::optional<Placement> left = std::nullopt, right = std::nullopt;
};

// The replicas and partitions that a module runs on: of a program for Shardy, the devices of its mesh,
// if a part of it runs on each. Errors: those of the text.
absl::StatusOr<DeviceCounts> devices_run_on(const HloModule& module);

// Whether the modules cannot be compared as one program on one device each: they run on different
// numbers of devices, one of them is whole, a placement is given, their sizes differ and one of them runs
// on several, or both say how the same array is divided, and differ.
bool are_placed_differently(const HloModule& left, const HloModule& right,
                            const Placements& placements);

// One verdict for each array of the result. A placement that is not given is what the annotations
// (`sharding=`, or those of Shardy) of the parameters and the root say, of the partitioned module or of the
// whole one; an array of the whole size without one is on every device. Undecided if nothing says it, or
// it is too large to enumerate. Errors: a
// sharding that gives other sizes than the module has; those of the definition, with the side.
absl::StatusOr<std::vector<ValueEquality>> same_values_placed(const HloModule& left,
                                                              const HloModule& right,
                                                              const Placements& placements,
                                                              const ValueOptions& options);

// Whether a result may be different on devices with the same parameters, or needs other devices.
bool depends_on_device(const HloModule& module);

// Modules on the same devices, with arrays of the same sizes: device by device. One answer for each of
// the leaves, or an error if its elements are too many. Errors: those of the definition, with the side.
absl::StatusOr<std::vector<absl::StatusOr<ValueEquality>>> same_values_on_each(
    const HloModule& left, const HloModule& right, const std::vector<int64_t>& leaves,
    const ValueOptions& options);

}  // namespace tileproof::verify
