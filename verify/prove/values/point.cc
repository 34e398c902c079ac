// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/values/point.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/lang/base/operands_first.h"
#include "verify/prove/values/bits.h"

namespace tileproof::verify {

using spec::Symbol;
using spec::Term;
using spec::TermId;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

PointValue integer(int64_t value) { return {true, true, value, 0, 0}; }

// Makes [low, high] wide enough for the error of `roundings` roundings to the type, each of a number
// of at most this size. The result is not known if the type has no such number.
PointValue interval(ElementType type, double low, double high, double size, double roundings) {
  if (std::isnan(low) || std::isnan(high)) return {};
  if (low == high && std::isinf(low)) return {true, false, 0, low, high};
  if (std::isinf(low) || std::isinf(high)) return {};
  const spec::FloatFormat format = *spec::float_format(type);
  const double unit = std::ldexp(1.0, 2 - format.significand);
  const double error = size * unit * roundings + std::ldexp(1.0, format.least);
  const bool has_infinity = std::isinf(spec::rounded(type, kInfinity));
  if (has_infinity && low - error > format.largest) return {true, false, 0, kInfinity, kInfinity};
  if (has_infinity && high + error < -format.largest)
    return {true, false, 0, -kInfinity, -kInfinity};
  if (high + error > format.largest || low - error < -format.largest) return {};
  return {true, false, 0, low - error, high + error};
}

PointValue interval(ElementType type, double low, double high) {
  return interval(type, low, high, std::max(std::abs(low), std::abs(high)), 1);
}

PointValue exactly(double value) { return {true, false, 0, value, value}; }

// Whether no sum of some of these numbers is rounded: all are multiples of one power of two.
bool adds_exactly(ElementType type, const std::vector<PointValue>& all) {
  const int digits = spec::float_format(type)->significand;
  double size = 0, least = kInfinity;
  for (const PointValue& one : all) {
    if (one.low != one.high || std::isinf(one.low)) return false;
    if (one.low == 0) continue;
    int exponent = 0;
    const double bits = std::ldexp(std::frexp(std::abs(one.low), &exponent), 53);
    const int zeros = std::countr_zero(static_cast<uint64_t>(bits));
    least = std::min(least, std::ldexp(1.0, exponent - 53 + zeros));
    size += std::abs(one.low);
  }
  return size <= std::ldexp(least, digits) && size <= spec::float_format(type)->largest;
}

PointValue not_a_number() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {true, false, 0, nan, nan};
}

bool is_finite(const PointValue& a) {
  return a.is_integer || (std::isfinite(a.low) && std::isfinite(a.high));
}

bool is_infinite(const PointValue& a) { return a.low == a.high && std::isinf(a.low); }

PointValue product(ElementType type, const PointValue& a, const PointValue& b) {
  const auto is_zero = [](const PointValue& x) { return x.low == 0 && x.high == 0; };
  if (std::isnan(a.low) || std::isnan(b.low)) return not_a_number();
  if ((is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b))) return not_a_number();
  const double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  const bool is_one = a.low == a.high && b.low == b.high && ends[0] != 0;
  if (is_one && spec::rounded(type, ends[0]) == ends[0] && std::fma(a.low, b.low, -ends[0]) == 0) {
    return exactly(ends[0]);
  }
  return interval(type, *std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4));
}

PointValue quotient(ElementType type, const PointValue& a, const PointValue& b) {
  if (is_infinite(a) && is_infinite(b)) return not_a_number();
  if (is_infinite(b)) return exactly(0);
  if (b.low <= 0 && b.high >= 0) return {};
  const double ends[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  return interval(type, *std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4));
}

PointValue hull(const PointValue& a, const PointValue& b) {
  if (!a.is_known || !b.is_known || a.is_complex || b.is_complex) return {};
  if (std::isnan(a.low) || std::isnan(b.low)) {
    return std::isnan(a.low) && std::isnan(b.low) ? a : PointValue();
  }
  if (a.is_integer) return a.integer == b.integer ? a : PointValue{};
  return {true, false, 0, std::min(a.low, b.low), std::max(a.high, b.high)};
}

// A function that does not decrease.
template <class F>
PointValue rising(ElementType type, const PointValue& a, F f) {
  return interval(type, f(a.low), f(a.high));
}

PointValue unary(const Symbol& f, const PointValue& a) {
  const auto type = f.type;
  const double middle = (a.low + a.high) / 2, half = (a.high - a.low) / 2;
  switch (f.opcode) {
    case HloOpcode::kNegate:
      return {true, false, 0, -a.high, -a.low};
    case HloOpcode::kAbs:
      if (a.low >= 0) return {true, false, 0, std::abs(a.low), std::abs(a.high)};
      if (a.high <= 0) return {true, false, 0, -a.high, -a.low};
      return {true, false, 0, 0, std::max(-a.low, a.high)};
    case HloOpcode::kExponential:
      return rising(type, a, [](double x) { return std::exp(x); });
    case HloOpcode::kExponentialMinusOne:
      return rising(type, a, [](double x) { return std::expm1(x); });
    case HloOpcode::kLog:
      if (a.high < 0) return not_a_number();
      return a.low > 0 ? rising(type, a, [](double x) { return std::log(x); }) : PointValue();
    case HloOpcode::kLogPlusOne:
      if (a.high < -1) return not_a_number();
      return a.low > -1 ? rising(type, a, [](double x) { return std::log1p(x); }) : PointValue();
    case HloOpcode::kLogistic:
      return rising(type, a, [](double x) { return 1 / (1 + std::exp(-x)); });
    case HloOpcode::kTanh:
      return rising(type, a, [](double x) { return std::tanh(x); });
    case HloOpcode::kErf:
      return rising(type, a, [](double x) { return std::erf(x); });
    case HloOpcode::kCbrt:
      return rising(type, a, [](double x) { return std::cbrt(x); });
    case HloOpcode::kSqrt:
      if (a.high < 0) return not_a_number();
      return a.low >= 0 ? rising(type, a, [](double x) { return std::sqrt(x); }) : PointValue();
    case HloOpcode::kRsqrt: {
      if (a.high < 0) return not_a_number();
      if (a.low <= 0) return {};
      return interval(type, 1 / std::sqrt(a.high), 1 / std::sqrt(a.low));
    }
    case HloOpcode::kSine:
      return half > 1 ? interval(type, -1, 1)
                      : interval(type, std::sin(middle) - half, std::sin(middle) + half, 1, 1);
    case HloOpcode::kCosine:
      return half > 1 ? interval(type, -1, 1)
                      : interval(type, std::cos(middle) - half, std::cos(middle) + half, 1, 1);
    case HloOpcode::kTan: {
      const auto pole = [](double x) { return std::floor(x / std::numbers::pi + 0.5); };
      if (pole(a.low) != pole(a.high)) return {};
      return rising(type, a, [](double x) { return std::tan(x); });
    }
    case HloOpcode::kFloor:
      return {true, false, 0, std::floor(a.low), std::floor(a.high)};
    case HloOpcode::kCeil:
      return {true, false, 0, std::ceil(a.low), std::ceil(a.high)};
    case HloOpcode::kRoundNearestEven:
      return {true, false, 0, std::nearbyint(a.low), std::nearbyint(a.high)};
    case HloOpcode::kRoundNearestAfz:
      return {true, false, 0, std::round(a.low), std::round(a.high)};
    case HloOpcode::kSign: {
      const auto sign = [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; };
      return {true, false, 0, sign(a.low), sign(a.high)};
    }
    default:
      return {};
  }
}

// The result of two numbers that no arithmetic rounds. That of f32 and less is exact in a double, if
// taking it back gives the operand again.
std::optional<double> unrounded(const Symbol& f, const PointValue& a, const PointValue& b) {
  const double x = a.low, y = b.low;
  if (f.type == ElementType::kF64 || x != a.high || y != b.high) return std::nullopt;
  double z = 0;
  bool is_exact = false;
  switch (f.opcode) {
    case HloOpcode::kAdd:
      z = x + y;
      is_exact = z - x == y && z - y == x;
      break;
    case HloOpcode::kSubtract:
      z = x - y;
      is_exact = z + y == x && x - z == y;
      break;
    case HloOpcode::kMultiply:
      z = x * y;
      is_exact = true;
      break;
    case HloOpcode::kDivide:
      z = x / y;
      is_exact = z * y == x;
      break;
    default:
      break;
  }
  return is_exact && std::isfinite(z) && spec::rounded(f.type, z) == z ? std::optional(z)
                                                                       : std::nullopt;
}

PointValue binary(const Symbol& f, const PointValue& a, const PointValue& b) {
  const auto type = f.type;
  if (const auto exact = unrounded(f, a, b)) return exactly(*exact);
  const bool is_sum = f.opcode == HloOpcode::kAdd || f.opcode == HloOpcode::kSubtract;
  if (is_sum && is_infinite(a) && is_infinite(b)) {  // inf - inf is not a number
    const bool is_same = (a.low == b.low) == (f.opcode == HloOpcode::kAdd);
    return is_same ? a : not_a_number();
  }
  switch (f.opcode) {
    case HloOpcode::kAdd:
      return interval(type, a.low + b.low, a.high + b.high);
    case HloOpcode::kSubtract:
      return interval(type, a.low - b.high, a.high - b.low);
    case HloOpcode::kMultiply:
      return product(type, a, b);
    case HloOpcode::kDivide:
      return quotient(type, a, b);
    case HloOpcode::kMaximum:
      if (std::isnan(a.low) || std::isnan(b.low)) return not_a_number();
      return {true, false, 0, std::max(a.low, b.low), std::max(a.high, b.high)};
    case HloOpcode::kMinimum:
      if (std::isnan(a.low) || std::isnan(b.low)) return not_a_number();
      return {true, false, 0, std::min(a.low, b.low), std::min(a.high, b.high)};
    case HloOpcode::kPower: {
      if (a.low <= 0) return {};
      const PointValue log{true, false, 0, std::log(a.low), std::log(a.high)};
      const PointValue exponent = product(ElementType::kF64, log, b);
      return exponent.is_known ? rising(type, exponent, [](double x) { return std::exp(x); })
                               : PointValue();
    }
    case HloOpcode::kAtan2:
      if (a.low != a.high || b.low != b.high) return {};
      return interval(type, std::atan2(a.low, b.low), std::atan2(a.low, b.low));
    case HloOpcode::kRemainder:
      if (a.low != a.high || b.low != b.high || b.low == 0) return {};
      return exactly(std::fmod(a.low, b.low));
    default:
      return {};
  }
}

// Operations that round nothing, at a special point.
bool is_exact(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs:
    case HloOpcode::kCeil:
    case HloOpcode::kClamp:
    case HloOpcode::kFloor:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kNegate:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kSign:
      return true;
    default:
      return false;
  }
}

// Whether the comparison holds for all numbers of both intervals, or for none.
PointValue compared(const Symbol& f, const PointValue& a, const PointValue& b) {
  const auto decided = [](bool always, bool never) {
    return always ? integer(1) : never ? integer(0) : PointValue();
  };
  if (std::isnan(a.low) || std::isnan(b.low)) {
    const bool is_total = absl::StrContains(f.text, "TOTALORDER");
    return is_total ? PointValue() : integer(f.direction == "NE" ? 1 : 0);
  }
  if (a.low == 0 && b.low == 0 && absl::StrContains(f.text, "TOTALORDER")) {  // -0 < 0
    if (a.high != 0 || b.high != 0) return {};
    const auto sign = [](double x) { return PointValue{true, false, 0, x, x}; };
    Symbol plain = f;
    plain.text = "";
    return compared(plain, sign(std::signbit(a.low) ? -1 : 1), sign(std::signbit(b.low) ? -1 : 1));
  }
  const bool is_point = a.low == a.high && b.low == b.high && a.low == b.low;
  const bool apart = a.high < b.low || b.high < a.low;
  if (f.direction == "LT") return decided(a.high < b.low, a.low >= b.high);
  if (f.direction == "LE") return decided(a.high <= b.low, a.low > b.high);
  if (f.direction == "EQ") return decided(is_point, apart);
  if (f.direction == "NE") return decided(apart, is_point);
  return {};
}

PointValue convert(const Symbol& f, const PointValue& a, bool is_special) {
  if (is_special && spec::float_format(f.type)) {
    const bool fits = !a.is_integer || std::abs(a.integer) < (int64_t{1} << 53);
    const double x = a.is_integer ? static_cast<double>(a.integer) : a.low;
    const double result = spec::rounded(f.type, x);
    return fits && std::isnan(x) == std::isnan(result) ? exactly(result) : PointValue();
  }
  if (f.type == ElementType::kPred && std::isnan(a.low)) return integer(1);
  if (spec::float_format(f.type) && a.is_integer) {
    const double x = spec::is_unsigned(f.from)
                         ? static_cast<double>(static_cast<uint64_t>(a.integer))
                         : static_cast<double>(a.integer);
    return spec::rounded(f.type, x) == x ? exactly(x) : interval(f.type, x, x);
  }
  if (spec::float_format(f.type)) {
    if (std::isnan(a.low)) return not_a_number();
    const bool is_exact = a.low == a.high && spec::rounded(f.type, a.low) == a.low;
    return is_exact ? a : interval(f.type, a.low, a.high);
  }
  if (f.type == ElementType::kPred) {
    if (a.low > 0 || a.high < 0) return integer(1);
    return a.low == 0 && a.high == 0 ? integer(0) : PointValue();
  }
  if (spec::is_integer(f.type) && std::trunc(a.low) == std::trunc(a.high) &&
      std::abs(a.low) < 0x1p31 && a.low > (spec::is_unsigned(f.type) ? -1 : -0x1p31)) {
    const auto whole = static_cast<int64_t>(std::trunc(a.low));
    return spec::wrapped(f.type, whole) == whole ? integer(whole) : PointValue();
  }
  return {};
}

// The bits of a number that is known exactly.
PointValue bits_of(const Symbol& f, const PointValue& a) {
  const bool is_known =
      f.type == ElementType::kF64 || f.type == ElementType::kF32 || f.type == ElementType::kBF16;
  if (a.is_integer && is_known) {
    const auto bits = static_cast<uint32_t>(a.integer);
    const double x = f.type == ElementType::kF64   ? std::bit_cast<double>(a.integer)
                     : f.type == ElementType::kF32 ? std::bit_cast<float>(bits)
                                                   : std::bit_cast<float>(bits << 16);
    return std::isnan(x) ? PointValue() : exactly(x);
  }
  if (spec::is_integer(f.type) && !a.is_integer && a.low == a.high) {
    if (f.from == ElementType::kF64) return integer(std::bit_cast<int64_t>(a.low));
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(a.low));
    if (f.from == ElementType::kF32) return integer(spec::wrapped(f.type, bits));
    if (f.from == ElementType::kBF16) return integer(spec::wrapped(f.type, bits >> 16));
  }
  return {};
}

// A bitcast-convert between widths: of the parts of an integer, the first has its lowest bits.
PointValue parts_of_bits(const Symbol& f, const std::vector<PointValue>& a, int64_t number) {
  if (!spec::is_integer(f.type) || !spec::is_integer(f.from) ||
      !std::ranges::all_of(a, &PointValue::is_known)) {
    return {};
  }
  const int from = width_of(f.from), to = width_of(f.type);
  uint64_t bits = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    bits |= static_cast<uint64_t>(masked(f.from, a[k].integer)) << (k * from);
  }
  if (a.size() == 1) bits >>= number % (from / to) * to;
  return integer(spec::wrapped(f.type, static_cast<int64_t>(bits)));
}

// What is left of the significand after reduce-precision, if the exponent has all of its bits.
PointValue with_fewer_bits(const Symbol& f, const PointValue& a) {
  const size_t at = f.text.find("mantissa_bits=");
  int bits = 0;
  if (f.type != ElementType::kF32 || !absl::StrContains(f.text, "exponent_bits=8 ") ||
      at == std::string::npos ||
      !absl::SimpleAtoi(f.text.substr(at + 14, f.text.find(' ', at) - at - 14), &bits)) {
    return {};
  }
  const double error = std::ldexp(std::max(std::abs(a.low), std::abs(a.high)), -bits);
  return interval(f.type, a.low - error, a.high + error);
}

// An operation on complex numbers, or on what makes one.
PointValue complex(const Symbol& f, const std::vector<PointValue>& a) {
  const bool is_result = is_complex(f.type);
  const ElementType type = part_type(is_result ? f.type : f.from);
  const auto real = [&](size_t k) { return PointValue{true, false, 0, a[k].low, a[k].high}; };
  const auto imaginary = [&](size_t k) {
    return PointValue{true, false, 0, a[k].imaginary_low, a[k].imaginary_high};
  };
  const auto both = [](const PointValue& x, const PointValue& y) {
    if (!x.is_known || !y.is_known) return PointValue();
    PointValue value = x;
    value.is_complex = true;
    value.imaginary_low = y.low;
    value.imaginary_high = y.high;
    return value;
  };
  const auto apply = [&](HloOpcode opcode, const PointValue& x, const PointValue& y) {
    if (!x.is_known || !y.is_known) return PointValue();
    return binary({.text = "", .opcode = opcode, .type = type, .from = type}, x, y);
  };
  const auto times = [&](const PointValue& x, const PointValue& y) {
    return apply(HloOpcode::kMultiply, x, y);
  };
  const auto square_of = [&](size_t k) {
    return apply(HloOpcode::kAdd, times(real(k), real(k)), times(imaginary(k), imaginary(k)));
  };
  const auto of_part = [&](HloOpcode opcode, const PointValue& x) {
    return unary({.text = "", .opcode = opcode, .type = type, .from = type}, x);
  };
  switch (f.opcode) {
    case HloOpcode::kComplex:
      return both(a[0], a[1]);
    case HloOpcode::kConvert: {
      if (is_complex(f.from) || !spec::float_format(f.from)) return {};
      const Symbol to_part{.text = "", .opcode = f.opcode, .type = type, .from = f.from};
      return both(convert(to_part, a[0], false), exactly(0));
    }
    case HloOpcode::kReal:
      return real(0);
    case HloOpcode::kImag:
      return imaginary(0);
    case HloOpcode::kNegate:
      return both({true, false, 0, -a[0].high, -a[0].low},
                  {true, false, 0, -a[0].imaginary_high, -a[0].imaginary_low});
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
      return both(apply(f.opcode, real(0), real(1)), apply(f.opcode, imaginary(0), imaginary(1)));
    case HloOpcode::kMultiply:
      return both(
          apply(HloOpcode::kSubtract, times(real(0), real(1)), times(imaginary(0), imaginary(1))),
          apply(HloOpcode::kAdd, times(real(0), imaginary(1)), times(imaginary(0), real(1))));
    case HloOpcode::kDivide: {
      const PointValue size = square_of(1);
      return both(
          apply(HloOpcode::kDivide,
                apply(HloOpcode::kAdd, times(real(0), real(1)), times(imaginary(0), imaginary(1))),
                size),
          apply(HloOpcode::kDivide,
                apply(HloOpcode::kSubtract, times(imaginary(0), real(1)),
                      times(real(0), imaginary(1))),
                size));
    }
    case HloOpcode::kExponential: {
      const PointValue size = of_part(HloOpcode::kExponential, real(0));
      return both(times(size, of_part(HloOpcode::kCosine, imaginary(0))),
                  times(size, of_part(HloOpcode::kSine, imaginary(0))));
    }
    case HloOpcode::kAbs: {
      const PointValue square = square_of(0);
      if (!square.is_known || square.low < 0) return {};
      return rising(type, square, [](double x) { return std::sqrt(x); });
    }
    case HloOpcode::kCompare: {
      const PointValue are_real = compared(f, real(0), real(1));
      const PointValue are_imaginary = compared(f, imaginary(0), imaginary(1));
      if (!are_real.is_known || !are_imaginary.is_known) return {};
      if (f.direction == "EQ") return integer(are_real.integer & are_imaginary.integer);
      return f.direction == "NE" ? integer(are_real.integer | are_imaginary.integer) : PointValue();
    }
    default:
      return {};
  }
}

}  // namespace

// ---- Parameters ----

namespace {

uint64_t mixed(uint64_t z, uint64_t x) {
  z = (z ^ x) * 0xbf58476d1ce4e5b9;
  z ^= z >> 29;
  z *= 0x94d049bb133111eb;
  return z ^ z >> 32;
}

}  // namespace

uint64_t Point::random_state(const Symbol& array) const {
  uint64_t z = seed_ * 0x9e3779b97f4a7c15 + 1;
  for (const char c : array.text) z = mixed(z, static_cast<uint64_t>(c));
  return z;
}

uint64_t Point::random(const Symbol& array, int64_t number) const {
  const uint64_t z = random_state(array);
  const bool are_alike = seed_ % 8 == 7 && !spec::is_integer(array.type);
  return are_alike ? z : mixed(z, static_cast<uint64_t>(number));
}

bool ThinArray::is_zero(int64_t number) const {
  return mixed(state_, static_cast<uint64_t>(number)) % static_cast<uint64_t>(one_of_) != 0;
}

std::optional<ThinArray> Point::thin_array(TermId element) const {
  const Symbol& symbol = terms_.symbol_of(element);
  const auto thin = thin_.find(symbol.text);
  const bool is_number = !is_special() && spec::float_format(symbol.type) && seed_ % 8 != 7;
  if (thin == thin_.end() || !is_number) return std::nullopt;
  return ThinArray(random_state(symbol), thin->second);
}

int64_t Point::integer_of_programs(uint64_t z) const {
  const int64_t one = integers_[(z >> 8) % integers_.size()];
  const auto place = static_cast<int64_t>(z >> 24);
  switch ((z >> 20) % 6) {
    case 0:
      return one - 1;
    case 1:
      return one + 1;
    case 2:
    case 3:
      return one;
    default:
      return place % one;
  }
}

PointValue Point::element(TermId term) const {
  const auto known = carried_.find(term);
  if (known != carried_.end()) return known->second;
  const Symbol& array = terms_.symbol_of(term);
  const uint64_t z = random(array, terms_.at(term).number);
  if (spec::is_integer(array.type)) {
    const auto given = given_.find({array.text, terms_.at(term).number});
    if (given != given_.end()) return integer(spec::wrapped(array.type, given->second));
    if (!integers_.empty() && (z >> 60) % 2 == 0) {
      return integer(spec::wrapped(array.type, integer_of_programs(z)));
    }
    const auto any = static_cast<int64_t>(z);
    switch ((seed_ + z % 3) % 4) {
      case 0:
        return integer(spec::wrapped(array.type, static_cast<int64_t>(z >> 8) % 12));
      case 1:
        return integer(spec::wrapped(array.type, static_cast<int64_t>((z >> 8) % 4)));
      case 2:
        return integer(spec::wrapped(array.type, any));
      default: {  // near the ends and the middle of the type
        const int bits = info(array.type).bits;
        const uint64_t end = (z >> 8) % 3 == 0 ? 0 : uint64_t{1} << (bits - 1);
        const uint64_t reach = end == 0 ? 8 : 2;
        const uint64_t place = (z >> 16) % (2 * reach + 1);
        return integer(spec::wrapped(array.type, static_cast<int64_t>(end + place - reach)));
      }
    }
  }
  if (is_complex(array.type) && !is_special()) {
    const ElementType part = part_type(array.type);
    const auto number = [&](uint64_t bits) {
      const double x = std::ldexp(static_cast<double>(bits), -30) - 2;
      return seed_ % 2 == 0 ? spec::rounded(part, x) : std::floor(x);
    };
    PointValue value = exactly(number(z >> 32));
    value.is_complex = true;
    value.imaginary_low = value.imaginary_high = number(z & 0xffffffff);
    return value;
  }
  if (!spec::float_format(array.type)) return {};
  if (is_special()) {
    const double largest = spec::float_format(array.type)->largest;
    const double values[] = {std::numeric_limits<double>::quiet_NaN(),
                             kInfinity,
                             -kInfinity,
                             0.0,
                             -0.0,
                             1,
                             -1,
                             0.5,
                             2.5,
                             -1.5,
                             largest,
                             -largest};
    return exactly(spec::rounded(array.type, values[(z >> 8) % std::size(values)]));
  }
  const double unit = std::ldexp(static_cast<double>(z >> 11), -53);  // [0, 1)
  double x = unit * 4 - 2;
  if (has_thin()) {
    const auto thin = thin_.find(array.text);
    const bool is_zero = thin != thin_.end() && z % static_cast<uint64_t>(thin->second) != 0;
    return exactly(is_zero ? 0 : spec::rounded(array.type, x));
  }
  if (seed_ % 4 == 1) x = unit * 2 + 0.1;
  if (seed_ % 4 == 2) x = (unit - 0.5) * 0x1p-9;
  if (seed_ % 8 == 4) x = (unit - 0.5) * 200;
  if (seed_ % 8 == 3) x = std::floor(unit * 7) - 3;  // whole numbers, so that nothing is rounded
  if (seed_ % 16 == 11) x = std::ldexp(x, static_cast<int>(z % 64) - 32);
  return exactly(spec::rounded(array.type, x));
}

// ---- Terms ----

PointValue Point::applied(const Symbol& f, const std::vector<PointValue>& a) const {
  if (f.opcode == HloOpcode::kSelect && a.size() == 3) {
    if (a[0].is_known) return a[0].integer != 0 ? a[1] : a[2];
    return hull(a[1], a[2]);
  }
  if (f.opcode == HloOpcode::kConditional) {
    if (!a[0].is_known) return {};
    const int64_t last = std::ssize(a) - 2;
    const int64_t k = f.from == ElementType::kPred ? 1 - a[0].integer : a[0].integer;
    return a[1 + (k < 0 || k > last ? last : k)];
  }
  const bool are_integers = spec::is_integer(f.type) && spec::is_integer(f.from);
  if (are_integers) {
    std::vector<std::optional<int64_t>> values;
    for (const PointValue& one : a) {
      values.push_back(one.is_known ? std::optional(one.integer) : std::nullopt);
    }
    const auto value = spec::evaluated(f.opcode, f.type, f.from, f.direction, values);
    return value ? integer(*value) : PointValue();
  }
  if (!std::ranges::all_of(a, &PointValue::is_known)) return {};
  if (is_complex(f.type) || is_complex(f.from)) return complex(f, a);
  if (f.opcode == HloOpcode::kCompare && a.size() == 2) return compared(f, a[0], a[1]);
  if (f.opcode == HloOpcode::kIsFinite) {
    return integer(std::isfinite(a[0].low) && std::isfinite(a[0].high) ? 1 : 0);
  }
  if (f.opcode == HloOpcode::kConvert && a.size() == 1) return convert(f, a[0], is_special());
  for (const PointValue& one : a) {
    if (is_special() && !is_exact(f.opcode)) break;
    if (one.is_integer || !std::isnan(one.low)) continue;
    const bool stays = spec::float_format(f.type) && f.opcode != HloOpcode::kPower;  // x^0 is 1
    return stays ? one : PointValue();
  }
  const bool keeps_bits = f.opcode == HloOpcode::kBitcastConvert || f.opcode == HloOpcode::kBitcast;
  if (keeps_bits && a.size() == 1) return bits_of(f, a[0]);
  if (f.opcode == HloOpcode::kReducePrecision && a.size() == 1) return with_fewer_bits(f, a[0]);
  if (std::ranges::any_of(a, &PointValue::is_integer) || !spec::float_format(f.from)) return {};
  if (!spec::float_format(f.type) || (is_special() && !is_exact(f.opcode))) return {};
  if (a.size() == 1) return unary(f, a[0]);
  if (a.size() == 2) return binary(f, a[0], a[1]);
  if (f.opcode == HloOpcode::kClamp && a.size() == 3) {
    const auto inside = [&](double low, double x, double high) {
      return std::min(std::max(low, x), high);
    };
    return {true, false, 0, inside(a[0].low, a[1].low, a[2].low),
            inside(a[0].high, a[1].high, a[2].high)};
  }
  return {};
}

PointValue Point::bag(const Symbol& f, const std::vector<PointValue>& given) const {
  std::vector<PointValue> a = given;
  if (!std::ranges::all_of(a, &PointValue::is_known)) return {};
  if (f.group == 2) {
    a.clear();
    for (size_t k = 0; k + 1 < given.size(); k += 2) {
      const bool are_integers = given[k].is_integer && given[k + 1].is_integer;
      if (given[k].is_integer != given[k + 1].is_integer) return {};
      if (is_complex(f.type)) {
        Symbol product = f;
        product.opcode = HloOpcode::kMultiply;
        product.from = f.type;
        a.push_back(complex(product, {given[k], given[k + 1]}));
        continue;
      }
      if (!are_integers && !spec::float_format(f.type)) return {};
      a.push_back(are_integers
                      ? integer(static_cast<int64_t>(static_cast<uint64_t>(given[k].integer) *
                                                     static_cast<uint64_t>(given[k + 1].integer)))
                      : product(f.type, given[k], given[k + 1]));
    }
    if (!std::ranges::all_of(a, &PointValue::is_known)) return {};
  }
  if (spec::is_integer(f.type)) {
    if (a.empty()) return integer(0);
    int64_t all = spec::wrapped(f.type, a[0].integer);
    for (size_t k = 1; k < a.size(); ++k) {
      const auto value = spec::evaluated(f.opcode, f.type, f.type, "", {all, a[k].integer});
      if (!value) return {};
      all = *value;
    }
    return integer(all);
  }
  if (is_complex(f.type) && f.opcode == HloOpcode::kAdd) {
    PointValue all = exactly(0);
    all.is_complex = true;
    Symbol two = f;
    two.from = f.type;
    for (const PointValue& one : a) {
      all = complex(two, {all, one});
      if (!all.is_known) return {};
    }
    return all;
  }
  if (!spec::float_format(f.type)) return {};
  if (is_special() && (f.opcode != HloOpcode::kMaximum && f.opcode != HloOpcode::kMinimum))
    return {};
  for (const PointValue& one : a) {
    if (std::isnan(one.low)) return one;
  }
  if (f.opcode == HloOpcode::kAdd) {
    double low = 0, high = 0, size = 0;
    for (const PointValue& one : a) {
      low += one.low;
      high += one.high;
      size += std::max(std::abs(one.low), std::abs(one.high));
    }
    if (low != 0 && adds_exactly(f.type, a)) return exactly(low);
    return interval(f.type, low, high, size, static_cast<double>(a.size()));
  }
  if (a.empty()) return {};
  Symbol two = f;
  two.from = f.type;
  PointValue all = a[0];
  for (size_t k = 1; k < a.size() && all.is_known; ++k) all = binary(two, all, a[k]);
  return all;
}

PointValue Point::compute(TermId id) {
  const Term& term = terms_.at(id);
  const Symbol& f = terms_.symbol_of(id);
  std::vector<PointValue> a;
  for (const TermId operand : terms_.operands(id)) a.push_back(known_.at(operand));
  work_ += 1 + std::ssize(a);
  switch (term.kind) {
    case Term::Kind::kElement:
      return element(id);
    case Term::Kind::kConstant: {
      if (spec::is_integer(f.type)) return integer(term.number);
      const double x = std::bit_cast<double>(term.number);
      if (!std::isfinite(x) || is_special()) return exactly(x);
      // A short number is meant as it is, a long one may be a rounded product.
      return spec::rounded(ElementType::kBF16, x) == x ? exactly(x) : interval(f.type, x, x);
    }
    case Term::Kind::kApply: {
      const auto operands = terms_.operands(id);
      const auto type_of = [&](size_t k) { return terms_.symbol_of(operands[k]).type; };
      if (!has_one_type(f, operands.size(), type_of)) return {};
      const bool is_same = f.opcode == HloOpcode::kCompare && operands[0] == operands[1];
      if (is_same && a[0].is_known && !std::isnan(a[0].low)) {
        return integer(f.direction == "LE" || f.direction == "EQ" ? 1 : 0);
      }
      return applied(f, a);
    }
    case Term::Kind::kBag:
      return bag(f, a);
    case Term::Kind::kRead: {
      if (f.bounds.empty()) return a[0];
      int64_t number = 0;
      for (size_t k = 0; k < f.bounds.size(); ++k) {
        if (!a[k].is_known) return {};
        const ElementType type = terms_.symbol_of(terms_.operands(id)[k]).type;
        const int64_t offset =
            std::clamp(spec::as_offset(type, a[k].integer), f.bounds[k].low, f.bounds[k].high);
        number = number * (f.bounds[k].high - f.bounds[k].low + 1) + offset - f.bounds[k].low;
      }
      return a[f.bounds.size() + number];
    }
    case Term::Kind::kOpaque:
      if (f.opcode == HloOpcode::kBitcastConvert) return parts_of_bits(f, a, term.number);
      if (!f.of_arrays) return {};
      if (f.opcode == HloOpcode::kWhile) return looped(id);
      return f.opcode == HloOpcode::kSort ? sorted(id, a) : PointValue();
  }
  return {};
}

// The elements that lead to the terms and are `of` an operation.
std::set<TermId> Point::elements_of(HloOpcode of, const std::vector<TermId>& terms) const {
  std::set<TermId> seen, found;
  for (const TermId term : terms) {
    operands_first(
        term, [&](TermId at) { return terms_.operands(at); },
        [&](TermId at) { return seen.contains(at); },
        [&](TermId at) {
          seen.insert(at);
          const bool is_element = terms_.at(at).kind == Term::Kind::kElement;
          if (is_element && terms_.symbol_of(at).opcode == of) found.insert(at);
        },
        [] { return true; });
  }
  return found;
}

// What a loop gives (spec/hlo/term_interpreter.h): its condition, then for each leaf that is carried
// what the body makes of it, and what it starts from. Nothing if it takes long.
std::optional<std::vector<PointValue>> Point::run(TermId loop) {
  const Symbol& f = terms_.symbol_of(loop);
  const auto all = terms_.operands(loop);
  std::vector<std::vector<PointValue>> state;
  std::vector<TermId> inside = {all[0]};
  for (int32_t leaf = 0; leaf < f.group; ++leaf) {
    inside.push_back(all[1 + 2 * leaf]);
    state.emplace_back();
    for (const TermId first : terms_.operands(all[2 + 2 * leaf])) {
      state.back().push_back(known_.at(first));
    }
  }
  const std::set<TermId> elements = elements_of(HloOpcode::kWhile, inside);
  constexpr int64_t kMostIterations = 100, kMostWork = 1'000'000;
  const int64_t before = work_;
  for (int64_t k = 0; k < kMostIterations && work_ - before < kMostWork; ++k) {
    Point here(terms_, {seed_, given_, thin_, integers_});
    here.carried_ = carried_;
    for (const TermId one : elements) {
      const Symbol& name = terms_.symbol_of(one);
      const bool is_own = name.leaf == f.leaf && name.operand < f.group;
      const int64_t number = terms_.at(one).number;
      if (is_own && number < std::ssize(state[name.operand])) {
        here.carried_[one] = state[name.operand][number];
      }
    }
    const PointValue goes_on = here.of(all[0]);
    if (!goes_on.is_known) return std::nullopt;
    if (goes_on.integer == 0) return state[0];
    for (int32_t leaf = 0; leaf < f.group; ++leaf) {
      const auto next = terms_.operands(all[1 + 2 * leaf]);
      for (size_t e = 0; e < next.size(); ++e) state[leaf].at(e) = here.of(next[e]);
    }
    work_ += here.work();
  }
  return std::nullopt;
}

PointValue Point::looped(TermId term) {
  const auto operands = terms_.operands(term);
  const std::vector<TermId> key(operands.begin(), operands.end());
  auto known = runs_.find(key);
  if (known == runs_.end()) known = runs_.emplace(key, run(term)).first;
  return known->second ? known->second->at(terms_.at(term).number) : PointValue();
}

PointValue Point::with_overflow(TermId term, PointValue value) const {
  const auto operands = terms_.operands(term);
  const auto is_finite_here = [&](TermId one) { return is_finite(known_.at(one)); };
  value.has_overflow =
      std::ranges::any_of(operands, [&](TermId one) { return known_.at(one).has_overflow; }) ||
      (!operands.empty() && !is_finite(value) && std::ranges::all_of(operands, is_finite_here));
  return value;
}

PointValue Point::of(TermId term) {
  operands_first(
      term, [&](TermId at) { return terms_.operands(at); },
      [&](TermId at) { return known_.contains(at); },
      [&](TermId at) { known_.emplace(at, with_overflow(at, compute(at))); }, [] { return true; });
  return known_.at(term);
}

bool are_apart(const PointValue& a, const PointValue& b) {
  if (!a.is_known || !b.is_known || a.is_integer != b.is_integer) return false;
  if (a.is_integer) return a.integer != b.integer;
  if (a.is_complex && (a.imaginary_high < b.imaginary_low || b.imaginary_high < a.imaginary_low)) {
    return true;
  }
  if (std::isnan(a.low) || std::isnan(b.low)) return std::isnan(a.low) != std::isnan(b.low);
  return a.high < b.low || b.high < a.low;
}

bool is_overflow(const PointValue& a, const PointValue& b) {
  return a.has_overflow || b.has_overflow || !is_finite(a) || !is_finite(b);
}

std::string text_of(const PointValue& value) {
  if (!value.is_known) return "not known";
  if (value.is_integer) return absl::StrCat(value.integer);
  if (value.is_complex) {
    return absl::StrCat("(", (value.low + value.high) / 2, ", ",
                        (value.imaginary_low + value.imaginary_high) / 2, ")");
  }
  return absl::StrCat((value.low + value.high) / 2);
}

}  // namespace tileproof::verify
