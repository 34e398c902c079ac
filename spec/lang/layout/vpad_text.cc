// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/vpad_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/mlir_array.h"

namespace tileproof {
namespace {

constexpr int64_t kSublanes = 8, kLanes = 128;

struct Vpad {
  int64_t bits = 32;
  int64_t row_offset = 0, column_offset = 0, rows = 0, columns = 0;  // of a tile
  int64_t inserted = 0;  // -1, -2: a dimension of size 1, counted from the end; 0: none
};

// `*` or a number.
absl::StatusOr<int64_t> take_offset(Cursor& cursor) {
  if (cursor.take("*")) return 0;
  return take_size(cursor, 0, "an offset or '*'");
}

// `#tpu.vpad<"32,{*,0},(8,128),-2">`
absl::StatusOr<Vpad> take_vpad(Cursor& cursor) {
  Vpad vpad;
  TRY(cursor.expect("#tpu.vpad<\"", "a layout of vector registers"));
  vpad.bits = TRY(take_size(cursor, 1, "the bits of an element"));
  TRY(cursor.expect(",", "after the bits"));
  TRY(cursor.expect("{", "to open the offsets"));
  const size_t offsets = cursor.token_position();
  vpad.row_offset = TRY(take_offset(cursor));
  TRY(cursor.expect(",", "between the offsets"));
  vpad.column_offset = TRY(take_offset(cursor));
  TRY(cursor.expect("}", "to close the offsets"));
  TRY(cursor.expect(",", "after the offsets"));
  TRY(cursor.expect("(", "to open the tile"));
  const size_t tile = cursor.token_position();
  vpad.rows = TRY(take_size(cursor, 1, "the rows of a tile"));
  TRY(cursor.expect(",", "after the rows"));
  vpad.columns = TRY(take_size(cursor, 1, "the columns of a tile"));
  TRY(cursor.expect(")", "to close the tile"));
  if (cursor.take(",")) {
    const size_t place = cursor.token_position();
    vpad.inserted = TRY(cursor.take_integer("-1 or -2"));
    if (vpad.inserted != -1 && vpad.inserted != -2)
      return cursor.error_at(place, "expected -1 or -2");
  }
  TRY(cursor.expect("\">", "to close the layout"));
  const int64_t packing = 32 / vpad.bits, slots = kSublanes * kLanes * packing;
  const bool fits = vpad.bits <= 32 && 32 % vpad.bits == 0 && vpad.rows <= slots &&
                    vpad.columns <= slots && slots % (vpad.rows * vpad.columns) == 0 &&
                    vpad.rows % packing == 0;
  if (!fits) {
    return cursor.error_at(tile,
                           absl::StrCat("expected a tile of whole lanes that divides the ", slots,
                                        " elements of ", vpad.bits, " bits of a register"));
  }
  const int64_t width = slots / vpad.rows;  // columns in a register
  if (vpad.row_offset < vpad.rows && vpad.column_offset < width) return vpad;
  return cursor.error_at(
      offsets,
      absl::StrCat("expected offsets within the ", vpad.rows, " rows of a tile and the ", width,
                   " columns of a register, found ", vpad.row_offset, " and ", vpad.column_offset));
}

absl::StatusOr<MemRef> take_memref(Cursor& cursor) {
  cursor.take("vector");
  TRY(cursor.expect("<", "after vector"));
  const size_t position = cursor.token_position();
  const MlirArray array = TRY(take_mlir_array(cursor));
  TRY(cursor.expect(",", "after the elements"));
  const Vpad vpad = TRY(take_vpad(cursor));
  TRY(cursor.expect(">", "to close the vector"));
  if (array.element_bits.value_or(vpad.bits) != vpad.bits)
    return cursor.error_at(position, absl::StrCat("expected elements of ", vpad.bits, " bits"));
  Dims dims = array.dims;
  const size_t least = vpad.inserted == 0 ? 2 : 1;
  if (dims.size() < least)
    return cursor.error_at(position, absl::StrCat("expected at least ", least, " dimensions"));
  std::vector<std::string> names;
  for (size_t d = 0; d < dims.size(); ++d) names.push_back(absl::StrCat("d", d));
  const std::string variables = absl::StrJoin(names, ", ");
  const std::string type = absl::StrCat("memref<", absl::StrJoin(dims, "x"), "x",
                                        array.element_type, ", affine_map<(", variables, ") -> (");
  if (vpad.inserted != 0) {
    dims.insert(dims.end() + vpad.inserted + 1, 1);
    names.insert(names.end() + vpad.inserted + 1, "0");
  }
  const int64_t packing = 32 / vpad.bits, slots = kSublanes * kLanes * packing;
  const int64_t width = slots / vpad.rows;
  const auto moved = [](const std::string& name, int64_t by) {
    return by == 0 ? name : absl::StrCat("(", name, " + ", by, ")");
  };
  const std::string row = moved(*(names.end() - 2), vpad.row_offset);
  const std::string column = moved(names.back(), vpad.column_offset);
  const int64_t wide = (dims.back() + vpad.column_offset + width - 1) / width;  // registers
  const int64_t high = (*(dims.end() - 2) + vpad.row_offset + vpad.rows - 1) / vpad.rows;
  std::string registers = "0";
  for (size_t d = 0; d + 2 < dims.size(); ++d)
    registers = absl::StrCat("((", registers, ") * ", dims[d], " + ", names[d], ")");
  registers = absl::StrCat("((", registers, ") * ", high, " + ", row, " floordiv ", vpad.rows,
                           ") * ", wide, " + ", column, " floordiv ", width);
  const std::string tile = absl::StrCat("(", column, " mod ", width, ") floordiv ", vpad.columns);
  const std::string inside = absl::StrCat(
      "((", row, " mod ", vpad.rows, ") floordiv ", packing, ") * ", vpad.columns * packing, " + (",
      column, " mod ", vpad.columns, ") * ", packing, " + ", row, " mod ", packing);
  return parse_memref(absl::StrCat(type, "(", registers, ") * ", slots, " + (", tile, ") * ",
                                   vpad.rows * vpad.columns, " + ", inside, ")>>"));
}

}  // namespace

bool looks_like_vpad(absl::string_view text) {
  Cursor cursor(text);
  return cursor.take_identifier() == "vector" && cursor.peek() == '<';
}

absl::StatusOr<MemRef> parse_vpad(absl::string_view text) {
  return read_all<MemRef>(text, take_memref);
}

}  // namespace tileproof
