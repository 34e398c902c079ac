// SPDX-License-Identifier: Apache-2.0
#include "impl/access/banks.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/access/not_counted.h"
#include "impl/map/evaluate.h"
#include "impl/map/normal_form/linear.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

absl::Status wrong_banks(absl::string_view why) { return absl::InvalidArgumentError(why); }

// Shared by all lanes of an access.
struct Plan {
  const RelayoutSide& layout;
  const IndexingMap& access;
  BankElement element;
  BankMemory memory;
  int64_t at_once;  // elements of a lane that make a vector
  int64_t lanes_of_phase;
};

absl::StatusOr<Plan> plan(const RelayoutSide& layout, const IndexingMap& access,
                          const BankElement& element, const BankMemory& memory) {
  const auto [bits, vector] = element;
  if (memory.banks < 1 || memory.bank_bytes < 1 || memory.banks > 4096 || memory.bank_bytes > 4096)
    return wrong_banks("expected 1 to 4096 banks of 1 to 4096 bytes");
  const int64_t all = memory.banks * memory.bank_bytes;
  if (vector < 1 || all % vector != 0) {
    return wrong_banks(absl::StrCat("expected a vector that divides the ", all,
                                    " bytes of all banks, found ", vector));
  }
  if (bits < 1 || bits > 8 * all)
    return wrong_banks(absl::StrCat("expected elements of 1 to ", 8 * all, " bits, found ", bits));
  if (access.dimensions.empty()) return wrong_banks("access map: expected a dimension, the lane");
  if (!access.runtime.empty()) return wrong_banks("access map: expected no runtime variables");
  if (access.dimensions[0].bounds.low < 0)
    return wrong_banks("access map: expected lanes of at least 0");
  if (!access.known_empty && access.results.size() != layout.dims().size()) {
    return wrong_banks(absl::StrCat("access map: expected ", layout.dims().size(),
                                    " results, found ", access.results.size()));
  }
  const bool has_values = !access.ranges.empty() && 8 * vector / bits >= 2;
  if (has_values && 8 * vector % bits != 0) {
    return wrong_banks(absl::StrCat("expected a vector of whole elements of ", bits,
                                    " bits, found ", vector, " bytes"));
  }
  return Plan{layout,
              access,
              element,
              memory,
              has_values ? 8 * vector / bits : 1,
              std::min(memory.banks, all / vector)};
}

// The bits that a lane needs: [first, first + count).
struct NeededBits {
  int64_t number;  // of the phase
  int64_t lane;
  Wide first;
  int64_t count;
};

struct NeededWord {
  int64_t bank, word, lane;
};

BankPhase phase_of(absl::Span<const NeededBits> needed, const BankMemory& memory) {
  BankPhase phase;
  phase.number = needed[0].number;
  std::vector<NeededWord> words;
  const int64_t word_bits = 8 * memory.bank_bytes;
  for (const NeededBits& one : needed) {
    phase.lanes.push_back(one.lane);
    const auto last = static_cast<int64_t>((one.first + one.count - 1) / word_bits);
    for (auto word = static_cast<int64_t>(one.first / word_bits); word <= last; ++word)
      words.push_back({word % memory.banks, word, one.lane});
  }
  const auto key = [](const NeededWord& w) { return std::tie(w.bank, w.word, w.lane); };
  std::ranges::sort(words, {}, key);
  auto busiest = words.begin(), busiest_end = busiest;
  for (auto bank = words.begin(); bank != words.end();) {
    int64_t ways = 1;
    auto end = std::next(bank);
    for (; end != words.end() && end->bank == bank->bank; ++end)
      ways += end->word != std::prev(end)->word ? 1 : 0;
    if (ways > phase.ways) {
      phase.ways = ways;
      busiest = bank;
      busiest_end = end;
    }
    bank = end;
  }
  if (phase.ways < 2) return phase;
  const auto order = [](const NeededWord& w) { return std::tie(w.lane, w.word); };
  const NeededWord first = *std::ranges::min_element(busiest, busiest_end, {}, order);
  const NeededWord* second = nullptr;
  for (auto at = busiest; at != busiest_end; ++at) {
    if (at->word != first.word && (second == nullptr || order(*at) < order(*second))) second = &*at;
  }
  phase.clash = {first.bank, {first.lane, second->lane}, {first.word, second->word}};
  return phase;
}

// The number of the phase of a lane.
int64_t phase_number(const Plan& plan, int64_t lane) {
  if (plan.memory.amd_read) {
    // Lanes 0 to 15 are fours 0, 2, 4, 6 of the order; lanes 16 to 31 are its fours 3, 1, 7, 5.
    const int64_t four = lane / 4 % 8;
    const int64_t place = four < 4 ? 2 * four : ((four - 4) ^ 1) * 2 + 1;
    lane += 4 * (place - four);
  }
  return lane / plan.lanes_of_phase;
}

std::string place_text(const IndexingMap& access, const std::vector<int64_t>& dims,
                       const std::vector<int64_t>& ranges) {
  std::vector<std::string> parts;
  for (size_t d = 0; d < dims.size(); ++d) {
    parts.push_back(
        absl::StrCat(name_of(access, Op::kDimension, static_cast<int64_t>(d)), " = ", dims[d]));
  }
  for (size_t s = 0; s < ranges.size(); ++s) {
    parts.push_back(
        absl::StrCat(name_of(access, Op::kRange, static_cast<int64_t>(s)), " = ", ranges[s]));
  }
  return absl::StrJoin(parts, ", ");
}

// Adds what each lane needs at these values: to the vector that it has begun, or as the first. Lane
// k from the first lane on is needed[k]; its count is 0 as long as it needs nothing.
absl::Status add_lanes(const Plan& plan, std::vector<int64_t> dims,
                       const std::vector<int64_t>& ranges, std::vector<NeededBits>& needed) {
  const Interval lanes = plan.access.dimensions[0].bounds;
  for (int64_t lane = lanes.low; lane <= lanes.high; ++lane) {
    dims[0] = lane;
    const auto index = TRY(evaluate(plan.access, {dims, ranges, {}}));
    if (!index) continue;
    const auto refuse = [&](absl::string_view why) {
      return wrong_banks(absl::StrCat("access map: ", place_text(plan.access, dims, ranges),
                                      " gives (", absl::StrJoin(*index, ", "), "), ", why));
    };
    if (!is_inside(plan.layout.dims(), *index)) return refuse("outside of the layout");
    const Wide first = Wide{offset_at(plan.layout, *index)} * plan.element.bits;
    const int64_t width = plan.at_once == 1 ? 8 * plan.element.vector : plan.element.bits;
    if ((first + width) / 8 / plan.memory.bank_bytes > INT64_MAX)
      return absl::OutOfRangeError("a word does not fit 64 bits");
    NeededBits& one = needed[lane - lanes.low];
    if (one.count == 0) {
      one = {phase_number(plan, lane), lane, first, width};
    } else if (one.first + one.count == first) {
      one.count += width;
    } else {
      return refuse("which does not lie beside the element before it in the vector");
    }
  }
  return absl::OkStatus();
}

void add_phases(const Plan& plan, const std::vector<NeededBits>& lanes,
                const std::vector<int64_t>& dims, int64_t value, std::vector<BankPhase>& phases) {
  std::vector<NeededBits> needed;
  std::ranges::copy_if(lanes, std::back_inserter(needed),
                       [](const auto& one) { return one.count > 0; });
  const auto key = [](const NeededBits& one) { return std::tie(one.number, one.lane); };
  std::ranges::sort(needed, {}, key);
  for (size_t begin = 0; begin < needed.size();) {
    size_t end = begin;
    while (end < needed.size() && needed[end].number == needed[begin].number) ++end;
    BankPhase phase = phase_of(absl::MakeSpan(needed).subspan(begin, end - begin), plan.memory);
    phase.access.assign(dims.begin() + 1, dims.end());
    phase.value = value;
    phases.push_back(std::move(phase));
    begin = end;
  }
}

}  // namespace

absl::StatusOr<std::vector<BankPhase>> bank_phases(const RelayoutSide& layout,
                                                   const IndexingMap& access,
                                                   const BankElement& element,
                                                   const BankMemory& memory) {
  const Plan plan = TRY(tileproof::impl::plan(layout, access, element, memory));
  Wide points = 1;
  std::vector<int64_t> dims, ranges;
  for (const std::vector<Variable>* variables : {&access.dimensions, &access.ranges}) {
    for (const Variable& variable : *variables) {
      if (access.known_empty || variable.bounds.low > variable.bounds.high)
        return std::vector<BankPhase>{};
      points *= Wide{variable.bounds.high} - variable.bounds.low + 1;
      if (points > kMaxBankPoints) return not_counted("the access has many points");
      (variables == &access.dimensions ? dims : ranges).push_back(variable.bounds.low);
    }
  }
  std::vector<Variable> others = access.dimensions;  // add_lanes walks the lanes
  const auto lanes = static_cast<size_t>(others[0].bounds.high - others[0].bounds.low + 1);
  others[0].bounds.high = others[0].bounds.low;
  std::vector<BankPhase> phases;
  std::vector<NeededBits> needed;
  do {
    int64_t value = 0;
    for (bool more = true; more; ++value) {
      if (value % plan.at_once == 0) needed.assign(lanes, {});
      TRY(add_lanes(plan, dims, ranges, needed));
      more = next_point(access.ranges, ranges, &Variable::bounds);
      const int64_t in_vector = value % plan.at_once;
      if (!more || in_vector == plan.at_once - 1)
        add_phases(plan, needed, dims, value - in_vector, phases);
    }
  } while (next_point(others, dims, &Variable::bounds));
  return phases;
}

}  // namespace tileproof::impl
