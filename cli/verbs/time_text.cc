// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/time_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"

namespace tileproof::cli {
namespace {

constexpr size_t kMostDigits = 9;  // of hours fit 64 bits, too

// The milliseconds of a unit, or 0 if there is no such unit.
int64_t factor_of(absl::string_view unit, BareTime bare) {
  if (unit.empty()) return bare == BareTime::kSeconds ? 1000 : 1;
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  if (unit == "m" || unit == "min") return 60'000;
  return unit == "h" ? 3'600'000 : 0;
}

}  // namespace

absl::StatusOr<std::chrono::milliseconds> read_time(absl::string_view text, BareTime bare) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const int64_t factor = factor_of(text.substr(digits), bare);
  int64_t number = 0;
  const bool read = digits <= kMostDigits && absl::SimpleAtoi(text.substr(0, digits), &number);
  if (read && factor != 0) return std::chrono::milliseconds(number * factor);
  return absl::InvalidArgumentError(
      absl::StrCat("expected a time such as 500ms, 30s, 2min or 1h (a number alone is ",
                   bare == BareTime::kSeconds ? "seconds" : "milliseconds", "), found '",
                   conform::shown(text, 40), "'"));
}

}  // namespace tileproof::cli
