// SPDX-License-Identifier: Apache-2.0
// `tileproof fuzz`: its output and exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "corpus/paths.h"
#include "fuzz/campaign/campaign_testing.h"
#include "fuzz/campaign/input_text.h"
#include "generate/choose/choose.h"

namespace tileproof::campaign {
namespace {

using ::testing::HasSubstr;

const std::string kProgram = build_path("bin/tileproof");

// Runs a shell command. Returns its output and status.
std::pair<std::string, int> command(const std::string& line) {
  std::string output;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  for (int c; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  const int status = ::pclose(pipe);
  return {output, WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status)};
}

TEST_F(CampaignTest, GoesOnWithAFullDiskAndPrintsItsFindings) {
  add("layout", "starts 2>/dev/null; fail f32x 'wrong' 2>/dev/null\n");
  add("shape_text", kGood);
  const auto [output, status] = command(
      absl::StrCat("ulimit -f 0; exec ", kProgram, " fuzz layout shape_text --time 2s --corpus ",
                   options_.folder.string(), " --programs ", options_.programs.string(),
                   " --seeds ", options_.corpus.string(), " 2>&1"));
  EXPECT_EQ(status, 1) << output;
  EXPECT_THAT(output, HasSubstr("FOUND: wrong: 'f32x' at 7"));
  EXPECT_THAT(output, HasSubstr("cannot write"));
  EXPECT_THAT(output, HasSubstr("the campaign goes on without a record"));
  EXPECT_THAT(output, HasSubstr("shape_text: "));
  EXPECT_THAT(output, HasSubstr("1 finding\n"));
}

TEST_F(CampaignTest, TheProgramPrintsNoProgressToAPipe) {
  add("layout", kGood);
  fs::create_directories(options_.corpus / "layouts");
  for (const char* name : {"regressions.txt", "real.txt"}) {
    std::ofstream(options_.corpus / "layouts" / name) << "f32[3]\n";
  }
  const std::string call = absl::StrCat(
      kProgram, " fuzz layout --time 3s --corpus ", options_.folder.string(), " --programs ",
      options_.programs.string(), " --seeds ", options_.corpus.string());
  const auto [errors, status] = command(call + " 2>&1 >/dev/null");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(errors, "");
  const fs::path page = root_ / "page.html";
  const auto [json, again] = command(call + " --json --html " + page.string());
  EXPECT_EQ(again, 0);
  EXPECT_TRUE(conform::read_json(json).ok()) << json;
  EXPECT_TRUE(fs::exists(page));
  EXPECT_EQ(command(kProgram + " fuzz nosuch 2>&1").second, 2);
}

TEST_F(CampaignTest, TheProgramPrintsProgressToATerminal) {
  add("layout", "starts; printf '#70\\tNEW    cov: 12 ft: 25 corp: 2/2b\\n'; sleep 1; ends\n");
  const auto [output, status] =
      command(absl::StrCat("script -qec '", kProgram, " fuzz layout --time 3s --corpus ",
                           options_.folder.string(), " --programs ", options_.programs.string(),
                           " --seeds ", options_.corpus.string(), "' /dev/null"));
  EXPECT_THAT(output,
              ::testing::ContainsRegex("\r\x1b\\[K[0-9]+s left, [0-9]+ runs, [0-9]+/s, "
                                       "2[05] features \\(\\+[0-9]+\\), [0-9]+ new inputs?, "
                                       "0 findings: layout"));
}

TEST_F(CampaignTest, TheProgramPrintsAnInputAsACommand) {
  std::ofstream(root_ / "input") << "f32[3]";
  const std::string input = (root_ / "input").string();
  EXPECT_EQ(command(kProgram + " fuzz layout --show " + input).first, "tileproof prove 'f32[3]'\n");
  const std::string shown = command(kProgram + " fuzz hlo_computation --show " + input).first;
  EXPECT_THAT(shown, HasSubstr("tileproof map --verify --direction $direction $'HloModule"));
  EXPECT_EQ(command(kProgram + " fuzz layout --show /nowhere 2>&1").second, 2);
}

// Inputs that are texts or choices.
std::vector<std::string> inputs_of(Input input, size_t lines) {
  const std::string map =
      "(d0, d1)[s0] -> (d0 * 8 + s0, (-d1) mod 2), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, "
      "7]";
  const std::string after =
      "(d0, d1)[s0] -> (d0 floordiv 8 + s0, d1), domain: d0 in [0, 79], d1 in [0, 1], s0 in [0, 1]";
  switch (input) {
    case Input::kShape:
      if (lines == 2) return {"f32[16,256]{1,0}\nf32[16,256]{1,0:T(8,128)}"};
      return {"f32[3,5]{1,0:T(2,2)}", "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}", "pred[]"};
    case Input::kNested:
      return {"((4,2),(4,3)):((4,16),(1,32))", "zN:f16[64,96]"};
    case Input::kMap:
      return lines == 2 ? std::vector{map + "\n" + after, map + "\n" + map}
                        : std::vector{map, after};
    case Input::kMlir:
      return {"#map = affine_map<(d0) -> (d0)>\nmemref<4xf32, #map>", "memref<4x8xf32>"};
    case Input::kHlo:
      return {"t = f32[5,8] transpose(f32[8,5] p), dimensions={1,0}",
              "HloModule m\n\nENTRY e {\n  p = f32[4,6] parameter(0)\n  i = s32[] parameter(1)\n"
              "  ROOT d = f32[2,6] dynamic-slice(p, i, i), dynamic_slice_sizes={2,6}\n}\n"};
    case Input::kStableHlo:
      return {
          "func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {\n"
          "  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
          "  return %0 : tensor<3x2xf32>\n}"};
    case Input::kHloProto:
      return {
          "computations {\n  name: \"e\" id: 1 root_id: 2\n  instructions { name: \"p\" opcode: "
          "\"parameter\" id: 1 shape { element_type: F32 dimensions: 3 } }\n  instructions { "
          "name: \"n\" opcode: \"negate\" id: 2 operand_ids: 1 shape { element_type: F32 "
          "dimensions: 3 } }\n}\nentry_computation_id: 1\n"};
    case Input::kRequest:
      return {R"({"id":1,"op":"layout.linearize","shape":"f32[3]","index":[1]})"};
    case Input::kTrace:
      return {
          "map (d0) -> (d0), domain: d0 in [0, 7]\n1: result 0 is d0\n2: new result 0 is d0\n"
          "becomes (d0) -> (d0), domain: d0 in [0, 7]\n"};
    default:
      break;
  }
  std::vector<std::string> choices(4);
  Choose choose(Choose::Random{1});
  for (const size_t length : {20, 60, 120}) {
    std::string& bytes = choices[length / 40];
    while (bytes.size() < length) bytes += static_cast<char>(choose(256));
  }
  return choices;
}

// The printed command of an input runs without an error and asks the question of the target.
TEST_F(CampaignTest, TheCommandOfAnInputAsksTheQuestionOfItsTarget) {
  const std::map<std::string, std::string> answers = {
      {"shape_text", "offset "},
      {"layout", "proven "},
      {"layout_convert", "equal: the same offset for every index"},
      {"relayout", "copy runs of 128 elements"},
      {"nested", "cosize "},
      {"algebra", "same-as-reference-composition: holds"},
      {"map_parse", " -> "},
      {"mlir_text", "line 1: "},
      {"map_simplify", "map.simplify: 1 pass"},
      {"map_compose", "map.compose: 1 pass"},
      {"map_equal", "equal: "},
      {"map_uses", "map.evaluate: 2 pass"},
      {"hlo_text", "operand 0"},
      {"stablehlo_text", "operand 0"},
      {"hlo_proto", "operand 0"},
      {"hlo_mutated", "1 proven"},
      {"hlo_index", "1 proven"},
      {"hlo_computation", " proven"},
      {"hlo_uses", "hlo.tile: 1 pass\nhlo.utilization: 1 pass\n"},
      {"protocol", R"({"id":1,"result":1})"},
      {"trace_check", "accepted: 2 steps"},
  };
  const std::string programs = build_path("bin");
  for (const Target& target : all_targets()) {
    bool answered = false;
    for (const std::string& input : inputs_of(target.input, target.lines)) {
      const std::string asked = command_of(target, input);
      std::ofstream(root_ / "asked") << asked << "\n";
      const auto [output, status] = command(
          absl::StrCat("PATH=", programs, ":$PATH bash ", (root_ / "asked").string(), " 2>&1"));
      // 1: no such layout; not equal. 3: undecided.
      const bool may_differ =
          target.question == Question::kConversions || target.question == Question::kEqual;
      EXPECT_TRUE(status == 0 || status == 3 || (status == 1 && may_differ))
          << target.name << ": " << asked << "\nstatus " << status << ": " << output;
      EXPECT_THAT(output, ::testing::Not(HasSubstr("tileproof: "))) << target.name << ": " << asked;
      answered = answered || absl::StrContains(output, answers.at(target.name));
    }
    EXPECT_TRUE(answered) << target.name << ": no answer has " << answers.at(target.name);
  }
}

}  // namespace
}  // namespace tileproof::campaign
