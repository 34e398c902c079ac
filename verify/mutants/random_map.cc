// SPDX-License-Identifier: Apache-2.0
#include "verify/mutants/random_map.h"

#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::mutants {

IndexingMap any_map(Choose& choose) {
  if (choose.chance(1, 4)) return generate_related(choose);
  switch (choose(8)) {
    case 0:
    case 1:
      return generate_chain(choose, {.points = 256}).map;
    case 2:
      return generate_map(choose, {.points = 256, .extremes = true});
    case 3: {
      IndexingMap map = generate_chain(choose, {.points = 256}).map;
      mutate_map(choose, map);
      return parse_map(to_text(map)).value_or(map);  // drops unused nodes
    }
    default:
      return generate_map(choose, {.points = 256});
  }
}

}  // namespace tileproof::mutants
