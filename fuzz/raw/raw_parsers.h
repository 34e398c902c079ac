// What raw_campaign throws changed texts at: the readers of the project, with texts to start from,
// and what must hold of any text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tileproof::verify {

struct RawParser {
  std::string name;
  std::vector<std::string> texts;  // to start from
  std::vector<std::string> words;  // to put in
  int64_t chunk = 0;               // texts of a line of the record
  // "" if all is well; else what is not. `read`: was it accepted?
  std::function<std::string(const std::string& text, bool& read)> check;
};

// shape, map, hlo, json, protocol, hello, nested, algebra, blocked, trace, tile, expect, report.
std::vector<RawParser> raw_parsers();

// Numbers at the limits, as texts.
const std::vector<std::string>& numbers_at_limits();

}  // namespace tileproof::verify
