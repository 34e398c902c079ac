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
void note_scaled(Forms& forms, const Linear& after, int64_t g, const Range& before,
                 const Range& range);
// The form lies in `all`, by its range.
void note_compared(Forms& forms, const Linear& form, const Range& range, const Range& all);
// floor(inside / divisor) in range.
void note_opened(Forms& forms, int32_t floor, const Range& range);
// g * after + part in range, the part in `b`; an end that is not decided always holds.
struct DroppedPart {
  Linear form;  // g * after + part
  Linear part;
  int64_t g;
  Linear after;
  Range range, all, b, result;
  bool low_decided, high_decided;
};
void note_dropped(Forms& forms, const DroppedPart& dropped);

// ---- Residues: `operand mod m in residues` ----------------------------------------------------

struct Residues {
  Linear operand;
  int64_t modulus;
  Range range;
};

// The condition in these words, or back.
void note_as_residues(Forms& forms, const Linear& form, const Range& range, const Residues& after);
void note_as_form(Forms& forms, const Residues& before, const Linear& form);
// floor(I / a) + e became I + a * e.
void note_opened_floor(Forms& forms, const Residues& before, const Residues& after);
// That they lie in [0, modulus - 1], which the range of the condition has said already.
void note_all_residues(Forms& forms, const Residues& residues);
void note_multiples_dropped(Forms& forms, const Residues& before, const Linear& operand);
// The constant went out of the operand, and residues into the `cell`-th period before.
void note_shifted(Forms& forms, const Residues& before, const Residues& after, Wide cell);
// operand = factor * x, unit * factor = 1 modulo m.
void note_divided(Forms& forms, const Residues& before, const Linear& x, int64_t factor,
                  int64_t unit, const Range& range);
void note_mirrored(Forms& forms, const Residues& before, const Linear& negated, const Range& range);

// ---- Several conditions -----------------------------------------------------------------------

void note_joined(Forms& forms, const Linear& form, const Range& a, const Range& b);
// Two congruences on one operand; `inverse` is that of a.modulus / g modulo b.modulus / g.
void note_merged(Forms& forms, const Condition& a, const Condition& b, int64_t modulus,
                 int64_t residue);
void note_contradiction(Forms& forms, const Condition& a, const Condition& b);
// The congruence says the residue modulo the smaller modulus of the other.
void note_residue_of_divisor(Forms& forms, const Condition& congruence, const Condition& residues);
// The residues went to those with the residue of the congruence.
void note_pulled_residues(Forms& forms, const Condition& congruence, const Condition& residues,
                          const Range& pulled);

// ---- Bounds -----------------------------------------------------------------------------------

// What the sum leaves for one atom: own, and for the operand of a floor.
void note_bound(Forms& forms, const Linear& form, const Range& range, const Term& term,
                const Range& own, const Range& narrowed);
void note_pulled_bound(Forms& forms, const Condition& condition, const Range& before,
                       const Range& after);

}  // namespace tileproof::impl
