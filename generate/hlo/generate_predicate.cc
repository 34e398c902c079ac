// SPDX-License-Identifier: Apache-2.0
// Predicates that follow from iotas and constants: causal masks, bands, one-hot rows, blocks.
#include <vector>

#include "absl/strings/str_join.h"
#include "generate/hlo/hlo_builder.h"

namespace tileproof::hlo {
namespace {

constexpr int64_t kMostDepth = 3;

// Values of one computation, which the predicate is made of.
class Maker {
 public:
  Maker(Builder& b, const Dims& dims) : b_(b), dims_(dims) {}

  Value predicate(int64_t depth) {
    const bool is_small = count(dims_) <= 6;
    switch (depth <= 0 ? 0 : b_.choose(9)) {
      default: {
        const std::string type = b_.choose.pick<std::string>({"s32", "s32", "s32", "u8", "s64"});
        const Value x = integer(type, depth - 1), y = integer(type, depth - 1);
        const auto* direction = b_.choose.pick<const char*>({"GE", "LT", "EQ", "LE", "GT", "NE"});
        return emit("pred", "compare(", x.name, ", ", y.name, "), direction=", direction);
      }
      case 4: {
        const auto* opcode = b_.choose.pick<const char*>({"and", "or", "xor"});
        const Value p = predicate(depth - 1), q = predicate(depth - 1);
        return emit("pred", opcode, "(", p.name, ", ", q.name, ")");
      }
      case 5:
        return emit("pred", "not(", predicate(depth - 1).name, ")");
      case 6: {
        const Value x = integer("s32", depth - 1);
        return emit("pred", "convert(", x.name, ")");
      }
      case 7:
        return is_small && !dims_.empty() ? listed() : constant("pred", b_.choose(2));
      case 8: {
        const Value unknown = b_.operand("pred", dims_);
        const Value p = predicate(depth - 1);
        const auto* opcode = b_.choose.pick<const char*>({"and", "or"});
        return emit("pred", opcode, "(", p.name, ", ", unknown.name, ")");
      }
    }
  }

 private:
  template <class... Parts>
  Value emit(const std::string& type, const Parts&... text) {
    return b_.emit({"", type, dims_, ""}, text...);
  }

  // The same number for all elements.
  Value constant(const std::string& type, int64_t value) {
    const Value one = b_.emit({"", type, {}, ""}, "constant(", value, ")");
    if (dims_.empty()) return one;
    return emit(type, "broadcast(", one.name, "), dimensions={}");
  }

  Value listed() {
    std::vector<std::string> elements;
    for (int64_t k = 0; k < count(dims_); ++k) {
      elements.push_back(b_.choose.chance(1, 2) ? "true" : "false");
    }
    const Value row = b_.emit({"", "pred", {count(dims_)}, ""}, "constant({",
                              absl::StrJoin(elements, ", "), "})");
    return emit("pred", "reshape(", row.name, ")");
  }

  Value iota(const std::string& type) {
    const int64_t rank = std::ssize(dims_);
    const int64_t d = b_.choose(rank);
    if (b_.choose.chance(1, 2)) return emit(type, "iota(), iota_dimension=", d);
    const Value line = b_.emit({"", type, {dims_[d]}, ""}, "iota(), iota_dimension=0");
    return emit(type, "broadcast(", line.name, "), dimensions={", d, "}");
  }

  Value integer(const std::string& type, int64_t depth) {
    const bool has_iota = !dims_.empty();
    switch (depth <= 0 ? b_.choose(2) : b_.choose(8)) {
      case 1:
        return constant(type, b_.choose(5));
      case 2: {
        const Value x = integer(type, depth - 1);
        const Value y = constant(type, 1 + b_.choose(4));
        const auto* opcode =
            b_.choose.pick<const char*>({"add", "subtract", "multiply", "divide", "remainder"});
        return emit(type, opcode, "(", x.name, ", ", y.name, ")");
      }
      case 3: {
        const Value x = integer(type, depth - 1), y = integer(type, depth - 1);
        const auto* opcode = b_.choose.pick<const char*>({"add", "subtract", "minimum", "maximum"});
        return emit(type, opcode, "(", x.name, ", ", y.name, ")");
      }
      case 4: {
        const std::string from = b_.choose.pick<std::string>({"s32", "u8", "s8", "pred"});
        const Value x = from == "pred" ? predicate(depth - 1) : integer(from, depth - 1);
        return emit(type, "convert(", x.name, ")");
      }
      case 5: {
        const Value x = integer(type, depth - 1);
        if (!has_iota) return emit(type, "copy(", x.name, ")");
        const int64_t d = b_.choose(std::ssize(dims_));
        return emit(type, "reverse(", x.name, "), dimensions={", d, "}");
      }
      case 6: {
        const Value p = predicate(depth - 1);
        const Value x = integer(type, depth - 1), y = constant(type, b_.choose(4));
        return emit(type, "select(", p.name, ", ", x.name, ", ", y.name, ")");
      }
      default:
        return has_iota ? iota(type) : constant(type, b_.choose(5));
    }
  }

  Builder& b_;
  const Dims& dims_;
};

}  // namespace

Value known_predicate(Builder& b, const Dims& dims) {
  return Maker(b, dims).predicate(b.choose.between(0, kMostDepth));
}

}  // namespace tileproof::hlo
