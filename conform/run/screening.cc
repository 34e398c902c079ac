// SPDX-License-Identifier: Apache-2.0
#include "conform/run/screening.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conform/report/cause.h"

namespace tileproof::conform {
namespace {

constexpr uint64_t kExtreme = uint64_t{1} << 62;
constexpr int64_t kLeastExplained = 2;  // deaths that a feature must explain

bool has_bit(FeatureSet features, size_t feature) { return (features >> feature) & 1; }

// Whether a division is followed by this text, and then by no digit.
bool divides_by(absl::string_view request, absl::string_view divisor) {
  for (absl::string_view division : {" floordiv ", " ceildiv ", " mod "}) {
    const std::string wanted = absl::StrCat(std::string(division), std::string(divisor));
    for (size_t at = request.find(wanted); at != absl::string_view::npos;
         at = request.find(wanted, at + 1)) {
      const size_t next = at + wanted.size();
      const bool longer = divisor == "0" && next < request.size() &&
                          absl::ascii_isdigit(static_cast<unsigned char>(request[next]));
      if (!longer) return true;
    }
  }
  return false;
}

}  // namespace

FeatureSet screened_features(absl::string_view request) {
  const bool map = absl::StrContains(request, "\"map.");
  const bool has[] = {absl::StrContains(request, "ceildiv"),
                      map && divides_by(request, "0"),
                      map && divides_by(request, "-"),
                      map && divides_by(request, "("),
                      largest_number(request) >= kExtreme,
                      map && (absl::StrContains(request, "){") || absl::StrContains(request, "]{")),
                      !map && absl::StrContains(request, ")("),
                      absl::StrContains(request, "(*") || absl::StrContains(request, ",*")};
  static_assert(std::size(has) == kScreenedFeatures.size());
  FeatureSet features = 0;
  for (size_t i = 0; i < std::size(has); ++i) features |= FeatureSet{has[i]} << i;
  return features;
}

void Screen::answered(FeatureSet features) {
  for (size_t i = 0; i < answered_.size(); ++i) answered_[i] += has_bit(features, i) ? 1 : 0;
}

std::string Screen::died(FeatureSet features, const std::string& what) {
  std::vector<FeatureSet>& deaths = deaths_[what];
  deaths.push_back(features);
  if (std::ssize(deaths) < kStopAfter) return "";
  int64_t most = 0;
  size_t best = 0;
  for (size_t i = 0; i < kScreenedFeatures.size(); ++i) {
    if (answered_[i] > 0) continue;
    const int64_t explained = std::count_if(deaths.begin(), deaths.end(),
                                            [i](FeatureSet death) { return has_bit(death, i); });
    if (explained > most) best = i;
    most = std::max(most, explained);
  }
  if (most < kLeastExplained) {
    return absl::StrCat("after ", kStopAfter, " times: ", what, " (--keep-going continues)");
  }
  dropped_.try_emplace(best, Dropped{absl::StrCat(most, " times: ", what), 0});
  std::erase_if(deaths, [best](FeatureSet death) { return has_bit(death, best); });
  return "";
}

bool Screen::wants(FeatureSet features) {
  for (auto& [feature, dropped] : dropped_) {
    if (!has_bit(features, feature)) continue;
    ++dropped.requests;
    return false;
  }
  return true;
}

bool Screen::leaves_out(FeatureSet features) const {
  return std::any_of(dropped_.begin(), dropped_.end(),
                     [features](const auto& dropped) { return has_bit(features, dropped.first); });
}

std::vector<ScreenedFeature> Screen::screened(const std::string& suite) const {
  std::vector<ScreenedFeature> result;
  for (const auto& [feature, dropped] : dropped_) {
    result.push_back(
        {suite, std::string(kScreenedFeatures[feature]), dropped.why, dropped.requests});
  }
  return result;
}

}  // namespace tileproof::conform
