// SPDX-License-Identifier: Apache-2.0
// Runs a module on several devices: their parameters, and the elements that collectives exchange.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/device_routes.h"
#include "spec/hlo/devices.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"

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

bool meets_devices(const HloModule& module, const HloInstruction& i,
                   std::map<int32_t, bool>& known) {
  if (is_exchange(i) || is_unlike_others(i)) return true;
  return std::ranges::any_of(i.calls, [&](const HloCall& call) {
    if (call.computation < 0) return true;
    const auto found = known.find(call.computation);
    if (found != known.end()) return found->second;
    const auto& called = module.computations[call.computation].instructions;
    const bool meets = std::ranges::any_of(
        called, [&](const HloInstruction& one) { return meets_devices(module, one, known); });
    return known[call.computation] = meets;
  });
}

TermId Interpreter::number_of_device(int64_t number) {
  return terms_.constant(ElementType::kU32, wrapped(ElementType::kU32, number));
}

// ---- Parameters ----

absl::StatusOr<ArrayPtr> Interpreter::source_on(int64_t device, const TermStep& step,
                                                int32_t operand) {
  auto array = std::make_shared<TermArray>(step.dims);
  const std::optional<int64_t> count = element_count(step.dims);
  if (!count || *count > limits_.elements) {
    return too_large(*step.at, absl::StrCat("operand ", operand, " of ", dims_text(step.dims)));
  }
  work_ -= *count;
  TRY(check_work(*step.at));
  ParameterOnDevice parameter(*devices_, device, operand, step.leaf, step.type, step.dims, terms_);
  for (int64_t e = 0; e < *count; ++e) {
    array->terms.push_back(parameter.element(element_index(step.dims, e)));
  }
  return array;
}

// The same array for devices that hold the same part. What pads a part is another on each.
absl::StatusOr<OnDevices<ArrayPtr>> Interpreter::sources_on(const Frame& frame,
                                                            const TermStep& step, int32_t operand) {
  OnDevices<ArrayPtr> arrays;
  if (devices_ == nullptr) {
    arrays.push_back(
        TRY(source(*step.at, frame.computation, step.instruction, operand, step.leaf)));
    return arrays;
  }
  const auto placed = devices_->parameters.find({operand, step.leaf});
  const Sharding* sharding =
      placed == devices_->parameters.end() ? nullptr : &placed->second.sharding;
  Dims sizes = step.dims;
  for (size_t d = 0; sharding != nullptr && d < sharding->parts.size(); ++d) {
    sizes[d] = checked_mul(sizes[d], sharding->parts[d]).value_or(-1);
  }
  const bool is_whole = sharding != nullptr && sizes == placed->second.dims;
  std::map<int64_t, ArrayPtr> parts;
  for (const int64_t device : frame.devices) {
    const int64_t part = is_whole ? sharding->part_of[device] : -1;
    ArrayPtr& same = parts[part];
    if (same == nullptr || part < 0) {
      same = TRY(source_on(device, step, operand));
      same->origin = new_origin(frame, step.instruction, step.leaf, step.dims);
    }
    arrays.push_back(same);
  }
  return arrays;
}

// ---- What devices exchange ----

absl::StatusOr<OnDevices<ArrayPtr>> Interpreter::exchange(const Frame& frame, const TermStep& step,
                                                          const OnDevices<Arrays>& operands) {
  const CheckedOp& op = *checked_.at({frame.computation, step.instruction});
  Routes routes(*step.at, op, step.leaf, devices_->counts);
  TRY(routes.prepare(module_, frame.computation));
  std::map<int64_t, size_t> places;  // in the frame, by device
  for (size_t v = 0; v < operands.size(); ++v) places.emplace(frame.devices[v], v);
  work_ -= std::ssize(operands);
  TRY(check_work(*step.at));
  OnDevices<ArrayPtr> results;
  std::map<const std::vector<int64_t>*, ArrayPtr> shared;  // by the group that receives it
  const bool is_moved = step.rule == Rule::kMove ||        // of what is started, say
                        (step.at->opcode == HloOpcode::kCustomCall && step.rule != Rule::kOpaque);
  for (size_t v = 0; v < operands.size(); ++v) {
    if (is_moved) {
      results.push_back(TRY(run_here(alone(frame, v), step, operands[v])));
      continue;
    }
    const auto* group = routes.shared_by(frame.devices[v]);
    if (const auto known = shared.find(group); known != shared.end()) {
      results.push_back(known->second);
      continue;
    }
    const auto route = TRY(routes.to(frame.devices[v]));
    auto [result, is_known] = TRY(exchanged(frame, v, step, places, route, operands));
    if (group != nullptr && is_known) shared.emplace(group, result);
    results.push_back(std::move(result));
  }
  return results;
}

// What a device receives, and whether that is known: else it is of this device alone.
absl::StatusOr<std::pair<ArrayPtr, bool>> Interpreter::exchanged(
    const Frame& frame, size_t v, const TermStep& step, const std::map<int64_t, size_t>& places,
    const std::optional<Route>& route, const OnDevices<Arrays>& operands) {
  auto result = std::make_shared<TermArray>(step.dims);
  result->origin = new_origin(frame, step.instruction, step.leaf, step.dims);
  const std::optional<int64_t> count = element_count(step.dims);
  if (!count || *count > limits_.elements) {
    return too_large(*step.at, absl::StrCat("elements of ", dims_text(step.dims)));
  }
  const auto number = own_number(step.at->opcode, frame.devices[v], devices_->counts.partitions);
  if (number) {
    result->terms.push_back(terms_.constant(step.type, wrapped(step.type, *number)));
    return std::pair(result, true);
  }
  const bool is_complete = route && std::ranges::all_of(route->devices, [&](int64_t other) {
                             return places.contains(other);
                           });
  const bool is_known = is_complete && TRY(receive(places, step, *route, operands, *result));
  if (!is_known) {
    result->terms.clear();
    TRY(receive_unknown(frame, v, step, operands, *result));
  }
  return std::pair(result, is_known);
}

// The elements that a route brings to a device. False if they are not known.
absl::StatusOr<bool> Interpreter::receive(const std::map<int64_t, size_t>& places,
                                          const TermStep& step, const Route& route,
                                          const OnDevices<Arrays>& operands, TermArray& result) {
  if (*element_count(step.dims) == 0) return true;
  const std::optional<Symbol> bag =
      route.is_bag ? bag_symbol(module_, *step.at, step.type) : std::nullopt;
  const auto term_at = [&](const DeviceElement& element) {
    const Arrays& there = operands[places.at(element.device)];
    const TermArray& array = *there.at({element.from.operand, element.from.leaf});
    return array.terms[element_number(array.dims, element.index)];
  };
  const auto number_at = [&](const DeviceElement& element) -> std::optional<int64_t> {
    --work_;
    const TermId term = term_at(element);
    if (!terms_.is_constant(term)) return std::nullopt;
    return as_offset(terms_.symbol_of(term).type, *terms_.value(term));
  };
  std::vector<int64_t> o(step.dims.size(), 0);
  do {
    std::vector<TermId> terms;
    const auto elements = route.reads(o, number_at);
    if (!elements) return false;
    for (const DeviceElement& element : *elements) terms.push_back(term_at(element));
    work_ -= 1 + std::ssize(terms);
    TRY(check_work(*step.at));
    if (bag) {
      result.terms.push_back(terms_.bag(terms_.symbol(*bag), std::move(terms)));
    } else if (route.is_bag) {
      result.terms.push_back(terms_.opaque(step.symbol, 0, terms));
    } else {
      result.terms.push_back(terms.empty() ? zero_of(step.type, terms_) : terms[0]);
    }
  } while (next_index(step.dims, o));
  return true;
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
