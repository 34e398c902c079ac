// SPDX-License-Identifier: Apache-2.0
#include "impl/map/number_set.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {
namespace {

constexpr Wide kFurthest = Wide{1} << 61;

bool fits(Wide number) { return -kFurthest <= number && number <= kFurthest; }

int64_t length(const Interval& run) { return run.high - run.low + 1; }

// Sorts runs and merges those that overlap or touch.
void merge(std::vector<Interval>& runs) {
  const auto before = [](const Interval& a, const Interval& b) { return a.low < b.low; };
  if (!std::ranges::is_sorted(runs, before)) std::ranges::sort(runs, before);
  size_t kept = 0;
  for (const Interval& run : runs) {
    if (kept > 0 && run.low <= runs[kept - 1].high + 1) {
      runs[kept - 1].high = std::max(runs[kept - 1].high, run.high);
    } else {
      runs[kept++] = run;
    }
  }
  runs.resize(kept);
}

}  // namespace

// Brings the offset into [0, stride). Nothing if there are too many runs.
std::optional<NumberSet> NumberSet::normal() const {
  NumberSet set = *this;
  merge(set.runs_);
  if (std::ssize(set.runs_) > kMaxRuns) return std::nullopt;
  if (set.runs_.empty()) return NumberSet();
  const Wide low = Wide{stride_} * set.runs_.front().low + offset_;
  const Wide high = Wide{stride_} * set.runs_.back().high + offset_;
  if (!fits(low) || !fits(high)) return std::nullopt;
  if (low == high) {
    set.stride_ = 1;
    set.offset_ = 0;
    set.runs_ = {{static_cast<int64_t>(low), static_cast<int64_t>(low)}};
    return set;
  }
  const int64_t carried = floor_quotient(offset_, stride_);
  set.offset_ = offset_ - carried * stride_;
  for (Interval& run : set.runs_) run = {run.low + carried, run.high + carried};
  return set;
}

std::optional<NumberSet> NumberSet::interval(Interval interval) {
  NumberSet set;
  if (interval.low > interval.high) return set;
  if (!fits(interval.low) || !fits(interval.high)) return std::nullopt;
  set.runs_ = {interval};
  return set;
}

std::optional<NumberSet> NumberSet::of(std::vector<int64_t> numbers) {
  std::ranges::sort(numbers);
  NumberSet set;
  int64_t gaps = 0;
  for (size_t i = 1; i < numbers.size(); ++i) {
    if (!fits(numbers[i]) || !fits(numbers[i - 1])) return std::nullopt;
    gaps = std::gcd(gaps, numbers[i] - numbers[i - 1]);
  }
  if (gaps > 0) set.stride_ = gaps;
  if (gaps > 0) set.offset_ = floor_remainder(numbers[0], gaps);
  for (int64_t number : numbers) {
    const int64_t x = floor_quotient(number, set.stride_);
    if (!set.runs_.empty() && x <= set.runs_.back().high + 1) {
      set.runs_.back().high = x;
    } else {
      set.runs_.push_back({x, x});
    }
  }
  return set.normal();
}

int64_t NumberSet::size() const {
  int64_t count = 0;
  for (const Interval& run : runs_) count += length(run);
  return count;
}

Interval NumberSet::hull() const {
  return {offset_ + stride_ * runs_.front().low, offset_ + stride_ * runs_.back().high};
}

std::optional<int64_t> NumberSet::progression() const {
  if (runs_.empty()) return std::nullopt;
  if (runs_.size() == 1) return stride_;
  // Runs of one number each, at equal distances, become one run.
  const int64_t step = runs_[1].low - runs_[0].low;
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].low != runs_[i].high || runs_[i].low != runs_[0].low + Wide{step} * i) {
      return std::nullopt;
    }
  }
  return stride_ * step;
}

bool NumberSet::contains(int64_t number) const {
  if (floor_remainder(number, stride_) != offset_) return false;
  const int64_t x = floor_quotient(number, stride_);
  const auto after = std::ranges::upper_bound(runs_, x, {}, &Interval::low);
  return after != runs_.begin() && x <= std::prev(after)->high;
}

std::vector<int64_t> NumberSet::numbers() const {
  std::vector<int64_t> numbers;
  for (const Interval& run : runs_) {
    for (int64_t x = run.low; x <= run.high; ++x) numbers.push_back(offset_ + stride_ * x);
  }
  return numbers;
}

std::optional<NumberSet> NumberSet::plus(int64_t number) const {
  if (empty()) return *this;
  if (!fits(number)) return std::nullopt;
  NumberSet set = *this;
  set.offset_ += number;
  return set.normal();
}

std::optional<NumberSet> NumberSet::times(int64_t factor) const {
  if (empty()) return *this;
  const Wide stride = Wide{stride_} * (factor < 0 ? -Wide{factor} : Wide{factor});
  if (!fits(stride)) return std::nullopt;  // the offset is smaller than the stride
  NumberSet set;
  set.stride_ = static_cast<int64_t>(stride);
  set.offset_ = offset_ * factor;
  set.runs_ = runs_;
  if (factor < 0) {
    for (Interval& run : set.runs_) run = {-run.high, -run.low};
  }
  return set.normal();
}

std::optional<NumberSet> NumberSet::restrided(int64_t stride) const {
  if (stride == stride_) return *this;
  const int64_t ratio = stride_ / stride;
  NumberSet set;
  set.stride_ = stride;
  set.offset_ = floor_remainder(offset_, stride);
  const int64_t carried = floor_quotient(offset_, stride);
  if (size() > kMaxRuns) return std::nullopt;
  for (const Interval& run : runs_) {
    for (int64_t x = run.low; x <= run.high; ++x) {
      set.runs_.push_back({x * ratio + carried, x * ratio + carried});
    }
  }
  return set;  // one run for each number, and the requested stride
}

std::optional<NumberSet> NumberSet::floordiv(int64_t divisor) const {
  NumberSet set;
  if (stride_ % divisor == 0) {
    set = *this;
    set.stride_ = stride_ / divisor;
    set.offset_ = floor_quotient(offset_, divisor);
    return set.normal();
  }
  const int64_t stride = std::gcd(stride_, divisor);
  const std::optional<NumberSet> fine = restrided(stride);
  if (!fine) return std::nullopt;
  for (const Interval& run : fine->runs_) {
    set.runs_.push_back(
        {floor_quotient(run.low, divisor / stride), floor_quotient(run.high, divisor / stride)});
  }
  return set.normal();
}

std::optional<NumberSet> NumberSet::mod(int64_t divisor) const {
  const int64_t common = std::gcd(stride_, divisor);
  const int64_t positions = divisor / common;  // number of distinct remainders of the progression
  NumberSet set;
  set.stride_ = common;
  set.offset_ = floor_remainder(offset_, common);
  const int64_t step = floor_remainder(stride_ / common, positions);
  const int64_t start = floor_remainder(floor_quotient(offset_, common), positions);
  int64_t work = 0;
  for (const Interval& run : runs_) {
    if (length(run) >= positions) {
      set.runs_ = {{0, positions - 1}};
      return set.normal();
    }
    const auto position = [&](int64_t x) {
      return static_cast<int64_t>((Wide{step} * floor_remainder(x, positions) + start) % positions);
    };
    if (step == 1 || length(run) == 1) {
      const int64_t low = position(run.low);
      const int64_t room = positions - low;  // the rest wraps around to 0
      set.runs_.push_back({low, low + std::min(length(run), room) - 1});
      if (length(run) > room) set.runs_.push_back({0, length(run) - room - 1});
      continue;
    }
    work += length(run);
    if (work > kMaxRuns) return std::nullopt;
    for (int64_t x = run.low; x <= run.high; ++x) set.runs_.push_back({position(x), position(x)});
  }
  return set.normal();
}

NumberSet NumberSet::within(Interval interval) const {
  NumberSet set;
  if (empty() || interval.low > interval.high) return set;
  const Interval all = hull();
  const int64_t low = std::max(interval.low, all.low), high = std::min(interval.high, all.high);
  if (low > high) return set;
  // The first x with a value of at least low, and the last with a value of at most high.
  const int64_t first = -floor_quotient(offset_ - low, stride_),
                last = floor_quotient(high - offset_, stride_);
  set.stride_ = stride_;
  set.offset_ = offset_;
  for (const Interval& run : runs_) {
    const Interval part = {std::max(run.low, first), std::min(run.high, last)};
    if (part.low <= part.high) set.runs_.push_back(part);
  }
  return *set.normal();
}

std::optional<NumberSet> NumberSet::with_remainder(int64_t divisor, Interval interval) const {
  interval = {std::max<int64_t>(interval.low, 0), std::min(interval.high, divisor - 1)};
  NumberSet set;
  if (empty() || interval.low > interval.high) return set;
  if (interval.low == 0 && interval.high == divisor - 1) return *this;
  if (interval.low == interval.high) {
    // offset + stride * x = r (mod divisor) has one solution modulo divisor / gcd, or none.
    const int64_t common = std::gcd(stride_, divisor), positions = divisor / common;
    const int64_t wanted = interval.low - floor_remainder(offset_, divisor);
    if (wanted % common != 0) return set;
    const Wide x0 = Wide{floor_remainder(wanted / common, positions)} *
                    inverse_modulo(stride_ / common, positions);
    const auto first = static_cast<int64_t>(x0 % positions);
    if (!fits(Wide{stride_} * positions)) return std::nullopt;
    set.stride_ = stride_ * positions;
    set.offset_ = offset_ + stride_ * first;
    for (const Interval& run : runs_) {
      const Interval part = {-floor_quotient(first - run.low, positions),
                             floor_quotient(run.high - first, positions)};
      if (part.low <= part.high) set.runs_.push_back(part);
    }
    return set.normal();
  }
  const std::optional<NumberSet> fine = restrided(1);
  if (!fine) return std::nullopt;
  for (const Interval& run : fine->runs_) {
    for (int64_t block = floor_quotient(run.low, divisor);
         block <= floor_quotient(run.high, divisor); ++block) {
      const Interval part = {std::max(run.low, block * divisor + interval.low),
                             std::min(run.high, block * divisor + interval.high)};
      if (part.low <= part.high) set.runs_.push_back(part);
      if (std::ssize(set.runs_) > kMaxRuns) return std::nullopt;
    }
  }
  return set.normal();
}

std::optional<NumberSet> NumberSet::plus_progression(int64_t step, int64_t count) const {
  if (count == 1) return *this;
  if (hull().low == hull().high) {  // a shifted progression
    NumberSet moved;
    moved.stride_ = step;
    moved.offset_ = hull().low;
    moved.runs_ = {{0, count - 1}};
    return moved.normal();
  }
  std::optional<NumberSet> fine = restrided(std::gcd(stride_, step));
  if (!fine) return std::nullopt;
  NumberSet& set = *fine;
  const int64_t steps = step / set.stride_;
  const bool closes =
      std::ranges::all_of(set.runs_, [steps](const Interval& run) { return length(run) >= steps; });
  if (closes) {
    for (Interval& run : set.runs_) run.high += steps * (count - 1);
    return set.normal();
  }
  if (Wide{count} * std::ssize(set.runs_) > kMaxRuns) return std::nullopt;
  const std::vector<Interval> runs = std::exchange(set.runs_, {});
  for (int64_t i = 0; i < count; ++i) {
    for (const Interval& run : runs) {
      set.runs_.push_back({run.low + i * steps, run.high + i * steps});
    }
  }
  return set.normal();
}

std::optional<NumberSet> sum(const NumberSet& a, const NumberSet& b) {
  // The runs of one set act as progressions on the other. Use those of the coarser set: they close
  // the gaps.
  const bool swap =
      a.runs_.size() != b.runs_.size() ? a.runs_.size() < b.runs_.size() : a.stride_ > b.stride_;
  const NumberSet& base = swap ? b : a;
  const NumberSet& other = swap ? a : b;
  std::vector<NumberSet> parts;
  int64_t runs = 0;
  for (const Interval& run : other.runs_) {
    std::optional<NumberSet> moved = base.plus(other.offset_ + other.stride_ * run.low);
    if (moved) moved = moved->plus_progression(other.stride_, length(run));
    if (!moved) return std::nullopt;
    runs += moved->runs();
    if (runs > NumberSet::kMaxRuns) return std::nullopt;
    parts.push_back(*std::move(moved));
  }
  return parts.size() == 1 ? parts[0] : united(parts);
}

std::optional<std::vector<NumberSet>> aligned(absl::Span<const NumberSet> sets) {
  int64_t stride = 0;
  std::optional<int64_t> first;
  for (const NumberSet& set : sets) {
    if (set.empty()) continue;
    const Interval hull = set.hull();
    if (!first) first = hull.low;
    stride = std::gcd(stride, hull.low - *first);
    if (hull.low != hull.high) stride = std::gcd(stride, set.stride_);
  }
  stride = std::max<int64_t>(stride, 1);
  std::vector<NumberSet> result;
  int64_t runs = 0;
  for (const NumberSet& set : sets) {
    std::optional<NumberSet> fine;
    if (set.size() == 1) {
      fine.emplace();
      const int64_t number = set.hull().low;
      fine->stride_ = stride;
      fine->offset_ = floor_remainder(number, stride);
      fine->runs_ = {{floor_quotient(number, stride), floor_quotient(number, stride)}};
    } else {
      fine = set.empty() ? set : set.restrided(stride);
    }
    if (!fine) return std::nullopt;
    runs += fine->runs();
    if (runs > NumberSet::kMaxRuns) return std::nullopt;
    result.push_back(*std::move(fine));
  }
  return result;
}

std::optional<NumberSet> united(absl::Span<const NumberSet> sets) {
  const auto fine = aligned(sets);
  if (!fine) return std::nullopt;
  NumberSet all;
  for (const NumberSet& set : *fine) {
    if (set.empty()) continue;
    all.stride_ = set.stride_;
    all.offset_ = set.offset_;
    all.runs_.insert(all.runs_.end(), set.runs_.begin(), set.runs_.end());
  }
  return all.normal();
}

std::optional<std::vector<Membership>> memberships(absl::Span<const NumberSet> sets) {
  const auto fine = aligned(sets);
  if (!fine) return std::nullopt;
  std::vector<std::pair<int64_t, uint64_t>> ends;  // begin and end of each run, and bit of its set
  for (size_t i = 0; i < fine->size(); ++i) {
    for (const Interval& run : (*fine)[i].run_list()) {
      ends.emplace_back(run.low, uint64_t{1} << i);
      ends.emplace_back(run.high + 1, uint64_t{1} << i);
    }
  }
  std::ranges::sort(ends);
  std::map<uint64_t, int64_t> counts;
  uint64_t inside = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    inside ^= ends[i].second;
    if (inside != 0 && ends[i + 1].first > ends[i].first) {
      counts[inside] += ends[i + 1].first - ends[i].first;
    }
  }
  std::vector<Membership> result;
  for (const auto& [mask, numbers] : counts) result.push_back({mask, numbers});
  return result;
}

}  // namespace tileproof::impl
