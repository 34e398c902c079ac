// SPDX-License-Identifier: Apache-2.0
// A report in SARIF 2.1.0, which code review tools show beside the change.
//
// The log has one run, a rule for each operation and verdict that occurs, and a result for each
// failure. The level of a result is `error`, or `note` if the failure is expected. Its message is
// the failure's text: request, answer, right answer and reason. Its fingerprints are the case id
// and the id of its cause; failures of one cause share the latter.
// Source: OASIS, Static Analysis Results Interchange Format, version 2.1.0.
#pragma once

#include <string>

#include "conform/protocol/json.h"
#include "conform/report/report.h"

namespace tileproof::conform {

std::string to_sarif(const Report& report);

// A log with these rules and results.
std::string sarif_log(Json::Array rules, Json::Array results, bool is_successful, int exit_code);

}  // namespace tileproof::conform
