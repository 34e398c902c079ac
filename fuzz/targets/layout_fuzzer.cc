// Fuzz target: a text is read as a shape; what is read prints and reads back as itself; its layout
// is the same by the reference and in closed form, at every place if there are few and at many
// points otherwise. An input is a text, so what the fuzzer finds can be pasted after `tileproof
// layout`.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "fuzz/choose.h"
#include "fuzz/gen_shape.h"
#include "fuzz/mutate_shape.h"
#include "spec/lang/shape_text.h"
#include "verify/layout_compare.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace tileproof {
namespace {

constexpr int64_t kMostPlaces = 2000;
constexpr int64_t kPoints = 20;

[[noreturn]] void fail(const std::string& finding) {
  std::fprintf(stderr, "FOUND: %s\n", finding.c_str());
  std::abort();
}

// The same points for the same text, on every machine.
uint64_t seed_of(absl::string_view text) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return hash;
}

void check(absl::string_view text) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok()) {
    if (shape.status().message().find("column ") == absl::string_view::npos)
      fail("an error that names no column");
    return;
  }
  const std::string printed = to_text(*shape);
  const absl::StatusOr<Shape> again = parse_shape(printed);
  if (!again.ok() || *again != *shape) fail(absl::StrCat(printed, " is printed and not read back"));
  Choose choose(Choose::Random{seed_of(text)});
  const absl::StatusOr<verify::Compared> compared =
      verify::compare_whole(*shape, kMostPlaces, kPoints, choose);
  if (!compared.ok()) fail(std::string(compared.status().message()));
}

std::string mutated(Choose& choose, absl::string_view text) {
  if (choose.chance(1, 16)) return random_shape_text(choose);
  absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok() || shape->kind != Shape::Kind::kArray)
    return to_text(random_shape(choose, int64_t{1} << 20));
  const int64_t changes = choose.between(1, 4);
  for (int64_t i = 0; i < changes; ++i) mutate_shape(choose, *shape);
  return to_text(*shape);
}

}  // namespace
}  // namespace tileproof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tileproof::check(std::string(data, data + size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  tileproof::Choose choose(tileproof::Choose::Random{seed});
  if (choose.chance(1, 8))
    return LLVMFuzzerMutate(data, size, max_size);  // texts that are hardly shapes
  const std::string text =
      tileproof::mutated(choose, std::string(data, data + size)).substr(0, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
