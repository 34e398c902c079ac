// SPDX-License-Identifier: Apache-2.0
// Definitions: collectives, as all devices of a group see them.
//
// `exchanged` gives the element that element o of one part of the result reads, on the device at one place
// of its group: that of the device at place s of an all-reduce and a reduce-scatter, which reduce all of
// the group. In the examples, the group is {4, 5}, and x@5(1) is element 1 of operand x on device 5.
//
// Numbers are generic, as those of access functions (spec/hlo/access_function.h).
// Source: XLA operation semantics, the section that each definition names; StableHLO, "Process groups".
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "spec/hlo/access_function.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/sharding.h"

namespace tileproof::spec {

// A device of a group of `size`: its own place, and the device at each.
template <class N>
struct Member {
  int64_t size = 1;
  N place = 0;
  std::function<N(const N&)> device_at;
};

template <class N>
struct ExchangedElement {
  N device;
  OperandLeaf from;
  std::vector<N> index;
  Truth<N> exists = true;
};
using DeviceElement = ExchangedElement<int64_t>;

// ---- all-gather ----
//
// The operands of the group, side by side.
//
//     g = f32[4] all-gather(f32[2] x), dimensions={0}           o = (3) reads x@5(1)
//
// Source: AllGather.
template <class N>
ExchangedElement<N> exchanged(const op::AllGather& a, int64_t part, const Member<N>& member,
                              std::vector<N> o, const N& /*s*/) {
  const op::CollectivePart& p = a.parts[part];
  const int64_t size = std::max<int64_t>(p.operand[a.dimension], 1);
  N device = member.device_at(floordiv(o[a.dimension], size));
  o[a.dimension] = mod(o[a.dimension], size);
  return {std::move(device), p.from, std::move(o)};
}

// ---- all-reduce ----
//
//     r = f32[2] all-reduce(f32[2] x)                           o = (1) reads x@4(1), x@5(1)
//
// Source: AllReduce.
template <class N>
ExchangedElement<N> exchanged(const op::AllReduce& a, int64_t part, const Member<N>& member,
                              std::vector<N> o, const N& s) {
  return {member.device_at(s), a.parts[part].from, std::move(o)};
}

// ---- reduce-scatter ----
//
// The device at place k of the group gets chunk k.
//
//     r = f32[2] reduce-scatter(f32[4] x), dimensions={0}       o = (1) on 5 reads x@4(3), x@5(3)
//
// Source: ReduceScatter.
template <class N>
ExchangedElement<N> exchanged(const op::ReduceScatter& r, int64_t part, const Member<N>& member,
                              std::vector<N> o, const N& s) {
  const op::CollectivePart& p = r.parts[part];
  o[r.dimension] = o[r.dimension] + member.place * p.result[r.dimension];
  return {member.device_at(s), p.from, std::move(o)};
}

// ---- all-to-all ----
//
// The device at place k gets chunk k of each operand, side by side.
//
//     a = f32[4] all-to-all(f32[4] x), dimensions={0}           o = (1) on 5 reads x@4(3)
//
// Source: AllToAll.
template <class N>
ExchangedElement<N> exchanged(const op::ArrayAllToAll& a, int64_t /*part*/, const Member<N>& member,
                              std::vector<N> o, const N& /*s*/) {
  N& e = o[a.dimension];
  const int64_t size = std::max<int64_t>(a.dims[a.dimension] / a.chunks, 1);
  N device = member.device_at(floordiv(e, size));
  e = mod(e, size) + member.place * size;
  return {std::move(device), {}, std::move(o)};
}

// The device at place k gets operand k of each device: part j of its result is that of the device at
// place j.
//
//     a = (f32[2], f32[2]) all-to-all(f32[2] x, f32[2] y)       o = (1) of part 0 on 5 reads y@4(1)
//
// Of operand s, if that is the one.
template <class N>
ExchangedElement<N> exchanged(const op::TupleAllToAll& a, int64_t part, const Member<N>& member,
                              std::vector<N> o, int64_t s) {
  return {member.device_at(part), a.operands[s], std::move(o), member.place == N(s)};
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

inline std::optional<DeviceElement> exchanged(const RaggedAllToAll& r,
                                              const Member<int64_t>& member, std::vector<int64_t> o,
                                              NumberAt number) {
  const int64_t receiver = member.device_at(member.place);
  DeviceElement element{receiver, {1, 0}, o};
  bool arrives = false;
  for (int64_t k = 0; k < member.size * r.updates; ++k) {
    const int64_t sender = member.device_at(k / r.updates);
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

// ---- Parts of arrays ----

// Where an element of the part of this number is in the array. In padding, it is behind its end.
template <class N>
std::vector<N> index_of_part(const Sharding& sharding, const Dims& dims, N part,
                             std::vector<N> local) {
  const Dims sizes = part_dims(sharding, dims);
  for (size_t d = sharding.parts.size(); d-- > 0;) {
    local[d] = local[d] + (d == 0 ? part : mod(part, sharding.parts[d])) * sizes[d];
    part = floordiv(part, sharding.parts[d]);
  }
  return local;
}

// An element of the array in the part that has it.
template <class N>
struct PartElement {
  N part = 0;
  std::vector<N> local;
};
template <class N>
PartElement<N> element_of_part(const Sharding& sharding, const Dims& dims, std::vector<N> global) {
  PartElement<N> element{.local = std::move(global)};
  const Dims sizes = part_dims(sharding, dims);
  for (size_t d = 0; d < sharding.parts.size(); ++d) {
    N& e = element.local[d];
    const int64_t size = std::max<int64_t>(sizes[d], 1);  // of no elements, any
    element.part = element.part * sharding.parts[d] + floordiv(e, size);
    e = mod(e, size);
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
template <class N>
ExchangedElement<N> of_part(const Sharding& sharding, const Dims& whole, OperandLeaf from,
                            const N& device, const N& part, std::vector<N> o) {
  return {device, from, index_of_part(sharding, whole, part, std::move(o))};
}

// LocalToGlobalShape puts the parts together. Of several devices that have a part, it is the one with
// the same coordinates in the axes of the mesh that do not cut.
//
//     g = f32[4] custom-call(f32[2] x), custom_call_target="xla.sdy.LocalToGlobalShape"     g(3) is x@5(1)
// `holder`: the device that has the part of this number.
template <class N>
ExchangedElement<N> of_holder(const Sharding& sharding, const Dims& whole, OperandLeaf from,
                              const std::function<N(const N&)>& holder, std::vector<N> o) {
  PartElement<N> element = element_of_part(sharding, whole, std::move(o));
  return {holder(element.part), from, std::move(element.local)};
}

}  // namespace tileproof::spec
