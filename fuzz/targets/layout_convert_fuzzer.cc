// Fuzz target: a layout of any system is converted to all of them. Where the array is small every
// answer is that of enumeration, and only a conversion to xla may be neither made nor ruled out. An
// input is the choices of the generator; a finding names a pair for `tileproof equiv`, or a layout
// for `tileproof layout --as`.
#include "fuzz/targets/text_input.h"
#include "generate/layout/generate_blocked.h"
#include "verify/prove/layout/convert_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kMaxIndices = 500;

void check(const AnyLayout& layout) {
  verify::ProofSession session;
  session.milliseconds_per_question = 200;
  const absl::StatusOr<verify::ConversionComparison> compared =
      verify::compare_conversions(layout, kMaxIndices, session);
  if (!compared.ok()) fail(compared.status().message());
}

}  // namespace
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check(tileproof::layout_of_choices({data, size}));
  return 0;
}
