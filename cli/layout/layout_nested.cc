// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/layout_nested.h"

#include <algorithm>
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/layout/edge_offsets.h"
#include "cli/text.h"
#include "cli/verbs/layout_index.h"
#include "impl/layout/nested_tags.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"

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

// The logical index of a coordinate: one integer for each mode. Empty if the coordinate is padding
// of the tagged shape.
std::optional<std::vector<int64_t>> logical_index(const TaggedShape& tagged, const IntTuple& shape,
                                                  const Coordinate& coordinate) {
  std::vector<int64_t> index;
  for (size_t k = 0; k < tagged.dims.size(); ++k) {
    const std::vector<int64_t> extents = leaves(shape.elements[k]);
    const std::vector<int64_t> digits = leaves(coordinate.elements[k]);
    int64_t value = 0;
    for (size_t i = digits.size(); i-- > 0;) value = value * extents[i] + digits[i];
    if (value >= tagged.dims[k]) return std::nullopt;
    index.push_back(value);
  }
  return index;
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

// The answer to --offset: a logical index of a tagged shape, a coordinate of a layout, or null if
// no element has that offset.
absl::StatusOr<std::optional<IntTuple>> element_at(const Subject& subject, int64_t offset) {
  absl::StatusOr<std::optional<Coordinate>> found = subject.layout.coordinate_at(offset);
  if (found.ok() && !found->has_value()) TRY(expect_slot(offset, TRY(subject.layout.cosize())));
  if (!found.ok() || !subject.tagged || !found->has_value()) return found;
  const auto index = logical_index(*subject.tagged, subject.layout.layout().shape, **found);
  return index ? std::optional(make_flat(*index)) : std::optional<IntTuple>();
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

void print_explanation(const Subject& subject) {
  const impl::NestedLayout& layout = subject.layout;
  if (subject.tagged) {
    std::cout << subject.text() << "\nlogical dimensions   ["
              << absl::StrJoin(subject.tagged->dims, ",") << "], elements of "
              << tla_bits(subject.tagged->element_type) << " bits\n"
              << "layout               ";
  }
  std::cout << to_text(layout.layout()) << "\n"
            << "rank                 " << rank(layout.layout().shape) << "\n"
            << "depth                " << depth(layout.layout().shape) << "\n"
            << "size                 " << sized(layout.size(), "coordinates") << "\n"
            << "cosize               " << sized(layout.cosize(), "slots") << "\n"
            << "offset               " << layout.formula() << "\n"
            << drawing(subject);
}

std::string right_aligned(absl::string_view text, int64_t width) {
  const int64_t spaces = std::max<int64_t>(0, width - std::ssize(text));
  return absl::StrCat(std::string(spaces, ' '), std::string(text));
}

}  // namespace

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

int explain_nested(absl::string_view text, const NestedQuestions& questions) {
  const absl::StatusOr<Subject> subject = subject_of(text);
  if (!subject.ok()) return complain("layout", subject.status(), text);
  absl::StatusOr<int64_t> offset;
  absl::StatusOr<std::optional<IntTuple>> element;
  if (questions.index && !(offset = offset_asked(*subject, *questions.index)).ok()) {
    return complain(subject->text() + " --index", offset.status());
  }
  if (questions.offset && !(element = element_at(*subject, *questions.offset)).ok()) {
    return complain(subject->text() + " --offset", element.status());
  }
  if (questions.json) {
    Json json = described(*subject);
    if (questions.index) set(json, "offset", *offset);
    if (questions.offset) set(json, "index", element->has_value() ? arrays(**element) : Json());
    std::cout << json_line(json);
    return kHolds;
  }
  if (questions.index) std::cout << *offset << "\n";
  if (questions.offset) {
    std::cout << (!element->has_value() ? "padding"
                  : subject->tagged     ? dims_text(leaves(**element))
                                        : to_text(**element))
              << "\n";
  }
  if (!questions.index && !questions.offset) print_explanation(*subject);
  return kHolds;
}

}  // namespace tileproof::cli
