// SPDX-License-Identifier: Apache-2.0
#include "generate/hlo/generate_loop.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tileproof {
namespace {

enum class Kind : uint8_t { kRows, kVector, kSquare };

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
    write_body();
    write_condition();
    GeneratedLoop loop{text(), is_counted_, static_cast<uint64_t>(choose_(1 << 20)), height_};
    return loop;
  }

 private:
  std::string shape(Kind kind) const {
    switch (kind) {
      case Kind::kRows:
        return absl::StrCat("f32[", height_, ",", width_, "]");
      case Kind::kVector:
        return absl::StrCat("f32[", width_, "]");
      default:
        return absl::StrCat("f32[", width_, ",", width_, "]");
    }
  }

  std::string state() const {
    std::vector<std::string> parts = {"s32[]"};
    for (const Kind kind : kinds_) parts.push_back(shape(kind));
    if (!is_counted_) parts.push_back("s32[]");
    return absl::StrCat("(", absl::StrJoin(parts, ", "), ")");
  }

  // Adds an instruction of the body; returns its name.
  template <class... Parts>
  std::string add(const Parts&... parts) {
    const std::string name = absl::StrCat("v", next_++);
    absl::StrAppend(&body_, "  ", name, " = ", parts..., "\n");
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
    if (!vector.empty()) return vector;
    return add(type, " broadcast(nought), dimensions={}");
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

  void write_body() {
    for (size_t k = 0; k < kinds_.size(); ++k) {
      absl::StrAppend(&body_, "  x", k, " = ", shape(kinds_[k]),
                      " get-tuple-element(p), index=", k + 1, "\n");
    }
    std::vector<std::string> next = {add("s32[] add(i, ", constant(step_), ")")};
    for (size_t k = 0; k < kinds_.size(); ++k) {
      const std::string own = absl::StrCat("x", k), type = shape(kinds_[k]);
      std::string value = own;
      if (choose_(4) != 0) {
        value = kinds_[k] == Kind::kRows     ? rows_value(own)
                : kinds_[k] == Kind::kVector ? vector_value()
                                             : square_value();
        if (kinds_[k] != Kind::kRows && choose_(2) == 1) {
          value = add(type, " add(", own, ", ", value, ")");
        }
      }
      next.push_back(std::move(value));
    }
    if (!is_counted_) {
      next.push_back(add("s32[] get-tuple-element(p), index=", kinds_.size() + 1));
    }
    absl::StrAppend(&body_, "  ROOT next = ", state(), " tuple(", absl::StrJoin(next, ", "), ")\n");
  }

  void write_condition() {
    if (!is_counted_) {
      absl::StrAppend(&condition_, "  n = s32[] get-tuple-element(p), index=", kinds_.size() + 1,
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

  std::string text() const {
    const std::string start = absl::StrCat(
        "  p = ", state(), " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n");
    std::string entry = absl::StrCat("  first = s32[] constant(", first_, ")\n");
    std::vector<std::string> parts = {"first"};
    for (size_t k = 0; k < kinds_.size(); ++k) {
      absl::StrAppend(&entry, "  a", k, " = ", shape(kinds_[k]), " parameter(", k, ")\n");
      parts.push_back(absl::StrCat("a", k));
    }
    if (!is_counted_) {
      absl::StrAppend(&entry, "  n = s32[] parameter(", kinds_.size(), ")\n");
      parts.push_back("n");
    }
    return absl::StrCat(
        "HloModule loop\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
        "  ROOT c = f32[] add(a, b)\n}\n\ncondition {\n",
        start, condition_, "}\n\nbody {\n", start,
        "  zero = s32[] constant(0)\n  nought = f32[] constant(0)\n", body_, "}\n\nENTRY main {\n",
        entry, "  start = ", state(), " tuple(", absl::StrJoin(parts, ", "),
        ")\n  ROOT loop = ", state(), " while(start), condition=condition, body=body\n}\n");
  }

  Choose& choose_;
  int64_t height_ = 1, width_ = 1, first_ = 0, step_ = 1, trips_ = 0;
  bool is_counted_ = true;
  std::vector<Kind> kinds_;
  std::string body_, condition_;
  int64_t next_ = 0;
};

}  // namespace

GeneratedLoop generate_loop(Choose& choose) { return Writer(choose).run(); }

}  // namespace tileproof
