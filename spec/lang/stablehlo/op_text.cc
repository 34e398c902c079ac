// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/stablehlo/op_text.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "spec/lang/stablehlo/lowering.h"

namespace tileproof::stablehlo {
namespace {

// How HLO writes an operation: its attributes in order, separated by spaces.
//
//     dimensions={dims|permutation}         a list of integers
//     iota_dimension=dim|iota_dimension     one integer
//     largest=largest?1                     true or false; the number is that of what is left out
//     to_apply=                             the computation of the region
//     fft_type=type|fft_type!               the word or number, if the attribute is there
//     handle                                StableHLO has it, and HLO needs none
//
// Behind the '=' are the names in StableHLO, of the pretty form, then of the generic form. `[]` is what a
// bracket has without a name.
struct Row {
  absl::string_view name;  // without the dialect
  absl::string_view attributes = "";
  Pieces (*rule)(const Asked&) = nullptr;  // writes what attributes alone do not say
  absl::string_view opcode = "";           // of HLO; empty: the same name with '-'

  // Whether the row says more than which attributes are known.
  constexpr bool says_how() const {
    return rule != nullptr || !opcode.empty() || attributes.find('=') != attributes.npos;
  }
};

constexpr absl::string_view kWindow =
    "base_dilations padding window_dilations window_dimensions window_strides";

// All others are named alike and have no attributes that matter.
// Source: the specification of StableHLO and its assembly formats.
constexpr Row kRows[] = {
    {"all_gather", "all_gather_dim channel_handle channel_id replica_groups use_global_device_ids",
     rule::collective},
    {"all_reduce", "channel_handle channel_id replica_groups use_global_device_ids",
     rule::collective},
    {"all_to_all",
     "channel_handle channel_id concat_dimension replica_groups split_count split_dimension",
     rule::all_to_all},
    {"batch_norm_grad", "epsilon=epsilon! feature_index=feature_index"},
    {"batch_norm_inference", "epsilon=epsilon! feature_index=feature_index"},
    {"batch_norm_training", "epsilon=epsilon! feature_index=feature_index"},
    {"broadcast", "broadcast_sizes sizes", rule::broadcast},
    {"broadcast_in_dim", "broadcast_dimensions dims", rule::broadcast_in_dim, "broadcast"},
    {"cholesky", "lower=lower?0"},
    {"collective_broadcast", "channel_handle channel_id has_dynamic_root replica_groups",
     rule::collective},
    {"collective_permute", "channel_handle channel_id source_target_pairs", rule::collective},
    {"collective_reduce",
     "channel_handle channel_id has_dynamic_root replica_groups use_global_device_ids",
     rule::collective},
    {"compare", "compare_type comparison_direction", rule::compare},
    {"concatenate", "dimensions={dim|dimension}"},
    {"constant", "value", rule::constant},
    {"convolution",
     "batch_group_count dim_numbers dimension_numbers feature_group_count lhs_dilation padding "
     "precision precision_config rhs_dilation window window_reversal window_strides",
     rule::convolution},
    {"create_token", "", nullptr, "after-all"},
    {"custom_call",
     "api_version backend_config call_target_name called_computations custom_call_schedule "
     "has_side_effect operand_layouts output_operand_aliases result_layouts",
     rule::custom_call},
    {"dot", "precision precision_config", rule::dot},
    {"dot_general",
     "algorithm batching_dims contracting_dims dot_dimension_numbers precision precision_config",
     rule::dot_general, "dot"},
    {"dynamic_slice", "dynamic_slice_sizes={sizes|slice_sizes}"},
    {"fft", "fft_type=type|fft_type! fft_length={length|fft_length}"},
    {"fusion", "fusion_kind output_operand_aliasing", rule::fusion},
    {"gather", "dimension_numbers indices_are_sorted slice_sizes", rule::gather},
    {"get_dimension_size", "dimensions={dim|dimension}"},
    {"get_tuple_element", "index=[]|index"},
    {"infeed", "infeed_config layout"},
    {"iota", "iota_dimension=dim|iota_dimension"},
    {"map", "dimensions={dimensions} to_apply="},
    {"optimization_barrier", "", rule::optimization_barrier, "opt-barrier"},
    {"outfeed", "outfeed_config"},
    {"pad", "edge_padding_high edge_padding_low high interior interior_padding low", rule::pad},
    {"recv", "channel_handle channel_id is_host_transfer source_target_pairs"},
    {"reduce", "dimensions={dimensions} to_apply="},
    {"reduce_precision", "exponent_bits format mantissa_bits", rule::reduce_precision},
    {"reduce_scatter",
     "channel_handle channel_id replica_groups scatter_dimension use_global_device_ids",
     rule::collective},
    {"reduce_window", kWindow, rule::reduce_window},
    {"reverse", "dimensions={dims|dimensions}"},
    {"rng", "distribution rng_distribution", rule::rng},
    {"rng_bit_generator", "algorithm rng_algorithm", rule::rng_bit_generator},
    {"scatter", "indices_are_sorted scatter_dimension_numbers unique_indices", rule::scatter},
    {"select_and_scatter", kWindow, rule::reduce_window},
    {"send", "channel_handle channel_id is_host_transfer source_target_pairs"},
    {"set_dimension_size", "dimensions={dim|dimension}"},
    {"slice", "[] limit_indices start_indices strides", rule::slice},
    {"sort", "dimension is_stable", rule::sort},
    {"square", "", rule::square, "multiply"},
    {"top_k", "k=k largest=largest?1", nullptr, "topk"},
    {"topk", "k=k largest=largest?1"},
    {"transpose", "dimensions={dims|permutation}"},
    {"triangular_solve",
     "left_side=left_side?0 lower=lower?0 unit_diagonal=unit_diagonal?0 transpose_a=transpose_a!"},
    {"uniform_dequantize", "", nullptr, "convert"},
    {"uniform_quantize", "", nullptr, "convert"},
};

// Elementwise operations of CHLO that HLO lacks.
constexpr absl::string_view kOfChlo[] = {"bessel_i1e", "digamma",    "erf_inv",    "erfc",
                                         "is_inf",     "is_neg_inf", "is_pos_inf", "lgamma",
                                         "next_after", "polygamma",  "zeta"};

using Words = std::vector<absl::string_view>;

Words words_of(absl::string_view text) { return absl::StrSplit(text, ' ', absl::SkipEmpty()); }

const Row* row_of(absl::string_view name) {
  const auto* const row = std::ranges::find(kRows, name, &Row::name);
  return row == std::end(kRows) ? nullptr : row;
}

// The names of an attribute in StableHLO.
Words sources_of(absl::string_view attribute) {
  absl::string_view sources = attribute.substr(attribute.find('=') + 1);
  sources = sources.substr(0, sources.find_first_of("?!"));
  if (absl::ConsumePrefix(&sources, "{")) absl::ConsumeSuffix(&sources, "}");
  return absl::StrSplit(sources, '|', absl::SkipEmpty());
}

// `FFT` of `#stablehlo<fft_type FFT>`, `0.001` of `1.000000e-03`.
std::string last_word(const Attributes& attributes, absl::string_view name) {
  const std::string* text = find_attribute(attributes, name);
  if (text == nullptr) return "";
  absl::string_view word = absl::StripSuffix(*text, ">");
  word = word.substr(word.rfind(' ') + 1);
  float number;
  return absl::SimpleAtof(word, &number) ? absl::StrCat(number) : std::string(word);
}

// One that has a '=', as HLO writes it.
absl::StatusOr<std::string> written(absl::string_view attribute, const Asked& asked) {
  const Words sources = sources_of(attribute);
  if (sources.empty()) return asked.applying();
  const absl::string_view name = either(asked.op.attributes, sources.front(), sources.back());
  const std::string target(attribute.substr(0, attribute.find('=') + 1));
  if (absl::EndsWith(attribute, "}"))
    return absl::StrCat(target, braces(TRY(ints(asked.op.attributes, name))));
  if (absl::EndsWith(attribute, "!")) {
    const std::string word = last_word(asked.op.attributes, name);
    return word.empty() ? "" : absl::StrCat(target, word);
  }
  const bool is_flag = absl::StrContains(attribute, '?');
  if (!is_flag) return absl::StrCat(target, TRY(one_int(asked.op.attributes, name)));
  const int64_t missing = absl::EndsWith(attribute, "1") ? 1 : 0;
  const bool flag = TRY(one_int(asked.op.attributes, name, missing)) != 0;
  return absl::StrCat(target, flag ? "true" : "false");
}

Pieces written(const Row* row, const Asked& asked) {
  if (row != nullptr && row->rule != nullptr) return row->rule(asked);
  std::vector<std::string> list;
  for (const absl::string_view attribute : words_of(row == nullptr ? "" : row->attributes)) {
    if (absl::StrContains(attribute, '=')) list.push_back(TRY(written(attribute, asked)));
  }
  std::erase(list, "");
  return asked.one(absl::StrJoin(list, ", "));
}

// What HLO has no operation for: a custom call that says which function it is.
Pieces unlike_hlo(const Op& op, const std::vector<Value>& operands, bool is_elementwise) {
  std::string function = op.name == kElementwiseTarget ? "" : op.name;
  for (const std::string& word : op.words) absl::StrAppend(&function, " ", word);
  for (const auto& [key, value] : op.attributes) absl::StrAppend(&function, " ", key, "=", value);
  for (const Value& operand : operands) absl::StrAppend(&function, " ", operand.type.quantized);
  for (const Type& type : op.types) {
    absl::StrAppend(&function, " ", type.quantized);
    for (const Value& operand : operands) is_elementwise &= operand.type.dims == type.dims;
  }
  std::ranges::replace_if(
      function, [](char c) { return c == '"' || c == '\\' || c == '\n'; }, '\'');
  const absl::string_view text = absl::StripAsciiWhitespace(function);
  const absl::string_view target =
      is_elementwise ? kElementwiseTarget : text.substr(0, text.find(' '));
  return std::vector<Piece>{
      {shape_of(op.types),
       call("custom-call", operands,
            absl::StrCat("custom_call_target=\"", target, "\", backend_config=\"", text, "\""))}};
}

// Arithmetic of quantized elements is not that of their storage. Other operations move them, or call
// a computation.
bool is_of_quantized(const Op& op, const std::vector<Value>& operands, HloOpcode opcode) {
  const auto is_quantized = [](const Type& type) { return !type.quantized.empty(); };
  if (!std::ranges::any_of(op.types, is_quantized) &&
      !std::ranges::any_of(operands, [&](const Value& one) { return is_quantized(one.type); })) {
    return false;
  }
  return elementwise_operands(opcode) > 0 || opcode == HloOpcode::kClamp ||
         opcode == HloOpcode::kDot || opcode == HloOpcode::kConvolution;
}

// An attribute that is misspelt and ignored is dangerous: its default is used silently. So names that
// an operation does not have are errors, but those of other dialects, `mhlo.sharding`, are not.
absl::Status expect_known_attributes(const Op& op, absl::string_view name, const Row* row) {
  std::set<absl::string_view> of_row;
  for (const absl::string_view attribute : words_of(row == nullptr ? "" : row->attributes)) {
    for (const absl::string_view source : sources_of(attribute)) of_row.insert(source);
  }
  Words known = {"result_accuracy"};
  // XLA's layouts, which move no element but those of a bitcast.
  if (name != "bitcast") known.insert(known.end(), {"result_layout", "xla_shape"});
  known.insert(known.end(), of_row.begin(), of_row.end());
  for (const auto& [key, value] : op.attributes) {
    const bool of_dialect = absl::StrContains(key, '.');
    if (of_dialect || std::ranges::find(known, key) != known.end()) continue;
    return invalid(absl::StrCat("expected an attribute of ", name, ", found '", key.substr(0, 64),
                                "'", did_you_mean(key, known)));
  }
  return absl::OkStatus();
}

// "; did you mean 'transpose'?"
std::string meant_operation(absl::string_view dialect, absl::string_view name) {
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    if (row.says_how()) names.emplace_back(row.name);
  }
  for (const absl::string_view one : kOfChlo) names.emplace_back(one);
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
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(op.name, absl::MaxSplits('.', 1));
  const auto& [dialect, name] = parts;
  const bool known = dialect == "stablehlo" || dialect == "mhlo" || dialect == "chlo";
  if (known) {
    const Row* const row = row_of(name);
    Asked asked{op, absl::StrReplaceAll(name, {{"_", "-"}}), operands, applied, meshes};
    if (row != nullptr && !row->opcode.empty()) asked.opcode = std::string(row->opcode);
    const bool is_alike = opcode_named(asked.opcode) != HloOpcode::kOther && applied.empty();
    if (is_alike || (row != nullptr && row->says_how())) {
      TRY(expect_known_attributes(op, name, row));
      if (const HloOpcode opcode = opcode_named(asked.opcode);
          is_of_quantized(op, operands, opcode)) {
        return unlike_hlo(op, operands, elementwise_operands(opcode) > 0);
      }
      return written(row, asked);
    }
    if (dialect == "chlo" && std::ranges::count(kOfChlo, name) > 0)
      return unlike_hlo(op, operands, /*is_elementwise=*/true);
  }
  if (op.name == kElementwiseTarget) return unlike_hlo(op, operands, /*is_elementwise=*/true);
  if (op.name == "tileproof.read" && find_attribute(op.attributes, "map") != nullptr) {
    return std::vector<Piece>{
        {shape_of(op.types),
         call("custom-call", operands,
              absl::StrCat("custom_call_target=\"tileproof.read\", backend_config=\"",
                           *find_attribute(op.attributes, "map"), "\""))}};
  }
  // Every operation of Shardy on one array leaves the whole array as it is.
  const bool is_annotation = absl::StartsWith(op.name, "sdy.") && operands.size() == 1 &&
                             op.types.size() == 1 && op.types[0].shape == operands[0].type.shape;
  if (is_annotation)
    return std::vector<Piece>{
        {operands[0].type.shape, call("custom-call", operands, "custom_call_target=\"Sharding\"")}};
  if (!known && !absl::StartsWith(op.name, "sdy.")) {
    const std::string* reason = find_attribute(op.attributes, kReason);
    if (reason == nullptr) return not_read(op);
    return absl::StartsWith(*reason, "expected") ? invalid(*reason)
                                                 : absl::UnimplementedError(*reason);
  }
  return invalid(absl::StrCat("expected an operation that HLO has, found ", op.name.substr(0, 64),
                              known ? meant_operation(dialect, name) : ""));
}

}  // namespace tileproof::stablehlo
