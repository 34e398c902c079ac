// SPDX-License-Identifier: Apache-2.0
#include "verify/mutants/mutant.h"

#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "verify/mutants/mutant_table.h"

namespace tileproof::mutant {
namespace {

Reached reached;
std::vector<char> is_reached;  // by number; fast, because most are reached many times
std::vector<bool>& known() {
  static std::vector<bool> mutants;  // by number; filled before main
  return mutants;
}

}  // namespace

int active = kNone;

void note(int number) {
  if (std::exchange(is_reached[number], 1) == 0) reached.insert(number);
}

bool register_mutant(int number) {
  std::vector<bool>& mutants = known();
  if (mutants.size() <= static_cast<size_t>(number)) mutants.resize(2 * number);
  mutants[number] = true;
  return true;
}

Reached record(absl::FunctionRef<void()> run) {
  reached.clear();
  is_reached.assign(known().size(), 0);
  active = kRecording;
  run();
  active = kNone;
  return std::move(reached);
}

absl::StatusOr<std::vector<Mutant>> read_mutants(const std::string& path) {
  std::vector<Mutant> mutants;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> columns = absl::StrSplit(line, absl::MaxSplits('\t', 4));
    Mutant mutant;
    if (columns.size() != 5 || !absl::SimpleAtoi(columns[0], &mutant.number) ||
        !absl::SimpleAtoi(columns[2], &mutant.line)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": expected NUMBER FILE LINE KIND NAME, found ", line));
    }
    mutant.file = columns[1];
    mutant.kind = columns[3];
    mutant.name = columns[4];
    if (mutant.number < std::ssize(known()) && known()[mutant.number])
      mutants.push_back(std::move(mutant));
  }
  if (mutants.empty())
    return absl::NotFoundError(absl::StrCat(path, ": expected mutants, found none"));
  return mutants;
}

}  // namespace tileproof::mutant
