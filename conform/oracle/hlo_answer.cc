// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/hlo_answer.h"

#include <utility>

#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
Json hlo_item(const HloModule& module, int32_t computation, const impl::IndexedMap& one) {
  Json map = to_text(one.map);
  if (one.runtime.empty()) return map;
  Json::Array runtime;
  for (const impl::RuntimeSource& source : one.runtime) {
    runtime.push_back(
        json_object({{"instruction", impl::name_of(module, computation, source.position)},
                     {"map", to_text(source.map)}}));
  }
  return json_object({{"map", std::move(map)}, {"runtime", std::move(runtime)}});
}

HloAnswer hlo_answer(const HloModule& module, int32_t computation, const impl::Indexing& indexing,
                     Sources sources) {
  HloAnswer answer;
  for (const std::vector<impl::LeafMaps>& operand : indexing) {
    for (const impl::LeafMaps& leaf : operand) {
      if (leaf.inexact) answer.inexact.push_back(std::ssize(answer.lists));
      Json::Array list;
      for (const impl::IndexedMap& one : leaf.maps) {
        list.push_back(sources == Sources::kWritten ? hlo_item(module, computation, one)
                                                    : Json(to_text(one.map)));
      }
      answer.lists.push_back(std::move(list));
    }
  }
  return answer;
}

}  // namespace tileproof::conform
