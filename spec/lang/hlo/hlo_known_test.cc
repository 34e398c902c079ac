// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_known.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

using ::testing::ElementsAre;

// As jax.jit(f).lower(x).compile().as_text() prints a module, with one word replaced.
std::string module_with(absl::string_view instruction) {
  return absl::StrCat(
      R"(HloModule jit_f, entry_computation_layout={(f32[8,16]{1,0})->f32[4,16]{1,0}}

ENTRY main.4 {
  Arg_0.1 = f32[8,16]{1,0} parameter(0), metadata={op_name="x"}
  ROOT slice.2 = )",
      instruction, "\n}\n");
}

// As XLA prints them (hlo_instruction.cc), besides those that every instruction may have.
TEST(HloKnown, TheAttributesOfIndexedOperations) {
  const std::pair<HloOpcode, std::vector<absl::string_view>> lists[] = {
      {HloOpcode::kScatter,
       {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
        "input_batching_dims", "scatter_indices_batching_dims", "index_vector_dim",
        "indices_are_sorted", "unique_indices", "to_apply"}},
      {HloOpcode::kGather,
       {"offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims",
        "start_indices_batching_dims", "index_vector_dim", "slice_sizes", "indices_are_sorted"}},
      {HloOpcode::kDot,
       {"lhs_batch_dims", "lhs_contracting_dims", "rhs_batch_dims", "rhs_contracting_dims",
        "operand_precision", "sparsity", "sparsity_config", "block_scaling_config", "algorithm"}},
      {HloOpcode::kConvolution,
       {"window", "dim_labels", "feature_group_count", "batch_group_count", "operand_precision",
        "algorithm", "convolution_kind", "sparsity_config", "block_scaling_config"}},
      {HloOpcode::kReduceScatter,
       {"channel_id", "replica_groups", "constrain_layout", "use_global_device_ids", "dimensions",
        "to_apply"}},
  };
  for (const auto& [opcode, attributes] : lists) {
    for (const absl::string_view name : attributes) {
      EXPECT_TRUE(is_known_attribute(opcode, name_of(opcode), name))
          << name_of(opcode) << ": " << name;
    }
    EXPECT_FALSE(is_known_attribute(opcode, name_of(opcode), "slice")) << name_of(opcode);
  }
}

TEST(HloKnown, EveryInstructionMayHaveMetadataAndASharding) {
  for (const HloOpcodeInfo& info : hlo_opcodes()) {
    EXPECT_TRUE(is_known_attribute(info.opcode, info.name, "metadata")) << info.name;
    EXPECT_TRUE(is_known_attribute(info.opcode, info.name, "sharding")) << info.name;
    for (const char* other : {"metdata", "meta", "data", "", "sharding statistics", "shar"}) {
      EXPECT_FALSE(is_known_attribute(info.opcode, info.name, other)) << info.name << other;
    }
  }
}

TEST(HloKnown, UnknownWordsAreKeptByDefaultAndCanBeListed) {
  const auto modules = parse_hlo_modules(
      module_with("f32[4,16]{1,0} slice(f32[8,16] negaet(Arg_0.1), b=1), slcie={[0:4]}, x=2"));
  EXPECT_FALSE(modules.ok());  // operands have no attributes
  const auto kept = parse_hlo_modules(
      module_with("f32[4,16]{1,0} slice(f32[8,16] negaet(Arg_0.1)), slcie={[0:4]}, x=2"));
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_THAT(unknown_words(kept->front()),
              ElementsAre("opcode negaet", "attribute slcie of slice", "attribute x of slice"));
  const auto compared =
      parse_hlo_modules(module_with("pred[8,16]{1,0} compare(Arg_0.1, Arg_0.1), direction=LTT"));
  ASSERT_TRUE(compared.ok()) << compared.status();
  EXPECT_THAT(unknown_words(compared->front()), ElementsAre("direction=LTT of compare"));
}

}  // namespace
}  // namespace tileproof
