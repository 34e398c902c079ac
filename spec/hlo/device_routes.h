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
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/base/integers.h"
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
template <class N>
std::optional<N> own_number(HloOpcode opcode, const N& device, int64_t partitions) {
  if (opcode == HloOpcode::kPartitionId) return mod(device, partitions);
  if (opcode == HloOpcode::kReplicaId) return floordiv(device, partitions);
  return std::nullopt;
}

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

  // Where an element is from: it is not known; the device itself; one device; several, which are reduced;
  // or one that integers say.
  enum class Kind : uint8_t { kUnknown, kOwn, kOne, kBag, kRagged };
  Kind kind() const;
  // The elements of which one is what the device at a place of its group receives; for a bag, what the
  // device at place s sends. Of operations on groups.
  template <class N>
  std::vector<ExchangedElement<N>> received(const Member<N>& member, const std::vector<N>& o,
                                            const N& s) const {
    const int64_t part = exchange_.part;
    if (is_all_to_all()) return {exchanged(all_to_all(member.size), part, member, o, s)};
    std::vector<ExchangedElement<N>> all;
    std::visit(
        [&](const auto& one) {
          if constexpr (std::is_same_v<std::decay_t<decltype(one)>, op::TupleAllToAll>) {
            for (int64_t k = 0; k < member.size; ++k) {
              all.push_back(exchanged(one, part, member, o, k));
            }
          } else if constexpr (requires { exchanged(one, part, member, o, s); }) {
            all.push_back(exchanged(one, part, member, o, s));
          }
        },
        *exchange_.operation);
    return all;
  }
  // Whether the sizes are those of groups of so many devices, or of blocks.
  bool fits(int64_t devices) const;
  const DeviceGroups& groups() const { return groups_; }
  bool is_permute() const {
    return exchange_.operation != nullptr &&
           std::holds_alternative<op::CollectivePermute>(*exchange_.operation);
  }
  const DevicePairs& pairs() const { return pairs_; }
  // Between the whole arrays of a program and those of its devices: the sizes of the whole, and whether it
  // is cut.
  const std::optional<Blocks>& blocks() const { return blocks_; }
  const Dims& whole_dims() const;
  bool cuts() const;
  // What a device hands on, or gets of one by a pair.
  OperandLeaf operand() const;

 private:
  // A collective, and the part of its result that is asked for. No operation: one that is not
  // defined here.
  struct Exchange {
    const op::Any* operation = nullptr;
    HloOpcode opcode = HloOpcode::kOther;
    int64_t part = 0;
  };
  struct Place {
    const std::vector<int64_t>* group = nullptr;
    int64_t number = 0;
  };
  static Exchange exchange_of(const CheckedOp& op, int64_t leaf);
  bool is_all_to_all() const;
  const Dims& part_dims_here() const;  // of what a whole array is cut into
  op::ArrayAllToAll all_to_all(int64_t devices) const;
  std::optional<RaggedAllToAll> ragged(int64_t devices) const;
  bool hands_on(const op::AllReduce& all) const;
  absl::StatusOr<Route> of_blocks(int64_t device) const;
  absl::StatusOr<std::optional<Route>> grouped(const Place& place) const;

  const HloInstruction& i_;
  const CheckedOp& op_;
  const Exchange exchange_;
  const DeviceCounts counts_;
  DeviceGroups groups_;
  DevicePairs pairs_;
  std::optional<Blocks> blocks_;
  std::map<int64_t, Place> places_;     // by device
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
