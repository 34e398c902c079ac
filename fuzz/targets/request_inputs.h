// What the fuzz target of the protocol starts from and goes on with: an input is lines, each a
// request. Each member is changed by what it is (a shape, a map, a module, a layout, a tag, a list
// of numbers, ..), so that most lines stay requests that have an answer.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"

namespace tileproof {

inline constexpr size_t kMaxRequests = 8;  // lines that an input is made to have

// A request of any operation, made by the suites (conform/suites/suites.h); one line.
std::string random_request(Choose& choose);

// One line changed, doubled, dropped or exchanged with another, or a new one. A line that is no
// request becomes one.
std::string mutated_requests(Choose& choose, absl::string_view text);

// The lines of the left with one of the right, or with a member of one of its lines.
std::string crossed_requests(Choose& choose, absl::string_view left, absl::string_view right);

}  // namespace tileproof
