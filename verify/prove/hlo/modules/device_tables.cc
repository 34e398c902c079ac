// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/device_tables.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tileproof::verify {
namespace {

using Index = std::vector<IndexNumber>;

// From the largest to 1.
std::vector<int64_t> divisors_of(int64_t number) {
  std::vector<int64_t> low, high;
  for (int64_t k = 1; k * k <= number; ++k) {
    if (number % k != 0) continue;
    low.push_back(k);
    if (k * k != number) high.push_back(number / k);
  }
  high.insert(high.end(), low.rbegin(), low.rend());
  return high;
}

// table[inverse[x]] is x; nothing if it is no permutation.
std::optional<std::vector<int64_t>> inverse_of(absl::Span<const int64_t> table) {
  std::vector<int64_t> inverse(table.size(), -1);
  for (size_t k = 0; k < table.size(); ++k) {
    if (table[k] < 0 || table[k] >= std::ssize(table) || inverse[table[k]] >= 0) {
      return std::nullopt;
    }
    inverse[table[k]] = static_cast<int64_t>(k);
  }
  return inverse;
}

}  // namespace

// ---- Digits ----

std::optional<DigitTable::Digit> DigitTable::digit_of(absl::Span<const int64_t> table,
                                                      int64_t weight, int64_t size) {
  const auto step = [&](int64_t k) { return table[k * weight] - table[0]; };
  const auto fits = [&](const Digit& digit) {
    for (int64_t k = 0; k < size; ++k) {
      if (step(k) != digit.factor * ((k + digit.turn) % size - digit.turn)) return false;
    }
    return true;
  };
  Digit digit{weight, size, step(1)};
  int64_t turned = 1;  // the first that is not in line
  while (turned < size && step(turned) == digit.factor * turned) ++turned;
  digit.turn = size - turned;
  if (turned > 1 && fits(digit)) return digit;
  digit.turn = size - 1;
  if (size < 3) return std::nullopt;
  digit.factor = step(2) - step(1);
  return fits(digit) ? std::optional(digit) : std::nullopt;
}

std::optional<DigitTable> DigitTable::of(absl::Span<const int64_t> table) {
  constexpr int64_t kMost = int64_t{1} << 40;  // so that nothing overflows
  const int64_t count = std::ssize(table);
  if (count == 0 || std::ranges::any_of(table, [](int64_t x) { return x < -kMost || x > kMost; })) {
    return std::nullopt;
  }
  DigitTable result;
  result.constant_ = table[0];
  for (int64_t weight = 1; weight < count;) {
    std::optional<Digit> digit;
    for (const int64_t size : divisors_of(count / weight)) {
      if (size > 1) digit = digit_of(table, weight, size);
      if (digit) break;
    }
    if (!digit) return std::nullopt;
    result.constant_ -= digit->factor * digit->turn;
    weight *= digit->size;
    if (digit->factor == 0) continue;
    // Turned by 4 of 12 places: its number of fours is, by one of three.
    const int64_t unit = std::gcd(digit->turn, digit->size);
    if (digit->turn > 0 && unit > 1) {
      result.digits_.push_back({digit->weight, unit, digit->factor});
      *digit = {digit->weight * unit, digit->size / unit, digit->factor * unit, digit->turn / unit};
    }
    digit->is_first = weight == count;
    result.digits_.push_back(*digit);
  }
  for (int64_t x = 0; x < count; ++x) {
    if (result.value(x) != table[x]) return std::nullopt;
  }
  return result;
}

int64_t DigitTable::value(int64_t x) const {
  int64_t value = constant_;
  for (const Digit& d : digits_) value += d.factor * ((x / d.weight % d.size + d.turn) % d.size);
  return value;
}

IndexNumber DigitTable::digit(const Digit& d, const IndexNumber& x) {
  const IndexNumber number = d.weight > 1 ? floordiv(x, d.weight) : x;
  return d.is_first ? number : mod(number, d.size);
}

IndexNumber DigitTable::at(const IndexNumber& x) const {
  IndexNumber value = constant_;
  for (const Digit& d : digits_) {
    const IndexNumber own = digit(d, x);
    value = value + (d.turn > 0 ? mod(own + d.turn, d.size) : own) * d.factor;
  }
  return value;
}

std::vector<std::pair<IndexTruth, IndexNumber>> DigitTable::cases(const IndexNumber& x) const {
  std::vector<std::pair<IndexTruth, IndexNumber>> all = {{true, constant_}};
  for (const Digit& d : digits_) {
    const IndexNumber own = digit(d, x);
    std::vector<std::pair<IndexTruth, IndexNumber>> next;
    for (const auto& [holds, value] : all) {
      if (d.turn == 0) {
        next.emplace_back(holds, value + own * d.factor);
        continue;
      }
      const IndexTruth is_inside = own < d.size - d.turn;
      // Of one place, the digit is known.
      const IndexNumber before = d.size - d.turn == 1 ? 0 : own;
      const IndexNumber behind = d.turn == 1 ? d.size - 1 : own;
      next.emplace_back(holds && is_inside, value + (before + d.turn) * d.factor);
      next.emplace_back(holds && !is_inside, value + (behind + (d.turn - d.size)) * d.factor);
    }
    all = std::move(next);
  }
  return all;
}

// ---- Parts ----

PartTable::PartTable(const Sharding& sharding) {
  const int64_t devices = std::ssize(sharding.part_of);
  int64_t parts = 1;
  for (const int64_t along : sharding.parts) parts *= along;
  copies_ = devices / parts;
  std::vector<int64_t> holders(devices);
  std::iota(holders.begin(), holders.end(), 0);
  std::ranges::stable_sort(holders, {}, [&](int64_t v) { return sharding.part_of[v]; });
  for (int64_t k = 0; k < devices; ++k) {
    if (copies_ == 0 || sharding.part_of[holders[k]] != k / copies_) return;
  }
  part_of_ = DigitTable::of(sharding.part_of);
  holders_ = DigitTable::of(holders);
}

// ---- Collectives ----

DeviceTables::DeviceTables(const spec::Routes& routes, int64_t devices) : routes_(routes) {
  using Kind = spec::Routes::Kind;
  const Kind kind = routes.kind();
  is_bag_ = kind == Kind::kBag;
  is_known_ = kind == Kind::kOwn;
  if (kind != Kind::kOne && kind != Kind::kBag) return;
  if (routes.blocks()) {
    set_blocks(*routes.blocks());
  } else if (!routes.groups().empty()) {
    set_groups(routes.groups(), devices);
  } else if (routes.is_permute()) {
    set_pairs(routes.pairs(), devices);
  }
}

void DeviceTables::set_groups(const DeviceGroups& groups, int64_t devices) {
  if (groups.empty()) return;
  group_size_ = std::ssize(groups[0]);
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& group : groups) {
    if (std::ssize(group) != group_size_) return;
    all.insert(all.end(), group.begin(), group.end());
  }
  const auto inverse = inverse_of(all);
  if (std::ssize(all) != devices || !inverse || !routes_.fits(group_size_)) return;
  members_ = DigitTable::of(all);
  places_ = DigitTable::of(*inverse);
  is_known_ = members_ && places_;
}

// Targets that receive nothing get the sources that are left, each once, so that the table has a form: what
// they get does not exist.
void DeviceTables::set_pairs(const DevicePairs& pairs, int64_t devices) {
  std::vector<int64_t> sources(devices, -1);
  std::vector<bool> is_source(devices, false);
  for (const auto& [source, target] : pairs) {
    sources[target] = source;
    is_source[source] = true;
  }
  const auto are_exactly = [&](int64_t weight, int64_t size, int64_t low, int64_t high) {
    for (int64_t v = 0; v < devices; ++v) {
      const int64_t digit = v / weight % size;
      if ((sources[v] >= 0) != (digit >= low && digit <= high)) return false;
    }
    return true;
  };
  bool has_form = false;
  for (const int64_t weight : divisors_of(devices)) {
    for (const int64_t size : divisors_of(devices / weight)) {
      int64_t low = size, high = -1;
      for (int64_t digit = 0; digit < size; ++digit) {
        if (sources[digit * weight] >= 0) low = std::min(low, digit), high = digit;
      }
      if (has_form || !are_exactly(weight, size, low, high)) continue;
      weight_ = weight, size_ = size, low_ = low, high_ = high;
      has_form = true;
    }
  }
  int64_t left = 0;
  for (int64_t v = 0; v < devices && has_form; ++v) {
    if (sources[v] >= 0) continue;
    while (is_source[left]) ++left;
    sources[v] = left++;
  }
  source_ = has_form ? DigitTable::of(sources) : std::nullopt;
  is_known_ = source_.has_value();
}

void DeviceTables::set_blocks(const Blocks& blocks) {
  parts_.emplace(blocks.sharding);
  const auto inverse = inverse_of(blocks.devices);
  if (!parts_->is_known() || !inverse || !routes_.fits(0)) return;
  group_size_ = parts_->copies();
  members_ = DigitTable::of(blocks.devices);
  places_ = DigitTable::of(*inverse);
  is_known_ = members_ && places_;
}

std::vector<SentElement> DeviceTables::sent(const IndexNumber& device, const Index& o,
                                            const IndexNumber& s) const {
  const spec::Member<IndexNumber> member{
      group_size_, members_ ? mod(places_->at(device), group_size_) : 0, [&](const IndexNumber& k) {
        const IndexNumber group = floordiv(places_->at(device), group_size_);
        return members_->at(group * group_size_ + k);
      }};
  if (const auto& blocks = routes_.blocks()) {
    const OperandLeaf from = routes_.operand();
    const auto holder = [&](const IndexNumber& part) {
      return members_->at(part * group_size_ + member.place);
    };
    const Sharding& sharding = blocks->sharding;
    return {
        routes_.cuts()
            ? spec::of_part(sharding, routes_.whole_dims(), from, device, parts_->part(device), o)
            : spec::of_holder<IndexNumber>(sharding, routes_.whole_dims(), from, holder, o)};
  }
  if (source_) {
    const IndexNumber digit = mod(floordiv(device, weight_), size_);
    const IndexTruth receives = !(digit < low_) && digit < high_ + 1;
    std::vector<SentElement> all;
    for (const auto& [holds, source] : source_->cases(device)) {
      if (holds.known == false) continue;
      all.push_back({source, routes_.operand(), o, receives && holds});
    }
    if (receives.known == true) all.back().exists = true;  // one of them it is
    return all;
  }
  if (!members_) return {{device, routes_.operand(), o}};
  std::vector<SentElement> all = routes_.received(member, o, s);
  if (all.size() > 1) all.back().exists = true;  // one of them it is
  return all;
}

}  // namespace tileproof::verify
