// SPDX-License-Identifier: Apache-2.0
// The cause of a failure, as far as its smallest failing request shows it: the structure of the
// request, without what is particular to its numbers and names.
//
//     {"op":"map.simplify","map":"(d0)[s0] -> (s0 mod -3), domain: d0 in [0, 9], s0 in [0, 5]"}
//     map.simplify map (x1 mod -a)
//
//     {"op":"layout.linearize","shape":"s1[2,5]{0,1:T(4)(2,1)}","index":[1,3]}
//     layout.linearize shape [n,n] permuted T(n) T(n,1) index [n]
//
// Two requests have the same cause if these texts are equal. In a map, variables are numbered by
// first use, and equal constants have equal letters. 0, 1, -1, signs, empty and single-valued
// bounds, impossible remainders, and "divides" between two constants are structure. The length of an
// index is not, nor which kinds of variables have the values of a point. Numbers of 2^31 and more are written with capital letters. Element types never count.
// All requests of an operation that must be refused because a size or an offset does not fit 64 bits
// have one cause, if they are answered.
//
// The features of a request are the parts of this structure. A request contains a cause if it has
// all features of the cause; then it may fail for the same reason.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

// `request` may have an id and may be invalid.
std::string structure_of(const Json& request);

// "map.simplify", "mod(x, -c)", "negative variable", ..
std::set<std::string> features_of(const Json& request);

// Whether the request has all features of the cause and the same operation. False if the cause has
// no features: then nothing tells it from any other request.
bool contains(const std::set<std::string>& request, const std::set<std::string>& cause);

// The magnitude of the largest number in the request, up to 2^63. Larger ones count as 2^63.
uint64_t largest_number(absl::string_view request);

// ---- Symptoms: symptom.cc ----
//
// How a program fails, apart from what it was asked: the other half of a cause. Failures with different
// symptoms have different causes.

// What is wrong with an answer, without numbers: "other values", "accepts more", "accepts less",
// "KNOWN EMPTY", or the judge's words. `right` is Judgment::right.
std::string symptom_of(const std::string& answer, const std::string& right);

// Whether an error is right, because something does not fit 64 bits. `right` is Judgment::right.
bool is_beyond_64_bits(const std::string& right);

// Whether an error is the only right answer. `right` is Judgment::right.
bool is_refused(absl::string_view right);

// The start of the outcome of a line that is no answer; the line follows.
inline constexpr char kNotAnAnswer[] = "not an answer: ";

// Whether a line of the program does not even begin like an answer.
bool is_other_line(absl::string_view line);

// The start of a line that is no JSON object, such as "DEBUG here 17"; empty for other failures.
// `what` is Outcome::what.
std::string other_line_in(absl::string_view what);

// Whether such a line is no JSON object: another line, or an object that is cut off.
bool is_no_object(absl::string_view what);

// "your program prints other lines to standard output, such as 'DEBUG here 17'; .."
std::string prints_other_lines(absl::string_view line);

// What is wrong with a line that breaks the protocol: "not an answer, expected exactly one of ..".
std::string broken_protocol(absl::string_view what);

// The exception that ended a program of Python: its type, and its message without numbers and
// quoted names. Empty if standard error ends otherwise.
//
//     Traceback (most recent call last):
//       ..
//     KeyError: 's4'                        KeyError: ''
std::string exception_of(absl::string_view standard_error);

// Where it was raised: the last `File "..", line ..` of the traceback. Empty likewise.
std::string place_of_exception(absl::string_view standard_error);

// Texts without what is particular to their numbers: "at 17 of 4294967296" becomes "at n of N".

inline constexpr uint64_t kWide = uint64_t{1} << 31;  // numbers from here on are no ordinary sizes

uint64_t magnitude(int64_t n);
bool is_wide(int64_t n);

// "-" or ""
std::string sign_text(int64_t n);

// "0", "1", "-1", "n", "-n", "N", "-N"
std::string class_of(int64_t n);

// The text with numbers replaced by their classes.
std::string words_of(absl::string_view text);

// ---- Reasons: reason.cc ----
//
// Explains why the right answer is right: the steps of the reference at the point in question.
//
//     layout.linearize of (1) in f32[2]{0:T(2)(2,1)}
//       index (1) in [2]
//       split dimension 0 by 2: (0, 1) in [1, 2]
//       ..
//       offset 2
//
//     layout.*   the index, or the sizes, after each layout step (spec/layout/tiled_layout.h)
//     map.*      the value of each operation at a point where the answer differs
//     hlo.*      nothing: the judge already names the elements that differ

// The lines of the explanation; none for an invalid request. `answer` is the wrong answer without
// its id.
std::vector<std::string> reason(const Json& request, const std::string& answer);

// The first question of a list of indices or offsets that has another answer than the right one, or
// none, alone. The request itself if there is no such question.
//
//     "indices":[[0],[1]], answered [0, 7] in place of [0, 1]     "index":[1]
Json first_wrong(const Json& request, const Json& answer, const Json& right);

}  // namespace tileproof::conform
