// SPDX-License-Identifier: Apache-2.0
// Definitions: collectives, as all devices of a group see them.
//
// `exchanged` gives the elements that element o of one part of the result reads, on the device at one
// place of its group: those of an all-reduce and a reduce-scatter are reduced, the others read one.
// In the examples, the group is {4, 5}, and x@5(1) is element 1 of operand x on device 5.
// Source: XLA operation semantics, the section that each definition names; StableHLO, "Process groups".
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/sharding.h"

namespace tileproof::spec {

// A device of a group.
struct Member {
  const std::vector<int64_t>& group;  // devices, in order
  int64_t place = 0;                  // its own
};

struct DeviceElement {
  int64_t device = 0;
  OperandLeaf from;
  std::vector<int64_t> index;
};

// ---- all-gather ----
//
// The operands of the group, side by side.
//
//     g = f32[4] all-gather(f32[2] x), dimensions={0}           o = (3) reads x@5(1)
//
// Source: AllGather.
inline std::vector<DeviceElement> exchanged(const op::AllGather& a, int64_t part,
                                            const Member& member, std::vector<int64_t> o) {
  const op::CollectivePart& p = a.parts[part];
  const int64_t size = p.operand[a.dimension];
  const int64_t device = member.group[o[a.dimension] / size];
  o[a.dimension] %= size;
  return {{device, p.from, std::move(o)}};
}

// ---- all-reduce ----
//
//     r = f32[2] all-reduce(f32[2] x)                           o = (1) reads x@4(1), x@5(1)
//
// Source: AllReduce.
inline std::vector<DeviceElement> exchanged(const op::AllReduce& a, int64_t part,
                                            const Member& member, const std::vector<int64_t>& o) {
  std::vector<DeviceElement> elements;
  for (const int64_t device : member.group) elements.push_back({device, a.parts[part].from, o});
  return elements;
}

// ---- reduce-scatter ----
//
// The device at place k of the group gets chunk k.
//
//     r = f32[2] reduce-scatter(f32[4] x), dimensions={0}       o = (1) on 5 reads x@4(3), x@5(3)
//
// Source: ReduceScatter.
inline std::vector<DeviceElement> exchanged(const op::ReduceScatter& r, int64_t part,
                                            const Member& member, std::vector<int64_t> o) {
  const op::CollectivePart& p = r.parts[part];
  o[r.dimension] += member.place * p.result[r.dimension];
  std::vector<DeviceElement> elements;
  for (const int64_t device : member.group) elements.push_back({device, p.from, o});
  return elements;
}

// ---- all-to-all ----
//
// The device at place k gets chunk k of each operand, side by side.
//
//     a = f32[4] all-to-all(f32[4] x), dimensions={0}           o = (1) on 5 reads x@4(3)
//
// Source: AllToAll.
inline std::vector<DeviceElement> exchanged(const op::ArrayAllToAll& a, int64_t /*part*/,
                                            const Member& member, std::vector<int64_t> o) {
  int64_t& e = o[a.dimension];
  const int64_t size = a.dims[a.dimension] / a.chunks;
  const int64_t device = member.group[e / size];
  e = e % size + member.place * size;
  return {{device, {}, std::move(o)}};
}

// The device at place k gets operand k of each device: part j of its result is that of the device at
// place j.
//
//     a = (f32[2], f32[2]) all-to-all(f32[2] x, f32[2] y)       o = (1) of part 0 on 5 reads y@4(1)
inline std::vector<DeviceElement> exchanged(const op::TupleAllToAll& a, int64_t part,
                                            const Member& member, const std::vector<int64_t>& o) {
  return {{member.group[part], a.operands[member.place], o}};
}

// ---- ragged-all-to-all ----
//
// Each device sends rows of operand 0 to each device of the group. Operands 2 to 5 have a number for each
// update: `updates` for each device of the group, in order. On the device that sends, they say the first row,
// how many, and the first row in the result of the device that receives; on that one, how many arrive. A
// row that does not arrive is that of operand 1.
//
//     r = f32[4] ragged-all-to-all(x, y, first, sizes, to, received)
//     if first@4 = {0,2}, sizes@4 = {2,1}, to@4 = {0,3}:        o = (3) on 5 reads x@4(2)
//
// Nothing if a number is not known, or several rows arrive: then any may be there. The same if a row lies
// outside of the arrays, or both devices say other sizes, of which the definition says nothing.
// Source: RaggedAllToAll.
struct RaggedAllToAll {
  Dims operand, result;
  int64_t updates = 1;
};

// The integer that an element is, if that is known.
using NumberAt = absl::FunctionRef<std::optional<int64_t>(const DeviceElement&)>;

inline std::optional<DeviceElement> exchanged(const RaggedAllToAll& r, const Member& member,
                                              std::vector<int64_t> o, NumberAt number) {
  const int64_t receiver = member.group[member.place];
  DeviceElement element{receiver, {1, 0}, o};
  bool arrives = false;
  for (int64_t k = 0; k < std::ssize(member.group) * r.updates; ++k) {
    const int64_t sender = member.group[k / r.updates];
    const int64_t update = member.place * r.updates + k % r.updates;
    const auto first = number({sender, {2, 0}, {update}}),
               size = number({sender, {3, 0}, {update}}), to = number({sender, {4, 0}, {update}}),
               received = number({receiver, {5, 0}, {k}});
    if (!first || !size || !to || !received) return std::nullopt;
    const bool fits = *size >= 0 && *size == *received && *first >= 0 && *to >= 0 &&
                      *first <= r.operand[0] - *size && *to <= r.result[0] - *size;
    if (!fits) return std::nullopt;
    if (o[0] < *to || o[0] >= *to + *size) continue;
    if (arrives) return std::nullopt;
    arrives = true;
    element = {sender, {0, 0}, o};
    element.index[0] += *first - *to;
  }
  return element;
}

// ---- Manual computations ----
//
// GlobalToLocalShape gives each device its part of an array that it has as a whole.
//
//     l = f32[2] custom-call(f32[4] x), custom_call_target="xla.sdy.GlobalToLocalShape"     l(1)@5 is x@5(3)
//
// Source: Shardy, manual_computation.
inline DeviceElement of_part(const Blocks& blocks, const Dims& whole, OperandLeaf from,
                             int64_t device, const std::vector<int64_t>& o) {
  return {device, from, *global_index(blocks.sharding, whole, device, o)};
}

// LocalToGlobalShape puts the parts together. Of several devices that have a part, it is the one with
// the same coordinates in the axes of the mesh that do not cut.
//
//     g = f32[4] custom-call(f32[2] x), custom_call_target="xla.sdy.LocalToGlobalShape"     g(3) is x@5(1)
inline DeviceElement of_holder(const Blocks& blocks, const Dims& whole, OperandLeaf from,
                               const std::vector<int64_t>& holders, std::vector<int64_t> o) {
  PartElement element = element_of_part(blocks.sharding, whole, std::move(o));
  return {holders[element.part], from, std::move(element.local)};
}

}  // namespace tileproof::spec
