// SPDX-License-Identifier: Apache-2.0
// The parts of a campaign: causes of findings, its files, inputs as text, reports.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

// ---- Causes of findings: cause.cc ----
//
// Findings with the same cause are one finding.
//
// If the target printed a FOUND line, the cause is that line without what is particular to the
// input: quoted parts and everything after " at " are dropped, and every number becomes N.
//
//     FOUND: simplified to another map: '(d0) -> (d0 mod 2)' '(d0) -> (d0)' at d0 = 2
//     FOUND: simplified to another map
//
// Otherwise the cause is the kind of failure with the three innermost functions of the project in
// its stack. For a timeout it has the three outermost ones, as the interrupt may come anywhere.
//
//     heap-buffer-overflow in tileproof::parse_shape < tileproof::check
//     runtime error: signed integer overflow: N + N cannot be .. at spec/lang/layout/shape.cc:N
//
// Several bugs can have the same cause, so a campaign keeps more than one input of each.

// Both are printable ASCII; other bytes are escaped.
struct Cause {
  std::string text;
  std::string line;  // the whole line of the target; it can be pasted
};

// Returns the cause of the failure in the output of a program, or nullopt if it did not fail.
std::optional<Cause> cause_of(absl::string_view log);

// Returns a file name for the cause: 16 hexadecimal digits.
std::string key_of(absl::string_view target, const Cause& cause);

// ---- Files of a campaign: files.cc ----
//
// A process that is killed while writing leaves the old file or the new one, never a part of one.

// Returns the content of a regular file. Errors: no such file; an unreadable file; not a regular
// file (reading a pipe would block).
absl::StatusOr<std::string> read_file(const std::filesystem::path& path);

// Replaces a file: writes a temporary file beside it and renames it.
absl::Status write_file(const std::filesystem::path& path, absl::string_view content);

absl::Status make_folder(const std::filesystem::path& path);

// Return the folders, and all else, that a folder holds, sorted by name; nothing if there is no folder.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder);
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// A lock that one process holds at a time. It is released when the process ends, however it ends.
// Taking it fails after two seconds; the error names the folder and the process that holds it.
class Lock {
 public:
  static absl::StatusOr<Lock> take(const std::filesystem::path& folder);
  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&&) = delete;
  ~Lock();

 private:
  explicit Lock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// ---- Inputs as text that can be pasted: input_text.cc ----

// Returns the text of an input: the input itself, or what its choices generate.
std::string text_of(const Target& target, absl::string_view input);

// Returns the bash command that asks the program the target's question about the input:
//
//     tileproof prove 'f32[3]'
//     r='{"id":1,"op":"map.simplify",..}'; tileproof respond <<< "$r" | tileproof judge ..
std::string command_of(const Target& target, absl::string_view input);

// Returns a finding in the form of its corpus file: comments with `line`, which must be printable,
// and how to replay it, then the input. An input with unprintable characters does not fit a line of
// the corpus; it is escaped in a comment.
std::string regression_of(const Target& target, absl::string_view input, absl::string_view line,
                          absl::string_view replay);

// ---- Reports: text, JSON, or one HTML page: report.cc ----

// "41s", "12m03s", "3h20m".
std::string time_text(int64_t milliseconds);

// A line for a terminal:
// "12m03s left, 9203112 runs, 35112/s, 12345 features (+93), 41 new inputs, 1 finding: map_equal"
std::string to_text(const Progress& progress);

// Returns the line that replays the input of a finding, and the file that has it as a regression.
std::string replay_line(const Options& options, const Finding& finding);
std::filesystem::path regression_file(const Options& options, const Target& target,
                                      const std::string& key);

// Returns a line for each target, the findings with the lines that replay them, the notes, and
// "campaign in FOLDER: 32256 runs in 20s, nothing found".
std::string to_text(const Summary& summary, const Options& options);

// The schema is in docs/fuzzing.md.
conform::Json to_json(const Summary& summary, const Options& options);

// Returns the text as a self-contained page.
std::string to_html(const Summary& summary, const Options& options);

}  // namespace tileproof::campaign
