// SPDX-License-Identifier: Apache-2.0
// Helpers of all commands: reading arguments, printing JSON and errors.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::cli {

using conform::invalid;
using conform::Json;
using conform::json_object;
using conform::prefixed;

// The text of a command-line argument: the content of FILE for "@FILE", all of standard input for
// "-", the map `#NAME` of a file of MLIR for "@FILE#NAME", or the file with its function NAME as the
// only one that is asked for, otherwise the argument itself. An argument
// that looks like a path is read as "@FILE"; the error is then "cannot read the file ci/before.hlo".
absl::StatusOr<std::string> read_argument(const std::string& argument);

// The same, of an argument for which the name of a file is enough.
absl::StatusOr<std::string> read_file_argument(const std::string& argument);

// The file from which read_argument has read this text; empty if there is none.
std::string file_of(absl::string_view text);

// The error at an instruction of a module in HLO text, as if its parser had found it: with the place
// of the instruction's name, if the text has it once in the computation. complain() shows the place,
// and names the file. `computation` is empty if it is not known; then the text must have it once.
absl::Status error_at_instruction(const std::string& text, absl::string_view computation,
                                  absl::string_view instruction, const absl::Status& error);

// As above, for the FILE or @FILE that was given to read_modules, and the instruction that `reason`
// begins with: "c: expected ..". The error as it is if that is no file.
absl::Status error_at_reason(const std::string& file, absl::string_view computation,
                             absl::string_view reason, const absl::Status& error);

// The place of an instruction: "ci/before.hlo:3:2" or "line 3"; empty if the text does not have it
// once.
std::string place_of_instruction(absl::string_view text, absl::string_view instruction);

// Whether the argument can only be a path, "ci/before.hlo" or "map.txt": no map, layout or HLO text
// is written like this.
bool looks_like_path(absl::string_view argument);

// Whether the text is a module, in one of the formats of modules_in.
bool looks_like_module(absl::string_view text);

// The modules of HLO text, StableHLO text, or an HLO proto (binary or text). The error names gzip
// data and MLIR bytecode if it finds them.
absl::StatusOr<std::vector<HloModule>> modules_in(const std::string& text, bool allow_unknown);

// The modules of an HLO file. `file` is FILE, @FILE, "-", or the HLO text itself, which is
// recognized by the instruction in it; or a MAP, which stands for an array that reads another one by it.
// Operations and attributes that XLA does not know are errors unless `allow_unknown`; then a line on
// standard error names them.
absl::StatusOr<std::vector<HloModule>> read_modules(const std::string& file, bool allow_unknown,
                                                    absl::string_view shape = "");

// The text that read_modules refused with this error; empty if it is not known.
std::string refused_text(const absl::Status& refused);

// The modules of an HLO text that read_modules refused, given its error, if the text can be read without
// the lines that hold what is wrong. In the place of such a line is an instruction `unread()` of its
// name and shape; unread_line is the number of its error. For commands that look at each instruction by
// itself. Errors: the error, if what is wrong is not one instruction on a line of its own.
struct ReadLines {
  std::vector<HloModule> modules;
  std::vector<absl::Status> unread;
};
absl::StatusOr<ReadLines> modules_but_bad_lines(const absl::Status& refused, bool allow_unknown);
std::optional<size_t> unread_line(const HloInstruction& instruction);

// The instruction of that name, NAME, %NAME or COMPUTATION/NAME, or the root of the entry computation if
// `name` is empty. Errors: several modules; no instruction of that name, or several. The modules must
// outlive the result.
struct Asked {
  const HloModule& module;
  int32_t computation;
  int32_t instruction;
};
absl::StatusOr<Asked> find_asked(const std::vector<HloModule>& modules, absl::string_view name);

// The JSON of a command, with its keys in alphabetical order, and the end of the line:
// {"equal": true, "by": "cases"} as {"by":"cases","equal":true}.
std::string json_line(Json json);

// The box of an array, [low, high) along each dimension: "[0:2, 0:6]", and [[0, 2], [0, 6]].
std::string box_text(const std::vector<Interval>& box);
Json box_json(const std::vector<Interval>& box);

// The argument of --type. Errors: "--type: expected an element type, found f17".
absl::StatusOr<ElementType> element_type_argument(const std::string& type);

Json json_array(const std::vector<std::string>& texts);
Json json_number(double number);  // must be finite

// Makes the folder and those above it, unless it exists or the path is empty. Errors: it cannot be
// made, or nothing can be written into it.
absl::Status make_folder(const std::string& path);

// What a command answers: documents, the same as text, and the exit status.
struct Answer {
  std::vector<Json> json;  // one a line; without any, --json prints the text, too
  std::string text;
  int status = 0;
  bool sorts_keys = true;  // of the documents; false: they keep the order of their first version
};

// Prints the text, or a line of JSON for each document. Returns the status.
int print(const Answer& answer, bool as_json);

// The error, with what complain() shall say of it: that it is about this option or argument, instead
// of the command ("": of the command), and about a place in this text.
absl::Status about(absl::string_view what, const absl::Status& error, absl::string_view text = {});

template <class T>
absl::StatusOr<T> about(absl::string_view what, absl::StatusOr<T> value,
                        absl::string_view text = {}) {
  if (value.ok()) return value;
  return about(what, value.status(), text);
}

// Prints "tileproof: <what>: <message>" on standard error, and the error as JSON on standard output
// if the command prints JSON. about() names another `what`, and the text that the message is about: if
// it is that of a file, the place is printed as "FILE:3:2: ". On a terminal, the line follows, with a
// caret under the place. Returns the exit status: of bad input, or of an internal failure.
int complain(const std::string& what, const absl::Status& status);

// The message with the place, "FILE:3:2: expected ..", as complain prints it.
std::string placed_message(const absl::Status& status);

// As above, without JSON: for commands whose own JSON holds the message.
int complain_in_text(const std::string& what, const absl::Status& status);

}  // namespace tileproof::cli
