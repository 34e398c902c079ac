// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/any_layout_proof.h"

#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/nested_tags.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/layout/layout_convert.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/layout/swizzle_proof.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::verify {
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
