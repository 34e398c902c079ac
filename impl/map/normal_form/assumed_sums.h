// Sums of which a constraint of the domain says what they are (NormalFormContext::known), within other sums.
#pragma once

#include <optional>
#include <vector>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// k times a known sum, all of whose atoms the other sum has: without it that has fewer.
struct AssumedPart {
  size_t assumption = 0;  // its number in NormalFormContext::known
  int64_t k = 0;

  bool operator==(const AssumedPart&) const = default;
};

// Those of x, the smaller ones first. Where factors are not small only the sums that x is a
// multiple of, so that x - k * sum and what it adds up to stay within 64 bits.
std::vector<AssumedPart> assumed_parts(const NormalFormContext& context, const Linear& x);

// x = sum of k * known + rest, with the known sums that make its range narrower, and that range:
// with d1 + d2 in [0, 3], 4 * (d0 mod 8) + d1 + d2 lies in [0, 31]. Nothing where none does.
struct AssumedSplit {
  std::vector<AssumedPart> parts;
  Range parts_range;
  Linear rest;
  Range rest_range;
  Range range;
};
std::optional<AssumedSplit> split_by_assumptions(NormalFormContext& context, const Linear& x);

// The value of x by that of the sums with one value: with d0 + d1 in [3, 3], d0 + 2 * d1 is d1 + 3.
// What was put in is added to `used`, if there is one.
Linear with_assumed_sums(NormalFormContext& context, Linear x,
                         std::vector<AssumedPart>* used = nullptr);

}  // namespace tileproof::impl
