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
#include "spec/hlo/devices.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/device_groups.h"
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
  DeviceCounts counts;
  std::vector<Array> parameters = {}, results = {};
  bool is_whole = false;
  // If it is not: by array.
  std::vector<Placed> placed_parameters = {}, placed_results = {};

  int64_t devices() const { return *counts.devices(); }
};

absl::StatusOr<Side> side_of(const HloModule& module, const char* name) {
  Side side{module, name, TRY(device_counts(module))};
  const HloComputation& entry = module.computations[module.entry];
  int64_t number = 0;
  for (const int32_t parameter : parameters_of(entry)) {
    TRY(add_arrays(entry.instructions[parameter], absl::StrCat("parameter ", number++),
                   side.parameters));
  }
  TRY(add_arrays(entry.instructions[entry.root], "the result", side.results));
  return side;
}

bool have_same_sizes(const std::vector<Array>& a, const std::vector<Array>& b) {
  return std::ranges::equal(a, b, {}, &Array::dims, &Array::dims);
}

// What the annotation of the array says, on all devices. Each replica holds what partitions hold.
absl::StatusOr<Sharding> annotated(const std::vector<Array>& arrays, size_t k,
                                   const DeviceCounts& counts) {
  const Array& array = arrays[k];
  const std::string* text = find_attribute(array.at->attributes, "sharding");
  if (text == nullptr) return absl::NotFoundError("it has no annotation");
  std::vector<int64_t> ranks;
  for (size_t i = array.first; i < arrays.size() && arrays[i].at == array.at; ++i) {
    ranks.push_back(std::ssize(arrays[i].dims));
  }
  Sharding sharding = TRY(read_shardings(*text, ranks, counts.partitions))[array.leaf];
  const std::vector<int64_t> of_partition = sharding.part_of;
  for (int64_t r = 1; r < counts.replicas; ++r) {
    sharding.part_of.insert(sharding.part_of.end(), of_partition.begin(), of_partition.end());
  }
  return sharding;
}

// The sharding of array k of a partitioned module: as it is given, or annotated here or in the other
// module. An array of the size of the whole one can only be on every device. NotFound if nothing says
// it.
absl::StatusOr<Sharding> sharding_of(const Side& side, const std::vector<Array>& arrays,
                                     const std::vector<Array>& others, bool is_other_whole,
                                     size_t k, const std::vector<Sharding>* given) {
  if (given != nullptr) return (*given)[k];
  const auto here = annotated(arrays, k, side.counts);
  if (here.ok()) return here;
  if (is_other_whole) {
    if (auto there = annotated(others, k, side.counts); there.ok()) return there;
    if (arrays[k].dims == others[k].dims) return replicated(side.devices());
  }
  return absl::NotFoundError(absl::StrCat(
      "expected the sharding of ", arrays[k].name, ", ", dims_text(arrays[k].dims), " on each of ",
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

absl::StatusOr<std::vector<Placed>> placed_arrays(const Side& side,
                                                  const std::vector<Array>& arrays,
                                                  const std::vector<Array>& others,
                                                  bool is_other_whole,
                                                  const std::vector<Sharding>* given) {
  if (given != nullptr && given->size() != arrays.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected ", arrays.size(), " shardings, one for each array, found ", given->size()));
  }
  std::vector<Placed> all;
  for (size_t k = 0; k < arrays.size(); ++k) {
    Sharding sharding = TRY(sharding_of(side, arrays, others, is_other_whole, k, given));
    all.push_back(
        TRY(placed(side, arrays[k], std::move(sharding), is_other_whole ? &others[k] : nullptr)));
  }
  return all;
}

bool divides(const Placed& placed) {
  const auto& [dims, sharding] = placed;
  for (size_t d = 0; d < sharding.parts.size(); ++d) {
    if (dims[d] % sharding.parts[d] != 0) return false;
  }
  return true;
}

absl::Status place(Side& side, const Side& other, const std::optional<Placement>& given) {
  if (side.is_whole) return absl::OkStatus();
  if (given && given->devices != side.devices()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a placement on ", side.devices(),
                                                   " devices, found one on ", given->devices));
  }
  const bool may_pad = !given || given->is_padded;
  side.placed_parameters = TRY(placed_arrays(side, side.parameters, other.parameters,
                                             other.is_whole, given ? &given->parameters : nullptr));
  side.placed_results = TRY(placed_arrays(side, side.results, other.results, other.is_whole,
                                          given ? &given->results : nullptr));
  for (const std::vector<Placed>* all : {&side.placed_parameters, &side.placed_results}) {
    for (const Placed& one : *all) {
      if (may_pad || divides(one)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("expected sizes that the parts divide, found ", dims_text(one.dims), " in ",
                       dims_text(one.sharding.parts), " parts (\"padded\": true allows it)"));
    }
  }
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
  absl::Status same = expect_same_arrays(a, b);
  if (!same.ok()) return error_of_side(same, "RIGHT");
  a.is_whole = a.devices() == 1;
  b.is_whole = b.devices() == 1;
  if (a.devices() == b.devices() && !a.is_whole) {
    if (is_whole_of(a, b, placements.right)) {
      a.is_whole = true;
    } else if (is_whole_of(b, a, placements.left)) {
      b.is_whole = true;
    }
  }
  if (a.is_whole && b.is_whole) {
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

// The terms of all results on all devices; of a whole module, on one.
absl::StatusOr<std::vector<spec::OnDevices<ElementTerms>>> terms_of(const Side& side,
                                                                    spec::Terms& terms,
                                                                    const spec::Limits& limits) {
  if (!side.is_whole) {
    spec::Devices devices{side.counts};
    for (size_t k = 0; k < side.parameters.size(); ++k) {
      const Array& array = side.parameters[k];
      const auto number = static_cast<int32_t>(array.at->parameter_number);
      devices.parameters.insert({{number, array.leaf}, side.placed_parameters[k]});
    }
    return spec::terms_on(side.module, devices, terms, limits);
  }
  const int32_t root = side.module.computations[side.module.entry].root;
  std::vector<spec::OnDevices<ElementTerms>> results;
  for (ElementTerms& one :
       TRY(spec::terms_of_all(side.module, side.module.entry, root, terms, limits))) {
    results.push_back({std::move(one)});
  }
  return results;
}

// What the devices hold of a result.
std::vector<Held> held(const Side& side, size_t leaf, const spec::OnDevices<ElementTerms>& terms) {
  std::vector<Held> all;
  const Dims& dims = side.results[leaf].dims;
  for (int64_t v = 0; v < std::ssize(terms); ++v) {
    for (int64_t e = 0; e < std::ssize(terms[v].terms); ++e) {
      std::vector<int64_t> local = spec::element_index(dims, e);
      std::optional<std::vector<int64_t>> global = local;
      if (!side.is_whole) {
        const Placed& placed = side.placed_results[leaf];
        global = global_index(placed.sharding, placed.dims, v, local);
      }
      if (global) all.push_back({v, std::move(local), *std::move(global), terms[v].terms[e]});
    }
  }
  return all;
}

// Pairs of terms that must be equal, each once, with the first place of each.
class Pairs {
 public:
  struct Place {
    const Held* held = nullptr;
    bool is_of_left = false;
  };

  void add(TermId left, TermId right, Place place) {
    if (!known_.emplace(left, right).second) return;
    terms_.left.push_back(left);
    terms_.right.push_back(right);
    places_.push_back(place);
  }

  // The answer, with the place of the pair that it names.
  ValueEquality compare(TermComparison& comparison) {
    terms_.dims = {std::ssize(places_)};
    ValueEquality answer = comparison.compare(terms_);
    if (answer.at.size() != 1 || places_.empty()) return answer;
    const auto& [held, is_of_left] = places_[answer.at[0]];
    answer.at = held->local;
    answer.device = DeviceOfResult{held->device, is_of_left, held->global};
    return answer;
  }

 private:
  ResultTerms terms_;
  std::vector<Place> places_;
  std::set<std::pair<TermId, TermId>> known_;
};

// Each element on each device against the other module's, on the first device there that holds it.
ValueEquality compare_held(TermComparison& comparison, const Sides& sides,
                           const std::vector<Held>& left, const std::vector<Held>& right) {
  std::map<std::vector<int64_t>, TermId> first_left, first_right;
  for (const Held& one : left) first_left.try_emplace(one.global, one.term);
  for (const Held& one : right) first_right.try_emplace(one.global, one.term);
  Pairs pairs;
  if (!sides.right.is_whole) {
    for (const Held& one : right) {
      const auto other = first_left.find(one.global);
      if (other != first_left.end()) pairs.add(other->second, one.term, {&one, false});
    }
  }
  if (!sides.left.is_whole) {
    for (const Held& one : left) {
      const auto other = first_right.find(one.global);
      if (other != first_right.end()) pairs.add(one.term, other->second, {&one, true});
    }
  }
  return pairs.compare(comparison);
}

absl::StatusOr<std::vector<ValueEquality>> undecided_results(const HloModule& module,
                                                             const absl::Status& why) {
  const HloComputation& entry = module.computations[module.entry];
  const Leaves leaves = TRY(leaves_of(*entry.instructions[entry.root].shape));
  std::vector<ValueEquality> results;
  const auto side = why.GetPayload(kSideOfError);
  for (int64_t leaf = 0; leaf < std::ssize(leaves); ++leaf) {
    results.push_back(
        {.leaf = leaf,
         .verdict = Verdict::kUndecided,
         .detail = absl::StrCat(side ? std::string(*side) : "", ": ", why.message())});
  }
  return results;
}

// Why results cannot be compared, or nothing.
std::optional<ValueEquality> unlike_arrays(const Sides& sides, size_t leaf) {
  const auto dims_of = [&](const Side& side) {
    return side.is_whole ? side.results[leaf].dims : side.placed_results[leaf].dims;
  };
  const ElementType a = sides.left.results[leaf].type, b = sides.right.results[leaf].type;
  const Dims of_left = dims_of(sides.left), of_right = dims_of(sides.right);
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

absl::StatusOr<std::vector<ValueEquality>> placed_answers(const HloModule& left,
                                                          const HloModule& right,
                                                          const Placements& placements,
                                                          const ValueOptions& options) {
  const Sides sides = TRY(sides_of(left, right, placements));
  spec::Terms terms(true);
  auto of_left = terms_of(sides.left, terms, options.limits);
  if (!of_left.ok()) return error_of_side(of_left.status(), "LEFT");
  auto of_right = terms_of(sides.right, terms, options.limits);
  if (!of_right.ok()) return error_of_side(of_right.status(), "RIGHT");
  TermComparison comparison(terms, options);
  std::vector<ValueEquality> answers;
  for (size_t leaf = 0; leaf < sides.left.results.size(); ++leaf) {
    if (auto unlike = unlike_arrays(sides, leaf)) {
      answers.push_back(*std::move(unlike));
      continue;
    }
    answers.push_back(compare_held(comparison, sides, held(sides.left, leaf, (*of_left)[leaf]),
                                   held(sides.right, leaf, (*of_right)[leaf])));
    answers.back().leaf = static_cast<int64_t>(leaf);
  }
  return answers;
}

}  // namespace

bool meets_devices(const HloModule& module) {
  const DeviceValues values(module);
  const HloComputation& entry = module.computations[module.entry];
  return std::ranges::any_of(entry.instructions,
                             [&](const HloInstruction& one) { return values.in(one) != nullptr; });
}

bool are_placed_differently(const HloModule& left, const HloModule& right,
                            const Placements& placements) {
  if (placements.left || placements.right) return true;
  const auto a = device_counts(left), b = device_counts(right);
  if (!a.ok() || !b.ok()) return false;
  return *a != *b || (*a->devices() > 1 && !result_pairs(left, right).ok());
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

absl::StatusOr<std::vector<ValueEquality>> same_values_on_each(const HloModule& left,
                                                               const HloModule& right,
                                                               const std::vector<int64_t>& leaves,
                                                               const ValueOptions& options) {
  const Side a = TRY(side_of(left, "LEFT")), b = TRY(side_of(right, "RIGHT"));
  spec::Devices devices{a.counts};
  for (size_t k = 0; k < a.parameters.size(); ++k) {
    const auto of_left = annotated(a.parameters, k, a.counts);
    const auto of_right = annotated(b.parameters, k, b.counts);
    if (!of_left.ok() || !of_right.ok() || *of_left != *of_right) continue;
    const Array& array = a.parameters[k];
    const auto number = static_cast<int32_t>(array.at->parameter_number);
    devices.parameters.insert({{number, array.leaf}, {TRY(joined(*of_left, array)), *of_left}});
  }
  spec::Terms terms(true);
  const auto of_a = spec::terms_on(left, devices, terms, options.limits);
  if (!of_a.ok()) return error_of_side(of_a.status(), "LEFT");
  const auto of_b = spec::terms_on(right, devices, terms, options.limits);
  if (!of_b.ok()) return error_of_side(of_b.status(), "RIGHT");
  TermComparison comparison(terms, options);
  std::vector<ValueEquality> answers;
  for (const int64_t leaf : leaves) {
    std::vector<Held> all;
    std::vector<TermId> others;
    for (int64_t v = 0; v < a.devices(); ++v) {
      const std::vector<TermId>&here = (*of_b)[leaf][v].terms, &there = (*of_a)[leaf][v].terms;
      others.insert(others.end(), there.begin(), there.end());
      for (int64_t e = 0; e < std::ssize(here); ++e) {
        all.push_back({v, spec::element_index(b.results[leaf].dims, e), {}, here[e]});
      }
    }
    Pairs pairs;
    for (size_t k = 0; k < all.size(); ++k) pairs.add(others[k], all[k].term, {&all[k], false});
    answers.push_back(pairs.compare(comparison));
    answers.back().leaf = leaf;
  }
  return answers;
}

}  // namespace tileproof::verify
