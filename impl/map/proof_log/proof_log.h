// Why a simplification is right, as steps that name a lemma and its instance.
//
// When a NormalFormContext has a ProofLog, the simplifier tells it every fact that it uses, at the place
// where it uses it. Nothing is decided here: a step restates what was done, with the values of the
// lemma's letters, so that a checker that knows the lemmas and no simplifier can follow
// (verify/trace/trace_check.h). Without a ProofLog (a null pointer) the notes cost a test each.
//
// Text, a line a step; every map on the way begins a section:
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
// as they stand; a mod stands as what it means, x mod c = x - c * (x floordiv c). Steps:
//
//     FACT by LEMMA(..) from F given G using E     from: what an equivalence replaces; given: the
//                                                  hypotheses; using: equations put in for floors
//     P in [l, h] by sum(2, -1) given 3 4          2 times fact 3 and -1 times fact 4
//     P in [l, h] by rewriting from F using E      the same fact in other words
//     P in [l, h] by known                         follows from what was shown of P before
//     constraint 0 is P in [l, h] using E          what the constraint says; `new` that of the
//                                                  result; new constraint 1 is constraint 0: both
//                                                  are the same text and interval
//     result 0 is P given D using E                its value: by D the difference to P is 0;
//                                                  likewise new result 0
//
// An interval may have the ends -inf and inf. A section whose steps end without `becomes` is
// incomplete.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/lemmas/lemma.h"
#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/normal_form.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// What a step builds on: numbers of steps, -1 for nothing to tell.
struct Premises {
  std::vector<int> from = {}, given = {}, rules = {};
};

struct ProofStep {
  std::string says, by;
  Premises premises = {};
  bool kept = false;  // even if no other step needs it
};

// floor(..) = form, as a step says.
struct FloorValue {
  Linear form;
  int step = -1;
};

struct ProofLog {
  // Of the present section.
  int64_t dimensions = 0, ranges = 0;
  std::vector<std::string> floors;  // "(s0 * 6 + 9) floordiv 18": f1, f2, ..
  std::map<std::string, int> floor_numbers;
  std::vector<ProofStep> steps;
  // Since the NormalFormContext was cleared last.
  struct Box {
    std::map<std::string, int> stated;                            // the first step that says it
    std::map<std::string, int> lines;                             // a step in full
    std::map<int32_t, std::string> floor_names;                   // of atoms
    std::map<int32_t, int> atom_facts;                            // the range of an atom
    std::map<std::string, Linear> digits;                         // by the terms of the combination
    std::map<std::string, std::vector<FloorValue>> floor_values;  // of f1, f2, ..
    std::map<int32_t, FloorValue> digit_rules;  // of a floor atom that has another normal form
  };
  Box box;
  // The finished sections; none once there was too much to tell.
  std::string text;
  std::vector<size_t> section_ends;
  int64_t logged = 0;  // bytes of combinations written, over all sections
  bool too_long() const { return logged > kMaxLogged; }

  static constexpr int64_t kMaxLogged = 64 << 20;
};

// ---- Writing --------------------------------------------------------------------------------

std::string text_of(Wide value);
// Of a combination, words by their meaning.
std::string text_of(NormalFormContext& context, const Linear& form);
// The name of floor(inside / divisor) as it stands.
std::string floor_name(ProofLog& proof_log, const std::string& inside, int64_t divisor);

// Adds the step unless it is there. Steps that nothing needs are left out in the end, unless kept.
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

// The first step that says so; -1 if there is none.
int stated_step(const ProofLog& proof_log, const std::string& says);
// "words in [l, h]".
std::string in_range(const std::string& expression, const Range& range);
// "P in [l, h]", the constant in the interval.
std::string interval_text(NormalFormContext& context, const Linear& form, const Range& range);
// The step that says so; one by `known` if there is none.
int assumption_step(NormalFormContext& context, const std::string& says);
int assumption_step(NormalFormContext& context, const Linear& form, const Range& range);
// "2, -1": how many times each known sum; the steps that say so are added to `given`.
std::string times_assumption(NormalFormContext& context, const std::vector<AssumedPart>& parts,
                             std::vector<int>& given);

// While it lasts, what is computed does not count: work and refusals are those of before.
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

// The step `floor(x / c) = value`; -1 where that is so as it stands.
int floor_step(NormalFormContext& context, const Linear& x, int64_t c, const Linear& value);
// The same with the value that floor_of gives, which must have been asked for before.
int floor_step(NormalFormContext& context, const Linear& x, int64_t c);
// The step that the words lie in the sum of the ranges of their atoms; -1 for a constant.
int sum_step(NormalFormContext& context, const Linear& expression);
// The step that the form lies in the range, which is what range_of gives; -1 for a constant.
int range_step(NormalFormContext& context, const Linear& form, const Range& range);
int atom_step(NormalFormContext& context, int32_t atom);

// floor(x / c) = quotient + floor, where `floor` is that of the rest.
void log_pull(NormalFormContext& context, const Linear& x, int64_t c, const Linear& quotient,
              const Linear& rest, const Linear& floor);
// floor(x / c) = result = floor((a + m) / (c / g)), where x = g * a + part.
void log_small_part(NormalFormContext& context, const Linear& x, int64_t c, const Linear& part,
                    int64_t g, int64_t m, const Linear& a, const Linear& result);
// The same where a constraint says in which range the part is.
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
// Words take floor(x / divisor) for quotient + floor atom, or, negated, for quotient - floor atom.
void log_quotient(NormalFormContext& context, int32_t floor, const Linear& x,
                  const Linear& quotient, bool negated);
// The range of a floor atom is from now on that of its operand, divided.
void log_floor_range(NormalFormContext& context, int32_t atom, const Range& inside);
// The floor atom as the floor of `whole`, which is floor(its operand / step): its other value, if
// it has one. Small parts may be seen only where the division is done in two steps.
std::optional<FloorValue> nested_value(NormalFormContext& context, int32_t floor,
                                       const Linear& whole, int64_t step);
// Digits take the floor atom for the floor of `whole`, which is floor(its operand / step).
void log_digit(NormalFormContext& context, int32_t floor, const Linear& whole, int64_t step);
// The steps by which the form and its digits, in normal form, are one, up to their constants.
std::vector<int> digit_steps(NormalFormContext& context, const Linear& form, const Linear& digits);
void log_digits(NormalFormContext& context, const Linear& plain, const Linear& digits);

// ---- Sections -------------------------------------------------------------------------------

void begin_section(ProofLog& proof_log, const IndexingMap& map);
// The steps that are needed, as text.
void end_section(ProofLog& proof_log, const IndexingMap& map, const IndexingMap& result);
// Takes back the sections behind the first `count`.
void keep_sections(ProofLog& proof_log, size_t count);

}  // namespace tileproof::impl
