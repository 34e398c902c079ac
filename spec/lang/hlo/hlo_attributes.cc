// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_attributes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"

namespace tileproof {
namespace {

// `[start:limit]` or `[start:limit:stride]`
absl::StatusOr<SliceLimits> take_limits(Cursor& cursor) {
  TRY(cursor.expect("[", "to open the limits of a dimension"));
  SliceLimits limits;
  int64_t start = TRY(take_size(cursor, 0, "a start"));
  TRY(cursor.expect(":", "after the start"));
  int64_t limit = TRY(take_size(cursor, start, "a limit"));
  limits.start = start;
  limits.limit = limit;
  if (cursor.take(":")) {
    limits.stride = TRY(take_size(cursor, 1, "a stride"));
  }
  TRY(cursor.expect("]", "to close the limits"));
  return limits;
}

absl::StatusOr<std::vector<SliceLimits>> take_slice(Cursor& cursor) {
  TRY(cursor.expect("{", "to open a slice"));
  return take_list<SliceLimits>(cursor, "}", "or ',' after the limits of a dimension", take_limits);
}

// Integers for each dimension: `3x1` is (3), (1); `1_1x0_0_2` is (1, 1), (0, 0, 2). The integers of
// a cursor end at white space, so this reads letter by letter.
absl::StatusOr<std::vector<std::vector<int64_t>>> take_grid(Cursor& cursor,
                                                            absl::string_view what) {
  std::vector<std::vector<int64_t>> grid(1);
  size_t i = cursor.token_position();
  const absl::string_view text = cursor.text();
  while (true) {
    const size_t start = i;
    if (i < text.size() && text[i] == '-') ++i;
    const size_t digits = i;
    while (i < text.size() && absl::ascii_isdigit(text[i])) ++i;
    if (i == digits) {
      cursor.set_position(start);
      return cursor.expected(what);
    }
    int64_t value;
    if (!absl::SimpleAtoi(text.substr(start, i - start), &value)) {
      return cursor.error_at(start, absl::StrCat("expected ", what, " within 64 signed bits"));
    }
    grid.back().push_back(value);
    if (i == text.size() || (text[i] != 'x' && text[i] != '_')) break;
    if (text[i++] == 'x') grid.emplace_back();
  }
  cursor.set_position(i);
  return grid;
}

absl::StatusOr<std::vector<PadLimits>> take_padding(Cursor& cursor) {
  std::vector<PadLimits> padding;
  if (!cursor.skip_space()) return padding;
  const size_t start = cursor.position();
  auto grid = TRY(take_grid(cursor, "a padding such as 0_0 or 0_0_1"));
  for (const std::vector<int64_t>& d : grid) {
    if (d.size() != 2 && d.size() != 3) {
      return cursor.error_at(start, absl::StrCat("expected 2 or 3 numbers for each dimension of a "
                                                 "padding, found ",
                                                 d.size()));
    }
    padding.push_back(PadLimits{d[0], d[1], d.size() == 3 ? d[2] : 0});
    if (padding.back().interior < 0) {
      return cursor.error_at(start,
                             absl::StrCat("expected an interior padding of at least 0, found ",
                                          padding.back().interior));
    }
  }
  return padding;
}

// A field of a window: how many numbers it has for each dimension, the lowest valid first number,
// and where the numbers are stored.
using Numbers = std::vector<int64_t>;
struct WindowField {
  absl::string_view name;
  size_t numbers;
  int64_t low;
  void (*store)(WindowDimension&, const Numbers&);
};

constexpr WindowField kWindowFields[] = {
    {"size", 1, 1, [](WindowDimension& d, const Numbers& n) { d.size = n[0]; }},
    {"stride", 1, 1, [](WindowDimension& d, const Numbers& n) { d.stride = n[0]; }},
    {"pad", 2, INT64_MIN,
     [](WindowDimension& d, const Numbers& n) {
       d.pad_low = n[0];
       d.pad_high = n[1];
     }},
    {"lhs_dilate", 1, 1, [](WindowDimension& d, const Numbers& n) { d.lhs_dilate = n[0]; }},
    {"rhs_dilate", 1, 1, [](WindowDimension& d, const Numbers& n) { d.rhs_dilate = n[0]; }},
    {"rhs_reversal", 1, 0,
     [](WindowDimension& d, const Numbers& n) { d.rhs_reversal = n[0] != 0; }},
};

absl::StatusOr<const WindowField*> take_window_field(Cursor& cursor) {
  const absl::string_view name = cursor.peek_identifier();
  const auto* const field = std::find_if(std::begin(kWindowFields), std::end(kWindowFields),
                                         [name](const WindowField& f) { return f.name == name; });
  if (field == std::end(kWindowFields)) {
    return cursor.expected("size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal");
  }
  cursor.take_identifier();
  TRY(cursor.expect("=", absl::StrCat("after ", name)));
  return field;
}

// Reads one field into a window. The first field sets the number of dimensions.
absl::Status take_into_window(Cursor& cursor, std::vector<WindowDimension>& window) {
  const WindowField* field = TRY(take_window_field(cursor));
  const size_t start = cursor.token_position();
  auto grid = TRY(take_grid(cursor, "a number"));
  if (window.empty()) window.resize(grid.size());
  if (grid.size() != window.size()) {
    return cursor.error_at(start, absl::StrCat("expected ", window.size(),
                                               " dimensions as before, ", "found ", grid.size()));
  }
  for (size_t d = 0; d < window.size(); ++d) {
    const std::vector<int64_t>& numbers = grid[d];
    if (numbers.size() != field->numbers || numbers[0] < field->low) {
      return cursor.error_at(
          start, absl::StrCat("expected ", field->numbers, " number(s)",
                              field->low >= 0 ? absl::StrCat(" of at least ", field->low) : "",
                              " for each dimension of ", std::string(field->name)));
    }
    field->store(window[d], numbers);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<WindowDimension>> take_window(Cursor& cursor) {
  TRY(cursor.expect("{", "to open a window"));
  std::vector<WindowDimension> window;
  while (!cursor.take("}")) {
    TRY(take_into_window(cursor, window));
  }
  return window;
}

// One of the three groups of labels: the positions of `first`, of `second` and of the digits.
struct Labels {
  int64_t first = -1;
  int64_t second = -1;
  std::vector<int64_t> spatial;
  int64_t rank = 0;
};

absl::Status put_label(Cursor& cursor, int64_t& position, int64_t rank) {
  if (position >= 0) return cursor.expected("each label once");
  position = rank;
  return absl::OkStatus();
}

absl::StatusOr<Labels> take_labels(Cursor& cursor, char first, char second) {
  Labels labels;
  cursor.skip_space();
  for (char c; !cursor.rest().empty(); cursor.set_position(cursor.position() + 1), ++labels.rank) {
    c = absl::ascii_tolower(cursor.rest()[0]);
    if (c == '?') continue;
    if (c != first && c != second && !absl::ascii_isdigit(c)) break;
    if (absl::ascii_isdigit(c) && std::ssize(labels.spatial) <= c - '0') {
      labels.spatial.resize(c - '0' + 1, -1);
    }
    int64_t& position = c == first    ? labels.first
                        : c == second ? labels.second
                                      : labels.spatial[c - '0'];
    TRY(put_label(cursor, position, labels.rank));
  }
  const auto gap = std::find(labels.spatial.begin(), labels.spatial.end(), -1);
  if (labels.first >= 0 && labels.second >= 0 && gap == labels.spatial.end()) return labels;
  return cursor.expected(absl::StrCat("labels ", std::string(1, first), ", ",
                                      std::string(1, second), " and 0, 1, .. without gaps"));
}

absl::StatusOr<ConvolutionDimensionNumbers> take_dim_labels(Cursor& cursor) {
  Labels input = TRY(take_labels(cursor, 'b', 'f'));
  TRY(cursor.expect("_", "between the labels of input and kernel"));
  Labels kernel = TRY(take_labels(cursor, 'i', 'o'));
  TRY(cursor.expect("->", "before the labels of the output"));
  Labels output = TRY(take_labels(cursor, 'b', 'f'));
  if (input.spatial.size() != kernel.spatial.size() ||
      input.spatial.size() != output.spatial.size()) {
    return cursor.expected("as many spatial dimensions in input, kernel and output");
  }
  return ConvolutionDimensionNumbers{input.first,  input.second,  input.spatial,  input.rank,
                                     kernel.first, kernel.second, kernel.spatial, kernel.rank,
                                     output.first, output.second, output.spatial, output.rank};
}

// ---- The attributes of an instruction ----

absl::Status complaint(const HloInstruction& instruction, absl::string_view name,
                       absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(instruction.name, ": ", name, ": ", message));
}

// The attribute, as `take` takes its text. If it is missing: `otherwise`, or an error without it.
template <typename Value, typename Take>
absl::StatusOr<Value> value_of(const HloInstruction& instruction, absl::string_view name, Take take,
                               std::optional<Value> otherwise = std::nullopt) {
  const std::string* const text = find_attribute(instruction.attributes, name);
  if (text == nullptr) {
    if (otherwise) return *std::move(otherwise);
    return complaint(instruction, name,
                     absl::StrCat("expected this attribute of ", instruction.opcode_text));
  }
  absl::StatusOr<Value> value = read_all<Value>(*text, take);
  if (value.ok()) return value;
  return complaint(instruction, name, value.status().message());
}

absl::StatusOr<std::vector<int64_t>> natural_integers(const HloInstruction& instruction,
                                                      absl::string_view name,
                                                      std::optional<std::vector<int64_t>> or_else) {
  std::vector<int64_t> values =
      TRY(value_of<std::vector<int64_t>>(instruction, name, take_integers, std::move(or_else)));
  for (const int64_t value : values) {
    if (value >= 0) continue;
    return complaint(instruction, name,
                     absl::StrCat("column 1: expected numbers of at least 0, found ", value));
  }
  return values;
}

// OK if two lists that belong together have one length.
absl::Status expect_same_length(const HloInstruction& instruction, absl::string_view name,
                                const std::vector<int64_t>& list, absl::string_view other_name,
                                const std::vector<int64_t>& other) {
  if (list.size() == other.size()) return absl::OkStatus();
  return complaint(instruction, name,
                   absl::StrCat("expected as many numbers as in ", other_name, " (", other.size(),
                                "), found ", list.size()));
}

}  // namespace

absl::StatusOr<int64_t> integer_of(const HloInstruction& instruction, absl::string_view name,
                                   std::optional<int64_t> otherwise) {
  const auto take = [](Cursor& cursor) { return cursor.take_integer("an integer"); };
  const int64_t value = TRY(value_of<int64_t>(instruction, name, take, otherwise));
  if (value >= 0) return value;
  return complaint(instruction, name,
                   absl::StrCat("column 1: expected a number of at least 0, found ", value));
}
absl::StatusOr<std::vector<int64_t>> integers_of(const HloInstruction& instruction,
                                                 absl::string_view name) {
  return natural_integers(instruction, name, std::nullopt);
}
absl::StatusOr<std::vector<int64_t>> integers_of(const HloInstruction& instruction,
                                                 absl::string_view name,
                                                 std::vector<int64_t> otherwise) {
  return natural_integers(instruction, name, std::move(otherwise));
}

absl::StatusOr<std::vector<SliceLimits>> slice_of(const HloInstruction& slice) {
  return value_of<std::vector<SliceLimits>>(slice, "slice", take_slice);
}
absl::StatusOr<std::vector<PadLimits>> padding_of(const HloInstruction& pad) {
  return value_of<std::vector<PadLimits>>(pad, "padding", take_padding);
}
absl::StatusOr<std::vector<WindowDimension>> window_of(const HloInstruction& instruction) {
  return value_of(instruction, "window", take_window,
                  std::make_optional(std::vector<WindowDimension>()));
}
absl::StatusOr<ConvolutionDimensionNumbers> dim_labels_of(const HloInstruction& convolution) {
  return value_of<ConvolutionDimensionNumbers>(convolution, "dim_labels", take_dim_labels);
}

absl::StatusOr<ReplicaGroups> replica_groups_of(const HloInstruction& collective) {
  const std::string* const text = find_attribute(collective.attributes, "replica_groups");
  if (text == nullptr) return ReplicaGroups();
  absl::StatusOr<ReplicaGroups> groups = read_replica_groups(*text);
  if (groups.ok()) return groups;
  return complaint(collective, "replica_groups", groups.status().message());
}

absl::StatusOr<DotDimensionNumbers> dot_numbers_of(const HloInstruction& dot) {
  DotDimensionNumbers n;
  n.lhs_batch = TRY(integers_of(dot, "lhs_batch_dims", {}));
  n.rhs_batch = TRY(integers_of(dot, "rhs_batch_dims", {}));
  n.lhs_contracting = TRY(integers_of(dot, "lhs_contracting_dims", {}));
  n.rhs_contracting = TRY(integers_of(dot, "rhs_contracting_dims", {}));
  TRY(expect_same_length(dot, "rhs_batch_dims", n.rhs_batch, "lhs_batch_dims", n.lhs_batch));
  TRY(expect_same_length(dot, "rhs_contracting_dims", n.rhs_contracting, "lhs_contracting_dims",
                         n.lhs_contracting));
  return n;
}

namespace {

// The names of these attributes, in the order of the members.
struct IndexedNames {
  const char *window_dims, *collapsed, *start_map, *array_batching, *indices_batching;
};

absl::StatusOr<IndexedDimensionNumbers> indexed_numbers_of(const HloInstruction& i,
                                                           const IndexedNames& names) {
  IndexedDimensionNumbers n;
  n.window_dims = TRY(integers_of(i, names.window_dims));
  n.collapsed = TRY(integers_of(i, names.collapsed));
  n.start_map = TRY(integers_of(i, names.start_map));
  n.array_batching = TRY(integers_of(i, names.array_batching, {}));
  n.indices_batching = TRY(integers_of(i, names.indices_batching, {}));
  n.index_vector_dim = TRY(integer_of(i, "index_vector_dim"));
  TRY(expect_same_length(i, names.indices_batching, n.indices_batching, names.array_batching,
                         n.array_batching));
  return n;
}

}  // namespace

absl::StatusOr<IndexedDimensionNumbers> gather_numbers_of(const HloInstruction& gather) {
  return indexed_numbers_of(gather, {"offset_dims", "collapsed_slice_dims", "start_index_map",
                                     "operand_batching_dims", "start_indices_batching_dims"});
}

absl::StatusOr<IndexedDimensionNumbers> scatter_numbers_of(const HloInstruction& scatter) {
  return indexed_numbers_of(
      scatter, {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
                "input_batching_dims", "scatter_indices_batching_dims"});
}

}  // namespace tileproof
