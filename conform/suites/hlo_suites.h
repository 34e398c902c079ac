// SPDX-License-Identifier: Apache-2.0
// The requests of the suite `hlo`: hlo.index of small random operations and computations
// (generate/hlo/generate_hlo.h).
//
// A request is about the root or another instruction, in either scope and direction. A few requests
// are invalid. The suite only makes requests; the judge knows the answers.
//
//     {"op":"hlo.index","hlo":"r = f32[4] reverse(f32[4] p), dimensions={0}",
//      "direction":"output_to_input","scope":"instruction"}
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/family.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

// A request about the root.
Json hlo_question(absl::string_view hlo, absl::string_view scope,
                  absl::string_view direction = "output_to_input");

Json make_hlo_request(Choose& choose, const Limits& limits);

// Every small operation of generate/hlo/bounded_hlo.h, and its description for the report.
Family hlo_family();
std::string hlo_family_text();

// The requests of the suite `uses`: hlo.utilization and hlo.tile of the modules of the suite `hlo`,
// and a few fixed requests of map.transactions.

Json make_access_request(Choose& choose, const Limits& limits);

}  // namespace tileproof::conform
