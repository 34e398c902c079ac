// SPDX-License-Identifier: Apache-2.0
#include "conform/shrink/shrink.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/protocol.h"
#include "conform/shrink/text_form.h"
#include "conform/shrink/text_steps.h"

namespace tileproof::conform {
namespace {

bool same_op(const Json& a, const Json& b) {
  const Json* op = find(a, "op");
  return op != nullptr && find(b, "op") != nullptr && *op == *find(b, "op");
}

// The state of a search.
struct Search {
  const Suite& suite;
  const Limits& limits;
  absl::FunctionRef<std::optional<bool>(const Json&)> fails;
  Json best;         // the smallest failing request so far
  std::string text;  // its text
  std::set<uint64_t> asked = {};
  bool over = false;

  // Takes the candidate if it is smaller and fails.
  bool take(const Json& candidate) {
    std::string candidate_text = to_text(candidate);
    if (over || !is_smaller(candidate_text, text) || !same_op(candidate, best)) return false;
    if (!within(candidate, limits)) return false;
    if (!asked.insert(case_hash(candidate)).second) return false;
    const std::optional<bool> still = fails(candidate);
    over = !still.has_value();
    if (!still.value_or(false)) return false;
    best = candidate;
    text = std::move(candidate_text);
    return true;
  }

  bool take_choices(std::vector<int64_t>& choices, std::vector<int64_t> fewer) {
    Choose choose(Choose::Replay{fewer});
    if (!take(suite.make(choose, limits))) return false;
    choices = choose.made();
    return true;
  }
};

using Choices = std::vector<int64_t>;

// Drops blocks of choices.
bool drop_blocks(Search& search, Choices& choices) {
  bool any = false;
  for (size_t block : {16, 8, 4, 2, 1}) {
    for (size_t at = 0; at + block <= choices.size();) {
      Choices fewer = choices;
      fewer.erase(fewer.begin() + static_cast<int64_t>(at),
                  fewer.begin() + static_cast<int64_t>(at + block));
      if (search.take_choices(choices, std::move(fewer))) {
        any = true;
      } else {
        ++at;
      }
    }
  }
  return any;
}

bool shrink_values(Search& search, Choices& choices) {
  bool any = false;
  for (size_t at = 0; at < choices.size(); ++at) {
    // Large values shrink by fractions only, because steps of 1 would take too long.
    const int64_t now = choices[at];
    for (int64_t value :
         {int64_t{0}, now / 2, now - now / 4, now > 100 ? now - now / 8 : now - 1}) {
      if (at >= choices.size() || value < 0 || value >= choices[at]) continue;
      Choices fewer = choices;
      fewer[at] = value;
      any |= search.take_choices(choices, std::move(fewer));
    }
  }
  return any;
}

constexpr int64_t kFew = 12;

// Numbers to try in place of n, and n itself: all from 0 to n if n is small.
std::vector<int64_t> numbers_to(int64_t n) {
  if (n > kFew) return {0, 1, 2, n / 2, n - 1, n};
  if (n < -kFew) return {0, -1, -2, n / 2, n + 1, n};
  std::vector<int64_t> result = {0};
  const int64_t sign = n < 0 ? -1 : 1;
  for (int64_t value = sign; value * sign <= n * sign; value += sign) result.push_back(value);
  return result;
}

// Positions whose numbers change together to the same value.
using Together = std::vector<TextNumber>;

// Makes two groups of numbers smaller, or only one of them. Some failures need two numbers that
// change together, and some that both change by the same amount: a constant just below a divisor.
bool shrink_two(Search& search, const std::string& text, const Together& first,
                const Together& second) {
  int64_t a, b;
  if (!read_number(text, first[0], a) || !read_number(text, second[0], b)) return false;
  std::vector<std::pair<int64_t, int64_t>> smaller;
  for (int64_t x : numbers_to(a)) {
    for (int64_t y : numbers_to(b)) smaller.emplace_back(x, y);
  }
  if (const int64_t least = std::min(a, b); least > 0) {
    for (int64_t to : numbers_to(least)) smaller.emplace_back(a - (least - to), b - (least - to));
  }
  for (const auto& [x, y] : smaller) {
    std::vector<std::pair<TextNumber, int64_t>> changed;
    for (const TextNumber& position : first) changed.emplace_back(position, x);
    for (const TextNumber& position : second) changed.emplace_back(position, y);
    const absl::StatusOr<JsonText> json = read_json(with_numbers(text, std::move(changed)));
    if (json.ok() && search.take(json->value)) return true;
    if (search.over) return false;
  }
  return false;
}

// Each number alone, and those that are equal together.
bool shrink_pair(Search& search) {
  const std::string text = search.text;
  std::vector<Together> groups;
  std::map<std::string, Together> equal;
  for (const TextNumber& position : numbers_in(text)) {
    groups.push_back({position});
    equal[text.substr(position.from, position.length)].push_back(position);
  }
  for (const auto& [number, all] : equal) {
    if (all.size() > 1) groups.push_back(all);
  }
  const auto overlap = [](const Together& a, const Together& b) {
    return std::ranges::any_of(b, [&](const TextNumber& position) {
      return std::ranges::find(a, position.from, &TextNumber::from) != a.end();
    });
  };
  for (size_t i = 0; i < groups.size(); ++i) {
    for (size_t j = i + 1; j < groups.size() && !search.over; ++j) {
      if (overlap(groups[i], groups[j])) continue;
      if (shrink_two(search, text, groups[i], groups[j])) return true;
    }
  }
  return false;
}

// Puts parts in another order and takes one more step. Alone, the other order may hide the failure:
// in a shape of one column and two rows a tile matters otherwise than in one of two columns.
bool reorder_and_step(Search& search) {
  for (const Json& other : simpler_requests(search.best)) {
    if (!std::ranges::is_permutation(to_text(other), search.text)) continue;
    for (const Json& simpler : simpler_requests(other)) {
      if (search.take(simpler)) return true;
      if (search.over) return false;
    }
  }
  return false;
}

constexpr size_t kMostRead = 32 << 20;  // bytes of texts that are read to find one step

// Whether both steps make the same number of the text smaller.
bool change_one_number(absl::string_view text, const TextEdits& a, const TextEdits& b) {
  int64_t smaller;
  return !a.empty() && !b.empty() && absl::SimpleAtoi(b[0].second, &smaller) &&
         part(text, a[0].first) == part(text, b[0].first);
}

// Takes one step. Looks first where the last one was found, and sets that place. Of a text of many
// kilobytes it does not try all steps: that would take longer than the search may.
bool take_step(Search& search, size_t& place) {
  const Json request = search.best;
  const std::string text = search.text;
  const std::vector<TextEdits> steps = steps_from(text);
  const size_t most = std::min(steps.size(), kMostRead / text.size());
  for (size_t i = 0; i < most && !search.over; ++i) {
    const size_t at = (place + i) % steps.size();
    for (const Json& simpler : after_step(request, text, steps[at])) {
      if (!search.take(simpler)) continue;
      place = at;
      // The steps of a number begin with those that find a threshold soon, and end with n - 1.
      while (place > 0 && change_one_number(text, steps[place - 1], steps[at])) --place;
      return true;
    }
  }
  return false;
}

}  // namespace

Json smallest(const Suite& suite, const Limits& limits, const Case& failing,
              absl::FunctionRef<std::optional<bool>(const Json&)> fails, Effort effort) {
  Search search{suite, limits, fails, failing.request, to_text(failing.request)};
  Choices choices = choices_of(suite, limits, failing);
  for (bool more = !choices.empty(); more && !search.over;) {
    more = drop_blocks(search, choices);
    more |= shrink_values(search, choices);
  }
  size_t place = 0;
  for (bool more = true; more && !search.over;) {
    more = take_step(search, place);
    if (!more && effort == Effort::kAll) more = shrink_pair(search) || reorder_and_step(search);
  }
  return search.best;
}

}  // namespace tileproof::conform
