// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/grid_json.h"
#include "conform/suites/makers.h"
#include "generate/map/generate_map.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/banks_compare.h"
#include "verify/compare/grid_compare.h"

namespace tileproof::conform {
namespace {

Json fact_request(absl::string_view map, absl::string_view fact) {
  Json request = read_json(absl::StrCat("{", fact, "}"))->value;
  set(request, "op", "map.check");
  set(request, "map", map);
  return request;
}

std::string random_fact(Choose& choose, const IndexingMap& map) {
  std::vector<std::string> box, sizes;
  for (size_t i = 0; i < map.results.size(); ++i) {
    const int64_t size = choose.pick<int64_t>({4, 1, 10, 64});
    sizes.push_back(absl::StrCat(size));
    box.push_back(absl::StrCat("[", choose.chance(1, 3) ? -5 : 0, ",", size - 1, "]"));
  }
  switch (choose(4)) {
    case 0:
      return absl::StrCat(R"("inside":[)", absl::StrJoin(box, ","), "]");
    case 1:
      return absl::StrCat(R"("onto":[)", absl::StrJoin(sizes, ","), "]");
    case 2:
      return R"("one_to_one":true)";
    default:
      return absl::StrCat(R"("width":)", choose.between(3, 9));
  }
}

}  // namespace

Json make_facts_request(Choose& choose, const Limits&) {
  const int64_t kind = choose(3);
  if (kind == 0) {
    Json request = json_of(verify::random_grid(choose));
    set(request, "op", "grid.check");
    return request;
  }
  if (kind == 1) {
    verify::BanksQuestion question = verify::random_banks_question(choose);
    return json_object({{"op", "layout.banks"},
                        {"layout", to_text(question.layout)},
                        {"access", to_text(question.access)},
                        {"bits", question.element.bits},
                        {"vector", question.element.vector},
                        {"banks", question.memory.banks},
                        {"bank_bytes", question.memory.bank_bytes}});
  }
  const IndexingMap map = generate_map(choose);
  return fact_request(to_text(map), random_fact(choose, map));
}

}  // namespace tileproof::conform
