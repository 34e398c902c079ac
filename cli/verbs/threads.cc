// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/verbs/layout_index.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {

absl::StatusOr<Threads> parse_threads(absl::string_view text) {
  const ThreadLayout layout = TRY(parse_thread_layout(text));
  return Threads{TRY(impl::thread_map(layout)), layout};
}

std::string place_text(const Place& place) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < place.size(); ++i)
    parts.push_back(absl::StrCat(std::string(kPlaceNames[i]), " ", place[i]));
  return absl::StrJoin(parts, ", ");
}

Json place_json(const Place& place) {
  Json json = json_object({});
  for (size_t i = 0; i < place.size(); ++i) set(json, kPlaceNames[i], place[i]);
  return json;
}

std::string other_sizes(const Place& left, const Place& right) {
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i]) continue;
    const std::string name(kPlaceNames[i]);
    return absl::StrCat("LEFT has ", left[i], " ", name, left[i] == 1 ? "" : "s", ", RIGHT has ",
                        right[i]);
  }
  return "";
}

}  // namespace tileproof::cli
