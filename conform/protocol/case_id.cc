// SPDX-License-Identifier: Apache-2.0
#include "conform/protocol/case_id.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "generate/choose/stable_hash.h"

namespace tileproof::conform {
namespace {

// Appends the text of a value with the keys of each object sorted. `outermost`: leaves out `id` and
// `parsed`.
void append_sorted(std::string& out, const Json& json, bool outermost = false) {
  if (const auto* object = json.as<Json::Object>()) {
    absl::InlinedVector<const Member*, 8> members;
    for (const Member& m : *object) {
      if (!outermost || (m.key != "id" && m.key != "parsed")) members.push_back(&m);
    }
    std::sort(members.begin(), members.end(),
              [](const Member* a, const Member* b) { return a->key < b->key; });
    out += '{';
    for (const Member* m : members) {
      if (out.back() != '{') out += ',';
      append_text(out, absl::string_view(m->key));
      out += ':';
      append_sorted(out, m->value);
    }
    out += '}';
  } else if (const auto* array = json.as<Json::Array>()) {
    out += '[';
    for (size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ',';
      append_sorted(out, (*array)[i]);
    }
    out += ']';
  } else {
    append_text(out, json);
  }
}

}  // namespace

uint64_t case_hash(const Json& request) {
  static thread_local std::string text;  // keeps its memory between calls
  text.clear();
  append_sorted(text, request, true);
  return stable_hash(text);
}

std::string case_id(uint64_t hash) { return absl::StrCat(absl::Hex(hash, absl::kZeroPad16)); }

}  // namespace tileproof::conform
