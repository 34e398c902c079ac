// SPDX-License-Identifier: Apache-2.0
#include "verify/mutants/mutant_results.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "generate/choose/stable_hash.h"

namespace tileproof::mutants {
namespace {

std::string head_of(absl::string_view checks) { return absl::StrCat("# checks ", checks); }

// Reads the results of a file whose first line is `head`; returns none if it differs.
Results read_results(const std::string& path, const std::string& head) {
  Results results;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return results;
  if (line != head) {
    std::fprintf(stderr, "%s: the checks changed, starting with no results\n", path.c_str());
    return results;
  }
  while (std::getline(file, line)) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits('\t', 1));
    if (parts.size() == 2) results[parts[1]] = parts[0];
  }
  return results;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

absl::StatusOr<Record> Record::open(const std::string& path, absl::string_view checks) {
  Record record;
  if (path.empty()) return record;
  const std::string head = head_of(checks);
  record.results = read_results(path, head);
  record.file_.open(path, record.results.empty() ? std::ios::trunc : std::ios::app);
  if (record.results.empty()) record.file_ << head << "\n" << std::flush;
  if (record.file_.good()) return record;
  return absl::InvalidArgumentError(absl::StrCat(path, ": expected a writable file"));
}

void Record::add(const std::string& name, const std::string& result, bool keep) {
  results[name] = result;
  if (keep && file_.is_open()) file_ << result << "\t" << name << "\n" << std::flush;
}

std::string hash_of_checks(const std::string& corpus) {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (entry.is_regular_file() && !absl::StartsWith(entry.path().string(), corpus + "/mutants/"))
      paths.insert(entry.path().string());
  }
  uint64_t hash = stable_hash(read_file("/proc/self/exe"));
  for (const std::string& path : paths) {
    hash = stable_hash(read_file(path), stable_hash(path.substr(corpus.size()), hash));
  }
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
}

}  // namespace tileproof::mutants
