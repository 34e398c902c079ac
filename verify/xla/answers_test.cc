// SPDX-License-Identifier: Apache-2.0
// Replays the answers of XLA in corpus/xla: the reference and the shape parser agree with XLA,
// except for the named differences.
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "corpus/paths.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "gtest/gtest.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/hlo/hlo_known.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "spec/lang/layout/xla_differences.h"
#include "verify/xla/acceptance.h"
#include "verify/xla/judge.h"
#include "verify/xla/verdict.h"

namespace tileproof::xla {
namespace {

// Visits every line of a file except the first, which has the version.
int64_t for_each_answer(const std::string& name,
                        const std::function<void(const std::string&)>& take) {
  std::ifstream file(xla_answers(name));
  std::string line;
  EXPECT_TRUE(std::getline(file, line)) << name;
  EXPECT_NE(line.find("\"jaxlib\""), std::string::npos) << line;
  int64_t count = 0;
  for (; std::getline(file, line); ++count) take(line);
  return count;
}

struct Replayed {
  int64_t answers = 0, elements = 0;
  std::map<std::string, int64_t> kinds;
  std::map<std::string, int64_t> explained;
};

Replayed replay(const std::string& name) {
  Replayed replayed;
  replayed.answers = for_each_answer(name, [&](const std::string& line) {
    const absl::StatusOr<Judged> judged = judge(line);
    ASSERT_TRUE(judged.ok()) << judged.status() << "\n" << line;
    EXPECT_EQ(judged->unanswered, "") << line;
    EXPECT_EQ(judged->difference, "") << line;
    ++replayed.kinds[judged->kind];
    replayed.elements += judged->elements;
    for (const std::string& why : judged->explained) ++replayed.explained[why];
  });
  std::cout << name << ": " << replayed.answers << " answers, " << replayed.elements
            << " elements\n";
  for (const auto& [why, count] : replayed.explained)
    std::cout << "  " << why << ": " << count << "\n";
  return replayed;
}

TEST(GoldenXla, EveryOperationHasTheDependencesOfTheReference) {
  const Replayed replayed = replay("operations");
  EXPECT_GE(replayed.answers, 2500);
  std::set<std::string> missing;
  for (int64_t kind = 0; kind < operation_kinds(); ++kind) {
    Choose choose(Choose::Random{1});
    const std::string name = generate_operation(choose, {}, kind).kind;
    if (replayed.kinds.count(name) == 0) missing.insert(name);
  }
  // `bitcast` appears in XLA's compiled modules (below); `custom-call` is opaque.
  EXPECT_EQ(missing, (std::set<std::string>{"bitcast", "custom-call"}));
  for (const auto& [kind, count] : replayed.kinds) EXPECT_GE(count, 30) << kind;
  EXPECT_GT(replayed.explained.at("init-is-identity"), 0);
  EXPECT_GT(replayed.explained.at("scatter-without-indices"), 0);
}

TEST(GoldenXla, ElementwiseOperationsDependOnOneElementOfEachOperand) {
  const Replayed replayed = replay("elementwise");
  EXPECT_GE(replayed.answers, 45);
  EXPECT_TRUE(replayed.explained.empty());
}

TEST(GoldenXla, WholeComputationsHaveTheDependencesOfTheReference) {
  const Replayed replayed = replay("computations");
  EXPECT_GE(replayed.answers, 500);
  EXPECT_TRUE(replayed.explained.empty());
}

// XLA computes the predicates, so these answers show which operand flows.
TEST(GoldenXla, SelectsWithKnownPredicatesHaveTheDependencesOfTheReference) {
  const Replayed replayed = replay("selects");
  EXPECT_GE(replayed.answers, 150);
  EXPECT_TRUE(replayed.explained.empty());
}

TEST(GoldenXla, CompiledModulesWithLayoutsAndBitcastsHaveTheDependencesOfTheReference) {
  const Replayed replayed = replay("layouts");
  EXPECT_GE(replayed.answers, 300);
  EXPECT_TRUE(replayed.explained.empty());
  int64_t bitcasts = 0;
  for_each_answer("layouts", [&](const std::string& line) {
    bitcasts += line.find(" bitcast(") != std::string::npos;
  });
  std::cout << "  with a bitcast: " << bitcasts << "\n";
  EXPECT_GE(bitcasts, 80);
}

// An iota counts modulo the size of its type. Offsets at the ends of all integer types are clamped.
TEST(GoldenXla, ValuesOfElementTypesSelectTheElementsOfTheReference) {
  const Replayed replayed = replay("values");
  EXPECT_GE(replayed.answers, 90);
  EXPECT_EQ(replayed.kinds.at("gather u8 iota"), 1);
  EXPECT_TRUE(replayed.explained.empty());
}

// XLA writes a module as StableHLO and as a proto. What our readers make of these has the
// dependences that XLA gave for the HLO.
TEST(GoldenXla, OtherFormsOfAModuleHaveTheDependencesOfTheReference) {
  std::map<std::string, int64_t> kinds;
  int64_t elements = 0;
  const int64_t answers = for_each_answer("formats", [&](const std::string& line) {
    for (const Form form : {Form::kStableHlo, Form::kGenericStableHlo, Form::kProto}) {
      // Layouts of a bitcast decide what it reads, and are not read from StableHLO.
      if (form != Form::kProto && line.find("mhlo.bitcast") != std::string::npos) continue;
      const absl::StatusOr<Judged> judged = judge(line, form);
      ASSERT_TRUE(judged.ok()) << judged.status() << "\n" << line;
      EXPECT_EQ(judged->difference, "") << line;
      elements += judged->elements;
      ++kinds[judged->kind];
    }
  });
  std::cout << "formats: " << answers << " answers, " << elements << " elements\n";
  EXPECT_GE(answers, 500);
  EXPECT_GE(kinds.size(), 25u);
}

TEST(GoldenXla, ShapesAreReadAndPrintedAlikeExceptForTheTable) {
  std::map<Verdict::Kind, int64_t> kinds;
  std::set<std::string> known;
  for_each_answer("shapes", [&](const std::string& line) {
    const absl::StatusOr<Verdict> judged = judge_shape(line);
    ASSERT_TRUE(judged.ok()) << judged.status() << "\n" << line;
    EXPECT_EQ(judged->difference, "");
    ++kinds[judged->kind];
    if (!judged->name.empty()) known.insert(judged->name);
  });
  std::cout << kinds[Verdict::Kind::kBothAccept] << " read alike, "
            << kinds[Verdict::Kind::kBothRefuse] << " refused by both, "
            << kinds[Verdict::Kind::kKnown] << " known differences\n";
  EXPECT_GT(kinds[Verdict::Kind::kBothAccept], 1000);
  EXPECT_GT(kinds[Verdict::Kind::kBothRefuse], 1000);
  // XLA's answers confirm every entry about parsing.
  for (const Difference& entry : differences()) {
    if (entry.kind == Difference::Kind::kSize) continue;
    EXPECT_EQ(known.count(std::string(entry.name)), 1) << entry.name;
  }
}

// checked_op decides alone which instructions are valid. XLA is the second opinion.
TEST(GoldenXla, ModulesAreAcceptedAlikeExceptForTheTable) {
  using Kind = Verdict::Kind;
  std::map<Kind, int64_t> kinds;
  std::map<std::string, int64_t> known, stages;
  std::set<std::string> missing;
  for (const HloOpcodeInfo& opcode : hlo_opcodes()) missing.insert(std::string(opcode.name));
  const int64_t answers = for_each_answer("acceptance", [&](const std::string& line) {
    const absl::StatusOr<Verdict> judged = judge_acceptance(line);
    ASSERT_TRUE(judged.ok()) << judged.status() << "\n" << line;
    EXPECT_NE(judged->kind, Kind::kDifferent) << judged->difference;
    ++kinds[judged->kind];
    ++stages[judged->stage];
    if (judged->kind == Kind::kKnown) ++known[judged->name];
    if (judged->kind != Kind::kUnanswered) {
      for (const std::string& opcode : judged->opcodes) missing.erase(opcode);
    }
  });
  std::cout << kinds[Kind::kBothAccept] << " accepted by both, " << kinds[Kind::kBothRefuse]
            << " refused by both, " << kinds[Kind::kKnown] << " known differences, "
            << kinds[Kind::kUnanswered] << " without an answer\n";
  for (const auto& [name, count] : known) std::cout << "  " << name << ": " << count << "\n";
  EXPECT_GE(answers, 3000);
  EXPECT_GE(kinds[Kind::kBothAccept], 1000);
  EXPECT_GE(kinds[Kind::kBothRefuse], 1000);
  // The last five are newer than the XLA that answered.
  EXPECT_EQ(missing, (std::set<std::string>{"scaled-dot", "scan", "collective-reduce", "exp2",
                                            "log2", "mulhi", "shuffle"}));
  for (const AcceptanceDifference& entry : acceptance_differences()) {
    EXPECT_EQ(known.count(std::string(entry.name)), 1) << entry.name;
  }
}

// verify/xla/words asked the newest XLA. What is new there must be in our tables.
TEST(GoldenXla, TheWordsOfTheNewestXlaAreKnown) {
  std::ifstream file(project_path("corpus/xla/words.txt"));
  std::map<std::string, int64_t> words;
  std::string line;
  ASSERT_TRUE(std::getline(file, line) && absl::StartsWith(line, "jaxlib ")) << line;
  while (std::getline(file, line)) {
    std::vector<std::string> parts = absl::StrSplit(line, absl::ByAnyChar(" :"), absl::SkipEmpty());
    ++words[parts[0]];
    if (parts[0] == "type") {
      EXPECT_TRUE(element_type_named(parts[1])) << parts[1];
    }
    if (parts[0] != "opcode") continue;
    const HloOpcode opcode = opcode_named(parts[1]);
    EXPECT_EQ(name_of(opcode), parts[1]);
    for (size_t k = 2; k < parts.size(); ++k) {
      EXPECT_TRUE(is_known_attribute(opcode, parts[1], parts[k]))
          << parts[1] << " has the attribute " << parts[k];
    }
  }
  EXPECT_GE(words["opcode"], 137);
  EXPECT_GE(words["type"], 29);
}

}  // namespace
}  // namespace tileproof::xla
