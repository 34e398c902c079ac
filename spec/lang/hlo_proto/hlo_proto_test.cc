// SPDX-License-Identifier: Apache-2.0
// Fields by their numbers, and instructions as HLO. cli/module_formats_test.sh has whole modules.
#include "spec/lang/hlo_proto/hlo_proto.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

// ---- Bytes of a message: fields by the numbers that XLA publishes ----

std::string varint(uint64_t x) {
  std::string bytes;
  for (; x >= 128; x >>= 7) bytes.push_back(static_cast<char>(x % 128 + 128));
  bytes.push_back(static_cast<char>(x));
  return bytes;
}
std::string number(int field, int64_t value) {
  return varint(static_cast<uint64_t>(field) << 3) + varint(static_cast<uint64_t>(value));
}
std::string part(int field, const std::string& bytes) {
  return varint(static_cast<uint64_t>(field) << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string numbers(int field, const std::vector<int64_t>& values) {
  std::string packed;
  for (const int64_t value : values) packed += varint(static_cast<uint64_t>(value));
  return part(field, packed);
}

// A shape f32[2] and an opcode, then the fields.
std::string instruction(const std::string& opcode, const std::string& fields) {
  return part(2, opcode) + part(3, number(2, 11) + number(3, 2)) + fields;
}

std::string hlo_of(const absl::StatusOr<Message>& message,
                   const std::vector<std::string>& called = {}) {
  if (!message.ok()) return std::string(message.status().message());
  const absl::StatusOr<std::string> text = instruction_text(*message, {"x", "y"}, called);
  return text.ok() ? *text : std::string(text.status().message());
}
std::string of_bytes(const std::string& opcode, const std::string& fields,
                     const std::vector<std::string>& called = {}) {
  return hlo_of(parse_binary(instruction(opcode, fields), "HloInstructionProto"), called);
}

TEST(HloProto, AWindowHasItsFields) {
  const std::string dimension = number(1, 3) + number(2, 2) + number(3, 1) + number(4, 5) +
                                number(5, 7) + number(6, 4) + number(7, 1);
  EXPECT_EQ(of_bytes("reduce-window", part(15, part(1, dimension)), {"add"}),
            "f32[2] reduce-window(x, y), window={size=3 stride=2 pad=1_5 lhs_dilate=4 rhs_dilate=7 "
            "rhs_reversal=1}, to_apply=add");
  // What is left out is 0, or 1 where 0 means 1; numbers may be negative.
  EXPECT_EQ(
      of_bytes("reduce-window",
               part(15, part(1, number(1, 3) + number(3, -1)) + part(1, number(1, 2))), {"add"}),
      "f32[2] reduce-window(x, y), window={size=3x2 pad=-1_0x0_0}, to_apply=add");
}

TEST(HloProto, OperationsHaveTheirNumbers) {
  EXPECT_EQ(of_bytes("slice", part(17, number(1, 1) + number(2, 7) + number(3, 2))),
            "f32[2] slice(x, y), slice={[1:7:2]}");
  EXPECT_EQ(of_bytes("pad", part(21, part(1, number(1, 1) + number(2, -2) + number(3, 3)))),
            "f32[2] pad(x, y), padding=1_-2_3");
  EXPECT_EQ(of_bytes("dot", part(30, numbers(1, {2}) + numbers(2, {1}) + numbers(3, {0}) +
                                         numbers(4, {3}))),
            "f32[2] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={3}, "
            "rhs_contracting_dims={1}");
  EXPECT_EQ(of_bytes("gather", part(33, numbers(1, {1}) + numbers(2, {2}) + numbers(3, {3}) +
                                            number(4, 4) + numbers(5, {5}) + numbers(6, {6})) +
                                   numbers(34, {7, 8})),
            "f32[2] gather(x, y), offset_dims={1}, collapsed_slice_dims={2}, start_index_map={3}, "
            "operand_batching_dims={5}, start_indices_batching_dims={6}, index_vector_dim=4, "
            "slice_sizes={7,8}");
  EXPECT_EQ(of_bytes("scatter",
                     part(48, numbers(1, {1}) + numbers(2, {2}) + numbers(3, {3}) + number(4, 4) +
                                  numbers(5, {5}) + numbers(6, {6})),
                     {"add"}),
            "f32[2] scatter(x, y), update_window_dims={1}, inserted_window_dims={2}, "
            "scatter_dims_to_operand_dims={3}, input_batching_dims={5}, "
            "scatter_indices_batching_dims={6}, index_vector_dim=4, to_apply=add");
  EXPECT_EQ(of_bytes("dynamic-slice", numbers(20, {3, 4})),
            "f32[2] dynamic-slice(x, y), dynamic_slice_sizes={3,4}");
  EXPECT_EQ(of_bytes("get-tuple-element", number(13, 5)),
            "f32[2] get-tuple-element(x, y), index=5");
  EXPECT_EQ(of_bytes("iota", numbers(14, {1})), "f32[2] iota(x, y), iota_dimension=1");
  EXPECT_EQ(of_bytes("compare", part(63, "GE")), "f32[2] compare(x, y), direction=GE");
  EXPECT_EQ(of_bytes("all-gather", numbers(14, {1}) + part(49, numbers(1, {0, 2})) +
                                       part(49, numbers(1, {1, 3}))),
            "f32[2] all-gather(x, y), dimensions={1}, replica_groups={{0,2},{1,3}}");
  // New protos have the groups in a list of devices, in one of two forms.
  const std::string devices = part(1, numbers(1, {0, 2})) + part(1, numbers(1, {1, 3}));
  EXPECT_EQ(of_bytes("all-to-all", numbers(14, {1}) + part(87, devices)),
            "f32[2] all-to-all(x, y), dimensions={1}, replica_groups={{0,2},{1,3}}");
  const std::string iota = number(1, 2) + number(2, 4) + numbers(3, {4, 2});
  EXPECT_EQ(of_bytes("all-to-all", part(87, part(2, iota))),
            "f32[2] all-to-all(x, y), replica_groups=[2,4]<=[4,2]");
  EXPECT_EQ(of_bytes("all-reduce-start", part(87, part(2, iota + numbers(4, {1, 0}))), {"add"}),
            "f32[2] all-reduce-start(x, y), replica_groups=[2,4]<=[4,2]T(1,0), to_apply=add");
  EXPECT_EQ(of_bytes("topk", number(81, 3) + number(85, 1)),
            "f32[2] topk(x, y), k=3, largest=true");
  // Newer ones have an iota of devices, or axes of a mesh, without that list.
  EXPECT_EQ(of_bytes("all-to-all", part(92, iota)),
            "f32[2] all-to-all(x, y), replica_groups=[2,4]<=[4,2]");
  const std::string axes =
      part(1, part(1, "x") + number(2, 4)) + part(1, part(1, "y") + number(2, 2));
  const std::string group = part(2, number(1, 0) + part(2, number(1, 1) + number(2, 2)));
  EXPECT_EQ(of_bytes("all-to-all", part(93, part(1, axes) + group + part(2, number(1, 1)))),
            "f32[2] all-to-all(x, y), replica_groups=mesh['x'=4,'y'=2] {'x':(1)2,'y'}");
  EXPECT_EQ(of_bytes("all-to-all",
                     part(93, part(1, axes + part(3, numbers(1, {2, 4}) + numbers(2, {1, 0}))))),
            "f32[2] all-to-all(x, y), replica_groups=mesh['x'=4,'y'=2], device_ids=([2,4]T(1,0)) "
            "{}");
  EXPECT_EQ(of_bytes("all-to-all", part(93, part(1, axes + numbers(2, {0, 2, 1})))),
            "f32[2] all-to-all(x, y), replica_groups=mesh['x'=4,'y'=2], device_ids=(0,2,1) {}");
  EXPECT_EQ(of_bytes("all-to-all", part(93, part(1, axes) + part(2, number(1, 2)))),
            "expected an axis of the mesh");
  EXPECT_EQ(of_bytes("collective-broadcast", number(100, 1)),
            "f32[2] collective-broadcast(x, y), has_dynamic_root=true");
  EXPECT_EQ(of_bytes("compare", part(63, "LT") + part(102, "TOTAL")),
            "f32[2] compare(x, y), direction=LT, order=TOTAL");
  EXPECT_EQ(of_bytes("topk", number(81, 3) + number(85, 1) + number(60, 1)),
            "f32[2] topk(x, y), is_stable=true, k=3, largest=true");
  EXPECT_EQ(of_bytes("scan", numbers(14, {1}) + number(95, 1) + number(94, 1), {"add"}),
            "f32[2] scan(x, y), is_reverse=true, num_carries=1, dimensions={1}, to_apply=add");
  EXPECT_EQ(of_bytes("topk", number(81, 3)), "f32[2] topk(x, y), k=3, largest=false");
  EXPECT_EQ(of_bytes("collective-permute", part(52, number(1, 3) + number(2, 5))),
            "f32[2] collective-permute(x, y), source_target_pairs={{3,5}}");
  EXPECT_EQ(of_bytes("reduce-precision", number(18, 5) + number(19, 10)),
            "f32[2] reduce-precision(x, y), exponent_bits=5, mantissa_bits=10");
}

// Once left out: modules that compute something else were equal.
TEST(HloProto, WhatAnOperationComputesDependsOnItsOptions) {
  const auto of = [](const std::string& opcode, const std::string& fields) {
    return of_bytes(opcode, fields).substr(std::string("f32[2] (x, y), ").size() + opcode.size());
  };
  EXPECT_EQ(of("fft", numbers(32, {8})), "fft_length={8}, fft_type=FFT");
  EXPECT_EQ(of("fft", number(31, 3) + numbers(32, {8})), "fft_length={8}, fft_type=IRFFT");
  EXPECT_EQ(of_bytes("fft", number(31, 4)), "expected a value of fft_type, found 4");
  const auto of_text = [](const std::string& fields) {
    return hlo_of(
        parse_text(absl::StrCat("shape { element_type: F32 } ", fields), "HloInstructionProto"));
  };
  EXPECT_EQ(of_text("opcode: 'fft' fft_type: IFFT fft_length: 8"),
            "f32[] fft(x, y), fft_length={8}, fft_type=IFFT");
  EXPECT_EQ(of_text("opcode: 'fft' fft_type: WFFT"), "expected a value of fft_type, found WFFT");
  EXPECT_EQ(of_text("opcode: 'scan' is_associative: TRI_STATE_TRUE"),
            "f32[] scan(x, y), num_carries=0, is_associative=true, dimensions={}");
  EXPECT_EQ(of_text("opcode: 'scan' is_associative: TRI_STATE_UNSPECIFIED"),
            "f32[] scan(x, y), num_carries=0, dimensions={}");
  EXPECT_EQ(of("compare", part(63, "LT") + part(72, "TOTALORDER")),
            "direction=LT, type=TOTALORDER");
  EXPECT_EQ(of("compare", part(63, "LT") + part(72, "FLOAT")), "direction=LT");
  EXPECT_EQ(of("sort", number(60, 1) + numbers(14, {0})), "is_stable=true, dimensions={0}");
  EXPECT_EQ(of("rng", number(23, 2)), "distribution=rng_normal");
  EXPECT_EQ(of("rng-bit-generator", ""), "algorithm=rng_default");
  EXPECT_EQ(of("rng-bit-generator", number(70, 2)), "algorithm=rng_philox");
  EXPECT_EQ(of("rng-get-and-update-state", number(66, 3)), "delta=3");
  EXPECT_EQ(
      of("triangular-solve", part(59, number(1, 1) + number(2, 1) + number(3, 1) + number(4, 3))),
      "left_side=true, lower=true, unit_diagonal=true, transpose_a=ADJOINT");
  EXPECT_EQ(of("cholesky", part(62, number(1, 1))), "lower=true");
  const std::string half{0, 0, 0, '\x3f'};
  EXPECT_EQ(of("batch-norm-inference", varint(24 << 3 | 5) + half + number(25, 3)),
            "epsilon=0.5, feature_index=3");
  EXPECT_EQ(of("dot", part(51, numbers(1, {2, 0}) + number(2, 11))),
            "operand_precision={highest,default}, algorithm=dot_f32_f32_f32");
  EXPECT_EQ(of("dot", part(98, part(1, number(1, 2) + number(2, 4)))),
            "sparsity_config={lhs={2,4,0,0}}");
  EXPECT_EQ(of("exponential", part(91, number(1, 1))), "result_accuracy={mode=highest}");
  EXPECT_EQ(of("exponential", part(91, part(2, number(3, 2)))),
            "result_accuracy={tolerance={atol=0,rtol=0,ulps=2}}");
  EXPECT_EQ(of("scatter", number(67, 1) + number(69, 1)),
            "indices_are_sorted=true, unique_indices=true");
  EXPECT_EQ(
      of("ragged-dot", part(90, part(1, numbers(1, {1})) + numbers(2, {0}) + numbers(3, {2}))),
      "lhs_ragged_dims={0}, rhs_group_dims={2}, lhs_contracting_dims={1}, "
      "rhs_contracting_dims={}");
  EXPECT_EQ(of("infeed", part(27, "a\"b")), R"(infeed_config="a\"b")");
  EXPECT_EQ(of("convolution", number(97, 2)), "convolution_kind=dgrad");
}

TEST(HloProto, CollectivesSayWhatTheirNumbersAre) {
  EXPECT_EQ(of_bytes("all-gather", numbers(14, {0}) + number(26, 3) + number(71, 1)),
            "f32[2] all-gather(x, y), channel_id=3, use_global_device_ids=true, dimensions={0}");
  EXPECT_EQ(of_bytes("all-gather", numbers(14, {0}) + number(45, 3)),
            "f32[2] all-gather(x, y), dimensions={0}, channel_id=3");
  EXPECT_EQ(of_bytes("all-to-all", number(56, 1)),
            "f32[2] all-to-all(x, y), constrain_layout=true");
}

TEST(HloProto, CustomCallsHaveTheirConfiguration) {
  const auto call = [](const std::string& fields) {
    const std::string text = of_bytes("custom-call", part(28, "f") + fields);
    return text.substr(text.find("), ") + 3);
  };
  EXPECT_EQ(call(number(65, 1)), R"(custom_call_has_side_effect=true, custom_call_target="f")");
  EXPECT_EQ(call(number(77, 4) + number(76, 1)),
            "api_version=API_VERSION_TYPED_FFI, schedule=SCHEDULE_LATEST, "
            R"(custom_call_target="f")");
  EXPECT_EQ(call(part(43, "{uplo = 76 : ui8}")),
            R"(custom_call_target="f", backend_config={uplo = 76 : ui8})");
  EXPECT_EQ(call(part(43, "{} }")), R"(custom_call_target="f", backend_config="{} }")");
  EXPECT_EQ(call(part(43, "a\"b")), R"(custom_call_target="f", backend_config="a\"b")");
  EXPECT_EQ(call(part(99, part(1, "{a}"))), R"(custom_call_target="f", backend_config={a})");
  EXPECT_EQ(of_bytes("custom-call", part(99, number(2, 1))),
            "expected a backend configuration, found the number of a payload");
  const std::string shape = number(2, 11) + number(3, 2) + part(5, numbers(1, {0}));
  EXPECT_EQ(call(number(56, 1) + part(57, shape)),
            R"(custom_call_target="f", operand_layout_constraints={f32[2]{0}})");
  EXPECT_EQ(call(part(74, numbers(1, {0}) + number(2, 1) + numbers(3, {2, 3}))),
            R"(custom_call_target="f", output_to_operand_aliasing={{0}: (1, {2, 3})})");
  const auto pair = [](const char* key, const char* value) {
    return part(1, part(1, key) + part(2, value));
  };
  EXPECT_EQ(call(part(68, pair("y", "2") + pair("x", "{1}"))),
            R"(custom_call_target="f", frontend_attributes={x={1},y="2"})");
}

TEST(HloProto, ShardingsAreThoseOfText) {
  const auto sharding = [](const std::string& fields) {
    const std::string text = of_bytes("parameter", part(40, fields));
    return text.substr(std::min(text.size(), text.find("sharding=")));
  };
  EXPECT_EQ(sharding(number(1, 0)), "sharding={replicated}");
  EXPECT_EQ(sharding(number(1, 4)), "sharding={manual}");
  EXPECT_EQ(sharding(number(1, 1) + number(4, 3)), "sharding={maximal device=3}");
  EXPECT_EQ(sharding(number(1, 3) + numbers(3, {2, 1}) + numbers(4, {1, 0})),
            "sharding={devices=[2,1]1,0}");
  const std::string iota = numbers(3, {2, 1, 2}) + numbers(9, {2, 2}) + numbers(10, {1, 0});
  EXPECT_EQ(sharding(number(1, 3) + iota + number(6, 1)),
            "sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(sharding(number(1, 3) + iota + numbers(8, {4})),
            "sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual}}");
  EXPECT_EQ(sharding(number(1, 2) + part(5, number(1, 0)) + part(5, number(1, 1))),
            "sharding={{replicated}, {maximal device=0}}");
  EXPECT_EQ(sharding(number(1, 0) + number(11, 1) + number(12, 5) + number(13, 1)),
            "sharding={replicated shard_like 5}");
  const std::string axes =
      part(1, part(1, "x") + number(2, 4)) + part(1, part(1, "y") + number(2, 2));
  const std::string x = part(1, number(1, 0) + part(2, number(1, 1) + number(2, 2)));
  EXPECT_EQ(sharding(part(14, part(2, axes) + part(3, x + number(2, 1)) + part(3, "") +
                                  part(4, number(1, 1)))),
            "sharding={mesh['x'=4,'y'=2], [{'x':(1)2}, {?}], replicated={'y'}}");
  EXPECT_EQ(of_bytes("parameter", part(40, number(1, 9))), "expected the type of a sharding");
}

TEST(HloProto, AConvolutionHasItsDimensions) {
  const std::string dimensions = number(3, 0) + number(4, 2) + numbers(6, {1}) + number(7, 2) +
                                 number(8, 1) + number(9, 1) + number(10, 2) + numbers(11, {0}) +
                                 numbers(12, {0});
  EXPECT_EQ(of_bytes("convolution", part(16, dimensions) + number(50, 3) + number(58, 5)),
            "f32[2] convolution(x, y), dim_labels=0fb_i0o->0bf, feature_group_count=3, "
            "batch_group_count=5");
}

TEST(HloProto, ComputationsHaveTheirPlaces) {
  EXPECT_EQ(of_bytes("while", "", {"b", "c"}), "f32[2] while(x, y), condition=c, body=b");
  EXPECT_EQ(of_bytes("select-and-scatter", "", {"ge", "add"}),
            "f32[2] select-and-scatter(x, y), select=ge, scatter=add");
  EXPECT_EQ(of_bytes("conditional", "", {"no", "yes"}),
            "f32[2] conditional(x, y), branch_computations={no, yes}");
  EXPECT_EQ(of_bytes("fusion", part(11, "kLoop"), {"f"}),
            "f32[2] fusion(x, y), kind=kLoop, calls=f");
  EXPECT_EQ(of_bytes("while", "", {"b"}), "expected 2 called computations, found 1");
}

// A constant of a shape, and the fields of its literal.
std::string constant_of(const std::string& shape, const std::string& elements) {
  return hlo_of(
      parse_binary(part(2, "constant") + part(3, shape) + part(8, part(1, shape) + elements),
                   "HloInstructionProto"));
}
// Of two elements of a type, and of one.
std::string constant(int type, const std::string& elements) {
  return constant_of(number(2, type) + number(3, 2), elements);
}
std::string scalar(int type, const std::string& elements) {
  return constant_of(number(2, type), elements);
}

TEST(HloProto, LiteralsOfEachIntegerType) {
  const std::string narrow{'\xff', '\x01'}, wide{'\xff', '\xff', '\x01', '\x02'};
  EXPECT_EQ(constant(1, numbers(2, {1, 0})), "pred[2] constant({true, false})");
  EXPECT_EQ(constant(2, part(15, narrow)), "s8[2] constant({-1, 1})");
  EXPECT_EQ(constant(3, part(17, wide)), "s16[2] constant({-1, 513})");
  EXPECT_EQ(constant(4, numbers(4, {-1, 1})), "s32[2] constant({-1, 1})");
  EXPECT_EQ(constant(5, numbers(5, {-1, 1})), "s64[2] constant({-1, 1})");
  EXPECT_EQ(constant(6, part(3, narrow)), "u8[2] constant({255, 1})");
  EXPECT_EQ(constant(7, part(16, wide)), "u16[2] constant({65535, 513})");
  EXPECT_EQ(constant(8, numbers(6, {7, 1})), "u32[2] constant({7, 1})");
  EXPECT_EQ(constant(9, numbers(7, {-1, 1})), "u64[2] constant({18446744073709551615, 1})");
  // Below a byte, the lower bits of a byte count.
  const std::string small{'\x09', '\xf6'};
  EXPECT_EQ(constant(21, part(21, small)), "s4[2] constant({-7, 6})");
  EXPECT_EQ(constant(22, part(22, small)), "u4[2] constant({9, 6})");
  EXPECT_EQ(constant(26, part(26, small)), "s2[2] constant({1, -2})");
  EXPECT_EQ(constant(27, part(27, small)), "u2[2] constant({1, 2})");
  EXPECT_EQ(constant(30, part(30, small)), "s1[2] constant({-1, 0})");
  EXPECT_EQ(constant(31, part(31, small)), "u1[2] constant({1, 0})");
}

// Once read as 0, whatever it was.
TEST(HloProto, AScalarThatIsNotReadHasNoValue) {
  EXPECT_EQ(scalar(21, part(21, "\x03")), "s4[] constant(3)");
  EXPECT_EQ(scalar(1, numbers(2, {1})), "pred[] constant(true)");
  for (const auto& [type, name] :
       {std::pair(1, "pred"), std::pair(4, "s32"), std::pair(9, "u64"), std::pair(10, "f16"),
        std::pair(15, "c64"), std::pair(18, "c128"), std::pair(21, "s4")}) {
    EXPECT_EQ(scalar(type, ""), absl::StrCat("expected the value of a constant of ", name));
    EXPECT_EQ(constant(type, ""), absl::StrCat(name, "[2] constant({...})"));
  }
  EXPECT_EQ(scalar(4, numbers(4, {1, 2})), "expected the value of a constant of s32");
  EXPECT_EQ(
      hlo_of(parse_text("opcode: 'constant' shape { element_type: F32 }", "HloInstructionProto")),
      "expected the value of a constant of f32");
}

TEST(HloProto, LiteralsOfEmptyArraysAndTuples) {
  EXPECT_EQ(constant_of(number(2, 4) + number(3, 0), ""), "s32[0] constant({})");
  EXPECT_EQ(constant_of(number(2, 4) + numbers(3, {2, 0}), ""), "s32[2,0] constant({...})");
  EXPECT_EQ(constant_of(number(2, 4) + numbers(3, {2, -1}), ""),
            "expected a constant of fewer elements");
  EXPECT_EQ(constant_of(number(2, 4) + numbers(3, {INT64_MAX, 2}), ""),
            "expected a constant of fewer elements");
  EXPECT_EQ(constant_of(number(2, 4) + numbers(3, {1, 2}), numbers(4, {5, 6})),
            "s32[1,2] constant({ {5, 6} })");
  const std::string one = number(2, 4), two = number(2, 11) + number(3, 2);
  const std::string pair = number(2, 13) + part(4, one) + part(4, two);
  EXPECT_EQ(constant_of(pair, part(10, numbers(4, {7})) + part(10, "")),
            "(s32[], f32[2]) constant((7, {...}))");
  EXPECT_EQ(constant_of(pair, part(10, numbers(4, {7}))), "(s32[], f32[2]) constant((7, {...}))");
  EXPECT_EQ(constant_of(pair, ""), "expected the value of a constant of s32");
}

TEST(HloProto, LiteralsOfFloats) {
  const std::string halves{0, 0, 0, '\x3f', 0, 0, 0, '\xc0'};  // 0.5, -2
  EXPECT_EQ(constant(11, part(8, halves)), "f32[2] constant({0.5, -2})");
  EXPECT_EQ(constant(11, varint(8 << 3 | 5) + halves.substr(0, 4) + varint(8 << 3 | 5) +
                             halves.substr(4)),
            "f32[2] constant({0.5, -2})");
  const std::string doubles{0, 0, 0, 0, 0, 0, '\xe0', '\x3f', 0, 0, 0, 0, 0, 0, 0, '\xc0'};
  EXPECT_EQ(constant(12, part(9, doubles)), "f64[2] constant({0.5, -2})");
  EXPECT_EQ(constant(16, part(13, std::string{'\x80', '\x3f', 0, '\xc0'})),
            "bf16[2] constant({1, -2})");
  EXPECT_EQ(constant(10, part(11, std::string{0, '\x3c', 1, '\x80'})),
            "f16[2] constant({1, -5.9604644775390625e-08})");
  EXPECT_EQ(constant(15, part(12, halves + halves)), "c64[2] constant({(0.5, -2), (0.5, -2)})");
  EXPECT_EQ(constant(18, part(18, doubles + doubles)), "c128[2] constant({(0.5, -2), (0.5, -2)})");
  for (const std::string type : {"f32", "f64"}) {
    const std::string shape =
        absl::StrCat("shape { element_type: ", type == "f32" ? "F32" : "F64", " dimensions: 2 }");
    EXPECT_EQ(hlo_of(parse_text(absl::StrCat("opcode: 'constant' ", shape, " literal { ", type,
                                             "s: 0.5 ", type, "s: -2e0 }"),
                                "HloInstructionProto")),
              type + "[2] constant({0.5, -2})");
    EXPECT_EQ(
        hlo_of(parse_text(absl::StrCat("opcode: 'constant' ", shape, " literal { ", type, "s: x }"),
                          "HloInstructionProto")),
        absl::StrCat("column 78: expected a value of ", type, "s"));
  }
}

TEST(HloProto, LayoutsHaveTheirProperties) {
  const std::string layout = numbers(1, {0, 1}) + part(6, numbers(1, {8, 128})) +
                             part(6, numbers(1, {2, 1})) + number(7, 4) + number(8, 3) +
                             number(16, 32);
  const std::string shape =
      number(2, 21) + numbers(3, {5, 6}) + numbers(6, {1, 0}) + part(5, layout);
  EXPECT_EQ(hlo_of(parse_binary(part(2, "negate") + part(3, shape), "HloInstructionProto")),
            "s4[<=5,6]{0,1:T(8,128)(2,1)L(32)E(4)S(3)} negate(x, y)");
}

TEST(HloProto, TextHasTheSameFieldsByName) {
  EXPECT_EQ(
      hlo_of(parse_text("opcode: 'pad' shape { element_type: F32 dimensions: [2] } "
                        "padding_config { dimensions { edge_padding_low: 1 edge_padding_high: "
                        "-2 interior_padding: 3 } }",
                        "HloInstructionProto")),
      "f32[2] pad(x, y), padding=1_-2_3");
}

// PrimitiveType, by its numbers.
TEST(HloProto, TypesHaveTheirNumbers) {
  const std::vector<std::string> names = {
      "pred",       "s8",       "s16",       "s32",    "s64",           "u8",
      "u16",        "u32",      "u64",       "f16",    "f32",           "f64",
      "tuple",      "opaque",   "c64",       "bf16",   "token",         "c128",
      "f8e5m2",     "f8e4m3fn", "s4",        "u4",     "f8e4m3b11fnuz", "f8e5m2fnuz",
      "f8e4m3fnuz", "s2",       "u2",        "f8e4m3", "f8e3m4",        "s1",
      "u1",         "f4e2m1fn", "f8e8m0fnu", "",       "f6e3m2fn",      "f6e2m3fn"};
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string shape = number(2, static_cast<int64_t>(i + 1)) + number(3, 7);
    const std::string text =
        hlo_of(parse_binary(part(2, "copy") + part(3, shape), "HloInstructionProto"));
    EXPECT_EQ(text, names[i] == "tuple" ? "() copy(x, y)"
                    : names[i].empty()  ? "expected an element type"
                                        : names[i] + "[7] copy(x, y)");
  }
  for (const int64_t none : {int64_t{0}, std::ssize(names) + 1, int64_t{-1}}) {
    EXPECT_EQ(
        hlo_of(parse_binary(part(2, "copy") + part(3, number(2, none)), "HloInstructionProto")),
        "expected an element type");
  }
}

TEST(HloProto, ShapesOfTuplesAndTiles) {
  const std::string array = number(2, 11) + number(3, 4), scalar = number(2, 4);
  const std::string inside = number(2, 13) + part(4, scalar) + part(4, array);
  const std::string outside = number(2, 13) + part(4, array) + part(4, inside);
  EXPECT_EQ(hlo_of(parse_binary(part(2, "tuple") + part(3, outside), "HloInstructionProto")),
            "(f32[4], (s32[], f32[4])) tuple(x, y)");
  // A tile that combines two dimensions has the least number for the first.
  const std::string layout = numbers(1, {1, 0}) + part(6, numbers(1, {INT64_MIN, 128}));
  EXPECT_EQ(hlo_of(parse_binary(
                part(2, "copy") + part(3, number(2, 11) + numbers(3, {4, 6}) + part(5, layout)),
                "HloInstructionProto")),
            "f32[4,6]{1,0:T(*,128)} copy(x, y)");
}

// Numbers of other operations than the instruction's do not count.
TEST(HloProto, NumbersOfOtherOperationsDoNotCount) {
  EXPECT_EQ(of_bytes("negate", part(17, number(1, 1)) + part(21, part(1, number(1, 1))) +
                                   part(30, numbers(1, {2})) + part(33, numbers(1, {1})) +
                                   part(48, numbers(1, {1})) + part(16, number(3, 1)) +
                                   part(52, number(1, 3)) + part(63, "GE") + numbers(14, {1}) +
                                   numbers(20, {3}) + number(13, 5) + number(81, 3)),
            "f32[2] negate(x, y)");
}

TEST(HloProto, OperationsOnDimensionsHaveThem) {
  for (const std::string opcode : {"broadcast", "transpose", "reduce", "concatenate", "reverse",
                                   "sort", "map", "all-gather", "all-to-all", "all-gather-start",
                                   "reduce-scatter", "get-dimension-size", "set-dimension-size"}) {
    EXPECT_EQ(of_bytes(opcode, numbers(14, {1, 0})),
              "f32[2] " + opcode + "(x, y), dimensions={1,0}");
  }
  // Without dimensions, an all-to-all has a tuple, and the others have none.
  EXPECT_EQ(of_bytes("all-to-all", ""), "f32[2] all-to-all(x, y)");
  EXPECT_EQ(of_bytes("reduce", ""), "f32[2] reduce(x, y), dimensions={}");
}

TEST(HloProto, OperationsCallByTheirNames) {
  EXPECT_EQ(of_bytes("custom-call", part(28, "t"), {"f", "g"}),
            "f32[2] custom-call(x, y), custom_call_target=\"t\", called_computations={f, g}");
  EXPECT_EQ(of_bytes("async-start", "", {"f"}), "f32[2] async-start(x, y), calls=f");
  EXPECT_EQ(of_bytes("all-reduce-start", "", {"f"}), "f32[2] all-reduce-start(x, y), to_apply=f");
  EXPECT_EQ(of_bytes("select-and-scatter", "", {"f"}), "expected 2 called computations, found 1");
  EXPECT_EQ(of_bytes("collective-permute-start",
                     part(52, number(1, 3) + number(2, 5)) + part(49, numbers(1, {0}))),
            "f32[2] collective-permute-start(x, y), source_target_pairs={{3,5}}");
  EXPECT_EQ(of_bytes("under_score", ""), "f32[2] under_score(x, y)");
}

TEST(HloProto, NumbersOfDimensionsMayBeLeftOut) {
  EXPECT_EQ(of_bytes("slice", part(17, number(2, 7))), "f32[2] slice(x, y), slice={[0:7]}");
  EXPECT_EQ(of_bytes("dot", part(30, numbers(1, {2}))),
            "f32[2] dot(x, y), lhs_contracting_dims={2}, rhs_contracting_dims={}");
  for (const std::string opcode : {"dot", "pad", "gather", "scatter", "convolution"})
    EXPECT_EQ(of_bytes(opcode, ""), "f32[2] " + opcode + "(x, y)");
  const std::string places =
      number(7, 0) + number(8, 1) + number(3, 0) + number(4, 1) + number(9, 0) + number(10, 1);
  EXPECT_EQ(of_bytes("convolution", part(16, places)),
            "f32[2] convolution(x, y), dim_labels=bf_io->bf");
  // Each place once, and inside.
  for (const std::string& wrong : {number(8, 0), number(8, -1), number(8, 2), numbers(11, {1}),
                                   numbers(11, {3}), numbers(11, {-1})}) {
    EXPECT_EQ(of_bytes("convolution", part(16, places + wrong)),
              "expected each dimension of a convolution once");
  }
}

TEST(HloProto, OnlyArraysHaveLayouts) {
  const std::string layout = part(5, numbers(1, {0}) + number(16, 1));
  const auto shape = [&](const std::string& fields) {
    return hlo_of(parse_binary(part(2, "copy") + part(3, fields + layout), "HloInstructionProto"));
  };
  EXPECT_EQ(shape(number(2, 11) + number(3, 4)), "f32[4]{0} copy(x, y)");
  EXPECT_EQ(shape(number(2, 11)), "f32[] copy(x, y)");
  EXPECT_EQ(shape(number(2, 17) + number(3, 4)), "token[4] copy(x, y)");
  EXPECT_EQ(shape(number(2, 14) + number(3, 4)), "opaque[4] copy(x, y)");
  EXPECT_EQ(hlo_of(parse_binary(part(2, "copy"), "HloInstructionProto")),
            "expected an opcode and a shape");
}

TEST(HloProto, ValuesOfTextHaveTheirForms) {
  const auto topk = [](const std::string& largest) {
    return hlo_of(parse_text(
        "# a comment\nopcode: 'topk' shape { element_type: 11 } k: 2 largest: " + largest +
            " # another",
        "HloInstructionProto"));
  };
  EXPECT_EQ(topk("true"), "f32[] topk(x, y), k=2, largest=true");
  EXPECT_EQ(topk("false"), "f32[] topk(x, y), k=2, largest=false");
  EXPECT_EQ(topk("1"), "f32[] topk(x, y), k=2, largest=true");
  EXPECT_EQ(topk("yes"), "line 2, column 57: expected a value of largest");
  EXPECT_EQ(hlo_of(parse_text("opcode: 'constant' shape { element_type: U64 } literal { u64s: "
                              "18446744073709551615 }",
                              "HloInstructionProto")),
            "u64[] constant(18446744073709551615)");
  EXPECT_EQ(hlo_of(parse_text("opcode: 'constant' shape { element_type: F32 } literal { f32s: "
                              "+1.5e+2 }",
                              "HloInstructionProto")),
            "f32[] constant(150)");
  EXPECT_FALSE(parse_text("shape { element_type: { } }", "HloInstructionProto").ok());
  EXPECT_FALSE(parse_text("tuple_index: two", "HloInstructionProto").ok());
}

// As deep as shapes of HLO text may nest.
TEST(HloProto, MessagesNestToALimit) {
  const auto text = [](int depth) {
    std::string shape = "element_type: F32";
    for (int i = 0; i < depth; ++i)
      shape = absl::StrCat("element_type: TUPLE tuple_shapes { ", shape, " }");
    return parse_text("opcode: 'copy' shape { " + shape + " }", "HloInstructionProto");
  };
  EXPECT_TRUE(text(999).ok());
  EXPECT_FALSE(text(1000).ok());
  const auto binary = [](int depth) {
    std::string shape = number(2, 11);
    for (int i = 0; i < depth; ++i) shape = number(2, 13) + part(4, shape);
    return parse_binary(part(2, "copy") + part(3, shape), "HloInstructionProto");
  };
  EXPECT_TRUE(binary(999).ok());
  EXPECT_FALSE(binary(1000).ok());
}

// A name may have quotes; in HLO text they are escaped.
TEST(HloProto, NamesOfCustomCallsAreEscaped) {
  EXPECT_EQ(of_bytes("custom-call", part(28, "a\"b\\")),
            R"(f32[2] custom-call(x, y), custom_call_target="a\"b\\")");
}

// ---- What protobuf says of fields ----

TEST(HloProto, FieldsMayRepeatAndBeUnknown) {
  // The last value of a field counts; repeated numbers are packed, or not, or both.
  EXPECT_EQ(of_bytes("get-tuple-element", number(13, 5) + number(13, 2)),
            "f32[2] get-tuple-element(x, y), index=2");
  EXPECT_EQ(of_bytes("transpose", number(14, 2) + numbers(14, {0, 1})),
            "f32[2] transpose(x, y), dimensions={2,0,1}");
  // Fields that the reader does not know, in each encoding, are attributes that nobody knows.
  const std::string eight(8, '\x7f'), four(4, '\x7f');
  const std::string unknown = number(1000, -1) + (varint(1001 << 3 | 1) + eight) +
                              part(1002, "text") + (varint(1003 << 3 | 5) + four);
  EXPECT_EQ(of_bytes("get-tuple-element", unknown + number(13, 2)),
            "f32[2] get-tuple-element(x, y), index=2, field_1000=unknown, field_1001=unknown, "
            "field_1002=unknown, field_1003=unknown");
  EXPECT_EQ(hlo_of(parse_text("opcode: 'get-tuple-element' other { a: [1, 2] b <c: 'd'> } what: "
                              "-1.5e3; shape { element_type: F32 } tuple_index: 2",
                              "HloInstructionProto")),
            "f32[] get-tuple-element(x, y), index=2, other=unknown, what=unknown");
}

TEST(HloProto, BytesThatAreNoMessage) {
  const auto error = [](const std::string& bytes) {
    const absl::StatusOr<Message> message = parse_binary(bytes, "HloInstructionProto");
    return message.ok() ? "read" : std::string(message.status().message());
  };
  EXPECT_EQ(error(number(13, 2).substr(0, 1)), "byte 1: expected more bytes of a number");
  EXPECT_EQ(error(part(2, "copy").substr(0, 4)), "byte 2: expected 4 more bytes");
  EXPECT_EQ(error(number(2, 7)), "byte 2: expected another encoding of opcode before this");
  EXPECT_EQ(error(varint(13 << 3 | 1) + std::string(8, '\0')),
            "byte 9: expected another encoding of tuple_index before this");
  EXPECT_EQ(error(varint(1000 << 3 | 5) + "abc"), "byte 2: expected 4 more bytes");
  EXPECT_EQ(error(std::string(1, '\x0b')), "byte 1: expected a number or bytes before this");
  EXPECT_EQ(error(std::string(1, '\x00') + "a"), "byte 1: expected a field number above 0");
  EXPECT_EQ(error(std::string(11, '\xff')),
            "byte 10: expected a number of at most 64 bits before "
            "this");
  // The place inside of a message counts from the beginning of the whole.
  EXPECT_EQ(error(part(3, number(2, 11) + number(1, 1) + std::string(1, '\x0b'))),
            "byte 7: expected a number or bytes before this");
}

TEST(HloProto, StringsOfTextHaveEscapes) {
  const auto literal = [](const std::string& strings) {
    return hlo_of(parse_text(
        absl::StrCat("opcode: 'constant' shape { element_type: S8 dimensions: 3 } literal { s8s: ",
                     strings, " }"),
        "HloInstructionProto"));
  };
  EXPECT_EQ(literal(R"("\377\001a")"), "s8[3] constant({-1, 1, 97})");
  EXPECT_EQ(literal(R"('\0017' "\n")"), "s8[3] constant({1, 55, 10})");
  EXPECT_EQ(literal(R"("\t\r\\")"), "s8[3] constant({9, 13, 92})");
  EXPECT_EQ(literal(R"("\"'" '\1')"), "s8[3] constant({34, 39, 1})");
  EXPECT_EQ(literal(R"("\x01\xff\a")"), "s8[3] constant({1, -1, 7})");
  EXPECT_EQ(literal("\"ab"), "column 81: expected the end of a string");
  EXPECT_EQ(literal(R"("ab\q")"), "column 77: expected a string with the escapes of C");
}

// ---- Modules ----

// Two computations, whose instructions are in another order than their ids, and neither ends with
// its root.
std::string two_computations(const std::string& entry) {
  return absl::StrCat(R"(name: "two" )", entry, R"(
computations { name: "f" id: 5 root_id: 2
  instructions { name: "p" opcode: "parameter" id: 3 shape { element_type: F32 dimensions: 4 } }
  instructions { name: "n" opcode: "negate" id: 2 operand_ids: 3 shape { element_type: F32 dimensions: 4 } }
  instructions { name: "a" opcode: "abs" id: 1 operand_ids: 3 shape { element_type: F32 dimensions: 4 } }
}
computations { name: "g" id: 6 root_id: 9
  instructions { name: "p" opcode: "parameter" id: 8 shape { element_type: F32 dimensions: 4 } }
  instructions { name: "p" opcode: "parameter" id: 7 parameter_number: 1 shape { element_type: F32 dimensions: 4 } }
  instructions { name: "9" opcode: "subtract" id: 9 operand_ids: [7, 8] shape { element_type: F32 dimensions: 4 } }
  instructions { name: "last" opcode: "abs" id: 10 operand_ids: 8 shape { element_type: F32 dimensions: 4 } }
})");
}

// The name of the entry and its root.
std::string entry_of(const std::string& module) {
  const absl::StatusOr<std::vector<HloModule>> read = parse_modules(module, UnknownHlo::kRefuse);
  if (!read.ok()) return std::string(read.status().message());
  const HloComputation& entry = (*read)[0].computations[(*read)[0].entry];
  return absl::StrCat((*read)[0].name, " ", entry.name, ": ", to_text(entry, entry.root));
}

TEST(HloProto, ModulesHaveTheirEntryAndRoots) {
  EXPECT_EQ(entry_of(two_computations("entry_computation_id: 5")),
            "two f: ROOT %n = f32[4] negate(%p)");
  EXPECT_EQ(entry_of(two_computations("entry_computation_name: 'g'")),
            "two g: ROOT %v9 = f32[4] subtract(%p.1, %p)");
  // The id counts, not the name.
  EXPECT_EQ(entry_of(two_computations("entry_computation_name: 'g' entry_computation_id: 5")),
            "two f: ROOT %n = f32[4] negate(%p)");
  EXPECT_EQ(
      entry_of(absl::StrCat("hlo_module { ", two_computations("entry_computation_id: 6"), " }")),
      "two g: ROOT %v9 = f32[4] subtract(%p.1, %p)");
  EXPECT_EQ(entry_of(two_computations("computations { name: 'h' id: 6 }")),
            "expected each id of computations once, found that of g again");
}

TEST(HloProto, NamesBecomeWordsOfHlo) {
  const auto named = [](const std::string& name) {
    return entry_of(
        absl::StrCat("name: 'm' entry_computation_id: 1 computations { name: 'e' id: 1 root_id: 1 "
                     "instructions { "
                     "name: '",
                     name, "' opcode: 'iota' id: 1 shape { element_type: S32 dimensions: 4 } } }"));
  };
  for (const std::string word : {"a-b.c_d", "_x", "Z9"}) {
    EXPECT_EQ(named(word), "m e: ROOT %" + word + " = s32[4] iota(), iota_dimension=0");
  }
  EXPECT_EQ(named("a b/c"), "m e: ROOT %a_b_c = s32[4] iota(), iota_dimension=0");
  EXPECT_EQ(named("9"), "m e: ROOT %v9 = s32[4] iota(), iota_dimension=0");
  EXPECT_EQ(named("-x"), "m e: ROOT %v-x = s32[4] iota(), iota_dimension=0");
  EXPECT_EQ(named(""), "m e: ROOT %v = s32[4] iota(), iota_dimension=0");
}

// HLO text may begin with words that are fields of a proto.
TEST(HloProto, IsTakenForOneByItsFirstField) {
  for (const char* proto :
       {"hlo_module { name: 'm' }", "hlo_module: <>", "computations { }", "computations: { }",
        "# a comment\n# another\nhlo_module {", "name: 'm' computations { }",
        "entry_computation_name: 'e' computations { }", "HloModule m\x01"}) {
    EXPECT_TRUE(looks_like_proto(proto)) << proto;
  }
  for (const char* other :
       {"HloModule m", "", "# only a comment", "hlo_module", "computations = f32[] add(a, b)",
        "name: 'm'", "name = f32[2] negate(computations)", "title: 'm' computations { }"}) {
    EXPECT_FALSE(looks_like_proto(other)) << other;
  }
}

TEST(HloProto, ErrorsNameTheInstruction) {
  const auto error = [](const std::string& instructions) {
    return entry_of(absl::StrCat("entry_computation_id: 1 computations { id: 1 root_id: 2 ",
                                 instructions, " }"));
  };
  const std::string shape = "shape { element_type: F32 dimensions: 4 }";
  const std::string p = "instructions { name: 'p' opcode: 'parameter' id: 1 " + shape + " } ";
  EXPECT_EQ(
      error(p + "instructions { name: 'r' opcode: 'revrse' id: 2 operand_ids: 1 " + shape + " }"),
      "ROOT r: expected an opcode, found 'revrse'; did you mean 'reverse'?");
  EXPECT_EQ(error(p + "instructions { name: 'r' id: 2 " + shape + " }"),
            "r: expected an opcode and a shape");
  EXPECT_EQ(error(p + "instructions { name: 'r' opcode: 'neg(ate' id: 2 " + shape + " }"),
            "r: expected an opcode");
  EXPECT_EQ(
      error(p + "instructions { name: 'r' opcode: 'abs' id: 2 operand_ids: 7 " + shape + " }"),
      "r: expected the id of an operand or a computation, found 7");
  EXPECT_EQ(error(""), "expected an HloProto or HloModuleProto with instructions");
}

}  // namespace
}  // namespace tileproof::hlo_proto
