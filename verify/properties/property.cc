// SPDX-License-Identifier: Apache-2.0
#include "verify/properties/property.h"

#include <utility>

namespace tileproof::verify {

Property of_choices(std::string name, int64_t cases,
                    std::function<std::string(Choose& choose, CaseCounts& tally)> check,
                    int64_t times) {
  return {std::move(name),
          always(cases),
          true,
          [check = std::move(check)](int64_t, Choose& choose, CaseCounts& tally) {
            return check(choose, tally);
          },
          true,
          times};
}

std::string check_case(const Property& property, int64_t number, CaseCounts& tally) {
  Choose choose(Choose::Random{static_cast<uint64_t>(number)});
  return property.check(number, choose, tally);
}

}  // namespace tileproof::verify
