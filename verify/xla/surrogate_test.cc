// SPDX-License-Identifier: Apache-2.0
// Surrogates are HLO with the shapes of the original, and have its dependences by the reference.
#include "verify/xla/surrogate.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::xla {
namespace {

using ::testing::HasSubstr;

// Returns the sources of every element of every array of the entry's root.
std::vector<std::vector<spec::Source>> dependences(const HloModule& module,
                                                   const Question& question) {
  const HloComputation& entry = module.computations[module.entry];
  const auto value = [&](const spec::HloElement& position) -> int64_t {
    const HloInstruction& from =
        module.computations[position.computation].instructions[position.instruction];
    const auto given = question.offsets.find(from.parameter_number);
    if (given == question.offsets.end()) return 0;
    spec::Dims dims;
    for (const Dimension& d : from.shape->dimensions) dims.push_back(d.size);
    return given->second.at(spec::element_number(dims, position.index));
  };
  std::vector<std::vector<spec::Source>> all;
  const auto leaves = leaves_of(*entry.instructions[entry.root].shape);
  for (int64_t leaf = 0; leaf < std::ssize(*leaves); ++leaf) {
    const auto result =
        spec::provenance(module, module.entry, entry.root, leaf, Scope::kComputation, value);
    EXPECT_TRUE(result.ok()) << result.status() << "\n" << to_text(module);
    if (!result.ok()) return all;
    for (const auto& element : result->elements) all.push_back(*element);
  }
  return all;
}

// So a difference that XLA shows is not caused by the surrogate.
TEST(Surrogate, HasTheDependencesOfTheOriginal) {
  std::map<std::string, int64_t> compared;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choose choose(Choose::Random{seed});
    const GeneratedHlo generated =
        seed % 2 == 0 ? generate_operation(choose, {.elements = 60})
                      : generate_computation(choose, {.elements = 40, .operations = 4});
    const absl::StatusOr<Question> question =
        seed % 2 == 0 ? single_operation(generated, choose) : whole_computation(generated, choose);
    ASSERT_TRUE(question.ok()) << question.status() << "\n" << generated.text;
    for (const Encoding encoding : {bits_or_fields(question->module), Encoding::kChanges}) {
      if (encoding == Encoding::kChanges && seed % 2 == 1)
        continue;  // only single operations use this encoding
      const auto surrogate = make_surrogate(*question, "q", encoding);
      if (!surrogate.ok()) {
        EXPECT_THAT(std::string(surrogate.status().message()), HasSubstr("no surrogate for"));
        continue;
      }
      auto module = parse_hlo_module(absl::StrCat("HloModule m\n", surrogate->computations));
      ASSERT_TRUE(module.ok()) << module.status() << "\n" << surrogate->computations;
      EXPECT_EQ(dependences(*module, *question), dependences(question->module, *question))
          << surrogate->computations << "\nis the surrogate of\n"
          << to_text(question->module);
      ++compared[seed % 2 == 0 ? "operation" : "computation"];
    }
  }
  EXPECT_GT(compared["operation"], 2000);
  EXPECT_GT(compared["computation"], 800);
}

TEST(Surrogate, KeepsTheAttributesOfOperations) {
  Question question{
      *parse_hlo_module("ENTRY e {\n  p = bf16[3,4] parameter(0)\n  ROOT r = bf16[2,2] slice(p), "
                        "slice={[0:2], [0:4:2]}\n}"),
      {},
      false};
  const auto surrogate = make_surrogate(question, "q", Encoding::kBits);
  ASSERT_TRUE(surrogate.ok()) << surrogate.status();
  EXPECT_EQ(surrogate->computations,
            "q {\n  v0 = u64[3,4] parameter(0)\n  ROOT v1 = u64[2,2] slice(v0), slice={[0:2], "
            "[0:4:2]}\n}\n");
  EXPECT_THAT(surrogate->outputs, ::testing::ElementsAre("u64[2,2]"));
}

}  // namespace
}  // namespace tileproof::xla
