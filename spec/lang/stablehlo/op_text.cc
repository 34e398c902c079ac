// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/stablehlo/op_text.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "spec/lang/stablehlo/literal_text.h"
#include "spec/lang/stablehlo/op_known.h"
#include "spec/lang/stablehlo/op_parts.h"

namespace tileproof::stablehlo {
namespace {

std::string unquoted(const std::string* text) {
  if (text == nullptr || text->size() < 2 || text->front() != '"') return "";
  return text->substr(1, text->size() - 2);
}

// The attribute of the pretty form if it is there, else that of the generic form.
const char* either(const Asked& asked, const char* pretty, const char* full) {
  return find_attribute(asked.op.attributes, pretty) != nullptr ? pretty : full;
}

Pieces dimensions(const Asked& asked, const char* opcode, const char* from, const char* to) {
  const Ints numbers = TRY(ints(asked.op.attributes, from));
  return asked.one(opcode, absl::StrCat(to, "=", braces(numbers)));
}

Pieces broadcast_in_dim(const Asked& asked) {
  TRY(asked.expect_operands(1));
  const std::string* text = find_attribute(asked.op.attributes, "broadcast_dimensions");
  Ints dims = TRY(ints(asked.op.attributes, text == nullptr ? "dims" : "broadcast_dimensions"));
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
  return asked.one("slice", absl::StrCat("slice={", absl::StrJoin(parts, ", "), "}"));
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
  return asked.one("pad", absl::StrCat("padding=", absl::StrJoin(parts, "x")));
}

Pieces compare(const Asked& asked) {
  std::string direction = asked.op.words.empty() ? "" : asked.op.words[0];
  if (direction.empty()) {
    const std::string* text = find_attribute(asked.op.attributes, "comparison_direction");
    for (const char* name : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
      if (text != nullptr && absl::StrContains(*text, name)) direction = name;
    }
  }
  return asked.one("compare", absl::StrCat("direction=", direction));
}

Pieces constant(const Asked& asked) {
  if (asked.op.types.size() != 1 || !asked.op.types[0].element)
    return invalid("expected the type of a constant");
  const std::string* text = find_attribute(asked.op.attributes, "value");
  if (text == nullptr && !asked.op.words.empty()) text = &asked.op.words[0];
  if (text == nullptr) return invalid("expected 'dense<..>'");
  const Type& type = asked.op.types[0];
  const Literal literal = TRY(literal_text(*text, type));
  if (!literal.is_splat)
    return std::vector<Piece>{{type.shape, absl::StrCat("constant(", literal.text, ")")}};
  return std::vector<Piece>{{array_like(type, {}), absl::StrCat("constant(", literal.text, ")")},
                            {type.shape, "broadcast(%0), dimensions={}"}};
}

Pieces custom_call(const Asked& asked) {
  const std::string* target = find_attribute(asked.op.attributes, "call_target_name");
  const std::string name = asked.op.callee.empty() ? unquoted(target) : asked.op.callee;
  return asked.one(
      "custom-call",
      absl::StrCat("custom_call_target=\"", name, "\"",
                   asked.applied.empty() ? ""
                                         : absl::StrCat(", called_computations={",
                                                        absl::StrJoin(asked.applied, ", "), "}")));
}

// New dimensions before those of the operand.
Pieces broadcast(const Asked& asked) {
  TRY(asked.expect_operands(1));
  const Ints sizes = TRY(ints(asked.op.attributes, either(asked, "sizes", "broadcast_sizes")));
  Ints kept(asked.operands[0].type.dims.size());
  std::iota(kept.begin(), kept.end(), std::ssize(sizes));
  return asked.one("broadcast", absl::StrCat("dimensions=", braces(kept)));
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
  return asked.one("reduce-precision",
                   absl::StrCat("exponent_bits=", exponent, ", mantissa_bits=", mantissa));
}

// The third operand has the dimensions of the result, which HLO writes as its shape.
Pieces rng(const Asked& asked) {
  TRY(asked.expect_operands(2));
  const char* name = either(asked, "distribution", "rng_distribution");
  const std::string* text = find_attribute(asked.op.attributes, name);
  const bool is_normal = text != nullptr && absl::StrContains(*text, "NORMAL");
  return std::vector<Piece>{
      {shape_of(asked.op.types),
       call("rng", {asked.operands[0], asked.operands[1]},
            absl::StrCat("distribution=", is_normal ? "rng_normal" : "rng_uniform"))}};
}

// Of MHLO, as XLA writes it; `#mhlo<fusion_kind kLoop>`.
Pieces fusion(const Asked& asked) {
  if (asked.applied.size() != 1) return invalid("expected one region");
  std::string kind = "kLoop";
  const std::string* text = find_attribute(asked.op.attributes, "fusion_kind");
  for (const char* name : {"kInput", "kOutput", "kCustom"}) {
    if (text != nullptr && absl::StrContains(*text, name)) kind = name;
  }
  return asked.one("fusion", absl::StrCat("kind=", kind, ", calls=", asked.applied[0]));
}

Pieces top_k(const Asked& asked) {
  const int64_t k = TRY(one_int(asked.op.attributes, "k"));
  const bool largest = TRY(one_int(asked.op.attributes, "largest", 1)) != 0;
  return asked.one("topk", absl::StrCat("k=", k, ", largest=", largest ? "true" : "false"));
}

// Elementwise operations of CHLO that HLO lacks, by those of HLO that read the same elements. What
// they compute does not matter.
constexpr std::pair<absl::string_view, absl::string_view> kOfChlo[] = {{"bessel_i1e", "erf"},
                                                                       {"digamma", "erf"},
                                                                       {"erf_inv", "erf"},
                                                                       {"erfc", "erf"},
                                                                       {"lgamma", "erf"},
                                                                       {"is_inf", "is-finite"},
                                                                       {"is_neg_inf", "is-finite"},
                                                                       {"is_pos_inf", "is-finite"},
                                                                       {"next_after", "atan2"},
                                                                       {"polygamma", "atan2"},
                                                                       {"zeta", "atan2"}};

using Rule = Pieces (*)(const Asked&);

// Operations with attributes that HLO writes otherwise.
const std::map<std::string, Rule, std::less<>>& rules() {
  static const auto* rules = new std::map<std::string, Rule, std::less<>>{
      {"all_gather", [](const Asked& a) { return rule::collective(a, "all-gather"); }},
      {"all_reduce", [](const Asked& a) { return rule::collective(a, "all-reduce"); }},
      {"all_to_all", rule::all_to_all},
      {"collective_broadcast",
       [](const Asked& a) { return rule::collective(a, "collective-broadcast"); }},
      {"collective_reduce",
       [](const Asked& a) { return rule::collective(a, "collective-reduce"); }},
      {"bitcast_convert", [](const Asked& a) { return Pieces(a.one("bitcast-convert")); }},
      {"broadcast", broadcast},
      {"broadcast_in_dim", broadcast_in_dim},
      {"cbrt", [](const Asked& a) { return Pieces(a.one("cbrt")); }},
      {"compare", compare},
      {"concatenate",
       [](const Asked& a) {
         return dimensions(a, "concatenate", either(a, "dim", "dimension"), "dimensions");
       }},
      {"constant", constant},
      {"convolution", rule::convolution},
      {"create_token", [](const Asked& a) { return Pieces(a.one("after-all")); }},
      {"custom_call", custom_call},
      {"dot", rule::dot},
      {"dot_general", rule::dot},
      {"dynamic_slice",
       [](const Asked& a) {
         return dimensions(a, "dynamic-slice", either(a, "sizes", "slice_sizes"),
                           "dynamic_slice_sizes");
       }},
      {"fusion", fusion},
      {"gather", rule::gather},
      {"get_dimension_size",
       [](const Asked& a) {
         return dimensions(a, "get-dimension-size", either(a, "dim", "dimension"), "dimensions");
       }},
      {"get_tuple_element",
       [](const Asked& a) -> Pieces {
         return a.one(
             "get-tuple-element",
             absl::StrCat("index=", TRY(one_int(a.op.attributes, either(a, "[]", "index")))));
       }},
      {"iota",
       [](const Asked& a) -> Pieces {
         const char* name = either(a, "dim", "iota_dimension");
         return a.one("iota", absl::StrCat("iota_dimension=", TRY(one_int(a.op.attributes, name))));
       }},
      {"map",
       [](const Asked& a) -> Pieces {
         const Ints dims = TRY(ints(a.op.attributes, "dimensions"));
         return a.one("map", absl::StrCat("dimensions=", braces(dims), ", ", a.applying()));
       }},
      {"optimization_barrier",
       [](const Asked& a) {
         std::vector<Piece> pieces = {{shape_of(a.op.types), call("tuple", a.operands)},
                                      {shape_of(a.op.types), "opt-barrier(%0)"}};
         if (a.op.types.size() == 1) pieces = a.one("opt-barrier");
         return Pieces(pieces);
       }},
      {"pad", pad},
      {"reduce",
       [](const Asked& a) -> Pieces {
         const Ints dims = TRY(ints(a.op.attributes, "dimensions"));
         return a.one("reduce", absl::StrCat("dimensions=", braces(dims), ", ", a.applying()));
       }},
      {"reduce_precision", reduce_precision},
      {"reduce_scatter", [](const Asked& a) { return rule::collective(a, "reduce-scatter"); }},
      {"reduce_window", rule::reduce_window},
      {"reverse",
       [](const Asked& a) {
         return dimensions(a, "reverse", either(a, "dims", "dimensions"), "dimensions");
       }},
      {"rng", rng},
      {"rng_bit_generator",
       [](const Asked& a) { return Pieces(a.one("rng-bit-generator", "algorithm=rng_default")); }},
      {"scatter", rule::scatter},
      {"select_and_scatter", rule::reduce_window},
      {"set_dimension_size",
       [](const Asked& a) {
         return dimensions(a, "set-dimension-size", either(a, "dim", "dimension"), "dimensions");
       }},
      {"slice", slice},
      {"square",
       [](const Asked& a) -> Pieces {
         TRY(a.expect_operands(1));
         return std::vector<Piece>{
             {shape_of(a.op.types), call("multiply", {a.operands[0], a.operands[0]})}};
       }},
      {"sort",
       [](const Asked& a) -> Pieces {
         const int64_t dim = TRY(one_int(a.op.attributes, "dimension", -1));
         const int64_t rank = a.operands.empty() ? 0 : std::ssize(a.operands[0].type.dims);
         return a.one(
             "sort", absl::StrCat("dimensions={", dim < 0 ? dim + rank : dim, "}, ", a.applying()));
       }},
      {"top_k", top_k},
      {"topk", top_k},
      {"transpose",
       [](const Asked& a) {
         return dimensions(a, "transpose", either(a, "dims", "permutation"), "dimensions");
       }},
      {"uniform_dequantize", [](const Asked& a) { return Pieces(a.one("convert")); }},
      {"uniform_quantize", [](const Asked& a) { return Pieces(a.one("convert")); }},
  };
  return *rules;
}

// "; did you mean 'transpose'?"
std::string meant_operation(absl::string_view dialect, absl::string_view name) {
  std::vector<std::string> names;
  for (const auto& [one, rule] : rules()) names.push_back(one);
  for (const auto& [chlo, hlo] : kOfChlo) names.emplace_back(chlo);
  for (const HloOpcodeInfo& info : hlo_opcodes())
    names.push_back(absl::StrReplaceAll(info.name, {{"-", "_"}}));
  const auto meant = nearest_word(name, {names.begin(), names.end()});
  return meant && *meant != name ? absl::StrCat("; did you mean '", dialect, ".", *meant, "'?")
                                 : "";
}

}  // namespace

std::string shape_of(const std::vector<Type>& types) {
  if (types.size() == 1) return types[0].shape;
  std::vector<std::string> shapes;
  for (const Type& type : types) shapes.push_back(type.shape);
  return absl::StrCat("(", absl::StrJoin(shapes, ", "), ")");
}

absl::StatusOr<std::vector<Piece>> pieces_of(const Op& op, const std::vector<Value>& operands,
                                             const std::vector<std::string>& applied,
                                             const std::vector<Mesh>& meshes) {
  const size_t dot_at = op.name.find('.');
  const absl::string_view dialect = absl::string_view(op.name).substr(0, dot_at);
  const bool known = dialect == "stablehlo" || dialect == "mhlo" || dialect == "chlo";
  const std::string name = dot_at == std::string::npos ? op.name : op.name.substr(dot_at + 1);
  if (known) {
    const auto rule = rules().find(name);
    const std::string opcode = absl::StrReplaceAll(name, {{"_", "-"}});
    const bool is_named_alike = opcode_named(opcode) != HloOpcode::kOther && applied.empty();
    if (rule != rules().end() || is_named_alike) TRY(expect_known_attributes(op, name));
    const Asked asked{op, operands, applied, meshes};
    if (rule != rules().end()) return rule->second(asked);
    // All others are named alike and have no attributes that matter.
    if (is_named_alike) return asked.one(opcode);
    for (const auto& [chlo, hlo] : kOfChlo) {
      if (dialect == "chlo" && name == chlo) return asked.one(hlo);
    }
  }
  // Every operation of Shardy on one array leaves the whole array as it is.
  const bool is_annotation = absl::StartsWith(op.name, "sdy.") && operands.size() == 1 &&
                             op.types.size() == 1 && op.types[0].shape == operands[0].type.shape;
  if (is_annotation)
    return std::vector<Piece>{
        {operands[0].type.shape, call("custom-call", operands, "custom_call_target=\"Sharding\"")}};
  return invalid(absl::StrCat("expected an operation that HLO has, found ", op.name.substr(0, 64),
                              known ? meant_operation(dialect, name) : ""));
}

}  // namespace tileproof::stablehlo
