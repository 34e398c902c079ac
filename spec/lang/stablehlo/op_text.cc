// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/stablehlo/op_text.h"

#include <algorithm>
#include <map>
#include <numeric>

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

namespace tileproof::stablehlo {
namespace {

using Ints = std::vector<int64_t>;
using Pieces = absl::StatusOr<std::vector<Piece>>;

absl::Status invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

// ---- Attributes ----

// The integers of `[1, 0]`, `array<i64: 1, 0>`, `dense<[[1, 0], [0, 0]]> : ..` and `1`, in order.
absl::StatusOr<Ints> integers(absl::string_view text) {
  Ints result;
  if (absl::StartsWith(text, "array<")) {
    const size_t colon = text.find(':');
    text = colon == absl::string_view::npos ? absl::string_view() : text.substr(colon + 1);
  }
  if (absl::StartsWith(text, "dense<")) text.remove_prefix(6);
  Cursor cursor(text);
  while (cursor.skip_space()) {
    if (cursor.at_integer()) {
      result.push_back(TRY(cursor.take_integer("an integer")));
    } else if (cursor.take("true")) {
      result.push_back(1);
    } else if (cursor.take("false")) {
      result.push_back(0);
    } else if (!cursor.take("[") && !cursor.take("]") && !cursor.take(",") && !cursor.take(">")) {
      return invalid(
          absl::StrCat("expected integers, found '", std::string(text.substr(0, 60)), "'"));
    }
  }
  return result;
}

// The integers of an attribute; none if it is missing.
absl::StatusOr<Ints> ints(const Attributes& attributes, absl::string_view name) {
  const std::string* text = find_attribute(attributes, name);
  return text == nullptr ? absl::StatusOr<Ints>(Ints()) : integers(*text);
}

absl::StatusOr<int64_t> one_int(const Attributes& attributes, absl::string_view name,
                                std::optional<int64_t> missing = std::nullopt) {
  const Ints found = TRY(ints(attributes, name));
  if (found.size() == 1) return found[0];
  if (found.empty() && missing) return *missing;
  return invalid(absl::StrCat("expected one integer as '", name, "'"));
}

// `n` integers; `value` each if the attribute is missing; a single one stands for all.
absl::StatusOr<Ints> ints_or(const Attributes& attributes, absl::string_view name, size_t n,
                             int64_t value) {
  Ints found = TRY(ints(attributes, name));
  if (found.empty()) found.assign(n, value);
  if (found.size() == 1) found.assign(n, found[0]);
  if (found.size() == n) return found;
  return invalid(absl::StrCat("expected ", n, " integers as '", name, "'"));
}

std::string braces(const Ints& numbers) {
  return absl::StrCat("{", absl::StrJoin(numbers, ","), "}");
}

std::string unquoted(const std::string* text) {
  if (text == nullptr || text->size() < 2 || text->front() != '"') return "";
  return text->substr(1, text->size() - 2);
}

// What is between `#stablehlo.gather<` and `>`.
absl::StatusOr<Attributes> inner(const Attributes& attributes, absl::string_view name) {
  const std::string* text = find_attribute(attributes, name);
  const size_t open = text == nullptr ? std::string::npos : text->find('<');
  if (open == std::string::npos || text->back() != '>')
    return invalid(absl::StrCat("expected the attribute '", name, "'"));
  return parse_attributes(absl::string_view(*text).substr(open + 1, text->size() - open - 2));
}

// ---- Parts of an operation ----

std::string call(absl::string_view opcode, const std::vector<Value>& operands,
                 const std::string& attributes = "") {
  std::vector<std::string> names;
  for (const Value& operand : operands) names.push_back(operand.name);
  return absl::StrCat(opcode, "(", absl::StrJoin(names, ", "), ")", attributes.empty() ? "" : ", ",
                      attributes);
}

struct Asked {
  const Op& op;
  const std::vector<Value>& operands;
  const std::vector<std::string>& applied;

  std::vector<Piece> one(absl::string_view opcode, const std::string& attributes = "") const {
    return {{shape_of(op.types), call(opcode, operands, attributes)}};
  }
  absl::Status expect_operands(size_t n) const {
    if (operands.size() >= n) return absl::OkStatus();
    return invalid(absl::StrCat("expected ", n, " operands, found ", operands.size()));
  }
  std::string applying() const {
    return absl::StrCat("to_apply=", applied.empty() ? "" : applied[0]);
  }
};

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
    const std::string element = from.shape.substr(0, from.shape.find('['));
    pieces.push_back({absl::StrCat(element, "[", absl::StrJoin(kept_sizes, ","), "]"),
                      call("reshape", {operand})});
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

// The four lists of a dot_general as the attributes of HLO.
Pieces dot(const Asked& asked) {
  TRY(asked.expect_operands(2));
  Ints lists[4];  // batch of lhs and rhs, contracting of lhs and rhs
  const char* names[4] = {"lhs_batching_dimensions", "rhs_batching_dimensions",
                          "lhs_contracting_dimensions", "rhs_contracting_dimensions"};
  if (asked.op.name == "stablehlo.dot") {
    lists[2] = {std::ssize(asked.operands[0].type.dims) - 1};
    lists[3] = {0};
  } else if (find_attribute(asked.op.attributes, "dot_dimension_numbers") != nullptr) {
    const Attributes numbers = TRY(inner(asked.op.attributes, "dot_dimension_numbers"));
    for (int i = 0; i < 4; ++i) lists[i] = TRY(ints(numbers, names[i]));
  } else {
    for (int i = 0; i < 2; ++i) {
      const std::string* text =
          find_attribute(asked.op.attributes, i == 0 ? "batching_dims" : "contracting_dims");
      if (text == nullptr) continue;
      const size_t middle = text->find(" x ");
      if (middle == std::string::npos) return invalid("expected '[..] x [..]'");
      lists[2 * i] = TRY(integers(absl::string_view(*text).substr(0, middle)));
      lists[2 * i + 1] = TRY(integers(absl::string_view(*text).substr(middle + 3)));
    }
  }
  std::string attributes;
  const char* hlo[4] = {"lhs_batch_dims", "rhs_batch_dims", "lhs_contracting_dims",
                        "rhs_contracting_dims"};
  for (int i = 0; i < 4; ++i) {
    if (i < 2 && lists[i].empty()) continue;
    absl::StrAppend(&attributes, attributes.empty() ? "" : ", ", hlo[i], "=", braces(lists[i]));
  }
  return asked.one("dot", attributes);
}

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

Pieces convolution(const Asked& asked) {
  TRY(asked.expect_operands(2));
  const Attributes& attributes = asked.op.attributes;
  const std::string* pretty = find_attribute(attributes, "dim_numbers");
  const std::string* full = find_attribute(attributes, "dimension_numbers");
  if (pretty == nullptr && full == nullptr) return invalid("expected 'dim_numbers'");
  const std::vector<std::string> lists = TRY(labels(pretty != nullptr ? *pretty : *full));
  Attributes window = attributes;
  if (const std::string* text = find_attribute(attributes, "window");
      text != nullptr && text->size() > 2)
    window = TRY(parse_attributes(absl::string_view(*text).substr(1, text->size() - 2)));
  const auto named = [&](const char* a, const char* b) {
    return find_attribute(window, a) != nullptr ? a : b;
  };
  const Type& kernel = asked.operands[1].type;
  Ints size;
  for (char d = '0'; d <= '9'; ++d) {
    const size_t at = lists[1].find(d);
    if (at == std::string::npos) break;
    if (at >= kernel.dims.size()) return invalid("expected a kernel of the rank of its labels");
    size.push_back(kernel.dims[at]);
  }
  const size_t n = size.size();
  const Ints strides = TRY(ints_or(window, named("stride", "window_strides"), n, 1));
  const Ints pads = TRY(ints_or(window, named("pad", "padding"), 2 * n, 0));
  const Ints left = TRY(ints_or(window, named("lhs_dilate", "lhs_dilation"), n, 1));
  const Ints right = TRY(ints_or(window, named("rhs_dilate", "rhs_dilation"), n, 1));
  const Ints reversed = TRY(ints_or(window, named("reverse", "window_reversal"), n, 0));
  return asked.one(
      "convolution",
      absl::StrCat(window_text(size, strides, pads, left, right, reversed),
                   ", dim_labels=", lists[0], "_", lists[1], "->", lists[2],
                   ", feature_group_count=", TRY(one_int(attributes, "feature_group_count", 1)),
                   ", batch_group_count=", TRY(one_int(attributes, "batch_group_count", 1))));
}

Pieces reduce_window(const Asked& asked) {
  const Attributes& attributes = asked.op.attributes;
  const bool selects = asked.op.name == "stablehlo.select_and_scatter";
  const Ints size = TRY(ints(attributes, "window_dimensions"));
  const size_t n = size.size();
  const Ints strides = TRY(ints_or(attributes, "window_strides", n, 1));
  const Ints pads = TRY(ints_or(attributes, "padding", 2 * n, 0));
  const Ints base = TRY(ints_or(attributes, "base_dilations", n, 1));
  const Ints dilate = TRY(ints_or(attributes, "window_dilations", n, 1));
  const std::string window = window_text(size, strides, pads, base, dilate, {});
  if (!selects) return asked.one("reduce-window", absl::StrCat(window, ", ", asked.applying()));
  if (asked.applied.size() != 2) return invalid("expected two regions");
  return asked.one("select-and-scatter", absl::StrCat(window, ", select=", asked.applied[0],
                                                      ", scatter=", asked.applied[1]));
}

Pieces gather(const Asked& asked) {
  const Attributes& attributes = asked.op.attributes;
  const Attributes numbers = TRY(inner(attributes, "dimension_numbers"));
  std::string text;
  for (const char* name : {"offset_dims", "collapsed_slice_dims", "start_index_map",
                           "operand_batching_dims", "start_indices_batching_dims"}) {
    const Ints list = TRY(ints(numbers, name));
    const bool optional = absl::StrContains(name, "batching");
    if (!optional || !list.empty()) absl::StrAppend(&text, name, "=", braces(list), ", ");
  }
  return asked.one(
      "gather",
      absl::StrCat(text, "index_vector_dim=", TRY(one_int(numbers, "index_vector_dim", 0)),
                   ", slice_sizes=", braces(TRY(ints(attributes, "slice_sizes")))));
}

Pieces scatter(const Asked& asked) {
  const Attributes numbers = TRY(inner(asked.op.attributes, "scatter_dimension_numbers"));
  std::string text;
  for (const auto& [from, to] :
       {std::pair("update_window_dims", "update_window_dims"),
        std::pair("inserted_window_dims", "inserted_window_dims"),
        std::pair("scatter_dims_to_operand_dims", "scatter_dims_to_operand_dims"),
        std::pair("input_batching_dims", "input_batching_dims"),
        std::pair("scatter_indices_batching_dims", "scatter_indices_batching_dims")}) {
    const Ints list = TRY(ints(numbers, from));
    const bool optional = absl::StrContains(from, "batching");
    if (!optional || !list.empty()) absl::StrAppend(&text, to, "=", braces(list), ", ");
  }
  return asked.one("scatter", absl::StrCat(text, "index_vector_dim=",
                                           TRY(one_int(numbers, "index_vector_dim", 0)), ", ",
                                           asked.applying()));
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
  const std::string element = type.shape.substr(0, type.shape.find('['));
  return std::vector<Piece>{
      {absl::StrCat(element, "[]"), absl::StrCat("constant(", literal.text, ")")},
      {type.shape, "broadcast(%0), dimensions={}"}};
}

Pieces collective(const Asked& asked, const char* opcode) {
  const Attributes& attributes = asked.op.attributes;
  std::string text;
  if (const std::string* groups = find_attribute(attributes, "replica_groups")) {
    const size_t open = groups->find('<'), close = groups->rfind('>');
    if (open == std::string::npos || close < open) return invalid("expected replica groups");
    const std::string list = absl::StrReplaceAll(groups->substr(open + 1, close - open - 1),
                                                 {{"[", "{"}, {"]", "}"}, {" ", ""}});
    text = absl::StrCat(", replica_groups=", absl::StartsWith(list, "{") ? list : "{}");
  }
  for (const char* name : {"all_gather_dim", "scatter_dimension"}) {
    if (find_attribute(attributes, name) != nullptr)
      absl::StrAppend(&text, ", dimensions={", TRY(one_int(attributes, name)), "}");
  }
  if (!asked.applied.empty()) absl::StrAppend(&text, ", ", asked.applying());
  return asked.one(opcode, std::string(absl::StripPrefix(text, ", ")));
}

Pieces custom_call(const Asked& asked) {
  const std::string* target = find_attribute(asked.op.attributes, "call_target_name");
  const std::string name = asked.op.callee.empty() ? unquoted(target) : asked.op.callee;
  return asked.one("custom-call", absl::StrCat("custom_call_target=\"", name, "\""));
}

using Rule = Pieces (*)(const Asked&);

// Operations with attributes that HLO writes otherwise.
const std::map<std::string, Rule, std::less<>>& rules() {
  static const auto* rules = new std::map<std::string, Rule, std::less<>>{
      {"all_gather", [](const Asked& a) { return collective(a, "all-gather"); }},
      {"all_reduce", [](const Asked& a) { return collective(a, "all-reduce"); }},
      {"bitcast_convert", [](const Asked& a) { return Pieces(a.one("bitcast-convert")); }},
      {"broadcast_in_dim", broadcast_in_dim},
      {"cbrt", [](const Asked& a) { return Pieces(a.one("cbrt")); }},
      {"compare", compare},
      {"concatenate",
       [](const Asked& a) {
         const bool pretty = find_attribute(a.op.attributes, "dim") != nullptr;
         return dimensions(a, "concatenate", pretty ? "dim" : "dimension", "dimensions");
       }},
      {"constant", constant},
      {"convolution", convolution},
      {"create_token", [](const Asked& a) { return Pieces(a.one("after-all")); }},
      {"custom_call", custom_call},
      {"dot", dot},
      {"dot_general", dot},
      {"dynamic_slice",
       [](const Asked& a) {
         const bool pretty = find_attribute(a.op.attributes, "sizes") != nullptr;
         return dimensions(a, "dynamic-slice", pretty ? "sizes" : "slice_sizes",
                           "dynamic_slice_sizes");
       }},
      {"gather", gather},
      {"get_tuple_element",
       [](const Asked& a) -> Pieces {
         const bool pretty = find_attribute(a.op.attributes, "[]") != nullptr;
         return a.one(
             "get-tuple-element",
             absl::StrCat("index=", TRY(one_int(a.op.attributes, pretty ? "[]" : "index"))));
       }},
      {"iota",
       [](const Asked& a) -> Pieces {
         const bool pretty = find_attribute(a.op.attributes, "dim") != nullptr;
         return a.one(
             "iota",
             absl::StrCat("iota_dimension=",
                          TRY(one_int(a.op.attributes, pretty ? "dim" : "iota_dimension"))));
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
      {"reduce_precision",
       [](const Asked& a) -> Pieces {
         const std::string* format = find_attribute(a.op.attributes, "format");
         const size_t m = format == nullptr ? std::string::npos : format->find('m');
         if (m == std::string::npos || m < 2) return invalid("expected a format such as e5m10");
         return a.one("reduce-precision", absl::StrCat("exponent_bits=", format->substr(1, m - 1),
                                                       ", mantissa_bits=", format->substr(m + 1)));
       }},
      {"reduce_scatter", [](const Asked& a) { return collective(a, "reduce-scatter"); }},
      {"reduce_window", reduce_window},
      {"reverse",
       [](const Asked& a) {
         const bool pretty = find_attribute(a.op.attributes, "dims") != nullptr;
         return dimensions(a, "reverse", pretty ? "dims" : "dimensions", "dimensions");
       }},
      {"rng_bit_generator",
       [](const Asked& a) { return Pieces(a.one("rng-bit-generator", "algorithm=rng_default")); }},
      {"scatter", scatter},
      {"select_and_scatter", reduce_window},
      {"slice", slice},
      {"sort",
       [](const Asked& a) -> Pieces {
         const int64_t dim = TRY(one_int(a.op.attributes, "dimension", -1));
         const int64_t rank = a.operands.empty() ? 0 : std::ssize(a.operands[0].type.dims);
         return a.one(
             "sort", absl::StrCat("dimensions={", dim < 0 ? dim + rank : dim, "}, ", a.applying()));
       }},
      {"top_k",
       [](const Asked& a) -> Pieces {
         const int64_t k = TRY(one_int(a.op.attributes, "k"));
         return a.one("topk", absl::StrCat("k=", k, ", largest=true"));
       }},
      {"transpose",
       [](const Asked& a) {
         const bool pretty = find_attribute(a.op.attributes, "dims") != nullptr;
         return dimensions(a, "transpose", pretty ? "dims" : "permutation", "dimensions");
       }},
  };
  return *rules;
}

// "; did you mean 'transpose'?"
std::string meant_operation(absl::string_view name) {
  std::vector<std::string> names;
  for (const auto& [one, rule] : rules()) names.push_back(one);
  for (const HloOpcodeInfo& info : hlo_opcodes())
    names.push_back(absl::StrReplaceAll(info.name, {{"-", "_"}}));
  return did_you_mean(name, {names.begin(), names.end()});
}

}  // namespace

std::string shape_of(const std::vector<Type>& types) {
  if (types.size() == 1) return types[0].shape;
  std::vector<std::string> shapes;
  for (const Type& type : types) shapes.push_back(type.shape);
  return absl::StrCat("(", absl::StrJoin(shapes, ", "), ")");
}

absl::StatusOr<std::vector<Piece>> pieces_of(const Op& op, const std::vector<Value>& operands,
                                             const std::vector<std::string>& applied) {
  const size_t dot_at = op.name.find('.');
  const absl::string_view dialect = absl::string_view(op.name).substr(0, dot_at);
  const bool known = dialect == "stablehlo" || dialect == "mhlo" || dialect == "chlo";
  const std::string name = dot_at == std::string::npos ? op.name : op.name.substr(dot_at + 1);
  if (known) {
    const auto rule = rules().find(name);
    const std::string opcode = absl::StrReplaceAll(name, {{"_", "-"}});
    const bool is_named_alike = opcode_named(opcode) != HloOpcode::kOther && applied.empty();
    if (rule != rules().end() || is_named_alike) TRY(expect_known_attributes(op, name));
    const Asked asked{op, operands, applied};
    if (rule != rules().end()) return rule->second(asked);
    // All others are named alike and have no attributes that matter.
    if (is_named_alike) return asked.one(opcode);
  }
  if (op.name == "sdy.sharding_constraint" && operands.size() == 1)
    return std::vector<Piece>{
        {operands[0].type.shape, call("custom-call", operands, "custom_call_target=\"Sharding\"")}};
  return invalid(absl::StrCat("expected an operation that HLO has, found ", op.name.substr(0, 64),
                              known ? meant_operation(name) : ""));
}

}  // namespace tileproof::stablehlo
