// SPDX-License-Identifier: Apache-2.0
// Screening: a program that crashes on a feature is asked on without it.
//
//     5 times: signal 6, each time with `ceildiv`; no request with `ceildiv` was ever answered
//     -> requests with the feature "ceildiv" are not asked any more, and the suite goes on
//
// After kStopAfter crashes or timeouts of one kind, the screen looks for a named feature that
// explains at least two of them and that no answered request has. If there is none, the suite
// stops. The features are found in the text of a request, so that asking costs almost nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conform/report/report.h"

namespace tileproof::conform {

inline constexpr int kStopAfter = 5;  // crashes or timeouts of one kind

inline constexpr std::array<absl::string_view, 8> kScreenedFeatures = {
    "ceildiv",        "zero divisor",      "negative divisor", "compound divisor",
    "int64 extremes", "runtime variables", "several tiles",    "combined dimensions"};

// A set of features, one bit for each of kScreenedFeatures.
using FeatureSet = uint32_t;

// The features of the text of a request.
FeatureSet screened_features(absl::string_view request);

class Screen {
 public:
  // The program answered a request with these features.
  void answered(FeatureSet features);

  // The program crashed or timed out, as `what` says. Returns why the suite must stop, or an empty
  // text if it goes on.
  std::string died(FeatureSet features, const std::string& what);

  // Returns whether to ask a request with these features, and counts it if not.
  bool wants(FeatureSet features);

  // The opposite, without counting.
  bool leaves_out(FeatureSet features) const;

  // What was screened out of this suite.
  std::vector<ScreenedFeature> screened(const std::string& suite) const;

 private:
  struct Dropped {
    std::string why;
    int64_t requests = 0;
  };

  std::array<int64_t, kScreenedFeatures.size()> answered_ = {};
  std::map<std::string, std::vector<FeatureSet>> deaths_;  // by what happened
  std::map<size_t, Dropped> dropped_;                      // by feature
};

}  // namespace tileproof::conform
