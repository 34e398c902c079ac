// SPDX-License-Identifier: Apache-2.0
#include "impl/access/coalescing.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "impl/access/components.h"
#include "impl/access/not_counted.h"
#include "impl/access/periods.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "impl/hlo/reshape_indices.h"
#include "impl/layout/tiled_layout.h"
#include "impl/map/atom_sum.h"
#include "impl/map/compose.h"
#include "impl/map/evaluate.h"
#include "impl/map/normal_form/linear.h"
#include "impl/map/simplify.h"
#include "impl/map/variables.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"

namespace tileproof::impl {
namespace {

constexpr absl::string_view kNames[] = {"th_x", "th_y", "th_z", "bl_x", "bl_y", "bl_z"};
constexpr int64_t kMaxPointsOfGroup = int64_t{1} << 20;
constexpr int64_t kMaxPeriod = 4096;

absl::Status invalid(absl::string_view why) { return absl::InvalidArgumentError(why); }

// The dimensions of a map that are th_x, th_y and th_z; -1 if it has none.
using ThreadDimensions = std::array<int64_t, 3>;

absl::StatusOr<ThreadDimensions> thread_dimensions(const IndexingMap& threads) {
  ThreadDimensions found = {-1, -1, -1};
  if (!threads.runtime.empty()) return invalid("thread map: expected no runtime variables");
  const auto has_name = [](const Variable& variable) { return !variable.name.empty(); };
  const bool named = std::ranges::any_of(threads.dimensions, has_name);
  if (!named && !threads.dimensions.empty() && threads.dimensions.size() != 6) {
    return invalid(
        absl::StrCat("thread map: expected six dimensions, or the names th_x, .., bl_z, found ",
                     threads.dimensions.size(), " dimensions without these names"));
  }
  for (int64_t d = 0; d < std::ssize(threads.dimensions); ++d) {
    const Variable& variable = threads.dimensions[d];
    const int64_t position = named ? std::ranges::find(kNames, variable.name) - kNames : d;
    if (position == 6) {
      return invalid(
          absl::StrCat("thread map: expected th_x, th_y, th_z, bl_x, bl_y or bl_z, found '",
                       name_of(threads, Op::kDimension, d), "'"));
    }
    if (position >= 3) continue;
    if (variable.bounds.low != 0) {
      return invalid(
          absl::StrCat("thread map: expected bounds of ", kNames[position], " that begin with 0"));
    }
    found[position] = d;
  }
  return found;
}

// An error if the simplifier sees that the map gives an index outside of an array of these sizes.
absl::Status expect_inside(const IndexingMap& map, const std::vector<int64_t>& sizes) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    const absl::StatusOr<Interval> range = range_of(map, map.results[d]);
    if (absl::IsOutOfRange(range.status())) return not_counted("a value leaves 64 bits");
    if (!range.ok()) continue;  // there is no value
    for (const Interval outside : {Interval{range->low, -1}, Interval{sizes[d], range->high}}) {
      if (outside.low > outside.high) continue;
      IndexingMap some = map;
      some.constraints.push_back({map.results[d], outside});
      const absl::StatusOr<IndexingMap> seen = simplify(some);
      if (!seen.ok() || seen->known_empty || !seen->constraints.empty()) continue;
      return invalid(absl::StrCat("access map: expected indices below ", sizes[d], " in dimension ",
                                  d, " of the array"));
    }
  }
  return absl::OkStatus();
}

// The map from thread, block and iterations, all as dimensions, to the offset of the element.
absl::StatusOr<IndexingMap> offset_map(const IndexingMap& threads, const IndexingMap& access,
                                       const Shape& array) {
  IndexingMap offset = TRY(logical_to_offset(array));
  IndexingMap map = TRY(compose(threads, access));
  std::vector<int64_t> sizes;
  for (const Variable& dimension : offset.dimensions) sizes.push_back(dimension.bounds.high + 1);
  TRY(expect_inside(map, sizes));
  map = TRY(compose(map, offset));
  map = TRY(simplify(map));
  return ranges_to_dimensions(map);
}

// Restores the size of the blocks. If simplification has found that some threads are idle, their
// bound becomes a constraint.
void restore_blocks(IndexingMap& map, const IndexingMap& threads,
                    const ThreadDimensions& dimensions) {
  for (int64_t d : dimensions) {
    if (d < 0 || map.dimensions[d].bounds == threads.dimensions[d].bounds) continue;
    const NodeId thread = add_variable(map.nodes, Op::kDimension, d);
    map.constraints.push_back({thread, map.dimensions[d].bounds});
    map.dimensions[d].bounds = threads.dimensions[d].bounds;
  }
}

// ---- An offset as a sum of independent parts: that of the threads, and the rest ----

// The result of each part is the sum of its terms.
struct Split {
  Component threads;            // and the variables connected to them
  std::vector<Component> rest;  // independent of each other
};

Split unsplit(const IndexingMap& map) {
  Split all{{{}, {0}, map}, {}};
  for (int64_t v = 0; v < std::ssize(map.dimensions); ++v) all.threads.variables.push_back(v);
  return all;
}

// Variables that share a term or a constraint stay together, and so do the threads. Nothing if the
// offset is no sum of few terms, or if a term or constraint of constants is left: after
// simplification, it is a number beyond 64 bits.
std::optional<Split> split(const IndexingMap& map, const ThreadDimensions& threads) {
  if (tree_size(map.nodes, map.results[0]) > kMaxSumTree) return std::nullopt;
  const std::optional<AtomSum> sum = sum_as_written(map.nodes, map.results[0]);
  if (!sum) return std::nullopt;
  IndexingMap terms = map;
  terms.results.clear();
  for (const auto& [atom, factor] : sum->factors) {
    terms.results.push_back(
        add_operation(terms.nodes, Op::kMul, atom, add_constant(terms.nodes, factor)));
  }
  for (const NodeId root : roots_of(terms)) {
    if (variables_under(terms, root).empty()) return std::nullopt;
  }
  std::vector<int64_t> together;
  std::ranges::copy_if(threads, std::back_inserter(together), [](int64_t d) { return d >= 0; });
  const auto add_terms = [](Component& part, int64_t constant) {
    NodeId total = add_constant(part.map.nodes, constant);
    for (const NodeId term : part.map.results) {
      total = add_operation(part.map.nodes, Op::kAdd, total, term);
    }
    part.map.results = {total};
  };
  Split parts;
  for (Component& part : components_of(terms, together)) {
    if (!together.empty() && std::ranges::binary_search(part.variables, together[0])) {
      parts.threads = std::move(part);
    } else {
      add_terms(part, 0);
      parts.rest.push_back(std::move(part));
    }
  }
  add_terms(parts.threads, sum->constant);
  return parts;
}

// ---- The rest: the frequency of each remainder ----

using Histogram = std::vector<Wide>;  // by remainder modulo the period

constexpr Wide kMost = Wide{1} << 62;

// The remainders of the sum of two independent numbers.
Histogram convolved(const Histogram& a, const Histogram& b) {
  Histogram sum(a.size(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    for (size_t j = 0; j < b.size(); ++j) {
      Wide& at = sum[(i + j) % a.size()];
      at = std::min(at + a[i] * b[j], kMost);  // a[i] <= 2^62, b[j] <= 2^64
    }
  }
  return sum;
}

int64_t remainder(Wide x, int64_t period) {
  const auto rest = static_cast<int64_t>(x % period);
  return rest < 0 ? rest + period : rest;
}

// The remainders of factor * v for all v within the bounds.
Histogram of_variable(int64_t factor, const Interval& bounds, int64_t period) {
  Histogram histogram(period, 0);
  const int64_t step = remainder(factor, period);
  const Wide count = Wide{bounds.high} - bounds.low + 1;
  for (int64_t i = 0; i < period && i < count; ++i) {
    const int64_t position =
        remainder(Wide{step} * remainder(Wide{bounds.low} + i, period), period);
    histogram[position] += (count - 1 - i) / period + 1;
  }
  return histogram;
}

// The factor, if the part is factor * its only variable.
std::optional<int64_t> factor_of(const IndexingMap& part) {
  if (part.dimensions.size() > 1 || !part.constraints.empty()) return std::nullopt;
  const std::optional<AtomSum> sum = sum_as_written(part.nodes, part.results[0]);
  if (!sum || sum->factors.size() > 1) return std::nullopt;
  if (sum->factors.empty()) return 0;
  const auto& [atom, factor] = *sum->factors.begin();
  return part.nodes[atom].op == Op::kDimension ? std::optional(factor) : std::nullopt;
}

absl::StatusOr<Histogram> histogram_of(const IndexingMap& part, int64_t period) {
  if (const auto factor = factor_of(part)) {
    return of_variable(*factor, part.dimensions[0].bounds, period);
  }
  if (!is_affordable(points_in_box(part), part.nodes, kMaxPointsOfGroup))
    return not_counted("blocks or iterations that are tied together");
  Histogram histogram(period, 0);
  const bool fits = for_each_point(part, [&](const std::vector<int64_t>& values, bool inside) {
    if (inside) histogram[remainder(values[part.results[0]], period)] += 1;
    return true;
  });
  if (!fits) return not_counted("a value leaves 64 bits");
  return histogram;
}

// ---- Counting ----

// A common unit of the sizes of an element and a transaction: both are coprime whole numbers of it.
struct Units {
  int64_t element;
  int64_t transaction;  // after this many elements, one begins at the same byte of a transaction
};

// Counts one access of a warp for every remainder of the rest.
class Counter {
 public:
  Counter(Units units, const Histogram& rest) : units_(units) {
    std::vector<Wide> times(rest.size());
    for (size_t by = 0; by < rest.size(); ++by) {
      times[remainder(Wide{units_.element} * static_cast<int64_t>(by), units_.transaction)] =
          rest[by];
    }
    for (const Wide& more : times) before_.push_back(before_.back() + more);
  }

  void add(std::vector<int64_t>& offsets) {
    if (offsets.empty()) return;
    accesses_ += before_.back();
    if (accesses_ >= kMost) return;  // an error in the end, whatever follows
    std::ranges::sort(offsets);
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    const int64_t first = remainder(offsets[0], units_.transaction);
    const int64_t moved = offsets[0] - first;
    for (int64_t& offset : offsets) offset -= moved;
    const auto [known, is_new] = known_.try_emplace(offsets);
    if (is_new) known->second = count(offsets);
    transactions_ = std::min(transactions_ + known->second.transactions, kMost);
    elements_ += before_.back() * std::ssize(offsets);
    most_ = std::max(most_, known->second.most);
    if (known_.size() > 4096) known_.clear();
  }

  absl::StatusOr<TransactionCounts> result() const {
    if (std::max({accesses_, transactions_, elements_}) >= kMost) {
      return not_counted("more than 62 bits");
    }
    return TransactionCounts{static_cast<int64_t>(accesses_), static_cast<int64_t>(transactions_),
                             static_cast<int64_t>(most_), static_cast<int64_t>(elements_)};
  }

 private:
  struct Sums {
    Wide transactions = 0;
    Wide most = 0;
  };

  // The counts for elements at these offsets, in rising order, over all shifts. The first element
  // begins a transaction. Another one begins if there is a border inside an element, or between it
  // and the one before.
  Sums count(const std::vector<int64_t>& offsets) const {
    const int64_t period = units_.transaction;
    std::vector<std::pair<int64_t, int64_t>> steps;  // shifts from which there is one more, or less
    Wide transactions = 1;
    const auto add_borders = [&](Wide from, Wide length) {  // after `from`, within `length`
      transactions += length / period;
      const int64_t moves = remainder(length, period);  // number of shifts with one more border
      const int64_t begin = remainder(-from - moves, period), end = begin + moves;
      steps.emplace_back(begin, 1);
      steps.emplace_back(std::min(end, period), -1);
      if (end > period) {
        steps.emplace_back(0, 1);
        steps.emplace_back(end - period, -1);
      }
    };
    for (size_t i = 0; i < offsets.size(); ++i) {
      const Wide first = Wide{offsets[i]} * units_.element;
      if (i > 0) {
        const Wide last = (Wide{offsets[i - 1]} + 1) * units_.element - 1;
        add_borders(last, std::min<Wide>(first - last, period));
      }
      if (units_.element > 1) add_borders(first, units_.element - 1);
    }
    std::ranges::sort(steps);
    steps.emplace_back(period, 0);
    Sums sums;
    int64_t begin = 0;
    for (const auto& [end, change] : steps) {
      const Wide times = before_[end] - before_[begin];
      sums.transactions += times * transactions;
      if (times > 0) sums.most = std::max(sums.most, transactions);
      transactions += change;
      begin = end;
    }
    return sums;
  }

  Units units_;
  std::vector<Wide> before_ = {0};  // how often the shift is smaller than this many units
  Wide accesses_ = 0, transactions_ = 0, most_ = 0, elements_ = 0;
  std::map<std::vector<int64_t>, Sums> known_;  // by offsets, shifted to the first transactions
};

// Enumerates threads with x fastest, then y, then z, then the variables connected to them. Calls
// the counter for each warp.
absl::Status count_warps(const Component& part, const ThreadDimensions& threads, int64_t warp,
                         Counter& counter) {
  if (!is_affordable(points_in_box(part.map), part.map.nodes, kMaxThreads)) {
    return not_counted("blocks or iterations that are tied to threads have many values");
  }
  // The part's variables from slowest to fastest.
  IndexingMap map = part.map;
  std::vector<int64_t> order;  // indices in the part
  std::vector<int64_t> position(part.variables.size());
  for (int64_t v = 0; v < std::ssize(part.variables); ++v) {
    if (std::ranges::find(threads, part.variables[v]) == threads.end()) order.push_back(v);
  }
  int64_t block = 1;
  for (int d = 2; d >= 0; --d) {
    const auto found = std::ranges::find(part.variables, threads[d]);
    if (found == part.variables.end()) continue;
    order.push_back(found - part.variables.begin());
    block *= part.map.dimensions[order.back()].bounds.high + 1;
  }
  for (size_t i = 0; i < order.size(); ++i) {
    position[order[i]] = static_cast<int64_t>(i);
    map.dimensions[i] = part.map.dimensions[order[i]];
  }
  for (Node& node : map.nodes) {
    if (node.op == Op::kDimension) node.value = position[node.value];
  }
  std::vector<int64_t> offsets;
  int64_t number = 0;  // the number of the thread in its block
  const bool fits = for_each_point(map, [&](const std::vector<int64_t>& values, bool inside) {
    if (inside) offsets.push_back(values[map.results[0]]);
    if (++number % warp == 0 || number == block) {
      counter.add(offsets);
      offsets.clear();
    }
    if (number == block) number = 0;
    return true;
  });
  return fits ? absl::OkStatus() : not_counted("a value leaves 64 bits");
}

absl::StatusOr<TransactionCounts> count(const IndexingMap& map, const ThreadDimensions& dimensions,
                                        int64_t warp, const Units& units) {
  Split parts = split(map, dimensions).value_or(unsplit(map));
  Histogram rest(units.transaction, 0);
  rest[0] = 1;
  for (const Component& part : parts.rest) {
    const Histogram own = TRY(histogram_of(part.map, units.transaction));
    rest = convolved(rest, own);
  }
  Counter counter(units, rest);
  TRY(count_warps(parts.threads, dimensions, warp, counter));
  return counter.result();
}

}  // namespace

absl::StatusOr<TransactionCounts> count_transactions(const IndexingMap& threads,
                                                     const IndexingMap& access, const Shape& array,
                                                     const Warps& warps) {
  const auto dimensions = TRY(thread_dimensions(threads));
  const TiledLayout layout = TRY(TiledLayout::create(array));
  if (warps.warp < 1 || warps.warp > 1024 || warps.width < 1 || warps.width > 4096) {
    return invalid("expected a warp of 1 to 1024 threads and a width of 1 to 4096 bytes");
  }
  if (threads.known_empty || access.known_empty) return TransactionCounts{};
  if (threads.results.size() != access.dimensions.size()) {
    return invalid(absl::StrCat("thread map: expected ", access.dimensions.size(),
                                " results, found ", threads.results.size()));
  }
  if (access.results.size() != layout.logical().size() || !access.runtime.empty()) {
    return invalid(absl::StrCat("access map: expected ", layout.logical().size(),
                                " results and no runtime variables"));
  }
  if (std::ranges::count(layout.logical(), 0) > 0) return TransactionCounts{};
  IndexingMap map = TRY(offset_map(threads, access, array));
  if (map.known_empty) return TransactionCounts{};
  restore_blocks(map, threads, dimensions);

  const int64_t given = layout_of(array).element_size_in_bits;
  const int64_t bits = given != 0 ? given : 8 * byte_width(array.element_type);
  const int64_t unit = std::gcd(bits, 8 * warps.width);
  const Units units{bits / unit, 8 * warps.width / unit};
  if (units.transaction > kMaxPeriod) return not_counted("a transaction has many elements");
  TransactionCounts all;
  for (const IndexingMap& one : by_periods(map, {dimensions.begin(), dimensions.end()})) {
    const TransactionCounts counts = TRY(count(one, dimensions, warps.warp, units));
    for (const auto field : {&TransactionCounts::accesses, &TransactionCounts::transactions,
                             &TransactionCounts::elements}) {
      if (all.*field > int64_t{kMost} - counts.*field) return not_counted("more than 62 bits");
      all.*field += counts.*field;
    }
    all.most = std::max(all.most, counts.most);
  }
  return all;
}

namespace {

int64_t bits_of(const Shape& array) {
  const int64_t given = layout_of(array).element_size_in_bits;
  return given != 0 ? given : 8 * byte_width(array.element_type);
}

absl::StatusOr<TransactionCounts> count_list(const IndexingMap& threads, const LeafMaps& list,
                                             const Shape& array, const Warps& warps) {
  if (list.inexact) {
    return absl::ResourceExhaustedError(absl::StrCat("superset: ", list.reason));
  }
  TransactionCounts sum;
  for (const IndexedMap& one : list.maps) {
    const std::vector<bool> used = runtime_used(one.map);
    if (std::ranges::find(used, true) != used.end()) {
      return absl::ResourceExhaustedError("it depends on the values of offsets");
    }
    const std::vector<int64_t> none(used.size(), 0);
    const auto own = TRY(count_transactions(threads, with_runtime(one.map, none), array, warps));
    const auto accesses = checked_add(sum.accesses, own.accesses);
    const auto transactions = checked_add(sum.transactions, own.transactions);
    const auto elements = checked_add(sum.elements, own.elements);
    // Each access has an element and a transaction, so `accesses` fits if the others do.
    if (!transactions || !elements) {
      return absl::ResourceExhaustedError("more than 63 bits");
    }
    sum = {*accesses, *transactions, std::max(sum.most, own.most), *elements};
  }
  return sum;
}

absl::Status add(std::vector<KernelTraffic>& all, std::string name, const Shape& array,
                 const absl::StatusOr<TransactionCounts>& accesses) {
  KernelTraffic traffic{std::move(name), std::nullopt, bits_of(array), ""};
  if (accesses.ok()) {
    traffic.accesses = *accesses;
  } else if (absl::IsResourceExhausted(accesses.status())) {
    traffic.why = std::string(accesses.status().message());
  } else {
    return accesses.status();
  }
  all.push_back(std::move(traffic));
  return absl::OkStatus();
}

// From an index of the result to itself.
IndexingMap identity(const Shape& array) {
  IndexingMap map;
  for (const Dimension& dimension : array.dimensions) {
    map.results.push_back(add_variable(map.nodes, Op::kDimension, std::ssize(map.dimensions)));
    map.dimensions.push_back({{0, dimension.size - 1}, ""});
  }
  return map;
}

}  // namespace

int64_t KernelTraffic::used_percent(int64_t width) const {
  const double used = static_cast<double>(accesses->elements) * static_cast<double>(bits) / 8;
  const double moved = static_cast<double>(accesses->transactions) * static_cast<double>(width);
  return moved == 0 ? 100 : static_cast<int64_t>(100 * used / moved);
}

absl::StatusOr<std::vector<KernelTraffic>> kernel_traffic(
    IndexingAnalysis& analysis, const HloModule& module, int32_t computation, int32_t instruction,
    int32_t output, const IndexingMap& threads, const Warps& warps) {
  const auto indexing = TRY(analysis.reads(computation, instruction, output));
  const HloComputation& in = module.computations[computation];
  const HloInstruction& at = in.instructions[instruction];
  std::vector<KernelTraffic> all;
  const Shape& result = *shape_leaves_of(*at.shape).leaves[output].array;
  TRY(add(all, "result", result, count_transactions(threads, identity(result), result, warps)));
  for (size_t k = 0; k < indexing.size(); ++k) {
    const HloInstruction& operand = in.instructions[at.operands[k].instruction];
    const Leaves leaves = shape_leaves_of(*operand.shape).leaves;
    for (size_t leaf = 0; leaf < indexing[k].size(); ++leaf) {
      const LeafMaps& list = indexing[k][leaf];
      if (list.maps.empty()) continue;
      const Shape& array = *leaves[leaf].array;
      const std::string part = leaves.size() > 1 ? absl::StrCat("#", leaf) : "";
      TRY(add(all, absl::StrCat("operand ", k, ", ", operand.name, part), array,
              count_list(threads, list, array, warps)));
    }
  }
  return all;
}

}  // namespace tileproof::impl
