// SPDX-License-Identifier: Apache-2.0
// Writes the steps of a QuasiAffineContext as a proof log.
//
//     (d0 * 4 + d1 + 8) floordiv 8, d1 in [0, 3]
//
//     let f1 = (d0) floordiv 2
//     let f2 = (d0 * 4 + d1) floordiv 8
//     let f3 = (d0 * 4 + d1 + 8) floordiv 8
//     1: d1 in [0, 3] by known
//     2: f2 = f1 by drop-small-part(A = d0, B = d1, g = 4, c = 2, m = 0) given 1
//     3: f3 = f1 + 1 by pull-multiple(x = 1, y = d0 * 4 + d1, c = 8) using 2
//
// A step restates what the context did, as an instance of a lemma of impl/lemmas/lemmas.h. The log
// decides nothing. verify/trace/trace_text.h defines the text. verify/trace checks each step with
// the lemmas and polynomials alone, without the context.
//
// The log is incomplete if a number does not fit 127 bits, or if a step needs that a square is not
// negative: no lemma says so.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "verify/prove/smt/quasi_affine.h"
#include "verify/trace/trace_text.h"

namespace tileproof::verify {

class QuasiAffineLog : public StepListener {
 public:
  // The log of a section. Its maps have this many dimensions and ranges.
  QuasiAffineLog(int64_t dimensions, int64_t ranges) : dimensions_(dimensions), ranges_(ranges) {}

  // The next steps come from this context. One log may follow several contexts in turn.
  void attach(const QuasiAffineContext& context);

  bool incomplete() const { return incomplete_; }
  void set_incomplete() { incomplete_ = true; }
  const std::vector<trace::Let>& lets() const { return lets_; }
  const std::vector<trace::Step>& steps() const { return steps_; }

  std::string text_of(const Sum& sum);

  // Returns the index of the step. Logs it unless the log has it already.
  int add(trace::Step step);
  // Logs that the sum without its constant lies in its range. The sum must not be a number.
  int range_step(const Sum& sum);

  // The steps with the equations of all floors and variables used since the last call.
  std::vector<int> take_used();

  void pull_multiple(const Sum& x, Wide c, const Sum& whole, const Sum& rest,
                     const Sum& value) override;
  void common_factor(const Sum& x, Wide c, const Sum& reduced, Wide g, const Sum& value) override;
  void one_cell(const Sum& x, Wide c, const Sum& value) override;
  void drop_small_part(const Sum& x, Wide c, const SmallPart& part, Wide g, Wide m,
                       const Sum& smaller, const Sum& value) override;
  void merge_inner_floor(const Sum& x, Wide c, int32_t inner, const Sum& outside, const Sum& merged,
                         const Sum& value) override;
  void use_floor(const Sum& x, Wide c) override;
  void use_constant_variable(int32_t variable) override;

 private:
  std::string name_of(int32_t atom);
  std::string floor_name(const Sum& x, Wide c);
  std::string interval_text(const std::string& of, const Range& range);
  std::vector<int> equation_of(const Sum& x, Wide c);
  void add_equation(const Sum& x, Wide c, const Sum& value, std::string by, std::vector<int> given,
                    std::vector<int> rules);
  int add_by_lemma(std::string says, std::string by, std::vector<int> given = {});
  int atom_step(int32_t atom);
  int product_step(const Product& product);
  int small_part_step(const SmallPart& part);

  int64_t dimensions_, ranges_;
  const QuasiAffineContext* context_ = nullptr;
  bool incomplete_ = false;
  std::vector<trace::Let> lets_;
  std::vector<trace::Step> steps_;
  std::vector<int> used_;
  std::map<std::string, std::string> floor_names_;  // by "(inside) floordiv divisor"
  std::map<std::string, int> lines_;                // steps, by their text
  // Of the attached context.
  std::map<std::string, int> equations_;  // by the name of the floor
  std::map<int32_t, std::string> names_;  // of atoms
  std::map<Product, int> range_steps_;
};

}  // namespace tileproof::verify
