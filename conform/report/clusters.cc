// SPDX-License-Identifier: Apache-2.0
#include "conform/report/clusters.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>

#include "conform/report/cause.h"
#include "conform/suites/suites.h"
#include "generate/choose/stable_hash.h"

namespace tileproof::conform {
namespace {

// The order of examples: shrunk ones first, then by the size of their numbers, then by length.
struct Simplicity {
  bool unshrunk = false;
  int wide = 0;  // 0: below 2^31, 1: below 2^53, 2: larger
  size_t length = 0;
  std::string text;

  auto key() const { return std::tie(unshrunk, wide, length, text); }
};

Simplicity simplicity_of(const Failure& failure) {
  std::string text = to_text(failure.smallest ? failure.smallest->request : failure.request);
  const auto bits = std::bit_width(largest_number(text));
  return {!failure.smallest, bits <= 31 ? 0 : bits <= 53 ? 1 : 2, text.size(), std::move(text)};
}

}  // namespace

std::vector<Cluster> clusters_of(const Report& report) {
  std::map<std::string, Cluster> by_cause;
  std::map<std::string, Simplicity> best;
  for (const auto& [key, failure] : report.failures) {
    const std::string cause = cause_of(report, failure);
    const bool expected = expectation_of(report, report.records[key]) != nullptr;
    auto [found, is_new] = by_cause.try_emplace(cause, Cluster{cause, {}, key, true});
    Cluster& cluster = found->second;
    cluster.failures.push_back(key);
    // An unexpected failure is a better example than an expected one.
    Simplicity simplicity = simplicity_of(failure);
    const bool first = is_new || (cluster.expected && !expected);
    const bool better = expected == cluster.expected && simplicity.key() < best[cause].key();
    if (first || better) {
      cluster.example = key;
      best[cause] = std::move(simplicity);
    }
    cluster.expected = cluster.expected && expected;
  }
  std::vector<Cluster> clusters;
  for (auto& [cause, cluster] : by_cause) clusters.push_back(std::move(cluster));
  std::sort(clusters.begin(), clusters.end(), [&best](const Cluster& a, const Cluster& b) {
    return best[a.cause].key() < best[b.cause].key();
  });
  return clusters;
}

std::string cause_id(const std::string& cause) { return case_id(stable_hash(cause)); }

}  // namespace tileproof::conform
