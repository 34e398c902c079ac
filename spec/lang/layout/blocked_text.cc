// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/blocked_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {
namespace {

constexpr int64_t kMaxDimensions = 12;  // as in oneDNN

// The logical dimensions of named tensors, in oneDNN's order.
constexpr absl::string_view kNamed[] = {
    "x",     "tn",   "nc",    "ncw",    "nchw", "ncdhw", "oi",    "oiw",  "oihw",
    "oidhw", "goiw", "goihw", "goidhw", "tnc",  "ldnc",  "ldigo", "ldio", "ldgo",
};

std::string sorted(absl::string_view letters) {
  std::string result(letters);
  std::sort(result.begin(), result.end());
  return result;
}

std::string alphabet(int64_t rank) {
  std::string letters;
  for (int64_t d = 0; d < rank; ++d) letters += static_cast<char>('a' + d);
  return letters;
}

// Returns the logical order of these letters, which may come in any order.
std::optional<std::string> logical_order(absl::string_view letters) {
  const std::string set = sorted(letters);
  if (set == alphabet(std::ssize(set))) return set;
  for (absl::string_view named : kNamed) {
    if (sorted(named) == set) return std::string(named);
  }
  return std::nullopt;
}

bool is_blocked(const BlockedFormat& format, int64_t dimension) {
  return std::ranges::count(format.blocks, dimension, &BlockedFormat::Block::dimension) > 0;
}

// Parses the format `name`, which begins at `start` of the text.
class Reader {
 public:
  Reader(const Cursor& cursor, size_t start, absl::string_view name)
      : cursor_(cursor), start_(start), name_(name) {}

  absl::StatusOr<BlockedFormat> read() {
    TRY(read_outer());
    TRY(read_blocks());
    TRY(check_case());
    return std::move(format_);
  }

 private:
  absl::Status error(absl::string_view message) const {
    return cursor_.error_at(start_ + at_, message);
  }

  absl::Status read_outer() {
    while (at_ < name_.size() && absl::ascii_isalpha(name_[at_])) ++at_;
    written_ = name_.substr(0, at_);
    const std::string letters = absl::AsciiStrToLower(written_);
    at_ = 0;
    if (written_.empty()) return error("expected a letter for each dimension, as in nChw16c");
    if (std::ssize(letters) > kMaxDimensions) {
      return error(
          absl::StrCat("expected at most ", kMaxDimensions, " dimensions, found ", letters.size()));
    }
    const std::optional<std::string> order = logical_order(letters);
    if (!order) {
      return error(absl::StrCat("expected each of a, b, .. once, or the letters of one of ",
                                absl::StrJoin(kNamed, ", "), ", found ", letters));
    }
    format_.letters = *order;
    for (char letter : letters) format_.outer.push_back(dimension_of(letter));
    at_ = written_.size();
    return absl::OkStatus();
  }

  absl::Status read_blocks() {
    while (at_ < name_.size()) {
      const size_t digits = std::min(name_.find_first_not_of("0123456789", at_), name_.size());
      Cursor number(name_.substr(at_, digits - at_));
      const absl::StatusOr<int64_t> size = number.take_integer("the size of a block");
      if (!size.ok() || *size < 1)
        return error("expected the size of a block, at least 1, then a letter");
      at_ = digits;
      const int64_t dimension = at_ < name_.size() ? dimension_of(name_[at_]) : -1;
      if (dimension < 0) {
        return error(absl::StrCat("expected the letter of the dimension of a block, one of ",
                                  format_.letters));
      }
      format_.blocks.push_back({dimension, *size});
      ++at_;
    }
    return absl::OkStatus();
  }

  // Checks that exactly the dimensions with blocks are in upper case.
  absl::Status check_case() {
    for (at_ = 0; at_ < written_.size(); ++at_) {
      const bool blocked = is_blocked(format_, format_.outer[at_]);
      if (blocked == absl::ascii_isupper(written_[at_])) continue;
      const char letter = absl::ascii_tolower(written_[at_]);
      return error(absl::StrCat(
          "expected ", std::string(1, letter),
          blocked ? " in upper case, as it has blocks" : " in lower case, as it has no blocks"));
    }
    return absl::OkStatus();
  }

  int64_t dimension_of(char letter) const {
    const size_t found = format_.letters.find(letter);
    return found == std::string::npos ? -1 : static_cast<int64_t>(found);
  }

  const Cursor& cursor_;
  size_t start_;
  absl::string_view name_;
  absl::string_view written_;  // the letters as they were written
  size_t at_ = 0;
  BlockedFormat format_;
};

absl::StatusOr<BlockedFormat> parse_blocked_format(Cursor& cursor) {
  const size_t start = cursor.token_position();
  const absl::string_view name = cursor.take_identifier();
  return Reader(cursor, start, name).read();
}

absl::StatusOr<BlockedShape> parse_blocked_shape(Cursor& cursor) {
  const size_t start = cursor.token_position();
  if (cursor.take_identifier() != "dnnl")
    return cursor.error_at(start, "expected dnnl, as in dnnl:nChw16c:f32[2,32,5,5]");
  TRY(cursor.expect(":", "after dnnl"));
  BlockedFormat format = TRY(parse_blocked_format(cursor));
  TRY(cursor.expect(":", "after the format"));
  const size_t position = cursor.token_position();
  const Shape array = TRY(parse_shape(cursor));
  if (array.kind != Shape::Kind::kArray || array.layout)
    return cursor.error_at(position, "expected an array without a layout of its own");
  BlockedShape shape{std::move(format), array.element_type, {}};
  for (const Dimension& dimension : array.dimensions) {
    if (dimension.kind != Dimension::Kind::kFixed)
      return cursor.error_at(position, "expected dimensions of fixed size");
    shape.dims.push_back(dimension.size);
  }
  const absl::Status valid = validate(shape);
  if (!valid.ok()) return cursor.error_at(position, valid.message());
  return shape;
}

}  // namespace

BlockedFormat plain_format(std::vector<int64_t> outer, std::vector<BlockedFormat::Block> blocks) {
  return {alphabet(std::ssize(outer)), std::move(outer), std::move(blocks)};
}

absl::Status validate(const BlockedFormat& format) {
  const auto outside = [&](int64_t d) { return d < 0 || d >= std::ssize(format.letters); };
  if (std::any_of(format.outer.begin(), format.outer.end(), outside) ||
      std::any_of(format.blocks.begin(), format.blocks.end(),
                  [&](const BlockedFormat::Block& block) { return outside(block.dimension); }))
    return absl::InvalidArgumentError("expected a letter for each dimension of the format");
  const BlockedFormat read = TRY(parse_blocked_format(to_text(format)));
  if (read == format) return absl::OkStatus();
  return absl::InvalidArgumentError("expected a format whose text parses as the same format");
}

absl::Status validate(const BlockedShape& shape) {
  TRY(validate(shape.format));
  if (!has_elements(shape.element_type))
    return absl::InvalidArgumentError("expected an element type with elements");
  if (std::ssize(shape.dims) != shape.format.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", shape.format.rank(),
                                                   " dimensions for ", to_text(shape.format),
                                                   ", found ", shape.dims.size()));
  }
  return absl::OkStatus();
}

absl::StatusOr<BlockedFormat> parse_blocked_format(absl::string_view text) {
  return read_all<BlockedFormat>(text, [](Cursor& cursor) { return parse_blocked_format(cursor); });
}

absl::StatusOr<BlockedShape> parse_blocked_shape(absl::string_view text) {
  return read_all<BlockedShape>(text, [](Cursor& cursor) { return parse_blocked_shape(cursor); });
}

std::string to_text(const BlockedFormat& format) {
  std::string text;
  for (int64_t d : format.outer) {
    const char letter = format.letters[d];
    text += is_blocked(format, d) ? absl::ascii_toupper(letter) : letter;
  }
  for (const BlockedFormat::Block& block : format.blocks) {
    absl::StrAppend(&text, block.size);
    text += format.letters[block.dimension];
  }
  return text;
}

std::string to_text(const BlockedShape& shape) {
  return absl::StrCat("dnnl:", to_text(shape.format), ":",
                      std::string(info(shape.element_type).name), "[",
                      absl::StrJoin(shape.dims, ","), "]");
}

}  // namespace tileproof
