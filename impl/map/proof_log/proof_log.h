// SPDX-License-Identifier: Apache-2.0
// The proof log of a simplification: steps that name a lemma and its instance.
//
// If a NormalFormContext has a ProofLog, the simplifier logs every fact when it uses it. The log
// decides nothing. A step names a lemma and the values of the lemma's letters, so that the checker
// can replay it with the lemmas alone (verify/trace/trace_check.h). Without a ProofLog (a null
// pointer) each logging call costs one comparison.
//
// Text, one line for each step; every intermediate map begins a section:
//
//     map (d0)[s0] -> ((s0 * 6 + 9) floordiv 18), domain: d0 in [0, 3], s0 in [0, 99]
//     let f1 = (s0 * 6 + 9) floordiv 18
//     let f2 = (s0 + 1) floordiv 3
//     1: f1 = f2 by drop-small-part(A = s0, B = 9, g = 6, c = 3, m = 1)
//     2: result 0 is f2 using 1
//     3: new result 0 is f2
//     becomes (d0)[s0] -> ((s0 + 1) floordiv 3), domain: d0 in [0, 3], s0 in [0, 99]
//
// Values are polynomials over variables (always d<i>, s<i>, rt<i>) and the floors that `let` names,
// unsimplified. A mod is written as its definition, x mod c = x - c * (x floordiv c). Steps:
//
//     FACT by LEMMA(..) from F given G using E     from: what an equivalence replaces; given: the
//                                                  hypotheses; using: equations put in for floors
//     P in [l, h] by sum(2, -1) given 3 4          2 times fact 3 plus -1 times fact 4
//     P in [l, h] by rewriting from F using E      the same fact, rewritten
//     P in [l, h] by known                         follows from earlier facts about P
//     constraint 0 is P in [l, h] using E          the meaning of the constraint; with `new`, of a
//                                                  constraint of the result; `new constraint 1 is
//                                                  constraint 0`: the same text and interval
//     result 0 is P given D using E                its value: by D, the difference to P is 0;
//                                                  likewise new result 0
//
// An interval may have the ends -inf and inf. A section without `becomes` at its end is incomplete.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/lemmas/lemma.h"
#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/normal_form/normal_form.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct Inner;       // impl/map/normal_form/floors.h
struct WholeFloor;  // likewise

// The premises of a step: numbers of steps, or -1 for a premise that needs no step.
struct Premises {
  std::vector<int> from = {}, given = {}, rules = {};
};

struct ProofStep {
  std::string says, by;
  Premises premises = {};
  bool kept = false;  // even if no other step uses it
};

// floor(..) = form, shown by a step.
struct FloorValue {
  Linear form;
  int step = -1;
};

struct ProofLog {
  // Of the current section.
  int64_t dimensions = 0, ranges = 0;
  std::vector<std::string> floors;  // "(s0 * 6 + 9) floordiv 18": f1, f2, ..
  std::map<std::string, int> floor_numbers;
  std::vector<ProofStep> steps;
  // Since the NormalFormContext was last cleared.
  struct Box {
    std::map<std::string, int> stated;                            // the first step that states it
    std::map<std::string, int> lines;                             // a complete step
    std::map<int32_t, std::string> floor_names;                   // of atoms
    std::map<int32_t, int> atom_facts;                            // the range of an atom
    std::map<std::string, Linear> digits;                         // by the terms of the combination
    std::map<std::string, std::vector<FloorValue>> floor_values;  // of f1, f2, ..
    std::map<int32_t, FloorValue> digit_rules;  // of floor atoms with another normal form
  };
  Box box;
  std::vector<int> rules;  // the equations of the local rules (proof_log_rules.h)
  // The finished sections; empty if the log became too long.
  std::string text;
  std::vector<size_t> section_ends;
  int64_t logged = 0;  // bytes of combinations logged, over all sections
  bool too_long() const { return logged > kMaxLogged; }

  static constexpr int64_t kMaxLogged = 64 << 20;
};

// ---- Writing --------------------------------------------------------------------------------

std::string text_of(Wide value);
// The text of a combination; rendering terms are written by their definition.
std::string text_of(NormalFormContext& context, const Linear& form);
inline const std::string& text_of(NormalFormContext&, const std::string& text) { return text; }
inline std::string text_of(NormalFormContext&, Wide value) { return text_of(value); }
// The values of a lemma's letters.
template <class... Values>
std::array<std::string, sizeof...(Values)> texts(NormalFormContext& context,
                                                 const Values&... values) {
  return {text_of(context, values)...};
}
// The name of floor(inside / divisor), unsimplified.
std::string floor_name(ProofLog& proof_log, const std::string& inside, int64_t divisor);

// Adds the step unless it is there. The text omits steps that nothing uses, unless they are `kept`.
int add_step(ProofLog& proof_log, ProofStep step);

template <size_t count, class Statement>
int add_lemma(NormalFormContext& context, std::string says, const Lemma<count, Statement>& lemma,
              const std::array<std::string, count>& values, Premises premises, bool kept = false) {
  std::string by(lemma.name);
  for (size_t i = 0; i < count; ++i) {
    absl::StrAppend(&by, i == 0 ? "(" : ", ", lemma.variables[i], " = ", values[i]);
  }
  return add_step(*context.proof_log, {std::move(says), by + ")", std::move(premises), kept});
}

// The first step with this statement; -1 if there is none.
int stated_step(const ProofLog& proof_log, const std::string& says);
// "EXPRESSION in [l, h]".
std::string in_range(const std::string& expression, const Range& range);
// "P in [l, h]", the constant in the interval.
std::string interval_text(NormalFormContext& context, const Linear& form, const Range& range);
// The step with this statement; adds one by `known` if there is none.
int assumption_step(NormalFormContext& context, const std::string& says);
int assumption_step(NormalFormContext& context, const Linear& form, const Range& range);
// "2, -1": the factor of each assumed sum. Appends the steps that state these sums to `given`.
std::string times_assumption(NormalFormContext& context, const AssumedParts& parts,
                             std::vector<int>& given);

// While it lasts, computations are free: work and `gave_up` are restored at its end.
class LogScope {
 public:
  explicit LogScope(NormalFormContext& context)
      : context_(context), work_(context.work), gave_up_(context.gave_up) {}
  ~LogScope() {
    context_.work = work_;
    context_.gave_up = gave_up_;
  }
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  NormalFormContext& context_;
  int64_t work_;
  bool gave_up_;
};

// ---- Floors and ranges ----------------------------------------------------------------------

// The step `floor(x / c) = value`; -1 if that holds without a lemma.
int floor_step(NormalFormContext& context, const Linear& x, int64_t c, const Linear& value);
// The same for the value of floor_of, which must have been computed before.
int floor_step(NormalFormContext& context, const Linear& x, int64_t c);
// The step that bounds the combination by the sum of its atoms' ranges; -1 for a constant.
int sum_step(NormalFormContext& context, const Linear& expression);
// The step that the form lies in the range, which must be that of range_of; -1 for a constant.
int range_step(NormalFormContext& context, const Linear& form, const Range& range);
int atom_step(NormalFormContext& context, int32_t atom);

// floor(x / c) = quotient + floor, where `floor` is the floor of the rest.
void log_pull(NormalFormContext& context, const Linear& x, int64_t c, const Linear& quotient,
              const Linear& rest, const Linear& floor);
// floor(x / c) = result = floor((a + m) / (c / g)), where x = g * a + part.
void log_small_part(NormalFormContext& context, const Linear& x, int64_t c, const Linear& part,
                    int64_t g, int64_t m, const Linear& a, const Linear& result);
// The same, if a constraint gives the range of the part.
void log_assumed_part(NormalFormContext& context, const Linear& x, int64_t c, const Linear& part,
                      int64_t g, int64_t m, const Linear& a, const Linear& result);
void log_one_cell(NormalFormContext& context, const Linear& x, int64_t c, int64_t m);
// floor((sign * inner + rest) / c) = result = floor(operand / (inner's divisor * c)).
void log_merge(NormalFormContext& context, const Inner& inner, int64_t c, const Linear& operand,
               const Linear& result);
// floor((X + m) / (2m)) = whole - half, where the atom is half = floor(X / (2m)) and whole is
// floor(X / m).
void log_halves(NormalFormContext& context, int32_t half, const Linear& whole);
// floor(x / c) = -floor(negated / c) = -result.
void log_negated(NormalFormContext& context, const Linear& x, int64_t c, const Linear& negated,
                 const Linear& result);
// A rendering uses floor(x / divisor) for quotient + floor atom, or, if negated,
// quotient - floor atom.
void log_quotient(NormalFormContext& context, int32_t floor, const Linear& x,
                  const Linear& quotient, bool negated);
// The step that the form, without its constant and times the sign, is that floor.
int whole_rule(NormalFormContext& context, const Linear& form, const WholeFloor& whole);
// The range of a floor atom becomes that of its operand, divided.
void log_floor_range(NormalFormContext& context, int32_t atom, const Range& inside);
// The other value of the floor atom as the floor of `whole`, which is floor(its operand / step), if
// it has one. Some small parts are found only if the division is done in two steps.
std::optional<FloorValue> nested_value(NormalFormContext& context, int32_t floor,
                                       const Linear& whole, int64_t step);
// Digits use the floor atom as the floor of `whole`, which is floor(its operand / step).
void log_digit(NormalFormContext& context, int32_t floor, const Linear& whole, int64_t step);
// The steps that show that the form and its digits, in normal form, are equal up to constants.
std::vector<int> digit_steps(NormalFormContext& context, const Linear& form, const Linear& digits);
void log_digits(NormalFormContext& context, const Linear& plain, const Linear& digits);

// ---- Sections -------------------------------------------------------------------------------

void begin_section(ProofLog& proof_log, const IndexingMap& map);
// Writes the steps that are needed to the text.
void end_section(ProofLog& proof_log, const IndexingMap& map, const IndexingMap& result);
// Removes the sections after the first `count`.
void keep_sections(ProofLog& proof_log, size_t count);

}  // namespace tileproof::impl
