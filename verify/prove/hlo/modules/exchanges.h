// SPDX-License-Identifier: Apache-2.0
// Elements that devices send each other by collectives, and those of parameters that they hold parts of.
//
//     r = f32[2] all-gather(p), replica_groups={{0,1}}     r[1] on device 0:  p[0] on device 1
//
// A device is a number, whose senders are listed (spec/hlo/device_routes.h), or an expression, whose senders
// are closed forms of the tables that groups, pairs and shardings are (verify/prove/hlo/modules/device_tables.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/hlo/device_routes.h"
#include "spec/hlo/devices.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"
#include "verify/prove/hlo/modules/device_tables.h"

namespace tileproof::verify {

// Of a walk on several devices (verify/prove/hlo/modules/element_walk.h). On one, nothing is asked.
template <class Walk>
class Exchanges {
 public:
  using N = typename Walk::N;
  using Index = typename Walk::Index;
  using Array = typename Walk::Array;
  using Place = typename Walk::Place;
  using Step = typename Walk::Step;
  using TermId = spec::TermId;

  explicit Exchanges(Walk& walk) : walk_(walk), domain_(walk.domain_) {}

  TermId exchanged(const Array& array, const Step& step, const Index& index, int64_t level) {
    const auto number = spec::own_number(walk_.at(array).opcode, walk_.device_of(array),
                                         walk_.devices_->counts.partitions);
    if (number) return domain_.number_term(*number, step.type);
    if constexpr (!std::is_same_v<N, int64_t>) {
      return exchanged_at_any(array, step, index, level);
    } else {
      spec::Terms& terms = domain_.terms();
      const auto received = received_by(array, step, index);
      if (!received) return walk_.give_up();
      std::vector<TermId> all;
      for (const Place& from : received->from)
        all.push_back(walk_.element(from.array, from.index, level));
      if (domain_.has_failed()) return 0;
      if (!received->is_bag) return all.empty() ? spec::zero_of(step.type, terms) : all[0];
      const auto bag = spec::bag_symbol(walk_.module_, walk_.at(array), step.type);
      return bag ? terms.bag(terms.symbol(*bag), std::move(all)) : walk_.give_up();
    }
  }

  // What devices send for an element. One, or none, if it is no bag.
  struct Received {
    std::vector<Place> from;
    bool is_bag = false;
  };
  std::optional<Received> received_by(const Array& array, const Step& step, const Index& index) {
    const spec::Routes* routes = routes_of(array, step);
    if (routes == nullptr) return std::nullopt;
    const auto route = routes->to(array.frame->device);
    if (!route.ok() || !*route) return std::nullopt;
    Received received{{}, (*route)->is_bag};
    const auto number_at = [&](const spec::DeviceElement& one) -> std::optional<int64_t> {
      const Array from = walk_.operand(array, one.from.operand, one.from.leaf);
      const auto number = walk_.term({walk_.on_device(from, one.device), one.index});
      return number ? domain_.number_of(*number) : std::nullopt;
    };
    auto elements = (*route)->reads(index, number_at);
    if (!elements) return std::nullopt;
    for (spec::DeviceElement& one : *elements) {
      const Array from =
          walk_.on_device(walk_.operand(array, one.from.operand, one.from.leaf), one.device);
      if (!is_there(array.frame, from.frame->device)) return std::nullopt;
      received.from.push_back({from, std::move(one.index)});
    }
    return received;
  }

  // Where a device has an element from that one device sends it.
  std::optional<Place> sent_from(const Array& array, const Step& step, const Index& index) {
    if constexpr (std::is_same_v<N, int64_t>) {
      auto received = received_by(array, step, index);
      const bool is_one = received && !received->is_bag && received->from.size() == 1;
      return is_one ? std::optional(std::move(received->from[0])) : std::nullopt;
    } else {
      const DeviceTables* tables = tables_of(array, step);
      if (tables == nullptr || tables->is_bag()) return std::nullopt;
      const auto sent = tables->sent(walk_.device_of(array), index, 0);
      if (sent.size() != 1 || domain_.known(sent[0].exists) != true) return std::nullopt;
      return place_of(array, sent[0]);
    }
  }

  // Null if they have no closed forms.
  const DeviceTables* tables_of(const Array& array, const Step& step) {
    auto& tables = tables_[std::tuple(array.frame->computation, array.instruction, array.leaf)];
    if (tables == nullptr) {
      const spec::Routes* routes = routes_of(array, step);
      if (routes == nullptr) return nullptr;
      tables = std::make_unique<DeviceTables>(*routes, *walk_.devices_->counts.devices());
    }
    return tables->is_known() ? tables.get() : nullptr;
  }
  // An element that is sent is on a device that exists.
  std::optional<Place> place_of(const Array& array, const SentElement& sent) {
    const Index device = domain_.inside({sent.device}, {*walk_.devices_->counts.devices()});
    const Array from =
        walk_.on_device(walk_.operand(array, sent.from.operand, sent.from.leaf), device[0]);
    if (!is_there(array.frame, from.frame->device)) return std::nullopt;
    return Place{from, sent.index};
  }

  TermId parameter_on_device(const Array& array, const Step& step, const Index& index) {
    const HloInstruction& i = walk_.at(array);
    const auto number = static_cast<int32_t>(i.parameter_number);
    const Dims& dims = step.dims(array.leaf);
    if constexpr (std::is_same_v<N, int64_t>) {
      spec::ParameterOnDevice parameter(*walk_.devices_, array.frame->device, number, array.leaf,
                                        step.type, dims, domain_.terms());
      return parameter.element(index);
    } else {
      const auto placed = walk_.devices_->parameters.find({number, array.leaf});
      Index own = index;
      own.push_back(walk_.device_of(array));
      const TermId unknown =
          domain_.parameter(number, array.leaf, step.type, dims, own, " of a device");
      if (placed == walk_.devices_->parameters.end()) return unknown;
      auto& parts = parts_[&placed->second];
      if (!parts) parts.emplace(placed->second.sharding);
      if (!parts->is_known()) return walk_.give_up();
      const Dims& all = placed->second.dims;
      Index global = spec::index_of_part(placed->second.sharding, all,
                                         parts->part(walk_.device_of(array)), index);
      domain_.simplify(global);
      const TermId whole = domain_.parameter(number, array.leaf, step.type, dims, global);
      spec::Truth<N> exists = true;
      const std::vector<int64_t>& cut = placed->second.sharding.parts;
      for (size_t d = 0; d < cut.size(); ++d) {  // where the last part is padded
        if (all[d] % cut[d] != 0) exists = exists && global[d] < all[d];
      }
      return domain_.select(step.type, exists, whole, unknown);
    }
  }
  // In branches, and in loops whose rounds are not known, some devices may not be there. Where they are
  // known, the other device must do as many.
  bool is_there(const typename Walk::Frame* frame, int64_t device) {
    for (const auto* f = frame; f != nullptr; f = f->caller) {
      if (f->argument >= 0 || f->round > 0) return false;
      if (f->round == 0) continue;
      const Array loop{f->caller, f->call, 0};
      const auto here = walk_.rounds_of(loop);
      const auto there =
          walk_.rounds_of({walk_.on_device(loop.frame, device), loop.instruction, 0});
      if (!here || here != there) return false;
    }
    return true;
  }
  // Any device, if what an operation gives on one may be of its number, and of what others have.
  std::optional<N> device_met(const HloInstruction& i, int64_t level) {
    if (walk_.devices_ == nullptr || !spec::meets_devices(walk_.module_, i, meets_devices_)) {
      return std::nullopt;
    }
    const auto any = domain_.every_index({*walk_.devices_->counts.devices()},
                                         absl::StrCat("w", level, " device "));
    return any ? std::optional((*any)[0]) : std::nullopt;
  }

 private:
  // An element for a device that is an expression: by closed forms of the tables that groups, pairs and
  // shardings are.
  TermId exchanged_at_any(const Array& array, const Step& step, const Index& index, int64_t level) {
    const DeviceTables* tables = tables_of(array, step);
    if (tables == nullptr) return walk_.give_up();
    if (tables->is_bag()) return walk_.of_many(array, step, index, level);
    std::optional<TermId> found;
    const std::vector<SentElement> sent = tables->sent(walk_.device_of(array), index, 0);
    for (size_t k = sent.size(); k-- > 0;) {
      const SentElement& one = sent[k];
      const std::optional<bool> exists = domain_.known(one.exists);
      if (exists == false) continue;
      const auto from = place_of(array, one);
      if (!from) return walk_.give_up();
      const TermId term = walk_.element(from->array, from->index, level);
      if (exists == true) {
        found = term;
      } else {
        if (!found) found = spec::zero_of(step.type, domain_.terms());
        found = domain_.select(step.type, one.exists, term, *found);
      }
    }
    return found ? *found : spec::zero_of(step.type, domain_.terms());
  }

  spec::Routes* routes_of(const Array& array, const Step& step) {
    const auto [known, is_new] =
        routes_.try_emplace(std::tuple(array.frame->computation, array.instruction, array.leaf));
    std::unique_ptr<spec::Routes>& routes = known->second;
    if (is_new) {
      routes = std::make_unique<spec::Routes>(walk_.at(array), step.op, array.leaf,
                                              walk_.devices_->counts);
      if (!routes->prepare(walk_.module_, array.frame->computation).ok()) routes = nullptr;
    }
    return routes.get();
  }

  Walk& walk_;
  typename Walk::DomainType& domain_;
  std::map<std::tuple<int32_t, int32_t, int64_t>, std::unique_ptr<spec::Routes>> routes_;
  std::map<std::tuple<int32_t, int32_t, int64_t>, std::unique_ptr<DeviceTables>> tables_;
  std::map<const spec::Placed*, std::optional<PartTable>> parts_;
  std::map<int32_t, bool> meets_devices_;
};

}  // namespace tileproof::verify
