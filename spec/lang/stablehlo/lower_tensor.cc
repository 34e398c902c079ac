// SPDX-License-Identifier: Apache-2.0
// Operations of the dialect tensor, and linalg.pack, unpack and softmax.
#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/stablehlo/lowering.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {
namespace {

using Name = absl::StatusOr<std::string>;  // of the result

const Type kIndex = tensor_of(ElementType::kS64, {});

absl::Status expect_rank(const Cut& cut, const Type& type) {
  if (cut.offsets.size() != cut.sizes.size() || cut.sizes.size() != cut.strides.size())
    return invalid("expected as many offsets as sizes and strides");
  if (cut.sizes.size() == type.dims.size()) return absl::OkStatus();
  return invalid(absl::StrCat("expected ", type.dims.size(), " offsets, found ", cut.sizes.size()));
}

// Each offset as a scalar.
absl::StatusOr<std::vector<std::string>> scalars(Steps& steps, const std::vector<Mixed>& offsets) {
  std::vector<std::string> names;
  for (const Mixed& one : offsets) {
    names.push_back(one.number ? steps.constant(absl::StrCat(*one.number), kIndex)
                               : TRY(steps.named(one.name)));
  }
  return names;
}

// The elements from offset on, `stride` apart.
absl::StatusOr<std::string> sliced(Steps& steps, std::string from, const Cut& cut) {
  const Type whole = steps.type_of(from);
  Ints starts, limits, spans;
  for (size_t d = 0; d < cut.sizes.size(); ++d) {
    const auto last = checked_mul(std::max<int64_t>(cut.sizes[d] - 1, 0), cut.strides[d]);
    const auto start = checked_add(cut.offsets[d].number.value_or(0), last.value_or(INT64_MAX));
    if (!last || !start) return invalid("expected sizes and strides within 64 bits");
    spans.push_back(*last + (cut.sizes[d] > 0 ? 1 : 0));
    starts.push_back(cut.is_constant() ? *cut.offsets[d].number : 0);
    const auto limit = checked_add(starts[d], spans[d]);
    if (!limit) return invalid("expected sizes and strides within 64 bits");
    limits.push_back(*limit);
  }
  if (!cut.is_constant()) {
    std::vector<std::string> operands = TRY(scalars(steps, cut.offsets));
    operands.insert(operands.begin(), from);
    from = steps.add("stablehlo.dynamic_slice", operands, {{"slice_sizes", list_text(spans)}},
                     tensor_of(*whole.element, spans));
    if (!cut.has_steps()) return from;
  }
  return steps.add("stablehlo.slice", {from},
                   {{"start_indices", list_text(starts)},
                    {"limit_indices", list_text(limits)},
                    {"strides", list_text(cut.strides)}},
                   tensor_of(*whole.element, cut.sizes));
}

Name extract_slice(Steps& steps, const Op& op) {
  const std::string from = TRY(steps.operand(0));
  const Cut cut = TRY(cut_of(op, 1, steps.known()));
  TRY(expect_rank(cut, steps.type_of(from)));
  const std::string part = TRY(sliced(steps, from, cut));
  return steps.reshape(part, op.types[0]);
}

// Modulo 2^64: sizes that do not fit are refused as they do not fit the other ones.
constexpr int64_t wrapped_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
constexpr int64_t wrapped_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

std::string padded(Steps& steps, const std::string& value, const std::string& by, const Ints& low,
                   const Ints& high, const Ints& interior) {
  const Type from = steps.type_of(value);
  Ints dims;
  for (size_t d = 0; d < low.size(); ++d) {
    const int64_t gaps = wrapped_product(std::max<int64_t>(from.dims[d] - 1, 0), interior[d]);
    dims.push_back(wrapped_sum(wrapped_sum(low[d], high[d]), wrapped_sum(from.dims[d], gaps)));
  }
  return steps.add(
      "stablehlo.pad", {value, by},
      {{"low", list_text(low)}, {"high", list_text(high)}, {"interior", list_text(interior)}},
      tensor_of(*from.element, dims));
}

// Where steps leave gaps: the padded source, where a padded `true` says so.
std::string inserted_with_gaps(Steps& steps, const std::string& source, const std::string& into,
                               const Cut& cut) {
  const Type to = steps.type_of(into);
  Ints low, high, interior;
  for (size_t d = 0; d < cut.sizes.size(); ++d) {
    low.push_back(*cut.offsets[d].number);
    interior.push_back(wrapped_sum(cut.strides[d], -1));
    const int64_t last = wrapped_product(wrapped_sum(cut.sizes[d], -1), cut.strides[d]);
    high.push_back(wrapped_sum(to.dims[d] - 1, wrapped_product(wrapped_sum(low[d], last), -1)));
  }
  const Type bit = tensor_of(ElementType::kPred, {}), scalar = tensor_of(*to.element, {});
  const std::string no = steps.constant("false", bit), zero = steps.constant("0", scalar);
  const std::string all = steps.constant("true", tensor_of(ElementType::kPred, cut.sizes));
  const std::string is_there = padded(steps, all, no, low, high, interior);
  const std::string there = padded(steps, source, zero, low, high, interior);
  return steps.add("stablehlo.select", {is_there, there, into}, {}, to);
}

Name insert_slice(Steps& steps, const Op& op) {
  std::string source = TRY(steps.operand(0));
  const std::string into = TRY(steps.operand(1));
  const Cut cut = TRY(cut_of(op, 2, steps.known()));
  TRY(expect_rank(cut, steps.type_of(into)));
  source = steps.reshape(source, tensor_of(*steps.type_of(source).element, cut.sizes));
  const bool is_empty = std::ranges::count(cut.sizes, 0) > 0;
  if (cut.has_steps() && !is_empty) {
    if (!cut.is_constant()) return not_read(op, "offsets that are not constants, with strides");
    return inserted_with_gaps(steps, source, into, cut);
  }
  std::vector<std::string> operands = TRY(scalars(steps, cut.offsets));
  operands.insert(operands.begin(), {source});
  operands.insert(operands.begin(), {into});
  return steps.add("stablehlo.dynamic_update_slice", operands, {}, op.types[0]);
}

// The region must return one value of the function around it, or a constant of its own.
Name pad(Steps& steps, const Op& op) {
  const std::string from = TRY(steps.operand(0));
  const size_t rank = steps.type_of(from).dims.size();
  std::vector<std::string> dynamic;
  const auto list = [&](const char* pretty, const char* full) -> absl::StatusOr<Ints> {
    const std::string* text = find_attribute(op.attributes, pretty);
    if (text == nullptr) return numbers(op, TRY(mixed(op, 0, full, dynamic, steps.known())));
    Op one = op;
    one.attributes = {{"[]", *text}};
    return numbers(op, TRY(mixed(one, 0, "", dynamic, steps.known())));
  };
  const Ints low = TRY(list("low", "static_low")), high = TRY(list("high", "static_high"));
  if (low.size() != rank || high.size() != rank)
    return invalid(absl::StrCat("expected padding of ", rank, " dimensions"));
  if (op.regions.size() != 1 || op.regions[0].ops.empty() ||
      op.regions[0].ops.back().operands.size() != 1)
    return invalid("expected a region that yields one value");
  const Region& body = op.regions[0];
  for (size_t i = 0; i + 1 < body.ops.size(); ++i) {
    if (body.ops[i].name != "arith.constant") return not_read(op, "a value that is computed");
    for (Op& one : TRY(lowered_arith(body.ops[i], steps.around()))) {
      steps.set_type(one.results[0].name, one.types[0]);
      steps.ops().push_back(std::move(one));
    }
  }
  std::string by = body.ops.back().operands[0].name;
  const bool is_own = body.ops.size() > 1 && body.ops[body.ops.size() - 2].results[0].name == by;
  if (!is_own) by = TRY(steps.named(by));
  return padded(steps, from, by, low, high, Ints(rank, 0));
}

Name concat(Steps& steps, const Op& op) {
  std::vector<std::string> operands;
  for (size_t k = 0; k < op.operands.size(); ++k) operands.push_back(TRY(steps.operand(k)));
  const std::string* pretty = find_attribute(op.attributes, "dim");
  const std::string text = pretty == nullptr || !absl::StartsWith(*pretty, "(")
                               ? absl::StrCat(TRY(one_int(op.attributes, "dim")))
                               : pretty->substr(1, pretty->size() - 2);
  return steps.add("stablehlo.concatenate", operands, {{"dimension", text}}, op.types[0]);
}

// One element: of constant indices a slice, else a dynamic slice.
Name extract(Steps& steps, const Op& op) {
  const std::string from = TRY(steps.operand(0));
  std::vector<std::string> dynamic;
  for (size_t k = 1; k < op.operands.size(); ++k) dynamic.push_back(op.operands[k].name);
  Cut cut;
  for (const std::string& name : dynamic)
    cut.offsets.push_back({steps.known().integer(name), name});
  cut.sizes.assign(dynamic.size(), 1);
  cut.strides = cut.sizes;
  TRY(expect_rank(cut, steps.type_of(from)));
  if (cut.sizes.empty()) return from;
  return steps.reshape(TRY(sliced(steps, from, cut)), op.types[0]);
}

Name insert(Steps& steps, const Op& op) {
  std::string source = TRY(steps.operand(0));
  const std::string into = TRY(steps.operand(1));
  const Type to = steps.type_of(into);
  source = steps.reshape(source, tensor_of(*to.element, Ints(to.dims.size(), 1)));
  std::vector<std::string> operands = {into, source};
  for (size_t k = 2; k < op.operands.size(); ++k) operands.push_back(TRY(steps.operand(k)));
  return steps.add("stablehlo.dynamic_update_slice", operands, {}, op.types[0]);
}

Name from_elements(Steps& steps, const Op& op) {
  std::vector<std::string> operands;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const std::string one = TRY(steps.operand(k));
    operands.push_back(steps.reshape(one, tensor_of(*steps.type_of(one).element, {1})));
  }
  if (operands.empty()) return not_read(op, "no elements");
  std::string all = operands[0];
  if (operands.size() > 1)
    all = steps.add("stablehlo.concatenate", operands, {{"dimension", "0"}},
                    tensor_of(*op.types[0].element, {std::ssize(operands)}));
  return steps.reshape(all, op.types[0]);
}

// The number of elements of a dimension, which is known.
Name dim(Steps& steps, const Op& op) {
  const std::string from = TRY(steps.operand(0));
  if (op.operands.size() != 2) return invalid("expected an array and a dimension");
  const auto number = steps.known().integer(op.operands[1].name);
  if (!number) return not_read(op, "a dimension that is not constant");
  const Ints& dims = steps.type_of(from).dims;
  if (*number < 0 || *number >= std::ssize(dims))
    return invalid(absl::StrCat("expected a dimension below ", dims.size()));
  const int64_t size = dims[static_cast<size_t>(*number)];
  steps.known().integers[op.results[0].name] = size;
  return steps.constant(absl::StrCat(size), kIndex);
}

// ---- pack and unpack ----

// `inner_dims_pos = [0, 1] inner_tiles = [8, 2] outer_dims_perm = [1, 0]`
struct Tiling {
  Ints whole;   // the sizes that the tiles cover
  Ints split;   // of each dimension the number of tiles, and the size of one if it is tiled
  Ints packed;  // which of these is each dimension of the packed array
};

absl::StatusOr<Tiling> tiling_of(const Op& op, const Ints& sizes) {
  const Ints positions = TRY(ints(op.attributes, "inner_dims_pos"));
  const absl::string_view key = either(op.attributes, "inner_tiles", "static_inner_tiles");
  const Ints tiles = TRY(ints(op.attributes, key));
  Ints order = TRY(ints(op.attributes, "outer_dims_perm"));
  Ints identity(sizes.size());
  std::iota(identity.begin(), identity.end(), 0);
  if (order.empty()) order = identity;
  Ints sorted = order;
  std::ranges::sort(sorted);
  if (positions.size() != tiles.size() || sorted != identity)
    return invalid("expected a tile for each position, and a permutation of the dimensions");
  Tiling tiling;
  Ints outer(sizes.size()), inner(sizes.size(), -1);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto at = std::ranges::find(positions, static_cast<int64_t>(d));
    const int64_t tile = at == positions.end() ? 1 : tiles[at - positions.begin()];
    if (tile < 1 || std::count(positions.begin(), positions.end(), static_cast<int64_t>(d)) > 1)
      return invalid("expected tiles of at least 1, of different dimensions");
    const int64_t count = sizes[d] / tile + (sizes[d] % tile > 0 ? 1 : 0);
    const auto whole = checked_mul(count, tile);
    if (!whole) return invalid("expected tiles within 64 bits");
    tiling.whole.push_back(*whole);
    outer[d] = std::ssize(tiling.split);
    tiling.split.push_back(count);
    if (at == positions.end()) continue;
    inner[d] = std::ssize(tiling.split);
    tiling.split.push_back(tile);
  }
  for (const int64_t d : order) tiling.packed.push_back(outer[d]);
  for (const int64_t d : positions) {
    if (d < 0 || d >= std::ssize(sizes)) return invalid("expected positions of dimensions");
    tiling.packed.push_back(inner[d]);
  }
  return tiling;
}

// The operand that is the padding value; empty if there is none.
absl::StatusOr<std::string> padding_of(const Op& op) {
  const std::string* text = find_attribute(op.attributes, "padding_value");
  if (text != nullptr && op.operands.size() > 1) return op.operands[1].name;
  const Ints segments = TRY(segments_of(op));
  const bool is_there = segments.size() > 2 && segments[2] == 1 && op.operands.size() > 2;
  return is_there ? op.operands[2].name : std::string();
}

Name pack(Steps& steps, const Op& op) {
  std::string value = TRY(steps.operand(0));
  const Type from = steps.type_of(value);
  const Tiling tiling = TRY(tiling_of(op, from.dims));
  if (tiling.whole != from.dims) {
    const std::string by = TRY(padding_of(op));
    if (by.empty()) return invalid("expected a padding_value, as tiles are larger than the array");
    Ints high;
    for (size_t d = 0; d < from.dims.size(); ++d) high.push_back(tiling.whole[d] - from.dims[d]);
    const Ints none(high.size(), 0);
    value = padded(steps, value, TRY(steps.named(by)), none, high, none);
  }
  value = steps.reshape(value, tensor_of(*from.element, tiling.split));
  return steps.add("stablehlo.transpose", {value}, {{"permutation", list_text(tiling.packed)}},
                   op.types[0]);
}

Name unpack(Steps& steps, const Op& op) {
  std::string value = TRY(steps.operand(0));
  const Type to = op.types[0];
  const Tiling tiling = TRY(tiling_of(op, to.dims));
  Ints back(tiling.packed.size());
  for (size_t i = 0; i < back.size(); ++i)
    back[static_cast<size_t>(tiling.packed[i])] = static_cast<int64_t>(i);
  value = steps.add("stablehlo.transpose", {value}, {{"permutation", list_text(back)}},
                    tensor_of(*to.element, tiling.split));
  value = steps.reshape(value, tensor_of(*to.element, tiling.whole));
  if (tiling.whole == to.dims) return value;
  const Ints starts(to.dims.size(), 0);
  return steps.add("stablehlo.slice", {value},
                   {{"start_indices", list_text(starts)}, {"limit_indices", list_text(to.dims)}},
                   to);
}

struct TensorRow {
  absl::string_view name;
  Name (*rule)(Steps& steps, const Op& op);
};

// An array of values that are not known.
Name empty(Steps& steps, const Op& op) {
  return steps.add("stablehlo.constant", {}, {{"value", "dense_resource<empty>"}}, op.types[0]);
}

Name reshaped(Steps& steps, const Op& op) {
  const std::string from = TRY(steps.operand(0));
  return steps.add("stablehlo.reshape", {from}, {}, op.types[0]);
}

Name splat(Steps& steps, const Op& op) {
  const std::string scalar = TRY(steps.operand(0));
  steps.known().fills[op.results[0].name] = scalar;
  return steps.add("stablehlo.broadcast_in_dim", {scalar}, {{"broadcast_dimensions", "[]"}},
                   op.types[0]);
}

// ---- vector ----

Name transposed(Steps& steps, const Op& op) {
  const std::string from = TRY(steps.operand(0));
  const absl::string_view key = either(op.attributes, "[]", "permutation");
  return steps.add("stablehlo.transpose", {from},
                   {{"permutation", list_text(TRY(ints(op.attributes, key)))}}, op.types[0]);
}

// Dimensions of size 1 are stretched, and the first ones are new.
Name broadcasted(Steps& steps, const Op& op) {
  const std::string from = TRY(steps.operand(0));
  const size_t rank = steps.type_of(from).dims.size();
  if (rank > op.types[0].dims.size()) return invalid("expected a result of at least as many dims");
  Ints dims(rank);
  std::iota(dims.begin(), dims.end(), std::ssize(op.types[0].dims) - static_cast<int64_t>(rank));
  return steps.add("stablehlo.broadcast_in_dim", {from},
                   {{"broadcast_dimensions", list_text(dims)}}, op.types[0]);
}

// `{offsets = [1, 2], sizes = [2, 4], strides = [1, 1]}` of the first dimensions
Name extract_strided_slice(Steps& steps, const Op& op) {
  const std::string from = TRY(steps.operand(0));
  const Ints whole = steps.type_of(from).dims;
  Cut cut;
  for (const int64_t one : TRY(ints(op.attributes, "offsets"))) cut.offsets.push_back({one, ""});
  cut.sizes = TRY(ints(op.attributes, "sizes"));
  cut.strides = TRY(ints(op.attributes, "strides"));
  for (size_t d = cut.sizes.size(); d < whole.size(); ++d) {
    cut.offsets.push_back({0, ""});
    cut.sizes.push_back(whole[d]);
    cut.strides.push_back(1);
  }
  TRY(expect_rank(cut, steps.type_of(from)));
  return sliced(steps, from, cut);
}

// ---- gather, softmax ----

// The integers of `dimension(1)` or `gather_dims([0])`, or of an attribute.
absl::StatusOr<Ints> in_parentheses(const Op& op, absl::string_view name) {
  const std::string* text = find_attribute(op.attributes, name);
  if (text == nullptr) return not_read(op, absl::StrCat("without '", name, "'"));
  return integers(absl::StripSuffix(absl::StripPrefix(*text, "("), ")"));
}

// `%a[%i] gather_dims([0])`: the last dimension of the indices is one index. The dimensions that are
// gathered have size 1 in the result, or are not there.
Name gather(Steps& steps, const Op& op) {
  const std::string from = TRY(steps.operand(0)), index = TRY(steps.operand(1));
  const Ints whole = steps.type_of(from).dims, of_index = steps.type_of(index).dims;
  const Ints dims = TRY(in_parentheses(op, "gather_dims"));
  const Ints& result = op.types[0].dims;
  if (of_index.empty() || of_index.back() != std::ssize(dims))
    return invalid("expected as many indices as dimensions that are gathered");
  Ints sizes = whole, offset_dims, collapsed;
  const bool keeps = result.size() + 1 == whole.size() + of_index.size();
  for (const int64_t d : dims) {
    if (d < 0 || d >= std::ssize(whole)) return invalid("expected dimensions of the operand");
    sizes[static_cast<size_t>(d)] = 1;
    if (!keeps) collapsed.push_back(d);
  }
  for (auto d = std::ssize(of_index) - 1; d < std::ssize(result); ++d) offset_dims.push_back(d);
  const std::string numbers = absl::StrCat(
      "#stablehlo.gather<offset_dims = ", list_text(offset_dims),
      ", collapsed_slice_dims = ", list_text(collapsed), ", start_index_map = ", list_text(dims),
      ", index_vector_dim = ", std::ssize(of_index) - 1, ">");
  return steps.add("stablehlo.gather", {from, index},
                   {{"dimension_numbers", numbers}, {"slice_sizes", list_text(sizes)}},
                   op.types[0]);
}

// `dimension(1)`: exponentials below the largest one, over their sum.
Name softmax(Steps& steps, const Op& op) {
  const std::string x = TRY(steps.operand(0));
  const Type type = steps.type_of(x);
  const Ints dims = TRY(in_parentheses(op, "dimension"));
  if (dims.size() != 1 || dims[0] < 0 || dims[0] >= std::ssize(type.dims))
    return invalid("expected one dimension of the operand");
  Ints others(type.dims.size()), kept = type.dims;
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + dims[0]);
  kept.erase(kept.begin() + dims[0]);
  const auto folded = [&](const std::string& value, const char* initial, const char* reducer) {
    const std::string start = steps.constant(initial, tensor_of(*type.element, {}));
    const std::string all =
        steps.add("stablehlo.reduce", {value, start}, {{"dimensions", list_text(dims)}},
                  tensor_of(*type.element, kept), {reducer});
    return steps.add("stablehlo.broadcast_in_dim", {all},
                     {{"broadcast_dimensions", list_text(others)}}, type);
  };
  const std::string largest = folded(x, "-inf", "stablehlo.maximum");
  const std::string below = steps.add("stablehlo.subtract", {x, largest}, {}, type);
  const std::string powers = steps.add("stablehlo.exponential", {below}, {}, type);
  return steps.add("stablehlo.divide", {powers, folded(powers, "0", "stablehlo.add")}, {}, type);
}

constexpr TensorRow kTensorRows[] = {
    {"tensor.cast", reshaped},
    {"tensor.collapse_shape", reshaped},
    {"tensor.concat", concat},
    {"tensor.dim", dim},
    {"tensor.empty", empty},
    {"tensor.expand_shape", reshaped},
    {"tensor.extract", extract},
    {"tensor.extract_slice", extract_slice},
    {"tensor.from_elements", from_elements},
    {"tensor.gather", gather},
    {"tensor.insert", insert},
    {"tensor.insert_slice", insert_slice},
    {"tensor.pack", pack},
    {"tensor.pad", pad},
    {"tensor.reshape", reshaped},
    {"tensor.splat", splat},
    {"tensor.unpack", unpack},
    {"linalg.pack", pack},
    {"linalg.softmax", softmax},
    {"linalg.unpack", unpack},
    {"vector.broadcast", broadcasted},
    {"vector.extract_strided_slice", extract_strided_slice},
    {"vector.shape_cast", reshaped},
    {"vector.splat", splat},
    {"vector.transpose", transposed},
};

}  // namespace

bool is_lowered_vector(absl::string_view name) {
  const auto* const row = std::ranges::find(kTensorRows, name, &TensorRow::name);
  return name == "vector.contract" ||
         (absl::StartsWith(name, "vector.") && row != std::end(kTensorRows));
}

absl::StatusOr<std::vector<Op>> lowered_tensor(const Op& op, Around around) {
  const bool is_generate = op.name == "tensor.generate";
  const auto* const row = std::ranges::find(kTensorRows, op.name, &TensorRow::name);
  if (row == std::end(kTensorRows) && !is_generate) return not_read(op);
  if (op.types.size() != 1 || op.results.size() != 1 || !op.types[0].element)
    return invalid("expected one result, an array");
  if (is_generate) return lowered_generate(op, around);
  Steps steps(op, around);
  return steps.result(TRY(row->rule(steps, op)));
}

}  // namespace tileproof::stablehlo
