// SPDX-License-Identifier: Apache-2.0
// Generates texts of shapes for XLA's parser, and judges its answers.
//
//     xla_shapes texts COUNT [FILE [SEED]]     JSON strings for ask_shapes.py: the lines of FILE,
//                                              the examples of spec/lang/layout/xla_differences.h,
//                                              then COUNT random texts, valid and invalid
//     xla_shapes judge < answers
//
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "nlohmann/json.hpp"
#include "spec/lang/layout/xla_differences.h"
#include "verify/xla/verdict.h"

namespace tileproof::xla {
namespace {

// Applies a few random edits with pieces of the grammar.
std::string edited(std::string text, Choose& choose) {
  static const std::vector<std::string> pieces = absl::StrSplit(
      "{|}|[|]|(|)|,|:|*|<=|?|-|1|0|9|T|L|E|S|SC|M|D|#|/**/|//|x|_|.|T(2)|S(1)|E(4)|"
      "L(8)|SC(0:1)|M(8)|D(D)|#(s32)|*(u32)|P(f32[2])|f32[2]|b(|token[]|"
      "9223372036854775807|9223372036854775808|-1|T(*,2)|T(0)|T()|:T|+|~|=|u4|{0}|"
      "{1,0}| |\t|\n",
      '|');
  for (int64_t edits = choose.between(1, 3); edits > 0; --edits) {
    const auto at = static_cast<size_t>(choose(std::ssize(text) + 1));
    switch (choose(3)) {
      case 0:
        text.insert(at, choose.pick(pieces));
        break;
      case 1:
        text.erase(at, static_cast<size_t>(choose.between(1, 2)));
        break;
      default:
        text.replace(at, 1, choose.pick(pieces));
    }
  }
  return text;
}

void print(absl::string_view text) {
  std::cout << nlohmann::json(std::string(text)).dump() << "\n";
}

void print_texts(int64_t count, const char* file, uint64_t seed) {
  std::vector<std::string> real = {"f32[3,5]{1,0:T(2,2)}"};
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    print(line);
    real.push_back(line);
  }
  for (const Difference& entry : differences()) print(entry.example);
  for (int64_t k = 0; k < count; ++k) {
    Choose choose(Choose::Random{seed * 1'000'003 + static_cast<uint64_t>(k)});
    print(k % 2 == 0 ? random_shape_text(choose)
                     : edited(k % 4 == 1 ? choose.pick(real) : random_shape_text(choose), choose));
  }
}

}  // namespace
}  // namespace tileproof::xla

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "judge") return tileproof::xla::judge_lines(tileproof::xla::judge_shape);
  if (what != "texts" || argc < 3) {
    std::fprintf(stderr, "usage: xla_shapes texts COUNT [FILE [SEED]] | judge\n");
    return 2;
  }
  tileproof::xla::print_texts(std::atoll(argv[2]), argc > 3 ? argv[3] : "",
                              argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1);
  return 0;
}
