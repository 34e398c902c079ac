// SPDX-License-Identifier: Apache-2.0
// A sharding: which part of an array each device holds.
//
// Each dimension d is cut into parts[d] parts of ceil(size / parts[d]) elements. The last ones may be
// padded, or be padding altogether. The parts are numbered row by row, and each device has one:
//
//     f32[4,6] with {devices=[2,1,2]<=[4] last_tile_dim_replicate}     parts {2, 1}
//
//     device      0  1  2  3
//     part        0  0  1  1           f32[2,6] each; element (1, 5) of device 2 is (3, 5) of all
//
// It is a relation from (device, local index) to a global index: partial where padded, many-to-one
// where several devices hold one part.
// Source: XLA, `OpSharding` and `HloSharding`; Shardy, "Sharding representation".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/mesh.h"

namespace tileproof {

struct Sharding {
  std::vector<int64_t> parts = {};    // along each dimension; empty: there is one part, all
  std::vector<int64_t> part_of = {};  // by device; -1: it holds none

  bool operator==(const Sharding&) const = default;
};

// Every device holds all.
Sharding replicated(int64_t devices);

// The sizes of a part. The sharding must have no dimensions, or those of the array.
Dims part_dims(const Sharding& sharding, const Dims& dims);

// Where an element of a device's part is in the array. Nothing if it is padding, or the device holds
// no part.
std::optional<std::vector<int64_t>> global_index(const Sharding& sharding, const Dims& dims,
                                                 int64_t device, const std::vector<int64_t>& local);

// The axes of a mesh that cut each dimension, major first; the others hold copies. Errors: a mesh of
// another number of devices.
absl::StatusOr<Sharding> sharding_on(const Mesh& mesh,
                                     absl::Span<const std::vector<MeshAxis>> dimensions,
                                     int64_t devices);

// The same, with the devices that hold part 0, then those of part 1, and so on. Devices at the same
// place behind their part's first one have the same coordinates in the axes that do not cut.
//
//     mesh['x'=2,'y'=2], [{'y'}]     devices 0 2 1 3: devices 2 and 3 are at the second place
struct Blocks {
  Sharding sharding;
  std::vector<int64_t> devices = {};

  // Of each part, the device at the place of this one.
  std::vector<int64_t> holders_for(int64_t device) const;
};
absl::StatusOr<Blocks> blocks_on(const Mesh& mesh,
                                 absl::Span<const std::vector<MeshAxis>> dimensions,
                                 int64_t devices);

// The devices that `{devices=[2,2]..}` or `{mesh['x'=4]..}` names. Errors: another sharding.
absl::StatusOr<int64_t> devices_named(absl::string_view text);

// The shardings of several arrays, of these ranks, in the text of HLO: one for each in a tuple, or
// one for all of them.
//
//     {replicated}     {maximal device=1}     {devices=[2,2]0,2,1,3}     {devices=[2,2]<=[2,2]T(1,0)}
//     {mesh['x'=2,'y'=2], [{'y'}, {}], replicated={'x'}}                 {{replicated}, {devices=[4]<=[4]}}
//
// Errors: what does not say which part a device holds (manual, unknown, unreduced); a part or device
// that does not exist; another rank.
absl::StatusOr<std::vector<Sharding>> read_shardings(absl::string_view text,
                                                     absl::Span<const int64_t> ranks,
                                                     int64_t devices);
// That of one array of any rank.
absl::StatusOr<Sharding> read_sharding(absl::string_view text, int64_t devices);

// ---- Shardy ----

// A mesh, and its axes that cut each dimension of an array.
struct MeshCut {
  Mesh mesh;
  std::vector<std::vector<MeshAxis>> dimensions = {};
};

using Meshes = std::map<std::string, Mesh>;  // by name

// `{mesh = #sdy.mesh<["x"=4, "y"=2]>}`
absl::StatusOr<Meshes> read_meshes(absl::string_view text);

// `#sdy.sharding<@mesh, [{"x"}, {}]>`, and `#sdy.sharding_per_value<[<@mesh, [{"x"}]>, ..]>` of several
// arrays. Errors: axes that are unreduced; a mesh that is not there.
absl::StatusOr<std::vector<MeshCut>> read_shardings_of_shardy(absl::string_view text,
                                                              const Meshes& meshes);

}  // namespace tileproof
