// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/nested_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {
namespace {

// The conditions on a tuple beyond its grammar.
struct Want {
  absl::string_view name;          // of one integer: "an extent"
  bool not_negative = false;       // extents
  const IntTuple* like = nullptr;  // the shape whose nesting a stride must have
};

constexpr Want kExtents = {.name = "an extent", .not_negative = true};

constexpr absl::string_view kTupleTypes[] = {"Shape", "Stride", "Step", "Coord", "Tile", "tuple"};
constexpr absl::string_view kTupleMakers[] = {"make_shape", "make_stride", "make_step",
                                              "make_coord", "make_tile",   "make_tuple"};
constexpr absl::string_view kLayoutMakers[] = {"Layout", "make_layout", "make_ordered_layout"};
constexpr absl::string_view kMajors[] = {"LayoutLeft", "LayoutRight", "GenColMajor", "GenRowMajor"};
constexpr absl::string_view kIntegerTypes[] = {"Int", "C", "constant", "integral_constant"};

template <size_t n>
bool is_one_of(absl::string_view word, const absl::string_view (&words)[n]) {
  return std::ranges::find(words, word) != std::end(words);
}

// Returns whether '_' or "Int<" is next: a static integer, or an error.
bool at_static(Cursor& cursor) {
  return cursor.peek() == '_' || absl::StartsWith(cursor.rest(), "cute::_") ||
         is_one_of(peek_template(cursor), kIntegerTypes);
}

bool at_number(Cursor& cursor) { return at_static(cursor) || cursor.at_integer(); }

// `{}`, which makes a value of a type of C++.
absl::Status skip_braces(Cursor& cursor) {
  return cursor.take("{") ? cursor.expect("}", "after '{'") : absl::OkStatus();
}

absl::StatusOr<IntTuple> parse_integer(Cursor& cursor, absl::string_view what) {
  IntTuple result;
  result.is_static = at_static(cursor);
  absl::string_view type = peek_template(cursor);
  if (!is_one_of(type, kIntegerTypes)) type = "";
  if (!type.empty()) take_template(cursor);
  if (absl::EndsWith(type, "constant")) {  // <int, 4>
    cursor.take_identifier();
    TRY(cursor.expect(",", "after the type of an integer"));
  }
  if (result.is_static && type.empty()) {
    cursor.take("cute::");
    const size_t underscore = cursor.position();
    cursor.take("_");
    if (!cursor.at_integer() || cursor.position() != underscore + 1) {
      cursor.set_position(underscore);
      return cursor.expected(what);
    }
  }
  result.value = TRY(cursor.take_integer(what));
  if (!type.empty()) TRY(cursor.expect(">", absl::StrCat("to close ", type, "<")));
  if (result.is_static) TRY(skip_braces(cursor));
  return result;
}

absl::StatusOr<IntTuple> parse_tuple(Cursor& cursor, const Want& want, int level);

// Parses the elements of a tuple and its closing bracket. The opening one, "(" or "<", is taken.
absl::StatusOr<IntTuple> parse_elements(Cursor& cursor, const Want& want, int level, char close) {
  const int64_t most = want.like == nullptr ? kMaxRank : rank(*want.like);
  IntTuple result = make_tuple({});
  if (cursor.peek() != close) {
    do {
      if (std::ssize(result.elements) == most) {
        return cursor.error_at(
            cursor.token_position(),
            want.like == nullptr
                ? absl::StrCat("expected at most ", kMaxRank, " elements in a tuple")
                : absl::StrCat("expected ", most, " strides, as the shape has, found more"));
      }
      Want part = want;
      if (want.like != nullptr) part.like = &want.like->elements[result.elements.size()];
      result.elements.push_back(TRY(parse_tuple(cursor, part, level + 1)));
    } while (cursor.take(",") && (result.elements.size() > 1 || cursor.peek() != close));
  }
  if (want.like != nullptr && std::ssize(result.elements) < most && cursor.peek() == close) {
    return cursor.expected(absl::StrCat("',' and ", most, " strides, as the shape has"));
  }
  TRY(cursor.expect(absl::string_view(&close, 1), "to close the tuple"));
  return result;
}

absl::StatusOr<IntTuple> parse_tuple(Cursor& cursor, const Want& want, int level) {
  const size_t start = cursor.token_position();
  const bool only_integer = want.like != nullptr && !want.like->is_tuple;
  const bool only_tuple = want.like != nullptr && want.like->is_tuple;
  const bool is_type = is_one_of(peek_template(cursor), kTupleTypes);
  const bool is_made = is_one_of(peek_word(cursor, '('), kTupleMakers);
  if ((cursor.peek() == '(' || is_type || is_made) && !only_integer) {
    if (level == kMaxNesting) {
      return cursor.error_at(start, absl::StrCat("expected nesting of at most ", kMaxNesting));
    }
    take_word(cursor, is_type ? '<' : '(');
    IntTuple tuple = TRY(parse_elements(cursor, want, level, is_type ? '>' : ')'));
    if (is_type) TRY(skip_braces(cursor));
    return tuple;
  }
  if (only_tuple) {
    return cursor.expected(
        absl::StrCat("a tuple of ", rank(*want.like), " strides, as the shape has"));
  }
  if (cursor.peek() == '?') {
    return cursor.expected(absl::StrCat(want.name, " that is known when the program is compiled"));
  }
  const std::string what =
      absl::StrCat(want.name, only_integer ? ", one integer as in the shape" : " or '('");
  absl::StatusOr<IntTuple> integer = parse_integer(cursor, what);
  if (integer.ok() && want.not_negative && integer->value < 0) {
    return cursor.error_at(
        start, absl::StrCat("expected ", want.name, " of at least 0, found ", integer->value));
  }
  if (integer.ok() && cursor.peek() == '@') {
    return cursor.error_at(
        start,
        "expected a stride in elements: one with '@' gives coordinates, not an offset; a map can "
        "say the same, (4,8):(1@0,1@1) is (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, "
        "7]");
  }
  return integer;
}

// ---- Layouts that functions make ----

// Appends the order of each leaf of the shape. False if the orders are not of its nesting.
bool append_orders(const IntTuple& shape, const IntTuple& order, std::vector<int64_t>& orders) {
  if (!order.is_tuple) {
    orders.insert(orders.end(), leaves(shape).size(), order.value);
    return true;
  }
  return shape.is_tuple && rank(shape) == rank(order) &&
         std::ranges::equal(
             shape.elements, order.elements,
             [&](const IntTuple& a, const IntTuple& b) { return append_orders(a, b, orders); });
}

// The strides of a layout without holes. The leaf of the least order is the fastest.
absl::StatusOr<IntTuple> compact_strides(const Cursor& cursor, size_t place, const IntTuple& shape,
                                         const std::vector<int64_t>& orders) {
  const std::vector<int64_t> extents = leaves(shape);
  std::vector<size_t> by_order(extents.size());
  std::iota(by_order.begin(), by_order.end(), size_t{0});
  std::ranges::stable_sort(by_order, {}, [&](size_t leaf) { return orders[leaf]; });
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (const size_t leaf : by_order) {
    strides[leaf] = stride;
    if (__builtin_mul_overflow(stride, extents[leaf], &stride))
      return cursor.error_at(place, "expected a layout whose size fits 64 bits");
  }
  return with_leaves(shape, strides);
}

// What stands for strides: nothing, `LayoutRight{}`, or `(1,0)` of make_ordered_layout.
absl::StatusOr<std::vector<int64_t>> take_orders(Cursor& cursor, const IntTuple& shape,
                                                 bool is_ordered) {
  const size_t place = cursor.token_position();
  std::vector<int64_t> orders(leaves(shape).size());
  std::iota(orders.begin(), orders.end(), int64_t{0});
  if (!is_ordered) {
    const absl::string_view name = cursor.take_identifier();
    if (name == "LayoutRight" || name == "GenRowMajor") std::ranges::reverse(orders);
    TRY(skip_braces(cursor));
    return orders;
  }
  if (cursor.peek_identifier() == "order") {
    cursor.take_identifier();
    TRY(cursor.expect("=", "after 'order'"));
  }
  const IntTuple order = TRY(parse_tuple(cursor, {.name = "an order"}, 0));
  orders.clear();
  if (append_orders(shape, order, orders)) return orders;
  return cursor.error_at(place, "expected an order of the nesting of the shape");
}

bool begins_layout(Cursor& cursor) {
  return peek_template(cursor) == "Layout" || is_one_of(peek_word(cursor, '('), kLayoutMakers);
}

// `make_layout(make_shape(4, 8), LayoutRight{})`, `Layout<_4,_1>`, `make_layout(a, b)` of layouts.
absl::StatusOr<NestedLayout> made_layout(Cursor& cursor, absl::string_view name, bool is_type) {
  const size_t place = cursor.token_position();
  take_word(cursor, is_type ? '<' : '(');
  NestedLayout layout;
  if (name == "make_layout" && begins_layout(cursor)) {
    layout = {make_tuple({}), make_tuple({})};
    do {
      NestedLayout mode = TRY(parse_nested_layout(cursor));
      layout.shape.elements.push_back(std::move(mode.shape));
      layout.stride.elements.push_back(std::move(mode.stride));
    } while (cursor.take(","));
    if (const absl::Status valid = validate(layout); !valid.ok())
      return cursor.error_at(place, valid.message());
  } else {
    layout.shape = TRY(parse_tuple(cursor, kExtents, 0));
    const bool is_ordered = name == "make_ordered_layout";
    if (is_ordered) TRY(cursor.expect(",", "between shape and order"));
    const bool has_more = !is_ordered && cursor.take(",");
    if (has_more) cursor.take("cute::");
    const absl::string_view word = cursor.peek_identifier();
    if (has_more && word == "stride") {
      cursor.take_identifier();
      TRY(cursor.expect("=", "after 'stride'"));
    }
    if (has_more && !is_one_of(word, kMajors)) {
      layout.stride = TRY(parse_tuple(cursor, {.name = "a stride", .like = &layout.shape}, 0));
    } else {
      const std::vector<int64_t> orders = TRY(take_orders(cursor, layout.shape, is_ordered));
      layout.stride = TRY(compact_strides(cursor, place, layout.shape, orders));
    }
  }
  TRY(cursor.expect(is_type ? ">" : ")", "to close the layout"));
  TRY(skip_braces(cursor));
  return layout;
}

absl::StatusOr<std::vector<int64_t>> parse_dims(Cursor& cursor) {
  TRY(cursor.expect("[", "before the dimensions"));
  std::vector<int64_t> dims =
      TRY(take_items<int64_t>(cursor, [](Cursor& c) { return take_size(c, 0, "a dimension"); }));
  TRY(cursor.expect("]", "to close the dimensions"));
  return dims;
}

void append_text(const IntTuple& tuple, std::string& text) {
  if (!tuple.is_tuple) {
    absl::StrAppend(&text, tuple.is_static ? "_" : "", tuple.value);
    return;
  }
  text += '(';
  for (size_t i = 0; i < tuple.elements.size(); ++i) {
    if (i > 0) text += ',';
    append_text(tuple.elements[i], text);
  }
  text += ')';
}

}  // namespace

absl::string_view peek_word(Cursor& cursor, char bracket) {
  const size_t start = cursor.token_position();
  cursor.take("cute::");
  absl::string_view word = cursor.take_identifier();
  absl::ConsumePrefix(&word, "cute.");
  const bool opens = cursor.peek() == bracket;
  cursor.set_position(start);
  return opens ? word : word.substr(0, 0);
}

absl::string_view peek_template(Cursor& cursor) { return peek_word(cursor, '<'); }

void take_word(Cursor& cursor, char bracket) {
  if (!peek_word(cursor, bracket).empty()) {
    cursor.take("cute::");
    cursor.take_identifier();
  }
  cursor.take(absl::string_view(&bracket, 1));
}

void take_template(Cursor& cursor) {
  if (!peek_template(cursor).empty()) take_word(cursor, '<');
}

absl::StatusOr<IntTuple> parse_int_tuple(Cursor& cursor) {
  return parse_tuple(cursor, {.name = "an integer"}, 0);
}

absl::StatusOr<NestedLayout> parse_nested_layout(Cursor& cursor) {
  const bool is_type = peek_template(cursor) == "Layout";
  const absl::string_view name = is_type ? "Layout" : peek_word(cursor, '(');
  if (is_one_of(name, kLayoutMakers)) return made_layout(cursor, name, is_type);
  IntTuple shape = TRY(parse_tuple(cursor, kExtents, 0));
  TRY(cursor.expect(":", "between shape and stride"));
  IntTuple stride = TRY(parse_tuple(cursor, {.name = "a stride", .like = &shape}, 0));
  return NestedLayout{std::move(shape), std::move(stride)};
}

absl::StatusOr<TaggedShape> parse_tagged_shape(Cursor& cursor) {
  const size_t start = cursor.token_position();
  const absl::string_view written = cursor.take_identifier();
  const std::optional<Tag> tag = tag_named(written);
  if (!tag) {
    cursor.set_position(start);
    std::vector<absl::string_view> names;
    for (const TagInfo& known : tags()) names.push_back(known.name);
    const auto name = [](std::string* out, const TagInfo& known) {
      absl::StrAppend(out, std::string(known.name));
    };
    const absl::Status expected =
        cursor.expected(absl::StrCat("a tag: ", absl::StrJoin(tags(), ", ", name)));
    std::string meant = did_you_mean(written, names);
    if (parse_blocked_format(written).ok()) {
      meant = absl::StrCat("; did you mean 'dnnl:", written, ":..'?");
    }
    return with_hint(expected, meant);
  }
  TRY(cursor.expect(":", "after the tag"));
  const size_t place = cursor.token_position();
  const ElementType type = TRY(take_element_type(cursor));
  std::vector<int64_t> dims = TRY(parse_dims(cursor));
  TaggedShape result{*tag, type, std::move(dims)};
  const absl::Status valid = validate(result);
  if (!valid.ok()) return cursor.error_at(place, std::string(valid.message()));
  return result;
}

absl::StatusOr<IntTuple> parse_int_tuple(absl::string_view text) {
  return read_all<IntTuple>(text, [](Cursor& cursor) { return parse_int_tuple(cursor); });
}

absl::StatusOr<NestedLayout> parse_nested_layout(absl::string_view text) {
  return read_all<NestedLayout>(text, [](Cursor& cursor) { return parse_nested_layout(cursor); });
}

absl::StatusOr<TaggedShape> parse_tagged_shape(absl::string_view text) {
  return read_all<TaggedShape>(text, [](Cursor& cursor) { return parse_tagged_shape(cursor); });
}

absl::StatusOr<Coordinate> parse_coordinate(absl::string_view text) {
  Cursor cursor(text);
  Coordinate result = make_tuple({});
  if (!cursor.skip_space()) return result;
  const bool brackets = cursor.take("[");
  if (brackets && cursor.take("]")) {
    TRY(cursor.expect_end());
    return result;
  }
  do {
    result.elements.push_back(TRY(parse_int_tuple(cursor)));
  } while (cursor.take(","));
  if (brackets) TRY(cursor.expect("]", "or ',' after a number"));
  TRY(cursor.expect_end());
  if (result.elements.size() > 1) return result;
  Coordinate only = std::move(result.elements.front());
  return only;
}

std::string to_text(const IntTuple& tuple) {
  std::string text;
  append_text(tuple, text);
  return text;
}

std::string to_text(const NestedLayout& layout) {
  std::string text = to_text(layout.shape);
  text += ':';
  append_text(layout.stride, text);
  return text;
}

std::string to_text(const TaggedShape& tagged) {
  return absl::StrCat(std::string(info(tagged.tag).name), ":",
                      std::string(info(tagged.element_type).name), "[",
                      absl::StrJoin(tagged.dims, ","), "]");
}

LayoutForm layout_form(absl::string_view text) {
  Cursor cursor(text);
  if (begins_layout(cursor) || is_one_of(peek_template(cursor), kTupleTypes))
    return LayoutForm::kNested;
  if (!at_static(cursor) && !cursor.take_identifier().empty()) {
    return cursor.peek() == ':' ? LayoutForm::kTagged : LayoutForm::kShape;
  }
  // Tuples may be empty: ((),1):((),1).
  while (cursor.take("(") || cursor.take(")") || cursor.take(",")) {
  }
  if (at_number(cursor) || cursor.peek() == '?') return LayoutForm::kNested;
  return cursor.peek() == ':' ? LayoutForm::kNested : LayoutForm::kShape;
}

}  // namespace tileproof
