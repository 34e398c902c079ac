// SPDX-License-Identifier: Apache-2.0
// Runs a module on several devices: their parameters, and the elements that collectives exchange.
#include <algorithm>
#include <functional>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/hlo/definition_devices.h"
#include "spec/hlo/devices.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/manual.h"

namespace tileproof::spec {

Frame alone(const Frame& frame, size_t device) {
  return {.computation = frame.computation,
          .devices = {frame.devices[device]},
          .calls = frame.calls,
          .is_recorded = frame.is_recorded,
          .is_iteration = frame.is_iteration,
          .depth = frame.depth};
}

std::pair<Frame, OnDevices<Arrays>> part_of(const Frame& frame, const OnDevices<Arrays>& arrays,
                                            const std::vector<size_t>& devices) {
  std::pair<Frame, OnDevices<Arrays>> part(frame, {});
  part.first.devices.clear();
  for (const size_t v : devices) {
    part.first.devices.push_back(frame.devices[v]);
    part.second.push_back(arrays[v]);
  }
  return part;
}

// What is not known may ask other devices, too, or how many there are.
bool Interpreter::is_exchange(const HloInstruction& i) {
  if (i.opcode == HloOpcode::kCustomCall || i.opcode == HloOpcode::kOther) return true;
  static constexpr absl::string_view kExchanges[] = {
      "all-gather",         "all-reduce",        "all-to-all",   "collective-broadcast",
      "collective-permute", "collective-reduce", "partition-id", "ragged-all-to-all",
      "reduce-scatter",     "replica-id",        "recv",         "send"};
  const absl::string_view name = absl::StripSuffix(i.opcode_text, "-start");
  return std::ranges::find(kExchanges, name) != std::end(kExchanges);
}

// Whether it may give devices with the same operands different results, or needs what others have: it
// exchanges, makes something new, or calls what does.
bool Interpreter::meets_devices(const HloInstruction& i) {
  if (is_exchange(i) || is_unlike_others(i)) return true;
  return std::ranges::any_of(i.calls, [&](const HloCall& call) {
    if (call.computation < 0) return true;
    const auto known = computation_meets_devices_.find(call.computation);
    if (known != computation_meets_devices_.end()) return known->second;
    const auto& called = module_.computations[call.computation].instructions;
    const bool meets =
        std::ranges::any_of(called, [&](const HloInstruction& one) { return meets_devices(one); });
    return computation_meets_devices_[call.computation] = meets;
  });
}

TermId Interpreter::number_of_device(int64_t number) {
  return terms_.constant(ElementType::kU32, wrapped(ElementType::kU32, number));
}

// ---- Parameters ----

absl::StatusOr<ArrayPtr> Interpreter::source_on(int64_t device, const TermStep& step,
                                                int32_t operand) {
  const auto placed = devices_->parameters.find({operand, step.leaf});
  auto array = std::make_shared<TermArray>(step.dims);
  const std::optional<int64_t> count = element_count(step.dims);
  if (!count || *count > limits_.elements) {
    return too_large(*step.at, absl::StrCat("operand ", operand, " of ", dims_text(step.dims)));
  }
  work_ -= *count;
  TRY(check_work(*step.at));
  const std::string name =
      step.leaf == 0 ? absl::StrCat("p", operand) : absl::StrCat("p", operand, ".", step.leaf);
  Symbol symbol{.text = name,
                .opcode = HloOpcode::kParameter,
                .type = step.type,
                .operand = operand,
                .leaf = static_cast<int32_t>(step.leaf)};
  const SymbolId whole = terms_.symbol(symbol);
  symbol.text = absl::StrCat(name, " of device ", device);
  const SymbolId own = terms_.symbol(std::move(symbol));
  for (int64_t e = 0; e < *count; ++e) {
    std::optional<std::vector<int64_t>> global;
    if (placed != devices_->parameters.end()) {
      const auto& [dims, sharding] = placed->second;
      global = global_index(sharding, dims, device, element_index(step.dims, e));
      if (global) {
        array->terms.push_back(terms_.element(whole, element_number(dims, *global)));
        continue;
      }
    }
    array->terms.push_back(terms_.element(own, e));
  }
  return array;
}

// The same array for devices that hold the same part.
absl::StatusOr<OnDevices<ArrayPtr>> Interpreter::sources_on(const Frame& frame,
                                                            const TermStep& step, int32_t operand) {
  OnDevices<ArrayPtr> arrays;
  if (devices_ == nullptr) {
    arrays.push_back(
        TRY(source(*step.at, frame.computation, step.instruction, operand, step.leaf)));
    return arrays;
  }
  for (const int64_t device : frame.devices) {
    ArrayPtr array = TRY(source_on(device, step, operand));
    const bool is_same = !arrays.empty() && arrays.back()->terms == array->terms;
    if (!is_same) array->origin = new_origin(frame, step.instruction, step.leaf, step.dims);
    arrays.push_back(is_same ? arrays.back() : std::move(array));
  }
  return arrays;
}

// ---- What devices exchange ----

namespace {

// A collective, and the part of its result that is asked for. No operation: one that is not defined
// here.
struct Exchange {
  const op::Any* operation = nullptr;
  HloOpcode opcode = HloOpcode::kOther;
  int64_t part = 0;
};

Exchange exchange_of(const CheckedOp& op, int64_t leaf) {
  const auto* start = std::get_if<op::Start>(&op.operation);
  if (start == nullptr) return {&op.operation, op.opcode, leaf};
  const int64_t part = leaf - std::ssize(start->operands);
  if (start->operation == nullptr || part < 0 || part >= std::ssize(start->operation->result)) {
    return {};
  }
  return {&start->operation->operation, start->operation->opcode, part};
}

// Whether the sizes are those of a group of so many devices.
bool fits(const op::AllGather& a, int64_t part, int64_t devices) {
  const op::CollectivePart& p = a.parts[part];
  return p.result[a.dimension] == p.operand[a.dimension] * devices;
}
bool fits(const op::ReduceScatter& r, int64_t part, int64_t devices) {
  const op::CollectivePart& p = r.parts[part];
  return p.operand[r.dimension] == p.result[r.dimension] * devices;
}
bool fits(const op::AllReduce&, int64_t /*part*/, int64_t /*devices*/) { return true; }
bool fits(const op::ArrayAllToAll& a, int64_t /*part*/, int64_t devices) {
  return a.dims[a.dimension] % devices == 0;
}
bool fits(const op::TupleAllToAll& a, int64_t /*part*/, int64_t devices) {
  return std::ssize(a.operands) == devices;
}

}  // namespace

// Where the elements of a device's result come from.
struct Route {
  std::vector<int64_t> devices;  // those that must take part
  bool is_bag = false;           // of several elements; else one, or none, which is zero
  std::function<std::vector<DeviceElement>(const std::vector<int64_t>&)> reads;
};

namespace {

// From one device, at the same index.
Route from_one(std::optional<int64_t> device, OperandLeaf leaf) {
  Route route;
  if (device) route.devices.push_back(*device);
  route.reads = [device, leaf](const std::vector<int64_t>& o) {
    return device ? std::vector<DeviceElement>{{*device, leaf, o}} : std::vector<DeviceElement>();
  };
  return route;
}

// The routes of a collective, by device.
class Routes {
 public:
  Routes(const HloInstruction& i, const CheckedOp& op, int64_t leaf, const DeviceCounts& counts)
      : i_(i), op_(op), exchange_(exchange_of(op, leaf)), counts_(counts) {}

  absl::Status prepare(const HloModule& module, int32_t computation) {
    if (exchange_.operation == nullptr) return absl::OkStatus();
    if (is_global_to_local(i_) || is_local_to_global(i_)) {
      blocks_ = TRY(blocks_of(module.computations[computation], i_, exchange_.part,
                              TRY(meshes_of(module)), *counts_.devices()));
    } else if (std::holds_alternative<op::CollectivePermute>(*exchange_.operation)) {
      pairs_ = TRY(device_pairs_of(i_, counts_));
    } else if (is_of_groups()) {
      groups_ = TRY(device_groups_of(i_, counts_));
    }
    for (const std::vector<int64_t>& group : groups_) {
      for (int64_t k = 0; k < std::ssize(group); ++k) members_.emplace(group[k], Member{group, k});
    }
    for (const auto& [source, target] : pairs_) sources_.emplace(target, source);
    return absl::OkStatus();
  }

  // Nothing for an operation that is not defined here.
  absl::StatusOr<std::optional<Route>> to(int64_t device) const {
    const op::Any* operation = exchange_.operation;
    if (operation == nullptr) return std::nullopt;
    if (blocks_) return TRY(of_blocks(device));
    if (const auto* permute = std::get_if<op::CollectivePermute>(operation)) {
      const auto source = sources_.find(device);
      return from_one(source == sources_.end() ? std::nullopt : std::optional(source->second),
                      permute->parts[exchange_.part].from);
    }
    const auto found = members_.find(device);
    const Member* member = found == members_.end() ? nullptr : &found->second;
    if (const auto* all = std::get_if<op::AllReduce>(operation)) {
      const OperandLeaf from = all->parts[exchange_.part].from;
      if (exchange_.opcode == HloOpcode::kCollectiveBroadcast) {
        return from_one(member ? std::optional(member->group[0]) : std::nullopt, from);
      }
      if (exchange_.opcode == HloOpcode::kCollectiveReduce) return std::nullopt;
      if (hands_on(*all)) return from_one(device, from);
    }
    return grouped(member, device);
  }

 private:
  bool is_of_groups() const {
    const auto has_exchanged = [](const auto& one) {
      return requires(const Member& m) { exchanged(one, 0, m, {}); };
    };
    return is_all_to_all() || std::visit(has_exchanged, *exchange_.operation);
  }

  bool is_all_to_all() const {
    return exchange_.opcode == HloOpcode::kAllToAll && find_attribute(i_.attributes, "dimensions");
  }

  // The first parts of (operands, results) of an all-reduce-start.
  bool hands_on(const op::AllReduce& all) const {
    const int64_t parts = std::ssize(all.parts);
    int64_t leaves = 0;
    for (const Leaves& operand : op_.operands) leaves += std::ssize(operand);
    return parts == 2 * leaves && exchange_.part < leaves;
  }

  template <class Operation>
  absl::StatusOr<std::optional<Route>> routed(const Operation& one, const Member& member) const {
    const int64_t devices = std::ssize(member.group);
    if (!fits(one, exchange_.part, devices)) {
      return absl::InvalidArgumentError(
          absl::StrCat(i_.name, ": expected sizes for a group of ", devices, " devices"));
    }
    Route route;
    route.devices = member.group;
    route.is_bag =
        std::is_same_v<Operation, op::AllReduce> || std::is_same_v<Operation, op::ReduceScatter>;
    route.reads = [one, part = exchange_.part, member](const std::vector<int64_t>& o) {
      return exchanged(one, part, member, o);
    };
    return route;
  }

  // Between the whole arrays of a program and those of its devices.
  absl::StatusOr<Route> of_blocks(int64_t device) const {
    const OperandLeaf from{static_cast<int32_t>(exchange_.part), 0};
    if (exchange_.part >= std::ssize(op_.operands) || op_.operands[exchange_.part].size() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(i_.name, ": expected an array for each result"));
    }
    const Dims &operand = op_.operands[exchange_.part][0].dims,
               &result = op_.result[exchange_.part].dims;
    const bool cuts = is_global_to_local(i_);
    const Dims &whole = cuts ? operand : result, &part = cuts ? result : operand;
    const std::vector<int64_t>& parts = blocks_->sharding.parts;
    bool fits = parts.empty() || parts.size() == whole.size();
    for (size_t d = 0; fits && d < parts.size(); ++d) fits = whole[d] % parts[d] == 0;
    if (!fits || part_dims(blocks_->sharding, whole) != part) {
      return absl::InvalidArgumentError(absl::StrCat(
          i_.name, ": expected parts of ", dims_text(whole), ", found ", dims_text(part)));
    }
    Route route;
    route.devices = cuts ? std::vector<int64_t>{device} : blocks_->holders_for(device);
    route.reads = [&blocks = *blocks_, whole, from, device, cuts,
                   holders = route.devices](const std::vector<int64_t>& o) {
      return std::vector<DeviceElement>{cuts ? of_part(blocks, whole, from, device, o)
                                             : of_holder(blocks, whole, from, holders, o)};
    };
    return route;
  }

  absl::StatusOr<std::optional<Route>> grouped(const Member* member, int64_t device) const {
    if (is_all_to_all() && member) {
      // Groups that are not written may be all devices: their number is known here alone.
      const int64_t dimension = TRY(integers_of(i_, "dimensions")).at(0);
      return routed(
          op::ArrayAllToAll{op_.operands[0][0].dims, dimension, std::ssize(member->group)},
          *member);
    }
    return std::visit(
        [&](const auto& one) -> absl::StatusOr<std::optional<Route>> {
          if constexpr (requires(const Member& m) { exchanged(one, 0, m, {}); }) {
            if (member) return this->routed(one, *member);
            return absl::InvalidArgumentError(
                absl::StrCat(i_.name, ": expected device ", device, " in a group"));
          } else {
            return std::nullopt;
          }
        },
        *exchange_.operation);
  }

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

// The number of the device as an operation gives it, or nothing.
std::optional<int64_t> own_number(HloOpcode opcode, int64_t device, int64_t partitions) {
  if (opcode == HloOpcode::kPartitionId) return device % partitions;
  if (opcode == HloOpcode::kReplicaId) return device / partitions;
  return std::nullopt;
}

}  // namespace

absl::StatusOr<OnDevices<ArrayPtr>> Interpreter::exchange(const Frame& frame, const TermStep& step,
                                                          const OnDevices<Arrays>& operands) {
  const CheckedOp& op = *checked_.at({frame.computation, step.instruction});
  const DeviceCounts& counts = devices_->counts;
  Routes routes(*step.at, op, step.leaf, counts);
  TRY(routes.prepare(module_, frame.computation));
  std::map<int64_t, size_t> places;  // in the frame, by device
  for (size_t v = 0; v < operands.size(); ++v) places.emplace(frame.devices[v], v);
  work_ -= std::ssize(operands);
  TRY(check_work(*step.at));
  OnDevices<ArrayPtr> results;
  for (size_t v = 0; v < operands.size(); ++v) {
    const int64_t device = frame.devices[v];
    auto result = std::make_shared<TermArray>(step.dims);
    result->origin = new_origin(frame, step.instruction, step.leaf, step.dims);
    const std::optional<int64_t> count = element_count(step.dims);
    if (!count || *count > limits_.elements) {
      return too_large(*step.at, absl::StrCat("elements of ", dims_text(step.dims)));
    }
    if (const auto number = own_number(step.at->opcode, device, counts.partitions)) {
      result->terms.push_back(terms_.constant(step.type, wrapped(step.type, *number)));
    } else if (step.rule == Rule::kMove ||  // of what is started, say
               (step.at->opcode == HloOpcode::kCustomCall && step.rule != Rule::kOpaque)) {
      result = TRY(run_here(alone(frame, v), step, operands[v]));
    } else {
      const auto route = TRY(routes.to(device));
      const bool is_complete = route && std::ranges::all_of(route->devices, [&](int64_t other) {
                                 return places.contains(other);
                               });
      if (is_complete) {
        TRY(receive(places, step, *route, operands, *result));
      } else {
        TRY(receive_unknown(frame, v, step, operands, *result));
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

// The elements that a route brings to a device.
absl::Status Interpreter::receive(const std::map<int64_t, size_t>& places, const TermStep& step,
                                  const Route& route, const OnDevices<Arrays>& operands,
                                  TermArray& result) {
  if (*element_count(step.dims) == 0) return absl::OkStatus();
  const std::optional<Symbol> bag =
      route.is_bag ? bag_symbol(module_, *step.at, step.type) : std::nullopt;
  std::vector<int64_t> o(step.dims.size(), 0);
  do {
    std::vector<TermId> terms;
    for (const DeviceElement& element : route.reads(o)) {
      const Arrays& there = operands[places.at(element.device)];
      const TermArray& array = *there.at({element.from.operand, element.from.leaf});
      terms.push_back(array.terms[element_number(array.dims, element.index)]);
    }
    work_ -= 1 + std::ssize(terms);
    TRY(check_work(*step.at));
    if (bag) {
      result.terms.push_back(terms_.bag(terms_.symbol(*bag), std::move(terms)));
    } else if (route.is_bag) {
      result.terms.push_back(terms_.opaque(step.symbol, 0, terms));
    } else {
      result.terms.push_back(terms.empty() ? zero_of(step) : terms[0]);
    }
  } while (next_index(step.dims, o));
  return absl::OkStatus();
}

// What a device has that receives nothing.
TermId Interpreter::zero_of(const TermStep& step) {
  if (is_integer(step.type)) return terms_.constant(step.type, int64_t{0});
  if (float_format(step.type)) return terms_.constant(step.type, 0.0);
  return terms_.opaque(
      terms_.symbol({.text = absl::StrCat("zero of ", info(step.type).name), .type = step.type}), 0,
      {});
}

// It may depend on all that all devices have, on the device, and on how many there are.
absl::Status Interpreter::receive_unknown(const Frame& frame, size_t device, const TermStep& step,
                                          const OnDevices<Arrays>& operands, TermArray& result) {
  const DeviceCounts& counts = devices_->counts;
  std::vector<TermId> all = {number_of_device(frame.devices[device]),
                             number_of_device(counts.replicas),
                             number_of_device(counts.partitions)};
  for (const Arrays& here : operands) {
    for (const auto& [position, array] : here) all.push_back(whole(*array));
  }
  const SymbolId symbol =
      step.unlike ? terms_.new_symbol(terms_.symbol_at(step.symbol)) : step.symbol;
  const int64_t count = *element_count(step.dims);
  work_ -= count;
  TRY(check_work(*step.at));
  for (int64_t e = 0; e < count; ++e) result.terms.push_back(terms_.opaque(symbol, e, all));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<OnDevices<ElementTerms>>> terms_on(const HloModule& module,
                                                              const Devices& devices, Terms& terms,
                                                              const Limits& limits) {
  const std::optional<int64_t> count = devices.counts.devices();
  if (!count || *count > limits.elements) {
    return absl::ResourceExhaustedError(
        absl::StrCat("too large to enumerate: more than ", limits.elements, " devices"));
  }
  const int32_t root = module.computations[module.entry].root;
  TRY(expect_valid(module, module.entry, root, std::nullopt, Scope::kComputation));
  Interpreter interpreter(module, Scope::kComputation, nullptr, limits, terms);
  std::vector<OnDevices<ElementTerms>> results;
  for (const auto& arrays : TRY(interpreter.run_all(module.entry, root, &devices))) {
    results.emplace_back();
    for (const ArrayPtr& array : arrays) results.back().push_back({array->dims, array->terms});
  }
  return results;
}

}  // namespace tileproof::spec
