// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_text.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_known.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The modules of a text. The text must be valid, and its printed form must give the same modules.
// Throws otherwise, as the test cannot go on without modules.
std::vector<HloModule> modules_of(absl::string_view text) {
  absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  if (!modules.ok()) {
    throw std::runtime_error(absl::StrCat(modules.status().message(), "\n", text));
  }
  const std::string printed = to_text(*modules);
  const absl::StatusOr<std::vector<HloModule>> again = parse_hlo_modules(printed);
  EXPECT_TRUE(again.ok() && *again == *modules) << text << "\nprinted as\n" << printed;
  return *std::move(modules);
}

HloModule module_of(absl::string_view text) {
  const std::vector<HloModule> modules = modules_of(text);
  EXPECT_EQ(modules.size(), 1) << text;
  return modules.front();
}

HloComputation entry_of(absl::string_view text) {
  const HloModule module = module_of(text);
  return module.computations[module.entry];
}

HloInstruction root_of(absl::string_view text) {
  const HloComputation entry = entry_of(text);
  return entry.instructions[entry.root];
}

std::string attribute_of(const HloInstruction& instruction, absl::string_view name) {
  const std::string* const value = find_attribute(instruction.attributes, name);
  return value == nullptr ? "(none)" : *value;
}

TEST(HloText, AModuleIsPrintedAsXlaPrintsIt) {
  const std::string text =
      "HloModule sums, entry_computation_layout={(f32[8]{0})->f32[]}\n"
      "\n"
      "%sum (a: f32[], b: f32[]) -> f32[] {\n"
      "  %a = f32[] parameter(0)\n"
      "  %b = f32[] parameter(1)\n"
      "  ROOT %c = f32[] add(f32[] %a, f32[] %b)\n"
      "}\n"
      "\n"
      "ENTRY %main (x: f32[8]) -> f32[] {\n"
      "  %x = f32[8]{0} parameter(0)\n"
      "  %zero = f32[] constant(0)\n"
      "  ROOT %total = f32[] reduce(f32[8]{0} %x, f32[] %zero), dimensions={0}, to_apply=%sum\n"
      "}\n";
  const HloModule module = module_of(text);
  EXPECT_EQ(to_text(module), text);
  EXPECT_EQ(module.name, "sums");
  EXPECT_EQ(module.entry, 1);
  const HloComputation& main = module.computations[1];
  EXPECT_TRUE(main.is_entry);
  EXPECT_EQ(main.root, 2);
  EXPECT_EQ(main.signature->parameters[0].first, "x");
  const HloInstruction& total = main.instructions[2];
  EXPECT_EQ(total.opcode, HloOpcode::kReduce);
  EXPECT_EQ(total.operands[0].instruction, 0);
  EXPECT_EQ(to_text(*total.operands[0].shape), "f32[8]{0}");
  EXPECT_THAT(called_computations(total, "to_apply"), ElementsAre(0));
  EXPECT_EQ(to_text(main, 1), "%zero = f32[] constant(0)");
  EXPECT_EQ(main.instructions[1].literal, "0");
}

TEST(HloText, BareInstructionsMayLeaveOutNamesShapesAndCallees) {
  const HloComputation seed = entry_of(
      "p0 = f32[256,10] parameter(0)\np0_init = f32[] constant(-inf)\n"
      "reduce = f32[10] reduce(p0, p0_init), dimensions={0}, to_apply=max");
  EXPECT_THAT(called_computations(seed.instructions[2], "to_apply"), ElementsAre(-1));
  // Undefined operands get the free numbers.
  const HloComputation mixed = entry_of(
      "b = f32[] parameter(1)\nr = f32[] add(f32[] a, f32[] b)\ns = f32[] add(r, f32[] a)");
  EXPECT_THAT(parameters_of(mixed), ElementsAre(1, 0));
  EXPECT_EQ(mixed.instructions[1].name, "a");
}

TEST(HloText, ALongLiteralIsKept) {
  std::string literal = "{";
  for (int i = 0; i < 100'000; ++i) absl::StrAppend(&literal, i, ", ");
  literal += "0}";
  EXPECT_EQ(root_of(absl::StrCat("e { c = s32[100001] constant(", literal, ") }")).literal,
            literal);
}

TEST(HloText, EveryAttributeThatCallsIsResolved) {
  const HloModule module = module_of(
      "HloModule m\nf { p = f32[] parameter(0) }\n%g { p = f32[] parameter(0) }\nENTRY e {\n"
      " x = f32[] parameter(0)\n w = f32[] while(x), condition=%f, body=g\n"
      " c = f32[] conditional(x, w, w), true_computation=f, false_computation=%g\n"
      " k = f32[] custom-call(c), called_computations={%f, g}, custom_call_target=\"t\"\n"
      " n = f32[] custom-call(c), called_computations={}\n"
      " ROOT s = f32[] select-and-scatter(k, k, k), select=f, scatter=g\n}");
  const std::vector<HloInstruction>& i = module.computations[2].instructions;
  EXPECT_THAT(called_computations(i[1], "condition"), ElementsAre(0));
  EXPECT_THAT(called_computations(i[1], "body"), ElementsAre(1));
  EXPECT_THAT(called_computations(i[2], "false_computation"), ElementsAre(1));
  EXPECT_THAT(called_computations(i[3], "called_computations"), ElementsAre(0, 1));
  EXPECT_THAT(called_computations(i[4], "called_computations"), IsEmpty());
  EXPECT_THAT(called_computations(i[5], "scatter"), ElementsAre(1));
}

TEST(HloText, AsynchronousOperationsAreKnownByTheirWrapper) {
  const HloModule module = module_of(
      "HloModule m\nf { p = f32[2] parameter(0) }\nENTRY e {\n p = f32[2] parameter(0)\n"
      " s = ((f32[2]), f32[2], s32[]) call-start(p), async_execution_thread=\"t\", to_apply=f\n"
      " u = ((f32[2]), f32[2], s32[]) call-update(s), control-predecessors={s, p}\n"
      " d = f32[2] call-done(u)\n g = (f32[2], f32[4]) all-gather-start(d), channel_id=1, "
      "dimensions={0}\n ROOT a = f32[4] all-gather-done(g)\n}");
  const std::vector<HloInstruction>& i = module.computations[1].instructions;
  EXPECT_EQ(i[1].opcode, HloOpcode::kAsyncStart);
  EXPECT_EQ(i[1].opcode_text, "call-start");
  EXPECT_EQ(wrapped_opcode(i[1].opcode_text), HloOpcode::kCall);
  EXPECT_EQ(i[2].opcode, HloOpcode::kAsyncUpdate);
  EXPECT_EQ(i[3].opcode, HloOpcode::kAsyncDone);
  EXPECT_EQ(i[4].opcode, HloOpcode::kAllGatherStart);
  EXPECT_EQ(attribute_of(i[2], "control-predecessors"), "{s, p}");
}

TEST(HloText, UnknownOpcodesAreKept) {
  const HloInstruction root =
      root_of("e { p = f32[] parameter(0)\n r = f32[] frob-nicate(p), q=1 }");
  EXPECT_EQ(root.opcode, HloOpcode::kOther);
  EXPECT_EQ(root.opcode_text, "frob-nicate");
  EXPECT_EQ(opcode_named("mystery-start"), HloOpcode::kOther);
}

TEST(HloText, EveryKnownOpcodeHasItsName) {
  EXPECT_EQ(hlo_opcodes().size(), 137);
  for (const HloOpcodeInfo& entry : hlo_opcodes()) {
    EXPECT_EQ(opcode_named(entry.name), entry.opcode);
    EXPECT_EQ(name_of(entry.opcode), entry.name);
  }
}

TEST(HloText, InstructionsAreFoundByName) {
  const HloComputation entry = entry_of("e { p = f32[] parameter(0)\n q = f32[] negate(p)\n}");
  EXPECT_EQ(find_instruction(entry, "q"), 1);
  EXPECT_EQ(find_instruction(entry, "r"), -1);
}

// Errors and what is left out. corpus/readers/hlo.txt has attributes with what they say.

HloInstruction with(const std::string& name, const std::string& value) {
  HloInstruction instruction;
  instruction.attributes = {{name, value}};
  return instruction;
}

// Each prefix of the text, and the text without each of its characters, is read or refused with an
// error that names a column.
template <typename Read>
void expect_place_of_errors(const Read& read, const std::string& name, const std::string& text) {
  EXPECT_TRUE(read(with(name, text)).ok()) << text;
  for (size_t i = 0; i < text.size(); ++i) {
    for (const std::string& cut : {text.substr(0, i), text.substr(0, i) + text.substr(i + 1),
                                   text.substr(0, i) + "@" + text.substr(i + 1)}) {
      const auto value = read(with(name, cut));
      if (value.ok()) continue;
      EXPECT_THAT(std::string(value.status().message()), testing::HasSubstr("column ")) << cut;
    }
  }
}

TEST(HloAttributes, WhatIsCutOffIsRefusedWithItsPlace) {
  const auto dimensions = [](const HloInstruction& i) { return integers_of(i, "dimensions"); };
  expect_place_of_errors(dimensions, "dimensions", "{0, 2,1}");
  expect_place_of_errors(slice_of, "slice", "{[0:8:2], [1:3]}");
  expect_place_of_errors(padding_of, "padding", "0_0x1_2_3");
  expect_place_of_errors(window_of, "window",
                         "{size=1x5 stride=1x2 pad=0_0x-1_3 lhs_dilate=1x4 "
                         "rhs_dilate=1x6 rhs_reversal=0x1}");
  expect_place_of_errors(dim_labels_of, "dim_labels", "b01f_10io->1fb0");
  for (const char* groups : {"{{0,1},{2,3}}", "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)",
                             "mesh['x'=4,'y'=2], device_ids=([2,4]T(1,0)) {'x':(1)2,'y'}"}) {
    expect_place_of_errors(replica_groups_of, "replica_groups", groups);
  }
}

TEST(HloAttributes, DimLabelsMayHaveUnknownDimensions) {
  const ConvolutionDimensionNumbers unknown =
      *dim_labels_of(with("dim_labels", "?b0f?_0?io->b?0f"));
  EXPECT_EQ(unknown.input_batch, 1);
  EXPECT_EQ(unknown.input_rank, 5);
  EXPECT_THAT(unknown.output_spatial, ElementsAre(2));
}

TEST(HloAttributes, WhatIsLeftOutIsTheDefaultOrAnError) {
  const HloInstruction scalar_window = root_of("w = f32[] reduce-window(f32[] x, f32[] z)");
  EXPECT_THAT(*window_of(scalar_window), IsEmpty());
  const HloInstruction broadcast = root_of("bc = f32[3] broadcast(f32[] x)");
  EXPECT_THAT(*integers_of(broadcast, "dimensions", {}), IsEmpty());
  EXPECT_EQ(integers_of(broadcast, "dimensions").status().message(),
            "bc: dimensions: expected this attribute of broadcast");
  EXPECT_THAT(*padding_of(with("padding", "")), IsEmpty());
  EXPECT_THAT(*window_of(with("window", "{}")), IsEmpty());
}

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
