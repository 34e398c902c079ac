// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/layout/layout_parts.h"
#include "cli/verbs/any_map.h"
#include "cli/verbs/layout_index.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/memref_text.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/layout/layout_equal.h"

namespace tileproof::cli {
namespace {

using Index = std::vector<int64_t>;

absl::StatusOr<FoundElement> find_element(const spec::LayoutFunction& function,
                                          const AskedElement& asked) {
  FoundElement found;
  if (asked.index) {
    found.offset = TRY(spec::offset_at(function, TRY(layout_index(function, *asked.index))));
  }
  if (asked.offset) {
    const std::optional<Index> index = TRY(element_at(function, *asked.offset));
    found.index = {index ? Json(*index) : Json(), index ? dims_text(*index) : "no element"};
  }
  return found;
}

absl::StatusOr<Answer> explain(const std::string& text, const AskedElement& asked) {
  if (looks_like_memref(text) && absl::StrContains(text, "?") && !asked.any()) {
    const IndexingMap map = TRY(impl::simplify(TRY(parse_any_map(text)).map));
    if (!map.ranges.empty()) {  // strides or an offset that are not known
      return Answer{{json_object({{"layout", text}, {"map", to_text(map)}})},
                    absl::StrCat(text, "\nmap     ", to_text(map), "\n")};
    }
  }
  const AnyLayout layout = TRY(parse_any_layout(text));
  const spec::LayoutFunction function = TRY(spec::layout_function(layout));
  const std::string map = to_text(TRY(impl::simplify(verify::offset_map(function))));
  Json json = json_object({{"layout", to_text(layout)}, {"map", map}});
  std::string words;
  if (const auto* swizzled = std::get_if<SwizzledLayout>(&layout)) {
    words = TRY(impl::SwizzledLayout::create(*swizzled)).formula();
  }
  if (!words.empty()) set(json, "formula", words);
  const FoundElement found = TRY(find_element(function, asked));
  if (asked.any()) return element_answer(std::move(json), "", found);
  const std::string edges =
      edge_offsets(function.dims, [&](const Index& index) { return offset_of(function, index); });
  return element_answer(std::move(json),
                        absl::StrCat(to_text(layout), "\n",
                                     words.empty() ? "" : absl::StrCat("offset  ", words, "\n"),
                                     "map     ", map, "\n", edges),
                        found);
}

}  // namespace

Answer element_answer(Json described, std::string explained, const FoundElement& found) {
  if (found.offset) {
    set(described, "offset", *found.offset);
    absl::StrAppend(&explained, *found.offset, "\n");
  }
  if (found.index) {
    set(described, "index", found.index->first);
    absl::StrAppend(&explained, found.index->second, "\n");
  }
  return {{std::move(described)}, std::move(explained)};
}

absl::StatusOr<Answer> explain_by_map(const std::string& text, const AskedElement& asked) {
  return about("", explain(text, asked), text);
}

}  // namespace tileproof::cli
