#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

const std::vector<Target>& all_targets() {
  using enum Input;
  static const std::vector<std::string> shapes = {"layouts/regressions.txt", "layouts/real.txt"};
  static const std::vector<std::string> nested = {"nested/regressions.txt"};
  static const std::vector<std::string> maps = {"maps/regressions.txt", "maps/chains.txt"};
  static const std::vector<std::string> modules = {"hlo/regressions.hlo", "hlo/edges.hlo"};
  static const std::vector<std::string> requests = {"protocol/requests.txt",
                                                    "layouts/regressions.txt",
                                                    "maps/regressions.txt", "hlo/regressions.hlo"};
  static const std::string shapes_found = "layouts/regressions.txt";
  static const std::string nested_found = "nested/regressions.txt";
  static const std::string maps_found = "maps/regressions.txt";
  static const std::string modules_found = "hlo/regressions.hlo";
  static const std::vector<Target> all = {
      {"shape_text", kShape, shapes, 1, 512, 2048, shapes_found},
      {"layout", kShape, shapes, 1, 512, 2048, shapes_found},
      {"layout_convert", kLayoutChoices, {}, 1, 512, 4096, ""},
      {"nested", kNested, nested, 1, 512, 2048, nested_found},
      {"algebra", kBytes, {}, 1, 512, 4096, ""},
      {"map_parse", kMap, maps, 1, 4096, 2048, maps_found},
      {"map_simplify", kMap, maps, 1, 4096, 2048, maps_found},
      {"map_compose", kMap, maps, 2, 8192, 2048, maps_found},
      {"map_equal", kMap, maps, 2, 8192, 4096, maps_found},
      {"map_uses", kMap, maps, 1, 4096, 2048, maps_found},
      {"hlo_text", kHlo, modules, 1, 4096, 2048, modules_found},
      {"hlo_mutated", kHlo, modules, 1, 4096, 4096, modules_found},
      {"hlo_index", kChoices, {}, 1, 512, 4096, modules_found},
      {"hlo_computation", kChoices, {}, 1, 1024, 4096, modules_found},
      {"hlo_uses", kHlo, modules, 1, 4096, 4096, modules_found},
      {"protocol", kRequest, requests, 1, 4096, 4096, ""},
      {"trace_check", kBytes, {"recorded/traces.txt"}, 1, 8192, 2048, ""},
  };
  return all;
}

}  // namespace tileproof::campaign
