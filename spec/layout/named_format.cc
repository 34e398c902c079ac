// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/named_format.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec {
namespace {

// A TPU register has elements of 32 bits.
constexpr int64_t kRegisterBits = 32;

bool is_matrix(const FormatCase& c) { return c.rank >= 2; }
bool is_small(const FormatCase& c) { return 1 <= c.second_minor && c.second_minor <= 4; }
bool fills_register(int64_t bits) { return bits == 1 || bits == 2 || bits == 4; }
bool is_one_bit_boolean(const FormatCase& c) { return c.type == ElementType::kPred && c.bits == 1; }
void nothing(FormatCase&) {}

constexpr FormatRule kTpuFormat[] = {
    {"given-order", 0, "which dimensions are minor", "an array without an order is row-major",
     [](const FormatCase& c) { return is_matrix(c) && !c.ordered; }, nothing},
    {"8x128", 2,
     "The most common format on TPU is tiling by 8x128, the size of a vector register of "
     "8x128 elements of 32 bits.",
     "", [](const FormatCase& c) { return c.second_minor > 4; }, [](FormatCase& c) { c.rows = 8; }},
    {"2x128", 3, "If the second most minor dimension is 1 or 2, tiles are 2x128, to save memory.",
     "", [](const FormatCase& c) { return is_small(c) && c.second_minor <= 2; },
     [](FormatCase& c) { c.rows = 2; }},
    {"4x128", 3, "If the second most minor dimension is 3 or 4, tiles are 4x128.", "",
     [](const FormatCase& c) { return is_small(c) && c.second_minor >= 3; },
     [](FormatCase& c) { c.rows = 4; }},
    {"no-elements", 0, "arrays whose second most minor dimension is 0", "8x128",
     [](const FormatCase& c) { return is_matrix(c) && c.second_minor == 0; },
     [](FormatCase& c) { c.rows = 8; }},
    {"few-dimensions", 0, "arrays of fewer than two dimensions",
     "tiles of 128, doubled until one holds the array, at most 1024; at least 32 bits for each of "
     "the 128 columns",
     [](const FormatCase& c) { return !is_matrix(c); }, nothing},
    {"16-bit", 4,
     "BF16 usually has (8,128)(2,1): the second tile packs an element of an even row and the one "
     "below it in the odd row into 32 bits.",
     "", [](const FormatCase& c) { return c.type == ElementType::kBF16 && c.bits == 16; },
     [](FormatCase& c) { c.packing = 2; }},
    {"16-bit-types", 0, "types of 16 bits other than BF16", "they have the tiles of BF16",
     [](const FormatCase& c) { return c.type != ElementType::kBF16 && c.bits == 16; },
     [](FormatCase& c) { c.packing = 2; }},
    {"pred-byte", 6, "A boolean currently takes one byte: the element type PRED has size 1.", "",
     [](const FormatCase& c) { return c.type == ElementType::kPred && c.bits == 8; }, nothing},
    {"8-bit", 5,
     "Elements of 8 bits are packed by four instead of two, so the tiling is (8,128)(4,1).", "",
     [](const FormatCase& c) { return c.bits == 8; }, [](FormatCase& c) { c.packing = 4; }},
    {"1-bit", 6,
     "Tiling by (32,128)(32,1), with one bit for each element, would waste less for booleans.", "",
     [](const FormatCase& c) { return c.type == ElementType::kPred && c.bits == 1; },
     [](FormatCase& c) {
       c.packing = 32;
       c.rows = 32;
     }},
    {"sub-byte", 0, "elements of 1, 2 and 4 bits, except booleans of 1 bit",
     "they take that many bits, and are packed into 32 bits as in the other formats",
     [](const FormatCase& c) { return fills_register(c.bits) && !is_one_bit_boolean(c); },
     [](FormatCase& c) {
       c.packing = kRegisterBits / c.bits;
       c.element_bits = true;
     }},
    {"other-widths", 0, "elements of other widths than 1, 8, 16 and 32 bits",
     "tiles count elements, without packing",
     [](const FormatCase& c) {
       return !fills_register(c.bits) && c.bits != 8 && c.bits != 16 && c.bits != 32;
     },
     nothing},
    {"packed-small", 0, "how small tiles combine with packing",
     "both apply; a tile has at least as many rows as are packed",
     [](const FormatCase& c) { return is_small(c) && c.packing > 1; }, nothing},
    {"packed-rows", 0, "tiles of fewer rows than are packed",
     "the tile has as many rows as are packed",
     [](const FormatCase& c) { return is_matrix(c) && c.rows < c.packing; },
     [](FormatCase& c) { c.rows = c.packing; }},
};

constexpr FormatRule kUntiledFormat[] = {
    {"untiled", 1, "Most arrays that are not on a TPU have an untiled linear format, as in C++.",
     "", [](const FormatCase&) { return true; }, nothing},
};

constexpr absl::string_view kFormats[] = {"tpu", "untiled"};

// Returns the tile size for an array of fewer than two dimensions.
int64_t length_of_tile(const FormatCase& c) {
  int64_t length = c.columns * c.packing;
  while (length < 1024 && length < c.elements) length *= 2;
  return length;
}

std::vector<Tile> tiles_of(const FormatCase& c) {
  const std::vector<int64_t> packed = {c.packing, 1};
  if (is_matrix(c)) {
    if (c.packing == 1) return {{{c.rows, c.columns}}};
    return {{{c.rows, c.columns}}, {packed}};
  }
  const int64_t length = length_of_tile(c);
  if (c.packing == 1) return {{{length}}};
  return {{{length}}, {{c.columns}}, {packed}};
}

FormatCase case_of(const Shape& array, const Dims& dims) {
  const Layout layout = layout_of(array);
  FormatCase c{.type = array.element_type};
  c.ordered = array.layout.has_value();
  c.rank = std::ssize(dims);
  if (c.rank >= 2) c.second_minor = dims[layout.minor_to_major[1]];
  if (c.rank == 1) c.elements = dims[0];
  c.bits = layout.element_size_in_bits;
  if (c.bits == 0) c.bits = c.type == ElementType::kPred ? 8 : info(c.type).bits;
  return c;
}

absl::StatusOr<absl::Span<const FormatRule>> rules_of(absl::string_view format) {
  if (format == "tpu") return absl::MakeConstSpan(kTpuFormat);
  if (format == "untiled") return absl::MakeConstSpan(kUntiledFormat);
  return absl::InvalidArgumentError(
      absl::StrCat("expected a format, one of ", absl::StrJoin(kFormats, ", "), ", found ", format,
                   did_you_mean(format, {std::begin(kFormats), std::end(kFormats)})));
}

}  // namespace

absl::Span<const FormatRule> tpu_format() { return kTpuFormat; }
absl::Span<const FormatRule> untiled_format() { return kUntiledFormat; }

absl::StatusOr<ChosenLayout> chosen_layout(absl::string_view format, const Shape& array) {
  const absl::Span<const FormatRule> rules = TRY(rules_of(format));
  const TiledLayout before = TRY(tiled_layout(array));
  FormatCase c = case_of(array, before.logical());
  ChosenLayout chosen{array, {}};
  for (const FormatRule& rule : rules) {
    if (!rule.applies(c)) continue;
    rule.decide(c);
    chosen.rules.push_back(&rule);
  }
  Layout layout = layout_of(array);
  layout.tiles = format == "untiled" ? std::vector<Tile>() : tiles_of(c);
  layout.tail_padding_alignment = 1;
  if (c.element_bits) layout.element_size_in_bits = c.bits;
  chosen.shape.layout = layout;
  if (layout == Layout()) chosen.shape.layout.reset();  // print no `{}` for a scalar
  TRY(tiled_layout(chosen.shape));                      // fails if the size does not fit int64
  return chosen;
}

}  // namespace tileproof::spec
