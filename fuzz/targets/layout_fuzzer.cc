// Fuzz target: linearize and delinearize. The layout of a shape is the same by the reference and in
// closed form, at every place if there are few and at many points otherwise.
#include <string>

#include "fuzz/targets/shape_inputs.h"
#include "verify/layout_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kMostPlaces = 2000;
constexpr int64_t kPoints = 20;

void check(absl::string_view text) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok()) return;
  Choose choose(Choose::Random{seed_of(text)});
  const absl::StatusOr<verify::Compared> compared =
      verify::compare_whole(*shape, kMostPlaces, kPoints, choose);
  if (!compared.ok()) fail_compared(compared.status().message());
}

}  // namespace
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check(tileproof::text_of(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return tileproof::mutate_text(data, size, max_size, seed, 0, tileproof::mutated_shape);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* left, size_t left_size,
                                            const uint8_t* right, size_t right_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  return tileproof::cross_text({left, left_size, right, right_size, out, max_size, seed},
                               tileproof::crossed_shape);
}
