// SPDX-License-Identifier: Apache-2.0
// Proof steps of the domain: constraints, bounds, and their intersections
// (impl/map/proof_log/proof_log.h).
//
// A congruence or an interval of residues is logged as `operand - m * floor(operand / m) in
// residues`, with an unsimplified floor. The constraint and its residues are the same fact,
// rewritten.
#pragma once

#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {

// ---- One constraint: `form in range` before and after -----------------------------------------

// The factor g > 1 is divided out of the form.
void log_scaled(NormalFormContext& context, const Linear& after, int64_t g, const Range& before,
                const Range& range);
// The form lies in `all`, its range.
void log_compared(NormalFormContext& context, const Linear& form, const Range& range,
                  const Range& all);
// floor(inside / divisor) in range.
void log_opened(NormalFormContext& context, int32_t floor, const Range& range);
// The form in [..], which is that floor, as the operand of the floor in [..].
void log_opened_sum(NormalFormContext& context, const Linear& form, const WholeFloor& whole,
                    const Range& range);
// g * after + part in range, with part in `b`. An undecided end always holds.
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

// Rewrites the constraint as residues, or back.
void log_as_residues(NormalFormContext& context, const Linear& form, const Range& range,
                     const Residues& after);
void log_as_form(NormalFormContext& context, const Residues& before, const Linear& form);
// floor(I / a) + e became I + a * e.
void log_opened_floor(NormalFormContext& context, const Residues& before, const Residues& after);
// The residues lie in [0, modulus - 1]; the range of the constraint stated that already.
void log_all_residues(NormalFormContext& context, const Residues& residues);
void log_multiples_dropped(NormalFormContext& context, const Residues& before,
                           const Linear& operand);
// The constant of the operand moved into the residues, which moved `cell` periods down.
void log_shifted(NormalFormContext& context, const Residues& before, const Residues& after,
                 Wide cell);
// operand = factor * x, unit * factor = 1 modulo m.
void log_divided(NormalFormContext& context, const Residues& before, const Linear& x,
                 int64_t factor, int64_t unit, const Range& range);
void log_mirrored(NormalFormContext& context, const Residues& before, const Linear& negated,
                  const Range& range);

// ---- Several constraints ----------------------------------------------------------------------

void log_joined(NormalFormContext& context, const Linear& form, const Range& a, const Range& b);
// Two congruences on one operand; `inverse` is that of a.modulus / g modulo b.modulus / g.
void log_merged(NormalFormContext& context, const NormalConstraint& a, const NormalConstraint& b,
                int64_t modulus, int64_t residue);
void log_contradiction(NormalFormContext& context, const NormalConstraint& a,
                       const NormalConstraint& b);
// The congruence determines the residue modulo the smaller modulus of the residues.
void log_residue_of_divisor(NormalFormContext& context, const NormalConstraint& congruence,
                            const NormalConstraint& residues);
// The residues were tightened to those with the residue of the congruence.
void log_pulled_residues(NormalFormContext& context, const NormalConstraint& congruence,
                         const NormalConstraint& residues, const Range& pulled);

// ---- Bounds -----------------------------------------------------------------------------------

// The bound that the sum implies for one atom and, if that is a floor, for its operand.
void log_bound(NormalFormContext& context, const Linear& form, const Range& range, const Term& term,
               const Range& own, const Range& narrowed);
void log_pulled_bound(NormalFormContext& context, const NormalConstraint& constraint,
                      const Range& before, const Range& after);

}  // namespace tileproof::impl
