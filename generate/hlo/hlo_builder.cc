// SPDX-License-Identifier: Apache-2.0
#include "generate/hlo/hlo_builder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tileproof::hlo {

int64_t count(const Dims& dims) {
  int64_t product = 1;
  for (int64_t d : dims) product *= d;
  return product;
}

std::string list(const Dims& dims) { return absl::StrJoin(dims, ","); }

std::string names_of(const std::vector<Value>& values) {
  return absl::StrJoin(
      values, ", ", [](std::string* out, const Value& value) { absl::StrAppend(out, value.name); });
}

std::string shape(const Value& value) {
  return absl::StrCat(value.type, "[", list(value.dims), "]", value.layout);
}

bool is_complex(absl::string_view type) { return type == "c64" || type == "c128"; }

std::string Builder::new_name(absl::string_view prefix) { return absl::StrCat(prefix, next_++); }

void Builder::note(int64_t size) { near = std::max(near, size); }

Value Builder::parameter(Value like) {
  like.name = new_name("p");
  lines.push_back(
      absl::StrCat(like.name, " = ", shape(like), " parameter(", parameters.size(), ")"));
  parameters.push_back(like);
  values.push_back(like);
  return like;
}

Value Builder::operand(const std::string& type, const Dims& dims) {
  std::vector<Value> fitting;
  for (const Value& value : values) {
    if (value.type == type && value.dims == dims) fitting.push_back(value);
  }
  // A single operation may use one parameter twice; a computation mostly uses existing values.
  const bool reuse = !fitting.empty() && (use_pool_ ? choose.chance(3, 4) : choose.chance(1, 8));
  if (reuse) return fitting[choose(std::ssize(fitting))];
  if (use_pool_ && !is_complex(type) && choose.chance(1, 6)) {
    const Value scalar =
        emit({"", type, {}, ""}, type == "pred" ? "constant(true)" : "constant(1)");
    return dims.empty() ? scalar
                        : emit({"", type, dims, ""}, "broadcast(", scalar.name, "), dimensions={}");
  }
  return parameter({"", type, dims, ""});
}

// Returns integers that are not a parameter: an iota, perhaps of a narrow type that wraps, or
// integers converted, added or moved.
Value Builder::computed_index(const std::string& type, const Dims& dims) {
  const auto rank = std::ssize(dims);
  const auto source = [&](const std::string& of) {
    if (rank == 0 && choose.chance(1, 2)) {
      return emit({"", of, {}, ""}, "constant(", choose(8), ")");
    }
    if (rank == 0 || choose.chance(1, 2)) return parameter({"", of, dims, ""});
    return emit({"", of, dims, ""}, "iota(), iota_dimension=", choose(rank));
  };
  const Value like = {"", type, dims, ""};
  switch (choose(5)) {
    case 0:
      if (rank == 0) return emit(like, "constant(1)");
      return emit(like, "iota(), iota_dimension=", choose(rank));
    case 1: {  // the value of the operand may not fit
      if (rank == 0 && choose.chance(1, 2)) {
        const Value wide = emit({"", "s32", {}, ""}, "constant(", 250 + choose(9), ")");
        const Value narrow = emit({"", "u8", {}, ""}, "convert(", wide.name, ")");
        return emit(like, "convert(", narrow.name, ")");
      }
      const Value from = source(choose.pick<std::string>({"s8", "u8", "s4", "u4", "u32", "s64"}));
      return emit(like, "convert(", from.name, ")");
    }
    case 2: {
      const Value left = source(type);
      const Value right = source(type);
      return emit(like, choose.chance(1, 2) ? "add(" : "multiply(", left.name, ", ", right.name,
                  ")");
    }
    case 3: {
      const Value from = source(type);
      if (rank == 0) return emit(like, "copy(", from.name, ")");
      return emit(like, "reverse(", from.name, "), dimensions={", choose(rank), "}");
    }
    default: {
      const Value from = source(type);
      return emit(like, "opt-barrier(", from.name, ")");
    }
  }
}

Value Builder::offset(const std::string& type, int64_t size) {
  note(size);
  if (use_pool_ && choose.chance(1, 4)) {
    const bool is_signed = type[0] == 's';
    return emit({"", type, {}, ""}, "constant(", choose.between(is_signed ? -2 : 0, size + 2), ")");
  }
  if (use_pool_ && choose.chance(1, 8)) return computed_index(type, {});
  return operand(type, {});
}

std::vector<Value> Builder::offsets(const Dims& dims) {
  std::vector<std::vector<Value>> fitting;
  for (const std::vector<Value>& earlier : offsets_) {
    if (!dims.empty() && earlier.size() == dims.size()) fitting.push_back(earlier);
  }
  if (use_pool_ && !fitting.empty() && choose.chance(1, 2)) {
    std::vector<Value> again = fitting[choose(std::ssize(fitting))];
    for (const int64_t size : dims) note(size);
    for (Value& one : again) {
      if (!choose.chance(1, 6)) continue;
      const auto opcode = choose.pick<std::string>({"copy", "opt-barrier", "reshape", "bitcast"});
      one = emit(one, opcode, "(", one.name, ")");
    }
    return again;
  }
  std::vector<Value> result;
  const std::string type = index_type();
  for (const int64_t size : dims) result.push_back(offset(type, size));
  offsets_.push_back(result);
  return result;
}

Value Builder::table(const std::string& type, const Dims& dims, int64_t size) {
  note(size);
  if (use_pool_ && choose.chance(1, 3)) return computed_index(type, dims);
  return parameter({"", type, dims, ""});
}

Value Builder::append(Value like, absl::string_view text) {
  like.name = new_name("v");
  lines.push_back(absl::StrCat(like.name, " = ", shape(like), " ", text));
  values.push_back(like);
  root_leaves = 1;
  return like;
}

Value Builder::append_tuple(const std::vector<Value>& parts, absl::string_view text) {
  if (parts.size() == 1) return emit(parts[0], text);
  const std::string name = new_name("t");
  std::vector<std::string> shapes;
  for (const Value& part : parts) shapes.push_back(shape(part));
  lines.push_back(absl::StrCat(name, " = (", absl::StrJoin(shapes, ", "), ") ", text));
  root_leaves = std::ssize(parts);
  if (!use_pool_) return {name, "", {}, ""};
  const int64_t index = choose(std::ssize(parts));
  return emit(parts[index], "get-tuple-element(", name, "), index=", index);
}

namespace {

// Returns the parameters a0, b0, a1, .. (the order of sort) or a0, a1, .., b0, .. (the order of
// reduce).
std::string scalars(const std::vector<std::string>& types, bool by_pairs) {
  std::string text;
  const int64_t n = std::ssize(types);
  for (int64_t side = 0; side < 2; ++side) {
    for (int64_t k = 0; k < n; ++k) {
      absl::StrAppend(&text, "  ", side == 0 ? "a" : "b", k, " = ", types[k], "[] parameter(",
                      by_pairs ? 2 * k + side : side * n + k, ")\n");
    }
  }
  return text;
}

std::string combined(absl::string_view type, absl::string_view a, absl::string_view b) {
  return absl::StrCat(type, "[] ",
                      type == "pred"     ? "or"
                      : is_complex(type) ? "add"
                                         : "maximum",
                      "(", a, ", ", b, ")");
}

}  // namespace

std::string Builder::reducer(const std::vector<std::string>& types) {
  const std::string name = new_name("reducer");
  absl::StrAppend(&regions, name, " {\n", scalars(types, false));
  if (types.size() == 1) {
    absl::StrAppend(&regions, "  ROOT c = ", combined(types[0], "a0", "b0"), "\n}\n");
    return name;
  }
  std::vector<std::string> shapes, names;
  for (size_t k = 0; k < types.size(); ++k) {
    absl::StrAppend(&regions, "  c", k, " = ",
                    combined(types[k], absl::StrCat("a", k), absl::StrCat("b", k)), "\n");
    shapes.push_back(absl::StrCat(types[k], "[]"));
    names.push_back(absl::StrCat("c", k));
  }
  absl::StrAppend(&regions, "  ROOT t = (", absl::StrJoin(shapes, ", "), ") tuple(",
                  absl::StrJoin(names, ", "), ")\n}\n");
  return name;
}

std::string Builder::comparator(const std::vector<std::string>& types) {
  const std::string name = new_name("comparator");
  absl::StrAppend(
      &regions, name, " {\n", scalars(types, true),
      "  ROOT c = pred[] compare(a0, b0), direction=", is_complex(types[0]) ? "EQ" : "GT", "\n}\n");
  return name;
}

std::string Builder::mapper(const std::vector<std::string>& types) {
  const std::string name = new_name("mapper");
  absl::StrAppend(&regions, name, " {\n");
  for (size_t k = 0; k < types.size(); ++k) {
    absl::StrAppend(&regions, "  a", k, " = ", types[k], "[] parameter(", k, ")\n");
  }
  absl::StrAppend(&regions, "  ROOT c = ", types[0], "[] copy(a0)\n}\n");
  return name;
}

std::string Builder::chooser(const Value& predicate, const Value& x, const Value& y) {
  const std::string name = new_name("chooser");
  const bool negates = choose.chance(1, 2);
  absl::StrAppend(&regions, name, " {\n  q = ", shape(predicate), " parameter(0)\n  a = ", shape(x),
                  " parameter(1)\n  b = ", shape(y), " parameter(2)\n");
  if (negates) absl::StrAppend(&regions, "  n = ", shape(predicate), " not(q)\n");
  absl::StrAppend(&regions, "  ROOT s = ", shape(x), " select(", negates ? "n" : "q",
                  ", a, b)\n}\n");
  return name;
}

int64_t Builder::small_size() {
  switch (choose(8)) {
    case 6:
      return 1;
    case 7:
      return choose.chance(1, 4) ? 0 : choose.between(limits::kSize.usual + 1, limits::kSize.most);
    default:
      return choose.between(limits::kSize.least, limits::kSize.usual);
  }
}

Dims Builder::small_dims(int64_t min_rank, int64_t max_rank) {
  Dims dims;
  const int64_t rank = choose.between(min_rank, max_rank);
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = small_size();
    if (count(dims) * size > limit()) size = 1;
    dims.push_back(size);
  }
  return dims;
}

std::vector<int64_t> Builder::permutation(int64_t rank) { return some_of(choose, rank, rank); }

// Every type that XLA computes with; the usual ones are those that differ in kind.
std::string Builder::any_type() {
  if (choose.chance(1, 8)) {
    return choose.pick<std::string>({"f64", "f16", "s8", "s16", "s64", "u16", "u32", "u64", "s4",
                                     "u4", "f8e4m3fn", "f8e5m2", "c64", "c128"});
  }
  return choose.pick<std::string>({"f32", "f32", "f32", "bf16", "s32", "u8", "pred"});
}

std::string Builder::index_type() {
  return choose.pick<std::string>({"s32", "s32", "s32", "s64", "u32", "u8", "s8", "u16", "u64"});
}

std::string Builder::body() const {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::StrAppend(&text, "  ", i + 1 == lines.size() ? "ROOT " : "", lines[i], "\n");
  }
  return text;
}

Value Builder::wrap(const Value& root) {
  const std::string name = new_name("wrapped");
  absl::StrAppend(&regions, name, " {\n", body(), "}\n");
  lines.clear();
  values.clear();
  offsets_.clear();
  const std::vector<Value> inner = std::exchange(parameters, {});
  std::vector<std::string> names;
  for (const Value& one : inner) names.push_back(parameter(one).name);
  // The operands of the call may be values from outside of it.
  const char* opcode = choose.chance(1, 4) ? "call" : "fusion";
  return emit(root, opcode, "(", absl::StrJoin(names, ", "), "), ",
              opcode[0] == 'c' ? "to_apply=" : "kind=kLoop, calls=", name);
}

}  // namespace tileproof::hlo
