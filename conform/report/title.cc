// SPDX-License-Identifier: Apache-2.0
#include "conform/report/title.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {
namespace {

constexpr size_t kLongest = 100;

}  // namespace

std::string title_of(absl::string_view request) {
  const auto json = read_json(request);
  const Json::Object* members = json.ok() ? json->value.as<Json::Object>() : nullptr;
  std::string title;
  if (members == nullptr) return title;
  for (const Member& member : *members) {
    if (member.key == "op" || member.key == "id") continue;
    const auto* text = member.value.as<std::string>();
    absl::StrAppend(&title, title.empty() ? "" : " ",
                    text != nullptr ? *text : to_text(member.value));
    if (title.size() > kLongest) {
      title.resize(kLongest);
      title += "..";
      break;
    }
  }
  return absl::StrReplaceAll(title, {{"\n", " "}});
}

}  // namespace tileproof::conform
