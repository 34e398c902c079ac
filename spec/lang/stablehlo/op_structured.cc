// SPDX-License-Identifier: Apache-2.0
// The operations that are more than a row of attributes, but for collectives.
#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {
namespace {

std::string times_text(const Ints& numbers) { return absl::StrJoin(numbers, "x"); }

// `size=.. stride=.. pad=.. lhs_dilate=.. rhs_dilate=.. rhs_reversal=..`; pads are low, high pairs.
std::string window_text(const Ints& size, const Ints& stride, const Ints& pads,
                        const Ints& lhs_dilate, const Ints& rhs_dilate, const Ints& reversed) {
  std::vector<std::string> pairs;
  for (size_t d = 0; d < size.size(); ++d)
    pairs.push_back(absl::StrCat(pads[2 * d], "_", pads[2 * d + 1]));
  if (size.empty()) return "window={}";
  return absl::StrCat("window={size=", times_text(size), " stride=", times_text(stride),
                      " pad=", absl::StrJoin(pairs, "x"), " lhs_dilate=", times_text(lhs_dilate),
                      " rhs_dilate=", times_text(rhs_dilate),
                      reversed.empty() ? "" : absl::StrCat(" rhs_reversal=", times_text(reversed)),
                      "}");
}

// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, `#stablehlo.conv<..>` around it: b01f_01io->b01f.
absl::StatusOr<std::vector<std::string>> labels(std::string text) {
  if (const size_t open = text.find('<'); absl::StartsWith(text, "#") && open != std::string::npos)
    text = text.substr(open + 1, text.size() - open - 2);
  std::vector<std::string> lists;
  for (const char c : text) {
    if (c == '[') lists.emplace_back();
    if (absl::string_view(", []x->").find(c) == absl::string_view::npos && !lists.empty())
      lists.back().push_back(c);
  }
  if (lists.size() == 3) return lists;
  return invalid("expected dimension numbers of a convolution");
}

using Words = std::vector<absl::string_view>;

// `offset_dims={1}, collapsed_slice_dims={}, `; batching dimensions only if there are some.
absl::StatusOr<std::string> lists_of(const Attributes& numbers, const Words& names) {
  std::string text;
  for (const absl::string_view name : names) {
    const Ints list = TRY(ints(numbers, name));
    const bool is_optional = absl::StrContains(name, "batching");
    if (!is_optional || !list.empty()) absl::StrAppend(&text, name, "=", braces(list), ", ");
  }
  return absl::StrCat(text, "index_vector_dim=", TRY(one_int(numbers, "index_vector_dim", 0)));
}

// The dimensions that a dot batches and contracts, of its left and its right side.
struct DotLists {
  Ints batch[2], contracting[2];

  std::string text() const {
    std::vector<std::string> lists;
    for (const int side : {0, 1}) {
      if (!batch[side].empty())
        lists.push_back(
            absl::StrCat(side == 0 ? "lhs" : "rhs", "_batch_dims=", braces(batch[side])));
    }
    return absl::StrCat(absl::StrJoin(lists, ", "), lists.empty() ? "" : ", ",
                        "lhs_contracting_dims=", braces(contracting[0]),
                        ", rhs_contracting_dims=", braces(contracting[1]));
  }
};

// `, operand_precision={highest,highest}`, unless all are default.
std::string precision_of(const Attributes& attributes) {
  const std::string* text =
      find_attribute(attributes, either(attributes, "precision", "precision_config"));
  std::vector<std::string> words;
  if (text != nullptr) {
    for (const absl::string_view word : absl::StrSplit(*text, absl::ByAnyChar("[], <>"))) {
      if (word == "DEFAULT" || word == "HIGH" || word == "HIGHEST")
        words.push_back(absl::AsciiStrToLower(word));
    }
  }
  const bool is_default = std::ranges::count(words, "default") == std::ssize(words);
  return is_default ? "" : absl::StrCat(", operand_precision={", absl::StrJoin(words, ","), "}");
}

// `, algorithm=dot_bf16_bf16_f32_x3`
absl::StatusOr<std::string> algorithm_of(const Attributes& attributes) {
  if (find_attribute(attributes, "algorithm") == nullptr) return "";
  const Attributes parts = TRY(inner(attributes, "algorithm"));
  std::string text = ", algorithm=dot";
  for (const char* name : {"lhs_precision_type", "rhs_precision_type", "accumulation_type"}) {
    const std::string* type = find_attribute(parts, name);
    absl::StrAppend(&text, "_", type == nullptr ? "any" : absl::AsciiStrToLower(*type));
  }
  const int64_t count = TRY(one_int(parts, "num_primitive_operations", 1));
  if (count > 1) absl::StrAppend(&text, "_x", count);
  const bool is_fast = TRY(one_int(parts, "allow_imprecise_accumulation", 0)) != 0;
  return is_fast ? absl::StrCat(text, "_fast_accum") : text;
}

// The types with the layouts that an attribute lists, minor to major: `[dense<[0, 1]> : .., dense<> : ..]`.
absl::StatusOr<std::vector<Type>> with_layouts(std::vector<Type> types,
                                               const Attributes& attributes,
                                               absl::string_view name) {
  const std::string* text = find_attribute(attributes, name);
  if (text == nullptr) return types;
  const std::vector<absl::string_view> layouts = absl::StrSplit(*text, "dense<");
  if (layouts.size() != types.size() + 1)
    return invalid(absl::StrCat("expected ", types.size(), " layouts as '", name, "'"));
  for (size_t i = 0; i < types.size(); ++i) {
    const absl::string_view layout = layouts[i + 1].substr(0, layouts[i + 1].find('>'));
    if (!types[i].dims.empty()) absl::StrAppend(&types[i].shape, braces(TRY(integers(layout))));
  }
  return types;
}

}  // namespace

namespace rule {

// ---- Shapes ----

// New dimensions before those of the operand.
Pieces broadcast(const Asked& asked) {
  TRY(asked.expect_operands(1));
  const Attributes& attributes = asked.op.attributes;
  const Ints sizes = TRY(ints(attributes, either(attributes, "sizes", "broadcast_sizes")));
  Ints kept(asked.operands[0].type.dims.size());
  std::iota(kept.begin(), kept.end(), std::ssize(sizes));
  return asked.one(absl::StrCat("dimensions=", braces(kept)));
}

Pieces broadcast_in_dim(const Asked& asked) {
  TRY(asked.expect_operands(1));
  const Attributes& attributes = asked.op.attributes;
  const Ints dims = TRY(ints(attributes, either(attributes, "broadcast_dimensions", "dims")));
  const Type& from = asked.operands[0].type;
  if (dims.size() != from.dims.size() || asked.op.types.empty())
    return invalid("expected a dimension of the result for each dimension of the operand");
  const Ints& to = asked.op.types[0].dims;
  Ints kept, kept_sizes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= std::ssize(to))
      return invalid(absl::StrCat("expected dimensions of the result, found ", dims[i]));
    if (from.dims[i] == 1 && to[dims[i]] != 1) continue;
    kept.push_back(dims[i]);
    kept_sizes.push_back(from.dims[i]);
  }
  std::vector<Piece> pieces;
  Value operand = asked.operands[0];
  if (kept.size() != dims.size()) {
    pieces.push_back({array_like(from, kept_sizes), call("reshape", {operand})});
    operand.name = "%0";
  }
  pieces.push_back({shape_of(asked.op.types),
                    call("broadcast", {operand}, absl::StrCat("dimensions=", braces(kept)))});
  return pieces;
}

// `[0:6:2, 1:5]`, or the three lists of the generic form.
Pieces slice(const Asked& asked) {
  std::vector<std::string> parts;
  if (const std::string* text = find_attribute(asked.op.attributes, "[]")) {
    Cursor cursor(*text);
    TRY(cursor.expect("[", "to open the limits"));
    while (!cursor.take("]")) {
      if (!parts.empty()) TRY(cursor.expect(",", "between limits"));
      Ints numbers;
      do {
        numbers.push_back(TRY(cursor.take_integer("a limit")));
      } while (cursor.take(":"));
      parts.push_back(absl::StrCat("[", absl::StrJoin(numbers, ":"), "]"));
    }
  } else {
    const Ints starts = TRY(ints(asked.op.attributes, "start_indices"));
    const Ints limits = TRY(ints_or(asked.op.attributes, "limit_indices", starts.size(), 0));
    const Ints strides = TRY(ints_or(asked.op.attributes, "strides", starts.size(), 1));
    for (size_t i = 0; i < starts.size(); ++i)
      parts.push_back(absl::StrCat("[", starts[i], ":", limits[i], ":", strides[i], "]"));
  }
  return asked.one(absl::StrCat("slice={", absl::StrJoin(parts, ", "), "}"));
}

Pieces pad(const Asked& asked) {
  TRY(asked.expect_operands(2));
  const size_t rank = asked.operands[0].type.dims.size();
  const bool generic = find_attribute(asked.op.attributes, "edge_padding_low") != nullptr;
  const auto list = [&](const char* pretty, const char* full) {
    return ints_or(asked.op.attributes, generic ? full : pretty, rank, 0);
  };
  const Ints low = TRY(list("low", "edge_padding_low"));
  const Ints high = TRY(list("high", "edge_padding_high"));
  const Ints interior = TRY(list("interior", "interior_padding"));
  std::vector<std::string> parts;
  for (size_t d = 0; d < rank; ++d)
    parts.push_back(absl::StrCat(low[d], "_", high[d], "_", interior[d]));
  return asked.one(absl::StrCat("padding=", absl::StrJoin(parts, "x")));
}

Pieces sort(const Asked& asked) {
  const int64_t dim = TRY(one_int(asked.op.attributes, "dimension", -1));
  const int64_t rank = asked.operands.empty() ? 0 : std::ssize(asked.operands[0].type.dims);
  const bool is_stable = TRY(one_int(asked.op.attributes, "is_stable", 0)) != 0;
  return asked.one(absl::StrCat("dimensions={", dim < 0 ? dim + rank : dim, "}, ",
                                is_stable ? "is_stable=true, " : "", asked.applying()));
}

// ---- Elements ----

Pieces compare(const Asked& asked) {
  std::string direction = asked.op.words.empty() ? "" : asked.op.words[0];
  if (direction.empty()) {
    direction =
        word_of(asked.op.attributes, "comparison_direction", {"EQ", "NE", "GE", "GT", "LE", "LT"});
  }
  const bool is_total = std::ranges::count(asked.op.words, "TOTALORDER") > 0 ||
                        !word_of(asked.op.attributes, "compare_type", {"TOTALORDER"}).empty();
  return asked.one(absl::StrCat("direction=", direction, is_total ? ", type=TOTALORDER" : ""));
}

Pieces constant(const Asked& asked) {
  if (asked.op.types.size() != 1 || !asked.op.types[0].element)
    return invalid("expected the type of a constant");
  const std::string* text = find_attribute(asked.op.attributes, "value");
  if (text == nullptr && !asked.op.words.empty()) text = &asked.op.words[0];
  if (text == nullptr) return invalid("expected 'dense<..>'");
  const Type& type = asked.op.types[0];
  const Literal literal = TRY(literal_text(*text, type));
  const std::string constant = absl::StrCat("constant(", literal.text, ")");
  if (!literal.is_splat) return std::vector<Piece>{{type.shape, constant}};
  return std::vector<Piece>{{array_like(type, {}), constant},
                            {type.shape, "broadcast(%0), dimensions={}"}};
}

Pieces square(const Asked& asked) {
  TRY(asked.expect_operands(1));
  const Value& operand = asked.operands[0];
  return std::vector<Piece>{{shape_of(asked.op.types), call(asked.opcode, {operand, operand})}};
}

// `format = e5m10`, or the two numbers of the generic form.
Pieces reduce_precision(const Asked& asked) {
  std::string exponent, mantissa;
  if (const std::string* format = find_attribute(asked.op.attributes, "format")) {
    const size_t m = format->find('m');
    if (m == std::string::npos || m < 2) return invalid("expected a format such as e5m10");
    exponent = format->substr(1, m - 1);
    mantissa = format->substr(m + 1);
  } else {
    exponent = absl::StrCat(TRY(one_int(asked.op.attributes, "exponent_bits")));
    mantissa = absl::StrCat(TRY(one_int(asked.op.attributes, "mantissa_bits")));
  }
  return asked.one(absl::StrCat("exponent_bits=", exponent, ", mantissa_bits=", mantissa));
}

// The third operand has the dimensions of the result, which HLO writes as its shape.
Pieces rng(const Asked& asked) {
  TRY(asked.expect_operands(2));
  const Attributes& attributes = asked.op.attributes;
  const std::string distribution =
      word_of(attributes, either(attributes, "distribution", "rng_distribution"), {"NORMAL"});
  return std::vector<Piece>{
      {shape_of(asked.op.types),
       call(asked.opcode, {asked.operands[0], asked.operands[1]},
            absl::StrCat("distribution=rng_", distribution.empty() ? "uniform" : "normal"))}};
}

Pieces rng_bit_generator(const Asked& asked) {
  const Attributes& attributes = asked.op.attributes;
  const std::string algorithm =
      word_of(attributes, either(attributes, "algorithm", "rng_algorithm"), {"THREE_FRY", "PHILOX"},
              "DEFAULT");
  return asked.one(absl::StrCat("algorithm=rng_", absl::AsciiStrToLower(algorithm)));
}

Pieces optimization_barrier(const Asked& asked) {
  if (asked.op.types.size() == 1) return asked.one("");
  const std::string shape = shape_of(asked.op.types);
  return std::vector<Piece>{{shape, call("tuple", asked.operands)}, {shape, "opt-barrier(%0)"}};
}

// ---- Calls ----

// `[#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, ..>]`
absl::StatusOr<std::string> aliasing(absl::string_view list) {
  constexpr absl::string_view kAlias = "output_operand_alias<";
  std::vector<std::string> pairs;
  for (size_t at = list.find(kAlias); at != list.npos; at = list.find(kAlias, at + 1)) {
    const absl::string_view one = list.substr(at, list.find('>', at) - at + 1);
    const Attributes parts = TRY(inner({{"alias", absl::StrCat("#stablehlo.", one)}}, "alias"));
    const auto index = [&](const char* name) -> absl::StatusOr<std::string> {
      return absl::StrCat("{", absl::StrJoin(TRY(ints(parts, name)), ", "), "}");
    };
    pairs.push_back(absl::StrCat(TRY(index("output_tuple_indices")), ": (",
                                 TRY(one_int(parts, "operand_index", 0)), ", ",
                                 TRY(index("operand_tuple_indices")), ")"));
  }
  return absl::StrCat("{", absl::StrJoin(pairs, ", "), "}");
}

// The version of a call decides what its configuration means. A dictionary is of the last one.
absl::StatusOr<std::string> version_of(const Attributes& attributes) {
  constexpr absl::string_view kNames[] = {"STATUS_RETURNING", "STATUS_RETURNING_UNIFIED",
                                          "TYPED_FFI"};
  const bool is_dictionary = find_attribute(attributes, "mhlo.backend_config") != nullptr;
  const int64_t version = TRY(one_int(attributes, "api_version", is_dictionary ? 4 : 1));
  if (version < 2) return std::string();
  if (version > 4) return invalid("expected an api_version of at most 4");
  return absl::StrCat(", api_version=API_VERSION_", kNames[version - 2]);
}

Pieces custom_call(const Asked& asked) {
  absl::string_view name = asked.op.callee;
  const std::string* target = find_attribute(asked.op.attributes, "call_target_name");
  if (name.empty() && target != nullptr && target->size() >= 2 && target->front() == '"')
    name = absl::string_view(*target).substr(1, target->size() - 2);
  const Attributes& attributes = asked.op.attributes;
  std::string text = absl::StrCat("custom_call_target=\"", name, "\"");
  if (!asked.applied.empty())
    absl::StrAppend(&text, ", called_computations={", absl::StrJoin(asked.applied, ", "), "}");
  const auto types_of_operands = [&] {
    std::vector<Type> types;
    for (const Value& operand : asked.operands) types.push_back(operand.type);
    return types;
  };
  const auto constraints = TRY(with_layouts(types_of_operands(), attributes, "operand_layouts"));
  if (find_attribute(attributes, "operand_layouts") != nullptr) {
    std::vector<std::string> shapes;
    for (const Type& type : constraints) shapes.push_back(type.shape);
    absl::StrAppend(&text, ", operand_layout_constraints={", absl::StrJoin(shapes, ", "), "}");
  }
  if (TRY(one_int(attributes, "has_side_effect", 0)) != 0)
    absl::StrAppend(&text, ", custom_call_has_side_effect=true");
  for (const char* key : {"mhlo.backend_config", "backend_config"}) {
    const std::string* config = find_attribute(attributes, key);
    if (config == nullptr || *config == "\"\"") continue;
    absl::StrAppend(&text, ", backend_config=", *config);
    break;
  }
  text += TRY(version_of(attributes));
  if (const std::string* list = find_attribute(attributes, "output_operand_aliases");
      list != nullptr && *list != "[]") {
    absl::StrAppend(&text, ", output_to_operand_aliasing=", TRY(aliasing(*list)));
  }
  const std::vector<Type> results = TRY(with_layouts(asked.op.types, attributes, "result_layouts"));
  return std::vector<Piece>{{shape_of(results), call(asked.opcode, asked.operands, text)}};
}

// Of MHLO, as XLA writes it; `#mhlo<fusion_kind kLoop>`.
Pieces fusion(const Asked& asked) {
  if (asked.applied.size() != 1) return invalid("expected one region");
  const std::string kind =
      word_of(asked.op.attributes, "fusion_kind", {"kInput", "kOutput", "kCustom"}, "kLoop");
  return asked.one(absl::StrCat("kind=", kind, ", calls=", asked.applied[0]));
}

// ---- Numbers of dimensions and windows ----

Pieces dot(const Asked& asked) {
  TRY(asked.expect_operands(2));
  const int64_t rank = std::ssize(asked.operands[0].type.dims);
  const DotLists lists{.batch = {}, .contracting = {{rank - 1}, {0}}};
  return asked.one(absl::StrCat(lists.text(), precision_of(asked.op.attributes)));
}

// Four lists, or `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
Pieces dot_general(const Asked& asked) {
  TRY(asked.expect_operands(2));
  const Attributes& attributes = asked.op.attributes;
  DotLists lists;
  const std::string how = absl::StrCat(precision_of(attributes), TRY(algorithm_of(attributes)));
  if (find_attribute(attributes, "dot_dimension_numbers") != nullptr) {
    const Attributes numbers = TRY(inner(attributes, "dot_dimension_numbers"));
    lists.batch[0] = TRY(ints(numbers, "lhs_batching_dimensions"));
    lists.batch[1] = TRY(ints(numbers, "rhs_batching_dimensions"));
    lists.contracting[0] = TRY(ints(numbers, "lhs_contracting_dimensions"));
    lists.contracting[1] = TRY(ints(numbers, "rhs_contracting_dimensions"));
    return asked.one(absl::StrCat(lists.text(), how));
  }
  for (const bool batches : {true, false}) {
    const std::string* text =
        find_attribute(attributes, batches ? "batching_dims" : "contracting_dims");
    if (text == nullptr) continue;
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(*text, absl::MaxSplits(" x ", 1));
    if (!absl::StrContains(*text, " x ")) return invalid("expected '[..] x [..]'");
    auto& pair = batches ? lists.batch : lists.contracting;
    pair[0] = TRY(integers(sides.first));
    pair[1] = TRY(integers(sides.second));
  }
  return asked.one(absl::StrCat(lists.text(), how));
}

Pieces convolution(const Asked& asked) {
  TRY(asked.expect_operands(2));
  const Attributes& attributes = asked.op.attributes;
  const std::string* numbers =
      find_attribute(attributes, either(attributes, "dim_numbers", "dimension_numbers"));
  if (numbers == nullptr) return invalid("expected 'dim_numbers'");
  const std::vector<std::string> lists = TRY(labels(*numbers));
  Attributes window = attributes;
  if (const std::string* text = find_attribute(attributes, "window");
      text != nullptr && text->size() > 2)
    window = TRY(parse_attributes(absl::string_view(*text).substr(1, text->size() - 2)));
  const Type& kernel = asked.operands[1].type;
  Ints size;
  for (char d = '0'; d <= '9'; ++d) {
    const size_t at = lists[1].find(d);
    if (at == std::string::npos) break;
    if (at >= kernel.dims.size()) return invalid("expected a kernel of the rank of its labels");
    size.push_back(kernel.dims[at]);
  }
  const size_t n = size.size();
  const Ints strides = TRY(ints_or(window, either(window, "stride", "window_strides"), n, 1));
  const Ints pads = TRY(ints_or(window, either(window, "pad", "padding"), 2 * n, 0));
  const Ints left = TRY(ints_or(window, either(window, "lhs_dilate", "lhs_dilation"), n, 1));
  const Ints right = TRY(ints_or(window, either(window, "rhs_dilate", "rhs_dilation"), n, 1));
  const Ints reversed = TRY(ints_or(window, either(window, "reverse", "window_reversal"), n, 0));
  return asked.one(
      absl::StrCat(window_text(size, strides, pads, left, right, reversed),
                   ", dim_labels=", lists[0], "_", lists[1], "->", lists[2],
                   ", feature_group_count=", TRY(one_int(attributes, "feature_group_count", 1)),
                   ", batch_group_count=", TRY(one_int(attributes, "batch_group_count", 1)),
                   precision_of(attributes)));
}

Pieces reduce_window(const Asked& asked) {
  const Attributes& attributes = asked.op.attributes;
  const Ints size = TRY(ints(attributes, "window_dimensions"));
  const size_t n = size.size();
  const Ints strides = TRY(ints_or(attributes, "window_strides", n, 1));
  const Ints pads = TRY(ints_or(attributes, "padding", 2 * n, 0));
  const Ints base = TRY(ints_or(attributes, "base_dilations", n, 1));
  const Ints dilate = TRY(ints_or(attributes, "window_dilations", n, 1));
  const std::string window = window_text(size, strides, pads, base, dilate, {});
  if (asked.opcode == "reduce-window")
    return asked.one(absl::StrCat(window, ", ", asked.applying()));
  if (asked.applied.size() != 2) return invalid("expected two regions");
  return asked.one(
      absl::StrCat(window, ", select=", asked.applied[0], ", scatter=", asked.applied[1]));
}

Pieces gather(const Asked& asked) {
  const Attributes numbers = TRY(inner(asked.op.attributes, "dimension_numbers"));
  const std::string lists =
      TRY(lists_of(numbers, {"offset_dims", "collapsed_slice_dims", "start_index_map",
                             "operand_batching_dims", "start_indices_batching_dims"}));
  return asked.one(
      absl::StrCat(lists, ", slice_sizes=", braces(TRY(ints(asked.op.attributes, "slice_sizes")))));
}

Pieces scatter(const Asked& asked) {
  const Attributes numbers = TRY(inner(asked.op.attributes, "scatter_dimension_numbers"));
  const std::string lists = TRY(lists_of(
      numbers, {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
                "input_batching_dims", "scatter_indices_batching_dims"}));
  return asked.one(absl::StrCat(lists, ", ", asked.applying()));
}

}  // namespace rule
}  // namespace tileproof::stablehlo
