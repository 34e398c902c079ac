// SPDX-License-Identifier: Apache-2.0
// Collectives, as one replica sees them.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/operations/checked_op_parts.h"

namespace tileproof::check {
namespace {

// The parts of the result: one for each leaf of the operands, in turn.
absl::StatusOr<std::vector<op::CollectivePart>> parts_of(const Instruction& in) {
  const std::vector<OperandLeaf> leaves = operand_leaves(in);
  if (in.result.size() > leaves.size()) {
    return expected(in, "an operand for part ", leaves.size(), " of the result, found none");
  }
  TRY(expect_part_count(in, std::ssize(leaves)));
  std::vector<op::CollectivePart> parts;
  for (size_t k = 0; k < in.result.size(); ++k) {
    parts.push_back({leaves[k], dims_of(in, leaves[k]), in.result[k].dims});
  }
  return parts;
}

// The same, and each part has the dimensions of its leaf.
absl::StatusOr<std::vector<op::CollectivePart>> equal_parts(const Instruction& in) {
  std::vector<op::CollectivePart> parts = TRY(parts_of(in));
  for (int64_t k = 0; k < std::ssize(parts); ++k) TRY(expect_part(in, k, parts[k].operand));
  return parts;
}

// OK if `large` is a positive number of chunks `small` along the dimension. (Both may be empty
// there.)
absl::Status expect_chunks(const Instruction& in, int64_t dimension, const Dims& large,
                           const Dims& small) {
  Dims fits = large;
  if (small.size() == large.size()) fits[dimension] = small[dimension];
  if (fits == small) {
    const int64_t chunk = small[dimension], whole = large[dimension];
    if (chunk == 0 || whole == 0 ? chunk == whole : whole % chunk == 0) return absl::OkStatus();
  }
  return expected(in, "whole chunks ", dims_text(small), " along dimension ", dimension, ", found ",
                  dims_text(large));
}

bool is_of_slices(const Instruction& in) { return in.has("slice_sizes"); }

op::Opaque slices_in_place() {
  return {op::Opaque::Kind::kSlicesInPlace, "collective-permute of slices in place"};
}

// (operands, results, contexts). `check` checks the results.
absl::StatusOr<op::Any> started(const Instruction& in, HloOpcode opcode, Check& check) {
  op::Start start{operand_leaves(in), nullptr};
  const auto count = std::ssize(start.operands), parts = std::ssize(in.result);
  TRY(expect_operands(in, 1, INT64_MAX));
  if (parts < 2 * count) {
    return expected(in, "at least ", 2 * count, " parts (operands, results, ..), found ", parts);
  }
  for (int64_t k = 0; k < count; ++k) TRY(forwarded(in, k, start.operands[k]));
  Instruction inner = in;
  inner.opcode = opcode;
  inner.result = in.result.subspan(count, count);
  start.operation = checked_op_of(inner, TRY(check(inner)));
  return start;
}

}  // namespace

absl::StatusOr<op::Any> all_gather(const Instruction& in) {
  op::AllGather a;
  a.parts = TRY(parts_of(in));
  for (const op::CollectivePart& part : a.parts) {
    a.dimension = TRY(one_dimension(in, std::ssize(part.operand)));
    TRY(expect_chunks(in, a.dimension, part.result, part.operand));
  }
  return a;
}

absl::StatusOr<op::Any> all_gather_start(const Instruction& in) {
  return started(in, HloOpcode::kAllGather, all_gather);
}

absl::StatusOr<op::Any> all_reduce(const Instruction& in) {
  const std::string* dynamic_root = find_attribute(in.instruction.attributes, "has_dynamic_root");
  if (dynamic_root != nullptr && *dynamic_root == "true") {
    return op::Opaque{op::Opaque::Kind::kReplicasUnknown,
                      absl::StrCat(in.opcode_text, " with a root that an operand chooses")};
  }
  op::AllReduce a;
  a.parts = TRY(equal_parts(in));
  return a;
}

// The result is that of the all-reduce, or, in some texts, (operands, that).
absl::StatusOr<op::Any> all_reduce_start(const Instruction& in) {
  const std::vector<OperandLeaf> leaves = operand_leaves(in);
  if (leaves.empty()) return expected(in, "an operand, found none");
  const auto count = std::ssize(leaves), parts = std::ssize(in.result);
  if (parts != count && parts != 2 * count) {
    return expected(in, count_text(count, "part"), " of the result, found ", parts);
  }
  op::AllReduce a;
  for (int64_t k = 0; k < std::ssize(in.result); ++k) {
    const OperandLeaf from = TRY(forwarded(in, k, leaves[k % std::ssize(leaves)]));
    a.parts.push_back({from, dims_of(in, from), in.result[k].dims});
  }
  return a;
}

// The last parts of what was started.
absl::StatusOr<op::Any> all_reduce_done(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  const int64_t before = std::ssize(in.operands[0]) - std::ssize(in.result);
  if (before < 0) {
    return expected(in, "at most ", count_text(std::ssize(in.operands[0]), "part"),
                    " of the result, found ", in.result.size());
  }
  return forwarded_from(in, before);
}

absl::StatusOr<op::Any> reduce_scatter(const Instruction& in) {
  op::ReduceScatter r;
  r.parts = TRY(parts_of(in));
  for (const op::CollectivePart& part : r.parts) {
    r.dimension = TRY(one_dimension(in, std::ssize(part.operand)));
    TRY(expect_chunks(in, r.dimension, part.operand, part.result));
  }
  return r;
}

namespace {

absl::StatusOr<op::Any> tuple_all_to_all(const Instruction& in) {
  op::TupleAllToAll a;
  TRY(parts_of(in));
  a.operands = operand_leaves(in);
  for (const OperandLeaf leaf : a.operands) TRY(expect_parts(in, dims_of(in, leaf)));
  if (!in.result.empty()) a.dims = in.result[0].dims;
  return a;
}

}  // namespace

absl::StatusOr<op::Any> all_to_all(const Instruction& in) {
  if (!in.has("dimensions")) return tuple_all_to_all(in);
  TRY(expect_operands(in, 1, 1));
  for (int64_t k = 0; k < std::ssize(in.result); ++k) TRY(forwarded(in, k, {0, 0}));
  if (in.operands[0].empty()) return expected(in, "an array in operand 0, found none");
  op::ArrayAllToAll a;
  a.dims = in.operands[0][0].dims;
  a.dimension = TRY(one_dimension(in, std::ssize(a.dims)));
  a.chunks = TRY(replica_groups_of(in.instruction)).size;
  if (a.chunks < 1) {
    return op::Opaque{op::Opaque::Kind::kReplicasUnknown,
                      "all-to-all among a number of replicas that is not written"};
  }
  if (a.dims[a.dimension] % a.chunks != 0) {
    return expected(in, a.chunks, " equal chunks along dimension ", a.dimension, ", found size ",
                    a.dims[a.dimension]);
  }
  return a;
}

absl::StatusOr<op::Any> collective_permute(const Instruction& in) {
  if (is_of_slices(in)) return slices_in_place();
  op::CollectivePermute p;
  p.parts = TRY(equal_parts(in));
  return p;
}

absl::StatusOr<op::Any> collective_permute_start(const Instruction& in) {
  if (is_of_slices(in)) return slices_in_place();
  return started(in, HloOpcode::kCollectivePermute, collective_permute);
}

// The second part of (operands, results, ..).
absl::StatusOr<op::Any> done(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  const Shape& start = *in.operand_shapes[0];
  if (start.parts.size() < 2) {
    return expected(in, "an operand that is a tuple (operands, results, ..)");
  }
  const int32_t before = leaf_count(start.parts[0]), results = leaf_count(start.parts[1]);
  TRY(expect_part_count(in, results));
  return forwarded_from(in, before);
}

// The attributes of a kernel of attention: a custom-call with a cudnn_fmha_backend_config.
//
// Source: xla/service/gpu/backend_configs.proto (CudnnfMHABackendConfig): bmm1 is q k^T, bmm2 is the
// product of the probabilities and v. Each has the numbers of a dot. The dimensions of a product are
// the batch dimensions, that of its left side, that of its right side.

namespace {

using op::Attention;

// The text of a value in a JSON object: up to the comma or brace behind it. Empty if there is none.
absl::string_view value_of_key(absl::string_view object, absl::string_view key) {
  const std::string quoted = absl::StrCat("\"", key, "\"");
  const size_t at = object.find(quoted);
  if (at == absl::string_view::npos) return {};
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(object.substr(at + quoted.size()));
  if (!absl::ConsumePrefix(&rest, ":")) return {};
  rest = absl::StripLeadingAsciiWhitespace(rest);
  int64_t open = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (open == 0 && (c == ',' || c == '}' || c == ']')) return rest.substr(0, i);
    open += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
  }
  return {};
}

// ["0","2"]
std::optional<std::vector<int64_t>> numbers_of_key(absl::string_view object,
                                                   absl::string_view key) {
  absl::string_view list = absl::StripAsciiWhitespace(value_of_key(object, key));
  if (!absl::ConsumePrefix(&list, "[") || !absl::ConsumeSuffix(&list, "]")) return std::nullopt;
  std::vector<int64_t> numbers;
  for (absl::string_view item : absl::StrSplit(list, ',', absl::SkipWhitespace())) {
    item = absl::StripAsciiWhitespace(item);
    absl::ConsumePrefix(&item, "\"");
    absl::ConsumeSuffix(&item, "\"");
    if (!absl::SimpleAtoi(item, &numbers.emplace_back())) return std::nullopt;
  }
  return numbers;
}

// Whether the value is absent, or a number that is this one.
bool is_or_absent(absl::string_view object, absl::string_view key, double expected) {
  absl::string_view text = absl::StripAsciiWhitespace(value_of_key(object, key));
  absl::ConsumePrefix(&text, "\"");
  absl::ConsumeSuffix(&text, "\"");
  double value = 0;
  return text.empty() || (absl::SimpleAtod(text, &value) && value == expected);
}

// One side of a product: batch, head, and the other two dimensions.
struct Side {
  std::vector<int64_t> batch;
  int64_t contracted = 0;
  int64_t free = 0;
};

std::optional<Side> side_of(absl::string_view numbers, absl::string_view side) {
  auto batch = numbers_of_key(numbers, absl::StrCat(side, "_batch_dimensions"));
  const auto contracted = numbers_of_key(numbers, absl::StrCat(side, "_contracting_dimensions"));
  if (!batch || batch->size() != 2 || !contracted || contracted->size() != 1) return std::nullopt;
  Side found{*std::move(batch), contracted->front(), 6};
  std::array<bool, 4> is_met = {};
  for (const int64_t d : {found.batch[0], found.batch[1], found.contracted}) {
    if (d < 0 || d >= 4 || std::exchange(is_met[d], true)) return std::nullopt;
    found.free -= d;
  }
  return found;
}

// Whether the config asks for something that the structure does not say: dropout, windows, pages.
bool is_plain(absl::string_view config) {
  return is_or_absent(config, "dropout_rate", 0) &&
         is_or_absent(config, "sliding_window_length", 0) &&
         (is_or_absent(config, "max_seg_per_batch", 0) ||
          is_or_absent(config, "max_seg_per_batch", 1)) &&
         absl::StripAsciiWhitespace(value_of_key(config, "is_paged_attention")) != "true";
}

std::optional<bool> is_causal(absl::string_view config) {
  const absl::string_view mask = absl::StripAsciiWhitespace(value_of_key(config, "mask_type"));
  if (mask == "\"CAUSAL\"") return true;
  return mask == "\"NO_MASK\"" ? std::optional(false) : std::nullopt;
}

bool is_array_of_rank(const absl::Span<const Leaf>& leaves, size_t rank) {
  return leaves.size() == 1 && leaves[0].dims.size() == rank;
}

// Whether the sizes of operands and result fit the roles; sets the sizes.
bool has_sizes(const Instruction& in, Attention& attention) {
  const auto size = [&](size_t operand, Attention::Role role) {
    return in.operands[operand][0].dims[attention.places[operand][role]];
  };
  using enum Attention::Role;
  for (const auto role : {kBatch, kHead}) {
    if (size(0, role) != size(1, role) || size(0, role) != size(2, role)) return false;
  }
  if (size(1, kPosition) != size(2, kPosition) || size(0, kDepth) != size(1, kDepth)) return false;
  attention.columns = size(1, kPosition);
  attention.depth = size(0, kDepth);
  attention.result = {size(0, kBatch), size(0, kHead), size(0, kPosition), size(2, kDepth)};
  if (in.operand_count() == 4) {
    const Dims scores = {attention.result[0], attention.result[1], attention.result[2],
                         attention.columns};
    attention.bias = in.operands[3][0].dims;
    for (size_t d = 0; d < scores.size(); ++d) {
      if (attention.bias[d] != 1 && attention.bias[d] != scores[d]) return false;
    }
  }
  return !in.result.empty() && in.result[0].dims == attention.result;
}

}  // namespace

std::optional<Attention> attention_of(const Instruction& in) {
  const std::string* config = find_attribute(in.instruction.attributes, "backend_config");
  if (config == nullptr || in.has("called_computations")) return std::nullopt;
  const absl::string_view fmha = value_of_key(*config, "cudnn_fmha_backend_config");
  if (fmha.empty() || in.operand_count() < 3 || in.operand_count() > 4) return std::nullopt;
  for (const auto& operand : in.operands) {
    if (!is_array_of_rank(operand, 4)) return std::nullopt;
  }
  const absl::string_view first = value_of_key(fmha, "bmm1_dot_dimension_numbers");
  const absl::string_view second = value_of_key(fmha, "bmm2_dot_dimension_numbers");
  const auto q = side_of(first, "lhs"), k = side_of(first, "rhs");
  const auto scores = side_of(second, "lhs"), v = side_of(second, "rhs");
  const auto causal = is_causal(fmha);
  if (!q || !k || !scores || !v || !causal || !is_plain(fmha)) return std::nullopt;
  if (scores->batch != std::vector<int64_t>{0, 1} || scores->contracted != 3) return std::nullopt;
  Attention attention;
  attention.places = {{{q->batch[0], q->batch[1], q->free, q->contracted},
                       {k->batch[0], k->batch[1], k->free, k->contracted},
                       {v->batch[0], v->batch[1], v->contracted, v->free}}};
  attention.is_causal = *causal;
  return has_sizes(in, attention) ? std::optional(std::move(attention)) : std::nullopt;
}

}  // namespace tileproof::check
