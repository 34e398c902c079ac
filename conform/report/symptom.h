// SPDX-License-Identifier: Apache-2.0
// How a program fails, apart from what it was asked: the other half of a cause
// (conform/report/cause.h). Failures with different symptoms have different causes.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::conform {

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

}  // namespace tileproof::conform
