// What was last made of texts: a case is written when it is made, when it is sent and when its
// answer is judged, and its text means the same each time.
//
// A table of fixed size, a place for each text by its hash; who comes later stays. Not for several
// threads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace tileproof::conform {

template <class Value>
class Memo {
 public:
  // make(text), or what it gave before. Good until the next call.
  template <class Make>
  const Value& get(absl::string_view text, Make make) {
    Slot& slot = slots_[absl::Hash<absl::string_view>()(text) % kSlots];
    if (!slot.value || slot.text != text) {
      slot.value.reset();
      slot.value.emplace(make(text));
      slot.text.assign(text.data(), text.size());
    }
    return *slot.value;
  }

 private:
  static constexpr size_t kSlots = 64;  // few: memory that is still near
  struct Slot {
    std::string text;
    std::optional<Value> value;
  };
  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
};

}  // namespace tileproof::conform
