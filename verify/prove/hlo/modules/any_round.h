// SPDX-License-Identifier: Apache-2.0
// The state of a loop before any of its rounds, whose number is a number of the domain, and after the last.
//
//     i = 0   while (i < 1000) { y[2 i] = f(x[i])   c = c + g(x[i])   i = i + 1 }
//
//     i before round r      r
//     y[j] at the end       what round j floordiv 2 makes of it, if that is a round; else what it was at first
//     c at the end          c at first, and the sum over s in 0..999 of g(x[s])
//
// A counter is shown by induction: if it is `start + r step` before round r, it is `start + (r + 1) step` after
// it. A leaf has rows if each round changes nothing of it but a window, whose place along one dimension is an affine
// function of r, where no two windows overlap. It is a sum if each round adds to each element something.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"

namespace tileproof::verify {

template <class N>
struct BagPoint;  // verify/prove/hlo/modules/reductions.h

// Of a walk whose indexes stand for all (verify/prove/hlo/modules/element_walk.h).
template <class Walk>
class AnyRound {
 public:
  using N = typename Walk::N;
  using Index = typename Walk::Index;
  using Array = typename Walk::Array;
  using Place = typename Walk::Place;
  using Step = typename Walk::Step;
  using TermId = spec::TermId;

  explicit AnyRound(Walk& walk) : walk_(walk), domain_(walk.domain_) {}

  enum class Kind : uint8_t { kOther, kCounter, kRows, kSum };
  struct Leaf {
    Kind kind = Kind::kOther;
    int64_t rounds = 0;
    // A counter at first, or where the windows begin: those of later rounds are further on, unless the rounds
    // are turned. And what a round adds to it.
    int64_t start = 0, step = 0;
    size_t dimension = 0;  // of the array, along which windows move
    bool is_turned = false;
    HloOpcode adds = HloOpcode::kOther;  // of a sum
  };
  // Of a leaf of a loop.
  const Leaf& leaf(const Array& loop) {
    const auto [known, is_new] = leaves_.try_emplace(loop);
    if (!is_new || domain_.has_failed()) return known->second;  // the one that is looked at is none
    const auto rounds = walk_.rounds_of({loop.frame, loop.instruction, 0});
    if (!rounds || *rounds < 2 || walk_.is_kept(loop)) return known->second;
    for (const auto find : {&AnyRound::counter, &AnyRound::rows, &AnyRound::sum}) {
      const std::optional<Leaf> found = (this->*find)(loop, *rounds);
      const bool has_failed = domain_.has_failed();
      if (has_failed) domain_.recover();
      if (found && !has_failed) return known->second = *found;
    }
    return known->second;
  }

  // An element at the end; of sums, the walk knows.
  TermId after(const Array& loop, const Index& index, int64_t level) {
    const Leaf of = leaf(loop);
    return of.kind == Kind::kCounter ? counted(loop, of, of.rounds)
                                     : row(loop, of, std::nullopt, index, level);
  }
  // One of the state that a computation in a round begins with.
  TermId before(const Array& parameter, const Index& index, int64_t level) {
    const Array loop = loop_of(parameter);
    const N& round = walk_.numbers_.at(parameter.frame->number);
    if (assumed_) {  // nothing else is known, as it may rest on what is assumed
      return assumed_->first == loop ? counted(loop, assumed_->second, round) : walk_.give_up();
    }
    const Leaf of = leaf(loop);
    if (of.kind == Kind::kCounter) return counted(loop, of, round);
    if (of.kind == Kind::kRows) return row(loop, of, round, index, level);
    if (of.kind == Kind::kOther) return walk_.give_up();
    return walk_.function(parameter, walk_.type(loop), index, level,
                          [&](const Array& one, const Index& at, int64_t inner) {
                            return so_far(one, of, at, inner);
                          });
  }
  // Where an element of rows at the end is made, if that is known.
  std::optional<Place> made_at(const Place& place) {
    const Leaf of = leaf(place.array);
    if (of.kind != Kind::kRows) return std::nullopt;
    const Made made = made_by(of, place.index);
    if (domain_.known(made.exists) != true) return std::nullopt;
    return Place{in_round(place.array, made.round), place.index};
  }
  // What a round adds to an element of a sum.
  std::optional<Place> added(const Array& loop, const N& round, const Index& index) {
    const auto operands = summands(loop, round, index);
    return operands ? std::optional(operands->second) : std::nullopt;
  }

 private:
  static Array loop_of(const Array& in_frame) {
    return {in_frame.frame->caller, in_frame.frame->call, in_frame.leaf};
  }
  // What the leaf is after this round.
  Array in_round(const Array& loop, const N& round) {
    const int32_t body = walk_.loop_of(loop).body;
    return {walk_.frame_of({loop.frame, body, loop.instruction, -1, Walk::kAnyRound,
                            loop.frame->device, nullptr, walk_.key_of(round)}),
            walk_.module_.computations[body].root, loop.leaf};
  }
  // One that nothing was asked of before.
  N new_round(int64_t rounds) {
    return (*domain_.every_index({rounds}, absl::StrCat("round ", rounds_++, ".")))[0];
  }
  N simple(const N& number) {
    Index all = {number};
    domain_.simplify(all);
    return all[0];
  }
  bool is_same(const Index& a, const Index& b) {
    return std::ranges::equal(
        a, b, [&](const N& x, const N& y) { return domain_.key(x) == domain_.key(y); });
  }

  // ---- Counters ----

  TermId counted(const Array& loop, const Leaf& of, const N& round) {
    return domain_.number_term(simple(round * of.step + of.start), walk_.type(loop));
  }
  std::optional<Leaf> counter(const Array& loop, int64_t rounds) {
    const ElementType type = walk_.type(loop);
    if (!spec::is_integer(type) || type == ElementType::kPred || !walk_.dims(loop).empty()) {
      return std::nullopt;
    }
    const auto first = domain_.number_of(walk_.element(walk_.operand(loop, 0, loop.leaf), {}, 0));
    const auto second = domain_.number_of(walk_.element(walk_.state_after(1, loop), {}, 0));
    if (domain_.has_failed() || !first || !second) return std::nullopt;
    const absl::int128 step = absl::int128(*second) - *first, last = *first + step * rounds;
    const absl::int128 most = absl::int128(1) << 62;
    if (step > most || step < -most || last > most || last < -most) return std::nullopt;
    const Leaf found{Kind::kCounter, rounds, *first, static_cast<int64_t>(step)};
    if (assumed_) return std::nullopt;
    const N round = new_round(rounds);
    assumed_.emplace(loop, found);
    const TermId next = walk_.element(in_round(loop, round), {}, 0);
    assumed_.reset();
    if (domain_.has_failed() || next != counted(loop, found, round + 1)) return std::nullopt;
    return found;
  }

  // ---- Rows ----

  // The place that an element is moved from.
  Place source(Place place) {
    while (!domain_.has_failed() && --walk_.work_ >= 0) {
      walk_.shorten(place.array, place.index);
      domain_.simplify(place.index);
      auto from = walk_.moved_from(place);
      if (!from) break;
      place = *std::move(from);
    }
    return place;
  }
  // Whether it is this element of the state before the round.
  bool is_state(const Place& place, const Array& loop, const Array& after, const Index& index) {
    return place.array.frame == after.frame && place.array.leaf == loop.leaf &&
           walk_.at(place.array).opcode == HloOpcode::kParameter && is_same(place.index, index);
  }

  // The first element of a window that is written, and its sizes.
  struct Window {
    Index start;
    Dims sizes;
  };
  std::optional<Window> window(const Place& place) {
    const Step* step = walk_.step_of(place.array);
    const HloOpcode f = walk_.at(place.array).opcode;
    typename Walk::Point point{place.index, {}, {}};
    if (f == HloOpcode::kDynamicUpdateSlice) {
      if (!walk_.set_offsets(place.array, *step, point, 0)) return std::nullopt;
      Window found{{}, walk_.dims(walk_.operand(place.array, 1, 0))};
      for (const spec::Dependence& one : step->relation.dependences) {
        if (one.operand != 1) continue;
        const Index inside = spec::reach(one, point).index;
        for (size_t d = 0; d < inside.size(); ++d) {
          found.start.push_back(simple(place.index[d] + inside[d] * -1));
        }
      }
      return found.start.size() == found.sizes.size() ? std::optional(found) : std::nullopt;
    }
    if (f != HloOpcode::kScatter) return std::nullopt;
    const auto* scatter = std::get_if<op::Scatter>(&step->relation.dependences[1].access);
    if (scatter == nullptr) return std::nullopt;
    const op::IndexedWindows& t = scatter->table;
    for (const int64_t d : t.batch_dims) {
      if (t.windows[d] != 1) return std::nullopt;
    }
    point.s.assign(t.windows.size(), 0);
    if (!walk_.set_offsets(place.array, *step, point, 0)) return std::nullopt;
    Window found{spec::array_element(t, point.s, point.rt), Dims(place.index.size(), 1)};
    for (size_t k = 0; k < t.kept.size(); ++k) {
      found.sizes[t.kept[k]] = t.windows[t.window_dims[k]];
    }
    domain_.simplify(found.start);
    return found;
  }

  // a and b, if the number is a + b * variable.
  std::optional<std::pair<int64_t, int64_t>> affine(const N& number, const N& variable) {
    const N at[] = {domain_.replaced({number}, {variable}, {0})[0],
                    domain_.replaced({number}, {variable}, {1})[0]};
    if (at[0].store != nullptr || at[1].store != nullptr) return std::nullopt;
    constexpr int64_t kMost = int64_t{1} << 31;
    for (const N& one : at) {
      if (one.value > kMost || one.value < -kMost) return std::nullopt;
    }
    const int64_t step = at[1].value - at[0].value;
    if (!is_same({simple(variable * step + at[0].value)}, {number})) return std::nullopt;
    return std::pair(at[0].value, step);
  }

  std::optional<Leaf> rows(const Array& loop, int64_t rounds) {
    const auto index = domain_.every_index(walk_.dims(loop), "row ");
    const N round = new_round(rounds);
    const Array after = in_round(loop, round);
    if (domain_.has_failed()) return std::nullopt;
    const Place place = source({after, *index});
    const auto written = domain_.has_failed() ? std::nullopt : window(place);
    if (domain_.has_failed() || !written || !is_same(place.index, *index)) return std::nullopt;
    const Array other = walk_.operand(place.array, 0, 0);
    if (!is_state(source({other, *index}), loop, after, *index)) return std::nullopt;
    for (size_t d = 0; d < written->sizes.size(); ++d) {
      const auto at = affine(written->start[d], round);
      if (!at) continue;
      const auto [start, step] = *at;
      if (step == 0 || std::abs(step) < written->sizes[d]) continue;
      const bool is_turned = step < 0;
      const int64_t first = is_turned ? start + step * (rounds - 1) : start;
      return Leaf{Kind::kRows, rounds, first, std::abs(step), d, is_turned};
    }
    return std::nullopt;
  }

  // The round that may make an element something else than it was at first, and whether there is one.
  struct Made {
    N round = 0;
    spec::Truth<N> exists = true;
  };
  Made made_by(const Leaf& of, const Index& index) {
    const N offset = simple(index[of.dimension] + -of.start);
    Made made{simple(floordiv(offset, of.step))};
    if (of.is_turned) made.round = simple(made.round * -1 + (of.rounds - 1));
    made.exists = !(offset < 0) && offset < of.step * of.rounds;
    if (domain_.known(made.exists) != false) {
      made.round = domain_.inside({made.round}, {of.rounds})[0];
    }
    return made;
  }
  TermId row(const Array& loop, const Leaf& of, std::optional<N> before, const Index& index,
             int64_t level) {
    Made made = made_by(of, index);
    if (before) {
      const std::optional<bool> is_made =
          domain_.known(simple(made.round + *before * -1) < int64_t{0});
      if (!is_made) return walk_.give_up();
      if (!*is_made) made.exists = false;
    }
    const auto first = [&] {
      return walk_.element(walk_.operand(loop, 0, loop.leaf), index, level);
    };
    if (domain_.known(made.exists) == false) return first();
    if (!inside_.insert(loop).second) return walk_.give_up();  // rows that are made of rows before
    const TermId one = walk_.element(in_round(loop, made.round), index, level);
    inside_.erase(loop);
    if (domain_.known(made.exists) == true || domain_.has_failed()) return one;
    return domain_.select(walk_.type(loop), made.exists, one, first());
  }

  // ---- Sums ----

  // The operation of the sum, and the array that a round adds.
  std::optional<std::pair<HloOpcode, Place>> summands(const Array& loop, const N& round,
                                                      const Index& index) {
    const Array after = in_round(loop, round);
    const Place sum = source({after, index});
    const HloOpcode f = walk_.at(sum.array).opcode;
    if (domain_.has_failed() || !spec::is_reducer(f)) return std::nullopt;
    const Step* step = walk_.step_of(sum.array);
    if (step == nullptr || step->meaning.rule != spec::Rule::kApply) return std::nullopt;
    std::vector<Place> operands;  // two, which have all indexes
    for (const spec::Dependence& one : step->relation.dependences) {
      Index read = spec::reach(one, typename Walk::Point{sum.index, {}, {}}).index;
      operands.push_back({walk_.operand(sum.array, one.operand, one.leaf), std::move(read)});
    }
    for (const size_t k : {0, 1}) {
      if (is_state(source(operands[k]), loop, after, index)) return std::pair(f, operands[1 - k]);
    }
    return std::nullopt;
  }
  // A sum before a round.
  TermId so_far(const Array& parameter, const Leaf& of, const Index& index, int64_t level) {
    const Array loop = loop_of(parameter);
    const N before = walk_.numbers_.at(parameter.frame->number);
    if (!inside_.insert(loop).second) return walk_.give_up();  // of what the sum was before
    const TermId first = walk_.element(walk_.operand(loop, 0, loop.leaf), index, level);
    const auto point = [&](const Index& s) {
      BagPoint<N> one{simple(s[0] + before * -1) < int64_t{0}};
      const auto place = added(loop, s[0], index);
      one.factors.push_back(place ? walk_.element(place->array, place->index, level + 1)
                                  : walk_.give_up());
      return one;
    };
    const spec::Symbol symbol = spec::bag_of(of.adds, walk_.type(loop));
    const TermId all = domain_.bag(walk_.at(loop), symbol, {of.rounds}, level, point, first, false);
    inside_.erase(loop);
    return all;
  }
  std::optional<Leaf> sum(const Array& loop, int64_t rounds) {
    const auto index = domain_.every_index(walk_.dims(loop), "row ");
    if (domain_.has_failed()) return std::nullopt;
    const auto found = summands(loop, new_round(rounds), *index);
    if (!found || !domain_.has_any_order(spec::bag_of(found->first, walk_.type(loop)))) {
      return std::nullopt;
    }
    return Leaf{.kind = Kind::kSum, .rounds = rounds, .adds = found->first};
  }

  Walk& walk_;
  typename Walk::DomainType& domain_;
  std::map<Array, Leaf> leaves_;
  std::optional<std::pair<Array, Leaf>> assumed_;  // a counter that is to be shown
  std::set<Array> inside_;
  int64_t rounds_ = 0;  // variables
};

}  // namespace tileproof::verify
