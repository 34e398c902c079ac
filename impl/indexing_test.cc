#include "impl/indexing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/simplify.h"
#include "spec/lang/hlo_text.h"
#include "spec/lang/map_text.h"

namespace tileproof::impl {
namespace {

HloModule module_of(const std::string& text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : HloModule{};
}

// The answer as text: a line for each map, `operand: map`.
std::string text_of(const HloModule& module, int32_t computation,
                    const absl::StatusOr<Indexing>& indexing) {
  if (!indexing.ok()) return absl::StrCat("error: ", indexing.status().message());
  std::string text;
  for (size_t k = 0; k < indexing->size(); ++k) {
    for (size_t leaf = 0; leaf < (*indexing)[k].size(); ++leaf) {
      const LeafMaps& list = (*indexing)[k][leaf];
      const std::string name = leaf == 0 ? absl::StrCat(k) : absl::StrCat(k, "#", leaf);
      for (const IndexedMap& one : list.maps) {
        absl::StrAppend(&text, name, ": ", to_text(one.map), "\n");
        for (size_t i = 0; i < one.runtime.size(); ++i) {
          absl::StrAppend(&text, "  rt", i, ": ",
                          name_of(module, computation, one.runtime[i].place), " ",
                          to_text(one.runtime[i].map), "\n");
        }
      }
      if (list.inexact) absl::StrAppend(&text, name, " inexact: ", list.reason, "\n");
    }
  }
  return text;
}

std::string of_root(const std::string& text, int32_t leaf = 0) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const int32_t root = module.computations[module.entry].root;
  return text_of(module, module.entry, analysis.instruction(module.entry, root, leaf));
}

TEST(IndexingTest, AReshapeIsDoneGroupByGroup) {
  EXPECT_EQ(of_root("p0 = f32[4,8,12] parameter(0)\n"
                    "ROOT reshape = f32[32,3,4] reshape(p0)"),
            "0: (d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2), domain: d0 in [0, 31], "
            "d1 in [0, 2], d2 in [0, 3]\n");
}

}  // namespace
}  // namespace tileproof::impl
