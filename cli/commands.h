// SPDX-License-Identifier: Apache-2.0
// One function for each command of the program. It returns an answer, or the exit status (docs/manual.md):
// 0 it holds, 1 a counterexample, 2 the input or the call is wrong, 3 undecided, 70 an internal
// failure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tileproof::cli {

class Command;
class Program;
struct Answer;

inline constexpr int kHolds = 0;
inline constexpr int kCounterexample = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kUndecided = 3;
inline constexpr int kInternal = 70;

absl::StatusOr<Answer> coalescing_command(const Command& given);
absl::StatusOr<Answer> compose_command(const Command& given);
absl::StatusOr<Answer> diff_command(const Command& given);
absl::StatusOr<Answer> equiv_command(const Command& given);
absl::StatusOr<Answer> evaluate_command(const Command& given);
absl::StatusOr<Answer> explain_command(const Command& given);
absl::StatusOr<Answer> grid_command(const Command& given);
absl::StatusOr<Answer> image_command(const Command& given);
absl::StatusOr<Answer> inverse_command(const Command& given);
absl::StatusOr<Answer> layout_command(const Command& given);
absl::StatusOr<Answer> relayout_command(const Command& given);
absl::StatusOr<Answer> simplify_command(const Command& given);
absl::StatusOr<Answer> tile_command(const Command& given);
absl::StatusOr<Answer> waste_command(const Command& given);
// Answers questions of the explorer. `run` runs the program again, with these words.
using RunProgram = std::function<int(const std::vector<std::string>& words)>;
absl::StatusOr<int> answer_command(const Command& given, const RunProgram& run);
absl::StatusOr<int> check_command(const Command& given);
absl::StatusOr<int> conform_command(const Command& given);
absl::StatusOr<int> explore_command(const Command& given);
absl::StatusOr<int> generate_command(const Command& given);
absl::StatusOr<int> judge_command(const Command& given);
absl::StatusOr<int> map_command(const Command& given);
absl::StatusOr<int> prove_command(const Command& given);
absl::StatusOr<int> respond_command(const Command& given);
absl::StatusOr<int> utilization_command(const Command& given);
absl::StatusOr<int> zoo_command(const Command& given);

// Commands of which the program makes words or values add themselves.
void add_algebra_command(Program& program);
void add_banks_command(Program& program);
void add_fuzz_command(Program& program);
void add_help_commands(Program& program);  // help, completion, pages

}  // namespace tileproof::cli
