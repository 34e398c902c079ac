// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_text.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

}  // namespace
}  // namespace tileproof
