// SPDX-License-Identifier: Apache-2.0
// Known-wrong implementations of hlo.exchange: the right answers about another collective.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conform/zoo/variants.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::zoo {
namespace {

std::string* attribute_of(HloInstruction& i, absl::string_view name) {
  for (HloAttribute& one : i.attributes) {
    if (one.name == name) return &one.value;
  }
  return nullptr;
}

using NumberLists = std::vector<std::vector<int64_t>>;

// The lists `{{0,1},{1,2}}` are written anew. Returns false where `change` does, or there are none.
template <bool (*change)(NumberLists& lists)>
bool other_lists(HloInstruction& i, absl::string_view name) {
  std::string* text = attribute_of(i, name);
  if (text == nullptr || !absl::StartsWith(*text, "{{")) return false;
  NumberLists lists;
  for (const absl::string_view one : absl::StrSplit(*text, "},")) {
    std::vector<int64_t>& list = lists.emplace_back();
    for (const absl::string_view number : absl::StrSplit(one, ',')) {
      list.emplace_back();
      const size_t digits = number.find_first_not_of("{} ");
      if (!absl::SimpleAtoi(absl::StripSuffix(number.substr(digits), "}}"), &list.back()))
        return false;
    }
  }
  if (!change(lists)) return false;
  std::vector<std::string> texts;
  for (const std::vector<int64_t>& list : lists) {
    texts.push_back(absl::StrCat("{", absl::StrJoin(list, ","), "}"));
  }
  *text = absl::StrCat("{", absl::StrJoin(texts, ","), "}");
  return true;
}

bool self_removed(NumberLists& pairs) {
  return std::erase_if(pairs, [](const auto& pair) { return pair.front() == pair.back(); }) > 0;
}
bool without_self_pairs(HloComputation&, HloInstruction& i) {
  return other_lists<self_removed>(i, "source_target_pairs");
}

bool each_reversed(NumberLists& pairs) {
  for (std::vector<int64_t>& pair : pairs) std::ranges::reverse(pair);
  return true;
}
bool from_target_to_source(HloComputation&, HloInstruction& i) {
  return other_lists<each_reversed>(i, "source_target_pairs");
}

// Devices are in the order of their numbers in each group, however the groups are written.
bool each_sorted(NumberLists& groups) {
  for (std::vector<int64_t>& group : groups) std::ranges::sort(group);
  return true;
}
bool groups_in_order(HloComputation&, HloInstruction& i) {
  return other_lists<each_sorted>(i, "replica_groups");
}

// The transposition of an iota of devices is left out.
bool iota_untransposed(HloComputation&, HloInstruction& i) {
  std::string* text = attribute_of(i, "replica_groups");
  const size_t at = text == nullptr ? std::string::npos : text->find('T');
  if (at == std::string::npos) return false;
  text->erase(at);
  return true;
}

// With a channel, numbers of partitions are taken as those of replicas.
bool channel_ignored(HloComputation&, HloInstruction& i) {
  if (attribute_of(i, "use_global_device_ids") != nullptr) return false;
  return std::erase_if(i.attributes,
                       [](const HloAttribute& one) { return one.name == "channel_id"; }) > 0;
}

const Variant kExchangeVariants[] = {
    {"XLA-45218", OtherRequest(module_with<without_self_pairs>)},
    {"EXCHANGE-TURNED", OtherRequest(module_with<from_target_to_source>)},
    {"EXCHANGE-SORTED", OtherRequest(module_with<groups_in_order>)},
    {"EXCHANGE-IOTA", OtherRequest(module_with<iota_untransposed>)},
    {"EXCHANGE-CHANNEL", OtherRequest(module_with<channel_ignored>)},
};

}  // namespace

absl::Span<const Variant> exchange_variants() { return kExchangeVariants; }

}  // namespace tileproof::zoo
