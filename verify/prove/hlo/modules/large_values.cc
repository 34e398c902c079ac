// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/large_values.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "spec/hlo/definition_devices.h"
#include "verify/prove/hlo/modules/at_any_index.h"
#include "verify/prove/hlo/modules/at_one_index.h"
#include "verify/prove/hlo/modules/cut_points.h"
#include "verify/prove/hlo/modules/element_walk.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

using spec::TermId;
using spec::Terms;

namespace {

// In each dimension the first or last coordinate, the one beside it, or any, as the seed says.
std::vector<int64_t> some_index(const Dims& dims, uint64_t seed) {
  std::vector<int64_t> index;
  uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15;
  for (const int64_t size : dims) {
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9;
    const auto any = static_cast<int64_t>((z >> 32) % static_cast<uint64_t>(size));
    const int64_t choices[] = {0, size - 1, std::max<int64_t>(size - 2, 0), any, any};
    index.push_back(choices[(z >> 16) % std::size(choices)]);
  }
  return index;
}

bool has(const HloModule& module, HloOpcode opcode) {
  return std::ranges::any_of(module.computations, [&](const HloComputation& computation) {
    const auto is_one = [&](const HloInstruction& i) { return i.opcode == opcode; };
    return std::ranges::any_of(computation.instructions, is_one);
  });
}
bool has_window(const HloModule& module) {
  return has(module, HloOpcode::kConvolution) || has(module, HloOpcode::kReduceWindow);
}

}  // namespace

// The terms of both modules at any index.
struct LargeValues::AnyIndex {
  using Walk = ElementWalk<AtAnyIndex>;
  static const spec::Devices* devices(const OnDevices* on) {
    return on == nullptr ? nullptr : &on->devices;
  }
  AnyIndex(const HloModule& of_left, const HloModule& of_right, const ValueOptions& options_of,
           const BothOnDevices& on_devices, const Way& way, int64_t work)
      : options(options_of),
        exact(without_laws(options_of)),
        on(on_devices),
        terms(true),
        domain(terms, way.any_order, way.has_functions, way.writes_taps, work),
        left(of_left, domain, work, way.loops, devices(on[0]), options.deadline),
        right(of_right, domain, work, way.loops, devices(on[1]), options.deadline),
        comparison(terms, options),
        exactly(terms, exact) {
    domain.ask([this](const std::vector<TermId>& a, const std::vector<TermId>& b) {
      return exactly.prove({{std::ssize(a)}, a, b}, true).has_value();
    });
    if (!way.cuts) return;
    cuts.emplace(domain, std::array{&left, &right}, comparison, options);
    const HloComputation& entry = of_left.computations[of_left.entry];
    const auto leaves = leaves_of(*entry.instructions[entry.root].shape);
    std::array<std::vector<Walk::Array>, 2> roots;
    for (int64_t leaf = 0; leaves.ok() && leaf < std::ssize(*leaves); ++leaf) {
      roots[0].push_back(left.result_array(leaf, any_device(0)));
      roots[1].push_back(right.result_array(leaf, any_device(1)));
    }
    cuts->cut(roots);
  }

  static ValueOptions without_laws(ValueOptions options) {
    options.allowed.clear();
    return options;
  }
  IndexNumber any_device(int side) {
    if (on[side] == nullptr) return 0;
    return (*domain.every_index({*on[side]->devices.counts.devices()}, "device "))[0];
  }
  // An element of a result, on each device that holds it.
  std::optional<TermId> term(int side, int64_t leaf, std::vector<IndexNumber> index) {
    Walk& walk = side == 0 ? left : right;
    const auto& placed = on[side] == nullptr ? std::nullopt : on[side]->results[leaf];
    if (!placed) return walk.result(leaf, std::move(index), any_device(side));
    const PartTable parts(placed->sharding);
    if (!parts.is_known()) return std::nullopt;
    const bool are_alike = on[0] != nullptr && on[1] != nullptr && on[0]->results[leaf] &&
                           on[1]->results[leaf] &&
                           on[0]->results[leaf]->sharding == on[1]->results[leaf]->sharding;
    const auto copy =
        domain.every_index({parts.copies()}, are_alike || side == 0 ? "copy " : "other copy ");
    spec::PartElement<IndexNumber> element =
        spec::element_of_part<IndexNumber>(placed->sharding, placed->dims, std::move(index));
    element.local.push_back(parts.holder(element.part, (*copy)[0]));
    domain.simplify(element.local);
    const IndexNumber device = element.local.back();
    element.local.pop_back();
    return walk.result(leaf, std::move(element.local), device);
  }

  using Index = std::vector<IndexNumber>;
  using Box = std::vector<Interval>;

  // The digits that count the elements of each dimension: the part that holds an element, where a side cuts
  // the dimension, and the place in the part.
  std::vector<Dims> digits_of(int64_t leaf, const Dims& dims) const {
    std::vector<Dims> all;
    for (size_t d = 0; d < dims.size(); ++d) {
      int64_t parts = 1;
      for (const OnDevices* one : on) {
        if (one == nullptr || !one->results[leaf] || one->results[leaf]->sharding.parts.empty()) {
          continue;
        }
        const int64_t count = one->results[leaf]->sharding.parts[d];
        if (dims[d] % count == 0 && count % parts == 0) parts = count;
      }
      const bool is_cut = parts > 1 && parts < dims[d];
      all.push_back(is_cut ? Dims{parts, dims[d] / parts} : Dims{dims[d]});
    }
    return all;
  }

  static Box all_of(const std::vector<Dims>& digits) {
    Box whole;
    for (const Dims& of_one : digits) {
      for (const int64_t size : of_one) whole.push_back({0, size - 1});
    }
    return whole;
  }

  // Cuts the digits of which comparisons ask for a rest; false if there are none.
  bool cut_digits(std::vector<Dims>& digits, const Index& variables) const {
    bool has_more = false;
    size_t next = 0;
    for (Dims& of_one : digits) {
      Dims cut;
      for (const int64_t size : of_one) {
        const auto by = domain.digit_of(variables[next++]);
        if (by) cut.push_back(size / *by);
        cut.push_back(by.value_or(size));
        has_more |= by.has_value();
      }
      of_one = std::move(cut);
    }
    return has_more;
  }

  // The laws with which the elements in these intervals of digits are equal, and the variables that count
  // them.
  std::optional<Laws> equal_in(int64_t leaf, const std::vector<Dims>& digits, const Box& box,
                               bool asks_solver, Index& variables) {
    Dims sizes;
    for (const Interval& side : box) sizes.push_back(length(side));
    variables = *domain.every_index(sizes, "d");
    if (domain.has_failed()) return std::nullopt;  // no elements, or too many
    Index index;
    size_t next = 0;
    for (const Dims& of_one : digits) {
      index.emplace_back(0);
      for (const int64_t size : of_one) {
        index.back() = index.back() * size + variables[next] + box[next].low;
        ++next;
      }
    }
    std::optional<Laws> laws;
    bool is_cut = true;
    while (!laws && is_cut) {
      const auto a = term(0, leaf, index);
      const auto b = a ? term(1, leaf, index) : std::nullopt;
      if (!b) return std::nullopt;
      laws = comparison.prove({{}, {*a}, {*b}}, asks_solver);
      if (laws && cuts) {
        laws->merge(cuts->laws_of(*a));
        laws->merge(cuts->laws_of(*b));
      }
      is_cut = !laws && domain.cut_sums({*a, *b});
      if (!is_cut) continue;
      left.forget();
      right.forget();
    }
    return laws;
  }

  // The shortest of the digits that `is_meant` names by their position; their number if there is none.
  template <class IsMeant>
  static size_t shortest(const Box& box, IsMeant is_meant) {
    size_t found = box.size();
    for (size_t d = 0; d < box.size(); ++d) {
      if (!is_meant(d)) continue;
      if (found == box.size() || length(box[d]) < length(box[found])) found = d;
    }
    return found;
  }
  static int64_t length(const Interval& side) { return side.high - side.low + 1; }

  // Whether each digit counts parts that devices hold: the first one of a dimension that is cut.
  static std::vector<bool> counting_parts(const std::vector<Dims>& digits,
                                          const std::vector<Dims>& parts) {
    std::vector<bool> all;
    for (size_t d = 0; d < digits.size(); ++d) {
      for (size_t k = 0; k < digits[d].size(); ++k) {
        all.push_back(k == 0 && parts[d].size() > 1);
      }
    }
    return all;
  }

  // The laws with which all elements of a result are equal. If one term says too little of all, those of parts
  // are asked for, between which a comparison says something else. Where none does, parts, and what
  // devices hold, are halved.
  std::optional<Laws> equal(int64_t leaf, const Dims& dims, bool asks_solver, bool splits) {
    const std::vector<Dims> parts = digits_of(leaf, dims);
    std::vector<Dims> digits = parts;
    Box whole = all_of(digits);
    std::vector<Box> open = {whole};
    Laws all;
    while (!open.empty()) {
      if (options.is_late()) return std::nullopt;
      const Box box = std::move(open.back());
      open.pop_back();
      Index variables;
      if (auto laws = equal_in(leaf, digits, box, false, variables)) {
        all.merge(*laws);
        continue;
      }
      if (!splits) return std::nullopt;
      if (box == whole && cut_digits(digits, variables)) {
        whole = all_of(digits);
        open = {whole};
        continue;
      }
      // Where a digit of which a comparison says something else is one number, less is said of the others.
      size_t d = shortest(box, [&](size_t k) { return domain.split_of(variables[k]).has_value(); });
      const bool is_said = d < box.size();
      if (!is_said) {
        const std::vector<bool> counts_parts = counting_parts(digits, parts);
        d = shortest(box, [&](size_t k) {
          return length(box[k]) > 1 && (length(box[k]) < length(whole[k]) || counts_parts[k]);
        });
      }
      if (domain.has_failed() || d == box.size()) {
        return asks_solver ? equal_in(leaf, digits, whole, true, variables) : std::nullopt;
      }
      const int64_t middle =
          box[d].low + (is_said ? *domain.split_of(variables[d]) : length(box[d]) / 2);
      // The smaller part is asked first: if it is not proven, the other one need not be.
      const bool is_small_above = box[d].high - middle < middle - box[d].low;
      for (const bool is_above : {!is_small_above, is_small_above}) {
        Box& part = open.emplace_back(box);
        (is_above ? part[d].low : part[d].high) = is_above ? middle : middle - 1;
      }
    }
    return all;
  }

  const ValueOptions& options;
  const ValueOptions exact;
  const BothOnDevices on;
  Terms terms;
  AtAnyIndex domain;
  Walk left, right;
  TermComparison comparison, exactly;
  std::optional<CutPoints> cuts;
};

LargeValues::LargeValues(const HloModule& left, const HloModule& right, const ValueOptions& options,
                         BothOnDevices on)
    : left_(left),
      right_(right),
      options_(options),
      on_(on),
      has_loops_(has(left, HloOpcode::kWhile) || has(right, HloOpcode::kWhile)),
      has_windows_(has_window(left) || has_window(right)) {}
LargeValues::~LargeValues() = default;

std::vector<HeldElement> holders(const OnDevices* on, int64_t leaf,
                                 const std::vector<int64_t>& global) {
  std::vector<HeldElement> all;
  if (on == nullptr) return {{0, global}};
  const auto& placed = on->results[leaf];
  const int64_t count = *on->devices.counts.devices();
  const auto element = placed
                           ? spec::element_of_part<int64_t>(placed->sharding, placed->dims, global)
                           : spec::PartElement<int64_t>{0, global};
  for (int64_t v = 0; v < count; ++v) {
    if (!placed || placed->sharding.part_of[v] == element.part) all.push_back({v, element.local});
  }
  return all;
}

std::optional<Laws> LargeValues::equal(int64_t leaf, const Dims& dims, bool asks_solver) {
  for (const bool any_order : {false, true}) {
    if (any_order && !options_.allowed.contains(ValueLaw::kReductionOrder)) continue;
    const bool cuts = (on_[0] == nullptr) == (on_[1] == nullptr);  // else they are of other sizes
    std::vector<Way> ways = {{any_order, cuts, true}};
    if (has_loops_) {
      ways.push_back({any_order, cuts, true, LoopsAs::kAnyRound});
      ways.push_back({any_order, cuts, true, LoopsAs::kRounds});
    }
    if (cuts) ways.push_back({any_order, false, true});
    ways.push_back({any_order, false, false});
    if (cuts && any_order && has_windows_) ways.push_back({any_order, true, true, {}, true});
    for (const Way& way : ways) {
      if (auto laws = equal(leaf, dims, asks_solver && way.has_functions, way)) return laws;
    }
  }
  return std::nullopt;
}

std::optional<Laws> LargeValues::equal(int64_t leaf, const Dims& dims, bool asks_solver,
                                       const Way& way) {
  std::unique_ptr<AnyIndex>& both = any_index_[way];
  // A step takes longer than one of the definition. Without functions, what is shared is looked at
  // again and again.
  const int64_t work = options_.limits.work / (way.has_functions ? 64 : 256);
  const bool is_over = both != nullptr && both->domain.has_failed();
  if (is_over && !way.cuts) ++too_long_[way];
  constexpr int64_t kMostTooLong = 4;
  if (options_.is_late() || too_long_[way] > kMostTooLong) return std::nullopt;
  if (both == nullptr || (is_over && !way.cuts)) {
    both = std::make_unique<AnyIndex>(left_, right_, options_, on_, way, work);
  } else if (is_over) {
    both->domain.recover();
  }
  auto laws = both->equal(leaf, dims, asks_solver, !way.writes_taps);
  if (laws && way.any_order) laws->insert(ValueLaw::kReductionOrder);
  return laws;
}

namespace {

// Both modules at one point, with what is known of all results so far.
class AtPoint {
 public:
  AtPoint(const HloModule& left, const HloModule& right, const PointNumbers& numbers,
          const BothOnDevices& on, ThreadCpuClock::time_point deadline)
      : point_(terms_, numbers),
        domains_{AtOneIndex(terms_, point_, 0), AtOneIndex(terms_, point_, 0)},
        walks_{ElementWalk(left, domains_[0], 0, LoopsAs::kRounds, devices(on[0]), deadline),
               ElementWalk(right, domains_[1], 0, LoopsAs::kRounds, devices(on[1]), deadline)} {}

  // By the name of a parameter: of how many products in a sum one is its own.
  std::map<std::string, int64_t> factors(const std::map<int64_t, Dims>& results, int64_t steps) {
    std::map<std::string, int64_t> all;
    for (const int side : {0, 1}) {
      domains_[side].allow(steps);
      walks_[side].allow(steps);
      ArrayBounds<ElementWalk<AtOneIndex>> bounds(walks_[side], point_);
      for (const auto& [leaf, dims] : results) bounds.are_known(walks_[side].result_array(leaf));
      for (const auto& [name, count] : bounds.factors()) all[name] = std::max(all[name], count);
    }
    return all;
  }

  // An element of each side, with so many steps of each kind; `work`: what is left of them, below 0
  // if one of them took more.
  std::optional<PointValue> value(int side, int64_t leaf, const HeldElement& at, int64_t steps,
                                  int64_t& work) {
    domains_[side].allow(steps);
    walks_[side].allow(steps);
    const auto term = walks_[side].result(leaf, at.index, at.device);
    const int64_t least = std::min(domains_[side].work(), walks_[side].work());
    work = least < 0 ? -1 : work - (2 * steps - domains_[side].work() - walks_[side].work());
    return term ? std::optional(point_.of(*term)) : std::nullopt;
  }

 private:
  static const spec::Devices* devices(const OnDevices* on) {
    return on == nullptr ? nullptr : &on->devices;
  }

  Terms terms_ = Terms(true);
  Point point_;
  std::array<AtOneIndex, 2> domains_;
  std::array<ElementWalk<AtOneIndex>, 2> walks_;
};

struct Searched {
  Dims dims;
  int64_t work = 0;  // that is left
  bool is_known = false;
};

int64_t devices_of(const BothOnDevices& on) {
  int64_t devices = 1;
  for (const OnDevices* one : on) {
    if (one != nullptr) devices = std::max(devices, *one->devices.counts.devices());
  }
  return devices;
}

// An element of a result, and where each side has it. Of seeds one after another, each device has one:
// what is wrong on a few of many is seen soon.
struct Sought {
  std::vector<int64_t> global;
  std::array<HeldElement, 2> held;
};
std::optional<Sought> some_element(const BothOnDevices& on, int64_t leaf, const Dims& dims,
                                   uint64_t seed) {
  const int side = on[1] != nullptr ? 1 : 0;
  Sought sought;
  if (on[side] == nullptr) {
    sought.global = some_index(dims, seed);
    sought.held = {HeldElement{0, sought.global}, HeldElement{0, sought.global}};
    return sought;
  }
  HeldElement& here = sought.held[side];
  const auto& placed = on[side]->results[leaf];
  here.device = static_cast<int64_t>(seed % static_cast<uint64_t>(devices_of(on)));
  here.index = some_index(placed ? part_dims(placed->sharding, placed->dims) : dims, seed);
  const auto global = placed ? global_index(placed->sharding, placed->dims, here.device, here.index)
                             : std::optional(here.index);
  if (!global) return std::nullopt;  // padding
  sought.global = *global;
  const auto there = holders(on[1 - side], leaf, *global);
  if (there.empty()) return std::nullopt;
  sought.held[1 - side] = there[seed % there.size()];
  return sought;
}

// Whether there is nothing more to look for.
bool search_at(AtPoint& point, const PointNumbers& numbers, int64_t leaf, uint64_t seed,
               int64_t steps, const BothOnDevices& on, Searched& searched,
               std::map<int64_t, ValueEquality>& found) {
  constexpr uint64_t kMostUnknown = 16;
  if (seed >= kMostUnknown && !searched.is_known) return true;
  const std::optional<Sought> sought = some_element(on, leaf, searched.dims, seed);
  if (!sought) return false;
  const auto& [index, held] = *sought;
  const auto& [here, there] = held;
  const auto a = point.value(0, leaf, here, steps, searched.work);
  const auto b = a ? point.value(1, leaf, there, steps, searched.work) : std::nullopt;
  if (searched.work < 0) return true;
  if (!b) return false;
  searched.is_known = searched.is_known || (a->is_known && b->is_known);
  // Other arithmetic may not overflow; infinities and NaN of constants are there.
  if (!are_apart(*a, *b) || a->has_overflow || b->has_overflow) return false;
  const bool is_of_left = on[1] == nullptr;
  found[leaf] = {.leaf = leaf,
                 .verdict = Verdict::kRefuted,
                 .at = is_of_left ? here.index : there.index,
                 .left = text_of(*a),
                 .right = text_of(*b),
                 .point = numbers};
  if (on[0] != nullptr || on[1] != nullptr) {
    found[leaf].device = DeviceOfResult{is_of_left ? here.device : there.device, is_of_left, index};
  }
  return true;
}

// The sizes and the single integer constants of the modules, but for those that each point has.
std::vector<int64_t> integers_of_modules(const HloModule& left, const HloModule& right) {
  constexpr int64_t kMost = int64_t{1} << 40;
  std::set<int64_t> all;
  for (const HloModule* module : {&left, &right}) {
    for (const HloComputation& computation : module->computations) {
      for (const HloInstruction& i : computation.instructions) {
        const auto leaves = leaves_of(*i.shape);
        for (const Leaf& leaf : leaves.value_or(Leaves()))
          all.insert(leaf.dims.begin(), leaf.dims.end());
        const auto constant =
            i.opcode == HloOpcode::kConstant ? spec::numbers_of_constant(i) : std::nullopt;
        const bool is_one = constant && constant->size() == 1;
        if (is_one && (*constant)[0] < kMost && (*constant)[0] > -kMost) {
          all.insert(static_cast<int64_t>((*constant)[0]));
        }
      }
    }
  }
  std::erase_if(all, [](int64_t one) { return one >= -1 && one <= 1; });
  return {all.begin(), all.end()};
}

}  // namespace

// With them no more is left to search for than a difference that no rounding explains. Sums of real
// numbers hide what other laws look for.
std::map<int64_t, Laws> laws_that_would_do(const HloModule& left, const HloModule& right,
                                           const std::map<int64_t, Dims>& results,
                                           const ValueOptions& options, BothOnDevices on) {
  std::map<int64_t, Laws> found;
  for (const bool is_real : {false, true}) {
    ValueOptions lenient = options;
    lenient.allowed.insert(std::begin(kLaws), std::end(kLaws));
    if (!is_real && !options.allowed.contains(ValueLaw::kReal)) {
      lenient.allowed.erase(ValueLaw::kReal);
    }
    if (lenient.allowed == options.allowed) continue;
    LargeValues large(left, right, lenient, on);
    for (const auto& [leaf, dims] : results) {
      if (found.contains(leaf)) continue;
      auto laws = large.equal(leaf, dims, false);
      if (laws && !laws->empty()) found.emplace(leaf, *std::move(laws));
    }
  }
  return found;
}

std::map<int64_t, ValueEquality> differences(const HloModule& left, const HloModule& right,
                                             const std::map<int64_t, Dims>& results,
                                             const ValueOptions& options, BothOnDevices on) {
  const auto most = static_cast<uint64_t>(std::max<int64_t>(2000, 20 * devices_of(on)));
  constexpr int64_t kMostShort = 64;  // products of a sum that is looked at as a whole
  std::map<int64_t, ValueEquality> found;
  const std::vector<int64_t> integers = integers_of_modules(left, right);
  const auto factors =
      AtPoint(left, right, {}, on, options.deadline).factors(results, options.limits.work / 64);
  // Of each sum about so many products, and then all: few are seen soon, if the sums are long.
  for (const int64_t kept : {int64_t{1}, int64_t{2}, int64_t{8}, INT64_MAX}) {
    const bool is_thin = kept < INT64_MAX;
    PointNumbers numbers{.integers = integers};
    for (const auto& [name, count] : factors) {
      if (is_thin && count > kMostShort) numbers.thin[name] = count / kept;
    }
    if (is_thin && numbers.thin.empty()) continue;
    std::map<int64_t, Searched> open;
    for (const auto& [leaf, dims] : results) {
      const bool is_empty = std::ranges::count(dims, 0) > 0;
      if (!is_empty && !found.contains(leaf))
        open[leaf] = {dims, options.limits.work / (is_thin ? 4 : 1)};
    }
    std::optional<AtPoint> point;
    for (uint64_t seed = 0; seed < most && !open.empty(); ++seed) {
      const uint64_t number = is_thin ? (seed / 4 + 1) * 16 : seed / 4;
      const bool is_new = !point || number != numbers.seed;
      numbers.seed = number;
      if (is_new) point.emplace(left, right, numbers, on, options.deadline);
      for (auto one = open.begin(); one != open.end();) {
        if (options.is_late()) return found;
        const bool is_over = search_at(*point, numbers, one->first, seed, options.limits.work / 16,
                                       on, one->second, found);
        one = is_over ? open.erase(one) : std::next(one);
      }
    }
  }
  return found;
}

}  // namespace tileproof::verify
