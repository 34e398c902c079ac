// Fuzz target: a text is read as a map, or refused with a place; what is read is valid, prints, and
// reads back as itself.
#include "fuzz/targets/map_inputs.h"

namespace tileproof {
namespace {

void check(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) {
    if (map.status().message().find("column ") == absl::string_view::npos)
      fail(absl::StrCat("an error that names no column: ", map.status().message()));
    return;
  }
  if (!validate(*map).ok()) fail(absl::StrCat("read, but not valid: ", quoted(*map)));
  const std::string printed = to_text(*map);
  const absl::StatusOr<IndexingMap> again = parse_map(printed);
  if (!again.ok() || *again != *map)
    fail(absl::StrCat("printed and not read back: ", quoted(*map)));
  if (to_text(*again) != printed) fail(absl::StrCat("printed in two ways: ", quoted(*map)));
}

std::string mutated(Choose& choose, absl::string_view text) {
  absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok() || choose.chance(1, 32)) return to_text(random_map(choose));
  change(choose, *map);
  return to_text(*map);
}

}  // namespace
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check(tileproof::text_of(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return tileproof::mutate_text(data, size, max_size, seed, 8, tileproof::mutated);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  return tileproof::cross_text({left, left_size, right, right_size, out, max_size, seed},
                               [](auto& choose, const auto& a, const auto& b) {
                                 return tileproof::crossed_lines(choose, a, b, 1);
                               });
}
