// SPDX-License-Identifier: Apache-2.0
// Operations that work element by element or move elements.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/hlo/hlo_builder.h"
#include "spec/lang/base/element_type.h"

namespace tileproof::hlo {
namespace {

Value unary(Builder& b, Value x) {
  if (b.choose.chance(1, 3)) {
    Value to = x;
    to.type = b.any_type();
    if (is_complex(x.type) && !is_complex(to.type)) to.type = "c128";  // XLA drops no parts
    return b.emit(to, "convert(", x.name, ")");
  }
  if (x.type == "pred") return b.emit(x, "not(", x.name, ")");
  // XLA has no abs and sign of unsigned integers; abs of a complex number is real.
  const char* opcode = x.type[0] == 'u' || is_complex(x.type)
                           ? b.choose.pick<const char*>({"negate", "copy"})
                           : b.choose.pick<const char*>({"negate", "copy", "abs", "sign"});
  return b.emit(x, opcode, "(", x.name, ")");
}

Value binary(Builder& b, Value x) {
  const Value y = b.operand(x.type, x.dims);
  const bool swap = b.choose.chance(1, 2);
  const std::string both =
      absl::StrCat("(", swap ? y.name : x.name, ", ", swap ? x.name : y.name, ")");
  Value to = x;
  if (b.choose.chance(1, 5)) {
    to.type = "pred";
    return b.emit(to, "compare", both, ", direction=", is_complex(x.type) ? "NE" : "LT");
  }
  const char* opcode = x.type == "pred" ? "and"
                       : is_complex(x.type)
                           ? b.choose.pick<const char*>({"add", "multiply"})
                           : b.choose.pick<const char*>({"add", "multiply", "maximum"});
  return b.emit(to, opcode, both);
}

Value select(Builder& b, Value x) {
  const Dims dims = b.choose.chance(1, 3) ? Dims{} : x.dims;
  const bool is_known = b.uses_pool() && b.choose.chance(1, 2);
  const Value p = is_known ? known_predicate(b, dims) : b.operand("pred", dims);
  const Value y = b.operand(x.type, x.dims);
  const std::string operands = absl::StrCat("(", p.name, ", ", x.name, ", ", y.name, ")");
  const bool is_called = is_known && b.choose.chance(1, 3);
  if (is_called) {
    return b.emit(x, "call", operands, ", to_apply=", b.chooser(p, x, y));
  }
  return b.emit(x, "select", operands);
}

Value clamp(Builder& b, Value x) {
  if (is_complex(x.type)) return b.emit(x, "copy(", x.name, ")");
  const Value low = b.operand(x.type, b.choose.chance(1, 2) ? Dims{} : x.dims);
  const Value high = b.operand(x.type, low.dims);
  return b.emit(x, "clamp(", low.name, ", ", x.name, ", ", high.name, ")");
}

Value map(Builder& b, Value x) {
  const Value y = b.operand("f32", x.dims);
  Dims all;
  for (int64_t d = 0; d < std::ssize(x.dims); ++d) all.push_back(d);
  return b.emit(x, "map(", x.name, ", ", y.name, "), dimensions={", list(all),
                "}, to_apply=", b.mapper({x.type, "f32"}));
}

// The dimensions of x go to any dimensions of the result, in any order.
Value broadcast(Builder& b, Value x) {
  Dims out = x.dims;
  std::vector<int64_t> from;
  for (int64_t d = 0; d < std::ssize(out); ++d) from.push_back(d);
  if (b.choose.chance(1, 4)) from = b.permutation(std::ssize(out));
  Dims dims;
  for (int64_t d : from) dims.push_back(x.dims[d]);
  const int64_t more = b.within(limits::kNewDimensions);
  for (int64_t k = 0; k < more; ++k) {
    const int64_t size = b.within(limits::kNewSize);
    if (count(dims) * size > b.limit()) break;
    const int64_t at = b.choose(std::ssize(dims) + 1);
    dims.insert(dims.begin() + at, size);
    from.insert(from.begin() + at, -1);
  }
  Dims places(x.dims.size());
  for (int64_t d = 0; d < std::ssize(from); ++d) {
    if (from[d] >= 0) places[from[d]] = d;
  }
  return b.emit({"", x.type, dims, ""}, "broadcast(", x.name, "), dimensions={", list(places), "}");
}

Value transpose(Builder& b, Value x) {
  const std::vector<int64_t> order = b.permutation(std::ssize(x.dims));
  Dims dims;
  for (int64_t d : order) dims.push_back(x.dims[d]);
  return b.emit({"", x.type, dims, ""}, "transpose(", x.name, "), dimensions={", list(order), "}");
}

Value reverse(Builder& b, Value x) {
  Dims reversed;
  for (int64_t d = 0; d < std::ssize(x.dims); ++d) {
    if (b.choose.chance(1, 2)) reversed.push_back(d);
  }
  return b.emit(x, "reverse(", x.name, "), dimensions={", list(reversed), "}");
}

// Returns dimensions with this product, of any rank, with ones between.
Dims factored(Builder& b, int64_t product) {
  if (product == 0) {
    Dims dims = b.small_dims(0, 2);
    dims.insert(dims.begin() + b.choose(std::ssize(dims) + 1), 0);
    return dims;
  }
  Dims dims;
  while (product > 1) {
    std::vector<int64_t> divisors;
    for (int64_t f = product; f > 1; --f) {
      if (product % f == 0) divisors.push_back(f);
    }
    dims.push_back(b.choose.pick(divisors));
    product /= dims.back();
  }
  if (b.choose.chance(1, 3)) dims.insert(dims.begin() + b.choose(std::ssize(dims) + 1), 1);
  return dims;
}

Value reshape(Builder& b, Value x) {
  Dims dims = x.dims;
  switch (b.choose(4)) {
    case 0:  // insert a dimension of size 1
      dims.insert(dims.begin() + b.choose(std::ssize(dims) + 1), 1);
      break;
    case 1:  // merge two dimensions
      if (dims.size() >= 2) {
        const auto at = dims.begin() + b.choose(std::ssize(dims) - 1);
        *at *= *(at + 1);
        dims.erase(at + 1);
        break;
      }
      [[fallthrough]];
    default:
      dims = factored(b, count(dims));
  }
  return b.emit({"", x.type, dims, ""}, "reshape(", x.name, ")");
}

// Returns a layout: any order of dimensions, sometimes a tile. Sets `padded` to the number of
// elements in memory.
std::string layout(Builder& b, const Dims& dims, bool tiled, int64_t& padded) {
  const std::vector<int64_t> order = b.permutation(std::ssize(dims));  // minor to major
  padded = count(dims);
  if (dims.empty()) return "";
  std::string text = absl::StrCat("{", list(order));
  if (tiled) {
    Dims tile;
    Dims physical(dims.size());
    for (size_t k = 0; k < order.size(); ++k) physical[order.size() - 1 - k] = dims[order[k]];
    const int64_t rank = std::min<int64_t>(b.within(limits::kBitcastTileRank), std::ssize(dims));
    for (int64_t k = 0; k < rank; ++k) {
      tile.push_back(b.within(limits::kBitcastTile));
      int64_t& size = physical[std::ssize(dims) - rank + k];
      size = (size + tile.back() - 1) / tile.back() * tile.back();
    }
    padded = count(physical);
    absl::StrAppend(&text, ":T(", list(tile), ")");
  }
  return absl::StrCat(text, "}");
}

int64_t bytes_of(const std::string& type) { return byte_width(*element_type_named(type)); }

Value bitcast(Builder& b, Value x) {
  int64_t padded = count(x.dims), again = 0;
  Value from = x;
  if (b.choose.chance(3, 4)) {  // give x a layout of its own
    from.layout = layout(b, x.dims, b.choose.chance(1, 2), padded);
    if (padded > b.limit() * 2) {
      from.layout = layout(b, x.dims, false, padded);
    }
    from = b.emit(from, "copy(", x.name, ")");
  } else if (!x.layout.empty()) {
    from = b.emit({"", x.type, x.dims, ""}, "copy(", x.name, ")");
  }
  Value to = {"", x.type, {}, ""};
  if (b.choose.chance(1, 3)) {  // other elements of the same bytes
    const std::string type = b.any_type();
    const int64_t bytes = padded * bytes_of(x.type), width = bytes_of(type);
    if (bytes % width == 0 && bytes / width <= b.limit()) {
      to.type = type;
      padded = bytes / width;
    }
  }
  to.dims = factored(b, padded);
  if (b.choose.chance(1, 2)) to.layout = layout(b, to.dims, false, again);
  return b.emit(to, "bitcast(", from.name, ")");
}

Value bitcast_convert(Builder& b, Value x) {
  struct Widths {
    const char *wide, *narrow;
    int64_t ratio;
  };
  const Widths w = b.choose.pick<Widths>({{"f32", "s32", 1},
                                          {"f32", "u8", 4},
                                          {"f32", "bf16", 2},
                                          {"f64", "u8", 8},
                                          {"u64", "s32", 2}});
  Value wide = x.type == w.wide ? x : b.operand(w.wide, x.dims);
  wide.layout.clear();
  Dims dims = wide.dims;
  if (w.ratio > 1) dims.push_back(w.ratio);
  if (w.ratio > 1 && b.choose.chance(1, 2)) {
    const Value parts = b.operand(w.narrow, dims);
    return b.emit({"", w.wide, wide.dims, ""}, "bitcast-convert(", parts.name, ")");
  }
  return b.emit({"", w.narrow, dims, ""}, "bitcast-convert(", wide.name, ")");
}

Value slice(Builder& b, Value x) {
  std::vector<std::string> limits;
  Dims dims;
  for (int64_t size : x.dims) {
    // Rarely choose an empty slice: one empty dimension makes the whole array empty.
    const bool empty = size == 0 || b.choose.chance(1, 12);
    const int64_t start = b.choose.between(0, empty ? size : size - 1);
    const bool to_the_end = b.choose.chance(1, 2);
    const int64_t limit = empty ? start : to_the_end ? size : b.choose.between(start + 1, size);
    const int64_t stride = b.choose.chance(1, 2) ? b.within(limits::kStride) : 1;
    dims.push_back((limit - start + stride - 1) / stride);
    limits.push_back(stride == 1 ? absl::StrCat("[", start, ":", limit, "]")
                                 : absl::StrCat("[", start, ":", limit, ":", stride, "]"));
  }
  return b.emit({"", x.type, dims, ""}, "slice(", x.name, "), slice={", absl::StrJoin(limits, ", "),
                "}");
}

// Returns the padding of one edge: elements are cut if it is negative.
int64_t edge(Builder& b) {
  const int64_t width = b.within(limits::kPadEdge);
  return b.choose.chance(1, 3) ? -width : width;
}

Value pad(Builder& b, Value x) {
  std::vector<std::string> padding;
  Dims dims = x.dims;
  for (int64_t& size : dims) {
    const int64_t interior = b.choose.chance(1, 2) ? b.within(limits::kPadInterior) : 0;
    int64_t low = edge(b), high = edge(b);
    const int64_t spread = size + std::max<int64_t>(size - 1, 0) * interior;
    if (spread + low + high < 0) low = high = 0;
    int64_t beside = 1;  // the product of the other sizes; one that is 0 may still grow
    for (const int64_t& other : dims) {
      if (&other != &size) beside *= std::max<int64_t>(other, 1);
    }
    if (beside * (spread + low + high) > b.limit()) {
      padding.push_back("0_0");
      continue;
    }
    size = spread + low + high;
    padding.push_back(interior == 0 ? absl::StrCat(low, "_", high)
                                    : absl::StrCat(low, "_", high, "_", interior));
  }
  const Value value = b.operand(x.type, {});
  return b.emit({"", x.type, dims, ""}, "pad(", x.name, ", ", value.name, ")",
                dims.empty() ? "" : ", padding=", absl::StrJoin(padding, "x"));
}

Value concatenate(Builder& b, Value x) {
  if (x.dims.empty()) x = b.emit({"", x.type, {1}, ""}, "reshape(", x.name, ")");
  const int64_t d = b.choose(std::ssize(x.dims));
  Value to = {"", x.type, x.dims, ""};
  std::vector<std::string> names = {x.name};
  const int64_t operands = b.within(limits::kConcatenateOperands);
  for (int64_t k = 1; k < operands; ++k) {
    Dims dims = x.dims;
    dims[d] = b.within(limits::kConcatenateSize);
    if (count(to.dims) + count(dims) > b.limit()) break;
    to.dims[d] += dims[d];
    const Value y = b.operand(x.type, dims);
    names.insert(names.begin() + b.choose(std::ssize(names) + 1), y.name);
  }
  return b.emit(to, "concatenate(", absl::StrJoin(names, ", "), "), dimensions={", d, "}");
}

Value copy(Builder& b, Value x) {
  int64_t padded = 0;
  Value to = x;
  to.layout = layout(b, x.dims, b.choose.chance(1, 2), padded);
  return b.emit(to, "copy(", x.name, ")");
}

Value tuple(Builder& b, Value x) {
  std::vector<Value> parts = {x};
  std::string names = x.name;
  for (int64_t left = b.within(limits::kTupleParts) - 1; left > 0; --left) {
    parts.push_back(b.operand("f32", b.small_dims(0, 2)));
    absl::StrAppend(&names, ", ", parts.back().name);
  }
  if (parts.size() > 1) return b.emit_tuple(parts, "tuple(", names, ")");
  return b.emit(x, "opt-barrier(", names, ")");
}

Value barrier(Builder& b, Value x) { return b.emit(x, "opt-barrier(", x.name, ")"); }

}  // namespace

const std::vector<Kind>& movement_kinds() {
  static const auto* const kinds = new std::vector<Kind>{
      {"unary", unary},
      {"binary", binary},
      {"select", select},
      {"clamp", clamp},
      {"map", map},
      {"broadcast", broadcast, kDecides},
      {"transpose", transpose},
      {"reverse", reverse},
      {"reshape", reshape, kDecides},
      {"bitcast", bitcast, kDecides},
      {"slice", slice, kDecides},
      {"bitcast-convert", bitcast_convert, kDecides},
      {"pad", pad, kDecides},
      {"concatenate", concatenate, kDecides},
      {"copy", copy},
      {"tuple", tuple},
      {"opt-barrier", barrier},
  };
  return *kinds;
}

}  // namespace tileproof::hlo
