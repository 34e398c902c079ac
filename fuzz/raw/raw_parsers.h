// SPDX-License-Identifier: Apache-2.0
// The parsers that raw_campaign runs, with texts to start from, and what must hold for any text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tileproof::verify {

struct RawParser {
  std::string name;
  std::vector<std::string> texts;  // texts to start from
  std::vector<std::string> words;  // words to insert
  int64_t chunk = 0;               // texts of one line of the record
  // Returns "" if all is well, or what is wrong. Sets `read` to whether the parser accepted the
  // text.
  std::function<std::string(const std::string& text, bool& read)> check;
};

// Returns the parsers shape, map, hlo, json, protocol, hello, nested, algebra, blocked, trace,
// tile, expect, report and sharding.
std::vector<RawParser> raw_parsers();

// Returns numbers at the limits, as text.
const std::vector<std::string>& numbers_at_limits();

}  // namespace tileproof::verify
