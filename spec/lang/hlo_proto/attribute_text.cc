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
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<absl::string_view>;

// ---- Attributes of one value ----

enum class Form {
  kFlag,      // true; left out if it is not set
  kNumber,    // as it is
  kPositive,  // left out if it is not positive
  kList,
  kWord,
  kText,  // in quotes
  kReal,
};

struct Row {
  const char* field;      // of the proto
  const char* attribute;  // of the text, of each operation that has it (spec/lang/hlo/hlo_known.h)
  Form form;
};

constexpr Row kRows[] = {
    {"async_execution_thread", "async_execution_thread", Form::kText},
    {"channel_id", "channel_id", Form::kPositive},
    {"comparison_direction", "direction", Form::kWord},
    {"comparison_order", "order", Form::kWord},
    {"custom_call_has_side_effect", "custom_call_has_side_effect", Form::kFlag},
    {"delta", "delta", Form::kNumber},
    {"dynamic_slice_sizes", "dynamic_slice_sizes", Form::kList},
    {"epsilon", "epsilon", Form::kReal},
    {"exponent_bits", "exponent_bits", Form::kNumber},
    {"feature_index", "feature_index", Form::kNumber},
    {"fft_length", "fft_length", Form::kList},
    {"fusion_kind", "kind", Form::kWord},
    {"has_dynamic_root", "has_dynamic_root", Form::kFlag},
    {"indices_are_sorted", "indices_are_sorted", Form::kFlag},
    {"infeed_config", "infeed_config", Form::kText},
    {"is_composite", "is_composite", Form::kFlag},
    {"is_host_transfer", "is_host_transfer", Form::kFlag},
    {"is_reverse", "is_reverse", Form::kFlag},
    {"is_stable", "is_stable", Form::kFlag},
    {"k", "k", Form::kNumber},
    {"mantissa_bits", "mantissa_bits", Form::kNumber},
    {"num_carries", "num_carries", Form::kNumber},
    {"outfeed_config", "outfeed_config", Form::kText},
    {"tuple_index", "index", Form::kNumber},
    {"unique_indices", "unique_indices", Form::kFlag},
    {"use_global_device_ids", "use_global_device_ids", Form::kFlag},
};

// The value as text; empty: there is no attribute.
std::string value_text(const Message& at, const Row& row) {
  const int64_t number = at.integer(row.field);
  const std::string text = at.text(row.field);
  switch (row.form) {
    case Form::kFlag:
      return number != 0 ? "true" : "";
    case Form::kNumber:
      return absl::StrCat(number);
    case Form::kPositive:
      return number > 0 ? absl::StrCat(number) : "";
    case Form::kList:
      return braces(at.integers(row.field));
    case Form::kWord:
      return text;
    case Form::kText:
      return text.empty() ? "" : absl::StrCat("\"", absl::Utf8SafeCEscape(text), "\"");
    case Form::kReal:
      return at.has(row.field) ? absl::StrFormat("%.9g", at.reals(row.field).back()) : "0";
  }
  return "";
}

// Names of enums, from 0 on. Those in parentheses are not written in HLO.
struct EnumRow {
  const char* field;
  const char* attribute;
  const char* names;
};

constexpr EnumRow kEnums[] = {
    {"conv_kind", "convolution_kind", "(unset) fprop dgrad wgrad"},
    {"custom_call_api_version", "api_version",
     "(unspecified) (original) API_VERSION_STATUS_RETURNING API_VERSION_STATUS_RETURNING_UNIFIED "
     "API_VERSION_TYPED_FFI"},
    {"custom_call_schedule", "schedule", "(none) SCHEDULE_LATEST SCHEDULE_EARLIEST"},
    {"distribution", "distribution", "(invalid) rng_uniform rng_normal"},
    {"fft_type", "fft_type", "FFT IFFT RFFT IRFFT"},
    {"is_associative", "is_associative", "(unspecified) true false"},
    {"padding_type", "padding_type", "(invalid) PADDING_VALID PADDING_SAME"},
};

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
absl::StatusOr<std::vector<std::string>> enum_texts(const Message& at, absl::string_view field,
                                                    const char* names) {
  const Names all = absl::StrSplit(names, ' ');
  std::vector<std::string> texts;
  for (const Field& one : at.fields) {
    if (one.info->name == field) texts.push_back(TRY(enum_text(one, all)));
  }
  if (texts.empty()) texts.emplace_back(all[0]);
  return texts;
}

// ---- Attributes of several values ----

// Lists that HLO names alike. Those of batches may be left out.
std::string lists(const Message& part, const Names& names) {
  std::vector<std::string> texts;
  for (const absl::string_view name : names) {
    const Ints list = part.integers(name);
    if (list.empty() && absl::StrContains(name, "batch")) continue;
    texts.push_back(
        absl::StrCat(absl::StrReplaceAll(name, {{"_dimensions", "_dims"}}), "=", braces(list)));
  }
  return absl::StrJoin(texts, ", ");
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
  return absl::StrCat("window={", text, "}");
}

// `b01f_01io->b01f`: each dimension has a letter or a number at its place.
absl::StatusOr<std::string> dim_labels(const Message& numbers) {
  const auto list = [&](char first, const char* first_name, char second, const char* second_name,
                        const char* spatial) -> absl::StatusOr<std::string> {
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
  return absl::StrCat("dim_labels=", input, "_", kernel, "->", output);
}

std::string slice_text(const Message& d) {
  const int64_t stride = std::max<int64_t>(d.integer("stride"), 1);
  return absl::StrCat("[", d.integer("start"), ":", d.integer("limit"),
                      stride == 1 ? "" : absl::StrCat(":", stride), "]");
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
  return is_dictionary && depth == 0 && !is_string
             ? config
             : absl::StrCat("\"", absl::Utf8SafeCEscape(config), "\"");
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

// `{{0}: (0, {})}`: an output, the operand and its part.
std::string aliasing_text(const Message& at) {
  const auto pair = [](const Message& one) {
    return absl::StrCat(index_text(one, "output_shape_index"), ": (", one.integer("operand_index"),
                        ", ", index_text(one, "operand_shape_index"), ")");
  };
  return absl::StrCat("{", texts(at, "output_operand_aliasing", ", ", pair), "}");
}

std::string frontend_text(const Message& attributes) {
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

class Attributes {
 public:
  Attributes(const Message& at, absl::string_view opcode)
      : at_(at), opcode_(opcode), known_(opcode_named(opcode)) {}

  absl::StatusOr<std::vector<std::string>> all() {
    for (const Row& row : kRows) {
      if (!may_have(row.attribute)) continue;
      const std::string value = value_text(at_, row);
      if (!value.empty()) add(row.attribute, "=", value);
    }
    for (const EnumRow& row : kEnums) {
      if (!may_have(row.attribute)) continue;
      const std::string name = TRY(enum_texts(at_, row.field, row.names)).back();
      if (is_written(name)) add(row.attribute, "=", name);
    }
    add_dimensions();
    TRY(add_numbers_of_dimensions());
    TRY(add_options());
    TRY(add_of_devices());
    TRY(add_of_calls());
    add_unknown(at_, list_);
    return std::move(list_);
  }

 private:
  bool is(absl::string_view name) const { return opcode_ == name; }
  // What an opcode that nobody knows computes is like nothing else, whatever its attributes say.
  bool may_have(absl::string_view attribute) const {
    return known_ != HloOpcode::kOther && is_known_attribute(known_, opcode_, attribute);
  }
  template <class... Parts>
  void add(const Parts&... parts) {
    list_.push_back(absl::StrCat(parts...));
  }
  // A part of the proto that counts for this operation alone.
  const Message* part_of(absl::string_view name, const char* field) const {
    return is(name) ? at_.message(field) : nullptr;
  }

  void add_dimensions() {
    const Ints dimensions = at_.integers("dimensions");
    const bool of_tuple = absl::EndsWith(opcode_, "all-to-all") && dimensions.empty();
    if (known_ != HloOpcode::kOther && is_known_attribute(known_, "", "dimensions") && !of_tuple)
      add("dimensions=", braces(dimensions));
    if (is("iota")) add("iota_dimension=", dimensions.empty() ? 0 : dimensions[0]);
    if (is("slice")) add("slice={", texts(at_, "slice_dimensions", ", ", slice_text), "}");
    if (const Message* part = part_of("pad", "padding_config"))
      add("padding=", padding_text(*part));
    if (const Message* part = at_.message("window")) add(window_text(*part));
    if (is("topk")) add("largest=", at_.integer("largest") != 0 ? "true" : "false");
  }

  absl::Status add_numbers_of_dimensions() {
    const Message* dot = part_of("dot", "dot_dimension_numbers");
    if (const Message* ragged = part_of("ragged-dot", "ragged_dot_dimension_numbers")) {
      dot = ragged->message("dot_dimension_numbers");
      add(lists(*ragged, {"lhs_ragged_dimensions", "rhs_group_dimensions"}));
    }
    if (dot != nullptr) {
      add(lists(*dot, {"lhs_batch_dimensions", "lhs_contracting_dimensions", "rhs_batch_dimensions",
                       "rhs_contracting_dimensions"}));
    }
    const Message* convolution = at_.message("convolution_dimension_numbers");
    if (convolution != nullptr && may_have("dim_labels")) add(TRY(dim_labels(*convolution)));
    for (const char* name : {"feature_group_count", "batch_group_count"}) {
      if (may_have(name) && at_.integer(name) > 1) add(name, "=", at_.integer(name));
    }
    if (const Message* part = part_of("gather", "gather_dimension_numbers")) {
      add(lists(*part, {"offset_dims", "collapsed_slice_dims", "start_index_map",
                        "operand_batching_dims", "start_indices_batching_dims"}));
      add("index_vector_dim=", part->integer("index_vector_dim"));
      add("slice_sizes=", braces(at_.integers("gather_slice_sizes")));
    }
    if (const Message* part = part_of("scatter", "scatter_dimension_numbers")) {
      add(lists(*part,
                {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
                 "input_batching_dims", "scatter_indices_batching_dims"}));
      add("index_vector_dim=", part->integer("index_vector_dim"));
    }
    return absl::OkStatus();
  }

  // How numbers are computed.
  absl::Status add_options() {
    if (at_.text("comparison_type") == "TOTALORDER") add("type=TOTALORDER");
    if (is("rng-bit-generator")) {
      add("algorithm=",
          TRY(enum_texts(at_, "rng_algorithm", "rng_default rng_three_fry rng_philox")).back());
    }
    if (const Message* part = part_of("triangular-solve", "triangular_solve_options")) {
      for (const char* name : {"left_side", "lower", "unit_diagonal"}) {
        if (part->integer(name) != 0) add(name, "=true");
      }
      const std::string transpose =
          TRY(enum_texts(*part, "transpose_a", "(invalid) NO_TRANSPOSE TRANSPOSE ADJOINT")).back();
      if (is_written(transpose)) add("transpose_a=", transpose);
    }
    const Message* cholesky = part_of("cholesky", "cholesky_options");
    if (cholesky != nullptr && cholesky->integer("lower") != 0) add("lower=true");
    if (const Message* part = at_.message("precision_config")) TRY(add_precision(*part));
    const Message* accuracy = at_.message("result_accuracy");
    const std::string text = accuracy == nullptr ? "" : accuracy_text(*accuracy);
    if (!text.empty()) add("result_accuracy=", text);
    if (const Message* part = at_.message("sparsity_config")) {
      const auto side = [&](const char* name) {
        const Message* of = part->message(name);
        return of == nullptr
                   ? ""
                   : absl::StrCat(name, "={", of->integer("num_non_zero"), ",",
                                  of->integer("block_size"), ",", of->integer("dimension"), ",",
                                  of->integer("stride"), "}");
      };
      add("sparsity_config={", side("lhs"), side("rhs"), "}");
    }
    return absl::OkStatus();
  }

  absl::Status add_precision(const Message& config) {
    const std::vector<std::string> precisions =
        TRY(enum_texts(config, "operand_precision", "default high highest"));
    const auto is_default = [](const std::string& one) { return one == "default"; };
    if (!std::ranges::all_of(precisions, is_default))
      add("operand_precision={", absl::StrJoin(precisions, ","), "}");
    const std::string algorithm =
        TRY(enum_texts(
                config, "algorithm",
                "(unset) dot_any_f8_any_f8_f32 dot_any_f8_any_f8_f32_fast_accum dot_f16_f16_f16 "
                "dot_f16_f16_f32 dot_bf16_bf16_bf16 dot_bf16_bf16_f32 dot_bf16_bf16_f32_x3 "
                "dot_bf16_bf16_f32_x6 dot_tf32_tf32_f32 dot_tf32_tf32_f32_x3 "
                "dot_f32_f32_f32 dot_f64_f64_f64 dot_bf16_bf16_f32_x9"))
            .back();
    if (is_written(algorithm)) add("algorithm=", algorithm);
    return absl::OkStatus();
  }

  absl::Status add_of_devices() {
    if (is("collective-permute") || is("collective-permute-start")) {
      const auto pair = [](const Message& one) {
        return braces({one.integer("source"), one.integer("target")});
      };
      add("source_target_pairs={", texts(at_, "source_target_pairs", ",", pair), "}");
    } else if (const std::string groups = TRY(groups_text(at_)); !groups.empty()) {
      add(groups);
    }
    // The older field of the same meaning.
    if (may_have("channel_id") && at_.integer("channel_id") <= 0 &&
        at_.integer("all_reduce_id") > 0)
      add("channel_id=", at_.integer("all_reduce_id"));
    if (const Message* part = at_.message("sharding")) add("sharding=", TRY(sharding_text(*part)));
    if (is("domain")) {
      const Message *entry = at_.message("domain_entry_sharding"),
                    *exit = at_.message("domain_exit_sharding");
      add("domain={kind=\"sharding\", entry=", entry == nullptr ? "{}" : TRY(sharding_text(*entry)),
          ", exit=", exit == nullptr ? "{}" : TRY(sharding_text(*exit)), "}");
    }
    return absl::OkStatus();
  }

  // What is said to whoever runs it.
  absl::Status add_of_calls() {
    if (is("custom-call")) {
      add("custom_call_target=\"", absl::Utf8SafeCEscape(at_.text("custom_call_target")), "\"");
    }
    if (at_.integer("constrain_layout") != 0 && is("custom-call")) {
      std::vector<std::string> shapes;
      for (const Message* shape : at_.messages("operand_shapes_with_layout"))
        shapes.push_back(TRY(shape_text(*shape)));
      add("operand_layout_constraints={", absl::StrJoin(shapes, ", "), "}");
    } else if (at_.integer("constrain_layout") != 0 && may_have("constrain_layout")) {
      add("constrain_layout=true");
    }
    if (at_.has("output_operand_aliasing")) add("output_to_operand_aliasing=", aliasing_text(at_));
    if (const Message* shape = part_of("outfeed", "outfeed_shape"))
      add("outfeed_shape=", TRY(shape_text(*shape)));
    if (const Message* part = at_.message("frontend_attributes"); part && part->has("map"))
      add("frontend_attributes=", frontend_text(*part));
    std::string config = at_.text("backend_config");
    if (const Message* payload = at_.message("backend_config_payload")) {
      if (payload->integer("id") != 0) {
        return absl::InvalidArgumentError(
            "expected a backend configuration, found the number of a payload");
      }
      if (config.empty()) config = payload->text("value");
    }
    if (!config.empty()) add("backend_config=", config_text(config));
    return absl::OkStatus();
  }

  const Message& at_;
  absl::string_view opcode_;
  HloOpcode known_;
  std::vector<std::string> list_;
};

}  // namespace

std::string index_text(const Message& of, absl::string_view field) {
  return absl::StrCat("{", absl::StrJoin(of.integers(field), ", "), "}");
}

std::string braces(const std::vector<int64_t>& numbers) {
  return absl::StrCat("{", absl::StrJoin(numbers, ","), "}");
}

absl::StatusOr<std::vector<std::string>> attribute_texts(const Message& instruction,
                                                         absl::string_view opcode) {
  return Attributes(instruction, opcode).all();
}

}  // namespace tileproof::hlo_proto
