// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/interned_sets.h"

#include <algorithm>
#include <utility>

namespace tileproof::spec {

SetId SetTable::intern(std::vector<uint32_t> sorted) {
  const auto [position, is_new] = numbers_.try_emplace(sorted, size());
  if (is_new) sets_.push_back(std::make_unique<const std::vector<uint32_t>>(std::move(sorted)));
  return position->second;
}

SetId SetTable::united(std::vector<SetId>& ids, int64_t& work) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (!ids.empty() && ids.front() == 0) ids.erase(ids.begin());
  if (ids.empty()) return 0;
  if (ids.size() == 1) return ids.front();
  const auto known = unions_.find(ids);
  if (known != unions_.end()) return known->second;
  std::vector<uint32_t> all;
  for (SetId id : ids) {
    const std::vector<uint32_t>& set = sources(id);
    work -= static_cast<int64_t>(set.size());
    if (work < 0) return 0;  // the caller stops
    all.insert(all.end(), set.begin(), set.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const SetId result = intern(std::move(all));
  unions_.emplace(ids, result);
  return result;
}

}  // namespace tileproof::spec
