// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/stablehlo/op_known.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/lang/base/nearest.h"

namespace tileproof::stablehlo {
namespace {

struct AttributesOf {
  absl::string_view name;
  absl::string_view attributes;  // separated by spaces; [] is what a bracket has without a name
};

constexpr absl::string_view kWindow =
    "base_dilations padding window_dilations window_dimensions window_strides";

constexpr absl::string_view kConvolution =
    "batch_group_count dim_numbers dimension_numbers feature_group_count lhs_dilation padding "
    "precision precision_config rhs_dilation window window_reversal window_strides";

constexpr AttributesOf kAttributes[] = {
    {"all_gather", "all_gather_dim channel_handle channel_id replica_groups use_global_device_ids"},
    {"all_reduce", "channel_handle channel_id replica_groups use_global_device_ids"},
    {"all_to_all",
     "channel_handle channel_id concat_dimension replica_groups split_count split_dimension"},
    {"batch_norm_grad", "epsilon feature_index"},
    {"batch_norm_inference", "epsilon feature_index"},
    {"batch_norm_training", "epsilon feature_index"},
    {"broadcast", "broadcast_sizes sizes"},
    {"broadcast_in_dim", "broadcast_dimensions dims"},
    {"cholesky", "lower"},
    {"collective_broadcast", "channel_handle channel_id has_dynamic_root replica_groups"},
    {"collective_permute", "channel_handle channel_id source_target_pairs"},
    {"collective_reduce",
     "channel_handle channel_id has_dynamic_root replica_groups use_global_device_ids"},
    {"compare", "compare_type comparison_direction"},
    {"concatenate", "dim dimension"},
    {"constant", "value"},
    {"convolution", kConvolution},
    {"custom_call",
     "api_version backend_config call_target_name called_computations custom_call_schedule "
     "has_side_effect operand_layouts output_operand_aliases result_layouts"},
    {"dot", "precision precision_config"},
    {"dot_general",
     "algorithm batching_dims contracting_dims dot_dimension_numbers precision precision_config"},
    {"dynamic_slice", "sizes slice_sizes"},
    {"fft", "fft_length fft_type length type"},
    {"fusion", "fusion_kind output_operand_aliasing"},
    {"gather", "dimension_numbers indices_are_sorted slice_sizes"},
    {"get_dimension_size", "dim dimension"},
    {"get_tuple_element", "[] index"},
    {"infeed", "infeed_config layout"},
    {"iota", "dim iota_dimension"},
    {"map", "dimensions"},
    {"outfeed", "outfeed_config"},
    {"pad", "edge_padding_high edge_padding_low high interior interior_padding low"},
    {"recv", "channel_handle channel_id is_host_transfer source_target_pairs"},
    {"reduce", "dimensions"},
    {"reduce_precision", "exponent_bits format mantissa_bits"},
    {"reduce_scatter",
     "channel_handle channel_id replica_groups scatter_dimension use_global_device_ids"},
    {"reduce_window", kWindow},
    {"reverse", "dimensions dims"},
    {"rng", "distribution rng_distribution"},
    {"rng_bit_generator", "algorithm rng_algorithm"},
    {"scatter", "indices_are_sorted scatter_dimension_numbers unique_indices"},
    {"select_and_scatter", kWindow},
    {"send", "channel_handle channel_id is_host_transfer source_target_pairs"},
    {"set_dimension_size", "dim dimension"},
    {"slice", "[] limit_indices start_indices strides"},
    {"sort", "dimension is_stable"},
    {"top_k", "k largest"},
    {"topk", "k largest"},
    {"transpose", "dims permutation"},
    {"triangular_solve", "left_side lower transpose_a unit_diagonal"},
};

}  // namespace

absl::Status expect_known_attributes(const Op& op, absl::string_view name) {
  const auto* const row =
      std::find_if(std::begin(kAttributes), std::end(kAttributes),
                   [name](const AttributesOf& one) { return one.name == name; });
  std::vector<absl::string_view> known = {"result_accuracy"};
  // XLA's layouts, which move no element but those of a bitcast.
  if (name != "bitcast") known.insert(known.end(), {"result_layout", "xla_shape"});
  if (row != std::end(kAttributes)) {
    for (absl::string_view word : absl::StrSplit(row->attributes, ' ')) known.push_back(word);
  }
  for (const auto& [key, value] : op.attributes) {
    const bool of_dialect = key.find('.') != std::string::npos;
    if (of_dialect || std::find(known.begin(), known.end(), key) != known.end()) continue;
    return absl::InvalidArgumentError(absl::StrCat("expected an attribute of ", name, ", found '",
                                                   key.substr(0, 64), "'",
                                                   did_you_mean(key, known)));
  }
  return absl::OkStatus();
}

}  // namespace tileproof::stablehlo
