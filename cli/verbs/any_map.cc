// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/any_map.h"

#include <cstdint>
#include <iostream>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/verbs/layout_index.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/layout/ttg_text.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/memref_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "verify/prove/layout/layout_equal.h"

namespace tileproof::cli {
namespace {

absl::StatusOr<AnyMap> parse_side(const char* name, const std::string& argument) {
  const absl::StatusOr<std::string> text = read_argument(argument);
  absl::StatusOr<AnyMap> map = text.ok() ? parse_any_divided_map(*text) : text.status();
  if (!map.ok() && text.ok() && looks_like_module(*text)) {
    map =
        invalid("expected a map or a layout, found a module; to compare modules: tileproof equiv");
  }
  if (text.ok() && absl::StripAsciiWhitespace(*text).empty()) {
    map = invalid("expected a map or a layout, found an empty text");
  }
  return prefixed(name, std::move(map));
}

// "domain: x in [0, 3]", or nothing.
absl::string_view domain_in(absl::string_view text) {
  const size_t at = text.find("domain:");
  return at == absl::string_view::npos ? absl::string_view() : text.substr(at);
}

// Appends to a map that says no domain the one of the other side, and says so.
void share_bounds(std::string (&texts)[2]) {
  for (const int bare : {0, 1}) {
    if (!looks_like_map(texts[bare]) || !domain_in(texts[bare]).empty()) continue;
    const absl::StatusOr<AnyMap> other = parse_any_divided_map(texts[1 - bare]);
    if (!other.ok() || (!other->layout && domain_in(texts[1 - bare]).empty())) continue;
    std::string whole = with_domain_of(texts[bare], other->map);
    if (whole == texts[bare]) continue;
    texts[bare] = std::move(whole);
    std::cerr << "tileproof: note: " << (bare == 0 ? "LEFT" : "RIGHT")
              << " has no domain; it is compared on that of the other one\n";
  }
}

// What is not known of it is a symbol, so it is no layout.
bool is_memref_with_symbols(absl::string_view text) {
  return looks_like_memref(text) && absl::StrContains(text, "?");
}

}  // namespace

bool looks_like_map(absl::string_view text) {
  if (is_memref_with_symbols(text) || has_thread_layout(text) || looks_like_tilelang(text))
    return true;
  if (has_shared_layout(text)) return false;
  if (looks_like_python(text) || (Cursor(text).peek() == '(' && absl::StrContains(text, "->")))
    return true;
  if (layout_form(text) == LayoutForm::kNested) return false;
  Cursor cursor(text);
  const char first = cursor.peek();
  if (first == '(' || first == '#') return true;
  const absl::string_view word = cursor.peek_identifier();
  return word == "affine_map" || word == "lambda" || word == "KNOWN" || word == "UNDEFINED";
}

absl::StatusOr<AnyMap> parse_any_map(absl::string_view text) {
  if (looks_like_tilelang(text)) return AnyMap{TRY(parse_map(text)), std::nullopt};
  if (has_thread_layout(text)) return AnyMap{TRY(parse_threads(text)).map, std::nullopt};
  if (is_memref_with_symbols(text)) {
    return AnyMap{TRY(parse_memref_with_symbols(text)), std::nullopt, true};
  }
  if (looks_like_map(text)) return AnyMap{TRY(parse_map(text)), std::nullopt};
  spec::LayoutFunction function = TRY(layout_function_of(text));
  IndexingMap map = verify::offset_map(function);
  return AnyMap{std::move(map), std::move(function)};
}

absl::StatusOr<AnyMap> parse_any_divided_map(absl::string_view text) {
  if (!looks_like_map(text) || is_memref_with_symbols(text) || has_thread_layout(text)) {
    return parse_any_map(text);
  }
  return AnyMap{TRY(parse_map_with_variable_divisors(text)), std::nullopt};
}

void share_symbols(AnyMap& left, AnyMap& right) {
  if (left.has_symbols && right.map.ranges.empty()) right.map.ranges = left.map.ranges;
  if (right.has_symbols && left.map.ranges.empty()) left.map.ranges = right.map.ranges;
}

void share_domain(std::string (&texts)[2]) {
  const auto is_name = [](const std::string& text) {
    Cursor cursor(text);
    return !peek_name(cursor).empty() && peek_name(cursor) == absl::StripAsciiWhitespace(text);
  };
  const auto is_expression = [&](const std::string& text) {
    return looks_like_python(text) || is_name(text);
  };
  if (!is_expression(texts[0]) || !is_expression(texts[1])) return share_bounds(texts);
  if (is_name(texts[0]) && is_name(texts[1])) return;
  const absl::string_view domains[] = {domain_in(texts[0]), domain_in(texts[1])};
  if (!domains[0].empty() && !domains[1].empty()) return;
  for (const int side : {0, 1}) {
    if (domains[side].empty()) continue;
    absl::StrAppend(&texts[1 - side], ", ", domains[side]);
    return;
  }
  std::set<std::string> names;
  for (const std::string& text : texts) {
    const auto map =
        parse_map_with_variable_divisors(absl::StrCat(text, is_name(text) ? " + 0" : ""));
    if (!map.ok()) return;
    for (int64_t d = 0; d < std::ssize(map->dimensions); ++d)
      names.insert(name_of(*map, Op::kDimension, d));
  }
  const auto bounds = [](std::string* out, const std::string& name) {
    absl::StrAppend(out, name, " in [", INT64_MIN, ", ", INT64_MAX, "]");
  };
  for (std::string& text : texts)
    absl::StrAppend(&text, ", domain: ", absl::StrJoin(names, ", ", bounds));
}

absl::StatusOr<spec::LayoutFunction> layout_function_of(absl::string_view text) {
  return spec::layout_function(TRY(parse_any_layout(text)));
}

absl::StatusOr<TwoMaps> parse_two_maps(const std::string& left, const std::string& right) {
  TwoMaps both;
  std::string texts[2] = {left, right};
  share_domain(texts);
  both.left = TRY(parse_side("LEFT", texts[0]));
  both.right = TRY(parse_side("RIGHT", texts[1]));
  share_symbols(both.left, both.right);
  if (both.left.layout && both.right.layout) {
    TRY(spec::share_shape(*both.left.layout, *both.right.layout));
    both.left.map = verify::offset_map(*both.left.layout);
    both.right.map = verify::offset_map(*both.right.layout);
  }
  return both;
}

absl::StatusOr<std::vector<int64_t>> parse_integers(absl::string_view text) {
  Cursor cursor(text);
  std::vector<int64_t> integers;
  if (!cursor.skip_space()) return integers;
  do {
    integers.push_back(TRY(cursor.take_integer("an integer")));
  } while (cursor.take(","));
  TRY(cursor.expect_end());
  return integers;
}

std::string results_text(const Results& results) {
  if (!results.ok()) return std::string(results.status().message());
  if (!*results) return "outside";
  return absl::StrCat("(", absl::StrJoin(**results, ", "), ")");
}

}  // namespace tileproof::cli
