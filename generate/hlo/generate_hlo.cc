// SPDX-License-Identifier: Apache-2.0
#include "generate/hlo/generate_hlo.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/hlo/hlo_builder.h"

namespace tileproof {
namespace {

std::vector<hlo::Kind> all_kinds() {
  std::vector<hlo::Kind> kinds = hlo::movement_kinds();
  for (const auto* more : {&hlo::computing_kinds(), &hlo::dynamic_kinds()}) {
    kinds.insert(kinds.end(), more->begin(), more->end());
  }
  return kinds;
}

const std::vector<hlo::Kind>& kinds() {
  static const auto* const all = new std::vector<hlo::Kind>(all_kinds());
  return *all;
}

hlo::Value first_parameter(hlo::Builder& b) {
  const int64_t rank = b.within(limits::kRank);
  const Dims dims = b.small_dims(rank, rank);
  const std::string type = b.any_type();
  return b.parameter({"", type, dims, ""});
}

GeneratedHlo finished(const hlo::Builder& b, std::string kind) {
  GeneratedHlo result;
  result.text = absl::StrCat("HloModule generated\n", b.regions, "ENTRY main {\n", b.body(), "}\n");
  result.kind = std::move(kind);
  result.leaves = b.root_leaves;
  result.near = b.near;
  return result;
}

// Implements generate_large_operation of generate/hlo/generate_hlo.h.

using hlo::list;

constexpr int64_t kMostElements = int64_t{1} << 40;

// A size near a power of two from 2^8 to 2^31, or a small one.
int64_t size(Choose& choose) {
  if (choose.chance(1, 3)) return 1 + choose(12);
  const int64_t power = int64_t{1} << (8 + choose(24));
  return power + choose.pick<int64_t>({0, 1, -1, power / 2, 44});
}

// Dimensions with at most kMostElements elements, at least one of them large.
Dims dims(Choose& choose, int64_t least_rank) {
  Dims result;
  int64_t left = kMostElements;
  for (int64_t rank = least_rank + choose(3); rank > 0; --rank) {
    const bool middle = result.empty() && choose.chance(1, 2);
    const int64_t wanted = middle ? int64_t{300} + choose(5000) : size(choose);
    result.push_back(std::clamp<int64_t>(wanted, 1, left));
    left /= result.back();
  }
  std::rotate(result.begin(), result.begin() + choose(std::ssize(result)), result.end());
  return result;
}

std::string shape(const Dims& dims) { return absl::StrCat("f32[", list(dims), "]"); }

std::string transposed(Choose& choose) {
  const Dims from = dims(choose, 2);
  Dims permutation, to;
  for (int64_t i = 0; i < std::ssize(from); ++i) permutation.push_back(i);
  std::rotate(permutation.begin(), permutation.begin() + 1 + choose(std::ssize(from) - 1),
              permutation.end());
  if (choose.chance(1, 2)) std::swap(permutation.front(), permutation.back());
  for (int64_t i : permutation) to.push_back(from[i]);
  return absl::StrCat(shape(to), " transpose(", shape(from), " p), dimensions={", list(permutation),
                      "}");
}

// Splits the dimensions into factors in two ways.
std::string reshaped(Choose& choose) {
  const Dims factors = {1 + choose(64), 1 + choose(12), 1 + choose(500), 1 + choose(3000)};
  const auto grouped = [&] {
    Dims groups = {1};
    for (int64_t factor : factors) {
      if (choose.chance(1, 2)) groups.push_back(1);
      groups.back() *= factor;
    }
    return groups;
  };
  const Dims to = grouped(), from = grouped();
  return absl::StrCat(shape(to), " reshape(", shape(from), " p)");
}

std::string sliced(Choose& choose) {
  const Dims from = dims(choose, 1);
  Dims to;
  std::vector<std::string> limits;
  for (int64_t n : from) {
    const int64_t start = choose(std::min<int64_t>(n, 1000)), stride = 1 + choose(3);
    const int64_t limit = n - choose(std::min<int64_t>(n - start, 1000));
    to.push_back((limit - start + stride - 1) / stride);
    limits.push_back(absl::StrCat("[", start, ":", limit, ":", stride, "]"));
  }
  return absl::StrCat(shape(to), " slice(", shape(from), " p), slice={",
                      absl::StrJoin(limits, ", "), "}");
}

std::string padded(Choose& choose) {
  const Dims from = dims(choose, 1);
  Dims to;
  std::vector<std::string> edges;
  for (int64_t n : from) {
    const int64_t low = choose(400) - (n > 100 ? choose(100) : 0), high = choose(400);
    const int64_t inside = choose.chance(1, 2) ? choose(4) : 0;
    to.push_back(n + (n - 1) * inside + low + high);
    edges.push_back(absl::StrCat(low, "_", high, "_", inside));
  }
  return absl::StrCat(shape(to), " pad(", shape(from),
                      " p, f32[] v), padding=", absl::StrJoin(edges, "x"));
}

std::string reversed(Choose& choose) {
  const Dims from = dims(choose, 1);
  return absl::StrCat(shape(from), " reverse(", shape(from), " p), dimensions={",
                      choose(std::ssize(from)), "}");
}

std::string large_broadcast(Choose& choose) {
  const Dims to = dims(choose, 2);
  const int64_t at = choose(std::ssize(to));
  return absl::StrCat(shape(to), " broadcast(f32[", to[at], "] p), dimensions={", at, "}");
}

std::string concatenated(Choose& choose) {
  const Dims first = dims(choose, 1);
  const int64_t at = choose(std::ssize(first));
  Dims second = first, to = first;
  second[at] = 1 + choose(70'000);
  to[at] += second[at];
  return absl::StrCat(shape(to), " concatenate(", shape(first), " p, ", shape(second),
                      " q), dimensions={", at, "}");
}

}  // namespace

int64_t operation_kinds() { return std::ssize(kinds()); }

const std::vector<int64_t>& operation_turns() {
  static const auto* const turns = [] {
    auto* all = new std::vector<int64_t>;
    for (int64_t share = 1; share <= hlo::kDecides; ++share) {
      for (int64_t kind = 0; kind < operation_kinds(); ++kind) {
        if (kinds()[kind].share >= share) all->push_back(kind);
      }
    }
    return all;
  }();
  return *turns;
}

GeneratedHlo generate_operation(Choose& choose, const HloLimits& limits, int64_t kind) {
  hlo::Builder b(choose, limits, false);
  const hlo::Kind& chosen = kinds()[kind < 0 ? choose(operation_kinds()) : kind];
  const hlo::Value x = first_parameter(b);
  chosen.apply(b, x);
  GeneratedHlo result = finished(b, chosen.name);
  result.seed = static_cast<uint64_t>(choose(int64_t{1} << 30));
  return result;
}

GeneratedHlo generate_computation(Choose& choose, const HloLimits& limits) {
  hlo::Builder b(choose, limits, true);
  std::vector<hlo::Value> start = {first_parameter(b)};
  if (choose.chance(1, 2)) start.push_back(first_parameter(b));
  hlo::Value x = start.back();
  std::string names;
  const int64_t operations = choose.between(1, limits.operations);
  const std::vector<hlo::Kind>& from = choose.chance(1, 4) ? hlo::dynamic_kinds() : kinds();
  for (int64_t k = 0; k < operations; ++k) {
    // Mostly use the last value, sometimes an earlier one.
    if (choose.chance(1, 4)) x = b.values[choose(std::ssize(b.values))];
    const hlo::Kind kind = choose.pick(from);
    x = kind.apply(b, x);
    absl::StrAppend(&names, names.empty() ? "" : " ", kind.name);
    if (choose.chance(1, 3)) {
      x = b.wrap(x);
      absl::StrAppend(&names, " (fused)");
    }
  }
  GeneratedHlo result = finished(b, names);
  result.seed = static_cast<uint64_t>(choose(int64_t{1} << 30));
  return result;
}

GeneratedHlo hlo_of_choices(absl::Span<const uint8_t> bytes, bool computation) {
  constexpr HloLimits kSmall{.elements = 60, .operations = 6};
  Choose choose(Choose::Bytes{bytes});
  return computation ? generate_computation(choose, kSmall) : generate_operation(choose, kSmall);
}

std::string generate_large_operation(Choose& choose) {
  std::string (*const kinds[])(Choose&) = {transposed, reshaped,        sliced,      padded,
                                           reversed,   large_broadcast, concatenated};
  return absl::StrCat("r = ", kinds[choose(std::ssize(kinds))](choose));
}

}  // namespace tileproof

// Predicates that follow from iotas and constants: causal masks, bands, one-hot rows, blocks.

namespace tileproof::hlo {
namespace {

constexpr int64_t kMostDepth = 3;

// Values of one computation, which the predicate is made of.
class Maker {
 public:
  Maker(Builder& b, const Dims& dims) : b_(b), dims_(dims) {}

  Value predicate(int64_t depth) {
    const bool is_small = count(dims_) <= 6;
    switch (depth <= 0 ? 0 : b_.choose(9)) {
      default: {
        const std::string type = b_.choose.pick<std::string>({"s32", "s32", "s32", "u8", "s64"});
        const Value x = integer(type, depth - 1), y = integer(type, depth - 1);
        const auto* direction = b_.choose.pick<const char*>({"GE", "LT", "EQ", "LE", "GT", "NE"});
        return emit("pred", "compare(", x.name, ", ", y.name, "), direction=", direction);
      }
      case 4: {
        const auto* opcode = b_.choose.pick<const char*>({"and", "or", "xor"});
        const Value p = predicate(depth - 1), q = predicate(depth - 1);
        return emit("pred", opcode, "(", p.name, ", ", q.name, ")");
      }
      case 5:
        return emit("pred", "not(", predicate(depth - 1).name, ")");
      case 6: {
        const Value x = integer("s32", depth - 1);
        return emit("pred", "convert(", x.name, ")");
      }
      case 7:
        return is_small && !dims_.empty() ? listed() : constant("pred", b_.choose(2));
      case 8: {
        const Value unknown = b_.operand("pred", dims_);
        const Value p = predicate(depth - 1);
        const auto* opcode = b_.choose.pick<const char*>({"and", "or"});
        return emit("pred", opcode, "(", p.name, ", ", unknown.name, ")");
      }
    }
  }

 private:
  template <class... Parts>
  Value emit(const std::string& type, const Parts&... text) {
    return b_.emit({"", type, dims_, ""}, text...);
  }

  // The same number for all elements.
  Value constant(const std::string& type, int64_t value) {
    const Value one = b_.emit({"", type, {}, ""}, "constant(", value, ")");
    if (dims_.empty()) return one;
    return emit(type, "broadcast(", one.name, "), dimensions={}");
  }

  Value listed() {
    std::vector<std::string> elements;
    for (int64_t k = 0; k < count(dims_); ++k) {
      elements.push_back(b_.choose.chance(1, 2) ? "true" : "false");
    }
    const Value row = b_.emit({"", "pred", {count(dims_)}, ""}, "constant({",
                              absl::StrJoin(elements, ", "), "})");
    return emit("pred", "reshape(", row.name, ")");
  }

  Value iota(const std::string& type) {
    const int64_t rank = std::ssize(dims_);
    const int64_t d = b_.choose(rank);
    if (b_.choose.chance(1, 2)) return emit(type, "iota(), iota_dimension=", d);
    const Value line = b_.emit({"", type, {dims_[d]}, ""}, "iota(), iota_dimension=0");
    return emit(type, "broadcast(", line.name, "), dimensions={", d, "}");
  }

  Value integer(const std::string& type, int64_t depth) {
    const bool has_iota = !dims_.empty();
    switch (depth <= 0 ? b_.choose(2) : b_.choose(8)) {
      case 1:
        return constant(type, b_.choose(5));
      case 2: {
        const Value x = integer(type, depth - 1);
        const Value y = constant(type, 1 + b_.choose(4));
        const auto* opcode =
            b_.choose.pick<const char*>({"add", "subtract", "multiply", "divide", "remainder"});
        return emit(type, opcode, "(", x.name, ", ", y.name, ")");
      }
      case 3: {
        const Value x = integer(type, depth - 1), y = integer(type, depth - 1);
        const auto* opcode = b_.choose.pick<const char*>({"add", "subtract", "minimum", "maximum"});
        return emit(type, opcode, "(", x.name, ", ", y.name, ")");
      }
      case 4: {
        const std::string from = b_.choose.pick<std::string>({"s32", "u8", "s8", "pred"});
        const Value x = from == "pred" ? predicate(depth - 1) : integer(from, depth - 1);
        return emit(type, "convert(", x.name, ")");
      }
      case 5: {
        const Value x = integer(type, depth - 1);
        if (!has_iota) return emit(type, "copy(", x.name, ")");
        const int64_t d = b_.choose(std::ssize(dims_));
        return emit(type, "reverse(", x.name, "), dimensions={", d, "}");
      }
      case 6: {
        const Value p = predicate(depth - 1);
        const Value x = integer(type, depth - 1), y = constant(type, b_.choose(4));
        return emit(type, "select(", p.name, ", ", x.name, ", ", y.name, ")");
      }
      default:
        return has_iota ? iota(type) : constant(type, b_.choose(5));
    }
  }

  Builder& b_;
  const Dims& dims_;
};

}  // namespace

Value known_predicate(Builder& b, const Dims& dims) {
  return Maker(b, dims).predicate(b.choose.between(0, kMostDepth));
}

}  // namespace tileproof::hlo

// Operations with offsets and indices.

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
      {"dynamic-slice", dynamic_slice, kDecides},
      {"dynamic-update-slice", dynamic_update_slice, kDecides},
      {"gather", gather, kDecides},
      {"scatter", scatter, kDecides},
  };
  return *kinds;
}

}  // namespace tileproof::hlo
