// SPDX-License-Identifier: Apache-2.0
// Lines that are sorted, at a point.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/match.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

using spec::Symbol;
using spec::TermId;

// A line that is sorted: values of its arrays one after another, and the order of two elements.
struct Point::Line {
  TermId order = 0;
  std::set<TermId> compared;  // the parameters of the order, where it uses them
  const std::vector<PointValue>& values;
  size_t count = 0;
  bool is_stable = false;

  // Whether two elements are the same integers in all arrays.
  bool are_alike(size_t x, size_t y) const {
    for (size_t k = 0; k + 1 < values.size(); k += count) {
      const PointValue &one = values[k + x], &other = values[k + y];
      if (!one.is_known || !one.is_integer || !other.is_integer || !other.is_known) return false;
      if (one.integer != other.integer) return false;
    }
    return true;
  }
  bool keeps_order(size_t x, size_t y) const { return is_stable || are_alike(x, y); }
};

// A term of the order for x and y.
PointValue Point::compared_in(const Line& line, TermId term, size_t x, size_t y) {
  Point pair(terms_, {seed_, given_, thin_, integers_});
  for (const TermId one : line.compared) {
    const size_t number = terms_.symbol_of(one).operand;
    pair.known_[one] = line.values[number / 2 * line.count + (number % 2 == 0 ? x : y)];
  }
  const PointValue value = pair.of(term);
  work_ += pair.work();
  return value;
}

// Whether an order is f(x) < f(y), or f(y) < f(x): one of numbers.
bool Point::compares_keys(TermId order) const {
  const Symbol& f = terms_.symbol_of(order);
  if (f.opcode != HloOpcode::kCompare || f.direction != "LT") return false;
  std::vector<std::pair<TermId, TermId>> open = {
      {terms_.operands(order)[0], terms_.operands(order)[1]}};
  std::set<std::pair<TermId, TermId>> seen;
  std::set<int> sides;  // of which the first key is
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    if (!seen.emplace(a, b).second) continue;
    const spec::Term &one = terms_.at(a), &other = terms_.at(b);
    const Symbol &of_one = terms_.symbol_of(a), &of_other = terms_.symbol_of(b);
    if (one.kind == spec::Term::Kind::kElement && of_one.opcode == HloOpcode::kSort) {
      const int side = of_one.operand % 2;
      sides.insert(side);
      if (of_other.operand != (of_one.operand ^ 1)) return false;  // -1 if it is no element
      if (sides.size() > 1) return false;
      continue;
    }
    const auto of_a = terms_.operands(a), of_b = terms_.operands(b);
    if (one.kind != other.kind || one.symbol != other.symbol || one.number != other.number ||
        of_a.size() != of_b.size()) {
      return false;
    }
    for (size_t k = 0; k < of_a.size(); ++k) open.emplace_back(of_a[k], of_b[k]);
  }
  return sides.size() == 1;
}

// The numbers of the elements, the least key first. Each is compared with the next one alone.
std::optional<std::vector<size_t>> Point::order_by_keys(const Line& line) {
  const TermId key = terms_.operands(line.order)[0];
  const std::set<TermId> of_key = elements_of(HloOpcode::kSort, {key});
  const bool rises = !of_key.empty() && terms_.symbol_of(*of_key.begin()).operand % 2 == 0;
  std::vector<double> keys;
  for (size_t x = 0; x < line.count; ++x) {
    const PointValue value = compared_in(line, key, x, x);
    const double number = value.is_integer ? static_cast<double>(value.integer) : value.low;
    if (!value.is_known || std::isnan(number)) return std::nullopt;
    keys.push_back(rises ? number : -number);
  }
  std::vector<size_t> sorted(line.count);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::stable_sort(sorted, {}, [&](size_t x) { return keys[x]; });
  for (size_t k = 0; k + 1 < line.count; ++k) {
    const size_t x = sorted[k], y = sorted[k + 1];
    const PointValue yes = compared_in(line, line.order, x, y);
    const PointValue no = compared_in(line, line.order, y, x);
    if (!yes.is_known || !no.is_known || no.integer != 0) return std::nullopt;
    if (yes.integer == 0 && !line.keeps_order(x, y)) return std::nullopt;
  }
  return sorted;
}

// By any computation: each element is behind those that come before it. Nothing if that gives two of them one
// place.
std::optional<std::vector<size_t>> Point::order_by_places(const Line& line) {
  constexpr size_t kLong = 64;
  if (line.count > kLong) return std::nullopt;
  std::vector<size_t> sorted(line.count, line.count);
  for (size_t x = 0; x < line.count; ++x) {
    size_t before = 0;
    for (size_t y = 0; y < line.count; ++y) {
      if (x == y) continue;
      const PointValue yes = compared_in(line, line.order, y, x);
      const PointValue no = compared_in(line, line.order, x, y);
      if (!yes.is_known || !no.is_known || (yes.integer != 0 && no.integer != 0)) {
        return std::nullopt;
      }
      const bool is_first = no.integer == 0 && line.keeps_order(x, y) && y < x;
      before += yes.integer != 0 || is_first ? 1 : 0;
    }
    if (sorted[before] != line.count) return std::nullopt;
    sorted[before] = x;
  }
  return sorted;
}

PointValue Point::sorted(TermId term, const std::vector<PointValue>& a) {
  const Symbol& f = terms_.symbol_of(term);
  const auto operands = terms_.operands(term);
  const size_t count = (a.size() - 1) / f.group;
  const auto [known, is_new] =
      orders_.try_emplace(std::vector<TermId>(operands.begin(), operands.end()));
  if (is_new) {
    const TermId order = operands.back();
    const Line line{order, elements_of(HloOpcode::kSort, {order}), a, count,
                    absl::StrContains(f.text, "is_stable=true")};
    known->second = compares_keys(order) ? order_by_keys(line) : order_by_places(line);
  }
  if (!known->second) return {};
  return a[f.leaf * count + (*known->second)[terms_.at(term).number]];
}

}  // namespace tileproof::verify
