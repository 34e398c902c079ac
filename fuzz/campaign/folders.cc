// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/folders.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/seeds.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

void note(const absl::Status& status, Notes& notes) {
  if (!status.ok()) notes.emplace_back(status.message());
}

// A campaign that is killed while it replaces kept/ leaves the new inputs, the old ones, or both.
void finish_replacing(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "kept", error)) fs::rename(folder / "kept.old", folder / "kept", error);
  fs::remove_all(folder / "kept.old", error);
}

// libFuzzer stops at an input that it cannot read.
void set_aside_unreadable(const fs::path& folder, Notes& notes) {
  for (const fs::path& file : files_in(folder / "kept")) {
    const absl::Status status = read_file(file).status();
    if (status.ok()) continue;
    note(make_folder(folder / "aside"), notes);
    const fs::path to = folder / "aside" / file.filename();
    std::error_code error;
    fs::rename(file, to, error);
    notes.push_back(absl::StrCat(status.message(),
                                 error ? ", and it cannot be moved away: " : ": moved to ",
                                 error ? error.message() : to.string()));
  }
}

void write_inputs(const Target& target, const fs::path& folder, const fs::path& corpus,
                  const std::vector<std::string>& without, Notes& notes) {
  const std::vector<Seed> seeds = seeds_of(target, corpus, notes);
  std::set<fs::path> wanted;
  for (const Seed& seed : seeds) {
    if (absl::c_linear_search(without, seed.content)) continue;
    const fs::path file = folder / "seeds" / seed.name;
    wanted.insert(file);
    if (const auto there = read_file(file); there.ok() && *there == seed.content) continue;
    if (const absl::Status status = write_file(file, seed.content, false); !status.ok()) {
      note(status, notes);
      break;  // the others would fail, too
    }
  }
  for (const fs::path& file : files_in(folder / "seeds")) {
    std::error_code error;
    if (!wanted.contains(file)) fs::remove_all(file, error);
  }
  if (!seeds.empty()) note(write_file(folder / "dictionary", dictionary_of(seeds)), notes);
}

}  // namespace

void prepare(const Target& target, const fs::path& folder, const fs::path& corpus,
             const std::vector<std::string>& without, Notes& notes) {
  finish_replacing(folder);
  std::error_code error;
  fs::remove_all(folder / "scratch", error);
  for (const char* name : {"seeds", "kept", "found", "findings", "regressions", "scratch"}) {
    if (const absl::Status status = make_folder(folder / name); !status.ok())
      return note(status, notes);
  }
  set_aside_unreadable(folder, notes);
  write_inputs(target, folder, corpus, without, notes);
}

void replace_kept(const fs::path& folder, const fs::path& merged, Notes& notes) {
  std::error_code error;
  fs::remove_all(folder / "kept.old", error);
  fs::rename(folder / "kept", folder / "kept.old", error);
  if (!error) fs::rename(merged, folder / "kept", error);
  if (error) {
    notes.push_back(
        absl::StrCat("cannot replace ", (folder / "kept").string(), ": ", error.message()));
  }
  finish_replacing(folder);
}

int64_t remove_input(const fs::path& folder, const std::string& content) {
  int64_t removed = 0;
  for (const char* name : {"seeds", "kept"}) {
    for (const fs::path& file : files_in(folder / name)) {
      std::error_code error;
      if (fs::file_size(file, error) != content.size() || error) continue;
      if (const auto there = read_file(file); there.ok() && *there == content)
        removed += fs::remove(file, error) ? 1 : 0;
    }
  }
  return removed;
}

int64_t count_files(const fs::path& folder) { return std::ssize(files_in(folder)); }

}  // namespace tileproof::campaign
