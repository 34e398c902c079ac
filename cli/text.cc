#include "cli/text.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::cli {

absl::StatusOr<std::string> read_argument(const std::string& argument) {
  if (argument == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  if (argument.empty() || argument[0] != '@') return argument;
  std::ifstream file(argument.substr(1), std::ios::binary);
  const absl::Status unread =
      absl::NotFoundError(absl::StrCat("cannot read the file ", argument.substr(1)));
  if (!file) return unread;
  try {
    return std::string(std::istreambuf_iterator<char>(file), {});
  } catch (const std::ios_base::failure&) {  // a folder opens and cannot be read
    return unread;
  }
}

absl::StatusOr<std::vector<HloModule>> read_modules(const std::string& file) {
  const bool is_argument = file == "-" || absl::StartsWith(file, "@");
  std::error_code no_file;  // a text may be too long for a name
  const bool is_text = absl::StrContains(file, " = ") && !std::filesystem::exists(file, no_file);
  const std::string text = TRY(
      is_text && !is_argument ? file : read_argument(is_argument ? file : absl::StrCat("@", file)));
  return parse_hlo_modules(text);
}

absl::StatusOr<Asked> find_asked(const std::vector<HloModule>& modules, absl::string_view name) {
  if (modules.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("expected one module, found ", modules.size()));
  }
  const HloModule& module = modules[0];
  if (name.empty()) return Asked{module, module.entry, module.computations[module.entry].root};
  std::vector<Asked> found;
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    const int32_t i = find_instruction(module.computations[c], name);
    if (i >= 0) found.push_back({module, c, i});
  }
  if (found.size() == 1) return found[0];
  return absl::NotFoundError(absl::StrCat(found.empty() ? "no" : "more than one", " instruction '",
                                          conform::shown(name, 60), "'"));
}

int complain(const std::string& what, const absl::Status& status) {
  std::cerr << "tileproof: " << what << ": " << status.message() << "\n";
  return kBadInput;
}

}  // namespace tileproof::cli
