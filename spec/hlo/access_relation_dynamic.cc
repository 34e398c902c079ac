// Operations with offsets: dynamic-slice, dynamic-update-slice.
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation_parts.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

// The offsets are one scalar for each dimension, from operand `first` on, or (in old texts) one
// vector. Each is clamped so that `window` lies inside `sizes`, and flows to every element.
absl::Status add_offsets(const Operation& op, int64_t first, const Dims& sizes, const Dims& window,
                         AccessRelation& relation) {
  const int64_t rank = std::ssize(sizes);
  const int64_t count = op.operand_count() - first;
  const bool vector =
      count == 1 && op.operands[first].size() == 1 && op.operands[first][0].dims == Dims{rank};
  if (!vector && count != rank) {
    return expected(op, absl::StrCat("an offset for each of ", rank, " dimensions, found ", count));
  }
  for (int64_t d = 0; d < rank; ++d) {
    if (window[d] > sizes[d]) {
      return expected(
          op, absl::StrCat("dimension ", d, " to be at most ", sizes[d], ", found ", window[d]));
    }
    const int64_t operand = vector ? first : first + d;
    access::Projection element;
    if (vector) element.coordinates.push_back(access::constant(d));
    TRY(expect_dims(op, operand, vector ? Dims{rank} : Dims{}));
    relation.runtime.push_back(
        {operand, vector ? Dims{rank} : Dims{}, std::move(element), 0, sizes[d] - window[d]});
  }
  for (int64_t k = first; k < op.operand_count(); ++k) {
    relation.dependences.push_back(universe(k, 0, op.operands[k][0].dims));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AccessRelation> dynamic_slice(const Operation& op, int64_t) {
  const Dims in = TRY(array_dims(op, 0));
  const Dims out = TRY(result_dims(op));
  const auto sizes = TRY(in.empty() ? integers_of(op.instruction, "dynamic_slice_sizes", {})
                                    : integers_of(op.instruction, "dynamic_slice_sizes"));
  if (sizes != out || out.size() != in.size()) {
    return expected(op, absl::StrCat("a result of dynamic_slice_sizes and of rank ", in.size(),
                                     ", found ", dims_text(out)));
  }
  AccessRelation relation{.dependences = {dependence_of(0, access::DynamicSlice{})}};
  TRY(add_offsets(op, 1, in, out, relation));
  return relation;
}

absl::StatusOr<AccessRelation> dynamic_update_slice(const Operation& op, int64_t) {
  const Dims out = TRY(result_dims(op));
  TRY(expect_dims(op, 0, out));
  const Dims update = TRY(array_dims(op, 1));
  if (update.size() != out.size()) {
    return expected(op,
                    absl::StrCat("an update of rank ", out.size(), ", found ", dims_text(update)));
  }
  const access::DynamicUpdate access{update};
  AccessRelation relation{.dependences = {dependence_of(0, access::DynamicUpdateOperand{access}),
                                          dependence_of(1, access)}};
  TRY(add_offsets(op, 2, out, update, relation));
  return relation;
}

}  // namespace tileproof::spec
