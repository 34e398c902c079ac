// SPDX-License-Identifier: Apache-2.0
#include "conform/report/clusters.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>

#include "conform/protocol/case_id.h"
#include "conform/report/cause.h"
#include "conform/shrink/smaller.h"
#include "generate/choose/stable_hash.h"

namespace tileproof::conform {
namespace {

// The order of examples: wrong results and crashes first; of these the shrunk ones, then by the size
// of their numbers, then what is easy to see, then the smallest.
struct Simplicity {
  bool refused = false;  // about requests that must be refused, or the form of an answer
  bool unshrunk = false;
  int wide = 0;  // 0: below 2^31, 1: below 2^53, 2: larger
  bool empty = false;
  bool sizes = false;  // about the sizes of a layout, not the place of an element
  std::string text;

  bool operator<(const Simplicity& other) const {
    const auto first = std::tie(refused, unshrunk, wide, empty, sizes),
               second =
                   std::tie(other.refused, other.unshrunk, other.wide, other.empty, other.sizes);
    return first != second ? first < second : is_smaller(text, other.text);
  }
};

Simplicity simplicity_of(const Report& report, const Failure& failure) {
  std::string text = to_text(failure.smallest ? failure.smallest->request : failure.request);
  const auto bits = std::bit_width(largest_number(text));
  const bool sizes = report.op_of(report.records[failure.record]) == "layout.physical";
  const Verdict verdict = report.records[failure.record].verdict;
  return {verdict == Verdict::kError || verdict == Verdict::kProtocol,
          !failure.smallest,
          bits <= 31   ? 0
          : bits <= 53 ? 1
                       : 2,
          has_empty_array(text),
          sizes,
          std::move(text)};
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
    Simplicity simplicity = simplicity_of(report, failure);
    const bool first = is_new || (cluster.expected && !expected);
    const bool better = expected == cluster.expected && simplicity < best[cause];
    if (first || better) {
      cluster.example = key;
      best[cause] = std::move(simplicity);
    }
    cluster.expected = cluster.expected && expected;
  }
  std::vector<Cluster> clusters;
  for (auto& [cause, cluster] : by_cause) clusters.push_back(std::move(cluster));
  std::sort(clusters.begin(), clusters.end(),
            [&best](const Cluster& a, const Cluster& b) { return best[a.cause] < best[b.cause]; });
  return clusters;
}

std::string cause_id(const std::string& cause) { return case_id(stable_hash(cause)); }

}  // namespace tileproof::conform
