// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/device_values.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/device_routes.h"
#include "spec/hlo/devices.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/device_groups.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/manual.h"
#include "verify/prove/hlo/modules/difference_path.h"
#include "verify/prove/hlo/modules/large_values.h"
#include "verify/prove/hlo/modules/module_equal.h"
#include "verify/prove/hlo/modules/opaque_values.h"

namespace tileproof::verify {
namespace {

using spec::ElementTerms;
using spec::Placed;
using spec::TermId;

absl::Status error_of_side(const absl::Status& error, const char* side) {
  absl::Status placed = error;
  placed.SetPayload(kSideOfError, absl::Cord(side));
  return placed;
}

// The arrays of a module: its parameters, in turn, or its result.
struct Array {
  std::string name;  // "parameter 1"
  const HloInstruction* at = nullptr;
  int64_t first = 0;  // the number of the instruction's leaf 0 among these arrays
  int64_t leaf = 0;   // of the instruction
  ElementType type = ElementType::kOpaque;
  Dims dims;
};

absl::Status add_arrays(const HloInstruction& at, const std::string& name,
                        std::vector<Array>& arrays) {
  if (!at.shape) return absl::InvalidArgumentError(absl::StrCat("expected a shape of ", name));
  const int64_t first = std::ssize(arrays);
  const Leaves leaves = TRY(leaves_of(*at.shape));
  for (int64_t leaf = 0; leaf < std::ssize(leaves); ++leaf) {
    arrays.push_back({name, &at, first, leaf, leaves[leaf].array->element_type, leaves[leaf].dims});
  }
  return absl::OkStatus();
}

// One of the modules.
struct Side {
  const HloModule& module;
  const char* name;
  Meshes meshes;
  DeviceCounts counts;
  bool is_program = false;  // whole, and maybe with a part that runs on each device
  std::vector<Array> parameters = {}, results = {};
  bool is_whole = false;
  // By array.
  std::vector<Placed> placed_parameters = {};
  std::vector<absl::StatusOr<Placed>> placed_results = {};

  int64_t devices() const { return *counts.devices(); }
};

absl::StatusOr<Side> side_of(const HloModule& module, const char* name) {
  Side side{module, name, TRY(meshes_of(module)), TRY(devices_run_on(module))};
  side.is_program = !side.meshes.empty() || has_manual_computation(module);
  side.is_whole = side.is_program || side.devices() == 1;
  const HloComputation& entry = module.computations[module.entry];
  int64_t number = 0;
  for (const int32_t parameter : parameters_of(entry)) {
    TRY(add_arrays(entry.instructions[parameter], absl::StrCat("parameter ", number++),
                   side.parameters));
  }
  TRY(add_arrays(entry.instructions[entry.root], "the result", side.results));
  return side;
}

absl::Status expect_listed_of(const Side& side) {
  const absl::Status listed = expect_listed(side.counts);
  return listed.ok() ? listed : error_of_side(listed, side.name);
}

bool have_same_sizes(const std::vector<Array>& a, const std::vector<Array>& b) {
  return std::ranges::equal(a, b, {}, &Array::dims, &Array::dims);
}

// Whether it has an array for each part of its tuple.
bool is_flat(const HloInstruction& tuple) {
  const auto leaves = tuple.shape ? leaves_of(*tuple.shape) : absl::UnknownError("");
  return leaves.ok() && leaves->size() == tuple.shape->parts.size();
}

// The instruction that gives an array of the result, and the number of its own array.
std::pair<const HloInstruction*, int64_t> giver_of(const Side& side, const Array& array) {
  const auto& instructions = side.module.computations[side.module.entry].instructions;
  const HloInstruction* at = array.at;
  int64_t number = array.leaf;
  while (true) {
    const int64_t operands = std::ssize(at->operands);
    if (at->opcode == HloOpcode::kTuple && is_flat(*at) && number >= 0 && number < operands) {
      at = &instructions[at->operands[number].instruction];
      number = 0;
    } else if (at->opcode == HloOpcode::kGetTupleElement && number == 0 && operands == 1 &&
               is_flat(instructions[at->operands[0].instruction])) {
      number = integer_of(*at, "index", 0).value_or(0);
      at = &instructions[at->operands[0].instruction];
    } else {
      return {at, number};
    }
  }
}

// What Shardy says of array k of a program for it.
absl::StatusOr<Sharding> annotated_by_shardy(const Side& side, const Array& array,
                                             int64_t devices) {
  MeshCut cut;
  if (array.at->opcode == HloOpcode::kParameter) {
    cut = TRY(annotation_of(*array.at, "sharding", array.leaf, side.meshes));
  } else {
    const auto [giver, number] = giver_of(side, array);
    const char* name = is_local_to_global(*giver) ? "out_shardings" : "sharding";
    cut = TRY(annotation_of(*giver, name, number, side.meshes));
  }
  return sharding_on(cut.mesh, cut.dimensions, devices);
}

// What the annotation of the array says, on all devices. Each replica holds what partitions hold.
absl::StatusOr<Sharding> annotated(const Side& side, const std::vector<Array>& arrays, size_t k,
                                   const DeviceCounts& counts) {
  const Array& array = arrays[k];
  Sharding sharding;
  if (const std::string* text = find_attribute(array.at->attributes, "sharding");
      text != nullptr && side.meshes.empty()) {
    std::vector<int64_t> ranks;
    for (size_t i = array.first; i < arrays.size() && arrays[i].at == array.at; ++i) {
      ranks.push_back(std::ssize(arrays[i].dims));
    }
    sharding = TRY(read_shardings(*text, ranks, counts.partitions))[array.leaf];
  } else {
    sharding = TRY(annotated_by_shardy(side, array, counts.partitions));
  }
  const std::vector<int64_t> of_partition = sharding.part_of;
  for (int64_t r = 1; r < counts.replicas; ++r) {
    sharding.part_of.insert(sharding.part_of.end(), of_partition.begin(), of_partition.end());
  }
  return sharding;
}

// Which arrays of a module.
using ArraysOf = std::vector<Array> Side::*;

// The sharding of array k of a partitioned module: as it is given, or annotated here or in the other
// module. An array of the size of the whole one can only be on every device. NotFound if nothing says
// it.
absl::StatusOr<Sharding> sharding_of(const Side& side, const Side& other, ArraysOf which, size_t k,
                                     const std::vector<Sharding>* given) {
  if (given != nullptr) return (*given)[k];
  const Array &array = (side.*which)[k], &there = (other.*which)[k];
  const auto here = annotated(side, side.*which, k, side.counts);
  if (here.ok()) return here;
  if (other.is_whole) {
    auto of_whole = annotated(other, other.*which, k, side.counts);
    const bool has_rank =
        of_whole.ok() && (of_whole->parts.empty() || of_whole->parts.size() == there.dims.size());
    if (has_rank && part_dims(*of_whole, there.dims) == array.dims) return of_whole;
    if (array.dims == there.dims) return replicated(side.devices());
  }
  return absl::NotFoundError(absl::StrCat(
      "expected the sharding of ", array.name, ", ", dims_text(array.dims), " on each of ",
      side.devices(), " devices: ", here.status().message(), " (--sharding FILE gives it)"));
}

// The sizes of the array that is cut into these parts, if no part is padded.
absl::StatusOr<Dims> joined(const Sharding& sharding, const Array& array) {
  Dims dims = array.dims;
  for (size_t d = 0; d < sharding.parts.size(); ++d) {
    const auto size = checked_mul(dims[d], sharding.parts[d]);
    if (!size)
      return absl::OutOfRangeError(absl::StrCat(array.name, ": expected sizes of 63 bits"));
    dims[d] = *size;
  }
  return dims;
}

// An array on the devices of a partitioned module. `whole`: the whole one, if a module has it.
absl::StatusOr<Placed> placed(const Side& side, const Array& array, Sharding sharding,
                              const Array* whole) {
  if (!sharding.parts.empty() && sharding.parts.size() != array.dims.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a sharding of ", array.dims.size(),
                                                   " dimensions of ", array.name, ", found ",
                                                   sharding.parts.size()));
  }
  if (whole == nullptr) {
    Dims dims = TRY(joined(sharding, array));
    return Placed{std::move(dims), std::move(sharding)};
  }
  if (whole->dims.size() == array.dims.size()) {
    const Dims part = part_dims(sharding, whole->dims);
    if (part == array.dims) return Placed{whole->dims, std::move(sharding)};
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", array.name, " of dimensions ", dims_text(part), " on each of ", side.devices(),
        " devices, a part of ", dims_text(whole->dims), ", found ", dims_text(array.dims)));
  }
  return absl::InvalidArgumentError(absl::StrCat("expected ", array.name, " of dimensions ",
                                                 dims_text(whole->dims), " or a part, found ",
                                                 dims_text(array.dims)));
}

bool divides(const Placed& placed) {
  const auto& [dims, sharding] = placed;
  for (size_t d = 0; d < sharding.parts.size(); ++d) {
    if (dims[d] % sharding.parts[d] != 0) return false;
  }
  return true;
}

// How all arrays of one kind lie on the devices. NotFound: nothing says it of this one.
absl::StatusOr<std::vector<absl::StatusOr<Placed>>> placed_arrays(
    const Side& side, const Side& other, ArraysOf which, const std::vector<Sharding>* given,
    bool may_pad) {
  const std::vector<Array>& arrays = side.*which;
  std::vector<absl::StatusOr<Placed>> all;
  if (given != nullptr && !side.is_whole && given->size() != arrays.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", arrays.size(), " shardings, one for each array, found ", given->size()));
  }
  for (size_t k = 0; k < arrays.size(); ++k) {
    if (side.is_whole) {
      all.push_back(Placed{arrays[k].dims, replicated(side.devices())});
      continue;
    }
    auto sharding = sharding_of(side, other, which, k, given);
    if (absl::IsNotFound(sharding.status())) {
      all.push_back(sharding.status());
      continue;
    }
    Placed one = TRY(placed(side, arrays[k], TRY(std::move(sharding)),
                            other.is_whole ? &(other.*which)[k] : nullptr));
    if (!may_pad && !divides(one)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected sizes that the parts divide, found ", dims_text(one.dims), " in ",
                       dims_text(one.sharding.parts), " parts (\"padded\": true allows it)"));
    }
    all.push_back(std::move(one));
  }
  return all;
}

absl::Status place(Side& side, const Side& other, const std::optional<Placement>& given) {
  if (given && !side.is_whole && given->devices != side.devices()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a placement on ", side.devices(),
                                                   " devices, found one on ", given->devices));
  }
  const bool may_pad = !given || given->is_padded;
  const auto parameters = TRY(
      placed_arrays(side, other, &Side::parameters, given ? &given->parameters : nullptr, may_pad));
  side.placed_parameters.clear();
  for (const auto& one : parameters) side.placed_parameters.push_back(TRY(one));
  side.placed_results =
      TRY(placed_arrays(side, other, &Side::results, given ? &given->results : nullptr, may_pad));
  return absl::OkStatus();
}

// Both modules have as many arrays, and parameters of the same types.
absl::Status expect_same_arrays(const Side& left, const Side& right) {
  for (const auto& [a, b, what] :
       {std::tuple(&left.parameters, &right.parameters, "arrays as parameters"),
        std::tuple(&left.results, &right.results, "results")}) {
    if (a->size() != b->size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected ", a->size(), " ", what, " as in LEFT, found ", b->size()));
    }
  }
  for (size_t k = 0; k < left.parameters.size(); ++k) {
    const Array &a = left.parameters[k], &b = right.parameters[k];
    if (a.type == b.type) continue;
    return absl::InvalidArgumentError(absl::StrCat("expected ", a.name, " of type ",
                                                   info(a.type).name, " as in LEFT, found ",
                                                   info(b.type).name));
  }
  return absl::OkStatus();
}

// Whether the arrays of `whole`, cut as its annotations or the placement say, have the sizes of the
// other's. Then it is the program before it was partitioned, though its text names the devices.
bool is_whole_of(Side whole, Side other, const std::optional<Placement>& given) {
  whole.is_whole = true;
  return !have_same_sizes(whole.parameters, other.parameters) && place(other, whole, given).ok();
}

// Whether its annotations cut arrays that are those of the other program, which is whole: it is whole,
// too, as before it is partitioned.
bool is_not_yet_cut(const Side& side, const Side& other) {
  if (side.is_whole || !other.is_whole || !have_same_sizes(side.parameters, other.parameters) ||
      !have_same_sizes(side.results, other.results)) {
    return false;
  }
  for (const ArraysOf which : {&Side::parameters, &Side::results}) {
    for (size_t k = 0; k < (side.*which).size(); ++k) {
      const auto sharding = annotated(side, side.*which, k, side.counts);
      if (sharding.ok() && part_dims(*sharding, (side.*which)[k].dims) != (side.*which)[k].dims)
        return true;
    }
  }
  return false;
}

void find_whole(Side& a, Side& b) {
  for (const auto& [side, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!is_not_yet_cut(*side, *other)) continue;
    side->is_whole = true;
    side->counts = {};
  }
}

struct Sides {
  Side left, right;
};

absl::StatusOr<Sides> sides_of(const HloModule& left, const HloModule& right,
                               const Placements& placements) {
  auto of_left = side_of(left, "LEFT"), of_right = side_of(right, "RIGHT");
  if (!of_left.ok()) return error_of_side(of_left.status(), "LEFT");
  if (!of_right.ok()) return error_of_side(of_right.status(), "RIGHT");
  Sides sides{*std::move(of_left), *std::move(of_right)};
  auto& [a, b] = sides;
  TRY(expect_listed_of(a));
  TRY(expect_listed_of(b));
  absl::Status same = expect_same_arrays(a, b);
  if (!same.ok()) return error_of_side(same, "RIGHT");
  find_whole(a, b);
  if (a.devices() == b.devices() && !a.is_whole && !b.is_whole) {
    a.is_whole = is_whole_of(a, b, placements.right);
    b.is_whole = !a.is_whole && is_whole_of(b, a, placements.left);
    for (Side* whole : {&a, &b}) {
      if (whole->is_whole) whole->counts = {};
    }
  }
  if (a.is_whole && b.is_whole && a.devices() == 1 && b.devices() == 1) {
    return absl::InvalidArgumentError(
        "expected a module on several devices (num_partitions, replica_count) to place arrays on");
  }
  for (const auto& [side, other, given] :
       {std::tuple(&a, &b, &placements.left), std::tuple(&b, &a, &placements.right)}) {
    const absl::Status status = place(*side, *other, *given);
    if (!status.ok()) return error_of_side(status, side->name);
  }
  return sides;
}

// ---- Terms ----

// An element of a result on a device.
struct Held {
  int64_t device = 0;
  std::vector<int64_t> local, global;
  TermId term = 0;
};

// The devices of a module, and what each device holds of the results. Nothing if it runs on one device.
std::optional<OnDevices> devices_of(const Side& side) {
  if (side.devices() == 1) return std::nullopt;
  OnDevices on{{side.counts}, {}};
  for (size_t k = 0; k < side.parameters.size(); ++k) {
    const Array& array = side.parameters[k];
    const auto number = static_cast<int32_t>(array.at->parameter_number);
    on.devices.parameters.insert({{number, array.leaf}, side.placed_parameters[k]});
  }
  for (const auto& placed : side.placed_results) {
    on.results.push_back(placed.ok() ? std::optional(*placed) : std::nullopt);
  }
  return on;
}

// An error if groups or pairs of a collective that leads to the result do not fit the devices.
absl::Status expect_exchanges(const HloModule& module, const DeviceCounts& counts) {
  std::set<std::pair<int32_t, int32_t>> reached;
  std::vector<std::pair<int32_t, int32_t>> open;
  const auto enter = [&](int32_t computation) {
    if (computation >= 0) open.emplace_back(computation, module.computations[computation].root);
  };
  enter(module.entry);
  while (!open.empty()) {
    const auto [computation, number] = open.back();
    open.pop_back();
    if (!reached.insert({computation, number}).second) continue;
    const HloComputation& here = module.computations[computation];
    const HloInstruction& i = here.instructions[number];
    for (const HloOperand& operand : i.operands)
      open.emplace_back(computation, operand.instruction);
    for (const HloCall& call : i.calls) enter(call.computation);
    const auto op = spec::is_exchange(i) ? checked_op(module, here, i) : absl::CancelledError();
    for (int64_t leaf = 0; op.ok() && leaf < std::ssize(op->result); ++leaf) {
      TRY(spec::Routes(i, *op, leaf, counts).prepare(module, computation));
    }
  }
  return absl::OkStatus();
}

// The terms of all results on all devices.
absl::StatusOr<std::vector<spec::OnDevices<ElementTerms>>> terms_of(
    const Side& side, const std::optional<OnDevices>& on, spec::Terms& terms,
    const spec::Limits& limits) {
  if (on) return spec::terms_on(side.module, on->devices, terms, limits);
  const int32_t root = side.module.computations[side.module.entry].root;
  std::vector<spec::OnDevices<ElementTerms>> results;
  for (ElementTerms& one :
       TRY(spec::terms_of_all(side.module, side.module.entry, root, terms, limits))) {
    results.push_back({std::move(one)});
  }
  return results;
}

// What the devices hold of a result. If it is no part of a whole, the device is the first coordinate.
std::vector<Held> held(const Side& side, const std::optional<OnDevices>& on, size_t leaf,
                       const spec::OnDevices<ElementTerms>& terms) {
  std::vector<Held> all;
  const Dims& dims = side.results[leaf].dims;
  const Placed* placed = on && on->results[leaf] ? &*on->results[leaf] : nullptr;
  for (int64_t v = 0; v < std::ssize(terms); ++v) {
    for (int64_t e = 0; e < std::ssize(terms[v].terms); ++e) {
      std::vector<int64_t> local = spec::element_index(dims, e);
      std::optional<std::vector<int64_t>> global = local;
      if (placed != nullptr) global = global_index(placed->sharding, placed->dims, v, local);
      if (on && placed == nullptr) global->insert(global->begin(), v);
      if (global) all.push_back({v, std::move(local), *std::move(global), terms[v].terms[e]});
    }
  }
  return all;
}

// Pairs of elements whose terms must be equal, each pair of terms once.
class Pairs {
 public:
  // `is_of_left`: LEFT says where the pair is.
  void add(const Held& left, const Held& right, bool is_of_left) {
    if (!known_.emplace(left.term, right.term).second) return;
    terms_.left.push_back(left.term);
    terms_.right.push_back(right.term);
    places_.push_back({&left, &right, is_of_left});
  }

  // The answer, with the place of the pair that it names, and the path from there.
  ValueEquality compare(TermComparison& comparison, ResultElement left, ResultElement right,
                        const ValueOptions& options) {
    terms_.dims = {std::ssize(places_)};
    ValueEquality answer = comparison.compare(terms_);
    answer.leaf = left.leaf;
    if (answer.at.size() != 1 || places_.empty()) return answer;
    const auto& [of_left, of_right, is_of_left] = places_[answer.at[0]];
    const Held& named = is_of_left ? *of_left : *of_right;
    answer.at = named.local;
    answer.device = DeviceOfResult{named.device, is_of_left, named.global};
    for (const auto& [element, held] : {std::pair(&left, of_left), std::pair(&right, of_right)}) {
      element->at = held->local;
      element->device = held->device;
    }
    if (!options.is_late()) add_path(left, right, options, answer);
    return answer;
  }

 private:
  struct Place {
    const Held* left = nullptr;
    const Held* right = nullptr;
    bool is_of_left = false;
  };
  ResultTerms terms_;
  std::vector<Place> places_;
  std::set<std::pair<TermId, TermId>> known_;
};

// The elements of a result by the devices that hold them.
class Holders {
 public:
  explicit Holders(const std::vector<Held>& held) {
    for (const Held& one : held) held_[one.global].emplace(one.device, &one);
  }
  // On this device, or on the first one; null if none holds the element.
  const Held* at(const std::vector<int64_t>& global, int64_t device) const {
    const auto found = held_.find(global);
    if (found == held_.end()) return nullptr;
    const auto same = found->second.find(device);
    return same == found->second.end() ? found->second.begin()->second : same->second;
  }

 private:
  std::map<std::vector<int64_t>, std::map<int64_t, const Held*>> held_;
};

// Each element on each device against the other module's: on the same device, if there are as many and
// it holds the element, else on the first that does.
Pairs pairs_of(const Sides& sides, const std::vector<Held>& left, const std::vector<Held>& right) {
  const Holders of_left(left), of_right(right);
  const bool as_many = sides.left.devices() == sides.right.devices();
  Pairs pairs;
  const auto add = [&](const Side& side, const std::vector<Held>& held, const Side& other,
                       const Holders& others, bool is_left) {
    if (side.is_whole && (!other.is_whole || side.devices() < other.devices())) return;
    for (const Held& one : held) {
      const Held* there = others.at(one.global, as_many ? one.device : -1);
      if (there != nullptr) pairs.add(is_left ? one : *there, is_left ? *there : one, is_left);
    }
  };
  add(sides.right, right, sides.left, of_left, false);
  add(sides.left, left, sides.right, of_right, true);
  return pairs;
}

std::string text_of(const absl::Status& why) {
  const auto side = why.GetPayload(kSideOfError);
  return absl::StrCat(side ? std::string(*side) : "", ": ", why.message());
}

absl::StatusOr<std::vector<ValueEquality>> undecided_results(const HloModule& module,
                                                             const absl::Status& why) {
  const HloComputation& entry = module.computations[module.entry];
  const Leaves leaves = TRY(leaves_of(*entry.instructions[entry.root].shape));
  std::vector<ValueEquality> results;
  for (int64_t leaf = 0; leaf < std::ssize(leaves); ++leaf) {
    results.push_back({.leaf = leaf, .verdict = Verdict::kUndecided, .detail = text_of(why)});
  }
  return results;
}

// Why results cannot be compared, or nothing.
std::optional<ValueEquality> unlike_arrays(const Sides& sides, size_t leaf) {
  for (const Side* side : {&sides.left, &sides.right}) {
    const absl::Status& known = side->placed_results[leaf].status();
    if (known.ok()) continue;
    return ValueEquality{.leaf = static_cast<int64_t>(leaf),
                         .verdict = Verdict::kUndecided,
                         .detail = absl::StrCat(side->name, ": ", known.message())};
  }
  const ElementType a = sides.left.results[leaf].type, b = sides.right.results[leaf].type;
  const Dims &of_left = sides.left.placed_results[leaf]->dims,
             &of_right = sides.right.placed_results[leaf]->dims;
  std::string detail;
  if (a != b) detail = absl::StrCat("element types ", info(a).name, " and ", info(b).name);
  if (of_left != of_right) {
    detail = absl::StrCat("dimensions ", dims_text(of_left), " and ", dims_text(of_right),
                          " over all devices");
  }
  if (detail.empty()) return std::nullopt;
  return ValueEquality{.leaf = static_cast<int64_t>(leaf),
                       .verdict = Verdict::kRefuted,
                       .detail = std::move(detail)};
}

// An element of a result; the one that an answer names.
ResultElement element_of(const Side& side, const OnDevices* on, int64_t leaf,
                         const ValueEquality& answer = {}) {
  const bool is_placed = on != nullptr && on->results[leaf];
  ResultElement element{.module = side.module,
                        .leaf = leaf,
                        .devices = on != nullptr ? &on->devices : nullptr,
                        .placed = is_placed ? &*on->results[leaf] : nullptr};
  if (!answer.device) return element;
  auto all = holders(on, leaf, answer.device->global);
  const auto named = std::ranges::find(all, answer.device->device, &HeldElement::device);
  if (named != all.end()) std::swap(all[0], *named);
  element.at = all[0].index;
  element.device = all[0].device;
  return element;
}

// Answers by leaf. If one is not there, its elements are too many, as `why` says.
struct Compared {
  std::map<int64_t, ValueEquality> answers = {};
  absl::Status why = absl::OkStatus();
};

// Results of these sizes over all devices: all elements on all devices at once; else one by one, and if they
// are too many, some.
absl::StatusOr<Compared> compared(const Sides& sides, const std::optional<OnDevices>& on_left,
                                  const std::optional<OnDevices>& on_right,
                                  std::map<int64_t, Dims> open, const ValueOptions& options) {
  const auto& [a, b] = sides;
  const BothOnDevices on = {on_left ? &*on_left : nullptr, on_right ? &*on_right : nullptr};
  Compared result;
  std::map<int64_t, ValueEquality>& answers = result.answers;
  absl::Status& why = result.why;
  for (const auto& [side, one, name] :
       {std::tuple(&a, on[0], "LEFT"), std::tuple(&b, on[1], "RIGHT")}) {
    const absl::Status fits =
        one == nullptr ? absl::OkStatus() : expect_exchanges(side->module, one->devices.counts);
    if (!fits.ok()) return error_of_side(fits, name);
  }
  LargeValues any(a.module, b.module, options, on);
  std::erase_if(open, [&](const auto& one) {
    const auto laws = any.equal(one.first, one.second, false);
    if (laws) answers[one.first] = {.leaf = one.first, .laws = *laws};
    return laws.has_value();
  });
  if (open.empty()) return result;
  spec::Terms terms(true);
  auto of_left = terms_of(a, on_left, terms, options.limits);
  auto of_right = of_left.ok() ? terms_of(b, on_right, terms, options.limits) : of_left;
  if (!of_left.ok() || !of_right.ok()) {
    why = of_left.ok() ? error_of_side(of_right.status(), "RIGHT")
                       : error_of_side(of_left.status(), "LEFT");
    if (!is_too_large(why)) return why;
    for (auto& [leaf, answer] : differences(a.module, b.module, open, options, on)) {
      add_path(element_of(a, on[0], leaf, answer), element_of(b, on[1], leaf, answer), options,
               answer);
      answers[leaf] = std::move(answer);
    }
    std::erase_if(open, [&](const auto& one) { return answers.contains(one.first); });
    for (const auto& [leaf, laws] : laws_that_would_do(a.module, b.module, open, options, on)) {
      answers[leaf] = {
          .leaf = leaf, .verdict = Verdict::kUndecided, .laws = laws, .detail = text_of(why)};
    }
    return result;
  }
  TermComparison comparison(terms, options);
  for (const auto& [leaf, dims] : open) {
    const auto here = held(a, on_left, leaf, (*of_left)[leaf]);
    const auto there = held(b, on_right, leaf, (*of_right)[leaf]);
    answers[leaf] =
        pairs_of(sides, here, there)
            .compare(comparison, element_of(a, on[0], leaf), element_of(b, on[1], leaf), options);
  }
  return result;
}

absl::StatusOr<std::vector<ValueEquality>> placed_answers(const HloModule& left,
                                                          const HloModule& right,
                                                          const Placements& placements,
                                                          const ValueOptions& options) {
  const Sides sides = TRY(sides_of(left, right, placements));
  std::vector<ValueEquality> answers(sides.left.results.size());
  std::map<int64_t, Dims> open;
  for (size_t leaf = 0; leaf < answers.size(); ++leaf) {
    if (auto unlike = unlike_arrays(sides, leaf)) {
      answers[leaf] = *std::move(unlike);
    } else {
      open.emplace(static_cast<int64_t>(leaf), sides.left.placed_results[leaf]->dims);
    }
  }
  const Compared found =
      TRY(compared(sides, devices_of(sides.left), devices_of(sides.right), open, options));
  for (const auto& [leaf, dims] : open) {
    const auto known = found.answers.find(leaf);
    answers[leaf] = known != found.answers.end() ? known->second
                                                 : ValueEquality{.leaf = leaf,
                                                                 .verdict = Verdict::kUndecided,
                                                                 .detail = text_of(found.why)};
  }
  return answers;
}

// Whether both say how the same array lies on the devices, and differ. Before partitioning, other
// instructions than parameters and the root have annotations: then it is how the whole array will.
bool are_annotated_differently(const Side& a, const Side& b) {
  for (const Side* side : {&a, &b}) {
    const HloComputation& entry = side->module.computations[side->module.entry];
    for (int32_t i = 0; i < std::ssize(entry.instructions); ++i) {
      const HloInstruction& one = entry.instructions[i];
      if (i == entry.root || one.opcode == HloOpcode::kParameter) continue;
      if (find_attribute(one.attributes, "sharding") != nullptr) return false;
    }
  }
  for (const ArraysOf which : {&Side::parameters, &Side::results}) {
    for (size_t k = 0; k < (a.*which).size() && k < (b.*which).size(); ++k) {
      const auto of_left = annotated(a, a.*which, k, a.counts);
      const auto of_right = annotated(b, b.*which, k, b.counts);
      if (of_left.ok() && of_right.ok() && *of_left != *of_right) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<DeviceCounts> devices_run_on(const HloModule& module) {
  const Meshes meshes = TRY(meshes_of(module));
  if (meshes.empty()) return device_counts(module);
  return DeviceCounts{.partitions = has_manual_computation(module) ? devices_of(meshes) : 1};
}

bool depends_on_device(const HloModule& module) {
  const DeviceValues values(module);
  const HloComputation& entry = module.computations[module.entry];
  return std::ranges::any_of(entry.instructions,
                             [&](const HloInstruction& one) { return values.in(one) != nullptr; });
}

bool are_placed_differently(const HloModule& left, const HloModule& right,
                            const Placements& placements) {
  if (placements.left || placements.right) return true;
  auto a = side_of(left, "LEFT"), b = side_of(right, "RIGHT");
  if (!a.ok() || !b.ok()) return false;
  if (expect_listed_of(*a).ok() && expect_listed_of(*b).ok()) find_whole(*a, *b);
  const bool are_on_several = a->devices() > 1;
  return a->counts != b->counts || (are_on_several && !result_pairs(left, right).ok()) ||
         (are_on_several && a->is_program != b->is_program) ||
         (are_on_several && !a->is_program && expect_listed_of(*a).ok() &&
          are_annotated_differently(*a, *b));
}

absl::StatusOr<std::vector<ValueEquality>> same_values_placed(const HloModule& left,
                                                              const HloModule& right,
                                                              const Placements& placements,
                                                              const ValueOptions& options) {
  auto answers = placed_answers(left, right, placements, options);
  const absl::Status& status = answers.status();
  const bool is_open = absl::IsNotFound(status) || is_too_large(status);
  return is_open ? undecided_results(left, status) : std::move(answers);
}

absl::StatusOr<std::vector<absl::StatusOr<ValueEquality>>> same_values_on_each(
    const HloModule& left, const HloModule& right, const std::vector<int64_t>& leaves,
    const ValueOptions& options) {
  const Sides sides{TRY(side_of(left, "LEFT")), TRY(side_of(right, "RIGHT"))};
  const auto& [a, b] = sides;
  TRY(expect_listed_of(a));
  OnDevices on{{a.counts}, std::vector<std::optional<Placed>>(a.results.size())};
  for (size_t k = 0; k < a.parameters.size(); ++k) {
    const bool is_whole = a.is_program;
    const auto of_left =
        is_whole ? replicated(a.devices()) : annotated(a, a.parameters, k, a.counts);
    const auto of_right = is_whole ? of_left : annotated(b, b.parameters, k, b.counts);
    if (!of_left.ok() || !of_right.ok() || *of_left != *of_right) continue;
    const Array& array = a.parameters[k];
    const auto number = static_cast<int32_t>(array.at->parameter_number);
    on.devices.parameters.insert({{number, array.leaf}, {TRY(joined(*of_left, array)), *of_left}});
  }
  std::map<int64_t, Dims> open;
  for (const int64_t leaf : leaves) open.emplace(leaf, a.results[leaf].dims);
  Compared found = TRY(compared(sides, on, on, open, options));
  std::vector<absl::StatusOr<ValueEquality>> answers;
  for (const int64_t leaf : leaves) {
    const auto known = found.answers.find(leaf);
    if (known == found.answers.end()) {
      answers.push_back(found.why);
      continue;
    }
    if (known->second.device) known->second.device->global.clear();
    answers.push_back(std::move(known->second));
  }
  return answers;
}

}  // namespace tileproof::verify
