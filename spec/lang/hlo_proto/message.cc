// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo_proto/message.h"

#include <bit>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"

namespace tileproof::hlo_proto {
namespace {

// ---- Binary ----

enum Wire { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

class BinaryReader {
 public:
  BinaryReader(absl::string_view bytes, size_t offset) : bytes_(bytes), offset_(offset) {}

  absl::StatusOr<Message> message(absl::string_view type, int depth) {
    Message result;
    if (depth > kMaxNesting) return error("messages nested at most 1000");
    while (at_ < bytes_.size()) {
      const uint64_t tag = TRY(varint());
      const auto wire = static_cast<Wire>(tag & 7);
      const FieldInfo* info =
          tag >> 3 > INT32_MAX ? nullptr : field_numbered(type, static_cast<int>(tag >> 3));
      if (tag >> 3 == 0) return error("a field number above 0");
      TRY(field(wire, info, depth, result));
      if (info == nullptr) result.unknown.push_back(absl::StrCat("field_", tag >> 3));
    }
    return result;
  }

 private:
  absl::Status error(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("byte ", offset_ + at_, ": expected ", what));
  }

  absl::StatusOr<uint64_t> varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) return error("more bytes of a number");
      const auto byte = static_cast<uint8_t>(bytes_[at_++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return error("a number of at most 64 bits before this");
  }

  absl::StatusOr<uint64_t> fixed(size_t width) {
    if (bytes_.size() - at_ < width) return error(absl::StrCat(width, " more bytes"));
    uint64_t value = 0;
    for (size_t b = width; b-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes_[at_ + b]);
    at_ += width;
    return value;
  }

  static void add_number(const FieldInfo& info, uint64_t bits, Message& out) {
    Field& field = out.fields.emplace_back();
    field.info = &info;
    field.integer = static_cast<int64_t>(bits);
    if (info.kind == Kind::kFloat) field.real = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (info.kind == Kind::kDouble) field.real = std::bit_cast<double>(bits);
  }

  absl::Status field(Wire wire, const FieldInfo* info, int depth, Message& out) {
    if (wire == kVarint || wire == kFixed64 || wire == kFixed32) {
      const uint64_t bits = TRY(wire == kVarint    ? varint()
                                : wire == kFixed64 ? fixed(8)
                                                   : fixed(4));
      if (info == nullptr || info->kind == Kind::kSkipped) return absl::OkStatus();
      const Wire expected = info->kind == Kind::kFloat                                  ? kFixed32
                            : info->kind == Kind::kDouble                               ? kFixed64
                            : info->kind == Kind::kInteger || info->kind == Kind::kEnum ? kVarint
                                                                                        : kBytes;
      if (wire != expected)
        return error(absl::StrCat("another encoding of ", info->name, " before this"));
      add_number(*info, bits, out);
      return absl::OkStatus();
    }
    if (wire != kBytes) return error("a number or bytes before this");
    const uint64_t length = TRY(varint());
    if (length > bytes_.size() - at_) return error(absl::StrCat(length, " more bytes"));
    const absl::string_view inside = bytes_.substr(at_, length);
    const size_t start = offset_ + at_;
    at_ += length;
    if (info == nullptr || info->kind == Kind::kSkipped) return absl::OkStatus();
    if (info->kind == Kind::kString) {
      Field& text = out.fields.emplace_back();
      text.info = info;
      text.text = std::string(inside);
      return absl::OkStatus();
    }
    if (info->kind == Kind::kMessage) {
      Message message = TRY(BinaryReader(inside, start).message(info->message, depth + 1));
      Field& field = out.fields.emplace_back();
      field.info = info;
      field.message.push_back(std::move(message));
      return absl::OkStatus();
    }
    BinaryReader packed(inside, start);
    while (packed.at_ < inside.size()) {
      add_number(*info,
                 TRY(info->kind == Kind::kFloat    ? packed.fixed(4)
                     : info->kind == Kind::kDouble ? packed.fixed(8)
                                                   : packed.varint()),
                 out);
    }
    return absl::OkStatus();
  }

  absl::string_view bytes_;
  size_t offset_;  // of these bytes in the whole
  size_t at_ = 0;
};

// ---- Text ----

class TextReader {
 public:
  explicit TextReader(absl::string_view text) : text_(text), cursor_(text) {}

  // Fields up to `close`, or to the end for '\0'.
  absl::StatusOr<Message> message(absl::string_view type, char close, int depth) {
    Message result;
    if (depth > kMaxNesting) return error("messages nested at most 1000");
    while (peek() != close) {
      const std::string name = word();
      if (name.empty()) return error("the name of a field");
      const FieldInfo* info = field_named(type, name);
      if (info == nullptr) result.unknown.push_back(name);
      if (info != nullptr && info->kind == Kind::kSkipped) info = nullptr;
      const bool colon = take(':');
      if (take('[')) {
        while (!take(']')) {
          TRY(value(info, depth, result));
          take(',');
        }
      } else if (!colon && peek() != '{' && peek() != '<') {
        return error("':' or '{' after a field");
      } else {
        TRY(value(info, depth, result));
      }
      if (!take(',')) take(';');
    }
    if (close != '\0') take(close);
    return result;
  }

 private:
  absl::Status error(absl::string_view what) {
    peek();
    return cursor_.error_at(at_, absl::StrCat("expected ", what));
  }

  // The next character after space and `# comments`; '\0' at the end.
  char peek() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (!absl::ascii_isspace(text_[at_])) {
        return text_[at_] == '\0' ? ' ' : text_[at_];
      } else {
        ++at_;
      }
    }
    return '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::string word() {
    peek();
    const size_t start = at_;
    while (at_ < text_.size() && (absl::ascii_isalnum(text_[at_]) || text_[at_] == '_' ||
                                  text_[at_] == '.' || text_[at_] == '-' || text_[at_] == '+')) {
      ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }

  // Strings beside each other are one.
  absl::StatusOr<std::string> string() {
    std::string result;
    while (peek() == '"' || peek() == '\'') {
      const char quote = text_[at_];
      const size_t start = at_ + 1;
      for (at_ = start; at_ < text_.size() && text_[at_] != quote; ++at_) {
        if (text_[at_] == '\\') ++at_;
      }
      if (at_ >= text_.size()) {
        at_ = text_.size();
        return error("the end of a string");
      }
      std::string part;
      if (!absl::CUnescape(text_.substr(start, at_ - start), &part)) {
        at_ = start;
        return error("a string with the escapes of C");
      }
      result += part;
      ++at_;
    }
    return result;
  }

  absl::Status value(const FieldInfo* info, int depth, Message& out) {
    const char next = peek();
    if (next == '{' || next == '<') {
      ++at_;
      const bool known = info != nullptr && info->kind == Kind::kMessage;
      if (info != nullptr && !known) return error(absl::StrCat("a value of ", info->name));
      Message message =
          TRY(this->message(known ? info->message : "", next == '{' ? '}' : '>', depth + 1));
      if (!known) return absl::OkStatus();
      Field& field = out.fields.emplace_back();
      field.info = info;
      field.message.push_back(std::move(message));
      return absl::OkStatus();
    }
    Field field;
    field.info = info;
    const size_t start = at_;
    if (next == '"' || next == '\'') {
      field.text = TRY(string());
      if (info != nullptr && info->kind != Kind::kString) {
        at_ = start;
        return error(absl::StrCat("a value of ", info->name));
      }
    } else {
      field.text = word();
      if (field.text.empty()) return error("a value");
      if (info != nullptr) TRY(number(*info, start, field));
    }
    if (info != nullptr) out.fields.push_back(std::move(field));
    return absl::OkStatus();
  }

  absl::Status number(const FieldInfo& info, size_t start, Field& field) {
    const std::string& text = field.text;
    uint64_t large = 0;
    bool ok = info.kind == Kind::kEnum && absl::ascii_isalpha(text[0]);
    if (info.kind == Kind::kFloat || info.kind == Kind::kDouble) {
      ok = absl::SimpleAtod(text, &field.real);
    } else if (info.kind == Kind::kInteger || info.kind == Kind::kEnum) {
      if (text == "true" || text == "false") {
        field.integer = text == "true" ? 1 : 0;
        ok = true;
      } else if (absl::SimpleAtoi(text, &field.integer)) {
        ok = true;
      } else if (absl::SimpleAtoi(text, &large)) {
        field.integer = static_cast<int64_t>(large);
        ok = true;
      }
    }
    if (ok) return absl::OkStatus();
    at_ = start;
    return error(absl::StrCat("a value of ", info.name));
  }

  absl::string_view text_;
  Cursor cursor_;  // for places of errors
  size_t at_ = 0;
};

const Field* last(const Message& message, absl::string_view name) {
  const Field* found = nullptr;
  for (const Field& field : message.fields) {
    if (field.info->name == name) found = &field;
  }
  return found;
}

template <class Value>
std::vector<Value> all(const Message& message, absl::string_view name, Value Field::*of) {
  std::vector<Value> found;
  for (const Field& field : message.fields) {
    if (field.info->name == name) found.push_back(field.*of);
  }
  return found;
}

}  // namespace

int64_t Message::integer(absl::string_view name) const {
  const Field* field = last(*this, name);
  return field == nullptr ? 0 : field->integer;
}

std::string Message::text(absl::string_view name) const {
  const Field* field = last(*this, name);
  return field == nullptr ? "" : field->text;
}

const Message* Message::message(absl::string_view name) const {
  const Field* field = last(*this, name);
  return field == nullptr ? nullptr : &field->message[0];
}

bool Message::has(absl::string_view name) const { return last(*this, name) != nullptr; }

std::vector<const Message*> Message::messages(absl::string_view name) const {
  std::vector<const Message*> found;
  for (const Field& field : fields) {
    if (field.info->name == name) found.push_back(&field.message[0]);
  }
  return found;
}

std::vector<double> Message::reals(absl::string_view name) const {
  return all(*this, name, &Field::real);
}

std::vector<int64_t> Message::integers(absl::string_view name) const {
  return all(*this, name, &Field::integer);
}

absl::StatusOr<Message> parse_binary(absl::string_view bytes, absl::string_view type) {
  return BinaryReader(bytes, 0).message(type, 0);
}

absl::StatusOr<Message> parse_text(absl::string_view text, absl::string_view type) {
  return TextReader(text).message(type, '\0', 0);
}

// The fields of the messages that the reader needs: all that an instruction has. Source: the field
// numbers that XLA publishes (hlo.proto, xla_data.proto), as jaxlib 0.10.2 has them.

namespace {

// A message in each line: its name, then `number name kind` of each field. Kinds are i (integer), e
// (enum), f (float), d (double), s (string), x (skipped: nothing depends on it), and names of messages.
constexpr absl::string_view kSchema = R"(
HloProto: 1 hlo_module HloModuleProto
HloModuleProto: 1 name s, 2 entry_computation_name s, 3 computations HloComputationProto, 4 host_program_shape ProgramShapeProto, 6 entry_computation_id i, 8 input_output_alias HloInputOutputAliasProto, 15 device_assignment DeviceAssignmentProto, 19 frontend_attributes FrontendAttributes
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
