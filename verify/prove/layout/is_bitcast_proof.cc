// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/is_bitcast_proof.h"

#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/hlo/definition_movement.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/layout/tiled_layout.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/map/written.h"

namespace tileproof::verify {
namespace {

using Index = std::vector<int64_t>;

// ---- Reshape and transpose ----

// Returns the index in the operand, for any number type.
template <class N>
std::vector<N> source_index(const Move& move, const spec::Dims& in, const spec::Dims& out,
                            const std::vector<N>& o) {
  if (move.kind == Move::Kind::kReshape) {
    const op::Reshape reshape{.operand = in, .result = out};
    return spec::reach(reshape, spec::IterationPoint<N>{o, {}, {}}).index;
  }
  std::vector<N> i(o.size(), N(0));
  for (size_t d = 0; d < o.size(); ++d) i[move.dimensions[d]] = o[d];
  return i;
}

absl::Status expect_fits(const Move& move, const spec::Dims& in, const spec::Dims& out) {
  if (move.kind == Move::Kind::kReshape) {
    absl::int128 count_in = 1, count_out = 1;  // cannot overflow: both arrays were accepted
    for (int64_t size : in) count_in *= size;
    for (int64_t size : out) count_out *= size;
    if (count_in == count_out) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("reshape: expected as many elements as in ",
                                                   dims_text(in), ", found ", dims_text(out)));
  }
  std::vector<int64_t> sorted = move.dimensions, permuted;
  std::ranges::sort(sorted);
  bool fits = sorted.size() == in.size();
  for (size_t d = 0; fits && d < sorted.size(); ++d) fits = sorted[d] == static_cast<int64_t>(d);
  for (size_t d = 0; fits && d < sorted.size(); ++d) permuted.push_back(in[move.dimensions[d]]);
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("transpose: expected each dimension of ",
                                                   dims_text(in), " once, found {",
                                                   absl::StrJoin(move.dimensions, ","), "}"));
  }
  if (permuted == out) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("transpose: expected ", dims_text(permuted), ", found ", dims_text(out)));
}

absl::StatusOr<IsBitcastProof> prove_same_offsets(const spec::LayoutFunction& in,
                                                  const spec::LayoutFunction& out, const Move& move,
                                                  const EqualOptions& options) {
  IndexingMap before;
  const auto from = source_index(move, in.dims, out.dims, index_of(before, out.dims));
  before.results = {node_in(before, spec::offset_of(in, from))};
  const IndexingMap after = offset_map(out);
  const MapEquality equality = TRY(equal(before, after, options));
  IsBitcastProof proof{equality.verdict, equality.basis, "", equality.open};
  if (equality.verdict != Verdict::kRefuted) return proof;
  const Index o = equality.difference->at.dims;
  const Index i = source_index(move, in.dims, out.dims, o);
  const auto offset_in = spec::offset_at(in, i), offset_out = spec::offset_at(out, o);
  if (!offset_in.ok() || !offset_out.ok() || *offset_in == *offset_out) {
    return absl::InternalError("the maps differ at a point where the layouts agree");
  }
  proof.counterexample = absl::StrCat("element ", dims_text(i), " becomes ", dims_text(o),
                                      " and moves from offset ", *offset_in, " to ", *offset_out);
  return proof;
}

// ---- Bitcast ----

std::string no_element(const Index& index, int64_t offset, absl::string_view name_of,
                       absl::string_view name_on) {
  return absl::StrCat("element ", dims_text(index), " of ", name_of, " lies at offset ", offset,
                      ", where ", name_on, " has no element");
}

// Proves that every element of `of` is at the offset of an element of `on`.
absl::StatusOr<IsBitcastProof> prove_is_subset(const spec::TiledLayout& of,
                                               const spec::TiledLayout& on,
                                               absl::string_view name_of, absl::string_view name_on,
                                               const EqualOptions& options) {
  IndexingMap all, covered;
  index_of(all, of.logical());
  const auto index = index_of(covered, of.logical());
  const Written offset = spec::offset_of(of, index);
  const auto found = spec::preimage_of<Written>(on, offset, offset < on.elements());
  constrain(covered, found.exists);
  const MapEquality equality = TRY(equal(all, covered, options));
  IsBitcastProof proof{equality.verdict, equality.basis, "", equality.open};
  if (equality.verdict != Verdict::kRefuted) return proof;
  const Index o = equality.difference->at.dims;
  const int64_t position = TRY(spec::linearize(of, o));
  if (position < on.elements()) {
    const auto there = spec::delinearize(on, position);
    if (!there.ok() || *there) {
      return absl::InternalError("the maps differ at a point where the layouts agree");
    }
  }
  proof.counterexample = no_element(o, position, name_of, name_on);
  return proof;
}

absl::StatusOr<IsBitcastProof> prove_bitcast(const spec::TiledLayout& in,
                                             const spec::TiledLayout& out,
                                             const EqualOptions& options) {
  const auto to = prove_is_subset(out, in, "the result", "the operand", options);
  if (!to.ok() || to->verdict == Verdict::kRefuted) return to;
  const auto back = prove_is_subset(in, out, "the operand", "the result", options);
  if (!back.ok() || back->verdict != Verdict::kProven) return back;
  return to;
}

// ---- Bitcasts of layouts that are not made of tiles ----

constexpr int64_t kMostElements = int64_t{1} << 20;

bool has_few_elements(const spec::Dims& dims) {
  int64_t count = 1;
  return std::ranges::all_of(dims, [&](int64_t size) {
    return !__builtin_mul_overflow(count, size, &count) && count <= kMostElements;
  });
}

struct Element {
  int64_t offset;
  Index index;
};

// All elements, by offset.
absl::StatusOr<std::vector<Element>> elements_of(const spec::LayoutFunction& layout) {
  std::vector<Interval> box;
  for (const int64_t size : layout.dims) box.push_back({0, size - 1});
  Index index(layout.dims.size(), 0);
  std::vector<Element> elements;
  do {
    const int64_t offset = TRY(spec::offset_at(layout, index));
    elements.push_back({offset, index});
  } while (next_point(box, index));
  std::ranges::stable_sort(elements, {}, &Element::offset);
  return elements;
}

absl::StatusOr<IsBitcastProof> prove_by_elements(const spec::LayoutFunction& in,
                                                 const spec::LayoutFunction& out) {
  if (!has_few_elements(in.dims) || !has_few_elements(out.dims)) {
    return IsBitcastProof{Verdict::kUndecided, Basis::kNothing, "",
                          "layouts that are not made of tiles have more than 2^20 elements"};
  }
  const std::vector<Element> operand = TRY(elements_of(in)), result = TRY(elements_of(out));
  for (const bool of_result : {true, false}) {
    const std::vector<Element>& on = of_result ? operand : result;
    for (const Element& one : of_result ? result : operand) {
      const auto there = std::ranges::lower_bound(on, one.offset, {}, &Element::offset);
      if (there != on.end() && there->offset == one.offset) continue;
      const char* names[] = {"the operand", "the result"};
      return IsBitcastProof{Verdict::kRefuted, Basis::kEnumerated,
                            no_element(one.index, one.offset, names[of_result], names[!of_result]),
                            ""};
    }
  }
  return IsBitcastProof{Verdict::kProven, Basis::kEnumerated, "", ""};
}

bool is_empty(const spec::Dims& dims) { return std::ranges::count(dims, 0) > 0; }

}  // namespace

absl::StatusOr<IsBitcastProof> prove_is_bitcast(const spec::LayoutFunction& in,
                                                const spec::LayoutFunction& out, const Move& move,
                                                const EqualOptions& options) {
  const bool is_bitcast = move.kind == Move::Kind::kBitcast;
  const auto* from = std::get_if<spec::TiledLayout>(&in.meaning);
  const auto* to = std::get_if<spec::TiledLayout>(&out.meaning);
  if (!is_bitcast) TRY(expect_fits(move, in.dims, out.dims));
  if (in.element_bits && out.element_bits && in.element_bits != out.element_bits) {
    const std::string why =
        absl::StrCat("the elements have ", *in.element_bits, " and ", *out.element_bits, " bits");
    return IsBitcastProof{Verdict::kRefuted, Basis::kNothing, why, ""};
  }
  const bool empty_in = is_empty(in.dims), empty_out = is_empty(out.dims);
  if (empty_in && empty_out) return IsBitcastProof{Verdict::kProven, Basis::kIdentical, "", ""};
  if (empty_in || empty_out) {
    return IsBitcastProof{Verdict::kRefuted, Basis::kNothing, "only one of them has elements", ""};
  }
  if (!is_bitcast) return prove_same_offsets(in, out, move, options);
  return from != nullptr && to != nullptr ? prove_bitcast(*from, *to, options)
                                          : prove_by_elements(in, out);
}

}  // namespace tileproof::verify
