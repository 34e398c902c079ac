// SPDX-License-Identifier: Apache-2.0
#include "impl/access/image_digits.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "impl/map/normal_form/linear.h"
#include "impl/map/simplify.h"

namespace tileproof::impl {
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
