// SPDX-License-Identifier: Apache-2.0
// Operations with offsets and indices.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "generate/hlo/hlo_builder.h"

namespace tileproof::hlo {
namespace {

Dims part_of(Builder& b, const Dims& dims) {
  Dims part;
  for (int64_t size : dims) part.push_back(size == 0 ? 0 : b.choose.between(1, size));
  return part;
}

Value dynamic_slice(Builder& b, Value x) {
  const Dims dims = part_of(b, x.dims);
  std::vector<Value> operands = {x};
  for (const Value& offset : b.offsets(x.dims)) operands.push_back(offset);
  return b.emit({"", x.type, dims, ""}, "dynamic-slice(", names_of(operands),
                "), dynamic_slice_sizes={", list(dims), "}");
}

Value dynamic_update_slice(Builder& b, Value x) {
  const Value update = b.operand(x.type, part_of(b, x.dims));
  std::vector<Value> operands = {x, update};
  for (const Value& offset : b.offsets(x.dims)) operands.push_back(offset);
  return b.emit({"", x.type, x.dims, ""}, "dynamic-update-slice(", names_of(operands), ")");
}

// The dimension numbers of a gather or scatter: a table of indices addresses windows of an operand.
struct Indexing {
  std::vector<int64_t> window_dims;       // window dimensions of the result or the updates
  std::vector<int64_t> dropped;           // collapsed or inserted
  std::vector<int64_t> starts;            // operand dimension of each index component
  std::vector<int64_t> operand_batching;  // paired with indices_batching
  std::vector<int64_t> indices_batching;
  int64_t vector_dim = 0;
  Dims window;   // by dimension of the operand
  Dims indices;  // dimensions of the table
  Dims windows;  // dimensions of the result or the updates
};

Indexing indexing(Builder& b, const Dims& operand) {
  Indexing n;
  Dims kept, batch;
  const int64_t rank = std::ssize(operand);
  std::vector<bool> batching(operand.size(), false);
  if (rank > 0 && b.choose.chance(1, 4)) {
    const int64_t pairs = std::min(b.within(limits::kBatchingPairs), rank);
    n.operand_batching = b.permutation(rank);
    n.operand_batching.resize(static_cast<size_t>(pairs));
    std::ranges::sort(n.operand_batching);  // as XLA wants; those of the indices have any order
    for (int64_t d : n.operand_batching) batching[d] = true;
  }
  for (int64_t d : b.permutation(rank)) {
    if (!batching[d] && b.choose.chance(2, 3)) n.starts.push_back(d);
  }
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = operand[d] == 0 ? 0 : std::min(operand[d], b.within(limits::kGatherWindow));
    if (batching[d]) {
      n.window.push_back(std::min<int64_t>(operand[d], 1));
      continue;
    }
    if (b.choose.chance(1, 2) && operand[d] > 0) {
      n.dropped.push_back(d);
      n.window.push_back(1);
      continue;
    }
    n.window.push_back(size);
    kept.push_back(size);
  }
  // The batch dimensions are those of the table except the index vector.
  for (int64_t left = b.within(limits::kBatchDimensions); left > 0; --left) {
    batch.push_back(b.within(limits::kBatchSize));
  }
  for (int64_t d : n.operand_batching) {
    const int64_t at = b.choose(std::ssize(batch) + 1);
    for (int64_t& earlier : n.indices_batching) earlier += earlier >= at ? 1 : 0;
    batch.insert(batch.begin() + at, operand[d]);
    n.indices_batching.push_back(at);
  }
  n.indices = batch;
  const bool implicit = n.starts.size() == 1 && b.choose.chance(1, 3);
  n.vector_dim = implicit ? std::ssize(batch) : b.choose(std::ssize(batch) + 1);
  if (!implicit) n.indices.insert(n.indices.begin() + n.vector_dim, std::ssize(n.starts));
  for (int64_t& d : n.indices_batching) d += !implicit && n.vector_dim <= d ? 1 : 0;
  // The dimensions of the windows interleave batch and kept dimensions, each in order.
  size_t next_batch = 0, next_kept = 0;
  while (next_batch < batch.size() || next_kept < kept.size()) {
    const bool both = next_batch < batch.size() && next_kept < kept.size();
    const bool take_kept = both ? b.choose.chance(1, 2) : next_kept < kept.size();
    if (take_kept) n.window_dims.push_back(std::ssize(n.windows));
    n.windows.push_back(take_kept ? kept[next_kept++] : batch[next_batch++]);
  }
  return n;
}

int64_t largest(const Dims& dims) {
  int64_t size = 1;
  for (int64_t d : dims) size = std::max(size, d);
  return size;
}

Value gather(Builder& b, Value x) {
  const Indexing n = indexing(b, x.dims);
  if (count(n.windows) > 2 * b.limit()) return b.emit(x, "copy(", x.name, ")");
  const Value indices = b.table(b.index_type(), n.indices, largest(x.dims));
  std::string text = absl::StrCat("gather(", x.name, ", ", indices.name, "), offset_dims={",
                                  list(n.window_dims), "}, collapsed_slice_dims={", list(n.dropped),
                                  "}, start_index_map={", list(n.starts), "}");
  if (!n.operand_batching.empty()) {
    absl::StrAppend(&text, ", operand_batching_dims={", list(n.operand_batching),
                    "}, start_indices_batching_dims={", list(n.indices_batching), "}");
  }
  absl::StrAppend(&text, ", index_vector_dim=", n.vector_dim, ", slice_sizes={", list(n.window),
                  "}");
  return b.emit({"", x.type, n.windows, ""}, text);
}

Value scatter(Builder& b, Value x) {
  const Indexing n = indexing(b, x.dims);
  if (count(n.windows) > 2 * b.limit()) return b.emit(x, "copy(", x.name, ")");
  std::vector<Value> inputs = {x};
  const int64_t count = b.choose.chance(1, 2) ? b.within(limits::kScatterInputs) : 1;
  while (std::ssize(inputs) < count) {
    inputs.push_back(b.operand(b.choose.chance(1, 2) ? x.type : "s32", x.dims));
  }
  const Value indices = b.table(b.index_type(), n.indices, largest(x.dims));
  std::vector<Value> operands = inputs, parts;
  operands.push_back(indices);
  std::vector<std::string> types;
  for (const Value& input : inputs) {
    operands.push_back(b.operand(input.type, n.windows));
    parts.push_back({"", input.type, x.dims, ""});
    types.push_back(input.type);
  }
  std::string text = absl::StrCat("scatter(", names_of(operands), "), update_window_dims={",
                                  list(n.window_dims), "}, inserted_window_dims={", list(n.dropped),
                                  "}, scatter_dims_to_operand_dims={", list(n.starts), "}");
  if (!n.operand_batching.empty()) {
    absl::StrAppend(&text, ", input_batching_dims={", list(n.operand_batching),
                    "}, scatter_indices_batching_dims={", list(n.indices_batching), "}");
  }
  absl::StrAppend(&text, ", index_vector_dim=", n.vector_dim, ", to_apply=", b.reducer(types));
  return b.emit_tuple(parts, text);
}

}  // namespace

const std::vector<Kind>& dynamic_kinds() {
  static const auto* const kinds = new std::vector<Kind>{
      {"dynamic-slice", dynamic_slice},
      {"dynamic-update-slice", dynamic_update_slice},
      {"gather", gather},
      {"scatter", scatter},
  };
  return *kinds;
}

}  // namespace tileproof::hlo
