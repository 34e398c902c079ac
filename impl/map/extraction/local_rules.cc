// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/local_rules.h"

#include <algorithm>
#include <numeric>

#include "impl/map/extraction/cost.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/normalize.h"
#include "impl/map/proof_log/proof_log_map.h"
#include "impl/map/visit_nodes.h"

namespace tileproof::impl {
namespace {

bool has_one_value(const Range& range) { return range.low == range.high; }

Range divided_range(const Range& x, int64_t c) {
  const Range ends{floor_wide(x.low, c), floor_wide(x.high, c)};
  return c > 0 ? ends : Range{ends.high, ends.low};
}

// The context gives up if values leave 64 bits.
bool gives_up(NormalFormContext& context, const Range& range) {
  context.gave_up |= !fits(range);
  return context.gave_up;
}

// The written operation as a sum: a constant if it has one value. (While steps are logged, such a
// value is put in at the end.)
Linear written(NormalFormContext& context, AtomKind kind, const Linear& x, int64_t c,
               const Range& of_all) {
  const int32_t atom = written_atom(context, kind, x, c, of_all);
  if (is_logging(context)) {
    log_written(context, atom);
    return atom_form(context, atom);
  }
  const Range& range = context.atoms[atom].range;
  if (has_one_value(range) && fits(range)) return constant(static_cast<int64_t>(range.low));
  return atom_form(context, atom);
}

// Returns whether a number has no negation.
bool is_extreme(const Linear& x, int64_t c) {
  return c == INT64_MIN || x.constant == INT64_MIN ||
         std::any_of(x.begin(), x.end(), [](const Term& term) { return term.factor == INT64_MIN; });
}

// The terms with a factor that c divides and the rest. The constant stays in the rest, unless c
// divides it.
struct Split {
  Linear multiples;  // divided by c
  Linear rest;
};

Split split_multiples(NormalFormContext& context, const Linear& x, int64_t c) {
  Term* rest = context.arena.reserve(2 * x.count);
  Term* multiples = rest + x.count;
  int32_t kept = 0, pulled = 0;
  for (const Term& term : x) {
    if (c != -1 && term.factor % c == 0) {
      multiples[pulled++] = {term.atom, term.factor / c};
    } else {
      rest[kept++] = term;
    }
  }
  context.arena.keep(2 * x.count);
  if (c == -1 || x.constant % c != 0) return {{multiples, pulled, 0}, {rest, kept, x.constant}};
  return {{multiples, pulled, x.constant / c}, {rest, kept, 0}};
}

// x is a single floor times 1: the atom; -1 otherwise.
int32_t single_atom(const NormalFormContext& context, const Linear& x, AtomKind kind) {
  if (x.count != 1 || x.constant != 0 || x.terms->factor != 1) return -1;
  return context.atoms[x.terms->atom].kind == kind ? int32_t{x.terms->atom} : -1;
}

Linear floor_by(NormalFormContext& context, Linear x, int64_t c);

// drop-small-part: the largest factor g of c for which the rest of the terms stays inside one cell.
std::optional<Linear> without_small_part(NormalFormContext& context, const Linear& x, int64_t c) {
  if (c < 0) return std::nullopt;
  for (const Term& term : x) {
    const int64_t g = std::gcd(c, term.factor);
    if (g <= 1) continue;
    const Split split = split_multiples(context, without_constant(x), g);
    Linear small = split.rest;
    small.constant = floor_remainder(x.constant, g);
    const Range range = interval_sum(context, small);
    const Wide m = floor_wide(range.low, g);
    if (context.gave_up || m != floor_wide(range.high, g)) continue;
    Linear a = split.multiples;
    a.constant = floor_quotient(x.constant, g);
    const Linear whole = plus(context, a, constant(static_cast<int64_t>(m)));
    const Linear floor = floor_by(context, whole, c / g);
    if (is_logging(context)) {
      log_local_small(context, a, small, c, g, static_cast<int64_t>(m), meaning_of(context, floor));
    }
    return floor;
  }
  return std::nullopt;
}

Linear floor_by(NormalFormContext& context, Linear x, int64_t c) {
  if (c == 1) return x;
  const Range range = divided_range(range_of_written(context, x), c);
  if (gives_up(context, range)) return {};
  if (has_one_value(range)) {
    const auto m = static_cast<int64_t>(range.low);
    if (is_logging(context)) log_local_cell(context, x, c, m);
    return constant(m);
  }
  const Split split = split_multiples(context, x, c);
  if (split.multiples.count > 0 || split.multiples.constant != 0) {
    const Linear floor = floor_by(context, split.rest, c);
    if (is_logging(context)) {
      log_local_pull(context, x, c, split.rest, meaning_of(context, floor));
    }
    return plus(context, split.multiples, floor);
  }
  if (const std::optional<Linear> floor = without_small_part(context, x, c)) return *floor;
  const int32_t inner = single_atom(context, x, AtomKind::kQuotient);
  int64_t divisor;
  if (inner >= 0 && c > 0 && !__builtin_mul_overflow(context.atoms[inner].divisor, c, &divisor)) {
    const Linear inside = context.atoms[inner].inside;
    const Linear floor = floor_by(context, inside, divisor);
    if (is_logging(context)) {
      log_local_nested(context, inside, context.atoms[inner].divisor, c,
                       meaning_of(context, floor));
    }
    return floor;
  }
  return written(context, AtomKind::kQuotient, x, c, range);
}

// y + k * (x mod a) = y + k * x modulo b, if b divides k * a.
Linear without_inner_mods(NormalFormContext& context, const Linear& x, int64_t b) {
  Linear sum = x;
  for (const Term& term : x) {
    const Atom atom = context.atoms[term.atom];
    int64_t period;
    if (atom.kind != AtomKind::kMod || __builtin_mul_overflow(atom.divisor, term.factor, &period) ||
        b == -1 || period % b != 0 || (term.factor != 1 && atom.inside.count > 1)) {
      continue;
    }
    sum = plus(context, without_atom(context, sum, term.atom), atom.inside, term.factor);
  }
  return sum;
}

// floor(x / c), where x mod c = rest.
Linear floor_beside(NormalFormContext& context, const Linear& x, int64_t c, const Linear& rest) {
  return divided(context, meaning_of(context, plus(context, x, rest, -1)), c);
}

Linear mod_by(NormalFormContext& context, Linear x, int64_t c);

// x mod c = y mod c.
Linear mod_of_rest(NormalFormContext& context, const Linear& x, int64_t c, const Linear& y) {
  const Linear rest = mod_by(context, y, c);
  if (is_logging(context)) {
    log_local_pull(context, x, c, y, floor_beside(context, y, c, rest));
  }
  return rest;
}

Linear mod_by(NormalFormContext& context, Linear x, int64_t c) {
  if (c == 1 || c == -1) return {};
  const Range cell = divided_range(range_of_written(context, x), c);
  if (gives_up(context, cell)) return {};
  if (has_one_value(cell)) {
    if (is_logging(context)) log_local_cell(context, x, c, static_cast<int64_t>(cell.low));
    return plus(context, x, constant(static_cast<int64_t>(cell.low)), -c);
  }
  const Split split = split_multiples(context, x, c);
  if (split.multiples.count > 0 || split.multiples.constant != 0) {
    return mod_of_rest(context, x, c, split.rest);
  }
  const Linear open = without_inner_mods(context, x, c);
  if (context.gave_up) return {};
  if (!(open == x)) return mod_of_rest(context, x, c, open);
  const int64_t g = std::gcd(content(x), x.constant);
  if (g > 1 && c % g == 0) {
    const Linear part = divided(context, x, g);
    const Linear rest = mod_by(context, part, c / g);
    if (is_logging(context)) {
      log_local_small(context, part, {}, c, g, 0, floor_beside(context, part, c / g, rest));
    }
    return times(context, rest, g);
  }
  const Range range = c > 0 ? Range{0, c - 1} : Range{c + 1, 0};
  return written(context, AtomKind::kMod, x, c, range);
}

Linear ceil_by(NormalFormContext& context, Linear x, int64_t c) {
  if (c == 1) return x;
  const Range negated = divided_range(scaled(range_of_written(context, x), -1), c);
  const Range range{-negated.high, -negated.low};
  if (gives_up(context, range)) return {};
  if (has_one_value(range)) {
    const auto m = static_cast<int64_t>(range.low);
    if (is_logging(context)) log_local_cell(context, times(context, x, -1), c, -m);
    return constant(m);
  }
  return written(context, AtomKind::kCeiling, x, c, range);
}

void log_if_constant(NormalFormContext& context, int32_t variable) {
  if (has_one_value(context.atoms[variable].range)) log_value(context, variable);
}

// The floor in `sum` that makes k * (x mod c) whole: x floordiv c, or y floordiv (a*c) if x is
// y floordiv a. -1 if there is none. Then k * (x mod c) + k * c * floor = k * x.
int32_t higher_digits(const NormalFormContext& context, const Linear& sum, const Term& mod) {
  const Atom& it = context.atoms[mod.atom];
  const int32_t inner = single_atom(context, it.inside, AtomKind::kQuotient);
  for (const Term& term : sum) {
    const Atom& floor = context.atoms[term.atom];
    if (floor.kind != AtomKind::kQuotient || term.factor != Wide{mod.factor} * it.divisor) continue;
    if (floor.divisor == it.divisor && floor.inside == it.inside) return term.atom;
    if (inner < 0 || it.divisor < 0) continue;
    const Atom& fine = context.atoms[inner];
    if (floor.divisor == Wide{fine.divisor} * it.divisor && floor.inside == fine.inside) {
      return term.atom;
    }
  }
  return -1;
}

// If the floor is y floordiv (a*c) and the operand of the mod y floordiv a.
void log_digits_of(NormalFormContext& context, const Linear& operand, int32_t floor) {
  if (context.atoms[floor].inside == operand) return;
  const Atom fine = context.atoms[operand.terms->atom];
  log_local_nested(context, fine.inside, fine.divisor, context.atoms[floor].divisor / fine.divisor,
                   meaning_of(context, atom_form(context, floor)));
}

// Whether the sum has all terms of k * x, with exactly these factors.
bool has_part(const Linear& sum, const Linear& x, int64_t k) {
  return x.count > 0 && std::all_of(x.begin(), x.end(), [&](const Term& term) {
           return factor_of(sum, term.atom) == Wide{term.factor} * k;
         });
}

// k*x - k*c * (x floordiv c) = k * (x mod c). Nothing if the sum has no such floor.
std::optional<Linear> with_mod(NormalFormContext& context, const Linear& sum) {
  for (const Term& term : sum) {
    const Atom atom = context.atoms[term.atom];
    if (atom.kind != AtomKind::kQuotient || atom.divisor == -1 || term.factor == INT64_MIN ||
        term.factor % atom.divisor != 0) {
      continue;
    }
    const int64_t k = -(term.factor / atom.divisor);
    if (!has_part(sum, atom.inside, k)) continue;
    const Linear rest = plus(context, without_atom(context, sum, term.atom), atom.inside, -k);
    return plus(context, rest, mod_by(context, atom.inside, atom.divisor), k);
  }
  return std::nullopt;
}

// Joins digits until no two belong together.
Linear recombined(NormalFormContext& context, Linear sum) {
  for (int32_t i = 0; i < sum.count && !context.gave_up; ++i) {
    const Term mod = sum.terms[i];
    if (context.atoms[mod.atom].kind != AtomKind::kMod) continue;
    const int32_t floor = higher_digits(context, sum, mod);
    if (floor < 0) continue;
    const Linear inside = context.atoms[mod.atom].inside;
    if (is_logging(context)) log_digits_of(context, inside, floor);
    const Linear rest = without_atom(context, without_atom(context, sum, mod.atom), floor);
    sum = plus(context, rest, inside, mod.factor);
    i = -1;
  }
  if (context.gave_up) return {};
  const std::optional<Linear> mod = with_mod(context, sum);
  return mod && !context.gave_up ? recombined(context, *mod) : sum;
}

}  // namespace

void LocalRules::begin(const IndexingMap& map, const std::vector<Range>& bounds) {
  state_ = State::kToBegin;
  map_ = &map;
  bounds_ = &bounds;
}

void LocalRules::prepare() {
  if (state_ == State::kReady) return;
  assumes_ = state_ == State::kToAssume;
  give_ups_ = 0;
  if (shared_ != nullptr) context_.max_work = shared_->work_end - shared_->work;
  clear(context_);
  for (size_t i = 0; i < bounds_->size(); ++i) {
    add_variable(context_, (*bounds_)[i], i < map_->dimensions.size());
  }
  known_.assign(map_->nodes.size(), 0);
  done_.resize(map_->nodes.size());
  if (state_ == State::kToAssume) assume();
  state_ = State::kReady;
}

void LocalRules::assume() {
  std::vector<Assumption> assumptions;
  for (size_t i = 0; i < map_->constraints.size(); ++i) {
    const auto& [root, interval] = map_->constraints[i];
    const Linear form = form_of(root);
    if (context_.gave_up) {
      try_others();
      if (context_.gave_up) return;
      continue;
    }
    const Range range{Wide{interval.low} - form.constant, Wide{interval.high} - form.constant};
    int step = -1;
    if (is_logging(context_)) {
      step = log_local_constraint(context_, i, form, {Wide{interval.low}, Wide{interval.high}});
    }
    if (form.count == 1 && form.terms->factor == 1) {
      Range& own = context_.atoms[form.terms->atom].range;
      const Range both{std::max(own.low, range.low), std::min(own.high, range.high)};
      if (both.low > both.high) continue;
      if (is_logging(context_) && own != both) {
        const Linear meaning = meaning_of(context_, without_constant(form));
        context_.proof_log->box.atom_facts[form.terms->atom] =
            both == range ? step : assumption_step(context_, meaning, both);
      }
      own = both;
    } else if (form.count > 0) {
      assumptions.push_back({without_constant(form), range});
    }
  }
  context_.assumptions = std::move(assumptions);
  known_.assign(map_->nodes.size(), 0);
}

Linear LocalRules::step(const Node& node) {
  if (is_division(node.op)) {
    context_.gave_up |= is_extreme(done_[node.left], done_[node.right].constant);
    if (context_.gave_up) return {};
  }
  switch (node.op) {
    case Op::kConstant:
      return constant(node.value);
    case Op::kDimension:
    case Op::kRange:
    case Op::kRuntime:
      if (is_logging(context_))
        log_if_constant(context_, variable_atom(*map_, node.op, node.value));
      return variable_form(context_, variable_atom(*map_, node.op, node.value));
    case Op::kAdd:
      return recombined(context_, plus(context_, done_[node.left], done_[node.right]));
    case Op::kMul:
      if (done_[node.left].is_constant()) {
        return times(context_, done_[node.right], done_[node.left].constant);
      }
      context_.gave_up |= !done_[node.right].is_constant();
      return times(context_, done_[node.left], done_[node.right].constant);
    case Op::kFloorDiv:
      return floor_by(context_, done_[node.left], done_[node.right].constant);
    case Op::kCeilDiv:
      return ceil_by(context_, done_[node.left], done_[node.right].constant);
    case Op::kMod:
      return mod_by(context_, done_[node.left], done_[node.right].constant);
  }
  return {};
}

Linear LocalRules::form_of(NodeId root) {
  const bool done = compute_under(map_->nodes, root, known_, [this](NodeId id) {
    done_[id] = step(map_->nodes[id]);
    return !context_.gave_up;
  });
  return done ? done_[root] : Linear{};
}

// Another expression may have a candidate.
void LocalRules::try_others() {
  constexpr int kMaxGiveUps = 4;
  if (++give_ups_ <= kMaxGiveUps) context_.gave_up = false;
}

std::optional<Extraction> LocalRules::candidate(NodeId root) {
  const int64_t before = state_ == State::kReady ? context_.work : 0;
  prepare();
  if (context_.gave_up) return std::nullopt;
  const Linear form = form_of(root);
  if (shared_ != nullptr) shared_->work += context_.work - before;
  if (context_.gave_up) {
    try_others();
    return std::nullopt;
  }
  return Extraction{cost_of(context_, form, atom_cost), form};
}

void LocalRules::log_result(const LocalRules& rules, ProofLog& proof_log, size_t number) {
  state_ = rules.assumes_ ? State::kToAssume : State::kToBegin;
  map_ = rules.map_;
  bounds_ = rules.bounds_;
  // The numbers of atoms are those of another context.
  ProofLog::Box& box = proof_log.box;
  std::map<int32_t, int> atom_facts;
  std::map<int32_t, std::string> floor_names;
  std::swap(box.atom_facts, atom_facts);
  std::swap(box.floor_names, floor_names);
  proof_log.rules.clear();
  context_.proof_log = &proof_log;
  prepare();
  const Linear form = form_of(map_->results[number]);
  if (!context_.gave_up) log_local_result(context_, number, form, with_values(form));
  context_.proof_log = nullptr;
  std::swap(box.atom_facts, atom_facts);
  std::swap(box.floor_names, floor_names);
}

// The form with the values of operations that have only one.
Linear LocalRules::with_values(const Linear& form) {
  Linear sum = form;
  for (const Term& term : form) {
    const Range range = context_.atoms[term.atom].range;
    if (!has_one_value(range) || !fits(range)) continue;
    sum = plus(context_, without_atom(context_, sum, term.atom),
               constant(static_cast<int64_t>(range.low)), term.factor);
  }
  return sum;
}

NodeId LocalRules::write(const Extraction& candidate, const VariableCounts& counts,
                         ExprTable& out) {
  return render(context_, candidate.rendering, counts, out);
}

}  // namespace tileproof::impl
