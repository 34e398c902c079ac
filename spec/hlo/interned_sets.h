// SPDX-License-Identifier: Apache-2.0
// Sets of sources. Each set is stored once, so that equal sets have equal numbers. Private to
// spec/hlo/provenance*.cc.
//
// A source is a number below 2^32. Set 0 is empty.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace tileproof::spec {

using SetId = uint32_t;

class SetTable {
 public:
  SetTable() { intern({}); }

  // The set of one source.
  SetId single(uint32_t source) { return intern({source}); }

  // The union of sets. Sorts `ids` and removes duplicates. Subtracts the sources that it reads from
  // `work`. If that gets negative, the result means nothing.
  SetId united(std::vector<SetId>& ids, int64_t& work);

  const std::vector<uint32_t>& sources(SetId id) const { return *sets_[id]; }
  SetId size() const { return static_cast<SetId>(sets_.size()); }

 private:
  SetId intern(std::vector<uint32_t> sorted);

  std::vector<std::unique_ptr<const std::vector<uint32_t>>> sets_;
  absl::flat_hash_map<std::vector<uint32_t>, SetId> numbers_;
  absl::flat_hash_map<std::vector<SetId>, SetId> unions_;
};

}  // namespace tileproof::spec
