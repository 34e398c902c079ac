// SPDX-License-Identifier: Apache-2.0
// The fields of the messages that the reader needs: all that an instruction has. Source: the field
// numbers that XLA publishes (hlo.proto, xla_data.proto), as jaxlib 0.10.2 has them.
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

// A message in each line: its name, then `number name kind` of each field. Kinds are i (integer), e
// (enum), f (float), d (double), s (string), x (skipped: nothing depends on it), and names of messages.
constexpr absl::string_view kSchema = R"(
HloProto: 1 hlo_module HloModuleProto
HloModuleProto: 1 name s, 2 entry_computation_name s, 3 computations HloComputationProto, 4 host_program_shape ProgramShapeProto, 6 entry_computation_id i, 8 input_output_alias HloInputOutputAliasProto, 15 device_assignment DeviceAssignmentProto
DeviceAssignmentProto: 1 replica_count i, 2 computation_count i
ProgramShapeProto: 1 parameters ShapeProto, 2 result ShapeProto
HloInputOutputAliasProto: 1 entries AliasEntryProto
AliasEntryProto: 1 output_shape_index i, 2 parameter_number i, 3 parameter_shape_index i, 4 kind e
HloComputationProto: 1 name s, 2 instructions HloInstructionProto, 5 id i, 6 root_id i, 8 execution_thread s
HloInstructionProto: 1 name s, 2 opcode s, 3 shape ShapeProto, 7 metadata x, 8 literal LiteralProto, 9 parameter_number i, 11 fusion_kind s, 13 tuple_index i, 14 dimensions i, 15 window Window, 16 convolution_dimension_numbers ConvolutionDimensionNumbers, 17 slice_dimensions SliceDimensions, 18 exponent_bits i, 19 mantissa_bits i, 20 dynamic_slice_sizes i, 21 padding_config PaddingConfig, 22 outfeed_config s, 23 distribution e, 24 epsilon f, 25 feature_index i, 26 channel_id i, 27 infeed_config s, 28 custom_call_target s, 29 outfeed_shape ShapeProto, 30 dot_dimension_numbers DotDimensionNumbers, 31 fft_type e, 32 fft_length i, 33 gather_dimension_numbers GatherDimensionNumbers, 34 gather_slice_sizes i, 35 id i, 36 operand_ids i, 37 control_predecessor_ids x, 38 called_computation_ids i, 40 sharding OpSharding, 43 backend_config s, 45 all_reduce_id i, 47 is_host_transfer i, 48 scatter_dimension_numbers ScatterDimensionNumbers, 49 replica_groups ReplicaGroup, 50 feature_group_count i, 51 precision_config PrecisionConfig, 52 source_target_pairs SourceTarget, 54 domain_entry_sharding OpSharding, 55 domain_exit_sharding OpSharding, 56 constrain_layout i, 57 operand_shapes_with_layout ShapeProto, 58 batch_group_count i, 59 triangular_solve_options TriangularSolveOptions, 60 is_stable i, 61 parameter_replication x, 62 cholesky_options CholeskyOptions, 63 comparison_direction s, 65 custom_call_has_side_effect i, 66 delta i, 67 indices_are_sorted i, 68 frontend_attributes FrontendAttributes, 69 unique_indices i, 70 rng_algorithm e, 71 use_global_device_ids i, 72 comparison_type s, 73 is_cross_program_prefetch x, 74 output_operand_aliasing OutputOperandAliasing, 75 padding_type e, 76 custom_call_schedule e, 77 custom_call_api_version e, 79 async_execution_thread s, 80 cross_program_prefetch_index x, 81 k i, 82 statistics_viz x, 85 largest i, 87 collective_device_list CollectiveDeviceListProto, 88 original_value x, 89 is_composite i, 90 ragged_dot_dimension_numbers RaggedDotDimensionNumbers, 91 result_accuracy ResultAccuracy, 92 iota_collective_device_list IotaReplicaGroupListProto, 93 mesh_axes_replica_group_list MeshAxesReplicaGroupListProto, 94 is_reverse i, 95 num_carries i, 96 is_associative e, 97 conv_kind e, 98 sparsity_config SparsityConfig, 99 backend_config_payload Payload, 100 has_dynamic_root i, 102 comparison_order s
ShapeProto: 2 element_type e, 3 dimensions i, 4 tuple_shapes ShapeProto, 5 layout LayoutProto, 6 is_dynamic_dimension i
LayoutProto: 1 minor_to_major i, 6 tiles TileProto, 7 element_size_in_bits i, 8 memory_space i, 9 dim_level_types x, 10 physical_shape x, 11 index_primitive_type x, 12 pointer_primitive_type x, 13 dim_unique x, 14 dim_ordered x, 15 dynamic_shape_metadata_prefix_bytes x, 16 tail_padding_alignment_in_elements i, 17 split_configs x
TileProto: 1 dimensions i
LiteralProto: 1 shape ShapeProto, 2 preds i, 3 u8s s, 4 s32s i, 5 s64s i, 6 u32s i, 7 u64s i, 8 f32s f, 9 f64s d, 10 tuple_literals LiteralProto, 11 f16s s, 12 c64s f, 13 bf16s s, 14 sparse_indices x, 15 s8s s, 16 u16s s, 17 s16s s, 18 c128s d, 19 f8e5m2s s, 20 f8e4m3fns s, 21 s4s s, 22 u4s s, 23 f8e4m3b11fnuzs s, 24 f8e5m2fnuzs s, 25 f8e4m3fnuzs s, 26 s2s s, 27 u2s s, 28 f8e4m3s s, 29 f8e3m4s s, 30 s1s s, 31 u1s s, 32 f4e2m1fns s, 33 f8e8m0fnus s, 34 dynamic_sizes x, 35 f6e3m2fns s, 36 f6e2m3fns s
Window: 1 dimensions WindowDimension
WindowDimension: 1 size i, 2 stride i, 3 padding_low i, 4 padding_high i, 5 window_dilation i, 6 base_dilation i, 7 window_reversal i
ConvolutionDimensionNumbers: 3 kernel_input_feature_dimension i, 4 kernel_output_feature_dimension i, 6 kernel_spatial_dimensions i, 7 input_batch_dimension i, 8 input_feature_dimension i, 9 output_batch_dimension i, 10 output_feature_dimension i, 11 input_spatial_dimensions i, 12 output_spatial_dimensions i
SliceDimensions: 1 start i, 2 limit i, 3 stride i
PaddingConfig: 1 dimensions PaddingConfigDimension
PaddingConfigDimension: 1 edge_padding_low i, 2 edge_padding_high i, 3 interior_padding i
DotDimensionNumbers: 1 lhs_contracting_dimensions i, 2 rhs_contracting_dimensions i, 3 lhs_batch_dimensions i, 4 rhs_batch_dimensions i
GatherDimensionNumbers: 1 offset_dims i, 2 collapsed_slice_dims i, 3 start_index_map i, 4 index_vector_dim i, 5 operand_batching_dims i, 6 start_indices_batching_dims i
ScatterDimensionNumbers: 1 update_window_dims i, 2 inserted_window_dims i, 3 scatter_dims_to_operand_dims i, 4 index_vector_dim i, 5 input_batching_dims i, 6 scatter_indices_batching_dims i
RaggedDotDimensionNumbers: 1 dot_dimension_numbers DotDimensionNumbers, 2 lhs_ragged_dimensions i, 3 rhs_group_dimensions i
PrecisionConfig: 1 operand_precision e, 2 algorithm e
ResultAccuracy: 1 mode e, 2 tolerance Tolerance
Tolerance: 1 atol d, 2 rtol d, 3 ulps i
SparsityConfig: 1 lhs TensorSparsityConfig, 2 rhs TensorSparsityConfig
TensorSparsityConfig: 1 num_non_zero i, 2 block_size i, 3 dimension i, 4 stride i
TriangularSolveOptions: 1 left_side i, 2 lower i, 3 unit_diagonal i, 4 transpose_a e
CholeskyOptions: 1 lower i
OutputOperandAliasing: 1 output_shape_index i, 2 operand_index i, 3 operand_shape_index i
FrontendAttributes: 1 map MapEntry
MapEntry: 1 key s, 2 value s
Payload: 1 value s, 2 id i
OpSharding: 1 type e, 2 tile_shape x, 3 tile_assignment_dimensions i, 4 tile_assignment_devices i, 5 tuple_shardings OpSharding, 6 replicate_on_last_tile_dim i, 7 metadata x, 8 last_tile_dims e, 9 iota_reshape_dims i, 10 iota_transpose_perm i, 11 is_shard_group i, 12 shard_group_id i, 13 shard_group_type e, 14 named_sharding NamedShardingProto
NamedShardingProto: 2 mesh MeshProto, 3 dim_shardings DimensionSharding, 4 replicated_axes AxisRefProto, 5 unreduced_axes AxisRefProto, 6 metadata x, 7 manual_axes AxisRefProto
DimensionSharding: 1 axes AxisRefProto, 2 is_closed i
ReplicaGroup: 1 replica_ids i
CollectiveDeviceListProto: 1 replica_groups ReplicaGroup, 2 iota_replica_group_list IotaReplicaGroupListProto
IotaReplicaGroupListProto: 1 num_replica_groups i, 2 num_devices_per_group i, 3 iota_reshape_dims i, 4 iota_transpose_perm i
MeshAxesReplicaGroupListProto: 1 mesh MeshProto, 2 axes AxisRefProto
MeshProto: 1 axes MeshAxis, 2 device_ids i, 3 iota_transform IotaTransform
MeshAxis: 1 name s, 2 size i
IotaTransform: 1 reshape_dims i, 2 transpose_perm i
AxisRefProto: 1 mesh_axis_index i, 2 sub_axis_info SubAxis
SubAxis: 1 pre_size i, 2 size i
SourceTarget: 1 source i, 2 target i
)";

using Fields = std::vector<FieldInfo>;

Kind kind_of(absl::string_view text) {
  if (text == "i") return Kind::kInteger;
  if (text == "e") return Kind::kEnum;
  if (text == "f") return Kind::kFloat;
  if (text == "d") return Kind::kDouble;
  if (text == "x") return Kind::kSkipped;
  return text == "s" ? Kind::kString : Kind::kMessage;
}

std::map<std::string, Fields> read_schema() {
  std::map<std::string, Fields> messages;
  for (absl::string_view line : absl::StrSplit(kSchema, '\n', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    Fields& fields = messages[std::string(parts.first)];
    for (absl::string_view text : absl::StrSplit(parts.second, ", ")) {
      const std::vector<std::string> words = absl::StrSplit(text, ' ');
      FieldInfo field{0, words[1], kind_of(words[2]), words[2]};
      if (!absl::SimpleAtoi(words[0], &field.number)) continue;
      fields.push_back(std::move(field));
    }
  }
  return messages;
}

const Fields& fields_of(absl::string_view message) {
  static const auto* schema = new std::map<std::string, Fields>(read_schema());
  static const auto* none = new Fields();
  const auto found = schema->find(std::string(message));
  return found == schema->end() ? *none : found->second;
}

}  // namespace

const FieldInfo* field_numbered(absl::string_view message, int number) {
  for (const FieldInfo& field : fields_of(message)) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

const FieldInfo* field_named(absl::string_view message, absl::string_view name) {
  for (const FieldInfo& field : fields_of(message)) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

}  // namespace tileproof::hlo_proto
