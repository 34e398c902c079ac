// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

std::vector<std::pair<std::string, int64_t>> options_of(Schedule schedule) {
  if (schedule == Schedule::kNewest) return {{"entropic", 0}};
  return {{"entropic", 1}, {"entropic_scale_per_exec_time", 1}};
}

const std::vector<Target>& all_targets() {
  static const std::string is_module = "tileproof map {}";
  static const std::string indexing =
      "for direction in output_to_input input_to_output; do "
      "tileproof map --verify --direction $direction {}; done";
  static const std::vector<std::string> shapes = {"layouts/regressions.txt", "layouts/real.txt"};
  static const std::vector<std::string> maps = {"maps/regressions.txt", "maps/chains.txt"};
  static const std::vector<std::string> modules = {"hlo/regressions.hlo", "hlo/edges.hlo"};
  static const Regressions in_shapes = {"layouts/regressions.txt"};
  static const Regressions in_maps = {"maps/regressions.txt", "//"};
  static const Regressions in_modules = {"hlo/regressions.hlo", "//", true};
  static const Limits of_map = {.longest = 4096, .schedule = Schedule::kNewest};
  static const Limits of_module = {
      .longest = 4096, .memory_mb = 4096, .schedule = Schedule::kNewest};
  static const std::vector<Target> all = {
      {"shape_text", "tileproof layout {}", shapes, in_shapes},
      {"layout", "tileproof prove {}", shapes, in_shapes},
      {"layout_convert",
       "for system in xla tla cute dnnl; do tileproof layout --as $system {}; done",
       {},
       {"layouts/conversions.txt"},
       {.memory_mb = 4096}},
      {"relayout",
       "tileproof relayout {*}",
       {"layouts/relayouts.txt"},
       {"layouts/relayouts.txt"},
       {.lines = 2}},
      {"nested", "tileproof layout {}", {"nested/regressions.txt"}, {"nested/regressions.txt"}},
      {"algebra", "tileproof algebra laws {}", {}, {"nested/algebra.txt"}, {.memory_mb = 4096}},
      {"map_parse", "tileproof simplify {}", maps, in_maps, {.longest = 4096}},
      {"mlir_text",
       "tileproof simplify --mlir {}",
       {"maps/mlir.txt"},
       {"maps/mlir.txt", "//"},
       {.longest = 4096}},
      {"map_simplify", R"({"id":1,"op":"map.simplify","map":{}})", maps, in_maps, of_map},
      {"map_compose",
       R"({"id":1,"op":"map.compose","first":{1},"second":{2}})",
       maps,
       in_maps,
       {.lines = 2, .longest = 8192}},
      {"map_equal",
       "tileproof equiv {*}",
       maps,
       in_maps,
       {.lines = 2, .longest = 8192, .memory_mb = 4096, .schedule = Schedule::kNewest}},
      {"map_uses", "tileproof simplify --trace {}; tileproof image {}", maps, in_maps, of_map},
      {"hlo_text", is_module, modules, in_modules, {.longest = 4096}},
      {"stablehlo_text",
       is_module,
       {"hlo/stablehlo.mlir"},
       {"hlo/stablehlo.mlir", "//", true},
       {.longest = 4096}},
      {"hlo_proto",
       is_module,
       {"hlo/protos.pbtxt"},
       {"hlo/protos.pbtxt", "#", true},
       {.longest = 4096}},
      {"hlo_mutated", indexing, modules, in_modules, of_module},
      {"hlo_index", indexing, {}, in_modules, {.memory_mb = 4096, .schedule = Schedule::kNewest}},
      {"hlo_computation",
       indexing,
       {},
       in_modules,
       {.longest = 1024, .memory_mb = 4096, .schedule = Schedule::kNewest}},
      {"hlo_uses", R"({"id":1,"op":"hlo.utilization","hlo":{},"scope":"computation"})", modules,
       in_modules, of_module},
      {"protocol",
       "tileproof respond <<< {}",
       {"protocol/requests.txt", "protocol/regressions.jsonl"},
       {"protocol/regressions.jsonl"},
       {.longest = 4096, .memory_mb = 4096}},
      {"trace_check",
       "tileproof simplify --check - <<< {}",
       {"golden/traces.txt"},
       {"maps/traces.txt", "//", true},
       {.longest = 8192}},
  };
  return all;
}

}  // namespace tileproof::campaign
