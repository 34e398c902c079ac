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
using ::testing::HasSubstr;
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

std::vector<std::string> names_of(const HloComputation& computation) {
  std::vector<std::string> names;
  for (const HloInstruction& i : computation.instructions) names.push_back(i.name);
  return names;
}

// A root `r` with the given attributes, in a computation of a module.
HloInstruction with_attributes(absl::string_view attributes) {
  return root_of(absl::StrCat("HloModule m\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = ",
                              "f32[4] custom-call(p), ", attributes, "\n}\n"));
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

TEST(HloText, TheShortFormHasNoPercentSignsNoSignaturesAndNoOperandShapes) {
  const HloComputation entry =
      entry_of("HloModule m\nENTRY e {\n p = f32[3] parameter(0)\n ROOT n = f32[3] negate(p)\n}");
  EXPECT_FALSE(entry.signature);
  EXPECT_FALSE(entry.instructions[1].operands[0].shape);
  EXPECT_EQ(entry.instructions[1].operands[0].instruction, 0);
}

TEST(HloText, SectionsBeforeTheComputationsAreKept) {
  const HloModule module = module_of(
      "HloModule m\n\nFileNames\n1 \"a.py\"\n2 \"b \\\" c.py\"\n\nFunctionNames\n1 \"<module>\"\n\n"
      "FileLocations\n1 {file_name_id=1 function_name_id=1 line=3 end_line=3}\n\nStackFrames\n\n\n"
      "ENTRY e {\n p = f32[] parameter(0), metadata={op_name=\"x\" stack_frame_id=1}\n}");
  ASSERT_EQ(module.sections.size(), 4);
  EXPECT_EQ(module.sections[0].name, "FileNames");
  EXPECT_EQ(module.sections[0].entries[1],
            std::make_pair(int64_t{2}, std::string("\"b \\\" c.py\"")));
  EXPECT_EQ(module.sections[2].entries[0].second,
            "{file_name_id=1 function_name_id=1 line=3 end_line=3}");
  EXPECT_THAT(module.sections[3].entries, IsEmpty());
}

TEST(HloText, ValuesOfAttributesAreKeptAsWritten) {
  for (const char* value :
       {R"({xla.sdy.meshes={mesh = #sdy.mesh<["a"=1, "b"=2]>}})",
        R"({a="{", b="x\"}"})",
        R"({"k":{"url":"http://a/b","n":[1,2]},"s":"}"})",
        R"("quoted \"json\"")",
        "{module=\"nvshmem\"}",
        "{replicated}",
        "{maximal device=0}",
        "{manual}",
        "{devices=[2,1]0,1}",
        "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}",
        "{devices=[2,2]<=[4] last_tile_dims={manual}}",
        "{{replicated}, {maximal device=1}, /*index=2*/{manual}}",
        "{}",
        "{{0,1},{2},{3,4,5}}",
        "[8,128]<=[1024]T(1,0)",
        "[1,2]<=[2]",
        "bf01_01io->bf01",
        "?b0f_0?io->b0f",
        "bf_io->bf",
        "{[0:8:2], [1:3]}",
        "-1_2_0x0_-3",
        "{size=3x3 stride=2x1 pad=1_1x0_-2 lhs_dilate=2x1 rhs_dilate=1x3 rhs_reversal=1x0}",
        "s32[2]{0} {1, 2}",
        "f32[] 0.1",
        "( s32[4]{0} {4, 1, 2, 3}, pred[2]{0} {1, 0} )",
        R"({kind="sharding", entry={maximal device=0}, exit={{manual}, {replicated}}})",
        R"({({"a"}, {"b" {0}})})",
        "{visualizing_index=1,stat-1=33,stat-2=44}",
        "{mode=highest}",
        "{tolerance={atol=0.03125,rtol=0.03125,ulps=2}}",
        R"("foo\"bar")",
        "true",
        "1e-06",
        "EQ",
        "dot_bf16_bf16_f32_x3",
        "(f32[2]{0}, token[])",
        "{(f32[8]{0})->f32[]}",
        "{ {0}: (0, {}, may-alias), {1}: (2, {1}, must-alias) }"}) {
    for (const char* name : {"literal", "mystery"}) {
      const bool typed = absl::string_view(value).substr(0, 2) == "s3" || value[0] == 'f' ||
                         absl::string_view(value).substr(0, 2) == "( ";
      if (typed != (absl::string_view(name) == "literal")) continue;
      const HloInstruction root =
          with_attributes(absl::StrCat("first=1, ", name, "=", value, ", last=2"));
      EXPECT_EQ(attribute_of(root, name), value);
      EXPECT_EQ(attribute_of(root, "last"), "2");
      EXPECT_EQ(attribute_of(with_attributes(absl::StrCat(name, "=", value)), name), value);
    }
  }
}

TEST(HloText, OnlyBracesAndStringsCountInABackendConfig) {
  const std::string json = R"({"a":"}", "b":[1, "/*"], c: // no comment
 {}})";
  EXPECT_EQ(attribute_of(with_attributes(absl::StrCat("backend_config=", json, ", z=1")),
                         "backend_config"),
            json);
  EXPECT_EQ(attribute_of(with_attributes("frontend_attributes={a=http://x/y}, z=1"), "z"), "1");
}

TEST(HloText, CommentsStandAnywhere) {
  const HloComputation entry = entry_of(
      "// a file\nHloModule m /* the name */ // and more\nENTRY e { // } not the end\n"
      "  p = (f32[], /*index=1*/s32[2]) /* shape */ parameter(/*number*/0) // done\n"
      "  c = s32[2]{0} constant({ /*i0=0*/ 1, 2 /* ) } */ }) , // , x=1\n "
      "metadata={op_name=\"//\"}\n"
      "  ROOT g = s32[2] get-tuple-element(p), index=1 //, sharding={replicated}\n} // e\n");
  EXPECT_THAT(names_of(entry), ElementsAre("p", "c", "g"));
  EXPECT_EQ(entry.instructions[1].literal, "{ /*i0=0*/ 1, 2 /* ) } */ }");
  EXPECT_EQ(attribute_of(entry.instructions[1], "metadata"), "{op_name=\"//\"}");
  EXPECT_EQ(entry.instructions[2].attributes.size(), 1);
}

TEST(HloText, AFileMayHoldSeveralModules) {
  const std::vector<HloModule> modules = modules_of(
      "HloModule a\nENTRY e { p = f32[] parameter(0) }\nHloModule b\nENTRY e { p = s32[] "
      "parameter(0) }\n// -----\ne { p = u8[] parameter(0) }\n\n// ----- the same name\ne { p = "
      "u4[] "
      "parameter(0) }\n// -----\n// CHECK: nothing\n// -----\nx = f32[] add(f32[] y, f32[] z)\n"
      "// -----\nHloModule c\nENTRY e { p = f64[] parameter(0) }\n// -----\n");
  ASSERT_EQ(modules.size(), 6);
  EXPECT_EQ(modules[1].name, "b");
  EXPECT_FALSE(modules[2].has_header);
  EXPECT_EQ(modules[3].computations[0].name, "e");
  EXPECT_EQ(modules[4].computations[0].name, "");
  EXPECT_EQ(modules[5].name, "c");
}

TEST(HloText, AModuleInsideAStringIsText) {
  const HloModule module = module_of(
      "HloModule outer, origin_recovery_table={\n  {\"c\"} : {\"d\"},\n  \"\n    HloModule inner\n"
      "    ENTRY %r (p: f32[]) -> f32[] {\n    }\n// -----\n  \"\n}\n\nENTRY e { p = f32[] "
      "parameter(0) }");
  EXPECT_EQ(module.name, "outer");
  EXPECT_THAT(module.attributes[0].value, HasSubstr("HloModule inner"));
}

TEST(HloText, HeadersComeInManyForms) {
  EXPECT_EQ(module_of("HloModule with_colon:\nENTRY e { p = f32[] parameter(0) }").name,
            "with_colon");
  EXPECT_FALSE(module_of("ENTRY e { p = f32[] parameter(0) }").has_header);
  const HloModule module = module_of(
      "HloModule m, is_scheduled=true, entry_computation_layout={(f32[], "
      "/*index=5*/s32[])->f32[]}, "
      "input_output_alias={ {}: (0, {}, may-alias) }, buffer_donor={ (0, {0}) }, num_partitions=8, "
      "replica_count=2, allow_spmd_sharding_propagation_to_output={true,false}\n"
      "ENTRY e { p = f32[] parameter(0) }");
  EXPECT_EQ(module.attributes.size(), 7);
  EXPECT_EQ(*find_attribute(module.attributes, "num_partitions"), "8");
  EXPECT_EQ(find_attribute(module.attributes, "replicas"), nullptr);
}

TEST(HloText, WithoutEntryTheLastComputationIsTheEntryAndWithoutRootTheLastInstructionTheRoot) {
  const HloModule module = module_of(
      "HloModule m\na { p = f32[] parameter(0)\n q = f32[] negate(p) }\n"
      "b { ROOT p = f32[] parameter(0)\n q = f32[] negate(p) }\n");
  EXPECT_EQ(module.entry, 1);
  EXPECT_EQ(module.computations[0].root, 1);
  EXPECT_EQ(module.computations[1].root, 0);
  EXPECT_EQ(module_of("ENTRY a { p = f32[] parameter(0) }\nb { p = f32[] parameter(0) }").entry, 0);
}

TEST(HloText, SignaturesMayLackTheirColonsOrHaveLayoutsAndTuples) {
  const HloComputation entry = entry_of(
      "ENTRY %e (x f32[2]{0}, t.1: (s32[], (pred[], token[]))) -> (f32[2], ()) {\n"
      "  x = f32[2]{0} parameter(0)\n  t.1 = (s32[], (pred[], token[])) parameter(1)\n"
      "  u = () tuple()\n  ROOT r = (f32[2], ()) tuple(x, u)\n}, execution_thread=\"host\"\n");
  EXPECT_EQ(entry.signature->parameters[1].first, "t.1");
  EXPECT_EQ(to_text(*entry.signature->parameters[1].second), "(s32[], (pred[], token[]))");
  EXPECT_EQ(*find_attribute(entry.attributes, "execution_thread"), "\"host\"");
  EXPECT_THAT(entry_of("ENTRY e () -> f32[] { c = f32[] constant(1) }").signature->parameters,
              IsEmpty());
}

TEST(HloText, OneBareInstructionBringsItsParametersAlong) {
  const HloComputation entry =
      entry_of("bc0 = f32[10,20,30] broadcast(f32[20] p0), dimensions={1}");
  EXPECT_EQ(entry.name, "");
  EXPECT_TRUE(entry.is_entry);
  EXPECT_EQ(to_text(entry),
            "%p0 = f32[20] parameter(0)\n"
            "ROOT %bc0 = f32[10,20,30] broadcast(f32[20] %p0), dimensions={1}\n");
}

TEST(HloText, BareInstructionsMayLeaveOutNamesShapesAndCallees) {
  EXPECT_THAT(names_of(entry_of("f32[8] add(f32[8], f32[8] y, f32[8])")),
              ElementsAre("parameter", "y", "parameter.1", "add"));
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

TEST(HloText, BareInstructionsAndComputationsMayStandTogether) {
  const HloModule module = module_of(
      "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] add(a, b) }\n"
      "ROOT r = f32[] reduce(f32[8] x, f32[] z), dimensions={0}, to_apply=sum\n");
  EXPECT_EQ(module.entry, 1);
  EXPECT_THAT(called_computations(module.computations[1].instructions[2], "to_apply"),
              ElementsAre(0));
}

TEST(HloText, ShapesMayBeLeftOut) {
  const HloComputation entry =
      entry_of("e { p = f32[2] parameter(0)\n t = tuple(p, p)\n ROOT n = tuple(t, p) }");
  EXPECT_EQ(to_text(*entry.instructions[1].shape), "(f32[2], f32[2])");
  EXPECT_EQ(entry.instructions[2].operands[0].instruction, 1);
  const HloComputation unknown = entry_of("e { p = f32[2] parameter(0)\n r = reshape(p) }");
  EXPECT_FALSE(unknown.instructions[1].shape);
}

TEST(HloText, NestedOperationsBecomeInstructions) {
  const HloComputation entry = entry_of(
      "ENTRY e {\n ROOT r = f32[10] add(f32[10] parameter(0), multiply(f32[10] parameter(1), "
      "f32[10] "
      "negate(f32[10] parameter(2))))\n multiply = f32[10] abs(r)\n}");
  EXPECT_THAT(names_of(entry), ElementsAre("parameter", "parameter.1", "parameter.2", "negate",
                                           "multiply.1", "r", "multiply"));
  EXPECT_EQ(entry.root, 5);
  EXPECT_EQ(to_text(*entry.instructions[4].shape), "f32[10]");
  EXPECT_EQ(entry.instructions[5].operands[1].instruction, 4);
}

TEST(HloText, ComputationsInBracesBecomeComputations) {
  const HloModule module = module_of(
      "call_to_apply { p = f32[] parameter(0) }\n"
      "ENTRY e { x = f32[] parameter(0)\n y = f32[] call(x), to_apply={\n p = f32[] parameter(0)\n "
      "ROOT q = f32[] call(p), to_apply={ n = f32[] parameter(0) }\n }, "
      "frontend_attributes={k=\"v\"}\n"
      " i = s32[] constant(0)\n ROOT c = f32[] conditional(i, x, y), branch_computations={{ a = "
      "f32[] "
      "parameter(0) }, { ROOT b = f32[] parameter(0) }}\n}");
  ASSERT_EQ(module.computations.size(), 6);
  const HloComputation& entry = module.computations[5];
  EXPECT_EQ(attribute_of(entry.instructions[1], "to_apply"), "%call_to_apply.2");
  EXPECT_THAT(called_computations(entry.instructions[1], "to_apply"), ElementsAre(2));
  EXPECT_EQ(attribute_of(entry.instructions[3], "branch_computations"),
            "{%conditional_branch_computations, %conditional_branch_computations.1}");
  EXPECT_THAT(called_computations(entry.instructions[3], "branch_computations"), ElementsAre(3, 4));
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

TEST(HloText, NamesMayLookLikeAnything) {
  const std::string lengthy(150, 'n');
  const HloComputation entry =
      entry_of(absl::StrCat("HloModule add\nENTRY f32 {\n  add = f32[2] parameter(0)\n  f32 = "
                            "f32[2] add(add, add)\n  b = "
                            "f32[2] negate(f32)\n  %ROOT = f32[2] abs(b)\n  s32_ = b(f32[2]) "
                            "custom-call(%ROOT, b, f32)\n  ",
                            lengthy, " = f32[2] copy(s32_)\n  _ = f32[2] copy(", lengthy,
                            ")\n  ENTRY = f32[2] copy(_)\n  tuple.1 = () tuple()\n  ROOT "
                            "%HloModule = f32[2] copy(ENTRY)\n}"));
  EXPECT_EQ(entry.name, "f32");
  EXPECT_THAT(names_of(entry), ElementsAre("add", "f32", "b", "ROOT", "s32_", lengthy, "_", "ENTRY",
                                           "tuple.1", "HloModule"));
  EXPECT_EQ(entry.instructions[4].operands[2].instruction, 1);
  EXPECT_EQ(entry.root, 9);
}

TEST(HloText, LiteralsAreKeptAsWritten) {
  const std::vector<std::pair<const char*, const char*>> literals = {
      {"s32[]", "42"},       {"s32[]", "-1"},         {"s32[2]", "{1, 2}"},
      {"f32[0]", "{}"},      {"f32[8]", "{...}"},     {"s32[2,2]", "{ { 1, 2 }, { 3, 4 } }"},
      {"f32[]", "nan"},      {"f32[]", "-nan(0x7f)"}, {"c64[2]", "{(1, 2), (3, 4)}"},
      {"f32[]", "inf"},      {"f32[]", "-inf"},       {"(f32[], s32[2])", "( 1, {2, 3})"},
      {"pred[]", "true"},    {"f32[]", "1e-06"},      {"token[]", ""},
      {"c64[]", "(1.5, -2)"}};
  for (const auto& [shape, literal] : literals) {
    const HloInstruction root =
        root_of(absl::StrCat("e { c = ", shape, " constant( ", literal, " ), z=1 }"));
    EXPECT_EQ(root.literal, literal);
    EXPECT_EQ(attribute_of(root, "z"), "1");
  }
  // Without a shape there is nothing to fit.
  EXPECT_EQ(root_of("e { c = constant(\"x)\") }").literal, "\"x)\"");
  std::string lengthy = "{";
  for (int i = 0; i < 100'000; ++i) absl::StrAppend(&lengthy, i, ", ");
  lengthy += "0}";
  EXPECT_EQ(root_of(absl::StrCat("e { c = s32[100001] constant(", lengthy, ") }")).literal,
            lengthy);
}

TEST(HloText, ShapesComeInManyForms) {
  for (const char* shape :
       {"()", "((), (f32[], ()))", "token[]", "opaque[]", "b(f32[4])", "f32[<=8,2]", "f32[?,784]",
        "f32[1, 2]", "f32[3,5]{0, 1:T(1,128)}", "f32[2,3,5]{2,1,0:T(2, * , 128)}", "f32[0,64]{1,0}",
        "s4[72057594037927936]", "f32[1000000000000]", "f32[1,1,1,1,1,1,1,1,1,1,2]",
        "u32[]{:T(128)S(6)}", "(f32[2]{0}, /*index=1*/(s8[], b(f32[4]{0})))"}) {
    const HloInstruction root = root_of(
        absl::StrCat("e { p = ", shape, " parameter(0)\n r = ", shape, " copy(", shape, " p) }"));
    ASSERT_TRUE(root.shape) << shape;
    EXPECT_EQ(*root.shape, *parse_shape(shape)) << shape;
    EXPECT_EQ(root.operands[0].shape, root.shape);
  }
}

TEST(HloText, AShapeIsReadTheSameWhateverFollows) {
  // The parser keeps shapes by their text: `f32[2]` alone and before a layout differ.
  const HloComputation entry = entry_of(
      "e { a = f32[2] parameter(0)\n b = f32[2] {0} copy(a)\n c = f32[2]{0} copy(f32[2] /*x*/ {0} "
      "b)\n"
      " d = (f32[2], f32[2]{0}) tuple(f32[2] a, c)\n g = f32[2] copy(a), to_apply={ p = f32[2] "
      "parameter(0) } }");
  EXPECT_FALSE(entry.instructions[0].shape->layout);
  EXPECT_TRUE(entry.instructions[1].shape->layout);
  EXPECT_TRUE(entry.instructions[2].operands[0].shape->layout);
  EXPECT_FALSE(entry.instructions[3].shape->parts[0].layout);
  EXPECT_FALSE(entry.instructions[4].shape->layout);
}

// What is read, or the error, does not depend on which shapes were read before.
TEST(HloText, AShapeIsReadTheSameAfterOthers) {
  const auto read_after = [](absl::string_view before, absl::string_view shape) {
    const auto modules = parse_hlo_modules(absl::StrCat(
        "e { a = ", before, "[2] parameter(0) c = ", before, "[2]{0} parameter(1) t = (", before,
        "[2], ", before, "[2]{0}) parameter(2) u = b(", before,
        "[2]) parameter(3)\nROOT r = ", shape, " custom-call(a) }"));
    if (!modules.ok()) return std::string(modules.status().message());
    const HloComputation& entry = modules->front().computations[0];
    return to_text(*entry.instructions[entry.root].shape);
  };
  for (const char* shape : {"f32[2]",
                            "f32[2]{0}",
                            "f32 [2]",
                            "f32[ 2]",
                            "f32[2 ]",
                            "f32[2] {0}",
                            "f32[2]{ 0}",
                            "f32[2]{0 }",
                            "f32[2]{0}{0}",
                            "f32[2]{-1}",
                            "f32[2]{-x}",
                            "f32[2]{",
                            "f32[2] {",
                            "f32[2]{}",
                            "f32[2]{:}",
                            "f32[2]{0",
                            "f32[2]{0:T(2",
                            "f32[2]{0:T(2)}",
                            "f32[2]{0:T(2)",
                            "f32[2",
                            "f32[2{0}",
                            "f32[",
                            "f32",
                            "f32]",
                            "f32[2]/**/{0}",
                            "f32[2]/**/",
                            "f32[2]{/**/0}",
                            "f32[2]{/**/-1}",
                            "f32[/**/2]",
                            "f32[2/**/]",
                            "f32[2/*]*/]",
                            "f32[2]{0/**/}",
                            "f32[2]{0/*}*/}",
                            "f32[2]//\n{0}",
                            "(f32[2], f32[2]{0})",
                            "(f32[2], f32[2]{0}){0}",
                            "(f32[2], f32[2]{0}",
                            "(f32[2], f32[2]{0}))",
                            "((f32[2], f32[2]{0}))",
                            "(f32[2], f32[2]{0/*)*/})",
                            "(f32[2], //)\nf32[2]{0})",
                            "(f32[2], /*)*/f32[2]{0})",
                            "(f32[2], /*f32[2]{0})",
                            "(f32[2], \"f32[2]{0})",
                            "(f32[2]=f32[2]{0})",
                            "(",
                            ")",
                            "()",
                            "b(f32[2])",
                            "b(f32[2]",
                            "b(f32[2]{0}",
                            "b (f32[2])",
                            "b(f32[2])/**/",
                            "b",
                            "c(f32[2])"}) {
    EXPECT_EQ(read_after("f32", shape), read_after("s32", shape)) << shape;
  }
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

TEST(HloText, ThePaddingOfAScalarIsNothing) {
  const HloComputation entry = entry_of(
      "e { p = f32[] parameter(0)\n q = f32[] pad(p, p), padding=\n r = f32[] pad(p, q), padding=, "
      "z=1\n}");
  EXPECT_EQ(attribute_of(entry.instructions[1], "padding"), "");
  EXPECT_EQ(attribute_of(entry.instructions[2], "z"), "1");
}

}  // namespace
}  // namespace tileproof
