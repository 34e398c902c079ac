// SPDX-License-Identifier: Apache-2.0
#include "impl/access/image.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "impl/access/components.h"
#include "impl/access/image_bits.h"
#include "impl/access/not_counted.h"
#include "impl/map/compose.h"
#include "impl/map/evaluate.h"
#include "impl/map/groups.h"
#include "impl/map/normal_form/linear.h"
#include "impl/map/simplify.h"
#include "impl/map/value_set.h"
#include "impl/map/variables.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

Image empty_image() { return {{}, true}; }

// The map simplified, with dimensions as its only variables, and without those that do not matter.
absl::StatusOr<IndexingMap> prepared(const IndexingMap& map) {
  IndexingMap simple = TRY(simplify(map));
  const auto removed = TRY(remove_unused_variables(simple, {.dimensions = true, .ranges = true}));
  return ranges_to_dimensions(removed.map);
}

// ---- Enumeration ----

// Row-major numbers of the results of a component at all points of its domain.
absl::StatusOr<NumberSet> enumerated(const IndexingMap& map, absl::Span<const int64_t> sizes,
                                     int64_t max_points) {
  if (!is_affordable(points_in_box(map), map.nodes, max_points)) {
    return not_counted("variables that are tied together have many values");
  }
  std::vector<int64_t> found;
  const bool fits = for_each_point(map, [&](const std::vector<int64_t>& values, bool inside) {
    if (!inside) return true;
    int64_t number = 0;
    for (size_t i = 0; i < map.results.size(); ++i) {
      number = number * sizes[i] + values[map.results[i]];
    }
    if (found.empty() || found.back() != number) found.push_back(number);
    return !map.results.empty();  // else one point is enough
  });
  if (!fits) return not_counted("a value leaves 64 bits");
  std::optional<NumberSet> set = NumberSet::of(std::move(found));
  if (!set) return not_counted("the elements lie in too many pieces");
  return *std::move(set);
}

// ---- Digits ----

// The positions where quotients and remainders cut a variable: all divisors, if each divides the
// next and all divide the variable's range.
std::vector<int64_t> cuts_of(const IndexingMap& map, int64_t variable) {
  std::set<int64_t> divisors;
  for (const Node& node : map.nodes) {
    if (node.op != Op::kFloorDiv && node.op != Op::kMod) continue;
    const Node& of = map.nodes[node.left];
    const Node& by = map.nodes[node.right];
    if (of.op == Op::kDimension && of.value == variable && by.op == Op::kConstant) {
      divisors.insert(by.value);
    }
  }
  const Interval& bounds = map.dimensions[variable].bounds;
  const Wide count = Wide{bounds.high} - bounds.low + 1;
  int64_t before = 1;
  for (int64_t divisor : divisors) {
    if (divisor < 2 || divisor % before != 0) return {};
    before = divisor;
  }
  if (count % before != 0 || bounds.low % before != 0) return {};
  std::vector<int64_t> cuts(divisors.begin(), divisors.end());
  return cuts;
}

// The map with digits in place of the variables that are cut, or nothing if none is.
absl::StatusOr<std::optional<IndexingMap>> in_digits(const IndexingMap& map) {
  IndexingMap digits;  // digits to variables
  bool any = false;
  const auto digit = [&digits](Interval bounds) {
    digits.dimensions.push_back({bounds, ""});
    return add_variable(digits.nodes, Op::kDimension, std::ssize(digits.dimensions) - 1);
  };
  for (int64_t v = 0; v < std::ssize(map.dimensions); ++v) {
    const Interval& bounds = map.dimensions[v].bounds;
    const std::vector<int64_t> cuts = cuts_of(map, v);
    if (cuts.empty()) {
      digits.results.push_back(digit(bounds));
      continue;
    }
    any = true;
    NodeId value = digit({0, cuts[0] - 1});
    const auto add = [&](Interval of, int64_t weight) {
      const NodeId part =
          add_operation(digits.nodes, Op::kMul, digit(of), add_constant(digits.nodes, weight));
      value = add_operation(digits.nodes, Op::kAdd, part, value);
    };
    for (size_t i = 1; i < cuts.size(); ++i) add({0, cuts[i] / cuts[i - 1] - 1}, cuts[i - 1]);
    add({bounds.low / cuts.back(), (bounds.high + 1) / cuts.back() - 1}, cuts.back());
    digits.results.push_back(value);
  }
  if (!any) return std::optional<IndexingMap>();
  const IndexingMap composed = TRY(compose(digits, map));
  IndexingMap simple = TRY(prepared(composed));
  return std::optional<IndexingMap>(std::move(simple));
}

// ---- Blocks ----

// Replaces several results by one, their row-major number. A single result stays as it is.
absl::StatusOr<IndexingMap> linearized(const IndexingMap& map, absl::Span<const int64_t> sizes) {
  IndexingMap line = map;
  NodeId number = map.results[0];
  for (size_t i = 1; i < map.results.size(); ++i) {
    number = add_operation(line.nodes, Op::kMul, number, add_constant(line.nodes, sizes[i]));
    number = add_operation(line.nodes, Op::kAdd, number, map.results[i]);
  }
  line.results = {number};
  if (line.results == map.results) return line;
  return prepared(line);
}

absl::Status add_component(const Component& component, absl::Span<const int64_t> sizes,
                           int64_t max_points, Image& image);

absl::Status add_components(const IndexingMap& map, const std::vector<int32_t>& results,
                            absl::Span<const int64_t> sizes, int64_t max_points, Image& image) {
  if (map.known_empty) image = empty_image();
  if (image.empty) return absl::OkStatus();
  const auto is_constant = [&map](const Constraint& constraint) {
    return variables_under(map, constraint.expr).empty();
  };
  // After simplification, a constraint on constants is one that could not be computed.
  if (std::ranges::any_of(map.constraints, is_constant)) {
    return not_counted("a value leaves 64 bits");
  }
  for (Component& component : components_of(map)) {
    for (int32_t& result : component.results) result = results[result];
    TRY(add_component(component, sizes, max_points, image));
    if (image.empty) return absl::OkStatus();
  }
  return absl::OkStatus();
}

std::optional<NumberSet> in_closed_form(const Component& component,
                                        absl::Span<const int64_t> sizes) {
  if (component.results.empty()) return std::nullopt;
  const absl::StatusOr<IndexingMap> line = linearized(component.map, sizes);
  return line.ok() ? values_of(*line) : std::nullopt;
}

// Terminates: each cut replaces a variable by several, each with at least two values, whose numbers
// of values multiply to the original. So there are fewer cuts than bits in the number of values.
absl::Status add_component(const Component& component, absl::Span<const int64_t> sizes,
                           int64_t max_points, Image& image) {
  std::vector<int64_t> own_sizes;
  for (int32_t result : component.results) own_sizes.push_back(sizes[result]);
  const auto cut = [&]() -> absl::StatusOr<bool> {
    const auto digits = in_digits(component.map);
    if (!digits.ok() || !*digits) return false;
    TRY(add_components(**digits, component.results, sizes, max_points, image));
    return true;
  };
  if (component.results.size() > 1) {
    const absl::StatusOr<bool> done = cut();
    if (!done.ok() || *done) return done.status();
    if (!element_count(own_sizes)) return not_counted("a block of more than 2^63 - 1 elements");
  }
  absl::StatusOr<NumberSet> numbers = NumberSet();
  if (std::optional<NumberSet> closed = in_closed_form(component, own_sizes)) {
    numbers = *std::move(closed);
  } else {
    if (component.results.size() == 1) {
      const absl::StatusOr<bool> done = cut();
      if (!done.ok() || *done) return done.status();
    }
    numbers = enumerated(component.map, own_sizes, max_points);
  }
  if (!numbers.ok()) return numbers.status();
  if (numbers->empty()) {
    image = empty_image();
  } else if (!component.results.empty()) {
    image.blocks.push_back({component.results, *std::move(numbers)});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Image> image_of(const IndexingMap& map, absl::Span<const int64_t> sizes,
                               int64_t max_points) {
  if (map.known_empty) return empty_image();
  IndexingMap simple = TRY(prepared(map));
  if (!simple.runtime.empty()) {
    return absl::InvalidArgumentError("expected a map without runtime variables");
  }
  std::vector<int32_t> results(map.results.size());
  std::iota(results.begin(), results.end(), 0);
  Image image;
  const absl::Status status = add_components(simple, results, sizes, max_points, image);
  if (status.ok()) return image;
  std::optional<Image> by_bits = image_of_bits(map, sizes);
  return by_bits ? absl::StatusOr<Image>(*std::move(by_bits)) : status;
}

absl::StatusOr<NumberSet> union_along(absl::Span<const IndexingMap> maps, int32_t result,
                                      int64_t size) {
  std::vector<NumberSet> sets;
  for (const IndexingMap& map : maps) {
    IndexingMap one = map;
    if (!map.known_empty) one.results = {map.results[result]};
    Image image = TRY(image_of(one, {size}));
    if (!image.empty) sets.push_back(std::move(image.blocks[0].numbers));
  }
  std::optional<NumberSet> all = united(sets);
  if (!all) return not_counted("the elements lie in too many pieces");
  return *std::move(all);
}

// The number of elements in a union of images.

namespace {

// Groups of results that share a block: the smallest groups that contain the blocks of all images.
std::vector<std::vector<int32_t>> common_blocks(absl::Span<const Image> images, size_t rank) {
  Groups groups(rank);
  for (const Image& image : images) {
    for (const Image::Block& block : image.blocks) {
      for (const int32_t r : block.results) groups.tie(r, block.results[0]);
    }
  }
  std::map<int64_t, std::vector<int32_t>> blocks;
  for (int32_t r = 0; r < static_cast<int32_t>(rank); ++r) blocks[groups.of(r)].push_back(r);
  std::vector<std::vector<int32_t>> result;
  for (auto& [root, members] : blocks) result.push_back(std::move(members));
  return result;
}

// The numbers of a block as parts of the numbers of a larger block.
std::optional<NumberSet> placed(const Image::Block& block, const std::vector<int32_t>& larger,
                                absl::Span<const int64_t> sizes) {
  std::map<int32_t, int64_t> strides;
  Wide stride = 1;
  for (size_t i = larger.size(); i-- > 0;) {
    strides[larger[i]] = static_cast<int64_t>(stride);
    stride *= std::max<int64_t>(sizes[larger[i]], 1);
    if (stride > INT64_MAX) return std::nullopt;
  }
  if (block.results.size() == 1) return block.numbers.times(strides[block.results[0]]);
  if (block.results == larger) return block.numbers;
  if (block.numbers.size() > kMaxPoints) return std::nullopt;
  std::vector<int64_t> moved;
  for (int64_t number : block.numbers.numbers()) {
    int64_t position = 0;
    for (size_t i = block.results.size(); i-- > 0;) {
      const int32_t result = block.results[i];
      position += number % sizes[result] * strides[result];
      number /= sizes[result];
    }
    moved.push_back(position);
  }
  return NumberSet::of(std::move(moved));
}

std::optional<NumberSet> block_of(const Image& image, const std::vector<int32_t>& results,
                                  absl::Span<const int64_t> sizes) {
  std::vector<NumberSet> parts;
  for (const Image::Block& block : image.blocks) {
    if (!std::ranges::binary_search(results, block.results[0])) continue;
    std::optional<NumberSet> part = placed(block, results, sizes);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  std::ranges::stable_sort(parts, {}, &NumberSet::stride);
  std::optional<NumberSet> all = NumberSet::interval({0, 0});
  for (const NumberSet& part : parts) {
    if (all) all = sum(*all, part);
  }
  return all;
}

// Counts the elements with a given prefix that is in the images of the mask.
class UnionCounter {
 public:
  UnionCounter(std::vector<std::vector<Membership>> blocks, int64_t max_steps)
      : blocks_(std::move(blocks)), known_(blocks_.size()), max_steps_(max_steps) {}

  Wide from(size_t block, uint64_t mask) {
    if (block == blocks_.size()) return 1;
    const auto [known, is_new] = known_[block].try_emplace(mask, 0);
    if (!is_new) return known->second;
    Wide count = 0;
    for (const Membership& members : blocks_[block]) {
      if ((members.sets & mask) == 0) continue;
      ++steps_;
      if (!finished()) break;
      count += members.numbers * from(block + 1, members.sets & mask);
    }
    return known_[block][mask] = count;
  }

  bool finished() const { return steps_ <= max_steps_; }

 private:
  std::vector<std::vector<Membership>> blocks_;
  std::vector<absl::flat_hash_map<uint64_t, Wide>> known_;
  int64_t max_steps_;
  int64_t steps_ = 0;
};

}  // namespace

absl::StatusOr<int64_t> union_size(absl::Span<const Image> images, absl::Span<const int64_t> sizes,
                                   int64_t max_steps) {
  std::vector<Image> distinct;
  for (const Image& image : images) {
    if (!image.empty && std::ranges::find(distinct, image) == distinct.end())
      distinct.push_back(image);
  }
  if (distinct.empty()) return 0;
  if (distinct.size() > kMaxImages) return not_counted("a union of many maps");
  std::vector<std::vector<Membership>> blocks;
  for (const std::vector<int32_t>& results : common_blocks(distinct, sizes.size())) {
    std::vector<NumberSet> sets;
    for (const Image& image : distinct) {
      std::optional<NumberSet> set = block_of(image, results, sizes);
      if (!set) return not_counted("the elements lie in too many pieces");
      sets.push_back(*std::move(set));
    }
    auto members = memberships(sets);
    if (!members) return not_counted("the elements lie in too many pieces");
    blocks.push_back(*std::move(members));
  }
  UnionCounter counter(std::move(blocks), max_steps);
  const Wide count = counter.from(0, ~uint64_t{0});
  if (!counter.finished() || count > INT64_MAX) return not_counted("a union of many maps");
  return static_cast<int64_t>(count);
}

namespace {

struct SumTerm {
  Wide factor;  // positive
  Wide width;   // from its least to its greatest value
};

// The terms of a sum, smaller factors first. A term whose range is not known has a width that ends
// the cuts.
std::vector<SumTerm> terms_of(const IndexingMap& map, NodeId sum) {
  std::vector<SumTerm> terms;
  std::vector<NodeId> left = {sum};
  while (!left.empty()) {
    const NodeId id = left.back();
    left.pop_back();
    const Node& node = map.nodes[id];
    if (node.op == Op::kAdd) {
      left.insert(left.end(), {node.left, node.right});
      continue;
    }
    if (node.op == Op::kConstant) continue;
    Wide factor = 1;
    if (node.op == Op::kMul && map.nodes[node.right].op == Op::kConstant) {
      factor = map.nodes[node.right].value;
    }
    const absl::StatusOr<Interval> range = range_of(map, id);
    const Wide width = range.ok() ? Wide{range->high} - range->low : Wide{INT64_MAX};
    terms.push_back({factor < 0 ? -factor : factor, width});
  }
  std::ranges::sort(terms, {}, &SumTerm::factor);
  return terms;
}

// The divisors of the digits, rising; the first is 1.
std::vector<int64_t> divisors_of(const IndexingMap& map, NodeId result, int64_t size) {
  std::vector<int64_t> divisors = {1};
  Wide smaller = 0;  // what the terms before add up to, at most
  for (const SumTerm& term : terms_of(map, result)) {
    if (smaller > 0 && term.factor > smaller && term.factor < size) {
      divisors.push_back(static_cast<int64_t>(term.factor));
    }
    smaller += term.width;
  }
  return divisors;
}

}  // namespace

MapInDigits in_digits_of_results(const IndexingMap& map, absl::Span<const int64_t> sizes) {
  MapInDigits in_digits{map, {}};
  IndexingMap& digits = in_digits.map;
  digits.results.clear();
  const auto apply = [&digits](Op op, NodeId x, int64_t by) {
    return add_operation(digits.nodes, op, x, add_constant(digits.nodes, by));
  };
  for (size_t i = 0; i < map.results.size(); ++i) {
    const std::vector<int64_t> divisors = divisors_of(map, map.results[i], sizes[i]);
    for (size_t d = divisors.size(); d-- > 0;) {
      const bool is_first = d + 1 == divisors.size();
      const int64_t modulus = is_first ? 0 : divisors[d + 1];
      const int64_t last = (is_first ? sizes[i] : modulus) - 1;
      NodeId digit = map.results[i];
      if (modulus != 0) digit = apply(Op::kMod, digit, modulus);
      if (divisors[d] != 1) digit = apply(Op::kFloorDiv, digit, divisors[d]);
      digits.results.push_back(digit);
      in_digits.digits.push_back(
          {static_cast<int32_t>(i), modulus, divisors[d], last / divisors[d] + 1});
    }
  }
  return in_digits;
}

}  // namespace tileproof::impl
