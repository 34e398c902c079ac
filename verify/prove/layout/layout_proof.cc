// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/layout_proof.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/layout/tiled_layout.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/tiled_layout.h"
#include "verify/compare/layout_compare.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/prove/layout/layout_convert.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/layout/swizzle_proof.h"
#include "verify/prove/layout/word_arithmetic.h"
#include "verify/prove/lemmas/lemma_proof.h"
#include "verify/prove/map/equality_prover.h"
#include "verify/prove/map/map_equal.h"
#include "verify/prove/map/written.h"

namespace tileproof::verify {
namespace {

using Numbers = std::vector<Written>;

// Walks through the sums of a closed form as impl::evaluate does, but over the integers. The outputs
// become the results of the map, and the checks its constraints.
void write(const impl::ClosedForm& form, const Numbers& inputs, IndexingMap& map) {
  Numbers values = inputs;
  for (const impl::Sum& sum : form.sums) {
    Written total = 0;
    for (const auto& [value, weight, divisor] : sum.terms) {
      const bool is_whole = divisor.value() == 1;
      total =
          total + (is_whole ? values[value] : floordiv(values[value], divisor.value())) * weight;
    }
    values.push_back(total);
  }
  for (const impl::Check& check : form.checks) constrain(map, values[check.value] < check.bound);
  for (impl::ValueId output : form.outputs) map.results.push_back(node_in(map, values[output]));
}

// Makes the numbers the results of the map.
void write(const Numbers& results, IndexingMap& map) {
  for (const Written& result : results) map.results.push_back(node_in(map, result));
}

// Applies the reference's steps from the physical index to the offset.
Numbers to_offset(const spec::TiledLayout& reference, Numbers index) {
  for (size_t i = reference.physical_position; i < reference.steps.size(); ++i) {
    index = spec::forward(reference.steps[i], reference.dims[i], std::move(index));
  }
  return index;
}

// Applies the steps backward from the physical index to the logical one.
spec::Preimage<Written> from_physical(const spec::TiledLayout& reference, const Numbers& index) {
  spec::Preimage<Written> preimage{index, true};
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

Verdict prove_forward(const spec::TiledLayout& reference, const ClosedForms& closed,
                      ProofSession& session) {
  IndexingMap form, steps;
  write(closed.to_offset, index_of(form, reference.logical()), form);
  write({spec::offset_of(reference, index_of(steps, reference.logical()))}, steps);
  return prove_same(form, steps, session).verdict;
}

// The tail behind the last position holds no element, so the closed form must check for it.
bool checks_the_tail(const spec::TiledLayout& reference, const impl::ClosedForm& to_index) {
  int64_t positions = 1;
  for (const int64_t size : reference.physical()) positions *= size;
  const bool is_checked = std::ranges::any_of(to_index.checks, [&](const impl::Check& check) {
    return check.value == 0 && check.bound == positions;
  });
  return is_checked == (reference.elements() > positions);
}

// Splits the offset as o = y0*s0 + y1*s1 + .., where s are the strides of the physical dimensions;
// the backward steps of combining do the same (lemmas digit-quotient and digit-remainder).
Verdict prove_backward(const spec::TiledLayout& reference, const ClosedForms& closed,
                       ProofSession& session) {
  IndexingMap form, steps;
  write(closed.to_index, to_offset(reference, index_of(form, reference.physical())), form);
  const auto preimage = from_physical(reference, index_of(steps, reference.physical()));
  constrain(steps, preimage.exists);
  write(preimage.index, steps);
  return prove_same(form, steps, session).verdict;
}

// The first question that is left open; empty if all are proven.
absl::string_view open_question(const spec::TiledLayout& reference, const ClosedForms& closed,
                                ProofSession& session) {
  if (prove_step_lemmas(session) != Verdict::kProven) return "the lemmas about steps";
  if (!steps_are_instances(reference)) return "each step is an instance of a lemma";
  if (prove_forward(reference, closed, session) != Verdict::kProven)
    return "the offset of a symbolic index";
  if (!checks_the_tail(reference, closed.to_index)) return "the tail is padding";
  if (prove_backward(reference, closed, session) != Verdict::kProven)
    return "the index at a symbolic offset";
  return "";
}

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
  // A map that differs somewhere refutes only an intermediate question. Only a point evaluated on
  // both sides refutes the layout.
  const std::string open(open_question(reference, closed, session));
  return {open.empty() ? Verdict::kProven : Verdict::kUndecided, "", open};
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
  constexpr char kQuestion[] = "the lemmas about steps";
  if (session.proven.contains(kQuestion)) return Verdict::kProven;
  for (absl::string_view name : step_lemmas()) {
    const lemmas::StatedLemma* lemma = lemmas::find_lemma(name);
    if (lemma == nullptr || !lemmas::prove_lemma(*lemma, {.threads = 1}).certificate_checked)
      return Verdict::kUndecided;
  }
  session.proven.insert(kQuestion);
  return Verdict::kProven;
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

namespace {

constexpr char kClosedForm[] = "the closed form is the definition, injective, and its inverse";

// The formula of the closed form as a map from an index to its offset.
absl::StatusOr<IndexingMap> formula_map(const tileproof::NestedLayout& layout,
                                        const std::vector<int64_t>& dims) {
  const impl::NestedLayout closed = TRY(impl::NestedLayout::create(layout));
  std::vector<std::string> names, bounds;
  for (size_t k = 0; k < dims.size(); ++k) {
    names.push_back(absl::StrCat("d", k));
    bounds.push_back(absl::StrCat("d", k, " in [0, ", dims[k] - 1, "]"));
  }
  return parse_map(absl::StrCat("(", absl::StrJoin(names, ", "), ") -> (", closed.formula(), ")",
                                bounds.empty() ? "" : ", domain: ", absl::StrJoin(bounds, ", ")));
}

LayoutProof proof_of(const IndexingMap& map, const MapEquality& equality) {
  LayoutProof proof{equality.verdict, "", equality.open};
  if (equality.difference) {
    proof.counterexample =
        absl::StrCat("the formula and the definition at ", to_text(map, *equality.difference));
    proof.at = equality.difference->at.dims;
  }
  return proof;
}

// The formula of a layout that has no closed form of tiles: of the nested layout, tag or memref. The
// map of a memref is simplified.
absl::StatusOr<IndexingMap> formula_of(const AnyLayout& layout,
                                       const spec::LayoutFunction& function) {
  if (std::holds_alternative<MemRef>(layout)) return impl::simplify(offset_map(function));
  if (const auto* tagged = std::get_if<TaggedShape>(&layout)) {
    return formula_map(TRY(impl::make_layout(*tagged)), function.dims);
  }
  return formula_map(std::get<NestedLayout>(layout), function.dims);
}

// The formula of a nested layout, tag or memref is the definition.
absl::StatusOr<LayoutProof> prove_formula(const AnyLayout& layout, const ProofSession& session) {
  const spec::LayoutFunction function = TRY(spec::layout_function(layout));
  const IndexingMap formula = TRY(formula_of(layout, function));
  EqualOptions options;
  options.milliseconds = session.milliseconds_per_question;
  options.smtlib_directory = session.smtlib_directory;
  return proof_of(formula, TRY(equal(formula, offset_map(function), options)));
}

// A swizzled layout: its words and the formula of the offset before the swizzle.
absl::StatusOr<AnyLayoutProof> prove_swizzled(const SwizzledLayout& layout, ProofSession& session) {
  TRY(spec::layout_function(layout));
  AnyLayoutProof proven;
  proven.statement =
      "the words of the swizzle are its bits and their own inverse; before it, "
      "the formula is the definition";
  proven.proof = TRY(prove_formula(layout.layout, session));
  if (proven.proof.verdict != Verdict::kProven) return proven;
  proven.proof = prove_swizzle(layout, impl::words_of(layout), session);
  return proven;
}

}  // namespace

absl::StatusOr<AnyLayoutProof> prove_any_layout(const AnyLayout& layout, ProofSession& session) {
  if (const auto* shape = std::get_if<Shape>(&layout)) {
    return AnyLayoutProof{TRY(prove_layout(*shape, session)), kClosedForm};
  }
  if (const auto* swizzled = std::get_if<SwizzledLayout>(&layout)) {
    return prove_swizzled(*swizzled, session);
  }
  AnyLayoutProof proven;
  const bool has_formula = !std::holds_alternative<BlockedShape>(layout);
  if (has_formula) {
    proven.proof = TRY(prove_formula(layout, session));
    proven.statement = "the formula is the definition";
    if (proven.proof.verdict != Verdict::kProven) return proven;
  }
  const Converted tiled = TRY(convert(layout, LayoutSystem::kXla, ElementType::kF32, session));
  if (!tiled.layout) {
    absl::StrAppend(&proven.statement, has_formula ? "; " : "", "no tiled form: ", tiled.reason);
    if (!has_formula) proven.proof.open = tiled.reason;
    return proven;
  }
  const std::string text = to_text(*tiled.layout);
  proven.statement = absl::StrCat("equal to ", text, ", where ", kClosedForm);
  proven.proof = tiled.proof;
  if (proven.proof.verdict != Verdict::kProven) return proven;
  proven.proof = TRY(prove_layout(std::get<Shape>(*tiled.layout), session));
  return proven;
}

}  // namespace tileproof::verify
