// SPDX-License-Identifier: Apache-2.0
// Complex numbers by their parts. A sum is the sums of the parts, exactly; a product, a quotient and an
// exponential are made of parts if the law kExpansion or kReal is asked for.
#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "verify/prove/values/bits.h"
#include "verify/prove/values/forms.h"

namespace tileproof::verify {

using spec::Symbol;

FormId Forms::complex(ElementType type, FormId real, FormId imaginary) {
  const bool are_of_one = symbol_is(real, "real") && symbol_is(imaginary, "imag") &&
                          operands(real)[0] == operands(imaginary)[0];
  if (are_of_one) return operands(real)[0];
  return apply(absl::StrCat("complex ", info(type).name), type, {{real, imaginary}});
}

FormId Forms::part_of_complex(FormId a, bool is_imaginary) {
  const Form& form = forms_[a];
  if (form.kind == Kind::kApply && absl::StartsWith(symbol(a), "complex ")) {
    return operands(a)[is_imaginary ? 1 : 0];
  }
  return apply(is_imaginary ? "imag" : "real", part_type(form.type), {a});
}

bool Forms::expands_complex() const { return has(ValueLaw::kReal) || has(ValueLaw::kExpansion); }

FormId Forms::complex_product(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  if (!expands_complex()) return apply("multiply", type, {{std::min(a, b), std::max(a, b)}});
  const auto part_product = [&](bool of_a, bool of_b) {
    return multiply(part_of_complex(a, of_a), part_of_complex(b, of_b));
  };
  return complex(type, add(part_product(false, false), minus(part_product(true, true))),
                 add(part_product(false, true), part_product(true, false)));
}

std::optional<FormId> Forms::apply_complex(const Symbol& f, const Ids& a) {
  const bool asks_part = f.opcode == HloOpcode::kReal || f.opcode == HloOpcode::kImag;
  if (asks_part && spec::float_format(f.from)) {
    return f.opcode == HloOpcode::kReal ? a[0] : number(f.type, 0);
  }
  if (f.opcode == HloOpcode::kComplex) return complex(f.type, a[0], a[1]);
  const bool is_widened = f.opcode == HloOpcode::kConvert && spec::float_format(f.from);
  if (is_widened && is_complex(f.type)) {
    const ElementType type = part_type(f.type);
    return complex(f.type, converted(a[0], f.from, type), number(type, 0));
  }
  if (!is_complex(f.from)) return std::nullopt;
  const auto by_parts = [&](auto of_parts) {
    const FormId real = of_parts(false);
    return complex(f.type, real, of_parts(true));
  };
  const auto part = [&](size_t k, bool is_imaginary) {
    return part_of_complex(a[k], is_imaginary);
  };
  const auto square = [&](size_t k, bool is_imaginary) {
    return multiply(part(k, is_imaginary), part(k, is_imaginary));
  };
  const auto of_part = [&](HloOpcode opcode, FormId x) {
    const ElementType type = part_type(f.from);
    const absl::string_view name = info(type).name;
    return apply_floats({.text = absl::StrCat(name_of(opcode), " ", name, " of ", name),
                         .opcode = opcode,
                         .type = type,
                         .from = type},
                        {x});
  };
  switch (f.opcode) {
    case HloOpcode::kReal:
    case HloOpcode::kImag:
      return part(0, f.opcode == HloOpcode::kImag);
    case HloOpcode::kNegate:
      return by_parts([&](bool imaginary) { return minus(part(0, imaginary)); });
    case HloOpcode::kAdd:
      return by_parts([&](bool imaginary) { return add(part(0, imaginary), part(1, imaginary)); });
    case HloOpcode::kSubtract:
      return by_parts(
          [&](bool imaginary) { return add(part(0, imaginary), minus(part(1, imaginary))); });
    case HloOpcode::kMultiply:
      return complex_product(a[0], a[1]);
    case HloOpcode::kDivide: {
      if (!expands_complex()) return std::nullopt;
      if (number_of(part(1, true)) == 0.0) {
        return by_parts([&](bool imaginary) { return divide(part(0, imaginary), part(1, false)); });
      }
      const FormId turned = complex(f.type, part(1, false), minus(part(1, true)));
      const FormId product = complex_product(a[0], turned);
      return by_parts([&](bool imaginary) {
        return divide(part_of_complex(product, imaginary), add(square(1, false), square(1, true)));
      });
    }
    case HloOpcode::kExponential: {
      if (!expands_complex()) return std::nullopt;
      const FormId size = of_part(HloOpcode::kExponential, part(0, false));
      return by_parts([&](bool imaginary) {
        return multiply(size,
                        of_part(imaginary ? HloOpcode::kSine : HloOpcode::kCosine, part(0, true)));
      });
    }
    case HloOpcode::kAbs:
      if (!has(ValueLaw::kExpansion)) return std::nullopt;
      return of_part(HloOpcode::kSqrt, add(square(0, false), square(0, true)));
    default:
      return std::nullopt;
  }
}

FormId Forms::bag_of_complex(const Symbol& f, const Ids& a) {
  Ids parts[2];
  for (size_t k = 0; k + f.group <= a.size(); k += f.group) {
    const FormId one = f.group == 2 ? complex_product(a[k], a[k + 1]) : a[k];
    for (const bool is_imaginary : {false, true}) {
      parts[is_imaginary ? 1 : 0].push_back(part_of_complex(one, is_imaginary));
    }
  }
  const ElementType type = part_type(f.type);
  const Symbol sum{.text = absl::StrCat("add ", info(type).name, " of ", info(type).name),
                   .opcode = HloOpcode::kAdd,
                   .type = type,
                   .from = type};
  const FormId real = bag_of(sum, parts[0]);
  return complex(f.type, real, bag_of(sum, parts[1]));
}

}  // namespace tileproof::verify
