// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/family.h"

#include <utility>

namespace tileproof::conform {

Family family_of(size_t parts, std::function<std::vector<Json>(size_t part, Choose& choose)> make) {
  return [parts, make = std::move(make), part = size_t{0}, odometer = Odometer(),
          ready = std::vector<Json>()]() mutable -> std::optional<Json> {
    while (ready.empty()) {
      if (odometer.done()) {
        odometer = Odometer();
        ++part;
      }
      if (part == parts) return std::nullopt;
      Choose choose(&odometer);
      ready = make(part, choose);
      odometer.advance();
    }
    Json request = std::move(ready.back());
    ready.pop_back();
    return request;
  };
}

}  // namespace tileproof::conform
