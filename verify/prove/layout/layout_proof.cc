// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/layout_proof.h"

#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"
#include "verify/compare/layout_compare.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/prove/layout/word_arithmetic.h"
#include "verify/prove/lemmas/lemma_proof.h"

namespace tileproof::verify {
namespace {

using Terms = std::vector<SmtTerm>;

// Walks through the operations of a closed form as impl::evaluate does, but over the integers.
// `divide_first` divides the first input; floordiv divides everything else.
struct Run {
  Terms outputs;
  SmtFormula accepted = true;
};
Run run(const impl::ClosedForm& form, const Terms& inputs,
        const std::function<SmtTerm(int64_t)>& divide_first,
        const std::function<SmtFormula(const SmtTerm&, const impl::Check&)>& check) {
  Terms values = inputs;
  for (const auto& operation : form.operations) {
    if (const impl::Floor* floor = std::get_if<impl::Floor>(&operation)) {
      const int64_t divisor = floor->divisor.value();
      values.push_back(floor->operand == 0 ? divide_first(divisor)
                                           : floordiv(values[floor->operand], divisor));
      continue;
    }
    SmtTerm sum = 0;
    for (const impl::Sum::Term& term : std::get<impl::Sum>(operation).terms) {
      sum = sum + values[term.value] * term.weight;
    }
    values.push_back(sum);
  }
  Run result;
  for (const impl::Check& c : form.checks)
    result.accepted = result.accepted && check(values[c.value], c);
  for (impl::ValueId output : form.outputs) result.outputs.push_back(values[output]);
  return result;
}

Terms run_forward(const impl::ClosedForm& form, const Terms& index) {
  const auto divide = [&](int64_t c) { return floordiv(index[0], c); };
  const auto check = [](const SmtTerm& x, const impl::Check& c) { return x < c.bound; };
  return run(form, index, divide, check).outputs;
}

// Applies the reference's steps from the logical index to the physical one.
Terms to_physical(const spec::TiledLayout& reference, Terms index) {
  for (size_t i = 0; i < reference.physical_position; ++i) {
    index = spec::forward(reference.steps[i], reference.dims[i], std::move(index));
  }
  return index;
}

SmtTerm to_offset(const spec::TiledLayout& reference, Terms index) {
  for (size_t i = reference.physical_position; i < reference.steps.size(); ++i) {
    index = spec::forward(reference.steps[i], reference.dims[i], std::move(index));
  }
  return index.front();
}

// Applies the steps backward from the physical index to the logical one.
spec::Preimage<SmtTerm> from_physical(const spec::TiledLayout& reference, const Terms& index) {
  spec::Preimage<SmtTerm> preimage{index, true};
  for (size_t i = reference.physical_position; i-- > 0;) {
    preimage = spec::backward(reference.steps[i], reference.dims[i], std::move(preimage.index),
                              preimage.exists);
  }
  return preimage;
}

// ---- (1): every step is an instance of a lemma ----

struct InstanceOfLemma {
  const spec::Dims& before;
  const spec::Dims& after;

  // leading-one
  bool operator()(const spec::Prepend&) const {
    return after.size() == before.size() + 1 && after[0] == 1;
  }
  // digit-quotient, digit-remainder, combine-in-bounds
  bool operator()(const spec::Combine& step) const { return before[step.at + 1] >= 1; }
  // split-undone, split-in-bounds
  bool operator()(const spec::Split& step) const {
    return step.tile >= 1 && before[step.at] % step.tile == 0 &&
           after[step.at] == before[step.at] / step.tile;
  }
  // pad-keeps-index
  bool operator()(const spec::Pad& step) const { return after[step.at] >= before[step.at]; }
  bool operator()(const spec::Transpose& step) const {
    std::vector<bool> met(before.size(), false);
    for (int64_t from : step.from) {
      if (from < 0 || from >= std::ssize(before) || met[from]) return false;
      met[from] = true;
    }
    return step.from.size() == before.size();
  }
};

bool steps_are_instances(const spec::TiledLayout& reference) {
  for (size_t i = 0; i < reference.steps.size(); ++i) {
    if (!std::visit(InstanceOfLemma{reference.dims[i], reference.dims[i + 1]}, reference.steps[i]))
      return false;
  }
  return true;
}

// ---- (2) and (3) ----

Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::kRefuted || b == Verdict::kRefuted) return Verdict::kRefuted;
  return a == Verdict::kUndecided ? a : b;
}

class Prover {
 public:
  Prover(const Shape& shape, const spec::TiledLayout& reference, const ClosedForms& closed,
         ProofSession& session)
      : shape_(shape), reference_(reference), closed_(closed), session_(session) {}

  LayoutProof prove() {
    require("the lemmas about steps", prove_step_lemmas(session_));
    require("each step is an instance of a lemma",
            steps_are_instances(reference_) ? Verdict::kProven : Verdict::kUndecided);
    prove_forward();
    prove_backward();
    return result_;
  }

 private:
  void require(absl::string_view question, Verdict verdict) {
    result_.verdict = first_ ? verdict : worse(result_.verdict, verdict);
    first_ = false;
    if (verdict != Verdict::kProven && result_.open.empty()) result_.open = std::string(question);
  }

  void prove_forward() {
    SmtContext context(session_);
    Terms index;
    for (int64_t size : reference_.logical()) index.push_back(context.variable(size));
    const Terms by_steps = to_physical(reference_, index);
    const Terms by_form = run_forward(*impl::physical_index(shape_), index);
    for (size_t i = 0; i < by_steps.size(); ++i) {
      require(absl::StrCat("physical dimension ", i), context.prove(by_form[i] == by_steps[i]));
    }
    const SmtTerm offset = run_forward(closed_.to_offset, index).front();
    require("the offset is the position of the physical index",
            context.prove(offset == to_offset(reference_, by_form)));
  }

  // Splits the offset as o = y0*s0 + y1*s1 + .., where s are the strides of the physical
  // dimensions; the backward steps of combining do the same (lemmas digit-quotient and
  // digit-remainder). Replaces a division by m of the closed form with two, first by the largest
  // stride s that divides m (lemma nested-floor); o floordiv s is the sum of the more major part.
  void prove_backward() {
    const spec::Dims& dims = reference_.physical();
    SmtContext context(session_);
    Terms y;
    for (int64_t size : dims) y.push_back(context.variable(size));
    const std::vector<int64_t> strides = strides_of(dims);
    const auto divide_offset = [&](int64_t m) {
      size_t major = 0;
      while (major < dims.size() && m % strides[major] != 0) ++major;
      SmtTerm part = 0;
      for (size_t i = 0; i <= major && i < dims.size(); ++i) part = part * dims[i] + y[i];
      return floordiv(part, major < dims.size() ? m / strides[major] : m);
    };
    // The tail holds no element, so the closed form must check for it. Outside the tail that check
    // holds.
    bool tail_checked = false;
    const int64_t positions = dims.empty() ? 1 : strides[0] * dims[0];
    const auto check = [&](const SmtTerm& x, const impl::Check& c) {
      const bool is_tail = c.value == 0 && c.bound == positions;
      tail_checked = tail_checked || is_tail;
      return is_tail ? SmtFormula(true) : x < c.bound;
    };
    const Run form = run(closed_.to_index, {to_offset(reference_, y)}, divide_offset, check);
    require("the tail is padding", tail_checked == (reference_.elements() > positions)
                                       ? Verdict::kProven
                                       : Verdict::kUndecided);
    const spec::Preimage<SmtTerm> preimage = from_physical(reference_, y);
    require("where there is padding", context.prove(iff(form.accepted, preimage.exists)));
    for (size_t d = 0; d < preimage.index.size(); ++d) {
      const SmtFormula same = form.outputs[d] == preimage.index[d];
      // In padding the two sides may differ, but they rarely do.
      const Verdict everywhere = context.prove(same);
      require(absl::StrCat("dimension ", d, " from the offset"),
              everywhere == Verdict::kProven ? everywhere
                                             : context.prove(implies(preimage.exists, same)));
    }
  }

  static std::vector<int64_t> strides_of(const spec::Dims& dims) {
    std::vector<int64_t> strides(dims.size(), 1);
    for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
    return strides;
  }

  const Shape& shape_;
  const spec::TiledLayout& reference_;
  const ClosedForms& closed_;
  ProofSession& session_;
  LayoutProof result_;
  bool first_ = true;
};

constexpr int64_t kPointsBeforeProof = 64;

std::string index_text(const std::optional<std::vector<int64_t>>& index) {
  return index ? dims_text(*index) : "padding";
}

// Evaluates the closed forms and the steps at one point each.
std::optional<LayoutProof> refuted_at_index(const Shape& shape, const spec::TiledLayout& reference,
                                            const impl::ClosedForm& to_offset,
                                            const std::vector<int64_t>& index) {
  const int64_t right = spec::offset_of(reference, index);
  int64_t offset = -1;
  const bool found = impl::evaluate(to_offset, index, absl::MakeSpan(&offset, 1));
  if (found && offset == right) return std::nullopt;
  return LayoutProof{Verdict::kRefuted,
                     absl::StrCat(to_text(shape), " --index ", absl::StrJoin(index, ","),
                                  "  reference: ", right, "  closed form: ", offset),
                     "", index};
}

std::optional<LayoutProof> refuted_at_offset(const Shape& shape, const spec::TiledLayout& reference,
                                             const impl::ClosedForm& to_index, int64_t offset) {
  const spec::Preimage<int64_t> preimage = spec::preimage_of(reference, offset, true);
  std::optional<std::vector<int64_t>> right, index = reference.logical();
  if (preimage.exists) right = preimage.index;
  if (!impl::evaluate(to_index, {offset}, absl::MakeSpan(*index))) index.reset();
  if (index == right) return std::nullopt;
  return LayoutProof{Verdict::kRefuted,
                     absl::StrCat(to_text(shape), " --offset ", offset, "  reference: ",
                                  index_text(right), "  closed form: ", index_text(index)),
                     ""};
}

// (4): nothing if both closed forms compute with words what they mean over the integers.
std::optional<LayoutProof> words_differ(const Shape& shape, const spec::TiledLayout& reference,
                                        const ClosedForms& closed) {
  const auto offset_fault = word_fault(closed.to_offset, reference.logical());
  const auto index_fault = word_fault(closed.to_index, {reference.elements()});
  if (offset_fault) {
    for (const std::vector<int64_t>& index : offset_fault->suspects) {
      if (auto refuted = refuted_at_index(shape, reference, closed.to_offset, index))
        return refuted;
    }
  }
  if (index_fault) {
    for (const std::vector<int64_t>& offset : index_fault->suspects) {
      if (auto refuted = refuted_at_offset(shape, reference, closed.to_index, offset.front()))
        return refuted;
    }
  }
  if (offset_fault)
    return LayoutProof{Verdict::kUndecided, "", "the offset: " + offset_fault->what};
  if (index_fault) return LayoutProof{Verdict::kUndecided, "", "the index: " + index_fault->what};
  return std::nullopt;
}

LayoutProof prove_forms(const Shape& shape, const spec::TiledLayout& reference,
                        const ClosedForms& closed, ProofSession& session) {
  if (reference.elements() == 0) return {Verdict::kProven, "", ""};  // no index and no offset exist
  if (const auto differ = words_differ(shape, reference, closed)) return *differ;
  LayoutProof proof = Prover(shape, reference, closed, session).prove();
  // The solver refutes only an intermediate question. Only a point evaluated on both sides refutes
  // the layout.
  if (proof.verdict == Verdict::kRefuted) proof.verdict = Verdict::kUndecided;
  return proof;
}

}  // namespace

absl::Span<const absl::string_view> step_lemmas() {
  static constexpr absl::string_view kNames[] = {
      "split-undone",      "split-in-bounds", "pad-keeps-index",
      "combine-in-bounds", "digit-quotient",  "digit-remainder",
      "leading-one",       "nested-floor",    "divide-by-multiplication",
  };
  return kNames;
}

Verdict prove_step_lemmas(ProofSession& session) {
  Verdict verdict = Verdict::kProven;
  for (absl::string_view name : step_lemmas()) {
    const auto [known, is_new] =
        session.answered.try_emplace(absl::StrCat("lemma ", name), Verdict::kUndecided);
    if (is_new) {
      const lemmas::StatedLemma* lemma = lemmas::find_lemma(name);
      const bool proven =
          lemma != nullptr && lemmas::prove_lemma(*lemma, {.threads = 1}).certificate_checked;
      if (proven) known->second = Verdict::kProven;
    }
    verdict = worse(verdict, known->second);
  }
  return verdict;
}

absl::StatusOr<LayoutProof> prove_layout(const Shape& shape, ProofSession& session) {
  const spec::TiledLayout reference = TRY(spec::tiled_layout(shape));
  const impl::TiledLayout closed = TRY(impl::TiledLayout::create(shape));
  // Search for a counterexample first: most wrong formulas fail at a corner.
  Choose choose(Choose::Random{0});
  CaseCounts tally;
  const absl::Status compared = compare_sampled(shape, kPointsBeforeProof, choose, tally);
  if (!compared.ok()) return LayoutProof{Verdict::kRefuted, std::string(compared.message()), ""};
  return prove_forms(shape, reference, {closed.to_offset(), closed.to_index()}, session);
}

absl::StatusOr<LayoutProof> prove_layout(const Shape& shape, const ClosedForms& closed,
                                         ProofSession& session) {
  const spec::TiledLayout reference = TRY(spec::tiled_layout(shape));
  const size_t rank = reference.logical().size();
  if (closed.to_offset.outputs.size() != 1 || closed.to_index.outputs.size() != rank)
    return absl::InvalidArgumentError("expected one offset, and a coordinate for each dimension");
  return prove_forms(shape, reference, closed, session);
}

}  // namespace tileproof::verify
