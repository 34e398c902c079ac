// Answers of the closed forms on record, word for word: corpus/golden/*.txt.
//
// That an answer is right is told by the reference. That it stays as short, as exact and as clear
// as it was is told by these: a map that is simplified, its ranges and fewer variables; the steps
// of simplifying; two that are composed; all answers of the indexing analysis about the root of a
// module, errors too, and how many elements it reads; the places of an array, and its layout in
// other systems; all operations of the layout algebra; the transactions of a kernel.
//
//     simplify (d0) -> ((-d0) mod 2), domain: d0 in [0, 127]
//     => (d0) -> (d0 mod 2), domain: d0 in [0, 127]
//     => ranges [0, 1]
//
// After a change that is meant, `record_answers FILE` writes the answers of a file anew.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"

namespace tileproof::verify {

// Lines, each ended; of the answer without "=> ". A comment is a question without an answer.
struct GoldenAnswer {
  std::string question;
  std::string answer;
};

// The files on record, in corpus/golden.
inline constexpr absl::string_view kGoldenFiles[] = {"families.txt", "faults.txt", "hlo.txt",
                                                     "layouts.txt",  "maps.txt",   "refused.txt",
                                                     "steps.txt",    "traces.txt"};

// Entries stand between empty lines. Errors: no such file, or one without entries.
absl::StatusOr<std::vector<GoldenAnswer>> read_golden(const std::string& path);
std::string to_text(const std::vector<GoldenAnswer>& entries);

inline bool is_comment(const GoldenAnswer& entry) { return entry.question.starts_with('#'); }

// What a question begins with says what it is about:
//     simplify MAP        trace MAP        compose MAP <newline> then MAP
//     index <newline> MODULE        places SHAPE
//     algebra OPERANDS (verify/compare/algebra_laws.h)
//     transactions WARP WIDTH SHAPE <newline> threads MAP <newline> access MAP
std::string answer_to(absl::string_view question);

// Of a question about a module: the first answer that is not the reference's (indexing_compare.h),
// in what, and the module; empty if all are. Empty for other questions.
std::string difference_from_reference(absl::string_view question);

// The question about a module that was changed here and there; others as they are.
std::string changed(Choose& choose, absl::string_view question);

}  // namespace tileproof::verify
