// The steps of the domain: conditions, bounds, and what they say together (impl/map/proof_log/proof_log.h).
//
// A congruence or an interval of residues is told as `operand - m * floor(operand / m) in
// residues`, with the floor as it stands; condition and residues are the same fact in other words.
#pragma once

#include "impl/map/domain/constraint.h"
#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {

// ---- One condition: `form in range` before and after ------------------------------------------

// A factor g > 1 goes out of the form.
void log_scaled(NormalFormContext& context, const Linear& after, int64_t g, const Range& before,
                const Range& range);
// The form lies in `all`, by its range.
void log_compared(NormalFormContext& context, const Linear& form, const Range& range,
                  const Range& all);
// floor(inside / divisor) in range.
void log_opened(NormalFormContext& context, int32_t floor, const Range& range);
// g * after + part in range, the part in `b`; an end that is not decided always holds.
struct DroppedPart {
  Linear form;  // g * after + part
  Linear part;
  int64_t g;
  Linear after;
  Range range, all, b, result;
  bool low_decided, high_decided;
};
void log_dropped(NormalFormContext& context, const DroppedPart& dropped);

// ---- Residues: `operand mod m in residues` ----------------------------------------------------

struct Residues {
  Linear operand;
  int64_t modulus;
  Range range;
};

// The condition in these words, or back.
void log_as_residues(NormalFormContext& context, const Linear& form, const Range& range,
                     const Residues& after);
void log_as_form(NormalFormContext& context, const Residues& before, const Linear& form);
// floor(I / a) + e became I + a * e.
void log_opened_floor(NormalFormContext& context, const Residues& before, const Residues& after);
// That they lie in [0, modulus - 1], which the range of the condition has said already.
void log_all_residues(NormalFormContext& context, const Residues& residues);
void log_multiples_dropped(NormalFormContext& context, const Residues& before,
                           const Linear& operand);
// The constant went out of the operand, and residues into the `cell`-th period before.
void log_shifted(NormalFormContext& context, const Residues& before, const Residues& after,
                 Wide cell);
// operand = factor * x, unit * factor = 1 modulo m.
void log_divided(NormalFormContext& context, const Residues& before, const Linear& x,
                 int64_t factor, int64_t unit, const Range& range);
void log_mirrored(NormalFormContext& context, const Residues& before, const Linear& negated,
                  const Range& range);

// ---- Several conditions -----------------------------------------------------------------------

void log_joined(NormalFormContext& context, const Linear& form, const Range& a, const Range& b);
// Two congruences on one operand; `inverse` is that of a.modulus / g modulo b.modulus / g.
void log_merged(NormalFormContext& context, const NormalConstraint& a, const NormalConstraint& b,
                int64_t modulus, int64_t residue);
void log_contradiction(NormalFormContext& context, const NormalConstraint& a,
                       const NormalConstraint& b);
// The congruence says the residue modulo the smaller modulus of the other.
void log_residue_of_divisor(NormalFormContext& context, const NormalConstraint& congruence,
                            const NormalConstraint& residues);
// The residues went to those with the residue of the congruence.
void log_pulled_residues(NormalFormContext& context, const NormalConstraint& congruence,
                         const NormalConstraint& residues, const Range& pulled);

// ---- Bounds -----------------------------------------------------------------------------------

// What the sum leaves for one atom: own, and for the operand of a floor.
void log_bound(NormalFormContext& context, const Linear& form, const Range& range, const Term& term,
               const Range& own, const Range& narrowed);
void log_pulled_bound(NormalFormContext& context, const NormalConstraint& constraint,
                      const Range& before, const Range& after);

}  // namespace tileproof::impl
