// Fuzz target: a text is read as a nested layout or a tag on a shape; what is read prints and reads
// back as itself; size, cosize, offsets, the way back and tiles are the same by the reference and
// in closed form. An input is a text, so what the fuzzer finds can be pasted after `tileproof
// layout`.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/choose.h"
#include "fuzz/cross.h"
#include "fuzz/gen_nested.h"
#include "fuzz/targets/text_input.h"
#include "spec/lang/nested_text.h"
#include "spec/nested_tags.h"
#include "verify/nested_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kMostPlaces = 64;
constexpr int64_t kPoints = 10;

// What is printed is read back; an error names its column.
template <class T>
void check_text(const absl::StatusOr<T>& parsed, absl::StatusOr<T> (*parse)(absl::string_view)) {
  if (!parsed.ok()) {
    const std::string message(parsed.status().message());
    if (message.find("column ") == std::string::npos) fail("an error that names no column");
    return;
  }
  const std::string printed = to_text(*parsed);
  const absl::StatusOr<T> again = parse(printed);
  if (!again.ok() || !(*again == *parsed)) fail(absl::StrCat("not read back at ", printed));
}

void check_layout(const NestedLayout& layout, Choose& choose) {
  const absl::StatusOr<verify::NestedCompared> compared =
      verify::compare_nested(layout, kMostPlaces, kPoints, choose);
  if (!compared.ok()) fail_compared(compared.status().message());
  std::vector<int64_t> tile;
  for (int64_t k = 0; k < rank(layout.shape); ++k) tile.push_back(choose(100));
  const absl::Status status = verify::compare_tile(layout, tile);
  if (!status.ok()) fail_compared(status.message());
}

void check(absl::string_view text) {
  Choose choose(Choose::Random{seed_of(text)});
  if (layout_form(text) == LayoutForm::kTagged) {
    const absl::StatusOr<TaggedShape> tagged = parse_tagged_shape(text);
    check_text<TaggedShape>(tagged, parse_tagged_shape);
    if (!tagged.ok()) return;
    const int64_t rows = tagged->dims.front();
    const int64_t cols = tagged->dims.back();
    const absl::Status status =
        verify::compare_make(tagged->tag, tla_bits(tagged->element_type), rows, cols);
    if (!status.ok()) fail_compared(status.message());
    const absl::StatusOr<NestedLayout> layout = spec::make_layout(*tagged);
    if (layout.ok()) check_layout(*layout, choose);
    return;
  }
  const absl::StatusOr<NestedLayout> layout = parse_nested_layout(text);
  check_text<NestedLayout>(layout, parse_nested_layout);
  if (layout.ok()) check_layout(*layout, choose);
}

std::string mutated(Choose& choose, absl::string_view text) {
  if (choose.chance(1, 16)) return random_nested_text(choose);
  const int64_t changes = choose.between(1, 4);
  absl::StatusOr<TaggedShape> tagged = parse_tagged_shape(text);
  absl::StatusOr<NestedLayout> layout = parse_nested_layout(text);
  if (!tagged.ok() && !layout.ok())
    return to_text(random_nested_layout(choose, int64_t{1} << choose(40)));
  for (int64_t i = 0; i < changes; ++i) {
    if (tagged.ok()) mutate_tagged_shape(choose, *tagged);
    if (layout.ok()) mutate_nested_layout(choose, *layout);
  }
  return tagged.ok() ? to_text(*tagged) : to_text(*layout);
}

std::string crossed(Choose& choose, absl::string_view left, absl::string_view right) {
  const absl::StatusOr<NestedLayout> ours = parse_nested_layout(left);
  const absl::StatusOr<NestedLayout> theirs = parse_nested_layout(right);
  if (!ours.ok() || !theirs.ok()) return std::string(ours.ok() ? left : right);
  return to_text(cross_nested_layouts(choose, *ours, *theirs));
}

}  // namespace

const TextTarget kTarget = {check, mutated, crossed, /*bytes_of_16=*/2};

}  // namespace tileproof
