// SPDX-License-Identifier: Apache-2.0
// The fields that the reader needs. Source: the field numbers that XLA publishes (hlo.proto,
// xla_data.proto).
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

// A message in each line: its name, then `number name kind` of each field. Kinds are i (integer), e
// (enum), f (float), d (double), s (string), and names of messages.
constexpr absl::string_view kSchema = R"(
HloProto: 1 hlo_module HloModuleProto
HloModuleProto: 1 name s, 3 computations HloComputationProto, 6 entry_computation_id i, 2 entry_computation_name s
HloComputationProto: 1 name s, 2 instructions HloInstructionProto, 5 id i, 6 root_id i, 8 execution_thread s
HloInstructionProto: 1 name s, 2 opcode s, 3 shape ShapeProto, 8 literal LiteralProto, 9 parameter_number i, 11 fusion_kind s, 13 tuple_index i, 14 dimensions i, 15 window Window, 16 convolution_dimension_numbers ConvolutionDimensionNumbers, 17 slice_dimensions SliceDimensions, 18 exponent_bits i, 19 mantissa_bits i, 20 dynamic_slice_sizes i, 21 padding_config PaddingConfig, 28 custom_call_target s, 30 dot_dimension_numbers DotDimensionNumbers, 31 fft_type e, 32 fft_length i, 33 gather_dimension_numbers GatherDimensionNumbers, 34 gather_slice_sizes i, 35 id i, 36 operand_ids i, 38 called_computation_ids i, 48 scatter_dimension_numbers ScatterDimensionNumbers, 49 replica_groups ReplicaGroup, 50 feature_group_count i, 52 source_target_pairs SourceTarget, 58 batch_group_count i, 60 is_stable i, 63 comparison_direction s, 71 use_global_device_ids i, 81 k i, 85 largest i, 87 collective_device_list CollectiveDeviceListProto, 92 iota_collective_device_list IotaReplicaGroupListProto, 93 mesh_axes_device_list MeshAxesDeviceList, 94 is_reverse i, 95 num_carries i, 100 has_dynamic_root i, 102 comparison_order s
ShapeProto: 2 element_type e, 3 dimensions i, 4 tuple_shapes ShapeProto, 5 layout LayoutProto, 6 is_dynamic_dimension i
LayoutProto: 1 minor_to_major i, 6 tiles TileProto, 7 element_size_in_bits i, 8 memory_space i, 16 tail_padding_alignment_in_elements i
TileProto: 1 dimensions i
LiteralProto: 1 shape ShapeProto, 2 preds i, 3 u8s s, 4 s32s i, 5 s64s i, 6 u32s i, 7 u64s i, 8 f32s f, 9 f64s d, 10 tuple_literals LiteralProto, 13 bf16s s, 15 s8s s, 16 u16s s, 17 s16s s, 21 s4s s, 22 u4s s, 26 s2s s, 27 u2s s, 30 s1s s, 31 u1s s
Window: 1 dimensions WindowDimension
WindowDimension: 1 size i, 2 stride i, 3 padding_low i, 4 padding_high i, 5 window_dilation i, 6 base_dilation i, 7 window_reversal i
ConvolutionDimensionNumbers: 3 kernel_input_feature_dimension i, 4 kernel_output_feature_dimension i, 6 kernel_spatial_dimensions i, 7 input_batch_dimension i, 8 input_feature_dimension i, 9 output_batch_dimension i, 10 output_feature_dimension i, 11 input_spatial_dimensions i, 12 output_spatial_dimensions i
SliceDimensions: 1 start i, 2 limit i, 3 stride i
PaddingConfig: 1 dimensions PaddingConfigDimension
PaddingConfigDimension: 1 edge_padding_low i, 2 edge_padding_high i, 3 interior_padding i
DotDimensionNumbers: 1 lhs_contracting_dimensions i, 2 rhs_contracting_dimensions i, 3 lhs_batch_dimensions i, 4 rhs_batch_dimensions i
GatherDimensionNumbers: 1 offset_dims i, 2 collapsed_slice_dims i, 3 start_index_map i, 4 index_vector_dim i, 5 operand_batching_dims i, 6 start_indices_batching_dims i
ScatterDimensionNumbers: 1 update_window_dims i, 2 inserted_window_dims i, 3 scatter_dims_to_operand_dims i, 4 index_vector_dim i, 5 input_batching_dims i, 6 scatter_indices_batching_dims i
ReplicaGroup: 1 replica_ids i
CollectiveDeviceListProto: 1 replica_groups ReplicaGroup, 2 iota_replica_group_list IotaReplicaGroupListProto
IotaReplicaGroupListProto: 1 num_replica_groups i, 2 num_devices_per_group i, 3 iota_reshape_dims i, 4 iota_transpose_perm i
MeshAxesDeviceList: 1 mesh Mesh, 2 axes AxisRef
Mesh: 1 axes MeshAxis, 2 device_ids i, 3 iota DeviceIota
MeshAxis: 1 name s, 2 size i
DeviceIota: 1 dims i, 2 transpose i
AxisRef: 1 index i, 2 part AxisPart
AxisPart: 1 before i, 2 size i
SourceTarget: 1 source i, 2 target i
)";

using Fields = std::vector<FieldInfo>;

Kind kind_of(absl::string_view text) {
  if (text == "i") return Kind::kInteger;
  if (text == "e") return Kind::kEnum;
  if (text == "f") return Kind::kFloat;
  if (text == "d") return Kind::kDouble;
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
