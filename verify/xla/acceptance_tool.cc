// SPDX-License-Identifier: Apache-2.0
// Generates modules for XLA's parser, shape inference and verifier, and judges the answers.
//
//     xla_acceptance questions SEEDS COUNT [SEED]     questions for ask_acceptance.py
//     xla_acceptance judge < answers
//
// The questions are the modules of the file SEEDS, COUNT generated operations, and small changes of all
// of them.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "nlohmann/json.hpp"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/xla/acceptance.h"
#include "verify/xla/near_miss.h"

namespace tileproof::xla {
namespace {

class Questions {
 public:
  explicit Questions(uint64_t seed) : choose_(Choose::Random{seed}) {}

  // Prints the module and `changes` small changes of it.
  void ask(const HloModule& module, int changes) {
    print(to_text(module));
    for (int k = 0; k < changes; ++k) print(near_miss(choose_, module));
  }

  Choose& choose() { return choose_; }

 private:
  // Prints a text that was not printed yet, and the same without the shape of the root.
  void print(const std::string& text) {
    if (!seen_.insert(text).second) return;
    absl::StatusOr<HloModule> module = parse_hlo_module(text);
    nlohmann::json question = {{"text", text}, {"bare", text}};
    if (module.ok()) {
      HloComputation& entry = module->computations[module->entry];
      entry.instructions[entry.root].shape = SharedShape();
      question["bare"] = to_text(*module);
    }
    std::cout << question.dump() << "\n";
  }

  Choose choose_;
  std::set<std::string> seen_;
};

int ask_all(const char* seeds, int64_t count, uint64_t seed) {
  std::ifstream file(seeds);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto modules = parse_hlo_modules(text);
  if (!modules.ok()) {
    std::cerr << modules.status() << "\n";
    return 2;
  }
  Questions questions(seed);
  for (const HloModule& module : *modules) questions.ask(module, 30);
  for (int64_t k = 0; k < count; ++k) {
    const std::string operation =
        generate_operation(questions.choose(), {}, k % operation_kinds()).text;
    questions.ask(*parse_hlo_module(operation), 3);
  }
  return 0;
}

}  // namespace
}  // namespace tileproof::xla

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "judge") return tileproof::xla::judge_lines(tileproof::xla::judge_acceptance);
  if (what != "questions" || argc < 4) {
    std::fprintf(stderr, "usage: xla_acceptance questions SEEDS COUNT [SEED] | judge\n");
    return 2;
  }
  return tileproof::xla::ask_all(argv[2], std::atoll(argv[3]),
                                 argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1);
}
