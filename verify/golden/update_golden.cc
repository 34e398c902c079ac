// SPDX-License-Identifier: Apache-2.0
// Rewrites the answers in files of golden answers (verify/golden/golden.h).
//
//     update_golden corpus/golden/*.txt
#include <cstdio>
#include <fstream>

#include "verify/golden/golden.h"

int main(int argc, char** argv) {
  using namespace tileproof;
  using verify::answer_to;
  for (int i = 1; i < argc; ++i) {
    auto entries = read_golden(argv[i]);
    if (!entries.ok()) {
      std::fprintf(stderr, "update_golden: %s\n", std::string(entries.status().message()).c_str());
      return 2;
    }
    for (GoldenAnswer& entry : *entries) {
      if (!is_comment(entry)) entry.answer = answer_to(entry.question);
    }
    std::ofstream(argv[i]) << to_text(*entries);
  }
  return 0;
}
