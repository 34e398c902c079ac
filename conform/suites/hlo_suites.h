// The requests of the suite `hlo`: random small operations and computations (generate/hlo/generate_hlo.h), about
// their root or an instruction on the way, in both scopes. A small part is invalid. What is right
// is left to the judge.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/family.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

// One question about a root.
Json hlo_question(absl::string_view hlo, absl::string_view scope,
                  absl::string_view direction = "output_to_input");

// The documents' examples, smaller where that says the same; then each kind of invalid request.
std::vector<Json> hlo_fixed();
Json make_hlo_request(Choose& choose, const Limits& limits);

// Every small operation of generate/hlo/bounded_hlo.h; and what that is, for the report.
Family hlo_family();
std::string hlo_family_text();

// The same question of less: another root, a parameter in place of an instruction, without what is
// not used, without attributes that say nothing of elements.
std::vector<Json> shrink_hlo_requests(const Json& request);

}  // namespace tileproof::conform
