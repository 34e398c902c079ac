#include "cli/text.h"

#include <fstream>
#include <iostream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"

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

int complain(const std::string& what, const absl::Status& status) {
  std::cerr << "tileproof: " << what << ": " << status.message() << "\n";
  return kBadInput;
}

}  // namespace tileproof::cli
