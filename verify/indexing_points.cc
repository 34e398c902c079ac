// Coverage of small unions, by walking all points.
#include <algorithm>
#include <set>

#include "spec/exact.h"
#include "verify/indexing_box.h"
#include "verify/indexing_cover.h"

namespace tileproof::verify {
namespace {

std::optional<int64_t> points_of(const spec::Dims& dims, const std::vector<Branch>& branches) {
  spec::Exact outputs = spec::exact(1), all = spec::exact(0);
  for (const int64_t size : dims) outputs = outputs * spec::exact(size);
  for (const Branch& branch : branches) {
    if (!branch.reads().empty()) return std::nullopt;
    if (is_empty(branch.ranges())) continue;
    spec::Exact points = outputs;
    for (const Interval& range : branch.ranges()) {
      points = points * (spec::exact(range.high) - spec::exact(range.low) + spec::exact(1));
    }
    all = all + points;
  }
  return to_int64(all);
}

std::set<std::vector<int64_t>> reached(const std::vector<Branch>& branches,
                                       const std::vector<int64_t>& o) {
  std::set<std::vector<int64_t>> result;
  for (const Branch& branch : branches) {
    if (is_empty(branch.ranges())) continue;
    std::vector<int64_t> s;
    for (const Interval& interval : branch.ranges()) s.push_back(interval.low);
    do {
      Walked<int64_t> walked =
          branch.walk(o, s, [](const Read<int64_t>& read) { return read.low; });
      if (walked.flows) result.insert(std::move(walked.index));
    } while (next_point(branch.ranges(), s));
  }
  return result;
}

}  // namespace

std::optional<Covering> enumerate_covered(const spec::Dims& dims, const std::vector<Branch>& parts,
                                          const std::vector<Branch>& whole, int64_t work) {
  const auto left = points_of(dims, parts), right = points_of(dims, whole);
  if (!left || !right || *left > work || *right > work) return std::nullopt;
  std::vector<Interval> box;
  for (const int64_t size : dims) box.push_back({0, size - 1});
  if (is_empty(box)) return Covering{Verdict::kProven, std::nullopt};
  std::vector<int64_t> o(dims.size(), 0);
  do {
    const auto wanted = reached(parts, o), found = reached(whole, o);
    for (const std::vector<int64_t>& index : wanted) {
      if (!found.contains(index)) return Covering{Verdict::kRefuted, LonePair{o, index, {}}};
    }
  } while (next_point(box, o));
  return Covering{Verdict::kProven, std::nullopt};
}

}  // namespace tileproof::verify
