// SPDX-License-Identifier: Apache-2.0
// Prints a digest of the answers to random questions, to compare two versions of the program:
//
//     answer_digest maps 1000000          simplifications of random maps
//     answer_digest computations 100000   indexing analysis of random modules, of which 1 in 4 is mutated
//
// Prints one line for every thousand inputs: the number of the last and a hash of their answers.
// The text of an error is not part of the hash. `answer_digest maps 1 --show --first 7` prints
// input 7 and its answer.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "generate/choose/choose.h"
#include "generate/choose/stable_hash.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/mutate_hlo.h"
#include "generate/map/generate_map.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/golden/golden.h"

namespace tileproof::verify {
namespace {

std::string map_question(Choose& choose) {
  const IndexingMap map =
      choose.chance(1, 4) ? generate_chain(choose, {.points = 256}).map
                          : generate_map(choose, {.points = 256, .extremes = choose.chance(1, 8)});
  return absl::StrCat("simplify ", tileproof::to_text(map), "\n");
}

std::string module_question(Choose& choose) {
  const GeneratedHlo made =
      choose.chance(1, 2) ? generate_operation(choose) : generate_computation(choose);
  std::string text = made.text;
  if (choose.chance(1, 4)) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(text);
    if (module.ok()) text = mutate_hlo(choose, *module);
  }
  return absl::StrCat("index\n", text);
}

std::string without_error_texts(absl::string_view answer) {
  std::string result;
  for (absl::string_view line : absl::StrSplit(answer, '\n')) {
    const size_t error = line.find("error: ");
    const size_t colon = line.find(": ");
    const bool is_map = line.find("->") != absl::string_view::npos ||
                        line.find(" mapped") != absl::string_view::npos;
    if (error != absl::string_view::npos) {
      line = line.substr(0, error + 5);
    } else if (!is_map && colon != absl::string_view::npos) {
      line = line.substr(0, colon);
    }
    absl::StrAppend(&result, line, "\n");
  }
  return result;
}

}  // namespace
}  // namespace tileproof::verify

int main(int argc, char** argv) {
  using namespace tileproof;
  CLI::App app("A digest of answers on random inputs.");
  std::string what;
  int64_t count = 0, first = 0;
  bool show = false;
  app.add_option("WHAT", what)->required()->check(CLI::IsMember({"maps", "computations"}));
  app.add_option("COUNT", count)->required();
  app.add_option("--first", first, "number of the first input");
  app.add_flag("--show", show, "print inputs and answers");
  CLI11_PARSE(app, argc, argv);
  uint64_t hash = stable_hash("");
  for (int64_t i = first; i < first + count; ++i) {
    Choose choose(Choose::Random{1'000'000'007 + static_cast<uint64_t>(i)});
    const std::string question =
        what == "maps" ? verify::map_question(choose) : verify::module_question(choose);
    const std::string answer = verify::without_error_texts(verify::answer_to(question));
    if (show) std::cout << i << " " << question << "\n" << answer << "\n";
    hash = stable_hash(answer, hash);
    if ((i + 1) % 1000 == 0 || i + 1 == first + count) {
      std::cout << i + 1 << " " << std::hex << hash << std::dec << "\n" << std::flush;
      hash = stable_hash("");
    }
  }
}
