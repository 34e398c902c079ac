// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_attributes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"

namespace tileproof {
namespace {

// Reads the whole text with `read`, which moves the cursor.
template <typename Value, typename Read>
absl::StatusOr<Value> read_all(absl::string_view text, Read read) {
  Cursor cursor(text);
  Value value = TRY(read(cursor));
  TRY(cursor.expect_end());
  return value;
}

absl::StatusOr<int64_t> take_size(Cursor& cursor, int64_t low, absl::string_view what) {
  const size_t start = cursor.token_position();
  absl::StatusOr<int64_t> value = cursor.take_integer(what);
  if (!value.ok() || *value >= low) return value;
  return cursor.error_at(start,
                         absl::StrCat("expected ", what, " of at least ", low, ", found ", *value));
}

absl::StatusOr<std::vector<int64_t>> take_integers(Cursor& cursor) {
  TRY(cursor.expect("{", "to open a list"));
  std::vector<int64_t> values;
  if (cursor.take("}")) return values;
  do {
    values.push_back(TRY(cursor.take_integer("an integer")));
  } while (cursor.take(","));
  TRY(cursor.expect("}", "or ',' in a list"));
  return values;
}

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
  std::vector<SliceLimits> slice;
  if (cursor.take("}")) return slice;
  do {
    slice.push_back(TRY(take_limits(cursor)));
  } while (cursor.take(","));
  TRY(cursor.expect("}", "or ',' after the limits of a dimension"));
  return slice;
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
struct WindowField {
  absl::string_view name;
  size_t numbers;
  int64_t low;
  void (*store)(WindowDimension&, const std::vector<int64_t>&);
};

constexpr WindowField kWindowFields[] = {
    {"size", 1, 1, [](WindowDimension& d, const std::vector<int64_t>& n) { d.size = n[0]; }},
    {"stride", 1, 1, [](WindowDimension& d, const std::vector<int64_t>& n) { d.stride = n[0]; }},
    {"pad", 2, INT64_MIN,
     [](WindowDimension& d, const std::vector<int64_t>& n) {
       d.pad_low = n[0];
       d.pad_high = n[1];
     }},
    {"lhs_dilate", 1, 1,
     [](WindowDimension& d, const std::vector<int64_t>& n) { d.lhs_dilate = n[0]; }},
    {"rhs_dilate", 1, 1,
     [](WindowDimension& d, const std::vector<int64_t>& n) { d.rhs_dilate = n[0]; }},
    {"rhs_reversal", 1, 0,
     [](WindowDimension& d, const std::vector<int64_t>& n) { d.rhs_reversal = n[0] != 0; }},
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

// `[8]`, or `[4,2]T(1,0)`: an iota, transposed.
absl::Status take_iota(Cursor& cursor) {
  for (absl::string_view brackets : {"[]", "()"}) {
    if (brackets == "()" && !cursor.take("T")) return absl::OkStatus();
    TRY(cursor.expect(brackets.substr(0, 1), "in replica groups"));
    do {
      TRY(take_size(cursor, 0, "a dimension"));
    } while (cursor.take(","));
    TRY(cursor.expect(brackets.substr(1), "in replica groups"));
  }
  return absl::OkStatus();
}

// `[2,4]<=[8]` or `[2,4]<=[4,2]T(1,0)`: the members are a transposed iota.
absl::StatusOr<ReplicaGroups> take_iota_groups(Cursor& cursor) {
  ReplicaGroups groups;
  TRY(cursor.expect("[", "in replica groups"));
  groups.count = TRY(take_size(cursor, 1, "a number of groups or members"));
  TRY(cursor.expect(",", "in replica groups"));
  groups.size = TRY(take_size(cursor, 1, "a number of groups or members"));
  TRY(cursor.expect("]", "in replica groups"));
  TRY(cursor.expect("<=", "in replica groups"));
  TRY(take_iota(cursor));
  return groups;
}

// `'x'`
absl::StatusOr<absl::string_view> take_axis(Cursor& cursor) {
  TRY(cursor.expect("'", "before the name of an axis"));
  const absl::string_view name = cursor.rest().substr(0, cursor.rest().find('\''));
  if (name.empty() || name.size() == cursor.rest().size()) {
    return cursor.expected("the name of an axis and \"'\"");
  }
  cursor.set_position(cursor.position() + name.size() + 1);
  return name;
}

// An axis of a mesh, or a part of one: of `size`, after a part of size `before`.
struct MeshAxis {
  absl::string_view name;
  int64_t size = 1;
  int64_t before = 1;

  bool overlaps(const MeshAxis& other) const {
    return name == other.name && before < other.before * other.size && other.before < before * size;
  }
};

// `['x'=4,'y'=2]`
absl::StatusOr<std::vector<MeshAxis>> take_mesh(Cursor& cursor) {
  TRY(cursor.expect("[", "to open the axes of the mesh"));
  std::vector<MeshAxis> mesh;
  if (cursor.take("]")) return mesh;
  do {
    const absl::string_view name = TRY(take_axis(cursor));
    TRY(cursor.expect("=", "after the name of an axis"));
    mesh.push_back({name, TRY(take_size(cursor, 1, "a size"))});
  } while (cursor.take(","));
  TRY(cursor.expect("]", "or ',' after an axis"));
  return mesh;
}

// `'x'` or `'x':(1)2`
absl::StatusOr<MeshAxis> take_axis_of(Cursor& cursor, const std::vector<MeshAxis>& mesh) {
  const size_t start = cursor.token_position();
  MeshAxis axis{TRY(take_axis(cursor))};
  const auto whole = std::find_if(mesh.begin(), mesh.end(),
                                  [&axis](const MeshAxis& m) { return m.name == axis.name; });
  if (whole == mesh.end()) return cursor.error_at(start, "expected an axis of the mesh");
  axis.size = whole->size;
  if (!cursor.take(":")) return axis;
  TRY(cursor.expect("(", "to open the size before a part of an axis"));
  axis.before = TRY(take_size(cursor, 1, "a size"));
  TRY(cursor.expect(")", "to close the size before a part of an axis"));
  axis.size = TRY(take_size(cursor, 1, "a size"));
  const std::optional<int64_t> end = checked_mul(axis.before, axis.size);
  if (end && whole->size % *end == 0) return axis;
  return cursor.error_at(start, absl::StrCat("expected a part of an axis of size ", whole->size));
}

// `([8])`, `([4,2]T(1,0))` or `(0,2,1,3)`: which device is at each place of the mesh.
absl::Status take_device_ids(Cursor& cursor) {
  TRY(cursor.expect("device_ids", "after the mesh"));
  TRY(cursor.expect("=", "after device_ids"));
  TRY(cursor.expect("(", "to open the devices"));
  if (cursor.peek() == '[') {
    TRY(take_iota(cursor));
  } else {
    do {
      TRY(take_size(cursor, 0, "a device"));
    } while (cursor.take(","));
  }
  return cursor.expect(")", "to close the devices");
}

// `['x'=4,'y'=2] {'x'}`, behind the word `mesh`
absl::StatusOr<ReplicaGroups> take_mesh_groups(Cursor& cursor) {
  const std::vector<MeshAxis> mesh = TRY(take_mesh(cursor));
  if (cursor.take(",")) TRY(take_device_ids(cursor));
  TRY(cursor.expect("{", "to open the axes of a group"));
  std::vector<MeshAxis> axes;
  ReplicaGroups groups{1, 1};
  while (!cursor.take("}")) {
    if (!axes.empty()) TRY(cursor.expect(",", "or '}' after an axis"));
    const size_t start = cursor.token_position();
    const MeshAxis axis = TRY(take_axis_of(cursor, mesh));
    for (const MeshAxis& other : axes) {
      if (axis.overlaps(other)) return cursor.error_at(start, "expected each part of an axis once");
    }
    axes.push_back(axis);
    groups.size *= axis.size;
  }
  std::optional<int64_t> devices = 1;
  for (const MeshAxis& axis : mesh) {
    if (devices) devices = checked_mul(*devices, axis.size);
  }
  if (!devices) return cursor.error_at(0, "expected a mesh of devices that 63 bits can count");
  groups.count = *devices / groups.size;
  return groups;
}

absl::StatusOr<ReplicaGroups> take_replica_groups(Cursor& cursor) {
  if (cursor.peek() == '[') return take_iota_groups(cursor);
  if (cursor.take("mesh")) return take_mesh_groups(cursor);
  TRY(cursor.expect("{", "or '[' to open replica groups"));
  ReplicaGroups groups;
  bool same = true;
  if (cursor.take("}")) return groups;
  do {
    std::vector<int64_t> members = TRY(take_integers(cursor));
    same = same && (groups.count == 0 || groups.size == std::ssize(members));
    groups.size = same ? std::ssize(members) : 0;
    ++groups.count;
  } while (cursor.take(","));
  TRY(cursor.expect("}", "or ',' after a group"));
  return groups;
}

}  // namespace

absl::StatusOr<int64_t> read_integer(absl::string_view text) {
  return read_all<int64_t>(text, [](Cursor& c) { return c.take_integer("an integer"); });
}
absl::StatusOr<std::vector<int64_t>> read_integers(absl::string_view text) {
  return read_all<std::vector<int64_t>>(text, take_integers);
}
absl::StatusOr<std::vector<SliceLimits>> read_slice(absl::string_view text) {
  return read_all<std::vector<SliceLimits>>(text, take_slice);
}
absl::StatusOr<std::vector<PadLimits>> read_padding(absl::string_view text) {
  return read_all<std::vector<PadLimits>>(text, take_padding);
}
absl::StatusOr<std::vector<WindowDimension>> read_window(absl::string_view text) {
  return read_all<std::vector<WindowDimension>>(text, take_window);
}
absl::StatusOr<ReplicaGroups> read_replica_groups(absl::string_view text) {
  return read_all<ReplicaGroups>(text, take_replica_groups);
}
absl::StatusOr<ConvolutionDimensionNumbers> read_dim_labels(absl::string_view text) {
  return read_all<ConvolutionDimensionNumbers>(text, take_dim_labels);
}

}  // namespace tileproof
