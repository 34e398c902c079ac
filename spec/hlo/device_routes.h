// SPDX-License-Identifier: Apache-2.0
// From which devices a device receives each element: groups, pairs and the number of the device say
// so. And what a device has as a parameter.
//
//     p = f32[2] collective-permute(x), source_target_pairs={{0,1}}     device 1: from device 0
//                                                                       device 0: from none, zeros
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/hlo/definition_devices.h"
#include "spec/hlo/devices.h"
#include "spec/hlo/terms.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/device_groups.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/manual.h"

namespace tileproof::spec {

// Whether what an instruction gives on one device may be of others, or of its number. What is not
// known may ask them, too.
bool is_exchange(const HloInstruction& instruction);

// The number of the device, if the instruction gives that.
std::optional<int64_t> own_number(HloOpcode opcode, int64_t device, int64_t partitions);

// Where the elements of a device's result come from.
struct Route {
  std::vector<int64_t> devices;  // those that must take part
  bool is_bag = false;           // of several elements; else one, or none, which is zero
  // Nothing if it is not known. Integers say what some collectives read.
  std::function<std::optional<std::vector<DeviceElement>>(const std::vector<int64_t>&, NumberAt)>
      reads;
};

// The routes of a leaf of a collective. The arguments must outlive it.
class Routes {
 public:
  Routes(const HloInstruction& instruction, const CheckedOp& op, int64_t leaf,
         const DeviceCounts& counts);
  Routes(const Routes&) = delete;

  // To be called once. Errors: groups and pairs that do not fit the devices.
  absl::Status prepare(const HloModule& module, int32_t computation);
  // Nothing for an operation that is not defined here. Errors: sizes that do not fit the group.
  absl::StatusOr<std::optional<Route>> to(int64_t device) const;
  // The group of the device, if all in it receive the same; else null.
  const std::vector<int64_t>* shared_by(int64_t device) const;

 private:
  // A collective, and the part of its result that is asked for. No operation: one that is not
  // defined here.
  struct Exchange {
    const op::Any* operation = nullptr;
    HloOpcode opcode = HloOpcode::kOther;
    int64_t part = 0;
  };
  static Exchange exchange_of(const CheckedOp& op, int64_t leaf);
  bool is_of_groups() const;
  bool is_all_to_all() const;
  std::optional<RaggedAllToAll> ragged(int64_t devices) const;
  bool hands_on(const op::AllReduce& all) const;
  template <class Operation>
  absl::StatusOr<std::optional<Route>> routed(const Operation& one, const Member& member) const;
  absl::StatusOr<Route> of_blocks(int64_t device) const;
  absl::StatusOr<std::optional<Route>> grouped(const Member* member, int64_t device) const;

  const HloInstruction& i_;
  const CheckedOp& op_;
  const Exchange exchange_;
  const DeviceCounts counts_;
  DeviceGroups groups_;
  DevicePairs pairs_;
  std::optional<Blocks> blocks_;
  std::map<int64_t, Member> members_;   // by device
  std::map<int64_t, int64_t> sources_;  // by target
};

// A parameter's leaf on a device: parts of an array of a whole program, or an array of its own.
class ParameterOnDevice {
 public:
  ParameterOnDevice(const Devices& devices, int64_t device, int32_t number, int64_t leaf,
                    ElementType type, const Dims& dims, Terms& terms);
  TermId element(const std::vector<int64_t>& index);

 private:
  const Placed* placed_ = nullptr;
  const int64_t device_;
  const Dims& dims_;
  Terms& terms_;
  SymbolId whole_, own_;
};

// What a device has that receives nothing.
TermId zero_of(ElementType type, Terms& terms);

}  // namespace tileproof::spec
