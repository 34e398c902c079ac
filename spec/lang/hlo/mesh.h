// SPDX-License-Identifier: Apache-2.0
// Lists of devices as the text of HLO writes them: an iota that is transposed, or a mesh with named
// axes and the order in which they are counted through.
//
//     [4,2]T(1,0)           0 2 4 6 1 3 5 7
//     mesh['x'=4,'y'=2]     device 2 * x + y is at (x, y)
//
// Both are digits: counted through like an odometer, the last one fastest, each number is the sum of
// digit * stride. [4,2]T(1,0) has the digits of size 2, stride 1, and size 4, stride 2. Counting y
// before x gives the same list.
// Source: XLA, `IotaTileAssignment`, `Mesh` and `AxisRef`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/base/cursor.h"

namespace tileproof {

struct Digit {
  int64_t size = 1;
  int64_t stride = 1;

  bool operator==(const Digit&) const = default;
};

// How many numbers the digits count; nothing if 63 bits cannot.
std::optional<int64_t> count_of(absl::Span<const Digit> digits);
// All of them, in order. The caller knows that they are few.
std::vector<int64_t> numbers_of(absl::Span<const Digit> digits);

// `[4,2]`: sizes that are not below `low`. `why`: of an error about a bracket.
absl::StatusOr<std::vector<Digit>> take_sizes(Cursor& cursor, int64_t low, absl::string_view what,
                                              absl::string_view why);
// `[8]` or `[4,2]T(1,0)`. Errors: T(..) is no permutation; 63 bits cannot count
// the numbers.
absl::StatusOr<std::vector<Digit>> take_iota(Cursor& cursor);

// An axis of a mesh, or a part of one: of `size`, after a part of size `before`. The axis x of size
// 8 is the digits 'x':(1)2, 'x':(2)2 and 'x':(4)2.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
  int64_t before = 1;

  bool operator==(const MeshAxis&) const = default;
};

struct Mesh {
  std::vector<MeshAxis> axes;         // major to minor
  std::vector<Digit> iota = {};       // the device at each place, if they are written so
  std::vector<int64_t> devices = {};  // the same as a list; both empty: place k is device k

  std::optional<int64_t> size() const;  // nothing if 63 bits cannot count its devices
};

// `['x'=4,'y'=2]` or `['x'=4], device_ids=(0,2,1,3)`, behind the word `mesh`
absl::StatusOr<Mesh> take_mesh(Cursor& cursor);
// `'x'` or `'x':(1)2`: an axis of the mesh that meets none of `others`
absl::StatusOr<MeshAxis> take_axis_of(Cursor& cursor, const Mesh& mesh,
                                      absl::Span<const MeshAxis> others);

// The parts of the mesh's axes that `axes` leaves out, major to minor. Errors: parts that no common
// digits have, as (1)2 and (3)2 of an axis of size 6.
absl::StatusOr<std::vector<MeshAxis>> other_axes(const Mesh& mesh, absl::Span<const MeshAxis> axes);

// The devices of the mesh when these axes are counted through, the last one fastest. Together they
// are the mesh. Errors: `device_ids` that are not as many as the mesh has places.
absl::StatusOr<std::vector<int64_t>> devices_by(const Mesh& mesh, absl::Span<const MeshAxis> axes);

}  // namespace tileproof
