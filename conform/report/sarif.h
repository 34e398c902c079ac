// A report in SARIF 2.1.0, which code review tools show beside the change.
//
// One run, a rule for each operation and verdict that was met, and a result for each failure:
// level `error`, or `note` where the failure is expected. Each has the request that shows it, the
// answer, what is right and why; its fingerprint is the id of the case.
// Source: OASIS, Static Analysis Results Interchange Format, version 2.1.0.
#pragma once

#include <string>

#include "conform/report/report.h"

namespace tileproof::conform {

std::string to_sarif(const Report& report);

}  // namespace tileproof::conform
