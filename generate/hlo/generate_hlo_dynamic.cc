// Operations with offsets and indices.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/hlo/hlo_builder.h"

namespace tileproof::hlo {
namespace {

std::string names_of(const std::vector<Value>& values) {
  return absl::StrJoin(
      values, ", ", [](std::string* out, const Value& value) { absl::StrAppend(out, value.name); });
}

Dims part_of(Builder& b, const Dims& dims) {
  Dims part;
  for (int64_t size : dims) part.push_back(size == 0 ? 0 : b.choose.between(1, size));
  return part;
}

std::vector<Value> offsets(Builder& b, const Dims& dims) {
  std::vector<Value> result;
  for (int64_t size : dims) result.push_back(b.offset(size));
  return result;
}

Value dynamic_slice(Builder& b, Value x) {
  const Dims dims = part_of(b, x.dims);
  std::vector<Value> operands = {x};
  for (const Value& offset : offsets(b, x.dims)) operands.push_back(offset);
  return b.emit({"", x.type, dims, ""}, absl::StrCat("dynamic-slice(", names_of(operands),
                                                     "), dynamic_slice_sizes={", list(dims), "}"));
}

Value dynamic_update_slice(Builder& b, Value x) {
  const Value update = b.operand(x.type, part_of(b, x.dims));
  std::vector<Value> operands = {x, update};
  for (const Value& offset : offsets(b, x.dims)) operands.push_back(offset);
  return b.emit({"", x.type, x.dims, ""},
                absl::StrCat("dynamic-update-slice(", names_of(operands), ")"));
}

// The numbers of a gather or scatter over the dimensions of an operand: windows of `window` sizes,
// addressed by a table of indices.
struct Indexing {
  std::vector<int64_t> window_dims;       // of the windows (result or updates)
  std::vector<int64_t> dropped;           // collapsed or inserted
  std::vector<int64_t> starts;            // operand dimension of each index component
  std::vector<int64_t> operand_batching;  // with indices_batching
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
    const int64_t d = b.choose(rank);
    batching[d] = true;
    n.operand_batching.push_back(d);
  }
  for (int64_t d : b.permutation(rank)) {
    if (!batching[d] && b.choose.chance(2, 3)) n.starts.push_back(d);
  }
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = operand[d] == 0 ? 0 : b.choose.between(1, std::min<int64_t>(operand[d], 3));
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
  // The batch: the dimensions of the table but for the index vector.
  const int64_t batches = b.choose(3);
  for (int64_t k = 0; k < batches; ++k) batch.push_back(b.choose.between(1, 3));
  int64_t batching_at = -1;
  if (!n.operand_batching.empty()) {
    batching_at = b.choose(std::ssize(batch) + 1);
    batch.insert(batch.begin() + batching_at, operand[n.operand_batching[0]]);
  }
  n.indices = batch;
  const bool implicit = n.starts.size() == 1 && b.choose.chance(1, 3);
  n.vector_dim = implicit ? std::ssize(batch) : b.choose(std::ssize(batch) + 1);
  if (!implicit) n.indices.insert(n.indices.begin() + n.vector_dim, std::ssize(n.starts));
  if (batching_at >= 0) {
    n.indices_batching.push_back(batching_at + (!implicit && n.vector_dim <= batching_at ? 1 : 0));
  }
  // The windows: batch and kept dimensions, each in order, shuffled into each other.
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
  if (count(n.windows) > 2 * b.limit()) return b.emit(x, absl::StrCat("copy(", x.name, ")"));
  const Value indices = b.table(n.indices, largest(x.dims));
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
  if (count(n.windows) > 2 * b.limit()) return b.emit(x, absl::StrCat("copy(", x.name, ")"));
  std::vector<Value> inputs = {x};
  if (b.choose.chance(1, 4)) inputs.push_back(b.operand("s32", x.dims));
  const Value indices = b.table(n.indices, largest(x.dims));
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
