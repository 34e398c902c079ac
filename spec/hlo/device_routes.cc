// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/device_routes.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/sharding.h"

namespace tileproof::spec {

bool is_exchange(const HloInstruction& i) {
  if (i.opcode == HloOpcode::kCustomCall || i.opcode == HloOpcode::kOther) return true;
  static constexpr absl::string_view kExchanges[] = {
      "all-gather",         "all-reduce",        "all-to-all",   "collective-broadcast",
      "collective-permute", "collective-reduce", "partition-id", "ragged-all-to-all",
      "reduce-scatter",     "replica-id",        "recv",         "send"};
  const absl::string_view name = absl::StripSuffix(i.opcode_text, "-start");
  return std::ranges::find(kExchanges, name) != std::end(kExchanges);
}

// ---- Parameters ----

ParameterOnDevice::ParameterOnDevice(const Devices& devices, int64_t device, int32_t number,
                                     int64_t leaf, ElementType type, const Dims& dims, Terms& terms)
    : device_(device), dims_(dims), terms_(terms) {
  const auto placed = devices.parameters.find({number, leaf});
  if (placed != devices.parameters.end()) placed_ = &placed->second;
  const std::string name =
      leaf == 0 ? absl::StrCat("p", number) : absl::StrCat("p", number, ".", leaf);
  Symbol symbol{.text = name,
                .opcode = HloOpcode::kParameter,
                .type = type,
                .operand = number,
                .leaf = static_cast<int32_t>(leaf)};
  whole_ = terms.symbol(symbol);
  symbol.text = absl::StrCat(name, " of device ", device);
  own_ = terms.symbol(std::move(symbol));
}

TermId ParameterOnDevice::element(const std::vector<int64_t>& index) {
  if (placed_ != nullptr) {
    const auto global = global_index(placed_->sharding, placed_->dims, device_, index);
    if (global) return terms_.element(whole_, element_number(placed_->dims, *global));
  }
  return terms_.element(own_, element_number(dims_, index));
}

TermId zero_of(ElementType type, Terms& terms) {
  if (is_integer(type)) return terms.constant(type, int64_t{0});
  if (float_format(type)) return terms.constant(type, 0.0);
  return terms.opaque(
      terms.symbol({.text = absl::StrCat("zero of ", info(type).name), .type = type}), 0, {});
}

// ---- Routes ----

namespace {

// Whether the sizes are those of a group of so many devices.
bool fit(const op::AllGather& a, int64_t part, int64_t devices) {
  const op::CollectivePart& p = a.parts[part];
  return checked_mul(p.operand[a.dimension], devices) == p.result[a.dimension];
}
bool fit(const op::ReduceScatter& r, int64_t part, int64_t devices) {
  const op::CollectivePart& p = r.parts[part];
  return checked_mul(p.result[r.dimension], devices) == p.operand[r.dimension];
}
bool fit(const op::AllReduce&, int64_t /*part*/, int64_t /*devices*/) { return true; }
bool fit(const op::ArrayAllToAll& a, int64_t /*part*/, int64_t devices) {
  return a.dims[a.dimension] % devices == 0;
}
bool fit(const op::TupleAllToAll& a, int64_t /*part*/, int64_t devices) {
  return std::ssize(a.operands) == devices;
}

// From one device, at the same index.
Route from_one(std::optional<int64_t> device, OperandLeaf leaf) {
  Route route;
  if (device) route.devices.push_back(*device);
  route.reads = [device, leaf](const std::vector<int64_t>& o, NumberAt) {
    return device ? std::vector<DeviceElement>{{*device, leaf, o}} : std::vector<DeviceElement>();
  };
  return route;
}

}  // namespace

Routes::Exchange Routes::exchange_of(const CheckedOp& op, int64_t leaf) {
  const auto* start = std::get_if<op::Start>(&op.operation);
  if (start == nullptr) return {&op.operation, op.opcode, leaf};
  const int64_t part = leaf - std::ssize(start->operands);
  if (start->operation == nullptr || part < 0 || part >= std::ssize(start->operation->result)) {
    return {};
  }
  return {&start->operation->operation, start->operation->opcode, part};
}

Routes::Routes(const HloInstruction& instruction, const CheckedOp& op, int64_t leaf,
               const DeviceCounts& counts)
    : i_(instruction), op_(op), exchange_(exchange_of(op, leaf)), counts_(counts) {}

absl::Status Routes::prepare(const HloModule& module, int32_t computation) {
  if (exchange_.operation == nullptr) return absl::OkStatus();
  if (is_global_to_local(i_) || is_local_to_global(i_)) {
    blocks_ = TRY(blocks_of(module.computations[computation], i_, exchange_.part,
                            TRY(meshes_of(module)), *counts_.devices()));
  } else if (is_permute()) {
    pairs_ = TRY(device_pairs_of(i_, counts_));
  } else if (kind() != Kind::kUnknown) {
    groups_ = TRY(device_groups_of(i_, counts_));
  }
  for (const std::vector<int64_t>& group : groups_) {
    for (int64_t k = 0; k < std::ssize(group); ++k) places_.emplace(group[k], Place{&group, k});
  }
  for (const auto& [source, target] : pairs_) sources_.emplace(target, source);
  return absl::OkStatus();
}

// Nothing for an operation that is not defined here.
absl::StatusOr<std::optional<Route>> Routes::to(int64_t device) const {
  const Kind kind = this->kind();
  if (kind == Kind::kUnknown) return std::nullopt;
  if (blocks_) return TRY(of_blocks(device));
  if (is_permute()) {
    const auto source = sources_.find(device);
    return from_one(source == sources_.end() ? std::nullopt : std::optional(source->second),
                    operand());
  }
  if (kind == Kind::kOwn) return from_one(device, operand());
  const auto place = places_.find(device);
  if (place != places_.end()) return grouped(place->second);
  if (kind == Kind::kRagged || is_all_to_all()) return std::nullopt;
  if (exchange_.opcode == HloOpcode::kCollectiveBroadcast) return from_one(std::nullopt, {});
  return absl::InvalidArgumentError(
      absl::StrCat(i_.name, ": expected device ", device, " in a group"));
}

const std::vector<int64_t>* Routes::shared_by(int64_t device) const {
  const auto place = places_.find(device);
  if (exchange_.operation == nullptr || place == places_.end()) return nullptr;
  const auto* reduced = std::get_if<op::AllReduce>(exchange_.operation);
  const bool is_same = reduced != nullptr
                           ? !hands_on(*reduced)
                           : std::holds_alternative<op::AllGather>(*exchange_.operation);
  return is_same ? place->second.group : nullptr;
}

Routes::Kind Routes::kind() const {
  if (exchange_.operation == nullptr) return Kind::kUnknown;
  if (exchange_.opcode == HloOpcode::kRaggedAllToAll) return Kind::kRagged;
  if (blocks_ || is_all_to_all()) return Kind::kOne;
  return std::visit(
      [&](const auto& one) {
        using Operation = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Operation, op::AllReduce>) {
          if (exchange_.opcode == HloOpcode::kCollectiveReduce) return Kind::kUnknown;
          if (exchange_.opcode == HloOpcode::kCollectiveBroadcast) return Kind::kOne;
          return hands_on(one) ? Kind::kOwn : Kind::kBag;
        } else if constexpr (std::is_same_v<Operation, op::ReduceScatter>) {
          return Kind::kBag;
        } else if constexpr (std::is_same_v<Operation, op::CollectivePermute>) {
          return Kind::kOne;
        } else if constexpr (requires { fit(one, 0, 0); }) {
          return Kind::kOne;
        } else {
          return Kind::kUnknown;
        }
      },
      *exchange_.operation);
}

bool Routes::is_all_to_all() const {
  return exchange_.opcode == HloOpcode::kAllToAll && find_attribute(i_.attributes, "dimensions");
}

// Groups that are not written may be all devices: their number is known here alone.
op::ArrayAllToAll Routes::all_to_all(int64_t devices) const {
  const int64_t dimension = integers_of(i_, "dimensions")->at(0);
  return {op_.operands[0][0].dims, dimension, devices};
}

// Nothing if the operands are not those of one in a group of so many devices.
std::optional<RaggedAllToAll> Routes::ragged(int64_t devices) const {
  const std::vector<Leaves>& operands = op_.operands;
  const bool are_arrays =
      operands.size() == 6 && std::ranges::all_of(operands, [](const Leaves& one) {
        return one.size() == 1 && one[0].array != nullptr;
      });
  if (!are_arrays || op_.result.size() != 1) return std::nullopt;
  const Leaf &from = operands[0][0], &kept = operands[1][0], &numbers = operands[2][0];
  Dims row = from.dims;  // of as many as the result has
  if (row.empty() || kept.dims.empty()) return std::nullopt;
  row[0] = kept.dims[0];
  const ElementType type = kept.array->element_type;
  bool fits = row == kept.dims && kept.dims == op_.result[0].dims &&
              from.array->element_type == type && numbers.dims.size() == 1 && numbers.dims[0] > 0 &&
              numbers.dims[0] % devices == 0;
  for (size_t k = 2; k < operands.size(); ++k) {
    const Leaf& one = operands[k][0];
    fits = fits && one.dims == numbers.dims && is_integer(one.array->element_type);
  }
  if (!fits) return std::nullopt;
  return RaggedAllToAll{from.dims, kept.dims, numbers.dims[0] / devices};
}

// The first parts of (operands, results) of an all-reduce-start.
bool Routes::hands_on(const op::AllReduce& all) const {
  const int64_t parts = std::ssize(all.parts);
  int64_t leaves = 0;
  for (const Leaves& operand : op_.operands) leaves += std::ssize(operand);
  return parts == 2 * leaves && exchange_.part < leaves;
}

absl::StatusOr<std::optional<Route>> Routes::grouped(const Place& place) const {
  const Member<int64_t> member{std::ssize(*place.group), place.number,
                               [group = place.group](const int64_t& k) { return group->at(k); }};
  Route route{*place.group, kind() == Kind::kBag, {}};
  if (kind() == Kind::kRagged) {
    const auto one = ragged(member.size);
    if (!one) return std::nullopt;
    route.reads = [one = *one, member](
                      const std::vector<int64_t>& o,
                      NumberAt number) -> std::optional<std::vector<DeviceElement>> {
      auto element = exchanged(one, member, o, number);
      if (!element) return std::nullopt;
      return std::vector<DeviceElement>{*std::move(element)};
    };
    return route;
  }
  if (!fits(member.size)) {
    return absl::InvalidArgumentError(
        absl::StrCat(i_.name, ": expected sizes for a group of ", member.size, " devices"));
  }
  route.reads = [this, member, is_bag = route.is_bag](const std::vector<int64_t>& o, NumberAt) {
    std::vector<DeviceElement> elements;
    for (int64_t s = 0; s < (is_bag ? member.size : 1); ++s) {
      for (DeviceElement& one : received(member, o, s)) {
        if (one.exists) elements.push_back(std::move(one));
      }
    }
    return elements;
  };
  return route;
}

// Between the whole arrays of a program and those of its devices.
absl::StatusOr<Route> Routes::of_blocks(int64_t device) const {
  if (!fits(0)) {
    const bool is_there =
        exchange_.part < std::ssize(op_.operands) && op_.operands[exchange_.part].size() == 1;
    return absl::InvalidArgumentError(
        absl::StrCat(i_.name, ": expected ",
                     is_there ? absl::StrCat("parts of ", dims_text(whole_dims()), ", found ",
                                             dims_text(part_dims_here()))
                              : "an array for each result"));
  }
  const Sharding& sharding = blocks_->sharding;
  const OperandLeaf from = operand();
  Route route;
  route.devices = cuts() ? std::vector<int64_t>{device} : blocks_->holders_for(device);
  route.reads = [&sharding, &whole = whole_dims(), from, device, cuts = cuts(),
                 holders = route.devices](const std::vector<int64_t>& o, NumberAt) {
    const auto holder = [&](const int64_t& part) { return holders[part]; };
    return std::vector<DeviceElement>{
        cuts ? of_part(sharding, whole, from, device, sharding.part_of[device], o)
             : of_holder<int64_t>(sharding, whole, from, holder, o)};
  };
  return route;
}

OperandLeaf Routes::operand() const {
  if (blocks_) return {static_cast<int32_t>(exchange_.part), 0};
  const auto* permute = std::get_if<op::CollectivePermute>(exchange_.operation);
  const auto& parts =
      permute != nullptr ? permute->parts : std::get<op::AllReduce>(*exchange_.operation).parts;
  return parts[exchange_.part].from;
}
bool Routes::cuts() const { return is_global_to_local(i_); }
const Dims& Routes::whole_dims() const {
  return cuts() ? op_.operands[exchange_.part][0].dims : op_.result[exchange_.part].dims;
}

const Dims& Routes::part_dims_here() const {
  return cuts() ? op_.result[exchange_.part].dims : op_.operands[exchange_.part][0].dims;
}

// The sizes of a group of so many devices, or of blocks.
bool Routes::fits(int64_t devices) const {
  if (is_all_to_all()) return fit(all_to_all(devices), exchange_.part, devices);
  if (!blocks_) {
    return std::visit(
        [&](const auto& one) {
          if constexpr (requires { fit(one, 0, devices); }) {
            return fit(one, exchange_.part, devices);
          } else {
            return false;
          }
        },
        *exchange_.operation);
  }
  if (exchange_.part >= std::ssize(op_.operands) || op_.operands[exchange_.part].size() != 1) {
    return false;
  }
  const Dims &whole = whole_dims(), &part = part_dims_here();
  const std::vector<int64_t>& parts = blocks_->sharding.parts;
  bool fits = parts.empty() || parts.size() == whole.size();
  for (size_t d = 0; fits && d < parts.size(); ++d) fits = whole[d] % parts[d] == 0;
  return fits && part_dims(blocks_->sharding, whole) == part;
}

}  // namespace tileproof::spec
