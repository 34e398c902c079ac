// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/verdict.h"

#include <cstdio>
#include <iostream>
#include <map>

namespace tileproof::xla {

int judge_lines(absl::StatusOr<Verdict> (*judge)(absl::string_view line)) {
  using Kind = Verdict::Kind;
  std::map<Kind, int64_t> kinds;
  std::map<std::string, int64_t> known;
  int64_t unread = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find("\"text\"") == std::string::npos) continue;  // the line with the version
    const absl::StatusOr<Verdict> judged = judge(line);
    if (!judged.ok()) {
      ++unread;
      std::cout << "not judged: " << judged.status().message() << "\n  " << line << "\n";
      continue;
    }
    ++kinds[judged->kind];
    if (judged->kind == Kind::kKnown) ++known[judged->name];
    if (judged->kind == Kind::kDifferent) std::cout << "DIFFERENT " << judged->difference << "\n";
  }
  for (const auto& [name, count] : known) std::printf("%8ld  known: %s\n", count, name.c_str());
  std::printf(
      "%ld accepted by both, %ld refused by both, %ld different, %ld without an answer, "
      "%ld not judged\n",
      kinds[Kind::kBothAccept], kinds[Kind::kBothRefuse], kinds[Kind::kDifferent],
      kinds[Kind::kUnanswered], unread);
  if (kinds[Kind::kDifferent] > 0) return 1;
  return unread > 0 || kinds[Kind::kBothAccept] == 0 ? 2 : 0;
}

}  // namespace tileproof::xla
