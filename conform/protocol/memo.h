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
class Remembered {
 public:
  // make(text), or what it gave before. Good until the next call.
  template <class Make>
  const Value& get(absl::string_view text, Make make) {
    Place& place = places_[absl::Hash<absl::string_view>()(text) % kPlaces];
    if (!place.value || place.text != text) {
      place.value.reset();
      place.value.emplace(make(text));
      place.text.assign(text.data(), text.size());
    }
    return *place.value;
  }

 private:
  static constexpr size_t kPlaces = 64;  // few: memory that is still near
  struct Place {
    std::string text;
    std::optional<Value> value;
  };
  std::vector<Place> places_ = std::vector<Place>(kPlaces);
};

}  // namespace tileproof::conform
