// Fuzz target: a text is read as a shape with its layout, or refused with a place; what is read is
// valid, prints, and reads back as itself.
#include <string>

#include "absl/strings/str_cat.h"
#include "fuzz/targets/shape_inputs.h"

namespace tileproof {
namespace {

void check(absl::string_view text) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok()) {
    if (shape.status().message().find("column ") == absl::string_view::npos)
      fail(absl::StrCat("an error that names no column: ", shape.status().message()));
    return;
  }
  const std::string printed = to_text(*shape);
  const absl::StatusOr<Shape> again = parse_shape(printed);
  if (!again.ok() || *again != *shape)
    fail(absl::StrCat("printed and not read back: '", printed, "'"));
  if (to_text(*again) != printed) fail(absl::StrCat("printed in two ways: '", printed, "'"));
}

}  // namespace
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check(tileproof::text_of(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return tileproof::mutate_text(data, size, max_size, seed, 8, tileproof::mutated_shape);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  return tileproof::cross_text({left, left_size, right, right_size, out, max_size, seed},
                               tileproof::crossed_shape);
}
