// SPDX-License-Identifier: Apache-2.0
// Judges answers of XLA from standard input and sums them up by kind.
//
//     xla_judge [FILE [FORM]] < answers.jsonl
//
//     xla_judge acceptance|shapes < answers.jsonl
//
// FORM: the form in which the modules are read, if not HLO: stablehlo, generic or proto.
//
// FILE gets the ids of the questions whose answers differ, one a line, in the form that the
// questions have ("id":"q7",).
//
// Exit status: 0 no difference; 1 some differences, printed; 2 an unreadable line, or nothing to
// compare.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "verify/xla/acceptance.h"
#include "verify/xla/judge.h"
#include "verify/xla/verdict.h"

namespace {

struct Tally {
  int64_t agreed = 0, different = 0, elements = 0, dependences = 0, shown = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "acceptance") return tileproof::xla::judge_lines(tileproof::xla::judge_acceptance);
  if (what == "shapes") return tileproof::xla::judge_lines(tileproof::xla::judge_shape);
  std::ofstream ids(argc > 1 ? argv[1] : "/dev/null");
  const std::string named = argc > 2 ? argv[2] : "";
  using tileproof::xla::Form;
  const Form form = named == "stablehlo" ? Form::kStableHlo
                    : named == "generic" ? Form::kGenericStableHlo
                    : named == "proto"   ? Form::kProto
                                         : Form::kHlo;
  std::map<std::string, Tally> tallies;
  std::map<std::string, int64_t> unanswered, explained;
  int64_t unread = 0, compared = 0, different = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find("\"kind\"") == std::string::npos) continue;  // the line with the version
    const auto judged = tileproof::xla::judge(line, form);
    if (!judged.ok()) {
      ++unread;
      std::cout << "not judged: " << judged.status().message() << "\n  " << line << "\n";
      continue;
    }
    if (!judged->unanswered.empty()) {
      ++unanswered[absl::StrCat(judged->kind, ": ", judged->unanswered)];
      continue;
    }
    Tally& tally = tallies[absl::StrCat(judged->encoding, "  ", judged->kind)];
    ++compared;
    ++(judged->difference.empty() ? tally.agreed : tally.different);
    tally.elements += judged->elements;
    tally.dependences += judged->dependences;
    tally.shown += judged->shown;
    for (const std::string& name : judged->explained)
      ++explained[absl::StrCat(judged->kind, ": ", name)];
    if (judged->difference.empty()) continue;
    ++different;
    ids << "\"id\":\"" << judged->id << "\",\n";
    std::cout << "DIFFERENT " << judged->kind << ": " << judged->difference << "\n  " << line
              << "\n";
  }
  for (const auto& [name, t] : tallies) {
    std::printf("%-38s %6ld agree %4ld differ %9ld elements %10ld flows, %.1f%% of them shown\n",
                name.c_str(), t.agreed, t.different, t.elements, t.dependences,
                t.dependences == 0
                    ? 100.0
                    : 100.0 * static_cast<double>(t.shown) / static_cast<double>(t.dependences));
  }
  for (const auto& [name, count] : explained) {
    std::printf("%6ld  %s\n", count, name.c_str());
  }
  for (const auto& [why, count] : unanswered) std::printf("%6ld  %s\n", count, why.c_str());
  std::printf("%ld compared, %ld different, %ld not judged\n", compared, different, unread);
  if (different > 0) return 1;
  return unread > 0 || compared == 0 ? 2 : 0;
}
