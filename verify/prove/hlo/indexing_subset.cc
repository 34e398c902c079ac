// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/indexing_subset.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "spec/lang/base/odometer.h"
#include "verify/prove/smt/disjunction.h"
#include "verify/prove/smt/equations.h"

namespace tileproof::verify {
namespace {

constexpr size_t kMaxCases = 64;    // cases of one formula
constexpr size_t kMaxGivens = 256;  // cases of the part: the disjunct to prove
constexpr int kMaxClamped = 4096;   // ways to clamp its values, in combination
// Attempts at the range variables of one disjunct: a few at each come before many at one.
constexpr int kFirstAttempts = 4;
constexpr int kMostAttempts = 400;
constexpr size_t kMaxCandidates = 4;  // for a range variable that no equation determines
constexpr size_t kManyAttempts = 8;   // after so many, the first is tried alone
constexpr int kMaxWidenings = 8;
constexpr size_t kMoreElements = 8;        // that the union alone reads, beyond one for each read
constexpr int64_t kMaxWalks = 300'000;     // evaluations in the search for one counterexample
constexpr int64_t kMaxSampleWalks = 1000;  // .. at the points of a sample
constexpr int kSampled = 32;               // such points

Sum number(Wide value) { return Sum{nullptr, {}, value, false}; }

// Replays a list of choices, and enumerates all lists.
class Choices {
 public:
  size_t choose(size_t options) {
    if (next_ == taken_.size()) taken_.push_back({0, options});
    return taken_[next_++].first;
  }

  // Restarts with the next list of choices. Returns false after the last.
  bool advance() {
    taken_.resize(next_);
    next_ = 0;
    while (!taken_.empty() && taken_.back().first + 1 >= taken_.back().second) taken_.pop_back();
    if (taken_.empty()) return false;
    ++taken_.back().first;
    return true;
  }

 private:
  std::vector<std::pair<size_t, size_t>> taken_;  // choice, and number of options
  size_t next_ = 0;
};

// The values read from one element.
struct Known {
  HloPosition position;
  std::vector<Symbol> index;
  Sum value;
  size_t read = 0;  // the position of the value in SubsetProver::reads()
};

// One case of the part: its facts, the pair of elements, and the values it reads.
struct Given {
  Conjunction facts;
  std::vector<Symbol> output;
  std::vector<Symbol> index;
  std::vector<Known> values;
};

bool same_index(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  return std::ranges::equal(a, b, [](const Symbol& x, const Symbol& y) { return x.sum == y.sum; });
}

// Returns whether no coordinate certainly differs.
bool may_be_same(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  return std::ranges::equal(a, b, [](const Symbol& x, const Symbol& y) {
    const Sum difference = x.sum - y.sum;
    return !difference.is_number() || difference.constant == 0;
  });
}

class SubsetProver {
 public:
  SubsetProver(const SourceResolver& resolver, const spec::Dims& dims, const Disjunct& part,
               const std::vector<Disjunct>& whole, const std::vector<Interval>& reads,
               SolverSession& solver_session, Counterexamples counterexamples)
      : resolver_(resolver),
        dims_(dims),
        part_(part),
        whole_(whole),
        reads_(reads),
        solver_session_(solver_session),
        counterexamples_(counterexamples),
        context_(bounds_of(dims, part, whole, reads)) {
    o_ = block(dims.size());
    s_ = block(part.ranges().size());
    values_ = block(reads.size());
    size_t next = part.reads().size();
    for (const Disjunct& disjunct : whole) {
      first_element_of_.push_back(next);
      next += disjunct.reads().size();
      ranges_of_.push_back(block(disjunct.ranges().size()));
      reads_of_.push_back(block(disjunct.reads().size()));
    }
  }

  SubsetProof run() {
    if (counterexamples_ == Counterexamples::kSampled && is_refuted_by_sample()) {
      return {Verdict::kRefuted, counterexample_};
    }
    const std::optional<std::vector<Given>> givens = cases_of_part();
    if (!givens || widened_) return {};
    for (const Given& given : *givens) {
      if (solver_session_.is_late()) return {};
      const Verdict verdict = prove(given);
      if (widened_) return {};
      if (verdict != Verdict::kProven) return {verdict, counterexample_};
    }
    return {Verdict::kProven, std::nullopt};
  }

  // Returns whether an element is read twice with different bounds. Then the caller must start
  // again with reads(), which has the union of both.
  bool widened() const { return widened_; }
  // The bounds of values: one for each read of the part, then one for each read of the union, then
  // kMoreElements.
  const std::vector<Interval>& reads() const { return reads_; }

 private:
  struct Block {
    int32_t first = 0;
    size_t size = 0;
  };

  static std::vector<Interval> bounds_of(const spec::Dims& dims, const Disjunct& part,
                                         const std::vector<Disjunct>& whole,
                                         const std::vector<Interval>& reads) {
    std::vector<Interval> bounds;
    // A disjunct with an empty range is skipped, but its variables get a dummy value.
    const auto append = [&](const std::vector<Interval>& more) {
      for (const Interval& one : more) bounds.push_back({one.low, std::max(one.low, one.high)});
    };
    for (const int64_t size : dims) bounds.push_back({0, size - 1});
    append(part.ranges());
    append(reads);
    for (const Disjunct& disjunct : whole) {
      append(disjunct.ranges());
      append(disjunct.reads());
    }
    return bounds;
  }

  Block block(size_t size) {
    const Block result{next_variable_, size};
    next_variable_ += static_cast<int32_t>(size);
    return result;
  }

  Symbol symbol(const Block& block, size_t i) {
    return Symbol(context_.atom(block.first + static_cast<int32_t>(i)));
  }
  std::vector<Symbol> symbols(const Block& block) {
    std::vector<Symbol> result;
    for (size_t i = 0; i < block.size; ++i) result.push_back(symbol(block, i));
    return result;
  }

  // ---- The part ----

  std::optional<std::vector<Given>> cases_of_part() {
    std::vector<Given> givens;
    Choices choices;
    int count = 0;
    do {
      if (++count > kMaxClamped || givens.size() > kMaxGivens) return std::nullopt;
      if (solver_session_.is_late()) return std::nullopt;
      Given given;
      size_t next = 0;
      Pair<Symbol> pair =
          part_.pair(symbols(o_), symbols(s_), [&](const RuntimeRead<Symbol>& read) {
            return read_by_part(read, next++, choices, given);
          });
      const auto cases = cases_of(context_, pair.in_domain, kMaxCases);
      if (!cases) return std::nullopt;
      given.output = std::move(pair.output);
      given.index = std::move(pair.index);
      for (const Conjunction& holds : *cases) {
        givens.push_back(given);
        givens.back().facts.insert(givens.back().facts.end(), holds.begin(), holds.end());
      }
    } while (choices.advance());
    return givens;
  }

  Symbol read_by_part(const RuntimeRead<Symbol>& read, size_t which, Choices& choices,
                      Given& given) {
    const ResolvedSource<Symbol> source = resolver_.resolve_source(
        read, context_, [&](const std::vector<Conjunction>& cases) -> std::optional<size_t> {
          return choose_case(cases, choices, given.facts);
        });
    const Interval bounds{read.low, read.high};
    if (source.known) return Symbol(clamped(source.known->sum, bounds, choices, given.facts));
    for (const Known& known : given.values) {
      if (known.position == source.position && same_index(known.index, source.index)) {
        widen(known.read, bounds);
        return Symbol(clamped(known.value, bounds, choices, given.facts));
      }
    }
    const Sum value = symbol(values_, which).sum;
    given.values.push_back({source.position, source.index, value, which});
    keep_type(source.position, which, given.facts);
    return Symbol(clamped(value, bounds, choices, given.facts));
  }

  // The value is one of the element type: of u8, 0 to 255. If all of these are on one side of the
  // bounds in reads(), the variable is the end at which they are clamped.
  void keep_type(const HloPosition& position, size_t read, Conjunction& facts) {
    const auto type = resolver_.integers_in(position);
    const Interval& bounds = reads_[read];
    if (!type || bounds.low >= bounds.high) return;
    const Sum value = symbol(values_, read).sum;
    if (type->low > bounds.low) facts.push_back(value - number(std::min(type->low, bounds.high)));
    if (type->high < bounds.high) facts.push_back(number(std::max(type->high, bounds.low)) - value);
  }

  static size_t choose_case(const std::vector<Conjunction>& cases, Choices& choices,
                            Conjunction& facts) {
    const Conjunction& holds = cases[choices.choose(cases.size())];
    facts.insert(facts.end(), holds.begin(), holds.end());
    return static_cast<size_t>(&holds - cases.data());
  }

  void widen(size_t read, const Interval& bounds) {
    Interval& wide = reads_[read];
    if (wide.low <= bounds.low && bounds.high <= wide.high) return;
    wide = {std::min(wide.low, bounds.low), std::max(wide.high, bounds.high)};
    widened_ = true;
  }

  Sum clamped(const Sum& value, const Interval& bounds, Choices& choices, Conjunction& facts) {
    if (bounds.low >= bounds.high) return number(bounds.low);
    const Sum above = value - number(bounds.low), below = number(bounds.high) - value;
    std::vector<int> positions;  // for each value: below, within or above its bounds
    if (always(context_, above) != true) positions.push_back(-1);
    if (always(context_, above) != false && always(context_, below) != false)
      positions.push_back(0);
    if (always(context_, below) != true) positions.push_back(1);
    const int position =
        positions.size() == 1 ? positions[0] : positions[choices.choose(positions.size())];
    if (position >= 0 && always(context_, above) != true) facts.push_back(above);
    if (position <= 0 && always(context_, below) != true) facts.push_back(below);
    if (position < 0) facts.push_back(-above - number(1));
    if (position > 0) facts.push_back(-below - number(1));
    return position == 0 ? value : number(position < 0 ? bounds.low : bounds.high);
  }

  // ---- A disjunct, with values for its range variables ----

  struct Attempt {
    std::vector<std::optional<Symbol>> ranges;
    std::vector<std::optional<Symbol>> reads;
    Conjunction needs;
    std::vector<ResolvedSource<Symbol>> open;  // reads whose element is not known yet
    bool guessed = false;                      // an element was guessed
    bool failed = false;                       // too many elements
  };

  // Returns what must hold for the disjunct to contain the given pair; nothing if it cannot.
  std::optional<Conjunction> attempt(size_t b, const Given& given, Choices& choices) {
    const Disjunct& disjunct = whole_[b];
    Attempt at;
    at.reads.resize(disjunct.reads().size());
    for (size_t k = 0; k < disjunct.ranges().size(); ++k) {
      const Symbol s = symbol(ranges_of_[b], k);
      at.ranges.push_back(s.sum.is_number() ? std::optional(s) : std::nullopt);
    }
    while (!solver_session_.is_late()) {
      const PathEnd<Symbol> walked = walk(b, given, choices, at);
      if (at.failed) return std::nullopt;
      const auto unknown = std::ranges::find_if(at.ranges, [](const auto& s) { return !s; });
      if (unknown == at.ranges.end()) return needs_of(b, walked, given, choices, std::move(at));
      if (solve(b, zeros_of(walked, given), at)) continue;
      if (guess_element(b, given, choices, at)) continue;
      const auto k = static_cast<size_t>(unknown - at.ranges.begin());
      if (std::optional<Symbol> one = fitting(b, k, walked, given, choices, at)) {
        at.ranges[k] = *std::move(one);
        continue;
      }
      const std::vector<Symbol> candidates = candidates_for(b, k);
      at.ranges[k] = candidates[choices.choose(candidates.size())];
    }
    return std::nullopt;
  }

  PathEnd<Symbol> walk(size_t b, const Given& given, Choices& choices, Attempt& at) {
    std::vector<Symbol> s = symbols(ranges_of_[b]);
    for (size_t k = 0; k < s.size(); ++k) s[k] = at.ranges[k].value_or(s[k]);
    const Equations unknown(context_, open_ranges(b, at), open_reads(b, at));
    at.open.clear();
    size_t next = 0;
    return whole_[b].walk(given.output, s, [&](const RuntimeRead<Symbol>& read) {
      const size_t which = next++;
      if (at.reads[which]) return *at.reads[which];
      const Symbol any = symbol(reads_of_[b], which);
      const auto is_open = [&](const Symbol& x) { return unknown.is_open(x.sum); };
      const ResolvedSource<Symbol> source = resolver_.resolve_source(
          read, context_, [&](const std::vector<Conjunction>& cases) -> std::optional<size_t> {
            if (std::ranges::any_of(read.index, is_open)) return std::nullopt;
            return choose_case(cases, choices, at.needs);
          });
      if (std::ranges::any_of(source.index, is_open)) {
        at.open.push_back(source);
        return any;
      }
      at.reads[which] = read_by_disjunct(source, first_element_of_[b] + which,
                                         {read.low, read.high}, given, choices, at);
      return *at.reads[which];
    });
  }

  // `own`: the position in reads() of the read.
  Symbol read_by_disjunct(const ResolvedSource<Symbol>& source, size_t own, const Interval& bounds,
                          const Given& given, Choices& choices, Attempt& at) {
    if (source.known) return Symbol(clamped(source.known->sum, bounds, choices, at.needs));
    std::vector<const Known*> same, perhaps;
    for (const Known& known : given.values) {
      if (known.position != source.position || !may_be_same(known.index, source.index)) continue;
      (same_index(known.index, source.index) ? same : perhaps).push_back(&known);
    }
    if (same.empty()) {
      const size_t which = choices.choose(perhaps.size() + 1);
      if (which == perhaps.size()) return read_by_union_alone(source, own, bounds, choices, at);
      same = {perhaps[which]};
      for (size_t d = 0; d < source.index.size(); ++d) {
        need_equal(source.index[d], same[0]->index[d], at.needs);
      }
    }
    widen(same[0]->read, bounds);
    return Symbol(clamped(same[0]->value, bounds, choices, at.needs));
  }

  // The value of an element that only the union reads. The pair must be in the union for all of its
  // values, so each element has one variable in all attempts, and no two share one.
  Symbol read_by_union_alone(const ResolvedSource<Symbol>& source, size_t own,
                             const Interval& bounds, Choices& choices, Attempt& at) {
    for (const Known& known : read_by_union_) {
      if (known.position != source.position || !same_index(known.index, source.index)) continue;
      widen(known.read, bounds);
      return Symbol(clamped(known.value, bounds, choices, at.needs));
    }
    const auto is_free = [&](size_t read) {
      return std::ranges::find(read_by_union_, read, &Known::read) == read_by_union_.end();
    };
    size_t read = own;
    if (!is_free(own)) read = reads_.size() - kMoreElements;
    while (read < reads_.size() && !is_free(read)) ++read;
    if (read == reads_.size()) {
      at.failed = true;
      return Symbol(bounds.low);
    }
    const Sum value = symbol(values_, read).sum;
    read_by_union_.push_back({source.position, source.index, value, read});
    keep_type(source.position, read, union_facts_);
    widen(read, bounds);
    return Symbol(clamped(value, bounds, choices, at.needs));
  }

  std::set<int32_t> open_variables(const Block& block,
                                   const std::vector<std::optional<Symbol>>& known) const {
    std::set<int32_t> open;
    for (size_t k = 0; k < known.size(); ++k) {
      if (!known[k]) open.insert(block.first + static_cast<int32_t>(k));
    }
    return open;
  }
  std::set<int32_t> open_ranges(size_t b, const Attempt& at) const {
    return open_variables(ranges_of_[b], at.ranges);
  }
  std::set<int32_t> open_reads(size_t b, const Attempt& at) const {
    return open_variables(reads_of_[b], at.reads);
  }

  // Returns the sums that must be 0 for the disjunct to contain the given pair.
  std::vector<Sum> zeros_of(const PathEnd<Symbol>& walked, const Given& given) {
    std::vector<Sum> zeros;
    for (size_t d = 0; d < walked.index.size() && d < given.index.size(); ++d) {
      zeros.push_back(walked.index[d].sum - given.index[d].sum);
    }
    const auto cases = cases_of(context_, walked.in_domain, 1);
    if (!cases || cases->empty()) return zeros;
    for (const Sum& sum : cases->front()) {
      const Range range = context_.range_of(sum);
      const bool is_zero = (range.high.value && *range.high.value == 0) ||
                           std::ranges::find(cases->front(), -sum) != cases->front().end();
      if (is_zero) zeros.push_back(sum);
    }
    return zeros;
  }

  // Solves equations for range variables. Returns false if there is no new value.
  bool solve(size_t b, const std::vector<Sum>& zeros, Attempt& at) {
    Equations equations(context_, open_ranges(b, at), open_reads(b, at));
    equations.solve(zeros);
    bool found = false;
    for (size_t k = 0; k < at.ranges.size(); ++k) {
      if (at.ranges[k]) continue;
      const auto value = equations.value(ranges_of_[b].first + static_cast<int32_t>(k));
      if (!value || equations.is_open(*value)) continue;
      at.ranges[k] = Symbol(*value);
      found = true;
    }
    return found;
  }

  // Tries elements that the part reads, for range variables that only select a read element.
  bool guess_element(size_t b, const Given& given, Choices& choices, Attempt& at) {
    if (at.guessed) return false;
    std::vector<std::vector<Sum>> guesses;
    for (const ResolvedSource<Symbol>& source : at.open) {
      for (const Known& known : given.values) {
        if (known.position != source.position || !may_be_same(known.index, source.index)) continue;
        guesses.emplace_back();
        for (size_t d = 0; d < source.index.size(); ++d) {
          guesses.back().push_back(source.index[d].sum - known.index[d].sum);
        }
      }
      if (!guesses.empty()) break;
    }
    const size_t which = choices.choose(guesses.size() + 1);
    if (which == guesses.size()) {
      at.guessed = true;
      return false;
    }
    if (solve(b, guesses[which], at)) return true;
    if (choose_narrowest(b, guesses[which], choices, at)) return true;
    at.guessed = true;
    return false;
  }

  // The middle first, which a padded window always has.
  static std::vector<int64_t> ends_and_middle(const Interval& bounds) {
    const auto [low, high] = bounds;
    std::vector<int64_t> values = {low + (high - low) / 2};
    if (values[0] != low) values.push_back(low);
    if (values[0] != high) values.push_back(high);
    return values;
  }

  // Chooses a value for the range variable of fewest values among those of the equations, so that
  // they can be solved for the others. Returns false if they have no range variable.
  bool choose_narrowest(size_t b, const std::vector<Sum>& zeros, Choices& choices, Attempt& at) {
    const std::vector<Interval>& ranges = whole_[b].ranges();
    std::optional<size_t> narrowest;
    for (const int32_t variable : open_ranges(b, at)) {
      const auto k = static_cast<size_t>(variable - ranges_of_[b].first);
      const Equations unknown(context_, {variable}, {});
      const auto has_it = [&](const Sum& zero) { return unknown.is_open(zero); };
      const auto size = [&](size_t r) { return ranges[r].high - ranges[r].low; };
      if (narrowest && size(k) >= size(*narrowest)) continue;
      if (std::ranges::any_of(zeros, has_it)) narrowest = k;
    }
    if (!narrowest) return false;
    const std::vector<int64_t> candidates = ends_and_middle(ranges[*narrowest]);
    at.ranges[*narrowest] = Symbol(candidates[choices.choose(candidates.size())]);
    return true;
  }

  // Candidates: the part's range variable at the same position, others with the same bounds, the
  // middle and the bounds, and if there are no others of the same bounds, some that overlap. Skips input indices
  // among the variables, which are not ranges.
  std::vector<Symbol> candidates_for(size_t b, size_t k) {
    const Interval bounds = whole_[b].ranges()[k];
    std::vector<Symbol> candidates;
    const auto& ranges = part_.ranges();
    const size_t first = part_.index_variables();
    const size_t same = first + k;
    if (same < ranges.size() && ranges[same] == bounds) candidates.push_back(symbol(s_, same));
    const auto take = [&](const auto& fits) {
      for (size_t j = first; j < ranges.size() && candidates.size() < kMaxCandidates; ++j) {
        if (fits(j)) candidates.push_back(symbol(s_, j));
      }
    };
    take([&](size_t j) { return j != same && ranges[j] == bounds; });
    const bool is_alone = candidates.empty();
    for (const int64_t value : ends_and_middle(bounds)) candidates.emplace_back(value);
    if (is_alone) {
      take([&](size_t j) { return ranges[j].low <= bounds.high && bounds.low <= ranges[j].high; });
    }
    return candidates;
  }

  // A candidate that meets all conditions of the variable, as the facts say, if nothing else that is
  // open depends on it. Then no other needs to be tried.
  std::optional<Symbol> fitting(size_t b, size_t k, const PathEnd<Symbol>& walked,
                                const Given& given, const Choices& choices, const Attempt& at) {
    const int32_t variable = ranges_of_[b].first + static_cast<int32_t>(k);
    std::set<int32_t> others = open_ranges(b, at);
    others.erase(variable);
    const Equations own(context_, {variable}, {}), rest(context_, others, open_reads(b, at));
    const auto has_it = [&](const Symbol& symbol) { return own.is_open(symbol.sum); };
    if (std::ranges::any_of(walked.index, has_it)) return std::nullopt;
    for (const ResolvedSource<Symbol>& source : at.open) {
      if (std::ranges::any_of(source.index, has_it)) return std::nullopt;
    }
    const auto conditions = only_case(walked.in_domain);
    if (!conditions) return std::nullopt;
    for (const Sum& sum : *conditions) {
      if (own.is_open(sum) && rest.is_open(sum)) return std::nullopt;
    }
    const Interval& bounds = whole_[b].ranges()[k];
    for (const Symbol& candidate : candidates_for(b, k)) {
      if (always(context_, candidate.sum - number(bounds.low)) != true ||
          always(context_, number(bounds.high) - candidate.sum) != true) {
        continue;
      }
      Attempt then = at;
      Choices ways = choices;
      then.ranges[k] = candidate;
      auto needs = only_case(walk(b, given, ways, then).in_domain);
      if (!needs) continue;
      std::erase_if(*needs, [&](const Sum& sum) {
        return always(context_, sum) == true ||
               std::ranges::find(*conditions, sum) != conditions->end();
      });
      if (drop_stated(context_, given.facts, *needs) && needs->empty()) return candidate;
    }
    return std::nullopt;
  }

  // The conjunction that a formula is.
  std::optional<Conjunction> only_case(const Formula& formula) const {
    auto cases = cases_of(context_, formula, 1);
    if (!cases || cases->size() != 1) return std::nullopt;
    return std::move(cases->front());
  }

  static void need_equal(const Symbol& a, const Symbol& b, Conjunction& needs) {
    needs.push_back(a.sum - b.sum);
    needs.push_back(b.sum - a.sum);
  }

  std::optional<Conjunction> needs_of(size_t b, const PathEnd<Symbol>& walked, const Given& given,
                                      Choices& choices, Attempt at) {
    const auto cases = cases_of(context_, walked.in_domain, kMaxCases);
    if (!cases || cases->empty() || walked.index.size() != given.index.size() ||
        given.output.size() != dims_.size() || !at.open.empty()) {
      return std::nullopt;
    }
    const Conjunction& holds = (*cases)[choices.choose(cases->size())];
    at.needs.insert(at.needs.end(), holds.begin(), holds.end());
    for (size_t d = 0; d < walked.index.size(); ++d) {
      need_equal(walked.index[d], given.index[d], at.needs);
    }
    for (size_t d = 0; d < dims_.size(); ++d) {  // determined by an inverse map
      at.needs.push_back(given.output[d].sum);
      at.needs.push_back(number(dims_[d] - 1) - given.output[d].sum);
    }
    for (size_t k = 0; k < at.ranges.size(); ++k) {
      const Interval& bounds = whole_[b].ranges()[k];
      at.needs.push_back(at.ranges[k]->sum - number(bounds.low));
      at.needs.push_back(number(bounds.high) - at.ranges[k]->sum);
    }
    Conjunction needs;
    for (const Sum& sum : at.needs) {
      const std::optional<bool> known = always(context_, sum);
      if (known == false) return std::nullopt;
      if (!known && std::ranges::find(needs, sum) == needs.end()) needs.push_back(sum);
    }
    return needs;
  }

  // ---- The union ----

  // Whether two of the facts exclude each other, as intervals show: a value equals an index, but it
  // was clamped.
  bool is_impossible(const Conjunction& facts) const {
    for (size_t a = 0; a < facts.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        if (always(context_, facts[a] + facts[b]) == false) return true;
      }
    }
    return false;
  }

  // Whether the pair is in a disjunct by the first values that were tried.
  bool is_enough(const Given& given, const Conjunction& needs) {
    const auto confirm = [](const std::vector<int64_t>&) { return false; };
    return prove_disjunction(context_, given.facts, {needs}, solver_session_, confirm) ==
           Verdict::kProven;
  }

  Verdict prove(const Given& given) {
    if (is_impossible(given.facts)) return Verdict::kProven;
    read_by_union_.clear();
    union_facts_.clear();
    std::vector<Conjunction> disjuncts;
    std::vector<Choices> choices(whole_.size());
    std::vector<bool> is_done(whole_.size());
    for (const int most : {kFirstAttempts, kMostAttempts}) {
      if (most > kFirstAttempts && !solver_session_.asks) return Verdict::kUndecided;
      for (size_t b = 0; b < whole_.size(); ++b) {
        if (is_empty(whole_[b].ranges())) continue;
        for (int tried = 0; tried < most && !is_done[b]; ++tried) {
          std::optional<Conjunction> needs = attempt(b, given, choices[b]);
          if (widened_ || solver_session_.is_late()) return Verdict::kUndecided;
          if (needs && drop_stated(context_, given.facts, *needs)) {
            if (needs->empty()) return Verdict::kProven;
            disjuncts.push_back(*std::move(needs));
            if (disjuncts.size() == kManyAttempts && is_enough(given, disjuncts[0])) {
              return Verdict::kProven;
            }
          }
          is_done[b] = !choices[b].advance();
        }
      }
    }
    std::ranges::sort(disjuncts, {}, [](const Conjunction& needs) { return needs.size(); });
    disjuncts.erase(std::unique(disjuncts.begin(), disjuncts.end()), disjuncts.end());
    Conjunction facts = given.facts;
    facts.insert(facts.end(), union_facts_.begin(), union_facts_.end());
    return prove_disjunction(context_, facts, std::move(disjuncts), solver_session_,
                             [&](const std::vector<int64_t>& values) {
                               int64_t walks = kMaxWalks;
                               return counterexamples_ == Counterexamples::kWanted &&
                                      is_counterexample(values, walks);
                             });
  }

  // ---- Counterexamples in integers ----

  using Values = std::map<std::pair<HloPosition, std::vector<int64_t>>, int64_t>;

  std::vector<int64_t> part_of(const std::vector<int64_t>& values, const Block& block) const {
    const auto first = values.begin() + block.first;
    return {first, first + static_cast<std::ptrdiff_t>(block.size)};
  }

  static int64_t clamp(int64_t value, int64_t low, int64_t high) {
    return low > high ? low : std::clamp(value, low, high);
  }

  // The value that the variable stands for, of the element type.
  int64_t value_of_type(const HloPosition& position, size_t read,
                        const std::vector<int64_t>& at) const {
    const int64_t value = at[values_.first + static_cast<int32_t>(read)];
    const auto type = resolver_.integers_in(position);
    return type ? std::clamp(value, type->low, type->high) : value;
  }

  // Whether the union lacks a pair at some points: at the ends of variables, and between.
  bool is_refuted_by_sample() {
    std::minstd_rand random;
    int64_t walks = kMaxSampleWalks;
    for (int k = 0; k < kSampled && walks > 0; ++k) {
      std::vector<int64_t> at;
      for (int32_t v = 0; v < next_variable_; ++v) {
        const auto& [low, high] = context_.atoms()[v].range;
        const auto first = static_cast<int64_t>(*low.value),
                   last = static_cast<int64_t>(*high.value);
        const auto one_of = [&](uint64_t size) { return size == 0 ? 0 : random() % size; };
        const uint64_t kind = one_of(3);
        at.push_back(kind == 0   ? first
                     : kind == 1 ? last
                                 : first + static_cast<int64_t>(one_of(last - first)));
      }
      if (is_counterexample(at, walks)) return true;
    }
    return false;
  }

  bool is_counterexample(const std::vector<int64_t>& at, int64_t& walks) {
    Values values;
    size_t next = 0;
    Pair<int64_t> walked =
        part_.pair(part_of(at, o_), part_of(at, s_), [&](const RuntimeRead<int64_t>& read) {
          const size_t which = next++;
          ResolvedSource<int64_t> source = resolver_.resolve_source(read);
          if (source.known) return clamp(*source.known, read.low, read.high);
          const int64_t value = value_of_type(source.position, which, at);
          const auto known =
              values.try_emplace({std::move(source.position), std::move(source.index)}, value);
          return clamp(known.first->second, read.low, read.high);
        });
    if (!walked.in_domain) return false;
    for (const Known& known : read_by_union_) {
      auto index = numbers(known.index, at);
      if (!index) continue;
      values.try_emplace({known.position, *std::move(index)},
                         value_of_type(known.position, known.read, at));
    }
    Counterexample pair{std::move(walked.output), std::move(walked.index), {}};
    for (size_t b = 0; b < whole_.size(); ++b) {
      if (is_in_disjunct(b, pair, values, walks) || walks <= 0) return false;
    }
    for (const auto& [element, value] : values) {
      pair.values.push_back({element.first, element.second, value});
    }
    counterexample_ = std::move(pair);
    return true;
  }

  // Nothing if one is beyond 64 bits.
  std::optional<std::vector<int64_t>> numbers(const std::vector<Symbol>& index,
                                              const std::vector<int64_t>& at) const {
    std::vector<int64_t> result;
    for (const Symbol& one : index) {
      const std::optional<int64_t> value = to_int64(value_at(context_, one.sum, at));
      if (!value) return std::nullopt;
      result.push_back(*value);
    }
    return result;
  }

  bool is_inside(const std::vector<int64_t>& output) const {
    if (output.size() != dims_.size()) return false;
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (output[d] < 0 || output[d] >= dims_[d]) return false;
    }
    return true;
  }

  // Returns whether the disjunct has the pair. Stops when the evaluations or the time are used up,
  // and then sets `walks` to 0.
  bool is_in_disjunct(size_t b, const Counterexample& pair, const Values& values, int64_t& walks) {
    const Disjunct& disjunct = whole_[b];
    if (is_empty(disjunct.ranges()) || !is_inside(pair.output)) return false;
    std::vector<Interval> box = disjunct.ranges();
    if (!narrow(b, pair, box)) return false;
    std::vector<int64_t> s;
    for (const Interval& interval : box) s.push_back(interval.low);
    do {
      if (--walks % 256 == 0 && solver_session_.is_late()) walks = 0;
      if (walks <= 0) return false;
      const PathEnd<int64_t> walked =
          disjunct.walk(pair.output, s, [&](const RuntimeRead<int64_t>& read) {
            ResolvedSource<int64_t> source = resolver_.resolve_source(read);
            if (source.known) return clamp(*source.known, read.low, read.high);
            const auto known = values.find({std::move(source.position), std::move(source.index)});
            return clamp(known == values.end() ? 0 : known->second, read.low, read.high);
          });
      if (walked.in_domain && walked.index == pair.index) return true;
    } while (next_point(box, s));
    return false;
  }

  // A range variable that is a coordinate of the index and a number has one value. Returns false if it
  // cannot have it.
  bool narrow(size_t b, const Counterexample& pair, std::vector<Interval>& box) {
    const auto [known, is_new] = determined_.try_emplace(b);
    if (is_new) {
      size_t next = 0;
      const PathEnd<Symbol> walked =
          whole_[b].walk(symbols(o_), symbols(ranges_of_[b]),
                         [&](const RuntimeRead<Symbol>&) { return symbol(reads_of_[b], next++); });
      for (size_t d = 0; d < walked.index.size(); ++d) {
        for (size_t k = 0; k < box.size(); ++k) {
          const Sum s = symbol(ranges_of_[b], k).sum, shift = walked.index[d].sum - s;
          if (s.is_number() || !shift.is_number()) continue;
          known->second.push_back({d, k, shift.constant});
        }
      }
    }
    for (const auto& [d, k, shift] : known->second) {
      if (d >= pair.index.size()) continue;
      const Wide value = pair.index[d] - shift;
      if (value < box[k].low || value > box[k].high) return false;
      box[k] = {static_cast<int64_t>(value), static_cast<int64_t>(value)};
    }
    return true;
  }

  const SourceResolver& resolver_;
  const spec::Dims& dims_;
  const Disjunct& part_;
  const std::vector<Disjunct>& whole_;
  std::vector<Interval> reads_;
  SolverSession& solver_session_;
  Counterexamples counterexamples_;
  QuasiAffineContext context_;
  int32_t next_variable_ = 0;
  Block o_, s_, values_;
  std::vector<Block> ranges_of_, reads_of_;  // reads_of_: of elements that are not known yet
  std::vector<size_t> first_element_of_;     // the position in reads() of each disjunct's first
  std::vector<Known> read_by_union_;         // .. alone
  Conjunction union_facts_;                  // about these
  bool widened_ = false;
  std::optional<Counterexample> counterexample_;
  // A coordinate of a disjunct's index is a range variable and a number.
  struct Determined {
    size_t coordinate = 0, range = 0;
    Wide shift = 0;
  };
  std::map<size_t, std::vector<Determined>> determined_;  // by disjunct
};

}  // namespace

SubsetProof prove_is_subset(const SourceResolver& resolver, const spec::Dims& dims,
                            const Disjunct& part, const std::vector<Disjunct>& whole,
                            SolverSession& solver_session, Counterexamples counterexamples) {
  const bool nothing =
      std::ranges::any_of(dims, [](int64_t size) { return size == 0; }) || is_empty(part.ranges());
  if (nothing) return {Verdict::kProven, std::nullopt};
  std::vector<Interval> reads = part.reads();
  for (const Disjunct& disjunct : whole) {
    reads.insert(reads.end(), disjunct.reads().begin(), disjunct.reads().end());
  }
  Interval all{0, 0};
  for (const Interval& one : reads)
    all = {std::min(all.low, one.low), std::max(all.high, one.high)};
  reads.resize(reads.size() + kMoreElements, all);
  for (int i = 0; i < kMaxWidenings; ++i) {
    SubsetProver prover(resolver, dims, part, whole, reads, solver_session, counterexamples);
    SubsetProof result = prover.run();
    if (!prover.widened()) return result;
    reads = prover.reads();
  }
  return {};
}

}  // namespace tileproof::verify
