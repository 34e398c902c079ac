// Operations with offsets: dynamic-slice, dynamic-update-slice.
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op_parts.h"

namespace tileproof::check {
namespace {

// The operands from `first` on: one scalar for each dimension, or one vector.
absl::StatusOr<op::Offsets> offsets_from(const Instruction& in, int32_t first, int64_t rank) {
  op::Offsets offsets{.first = first};
  offsets.count = static_cast<int32_t>(in.operand_count()) - first;
  const Dims vector = {rank};
  offsets.in_vector = offsets.count == 1 && TRY(array_dims(in, first)) == vector;
  if (offsets.in_vector) return offsets;
  if (offsets.count != rank) {
    return expected(in, "an offset for each of ", count_text(rank, "dimension"), ", found ",
                    offsets.count);
  }
  for (int64_t d = 0; d < rank; ++d) TRY(expect_operand(in, first + d, {}));
  return offsets;
}

// OK if a window of these sizes fits into the array.
absl::Status expect_window(const Instruction& in, const Dims& array, const Dims& window) {
  for (size_t d = 0; d < array.size(); ++d) {
    if (window[d] > array[d]) {
      return expected(in, "a size of at most ", array[d], " in dimension ", d, ", found ",
                      window[d]);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<op::Any> dynamic_slice(const Instruction& in) {
  op::DynamicSlice s;
  s.operand = TRY(array_dims(in, 0));
  s.result = s.operand.empty() ? TRY(integers_of(in.instruction, "dynamic_slice_sizes", {}))
                               : TRY(integers_of(in.instruction, "dynamic_slice_sizes"));
  if (s.result.size() != s.operand.size()) {
    return expected(in, count_text(std::ssize(s.operand), "number"),
                    " in dynamic_slice_sizes, found ", s.result.size());
  }
  TRY(expect_result(in, s.result));
  TRY(expect_window(in, s.operand, s.result));
  s.offsets = TRY(offsets_from(in, 1, std::ssize(s.operand)));
  return s;
}

absl::StatusOr<op::Any> dynamic_update_slice(const Instruction& in) {
  op::DynamicUpdateSlice u;
  u.operand = TRY(result_dims(in));
  TRY(expect_operand(in, 0, u.operand));
  u.update = TRY(array_dims(in, 1));
  if (u.update.size() != u.operand.size()) {
    return expected(in, "an update of rank ", u.operand.size(), ", found ", dims_text(u.update));
  }
  TRY(expect_window(in, u.operand, u.update));
  u.offsets = TRY(offsets_from(in, 2, std::ssize(u.operand)));
  return u;
}

}  // namespace tileproof::check
