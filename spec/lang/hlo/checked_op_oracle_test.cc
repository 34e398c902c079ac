// checked_op accepts what the two former checks accept: that of the definition (spec/hlo/access_relation.h)
// and that of the closed form (impl/hlo/operations/operation_handler.h). This test goes when they do.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/mutate_hlo.h"
#include "gtest/gtest.h"
#include "impl/hlo/computation_summaries.h"
#include "impl/hlo/operations/operation_handler.h"
#include "spec/hlo/access_relation.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

namespace fs = std::filesystem;

struct Tally {
  int64_t instructions = 0, accepted = 0, without_parts = 0, beyond = 0, layouts = 0, partly = 0;
  int64_t impl_differs = 0;
  std::map<std::string, int64_t> impl_errors;

  std::string text() const {
    return absl::StrCat(instructions, " instructions: ", accepted, " accepted, ", without_parts,
                        " without parts, ", beyond, " beyond 2^56, ", layouts,
                        " bitcasts refused for their layouts, ", partly,
                        " accepted in some parts only; impl differs in ", impl_differs);
  }
};

// What the definition says of all parts.
struct Definition {
  bool accepts = true, accepts_some = false, beyond = false;
  bool conservative = false, enters = false;
  std::string error;
};

Definition definition_of(const HloModule& module, int32_t c, int32_t i, int64_t parts) {
  Definition d;
  for (int64_t leaf = 0; leaf < parts; ++leaf) {
    const auto relation = spec::access_relation_of(module, c, i, leaf);
    d.beyond |= absl::IsOutOfRange(relation.status());
    d.accepts_some |= relation.ok();
    if (!relation.ok()) {
      d.accepts = false;
      d.error = std::string(relation.status().message());
      continue;
    }
    d.conservative |= !relation->conservative.empty();
    d.enters |= relation->callee.has_value();
  }
  return d;
}

template <class Operation>
bool is(const CheckedOp& op) {
  if (std::holds_alternative<Operation>(op.operation)) return true;
  const auto* start = std::get_if<op::Start>(&op.operation);
  return start != nullptr && start->operation && is<Operation>(*start->operation);
}

class Comparison {
 public:
  Comparison(const HloModule& module, const std::string& where, Tally& tally)
      : module_(module), where_(where), tally_(tally) {
    summaries_.resize(module.computations.size());
    dependences_.resize(module.computations.size());
  }

  void compare(int32_t c, int32_t i) {
    const HloComputation& computation = module_.computations[c];
    const HloInstruction& instruction = computation.instructions[i];
    ++tally_.instructions;
    const auto op = checked_op(module_, computation, instruction);
    tally_.accepted += op.ok() ? 1 : 0;
    const absl::StatusOr<Leaves> leaves =
        instruction.shape ? leaves_of(*instruction.shape) : Leaves();
    const int64_t parts = leaves.ok() ? std::ssize(*leaves) : 1;
    if (parts == 0) {
      ++tally_.without_parts;
      return;
    }
    const Definition d = definition_of(module_, c, i, parts);
    if (d.beyond) {
      ++tally_.beyond;
    } else if (op.ok() && std::holds_alternative<op::Bitcast>(op->operation) && !d.accepts) {
      ++tally_.layouts;
      EXPECT_TRUE(absl::StrContains(d.error, "layout") || absl::StrContains(d.error, "as many"))
          << at(c, i) << d.error;
      return;
    } else {
      EXPECT_EQ(op.ok(), d.accepts) << at(c, i) << op.status() << "\nspec: " << d.error;
      tally_.partly += d.accepts_some && !d.accepts ? 1 : 0;
      if (op.ok() && d.accepts) {
        EXPECT_EQ(is<op::Opaque>(*op), d.conservative) << at(c, i);
        EXPECT_EQ(is<op::Call>(*op), d.enters) << at(c, i);
      }
    }
    compare_impl(c, i, op);
  }

 private:
  std::string at(int32_t c, int32_t i) const {
    return absl::StrCat(where_, ": ", to_text(module_.computations[c], i), "\n");
  }

  // What the closed form refuses without looking into a called computation.
  void compare_impl(int32_t c, int32_t i, const absl::StatusOr<CheckedOp>& op) {
    const HloComputation& computation = module_.computations[c];
    if (impl::callee_of(computation.instructions[i]) >= 0 || !computation.instructions[i].shape)
      return;
    const impl::ComputationView view = impl::view_of(module_, c);
    absl::Status status;
    for (size_t leaf = 0; leaf < view.leaves[i].shapes.size(); ++leaf) {
      const auto dependences =
          impl::dependences_of(view, i, static_cast<int32_t>(leaf), summaries_);
      status.Update(dependences.status());
    }
    if (status.ok() == op.ok()) return;
    ++tally_.impl_differs;
    const HloInstruction& instruction = computation.instructions[i];
    if (++tally_.impl_errors[instruction.opcode_text] > 3) return;
    std::cout << at(c, i) << "  impl: " << status << "\n  checked_op: " << op.status() << "\n";
  }

  const HloModule& module_;
  const std::string& where_;
  Tally& tally_;
  impl::Summaries summaries_;
  std::vector<std::unique_ptr<impl::ComputationDependences>> dependences_;
};

void compare_all(const HloModule& module, const std::string& where, Tally& tally) {
  Comparison comparison(module, where, tally);
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    for (int32_t i = 0; i < std::ssize(module.computations[c].instructions); ++i) {
      comparison.compare(c, i);
    }
  }
}

void compare_folder(const fs::path& folder, Tally& tally) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream content;
    content << file.rdbuf();
    const auto modules = parse_hlo_modules(content.str());
    if (!modules.ok()) continue;  // hlo_corpus_test.cc says which and why
    for (const HloModule& module : *modules) {
      compare_all(module, entry.path().filename().string(), tally);
    }
  }
}

TEST(CheckedOpOracle, AcceptsTheCorpus) {
  Tally tally;
  compare_folder(TILEPROOF_HLO_CORPUS, tally);
  std::cout << tally.text() << "\n";
  EXPECT_GT(tally.accepted, 20'000);
  EXPECT_EQ(tally.accepted, tally.instructions);
}

TEST(CheckedOpOracle, TreatsEdgesAndRegressionsLikeTheDefinition) {
  Tally tally;
  compare_folder(fs::path(TILEPROOF_CORPUS) / "hlo", tally);
  std::cout << tally.text() << "\n";
  EXPECT_GT(tally.instructions - tally.accepted, 50);
}

// Where the two former checks differ, or where a part of the result does and another does not fit.
TEST(CheckedOpOracle, Differences) {
  struct Case {
    const char* text;
    const char* spec;  // what each says of part 0, 1, ..: a(ccepted) or r(efused)
    const char* impl;
    bool checked;
  };
  for (const Case& c : std::vector<Case>{
           {"c = f32[2,3,8] convolution(f32[4,5,8] i, f32[3,4,8] k), window={size=3}, "
            "dim_labels=b0f_0io->b0f, feature_group_count=2, batch_group_count=2",
            "r", "a", false},
           {"s = f32[] dynamic-slice(f32[] x, (s32[0]) i), dynamic_slice_sizes={}", "a", "r",
            false},
           {"s = ((f32[4]), f32[4]) negate-start(f32[4] x, f32[4] y)", "aa", "aa", true},
           {"s = (f32[4], f32[4], f32[3]) negate-start(f32[4] x)", "aaa", "aaa", true},
           {"s = (f32[4], f32[3], f32[4]) add-start(f32[4] x, f32[3] y)", "aar", "aar", false},
           {"s = (f32[3], f32[4]) sort(f32[4] x, f32[3] y), dimensions={0}", "rr", "rr", false},
           {"t = (f32[2], s32[3]) topk(f32[9] x), k=3", "aa", "aa", true},
           {"t = (f32[2], s32[]) tuple(f32[2] x, s32[1] i)", "ar", "ar", false},
       }) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(c.text);
    ASSERT_TRUE(module.ok()) << module.status();
    const HloComputation& entry = module->computations[module->entry];
    const HloInstruction& root = entry.instructions[entry.root];
    const impl::ComputationView view = impl::view_of(*module, module->entry);
    const impl::Summaries summaries(module->computations.size());
    std::string spec, impl;
    for (int32_t leaf = 0; leaf < std::ssize(*leaves_of(*root.shape)); ++leaf) {
      spec += spec::access_relation_of(*module, module->entry, entry.root, leaf).ok() ? "a" : "r";
      impl += impl::dependences_of(view, entry.root, leaf, summaries).ok() ? "a" : "r";
    }
    EXPECT_EQ(spec, c.spec) << c.text;
    EXPECT_EQ(impl, c.impl) << c.text;
    EXPECT_EQ(checked_op(*module, entry, root).ok(), c.checked) << c.text;
  }
}

TEST(CheckedOpOracle, TreatsGeneratedAndMutatedModulesLikeTheDefinition) {
  Tally tally;
  const char* more = std::getenv("TILEPROOF_CHECKED_OP_MODULES");
  const uint64_t modules = more == nullptr ? 6'000 : std::stoull(more);
  for (uint64_t seed = 0; seed < modules; ++seed) {
    Choose choose(Choose::Random{seed});
    const GeneratedHlo generated =
        seed % 4 == 0 ? generate_computation(choose) : generate_operation(choose);
    absl::StatusOr<HloModule> module = parse_hlo_module(generated.text);
    ASSERT_TRUE(module.ok()) << module.status();
    const std::string where = absl::StrCat("seed ", seed);
    compare_all(*module, where, tally);
    for (int change = 0; change < 4; ++change) {
      module = parse_hlo_module(mutate_hlo(choose, *module));
      if (!module.ok()) break;
      compare_all(*module, where, tally);
    }
    if (::testing::Test::HasFailure()) break;
  }
  std::cout << tally.text() << "\n";
  EXPECT_GT(tally.instructions - tally.accepted, 1'000);
}

}  // namespace
}  // namespace tileproof
