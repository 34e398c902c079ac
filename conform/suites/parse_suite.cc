// SPDX-License-Identifier: Apache-2.0
// The suite `parse`: spellings that HLO text allows, and texts that it does not allow.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/suites/layout_suites.h"
#include "conform/suites/map_suites.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/xla_differences.h"

namespace tileproof::conform {
namespace {

Json physical(absl::string_view shape) {
  return json_object({{"op", "layout.physical"}, {"shape", shape}});
}

// Valid: white space, comments, properties with default values, and properties that XLA drops.
constexpr absl::string_view kSpellings[] = {
    " f32[3,5]{1,0:T(2,2)} ",
    "f32 [ 3 , 5 ] { 1 , 0 : T ( 2 , 2 ) }",
    "f32[3,5]\t{1,0:T(2,2)}\r\n",
    "f32[3,/* five */5]{1,0:T(2,2)}",
    "f32[3,5]{1,0:T(2,2)} // a comment to the end",
    "f32[3, // three\n5]{1,0}",
    "f32[3,5]",
    "f32[]",
    "f32[]{:}",
    "f32[]{:T(128)}",
    "f32[3,5]{1,0:}",
    "f32[3,5]{1,0:T(2,2)L(1)E(0)S(0)M(0)}",
    "f32[3,5]{1,0:D(D,D)T(2,2)}",
    "f32[3,5]{1,0:D(D,C+~)}",
    "f32[3,5]{1,0:D()}",
    "f32[3,5]{1,0:T(02,2)}",
    "f32[003,5]",
    "f32[012,5]{1,0:T(08,012)}",
    // Decimal as in XLA: not octal, in which 010 is 8 and 08 is no number.
    "f32[010,08]",
    "f32[3,5]{01,00:T(010,09)}",
    "f32[<= 3,5]",
    "f32[3,5]{1,0:T(2,2)L(5)E(4)S(3)SC(1:2)(0:)M(7)}",
    "pred[7]{0:S(127)}",
};

// Invalid.
constexpr absl::string_view kBroken[] = {
    "",
    " ",
    "f32",
    "f32[",
    "f32[3",
    "f32[3,",
    "f32[3,]",
    "f32[,3]",
    "f32[3 5]",
    "f32[2x3]",
    "f32[1_2]",
    "f32[1.0]",
    "f32[-1]",
    "f32[+3]",
    "f32[0x3]",
    "f32[9223372036854775808]",
    "f31[3]",
    "F32[3]",
    "float[3]",
    "tuple[3]",
    "f32(3)",
    "f32[]{}",
    "f32[3]{}",
    "f32[3]{0",
    "f32[3]{0,}",
    "f32[3]{0}}",
    "f32[3]{0} x",
    "f32[3]{0}, f32[3]",
    "f32[3,5]{0}",
    "f32[3,5]{1,0,2}",
    "f32[3,5]{1,2}",
    "f32[3,5]{1,-1}",
    "f32[3,5]{1,0:Q(1)}",
    "f32[3,5]{1,0:T(2,2}",
    "f32[3,5]{1,0:T(2,2,)}",
    "f32[3,5]{1,0:T2,2}",
    "f32[3,5]{1,0:T()}",
    "f32[3,5]{1,0:T(0)}",
    "f32[3,5]{1,0:T(*)}",
    "f32[3,5]{1,0:t(2)}",
    "f32[3,5]{1,0:L(2)T(2)}",
    "f32[3,5]{1,0:T(2)T(2)}",
    "f32[3,5]{1,0:S(1)E(4)}",
    "f32[3,5]{1,0:L(-1)}",
    "f32[3,5]{1,0:E(-4)}",
    "f32[3,5]{1,0:D(X)}",
    "f32[3,5]{1,0:P(f32[3])}",
    "f32[3,5]{1,0 /* open",
    "(f32[3]",
    "b(b(f32[3]))",
};

// Spellings of `((4,2),3):((1,4),8)` and of one with larger numbers, and texts that are not nested
// layouts.
constexpr absl::string_view kNestedSpellings[] = {
    "((4,2),3):((1,4),8)",
    "((_4,_2),_3):((_1,_4),_8)",
    "((Int<4>,2),Int<3>):((_1,4),8)",
    " ( (4, 2), 3 ) : ( (1, 4), 8 ) ",
    "((4,2),3)\t:\n((1,4),8)",
    "((04,2),3):((1,4),8)",
    "((010,2),3):((1,010),016)",
    "((4,2),03):((01,4),08)",
    "((4,2),010):((1,4),8)",
};
constexpr absl::string_view kNestedBroken[] = {
    "",        "((4,2),3)",          "((4,2),3):",          "((4,2),3):((1,4),8",
    ":(1)",    "((4,2),3):(1,4,8)",  "((4,2),3):((1,4))",   "((4,2),3):((1,4),8))",
    "4:1:1",   "((4,2),3):((1,4),)", "((4,2),x):((1,4),8)", "((4,2),-3):((1,4),8)",
    "(4;2):1", "((4,_),3):((1,4),8)"};

Json nested_offset(absl::string_view layout) {
  return json_object({{"op", "tla.offset"}, {"layout", layout}, {"coord", 9}});
}

constexpr const char* kSpaces[] = {" ", "  ", "\t", "\n", "/* */", " /*index=1*/ "};

// Inserts white space and comments between tokens, not within words and numbers.
std::string respelled(Choose& choose, const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool between = absl::string_view("{}[](),:*").find(text[i]) != absl::string_view::npos;
    if (between && choose.chance(1, 6)) out += kSpaces[choose(std::ssize(kSpaces))];
    out += text[i];
    if (between && choose.chance(1, 6)) out += kSpaces[choose(std::ssize(kSpaces))];
  }
  return out;
}

}  // namespace

std::vector<Json> parse_fixed() {
  std::vector<Json> requests;
  for (absl::string_view text : kSpellings) requests.push_back(physical(text));
  for (absl::string_view text : kBroken) requests.push_back(physical(text));
  for (const Difference& entry : differences()) requests.push_back(physical(entry.example));
  for (absl::string_view layout : kNestedSpellings) requests.push_back(nested_offset(layout));
  for (absl::string_view layout : kNestedBroken) requests.push_back(nested_offset(layout));
  requests.push_back(
      evaluate_request("(d0) -> (d0 * 010 + 012), domain: d0 in [0, 9]", {3}, {}, {}));
  return requests;
}

Json make_parse_request(Choose& choose, const Limits&) {
  if (choose.chance(1, 2)) return physical(random_shape_text(choose));
  const int64_t magnitude = int64_t{1} << choose.pick<int64_t>({6, 14, 30});
  return physical(respelled(choose, to_text(random_shape(choose, magnitude))));
}

}  // namespace tileproof::conform
