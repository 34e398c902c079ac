// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/facts_suite.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/suites/map_suites.h"
#include "generate/map/generate_map.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/banks_compare.h"

namespace tileproof::conform {
namespace {

// A map, and its fact. The last three are invalid.
constexpr std::pair<absl::string_view, absl::string_view> kFacts[] = {
    {"(pid) -> ((pid floordiv 32) * 8 + pid mod 8, (pid mod 32) floordiv 8), domain: pid in [0, "
     "35]",
     R"("inside":[[0,8],[0,3]])"},
    {"(pid) -> ((pid floordiv 32) * 8 + pid mod 8, (pid mod 32) floordiv 8), domain: pid in [0, "
     "35]",
     R"("onto":[9,4])"},
    {"(i, j) -> (i mod 4 + (j mod 8) * 4, (j floordiv 8) * 8 + (i floordiv 16) * 4 + i mod 4), "
     "domain: i in [0, 31], j in [0, 15]",
     R"("one_to_one":true)"},
    {"(d0)[s0]{rt0} -> (d0 * 2 + s0 + rt0), domain: d0 in [0, 3], s0 in [0, 1], rt0 in [0, 2]",
     R"("one_to_one":true)"},
    {"(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]", R"("onto":[5])"},
    {"(d0) -> (d0 - 5), domain: d0 in [-3, 9]", R"("width":4)"},
    {"(d0) -> (d0), domain: d0 in [1, 0]", R"("inside":[[3,3]])"},
    {"(d0) -> (d0), domain: d0 in [0, 9]", R"("inside":[[0,9],[0,9]])"},
    {"(d0) -> (d0), domain: d0 in [0, 9]", R"("width":65)"},
    {"(d0) -> (d0), domain: d0 in [0, 9]", R"("inside":[[0,9]],"width":8)"},
};

// A layout, its access, the bytes of a vector. The last two are invalid.
struct Access {
  absl::string_view layout, lanes;
  int64_t vector;
};
constexpr Access kAccesses[] = {
    {"f16[8,72]{1,0}", "(lane) -> (lane, 0), domain: lane in [0, 7]", 16},
    {"f16[8,64]{1,0}", "(lane) -> (lane, 0), domain: lane in [0, 7]", 16},
    {"Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
     "(lane, k) -> (lane, k * 8), domain: lane in [0, 7], k in [0, 7]", 16},
    {"f64[32]", "(lane) -> (lane), domain: lane in [0, 31]", 8},
    {"f16[8,64]{1,0}", "(lane)[s0] -> (lane, s0), domain: lane in [0, 7], s0 in [0, 15]", 16},
    {"f16[8,64]{1,0}", "(lane) -> (lane, 0), domain: lane in [0, 8]", 16},
    {"f16[8,64]{0,1}", "(lane)[s0] -> (lane, s0), domain: lane in [0, 7], s0 in [0, 15]", 16},
};

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

std::vector<Json> facts_fixed() {
  std::vector<Json> requests;
  for (const auto& [map, fact] : kFacts) requests.push_back(fact_request(map, fact));
  for (const auto& [layout, lanes, vector] : kAccesses) {
    requests.push_back(json_object(
        {{"op", "layout.banks"}, {"layout", layout}, {"access", lanes}, {"vector", vector}}));
  }
  return requests;
}

Json make_facts_request(Choose& choose, const Limits&) {
  if (choose.chance(1, 2)) {
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

std::vector<Json> shrink_facts_requests(const Json& request) {
  return find(request, "map") == nullptr ? std::vector<Json>{} : shrink_map_requests(request);
}

}  // namespace tileproof::conform
