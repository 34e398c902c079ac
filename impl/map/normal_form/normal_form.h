// SPDX-License-Identifier: Apache-2.0
// Normal forms: every expression of an indexing map as one linear combination of atoms.
//
//     k + sum c_i * a_i        an atom is a variable, floor(L / c) with L again a combination and
//                              c > 1, or a product of atoms
//
// No atom is a mod: x mod c = x - c * floor(x / c), so terms cancel by adding factors. Atoms are
// shared: equal floors are one atom, and two expressions are equal if their combinations are. The
// floors depend on the domain, because the range of an operand decides how its floor simplifies. So
// atoms live in a NormalFormContext, which belongs to one domain at a time.
//
//     (d0 mod 64) * 4 + (d0 floordiv 64) * 256        4*d0 - 256*f + 256*f = 4*d0,
//                                                      f = floor(d0 / 64)
//
// Every step of arithmetic is checked. If a factor leaves 64 bits, or the work exceeds its budget,
// the context has `gave_up` set from then on: its results are meaningless, and the caller leaves
// the expression as it was.
//
// docs/concepts/normal_form.md introduces it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "impl/map/normal_form/linear.h"

namespace tileproof::impl {

struct Range {
  Wide low = 0;
  Wide high = 0;  // included

  bool operator==(const Range&) const = default;
};

// Both ends are numbers of 64 bits.
constexpr bool fits(const Range& range) {
  return INT64_MIN <= range.low && range.high <= INT64_MAX;
}

// The range of factor * x + constant for x in `range`.
constexpr Range scaled(const Range& range, Wide factor, Wide constant = 0) {
  const Wide a = range.low * factor + constant, b = range.high * factor + constant;
  return factor > 0 ? Range{a, b} : Range{b, a};
}

enum class AtomKind : uint8_t {
  kVariable,
  kFloor,    // floor(inside / divisor), as floor_of makes it: the only atom for this value
  kProduct,  // the product of the atoms of `inside`, whose factors are the powers
  // Terms of renderings and ranges only, never of a normal form. All kinds from here on:
  kMod,       // inside mod divisor; the divisor may be negative
  kQuotient,  // inside floordiv divisor, with an inside that is not reduced
  kCeiling,   // inside ceildiv divisor, with an inside that is not reduced
  kSum,       // inside, in parentheses as a factor
  kFactored,  // a product, as kProduct, of sums too
};

struct Atom {
  AtomKind kind = AtomKind::kVariable;
  bool has_dimension = false;  // a dimension variable occurs in it
  int16_t depth = 0;           // of nested operations
  int64_t cost = -1;  // of its cheapest rendering, once known (impl/map/extraction/extraction.h)
  int64_t divisor = 0;
  Linear inside;
  Linear meaning;    // of a rendering term: the normal form of its value; kVariable: itself
  Range range;       // of the value, over the whole domain
  uint64_t key = 0;  // a hash of its structure, independent of earlier computations
};

// `form in range`, implied by the constraints of the map with the numbers in `sources`.
struct NormalConstraint {
  Linear form;            // without constant, the first factor positive
  Linear rendering = {};  // its rendering, once extracted
  Range range;
  int32_t mod = -1;  // the atom S mod b if the form is one
  std::vector<int> sources;
  bool as_written = false;  // the simplifier gave up: the constraint stays as written

  bool operator==(const NormalConstraint&) const = default;
};

struct ProofLog;

// Limits of nesting, length and work; beyond them the context gives up at once. No compiler writes
// such maps. The work limit takes about a tenth of a second.
inline constexpr int kMaxFormDepth = 100;
inline constexpr int32_t kMaxTerms = 4096;
inline constexpr int64_t kMaxWork = 4'000'000;

// Values of an atom at points of the domain's box (impl/map/normal_form/recognize_mod.cc).
using Samples = std::array<int64_t, 16>;
struct AtomSamples {
  Samples values;
  bool taken = false;
};

// The result of floor(x / c).
struct FloorResult {
  Linear form;
  bool open = true;  // still being computed
};

// All atoms, each made once; the sums that they are made of; and what was found out about both.
struct Atoms {
  TermArena arena;
  std::vector<Atom> atoms;  // the variables first: dimensions, ranges, runtime
  FormIndex floors, products, mods, quotients, ceilings, sums, factored;
  FormIndex floor_memo, range_memo;
  std::vector<FloorResult> floor_results;
  std::vector<Range> range_results;
  std::vector<AtomSamples> samples;  // of the atoms, if taken
};

// form (without constant, the first factor positive) in range, from a constraint of the domain.
struct Assumption {
  Linear form;
  Range range;
};
struct Assumptions {
  std::vector<Assumption> assumptions;
};

// Extensions that not every reader of maps understands. The output uses them only if the input
// does.
struct Dialect {
  bool negative_divisors = false;
  bool ceildiv = false;

  bool operator==(const Dialect&) const = default;
};

struct Extraction {
  int64_t cost = 0;   // nodes first, then the bits of constants (impl/map/extraction/cost.h)
  Linear rendering;   // over all kinds of atoms; its value is the normal form
  bool found = true;  // no: every rendering costs at least `cost`
};

// The work of extraction for one expression.
struct SearchWork {
  int64_t used = 0;   // in calls that ended
  int64_t start = 0;  // of the context's work, in the outermost call that lasts
  int nested = 0;     // calls that last
};

// The search for the cheapest renderings (impl/map/extraction/extraction.h).
struct Search {
  FormIndex extraction_memo;
  std::vector<Extraction> extractions;
  SearchWork search;
  Dialect dialect;  // of the map; survives clear()
};

// Work is counted in additions of terms.
struct WorkLimits {
  int64_t work = 0;             // since clear()
  int64_t work_end = kMaxWork;  // beyond it, the context gives up
  int nested = 0;               // depth of nested calls of floor_of and extract
  bool gave_up = false;
  // These survive clear().
  int64_t work_before = 0;        // since begin_work()
  int64_t max_work = kMaxWork;    // from one clear() to the next
  int64_t max_total = INT64_MAX;  // since begin_work()
};

// A function that needs only one of these parts takes that part.
struct NormalFormContext : Atoms, Assumptions, Search, WorkLimits {
  ProofLog* proof_log =
      nullptr;  // records every fact that is used (impl/map/proof_log/proof_log.h)
};

// Returns whether steps are logged. After the context has given up there is nothing to log.
inline bool is_logging(const NormalFormContext& context) {
  return context.proof_log != nullptr && !context.gave_up;
}

// Counts a nested call while it lasts. The context gives up if too many are nested.
class RecursionGuard {
 public:
  explicit RecursionGuard(WorkLimits& context) : context_(context) {
    if (++context_.nested > kMaxNestedCalls) context_.gave_up = true;
  }
  ~RecursionGuard() { --context_.nested; }
  RecursionGuard(const RecursionGuard&) = delete;
  RecursionGuard& operator=(const RecursionGuard&) = delete;

 private:
  static constexpr int kMaxNestedCalls = 500;
  WorkLimits& context_;
};

// Forgets everything. Afterwards add the variables in the order of the map.
void clear(NormalFormContext& context);
// Counts the work anew. Before the next call, clear() allows `max_total` in all.
void begin_work(WorkLimits& context);
inline int64_t total_work(const WorkLimits& context) { return context.work_before + context.work; }
void add_variable(Atoms& context, Range range, bool is_dimension);

// Orders atoms: variables first, by number; then all others by key.
inline AtomId id_of(const Atoms& context, int32_t atom) {
  const Atom& it = context.atoms[atom];
  const auto rank = static_cast<uint32_t>(
      it.kind == AtomKind::kVariable ? it.key : it.key >> 33 | uint64_t{1} << 31);
  return {rank, atom};
}

// A hash of the structure of a combination, independent of earlier computations.
uint64_t key_of(const Atoms& context, const Linear& a);

inline Linear constant(int64_t value) { return {.constant = value}; }
inline Linear atom_form(Atoms& context, int32_t atom) {  // 1 * atom
  Term* term = context.arena.reserve(1);
  *term = {id_of(context, atom), 1};
  context.arena.keep(1);
  return {term, 1, 0};
}
Linear variable_form(const Atoms& context, int32_t variable);  // its value, if it has only one

// a + factor * b, factor * a, and the product. The product is commutative: it gives up for (a, b)
// if and only if it does for (b, a).
Linear plus(NormalFormContext& context, const Linear& a, const Linear& b, int64_t factor = 1);
Linear times(NormalFormContext& context, const Linear& a, int64_t factor);
Linear product(NormalFormContext& context, const Linear& a, const Linear& b);
inline Linear without_constant(const Linear& a) { return {a.terms, a.count, 0}; }
// Small factors: sums of a few products of two of them stay within 64 bits.
inline constexpr int64_t kSmallFactor = int64_t{1} << 30;
bool has_small_factors(const Linear& a);
Linear without_atom(Atoms& context, const Linear& a, int32_t atom);  // without its term
Linear divided(Atoms& context, const Linear& a, int64_t g);  // a / g, where g divides every factor

// The terms of `pairs` as a combination. Each atom occurs once, in any order. Sorts `pairs`.
Linear collected(Atoms& context, absl::Span<Term> pairs, int64_t constant);

// These share atoms (impl/map/normal_form/atoms.cc). `inside` must lie in the arena.
int32_t product_atom(NormalFormContext& context, const Linear& powers);
int32_t floor_atom(NormalFormContext& context, Linear inside, int64_t divisor);
int32_t mod_atom(NormalFormContext& context, Linear inside, int64_t divisor);
int32_t quotient_atom(NormalFormContext& context, Linear inside, int64_t divisor);
int32_t ceiling_atom(NormalFormContext& context, Linear inside, int64_t divisor);
int32_t sum_atom(NormalFormContext& context, Linear inside);
int32_t factored_atom(NormalFormContext& context, Linear powers,
                      Linear meaning);  // `meaning` is its value

// A rendering atom without a meaning, for sums that have no normal form
// (impl/map/extraction/local_rules.h). `kind` is kMod, kQuotient, kCeiling or, for their meanings, a
// kFloor as it is written.
int32_t written_atom(NormalFormContext& context, AtomKind kind, Linear inside, int64_t divisor,
                     const Range& range);

// Replaces every rendering term by its meaning. The result is a normal form.
Linear meaning_of(NormalFormContext& context, const Linear& rendering);

// Floor division and remainder by c > 0.
constexpr int64_t floor_quotient(int64_t x, int64_t c) { return x / c - (x % c < 0 ? 1 : 0); }
constexpr int64_t floor_remainder(int64_t x, int64_t c) {
  const int64_t r = x % c;
  return r < 0 ? r + c : r;
}
// Division rounding towards minus infinity, for every sign of c.
constexpr Wide floor_wide(Wide x, Wide c) {
  if (x == static_cast<int64_t>(x) && c == static_cast<int64_t>(c) && c > 0) {
    return floor_quotient(static_cast<int64_t>(x), static_cast<int64_t>(c));  // the usual, faster
  }
  const Wide rest = x % c;
  return x / c - (rest != 0 && (rest < 0) != (c < 0) ? 1 : 0);
}
constexpr Wide ceil_wide(Wide x, Wide c) { return -floor_wide(-x, c); }
constexpr Wide rest_wide(Wide x, Wide c) { return x - c * floor_wide(x, c); }

// The number x in [0, m) with a * x = 1 modulo m > 0; 0 if there is none.
constexpr int64_t inverse_modulo(int64_t a, int64_t m) {
  Wide r0 = m, r1 = floor_remainder(a, m), x0 = 0, x1 = 1;
  while (r1 != 0) {
    const Wide q = r0 / r1, r2 = r0 - q * r1, x2 = x0 - q * x1;
    r0 = r1, r1 = r2, x0 = x1, x1 = x2;
  }
  return r0 == 1 ? static_cast<int64_t>(rest_wide(x0, m)) : 0;
}

}  // namespace tileproof::impl
