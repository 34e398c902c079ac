// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/device_maps.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/digit_sum.h"
#include "impl/map/map_builder.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/device_groups.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/manual.h"

namespace tileproof::impl {
namespace {

// ---- One map ----

// The device and the element that a map reads.
struct Read {
  NodeId device;
  OperandLeaf from;
  std::vector<NodeId> index;
};

// A map that is being written: from element `o` on device `v`.
struct Writer {
  MapBuilder m;
  NodeId v;
  std::vector<NodeId> o;
};

// The group of the device that a map is about, and its place there. Either the map is about all
// devices, or about one of them, and about what it reads from one other.
class Member {
 public:
  Member(Writer& w, const DigitSum& members, const DigitSum& numbers, int64_t size)
      : w_(w), members_(&members), size_(size) {
    const NodeId number = numbers.at(w.m, w.v);
    place_ = w.m.mod(number, size);
    first_ = w.m.minus(number, place_);
  }
  Member(Writer& w, const std::vector<int64_t>& group, int64_t place, int64_t other)
      : w_(w), size_(std::ssize(group)), other_(other), other_device_(group[other]) {
    w.m.require(w.v, {group[place], group[place]});
    place_ = w.m.constant(place);
  }

  int64_t size() const { return size_; }
  NodeId place() const { return place_; }
  NodeId device_at(NodeId place) const {
    if (place == place_ && members_ != nullptr) return w_.v;
    if (members_ != nullptr) return members_->at(w_.m, w_.m.plus(first_, place));
    w_.m.require(place, {other_, other_});
    return w_.m.constant(other_device_);
  }
  NodeId device_at_any_place() const {
    return device_at(members_ != nullptr ? w_.m.range(size_) : w_.m.constant(other_));
  }

 private:
  Writer& w_;
  const DigitSum* members_ = nullptr;
  int64_t size_, other_ = 0, other_device_ = 0;
  NodeId place_ = -1, first_ = -1;
};

// ---- Operations on groups ----
//
// `read` gives what element `o` of one part of the result reads, `fits` says whether the sizes are those
// of groups of so many devices.

// The operands side by side.
bool fits(const op::AllGather& gather, int64_t part, int64_t devices) {
  const op::CollectivePart& p = gather.parts[part];
  return checked_mul(p.operand[gather.dimension], devices) == p.result[gather.dimension];
}
Read read(const op::AllGather& gather, int64_t part, const Member& member, Writer& w) {
  const op::CollectivePart& p = gather.parts[part];
  const NodeId e = w.o[gather.dimension];
  const int64_t chunk = p.operand[gather.dimension];
  w.o[gather.dimension] = w.m.mod(e, chunk);
  return {member.device_at(w.m.floordiv(e, chunk)), p.from, w.o};
}

// Chunk k of the sum for the device at place k.
bool fits(const op::ReduceScatter& scatter, int64_t part, int64_t devices) {
  const op::CollectivePart& p = scatter.parts[part];
  return checked_mul(p.result[scatter.dimension], devices) == p.operand[scatter.dimension];
}
Read read(const op::ReduceScatter& scatter, int64_t part, const Member& member, Writer& w) {
  const op::CollectivePart& p = scatter.parts[part];
  NodeId& e = w.o[scatter.dimension];
  e = w.m.plus(w.m.times(member.place(), p.result[scatter.dimension]), e);
  return {member.device_at_any_place(), p.from, w.o};
}

struct Broadcast {  // collective-broadcast: what the first device of the group has
  const op::AllReduce& parts;
};
bool fits(const Broadcast&, int64_t, int64_t) { return true; }
Read read(const Broadcast& broadcast, int64_t part, const Member& member, Writer& w) {
  return {member.device_at(w.m.constant(0)), broadcast.parts.parts[part].from, w.o};
}

bool fits(const op::AllReduce&, int64_t, int64_t) { return true; }
Read read(const op::AllReduce& reduce, int64_t part, const Member& member, Writer& w) {
  return {member.device_at_any_place(), reduce.parts[part].from, w.o};
}

// Chunk k of each operand for the device at place k.
struct ChunkedAllToAll {
  int64_t dimension, size;
};
bool fits(const ChunkedAllToAll& all, int64_t, int64_t devices) { return all.size % devices == 0; }
Read read(const ChunkedAllToAll& all, int64_t, const Member& member, Writer& w) {
  const int64_t chunk = all.size / member.size();
  const NodeId e = w.o[all.dimension];
  w.o[all.dimension] = w.m.plus(w.m.times(member.place(), chunk), w.m.mod(e, chunk));
  return {member.device_at(w.m.floordiv(e, chunk)), {0, 0}, w.o};
}

// Operand k of each device for the device at place k; part j is that of the device at place j.
struct OperandAllToAll {
  const op::TupleAllToAll& all;
  int64_t place;
};
bool fits(const OperandAllToAll& one, int64_t, int64_t devices) {
  return std::ssize(one.all.operands) == devices;
}
Read read(const OperandAllToAll& one, int64_t part, const Member& member, Writer& w) {
  w.m.require(member.place(), {one.place, one.place});
  return {member.device_at(w.m.constant(part)), one.all.operands[one.place], w.o};
}

// The part of a whole array for the device at its place, and parts put together. The group has a
// device for each part.
struct Cut {
  const Sharding& sharding;
  Dims part;
  bool joins;
};
bool fits(const Cut&, int64_t, int64_t) { return true; }
Read read(const Cut& cut, int64_t part, const Member& member, Writer& w) {
  const std::vector<int64_t>& parts = cut.sharding.parts;
  NodeId number = cut.joins ? w.m.constant(0) : member.place();
  const NodeId own = number;
  for (size_t d = 0; cut.joins && d < parts.size(); ++d) {
    number = w.m.plus(w.m.times(number, parts[d]), w.m.floordiv(w.o[d], cut.part[d]));
    w.o[d] = w.m.mod(w.o[d], cut.part[d]);
  }
  const NodeId device = member.device_at(cut.joins ? number : own);
  for (size_t d = parts.size(); !cut.joins && d-- > 0;) {
    w.o[d] = w.m.plus(w.m.times(w.m.mod(number, parts[d]), cut.part[d]), w.o[d]);
    number = w.m.floordiv(number, parts[d]);
  }
  return {device, {static_cast<int32_t>(part), 0}, w.o};
}

// ---- All maps ----

class DeviceMaps {
 public:
  DeviceMaps(const HloInstruction& instruction, const CheckedOp& op, int32_t leaf,
             const DeviceCounts& counts, std::optional<int64_t> device)
      : i_(instruction), counts_(counts), device_(device), dims_(op.result[leaf].dims) {
    for (const Leaves& operand : op.operands) indexing_.emplace_back(operand.size());
  }

  // Each device of a group reads what `operation` says.
  template <class Operation>
  absl::Status on_groups(const Operation& operation, int64_t part, DeviceGroups groups);
  // Devices read from one at the same index.
  absl::Status by_pairs(const DevicePairs& pairs, OperandLeaf from);
  absl::Status own(OperandLeaf from) {
    return add([&](Writer& w) { return Read{w.v, from, w.o}; });
  }

  Indexing take() { return std::move(indexing_); }

 private:
  absl::Status add(absl::FunctionRef<Read(Writer&)> read);
  // From the device at this distance, for these targets.
  absl::Status from_distance(int64_t distance, const std::vector<int64_t>& targets,
                             OperandLeaf from);
  int64_t devices() const { return *counts_.devices(); }

  const HloInstruction& i_;
  const DeviceCounts counts_;
  const std::optional<int64_t> device_;
  const Dims& dims_;
  Indexing indexing_;
};

absl::Status DeviceMaps::add(absl::FunctionRef<Read(Writer&)> read) {
  Dims sizes = dims_;
  if (!device_) sizes.insert(sizes.begin(), devices());
  Writer w{MapBuilder(sizes), -1, {}};
  w.v = device_ ? w.m.constant(*device_) : w.m.dimension(0);
  for (int64_t d = device_ ? 0 : 1; d < std::ssize(sizes); ++d) w.o.push_back(w.m.dimension(d));
  const Read one = read(w);
  w.m.result(one.device);
  for (const NodeId e : one.index) w.m.result(e);
  if (w.m.failed()) return absl::OutOfRangeError("expected numbers that fit 64 signed bits");
  IndexingMap map = w.m.take();
  for (size_t d = 0; !device_ && d < map.dimensions.size(); ++d) {
    map.dimensions[d].name = d == 0 ? "v" : absl::StrCat("d", d - 1);
  }
  map = TRY(simplify(map));
  if (!map.known_empty) {
    indexing_[one.from.operand][one.from.leaf].maps.push_back({std::move(map), {}});
  }
  return absl::OkStatus();
}

template <class Operation>
absl::Status DeviceMaps::on_groups(const Operation& operation, int64_t part, DeviceGroups groups) {
  std::erase_if(groups, [](const std::vector<int64_t>& group) { return group.empty(); });
  std::vector<int64_t> members, numbers(devices(), -1);
  for (const std::vector<int64_t>& group : groups) {
    if (!fits(operation, part, std::ssize(group))) {
      return absl::InvalidArgumentError(
          absl::StrCat(i_.name, ": expected sizes for a group of ", group.size(), " devices"));
    }
    for (const int64_t device : group) {
      numbers[device] = std::ssize(members);
      members.push_back(device);
    }
  }
  const auto missing = std::ranges::find(numbers, -1);
  if (missing != numbers.end() && i_.opcode != HloOpcode::kCollectiveBroadcast) {
    return absl::InvalidArgumentError(
        absl::StrCat(i_.name, ": expected device ", missing - numbers.begin(), " in a group"));
  }
  const bool same_sizes = std::ranges::all_of(
      groups, [&](const auto& group) { return group.size() == groups[0].size(); });
  if (same_sizes && missing == numbers.end()) {
    const auto member_at = DigitSum::of(members), number_of = DigitSum::of(numbers);
    if (member_at && number_of) {
      return add([&](Writer& w) {
        return read(operation, part, Member(w, *member_at, *number_of, std::ssize(groups[0])), w);
      });
    }
  }
  for (const std::vector<int64_t>& group : groups) {
    for (int64_t place = 0; place < std::ssize(group); ++place) {
      if (device_.value_or(group[place]) != group[place]) continue;
      for (int64_t other = 0; other < std::ssize(group); ++other) {
        TRY(add(
            [&](Writer& w) { return read(operation, part, Member(w, group, place, other), w); }));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status DeviceMaps::by_pairs(const DevicePairs& pairs, OperandLeaf from) {
  std::vector<int64_t> sources(devices(), -1);
  for (const auto& [source, target] : pairs) sources[target] = source;
  const auto source_of = DigitSum::of(sources);
  if (source_of && std::ranges::find(sources, -1) == sources.end()) {
    return add([&](Writer& w) { return Read{source_of->at(w.m, w.v), from, w.o}; });
  }
  std::map<int64_t, std::vector<int64_t>> targets;  // by how far away the source is
  for (int64_t v = 0; v < devices(); ++v) {
    if (sources[v] >= 0) targets[sources[v] - v].push_back(v);
  }
  for (const auto& [distance, of] : targets) TRY(from_distance(distance, of, from));
  return absl::OkStatus();
}

// Those v with v mod period in an interval, or one interval after the other.
absl::Status DeviceMaps::from_distance(int64_t distance, const std::vector<int64_t>& targets,
                                       OperandLeaf from) {
  const auto read_if = [&](int64_t period, Interval interval) {
    return add([&](Writer& w) {
      w.m.require(period == devices() ? w.v : w.m.mod(w.v, period), interval);
      return Read{w.m.plus(w.v, distance), from, w.o};
    });
  };
  for (int64_t period = 1; period < devices(); ++period) {
    if (devices() % period != 0) continue;
    const auto below = std::ranges::lower_bound(targets, period) - targets.begin();
    if (below == 0 || targets[below - 1] - targets[0] != below - 1) continue;
    const Interval interval{targets[0], targets[below - 1]};
    const auto is_one = [&](int64_t v) {
      return interval.low <= v % period && v % period <= interval.high;
    };
    if (below * (devices() / period) == std::ssize(targets) &&
        std::ranges::all_of(targets, is_one)) {
      return read_if(period, interval);
    }
  }
  for (size_t begin = 0, end = 0; begin < targets.size(); begin = end) {
    while (end < targets.size() && targets[end] - targets[begin] == int64_t(end - begin)) ++end;
    TRY(read_if(devices(), {targets[begin], targets[end - 1]}));
  }
  return absl::OkStatus();
}

// ---- Which operation it is ----

absl::Status not_defined(const HloInstruction& i) {
  return absl::UnimplementedError(
      absl::StrCat(i.name, ": ", i.opcode_text, " has no maps between devices"));
}

// A group for each place among the devices that hold a part.
DeviceGroups holders(const Blocks& blocks) {
  int64_t parts = 1;
  for (const int64_t count : blocks.sharding.parts) parts *= count;
  DeviceGroups groups(std::ssize(blocks.devices) / parts);
  for (size_t k = 0; k < blocks.devices.size(); ++k) {
    groups[k % groups.size()].push_back(blocks.devices[k]);
  }
  return groups;
}

struct Collective {
  const HloModule& module;
  int32_t computation;
  const HloInstruction& i;
  const CheckedOp& op;  // not inside of a Start
  int64_t part;
  const DeviceCounts& counts;
};

absl::Status cut(const Collective& c, DeviceMaps& maps) {
  const Blocks blocks = TRY(blocks_of(c.module.computations[c.computation], c.i, c.part,
                                      TRY(meshes_of(c.module)), *c.counts.devices()));
  const bool joins = is_local_to_global(c.i);
  if (c.part >= std::ssize(c.op.operands) || c.op.operands[c.part].size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(c.i.name, ": expected an array for each result"));
  }
  const Dims &result = c.op.result[c.part].dims, &operand = c.op.operands[c.part][0].dims;
  const Dims &whole = joins ? result : operand, &part = joins ? operand : result;
  const std::vector<int64_t>& parts = blocks.sharding.parts;
  bool fits = parts.empty() || parts.size() == whole.size();
  for (size_t d = 0; fits && d < parts.size(); ++d) fits = whole[d] % parts[d] == 0;
  if (!fits || part_dims(blocks.sharding, whole) != part) {
    return absl::InvalidArgumentError(absl::StrCat(c.i.name, ": expected parts of ",
                                                   dims_text(whole), ", found ", dims_text(part)));
  }
  return maps.on_groups(Cut{blocks.sharding, part, joins}, c.part, holders(blocks));
}

absl::Status all_to_all(const Collective& c, DeviceMaps& maps) {
  const DeviceGroups groups = TRY(device_groups_of(c.i, c.counts));
  if (find_attribute(c.i.attributes, "dimensions")) {
    const int64_t dimension = TRY(integers_of(c.i, "dimensions"))[0];
    return maps.on_groups(ChunkedAllToAll{dimension, c.op.result[c.part].dims[dimension]}, c.part,
                          groups);
  }
  const auto& all = std::get<op::TupleAllToAll>(c.op.operation);
  for (int64_t place = 0; place < std::ssize(all.operands); ++place) {
    TRY(maps.on_groups(OperandAllToAll{all, place}, c.part, groups));
  }
  return absl::OkStatus();
}

absl::Status reduced(const op::AllReduce& reduce, const Collective& c, DeviceMaps& maps) {
  if (c.op.opcode == HloOpcode::kCollectiveReduce) return not_defined(c.i);
  int64_t operands = 0;
  for (const Leaves& operand : c.op.operands) operands += std::ssize(operand);
  // (operands, results) of an all-reduce-start
  if (std::ssize(reduce.parts) == 2 * operands && c.part < operands) {
    return maps.own(reduce.parts[c.part].from);
  }
  const DeviceGroups groups = TRY(device_groups_of(c.i, c.counts));
  if (c.op.opcode != HloOpcode::kCollectiveBroadcast) return maps.on_groups(reduce, c.part, groups);
  return maps.on_groups(Broadcast{reduce}, c.part, groups);
}

absl::Status write(const Collective& c, DeviceMaps& maps) {
  if (is_global_to_local(c.i) || is_local_to_global(c.i)) return cut(c, maps);
  if (c.op.opcode == HloOpcode::kRaggedAllToAll) return not_defined(c.i);
  if (c.op.opcode == HloOpcode::kAllToAll) return all_to_all(c, maps);
  const op::Any& any = c.op.operation;
  if (const auto* permute = std::get_if<op::CollectivePermute>(&any)) {
    return maps.by_pairs(TRY(device_pairs_of(c.i, c.counts)), permute->parts[c.part].from);
  }
  if (const auto* reduce = std::get_if<op::AllReduce>(&any)) return reduced(*reduce, c, maps);
  if (const auto* gather = std::get_if<op::AllGather>(&any)) {
    return maps.on_groups(*gather, c.part, TRY(device_groups_of(c.i, c.counts)));
  }
  if (const auto* scatter = std::get_if<op::ReduceScatter>(&any)) {
    return maps.on_groups(*scatter, c.part, TRY(device_groups_of(c.i, c.counts)));
  }
  return not_defined(c.i);
}

}  // namespace

absl::StatusOr<Indexing> device_maps(const HloModule& module, int32_t computation,
                                     int32_t instruction, int32_t leaf,
                                     std::optional<int64_t> device) {
  const HloInstruction& i = module.computations[computation].instructions[instruction];
  const DeviceCounts counts = TRY(device_counts(module));
  TRY(expect_listed(counts));
  const int64_t devices = *counts.devices();
  if (device && (*device < 0 || *device >= devices)) {
    return absl::OutOfRangeError(
        absl::StrCat("expected a device in [0, ", devices - 1, "], found ", *device));
  }
  const CheckedOp op = TRY(checked_op(module, module.computations[computation], i));
  if (leaf < 0 || leaf >= std::ssize(op.result)) return not_defined(i);
  DeviceMaps maps(i, op, leaf, counts, device);
  if (element_count(op.result[leaf].dims).value_or(0) == 0) return maps.take();
  const auto* start = std::get_if<op::Start>(&op.operation);
  if (start == nullptr) {
    TRY(write({module, computation, i, op, leaf, counts}, maps));
    return maps.take();
  }
  const int64_t part = leaf - std::ssize(start->operands);
  if (start->operation == nullptr || part < 0 || part >= std::ssize(start->operation->result)) {
    return not_defined(i);
  }
  TRY(write({module, computation, i, *start->operation, part, counts}, maps));
  return maps.take();
}

}  // namespace tileproof::impl
