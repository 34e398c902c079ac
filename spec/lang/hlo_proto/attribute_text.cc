// SPDX-License-Identifier: Apache-2.0
// The attributes of an instruction, as XLA prints them.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_known.h"
#include "spec/lang/hlo/hlo_literal.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<absl::string_view>;

using Value = absl::StatusOr<std::string>;  // the text of an attribute; empty: there is none

// A field of a message. `names` are those of an enum or of lists.
struct At {
  const Message& message;
  absl::string_view field, names;

  bool has() const { return message.has(field); }
  int64_t integer() const { return message.integer(field); }
  Ints integers() const { return message.integers(field); }
  std::string text() const { return message.text(field); }
};

// That of a part; nothing without it.
template <auto write>
Value of_part(const At& at) {
  return at.has() ? Value(write(*at.message.message(at.field))) : Value("");
}

std::string in_quotes(absl::string_view text) {
  return absl::StrCat("\"", absl::Utf8SafeCEscape(text), "\"");
}

// ---- One value ----

// True; left out if it is not set.
Value flag(const At& at) { return at.integer() != 0 ? "true" : ""; }
Value boolean(const At& at) { return at.integer() != 0 ? "true" : "false"; }
Value number(const At& at) { return absl::StrCat(at.integer()); }
Value positive(const At& at) { return at.integer() > 0 ? absl::StrCat(at.integer()) : ""; }
Value above_one(const At& at) { return at.integer() > 1 ? absl::StrCat(at.integer()) : ""; }
Value list(const At& at) { return braces(at.integers()); }
Value word(const At& at) { return at.text(); }
Value text(const At& at) { return at.text().empty() ? "" : in_quotes(at.text()); }
Value target(const At& at) { return in_quotes(at.text()); }
Value real(const At& at) {
  return at.has() ? absl::StrFormat("%.9g", at.message.reals(at.field).back()) : "0";
}

// Names of an enum in parentheses are not written in HLO.
bool is_written(absl::string_view name) { return name[0] != '('; }

// The name of a value. Text formats have the proto's own: RNG_UNIFORM, TRI_STATE_TRUE, ALG_UNSET.
absl::StatusOr<std::string> enum_text(const Field& field, const Names& names) {
  const bool is_name = !field.text.empty() && absl::ascii_isalpha(field.text[0]);
  for (size_t k = 0; k < names.size(); ++k) {
    absl::string_view name = names[k];
    if (!is_written(name)) name = name.substr(1, name.size() - 2);
    const std::string capitals = absl::AsciiStrToUpper(name);
    const bool is_one =
        is_name ? field.text == capitals || absl::EndsWith(field.text, absl::StrCat("_", capitals))
                : field.integer == static_cast<int64_t>(k);
    if (is_one) return std::string(names[k]);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected a value of ", field.info->name, ", found ",
                   is_name ? field.text : absl::StrCat(field.integer)));
}

// The names of all values of a field; that of 0 for a field that is left out.
absl::StatusOr<std::vector<std::string>> enum_texts(const At& at) {
  const Names all = absl::StrSplit(at.names, ' ');
  std::vector<std::string> texts;
  for (const Field& one : at.message.fields) {
    if (one.info->name == at.field) texts.push_back(TRY(enum_text(one, all)));
  }
  if (texts.empty()) texts.emplace_back(all[0]);
  return texts;
}

Value name(const At& at) {
  const std::string last = TRY(enum_texts(at)).back();
  return is_written(last) ? last : "";
}

Value total_order(const At& at) { return at.text() == "TOTALORDER" ? at.text() : ""; }

Value precisions(const At& at) {
  const std::vector<std::string> all = TRY(enum_texts(at));
  const bool is_default = std::ranges::count(all, "default") == std::ssize(all);
  return is_default ? "" : absl::StrCat("{", absl::StrJoin(all, ","), "}");
}

// ---- Several values ----

// Lists that HLO names alike, each an attribute. Those of batches may be left out.
Value lists(const At& at) {
  std::vector<std::string> texts;
  const Message* part = at.message.message(at.field);
  for (const absl::string_view name : Names(absl::StrSplit(at.names, ' '))) {
    const Ints list = part == nullptr ? Ints() : part->integers(name);
    if (part == nullptr || (list.empty() && absl::StrContains(name, "batch"))) continue;
    texts.push_back(
        absl::StrCat(absl::StrReplaceAll(name, {{"_dimensions", "_dims"}}), "=", braces(list)));
  }
  return absl::StrJoin(texts, ", ");
}

// Without dimensions, an all-to-all has a tuple.
Value dimensions(const At& at) {
  const bool of_tuple = absl::EndsWith(at.message.text("opcode"), "all-to-all") && !at.has();
  return of_tuple ? "" : braces(at.integers());
}

Value first(const At& at) {
  const Ints numbers = at.integers();
  return absl::StrCat(numbers.empty() ? 0 : numbers[0]);
}

Value slice_sizes(const At& at) {
  return at.message.has("gather_dimension_numbers") ? braces(at.integers()) : "";
}

// A field of each dimension, unless it is `usual` in all of them.
template <class Value>
void add_field(const Message& window, const char* name, absl::string_view usual, Value value,
               std::string& text) {
  std::vector<std::string> values;
  for (const Message* d : window.messages("dimensions")) values.push_back(absl::StrCat(value(*d)));
  if (std::ranges::all_of(values, [&](const std::string& one) { return one == usual; })) return;
  absl::StrAppend(&text, text.empty() ? "" : " ", name, "=", absl::StrJoin(values, "x"));
}

// What the proto leaves out is 0; dilations and strides of 0 mean 1.
std::string window_text(const Message& window) {
  const auto at_least_1 = [](const char* name) {
    return [name](const Message& d) { return std::max<int64_t>(d.integer(name), 1); };
  };
  std::string text;
  add_field(
      window, "size", "", [](const Message& d) { return d.integer("size"); }, text);
  add_field(window, "stride", "1", at_least_1("stride"), text);
  const auto pad = [](const Message& d) {
    return absl::StrCat(d.integer("padding_low"), "_", d.integer("padding_high"));
  };
  add_field(window, "pad", "0_0", pad, text);
  add_field(window, "lhs_dilate", "1", at_least_1("base_dilation"), text);
  add_field(window, "rhs_dilate", "1", at_least_1("window_dilation"), text);
  const auto reversal = [](const Message& d) { return d.integer("window_reversal") != 0 ? 1 : 0; };
  add_field(window, "rhs_reversal", "0", reversal, text);
  return absl::StrCat("{", text, "}");
}

// `b01f_01io->b01f`: each dimension has a letter or a number at its place.
Value labels_text(const Message& numbers) {
  const auto list = [&](char first, const char* first_name, char second, const char* second_name,
                        const char* spatial) -> Value {
    const Ints places = numbers.integers(spatial);
    std::string text(places.size() + 2, '?');
    const auto put = [&](int64_t place, char label) {
      const bool fits = place >= 0 && place < std::ssize(text) && text[place] == '?';
      if (fits) text[place] = label;
      return fits;
    };
    bool ok = places.size() <= 10 && put(numbers.integer(first_name), first) &&
              put(numbers.integer(second_name), second);
    for (size_t d = 0; ok && d < places.size(); ++d)
      ok = put(places[d], static_cast<char>('0' + d));
    if (!ok) return absl::InvalidArgumentError("expected each dimension of a convolution once");
    return text;
  };
  const std::string input = TRY(list('b', "input_batch_dimension", 'f', "input_feature_dimension",
                                     "input_spatial_dimensions"));
  const std::string kernel =
      TRY(list('i', "kernel_input_feature_dimension", 'o', "kernel_output_feature_dimension",
               "kernel_spatial_dimensions"));
  const std::string output = TRY(list('b', "output_batch_dimension", 'f',
                                      "output_feature_dimension", "output_spatial_dimensions"));
  return absl::StrCat(input, "_", kernel, "->", output);
}

std::string slice_text(const Message& d) {
  const int64_t stride = std::max<int64_t>(d.integer("stride"), 1);
  return absl::StrCat("[", d.integer("start"), ":", d.integer("limit"),
                      stride == 1 ? "" : absl::StrCat(":", stride), "]");
}

Value slices(const At& at) {
  return absl::StrCat("{", texts(at.message, at.field, ", ", slice_text), "}");
}

std::string padding_text(const Message& config) {
  const auto dimensions = config.messages("dimensions");
  const bool has_interior = std::ranges::any_of(
      dimensions, [](const Message* d) { return d->integer("interior_padding") != 0; });
  return texts(config, "dimensions", "x", [&](const Message& d) {
    return absl::StrCat(d.integer("edge_padding_low"), "_", d.integer("edge_padding_high"),
                        has_interior ? absl::StrCat("_", d.integer("interior_padding")) : "");
  });
}

// A configuration is written as it is if it is a dictionary, and in quotes otherwise.
std::string config_text(const std::string& config) {
  int depth = 0;
  bool is_string = false, is_dictionary = !config.empty() && config[0] == '{';
  for (size_t i = 0; is_dictionary && i < config.size(); ++i) {
    const char c = config[i];
    if (is_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      is_string = !is_string;
    } else if (!is_string && (c == '{' || c == '}')) {
      depth += c == '{' ? 1 : -1;
    }
    if (depth == 0 && i + 1 < config.size()) is_dictionary = false;
  }
  return is_dictionary && depth == 0 && !is_string ? config : in_quotes(config);
}

std::string accuracy_text(const Message& accuracy) {
  if (const Message* t = accuracy.message("tolerance")) {
    const auto real = [&](const char* name) {
      return absl::StrFormat("%.17g", t->has(name) ? t->reals(name).back() : 0.0);
    };
    return absl::StrCat("{tolerance={atol=", real("atol"), ",rtol=", real("rtol"),
                        ",ulps=", t->integer("ulps"), "}}");
  }
  return accuracy.integer("mode") != 0 || accuracy.text("mode") == "HIGHEST" ? "{mode=highest}"
                                                                             : "";
}

std::string sparsity_text(const Message& config) {
  const auto side = [&](const char* name) {
    const Message* of = config.message(name);
    return of == nullptr ? ""
                         : absl::StrCat(name, "={", of->integer("num_non_zero"), ",",
                                        of->integer("block_size"), ",", of->integer("dimension"),
                                        ",", of->integer("stride"), "}");
  };
  return absl::StrCat("{", side("lhs"), side("rhs"), "}");
}

// ---- Devices ----

Value pairs(const At& at) {
  const auto pair = [](const Message& one) {
    return braces({one.integer("source"), one.integer("target")});
  };
  return absl::StrCat("{", texts(at.message, at.field, ",", pair), "}");
}

Value groups(const At& at) {
  const bool has_pairs = absl::StartsWith(at.message.text("opcode"), "collective-permute");
  return has_pairs ? Value("") : groups_text(at.message);
}

// The older field of the same meaning.
Value older_channel(const At& at) {
  return at.message.integer("channel_id") > 0 ? Value("") : positive(at);
}

Value domain(const At& at) {
  const Message *entry = at.message.message("domain_entry_sharding"),
                *exit = at.message.message("domain_exit_sharding");
  return absl::StrCat(
      "{kind=\"sharding\", entry=", entry == nullptr ? "{}" : TRY(sharding_text(*entry)),
      ", exit=", exit == nullptr ? "{}" : TRY(sharding_text(*exit)), "}");
}

// ---- What is said to whoever runs it ----

Value constraints(const At& at) {
  if (at.message.integer("constrain_layout") == 0) return "";
  std::vector<std::string> shapes;
  for (const Message* shape : at.message.messages(at.field))
    shapes.push_back(TRY(shape_text(*shape)));
  return absl::StrCat("{", absl::StrJoin(shapes, ", "), "}");
}

// `{{0}: (0, {})}`: an output, the operand and its part.
Value aliasing(const At& at) {
  if (!at.has()) return "";
  const auto pair = [](const Message& one) {
    return absl::StrCat(index_text(one, "output_shape_index"), ": (", one.integer("operand_index"),
                        ", ", index_text(one, "operand_shape_index"), ")");
  };
  return absl::StrCat("{", texts(at.message, at.field, ", ", pair), "}");
}

Value configuration(const At& at) {
  std::string config = at.text();
  if (const Message* payload = at.message.message("backend_config_payload")) {
    if (payload->integer("id") != 0) {
      return absl::InvalidArgumentError(
          "expected a backend configuration, found the number of a payload");
    }
    if (config.empty()) config = payload->text("value");
  }
  return config.empty() ? "" : config_text(config);
}

// ---- All attributes ----

struct Row {
  absl::string_view field;      // `cholesky_options.lower`: of a part, if that is there
  absl::string_view attribute;  // empty: the value names its attributes
  Value (*write)(const At& at);
  absl::string_view of = "";  // an operation; `*`: all; empty: those that have it (hlo_known.h)
  absl::string_view names = "";
};

constexpr absl::string_view kDotLists =
    "lhs_batch_dimensions lhs_contracting_dimensions rhs_batch_dimensions "
    "rhs_contracting_dimensions";

constexpr Row kRows[] = {
    {"async_execution_thread", "async_execution_thread", text},
    {"channel_id", "channel_id", positive},
    {"comparison_direction", "direction", word},
    {"comparison_order", "order", word},
    {"custom_call_has_side_effect", "custom_call_has_side_effect", flag},
    {"delta", "delta", number},
    {"dynamic_slice_sizes", "dynamic_slice_sizes", list},
    {"epsilon", "epsilon", real},
    {"exponent_bits", "exponent_bits", number},
    {"feature_index", "feature_index", number},
    {"fft_length", "fft_length", list},
    {"fusion_kind", "kind", word},
    {"has_dynamic_root", "has_dynamic_root", flag},
    {"indices_are_sorted", "indices_are_sorted", flag},
    {"infeed_config", "infeed_config", text},
    {"is_composite", "is_composite", flag},
    {"is_host_transfer", "is_host_transfer", flag},
    {"is_reverse", "is_reverse", flag},
    {"is_stable", "is_stable", flag},
    {"k", "k", number},
    {"mantissa_bits", "mantissa_bits", number},
    {"num_carries", "num_carries", number},
    {"outfeed_config", "outfeed_config", text},
    {"tuple_index", "index", number},
    {"unique_indices", "unique_indices", flag},
    {"use_global_device_ids", "use_global_device_ids", flag},
    {"conv_kind", "convolution_kind", name, "", "(unset) fprop dgrad wgrad"},
    {"custom_call_api_version", "api_version", name, "",
     "(unspecified) (original) API_VERSION_STATUS_RETURNING API_VERSION_STATUS_RETURNING_UNIFIED "
     "API_VERSION_TYPED_FFI"},
    {"custom_call_schedule", "schedule", name, "", "(none) SCHEDULE_LATEST SCHEDULE_EARLIEST"},
    {"distribution", "distribution", name, "", "(invalid) rng_uniform rng_normal"},
    {"fft_type", "fft_type", name, "", "FFT IFFT RFFT IRFFT"},
    {"is_associative", "is_associative", name, "", "(unspecified) true false"},
    {"padding_type", "padding_type", name, "", "(invalid) PADDING_VALID PADDING_SAME"},
    {"dimensions", "dimensions", dimensions},
    {"dimensions", "iota_dimension", first},
    {"slice_dimensions", "slice", slices},
    {"padding_config", "padding", of_part<padding_text>, "pad"},
    {"window", "window", of_part<window_text>, "*"},
    {"largest", "largest", boolean},
    {"ragged_dot_dimension_numbers", "", lists, "ragged-dot",
     "lhs_ragged_dimensions rhs_group_dimensions"},
    {"ragged_dot_dimension_numbers.dot_dimension_numbers", "", lists, "ragged-dot", kDotLists},
    {"dot_dimension_numbers", "", lists, "dot", kDotLists},
    {"convolution_dimension_numbers", "dim_labels", of_part<labels_text>},
    {"feature_group_count", "feature_group_count", above_one},
    {"batch_group_count", "batch_group_count", above_one},
    {"gather_dimension_numbers", "", lists, "gather",
     "offset_dims collapsed_slice_dims start_index_map operand_batching_dims "
     "start_indices_batching_dims"},
    {"gather_dimension_numbers.index_vector_dim", "index_vector_dim", number, "gather"},
    {"gather_slice_sizes", "slice_sizes", slice_sizes, "gather"},
    {"scatter_dimension_numbers", "", lists, "scatter",
     "update_window_dims inserted_window_dims scatter_dims_to_operand_dims input_batching_dims "
     "scatter_indices_batching_dims"},
    {"scatter_dimension_numbers.index_vector_dim", "index_vector_dim", number, "scatter"},
    {"comparison_type", "type", total_order, "*"},
    {"rng_algorithm", "algorithm", name, "rng-bit-generator",
     "rng_default rng_three_fry rng_philox"},
    {"triangular_solve_options.left_side", "left_side", flag, "triangular-solve"},
    {"triangular_solve_options.lower", "lower", flag, "triangular-solve"},
    {"triangular_solve_options.unit_diagonal", "unit_diagonal", flag, "triangular-solve"},
    {"triangular_solve_options.transpose_a", "transpose_a", name, "triangular-solve",
     "(invalid) NO_TRANSPOSE TRANSPOSE ADJOINT"},
    {"cholesky_options.lower", "lower", flag, "cholesky"},
    {"precision_config.operand_precision", "operand_precision", precisions, "*",
     "default high highest"},
    {"precision_config.algorithm", "algorithm", name, "*",
     "(unset) dot_any_f8_any_f8_f32 dot_any_f8_any_f8_f32_fast_accum dot_f16_f16_f16 "
     "dot_f16_f16_f32 dot_bf16_bf16_bf16 dot_bf16_bf16_f32 dot_bf16_bf16_f32_x3 "
     "dot_bf16_bf16_f32_x6 dot_tf32_tf32_f32 dot_tf32_tf32_f32_x3 "
     "dot_f32_f32_f32 dot_f64_f64_f64 dot_bf16_bf16_f32_x9"},
    {"result_accuracy", "result_accuracy", of_part<accuracy_text>, "*"},
    {"sparsity_config", "sparsity_config", of_part<sparsity_text>, "*"},
    {"source_target_pairs", "source_target_pairs", pairs},
    {"replica_groups", "replica_groups", groups, "*"},
    {"all_reduce_id", "channel_id", older_channel},
    {"sharding", "sharding", of_part<sharding_text>, "*"},
    {"domain_entry_sharding", "domain", domain, "domain"},
    {"custom_call_target", "custom_call_target", target, "custom-call"},
    {"operand_shapes_with_layout", "operand_layout_constraints", constraints, "custom-call"},
    {"constrain_layout", "constrain_layout", flag},
    {"output_operand_aliasing", "output_to_operand_aliasing", aliasing, "*"},
    {"outfeed_shape", "outfeed_shape", of_part<shape_text>, "outfeed"},
    {"frontend_attributes", "frontend_attributes", of_part<frontend_text>, "*"},
    {"backend_config", "backend_config", configuration, "*"},
};

// What an opcode that nobody knows computes is like nothing else, whatever its attributes say.
bool may_have(absl::string_view opcode, const Row& row) {
  if (!row.of.empty()) return row.of == "*" || row.of == opcode;
  const HloOpcode known = opcode_named(opcode);
  return known != HloOpcode::kOther && is_known_attribute(known, opcode, row.attribute);
}

// "lower=true"; empty if there is none.
Value attribute_text(const Message& instruction, const Row& row) {
  const Message* at = &instruction;
  absl::string_view field = row.field;
  for (size_t dot = field.find('.'); dot != field.npos; dot = field.find('.')) {
    at = at->message(field.substr(0, dot));
    if (at == nullptr) return "";
    field.remove_prefix(dot + 1);
  }
  const std::string value = TRY(row.write({*at, field, row.names}));
  return value.empty() || row.attribute.empty() ? value : absl::StrCat(row.attribute, "=", value);
}

// Names of fields that no schema has, in the message and those within.
void add_unknown(const Message& message, std::vector<std::string>& list) {
  for (const std::string& name : message.unknown) {
    const std::string attribute = absl::StrCat(name, "=unknown");
    if (std::ranges::find(list, attribute) == list.end()) list.push_back(attribute);
  }
  for (const Field& field : message.fields) {
    for (const Message& part : field.message) add_unknown(part, list);
  }
}

}  // namespace

std::string frontend_text(const Message& attributes) {
  if (!attributes.has("map")) return "";
  std::vector<std::string> pairs;
  for (const Message* one : attributes.messages("map")) {
    const std::string value = one->text("value");
    const bool is_dictionary = absl::StartsWith(value, "{");
    pairs.push_back(absl::StrCat(
        one->text("key"), "=",
        is_dictionary ? config_text(value) : absl::StrCat("\"", absl::CEscape(value), "\"")));
  }
  std::ranges::sort(pairs);
  return absl::StrCat("{", absl::StrJoin(pairs, ","), "}");
}

std::string index_text(const Message& of, absl::string_view field) {
  return absl::StrCat("{", absl::StrJoin(of.integers(field), ", "), "}");
}

absl::StatusOr<std::vector<std::string>> attribute_texts(const Message& instruction,
                                                         absl::string_view opcode) {
  std::vector<std::string> list;
  for (const Row& row : kRows) {
    if (!may_have(opcode, row)) continue;
    std::string text = TRY(attribute_text(instruction, row));
    if (!text.empty()) list.push_back(std::move(text));
  }
  add_unknown(instruction, list);
  return list;
}

}  // namespace tileproof::hlo_proto
