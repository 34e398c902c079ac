// SPDX-License-Identifier: Apache-2.0
#include "spec/access/banks.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::spec {
namespace {

absl::Status wrong_access(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("access map: ", why));
}

// A word that a lane waits for.
struct Waiting {
  int64_t lane;
  int64_t word;
};

// Serves the words in cycles, those of lower lanes first.
void serve_phase(std::vector<Waiting> waiting, int64_t banks, BankPhase& phase) {
  std::vector<std::map<int64_t, Waiting>> cycles;  // the first lane that each bank serves
  while (!waiting.empty()) {
    std::map<int64_t, Waiting>& served = cycles.emplace_back();
    std::vector<Waiting> left;
    for (const Waiting& one : waiting) {
      const auto [bank, is_first] = served.try_emplace(one.word % banks, one);
      if (bank->second.word != one.word) left.push_back(one);
    }
    waiting = left;
  }
  phase.ways = std::ssize(cycles);
  if (phase.ways < 2) return;
  const int64_t busiest = cycles.back().begin()->first;
  const Waiting& first = cycles[0].at(busiest);
  const Waiting& second = cycles[1].at(busiest);
  phase.clash = BankClash{busiest, {first.lane, second.lane}, {first.word, second.word}};
}

// The place of a lane in the order in which lanes are served.
int64_t place_of(int64_t lane, const BankMemory& memory) {
  if (!memory.amd_read) return lane;
  constexpr int64_t kPlaces[] = {0, 2, 4, 6, 3, 1, 7, 5};  // of each four of 32 lanes
  return lane / 32 * 32 + kPlaces[lane % 32 / 4] * 4 + lane % 4;
}

// The elements of one vector of one lane: their first bits.
struct LaneVector {
  std::vector<absl::int128> bits;
};

absl::Status expect_valid(const LayoutFunction& layout, const IndexingMap& access,
                          const BankElement& element, const BankMemory& memory) {
  if (memory.banks < 1 || memory.bank_bytes < 1 || memory.banks > 4096 ||
      memory.bank_bytes > 4096) {
    return absl::InvalidArgumentError("expected 1 to 4096 banks of 1 to 4096 bytes");
  }
  const int64_t all = memory.banks * memory.bank_bytes;
  if (element.vector < 1 || all % element.vector != 0) {
    return absl::InvalidArgumentError(absl::StrCat("expected a vector that divides the ", all,
                                                   " bytes of all banks, found ", element.vector));
  }
  if (element.bits < 1 || element.bits > 8 * all) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected elements of 1 to ", 8 * all, " bits, found ", element.bits));
  }
  if (access.dimensions.empty()) return wrong_access("expected a dimension, the lane");
  if (!access.runtime.empty()) return wrong_access("expected no runtime variables");
  if (access.dimensions[0].bounds.low < 0) return wrong_access("expected lanes of at least 0");
  if (!access.known_empty && access.results.size() != layout.dims.size()) {
    return wrong_access(
        absl::StrCat("expected ", layout.dims.size(), " results, found ", access.results.size()));
  }
  return absl::OkStatus();
}

// How many elements of a lane are served at once.
absl::StatusOr<int64_t> elements_of_vector(const IndexingMap& access, const BankElement& element) {
  if (access.ranges.empty() || 8 * element.vector < 2 * element.bits) return 1;
  if (8 * element.vector % element.bits != 0) {
    return absl::InvalidArgumentError(absl::StrCat("expected a vector of whole elements of ",
                                                   element.bits, " bits, found ", element.vector,
                                                   " bytes"));
  }
  return 8 * element.vector / element.bits;
}

// The number of the point among the values of the range variables.
int64_t value_of(const IndexingMap& access, const Point& point) {
  int64_t number = 0;
  for (size_t s = 0; s < point.ranges.size(); ++s) {
    const Interval& bounds = access.ranges[s].bounds;
    number = number * (bounds.high - bounds.low + 1) + point.ranges[s] - bounds.low;
  }
  return number;
}

}  // namespace

absl::StatusOr<std::vector<BankPhase>> serve(const LayoutFunction& layout,
                                             const IndexingMap& access, const BankElement& element,
                                             const BankMemory& memory, int64_t budget) {
  TRY(expect_valid(layout, access, element, memory));
  const int64_t at_once = TRY(elements_of_vector(access, element));
  const int64_t lanes = std::min(memory.banks, memory.banks * memory.bank_bytes / element.vector);
  // The vectors of the lanes of each phase, by access, first value and number.
  using PhaseId = std::tuple<std::vector<int64_t>, int64_t, int64_t>;
  std::map<PhaseId, std::map<int64_t, LaneVector>> vectors;
  absl::Status error;
  const absl::Status visited =
      for_each_point(access, budget, [&](const Point& point, const std::vector<int64_t>& index) {
        const int64_t lane = point.dims[0];
        const absl::StatusOr<int64_t> offset = offset_at(layout, index);
        if (!offset.ok() || *offset < 0) {
          error = wrong_access(absl::StrCat(to_text(access, point), " gives (",
                                            absl::StrJoin(index, ", "), "): ",
                                            offset.ok() ? "expected an offset of at least 0"
                                                        : std::string(offset.status().message())));
          return false;
        }
        const std::vector<int64_t> others(point.dims.begin() + 1, point.dims.end());
        const int64_t value = value_of(access, point);
        auto& all = vectors[{others, value - value % at_once, place_of(lane, memory) / lanes}];
        std::vector<absl::int128>& bits = all[lane].bits;
        const absl::int128 first = absl::int128{*offset} * element.bits;
        if (!bits.empty() && first != bits.back() + element.bits) {
          error = wrong_access(absl::StrCat("expected the elements of a vector beside each other, ",
                                            to_text(access, point), " gives offset ", *offset));
          return false;
        }
        bits.push_back(first);
        return true;
      });
  TRY(visited);
  TRY(error);
  std::vector<BankPhase> phases;
  for (const auto& [id, of_lanes] : vectors) {
    BankPhase phase{std::get<0>(id), std::get<1>(id), std::get<2>(id), {}, 0, {}};
    std::vector<Waiting> waiting;
    for (const auto& [lane, vector] : of_lanes) {
      phase.lanes.push_back(lane);
      const absl::int128 begin = vector.bits.front();
      const absl::int128 end =
          at_once == 1 ? begin + 8 * element.vector : vector.bits.back() + element.bits;
      const int64_t word_bits = 8 * memory.bank_bytes;
      for (absl::int128 word = begin / word_bits; word * word_bits < end; ++word) {
        if (word > INT64_MAX) return absl::OutOfRangeError("a word does not fit 64 bits");
        waiting.push_back({lane, static_cast<int64_t>(word)});
      }
    }
    serve_phase(std::move(waiting), memory.banks, phase);
    phases.push_back(std::move(phase));
  }
  return phases;
}

}  // namespace tileproof::spec
