#include "verify/mutants/mutant.h"

#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "verify/mutants/mutant_table.h"

namespace tileproof::fault {
namespace {

Reached reached;
std::vector<char> is_reached;  // by number; fast, because most are reached many times
std::vector<bool>& known() {
  static std::vector<bool> faults;  // by number; filled before main
  return faults;
}

}  // namespace

int active = kNone;

void note(int number) {
  if (std::exchange(is_reached[number], 1) == 0) reached.insert(number);
}

bool register_fault(int number) {
  std::vector<bool>& faults = known();
  if (faults.size() <= static_cast<size_t>(number)) faults.resize(2 * number);
  faults[number] = true;
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

absl::StatusOr<std::vector<Fault>> read_faults(const std::string& path) {
  std::vector<Fault> faults;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> columns = absl::StrSplit(line, absl::MaxSplits('\t', 3));
    Fault fault;
    if (columns.size() != 4 || !absl::SimpleAtoi(columns[0], &fault.number) ||
        !absl::SimpleAtoi(columns[2], &fault.line)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": expected NUMBER FILE LINE NAME, found ", line));
    }
    fault.file = columns[1];
    fault.name = columns[3];
    if (fault.number < std::ssize(known()) && known()[fault.number])
      faults.push_back(std::move(fault));
  }
  if (faults.empty())
    return absl::NotFoundError(absl::StrCat(path, ": expected mutants, found none"));
  return faults;
}

}  // namespace tileproof::fault
