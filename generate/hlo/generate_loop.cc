// SPDX-License-Identifier: Apache-2.0
#include "generate/hlo/generate_loop.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/choose/limits.h"

namespace tileproof {
namespace {

enum class Kind : uint8_t { kRows, kVector, kSquare };

// Computations that select, as jnp.where makes them.
constexpr const char* kWhere[] = {"where_rows", "where_vector", "where_square"};

class Writer {
 public:
  explicit Writer(Choose& choose) : choose_(choose) {}

  GeneratedLoop run() {
    height_ = 1 + choose_(4);
    width_ = 1 + choose_(3);
    first_ = choose_(4) == 0 ? choose_(3) : 0;
    step_ = choose_(6) == 0 ? 2 : 1;
    const int64_t room = height_ - first_;
    trips_ =
        choose_(5) == 0 ? choose_(height_ + 1) : std::max<int64_t>(0, (room + step_ - 1) / step_);
    is_counted_ = choose_(8) != 7;
    const int64_t arrays = 1 + choose_(4);
    for (int64_t k = 0; k < arrays; ++k) kinds_.push_back(static_cast<Kind>(choose_(3)));
    const int64_t masks = choose_within(choose_, limits::kLoopMasks);
    for (int64_t k = 0; k < masks; ++k) masks_.push_back(kinds_[choose_(arrays)]);
    has_masks_ = masks > 0 || choose_.chance(1, 4);
    write_body();
    write_condition();
    write_entry();
    GeneratedLoop loop{text(), is_counted_, masks, static_cast<uint64_t>(choose_(1 << 20)),
                       height_};
    return loop;
  }

 private:
  std::string shape(Kind kind, const std::string& type = "f32") const {
    switch (kind) {
      case Kind::kRows:
        return absl::StrCat(type, "[", height_, ",", width_, "]");
      case Kind::kVector:
        return absl::StrCat(type, "[", width_, "]");
      default:
        return absl::StrCat(type, "[", width_, ",", width_, "]");
    }
  }

  std::string state() const {
    std::vector<std::string> parts = {"s32[]"};
    for (const Kind kind : kinds_) parts.push_back(shape(kind));
    for (const Kind kind : masks_) parts.push_back(shape(kind, "pred"));
    if (!is_counted_) parts.push_back("s32[]");
    return absl::StrCat("(", absl::StrJoin(parts, ", "), ")");
  }

  // Adds an instruction of the computation that is written; returns its name.
  template <class... Parts>
  std::string add(const Parts&... parts) {
    const std::string name = absl::StrCat("v", next_++);
    absl::StrAppend(text_, "  ", name, " = ", parts..., "\n");
    return name;
  }

  // A leaf of this kind; none if the state has no other.
  std::string leaf_of(Kind kind) {
    std::vector<std::string> all;
    for (size_t k = 0; k < kinds_.size(); ++k) {
      if (kinds_[k] == kind) all.push_back(absl::StrCat("x", k));
    }
    return all.empty() ? "" : all[choose_(static_cast<int64_t>(all.size()))];
  }

  std::string constant(int64_t value) { return add("s32[] constant(", value, ")"); }

  std::string broadcast(const std::string& type, const std::string& scalar) {
    return add(type, " broadcast(", scalar, "), dimensions={}");
  }

  // A predicate that iotas and constants decide, or, in the body, the counter.
  std::string made_mask(Kind kind) {
    const std::string type = shape(kind, "s32"), predicate = shape(kind, "pred");
    const int64_t rank = kind == Kind::kVector ? 1 : 2;
    const std::string left = add(type, " iota(), iota_dimension=", choose_(rank));
    std::string right;
    switch (choose_(4)) {
      case 1:
        right = add(type, " iota(), iota_dimension=", choose_(rank));
        break;
      case 2:
        right = add(type, " add(", left, ", ", broadcast(type, constant(choose_(3) - 1)), ")");
        break;
      case 3:
        right = broadcast(type, text_ == &body_ ? "i" : constant(choose_(3)));
        break;
      default:
        right = broadcast(type, constant(choose_(4)));
    }
    const auto* direction = choose_.pick<const char*>({"GE", "LT", "EQ", "NE"});
    return add(predicate, " compare(", left, ", ", right, "), direction=", direction);
  }

  // A predicate of the body: a carried one, a new one, or what follows from two.
  std::string mask_of(Kind kind, int64_t depth = 2) {
    const std::string type = shape(kind, "pred"), carried = carried_mask(kind);
    switch (depth == 0 ? 0 : choose_(6)) {
      case 1:
        return made_mask(kind);
      case 2:
        return add(type, " not(", mask_of(kind, depth - 1), ")");
      case 3: {
        const std::string x = mask_of(kind, depth - 1), y = mask_of(kind, depth - 1);
        return add(type, choose_(2) == 0 ? " and(" : " or(", x, ", ", y, ")");
      }
      case 4:
        return add(type, " reverse(", mask_of(kind, depth - 1), "), dimensions={0}");
      default:
        return carried.empty() ? made_mask(kind) : carried;
    }
  }

  std::string carried_mask(Kind kind) {
    std::vector<std::string> all;
    for (size_t k = 0; k < masks_.size(); ++k) {
      if (masks_[k] == kind) all.push_back(absl::StrCat("m", k));
    }
    return all.empty() ? "" : all[choose_(static_cast<int64_t>(all.size()))];
  }

  // One of two arrays, element by element.
  std::string chosen(Kind kind, const std::string& x, const std::string& y) {
    const std::string mask = mask_of(kind);
    if (choose_.chance(1, 4)) {
      return add(shape(kind), " call(", mask, ", ", x, ", ", y,
                 "), to_apply=", kWhere[static_cast<size_t>(kind)]);
    }
    return add(shape(kind), " select(", mask, ", ", x, ", ", y, ")");
  }

  // Sometimes one of this value and a leaf of the state.
  std::string perhaps_masked(Kind kind, const std::string& value) {
    if (!has_masks_ || !choose_.chance(2, 5)) return value;
    const std::string leaf = leaf_of(kind);
    const std::string other = leaf.empty() ? broadcast(shape(kind), "nought") : leaf;
    return choose_(2) == 0 ? chosen(kind, value, other) : chosen(kind, other, value);
  }

  // An offset of rows.
  std::string offset() {
    switch (choose_(7)) {
      case 1:  // as jax.numpy indexes: negative ones count from the end
        return add("s32[] select(", add("pred[] compare(i, zero), direction=LT"), ", ",
                   add("s32[] add(i, ", constant(height_), ")"), ", i)");
      case 2:
        return add("s32[] subtract(", constant(height_ - 1), ", i)");
      case 3:
        return add("s32[] add(i, ", constant(choose_(3) - 1), ")");
      case 4:
        return add("s32[] multiply(i, ", constant(choose_(3)), ")");
      case 5:
        return constant(choose_(3));
      default:
        return "i";
    }
  }

  std::string vector_value() {
    const std::string rows = leaf_of(Kind::kRows), vector = leaf_of(Kind::kVector),
                      square = leaf_of(Kind::kSquare), type = shape(Kind::kVector);
    switch (choose_(6)) {
      case 1:
        if (rows.empty()) break;
        return add(type, " reshape(",
                   add("f32[1,", width_, "] dynamic-slice(", rows, ", ", offset(),
                       ", zero), dynamic_slice_sizes={1,", width_, "}"),
                   ")");
      case 2:
        if (vector.empty()) break;
        return add(type, " reverse(", vector, "), dimensions={0}");
      case 3:
        if (rows.empty()) break;
        return add(type, " reduce(", rows, ", nought), dimensions={0}, to_apply=sum");
      case 4:
        if (square.empty() || vector.empty()) break;
        return add(type, " dot(", square, ", ", vector,
                   "), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
      default:
        break;
    }
    return vector.empty() ? broadcast(type, "nought") : vector;
  }

  std::string square_value() {
    const std::string square = leaf_of(Kind::kSquare), type = shape(Kind::kSquare);
    switch (square.empty() ? 3 : choose_(4)) {
      case 1:
        return add(type, " transpose(", square, "), dimensions={1,0}");
      case 2:
        return add(type, " dot(", square, ", ", leaf_of(Kind::kSquare),
                   "), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
      case 3:
        return add(type, " broadcast(", vector_value(), "), dimensions={", choose_(2), "}");
      default:
        return square;
    }
  }

  std::string rows_value(const std::string& own) {
    const std::string type = shape(Kind::kRows);
    const int64_t choice = choose_(8);
    if (choice == 0) return own;
    if (choice == 1) return leaf_of(Kind::kRows);
    if (choice == 2) return add(type, " reverse(", own, "), dimensions={", choose_(2), "}");
    if (choice == 3 && height_ >= 2) {  // slabs of two rows
      const std::string at = add("s32[] multiply(i, ", constant(2), ")");
      const std::string slab =
          add("f32[2,", width_, "] broadcast(", vector_value(), "), dimensions={1}");
      return add(type, " dynamic-update-slice(", own, ", ", slab, ", ", at, ", zero)");
    }
    std::string value = vector_value();
    if (choice == 4) {
      value = add(shape(Kind::kVector), " add(", value, ", ", vector_value(), ")");
    }
    const std::string row = add("f32[1,", width_, "] reshape(", value, ")");
    return add(type, " dynamic-update-slice(", own, ", ", row, ", ", offset(), ", zero)");
  }

  // Mostly handed on.
  std::string next_mask(size_t k) {
    const std::string own = absl::StrCat("m", k), type = shape(masks_[k], "pred");
    switch (choose_(8)) {
      case 5:
        return add(type, " copy(", own, ")");
      case 6:
        return carried_mask(masks_[k]);
      case 7:
        return mask_of(masks_[k]);
      default:
        return own;
    }
  }

  void write_body() {
    text_ = &body_;
    for (size_t k = 0; k < kinds_.size(); ++k) {
      absl::StrAppend(&body_, "  x", k, " = ", shape(kinds_[k]),
                      " get-tuple-element(p), index=", k + 1, "\n");
    }
    for (size_t k = 0; k < masks_.size(); ++k) {
      absl::StrAppend(&body_, "  m", k, " = ", shape(masks_[k], "pred"),
                      " get-tuple-element(p), index=", kinds_.size() + k + 1, "\n");
    }
    std::vector<std::string> next = {add("s32[] add(i, ", constant(step_), ")")};
    for (size_t k = 0; k < kinds_.size(); ++k) {
      const std::string own = absl::StrCat("x", k), type = shape(kinds_[k]);
      std::string value = own;
      if (choose_(4) != 0) {
        value = kinds_[k] == Kind::kRows     ? rows_value(own)
                : kinds_[k] == Kind::kVector ? vector_value()
                                             : square_value();
        value = perhaps_masked(kinds_[k], value);
        if (kinds_[k] != Kind::kRows && choose_(2) == 1) {
          value = add(type, " add(", own, ", ", value, ")");
        }
      }
      next.push_back(std::move(value));
    }
    for (size_t k = 0; k < masks_.size(); ++k) next.push_back(next_mask(k));
    if (!is_counted_) next.push_back(add("s32[] get-tuple-element(p), index=", leaves()));
    absl::StrAppend(&body_, "  ROOT next = ", state(), " tuple(", absl::StrJoin(next, ", "), ")\n");
  }

  void write_condition() {
    if (!is_counted_) {
      absl::StrAppend(&condition_, "  n = s32[] get-tuple-element(p), index=", leaves(),
                      "\n  ROOT c = pred[] compare(i, n), direction=LT\n");
      return;
    }
    const int64_t end = first_ + step_ * trips_;
    switch (choose_(4)) {
      case 1:
        absl::StrAppend(&condition_, "  n = s32[] constant(", end - 1,
                        ")\n  ROOT c = pred[] compare(i, n), direction=LE\n");
        break;
      case 2:
        absl::StrAppend(&condition_, "  n = s32[] constant(", end,
                        ")\n  ROOT c = pred[] compare(n, i), direction=GT\n");
        break;
      case 3:
        absl::StrAppend(&condition_, "  n = s32[] constant(", end,
                        ")\n  ROOT c = pred[] compare(i, n), direction=NE\n");
        break;
      default:
        absl::StrAppend(&condition_, "  n = s32[] constant(", end,
                        ")\n  ROOT c = pred[] compare(i, n), direction=LT\n");
    }
  }

  size_t leaves() const { return 1 + kinds_.size() + masks_.size(); }

  void write_entry() {
    text_ = &entry_;
    absl::StrAppend(&entry_, "  first = s32[] constant(", first_, ")\n");
    std::vector<std::string> parts = {"first"};
    size_t parameters = 0;
    const auto parameter = [&](const std::string& name, const std::string& type) {
      absl::StrAppend(&entry_, "  ", name, " = ", type, " parameter(", parameters++, ")\n");
      parts.push_back(name);
    };
    for (size_t k = 0; k < kinds_.size(); ++k) parameter(absl::StrCat("a", k), shape(kinds_[k]));
    for (size_t k = 0; k < masks_.size(); ++k) {
      if (choose_.chance(1, 4)) {
        parameter(absl::StrCat("q", k), shape(masks_[k], "pred"));
      } else {
        parts.push_back(made_mask(masks_[k]));
      }
    }
    if (!is_counted_) parameter("n", "s32[]");
    absl::StrAppend(&entry_, "  start = ", state(), " tuple(", absl::StrJoin(parts, ", "),
                    ")\n  ROOT loop = ", state(),
                    " while(start), condition=condition, body=body\n");
    for (size_t k = 0; k < masks_.size(); ++k) write_behind(k);
    if (is_counted_ && choose_.chance(1, 4)) write_other_loop();
  }

  // A loop with the same start and body that ends elsewhere, and a sum behind both loops.
  void write_other_loop() {
    other_condition_ = absl::StrCat("  n = s32[] constant(", first_ + step_ * choose_(trips_ + 2),
                                    ")\n  ROOT c = pred[] compare(i, n), direction=LT\n");
    absl::StrAppend(&entry_, "  other = ", state(),
                    " while(start), condition=other_condition, body=body\n");
    const std::string type = shape(kinds_[0]);
    const std::string of_loop = add(type, " get-tuple-element(loop), index=1");
    const std::string of_other = add(type, " get-tuple-element(other), index=1");
    absl::StrAppend(&entry_, "  ", kBehindLoop, "_both = ", type, " add(", of_loop, ", ", of_other,
                    ")\n");
  }

  // A select behind the loop, which nothing uses, with the last value of a mask.
  void write_behind(size_t mask) {
    for (size_t k = 0; k < kinds_.size(); ++k) {
      if (kinds_[k] != masks_[mask]) continue;
      const std::string last = add(shape(masks_[mask], "pred"),
                                   " get-tuple-element(loop), index=", 1 + kinds_.size() + mask);
      const std::string array = add(shape(kinds_[k]), " get-tuple-element(loop), index=", 1 + k);
      absl::StrAppend(&entry_, "  ", kBehindLoop, mask, " = ", shape(kinds_[k]), " select(", last,
                      ", ", array, ", a", k, ")\n");
      return;
    }
  }

  std::string where_computations() const {
    std::string text;
    if (!has_masks_) return text;
    for (const Kind kind : {Kind::kRows, Kind::kVector, Kind::kSquare}) {
      const std::string type = shape(kind);
      absl::StrAppend(&text, kWhere[static_cast<size_t>(kind)], " {\n  m = ", shape(kind, "pred"),
                      " parameter(0)\n  x = ", type, " parameter(1)\n  y = ", type,
                      " parameter(2)\n  ROOT s = ", type, " select(m, x, y)\n}\n\n");
    }
    return text;
  }

  std::string text() const {
    const std::string start = absl::StrCat(
        "  p = ", state(), " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n");
    return absl::StrCat(
        "HloModule loop\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
        "  ROOT c = f32[] add(a, b)\n}\n\n",
        where_computations(), "condition {\n", start, condition_, "}\n\n",
        other_condition_.empty()
            ? ""
            : absl::StrCat("other_condition {\n", start, other_condition_, "}\n\n"),
        "body {\n", start, "  zero = s32[] constant(0)\n  nought = f32[] constant(0)\n", body_,
        "}\n\nENTRY main {\n", entry_, "}\n");
  }

  Choose& choose_;
  int64_t height_ = 1, width_ = 1, first_ = 0, step_ = 1, trips_ = 0;
  bool is_counted_ = true;
  std::vector<Kind> kinds_, masks_;
  bool has_masks_ = false;
  std::string body_, condition_, other_condition_, entry_;
  std::string* text_ = &body_;
  int64_t next_ = 0;
};

}  // namespace

GeneratedLoop generate_loop(Choose& choose) { return Writer(choose).run(); }

}  // namespace tileproof
