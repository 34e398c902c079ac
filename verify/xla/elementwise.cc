// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/elementwise.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::xla {
namespace {

struct Row {
  absl::string_view opcodes;  // separated by blanks
  int operands;
  absl::string_view operand, result;
  absl::string_view attributes = "";
};

constexpr Row kRows[] = {
    {"abs acos acosh asin asinh atanh cbrt ceil cosh cosine erf exponential exponential-minus-one "
     "floor log log-plus-one logistic negate round-nearest-afz round-nearest-even rsqrt sign sine "
     "sinh sqrt tan tanh",
     1, "f32", "f32"},
    {"count-leading-zeros not popcnt", 1, "s32", "s32"},
    {"is-finite", 1, "f32", "pred"},
    {"real imag", 1, "c64", "f32"},
    {"convert", 1, "f32", "s32"},
    {"reduce-precision", 1, "f32", "f32", ", exponent_bits=5, mantissa_bits=2"},
    {"add atan2 divide maximum minimum multiply power remainder subtract", 2, "f32", "f32"},
    {"and or xor shift-left shift-right-arithmetic shift-right-logical", 2, "s32", "s32"},
    {"complex", 2, "f32", "c64"},
    {"compare", 2, "f32", "pred", ", direction=LT"},
};

absl::StatusOr<Elementwise> one(absl::string_view opcode, const Row& row) {
  std::string text = "HloModule asked\nENTRY main {\n", operands;
  for (int k = 0; k < row.operands; ++k) {
    absl::StrAppend(&text, "  p", k, " = ", row.operand, "[3,2] parameter(", k, ")\n");
    absl::StrAppend(&operands, k == 0 ? "" : ", ", "p", k);
  }
  absl::StrAppend(&text, "  ROOT r = ", row.result, "[3,2] ", opcode, "(", operands, ")",
                  row.attributes, "\n}\n");
  HloModule module = TRY(parse_hlo_module(text));
  Elementwise result{std::string(opcode), {}};
  result.question.module = std::move(module);
  result.question.as_it_is = true;
  return result;
}

}  // namespace

absl::StatusOr<std::vector<Elementwise>> elementwise_questions() {
  std::vector<Elementwise> all;
  for (const Row& row : kRows) {
    absl::string_view left = row.opcodes;
    while (!left.empty()) {
      const absl::string_view opcode = left.substr(0, left.find(' '));
      left.remove_prefix(std::min(left.size(), opcode.size() + 1));
      all.push_back(TRY(one(opcode, row)));
    }
  }
  return all;
}

}  // namespace tileproof::xla
