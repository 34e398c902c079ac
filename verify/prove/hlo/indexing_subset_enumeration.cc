// Decides subset questions of small unions by enumeration.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "spec/base/exact_int.h"
#include "verify/prove/hlo/indexing_subset.h"
#include "verify/prove/hlo/integer_box.h"

namespace tileproof::verify {
namespace {

std::optional<int64_t> points_of(const spec::Dims& dims, const std::vector<Branch>& branches) {
  spec::Exact outputs = spec::exact(1), all = spec::exact(0);
  for (const int64_t size : dims) outputs = outputs * spec::exact(size);
  for (const Branch& branch : branches) {
    if (!branch.reads().empty()) return std::nullopt;
    if (is_empty(branch.ranges())) continue;
    spec::Exact points = branch.is_inverse() ? spec::exact(1) : outputs;
    for (const Interval& range : branch.ranges()) {
      points = points * (spec::exact(range.high) - spec::exact(range.low) + spec::exact(1));
    }
    all = all + points;
  }
  return to_int64(all);
}

using Pairs = std::set<std::pair<std::vector<int64_t>, std::vector<int64_t>>>;

void add_pairs(const Branch& branch, const std::vector<int64_t>& o, Pairs& pairs) {
  if (is_empty(branch.ranges())) return;
  std::vector<int64_t> s;
  for (const Interval& interval : branch.ranges()) s.push_back(interval.low);
  do {
    Pair<int64_t> pair = branch.pair(o, s, [](const Read<int64_t>& read) { return read.low; });
    if (pair.flows) pairs.emplace(std::move(pair.output), std::move(pair.index));
  } while (next_point(branch.ranges(), s));
}

Pairs pairs_of(const std::vector<Interval>& outputs, const std::vector<Branch>& branches) {
  Pairs pairs;
  std::vector<int64_t> o(outputs.size(), 0);
  for (const Branch& branch : branches) {
    if (branch.is_inverse()) add_pairs(branch, o, pairs);
  }
  do {
    for (const Branch& branch : branches) {
      if (!branch.is_inverse()) add_pairs(branch, o, pairs);
    }
  } while (next_point(outputs, o));
  return pairs;
}

}  // namespace

std::optional<Covering> enumerate_covered(const spec::Dims& dims, const std::vector<Branch>& parts,
                                          const std::vector<Branch>& whole, int64_t work) {
  const auto left = points_of(dims, parts), right = points_of(dims, whole);
  if (!left || !right || *left > work || *right > work) return std::nullopt;
  std::vector<Interval> outputs;
  for (const int64_t size : dims) outputs.push_back({0, size - 1});
  if (is_empty(outputs)) return Covering{Verdict::kProven, std::nullopt};
  const Pairs wanted = pairs_of(outputs, parts), found = pairs_of(outputs, whole);
  for (const auto& [output, index] : wanted) {
    if (found.contains({output, index})) continue;
    return Covering{Verdict::kRefuted, LonePair{output, index, {}}};
  }
  return Covering{Verdict::kProven, std::nullopt};
}

}  // namespace tileproof::verify
