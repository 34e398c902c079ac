// SPDX-License-Identifier: Apache-2.0
#include "verify/mutants/mutant_lists.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/choose/choose.h"

namespace tileproof::mutants {
namespace {

using mutant::Mutant;

std::set<std::string> names_of(const std::vector<Mutant>& mutants) {
  std::set<std::string> names;
  for (const Mutant& mutant : mutants) names.insert(mutant.name);
  return names;
}

// Keeps a random choice of `most`, in the same order.
void keep_some(std::vector<Mutant>& mutants, int64_t most, Choose& choose) {
  while (std::ssize(mutants) > most) mutants.erase(mutants.begin() + choose(std::ssize(mutants)));
}

}  // namespace

MutantList read_list(const std::string& path, const std::vector<Mutant>& all, Reasons reasons) {
  MutantList list;
  std::ifstream file(path);
  if (!file) {
    list.problems.push_back(
        absl::StrCat(path, ": expected a list of mutants, cannot read the file"));
    return list;
  }
  const std::set<std::string> known = names_of(all);
  std::set<std::string> before;
  int64_t number = 0;
  int64_t at = 0;  // line of the last name without a reason; 0: none
  const auto problem = [&](int64_t line, absl::string_view what, absl::string_view text) {
    list.problems.push_back(absl::StrCat(path, ":", line, ": ", what, ": ", text));
  };
  const auto end_names = [&] {
    if (at > 0 && reasons == Reasons::kEach)
      problem(at, "expected a line with the reason after", list.names.back());
    at = 0;
  };
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') {
      end_names();
      continue;
    }
    if (line[0] == ' ') {
      if (list.names.empty() || reasons == Reasons::kNone)
        problem(number, "expected a name, found", line);
      at = 0;
      continue;
    }
    if (known.count(line) == 0) problem(number, "not a mutant of this build", line);
    if (!before.insert(line).second) problem(number, "duplicate", line);
    list.names.push_back(line);
    at = number;
  }
  end_names();
  return list;
}

std::vector<std::string> thin_files(const std::vector<Mutant>& all,
                                    const std::vector<std::string>& names, int64_t least) {
  const std::set<std::string> named(names.begin(), names.end());
  std::map<std::string, std::pair<int64_t, int64_t>> files;  // named, total
  for (const Mutant& mutant : all) {
    auto& [found, of] = files[mutant.file];
    found += static_cast<int64_t>(named.count(mutant.name));
    ++of;
  }
  std::vector<std::string> lines;
  for (const auto& [file, counts] : files) {
    const int64_t expected = std::min(least, counts.second);
    if (counts.first >= expected) continue;
    lines.push_back(
        absl::StrCat("expected ", expected, " mutants of ", file, ", found ", counts.first));
  }
  return lines;
}

absl::StatusOr<std::vector<Mutant>> select(const std::vector<Mutant>& all,
                                           const Selection& selection) {
  const std::set<std::string> known = names_of(all);
  for (const std::string& name : selection.names) {
    if (known.count(name) == 0) return absl::NotFoundError("expected a mutant, found: " + name);
  }
  std::map<std::string, std::vector<Mutant>> by_file;
  std::set<std::string> all_kinds;
  for (const Mutant& mutant : all) {
    by_file[mutant.file];
    all_kinds.insert(mutant.kind);
  }
  for (const std::string& file : selection.files) {
    if (by_file.count(file) == 0)
      return absl::NotFoundError("expected a file with mutants, found " + file);
  }
  for (const std::string& kind : selection.kinds) {
    if (all_kinds.count(kind) == 0) {
      return absl::NotFoundError(absl::StrCat("expected a kind of mutants (",
                                              absl::StrJoin(all_kinds, ", "), "), found ", kind));
    }
  }
  const auto among = [](const std::vector<std::string>& texts) {
    return std::set<std::string>(texts.begin(), texts.end());
  };
  std::set<std::string> wanted = among(selection.names);
  const std::set<std::string> files = among(selection.files), kinds = among(selection.kinds);
  if (selection.listed) wanted.insert(selection.listed->begin(), selection.listed->end());
  const bool any_name = !selection.listed && selection.names.empty();
  std::vector<std::string> order;  // of files
  for (const Mutant& mutant : all) {
    if (!files.empty() && files.count(mutant.file) == 0) continue;
    if (!kinds.empty() && kinds.count(mutant.kind) == 0) continue;
    if (!any_name && wanted.count(mutant.name) == 0) continue;
    if (by_file[mutant.file].empty()) order.push_back(mutant.file);
    by_file[mutant.file].push_back(mutant);
  }
  Choose choose(Choose::Random{static_cast<uint64_t>(selection.seed)});
  std::vector<Mutant> selected;
  for (const std::string& file : order) {
    std::vector<Mutant>& mutants = by_file[file];
    if (selection.of_each_file > 0) keep_some(mutants, selection.of_each_file, choose);
    selected.insert(selected.end(), mutants.begin(), mutants.end());
  }
  if (selection.sample > 0) keep_some(selected, selection.sample, choose);
  if (selected.empty()) return absl::NotFoundError("expected mutants to try, found none");
  return selected;
}

void shuffle(std::vector<Mutant>& mutants, int64_t seed) {
  Choose choose(Choose::Random{static_cast<uint64_t>(seed)});
  for (int64_t i = std::ssize(mutants) - 1; i > 0; --i) {
    std::swap(mutants[static_cast<size_t>(i)], mutants[static_cast<size_t>(choose(i + 1))]);
  }
}

}  // namespace tileproof::mutants
