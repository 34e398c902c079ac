// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/difference_path.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/device_routes.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/hlo/sharding.h"
#include "verify/prove/hlo/modules/at_one_index.h"
#include "verify/prove/hlo/modules/element_walk.h"
#include "verify/prove/hlo/modules/path_steps.h"
#include "verify/prove/values/alike_forms.h"
#include "verify/prove/values/forms.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {
namespace {

using spec::Term;
using spec::TermId;
using Walk = ElementWalk<AtOneIndex>;
using Place = Walk::Place;

constexpr size_t kMostSteps = 1'000;
constexpr size_t kMostSummands = 1 << 16;
constexpr int64_t kMostSearched = 1 << 14;  // of an array that is searched
constexpr int64_t kSearches = 4;            // of so many parts of the work, one is for searches

// LEFT or RIGHT: the element that the walk has reached, and those on the way to it.
struct WalkedSide {
  WalkedSide(const ResultElement& result, AtOneIndex& domain, int64_t work)
      : of(result),
        walk(of.module, domain, work, LoopsAs::kRounds, of.devices),
        steps(walk),
        place(walk.result_place(of.leaf, of.at, of.device)) {}

  const ResultElement& of;
  Walk walk;
  PathSteps<Walk> steps;
  Place place;
  std::vector<Place> way = {};
  size_t first = 0;  // of the way, behind the last operation
};

// A part of a sum: an element, or two that are multiplied.
struct Summand {
  std::vector<Place> factors;
  std::vector<FormId> key;      // of the factors, sorted
  std::vector<Place> way = {};  // from the sum to it
};
struct Sum {
  std::vector<Summand> summands;
  std::vector<Place> exchanges;  // that add what devices have
};
// What a sum is looked through.
struct Expansion {
  HloOpcode reducer = HloOpcode::kOther;
  bool operations = false;  // of two operands
  bool bags = false;        // of any number of them
};

// An element, and by the sizes of arrays where the other side has it, before it is moved: on which device,
// at which index.
struct Wanted {
  TermId term = 0;
  std::map<Dims, std::pair<std::optional<int64_t>, std::vector<int64_t>>> places = {};
};

class PathFinder {
 public:
  // Which elements are different.
  using AreApart = absl::FunctionRef<bool(TermId, TermId)>;

  PathFinder(const ResultElement& left, const ResultElement& right, spec::Terms& terms,
             AtOneIndex& domain, int64_t work, AreApart are_apart)
      : terms_(terms),
        domain_(domain),
        search_work_(work / kSearches),
        left_(left, domain, work),
        right_(right, domain, work),
        are_apart_(are_apart),
        forms_(terms, {ValueLaw::kReductionOrder}, work) {}

  // Whether there is a path, and it is known where it ends: no array was too large to be searched for an
  // element that may be moved from there, or what is wrong with the last step was seen.
  bool find() {
    const auto a = left_.walk.term(left_.place), b = right_.walk.term(right_.place);
    if (!a || !b || !are_apart_(*a, *b)) return false;
    go_down();
    return search_work_ >= 0 || is_seen_ || have_same_operands();
  }

  using Text = absl::FunctionRef<std::string(TermId)>;
  DifferencePath path(Text text) {
    return {steps(left_, left_.way, text), steps(right_, right_.way, text),
            steps(left_, reads_of(left_), text), steps(right_, reads_of(right_), text)};
  }

 private:
  std::vector<PathStep> steps(WalkedSide& side, const std::vector<Place>& places, Text text);
  static std::vector<Place> reads_of(WalkedSide& side);
  FormId form(TermId term) { return forms_.of(term); }

  void go_down();
  bool go_to_operation(WalkedSide& side);
  void go_through_selects();
  static HloOpcode opcode_at(const WalkedSide& side) {
    return side.steps.instruction(side.place).opcode;
  }
  bool end_at_movers();
  static Wanted wanted_of(WalkedSide& side);
  bool end_at_mover(WalkedSide& side, const Wanted& wanted);
  static std::optional<bool> is_in_place(WalkedSide& side, const Place& place,
                                         const Wanted& wanted);
  bool is_wanted(WalkedSide& side, const Place& place, const Wanted& wanted, bool in_place);
  std::optional<Place> find_near(WalkedSide& side, const Place& mover,
                                 const std::vector<Walk::Array>& arrays, const Wanted& wanted,
                                 bool in_place);
  std::optional<Place> find_in(WalkedSide& side, const Place& mover,
                               const std::vector<Walk::Array>& arrays, const Wanted& wanted,
                               bool in_place);
  bool have_same_operands();
  static size_t length_to_suspect(const WalkedSide& side, const WalkedSide& other);
  void go_to_offset(WalkedSide& side, const Place& wanted);
  bool go_to_operands();
  bool go_to_summands();
  bool go_on(WalkedSide& side, const Place& to) {
    if (!side.walk.term(to)) return false;
    side.place = to;
    return true;
  }
  bool is_bag(WalkedSide& side) {
    return terms_.at(*side.walk.term(side.place)).kind == Term::Kind::kBag;
  }
  HloOpcode reducer_at(WalkedSide& side, const Place& place);
  void add_summands(WalkedSide& side, const Place& place, const Expansion& expands,
                    const std::vector<Place>& from, Sum& sum);
  static std::vector<Place> of_chunks(WalkedSide& side, const Walk::Array& array,
                                      const Place& chunk);
  bool is_elsewhere(WalkedSide& side, const Sum& sum, const Expansion& expands,
                    const std::vector<Summand>& missing);
  std::optional<std::pair<size_t, size_t>> different_factors(const Summand& x, const Summand& y);
  // What two summands have in common that may differ by one factor: the other one; without another, its kind.
  using Rest = std::pair<int64_t, int64_t>;
  std::vector<Rest> rests_of(WalkedSide& side, const Summand& one);
  Rest kind_of(TermId term) const;
  bool go_to_pair(const std::vector<Summand>& of_left, const std::vector<Summand>& of_right);

  spec::Terms& terms_;
  AtOneIndex& domain_;
  int64_t search_work_;   // that is left
  bool is_seen_ = false;  // the last step takes an element of a wrong place near by
  WalkedSide left_, right_;
  AreApart are_apart_;
  Forms forms_;
};

void PathFinder::go_down() {
  do {
    if (!go_to_operation(left_) || !go_to_operation(right_)) return;
    go_through_selects();
    if (end_at_movers()) return;
  } while (go_to_operands());
  const bool are_computed =
      !left_.steps.operands(left_.place).empty() || !right_.steps.operands(right_.place).empty();
  if (are_computed) return;
  const size_t of_left = length_to_suspect(left_, right_);
  right_.way.resize(length_to_suspect(right_, left_));
  left_.way.resize(of_left);
}

// Adds the elements from here to the first that an operation computes.
bool PathFinder::go_to_operation(WalkedSide& side) {
  side.first = side.way.size();
  while (side.way.size() < kMostSteps) {
    if (!side.walk.term(side.place)) return false;
    side.way.push_back(side.place);
    auto source = side.walk.moved_from(side.place);
    if (!source) return true;
    side.place = *std::move(source);
  }
  return false;
}

std::vector<PathStep> PathFinder::steps(WalkedSide& side, const std::vector<Place>& places,
                                        Text text) {
  std::vector<PathStep> steps;
  for (const Place& place : places) {
    const auto term = side.walk.term(place);
    if (!term) break;
    const HloInstruction& i = side.steps.instruction(place);
    steps.push_back(
        {i.name, std::string(i.opcode_text), place.index, text(*term), side.steps.device(place)});
  }
  return steps;
}

// The first elements that the last step reads.
std::vector<Place> PathFinder::reads_of(WalkedSide& side) {
  constexpr size_t kMost = 8;
  if (side.way.empty()) return {};
  const Place& last = side.way.back();
  std::vector<Place> all = side.steps.operands(last);
  if (auto source = side.walk.moved_from(last)) {
    all = side.steps.offsets(last);
    all.insert(all.begin(), *std::move(source));
  }
  if (all.size() > kMost) all.resize(kMost);
  return all;
}

// Where sides do different operations, to what a select chooses: it hides padding, say.
void PathFinder::go_through_selects() {
  for (size_t k = 0; k < kMostSteps; ++k) {
    WalkedSide* through = nullptr;
    for (WalkedSide* side : {&left_, &right_}) {
      const WalkedSide& other = side == &left_ ? right_ : left_;
      const bool is_alone =
          opcode_at(*side) == HloOpcode::kSelect && opcode_at(*side) != opcode_at(other);
      if (is_alone) through = side;
    }
    const auto chosen = through == nullptr ? std::nullopt : through->steps.chosen(through->place);
    const size_t first = chosen ? through->first : 0;
    if (!chosen || !go_on(*through, *chosen) || !go_to_operation(*through)) return;
    through->first = first;
  }
}

// ---- Elements that are moved from the wrong place ----

// What the other side has there: the element, and where it is in its arrays on the way to it.
Wanted PathFinder::wanted_of(WalkedSide& side) {
  Wanted wanted{*side.walk.term(side.way[side.first])};
  for (size_t k = side.first; k < side.way.size(); ++k) {
    const auto device = side.steps.device(side.way[k]);
    wanted.places[side.walk.dims(side.way[k].array)] = {device, side.way[k].index};
  }
  return wanted;
}

// Whether an array on this side has its elements where the other side has them: one of the same size, or
// the part of one as it is known of the result. Nothing if that is not known.
std::optional<bool> PathFinder::is_in_place(WalkedSide& side, const Place& place,
                                            const Wanted& wanted) {
  const Dims dims = side.walk.dims(place.array);
  const auto device = side.steps.device(place);
  const spec::Placed* placed = side.of.placed;
  const bool is_part = placed != nullptr && device && placed->dims != dims &&
                       part_dims(placed->sharding, placed->dims) == dims;
  const auto whole = is_part ? wanted.places.find(placed->dims) : wanted.places.end();
  if (whole != wanted.places.end()) {
    const auto global = global_index(placed->sharding, placed->dims, *device, place.index);
    return global == whole->second.second;
  }
  const auto same = wanted.places.find(dims);
  if (same == wanted.places.end()) return std::nullopt;
  const auto& [there, index] = same->second;
  return index == place.index && (!device || !there || device == there);
}

bool PathFinder::is_wanted(WalkedSide& side, const Place& place, const Wanted& wanted,
                           bool in_place) {
  const auto term = side.walk.term(place);
  if (!term || (*term != wanted.term && form(*term) != form(wanted.term))) return false;
  return !in_place || is_in_place(side, place, wanted).value_or(true);
}

// Where one of the arrays has the wanted element, at the index of the mover or of its source: on another
// device, say, or in another array of a concatenation.
std::optional<Place> PathFinder::find_near(WalkedSide& side, const Place& mover,
                                           const std::vector<Walk::Array>& arrays,
                                           const Wanted& wanted, bool in_place) {
  std::vector<std::vector<int64_t>> indexes = {mover.index};
  if (const auto source = side.walk.moved_from(mover)) indexes.push_back(source->index);
  for (const Walk::Array& array : arrays) {
    const Dims dims = side.walk.dims(array);
    for (const std::vector<int64_t>& index : indexes) {
      const Place place{array, index};
      if (is_inside(dims, index) && is_wanted(side, place, wanted, in_place)) return place;
    }
  }
  return std::nullopt;
}

// Where one of the arrays has the wanted element: near by alone, once too much was searched. `in_place`: not
// where other elements should be.
std::optional<Place> PathFinder::find_in(WalkedSide& side, const Place& mover,
                                         const std::vector<Walk::Array>& arrays,
                                         const Wanted& wanted, bool in_place) {
  std::optional<Place> found = find_near(side, mover, arrays, wanted, in_place);
  if (found || search_work_ < 0) return found;
  const int64_t work = domain_.work(), walk_work = side.walk.work();
  domain_.allow(search_work_);
  side.walk.allow(search_work_);
  for (const Walk::Array& array : arrays) {
    const Dims dims = side.walk.dims(array);
    const auto count = element_count(dims);
    if (!count || *count == 0 || *count > kMostSearched) continue;
    Place place{array, std::vector<int64_t>(dims.size(), 0)};
    do {
      if (is_wanted(side, place, wanted, in_place)) found = place;
    } while (!found && !domain_.has_failed() && next_index(dims, place.index));
    if (found) break;
  }
  search_work_ = std::min(domain_.work(), side.walk.work());
  domain_.allow(work);  // a search in vain leaves the rest of the way as it is
  side.walk.allow(walk_work);
  return found;
}

bool PathFinder::end_at_movers() {
  const Wanted of_left = wanted_of(left_), of_right = wanted_of(right_);
  const bool ends_left = end_at_mover(left_, of_right);
  return end_at_mover(right_, of_left) || ends_left;
}

// Ends the way at the first instruction that could have moved the wanted element, and has it nowhere.
bool PathFinder::end_at_mover(WalkedSide& side, const Wanted& wanted) {
  for (size_t k = side.first; k + 1 < side.way.size(); ++k) {
    const Place& mover = side.way[k];
    if (find_in(side, mover, {mover.array}, wanted, false)) continue;
    const auto found = find_in(side, mover, side.steps.sources(mover), wanted, true);
    if (!found) continue;
    side.way.resize(k + 1);
    go_to_offset(side, *found);
    is_seen_ = true;
    return true;
  }
  return false;
}

// To what computes the offset or the predicate because of which the last step does not move `wanted`.
void PathFinder::go_to_offset(WalkedSide& side, const Place& wanted) {
  const Place mover = side.way.back();
  const std::vector<Place> offsets = side.steps.offsets(mover);
  const auto source = side.walk.moved_from(mover);
  const bool is_read =
      source && source->array == wanted.array && offsets.size() == wanted.index.size();
  for (size_t d = 0; d < offsets.size(); ++d) {
    const bool is_cause = source ? is_read && source->index[d] != wanted.index[d] : true;
    if (!is_cause || !go_on(side, offsets[d])) continue;
    while (go_to_operation(side) && opcode_at(side) == HloOpcode::kAnd) {
      const auto operands = side.steps.operands(side.place);
      const auto holds = [&](const Place& one) {
        const auto term = side.walk.term(one);
        return !term || domain_.number_of(*term) != 0;
      };
      const auto fails = std::ranges::find_if_not(operands, holds);
      if (fails == operands.end() || !go_on(side, *fails)) break;
    }
    return;
  }
}

// If the way ends where nothing is computed, and no instruction has lost the element: the last that moves
// elements from device to device or by offsets, or the first that moves them as the other side does not.
size_t PathFinder::length_to_suspect(const WalkedSide& side, const WalkedSide& other) {
  const auto opcode = [](const WalkedSide& of, size_t k) {
    return of.steps.instruction(of.way[k]).opcode;
  };
  const size_t last = side.way.size() - 1;
  if (spec::is_exchange(side.steps.instruction(side.way[last]))) return side.way.size();
  for (size_t k = last; k-- > 0;) {
    const HloInstruction& i = side.steps.instruction(side.way[k]);
    const bool moves = side.of.devices != nullptr && spec::is_exchange(i) &&
                       i.opcode != HloOpcode::kAllReduce && i.opcode != HloOpcode::kCustomCall;
    if (moves || (k >= side.first && i.opcode == HloOpcode::kDynamicSlice)) return k + 1;
  }
  static constexpr HloOpcode kSuspects[] = {HloOpcode::kConcatenate, HloOpcode::kReverse,
                                            HloOpcode::kTranspose, HloOpcode::kSlice,
                                            HloOpcode::kPad};
  for (size_t k = side.first; k < last; ++k) {
    bool is_suspect = std::ranges::find(kSuspects, opcode(side, k)) != std::end(kSuspects);
    for (size_t m = other.first; m < other.way.size(); ++m) {
      is_suspect &= opcode(other, m) != opcode(side, k);
    }
    if (is_suspect) return k + 1;
  }
  return side.way.size();
}

// ---- Operands that are different ----

// The operation whose operands may be in any order and grouping, of which the element is the result.
HloOpcode PathFinder::reducer_at(WalkedSide& side, const Place& place) {
  const auto id = side.walk.term(place);
  if (!id) return HloOpcode::kOther;
  const Term::Kind kind = terms_.at(*id).kind;
  const HloOpcode opcode = terms_.symbol_of(*id).opcode;
  const bool is_one = side.steps.instruction(place).opcode == opcode;
  const bool reduces = kind == Term::Kind::kBag ||
                       (kind == Term::Kind::kApply && is_one && spec::is_reducer(opcode));
  return reduces ? opcode : HloOpcode::kOther;
}

// What is reduced to the element at this place; the place itself if it is the result of something else.
void PathFinder::add_summands(WalkedSide& side, const Place& place, const Expansion& expands,
                              const std::vector<Place>& from, Sum& sum) {
  Place at = place;
  std::vector<Place> way = from;
  while (way.size() < kMostSteps) {
    auto source = side.walk.moved_from(at);
    if (!source) break;
    way.push_back(std::exchange(at, *std::move(source)));
  }
  const auto term = side.walk.term(at);
  if (!term || sum.summands.size() > kMostSummands) return;
  const bool is_bag = terms_.at(*term).kind == Term::Kind::kBag;
  const bool is_expanded = is_bag ? expands.bags : expands.operations;
  if (!is_expanded || reducer_at(side, at) != expands.reducer) {
    sum.summands.push_back({{place}, {form(*term)}, from});
    return;
  }
  way.push_back(at);
  if (side.steps.is_exchange(at)) sum.exchanges.push_back(at);
  const std::vector<Place> operands = side.steps.operands(at);
  if (is_bag && terms_.symbol_of(*term).group == 2) {
    for (size_t k = 0, half = operands.size() / 2; k < half; ++k) {
      if (side.steps.is_zero_product(operands[k], operands[half + k])) continue;
      const auto a = side.walk.term(operands[k]), b = side.walk.term(operands[half + k]);
      if (!a || !b) return;
      Summand product{{operands[k], operands[half + k]}, {form(*a), form(*b)}, way};
      std::ranges::sort(product.key);
      sum.summands.push_back(std::move(product));
    }
    return;
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    const auto one = side.walk.term(operands[k]);
    const bool is_init = is_bag && !side.steps.is_exchange(at) && k + 1 == operands.size();
    if (is_init && one && terms_.is_constant(*one)) continue;
    add_summands(side, operands[k], expands, way, sum);
  }
}

// Those that the other sum has not.
std::vector<Summand> without(const std::vector<Summand>& all, const std::vector<Summand>& others) {
  std::map<std::vector<FormId>, int64_t> counts;
  for (const Summand& one : others) ++counts[one.key];
  std::vector<Summand> left_over;
  for (const Summand& one : all) {
    if (--counts[one.key] < 0) left_over.push_back(one);
  }
  return left_over;
}

// The element at this index of each chunk of the array.
std::vector<Place> PathFinder::of_chunks(WalkedSide& side, const Walk::Array& array,
                                         const Place& chunk) {
  const Dims dims = side.walk.dims(array), sizes = side.walk.dims(chunk.array);
  std::vector<Place> all = {{array, chunk.index}};
  for (size_t d = 0; d < dims.size(); ++d) {
    const size_t count = all.size();
    for (int64_t at = sizes[d]; at > 0 && at + chunk.index[d] < dims[d]; at += sizes[d]) {
      for (size_t k = 0; k < count; ++k) {
        all.push_back(all[k]);
        all.back().index[d] += at;
      }
    }
  }
  return all;
}

// Whether an exchange could have taken what is missing from other devices, or from another chunk of what
// they have.
bool PathFinder::is_elsewhere(WalkedSide& side, const Sum& sum, const Expansion& expands,
                              const std::vector<Summand>& missing) {
  for (const Place& exchange : sum.exchanges) {
    const std::vector<Place> read = side.steps.operands(exchange);
    Sum all;
    if (read.empty()) continue;
    for (const Walk::Array& array : side.steps.on_all_devices(read[0].array)) {
      for (const Place& one : of_chunks(side, array, exchange)) {
        add_summands(side, one, expands, {}, all);
      }
    }
    if (without(missing, all.summands).empty()) return true;
  }
  return false;
}

// To a pair of summands that only one side has each. At first, what is added one by one and what is added
// up at once are not looked through together.
bool PathFinder::go_to_summands() {
  const HloOpcode reducer = reducer_at(left_, left_.place);
  if (reducer == HloOpcode::kOther || reducer != reducer_at(right_, right_.place)) return false;
  const bool has_bag = is_bag(left_) || is_bag(right_);
  for (const bool is_first : {true, false}) {
    const Expansion expands{reducer, !is_first || !has_bag, !is_first || has_bag};
    Sum a, b;
    add_summands(left_, left_.place, expands, {}, a);
    add_summands(right_, right_.place, expands, {}, b);
    const std::vector<Summand> of_left = without(a.summands, b.summands),
                               of_right = without(b.summands, a.summands);
    const bool is_split = a.summands.size() > 1 && b.summands.size() > 1;
    if (is_first && (of_left.size() != of_right.size() || !is_split)) continue;
    if (of_left.empty() || of_right.empty()) return false;
    is_seen_ =
        is_elsewhere(right_, b, expands, of_left) || is_elsewhere(left_, a, expands, of_right);
    if (is_seen_) return false;
    return go_to_pair(of_left, of_right);
  }
  return false;
}

// The factors by which two summands differ, if they have the other one in common or, without another, are
// of one kind.
std::optional<std::pair<size_t, size_t>> PathFinder::different_factors(const Summand& x,
                                                                       const Summand& y) {
  using Numbers = std::pair<size_t, size_t>;
  if (x.factors.size() != y.factors.size()) return std::nullopt;
  const size_t last = x.factors.size() - 1;
  for (const auto& [i, j] :
       {Numbers(0, 0), Numbers(0, last), Numbers(last, 0), Numbers(last, last)}) {
    const auto a = left_.walk.term(x.factors[i]), b = right_.walk.term(y.factors[j]);
    const auto c = left_.walk.term(x.factors[last - i]), d = right_.walk.term(y.factors[last - j]);
    if (!a || !b || !c || !d || !are_apart_(*a, *b)) continue;
    if (last == 0 ? kind_of(*a) == kind_of(*b) : form(*c) == form(*d)) return Numbers(i, j);
  }
  return std::nullopt;
}

PathFinder::Rest PathFinder::kind_of(TermId term) const {
  const Term& of = terms_.at(term);
  const bool is_element = of.kind == Term::Kind::kElement;
  return {static_cast<int64_t>(of.kind),
          is_element ? of.symbol : static_cast<int64_t>(terms_.symbol_of(term).opcode)};
}

std::vector<PathFinder::Rest> PathFinder::rests_of(WalkedSide& side, const Summand& one) {
  std::vector<Rest> all;
  for (const Place& factor : one.factors) {
    const auto term = side.walk.term(factor);
    if (!term) continue;
    all.push_back(one.factors.size() == 1 ? kind_of(*term) : Rest{-1, form(*term)});
  }
  return all;
}

// To a pair that differs, at best at one place in both sums.
bool PathFinder::go_to_pair(const std::vector<Summand>& of_left,
                            const std::vector<Summand>& of_right) {
  const auto go = [&](const Summand& x, size_t i, const Summand& y, size_t j) {
    if (!go_on(left_, x.factors[i]) || !go_on(right_, y.factors[j])) return false;
    // The sum itself is the last step so far.
    if (!x.way.empty()) left_.way.insert(left_.way.end(), x.way.begin() + 1, x.way.end());
    if (!y.way.empty()) right_.way.insert(right_.way.end(), y.way.begin() + 1, y.way.end());
    return true;
  };
  const bool are_as_many = of_left.size() == of_right.size();
  for (size_t k = 0; k < of_right.size() && are_as_many; ++k) {
    const auto factors = different_factors(of_left[k], of_right[k]);
    if (factors) return go(of_left[k], factors->first, of_right[k], factors->second);
  }
  std::map<Rest, std::set<size_t>> by_rest;
  for (size_t k = 0; k < of_left.size(); ++k) {
    for (const Rest& rest : rests_of(left_, of_left[k])) by_rest[rest].insert(k);
  }
  for (const Summand& y : of_right) {
    std::set<size_t> others;
    for (const Rest& rest : rests_of(right_, y))
      others.insert(by_rest[rest].begin(), by_rest[rest].end());
    for (const size_t k : others) {
      const auto factors = different_factors(of_left[k], y);
      if (factors) return go(of_left[k], factors->first, y, factors->second);
    }
  }
  return go(of_left[0], 0, of_right[0], 0);
}

// Whether both sides end at an operation, and do not differ in what it is given.
bool PathFinder::have_same_operands() {
  const auto of_left = left_.steps.operands(left_.place),
             of_right = right_.steps.operands(right_.place);
  if (of_left.empty() || of_left.size() != of_right.size()) return false;
  for (size_t k = 0; k < of_left.size(); ++k) {
    const auto x = left_.walk.term(of_left[k]), y = right_.walk.term(of_right[k]);
    if (!x || !y || are_apart_(*x, *y)) return false;
  }
  return true;
}

// To the first pair of operands that is different.
bool PathFinder::go_to_operands() {
  const HloInstruction& l = left_.steps.instruction(left_.place);
  const HloInstruction& r = right_.steps.instruction(right_.place);
  const auto of_left = left_.steps.operands(left_.place),
             of_right = right_.steps.operands(right_.place);
  const auto differ = [&](size_t a, size_t b) {
    const auto x = left_.walk.term(of_left[a]), y = right_.walk.term(of_right[b]);
    return !x || !y || are_apart_(*x, *y);
  };
  std::vector<std::pair<size_t, size_t>> apart;
  const bool is_same = l.opcode == r.opcode && of_left.size() == of_right.size() &&
                       !is_bag(left_) && !is_bag(right_);
  for (size_t k = 0; k < of_left.size() && is_same; ++k) {
    if (differ(k, k)) apart.emplace_back(k, k);
  }
  if (of_left.size() == 2 && apart.size() == 2) {  // the other way round
    if (!differ(0, 1))
      apart = {{1, 0}};
    else if (!differ(1, 0))
      apart = {{0, 1}};
  }
  if (apart.size() != 1 && go_to_summands()) return true;
  const bool is_found = !apart.empty() && reducer_at(left_, left_.place) == HloOpcode::kOther;
  if (apart.size() != 1 && !is_found) return false;
  const auto [a, b] = apart[0];
  return go_on(left_, of_left[a]) && go_on(right_, of_right[b]);
}

}  // namespace

void add_path(const ResultElement& left, const ResultElement& right, const ValueOptions& options,
              ValueEquality& answer) {
  if (!answer.point && answer.verdict != Verdict::kUndecided) return;
  const int64_t work = options.limits.work / 4;
  spec::Terms terms(true);
  Point point(terms, answer.point.value_or(PointNumbers()));
  AtOneIndex domain(terms, point, work);
  Forms forms(terms, options.allowed, work);
  AlikeForms alike(forms, options.allowed.contains(ValueLaw::kReductionOrder), work);
  const auto are_apart_there = [&](TermId a, TermId b) {
    return answer.point ? are_apart(point.of(a), point.of(b))
                        : !alike.are(forms.of(a), forms.of(b));
  };
  const auto text = [&](TermId term) {
    if (answer.point) return text_of(point.of(term));
    constexpr size_t kMost = 80;
    std::string all = terms.text(term, kMost);
    return all.size() > kMost ? absl::StrCat(all.substr(0, kMost), " ..") : all;
  };
  PathFinder finder(left, right, terms, domain, work, are_apart_there);
  if (!finder.find()) return;
  answer.path = finder.path(text);
  if (answer.point || !answer.left.empty() || answer.path.right.empty()) return;
  answer.left = answer.path.left.back().value;
  answer.right = answer.path.right.back().value;
}

}  // namespace tileproof::verify
