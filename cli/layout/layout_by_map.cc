// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/layout_by_map.h"

#include <iostream>
#include <vector>

#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/layout/edge_offsets.h"
#include "cli/text.h"
#include "cli/verbs/layout_index.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/layout/layout_equal.h"

namespace tileproof::cli {
namespace {

struct Answer {
  std::string layout, words, edges;
  IndexingMap map;
  std::optional<int64_t> offset;              // of the index
  std::optional<std::vector<int64_t>> index;  // at the offset
};

absl::StatusOr<Answer> answer(const std::string& text, const AskedElement& asked) {
  const AnyLayout layout = TRY(parse_any_layout(text));
  const spec::LayoutFunction function = TRY(spec::layout_function(layout));
  IndexingMap map = TRY(impl::simplify(verify::offset_map(function)));
  Answer answer{to_text(layout), "", "", std::move(map), {}, {}};
  if (const auto* swizzled = std::get_if<SwizzledLayout>(&layout)) {
    answer.words = TRY(impl::SwizzledLayout::create(*swizzled)).formula();
  }
  if (!asked.index && !asked.offset && !asked.json) {
    answer.edges = edge_offsets(function.dims, [&](const std::vector<int64_t>& index) {
      return offset_of(function, index);
    });
  }
  if (asked.index) {
    answer.offset = TRY(spec::offset_at(function, TRY(layout_index(function, *asked.index))));
  }
  if (asked.offset) answer.index = TRY(element_at(function, *asked.offset));
  return answer;
}

}  // namespace

int explain_by_map(const std::string& text, const AskedElement& asked) {
  const absl::StatusOr<Answer> found = answer(text, asked);
  if (!found.ok()) return complain("layout", found.status(), text);
  if (asked.json) {
    Json json = json_object({{"layout", found->layout}, {"map", to_text(found->map)}});
    if (!found->words.empty()) set(json, "formula", found->words);
    if (asked.index) set(json, "offset", *found->offset);
    if (asked.offset) set(json, "index", found->index ? Json(*found->index) : Json());
    std::cout << json_line(json);
    return kHolds;
  }
  if (asked.index) std::cout << *found->offset << "\n";
  if (asked.offset) {
    std::cout << (found->index ? dims_text(*found->index) : "no element") << "\n";
  }
  if (asked.index || asked.offset) return kHolds;
  std::cout << found->layout << "\n";
  if (!found->words.empty()) std::cout << "offset  " << found->words << "\n";
  std::cout << "map     " << to_text(found->map) << "\n" << found->edges;
  return kHolds;
}

}  // namespace tileproof::cli
