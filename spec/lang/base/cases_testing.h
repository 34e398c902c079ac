// SPDX-License-Identifier: Apache-2.0
// How many random cases a test tries: all of them at night, a share in each other run.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace tileproof {

// A run by day tries one case in this many, and under sanitizers, where a case costs about ten times
// as much, one in the second number.
inline constexpr int64_t kByDay = 8, kUnderSanitizers = 32;

// A test tries one case in as many as this. The variable TILEPROOF_ONE_IN, which the nightly run
// sets to 1, takes precedence.
inline int64_t one_in() {
  const char* given = std::getenv("TILEPROOF_ONE_IN");
  if (given != nullptr && std::atoll(given) > 0) return std::atoll(given);
#if defined(__SANITIZE_ADDRESS__)
  return kUnderSanitizers;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return kUnderSanitizers;
#endif
#endif
  return kByDay;
}

// The share of `all` random cases, or of what is counted in them:
//
//     for (int64_t seed = 0; seed < cases(2000); ++seed) ..
//     EXPECT_GT(proven, cases(1500));
template <class Int = int64_t>
Int cases(std::type_identity_t<Int> all) {
  return all / static_cast<Int>(one_in());
}

// Whether this run tries a larger share than a run by day.
inline bool at_night() { return one_in() < kByDay; }

// The share of random cases that each take long: by day a third of that of others.
template <class Int = int64_t>
Int long_cases(std::type_identity_t<Int> all) {
  return at_night() ? cases<Int>(all) : cases<Int>(all) / 3;
}

// Whether a test that goes through all cases of a family tries the case with this number: at night
// each, by day one in `by_day`, and under sanitizers one in five of these. A prime that divides no
// number of choices of the family reaches every choice.
inline bool is_tried(int64_t number, int64_t by_day = 1) {
  if (at_night()) return true;
  return number % (one_in() <= kByDay ? by_day : 5 * by_day) == 0;
}

}  // namespace tileproof
