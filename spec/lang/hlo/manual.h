// SPDX-License-Identifier: Apache-2.0
// Whole programs of which a part runs on each device of a mesh, as JAX prints `shard_map` in HLO.
//
//     HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=4]>}}
//     ENTRY e {
//       a = f32[8] parameter(0)
//       l = f32[2] custom-call(a), custom_call_target="xla.sdy.GlobalToLocalShape",
//           frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}
//       b = f32[2] call(l), to_apply=body
//       ROOT g = f32[8] custom-call(b), custom_call_target="xla.sdy.LocalToGlobalShape",
//           frontend_attributes={xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}
//     }
//
// Each device has all of `a`, and part (0, 1), (2, 3), .. as `l`. What the devices have as `b` are the
// parts of `g`, which each device has. Axes that are not manual (xla.sdy.manual_axes) do not cut. Later
// passes of XLA write SPMDFullToShardShape, whose operand has a `sharding`, and SPMDShardToFullShape, which
// has one.
// Source: Shardy, `manual_computation`; XLA, `xla/service/spmd/shardy/constants.h`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/sharding.h"

namespace tileproof {

// The meshes that the header names: none, if it is not the text of a whole program for Shardy.
absl::StatusOr<Meshes> meshes_of(const HloModule& module);
// The devices of the largest one; 1 if there is none.
int64_t devices_of(const Meshes& meshes);

bool is_global_to_local(const HloInstruction& instruction);
bool is_local_to_global(const HloInstruction& instruction);
// Whether a part of the module runs on each device.
bool has_manual_computation(const HloModule& module);

// How such an instruction of the computation divides its array `number` into those of the devices.
absl::StatusOr<Blocks> blocks_of(const HloComputation& computation,
                                 const HloInstruction& instruction, int64_t number,
                                 const Meshes& meshes, int64_t devices);

// What Shardy's annotation `xla.sdy.NAME` of an instruction says of its array `number`. NotFound if there is
// none.
absl::StatusOr<MeshCut> annotation_of(const HloInstruction& instruction, absl::string_view name,
                                      int64_t number, const Meshes& meshes);

}  // namespace tileproof
