// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/shard_ops.h"
#include "conform/suites/makers.h"

namespace tileproof::conform {
namespace {

using Integers = std::vector<int64_t>;

Integers shuffled(Choose& choose, int64_t count) {
  Integers all(count);
  std::iota(all.begin(), all.end(), int64_t{0});
  for (int64_t k = count - 1; k > 0; --k) std::swap(all[k], all[choose.between(0, k)]);
  return all;
}

std::string bracketed(const Integers& numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ","), "]");
}

// `{devices=[2,2]0,2,1,3}`, `{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}`, ..
std::string tiled(Choose& choose, const Integers& parts, int64_t devices) {
  int64_t product = 1;
  Integers tiles = parts;
  for (const int64_t along : parts) product *= along;
  const bool has_copies = product != devices;
  if (has_copies) tiles.push_back(devices / product);
  const std::string copies = has_copies ? " last_tile_dim_replicate" : "";
  const std::string first = absl::StrCat("{devices=", bracketed(tiles));
  switch (choose(3)) {
    case 0:
      return absl::StrCat(first, "<=[", devices, "]", copies, "}");
    case 1: {
      const Integers order = shuffled(choose, std::ssize(tiles));
      return absl::StrCat(first, "<=", bracketed(tiles), "T(", absl::StrJoin(order, ","), ")",
                          copies, "}");
    }
    default:
      return absl::StrCat(first, absl::StrJoin(shuffled(choose, devices), ","), copies, "}");
  }
}

}  // namespace

Json make_devices_request(Choose& choose, const Limits&) {
  Integers dims, parts, index;
  int64_t devices = choose.pick<int64_t>({1, 2, 3});
  for (int64_t d = choose.between(1, 3); d > 0; --d) {
    dims.push_back(choose.between(1, 9));
    parts.push_back(choose.pick<int64_t>({1, 2, 3, 4}));
    devices *= parts.back();
  }
  const bool is_replicated = choose.chance(1, 20);
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t part = is_replicated ? dims[d] : (dims[d] + parts[d] - 1) / parts[d];
    index.push_back(choose.between(0, part - (choose.chance(1, 20) ? 0 : 1)));
  }
  Json request = json_object({{"op", "shard.index"},
                              {"shape", absl::StrCat("f32", bracketed(dims))},
                              {"device", choose.between(0, devices - 1)},
                              {"index", index}});
  set(request, "sharding", is_replicated ? "{replicated}" : tiled(choose, parts, devices));
  if (is_replicated) set(request, "devices", devices);
  return request;
}

}  // namespace tileproof::conform
