// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/layout/layout_parts.h"
#include "cli/verbs/layout_index.h"
#include "impl/layout/nested_layout.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/layout/layout_function.h"

namespace tileproof::cli {
namespace {

constexpr int64_t kMaxOffsets = 1024;
constexpr int64_t kWidestDrawing = 200;

// The layout in question, and its tag if it has one.
struct Subject {
  std::optional<TaggedShape> tagged;
  impl::NestedLayout layout;

  std::string text() const { return tagged ? to_text(*tagged) : to_text(layout.layout()); }
};

absl::StatusOr<Subject> subject_of(absl::string_view text) {
  std::optional<TaggedShape> tagged;
  absl::StatusOr<NestedLayout> layout;
  if (layout_form(text) == LayoutForm::kTagged) {
    TaggedShape parsed = TRY(parse_tagged_shape(text));
    layout = impl::make_layout(parsed);
    tagged = std::move(parsed);
  } else {
    layout = parse_nested_layout(text);
  }
  if (!layout.ok()) return layout.status();
  impl::NestedLayout compiled = TRY(impl::NestedLayout::create(*layout));
  return Subject{std::move(tagged), std::move(compiled)};
}

// The number of coordinates of a mode, at most `limit`.
int64_t extent_of(const IntTuple& mode, int64_t limit) {
  int64_t product = 1;
  for (int64_t extent : leaves(mode)) {
    if (extent == 0) return 0;
    product = extent > limit / product ? limit : product * extent;
  }
  return product;
}

absl::StatusOr<int64_t> offset_asked(const Subject& subject, const std::string& index) {
  const Coordinate coordinate = TRY(parse_coordinate(index));
  for (size_t k = 0; subject.tagged && k < coordinate.elements.size(); ++k) {
    const Coordinate& one = coordinate.elements[k];
    if (one.is_tuple || k >= subject.tagged->dims.size()) break;
    if (one.value < subject.tagged->dims[k]) continue;
    return absl::OutOfRangeError(absl::StrCat("index ", one.value, " is outside dimension ", k,
                                              " of size ", subject.tagged->dims[k]));
  }
  return subject.layout.offset(coordinate);
}

// The answer to --offset: a logical index of a tagged shape, a coordinate of a layout, or nothing if
// no element has that offset.
absl::StatusOr<std::optional<IntTuple>> element_asked(const Subject& subject, int64_t offset) {
  std::optional<IntTuple> found;
  if (subject.tagged) {
    const auto index = TRY(element_at(TRY(spec::layout_function(*subject.tagged)), offset));
    if (index) found = make_flat(*index);
  } else {
    found = TRY(subject.layout.coordinate_at(offset));
    if (!found) TRY(expect_slot(offset, TRY(subject.layout.cosize())));
  }
  return found;
}

std::string sized(const absl::StatusOr<int64_t>& count, absl::string_view unit) {
  return count.ok() ? absl::StrCat(*count, " ", unit) : "more than 64 bits can count";
}

Json arrays(const IntTuple& tuple) {
  if (!tuple.is_tuple) return tuple.value;
  Json::Array result;
  for (const IntTuple& element : tuple.elements) result.push_back(arrays(element));
  return Json(std::move(result));
}

Json counted(const absl::StatusOr<int64_t>& count) { return count.ok() ? Json(*count) : Json(); }

Json described(const Subject& subject) {
  const impl::NestedLayout& layout = subject.layout;
  Json json = json_object({{"layout", to_text(layout.layout())},
                           {"rank", rank(layout.layout().shape)},
                           {"depth", depth(layout.layout().shape)},
                           {"size", counted(layout.size())},
                           {"cosize", counted(layout.cosize())},
                           {"formula", layout.formula()}});
  if (subject.tagged) set(json, "tagged", to_text(*subject.tagged));
  return json;
}

std::string right_aligned(absl::string_view text, int64_t width) {
  const int64_t spaces = std::max<int64_t>(0, width - std::ssize(text));
  return absl::StrCat(std::string(spaces, ' '), std::string(text));
}

// The offset of every coordinate of a layout of rank 1 or 2, as CuTe's print_layout and CATLASS's
// "TLA Layouts" show it:
//
//          0   1   2
//        +---+---+---+
//     0  | 0 | 1 | 2 |
//        +---+---+---+
//     1  | 3 | 4 | 5 |
//        +---+---+---+
//
// Empty if the table does not fit a screen: other ranks, more than 1,024 offsets, or lines of more
// than 200 characters.
std::string offset_table(const impl::NestedLayout& layout) {
  const IntTuple& shape = layout.layout().shape;
  const bool is_matrix = rank(shape) == 2;
  const absl::StatusOr<int64_t> cosize = layout.cosize();
  if ((!is_matrix && rank(shape) != 1) || !cosize.ok()) return "";
  const int64_t most = kMaxOffsets + 1;
  const int64_t rows = is_matrix ? extent_of(*get(shape, {0}), most) : 1;
  const int64_t columns = extent_of(is_matrix ? *get(shape, {1}) : shape, most);
  if (rows == 0 || columns == 0 || rows * columns > kMaxOffsets) return "";

  std::vector<std::string> cells;
  size_t widest = absl::StrCat(*cosize).size();
  for (int64_t i = 0; i < rows * columns; ++i) {
    const Coordinate at = is_matrix ? make_flat({i / columns, i % columns}) : make_integer(i);
    cells.push_back(absl::StrCat(*layout.offset(at)));
    widest = std::max(widest, cells.back().size());
  }
  const int64_t width = static_cast<int64_t>(widest);
  const int64_t margin = std::max<int64_t>(2, std::ssize(absl::StrCat(rows - 1)));
  if (margin + 3 + columns * (width + 3) > kWidestDrawing) return "";

  const std::string indent(margin + 2, ' ');
  std::string header = indent, rule = indent, text;
  for (int64_t c = 0; c < columns; ++c) {
    absl::StrAppend(&header, "  ", right_aligned(absl::StrCat(c), width), " ");
    absl::StrAppend(&rule, "+", std::string(width + 2, '-'));
  }
  rule += "+\n";
  header.pop_back();  // no space at the end
  text = absl::StrCat(header, "\n", rule);
  for (int64_t r = 0; r < rows; ++r) {
    absl::StrAppend(&text, is_matrix ? right_aligned(absl::StrCat(r), margin) + "  " : indent);
    for (int64_t c = 0; c < columns; ++c) {
      absl::StrAppend(&text, "| ", right_aligned(cells[r * columns + c], width), " ");
    }
    absl::StrAppend(&text, "|\n", rule);
  }
  return text;
}

// The table of offsets, or the offsets beside the edges of tiles if there is no room for a table.
std::string drawing(const Subject& subject) {
  const impl::NestedLayout& layout = subject.layout;
  const std::string table = offset_table(layout);
  if (!table.empty() || !layout.size().ok() || !layout.cosize().ok()) return table;
  const IntTuple& shape = layout.layout().shape;
  std::vector<int64_t> dims;
  for (int64_t k = 0; k < rank(shape); ++k) {
    dims.push_back(extent_of(shape.is_tuple ? shape.elements[k] : shape, INT64_MAX));
  }
  if (subject.tagged) dims = subject.tagged->dims;
  return edge_offsets(dims, [&](const std::vector<int64_t>& index) {
    return *layout.offset(shape.is_tuple ? make_flat(index) : make_integer(index[0]));
  });
}

std::string explanation(const Subject& subject) {
  const impl::NestedLayout& layout = subject.layout;
  std::string tag;
  if (subject.tagged) {
    tag = absl::StrCat(subject.text(), "\nlogical dimensions   [",
                       absl::StrJoin(subject.tagged->dims, ","), "], elements of ",
                       tla_bits(subject.tagged->element_type), " bits\nlayout               ");
  }
  return absl::StrCat(tag, to_text(layout.layout()), "\nrank                 ",
                      rank(layout.layout().shape), "\ndepth                ",
                      depth(layout.layout().shape), "\nsize                 ",
                      sized(layout.size(), "coordinates"), "\ncosize               ",
                      sized(layout.cosize(), "slots"), "\noffset               ", layout.formula(),
                      "\n", drawing(subject));
}

}  // namespace

absl::StatusOr<Answer> explain_nested(const std::string& text, const AskedElement& asked) {
  const Subject subject = TRY(about("", subject_of(text), text));
  FoundElement found;
  if (asked.index) {
    found.offset = TRY(about(subject.text() + " --index", offset_asked(subject, *asked.index)));
  }
  if (asked.offset) {
    const std::optional<IntTuple> element =
        TRY(about(subject.text() + " --offset", element_asked(subject, *asked.offset)));
    found.index = {element ? arrays(*element) : Json(), !element ? "padding"
                                                        : subject.tagged
                                                            ? dims_text(leaves(*element))
                                                            : to_text(*element)};
  }
  return element_answer(described(subject), asked.any() ? "" : explanation(subject), found);
}

}  // namespace tileproof::cli
