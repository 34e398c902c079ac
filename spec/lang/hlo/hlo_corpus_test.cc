// SPDX-License-Identifier: Apache-2.0
// Real modules: those of the project's own corpus, and more if the shared folder is there.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "corpus/paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_corpus_testing.h"
#include "spec/lang/hlo/hlo_known.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

namespace fs = std::filesystem;

struct Tally {
  int64_t files = 0;
  int64_t modules = 0;
  int64_t instructions = 0;
  int64_t attributes_read = 0;
  std::set<std::string> opcodes;
  std::set<std::string> unknown;  // to XLA

  std::string text() const {
    return absl::StrCat(files, " files, ", modules, " modules, ", instructions, " instructions, ",
                        opcodes.size(), " opcodes, ", attributes_read, " attributes read");
  }
};

// The first error about the attributes of an instruction that decide shapes and dataflow.
absl::Status read_attributes(const HloInstruction& i, int64_t& count) {
  const auto read = [&count](const auto& value) { return ++count, value.status(); };
  switch (i.opcode) {
    case HloOpcode::kSlice:
      return read(slice_of(i));
    case HloOpcode::kPad:
      return read(padding_of(i));
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
      return read(window_of(i));
    case HloOpcode::kConvolution: {
      absl::Status status = read(window_of(i));
      status.Update(read(dim_labels_of(i)));
      status.Update(read(integer_of(i, "feature_group_count", 1)));
      status.Update(read(integer_of(i, "batch_group_count", 1)));
      return status;
    }
    case HloOpcode::kDot:
      return read(dot_numbers_of(i));
    case HloOpcode::kGather:
      return read(gather_numbers_of(i));
    case HloOpcode::kScatter:
      return read(scatter_numbers_of(i));
    case HloOpcode::kBroadcast:
      return read(integers_of(i, "dimensions", {}));
    case HloOpcode::kTranspose:
    case HloOpcode::kReverse:
    case HloOpcode::kReduce:
    case HloOpcode::kConcatenate:
    case HloOpcode::kSort:
      return read(integers_of(i, "dimensions"));
    case HloOpcode::kIota:
      return read(integer_of(i, "iota_dimension"));
    case HloOpcode::kGetTupleElement:
      return read(integer_of(i, "index"));
    case HloOpcode::kAllGather:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllToAll:
    case HloOpcode::kReduceScatter:
      return read(replica_groups_of(i));
    case HloOpcode::kDynamicSlice:
      return read(integers_of(i, "dynamic_slice_sizes"));
    default:
      return absl::OkStatus();
  }
}

// The rest of the project relies on this: operands and callees come before their use.
void expect_places(const HloModule& module, Tally& tally, std::vector<std::string>& complaints) {
  for (size_t c = 0; c < module.computations.size(); ++c) {
    const HloComputation& computation = module.computations[c];
    ASSERT_GE(computation.root, 0);
    ASSERT_LT(computation.root, std::ssize(computation.instructions));
    for (int32_t i = 0; i < std::ssize(computation.instructions); ++i) {
      const HloInstruction& instruction = computation.instructions[i];
      for (const HloOperand& operand : instruction.operands) {
        ASSERT_GE(operand.instruction, 0) << to_text(computation, i);
        ASSERT_LT(operand.instruction, i) << to_text(computation, i);
      }
      for (const HloCall& call : instruction.calls) {
        ASSERT_LT(call.computation, static_cast<int32_t>(c)) << to_text(computation, i);
      }
      tally.opcodes.insert(instruction.opcode_text);
      const absl::Status status = read_attributes(instruction, tally.attributes_read);
      if (!status.ok()) complaints.push_back(std::string(status.message()));
    }
  }
}

// Reads, checks and round-trips one text. Returns its modules, or the error.
absl::StatusOr<std::vector<HloModule>> check_text(const std::string& text, Tally& tally,
                                                  std::vector<std::string>& complaints) {
  std::vector<HloModule> modules = TRY(parse_hlo_modules(text));
  ++tally.files;
  for (const HloModule& module : modules) {
    ++tally.modules;
    tally.instructions += instruction_count(module);
    for (std::string& word : unknown_words(module)) tally.unknown.insert(std::move(word));
    expect_places(module, tally, complaints);
  }
  const absl::StatusOr<std::vector<HloModule>> again = parse_hlo_modules(to_text(modules));
  EXPECT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again.ok() && *again == modules);
  return modules;
}

TEST(HloCorpus, EveryDumpOfOurOwnProgramsIsReadAndPrintedBack) {
  Tally tally;
  std::vector<std::string> complaints;
  for (const fs::path& path : hlo_files(hlo_corpus())) {
    SCOPED_TRACE(path.filename().string());
    const auto modules = check_text(content_of(path), tally, complaints);
    ASSERT_TRUE(modules.ok()) << modules.status();
    EXPECT_EQ(modules->size(), 1);
    EXPECT_TRUE(modules->front().has_header);
    for (const HloInstruction& i : modules->front().computations.back().instructions) {
      EXPECT_NE(i.opcode, HloOpcode::kOther) << i.opcode_text;
    }
  }
  EXPECT_TRUE(complaints.empty()) << complaints.size() << ", first: " << complaints.front();
  std::cout << tally.text() << "\n";
  EXPECT_EQ(tally.files, 133);
  EXPECT_THAT(tally.unknown, ::testing::IsEmpty());
  EXPECT_GT(tally.instructions, 20'000);
  EXPECT_GE(tally.opcodes.size(), 70);
  // What the programs are there for.
  const std::vector<std::string> opcodes = absl::StrSplit(
      "fusion bitcast copy convolution reduce-window gather scatter sort select-and-scatter "
      "dynamic-update-slice while conditional call dynamic-slice concatenate reverse pad "
      "all-reduce all-gather reduce-scatter all-to-all collective-permute bitcast-convert "
      "topk iota",
      ' ');
  for (const std::string& opcode : opcodes) EXPECT_TRUE(tally.opcodes.contains(opcode)) << opcode;
}

TEST(HloCorpus, NoDumpTellsWhereItWasMade) {
  for (const fs::path& path : hlo_files(hlo_corpus())) {
    const std::string text = content_of(path);
    for (const char* folder : {"/tmp/", "/home/", "/root/", "/usr/", "site-packages"}) {
      EXPECT_EQ(text.find(folder), std::string::npos) << path << " has " << folder;
    }
  }
}

// Texts that XLA refuses, too: each breaks a rule on purpose. Our error, by file.
const std::map<std::string, std::string>& refused() {
  static const auto* const table = new std::map<std::string, std::string>{
      {"conv_rewriter_test_L00646_5d4936.hlo", "expected a number of f32"},
      {"hlo_parser_test_L03015_6724d2.hlo", "expected a number of f32"},
      {"hlo_parser_test_L03029_0cc56c.hlo", "expected 2 parts, found 0"},
      {"hlo_parser_test_L03043_450047.hlo", "expected 3 parts, found 6"},
      {"hlo_parser_test_L03093_9a034d.hlo", "expected integers that fit u4"},
      {"hlo_parser_test_L03105_202abb.hlo", "expected integers that fit u4"},
      {"hlo_parser_test_L03117_a8cdcf.hlo", "expected integers that fit s4"},
      {"hlo_parser_test_L03129_745ec8.hlo", "expected integers that fit s4"},
      {"hlo_parser_test_L03151_3cb697.hlo", "expected integers that fit u32"},
      {"hlo_parser_test_L03193_65e32f.hlo", "expected a number of f64"},
      {"hlo_parser_test_L03203_30a4f0.hlo", "expected a number of f64"},
      {"hlo_parser_test_L03355_d5577a.hlo", "expected a computation defined before, found 'recv'"},
      {"hlo_parser_test_L03427_2a5ab3.hlo", "to have the shape of its root"},
      {"hlo_parser_test_L03749_8a1af7.hlo", "expected one ENTRY in a module"},
      {"hlo_parser_test_L03935_072be5.hlo", "expected one ROOT in a computation"},
      {"hlo_parser_test_L03945_f0f574.hlo", "expected each computation once in a module"},
      {"hlo_parser_test_L03959_8f2f4a.hlo", "expected an instruction defined before"},
      {"hlo_parser_test_L04514_4e203f.hlo", "expected the shape that constant.1 has"},
      {"hlo_parser_test_L04757_b61d84.hlo", "expected each name once in a computation"},
      {"hlo_parser_test_L04904_fed059.hlo", "expected an instruction defined before"},
      {"hlo_parser_test_L05133_397f07.hlo", "expected a level type: D, C, S or H"},
      {"hlo_parser_test_L05145_587ee7.hlo", "expected no physical shape P(..)"},
      {"while_loop_analysis_test_L00059_4cbbe6.hlo", "expected integers of s32"},
      {"while_loop_simplifier_test_L00075_8569e6.hlo", "expected integers of s32"},
      {"while_loop_simplifier_test_L00109_c008ce.hlo", "expected integers of s32"},
      {"while_loop_simplifier_test_L01181_4405bc.hlo", "expected integers of s32"},
  };
  return *table;
}

// The modules, computations and instructions of a file, as its collectors counted them. They count
// only what has a line of its own, so our count may be higher.
struct Counted {
  int64_t modules = 0, computations = 0, instructions = 0;
};

std::map<std::string, Counted> manifest_of(const fs::path& path) {
  std::map<std::string, Counted> result;
  std::ifstream lines(path);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string file, source;
    Counted counted;
    std::getline(fields, file, '\t');
    std::getline(fields, source, '\t');
    if (fields >> counted.modules >> counted.computations >> counted.instructions) {
      result[file] = counted;
    }
  }
  return result;
}

TEST(SharedHlo, EveryFileIsReadOrBreaksARuleOnPurpose) {
  const std::optional<fs::path> unpacked = unpacked_shared_hlo(TILEPROOF_CMAKE);
  if (!unpacked) GTEST_SKIP() << "no ../shared/data/hlo.tar.xz: the optional shared folder";
  const fs::path folder = *unpacked / "shared";
  const std::map<std::string, Counted> manifest = manifest_of(folder / "MANIFEST");
  Tally tally;
  std::vector<std::string> complaints;
  size_t refused_files = 0;
  for (const fs::path& path : hlo_files(folder)) {
    const std::string name = path.filename().string();
    SCOPED_TRACE(name);
    const auto modules = check_text(content_of(path), tally, complaints);
    const auto known = refused().find(name);
    if (known != refused().end()) {
      ASSERT_FALSE(modules.ok());
      EXPECT_NE(modules.status().message().find(known->second), absl::string_view::npos)
          << modules.status();
      ++refused_files;
      continue;
    }
    ASSERT_TRUE(modules.ok()) << modules.status();
    const auto counted = manifest.find(fs::relative(path, folder).string());
    ASSERT_NE(counted, manifest.end());
    int64_t computations = 0, instructions = 0;
    for (const HloModule& module : *modules) {
      computations += std::ssize(module.computations);
      instructions += instruction_count(module);
    }
    EXPECT_EQ(std::ssize(*modules), counted->second.modules);
    EXPECT_GE(computations, counted->second.computations);
    EXPECT_GE(instructions, counted->second.instructions);
  }
  std::cout << tally.text() << ", " << refused_files << " refused\n";
  EXPECT_EQ(refused_files, refused().size());
  EXPECT_EQ(tally.files + refused_files, manifest.size());
  EXPECT_EQ(tally.opcodes.size(), 157);
  // A window padded by three numbers, and an iota along dimension -1: hlo_attributes refuses them.
  for (const std::string& complaint : complaints) std::cout << complaint << "\n";
  EXPECT_EQ(complaints.size(), 2);
  // A value that is wrong on purpose, and a template of a test. XLA's parser refuses both.
  EXPECT_THAT(tally.unknown,
              ::testing::ElementsAre("api_version=API_VERSION_THAT_DOESNT_EXIST of custom-call",
                                     "direction=%s of compare"));
  fs::remove_all(*unpacked);
}

}  // namespace
}  // namespace tileproof
