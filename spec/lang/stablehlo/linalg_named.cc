// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/stablehlo/lowering.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {
namespace {

using Words = std::vector<absl::string_view>;

// Contractions: a letter for each dimension, of inputs and outs.
constexpr std::pair<absl::string_view, absl::string_view> kContractions[] = {
    {"batch_matmul", "bmk bkn bmn"},
    {"batch_matmul_transpose_a", "bkm bkn bmn"},
    {"batch_matmul_transpose_b", "bmk bnk bmn"},
    {"batch_matvec", "bmk bk bm"},
    {"batch_mmt4d", "bmkac bnkec bmnae"},
    {"batch_reduce_matmul", "bmk bkn mn"},
    {"batch_vecmat", "bk bkn bn"},
    {"dot", "k k "},
    {"matmul", "mk kn mn"},
    {"matmul_transpose_a", "km kn mn"},
    {"matmul_transpose_b", "mk nk mn"},
    {"matvec", "mk k m"},
    {"mmt4d", "mkac nkec mnae"},
    {"vecmat", "k kn n"},
};

// Elementwise operations, by the operations of their body, the last of which is yielded.
constexpr std::pair<absl::string_view, absl::string_view> kElementwiseBodies[] = {
    {"abs", "abs"},         {"add", "add"},       {"ceil", "ceil"},
    {"copy", ""},           {"div", "divide"},    {"erf", "erf"},
    {"exp", "exponential"}, {"floor", "floor"},   {"log", "log"},
    {"max", "maximum"},     {"min", "minimum"},   {"mul", "multiply"},
    {"negf", "negate"},     {"powf", "power"},    {"round", "round_nearest_afz"},
    {"rsqrt", "rsqrt"},     {"select", "select"}, {"sqrt", "sqrt"},
    {"square", "square"},   {"sub", "subtract"},  {"tanh", "tanh"},
};

constexpr absl::string_view kSpatial = "dhw";

// The maps of lists of expressions in names of dimensions: "m, k" of "m, n, k".
absl::Status fill_in(Generic& generic, const std::vector<std::string>& names,
                     const std::vector<std::string>& lists) {
  for (const std::string& list : lists) {
    generic.maps.push_back(TRY(
        parse_map(absl::StrCat("affine_map<(", absl::StrJoin(names, ", "), ") -> (", list, ")>"))));
  }
  const std::vector<std::string> outs = absl::StrSplit(lists.back(), ", ");
  for (const std::string& name : names)
    generic.is_reduction.push_back(std::ranges::find(outs, name) == outs.end());
  return absl::OkStatus();
}

// ---- Bodies ----

// The arguments that a body lacks: an element of each operand.
void add_arguments(Generic& generic) {
  for (size_t k = generic.body.arguments.size(); k < generic.types.size(); ++k) {
    generic.body.arguments.push_back(
        {absl::StrCat("~", k), tensor_of(*generic.types[k].element, {})});
  }
}

void add_op(Generic& generic, std::string name, const std::vector<std::string>& operands,
            const Type& type, const std::string& result) {
  generic.body.ops.push_back(op_at(Op(), std::move(name), operands_of(operands)));
  if (result.empty()) return;
  generic.body.ops.back().results = {{result}};
  generic.body.ops.back().types = {type};
}

// Argument k as a number of the type of the outs.
std::string widened(Generic& generic, size_t k) {
  const Argument& argument = generic.body.arguments[k];
  const Type type = generic.body.arguments.back().type;
  if (argument.type.element == type.element) return argument.name;
  const std::string wide = absl::StrCat(argument.name, "~wide");
  add_op(generic, "stablehlo.convert", {argument.name}, type, wide);
  return wide;
}

// The operation whose result the body yields.
void yield_of(Generic& generic, std::string name, const std::vector<std::string>& operands,
              const std::string& result) {
  const Type type = generic.body.arguments.back().type;
  add_op(generic, std::move(name), operands, type, result);
  add_op(generic, "linalg.yield", {result}, type, "");
}

// z + x * y
void add_product_body(Generic& generic) {
  add_arguments(generic);
  const Type type = generic.body.arguments.back().type;
  const std::string x = widened(generic, 0), y = widened(generic, 1);
  add_op(generic, "stablehlo.multiply", {x, y}, type, "~product");
  yield_of(generic, "stablehlo.add", {generic.body.arguments.back().name, "~product"}, "~sum");
}

// The outs and x by one operation.
void add_pooling_body(Generic& generic, const std::string& reducer) {
  add_arguments(generic);
  const std::string x = widened(generic, 0);
  yield_of(generic, absl::StrCat("stablehlo.", reducer), {generic.body.arguments.back().name, x},
           "~pooled");
}

// One operation of all inputs.
void add_elementwise_body(Generic& generic, absl::string_view name) {
  add_arguments(generic);
  const Type type = generic.body.arguments.back().type;
  std::vector<std::string> operands;
  for (size_t k = 0; k < generic.inputs; ++k) {
    const bool is_predicate = name == "select" && k == 0;
    operands.push_back(is_predicate ? generic.body.arguments[k].name : widened(generic, k));
  }
  if (name.empty()) {
    add_op(generic, "linalg.yield", {operands.empty() ? "" : operands[0]}, type, "");
    return;
  }
  const absl::string_view dialect = absl::StrContains(name, ".") ? "" : "stablehlo.";
  yield_of(generic, absl::StrCat(dialect, name), operands, "~result");
}

// ---- Maps of named operations ----

std::string joined(const std::vector<std::string>& names) { return absl::StrJoin(names, ", "); }

absl::Status contract(Generic& generic, absl::string_view letters) {
  std::vector<std::string> names, lists;
  for (const absl::string_view list : Words(absl::StrSplit(letters, ' '))) {
    std::vector<std::string> one;
    for (const char letter : list) one.emplace_back(1, letter);
    lists.push_back(joined(one));
    for (const std::string& name : one) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  if (lists.size() != generic.operands.size() || generic.inputs != 2)
    return invalid("expected two inputs and one array as outs");
  add_product_body(generic);
  return fill_in(generic, names, lists);
}

// `conv_2d_nhwc_hwcf`, `depthwise_conv_2d_nhwc_hwcm`, `pooling_nhwc_max`, `conv_2d`: the letters of the
// input and the filter. Output x of a spatial letter reads input x * stride + k * dilation.
struct Window {
  std::string input, filter, reducer;  // the reducer of a pooling
};

std::optional<Window> window_of(absl::string_view name) {
  const bool is_deep = absl::ConsumePrefix(&name, "depthwise_");
  const Words words = absl::StrSplit(name, '_');
  if (words[0] == "pooling" && words.size() >= 3 && !is_deep) {
    const absl::string_view kind = words[2];
    const char* reducer = kind == "sum"   ? "add"
                          : kind == "max" ? "maximum"
                          : kind == "min" ? "minimum"
                                          : nullptr;
    if (reducer == nullptr || words.size() > 3) return std::nullopt;
    Window window{std::string(words[1]), "", reducer};
    for (const char letter : words[1]) {
      if (absl::StrContains(kSpatial, letter)) window.filter.push_back(letter);
    }
    return window;
  }
  if (words[0] != "conv" || words.size() < 2 || words[1].size() != 2) return std::nullopt;
  if (words.size() == 4) return Window{std::string(words[2]), std::string(words[3]), ""};
  const int rank = words[1][0] - '0';
  if (words.size() != 2 || rank < 1 || rank > 3) return std::nullopt;
  const std::string spatial(kSpatial.substr(static_cast<size_t>(3 - rank)));
  return Window{spatial, spatial, ""};
}

absl::Status slide(Generic& generic, const Op& op, const Window& window) {
  if (generic.inputs != 2 || generic.operands.size() != 3)
    return invalid("expected two inputs and one array as outs");
  const bool is_pooling = !window.reducer.empty();
  size_t rank = 0;
  for (const char letter : window.input) rank += absl::StrContains(kSpatial, letter) ? 1 : 0;
  const Ints strides = TRY(ints_or(op.attributes, "strides", rank, 1));
  const Ints dilations = TRY(ints_or(op.attributes, "dilations", rank, 1));
  std::string out = window.input;
  const bool has_features = absl::StrContains(window.filter, "f");
  std::ranges::replace(out, 'c', has_features ? 'f' : 'c');
  if (absl::StrContains(window.filter, "m")) out.push_back('m');
  std::vector<std::string> input, filter, outs, names;
  size_t next = 0;
  for (const char letter : window.input) {
    const std::string one(1, letter);
    if (!absl::StrContains(kSpatial, letter)) {
      input.push_back(one);
      continue;
    }
    input.push_back(combined(linear(one, strides[next], 0), MapOp::kAdd,
                             linear("k" + one, dilations[next], 0)));
    ++next;
  }
  for (const char letter : out) outs.emplace_back(1, letter);
  names = outs;
  for (const char letter : window.filter) {
    const std::string one(1, letter);
    filter.push_back(absl::StrContains(kSpatial, letter) ? "k" + one : one);
  }
  std::vector<std::string> all = filter;
  for (const char letter : window.input) {
    if (!absl::StrContains(kSpatial, letter)) all.emplace_back(1, letter);
  }
  for (const std::string& name : all) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (is_pooling) {
    add_pooling_body(generic, window.reducer);
  } else {
    add_product_body(generic);
  }
  return fill_in(generic, names, {joined(input), joined(filter), joined(outs)});
}

// All maps are the identity, but that of a scalar.
absl::Status same_index(Generic& generic) {
  const std::vector<std::string> names = dimensions(generic.types.back().dims.size());
  std::vector<std::string> lists;
  for (const Type& type : generic.types) lists.push_back(type.dims.empty() ? "" : joined(names));
  return fill_in(generic, names, lists);
}

// `permutation = [1, 0]`: dimension i of the result is dimension permutation[i] of the input.
absl::Status transpose(Generic& generic, const Op& op) {
  const Ints permutation = TRY(ints(op.attributes, "permutation"));
  const std::vector<std::string> names = dimensions(permutation.size());
  std::vector<std::string> input(names.size());
  for (size_t i = 0; i < input.size(); ++i) {
    const int64_t to = permutation[i];
    if (to < 0 || to >= std::ssize(input) || !input[static_cast<size_t>(to)].empty())
      return invalid("expected a permutation");
    input[static_cast<size_t>(to)] = names[i];
  }
  add_elementwise_body(generic, "");
  return fill_in(generic, names, {joined(input), joined(names)});
}

// `dimensions = [1]`: the dimensions of the larger array that the smaller one lacks.
absl::Status along(Generic& generic, const Op& op, bool reduces) {
  const Ints lacking = TRY(ints(op.attributes, "dimensions"));
  const Type& larger = reduces ? generic.types[0] : generic.types.back();
  const std::vector<std::string> names = dimensions(larger.dims.size());
  std::vector<std::string> kept;
  for (size_t d = 0; d < names.size(); ++d) {
    if (std::ranges::find(lacking, static_cast<int64_t>(d)) == lacking.end())
      kept.push_back(names[d]);
  }
  std::vector<std::string> lists;
  for (size_t k = 0; k < generic.operands.size(); ++k)
    lists.push_back(joined((k < generic.inputs) == reduces ? names : kept));
  return fill_in(generic, names, lists);
}

// The body of linalg.map and reduce: a region, or one operation: `{ arith.addf }`.
absl::Status set_body(Generic& generic, const Op& op) {
  if (op.regions.size() == 1) {
    generic.body = op.regions[0];
    const bool has_outs = generic.body.arguments.size() != generic.inputs;
    if (!has_outs) add_arguments(generic);  // of linalg.map
    return absl::OkStatus();
  }
  if (op.words.empty()) return invalid("expected a body");
  if (op.name == "linalg.map") {
    add_elementwise_body(generic, op.words[0]);
    return absl::OkStatus();
  }
  if (generic.operands.size() != 2) return invalid("expected one input and one array as outs");
  add_arguments(generic);
  yield_of(generic, op.words[0], {"~0", "~1"}, "~result");
  return absl::OkStatus();
}

// ---- linalg.generic ----

absl::Status set_maps(Generic& generic, const std::string& text) {
  Cursor cursor(text);
  TRY(cursor.expect("[", "before the maps"));
  while (!cursor.take("]")) {
    if (!generic.maps.empty()) TRY(cursor.expect(",", "or ']' after a map"));
    generic.maps.push_back(TRY(parse_map(cursor)));
  }
  if (generic.maps.empty()) return invalid("expected a map for each operand");
  return absl::OkStatus();
}

absl::Status set_iterators(Generic& generic, const Op& op) {
  const std::string* text = find_attribute(op.attributes, "iterator_types");
  if (text == nullptr) {  // of linalg.contract
    const IndexingMap& out = generic.maps.back();
    generic.is_reduction.assign(out.dimensions.size(), true);
    for (const NodeId result : out.results) {
      const Node& node = out.nodes[result];
      if (node.op == MapOp::kDimension)
        generic.is_reduction[static_cast<size_t>(node.value)] = false;
    }
    return absl::OkStatus();
  }
  for (const absl::string_view part : absl::StrSplit(*text, ','))
    generic.is_reduction.push_back(absl::StrContains(part, "reduction"));
  if (absl::StripAsciiWhitespace(*text) == "[]") generic.is_reduction.clear();
  return absl::OkStatus();
}

template <class Table>
const absl::string_view* found_in(const Table& table, absl::string_view name) {
  const auto* const row = std::ranges::find(table, name, [](const auto& one) { return one.first; });
  return row == std::end(table) ? nullptr : &row->second;
}

absl::Status describe(Generic& generic, const Op& op) {
  const absl::string_view name = absl::string_view(op.name).substr(7);
  const std::string* maps = find_attribute(op.attributes, "indexing_maps");
  if (name == "generic") {
    if (maps == nullptr || op.regions.size() != 1)
      return invalid("expected indexing_maps and a body");
    TRY(set_maps(generic, *maps));
    generic.body = op.regions[0];
    return set_iterators(generic, op);
  }
  const absl::string_view* letters = found_in(kContractions, name);
  if (maps != nullptr && (letters != nullptr || name == "contract")) {
    if (generic.inputs != 2 || generic.operands.size() != 3)
      return invalid("expected two inputs and one array as outs");
    TRY(set_maps(generic, *maps));
    add_product_body(generic);
    return set_iterators(generic, op);
  }
  if (letters != nullptr) return contract(generic, *letters);
  if (const auto window = window_of(name)) return slide(generic, op, *window);
  if (name == "transpose" && generic.operands.size() == 2) return transpose(generic, op);
  if (name == "broadcast" && generic.operands.size() == 2) {
    add_elementwise_body(generic, "");
    return along(generic, op, false);
  }
  if (name == "reduce") {
    TRY(set_body(generic, op));
    return along(generic, op, true);
  }
  if (name == "map") {
    TRY(set_body(generic, op));
    return same_index(generic);
  }
  absl::string_view kind = name;
  const std::string* asked = find_attribute(op.attributes, "kind");
  if (name == "elementwise" && asked != nullptr) {
    kind = absl::StripSuffix(absl::string_view(*asked).substr(asked->find('<') + 1), ">");
    if (maps != nullptr) return not_read(op, "indexing_maps");
  }
  if (const absl::string_view* body = found_in(kElementwiseBodies, kind)) {
    add_elementwise_body(generic, *body);
    return same_index(generic);
  }
  return not_read(op);
}

}  // namespace

absl::StatusOr<Generic> generic_of(const Op& op, Around around) {
  Generic generic;
  const Ints segments = TRY(segments_of(op));
  generic.inputs = segments.empty() ? 0 : static_cast<size_t>(segments[0]);
  if (segments.size() != 2 || segments[0] + segments[1] != std::ssize(op.operands) ||
      segments[1] == 0)
    return not_read(op);
  for (const Operand& operand : op.operands) {
    generic.types.push_back(TRY(array_type(around, operand)));
    generic.operands.push_back(operand.name);
  }
  TRY(describe(generic, op));
  if (generic.maps.size() != generic.operands.size() ||
      generic.body.arguments.size() != generic.operands.size())
    return invalid("expected a map and an argument of the body for each operand");
  for (size_t k = 0; k < generic.maps.size(); ++k) {
    const IndexingMap& map = generic.maps[k];
    if (map.dimensions.size() != generic.is_reduction.size() || !map.ranges.empty() ||
        !map.runtime.empty() || map.results.size() != generic.types[k].dims.size())
      return invalid(absl::StrCat("expected a map from ", generic.is_reduction.size(), " to ",
                                  generic.types[k].dims.size(), " dimensions for operand ", k));
  }
  return generic;
}

}  // namespace tileproof::stablehlo
