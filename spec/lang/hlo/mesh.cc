// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/mesh.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"

namespace tileproof {

std::optional<int64_t> count_of(absl::Span<const Digit> digits) {
  std::optional<int64_t> count = 1;
  for (const Digit& digit : digits) {
    if (count) count = checked_mul(*count, digit.size);
  }
  return count;
}

std::vector<int64_t> numbers_of(absl::Span<const Digit> digits) {
  std::vector<int64_t> numbers;
  Dims sizes, at(digits.size(), 0);
  for (const Digit& digit : digits) sizes.push_back(digit.size);
  if (std::ranges::count(sizes, 0) > 0) return numbers;
  do {
    int64_t number = 0;
    for (size_t d = 0; d < at.size(); ++d) number += at[d] * digits[d].stride;
    numbers.push_back(number);
  } while (next_index(sizes, at));
  return numbers;
}

absl::StatusOr<std::vector<Digit>> take_sizes(Cursor& cursor, int64_t low, absl::string_view what,
                                              absl::string_view why) {
  TRY(cursor.expect("[", why));
  auto digits = TRY(take_items<Digit>(cursor, [&](Cursor& c) -> absl::StatusOr<Digit> {
    return Digit{TRY(take_size(c, low, what))};
  }));
  TRY(cursor.expect("]", why));
  return digits;
}

absl::StatusOr<std::vector<Digit>> take_iota(Cursor& cursor) {
  const size_t start = cursor.token_position();
  std::vector<Digit> digits = TRY(take_sizes(cursor, 0, "a dimension", "in a list of devices"));
  if (!count_of(digits)) return cursor.error_at(start, "expected devices that 63 bits can count");
  for (size_t d = digits.size(); d-- > 1;) {
    digits[d - 1].stride = digits[d].stride * std::max<int64_t>(digits[d].size, 1);
  }
  if (!cursor.take("T")) return digits;
  const size_t order = cursor.token_position();
  TRY(cursor.expect("(", "in a list of devices"));
  std::vector<Digit> transposed;
  std::vector<int64_t> dimensions;
  do {
    const int64_t dimension = TRY(take_size(cursor, 0, "a dimension"));
    if (dimension < std::ssize(digits)) transposed.push_back(digits[dimension]);
    dimensions.push_back(dimension);
  } while (cursor.take(","));
  TRY(cursor.expect(")", "in a list of devices"));
  std::ranges::sort(dimensions);
  const bool has_twice = std::ranges::adjacent_find(dimensions) != dimensions.end();
  if (has_twice || dimensions.size() != digits.size() || transposed.size() != digits.size()) {
    return cursor.error_at(order,
                           absl::StrCat("expected each of ", digits.size(), " dimensions once"));
  }
  return transposed;
}

std::optional<int64_t> Mesh::size() const {
  std::optional<int64_t> size = 1;
  for (const MeshAxis& axis : axes) {
    if (size) size = checked_mul(*size, axis.size);
  }
  return size;
}

namespace {

// `'x'`
absl::StatusOr<std::string> take_name(Cursor& cursor) {
  TRY(cursor.expect("'", "before the name of an axis"));
  const absl::string_view name = cursor.rest().substr(0, cursor.rest().find('\''));
  if (name.empty() || name.size() == cursor.rest().size()) {
    return cursor.expected("the name of an axis and \"'\"");
  }
  cursor.set_position(cursor.position() + name.size() + 1);
  return std::string(name);
}

// `([8])`, `([4,2]T(1,0))` or `(0,2,1,3)`, and `[0, 2, 1, 3]` of Shardy: which device is at each place
// of the mesh.
absl::Status take_device_ids(Cursor& cursor, Mesh& mesh) {
  TRY(cursor.expect("device_ids", "after the mesh"));
  TRY(cursor.expect("=", "after device_ids"));
  const bool is_of_shardy = cursor.take("[");
  if (!is_of_shardy) TRY(cursor.expect("(", "to open the devices"));
  if (!is_of_shardy && cursor.peek() == '[') {
    mesh.iota = TRY(take_iota(cursor));
  } else {
    mesh.devices =
        TRY(take_items<int64_t>(cursor, [](Cursor& c) { return take_size(c, 0, "a device"); }));
  }
  return cursor.expect(is_of_shardy ? "]" : ")", "to close the devices");
}

// `'x'=4`
absl::StatusOr<MeshAxis> take_axis(Cursor& cursor) {
  MeshAxis axis{TRY(take_name(cursor))};
  TRY(cursor.expect("=", "after the name of an axis"));
  axis.size = TRY(take_size(cursor, 1, "a size"));
  return axis;
}

bool overlap(const MeshAxis& a, const MeshAxis& b) {
  return a.name == b.name && a.before < b.before * b.size && b.before < a.before * a.size;
}

}  // namespace

absl::StatusOr<Mesh> take_mesh(Cursor& cursor) {
  TRY(cursor.expect("[", "to open the axes of the mesh"));
  Mesh mesh;
  mesh.axes = TRY(take_list<MeshAxis>(cursor, "]", "or ',' after an axis", take_axis));
  const size_t behind = cursor.position();
  if (!cursor.take(",")) return mesh;
  if (cursor.peek_identifier() == "device_ids") {
    TRY(take_device_ids(cursor, mesh));
  } else {
    cursor.set_position(behind);
  }
  return mesh;
}

absl::StatusOr<MeshAxis> take_axis_of(Cursor& cursor, const Mesh& mesh,
                                      absl::Span<const MeshAxis> others) {
  const size_t start = cursor.token_position();
  MeshAxis axis{TRY(take_name(cursor))};
  const auto whole = std::ranges::find(mesh.axes, axis.name, &MeshAxis::name);
  if (whole == mesh.axes.end()) return cursor.error_at(start, "expected an axis of the mesh");
  axis.size = whole->size;
  if (cursor.take(":")) {
    TRY(cursor.expect("(", "to open the size before a part of an axis"));
    axis.before = TRY(take_size(cursor, 1, "a size"));
    TRY(cursor.expect(")", "to close the size before a part of an axis"));
    axis.size = TRY(take_size(cursor, 1, "a size"));
    const std::optional<int64_t> end = checked_mul(axis.before, axis.size);
    if (!end || whole->size % *end != 0) {
      return cursor.error_at(start,
                             absl::StrCat("expected a part of an axis of size ", whole->size));
    }
  }
  for (const MeshAxis& other : others) {
    if (overlap(axis, other)) return cursor.error_at(start, "expected each part of an axis once");
  }
  return axis;
}

absl::StatusOr<std::vector<MeshAxis>> other_axes(const Mesh& mesh,
                                                 absl::Span<const MeshAxis> axes) {
  std::vector<MeshAxis> others;
  for (const MeshAxis& whole : mesh.axes) {
    std::vector<MeshAxis> parts;
    for (const MeshAxis& axis : axes) {
      if (axis.name == whole.name) parts.push_back(axis);
    }
    std::ranges::sort(parts, {}, &MeshAxis::before);
    parts.push_back({whole.name, 1, whole.size});
    int64_t before = 1;
    for (const MeshAxis& part : parts) {
      if (part.before % before != 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("expected parts of axis ", whole.name, " of size ", whole.size,
                         " that begin at a multiple of ", before, ", found one at ", part.before));
      }
      if (part.before > before) others.push_back({whole.name, part.before / before, before});
      before = part.before * part.size;
    }
  }
  return others;
}

absl::StatusOr<std::vector<int64_t>> devices_by(const Mesh& mesh, absl::Span<const MeshAxis> axes) {
  std::vector<Digit> digits;
  for (const MeshAxis& axis : axes) {
    int64_t minor = 1;  // the size of all axes behind this one
    for (size_t k = mesh.axes.size(); k-- > 0 && mesh.axes[k].name != axis.name;) {
      minor *= mesh.axes[k].size;
    }
    const auto whole = std::ranges::find(mesh.axes, axis.name, &MeshAxis::name);
    digits.push_back({axis.size, minor * (whole->size / (axis.before * axis.size))});
  }
  std::vector<int64_t> devices = numbers_of(digits);
  if (mesh.iota.empty() && mesh.devices.empty()) return devices;
  if ((mesh.iota.empty() ? std::ssize(mesh.devices) : count_of(mesh.iota)) != mesh.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", *mesh.size(), " devices in device_ids"));
  }
  const std::vector<int64_t> at = mesh.iota.empty() ? mesh.devices : numbers_of(mesh.iota);
  for (int64_t& device : devices) device = at[device];
  return devices;
}

}  // namespace tileproof
