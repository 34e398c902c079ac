// SPDX-License-Identifier: Apache-2.0
// The HLO generators make valid text and shapes, of every kind and of small sizes.
#include "generate/hlo/generate_hlo.h"

#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "generate/hlo/mutate_hlo.h"
#include "gtest/gtest.h"
#include "spec/hlo/classification.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

const int64_t kOperations = cases(80'000), kComputations = cases(30'000);

Choose seeded(uint64_t seed) { return Choose(Choose::Random{seed}); }

// Computes the provenance of every leaf of the root in both scopes. Returns false after a failure.
bool interpret(const GeneratedHlo& generated, int64_t& sources) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(generated.text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << generated.text;
  if (!module.ok()) return false;
  const HloComputation& entry = module->computations[module->entry];
  const auto values = [&](const spec::HloElement& place) {
    return spec::arbitrary_value(place, generated.seed, generated.near);
  };
  for (int64_t leaf = 0; leaf < generated.leaves; ++leaf) {
    for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
      const auto result = spec::provenance(*module, module->entry, entry.root, leaf, scope, values);
      EXPECT_TRUE(result.ok()) << result.status() << "\n" << generated.text;
      if (!result.ok()) return false;
      for (const auto& element : result->elements) sources += std::ssize(*element);
    }
  }
  return true;
}

TEST(GenerateHlo, EveryOperationParsesAndHasAProvenance) {
  int64_t sources = 0;
  std::map<std::string, int64_t> kinds;
  std::set<std::string> texts;
  for (int64_t seed = 0; seed < kOperations; ++seed) {
    Choose choose = seeded(seed);
    const GeneratedHlo generated = generate_operation(choose);
    ++kinds[generated.kind];
    texts.insert(generated.text);
    ASSERT_TRUE(interpret(generated, sources)) << "seed " << seed;
  }
  std::cout << kOperations << " operations, " << texts.size() << " different, " << sources
            << " sources\n";
  EXPECT_EQ(std::ssize(kinds), operation_kinds());
  const int64_t fewest = kOperations / operation_kinds() / 2;
  for (const auto& [kind, count] : kinds) EXPECT_GT(count, fewest) << kind;
  EXPECT_GT(std::ssize(texts), kOperations * 2 / 3);
}

TEST(GenerateHlo, EveryComputationParsesAndHasAProvenance) {
  int64_t sources = 0;
  int64_t fused = 0;
  for (int64_t seed = 0; seed < kComputations; ++seed) {
    Choose choose = seeded(seed);
    const GeneratedHlo generated = generate_computation(choose);
    fused += generated.kind.find("(fused)") != std::string::npos;
    ASSERT_TRUE(interpret(generated, sources)) << "seed " << seed;
  }
  std::cout << kComputations << " computations, " << fused << " with fusions, " << sources
            << " sources\n";
  EXPECT_GT(fused, kComputations / 5);
}

TEST(GenerateHlo, MakesTheSelectedKindAndReplaysIt) {
  for (int64_t kind = 0; kind < operation_kinds(); ++kind) {
    Choose choose = seeded(7);
    const GeneratedHlo first = generate_operation(choose, {}, kind);
    Choose replay(Choose::Replay{choose.made()});
    const GeneratedHlo again = generate_operation(replay, {}, kind);
    EXPECT_EQ(first.text, again.text);
    EXPECT_EQ(first.seed, again.seed);
  }
}

// Returns the text with one or two numbers or pieces changed.
std::string mutated(Choose& choose, std::string text) {
  for (int64_t edits = choose.between(1, 2); edits > 0; --edits) {
    const size_t at = static_cast<size_t>(choose(std::ssize(text)));
    const size_t digit = text.find_first_of("0123456789", at);
    if (digit != std::string::npos && choose.chance(4, 5)) {
      static const std::vector<std::string> numbers = {
          "0", "1", "2", "3", "-1", "7", "64", "1000000000000", "9223372036854775807"};
      text.replace(digit, 1, choose.pick(numbers));
    } else {
      text.erase(at, static_cast<size_t>(choose.between(1, 3)));
    }
  }
  return text;
}

TEST(GenerateHlo, MutatedModulesAreAnsweredOrRejectedButNeverCrash) {
  int64_t read = 0, answered = 0, refused = 0;
  for (uint64_t seed = 0; seed < 40'000; ++seed) {
    Choose choose = seeded(seed);
    const GeneratedHlo generated =
        seed % 4 == 0 ? generate_computation(choose) : generate_operation(choose);
    const absl::StatusOr<HloModule> module = parse_hlo_module(mutated(choose, generated.text));
    if (!module.ok()) continue;
    ++read;
    const auto classified = spec::classify(*module);
    ASSERT_EQ(classified.size(), module->computations.size());
    const auto values = [&](const spec::HloElement& place) {
      return spec::arbitrary_value(place, seed, generated.near);
    };
    const HloComputation& entry = module->computations[module->entry];
    const auto result = spec::provenance(*module, module->entry, entry.root, 0, Scope::kComputation,
                                         values, {.work = 100'000});
    ++(result.ok() ? answered : refused);
    ASSERT_NE(result.status().code(), absl::StatusCode::kInternal) << result.status() << "\n"
                                                                   << to_text(*module);
  }
  std::cout << read << " mutated modules, " << answered << " answered, " << refused
            << " rejected\n";
  EXPECT_GT(answered, 2000);
  EXPECT_GT(refused, 2000);
}

void expect_small(const GeneratedHlo& generated) {
  const HloModule module = *parse_hlo_module(generated.text);
  for (const HloInstruction& i : module.computations[module.entry].instructions) {
    const auto leaves = *leaves_of(*i.shape);
    for (const Leaf& leaf : leaves) {
      int64_t elements = 1;
      for (int64_t d : leaf.dims) elements *= d;
      ASSERT_LE(elements, 2000) << generated.text;
    }
  }
}

TEST(GenerateHlo, ArraysStaySmall) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Choose choose = seeded(seed);
    ASSERT_NO_FATAL_FAILURE(expect_small(generate_computation(choose)));
  }
  for (int64_t kind = 0; kind < operation_kinds(); ++kind) {
    for (uint64_t seed = 0; seed < 2000; ++seed) {
      Choose choose = seeded(seed);
      ASSERT_NO_FATAL_FAILURE(expect_small(generate_operation(choose, {}, kind)));
    }
  }
}

// Most changes give another module that parses, valid or not.
TEST(MutateHlo, MostChangedModulesParse) {
  int64_t read = 0, same = 0, count = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choose choose(Choose::Random{seed});
    const absl::StatusOr<HloModule> module = parse_hlo_module(generate_operation(choose).text);
    ASSERT_TRUE(module.ok()) << module.status();
    const std::string changed = mutate_hlo(choose, *module);
    const absl::StatusOr<HloModule> again = parse_hlo_module(changed);
    ++count;
    read += again.ok() ? 1 : 0;
    same += again.ok() && *again == *module ? 1 : 0;
  }
  std::cout << count << " changed modules, " << read << " parsed, " << same << " as before\n";
  EXPECT_GT(read * 10, count * 8);
  EXPECT_LT(same * 3, count);
}

}  // namespace
}  // namespace tileproof
